//! Every fix of the built-in rules and of the sample project's recipes, applied
//! to the sources of this repository's sample project, guard documents and rule
//! pages: what results parses, the finding is gone, and fixing again changes
//! nothing. `ASD_FIX_SOURCES` names more folders, as PATH does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the sources are files")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{Finding, GuardOptions, RuleSet, Target, verified_fix};
use asd_recipe::{Home, Recipe};
use asd_syntax::Language;
use asd_text::apply_edits;

/// How many fixes of a rule are tried alone in one file.
const ALONE: usize = 3;

struct Source {
    path: String,
    language: Language,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(folder: &Path, sources: &mut Vec<Source>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            read(&path, sources);
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let shown = path.to_string_lossy().into_owned();
        let Some(language) = Language::of_file(&path, &text) else {
            continue;
        };
        if language == Language::Markdown {
            fences(&shown, &text, sources);
        }
        sources.push(Source {
            path: shown,
            language,
            text,
        });
    }
}

/// The code in a document, without the marks under it.
fn fences(path: &str, document: &str, sources: &mut Vec<Source>) {
    let mut lines = document.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let ticks = line.chars().take_while(|c| *c == '`').count();
        if ticks < 3 {
            continue;
        }
        let mut words = line[ticks..].split_whitespace();
        let language = words.next().and_then(Language::from_id);
        let name = words.next().unwrap_or("sample");
        let mut text = String::new();
        for (line, _) in lines.by_ref() {
            if line.starts_with(&"`".repeat(ticks)) {
                break;
            }
            let bare = line.trim_start().trim_start_matches(['^', '~']);
            if !(line.trim_start().starts_with('^') && bare.starts_with(' ')) {
                text.push_str(line);
                text.push('\n');
            }
        }
        if let Some(language) = language {
            sources.push(Source {
                path: format!("{path}:{number}/{name}"),
                language,
                text,
            });
        }
    }
}

fn recipes() -> Vec<(Arc<str>, Arc<Recipe>)> {
    let mut files = Vec::new();
    read(
        &root().join("tests/projects/harbor/Alembic/recipes"),
        &mut files,
    );
    files
        .into_iter()
        .filter(|file| file.language == Language::Markdown && file.path.ends_with(".md"))
        .filter_map(|file| {
            let recipe = asd_recipe::parse(&file.text, Home::Recipes).recipe?;
            Some((file.path.into(), Arc::new(recipe)))
        })
        .collect()
}

/// How many places of a text no grammar could make anything of.
fn errors(language: Language, text: &str) -> usize {
    let Some(tree) = asd_syntax::parse(language, text, None) else {
        return 0;
    };
    let mut open = vec![tree.root_node()];
    let mut count = 0;
    while let Some(node) = open.pop() {
        count += usize::from(node.is_error() || node.is_missing());
        if node.has_error() {
            let mut cursor = node.walk();
            open.extend(node.children(&mut cursor));
        }
    }
    count
}

struct Checker {
    rules: RuleSet,
    never: AtomicBool,
    /// How often fixes of each rule were tried alone.
    tried: BTreeMap<String, usize>,
    wrong: String,
}

impl Checker {
    fn findings(&self, source: &Source, text: &str) -> Vec<Finding> {
        let target = self.target(source, text);
        self.rules.check(&target, &self.never).unwrap().findings
    }

    fn target<'a>(&self, source: &'a Source, text: &'a str) -> Target<'a> {
        Target {
            path: Some(&source.path),
            text,
            language: source.language,
            previous: None,
        }
    }

    fn check(&mut self, source: &Source) {
        let found = self.findings(source, &source.text);
        if found.iter().all(|finding| finding.fix.is_none()) {
            return;
        }
        self.alone(source, &found);
        self.together(source);
    }

    /// One fix at a time.
    fn alone(&mut self, source: &Source, found: &[Finding]) {
        let before = errors(source.language, &source.text);
        let mut here: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in found {
            let target = self.target(source, &source.text);
            let Some(fix) = verified_fix(&target, finding) else {
                continue;
            };
            let count = here.entry(&finding.rule.id).or_default();
            if *count == ALONE {
                continue;
            }
            *count += 1;
            *self.tried.entry(finding.rule.id.clone()).or_default() += 1;
            let fixed = apply_edits(&source.text, &fix.edits).unwrap();
            let place = format!(
                "{} at byte {} ({})",
                source.path, finding.span.start, finding.rule.id
            );
            if errors(source.language, &fixed) > before {
                writeln!(self.wrong, "{place}: the result does not parse").unwrap();
            }
            let of_rule = |findings: &[Finding]| {
                findings
                    .iter()
                    .filter(|other| other.rule.id == finding.rule.id)
                    .count()
            };
            if of_rule(&self.findings(source, &fixed)) >= of_rule(found) {
                writeln!(self.wrong, "{place}: the finding is still there").unwrap();
            }
        }
    }

    /// All fixes at once, twice.
    fn together(&mut self, source: &Source) {
        let target = self.target(source, &source.text);
        let all = |_: &str, _: &Finding| true;
        let once = self.rules.fix_all(&target, &all, &self.never).unwrap();
        let target = self.target(source, &once.text);
        let twice = self.rules.fix_all(&target, &all, &self.never).unwrap();
        if errors(source.language, &once.text) > errors(source.language, &source.text) {
            writeln!(self.wrong, "{}: fixed, it does not parse", source.path).unwrap();
        }
        if once.text != twice.text {
            writeln!(
                self.wrong,
                "{}: a second run changes it again ({:?})",
                source.path, twice.applied
            )
            .unwrap();
        }
        for rule in &once.restless {
            writeln!(self.wrong, "{}: {rule} never comes to rest", source.path).unwrap();
        }
    }
}

#[test]
fn every_fix_removes_its_finding_and_leaves_code_that_parses() {
    let mut sources = Vec::new();
    for folder in ["tests/projects", "tests/guards", "docs/rules"] {
        read(&root().join(folder), &mut sources);
    }
    let own = std::env::var_os("ASD_FIX_SOURCES").is_none();
    if let Some(more) = std::env::var_os("ASD_FIX_SOURCES") {
        for folder in std::env::split_paths(&more) {
            read(&folder, &mut sources);
        }
    }
    let (rules, _) = RuleSet::build(&recipes(), &GuardOptions::default(), None);
    let fixable: Vec<String> = rules
        .rules()
        .iter()
        .filter(|rule| rule.fixable)
        .map(|rule| rule.id.clone())
        .collect();
    let mut checker = Checker {
        rules,
        never: AtomicBool::new(false),
        tried: BTreeMap::new(),
        wrong: String::new(),
    };
    for source in &sources {
        checker.check(source);
    }
    assert!(checker.wrong.is_empty(), "{}", checker.wrong);
    if own {
        for rule in fixable {
            assert!(
                checker.tried.contains_key(&rule),
                "no source shows what the fix of {rule} does"
            );
        }
    }
}
