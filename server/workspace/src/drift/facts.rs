//! What is asked about the project, answered by its code map, its files and git.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use asd_codemap::{CodeMap, Declaration, MapFile, SymbolId, SymbolKind};
use asd_knowledge::drift::{ProjectFacts, recipe_symbols};
use asd_recipe::{MatchIn, Recipe, canonical_language};
use asd_store::{Disk, Git, Project, Renamed, read_text};
use asd_syntax::{Language, Mask};
use rayon::prelude::*;

/// Shorter pieces of code are found by chance, in characters without spaces.
const MIN_CODE: usize = 8;
/// How many lines above a declaration may speak of it.
const LINES_ABOVE: usize = 40;
/// How much of the body of a function is looked at, in bytes.
const BODY: usize = 600;

/// What is known of a project, as far as its recipes ask.
pub(super) struct TreeFacts<'p> {
    project: &'p Project,
    map: &'p CodeMap,
    /// Whether the map holds every source file.
    complete: bool,
    /// How often each name that a recipe uses occurs in the code.
    counts: HashMap<String, u64>,
    /// Names that come from outside of the project.
    external: BTreeSet<String>,
    /// Names that files import from the project, or try to.
    internal: BTreeSet<String>,
    /// Those of the used names whose every definition is marked as deprecated.
    deprecated: BTreeSet<String>,
    /// Sources that are gone, with where they went.
    pub(super) renamed: BTreeMap<String, Renamed>,
}

impl<'p> TreeFacts<'p> {
    /// Finds out what these recipes ask. Files that are set aside by `cancel`
    /// count as empty.
    pub(super) fn gather(
        project: &'p Project,
        map: &'p CodeMap,
        complete: bool,
        recipes: &[&Recipe],
        cancel: &AtomicBool,
    ) -> Self {
        let wanted: HashSet<String> = recipes
            .par_iter()
            .filter(|recipe| asd_knowledge::drift::is_watched(recipe))
            .flat_map_iter(|recipe| recipe_symbols(recipe).names)
            .map(|name| last_part(&name).to_owned())
            .collect();
        let mut facts = Self {
            project,
            map,
            complete,
            counts: HashMap::new(),
            external: BTreeSet::new(),
            internal: BTreeSet::new(),
            deprecated: BTreeSet::new(),
            renamed: BTreeMap::new(),
        };
        facts.count(&wanted, cancel);
        facts.read_imports();
        facts.read_marks(&wanted);
        facts.follow_renames(recipes);
        facts
    }

    fn text_of(&self, file: &MapFile) -> Option<String> {
        let path = self.project.root().join(&file.path);
        read_text(&Disk, &path).ok().map(|decoded| decoded.text)
    }

    fn count(&mut self, wanted: &HashSet<String>, cancel: &AtomicBool) {
        let counts: HashMap<&str, AtomicU64> = wanted
            .iter()
            .map(|name| (name.as_str(), AtomicU64::new(0)))
            .collect();
        if !counts.is_empty() {
            self.map.files().par_iter().for_each(|file| {
                if cancel.load(Ordering::Relaxed) {
                    return;
                }
                let Some(text) = self.text_of(file) else {
                    return;
                };
                let mask = Mask::new(file.source.facts.language, &text);
                for word in words(&mask.view(&text, MatchIn::Code)) {
                    if let Some(count) = counts.get(word) {
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        self.counts = wanted
            .iter()
            .map(|name| {
                let count = counts.get(name.as_str());
                (
                    name.clone(),
                    count.map_or(0, |count| count.load(Ordering::Relaxed)),
                )
            })
            .collect();
    }

    /// Tells names that files take from elsewhere from those that they take
    /// from the project.
    fn read_imports(&mut self) {
        let externals = self.map.externals();
        for (index, file) in self.map.files().iter().enumerate() {
            let id = asd_codemap::FileId(u32::try_from(index).unwrap_or(u32::MAX));
            let start = externals.partition_point(|external| external.from < id);
            let end = externals.partition_point(|external| external.from <= id);
            let outside = &externals[start..end];
            for import in &file.source.facts.imports {
                // The module of an external import may be written out further.
                let leads_out = outside.iter().find(|found| found.line == import.line);
                let names = import
                    .names
                    .iter()
                    .flat_map(|named| [named.name.as_str(), named.local.as_str()])
                    .chain(import.alias.as_deref())
                    .filter(|name| !matches!(*name, "*" | "default"));
                if leads_out.is_some_and(|found| !found.is_broken) {
                    self.external.extend(names.map(str::to_owned));
                    self.external.insert(last_part(&import.module).to_owned());
                } else {
                    self.internal.extend(names.map(str::to_owned));
                }
            }
        }
    }

    fn read_marks(&mut self, wanted: &HashSet<String>) {
        let marked = wanted.par_iter().filter(|name| {
            let definitions: Vec<SymbolId> = self
                .map
                .named(name)
                .filter(|symbol| {
                    let kind = self.map.declaration(*symbol).kind;
                    kind.is_callable() || kind.is_type() || kind == SymbolKind::Constant
                })
                .collect();
            !definitions.is_empty()
                && definitions
                    .iter()
                    .all(|symbol| self.is_marked(self.map.declaration(*symbol), *symbol))
        });
        self.deprecated = marked.cloned().collect();
    }

    fn is_marked(&self, declaration: &Declaration, symbol: SymbolId) -> bool {
        let says = |text: &str| says_deprecated(&text.to_lowercase());
        let words = declaration.annotations.iter().chain(&declaration.modifiers);
        if words.into_iter().any(|word| {
            let word = word.to_lowercase();
            word.contains("deprecated") || word.starts_with("obsolete")
        }) {
            return true;
        }
        let Some(text) = self.text_of(self.map.file(self.map.file_of(symbol))) else {
            return false;
        };
        let start = declaration.span.start.min(text.len());
        let (Some(before), Some(rest)) = (text.get(..start), text.get(start..)) else {
            return false;
        };
        if lines_above(before).any(says) {
            return true;
        }
        let mut end = BODY.min(rest.len()).min(declaration.span.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        rest[..end].contains("DeprecationWarning") || says(&declaration.signature)
    }

    fn follow_renames(&mut self, recipes: &[&Recipe]) {
        let missing: BTreeSet<String> = recipes
            .iter()
            .flat_map(|recipe| &recipe.reasoning.sources)
            .filter(|source| self.exists(&source.path) == Some(false))
            .map(|source| source.path.clone())
            .collect();
        if missing.is_empty() {
            return;
        }
        if let Ok(git) = Git::open(self.project.root()) {
            self.renamed = git.renames(&missing);
        }
    }

    /// Whether a source exists; `None` for what is no path of the project.
    pub(super) fn exists(&self, path: &str) -> Option<bool> {
        let is_path = !path.trim().is_empty()
            && !path.contains("://")
            && !path.contains(['*', '{'])
            && (path.contains(['/', '.']) || !path.contains(' '));
        if !is_path {
            return None;
        }
        let full = self.project.absolute(path).ok()?;
        Some(full.exists())
    }

    fn defines(&self, name: &str) -> bool {
        self.map.named(name).next().is_some()
    }

    /// Those of the names that the project defines.
    pub(super) fn defined_of(&self, names: &[String]) -> BTreeSet<String> {
        let names = names.iter().filter(|name| self.defines(last_part(name)));
        names.cloned().collect()
    }
}

/// The project as one recipe sees it.
pub(super) struct RecipeFacts<'f, 'p> {
    tree: &'f TreeFacts<'p>,
    /// Names that were defined in the project when the recipe was healthy.
    once_defined: &'f BTreeSet<String>,
    /// Whether the language of its code is one whose definitions are known.
    knows_language: bool,
    /// Whether all its sources are there, so that nothing suggests that a
    /// definition went with one.
    sources_are_there: bool,
}

impl<'f, 'p> RecipeFacts<'f, 'p> {
    pub(super) fn new(
        tree: &'f TreeFacts<'p>,
        recipe: &Recipe,
        once_defined: &'f BTreeSet<String>,
    ) -> Self {
        let stated = recipe
            .core_code
            .as_ref()
            .map(|code| code.language.as_str())
            .filter(|language| !language.is_empty())
            .unwrap_or(&recipe.language);
        let language = canonical_language(stated).and_then(Language::from_id);
        Self {
            tree,
            once_defined,
            knows_language: language.is_none_or(has_definitions),
            sources_are_there: recipe
                .reasoning
                .sources
                .iter()
                .all(|source| tree.exists(&source.path) != Some(false)),
        }
    }
}

impl ProjectFacts for RecipeFacts<'_, '_> {
    fn is_defined(&self, symbol: &str) -> Option<bool> {
        if self.tree.defines(last_part(symbol)) {
            return Some(true);
        }
        let is_known =
            self.knows_language && self.tree.complete && !self.tree.map.files().is_empty();
        is_known.then_some(false)
    }

    /// Imported from elsewhere; or in use although nothing defines it and
    /// nothing says that the project should.
    fn is_external(&self, symbol: &str) -> bool {
        let name = last_part(symbol);
        if self.tree.external.contains(name) {
            return true;
        }
        let is_used = self.tree.counts.get(name).is_some_and(|count| *count > 0);
        is_used
            && self.sources_are_there
            && !self.once_defined.contains(symbol)
            && !self.tree.internal.contains(name)
    }

    fn is_deprecated(&self, symbol: &str) -> bool {
        self.tree.deprecated.contains(last_part(symbol))
    }

    fn occurrences(&self, symbol: &str) -> Option<u64> {
        if self.tree.map.files().is_empty() {
            return None;
        }
        self.tree.counts.get(last_part(symbol)).copied()
    }

    fn contains(&self, code: &str) -> Option<bool> {
        let wanted = without_spaces(code);
        if wanted.chars().count() < MIN_CODE {
            return None;
        }
        Some(self.tree.map.files().par_iter().any(|file| {
            let text = self.tree.text_of(file);
            text.is_some_and(|text| without_spaces(&text).contains(&wanted))
        }))
    }

    fn path_exists(&self, path: &str) -> Option<bool> {
        self.tree.exists(path)
    }

    fn renamed_to(&self, path: &str) -> Option<String> {
        let renamed = self.tree.renamed.get(path)?;
        Some(renamed.to.clone())
    }
}

/// Whether the code map finds what is defined in files of a language.
const fn has_definitions(language: Language) -> bool {
    !matches!(
        language,
        Language::Html
            | Language::Css
            | Language::Markdown
            | Language::Json
            | Language::Yaml
            | Language::Toml
    )
}

/// The name itself of `a.b`, `a::b`, `a/b` or `a-b.h`.
fn last_part(name: &str) -> &str {
    let name = name.trim_end_matches(['.', ':', '/']);
    name.rsplit(['.', ':', '/']).next().unwrap_or(name)
}

/// The identifiers of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
        .filter(|word| !word.is_empty())
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The comments and attributes right above a place, the nearest first.
fn lines_above(before: &str) -> impl Iterator<Item = &str> {
    const STARTS: [&str; 10] = ["//", "/*", "*", "#", "--", "@", "[", "'''", "\"\"\"", ";"];
    before
        .lines()
        .rev()
        .map(str::trim)
        .enumerate()
        // The rest of the line on which the declaration begins comes first.
        .take_while(|(at, line)| *at == 0 || STARTS.iter().any(|start| line.starts_with(start)))
        .map(|(_, line)| line)
        .take(LINES_ABOVE)
}

/// Whether a line of a comment or an attribute, in small letters, says that
/// something is deprecated.
fn says_deprecated(line: &str) -> bool {
    [
        "@deprecated",
        "deprecated:",
        "[deprecated",
        "[[deprecated",
        "[obsolete",
        "@obsolete",
        ", deprecated",
        "_deprecated",
        "(deprecated",
        ".deprecated",
    ]
    .iter()
    .any(|mark| line.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_many_languages_are_seen() {
        for line in [
            "* @deprecated use open()",
            "#[deprecated(since = \"1\")]",
            "// deprecated: use open.",
            "[obsolete(\"x\")]",
            "@available(*, deprecated, message: \"x\")",
            "[[deprecated]] void f();",
            "__attribute__((deprecated))",
            "@deprecated(\"x\")",
        ] {
            assert!(says_deprecated(line), "{line}");
        }
        for line in ["// works on deprecated entries", "deprecate(entry);"] {
            assert!(!says_deprecated(line), "{line}");
        }
    }

    #[test]
    fn only_what_stands_right_above_speaks_of_a_declaration() {
        let before = "// other\nlet x;\n/**\n * mine\n */\n  export ";
        let above: Vec<&str> = lines_above(before).collect();
        assert_eq!(above, ["export", "*/", "* mine", "/**"]);
    }

    #[test]
    fn names_are_their_last_parts() {
        assert_eq!(last_part("a.b.C"), "C");
        assert_eq!(last_part("net::retry::Queue"), "Queue");
        assert_eq!(last_part("./net/retry"), "retry");
        assert_eq!(last_part("Queue"), "Queue");
    }
}
