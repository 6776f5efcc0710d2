use asd_recipe::{Kind, Lifecycle, Recipe, Severity};
use serde_json::{Value as Json, json};

use super::*;

fn unknown(_: &str) -> Option<bool> {
    None
}

/// The smallest item that passes.
fn item() -> Json {
    json!({
        "title": "LedgerPool checkout", "description": "Ledgers come from the pool",
        "trigger": "@ledger-pool-checkout", "kind": "rule", "knowledgeType": "best-practice",
        "language": "go", "category": "Storage", "dimensionId": "data-event-flow",
        "topicHint": "data", "whenClause": "Reading or writing an account ledger",
        "doClause": "Check a ledger out of LedgerPool", "dontClause": "Construct Ledger directly",
        "coreCode": "l := pool.Checkout(ctx, id)\ndefer l.Release()\nreturn l.Apply(tx)",
        "headers": [], "usageGuide": "### When\nAny ledger access.",
        "content": {
            "markdown": format!("See `internal/ledger/pool.go:12`. {}", "A ledger is checked out. ".repeat(8)),
            "rationale": "A held ledger blocks settlement",
        },
        "reasoning": {
            "whyStandard": "Seen in all nine call sites",
            "sources": ["internal/ledger/pool.go:12-40"], "confidence": 0.8,
        },
    })
}

fn context() -> SubmissionContext {
    SubmissionContext {
        source: "mcp".into(),
        created_by: Some("external_agent".into()),
        ..SubmissionContext::default()
    }
}

fn with(changes: &[(&str, Json)]) -> Json {
    let mut item = item();
    for (name, value) in changes {
        match name.split_once('.') {
            Some((parent, child)) => item[parent][child] = value.clone(),
            None => item[*name] = value.clone(),
        }
    }
    item
}

fn check(item: &Json) -> Checked {
    check_item(item, &context(), &KnownEntries::default(), &unknown)
}

fn errors(item: &Json) -> Vec<String> {
    check(item)
        .errors()
        .map(|one| one.message.clone())
        .collect()
}

fn warnings(item: &Json) -> Vec<String> {
    let issues = check(item).issues.into_iter();
    let warnings = issues.filter(|one| one.severity == Severity::Warning);
    warnings.map(|one| one.message).collect()
}

#[test]
fn the_smallest_item_passes_without_a_word() {
    let checked = check(&item());
    assert_eq!(checked.issues, []);
    let recipe = checked.recipe;
    assert_eq!(recipe.lifecycle, Lifecycle::Pending);
    assert_eq!((recipe.kind, recipe.source.as_str()), (Kind::Rule, "mcp"));
    assert_eq!(recipe.extra["createdBy"], "external_agent");
    assert_eq!(recipe.core_code.unwrap().language, "go");
}

#[test]
fn all_missing_fields_are_reported_together_with_examples() {
    let checked = check(&json!({"title": "LedgerPool", "headers": []}));
    assert_eq!(checked.missing.len(), 15);
    let messages: Vec<&Issue> = checked.errors().collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    let message = &messages[0].message;
    for field in REQUIRED_FIELDS
        .iter()
        .filter(|f| checked.missing.contains(&f.name))
    {
        let example = format!("`{}` (for example {})", field.name, field.example);
        assert!(message.contains(&example), "{message}");
    }
    assert!(!checked.missing.contains(&"headers"));
}

#[test]
fn items_come_in_several_shapes() {
    let one = item();
    let list = json!([one]);
    for shape in [
        list.clone(),
        one.clone(),
        Json::from(list.to_string()),
        Json::from(one.to_string()),
        json!([one.to_string()]),
    ] {
        assert_eq!(read_items(&shape).unwrap(), std::slice::from_ref(&one));
    }
    assert!(read_items(&json!([])).is_err());
    assert!(read_items(&json!(vec![1; 101])).is_err());
    assert!(
        read_items(&json!("nothing"))
            .unwrap_err()
            .contains("not JSON")
    );
}

#[test]
fn snake_case_and_nested_texts_are_read() {
    let mut snake = serde_json::Map::new();
    for (key, value) in item().as_object().unwrap() {
        let twin: String = key
            .chars()
            .flat_map(|c| {
                let under = c.is_ascii_uppercase().then_some('_');
                under.into_iter().chain([c.to_ascii_lowercase()])
            })
            .collect();
        snake.insert(twin, value.clone());
    }
    let snake = Json::Object(snake);
    assert!(snake.get("when_clause").is_some());
    assert_eq!(check(&snake), check(&item()));
    let text = item()["reasoning"].to_string();
    assert_eq!(check(&with(&[("reasoning", text.into())])), check(&item()));
}

#[test]
fn an_item_without_sources_is_not_created_however_sure_it_is() {
    let sure = with(&[
        ("reasoning.sources", json!([])),
        ("reasoning.confidence", json!(0.95)),
    ]);
    let checked = check(&sure);
    assert!(!checked.is_accepted());
    assert_eq!(checked.missing, ["reasoning.sources"]);
}

#[test]
fn types_are_checked() {
    assert_eq!(
        errors(&with(&[("headers", json!("import x"))])),
        ["`headers` must be a list of import lines; it may be empty."]
    );
    assert!(!errors(&with(&[("content", json!("text"))])).is_empty());
    let sources = with(&[("reasoning.sources", json!("a/b.go"))]);
    assert!(errors(&sources)[0].contains("must be a list of paths"));
    assert!(!errors(&json!(5)).is_empty());
}

#[test]
fn an_unknown_kind_blocks_and_other_unknown_names_warn() {
    assert!(!errors(&with(&[("kind", json!("law"))])).is_empty());
    for (field, value) in [
        ("knowledgeType", "wisdom"),
        ("complexity", "easy"),
        ("scope", "mine"),
        ("category", "Stuff"),
        ("language", "klingon"),
    ] {
        let odd = with(&[(field, json!(value))]);
        assert_eq!(errors(&odd), [""; 0], "{field}");
        assert!(!warnings(&odd).is_empty(), "{field}");
    }
}

#[test]
fn a_kind_is_made_of_the_knowledge_type() {
    for (knowledge_type, kind) in [("call-chain", Kind::Fact), ("anti-pattern", Kind::Pattern)] {
        let item = with(&[
            ("kind", Json::Null),
            ("knowledgeType", json!(knowledge_type)),
        ]);
        assert_eq!(check(&item).recipe.kind, kind, "{knowledge_type}");
    }
}

#[test]
fn a_trigger_in_another_form_is_normalised_with_a_warning() {
    let checked = check(&with(&[("trigger", json!("RetryQueue Backoff"))]));
    assert!(checked.is_accepted());
    assert_eq!(checked.recipe.trigger, "@retry-queue-backoff");
    assert_eq!(
        checked.issues[0].message,
        "The trigger was written as `@retry-queue-backoff`."
    );
    assert!(!errors(&with(&[("trigger", json!("缓存"))])).is_empty());
    assert!(!errors(&with(&[("trigger", json!("../../etc/passwd"))])).is_empty());
}

#[test]
fn titles_name_something_of_the_project() {
    for title in ["Singleton 模式", "Factory pattern", "MVVM", "Agent rules"] {
        assert_eq!(
            errors(&with(&[("title", json!(title))])).len(),
            1,
            "{title}"
        );
    }
    let generic = errors(&with(&[("title", json!("Singleton 模式"))]));
    assert!(generic[0].contains("generic title"), "{generic:?}");
    assert!(!warnings(&with(&[("title", json!("缓".repeat(21)))])).is_empty());
    assert_eq!(
        errors(&with(&[("title", json!("UserAgent header"))])),
        [""; 0]
    );
}

#[test]
fn code_must_be_copyable() {
    for code in ["} else { return }", ") x", "f(", "a[0"] {
        assert_eq!(
            errors(&with(&[("coreCode", json!(code))])).len(),
            1,
            "{code}"
        );
    }
    let quoted = with(&[("coreCode", json!("f(\"(\") // )"))]);
    assert_eq!(errors(&quoted), [""; 0]);
}

#[test]
fn prose_must_say_something_and_show_where() {
    let markdown = |text: String| with(&[("content.markdown", json!(text))]);
    assert!(errors(&markdown("See `a/b.go`.".into()))[0].contains("at least 200"));
    let nowhere = markdown("Nothing is shown here at all. ".repeat(9));
    assert!(errors(&nowhere)[0].contains("neither code nor a file"));
    let bare = markdown(format!(
        "```go\nx()\n```\nSee pool.go. {}",
        "More words. ".repeat(20)
    ));
    assert_eq!(errors(&bare), [""; 0]);
    assert!(warnings(&bare)[0].contains("without its folder"));
}

#[test]
fn sources_are_looked_up_and_stay_inside() {
    let outside = with(&[("reasoning.sources", json!(["../x/y.go"]))]);
    assert!(errors(&outside)[0].contains("leads out of the project"));
    let gone = |path: &str| Some(path != "internal/ledger/pool.go");
    let checked = check_item(&item(), &context(), &KnownEntries::default(), &gone);
    assert!(checked.is_accepted());
    assert_eq!(
        checked.issues[0].message,
        "The source `internal/ledger/pool.go` does not exist."
    );
}

#[test]
fn guards_must_compile_and_agree_with_their_examples() {
    let guard = |guard: Json| with(&[("constraints", json!({"guards": [guard]}))]);
    let good = json!({
        "pattern": r"Ledger\{", "message": "Use the pool",
        "positiveExamples": ["l := Ledger{}"], "negativeExamples": ["pool.Checkout()"],
    });
    assert_eq!(errors(&guard(good.clone())), [""; 0]);
    let broken = errors(&guard(json!({"pattern": "Ledger("})));
    assert_eq!(broken.len(), 1, "{broken:?}");
    let mut wrong = good;
    wrong["positiveExamples"] = json!(["pool.Checkout()"]);
    assert!(errors(&guard(wrong))[0].contains("does not find its positive example"));
    let mut prose = guard(json!({"pattern": r"Ledger\{"}));
    let text = format!(
        "{}\n\n```go good\nl := Ledger{{}}\n```\n",
        item()["content"]["markdown"].as_str().unwrap()
    );
    prose["content"]["markdown"] = json!(text);
    assert_eq!(errors(&prose).len(), 1, "a fenced example is a test too");
    let ast =
        guard(json!({"ast": "Ledger{$$$}", "positiveExamples": ["func f() { x := Ledger{} }"]}));
    assert_eq!(errors(&ast), [""; 0]);
}

#[test]
fn names_are_taken_once() {
    let taken = check(&item()).recipe;
    let known = KnownEntries::new([&Recipe {
        id: Some("r1".into()),
        ..taken.clone()
    }]);
    let again = with(&[
        ("title", json!("LEDGERPOOL checkout ")),
        ("coreCode", json!("other(1)")),
    ]);
    let checked = check_item(&again, &context(), &known, &unknown);
    let found: Vec<(&str, &str)> = checked.errors().map(|one| (one.code, one.field)).collect();
    assert_eq!(found, [(CONFLICT, "title"), (CONFLICT, "trigger")]);
    assert!(
        checked
            .errors()
            .nth(1)
            .unwrap()
            .message
            .contains("`@ledger-pool-checkout-2` is free")
    );
    let itself = Recipe {
        id: Some("r1".into()),
        ..taken
    };
    assert_eq!(known.conflicts(&itself), []);
}

#[test]
fn equal_code_is_a_duplicate_whatever_its_layout() {
    let first = check(&item()).recipe;
    let known = KnownEntries::new([&first]);
    let code = "l := pool.checkout(ctx,   id) // take it\ndefer l.Release()\n\nreturn l.Apply(tx)";
    let same = with(&[
        ("title", json!("Another title")),
        ("trigger", json!("@another")),
        ("coreCode", json!(code)),
    ]);
    let checked = check_item(&same, &context(), &known, &unknown);
    let codes: Vec<&str> = checked.errors().map(|one| one.code).collect();
    assert_eq!(codes, [DUPLICATE]);
    assert_eq!(
        code_fingerprint(&check(&with(&[("coreCode", json!("f(x)"))])).recipe),
        None
    );
}

#[test]
fn of_two_items_with_one_title_the_first_is_created() {
    let second = with(&[
        ("title", json!("ledgerpool CHECKOUT")),
        ("trigger", json!("@second")),
        ("coreCode", json!("other(1)")),
    ]);
    let mut known = KnownEntries::default();
    let checked = check_items(&[item(), second], &context(), &mut known, &unknown);
    assert!(checked[0].is_accepted());
    let codes: Vec<&str> = checked[1].errors().map(|one| one.code).collect();
    assert_eq!(codes, [CONFLICT]);
}

#[test]
fn system_fields_and_system_tags_are_not_taken_from_an_item() {
    let checked = check(&with(&[
        ("id", json!("mine")),
        ("lifecycle", json!("active")),
        ("tags", json!(["system:x", "dimension:ui", "retry"])),
        ("publishedBy", json!("me")),
        ("agentNotes", json!("note")),
    ]));
    assert!(checked.is_accepted());
    let recipe = checked.recipe;
    assert_eq!((recipe.id, recipe.lifecycle), (None, Lifecycle::Pending));
    assert_eq!(recipe.tags, ["retry"]);
    assert!(!recipe.extra.contains_key("publishedBy"));
    assert_eq!(recipe.extra["agentNotes"], "note");
}

#[test]
fn the_product_fills_what_it_knows_before_it_checks() {
    let bare = with(&[
        ("kind", Json::Null),
        ("knowledgeType", Json::Null),
        ("language", json!("")),
        ("category", Json::Null),
        ("dimensionId", Json::Null),
    ]);
    assert!(!check(&bare).is_accepted());
    let internal = SubmissionContext {
        source: "bootstrap".into(),
        dimension_id: Some("architecture".into()),
        fill: Some(Fill {
            category: "architecture".into(),
            knowledge_type: "architecture".into(),
            language: "go".into(),
        }),
        ..SubmissionContext::default()
    };
    let checked = check_item(&bare, &internal, &KnownEntries::default(), &unknown);
    assert_eq!(checked.issues, []);
    assert_eq!(checked.recipe.dimension_id.as_deref(), Some("architecture"));
    assert_eq!(checked.recipe.kind, Kind::Pattern);
}

#[test]
fn publishing_asks_for_every_field() {
    let mut recipe = check(&item()).recipe;
    assert_eq!(publishing_errors(&recipe, &unknown), []);
    recipe.usage_guide.clear();
    recipe.reasoning.sources.clear();
    recipe.title = "Factory".into();
    let messages: Vec<String> = publishing_errors(&recipe, &unknown)
        .into_iter()
        .map(|issue| issue.message)
        .collect();
    assert_eq!(messages.len(), 2);
    assert!(messages[0].contains("`usageGuide`") && messages[0].contains("`reasoning.sources`"));
    assert!(messages[1].contains("generic title"));
}
