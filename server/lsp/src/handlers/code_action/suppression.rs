//! Suppression comments: the ones to be written, and the ones that have become
//! useless.

use asd_guard::{Finding, Suppression, SuppressionScope, suppression_edit};
use asd_syntax::{Language, Mask};
use asd_text::{Span, TextEdit};
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind};

use super::Request;
use crate::mentions::suppressed_rules;
use crate::snapshot::DocumentView;

/// The edit that suppresses a finding's rule.
pub(super) fn edit(
    view: &DocumentView,
    finding: &Finding,
    scope: SuppressionScope,
) -> Option<TextEdit> {
    suppression_edit(
        view.language()?,
        &view.text().text,
        finding.span,
        &finding.rule.id,
        scope,
    )
}

/// Offers to remove the suppressions at the selection that suppress nothing.
pub(super) fn add_removals(request: &mut Request<'_>) {
    let Some(language) = request.view.language() else {
        return;
    };
    let unused: Vec<Suppression> = request
        .report
        .suppressions
        .iter()
        .filter(|suppression| {
            !suppression.used && super::touches(request.selection, suppression.span)
        })
        .cloned()
        .collect();
    for suppression in unused {
        let text = request.view.text().text.clone();
        let Some(edit) = removal(language, &text, &suppression) else {
            continue;
        };
        request.push(CodeAction {
            title: format!("Remove the unused suppression of {}", suppression.rule_id),
            kind: Some(CodeActionKind::QUICKFIX),
            edit: Some(request.edit_here(&[edit])),
            is_preferred: Some(true),
            ..CodeAction::default()
        });
    }
}

/// Takes one rule out of a suppression comment; the comment with it when it
/// names no other, and the line with the comment when nothing else is on it.
fn removal(language: Language, text: &str, suppression: &Suppression) -> Option<TextEdit> {
    let directive = suppression.span;
    let ids: Vec<Span> = suppressed_rules(text)
        .into_iter()
        .map(|rule| rule.span)
        .filter(|span| directive.touches(span.start))
        .collect();
    let index = ids
        .iter()
        .position(|span| span.of(text) == suppression.rule_id)?;
    if ids.len() > 1 {
        let span = match ids.get(index + 1) {
            Some(next) => Span::new(ids[index].start, next.start),
            None => Span::new(ids[index - 1].end, ids[index].end),
        };
        return Some(TextEdit::remove(span));
    }
    let comment = Mask::new(language, text).at(directive.start)?.span;
    let (inside, outside) = (directive.of(text), comment.of(text));
    let around = outside.replacen(inside, "", 1);
    if around.chars().any(char::is_alphanumeric) {
        return Some(TextEdit::remove(directive));
    }
    Some(TextEdit::remove(with_blanks(
        text,
        with_braces(text, comment),
    )))
}

/// A comment with the braces of JSX around it.
fn with_braces(text: &str, comment: Span) -> Span {
    let braced = text[..comment.start].ends_with('{')
        && text[comment.end..].starts_with('}')
        && comment.of(text).starts_with("/*");
    if braced {
        Span::new(comment.start - 1, comment.end + 1)
    } else {
        comment
    }
}

/// The whole line of a comment that stands alone, else the comment with the
/// blanks before it.
fn with_blanks(text: &str, comment: Span) -> Span {
    let comment_end = text[..comment.end].trim_end_matches(['\r', '\n']).len();
    let before = text[..comment.start].trim_end_matches([' ', '\t']);
    let after = text[comment_end..].trim_start_matches([' ', '\t']);
    let alone = before.is_empty() || before.ends_with(['\n', '\r']);
    let ends_line = after.is_empty() || after.starts_with(['\n', '\r']);
    if alone && ends_line {
        let ending = ["\r\n", "\n", "\r"]
            .iter()
            .find(|ending| after.starts_with(**ending))
            .map_or(0, |ending| ending.len());
        return Span::new(before.len(), text.len() - after.len() + ending);
    }
    if ends_line {
        Span::new(before.len(), comment_end)
    } else {
        Span::new(comment.start, text.len() - after.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str, rule: &str) -> String {
        let start = text.find("asd:ignore").unwrap();
        let end = start
            + text[start..]
                .find([' ', '\n'])
                .map(|at| at + 1)
                .and_then(|at| text[start + at..].find([' ', '\n', '*']).map(|to| at + to))
                .unwrap_or(text.len() - start);
        let suppression = Suppression {
            span: Span::new(start, end),
            rule_id: rule.to_owned(),
            reason: None,
            used: false,
        };
        let edit = removal(Language::TypeScript, text, &suppression).unwrap();
        asd_text::apply_edits(text, &[edit]).unwrap()
    }

    #[test]
    fn one_rule_of_several_goes_alone() {
        assert_eq!(
            without("a(); // asd:ignore x,y", "x"),
            "a(); // asd:ignore y"
        );
        assert_eq!(
            without("a(); // asd:ignore x,y", "y"),
            "a(); // asd:ignore x"
        );
    }

    #[test]
    fn the_last_rule_takes_the_comment_with_it() {
        assert_eq!(without("a(); // asd:ignore x\nb();", "x"), "a();\nb();");
        assert_eq!(without("  // asd:ignore x\r\nb();", "x"), "b();");
        assert_eq!(without("/* asd:ignore x */ b();", "x"), "b();");
        assert_eq!(without("\t{/* asd:ignore x */}\n<b/>", "x"), "<b/>");
    }
}
