//! Suppression comments: the ones to be written, and the ones that have become
//! useless.

use asd_guard::{Finding, Suppression, SuppressionScope, suppression_edit};
use asd_syntax::Language;
use asd_text::{Span, TextEdit};
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind};

use super::Request;
use crate::mentions::{comment_at, suppressed_rules};
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

/// Takes one rule out of a suppression comment; the directive and its reason
/// with it when it names no other, the comment when it says no more, and the
/// line when nothing else is on it.
fn removal(language: Language, text: &str, suppression: &Suppression) -> Option<TextEdit> {
    let comment = comment_at(language, text, suppression.span.start)?;
    let inside = comment.of(text);
    let directives: Vec<usize> = inside
        .match_indices("asd:ignore")
        .map(|(at, _)| at)
        .collect();
    let before = suppression.span.end - comment.start;
    let start = directives.iter().copied().rfind(|at| *at < before)?;
    let next = directives.iter().copied().find(|at| *at > start);
    let directive = &inside[start..next.unwrap_or(inside.len())];
    let ids = suppressed_rules(directive);
    let index = ids.iter().position(|rule| rule.id == suppression.rule_id)?;
    let origin = comment.start + start;
    if ids.len() > 1 {
        let span = match ids.get(index + 1) {
            Some(next) => Span::new(ids[index].span.start, next.span.start),
            None => Span::new(ids[index - 1].span.end, ids[index].span.end),
        };
        return Some(TextEdit::remove(span.shifted(origin)));
    }
    let rest = &directive[ids[index].span.end..];
    let has_reason = rest.trim_start().starts_with("--") && !rest.trim_start().starts_with("-->");
    let end = if has_reason {
        let content = ["*/", "-->"]
            .iter()
            .find_map(|closing| directive.trim_end().strip_suffix(closing))
            .unwrap_or(directive);
        content.trim_end().len()
    } else {
        ids[index].span.end
    };
    let whole = Span::new(origin, origin + end);
    let around = format!(
        "{}{}",
        &text[comment.start..whole.start],
        &text[whole.end..comment.end]
    );
    Some(TextEdit::remove(
        if around.chars().any(char::is_alphanumeric) {
            whole
        } else {
            with_blanks(text, with_braces(text, comment))
        },
    ))
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
        let directive = text.find("asd:ignore").unwrap();
        let start = directive + text[directive..].find(rule).unwrap();
        let suppression = Suppression {
            span: Span::new(start, start + rule.len()),
            rule_id: rule.to_owned(),
            reason: None,
            used: false,
        };
        let edit = removal(Language::Tsx, text, &suppression).unwrap();
        asd_text::apply_edits(text, &[edit]).unwrap()
    }

    #[test]
    fn one_rule_of_several_goes_alone() {
        assert_eq!(
            without("a(); // asd:ignore x1,y2", "x1"),
            "a(); // asd:ignore y2"
        );
        assert_eq!(
            without("a(); // asd:ignore x1,y2", "y2"),
            "a(); // asd:ignore x1"
        );
    }

    #[test]
    fn the_last_rule_takes_the_comment_with_it() {
        assert_eq!(without("a(); // asd:ignore x1\nb();", "x1"), "a();\nb();");
        assert_eq!(
            without("a(); // asd:ignore x1 -- why so\nb();", "x1"),
            "a();\nb();"
        );
        assert_eq!(without("  // asd:ignore x1\r\nb();", "x1"), "b();");
        assert_eq!(without("/* asd:ignore x1 */ b();", "x1"), "b();");
        assert_eq!(
            without("\t{/* asd:ignore x1 -- why */}\n<b/>", "x1"),
            "<b/>"
        );
    }

    #[test]
    fn what_else_a_comment_says_stays() {
        assert_eq!(without("a(); // note asd:ignore x1", "x1"), "a(); // note ");
    }
}
