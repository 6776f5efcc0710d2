use asd_text::Span;
use indexmap::IndexMap;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::to_markdown;
use crate::markdown::block_text;
use crate::read::{GuardDefaults, spans_lines};
use crate::{
    AstGuard, Code, CodeChange, Constraints, Content, FixKind, FixTemplate, Guard, GuardKind,
    GuardSpans, Home, Kind, Lifecycle, LifecycleEvent, MatchIn, Reasoning, Recipe, Relation,
    RelationKind, Scope, Severity, SourceRef, Step, Verification, parse,
};

/// The recipe without its places, so that two can be compared.
pub(crate) fn without_spans(recipe: &Recipe) -> Recipe {
    let mut recipe = recipe.clone();
    if let Some(code) = &mut recipe.core_code {
        code.span = Span::default();
    }
    for source in &mut recipe.reasoning.sources {
        source.span = Span::default();
    }
    for relation in recipe.relations.values_mut().flatten() {
        relation.span = Span::default();
    }
    for guard in &mut recipe.constraints.guards {
        guard.spans = GuardSpans::default();
    }
    recipe
}

#[test]
fn the_canonical_form_is_that_of_the_specification() {
    let text = include_str!("../../tests/full.md");
    let recipe = parse(text, Home::Recipes).recipe.unwrap();
    assert_eq!(to_markdown(&recipe), text);
}

#[test]
fn every_field_has_its_place() {
    let text = include_str!("../../tests/everything.md");
    let parsed = parse(text, Home::Recipes);
    assert_eq!(to_markdown(&parsed.recipe.unwrap()), text);
}

#[test]
fn headings_and_open_fences_stay_inside_their_section() {
    let recipe = Recipe {
        content: Content {
            markdown: "a\n\n## Rationale\n\nb\n\n## Own\n\nc\n\n```\nopen".into(),
            rationale: "## Core code\n\nx\n\n# Y".into(),
            ..Content::default()
        },
        usage_guide: "~~~~\n## z".into(),
        ..Recipe::default()
    };
    let text = to_markdown(&recipe);
    let read = parse(&text, Home::Recipes).recipe.unwrap();
    expect_test::expect![[r#"
        ## Description

        a

        ### Rationale

        b

        ## Own

        c

        ```
        open
        ```

        ## Rationale

        ### Core code

        x

        # Y

        ## Usage guide

        ~~~~
        ## z
        ~~~~
    "#]]
    .assert_eq(&text[text.find("## ").unwrap()..]);
    assert!(read.core_code.is_none());
    assert_eq!(
        to_markdown(&read),
        text.replace(
            "lifecycle: pending\n",
            "knowledgeType: code-pattern\nlifecycle: pending\n"
        )
    );
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "[@*&!%{}\\[\\]>|#?:,'\"`~<=\\\\$.()-]{1,3}",
        "[-+.0-9]{1,4}",
        Just("缓存".to_owned()),
        Just("🍪".to_owned()),
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just("Don".to_owned()),
        Just("2024-01-01".to_owned()),
        Just("a\u{301}".to_owned()),
    ]
}

/// Text on one line, without blanks around it.
fn line() -> impl Strategy<Value = String> {
    vec(word(), 1..6).prop_map(|words| words.join(" "))
}

fn lines() -> impl Strategy<Value = String> {
    vec(line(), 1..4).prop_map(|lines| lines.join("\n"))
}

fn code() -> impl Strategy<Value = String> {
    vec(
        prop_oneof![
            line(),
            Just("```".to_owned()),
            Just("    x".to_owned()),
            Just("## Rationale".to_owned()),
            Just(String::new()),
            Just("~~~".to_owned()),
        ],
        0..5,
    )
    .prop_map(|lines| lines.join("\n"))
}

/// A block of prose in its normal form.
fn prose() -> impl Strategy<Value = String> {
    vec(
        prop_oneof![
            3 => "[a-zA-Z缓🍪][a-zA-Z缓🍪 .,-]{0,19}",
            1 => Just("### Sub".to_owned()),
            1 => Just("- item\n- item".to_owned()),
            1 => Just("1. one\n\n   ```swift bad\n   ## x\n   ```".to_owned()),
            1 => "[a-z]{0,5}".prop_map(|code| format!("````rust\n```\n## Description\n{code}\n```\n````")),
            1 => Just("~~~\n\n\n~~~".to_owned()),
        ],
        0..4,
    )
    .prop_map(|parts| block_text(&parts.join("\n\n")))
}

fn json_leaf() -> impl Strategy<Value = Json> {
    prop_oneof![
        line().prop_map(Json::from),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        Just(json!({"any": [{"kind": "x"}, {"regex": "^a: b"}]})),
        Just(json!([])),
    ]
}

fn extra(prefix: &'static str) -> impl Strategy<Value = IndexMap<String, Json>> {
    vec(json_leaf(), 0..3).prop_map(move |values| {
        values
            .into_iter()
            .enumerate()
            .map(|(index, value)| (format!("{prefix}{index}"), value))
            .collect()
    })
}

fn ast() -> impl Strategy<Value = AstGuard> {
    prop_oneof![
        lines().prop_map(|pattern| AstGuard::Pattern { pattern }),
        any::<bool>().prop_map(|more| AstGuard::Rule {
            rule: json!({"all": [{"pattern": "$A"}, {"not": {"kind": "y"}}]}),
            constraints: more.then(|| json!({"A": {"regex": "x"}})),
            utils: more.then(|| json!({"u": {"kind": "z"}})),
        }),
        (line(), line()).prop_map(|(target_api, wrapper_class)| AstGuard::MustCallThrough {
            target_api,
            wrapper_class
        }),
        line().prop_map(|pattern| AstGuard::MustNotUseInContext {
            pattern,
            forbidden_context: "class:*View".into()
        }),
        (line(), line()).prop_map(|(class_name, protocol_name)| {
            AstGuard::MustConformToProtocol {
                class_name,
                protocol_name,
            }
        }),
        (lines(), option::of("[a-z]{1,5}"))
            .prop_map(|(query, capture)| AstGuard::Query { query, capture }),
    ]
}

fn guard_kind() -> impl Strategy<Value = GuardKind> {
    prop_oneof![
        (lines(), "i?m?", any::<bool>(), 0..4_usize).prop_map(
            |(pattern, flags, multiline, index)| GuardKind::Regex {
                multiline: multiline || spans_lines(&pattern),
                pattern,
                flags,
                match_in: MatchIn::ALL[index],
            }
        ),
        ast().prop_map(GuardKind::Ast),
    ]
}

type GuardParts = (
    GuardKind,
    Option<String>,
    usize,
    Option<String>,
    Option<(usize, String, bool)>,
    Vec<String>,
    Vec<String>,
);

fn guard_parts() -> impl Strategy<Value = GuardParts> {
    (
        guard_kind(),
        option::of(line()),
        0..3_usize,
        option::of(line()),
        option::of((0..4_usize, lines(), any::<bool>())),
        vec(
            prop_oneof![
                Just("swift".to_owned()),
                Just("objc".to_owned()),
                Just("own".to_owned())
            ],
            0..2,
        ),
        vec(
            code().prop_filter("blank", |code| !code.trim().is_empty()),
            0..3,
        ),
    )
}

fn guard(index: usize, count: usize, parts: GuardParts, defaults: &GuardDefaults) -> Guard {
    let (kind, message, severity, suggestion, fix, languages, examples) = parts;
    Guard {
        id: if index == 1 {
            "own-id".into()
        } else {
            defaults.id(index, count)
        },
        kind,
        message: message.unwrap_or_else(|| defaults.message().to_owned()),
        severity: Severity::ALL[severity],
        fix_suggestion: suggestion.unwrap_or_else(|| defaults.fix_suggestion().to_owned()),
        fix: fix.map(|(kind, template, safe)| FixTemplate {
            kind: FixKind::ALL[kind],
            template,
            safe,
        }),
        languages,
        include_paths: Vec::new(),
        exclude_paths: vec!["**/x, y".into()],
        exclude_line: Vec::new(),
        positive_examples: examples.clone(),
        negative_examples: examples,
        extra: IndexMap::new(),
        spans: GuardSpans::default(),
    }
}

fn content() -> impl Strategy<Value = Content> {
    let step = (line(), prose(), code()).prop_map(|(title, description, code)| Step {
        title,
        description,
        code,
    });
    let change = ("[a-z/]{1,6}\\.rs", prose(), code(), code()).prop_map(
        |(file, explanation, before, after)| CodeChange {
            file,
            before,
            after,
            explanation: explanation.replace("###", "####"),
        },
    );
    let verification = (prose(), prose(), code()).prop_map(|(method, expected, test_code)| {
        let verification = Verification {
            method,
            expected_result: expected.replace("###", "####"),
            test_code,
        };
        (verification != Verification::default()).then_some(verification)
    });
    (
        (prose(), any::<bool>()),
        prose(),
        code(),
        vec(step, 0..3),
        vec(change, 0..3),
        verification,
    )
        .prop_map(
            |((mut markdown, own), rationale, pattern, steps, code_changes, verification)| {
                if own {
                    markdown.push_str("\n\n## Own section\ntext");
                }
                Content {
                    markdown: block_text(&markdown),
                    rationale,
                    pattern,
                    steps,
                    code_changes,
                    verification,
                }
            },
        )
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let texts = vec(prop_oneof![Just(String::new()), line()], 8);
    let optional = vec(option::of(line()), 4);
    let lists = vec(vec(line(), 0..3), 6);
    (
        (texts, optional, lists, content(), prose()),
        (0..3_usize, 0..4_usize, 0..6_usize, any::<bool>()),
        option::of((prop_oneof![Just(""), Just("rust")], code())),
        vec(guard_parts(), 0..3),
        (
            option::of(0.0..1.0_f64),
            option::of(0..i64::MAX),
            extra("ownKey"),
            extra("inner"),
        ),
    )
        .prop_map(
            |(
                (texts, optional, lists, content, usage_guide),
                (kind, scope, lifecycle, yes),
                code,
                guards,
                (confidence, time, extra, inner),
            )| {
                let mut recipe = Recipe {
                    id: optional[0].clone(),
                    title: texts[0].clone(),
                    description: texts[1].clone(),
                    trigger: "@some-trigger".into(),
                    kind: Kind::ALL[kind],
                    knowledge_type: if yes {
                        "code-pattern".into()
                    } else {
                        "solution".into()
                    },
                    language: "swift".into(),
                    category: texts[2].clone(),
                    dimension_id: optional[1].clone(),
                    topic_hint: yes.then(|| "data".into()),
                    scope: Scope::ALL[scope],
                    complexity: if yes {
                        "basic".into()
                    } else {
                        "intermediate".into()
                    },
                    difficulty: yes.then(|| "expert".into()),
                    tags: lists[0].clone(),
                    module_name: optional[2].clone(),
                    when_clause: texts[3].clone(),
                    do_clause: texts[4].clone(),
                    dont_clause: format!("x{}", texts[5]),
                    core_code: code.map(|(language, text)| Code {
                        language: language.into(),
                        text,
                        span: Span::default(),
                    }),
                    headers: lists[1].clone(),
                    header_paths: lists[2].clone(),
                    include_headers: yes,
                    usage_guide,
                    content,
                    constraints: Constraints {
                        boundaries: lists[3].clone(),
                        extra: inner.clone(),
                        ..Constraints::default()
                    },
                    reasoning: Reasoning {
                        why_standard: texts[6].clone(),
                        sources: vec![SourceRef::parse("src/a b.rs:10-48")],
                        confidence,
                        quality_signals: inner.clone(),
                        alternatives: lists[4].clone(),
                        extra: inner.clone(),
                    },
                    relations: IndexMap::from([(
                        RelationKind::ALL[lifecycle],
                        vec![Relation {
                            target: format!("@other{kind}"),
                            description: optional[3].clone(),
                            span: Span::default(),
                        }],
                    )]),
                    lifecycle: Lifecycle::ALL[lifecycle],
                    lifecycle_history: vec![LifecycleEvent {
                        from: Lifecycle::Pending,
                        to: Lifecycle::ALL[lifecycle],
                        at: 5,
                        by: optional[0].clone(),
                        reason: None,
                    }],
                    auto_approvable: yes,
                    staging_deadline: time,
                    source: if yes { "mcp".into() } else { "manual".into() },
                    extra,
                    created_at: time,
                    updated_at: None,
                    hash: yes.then(|| "1234567890123456".into()),
                };
                recipe.extra.insert("agentNotes".into(), json!({"a": [1]}));
                let defaults = GuardDefaults::of(&recipe);
                let count = guards.len();
                recipe.constraints.guards = guards
                    .into_iter()
                    .enumerate()
                    .map(|(index, parts)| guard(index, count, parts, &defaults))
                    .collect();
                recipe
            },
        )
}

proptest! {
    #[test]
    fn a_recipe_comes_back_from_its_file(recipe in recipe()) {
        let text = to_markdown(&recipe);
        let parsed = parse(&text, Home::Candidates);
        let read = without_spans(parsed.recipe.as_ref().unwrap());
        prop_assert_eq!(&read, &recipe, "{}", text);
        prop_assert_eq!(to_markdown(&read), text);
    }
}
