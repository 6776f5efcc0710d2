//! Runs the documents in `tests/guards/*.md`; how they are read is said in the
//! README there. `UPDATE_EXPECT=1` writes what is found into them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{FileReport, Finding, GuardOptions, RuleSet, SourceFilter, Target, verified_fix};
use asd_recipe::{Home, Recipe};
use asd_syntax::Language;
use asd_text::LineIndex;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guards")
}

struct Fence {
    info: String,
    body: String,
    /// The line of the document where the body starts, from 1.
    line: usize,
    /// The number of the section that it stands in; 0 before the first.
    section: usize,
}

fn fences(document: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut section = 0;
    let mut lines = document.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if line.starts_with("## ") {
            section += 1;
        }
        let ticks = line.chars().take_while(|c| *c == '`').count();
        if ticks < 3 {
            continue;
        }
        let fence = &line[..ticks];
        let mut body = String::new();
        for (line, _) in lines.by_ref() {
            if line == fence {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        fences.push(Fence {
            info: line[ticks..].trim().to_owned(),
            body,
            line: number + 1,
            section,
        });
    }
    fences
}

/// The text without its marks, and the marks with the number of their line.
fn without_marks(body: &str) -> (String, Vec<(usize, String)>) {
    let (mut text, mut marks, mut line) = (String::new(), Vec::new(), 0);
    for current in body.lines() {
        let bare = current.trim_start().trim_start_matches(['^', '~']);
        if current.trim_start().starts_with('^') && bare.starts_with(' ') {
            marks.push((line, current.trim_end().to_owned()));
        } else {
            line += 1;
            text.push_str(current);
            text.push('\n');
        }
    }
    (text, marks)
}

fn mark_of(text: &str, lines: &LineIndex, finding: &Finding) -> (usize, String) {
    let line = lines.line_of(finding.span.start);
    let content = lines.line_span(text, line);
    let column = text[content.start..finding.span.start].chars().count();
    let end = finding.span.end.min(content.end);
    let width = text[finding.span.start..end].chars().count();
    let mut mark = " ".repeat(column) + &"^".repeat(width.max(1));
    if end < finding.span.end {
        mark.pop();
        mark.push('~');
    }
    let _ = write!(mark, " {}", finding.rule.id);
    if finding.severity != finding.rule.severity {
        let _ = write!(mark, " {}", finding.severity.as_str());
    }
    (line + 1, mark)
}

fn with_marks(text: &str, marks: &[(usize, String)]) -> String {
    let mut shown = String::new();
    for (line, number) in text.lines().zip(1..) {
        shown.push_str(line);
        shown.push('\n');
        for (_, mark) in marks.iter().filter(|(at, _)| *at == number) {
            shown.push_str(mark);
            shown.push('\n');
        }
    }
    shown
}

struct Case<'a> {
    rules: RuleSet,
    problems: String,
    /// The file before the fence at hand.
    file: Option<(Language, &'a str, String)>,
    report: FileReport,
}

fn target<'a>(language: Language, path: &'a str, text: &'a str) -> Target<'a> {
    Target {
        path: (path != "-").then_some(path),
        text,
        language,
        previous: None,
    }
}

/// Says what of a document does not hold, and the document as it would.
fn run(document: &str) -> (String, String) {
    let fences = fences(document);
    let mut corrected: Vec<String> = document.lines().map(|line| format!("{line}\n")).collect();
    let never = AtomicBool::new(false);
    let mut wrong = String::new();
    let mut recipes: Vec<(usize, Arc<str>, Arc<Recipe>, String)> = Vec::new();
    let mut case: Option<(usize, Case<'_>)> = None;
    for fence in &fences {
        let mut words = fence.info.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first == "recipe" {
            let name = words.next().map_or_else(
                || format!("Alembic/recipes/r{}.md", recipes.len()),
                str::to_owned,
            );
            let recipe = asd_recipe::parse(&fence.body, Home::Recipes)
                .recipe
                .unwrap_or_else(|| panic!("line {}: the recipe cannot be read", fence.line));
            recipes.push((
                fence.section,
                name.into(),
                Arc::new(recipe),
                fence.body.clone(),
            ));
            case = None;
            continue;
        }
        let (_, case) = match &mut case {
            Some(case) if case.0 == fence.section => case,
            _ => {
                let present: Vec<_> = recipes
                    .iter()
                    .filter(|(section, ..)| *section == 0 || *section == fence.section)
                    .collect();
                let pairs: Vec<_> = present
                    .iter()
                    .map(|(_, path, recipe, _)| (path.clone(), recipe.clone()))
                    .collect();
                let options = GuardOptions {
                    sources: SourceFilter::Recipe,
                    ..GuardOptions::default()
                };
                let (rules, problems) = RuleSet::build(&pairs, &options, None);
                let mut shown = String::new();
                for problem in &problems {
                    let (.., source) = present
                        .iter()
                        .find(|(_, path, ..)| **path == *problem.recipe_path)
                        .expect("a problem is of a recipe");
                    let place = problem.problem.span.of(source);
                    let _ = writeln!(
                        shown,
                        "{} {} `{}`: {}",
                        problem.problem.severity.as_str(),
                        problem.rule_id,
                        place.lines().next().unwrap_or_default(),
                        problem.problem.message
                    );
                }
                case.insert((
                    fence.section,
                    Case {
                        rules,
                        problems: shown,
                        file: None,
                        report: FileReport::default(),
                    },
                ))
            }
        };
        let second = words.next();
        let mut expect = |what: &str, expected: &str, actual: &str| {
            if expected != actual {
                let lines = fence.body.lines().count();
                for line in &mut corrected[fence.line - 1..fence.line - 1 + lines] {
                    line.clear();
                }
                // The opening fence always stands before the body.
                corrected[fence.line - 2].push_str(actual);
                let _ = writeln!(
                    wrong,
                    "line {}: {what}: expected\n{expected}found\n{actual}",
                    fence.line
                );
            }
        };
        match (first, second) {
            ("problems", _) => expect("problems", &fence.body, &case.problems),
            ("uncertain", _) => {
                let mut shown = String::new();
                for uncertain in &case.report.uncertain {
                    let reason = serde_json::to_value(uncertain.reason).expect("an enum is JSON");
                    let reason = reason.as_str().unwrap_or_default().to_owned();
                    let _ = writeln!(shown, "{} {reason}", uncertain.rule_id);
                }
                let capability = &case.report.capability;
                let _ = writeln!(shown, "coverage {}", capability.check_coverage);
                expect("uncertain", &fence.body, &shown);
            }
            ("suppressions", _) => {
                let mut shown = String::new();
                for one in &case.report.suppressions {
                    let _ = writeln!(
                        shown,
                        "{} {}{}",
                        one.rule_id,
                        if one.used { "used" } else { "unused" },
                        one.reason
                            .as_ref()
                            .map_or_else(String::new, |reason| format!(" -- {reason}"))
                    );
                }
                expect("suppressions", &fence.body, &shown);
            }
            (_, Some(kind @ ("fixed" | "fixed-safe"))) => {
                let (language, path, text) = case.file.as_ref().expect("a file before");
                let target = target(*language, path, text);
                let select = |_: &str, finding: &Finding| {
                    kind == "fixed" || finding.fix.as_ref().is_some_and(|fix| fix.safe)
                };
                let outcome = case.rules.fix_all(&target, &select, &never).unwrap();
                expect(kind, &fence.body, &outcome.text);
                let rebuilt = asd_text::apply_edits(text, &outcome.edits).unwrap();
                assert_eq!(rebuilt, outcome.text, "edits are not the text");
                let again = Target {
                    text: &outcome.text,
                    ..target.clone()
                };
                let again = case.rules.fix_all(&again, &select, &never).unwrap();
                assert_eq!(again.edits, [], "line {}: a second run changes", fence.line);
            }
            (language, path) => {
                let language = Language::from_id(language)
                    .unwrap_or_else(|| panic!("line {}: language {language}", fence.line));
                let path = path.unwrap_or("src/sample");
                let (text, expected) = without_marks(&fence.body);
                let target = target(language, path, &text);
                case.report = case.rules.check(&target, &never).unwrap();
                for finding in &case.report.findings {
                    let _ = verified_fix(&target, finding);
                }
                let lines = LineIndex::new(&text);
                let actual: Vec<_> = case
                    .report
                    .findings
                    .iter()
                    .map(|finding| mark_of(&text, &lines, finding))
                    .collect();
                let (expected, actual) = (with_marks(&text, &expected), with_marks(&text, &actual));
                case.file = Some((language, path, text));
                expect("findings", &expected, &actual);
            }
        }
    }
    (wrong, corrected.concat())
}

#[test]
fn every_document_holds() {
    let mut wrong = String::new();
    let mut documents: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "md"))
        .filter(|path| path.file_name().is_some_and(|name| name != "README.md"))
        .collect();
    documents.sort();
    assert!(!documents.is_empty());
    for path in documents {
        let document = std::fs::read_to_string(&path).unwrap();
        let (found, corrected) = run(&document);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, corrected).unwrap();
        } else if !found.is_empty() {
            let _ = writeln!(wrong, "{}\n{found}", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
