//! Suppression comments. (guard.md §9)

use asd_text::Span;

use crate::part::{Line, Part, lines};
use crate::{Finding, Suppression};

/// What every suppression comment holds.
pub(crate) const MARK: &str = "asd:ignore";
/// What one for a whole file holds.
pub(crate) const FILE_MARK: &str = "asd:ignore-file";
/// In so many lines from the top one for a whole file has to stand.
const FILE_LINES: usize = 20;

/// A suppression comment of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    /// From its mark to the end of its reason.
    pub(crate) span: Span,
    /// The rules that it names, each with its place.
    pub(crate) rules: Vec<(String, Span)>,
    /// What follows `--`.
    pub(crate) reason: Option<String>,
    /// Where it takes effect.
    pub(crate) reach: DirectiveReach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectiveReach {
    /// The bytes of the lines where a suppressed finding may start.
    Lines(Span),
    File,
}

/// The suppression comments of a part, in order.
pub(crate) fn directives(part: &Part<'_>) -> Vec<Directive> {
    let text = part.text;
    if memchr::memmem::find(text.as_bytes(), MARK.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut directives = Vec::new();
    for comment in &part.mask().spans {
        if !comment.kind.is_comment() {
            continue;
        }
        let mut from = comment.span.start;
        while let Some(found) = text[from..comment.span.end].find(MARK) {
            let at = from + found;
            let line = Line::around(text, at).content;
            let end = line.end.min(comment.span.end);
            from = end.max(at + MARK.len());
            let end = at + without_closing(&text[at..end]).len();
            directives.extend(directive(part, comment.span, at, end));
        }
    }
    directives
}

/// What stands in a comment before its closing sign.
fn without_closing(text: &str) -> &str {
    ["*/", "-->"]
        .into_iter()
        .find_map(|sign| text.find(sign))
        .map_or(text, |at| &text[..at])
        .trim_end()
}

fn directive(part: &Part<'_>, comment: Span, at: usize, end: usize) -> Option<Directive> {
    let text = part.text;
    let is_file = text[at..end].starts_with(FILE_MARK);
    let mark = if is_file { FILE_MARK } else { MARK };
    let before = text[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
        return None;
    }
    let body = &text[at + mark.len()..end];
    if !body.is_empty() && !body.starts_with([' ', '\t', ':', '-']) {
        return None;
    }
    let (names, reason) = match body.split_once("--") {
        Some((names, reason)) => (names, Some(reason.trim())),
        None => (body, None),
    };
    let mut rules: Vec<(String, Span)> = Vec::new();
    let mut offset = at + mark.len();
    for name in names.split([',', ' ', '\t']) {
        let id = name.trim_matches(':');
        if !id.is_empty() {
            let start = offset + name.find(id).unwrap_or_default();
            rules.push((id.to_owned(), Span::new(start, start + id.len())));
        }
        offset += name.len() + 1;
    }
    let reach = if is_file {
        DirectiveReach::File
    } else {
        DirectiveReach::Lines(suppressed_lines(text, comment, at))
    };
    Some(Directive {
        span: Span::new(at, end),
        rules,
        reason: reason
            .filter(|reason| !reason.is_empty())
            .map(str::to_owned),
        reach,
    })
}

/// A comment behind code is about its own line; one that has its lines for
/// itself is about the next one as well.
fn suppressed_lines(text: &str, comment: Span, at: usize) -> Span {
    let first = Line::around(text, at).content;
    let line = Line::around(text, comment.start).content;
    let last = Line::around(text, comment.end);
    let around = [
        &text[line.start..comment.start],
        &text[comment.end..last.content.end.max(comment.end)],
    ];
    let alone = around.iter().all(|rest| {
        rest.chars()
            .all(|c| c.is_whitespace() || matches!(c, '{' | '}' | '\u{feff}'))
    });
    if alone && !last.is_last() {
        let next = Line::starting(text, last.next).content;
        Span::new(first.start, next.end)
    } else {
        Span::new(first.start, first.end.max(last.content.end))
    }
}

/// Whether a place is near enough to the top of a file for a suppression of
/// the whole file.
pub(crate) fn is_at_the_top(text: &str, at: usize) -> bool {
    lines(text)
        .take(FILE_LINES)
        .any(|line| at < line.next || line.is_last())
}

/// Takes away what is suppressed and says which suppressions were of use.
pub(crate) fn apply(directives: &[Directive], findings: &mut Vec<Finding>) -> Vec<Suppression> {
    let mut result: Vec<Suppression> = Vec::new();
    for directive in directives {
        if directive.rules.is_empty() {
            // It names no rule and so does nothing; that is worth saying.
            result.push(Suppression {
                span: directive.span,
                rule_id: String::new(),
                reason: directive.reason.clone(),
                used: false,
            });
        }
        for (rule, span) in &directive.rules {
            result.push(Suppression {
                span: *span,
                rule_id: rule.clone(),
                reason: directive.reason.clone(),
                used: false,
            });
        }
    }
    findings.retain(|finding| {
        let mut index = 0;
        let mut suppressed = false;
        for directive in directives {
            let reaches = match directive.reach {
                DirectiveReach::File => true,
                DirectiveReach::Lines(lines) => lines.touches(finding.span.start),
            };
            index += usize::from(directive.rules.is_empty());
            for (rule, _) in &directive.rules {
                if reaches && *rule == finding.rule.id {
                    result[index].used = true;
                    suppressed = true;
                }
                index += 1;
            }
        }
        !suppressed
    });
    result
}
