//! Findings and problems as the protocol's diagnostics. (editor.md §2)

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use asd_guard::{FileReport, Finding, RuleInfo, RuleOrigin, RuleTag, UncertainReason};
use asd_recipe::{Problem, ProblemCode, Severity};
use asd_text::{Encoding, Snapshot as Text, Span};
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, Position, Range, Uri,
};

use crate::project::{Project, RuleNote};
use crate::settings::ClientFacts;
use crate::snapshot::{Snapshot, to_range};

/// What `source` says on every diagnostic of ours.
pub const SOURCE: &str = "asd";
/// The version of the shape of a diagnostic's `data`.
pub const DATA_SCHEMA: u64 = 1;
/// At most so many diagnostics are published for one file.
const MOST: usize = 1_000;
/// Files of more bytes are checked by the rules alone that stay linear.
const LARGE: usize = 2 << 20;
/// The second and later lines of a message.
const MOST_GUIDE_LINES: usize = 4;

/// A text whose findings become diagnostics.
pub(crate) struct Place<'a> {
    /// Everything at the moment of the check.
    pub(crate) snapshot: &'a Snapshot,
    /// The project whose rules were applied.
    pub(crate) project: &'a Project,
    /// The document.
    pub(crate) uri: &'a Uri,
    /// Its version; `None` for a closed file.
    pub(crate) version: Option<i32>,
    /// Its text.
    pub(crate) text: &'a Text,
}

impl Place<'_> {
    fn encoding(&self) -> Encoding {
        self.snapshot.encoding()
    }

    fn client(&self) -> &ClientFacts {
        self.snapshot.client()
    }
}

/// The diagnostics of a report, most severe first where not all fit.
pub(crate) fn of_report(report: &FileReport, place: &Place<'_>) -> Vec<Diagnostic> {
    let mut notes = BTreeMap::new();
    let mut diagnostics: Vec<Diagnostic> = report
        .findings
        .iter()
        .map(|finding| {
            let note = notes
                .entry(finding.rule.id.as_str())
                .or_insert_with(|| note(&finding.rule, place));
            of_finding(finding, note, place)
        })
        .collect();
    diagnostics.extend(
        report
            .suppressions
            .iter()
            .filter(|suppression| !suppression.used)
            .map(|suppression| Diagnostic {
                range: visible_range(place.text, suppression.span, place.encoding()),
                severity: Some(DiagnosticSeverity::HINT),
                code: Some(code(ProblemCode::UnusedSuppression.as_str())),
                source: Some(SOURCE.to_owned()),
                message: if suppression.rule_id.is_empty() {
                    "This comment names no rule and suppresses nothing. Write \
                     `asd:ignore RULE -- reason`."
                        .to_owned()
                } else {
                    format!(
                        "This comment suppresses nothing: {} finds nothing here.",
                        suppression.rule_id
                    )
                },
                tags: Some(vec![DiagnosticTag::UNNECESSARY]),
                data: Some(json!({
                    "schema": DATA_SCHEMA,
                    "code": ProblemCode::UnusedSuppression.as_str(),
                    "ruleId": suppression.rule_id,
                    "version": place.version,
                })),
                ..Diagnostic::default()
            }),
    );
    diagnostics.extend(too_large(report, place));
    if place.project.state.config().guard.show_uncertain {
        diagnostics.extend(report.uncertain.iter().map(|uncertain| Diagnostic {
            range: Range::default(),
            severity: Some(DiagnosticSeverity::HINT),
            code: Some(code(&uncertain.rule_id)),
            source: Some(SOURCE.to_owned()),
            message: one_line(&format!(
                "Could not be decided: {} ({})",
                uncertain.message, uncertain.detail
            )),
            data: Some(json!({
                "schema": DATA_SCHEMA,
                "ruleId": uncertain.rule_id,
                "uncertain": true,
                "version": place.version,
            })),
            ..Diagnostic::default()
        }));
    }
    capped(diagnostics)
}

/// Says of an open file that not every rule was run on it because of its size.
fn too_large(report: &FileReport, place: &Place<'_>) -> Option<Diagnostic> {
    place.version?;
    let skipped = report
        .capability
        .skipped_checks
        .iter()
        .find(|skipped| skipped.reason == UncertainReason::ScopeMismatch)?;
    let text = &place.text.text;
    (text.len() > LARGE || asd_syntax::is_minified(text)).then(|| Diagnostic {
        range: visible_range(place.text, Span::empty(0), place.encoding()),
        severity: Some(DiagnosticSeverity::INFORMATION),
        code: Some(code("too-large")),
        source: Some(SOURCE.to_owned()),
        message: skipped.detail.clone(),
        ..Diagnostic::default()
    })
}

/// The diagnostics of a recipe file or another file of the project.
pub(crate) fn of_problems(problems: &[Problem], place: &Place<'_>) -> Vec<Diagnostic> {
    let diagnostics = problems
        .iter()
        .map(|problem| Diagnostic {
            range: visible_range(place.text, problem.span, place.encoding()),
            severity: Some(severity(problem.severity)),
            code: Some(code(problem.code.as_str())),
            source: Some(SOURCE.to_owned()),
            message: problem.message.clone(),
            data: Some(json!({
                "schema": DATA_SCHEMA,
                "code": problem.code.as_str(),
                "version": place.version,
                "fixable": problem.fix.is_some(),
            })),
            ..Diagnostic::default()
        })
        .collect();
    capped(diagnostics)
}

fn of_finding(finding: &Finding, note: &RuleNote, place: &Place<'_>) -> Diagnostic {
    let mut message = one_line(&finding.message);
    message.push_str(&note.guide);
    let mut related = Vec::new();
    if place.client().related_information() {
        related.extend(finding.related.iter().filter_map(|other| {
            let (uri, text) = match &other.path {
                None => (place.uri.clone(), place.text.clone()),
                Some(path) => (
                    place.snapshot.uri_of(place.project, path)?,
                    place.snapshot.text_of(place.project, path)?,
                ),
            };
            Some(DiagnosticRelatedInformation {
                location: Location::new(uri, to_range(&text, other.span, place.encoding())),
                message: other.message.clone(),
            })
        }));
        related.extend(note.related.iter().cloned());
    }
    let trigger = match &finding.rule.origin {
        RuleOrigin::Recipe(recipe) => Some(recipe.trigger.as_str()),
        RuleOrigin::Pack { .. } | RuleOrigin::BuiltIn => None,
    };
    Diagnostic {
        range: visible_range(place.text, finding.span, place.encoding()),
        severity: Some(severity(finding.severity)),
        code: Some(code(&finding.rule.id)),
        code_description: note
            .href
            .clone()
            .filter(|_| place.client().code_description())
            .map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: finding.rule.tag.map(|tag| {
            vec![match tag {
                RuleTag::Unnecessary => DiagnosticTag::UNNECESSARY,
                RuleTag::Deprecated => DiagnosticTag::DEPRECATED,
            }]
        }),
        data: Some(json!({
            "schema": DATA_SCHEMA,
            "ruleId": finding.rule.id,
            "trigger": trigger,
            "version": place.version,
            "fingerprint": format!("{:016x}", finding.fingerprint),
            "fixable": finding.fix.is_some(),
            "safe": finding.fix.as_ref().is_some_and(|fix| fix.safe),
        })),
    }
}

/// What all findings of a rule say; made once for each state of the project.
fn note(rule: &RuleInfo, place: &Place<'_>) -> Arc<RuleNote> {
    let notes = &place.project.notes;
    if let Some(note) = notes
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&rule.id)
    {
        return note.clone();
    }
    let note = Arc::new(make_note(rule, place));
    notes
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(rule.id.clone(), note.clone());
    note
}

fn make_note(rule: &RuleInfo, place: &Place<'_>) -> RuleNote {
    let mut guide = Vec::new();
    let mut say = |label: &str, text: &str| {
        let text = one_line(text);
        if !text.is_empty() {
            guide.push(format!("\n{label}{text}"));
        }
    };
    let RuleOrigin::Recipe(recipe) = &rule.origin else {
        say("Do: ", &rule.fix_suggestion);
        say("Why: ", &rule.why);
        return RuleNote {
            guide: guide.concat(),
            ..RuleNote::default()
        };
    };
    let what_to_do = if recipe.do_clause.trim().is_empty() {
        &rule.fix_suggestion
    } else {
        &recipe.do_clause
    };
    say("Do: ", what_to_do);
    say("Don't: ", &recipe.dont_clause);
    say("", &recipe.trigger);
    guide.truncate(MOST_GUIDE_LINES);
    let mut related = Vec::new();
    let href = place.snapshot.uri_of(place.project, &recipe.path);
    if let (Some(uri), Some(text)) = (
        href.clone(),
        place.snapshot.text_of(place.project, &recipe.path),
    ) {
        related.push(DiagnosticRelatedInformation {
            location: Location::new(
                uri,
                to_range(&text, clamped(recipe.guard_span, &text), place.encoding()),
            ),
            message: format!("The guard of {}", recipe.trigger),
        });
    }
    let existing = recipe.sources.iter().filter_map(|source| {
        let uri = place.snapshot.uri_of(place.project, &source.path)?;
        place
            .project
            .root
            .join(&source.path)
            .is_file()
            .then_some((uri, source))
    });
    related.extend(existing.take(2).map(|(uri, source)| {
        let (first, last) = source.lines.unwrap_or((1, 1));
        DiagnosticRelatedInformation {
            location: Location::new(
                uri,
                Range::new(
                    Position::new(first.saturating_sub(1), 0),
                    Position::new(last.max(first).saturating_sub(1), 0),
                ),
            ),
            message: format!("Seen in {}", source.path),
        }
    }));
    RuleNote {
        guide: guide.concat(),
        related,
        href,
    }
}

/// A guard's span in a recipe that may have changed since it was compiled.
fn clamped(span: Span, text: &Text) -> Span {
    let end = span.end.min(text.text.len());
    Span::new(span.start.min(end), end)
}

/// The range of a span, at least one character wide where there is one beside
/// it on the line, so that an editor has something to underline.
pub(crate) fn visible_range(text: &Text, span: Span, encoding: Encoding) -> Range {
    let span = clamped(span, text);
    if !span.is_empty() {
        return to_range(text, span, encoding);
    }
    let line = text
        .lines
        .line_span(&text.text, text.lines.line_of(span.start));
    let at = span.start.min(line.end);
    let wide = match text
        .text
        .get(at..line.end)
        .and_then(|rest| rest.chars().next())
    {
        Some(next) => Span::new(at, at + next.len_utf8()),
        None => match text
            .text
            .get(line.start..at)
            .and_then(|rest| rest.chars().next_back())
        {
            Some(before) => Span::new(at - before.len_utf8(), at),
            None => Span::empty(at),
        },
    };
    to_range(text, wide, encoding)
}

/// The protocol's severity.
pub(crate) fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
    }
}

fn code(id: &str) -> NumberOrString {
    NumberOrString::String(id.to_owned())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The most severe ones, with a word on how many are left out.
fn capped(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let place = |diagnostic: &Diagnostic| (diagnostic.range.start, diagnostic.range.end);
    if diagnostics.len() > MOST {
        let more = diagnostics.len() - MOST;
        diagnostics.sort_by_key(|diagnostic| (diagnostic.severity, place(diagnostic)));
        diagnostics.truncate(MOST);
        diagnostics.push(Diagnostic {
            range: Range::default(),
            severity: Some(DiagnosticSeverity::INFORMATION),
            source: Some(SOURCE.to_owned()),
            message: format!(
                "{more} more findings are not shown here. `asd check` on this file lists all."
            ),
            ..Diagnostic::default()
        });
    }
    diagnostics.sort_by_key(place);
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str, start: usize, end: usize) -> ((u32, u32), (u32, u32)) {
        let range = visible_range(&Text::new(text), Span::new(start, end), Encoding::Utf16);
        (
            (range.start.line, range.start.character),
            (range.end.line, range.end.character),
        )
    }

    #[test]
    fn an_empty_finding_takes_the_character_beside_it() {
        assert_eq!(range("ab\ncd", 0, 0), ((0, 0), (0, 1)));
        assert_eq!(range("ab\ncd", 2, 2), ((0, 1), (0, 2)));
        assert_eq!(range("ab\ncd", 5, 5), ((1, 1), (1, 2)));
        assert_eq!(range("a🦀\n", 5, 5), ((0, 1), (0, 3)));
        assert_eq!(range("\n\n", 1, 1), ((1, 0), (1, 0)));
    }

    #[test]
    fn trailing_blanks_end_with_their_line() {
        assert_eq!(range("ab  ", 2, 4), ((0, 2), (0, 4)));
        assert_eq!(range("ab  \r\nc", 2, 5), ((0, 2), (0, 4)));
    }

    #[test]
    fn a_thousand_and_a_word_on_the_rest() {
        let one = |severity, line| Diagnostic {
            range: Range::new(Position::new(line, 0), Position::new(line, 1)),
            severity: Some(severity),
            ..Diagnostic::default()
        };
        let mut all: Vec<_> = (0..1_500)
            .map(|line| one(DiagnosticSeverity::WARNING, line))
            .collect();
        all.push(one(DiagnosticSeverity::ERROR, 2_000));
        let shown = capped(all);
        assert_eq!(shown.len(), 1_001);
        assert!(
            shown
                .iter()
                .any(|shown| shown.severity == Some(DiagnosticSeverity::ERROR))
        );
        assert!(shown[0].message.starts_with("501 more findings"));
    }
}
