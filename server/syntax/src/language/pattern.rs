//! How code patterns with metavariables are read in each language.
//!
//! A metavariable is written `$A`. Where `$` cannot start a name, another
//! character stands for it while the grammar reads the pattern (the expando
//! character); where nothing like a bare name exists (JSON, TOML) it becomes a
//! quoted string.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use ast_grep_core::matcher::{PatternBuilder, PatternNode};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_core::{AstGrep, Pattern, PatternError};

use super::Language;

impl Language {
    fn expando(self) -> char {
        match self {
            Self::JavaScript
            | Self::TypeScript
            | Self::Tsx
            | Self::Java
            | Self::Dart
            | Self::Bash
            | Self::Yaml => '$',
            Self::Css => '_',
            // A tag name can only begin with an ASCII letter.
            Self::Html | Self::Vue | Self::Svelte | Self::Markdown => 'z',
            // The C scanners take only letters outside the Latin blocks.
            Self::C | Self::Cpp | Self::Objc => '\u{10000}',
            Self::Swift
            | Self::Python
            | Self::Kotlin
            | Self::Go
            | Self::Rust
            | Self::CSharp
            | Self::Ruby
            | Self::Json
            | Self::Toml => 'µ',
        }
    }

    /// Whether a metavariable outside of a string has to become a string.
    const fn quotes_metavariables(self) -> bool {
        matches!(self, Self::Json | Self::Toml)
    }

    /// Texts before and after a pattern that is only valid inside something
    /// else, in the order in which they are tried.
    const fn surroundings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Dart => &[
                ("dynamic f() async { ", " }"),
                ("dynamic f() async { ", "; }"),
                ("class C { ", " }"),
                ("class C { ", "; }"),
            ],
            Self::C | Self::Cpp => &[("void f() { ", " }"), ("void f() { ", "; }")],
            Self::Objc => &[
                ("void f() { ", " }"),
                ("void f() { ", "; }"),
                ("@interface C\n", "\n@end"),
                ("@implementation C\n", "\n@end"),
            ],
            Self::Java => &[
                ("class C { void f() { ", " } }"),
                ("class C { void f() { ", "; } }"),
                ("class C { ", " }"),
            ],
            Self::CSharp => &[
                ("class C { async void F() { ", " } }"),
                ("class C { async void F() { ", "; } }"),
                ("class C { ", " }"),
            ],
            Self::Rust => &[
                ("async fn f() { ", " }"),
                ("async fn f() { ", "; }"),
                ("impl C { ", " }"),
            ],
            Self::Swift => &[
                ("func f() async { ", "\n}"),
                ("class C { ", "\n}"),
                ("protocol P { ", "\n}"),
            ],
            Self::Kotlin => &[("suspend fun f() { ", "\n}"), ("class C { ", "\n}")],
            Self::Go => &[("func f() { ", "\n}"), ("type T struct { ", "\n}")],
            Self::JavaScript | Self::TypeScript | Self::Tsx => {
                &[("async function* f() { ", "\n}"), ("class C { ", "\n}")]
            }
            Self::Css => &[("a { ", " }"), ("a { ", "; }"), ("a { b: ", "; }")],
            _ => &[],
        }
    }

    /// Whether a pattern is read as part of a function first, since the grammar
    /// takes a call at the top of a file for a declaration.
    const fn reads_statements_first(self) -> bool {
        matches!(self, Self::C | Self::Cpp | Self::Objc)
    }
}

/// The text of `pattern` with each metavariable as the grammar can read it.
/// A `$` that starts no metavariable stays.
fn with_expando(pattern: &str, expando: char, quote: bool) -> String {
    let mut result = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        let dollars = rest.bytes().take_while(|b| *b == b'$').count();
        if dollars == 0 {
            in_string ^= c == '"';
            result.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let after = &rest[dollars..];
        let name = after
            .bytes()
            .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
            .count();
        let named = after.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
        if dollars <= 3 && (named || dollars == 3) {
            let name = if named { name } else { 0 };
            let quoted = quote && !in_string;
            if quoted {
                result.push('"');
            }
            result.extend(std::iter::repeat_n(expando, dollars));
            result.push_str(&after[..name]);
            if quoted {
                result.push('"');
            }
            rest = &after[name..];
        } else {
            result.push_str(&rest[..dollars]);
            rest = after;
        }
    }
    result
}

/// Undoes [`Language::with_ended_statements`] in what was read: a statement that
/// is only `$$$;` stands for any number of statements.
fn unend_statements(node: &mut PatternNode) {
    if let Some(meta_var) = ended_statement(node) {
        *node = PatternNode::MetaVar { meta_var };
    } else if let PatternNode::Internal { children, .. } = node {
        children.iter_mut().for_each(unend_statements);
    }
}

fn ended_statement(node: &PatternNode) -> Option<MetaVariable> {
    use PatternNode::{Internal, MetaVar, Terminal};
    let Internal { children, .. } = node else {
        return None;
    };
    let [expression, Terminal { text, .. }] = children.as_slice() else {
        return None;
    };
    let name = match expression {
        Internal { children, .. } => match children.as_slice() {
            [name, Internal { children, .. }] if children.len() == 2 => name,
            _ => return None,
        },
        name => name,
    };
    match name {
        MetaVar {
            meta_var: several @ (MetaVariable::Multiple | MetaVariable::MultiCapture(_)),
        } if text == ";" => Some(several.clone()),
        _ => None,
    }
}

/// Reads `$A`, `$_A`, `$$A`, `$$$A` and `$$$`, with `sigil` for `$`.
fn metavariable(text: &str, sigil: char) -> Option<MetaVariable> {
    let name = text.trim_start_matches(sigil);
    let sigils = (text.len() - name.len()) / sigil.len_utf8();
    let valid = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    match sigils {
        3 if name.is_empty() => Some(MetaVariable::Multiple),
        3 if valid && name.starts_with('_') => Some(MetaVariable::Multiple),
        3 if valid => Some(MetaVariable::MultiCapture(name.to_owned())),
        1 | 2 if valid && name.starts_with('_') => Some(MetaVariable::Dropped(sigils == 1)),
        1 | 2 if valid => Some(MetaVariable::Capture(name.to_owned(), sigils == 1)),
        _ => None,
    }
}

impl ast_grep_core::Language for Language {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        if self.expando() == '$' || !query.contains('$') {
            return Cow::Borrowed(query);
        }
        Cow::Owned(with_expando(
            query,
            self.expando(),
            self.quotes_metavariables(),
        ))
    }

    fn expando_char(&self) -> char {
        self.expando()
    }

    fn extract_meta_var(&self, source: &str) -> Option<MetaVariable> {
        let text = if self.quotes_metavariables() {
            source
                .strip_prefix('"')
                .and_then(|s| s.strip_suffix('"'))
                .unwrap_or(source)
        } else {
            source
        };
        metavariable(text, self.expando())
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.grammar()
            .map_or(0, |grammar| grammar.id_for_node_kind(kind, true))
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.grammar()?
            .field_id_for_name(field)
            .map(std::num::NonZero::get)
    }

    /// Reads a pattern as a file of its own, or, where that is not valid, as
    /// part of what it has to stand in.
    fn build_pattern(&self, builder: &PatternBuilder) -> Result<Pattern, PatternError> {
        let source = RefCell::new(String::new());
        let faulty = Cell::new(false);
        let alone = builder.build(|text| {
            let doc = StrDoc::try_new(text, *self)?;
            faulty.set(doc.tree.root_node().has_error());
            text.clone_into(&mut source.borrow_mut());
            Ok(doc)
        });
        let good = alone.is_ok() && !faulty.get();
        if (good && !self.reads_statements_first()) || self.has_selector(builder) {
            return alone;
        }
        let source = source.into_inner();
        let ended = self.with_ended_statements(&source);
        for source in [&source, &ended] {
            for (before, after) in self.surroundings() {
                if let Some(mut pattern) = self.pattern_within(source, before, after) {
                    unend_statements(&mut pattern.node);
                    return Ok(pattern);
                }
            }
        }
        alone
    }
}

impl Language {
    /// Makes a statement of each `$$$` that stands for statements, for the grammars that
    /// would not take it for one as it is.
    fn with_ended_statements(self, pattern: &str) -> String {
        // A bare name is no statement in C#.
        let end_mark = if self == Self::CSharp { "();" } else { ";" };
        let several: String = std::iter::repeat_n(self.expando(), 3).collect();
        let mut result = String::with_capacity(pattern.len() + 8);
        let mut rest = pattern;
        while let Some(at) = rest.find(&several) {
            let after = &rest[at + several.len()..];
            let name = after
                .bytes()
                .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
                .count();
            let end = at + several.len() + name;
            let starts = matches!(
                rest[..at].trim_end().chars().next_back(),
                Some('{' | '}' | ';')
            );
            let ends = !rest[end..]
                .trim_start()
                .starts_with([';', ',', '.', ')', '=', ':', '(']);
            result.push_str(&rest[..end]);
            if starts && ends {
                result.push_str(end_mark);
            }
            rest = &rest[end..];
        }
        result.push_str(rest);
        result
    }

    /// Whether the pattern is a part, chosen by its kind, of the text that the
    /// user gave; such a text brings its own surroundings. Nothing can be
    /// chosen from an empty text, and the two ways of building say so in
    /// different words.
    fn has_selector(self, builder: &PatternBuilder) -> bool {
        matches!(
            builder.build(|_| StrDoc::try_new("", self)),
            Err(PatternError::NoSelectorInContext { .. } | PatternError::InvalidKind(_))
        )
    }

    fn pattern_within(self, source: &str, before: &str, after: &str) -> Option<Pattern> {
        let trimmed = source.trim();
        if trimmed.is_empty() {
            return None;
        }
        let text = format!("{before}{trimmed}{after}");
        let range = before.len()..before.len() + trimmed.len();
        let root = AstGrep::<StrDoc<Self>>::try_new(&text, self).ok()?;
        let mut node = root.root();
        if node.get_inner_node().has_error() {
            return None;
        }
        // Down to the smallest node that holds the pattern.
        loop {
            let inner = node
                .children()
                .find(|child| child.range().start <= range.start && range.end <= child.range().end);
            let Some(inner) = inner else { break };
            node = inner;
        }
        let alone = node.range() == range;
        let several = matches!(
            self.extract(&node.text()),
            Some(MetaVariable::Multiple | MetaVariable::MultiCapture(_))
        );
        (alone && !several).then(|| Pattern::from(node))
    }

    fn extract(self, text: &str) -> Option<MetaVariable> {
        ast_grep_core::Language::extract_meta_var(&self, text)
    }
}

impl LanguageExt for Language {
    /// The grammar; HTML's for the languages that have none, whose text outside
    /// of embedded parts is markup or prose.
    fn get_ts_language(&self) -> TSLanguage {
        self.grammar()
            .unwrap_or_else(|| tree_sitter_html::LANGUAGE.into())
    }
}
