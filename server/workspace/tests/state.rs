//! A project as it changes: files on disk, unsaved text, settings.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{SourceFilter, Target};
use asd_recipe::ProblemCode;
use asd_syntax::Language;
use asd_workspace::{ProjectState, Settings};

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (path, text) in files {
            fixture.write(path, text);
        }
        fixture
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn load(&self) -> ProjectState {
        self.load_with(serde_json::Value::Null)
    }

    fn load_with(&self, client: serde_json::Value) -> ProjectState {
        let settings = Settings {
            client,
            user_config: None,
            sources: SourceFilter::Recipe,
            ..Settings::default()
        };
        ProjectState::load(self.root(), &settings)
    }
}

/// A recipe that forbids a word.
fn recipe(trigger: &str, pattern: &str) -> String {
    format!(
        "---\ntitle: No {trigger}\ntrigger: \"@{trigger}\"\nkind: rule\nlanguage: typescript\n\
         do: Write something else\nguards:\n  - pattern: '{pattern}'\n---\n"
    )
}

/// The rules that fire in a TypeScript file of this text.
fn fired(state: &ProjectState, text: &str) -> Vec<String> {
    let target = Target {
        path: Some("src/a.ts"),
        text,
        language: Language::TypeScript,
        previous: None,
    };
    let report = state.check_text(&target, &AtomicBool::new(false)).unwrap();
    report
        .findings
        .iter()
        .map(|finding| finding.rule.id.clone())
        .collect()
}

fn codes(state: &ProjectState, path: &str) -> Vec<ProblemCode> {
    state.problems_of(path).iter().map(|p| p.code).collect()
}

#[test]
fn one_broken_recipe_leaves_the_others_in_force() {
    let fixture = Fixture::new(&[
        ("Alembic/recipes/general/a.md", &recipe("alpha", "alpha")),
        ("Alembic/recipes/general/b.md", &recipe("beta", "beta(")),
        ("Alembic/recipes/general/c.md", "---\n: [\n---\n"),
        ("Alembic/candidates/d.md", &recipe("delta", "delta")),
    ]);
    let state = fixture.load();
    assert_eq!(fired(&state, "alpha; beta; delta"), ["alpha"]);
    assert!(codes(&state, "Alembic/recipes/general/b.md").contains(&ProblemCode::InvalidRegex));
    assert!(codes(&state, "Alembic/recipes/general/c.md").contains(&ProblemCode::FrontMatter));
    let broken: Vec<String> = state.broken().into_iter().map(|p| p.path).collect();
    assert!(broken.contains(&"Alembic/recipes/general/b.md".to_owned()));
    assert!(broken.contains(&"Alembic/recipes/general/c.md".to_owned()));
}

#[test]
fn a_name_that_occurs_twice_is_told_in_the_second_file() {
    let (a, b) = ("Alembic/recipes/a.md", "Alembic/recipes/b.md");
    let fixture = Fixture::new(&[(a, &recipe("alpha", "alpha")), (b, &recipe("beta", "beta"))]);
    let state = fixture.load();
    assert!(!codes(&state, b).contains(&ProblemCode::DuplicateTrigger));
    let twice = state.with_overlay(b, Some(recipe("alpha", "beta").into()));
    assert!(codes(&twice, b).contains(&ProblemCode::DuplicateTrigger));
    assert!(!codes(&twice, a).contains(&ProblemCode::DuplicateTrigger));
}

#[test]
fn unsaved_text_counts_at_once_and_is_undone() {
    let path = "Alembic/recipes/general/a.md";
    let fixture = Fixture::new(&[(path, &recipe("alpha", "alpha"))]);
    let saved = fixture.load();
    let unsaved = saved.with_overlay(path, Some(recipe("alpha", "omega").into()));
    assert!(unsaved.generation() > saved.generation());
    assert_eq!(fired(&unsaved, "alpha; omega"), ["alpha"]);
    assert_eq!(fired(&unsaved, "alpha"), [""; 0]);
    let undone = unsaved.with_overlay(path, None);
    assert_eq!(fired(&undone, "alpha"), ["alpha"]);
    assert_eq!(fired(&saved, "alpha"), ["alpha"]);
}

#[test]
fn the_last_good_guards_hold_while_a_recipe_cannot_be_read() {
    let path = "Alembic/recipes/general/a.md";
    let fixture = Fixture::new(&[(path, &recipe("alpha", "alpha"))]);
    let state = fixture.load();
    let typing = state.with_overlay(path, Some("---\ntitle: [\n".into()));
    assert_eq!(fired(&typing, "alpha"), ["alpha"]);
    assert!(!codes(&typing, path).is_empty());
    let done = typing.with_overlay(path, Some(recipe("alpha", "omega").into()));
    assert_eq!(fired(&done, "alpha"), [""; 0]);
    assert_eq!(fired(&done, "omega"), ["alpha"]);
}

#[test]
fn files_and_folders_that_come_and_go_are_taken_in() {
    let fixture = Fixture::new(&[("Alembic/recipes/general/a.md", &recipe("alpha", "alpha"))]);
    let state = fixture.load();
    fixture.write("Alembic/recipes/net/b.md", &recipe("beta", "beta"));
    let two = state.with_files_changed(&["Alembic/recipes/net".to_owned()]);
    assert_eq!(fired(&two, "alpha; beta"), ["alpha", "beta"]);
    fixture.write("Alembic/recipes/net/b.md", &recipe("beta", "gamma"));
    let other = two.with_files_changed(&["Alembic/recipes/net/b.md".to_owned()]);
    assert_eq!(fired(&other, "beta"), [""; 0]);
    std::fs::remove_dir_all(fixture.root().join("Alembic/recipes")).unwrap();
    let none = other.with_files_changed(&["Alembic/recipes".to_owned()]);
    assert_eq!(fired(&none, "alpha; gamma"), [""; 0]);
    assert_eq!(none.recipes().len(), 0);
    let same = none.with_files_changed(&["src/a.ts".to_owned()]);
    assert_eq!(same.generation(), none.generation());
}

#[test]
fn settings_are_laid_over_each_other_and_taken_in_unsaved() {
    let config = "Alembic/config.toml";
    let fixture = Fixture::new(&[
        ("Alembic/recipes/a.md", &recipe("alpha", "alpha")),
        ("Alembic/recipes/b.md", &recipe("beta", "beta")),
        (config, "[guard]\ndisabledRules = ['alpha']\n"),
    ]);
    let state = fixture.load();
    assert_eq!(fired(&state, "alpha; beta"), ["beta"]);
    let none = serde_json::json!({"guard": {"disabledRules": []}});
    assert_eq!(
        fired(&fixture.load_with(none), "alpha; beta"),
        ["beta"],
        "an empty list of a person turns nothing on"
    );
    let client = serde_json::json!({"guard": {"disabledRules": ["beta"]}});
    let both_off = [""; 0];
    assert_eq!(
        fired(&fixture.load_with(client.clone()), "alpha; beta"),
        both_off
    );
    assert_eq!(
        fired(&state.with_client_settings(&client), "alpha; beta"),
        both_off
    );
    let unsaved = state.with_overlay(config, Some("".into()));
    assert_eq!(fired(&unsaved, "alpha"), ["alpha"]);
    let broken = state.with_overlay(config, Some("[guard\n".into()));
    assert_eq!(
        fired(&broken, "alpha"),
        [""; 0],
        "the last good settings hold"
    );
    assert!(codes(&broken, config).contains(&ProblemCode::Config));
}

#[test]
fn a_rule_that_settings_name_and_nothing_has_is_told() {
    let text = "[guard]\ndisabledRules = ['alpha', 'nobody']\n";
    let fixture = Fixture::new(&[
        ("Alembic/recipes/a.md", &recipe("alpha", "alpha")),
        ("Alembic/config.toml", text),
    ]);
    let problems = fixture.load().problems_of("Alembic/config.toml");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].span.of(text), "nobody");
}

#[test]
fn recipes_of_a_folder_outside_are_in_force() {
    let shared = Fixture::new(&[("team/a.md", &recipe("alpha", "alpha"))]);
    let fixture = Fixture::new(&[]);
    let folder = shared.root().join("team");
    let client = serde_json::json!({"recipesDirs": [folder.to_str().unwrap()]});
    let state = fixture.load_with(client);
    assert_eq!(fired(&state, "alpha"), ["alpha"]);
    assert_eq!(
        state.recipe_by_trigger("Alpha").unwrap().1.trigger,
        "@alpha"
    );
}

#[test]
fn a_source_that_is_gone_is_told_at_its_entry() {
    let text = recipe("alpha", "alpha").replace(
        "guards:",
        "reasoning:\n  sources: ['src/there.ts', 'src/there.ts:2-3', 'src/there.ts:3-9', 'src/gone.ts:3']\nguards:",
    );
    let path = "Alembic/recipes/a.md";
    let fixture = Fixture::new(&[(path, &text), ("src/there.ts", "a\nb\n")]);
    let problems = fixture.load().problems_of(path);
    let gone: Vec<(&str, &str)> = problems
        .iter()
        .filter(|p| p.code == ProblemCode::MissingSource)
        .map(|p| (p.span.of(&text), p.message.as_str()))
        .collect();
    assert_eq!(
        gone,
        [
            (
                "src/there.ts:3-9",
                "`src/there.ts` ends at line 2: there is no line 9. Name the lines that show \
                 this now."
            ),
            (
                "src/gone.ts:3",
                "There is no file `src/gone.ts` in the project. Name the file that shows this \
                 now, or remove the entry."
            ),
        ]
    );
}

#[test]
fn what_cannot_be_checked_is_told_and_the_rest_is_checked() {
    let fixture = Fixture::new(&[
        ("Alembic/recipes/a.md", &recipe("alpha", "alpha")),
        ("src/a.ts", "let x = 1;\n  alpha(饼);\n"),
        ("src/b.test.ts", ""),
        ("notes.unknown", ""),
    ]);
    std::fs::write(fixture.root().join("src/latin.ts"), b"// caf\xE9").unwrap();
    std::fs::write(fixture.root().join("src/bin.ts"), b"\0\0").unwrap();
    let state = fixture.load();
    let never = AtomicBool::new(false);
    let walked = state.walk(&[], &never);
    let batch = state.check_files(&walked.files, &|_| {}, &never).unwrap();
    let result = asd_workspace::report::BatchResult::new(&batch, &walked.skipped, Vec::new());
    assert_eq!(result.summary.files_checked, 2);
    assert_eq!(result.summary.test_files, 1);
    assert_eq!(result.summary.total_violations, 1);
    assert_eq!(result.summary.total_uncertain, 2);
    let violation = &result.details.files[0].violations[0];
    assert_eq!(result.details.files[0].file_path, "src/a.ts");
    assert_eq!((violation.place.line, violation.place.column), (2, 3));
    assert_eq!(violation.snippet, "alpha(饼);");
    let skipped: Vec<&str> = result
        .details
        .skipped
        .iter()
        .map(|s| s.path.as_str())
        .collect();
    assert_eq!(skipped, ["src/bin.ts", "src/latin.ts"]);
    let json = serde_json::to_value(&result.details.capability_report).unwrap();
    assert_eq!(json["uncertainResults"][0]["reason"], "file_missing");
    assert!(batch.capability.check_coverage < 100);
    assert_eq!(batch.other_files, 1);
}

#[test]
fn recipes_named_as_files_are_not_checked_as_sources() {
    let path = "Alembic/recipes/a.md";
    let text = recipe("alpha", "alpha") + "\n```typescript bad\nalpha\n```\n";
    let fixture = Fixture::new(&[(path, &text)]);
    let state = fixture.load();
    let never = AtomicBool::new(false);
    let walked = state.walk(&[fixture.root().join(path)], &never);
    let batch = state.check_files(&walked.files, &|_| {}, &never).unwrap();
    assert_eq!(batch.files.len(), 0);
}

#[test]
fn a_cancelled_batch_gives_nothing() {
    let fixture = Fixture::new(&[("a.ts", "")]);
    let state = fixture.load();
    let walked = state.walk(&[], &AtomicBool::new(false));
    let stopped = state.check_files(&walked.files, &|_| {}, &AtomicBool::new(true));
    assert!(stopped.is_err());
}

#[test]
fn a_thousand_recipes_are_shared_between_states() {
    let fixture = Fixture::new(&[]);
    for i in 0..1000 {
        let word = format!("word{i}");
        fixture.write(&format!("Alembic/recipes/{word}.md"), &recipe(&word, &word));
    }
    let state = fixture.load();
    let next = state.with_overlay(
        "Alembic/recipes/word7.md",
        Some(recipe("word7", "x").into()),
    );
    let same = state
        .recipes()
        .iter()
        .zip(next.recipes())
        .filter(|(a, b)| Arc::ptr_eq(&a.1, &b.1))
        .count();
    assert_eq!(same, 999);
}

#[test]
fn without_a_trigger_guards_are_not_in_force() {
    let text = recipe("alpha", "alpha").replace("trigger: \"@alpha\"\n", "");
    let path = "Alembic/recipes/a.md";
    let state = Fixture::new(&[(path, &text)]).load();
    assert_eq!(fired(&state, "alpha"), [""; 0]);
    assert_eq!(state.broken().len(), 1, "{:?}", state.broken());
}

#[test]
fn the_recipes_of_a_project_can_be_kept_from_checking() {
    let path = "Alembic/recipes/a.md";
    let text = recipe("alpha", "alpha") + "```typescript bad\nbeta\n```\n";
    let fixture = Fixture::new(&[(path, &text)]);
    let all = fixture.load();
    assert_eq!(fired(&all, "alpha"), ["alpha"]);
    assert!(codes(&all, path).contains(&ProblemCode::Example));
    let built_in = all.with_sources(SourceFilter::BuiltIn);
    assert!(!fired(&built_in, "alpha").contains(&"alpha".to_owned()));
    assert!(!codes(&built_in, path).contains(&ProblemCode::Example));
    assert!(built_in.recipe_by_trigger("@alpha").is_some());
    let again = built_in.with_sources(SourceFilter::Recipe);
    assert_eq!(fired(&again, "alpha"), ["alpha"]);
}

#[test]
fn excluded_files_are_not_checked_and_a_named_one_is_told_by_what() {
    let fixture = Fixture::new(&[
        ("Alembic/recipes/a.md", &recipe("alpha", "alpha")),
        ("Alembic/config.toml", "[files]\nexclude = ['gen/**']\n"),
        (
            "Alembic/guard-exclusions.json",
            r#"{"pathExclusions": ["old"]}"#,
        ),
        ("src/a.ts", "alpha"),
        ("gen/a.ts", "alpha"),
        ("old/a.ts", "alpha"),
    ]);
    let state = fixture.load();
    let never = AtomicBool::new(false);
    let named = [fixture.root().to_owned(), fixture.root().join("gen/a.ts")];
    let walked = state.walk(&named, &never);
    let batch = state.check_files(&walked.files, &|_| {}, &never).unwrap();
    let checked: Vec<&str> = batch.files.iter().map(|file| &*file.rel).collect();
    assert_eq!(checked, ["src/a.ts"]);
    assert_eq!(batch.excluded, 2);
    assert_eq!(batch.skipped.len(), 1);
    assert_eq!(batch.skipped[0].path, "gen/a.ts");
    assert_eq!(
        batch.skipped[0].reason,
        "excluded by `gen/**` of `files.exclude`"
    );
    assert_eq!(
        state.excluded_by("old/a.ts").unwrap(),
        "excluded by `old` of `pathExclusions`"
    );
}
