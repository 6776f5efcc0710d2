//! Whether what others can name is documented.

use asd_syntax::Language;
use serde_json::json;

use super::corpus::{Corpus, MinedFile, Part};
use super::draft::{Cut, Draft, Spot, key, rule_guard};
use super::names::spoken;
use crate::facts::{Declaration, SymbolKind};

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    corpus
        .languages(Part::Product)
        .into_iter()
        .filter(|language| {
            !matches!(
                language,
                Language::Go | Language::C | Language::Cpp | Language::Objc
            )
        })
        .flat_map(|language| {
            [
                of_kind(corpus, language, "types", |declaration| {
                    declaration.kind.is_type() && declaration.kind != SymbolKind::Alias
                }),
                of_kind(corpus, language, "functions", |declaration| {
                    matches!(declaration.kind, SymbolKind::Function | SymbolKind::Method)
                        && declaration.has_body
                }),
            ]
        })
        .collect()
}

fn of_kind(
    corpus: &Corpus,
    language: Language,
    what: &'static str,
    is: fn(&Declaration) -> bool,
) -> Draft {
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, file, declaration) in corpus.declarations(language) {
        if !is(declaration) || !is_seen(file, declaration) {
            continue;
        }
        let spot = Spot::line(at, declaration.line);
        if is_documented(file, declaration) {
            kept.push(with_comment(file, at, declaration));
        } else {
            broken.push(spot);
        }
    }
    let guard = (language == Language::Python && what == "types").then(|| {
        rule_guard(
            language,
            json!({
                "kind": "identifier",
                "not": {"regex": "^_"},
                "inside": {
                    "kind": "class_definition", "field": "name",
                    "not": {"has": {"field": "body", "has": {"nthChild": 1, "kind": "expression_statement", "has": {"kind": "string"}}}},
                    "inside": {"any": [{"kind": "module"}, {"kind": "decorated_definition", "inside": {"kind": "module"}}]},
                },
            }),
            "A public class without a docstring",
        )
    });
    Draft {
        miner: "documentation",
        dimension: "coding-standards",
        language,
        key: key(&[language.id(), "public", what, "documented"]),
        title: format!("Public {} {what} are documented", spoken(language)),
        when: format!(
            "A {} {} that others can name is added",
            spoken(language),
            what.trim_end_matches('s')
        ),
        do_: "Say in a documentation comment what it is for".to_owned(),
        dont: "Leave it without one".to_owned(),
        unit: if what == "types" {
            "public types"
        } else {
            "public functions"
        },
        kept,
        broken,
        min_files: 3,
        guard,
        by_file: false,
        cut: Cut::Whole,
    }
}

/// Whether others can name it: it and everything around it is public, and it is
/// no part of an implementation of something that is documented elsewhere.
fn is_seen(file: &MinedFile, declaration: &Declaration) -> bool {
    let facts = file.facts();
    let overrides = declaration.annotations.iter().any(|a| {
        a.starts_with("Override")
            || a == "override"
            || a.contains("overload")
            || a.ends_with(".setter")
    }) || declaration.modifiers.iter().any(|word| word == "override")
        || declaration.name.starts_with("__");
    let mut around =
        std::iter::successors(Some(declaration), |inner| facts.declaration(inner.parent?));
    let words = |declaration: &Declaration| match facts.language {
        Language::Java => declaration.modifiers.iter().any(|word| word == "public"),
        Language::Swift => declaration
            .modifiers
            .iter()
            .any(|word| word == "public" || word == "open"),
        Language::Rust => {
            declaration.kind == SymbolKind::Extension
                || declaration.modifiers.iter().any(|word| word == "pub")
        }
        _ => declaration.is_public && !declaration.name.starts_with('_'),
    };
    let visible = around.all(|outer| {
        words(outer)
            && !is_function_around(outer.kind, declaration)
            // An implementation says what its trait or type says.
            && (outer.kind != SymbolKind::Extension || outer.supertypes.is_empty())
    });
    let top_only = facts.language == Language::Python && declaration.kind.is_type();
    !overrides && visible && !(top_only && declaration.parent.is_some())
}

/// Whether `outer` is a function around something of another kind.
fn is_function_around(outer: SymbolKind, inner: &Declaration) -> bool {
    outer.is_callable() && outer != inner.kind
}

fn is_documented(file: &MinedFile, declaration: &Declaration) -> bool {
    if file.language() == Language::Python {
        let text = declaration.span.of(&file.text);
        let body = &text[(declaration.name_span.end - declaration.span.start).min(text.len())..];
        return docstring_follows(body);
    }
    comment_line(file, declaration).is_some()
}

/// Whether the first thing in a body is a string.
fn docstring_follows(after_name: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in after_name.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                let mut body = after_name[at + 1..].trim_start();
                while body.starts_with('#') {
                    body = body
                        .split_once('\n')
                        .map_or("", |(_, rest)| rest)
                        .trim_start();
                }
                let body = body.trim_start_matches(['r', 'R', 'u', 'b', 'f']);
                return body.starts_with('"') || body.starts_with('\'');
            }
            _ => {}
        }
    }
    false
}

/// The line above a declaration on which its comment ends; attributes and
/// annotations may stand between.
fn comment_line(file: &MinedFile, declaration: &Declaration) -> Option<u32> {
    let mut line = file.line_of(declaration.span.start).min(declaration.line);
    while line > 1 {
        line -= 1;
        let text = file.line(line).trim();
        if text.ends_with("*/") || text.starts_with("///") || text.starts_with("#[doc") {
            return Some(line);
        }
        let between = text.starts_with('@')
            || text.starts_with("#[")
            || text.ends_with(")]")
            || text.ends_with(',')
            || text == ")"
            || text.starts_with("export");
        if !between {
            return None;
        }
    }
    None
}

fn with_comment(file: &MinedFile, at: usize, declaration: &Declaration) -> Spot {
    match comment_line(file, declaration) {
        Some(mut line) if file.language() != Language::Python => {
            while line > 1 && !file.line(line).trim().starts_with("/**") {
                let above = file.line(line - 1).trim();
                if !above.starts_with("///") && !above.starts_with('*') && !above.starts_with("/*")
                {
                    break;
                }
                line -= 1;
            }
            Spot::lines(at, line, declaration.line)
        }
        _ => Spot::lines(at, declaration.line, declaration.line + 2),
    }
}
