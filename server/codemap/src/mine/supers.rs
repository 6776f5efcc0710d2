//! Methods that call the method that they override.

use std::collections::BTreeMap;

use asd_syntax::Language;
use serde_json::json;

use super::corpus::{Corpus, Part};
use super::draft::{Cut, Draft, Spot, escape, key, rule_guard};
use super::names::last_segment;
use crate::facts::{CallSite, Declaration, FileFacts, Receiver, SymbolKind};

/// The methods that make the call, and those that do not.
type Counted = (Vec<Spot>, Vec<Spot>);

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    [Part::Product, Part::Test]
        .into_iter()
        .flat_map(|part| {
            corpus
                .languages(part)
                .into_iter()
                .flat_map(move |language| of_language(corpus, language, part))
        })
        .collect()
}

/// Where the language or its linter asks for the call already.
fn is_demanded(name: &str) -> bool {
    matches!(
        name,
        "__init__"
            | "constructor"
            | "init"
            | "__new__"
            | "initState"
            | "dispose"
            | "finalize"
            | "dealloc"
            | "__init_subclass__"
    )
}

fn is_super_call(facts: &FileFacts, site: &CallSite, name: &str) -> bool {
    if site.name != name {
        return false;
    }
    match &site.receiver {
        Receiver::Path(path) => path == "super",
        Receiver::Call(index) => facts
            .calls
            .get(*index as usize)
            .is_some_and(|call| call.name == "super"),
        Receiver::None | Receiver::Other => false,
    }
}

fn of_language(corpus: &Corpus, language: Language, part: Part) -> Vec<Draft> {
    if !matches!(
        language,
        Language::Python
            | Language::Java
            | Language::JavaScript
            | Language::TypeScript
            | Language::Swift
            | Language::Kotlin
            | Language::Dart
    ) {
        return Vec::new();
    }
    // By method and what the class derives from.
    let mut methods: BTreeMap<(&str, &str), Counted> = BTreeMap::new();
    for (at, file) in corpus
        .part(part)
        .filter(|(_, file)| file.language() == language)
    {
        let facts = file.facts();
        if facts.truncated {
            continue;
        }
        for (declaration, index) in facts.declarations.iter().zip(0_u32..) {
            if !may_override(declaration) {
                continue;
            }
            let Some(class) = declaration
                .parent
                .and_then(|parent| facts.declaration(parent))
            else {
                continue;
            };
            let calls = facts.calls.iter().any(|site| {
                site.caller == Some(index) && is_super_call(facts, site, &declaration.name)
            });
            let Some(base) = class.supertypes.first() else {
                continue;
            };
            let base = last_segment(base);
            if class.kind != SymbolKind::Class || base == "object" || base == "Object" {
                continue;
            }
            let lists = methods.entry((&declaration.name, base)).or_default();
            let list = if calls { &mut lists.0 } else { &mut lists.1 };
            list.push(Spot::lines(at, declaration.line, declaration.end_line));
        }
    }
    methods
        .into_iter()
        .map(|((name, base), (kept, broken))| Draft {
            miner: "super-call",
            dimension: if part == Part::Test {
                "testing-quality"
            } else {
                "design-patterns"
            },
            language,
            key: key(&[base, "overridden", name, "calls-super"]),
            title: format!("`{name}` of a `{base}` calls the inherited `{name}`"),
            when: format!("A class that extends `{base}` overrides `{name}`"),
            do_: format!("Call the inherited `{name}`"),
            dont: "Leave the call out".to_owned(),
            unit: "overriding methods",
            kept,
            broken,
            min_files: 3,
            guard: rule(language, name, base).map(|rule| {
                rule_guard(
                    language,
                    rule,
                    &format!("`{name}` does not call the inherited `{name}`"),
                )
            }),
            by_file: false,
            cut: Cut::Whole,
        })
        .collect()
}

fn may_override(declaration: &Declaration) -> bool {
    declaration.kind == SymbolKind::Method
        && declaration.has_body
        && !is_demanded(&declaration.name)
        && !declaration
            .modifiers
            .iter()
            .any(|word| word == "static" || word == "private")
}

fn rule(language: Language, name: &str, base: &str) -> Option<serde_json::Value> {
    let named = format!("^{}$", escape(name));
    match language {
        Language::Python => Some(json!({
            "kind": "identifier",
            "regex": named,
            "inside": {
                "kind": "function_definition", "field": "name",
                "not": {"has": {"stopBy": "end", "pattern": format!("super().{name}")}},
                "inside": {
                    "stopBy": {"kind": "class_definition"},
                    "kind": "class_definition",
                    "has": {"field": "superclasses", "has": {"nthChild": 1, "regex": format!(r"^(?:\w+\.)*{}(?:\[[\s\S]*)?$", escape(base))}},
                },
            },
        })),
        Language::Java => Some(json!({
            "kind": "identifier",
            "regex": named,
            "inside": {
                "kind": "method_declaration", "field": "name",
                "not": {"has": {"stopBy": "end", "pattern": format!("super.{name}($$$)")}},
                "inside": {
                    "stopBy": {"kind": "class_declaration"},
                    "kind": "class_declaration",
                    "has": {"field": "superclass", "has": {"regex": format!(r"^(?:\w+\.)*{}(?:<[\s\S]*)?$", escape(base))}},
                },
            },
        })),
        _ => None,
    }
}
