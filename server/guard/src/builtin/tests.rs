//! The cases of `tests/guards/builtin/*.md`, run on the rules alone.

#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use asd_recipe::Severity;
use asd_syntax::{Language, Mask};
use asd_text::{Span, TextEdit, apply_edits};

use super::{FileCx, Found, Plan, RULES, Sink, rule};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A fenced block of a case.
struct Block {
    language: Language,
    path: String,
    kind: Kind,
    body: String,
    /// The line of the document where the body starts, from 1.
    line: usize,
    /// The heading that it stands under.
    heading: String,
}

#[derive(PartialEq)]
enum Kind {
    File,
    Fixed,
    FixedSafe,
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut heading = String::new();
    let mut lines = document.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if line.starts_with('#') {
            line.clone_into(&mut heading);
        }
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let mut words = info.split_whitespace();
        let id = words.next().expect("a fence names its language");
        let language = match id {
            "tsx" => Language::Tsx,
            _ => Language::from_id(id).unwrap_or_else(|| panic!("line {number}: language {id}")),
        };
        let word = words.next();
        let kind = match word {
            Some("fixed") => Kind::Fixed,
            Some("fixed-safe") => Kind::FixedSafe,
            _ => Kind::File,
        };
        let path = word.map_or_else(|| format!("src/sample.{id}"), str::to_owned);
        let mut body = String::new();
        for (line, _) in lines.by_ref() {
            if line == "```" {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        blocks.push(Block {
            language,
            path,
            kind,
            body,
            line: number + 1,
            heading: heading.clone(),
        });
    }
    blocks
}

/// The source without its marks, and the marks as (line, text).
fn marks(body: &str) -> (String, Vec<(usize, String)>) {
    let mut source = String::new();
    let mut marks = Vec::new();
    let mut line = 0;
    for text in body.lines() {
        let mark = text.trim_start();
        let carets = mark.trim_start_matches('^').trim_start_matches('~');
        if mark.starts_with('^') && carets.starts_with(' ') {
            marks.push((line, text.trim_end().to_owned()));
        } else {
            line += 1;
            source.push_str(text);
            source.push('\n');
        }
    }
    (source, marks)
}

fn mark_of(text: &str, found: &Found) -> (usize, String) {
    let severity = found.severity.filter(|own| *own != found.rule.severity);
    mark_at(text, found.span, found.rule.id, severity)
}

fn mark_at(text: &str, span: Span, id: &str, severity: Option<Severity>) -> (usize, String) {
    let before = &text[..span.start];
    let line = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[span.start..]
        .find('\n')
        .map_or(text.len(), |at| span.start + at);
    let column = text[line_start..span.start].chars().count();
    let end = span.end.min(line_end);
    let width = text[span.start..end].chars().count();
    let mut mark = " ".repeat(column) + &"^".repeat(width);
    if end < span.end {
        mark.pop();
        mark.push('~');
    }
    mark.push(' ');
    mark.push_str(id);
    if let Some(severity) = severity {
        mark.push(' ');
        mark.push_str(severity.as_str());
    }
    (line, mark)
}

/// The thresholds of the relaxed profile.
fn limits(rule: &super::BuiltIn) -> super::Limits {
    super::Limits {
        first: rule.threshold.unwrap_or(0),
        second: rule.second.as_ref().map_or(0, |second| second.threshold),
    }
}

fn check(id: &str, block: &Block, source: &str) -> Vec<Found> {
    let rule = rule(id).unwrap_or_else(|| panic!("no rule {id}"));
    // A rule that yields to another is tested alone.
    let plan = Plan::new(block.language, [(rule, limits(rule))]);
    let tree = asd_syntax::parse(block.language, source, None).expect("it has a grammar");
    let mask = Mask::new(block.language, source);
    let is_test = asd_syntax::is_test_path(&block.path);
    if is_test && rule.skips_tests {
        return Vec::new();
    }
    let cx = FileCx::new(
        Some(&block.path),
        source,
        block.language,
        Some(&tree),
        &mask,
        is_test,
    );
    let Sink { mut found, .. } = plan.run(&cx);
    found.sort_by_key(|found| (found.span.start, found.span.end));
    found
}

/// Applies fixes until none is left, and sees that the result parses.
fn fixed(id: &str, block: &Block, source: &str, with: &dyn Fn(&Found) -> bool) -> String {
    let mut text = source.to_owned();
    for _ in 0..10 {
        let mut edits: Vec<TextEdit> = Vec::new();
        let mut taken: Vec<Span> = Vec::new();
        for found in check(id, block, &text).iter().filter(|found| with(found)) {
            let Some(fix) = &found.fix else { continue };
            let free = fix
                .edits
                .iter()
                .all(|edit| !taken.iter().any(|span| span.intersects(edit.span)));
            if free {
                taken.extend(fix.edits.iter().map(|edit| edit.span));
                edits.extend(fix.edits.iter().cloned());
            }
        }
        if edits.is_empty() {
            break;
        }
        text = apply_edits(&text, &edits).unwrap();
        let tree = asd_syntax::parse(block.language, &text, None).unwrap();
        assert!(!tree.root_node().has_error(), "does not parse:\n{text}");
    }
    text
}

#[test]
fn every_case_of_every_rule_holds() {
    let mut wrong = String::new();
    let mut files: Vec<PathBuf> = ["builtin", "packs"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root().join("tests/guards").join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let document = std::fs::read_to_string(&file).unwrap();
        let id = document
            .lines()
            .find_map(|line| line.strip_prefix("# "))
            .expect("a title");
        if std::env::var("RULE").is_ok_and(|only| only != id) {
            continue;
        }
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if rule(id).is_some_and(|rule| rule.layer == crate::Layer::CrossFile) {
            across_files(id, &name, &document, &mut wrong);
            continue;
        }
        let mut last: Option<(Block, String)> = None;
        for block in blocks(&document) {
            let place = format!("{name}:{}", block.line);
            if block.kind == Kind::File {
                let (source, expected) = marks(&block.body);
                let actual: Vec<(usize, String)> = check(id, &block, &source)
                    .iter()
                    .map(|found| mark_of(&source, found))
                    .collect();
                if actual != expected {
                    let mut shown = String::new();
                    for (line, number) in source.lines().zip(1..) {
                        let _ = writeln!(shown, "  {line}");
                        for (_, mark) in actual.iter().filter(|(at, _)| *at == number) {
                            let _ = writeln!(shown, "  {mark}");
                        }
                    }
                    let _ = writeln!(wrong, "{place}: expected {expected:?}, found\n{shown}");
                }
                last = Some((block, source));
                continue;
            }
            let (file, source) = last.as_ref().expect("a file before its fixed form");
            let safe_only = block.kind == Kind::FixedSafe;
            let with = |found: &Found| found.fix.as_ref().is_some_and(|fix| fix.safe || !safe_only);
            let actual = fixed(id, file, source, &with);
            if actual != block.body {
                let _ = writeln!(
                    wrong,
                    "{place}: expected\n{}but the fixes give\n{actual}",
                    block.body
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The files under one heading are a project; each shows the places in it.
fn across_files(id: &str, name: &str, document: &str, wrong: &mut String) {
    let options = crate::GuardOptions {
        sources: crate::SourceFilter::BuiltIn,
        ..crate::GuardOptions::default()
    };
    let (rules, _) = crate::RuleSet::build(&[], &options, None);
    let never = std::sync::atomic::AtomicBool::new(false);
    let blocks = blocks(document);
    for project in blocks.chunk_by(|a, b| a.heading == b.heading) {
        let mut project: Vec<_> = project
            .iter()
            .map(|block| (block, marks(&block.body)))
            .collect();
        project.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let files: Vec<_> = project
            .iter()
            .map(|(block, (source, _))| {
                let target = crate::Target {
                    path: Some(&block.path),
                    text: source,
                    language: block.language,
                    previous: None,
                };
                let report = rules.check(&target, &never).unwrap();
                (block.path.as_str().into(), report.facts.unwrap_or_default())
            })
            .collect();
        let report = rules.check_across_files(&files, &never).unwrap();
        for (block, (source, expected)) in &project {
            let mut actual: Vec<(usize, String)> = report
                .findings
                .iter()
                .filter(|finding| finding.rule.id == id)
                .flat_map(|finding| &finding.places)
                .filter(|place| *place.path == *block.path)
                .map(|place| mark_at(source, place.span, id, None))
                .collect();
            actual.sort();
            if actual != *expected {
                let _ = writeln!(
                    wrong,
                    "{name}:{} ({}): expected {expected:?}, found {actual:?}",
                    block.line, block.path
                );
            }
        }
    }
}

#[test]
fn every_rule_has_its_cases() {
    let folders = RULES.iter().map(|rule| ("builtin", *rule));
    for (folder, rule) in folders.chain(super::packs::rules().map(|rule| ("packs", rule))) {
        let path = root().join(format!("tests/guards/{folder}/{}.md", rule.id));
        let document =
            std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no cases of {}", rule.id));
        let (mut firing, mut silent) = (0, 0);
        for block in blocks(&document) {
            if block.kind == Kind::File {
                if marks(&block.body).1.is_empty() {
                    silent += 1;
                } else {
                    firing += 1;
                }
            }
        }
        assert!(firing > 0 && silent > 0, "{} needs both kinds", rule.id);
    }
}

/// The head of a page says the same as the rule, and every page has the same
/// parts, so that lists can be made from them.
#[test]
fn pages_say_what_the_rules_are() {
    for rule in RULES.iter().copied().chain(super::packs::rules()) {
        let layer = match rule.layer {
            crate::Layer::Regex => "L1",
            crate::Layer::CodeLevel => "L2",
            crate::Layer::Ast => "L3",
            crate::Layer::CrossFile => "L4",
        };
        let severity: Severity = rule.severity;
        let head = format!(
            "# {}\n\n`{}` · {} · {} · {layer} · {}\n\n",
            rule.id,
            severity.as_str(),
            rule.languages.join(", "),
            rule.category,
            if rule.fixable { "fixable" } else { "no fix" },
        );
        assert!(
            rule.page.starts_with(&head),
            "{}: the page should start with\n{head}",
            rule.id
        );
        for part in [
            "\n## Why\n",
            "\n## Bad\n",
            "\n## Good\n",
            "\n## Exceptions\n",
            "\n## Options\n",
        ] {
            assert!(rule.page.contains(part), "{}: no part {part:?}", rule.id);
        }
    }
}

#[test]
fn rules_are_in_order_and_whole() {
    assert!(RULES.windows(2).all(|pair| pair[0].id < pair[1].id));
    for pack in super::PACKS {
        let prefix = format!("{}-", pack.framework.id());
        assert!(pack.rules.iter().all(|rule| rule.id.starts_with(&prefix)));
    }
    for rule in RULES.iter().copied().chain(super::packs::rules()) {
        assert!(
            !rule.message.is_empty() && rule.message.ends_with('.'),
            "{}",
            rule.id
        );
        assert!(!rule.fix_suggestion.is_empty(), "{}", rule.id);
        assert!(!rule.why.is_empty(), "{}", rule.id);
        assert!(!rule.languages.is_empty(), "{}", rule.id);
        if let Some(higher) = rule.yields_to {
            assert!(RULES.iter().any(|other| other.id == higher), "{}", rule.id);
        }
    }
}

#[test]
fn the_list_of_pages_has_every_rule() {
    let list = std::fs::read_to_string(root().join("docs/rules/README.md")).unwrap();
    for rule in RULES.iter().copied().chain(super::packs::rules()) {
        assert!(
            list.contains(&format!("| [{0}]({0}.md) |", rule.id)),
            "{} is not in docs/rules/README.md",
            rule.id
        );
    }
}

/// The ids that are reported for a text when all rules are on.
fn all_on(language: Language, path: &str, text: &str) -> Vec<&'static str> {
    let plan = Plan::new(language, RULES.iter().map(|rule| (*rule, limits(rule))));
    let tree = asd_syntax::parse(language, text, None).unwrap();
    let mask = Mask::new(language, text);
    let cx = FileCx::new(Some(path), text, language, Some(&tree), &mask, false);
    let mut ids: Vec<&'static str> = plan.run(&cx).found.iter().map(|f| f.rule.id).collect();
    ids.sort_unstable();
    ids
}

/// Two rules that describe one fault on different layers report it once.
#[test]
fn the_higher_layer_wins() {
    assert_eq!(
        all_on(
            Language::Objc,
            "A.h",
            "@interface A : NSObject\n@property (nonatomic, assign) id delegate;\n@end\n"
        ),
        ["ast_assign_object_property"]
    );
    assert_eq!(
        all_on(
            Language::Objc,
            "A.h",
            "@interface A : NSObject\n@property (nonatomic, unsafe_unretained) id delegate;\n@end\n"
        ),
        ["objc-assign-object"]
    );
    assert_eq!(
        all_on(
            Language::Objc,
            "A.m",
            "@implementation A\n- (void)f {\n  self.h = ^{ [self x]; };\n  _h = ^{ _count = 1; };\n}\n@end\n"
        ),
        ["ast_missing_weakify", "objc-block-retain-cycle"]
    );
    let disposed = "class _S extends State<W> {\n  Future<void> load() async {\n    await x();\n    setState(() {});\n  }\n  @override\n  void dispose() { super.dispose(); }\n}\n";
    assert_eq!(
        all_on(Language::Dart, "lib/a.dart", disposed),
        ["dart-setstate-after-dispose"]
    );
}

/// Whatever is typed, no rule panics: every prefix of every case is checked.
#[test]
fn half_written_text_is_no_problem() {
    for entry in std::fs::read_dir(root().join("tests/guards/builtin")).unwrap() {
        let document = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for block in blocks(&document) {
            let (source, _) = marks(&block.body);
            if source.len() > 1_500 {
                continue;
            }
            let step = 1 + source.len() / 12;
            for end in (0..source.len()).step_by(step) {
                if source.is_char_boundary(end) {
                    let text = &source[..end];
                    let _ = crate::FileFacts::of(&block.path, text, block.language, None);
                    if block.language.grammar().is_some() {
                        all_on(block.language, &block.path, text);
                    }
                }
            }
        }
    }
}
