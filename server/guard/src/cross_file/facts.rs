//! What one file contributes to rules that look at several.

use asd_syntax::{Language, Tree};
use asd_text::Span;
use serde::{Deserialize, Serialize};

use super::extract;
use super::tsconfig::{self, TsConfig};
use crate::part::Part;
use crate::suppress::{self, DirectiveReach};

/// Above this share of text that no grammar could make anything of, a tree is
/// not relied on. (guard.md §5)
const MAX_ERROR_SHARE: f64 = 0.3;

/// The facts of one file. They depend on its path, its text and nothing else,
/// so they can be kept as long as the text stays the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileFacts {
    /// Whether it says that a program wrote it.
    pub(crate) is_generated: bool,
    /// The package of a Java, Kotlin or Go file.
    pub(crate) package: Option<Box<str>>,
    /// What a script loads before it runs.
    pub(crate) imports: Vec<Import>,
    /// What a `tsconfig.json` says of paths.
    pub(crate) config: Option<Box<TsConfig>>,
    /// Categories of Objective-C classes.
    pub(crate) categories: Vec<Category>,
    /// Classes, interfaces and objects that stand in no other.
    pub(crate) classes: Vec<Class>,
    /// Where a Go file has an `init` function.
    pub(crate) inits: Vec<At>,
    /// The build constraint of a Go file, without the one in its name.
    pub(crate) constraint: Option<Box<str>>,
    /// Members of Swift extensions that other files can see.
    pub(crate) members: Vec<Member>,
    /// What the functions and methods of a Go file say of their last result.
    pub(crate) results: Vec<Results>,
    /// Last results that a Go file throws away, of functions of other files.
    pub(crate) dropped: Vec<Dropped>,
    /// Comments that suppress rules which look at several files.
    pub(crate) suppressions: Vec<Ignored>,
}

/// A place in the text of its file, in bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct At {
    /// First byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

impl From<Span> for At {
    fn from(span: Span) -> Self {
        // Files of more than a few megabytes have no facts.
        let short = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            start: short(span.start),
            end: short(span.end),
        }
    }
}

impl From<At> for Span {
    fn from(at: At) -> Self {
        Self::new(at.start as usize, at.end as usize)
    }
}

/// An import that is carried out when the file is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Import {
    /// What is imported, as it is written.
    pub(crate) specifier: Box<str>,
    /// The specifier with its quotes.
    pub(crate) at: At,
}

/// A category of an Objective-C class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Category {
    /// The class.
    pub(crate) class: Box<str>,
    /// The category.
    pub(crate) name: Box<str>,
    /// Whether it is an `@implementation`.
    pub(crate) is_implementation: bool,
    /// The category's name.
    pub(crate) at: At,
}

/// A declaration of a class, interface, object, enumeration or record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Class {
    /// Its simple name.
    pub(crate) name: Box<str>,
    /// The class that it extends, as it is written but without type arguments.
    pub(crate) superclass: Option<Box<str>>,
    /// Its name.
    pub(crate) at: At,
}

/// A member of a Swift extension.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Member {
    /// The extended type.
    pub(crate) of: Box<str>,
    /// Under which conditions it exists: `where` clauses and `#if`.
    pub(crate) condition: Box<str>,
    /// What tells it from other members: kind, name, labels, types.
    pub(crate) signature: Box<str>,
    /// Its name.
    pub(crate) at: At,
}

/// A function or method of Go, also of an interface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Results {
    /// Its name.
    pub(crate) name: Box<str>,
    /// How many results it has.
    pub(crate) count: u32,
    /// Whether the last of them is an `error`.
    pub(crate) may_fail: bool,
}

/// A last result that is assigned to `_`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Dropped {
    /// The function or method, without what stands before the dot.
    pub(crate) name: Box<str>,
    /// What stands before the dot; empty for a function of the package.
    pub(crate) of: Box<str>,
    /// How many results are taken.
    pub(crate) count: u32,
    /// The `_`.
    pub(crate) at: At,
}

/// A comment that suppresses a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Ignored {
    /// The rule.
    pub(crate) rule: Box<str>,
    /// Where findings are suppressed that start there; `None` for everywhere.
    pub(crate) reach: Option<At>,
    /// The rule's name in the comment.
    pub(crate) at: At,
}

impl FileFacts {
    /// Whether a file can have facts at all, by its path and language; the
    /// others need not be read.
    #[must_use]
    pub fn concerns(path: &str, language: Language) -> bool {
        match language {
            Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Vue
            | Language::Svelte
            | Language::Objc
            | Language::Java
            | Language::Kotlin
            | Language::Go
            | Language::Swift => true,
            Language::Json => tsconfig::is_config(path),
            _ => false,
        }
    }

    /// The facts of a text; `tree` is its syntax tree when there is one already.
    /// `None` when the text cannot be parsed well enough, or is so large that no
    /// tree is made of it.
    #[must_use]
    pub fn of(path: &str, text: &str, language: Language, tree: Option<&Tree>) -> Option<Self> {
        if !Self::concerns(path, language) {
            return Some(Self::default());
        }
        if language == Language::Json {
            return Some(Self {
                config: tsconfig::read(text).map(Box::new),
                ..Self::default()
            });
        }
        let part = Part::new(language, text);
        if part.is_heavy() {
            return None;
        }
        let mut facts = Self {
            is_generated: asd_syntax::is_generated(path, text),
            ..Self::default()
        };
        if matches!(language, Language::Vue | Language::Svelte) {
            for region in asd_syntax::regions(language, text) {
                let inner = region.span.of(text);
                if extract::is_script(region.language) {
                    let mut read = Self::default();
                    read.extract(path, inner, region.language, None)?;
                    let by = At::from(region.span).start;
                    facts
                        .imports
                        .extend(read.imports.into_iter().map(|mut import| {
                            import.at.start += by;
                            import.at.end += by;
                            import
                        }));
                    let part = Part::new(region.language, inner);
                    facts.read_suppressions(&part, region.span.start);
                }
            }
        } else {
            facts.extract(path, text, language, tree)?;
        }
        facts.read_suppressions(&part, 0);
        Some(facts)
    }

    /// Where something that was at a place is in a newer text of the file;
    /// `None` when the facts are others now, beside their places.
    #[must_use]
    pub fn follow(&self, at: At, newer: &Self) -> Option<At> {
        let (mut before, mut after) = (self.clone(), newer.clone());
        let (old, new) = (before.take_places(), after.take_places());
        if before != after {
            return None;
        }
        let index = old.iter().position(|old| *old == at)?;
        new.get(index).copied()
    }

    /// Every place, in a fixed order; nothing of them stays.
    fn take_places(&mut self) -> Vec<At> {
        let imports = self.imports.iter_mut().map(|one| &mut one.at);
        let categories = self.categories.iter_mut().map(|one| &mut one.at);
        let classes = self.classes.iter_mut().map(|one| &mut one.at);
        let members = self.members.iter_mut().map(|one| &mut one.at);
        let dropped = self.dropped.iter_mut().map(|one| &mut one.at);
        let comments = self.suppressions.iter_mut().flat_map(|one| {
            let reach = one.reach.as_mut();
            std::iter::once(&mut one.at).chain(reach)
        });
        imports
            .chain(categories)
            .chain(classes)
            .chain(self.inits.iter_mut())
            .chain(members)
            .chain(dropped)
            .chain(comments)
            .map(std::mem::take)
            .collect()
    }

    /// Whether no rule has to look at another file on account of this one.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.imports.is_empty()
            && self.categories.is_empty()
            && self.classes.is_empty()
            && self.inits.is_empty()
            && self.dropped.is_empty()
            && self.members.is_empty()
    }

    /// Whether other modules are loaded with it.
    #[must_use]
    pub fn imports_modules(&self) -> bool {
        self.package.is_none() && !self.imports.is_empty()
    }

    fn extract(
        &mut self,
        path: &str,
        text: &str,
        language: Language,
        tree: Option<&Tree>,
    ) -> Option<()> {
        let made;
        let tree = match tree {
            Some(tree) => tree,
            None => {
                made = asd_syntax::parse(language, text, None)?;
                &made
            }
        };
        if asd_syntax::error_share(tree) > MAX_ERROR_SHARE {
            return None;
        }
        extract::read(self, path, text, language, tree.root_node());
        Some(())
    }

    fn read_suppressions(&mut self, part: &Part<'_>, offset: usize) {
        for directive in suppress::directives(part) {
            let reach = match directive.reach {
                DirectiveReach::File
                    if suppress::is_at_the_top(part.text, directive.span.start) =>
                {
                    None
                }
                DirectiveReach::File => continue,
                DirectiveReach::Lines(lines) => Some(At::from(lines.shifted(offset))),
            };
            for (rule, span) in directive.rules {
                if is_project_rule(&rule) {
                    self.suppressions.push(Ignored {
                        rule: rule.into(),
                        reach,
                        at: span.shifted(offset).into(),
                    });
                }
            }
        }
    }

    /// The comment that suppresses what a rule finds at a place.
    pub(super) fn suppression(&self, rule: &str, at: At) -> Option<At> {
        let found = self.suppressions.iter().find(|ignored| {
            let reaches = ignored
                .reach
                .is_none_or(|reach| reach.start <= at.start && at.start <= reach.end);
            &*ignored.rule == rule && reaches
        });
        found.map(|ignored| ignored.at)
    }
}

/// Whether a rule looks at several files, by its id.
fn is_project_rule(id: &str) -> bool {
    crate::builtin::rule(id).is_some_and(|rule| rule.layer == crate::Layer::CrossFile)
}
