//! A check with kept results says what a check without them says, byte for
//! byte, whatever has happened to the project in between.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use asd_guard::{GateThresholds, SourceFilter, Timestamp};
use asd_workspace::compliance::{ComplianceInput, CoverageMatrix, compliance};
use asd_workspace::report::BatchResult;
use asd_workspace::{BatchReport, ProjectState, Settings, formats, sarif, verdict_fingerprint};
use proptest::prelude::*;

struct Fixture {
    folder: tempfile::TempDir,
    cache: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
            cache: tempfile::tempdir().unwrap(),
        };
        for (path, text) in FILES {
            fixture.write(path, text);
        }
        fixture
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn remove(&self, path: &str) {
        let _ = std::fs::remove_file(self.path(path));
    }

    fn state(&self, sources: SourceFilter, cache: Option<&Path>) -> ProjectState {
        let settings = Settings {
            user_config: None,
            sources,
            check_cache: cache.map(Path::to_path_buf),
            ..Settings::default()
        };
        ProjectState::load(self.folder.path(), &settings)
    }

    /// Every form of what a check of `paths` says.
    fn check(&self, sources: SourceFilter, paths: &[PathBuf], cache: Option<&Path>) -> Vec<String> {
        let state = self.state(sources, cache);
        let never = AtomicBool::new(false);
        let walked = state.walk(paths, &never);
        let mut batch = state.check_files(&walked.files, &|_| {}, &never).unwrap();
        let all = || state.walk(&[], &never).files;
        state.check_across(&mut batch, &all, &never).unwrap();
        forms(&batch, &state)
    }

    /// Compares, and says how many findings there were.
    fn compare(&self, sources: SourceFilter, paths: &[PathBuf]) -> Vec<String> {
        let anew = self.check(sources, paths, None);
        let kept = self.check(sources, paths, Some(self.cache.path()));
        for (anew, kept) in anew.iter().zip(&kept) {
            assert_eq!(anew, kept);
        }
        // Once more, with nothing left to be found out.
        let again = self.check(sources, paths, Some(self.cache.path()));
        assert_eq!(anew, again);
        anew
    }

    fn cache_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for project in std::fs::read_dir(self.cache.path()).unwrap().flatten() {
            for file in std::fs::read_dir(project.path()).unwrap().flatten() {
                files.push(file.path());
            }
        }
        files
    }
}

fn forms(batch: &BatchReport, state: &ProjectState) -> Vec<String> {
    let result = || BatchResult::new(batch, state.skipped(), state.broken());
    let json = serde_json::to_string_pretty(&result()).unwrap();
    let report = compliance(ComplianceInput {
        root: "/project".to_owned(),
        result: result(),
        stats: BTreeMap::new(),
        feedback: Vec::new(),
        thresholds: GateThresholds {
            max_errors: 0,
            max_warnings: 20,
            min_score: 70,
        },
        test_weight: 0.5,
        before: None,
        coverage_matrix: CoverageMatrix::default(),
        notes: Vec::new(),
        shard: None,
        now: Timestamp(0),
    });
    vec![
        json,
        serde_json::to_string_pretty(&report).unwrap(),
        sarif::sarif(&report.details, "1").to_string(),
        formats::gitlab(&report.details).to_string(),
        formats::junit(&report.details, "2026-01-01T00:00:00"),
        formats::github(&report.details).join("\n"),
        formats::markdown(&report),
        formats::text(&report),
    ]
}

const FILES: &[(&str, &str)] = &[
    (
        "src/a.ts",
        "import { b } from './b';\nexport const a = b!;\n",
    ),
    (
        "src/b.ts",
        "import { c } from './c';\nexport const b = c;\n",
    ),
    (
        "src/c.ts",
        "import { a } from './a';\n// asd:ignore js-no-eval -- known\neval('x');\nexport const c = a;\n",
    ),
    ("src/plain.js", "var x = 1;\nif (x == null) debugger;\n"),
    (
        "lib/one.py",
        "def f(xs=[]):\n    try:\n        pass\n    except:\n        pass\n",
    ),
    (
        "lib/Deep.java",
        "class Deep extends Elsewhere { void f() { try { g(); } catch (Exception e) {} } }\n",
    ),
    (
        "lib/a.go",
        "package lib\n\nfunc init() {}\n\nfunc g() { v, _ := load()\n_ = v }\n",
    ),
    (
        "lib/b.go",
        "package lib\n\nfunc init() {}\n\nfunc load() (int, error) { return 0, nil }\n",
    ),
    ("lib/c.go", "package lib\n\nfunc init() {}\n"),
    ("lib/lib.rs", "pub fn f() -> u8 { Some(1).unwrap() }\n"),
    ("tests/t.test.ts", "it('x', () => { eval('1'); });\n"),
    ("Alembic/recipes/one.md", ONE),
];

/// With a pattern that cannot be compiled beside one that can, and a fix.
const ONE: &str = "---\ntitle: No fetch\ntrigger: \"@no-fetch\"\nkind: rule\nlanguage: typescript\ndo: Call the client\nguards:\n  - id: no-fetch\n    pattern: 'fetch'\n    message: Not so\n    fix: client.load\n  - id: broken\n    pattern: '('\n---\n";

const TEXTS: &[&str] = &[
    "import { a } from './a';\nexport const again = a!.b;\n",
    "import { c } from './c';\nfetch('x');\neval(y);\n",
    "// asd:ignore-file js-no-eval\neval(z);\nimport './b';\n",
    "// asd:ignore js-circular-import\nimport { a } from './a';\n",
    "// nothing\n",
    "",
    "((((((( not code at all }}}}}\n eval(z) fetch\n",
    "export const 船 = fetch('饼');\r\nvar é = 1;\r\n",
    "// Code generated by a tool. DO NOT EDIT.\neval(z);\n",
];

const PATHS: &[&str] = &[
    "src/a.ts",
    "src/b.ts",
    "src/c.ts",
    "src/plain.js",
    "src/d.ts",
    "lib/one.py",
    "lib/a.go",
    "lib/c.go",
    "lib/Deep.java",
    "lib/lib.rs",
    "tests/t.test.ts",
    "docs/page.md",
    "src/App.vue",
];

const CONFIGS: &[&str] = &[
    "",
    "[guard]\ndisabledRules = [\"js-no-eval\"]\n",
    "[guard]\nprofile = \"strict\"\n",
    "[guard.codeLevelThresholds]\njs-no-eval = { severity = \"info\" }\n",
    "[files]\nexclude = [\"lib/**\"]\n",
];

const EXCLUSIONS: &[&str] = &[
    "{}",
    r#"{"pathExclusions": [{"pattern": "src/b.ts"}]}"#,
    r#"{"ruleExclusions": {"js-no-eval": [{"filePath": "src/c.ts"}]}}"#,
    r#"{"globalRuleExclusions": [{"ruleId": "js-circular-import"}]}"#,
];

const MANIFESTS: &[&str] = &["{}", r#"{"dependencies": {"react": "19"}}"#];

#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    Append(usize, usize),
    Remove(usize),
    Rename(usize, usize),
    Recipe(usize),
    Config(usize),
    Exclude(usize),
    Manifest(usize),
    Judge(usize),
    Damage(usize),
    Only(usize),
    Sources(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let path = || 0..PATHS.len();
    let one = prop_oneof![
        4 => (path(), 0..TEXTS.len()).prop_map(|(p, t)| Step::Write(p, t)),
        2 => (path(), 0..TEXTS.len()).prop_map(|(p, t)| Step::Append(p, t)),
        1 => path().prop_map(Step::Remove),
        2 => (path(), path()).prop_map(|(a, b)| Step::Rename(a, b)),
        2 => (0..6_usize).prop_map(Step::Recipe),
        1 => (0..CONFIGS.len()).prop_map(Step::Config),
        1 => (0..EXCLUSIONS.len()).prop_map(Step::Exclude),
        1 => (0..MANIFESTS.len()).prop_map(Step::Manifest),
        1 => (0..2_usize).prop_map(Step::Judge),
        1 => (0..4_usize).prop_map(Step::Damage),
        1 => path().prop_map(Step::Only),
        1 => (0..3_usize).prop_map(Step::Sources),
    ];
    prop::collection::vec(one, 1..10)
}

fn recipe(n: usize) -> String {
    match n {
        0 => ONE.to_owned(),
        1 => ONE.replace("Not so", "Not in this way"),
        2 => ONE.replace("client.load", "client.read"),
        3 => ONE.replace("title: No fetch", "title: Never fetch\nseverity: error"),
        4 => ONE.replace("pattern: 'fetch'", "ast: eval($X)"),
        _ => ONE.replace("kind: rule", "kind: rule\nlifecycle: decaying"),
    }
}

fn apply(fixture: &Fixture, step: &Step, sources: &mut SourceFilter, only: &mut Vec<PathBuf>) {
    only.clear();
    match step {
        Step::Write(path, text) => fixture.write(PATHS[*path], TEXTS[*text]),
        Step::Append(path, text) => {
            let before = std::fs::read_to_string(fixture.path(PATHS[*path])).unwrap_or_default();
            fixture.write(PATHS[*path], &format!("{before}{}", TEXTS[*text]));
        }
        Step::Remove(path) => fixture.remove(PATHS[*path]),
        Step::Rename(from, to) => {
            if let Ok(text) = std::fs::read_to_string(fixture.path(PATHS[*from])) {
                fixture.remove(PATHS[*from]);
                fixture.write(PATHS[*to], &text);
            }
        }
        Step::Recipe(n) => fixture.write("Alembic/recipes/one.md", &recipe(*n)),
        Step::Config(n) => fixture.write("Alembic/config.toml", CONFIGS[*n]),
        Step::Exclude(n) => fixture.write("Alembic/guard-exclusions.json", EXCLUSIONS[*n]),
        Step::Manifest(n) => fixture.write("package.json", MANIFESTS[*n]),
        Step::Judge(0) => fixture.remove("Alembic/feedback.json"),
        Step::Judge(_) => {
            let text = std::fs::read_to_string(fixture.path("src/plain.js")).unwrap_or_default();
            let Some(at) = text.find("var x") else { return };
            let lines = asd_text::LineIndex::new(&text);
            let span = asd_text::Span::new(at, at + 3);
            let fingerprint = verdict_fingerprint("js-no-var", &text, &lines, span);
            fixture.write(
                "Alembic/feedback.json",
                &format!(
                    r#"[{{"ruleId": "js-no-var", "filePath": "src/plain.js", "fingerprint": "{fingerprint}", "verdict": "fp", "at": "2026-01-01T00:00:00Z"}}]"#
                ),
            );
        }
        Step::Damage(how) => {
            for file in fixture.cache_files() {
                let bytes = std::fs::read(&file).unwrap();
                let damaged = match how {
                    0 => Vec::new(),
                    1 => bytes[..bytes.len() / 2].to_vec(),
                    2 => [&bytes[..], b"more"].concat(),
                    _ => b"a file of someone else".to_vec(),
                };
                std::fs::write(file, damaged).unwrap();
            }
        }
        Step::Only(path) => {
            let path = fixture.path(PATHS[*path]);
            if path.exists() {
                only.push(path);
            }
        }
        Step::Sources(n) => {
            *sources = [
                SourceFilter::All,
                SourceFilter::Recipe,
                SourceFilter::BuiltIn,
            ][*n];
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn kept_results_are_those_of_a_fresh_check(steps in steps()) {
        let fixture = Fixture::new();
        let mut sources = SourceFilter::All;
        let mut only = Vec::new();
        fixture.compare(sources, &only);
        for step in &steps {
            apply(&fixture, step, &mut sources, &mut only);
            fixture.compare(sources, &only);
        }
    }
}

#[test]
fn the_fixture_has_something_of_everything() {
    let fixture = Fixture::new();
    let json: serde_json::Value =
        serde_json::from_str(&fixture.compare(SourceFilter::All, &[])[0]).unwrap();
    let across: Vec<&str> = json["crossFileViolations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["ruleId"].as_str().unwrap())
        .collect();
    assert!(across.contains(&"js-circular-import"), "{across:?}");
    assert!(across.contains(&"go-multiple-init"), "{across:?}");
    assert!(!json["suppressions"].as_array().unwrap().is_empty());
    assert!(json["summary"]["totalUncertain"].as_u64().unwrap() > 0);
    assert!(json["capabilityReport"]["checkCoverage"].as_u64().unwrap() < 100);
    let text = json.to_string();
    for rule in [
        "js-no-eval",
        "py-no-mutable-default",
        "rust-no-unwrap",
        "invalid_regex",
    ] {
        assert!(text.contains(rule), "{rule}");
    }
}

/// Otherwise the comparison would compare nothing.
#[test]
fn every_step_of_the_comparison_changes_what_is_said() {
    let said = |change: &dyn Fn(&Fixture)| {
        let fixture = Fixture::new();
        let branches = "    if (x) y();\n".repeat(17);
        fixture.write(
            "src/long.js",
            &format!("function f(x, y) {{\n{branches}}}\n"),
        );
        fixture.write("src/hook.jsx", "for (const x of y) { useState(x); }\n");
        change(&fixture);
        fixture.compare(SourceFilter::All, &[]).swap_remove(0)
    };
    let before = said(&|_| {});
    let mut steps: Vec<Step> = (1..CONFIGS.len()).map(Step::Config).collect();
    steps.extend((1..EXCLUSIONS.len()).map(Step::Exclude));
    steps.extend([Step::Manifest(1), Step::Judge(1)]);
    steps.extend((1..5).map(Step::Recipe));
    for step in steps {
        let after = said(&|fixture| {
            // Something for the recipe to find.
            fixture.write("src/d.ts", "fetch('x');\n");
            apply(fixture, &step, &mut SourceFilter::All, &mut Vec::new());
        });
        let without = said(&|fixture| fixture.write("src/d.ts", "fetch('x');\n"));
        assert_ne!(without, before);
        assert_ne!(after, without, "{step:?}");
    }
}

#[test]
fn a_result_is_taken_from_the_cache_when_nothing_changed() {
    let fixture = Fixture::new();
    let cache = Some(fixture.cache.path());
    fixture.check(SourceFilter::All, &[], cache);
    let [file] = &fixture.cache_files()[..] else {
        panic!("one set of rules has one file");
    };
    let before = std::fs::metadata(file).unwrap().modified().unwrap();
    let content = std::fs::read(file).unwrap();
    fixture.check(SourceFilter::All, &[], cache);
    assert_eq!(std::fs::metadata(file).unwrap().modified().unwrap(), before);
    // A single new text is added to what there is.
    fixture.write("src/new.ts", "eval(x);\n");
    fixture.check(SourceFilter::All, &[fixture.path("src/new.ts")], cache);
    let after = std::fs::read(file).unwrap();
    assert!(after.len() > content.len());
}

#[test]
fn nothing_is_kept_that_was_not_asked_for() {
    let fixture = Fixture::new();
    fixture.check(SourceFilter::All, &[], None);
    assert_eq!(fixture.cache_files(), Vec::<PathBuf>::new());
}

#[test]
fn texts_that_come_and_go_do_not_pile_up() {
    let fixture = Fixture::new();
    let cache = Some(fixture.cache.path());
    let mut sizes = Vec::new();
    for n in 0..40 {
        fixture.write("src/d.ts", &format!("eval({n:03});\n"));
        fixture.check(SourceFilter::All, &[], cache);
        let size: u64 = fixture
            .cache_files()
            .iter()
            .map(|file| file.metadata().unwrap().len())
            .sum();
        sizes.push(size);
    }
    // Numbers in it are written in as many bytes as they need.
    assert!(sizes[39] < sizes[20] + 100, "{sizes:?}");
}

#[test]
fn two_runs_at_once_do_not_disturb_each_other() {
    let fixture = Fixture::new();
    let anew = fixture.check(SourceFilter::All, &[], None);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let kept = fixture.check(SourceFilter::All, &[], Some(fixture.cache.path()));
                    assert_eq!(kept, anew);
                }
            });
        }
    });
}
