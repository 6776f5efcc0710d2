//! Findings that a person judged to be none. (editor.md §2)

use std::collections::BTreeSet;

use asd_guard::{Feedback, Finding, Verdict};
use asd_recipe::{Problem, ProblemCode, Severity, content_hash};
use asd_store::parse_feedback;
use asd_text::{LineIndex, Span};

/// What a verdict about a place is kept under: the rule and the lines that the
/// place is in, however they are indented. It is another as soon as their code
/// changes, and the same when other lines come and go.
#[must_use]
pub fn verdict_fingerprint(rule_id: &str, text: &str, lines: &LineIndex, span: Span) -> String {
    let first = lines.line_span(text, lines.line_of(span.start));
    let last = lines.line_span(text, lines.line_of(span.end.max(span.start)));
    let code = Span::new(first.start, last.end.max(first.end)).of(text);
    let words: Vec<&str> = code.split_whitespace().collect();
    content_hash(&format!("{rule_id}\n{}", words.join(" ")))
}

impl crate::ProjectState {
    /// Whether a person judged a place to be right as it is.
    pub(crate) fn is_dismissed(
        &self,
        path: &str,
        rule: &str,
        fingerprint: &dyn Fn() -> String,
    ) -> bool {
        let dismissed = &self.inner().loaded.dismissed;
        dismissed.concerns(path) && dismissed.has(path, rule, fingerprint())
    }
}

/// The findings that `Alembic/feedback.json` calls false, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dismissed {
    /// Path, rule, fingerprint.
    places: BTreeSet<(String, String, String)>,
}

impl Dismissed {
    /// Reads the file; a problem with it is told at its line.
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        match parse_feedback(text) {
            Ok(feedback) => Ok(Self::of(feedback)),
            Err(error) => {
                let lines = LineIndex::new(text);
                let line = error.line().clamp(1, lines.line_count()) - 1;
                Err(Problem {
                    span: lines.line_span(text, line),
                    severity: Severity::Warning,
                    code: ProblemCode::Config,
                    message: format!(
                        "This is no list of verdicts: {error}. No verdict is in force."
                    ),
                    fix: None,
                })
            }
        }
    }

    fn of(feedback: Vec<Feedback>) -> Self {
        let places = feedback
            .into_iter()
            .filter(|feedback| feedback.verdict == Verdict::Fp && !feedback.fingerprint.is_empty())
            .map(|feedback| (feedback.file_path, feedback.rule_id, feedback.fingerprint))
            .collect();
        Self { places }
    }

    /// Drops the findings in a file that are among them.
    pub(crate) fn apply(&self, path: &str, text: &str, findings: &mut Vec<Finding>) {
        if findings.is_empty() || !self.concerns(path) {
            return;
        }
        let lines = LineIndex::new(text);
        findings.retain(|finding| !self.contains(path, text, &lines, finding));
    }

    /// Whether a finding in a file is among them.
    pub(crate) fn holds(&self, path: &str, text: &str, finding: &Finding) -> bool {
        self.concerns(path) && self.contains(path, text, &LineIndex::new(text), finding)
    }

    fn concerns(&self, path: &str) -> bool {
        let start = (path.to_owned(), String::new(), String::new());
        self.places
            .range(start..)
            .next()
            .is_some_and(|(known, ..)| known == path)
    }

    pub(crate) fn contains(
        &self,
        path: &str,
        text: &str,
        lines: &LineIndex,
        finding: &Finding,
    ) -> bool {
        let rule = &finding.rule.id;
        let fingerprint = verdict_fingerprint(rule, text, lines, finding.span);
        self.has(path, rule, fingerprint)
    }

    fn has(&self, path: &str, rule: &str, fingerprint: String) -> bool {
        self.places
            .contains(&(path.to_owned(), rule.to_owned(), fingerprint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_about_the_code_of_its_lines() {
        let of = |text: &str| {
            let start = text.find("bad").unwrap();
            let span = Span::new(start, start + 3);
            verdict_fingerprint("r", text, &LineIndex::new(text), span)
        };
        assert_eq!(of("x\n  bad(1);\r\ny"), of("\tbad(1);"));
        assert_ne!(of("bad(1);"), of("bad(2);"));
    }
}
