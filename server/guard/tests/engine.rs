//! What the engine promises beside findings: stability, reuse, an honest
//! account, configuration.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{
    Exclusions, FileReport, Finding, GuardOptions, Profile, RuleOverride, RuleSet, SourceFilter,
    Target, UncertainReason, verified_fix,
};
use asd_recipe::{Home, Problem, Recipe, Severity};
use asd_syntax::Language;
use asd_text::{Change, Document, Encoding, LineIndex, Position, PositionRange, apply_edits};

type Recipes = Vec<(Arc<str>, Arc<Recipe>)>;

fn recipe(front: &str) -> Arc<Recipe> {
    let text = format!("---\n{front}\n---\n");
    Arc::new(asd_recipe::parse(&text, Home::Recipes).recipe.unwrap())
}

fn recipes(fronts: &[&str]) -> Recipes {
    let named = fronts.iter().enumerate();
    named
        .map(|(index, front)| (format!("Alembic/recipes/r{index}.md").into(), recipe(front)))
        .collect()
}

fn options() -> GuardOptions {
    GuardOptions {
        sources: SourceFilter::Recipe,
        ..GuardOptions::default()
    }
}

fn set(fronts: &[&str]) -> RuleSet {
    RuleSet::build(&recipes(fronts), &options(), None).0
}

fn check(rules: &RuleSet, language: Language, path: Option<&str>, text: &str) -> FileReport {
    let target = Target {
        path,
        text,
        language,
        previous: None,
    };
    rules.check(&target, &AtomicBool::new(false)).unwrap()
}

const TODO: &str =
    "title: T\ntrigger: \"@no-todo\"\nlanguage: all\nguards:\n  - {pattern: TODO, matchIn: text}";
const CONSOLE: &str = "title: C\ntrigger: \"@no-console\"\nlanguage: javascript\nguards:\n  - {ast: 'console.log($$$A)', fix: 'logger.debug($$$A)'}";

#[test]
fn columns_in_all_encodings_behind_anything() {
    let rules = set(&[TODO, CONSOLE]);
    for (text, language, expected) in [
        (
            "/* 🦀 */ console.log(1)",
            Language::JavaScript,
            [(11, 25), (9, 23), (8, 22)],
        ),
        (
            "# 👩‍👩‍👧 e\u{301} TODO",
            Language::Python,
            [(25, 29), (14, 18), (11, 15)],
        ),
        (
            "let 🍪 = \"饼干\"; // TODO",
            Language::JavaScript,
            [(24, 28), (18, 22), (17, 21)],
        ),
        ("\tTODO", Language::JavaScript, [(1, 5); 3]),
    ] {
        let report = check(&rules, language, Some("a"), text);
        assert_eq!(report.findings.len(), 1, "{text}");
        let lines = LineIndex::new(text);
        for (encoding, expected) in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32]
            .into_iter()
            .zip(expected)
        {
            let range = lines.range(text, report.findings[0].span, encoding);
            let columns = (range.start.character, range.end.character);
            assert_eq!(columns, expected, "{text} {encoding:?}");
        }
    }
}

#[test]
fn every_line_ending_and_a_byte_order_mark() {
    let rules = set(&[TODO, CONSOLE]);
    for ending in ["\n", "\r\n", "\r"] {
        let text = format!("a{ending}console.log(1){ending}// TODO{ending}");
        let report = check(&rules, Language::JavaScript, Some("a.js"), &text);
        let lines = LineIndex::new(&text);
        let places: Vec<_> = report
            .findings
            .iter()
            .map(|finding| lines.range(&text, finding.span, Encoding::Utf16))
            .map(|range| (range.start, range.end))
            .collect();
        // A lone CR ends no comment and no statement for the grammar, but a
        // line for everyone who counts.
        assert_eq!(
            places,
            [
                (Position::new(1, 0), Position::new(1, 14)),
                (Position::new(2, 3), Position::new(2, 7)),
            ],
            "{ending:?}"
        );
    }
    let with = check(
        &rules,
        Language::JavaScript,
        Some("a.js"),
        "\u{feff}// TODO",
    );
    let without = check(&rules, Language::JavaScript, Some("a.js"), "// TODO");
    assert_eq!(with.findings[0].span, without.findings[0].span.shifted(3));
    assert_eq!(
        with.findings[0].fingerprint,
        without.findings[0].fingerprint
    );
}

#[test]
fn an_end_of_line_is_where_the_line_ends_for_every_ending() {
    let rules = set(&[
        "title: S\ntrigger: \"@semicolon\"\nlanguage: go\nguards:\n  - {pattern: ';$'}",
        "title: M\ntrigger: \"@pair\"\nlanguage: go\nguards:\n  - {pattern: 'one\\ntwo', fix: {template: both, safe: true}}",
    ]);
    for ending in ["\n", "\r\n", "\r"] {
        let text = format!("a;{ending}one{ending}two;");
        let report = check(&rules, Language::Go, Some("a.go"), &text);
        let shown: Vec<_> = report.findings.iter().map(|f| f.span.of(&text)).collect();
        let pair = format!("one{ending}two");
        assert_eq!(shown, [";", pair.as_str(), ";"], "{ending:?}");
        let fix = report.findings[1].fix.as_ref().unwrap();
        let fixed = apply_edits(&text, &fix.edits).unwrap();
        assert_eq!(fixed, format!("a;{ending}both;"));
    }
}

#[test]
fn a_trailing_blank_on_a_last_line_without_an_ending() {
    let rules = set(&[
        "title: B\ntrigger: \"@blank\"\nlanguage: all\nguards:\n  - {pattern: '\\s+$', matchIn: text, fix: {kind: remove, safe: true}}",
    ]);
    let text = "a \r\nb  ";
    let report = check(&rules, Language::Go, Some("a.go"), text);
    let spans: Vec<_> = report.findings.iter().map(|f| f.span.range()).collect();
    assert_eq!(spans, [1..2, 5..7]);
    let target = Target {
        path: None,
        text,
        language: Language::Go,
        previous: None,
    };
    let fixed = rules
        .fix_all(&target, &|_, _| true, &AtomicBool::new(false))
        .unwrap();
    assert_eq!(fixed.text, "a\r\nb");
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let rules = set(&[TODO]);
    let of = |text: &str| -> Vec<u64> {
        let report = check(&rules, Language::JavaScript, Some("a.js"), text);
        report.findings.iter().map(|f| f.fingerprint).collect()
    };
    let before = of("// TODO\nx();\n// TODO\n");
    assert_eq!(before, of("\n\nx();\n  // TODO\r\n// TODO a\n"));
    assert_ne!(before[0], before[1]);
    assert_eq!(of("// TODO\n"), before[..1]);
}

#[test]
fn an_edited_tree_gives_what_a_fresh_one_gives() {
    let rules = set(&[CONSOLE]);
    let mut document = Document::new("function f() {\n  console.log(1);\n  g();\n}\n");
    let text = document.snapshot().text;
    let mut report = check(&rules, Language::JavaScript, Some("a.js"), &text);
    for (line, character, insertion) in [
        (2, 2, "console.log(2); "),
        (0, 0, "/* 🦀 */ "),
        (1, 2, "x."),
    ] {
        let at = Position { line, character };
        let change = Change {
            range: Some(PositionRange { start: at, end: at }),
            text: insertion.to_owned(),
        };
        let edit = document.apply(&change, Encoding::Utf16).unwrap();
        let mut tree = report.tree.take().unwrap();
        asd_syntax::edit_tree(&mut tree, &edit);
        let text = document.snapshot().text;
        let target = Target {
            path: Some("a.js"),
            text: &text,
            language: Language::JavaScript,
            previous: Some(tree),
        };
        report = rules.check(&target, &AtomicBool::new(false)).unwrap();
        let fresh = check(&rules, Language::JavaScript, Some("a.js"), &text);
        assert_eq!(report.findings, fresh.findings);
    }
    assert_eq!(report.findings.len(), 1);
}

#[test]
fn a_cancelled_check_says_so() {
    let rules = set(&[TODO, CONSOLE]);
    let target = Target {
        path: None,
        text: "console.log(1) // TODO",
        language: Language::JavaScript,
        previous: None,
    };
    assert!(rules.check(&target, &AtomicBool::new(true)).is_err());
}

#[test]
fn a_set_is_rebuilt_with_what_has_not_changed() {
    let mut all = recipes(&[TODO, CONSOLE]);
    let (first, _) = RuleSet::build(&all, &options(), None);
    let (same, _) = RuleSet::build(&all, &options(), Some(&first));
    assert_eq!(first.hash(), same.hash());
    all.reverse();
    let (reordered, _) = RuleSet::build(&all, &options(), None);
    assert_eq!(first.hash(), reordered.hash());

    all[1].1 = recipe(&TODO.replace("TODO", "FIXME"));
    let (changed, problems) = RuleSet::build(&all, &options(), Some(&first));
    assert_eq!(problems, []);
    assert_ne!(first.hash(), changed.hash());
    let text = "// TODO FIXME\nconsole.log(1)";
    let found = |rules: &RuleSet| -> Vec<String> {
        let report = check(rules, Language::JavaScript, Some("a.js"), text);
        report
            .findings
            .iter()
            .map(|f| f.span.of(text).to_owned())
            .collect()
    };
    assert_eq!(found(&changed), ["FIXME", "console.log(1)"]);
    assert_eq!(found(&first), ["TODO", "console.log(1)"]);
    let (back, _) = RuleSet::build(&recipes(&[TODO, CONSOLE]), &options(), Some(&changed));
    assert_eq!(back.hash(), first.hash());
    assert_eq!(found(&back), ["TODO", "console.log(1)"]);
}

#[test]
fn the_literals_that_rules_wait_for_can_be_listed() {
    let any_case = "title: A\ntrigger: \"@any-case\"\nlanguage: javascript\nguards:\n  - {pattern: 'select', flags: i}";
    let rules = set(&[TODO, CONSOLE, any_case]);
    let literals = rules.required_literals(Language::JavaScript);
    assert_eq!(literals, ["TODO", "console", "select"]);
    assert_eq!(rules.required_literals(Language::Go), ["TODO"]);
}

#[test]
fn exclusions_and_disabled_rules_hold_and_are_not_counted() {
    let all = recipes(&[TODO, CONSOLE]);
    let text = "console.log(1) // TODO";
    let with = |options: &GuardOptions, path: &str| {
        let (rules, _) = RuleSet::build(&all, options, None);
        let report = check(&rules, Language::JavaScript, Some(path), text);
        let ids: Vec<String> = report.findings.iter().map(|f| f.rule.id.clone()).collect();
        let checks = report.capability.executed_checks;
        (ids.join(" "), checks.regex.total + checks.ast.total)
    };
    let mut options = options();
    assert_eq!(with(&options, "a.js"), ("no-console no-todo".to_owned(), 2));
    options.disabled = vec!["no-todo".to_owned()];
    assert_eq!(with(&options, "a.js"), ("no-console".to_owned(), 1));
    options.disabled.clear();
    let exclusions = |text| serde_json::from_str::<Exclusions>(text).unwrap();
    options.exclusions = exclusions(
        r#"{"pathExclusions": [{"pattern": "test"}], "ruleExclusions": {"no-todo": [{"filePath": "src/*.js"}]}}"#,
    );
    assert_eq!(with(&options, "test/a.js"), (String::new(), 0));
    assert_eq!(
        with(&options, "src/contest.js"),
        ("no-console".to_owned(), 1)
    );
    assert_eq!(with(&options, "src/deep/a.js").1, 2);
    options.exclusions = exclusions(r#"{"globalRuleExclusions": [{"ruleId": "no-console"}]}"#);
    assert_eq!(with(&options, "a.js"), ("no-todo".to_owned(), 1));
}

#[test]
fn overrides_change_single_rules() {
    let mut options = options();
    options.overrides.insert(
        "no-todo".to_owned(),
        RuleOverride {
            severity: Some(Severity::Error),
            exclude_line: vec!["keep".to_owned()],
            exclude_paths: vec!["*.gen.js".to_owned()],
            ..RuleOverride::default()
        },
    );
    let (rules, _) = RuleSet::build(&recipes(&[TODO]), &options, None);
    let text = "// TODO\n// TODO keep\n";
    let report = check(&rules, Language::JavaScript, Some("a.js"), text);
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].severity, Severity::Error);
    let report = check(&rules, Language::JavaScript, Some("a.gen.js"), text);
    assert_eq!(report.findings, []);
    options.overrides[0].enabled = Some(false);
    let (rules, _) = RuleSet::build(&recipes(&[TODO]), &options, None);
    assert_eq!(rules.rules().len(), 0);
}

#[test]
fn a_recipe_takes_the_place_of_a_built_in_rule_with_its_id() {
    let own = "title: E\ntrigger: \"@no-eval\"\nlanguage: javascript\nguards:\n  - {id: js-no-eval, pattern: 'evaluate\\('}";
    let options = GuardOptions {
        profile: Profile::Strict,
        ..GuardOptions::default()
    };
    let (rules, _) = RuleSet::build(&recipes(&[own]), &options, None);
    let ids = rules.rules().iter().filter(|rule| rule.id == "js-no-eval");
    assert_eq!(ids.count(), 1);
    let text = "eval(x); evaluate(x);";
    let report = check(&rules, Language::JavaScript, Some("a.js"), text);
    let shown: Vec<_> = report.findings.iter().map(|f| f.span.of(text)).collect();
    assert_eq!(shown, ["evaluate("]);
    assert!(rules.rules().iter().any(|rule| rule.id == "js-no-debugger"));
    let mut only = options;
    only.sources = SourceFilter::BuiltIn;
    let (rules, _) = RuleSet::build(&recipes(&[own]), &only, None);
    let report = check(&rules, Language::JavaScript, Some("a.js"), text);
    assert_eq!(report.findings[0].span.of(text), "eval(x)");
}

#[test]
fn an_agents_recipe_that_nobody_approved_reports_as_info() {
    let front = "title: T\ntrigger: \"@t\"\nlanguage: all\nsource: mcp\nlifecycle: staging\nguards:\n  - {pattern: TODO, matchIn: text, severity: error}";
    let severity = |front: &str| set(&[front]).rules()[0].severity;
    assert_eq!(severity(front), Severity::Info);
    assert_eq!(
        severity(&format!("{front}\nreviewedBy: ann")),
        Severity::Error
    );
    assert_eq!(severity(&front.replace("mcp", "manual")), Severity::Error);
}

#[test]
fn large_texts_get_the_linear_rules_only_and_the_account_says_so() {
    let slow = "title: S\ntrigger: \"@slow\"\nlanguage: javascript\nguards:\n  - {pattern: 'console(?!x)'}";
    let rules = set(&[TODO, CONSOLE, slow]);
    let minified = format!(
        "console.log(1); // TODO\nlet a = '{}';\n",
        "x".repeat(20_001)
    );
    let large = format!(
        "console.log(1); // TODO\n{}",
        "f(a, b, c);\n".repeat(180_000)
    );
    for text in [minified, large] {
        let report = check(&rules, Language::JavaScript, Some("a.js"), &text);
        let ids: Vec<_> = report.findings.iter().map(|f| f.rule.id.as_str()).collect();
        assert_eq!(ids, ["no-todo"]);
        let capability = report.capability;
        assert_eq!(capability.skipped_checks.len(), 2);
        assert!(
            capability
                .skipped_checks
                .iter()
                .all(|skipped| skipped.reason == UncertainReason::ScopeMismatch)
        );
        assert_eq!(capability.executed_checks.ast.skipped, 1);
        assert_eq!(capability.check_coverage, 33);
    }
}

#[test]
fn a_slow_pattern_is_stopped_on_its_text_and_nowhere_else() {
    let rules = set(&[
        TODO,
        "title: S\ntrigger: \"@slow\"\nlanguage: all\nguards:\n  - {pattern: '^(?:(a+)(?!b))+$', matchIn: text}",
    ]);
    let text = format!("// TODO\n{}!\n", "a".repeat(40));
    let report = check(&rules, Language::JavaScript, Some("a.js"), &text);
    assert_eq!(report.quarantined, ["slow"]);
    assert_eq!(report.uncertain[0].reason, UncertainReason::InvalidRegex);
    assert_eq!(report.findings.len(), 1);
    let report = check(&rules, Language::JavaScript, Some("a.js"), "aaa\n");
    assert_eq!(report.quarantined, [] as [String; 0]);
    assert_eq!(report.findings.len(), 1);
}

#[test]
fn a_backtracking_pattern_may_look_at_a_long_text() {
    let rules = set(&[
        "title: S\ntrigger: \"@slow\"\nlanguage: all\nguards:\n  - {pattern: '(\\w+);\\n\\1;'}",
    ]);
    let mut text = String::new();
    for line in 0..20_000 {
        let _ = writeln!(text, "let name{line} = {line};");
    }
    text.push_str("f;\nf;\n");
    let report = check(&rules, Language::JavaScript, Some("a.js"), &text);
    assert_eq!(report.quarantined, [] as [String; 0]);
    assert_eq!(report.findings.len(), 1);
}

#[test]
fn generated_files_keep_the_guards_of_recipes() {
    let (rules, _) = RuleSet::build(&recipes(&[TODO]), &GuardOptions::default(), None);
    let text = "// Code generated by x. DO NOT EDIT.\neval(a); // TODO\n";
    let report = check(&rules, Language::JavaScript, Some("a.js"), text);
    let ids: Vec<_> = report.findings.iter().map(|f| f.rule.id.as_str()).collect();
    assert_eq!(ids, ["no-todo"]);
    let capability = report.capability;
    assert!(capability.executed_checks.regex.skipped > 0);
    assert!(capability.check_coverage < 100);
}

#[test]
fn a_fix_that_would_break_the_syntax_is_not_offered() {
    let rules = set(&[
        "title: B\ntrigger: \"@bad-fix\"\nlanguage: javascript\nguards:\n  - {id: bad, ast: 'foo($A)', fix: {template: 'bar($A', safe: true}}\n  - {id: good, ast: 'baz($A)', fix: {template: 'qux($A)', safe: true}}",
    ]);
    let target = Target {
        path: None,
        text: "foo(baz(1)); baz(2);",
        language: Language::JavaScript,
        previous: None,
    };
    let never = AtomicBool::new(false);
    let report = rules.check(&target, &never).unwrap();
    let offered: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| verified_fix(&target, finding).is_some())
        .map(|finding| finding.rule.id.as_str())
        .collect();
    assert_eq!(offered, ["good", "good"]);
    let fixed = rules.fix_all(&target, &|_, _| true, &never).unwrap();
    assert_eq!(fixed.text, "foo(qux(1)); qux(2);");
    assert_eq!(fixed.applied, [("good".to_owned(), 2)]);
}

#[test]
fn only_what_is_selected_is_fixed() {
    let rules = set(&[
        "title: F\ntrigger: \"@f\"\nlanguage: javascript\nguards:\n  - {id: safe, ast: 'a($X)', fix: {template: 'b($X)', safe: true}}\n  - {id: unsafe, ast: 'c($X)', fix: {template: 'd($X)'}}",
    ]);
    let target = Target {
        path: None,
        text: "a(1); a(a(2)); c(3); c(a(4));",
        language: Language::JavaScript,
        previous: None,
    };
    let never = AtomicBool::new(false);
    let safe = |_: &str, finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safe);
    let fixed = rules.fix_all(&target, &safe, &never).unwrap();
    assert_eq!(fixed.text, "b(1); b(b(2)); c(3); c(b(4));");
    let edits: Vec<_> = fixed.edits.iter().map(|e| e.span.of(target.text)).collect();
    assert_eq!(edits, ["a", "a", "a", "a"]);
}

fn failing(front: &str, body: &str) -> String {
    let text = format!("---\n{front}\n---\n{body}");
    let parsed = asd_recipe::parse(&text, Home::Candidates);
    let recipe = parsed.recipe.unwrap();
    let problems: Vec<Problem> = RuleSet::default().check_examples(&recipe, &parsed.examples);
    let mut shown = String::new();
    for problem in problems {
        let place = problem.span.of(&text).lines().next().unwrap_or_default();
        let _ = writeln!(shown, "`{place}` {}", problem.message);
    }
    shown
}

const COOKIES: &str = "title: C\ntrigger: \"@cookie\"\nlanguage: swift\nguards:\n  - {id: shared, ast: $A.shared, fix: $A.injected, includePaths: ['src/**']}\n  - {id: word, pattern: cookie}";

#[test]
fn a_fixed_example_of_a_guard_without_a_fix_says_so() {
    let body = "\
```swift bad guard=word
cookie()
```

```swift fixed
biscuit()
```
";
    assert_eq!(
        failing(COOKIES, body),
        "`swift fixed` The guard `word` has no `fix`. Add one, or remove this example.\n"
    );
    let none = "title: C\ntrigger: \"@c\"\nlanguage: swift\nguards:\n  - {pattern: cookie}";
    assert_eq!(
        failing(none, &body.replace(" guard=word", "")),
        "`swift fixed` No guard of this recipe has a `fix`. Add one, or remove this example.\n"
    );
}

#[test]
fn a_protocol_is_no_superclass_from_another_file() {
    let (rules, _) = RuleSet::build(&[], &GuardOptions::default(), None);
    let undecided = |text: &str| {
        let report = check(&rules, Language::Swift, Some("src/a.swift"), text);
        report
            .uncertain
            .iter()
            .any(|u| u.rule_id == "ast_deep_inheritance")
    };
    assert!(undecided("class Screen: Base, Codable {}"));
    for text in [
        "class Model: ObservableObject {}",
        "class Row: Codable, Hashable {}",
        "protocol Shape {}\nclass Circle: Shape {}",
        "class List: Sequence, IteratorProtocol {}",
        "class Source: UITableViewDataSource {}",
    ] {
        assert!(!undecided(text), "{text}");
    }
}

#[test]
fn a_suppression_where_the_rule_is_excluded_is_not_called_useless() {
    let all = recipes(&[
        "title: T\ntrigger: \"@todo\"\nlanguage: javascript\nguards:\n  - {id: no-todo, pattern: TODO, matchIn: text}",
    ]);
    let mut options = options();
    options.overrides.insert(
        "no-todo".to_owned(),
        RuleOverride {
            exclude_paths: vec!["gen/**".to_owned()],
            ..RuleOverride::default()
        },
    );
    let (rules, _) = RuleSet::build(&all, &options, None);
    let text = "a(); // asd:ignore no-todo -- known\n";
    let told = |path: &str| {
        let report = check(&rules, Language::JavaScript, Some(path), text);
        report.suppressions.len()
    };
    assert_eq!(told("src/a.js"), 1);
    assert_eq!(told("gen/a.js"), 0);
}

#[test]
fn examples_that_hold_are_silent() {
    let body = "\
```swift bad
let a = X.shared
```

```swift fixed
let a = X.injected
```

```swift bad guard=word
cookie()
```

```swift good guard=shared
cookie()
```
";
    assert_eq!(failing(COOKIES, body), "");
}

#[test]
fn examples_that_do_not_hold_are_told_at_their_place() {
    let body = "\
```swift fixed
nothing before
```

```swift bad
let a = 1
```

```swift bad guard=word
let a = X.shared
```

```swift good
cookie()
```

```swift bad
let a = X.shared
```

```swift fixed
let a = X.other
```

```swift bad guard=missing
let a = 1
```

```kotlin bad
val a = X.shared
```
";
    let shown = failing(COOKIES, body);
    expect_test::expect![[r#"
        `swift fixed` A `fixed` example must follow the `bad` example that it is made of.
        `swift bad` No guard finds anything in this example.
        `swift bad guard=word` The guard `word` finds nothing in this example.
        `swift good` The guard `word` finds `cookie` on line 1 of this example, where it should find nothing.
        `swift fixed` The fix turns the `bad` example into:
        let a = X.injected
        `swift bad guard=missing` This recipe has no guard `missing`. It has `shared`, `word`.
        `kotlin bad` No guard finds anything in this example. It is not checked in kotlin.
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_guards_own_examples_are_run() {
    let front = "title: C\ntrigger: \"@c\"\nlanguage: python\nguards:\n  - pattern: 'eval\\('\n    positiveExamples: ['eval(x)', 'exec(x)']\n    negativeExamples: ['# eval(x)', 'eval(1)']";
    let shown = failing(front, "");
    assert!(
        shown.contains("does not find its positive example `exec(x)`"),
        "{shown}"
    );
    assert!(
        shown.contains("finds its negative example `eval(1)`"),
        "{shown}"
    );
    assert_eq!(shown.lines().count(), 2, "{shown}");
}

#[test]
fn reports_of_several_texts_are_summed() {
    let broken = "title: B\ntrigger: \"@broken\"\nlanguage: go\nguards:\n  - {pattern: '('}";
    let rules = set(&[TODO, broken]);
    let mut sum = check(&rules, Language::Go, Some("a.go"), "// TODO").capability;
    sum.merge(&check(&rules, Language::JavaScript, Some("a.js"), "").capability);
    assert_eq!(sum.executed_checks.regex.total, 3);
    assert_eq!(sum.executed_checks.regex.executed, 2);
    assert_eq!(sum.executed_by_language["go"].skipped, 1);
    assert_eq!(sum.executed_by_language["javascript"].executed, 1);
    assert_eq!(sum.check_coverage, 67);
    assert_eq!(sum.boundaries.len(), 1);
    assert_eq!(sum.boundaries[0].affected_rules, ["broken"]);
}

/// Where a text is too broken for its grammar, rules that are about a word still
/// see it, in code and not in comments; the others say that they cannot tell.
#[test]
fn without_a_tree_lines_are_scanned() {
    let options = GuardOptions {
        sources: SourceFilter::BuiltIn,
        ..GuardOptions::default()
    };
    let (rules, _) = RuleSet::build(&[], &options, None);
    let never = AtomicBool::new(false);
    let broken = ")]}} ((( @@@ ??? ]]] ^^^ %%% ### >>> <<<\n".repeat(20);
    let text = format!("{broken}debugger;\n// debugger;\nvar s = \"eval(x)\"; eval(y);\n{broken}");
    let target = Target {
        path: Some("src/a.js"),
        text: &text,
        language: Language::JavaScript,
        previous: None,
    };
    let report = rules.check(&target, &never).unwrap();
    let found: Vec<(&str, &str)> = report
        .findings
        .iter()
        .map(|finding| (finding.rule.id.as_str(), finding.span.of(&text)))
        .collect();
    assert_eq!(
        found,
        [
            ("js-no-debugger", "debugger"),
            ("js-no-var", "var s"),
            ("js-no-eval", "eval(")
        ]
    );
    let undecided: Vec<&str> = report
        .uncertain
        .iter()
        .map(|u| u.rule_id.as_str())
        .collect();
    assert!(undecided.contains(&"js-unhandled-promise"), "{undecided:?}");
    assert!(!undecided.contains(&"js-no-debugger"), "{undecided:?}");
}

#[test]
fn a_type_with_many_parts_has_two_thresholds() {
    let found = |settings: &[(&str, u32)]| {
        let mut options = GuardOptions {
            sources: SourceFilter::BuiltIn,
            ..GuardOptions::default()
        };
        for (key, threshold) in settings {
            let change = asd_guard::RuleOverride {
                threshold: Some(*threshold),
                ..asd_guard::RuleOverride::default()
            };
            options.overrides.insert((*key).to_owned(), change);
        }
        let (rules, _) = RuleSet::build(&[], &options, None);
        let text = "class A { x = 1; y = 2; f() {} g() {} h() {} }";
        let target = Target {
            path: Some("src/a.js"),
            text,
            language: Language::JavaScript,
            previous: None,
        };
        let report = rules.check(&target, &AtomicBool::new(false)).unwrap();
        report.findings.iter().any(|f| f.rule.id == "ast_god_class")
    };
    let (methods, properties) = ("ast_god_class_methods", "ast_god_class_properties");
    assert!(!found(&[]));
    assert!(!found(&[(methods, 2)]));
    assert!(found(&[(methods, 2), (properties, 1)]));
    assert!(!found(&[(methods, 2), (properties, 2)]));
    assert!(!found(&[(methods, 3), (properties, 1)]));
}
