//! What rules of the first layer see without a tree: lines whose comments and
//! strings are blank. (guard.md §3)
//!
//! Only for texts that no grammar can make enough of. A rule is here when a word
//! or two say as much as its node; the others stay undecided.

use std::sync::OnceLock;

use asd_text::Span;
use regex::Regex;

use super::BuiltIn;
use crate::part::{Part, lines};
use asd_recipe::MatchIn;

/// The rules by id, each with what it looks for in a line; the first group is
/// what it reports, where there is one.
const SCANS: &[(&str, &str)] = &[
    ("dart-no-print", r"(?:^|[^.\w$])(print\s*\()"),
    ("go-no-panic", r"(?:^|[^.\w])(panic\s*\()"),
    ("java-no-system-exit", r"\bSystem\s*\.\s*exit\s*\("),
    ("js-no-alert", r"(?:^|[^.\w$])(alert\s*\()"),
    ("js-no-console-log", r"\bconsole\s*\.\s*log\s*\("),
    ("js-no-debugger", r"^\s*(debugger)\s*(?:;|$)"),
    ("js-no-eval", r"(?:^|[^.\w$])(eval\s*\()"),
    ("js-no-var", r"^\s*(var\s+[\w$\[{])"),
    (
        "main-thread-sync-swift",
        r"\bDispatchQueue\s*\.\s*main\s*\.\s*sync\b",
    ),
    (
        "no-main-thread-sync",
        r"\bdispatch_sync\s*\(\s*dispatch_get_main_queue\s*\(",
    ),
    ("py-no-bare-except", r"^\s*(except\s*:)"),
    ("py-no-exec", r"(?:^|[^.\w])(exec\s*\()"),
    ("py-no-star-import", r"^\s*(from\s+[\w.]+\s+import\s+\*)"),
    ("rust-no-todo-macro", r"\b(?:todo|unimplemented)!\s*[(\[{]"),
    ("rust-no-unwrap", r"\.\s*(unwrap\s*\(\s*\))"),
    ("swift-force-cast", r"\bas!"),
    ("swift-force-try", r"\btry!"),
];

/// Where a rule fires in a text without a tree; `None` when it cannot say.
pub(crate) fn scan(rule: &BuiltIn, part: &Part<'_>) -> Option<Vec<Span>> {
    let index = SCANS.iter().position(|(id, _)| *id == rule.id)?;
    let regex = compiled(index)?;
    let view = part.view(MatchIn::Code);
    let mut found = Vec::new();
    for line in lines(view) {
        let text = line.content.of(view);
        for groups in regex.captures_iter(text) {
            if let Some(at) = groups.get(1).or_else(|| groups.get(0)) {
                found.push(Span::new(at.start(), at.end()).shifted(line.content.start));
            }
        }
    }
    Some(found)
}

fn compiled(index: usize) -> Option<&'static Regex> {
    static COMPILED: [OnceLock<Option<Regex>>; SCANS.len()] =
        [const { OnceLock::new() }; SCANS.len()];
    COMPILED[index]
        .get_or_init(|| Regex::new(SCANS[index].1).ok())
        .as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layer;

    #[test]
    fn every_scan_compiles_and_is_of_a_rule_of_the_first_layer() {
        for (index, (id, _)) in SCANS.iter().enumerate() {
            assert!(compiled(index).is_some(), "{id}");
            let rule = super::super::rule(id).expect("a rule");
            assert_eq!(rule.layer, Layer::Regex, "{id}");
        }
        assert!(SCANS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
