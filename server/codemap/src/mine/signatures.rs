//! Habits of signatures: annotated results, final parameters, keyword-only
//! arguments.

use asd_recipe::Guard;
use asd_syntax::Language;
use serde_json::json;

use super::corpus::{Corpus, Part};
use super::draft::{Cut, Draft, Spot, key, rule_guard};
use super::names::spoken;
use crate::facts::{Declaration, SymbolKind};

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for language in corpus.languages(Part::Product) {
        match language {
            Language::Python => {
                let guard = python_results();
                drafts.push(counted(
                    corpus,
                    language,
                    Habit {
                        name: "results-annotated",
                        title: "Python functions say what type they return",
                        do_: "Annotate what the function returns",
                        dont: "Leave the annotation out",
                        guard: Some(guard),
                    },
                    |_, declaration| {
                        let is_function = matches!(
                            declaration.kind,
                            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor
                        );
                        (is_function && declaration.has_body).then(|| has_arrow(declaration))
                    },
                ));
            }
            Language::TypeScript => drafts.push(counted(
                corpus,
                language,
                Habit {
                    name: "results-annotated",
                    title: "TypeScript functions say what type they return",
                    do_: "Annotate what an exported function or a method returns",
                    dont: "Leave the annotation out",
                    guard: None,
                },
                |_, declaration| {
                    let is_function =
                        matches!(declaration.kind, SymbolKind::Function | SymbolKind::Method);
                    let accessor = declaration.signature.starts_with("set ")
                        || declaration.modifiers.iter().any(|word| word == "set");
                    (is_function && declaration.has_body && declaration.is_public && !accessor)
                        .then(|| {
                            declaration
                                .signature
                                .rsplit_once(')')
                                .is_some_and(|(_, rest)| rest.contains(':'))
                                || declaration.signature.contains("):")
                        })
                },
            )),
            Language::Java => drafts.push(counted(
                corpus,
                language,
                Habit {
                    name: "parameters-final",
                    title: "Parameters of Java methods are `final`",
                    do_: "Declare each parameter `final`",
                    dont: "Leave `final` out",
                    guard: None,
                },
                |_, declaration| {
                    let is_method = matches!(
                        declaration.kind,
                        SymbolKind::Method | SymbolKind::Constructor
                    );
                    let list = declaration.signature.split_once('(')?.1;
                    let whole = declaration.signature.contains(')')
                        && !declaration.signature.ends_with('…');
                    (is_method && declaration.has_body && declaration.parameters > 0 && whole).then(
                        || list.matches("final ").count() >= usize::from(declaration.parameters),
                    )
                },
            )),
            Language::Swift => drafts.push(counted(
                corpus,
                language,
                Habit {
                    name: "classes-final",
                    title: "Swift classes that nothing extends are `final`",
                    do_: "Declare the class `final`",
                    dont: "Leave it open to subclasses that nobody writes",
                    guard: None,
                },
                |corpus, declaration| {
                    let extended = || {
                        corpus
                            .map
                            .types()
                            .iter()
                            .any(|edge| edge.name == declaration.name)
                    };
                    let is_open = declaration.modifiers.iter().any(|word| word == "open");
                    (declaration.kind == SymbolKind::Class
                        && !declaration.modifiers.iter().any(|word| word == "actor")
                        && !is_open
                        && !extended())
                    .then(|| declaration.modifiers.iter().any(|word| word == "final"))
                },
            )),
            _ => {}
        }
    }
    drafts
}

struct Habit {
    name: &'static str,
    title: &'static str,
    do_: &'static str,
    dont: &'static str,
    guard: Option<Guard>,
}

/// Counts declarations: `None` says nothing, else whether the habit is kept.
fn counted(
    corpus: &Corpus,
    language: Language,
    habit: Habit,
    keeps: fn(&Corpus, &Declaration) -> Option<bool>,
) -> Draft {
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, _, declaration) in corpus.declarations(language) {
        match keeps(corpus, declaration) {
            Some(true) => kept.push(signature_of(at, declaration)),
            Some(false) => broken.push(signature_of(at, declaration)),
            None => {}
        }
    }
    Draft {
        miner: "signature",
        dimension: "coding-standards",
        language,
        key: key(&[language.id(), habit.name]),
        title: habit.title.to_owned(),
        when: format!("{} code is added", spoken(language)),
        do_: habit.do_.to_owned(),
        dont: habit.dont.to_owned(),
        unit: if language == Language::Swift {
            "classes"
        } else {
            "functions"
        },
        kept,
        broken,
        min_files: 3,
        guard: habit.guard,
        by_file: false,
        cut: Cut::Whole,
    }
}

const fn signature_of(at: usize, declaration: &Declaration) -> Spot {
    Spot::lines(at, declaration.line, declaration.end_line)
}

fn has_arrow(declaration: &Declaration) -> bool {
    // A signature that was cut at its longest says nothing of its end.
    declaration.signature.contains("->") || declaration.signature.ends_with('…')
}

fn python_results() -> Guard {
    rule_guard(
        Language::Python,
        json!({
            "kind": "identifier",
            "inside": {
                "kind": "function_definition", "field": "name",
                "not": {"has": {"field": "return_type", "regex": "."}},
            },
        }),
        "A function that does not say what it returns",
    )
}
