//! What holds for every text and every set of rules.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{Finding, GuardOptions, RuleSet, SourceFilter, Target};
use asd_recipe::{
    AstGuard, Constraints, FixKind, FixTemplate, Guard, GuardKind, GuardSpans, Lifecycle, MatchIn,
    Recipe, Severity,
};
use asd_syntax::{Language, Mask};
use asd_text::{LineIndex, Span, apply_edits};
use proptest::prelude::*;

fn guard(id: &str, kind: GuardKind) -> Guard {
    Guard {
        id: id.to_owned(),
        kind,
        message: "m".to_owned(),
        severity: Severity::Warning,
        fix_suggestion: String::new(),
        fix: None,
        languages: vec!["javascript".to_owned()],
        include_paths: Vec::new(),
        exclude_paths: Vec::new(),
        exclude_line: Vec::new(),
        positive_examples: Vec::new(),
        negative_examples: Vec::new(),
        extra: Default::default(),
        spans: GuardSpans::default(),
    }
}

fn regex(pattern: &str, match_in: MatchIn) -> GuardKind {
    GuardKind::Regex {
        pattern: pattern.to_owned(),
        flags: String::new(),
        match_in,
        multiline: false,
    }
}

fn rules(guards: Vec<Guard>) -> RuleSet {
    let recipe = Recipe {
        trigger: "@r".to_owned(),
        title: "R".to_owned(),
        lifecycle: Lifecycle::Active,
        constraints: Constraints {
            guards,
            ..Constraints::default()
        },
        ..Recipe::default()
    };
    let options = GuardOptions {
        sources: SourceFilter::Recipe,
        ..GuardOptions::default()
    };
    RuleSet::build(&[("r.md".into(), Arc::new(recipe))], &options, None).0
}

fn target(text: &str) -> Target<'_> {
    Target {
        path: Some("a.js"),
        text,
        language: Language::JavaScript,
        previous: None,
    }
}

fn findings(rules: &RuleSet, text: &str) -> Vec<Finding> {
    rules
        .check(&target(text), &AtomicBool::new(false))
        .unwrap()
        .findings
}

/// Every regex on every line, with nothing that makes it fast.
fn naive(patterns: &[(String, MatchIn)], text: &str) -> BTreeSet<(String, Span)> {
    let mask = Mask::new(Language::JavaScript, text);
    let lines = LineIndex::new(text);
    let mut found = BTreeSet::new();
    for (index, (pattern, match_in)) in patterns.iter().enumerate() {
        let view = mask.view(text, *match_in);
        let regex = regex::Regex::new(pattern).unwrap();
        for line in 0..lines.line_count() {
            let line = lines.line_span(text, line);
            for matched in regex.find_iter(&view[line.range()]) {
                let start = line.start + matched.start();
                let end = line.start + matched.end();
                let span = if matched.is_empty() {
                    Some(one_character(text, line, start))
                } else {
                    without_masked_ends(text, &view, start, end)
                };
                found.extend(span.map(|span| (format!("r{index}"), span)));
            }
        }
    }
    found
}

fn one_character(text: &str, line: Span, at: usize) -> Span {
    let at = (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap();
    if let Some(c) = text[at..line.end].chars().next() {
        return Span::new(at, at + c.len_utf8());
    }
    let before = text[line.start..at].chars().next_back();
    Span::new(at - before.map_or(0, char::len_utf8), at)
}

/// A match that begins or ends in blanks which are a masked comment ends where
/// the comment begins.
fn without_masked_ends(text: &str, view: &str, start: usize, end: usize) -> Option<Span> {
    let blank = |at: usize| view.as_bytes()[at].is_ascii_whitespace();
    let masked = |at: usize| !text.as_bytes()[at].is_ascii_whitespace();
    let (mut start, mut end) = (start, end);
    if (start..end).all(blank) {
        return (!(start..end).any(masked)).then(|| Span::new(start, end));
    }
    let mut at = end;
    while blank(at - 1) {
        at -= 1;
        if masked(at) {
            end = at;
        }
    }
    let mut at = start;
    while blank(at) {
        at += 1;
        if masked(at - 1) {
            start = at;
        }
    }
    Some(Span::new(start, end))
}

const WORDS: &[&str] = &[
    "foo",
    "Foo",
    "FOO",
    "bar",
    "foobar",
    "task",
    "ta\u{17f}k",
    "TAS\u{212a}",
    "é",
    "É",
    "饼干",
    "🍪",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "(",
    ")",
    ";",
    ".",
    "// ",
    "/* ",
    " */",
    "\"",
    "'",
    "`",
    "${",
    "}",
    "a",
    "x",
    "1",
    "$",
    "\\",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS), 0..60).prop_map(|words| words.concat())
}

fn pattern() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        4 => prop::sample::select(vec![
            "foo", "bar", "Foo", "(?i)foo", "(?i)task", "(?i:é)", "饼", r"\(", r"\.", "a", "x",
            r"\w+", r"\s+", ".", r"[a-z]", r"[^a]", r"\d", "(foo|bar)", "(a|é|饼)", " ", "  ",
            "foo bar", "[fF]oo", "x{2}", "(ba){1,2}r", r"\b", r"\S*",
        ]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["^", "$", r"\b", r"\B", r"\A", r"\z"]).prop_map(str::to_owned),
    ];
    let quantified = (atom, prop::sample::select(vec!["", "", "", "?", "*", "+"])).prop_map(
        |(atom, quantifier)| {
            if quantifier.is_empty() {
                atom
            } else {
                format!("(?:{atom}){quantifier}")
            }
        },
    );
    prop::collection::vec(quantified, 1..4).prop_map(|atoms| atoms.concat())
}

fn match_in() -> impl Strategy<Value = MatchIn> {
    prop::sample::select(vec![
        MatchIn::Code,
        MatchIn::Text,
        MatchIn::Comments,
        MatchIn::Strings,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_finds_what_every_regex_on_every_line_finds(
        text in text(),
        patterns in prop::collection::vec((pattern(), match_in()), 1..8),
    ) {
        let guards = patterns
            .iter()
            .enumerate()
            .map(|(index, (pattern, match_in))| guard(&format!("r{index}"), regex(pattern, *match_in)))
            .collect();
        let found: BTreeSet<(String, Span)> = findings(&rules(guards), &text)
            .into_iter()
            .map(|finding| (finding.rule.id.clone(), finding.span))
            .collect();
        prop_assert_eq!(found, naive(&patterns, &text), "{:?} in {:?}", patterns, text);
    }

    #[test]
    fn findings_lie_on_characters_and_never_hold_a_line_ending(
        text in text(),
        pattern in pattern(),
        match_in in match_in(),
        multiline in any::<bool>(),
    ) {
        let kind = GuardKind::Regex {
            pattern,
            flags: String::new(),
            match_in,
            multiline,
        };
        for finding in findings(&rules(vec![guard("r", kind)]), &text) {
            let shown = finding.span.of(&text);
            prop_assert!(!shown.ends_with(['\n', '\r']) && !shown.starts_with(['\n', '\r']));
        }
    }

    #[test]
    fn fixing_comes_to_an_end_that_it_keeps(
        words in prop::collection::vec(prop::sample::select(&["ping", "pong", "f(", "g(", ")", ";", "a", " ", "\n", "// c\n", "/* d */", ", "]), 0..40),
        fixes in prop::collection::vec((0_usize..12, any::<bool>()), 1..6),
    ) {
        let text: String = words.concat();
        let pairs: &[(&str, &str)] = &[
            ("r:ping", "pong"), ("r:pong", "ping"), ("r:ping", "ping ping"), ("r:a", "b"),
            ("r:b", "cc"), ("r:cc", "a"), ("a:f($$$A)", "g($$$A)"), ("a:g($A)", "$A"),
            ("a:f(g($A))", "h($A, $A)"), ("a:g($A, $B)", "g($B)"), ("a:f()", ""), ("a:h($A, $B)", "f($B)"),
        ];
        let guards = fixes
            .iter()
            .enumerate()
            .map(|(index, (pair, removes))| {
                let (what, template) = pairs[*pair];
                let kind = match what.strip_prefix("r:") {
                    Some(pattern) => regex(pattern, MatchIn::Code),
                    None => GuardKind::Ast(AstGuard::Pattern { pattern: what[2..].to_owned() }),
                };
                Guard {
                    fix: Some(FixTemplate {
                        kind: if *removes && *pair % 3 == 0 { FixKind::Remove } else { FixKind::Replace },
                        template: template.to_owned(),
                        safe: true,
                    }),
                    ..guard(&format!("r{index}"), kind)
                }
            })
            .collect();
        let rules = rules(guards);
        let never = AtomicBool::new(false);
        let fixed = rules.fix_all(&target(&text), &|_, _| true, &never).unwrap();
        prop_assert_eq!(&apply_edits(&text, &fixed.edits).unwrap(), &fixed.text);
        let again = rules.fix_all(&target(&fixed.text), &|_, _| true, &never).unwrap();
        prop_assert_eq!(&again.text, &fixed.text, "from {:?}", text);
        let errors = |text: &str| asd_syntax::parse(Language::JavaScript, text, None).unwrap().root_node().has_error();
        prop_assert!(errors(&text) || !errors(&fixed.text));
    }
}
