//! Where a text mentions a recipe: `@trigger` in prose and comments, and rule
//! ids in suppression comments.
//!
//! A decorator or an annotation looks like a trigger too, and so does the scope
//! of a package name. In source code only comments count for that reason.

use asd_syntax::{Language, Mask, regions};
use asd_text::Span;

/// Something that may be the trigger of a recipe, with its `@`. Whether there
/// is such a recipe is not decided here.
#[must_use]
pub(crate) fn mentions(language: Option<Language>, text: &str) -> Vec<Span> {
    let candidates = candidates(text);
    if candidates.is_empty() {
        return candidates;
    }
    let prose = Prose::new(language, text);
    candidates
        .into_iter()
        .filter(|span| prose.holds(span.start))
        .collect()
}

/// The mention that the cursor touches.
#[must_use]
pub(crate) fn mention_at(language: Option<Language>, text: &str, offset: usize) -> Option<Span> {
    // Only the text around the cursor is read before the whole is lexed.
    let line_start = text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line_end = text[offset..]
        .find(['\n', '\r'])
        .map_or(text.len(), |at| offset + at);
    let span = candidates(&text[line_start..line_end])
        .into_iter()
        .map(|span| span.shifted(line_start))
        .find(|span| span.touches(offset))?;
    Prose::new(language, text).holds(span.start).then_some(span)
}

/// Whether prose is written at `offset`: a comment of source code, or anything
/// but code in a text document.
#[must_use]
pub(crate) fn is_prose(language: Option<Language>, text: &str, offset: usize) -> bool {
    let prose = Prose::new(language, text);
    prose.holds(offset) || (offset > 0 && prose.holds_before(offset))
}

/// The comment that `offset` lies in.
#[must_use]
pub(crate) fn comment_at(language: Language, text: &str, offset: usize) -> Option<Span> {
    let prose = Prose::new(Some(language), text);
    let comment = |mask: &Mask, offset| {
        mask.at(offset)
            .filter(|mask| mask.kind.is_comment())
            .map(|mask| mask.span)
    };
    match (prose.part_at(offset), &prose.whole) {
        (Some((span, mask)), _) => {
            comment(mask, offset - span.start).map(|found| found.shifted(span.start))
        }
        (None, Some(mask)) => comment(mask, offset),
        (None, None) => None,
    }
}

fn candidates(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        // `me@example` is an address; `@@` is no trigger either.
        if at > 0 && (is_word(bytes[at - 1]) || matches!(bytes[at - 1], b'@' | b'.')) {
            continue;
        }
        let mut end = at + 1;
        while end < bytes.len() && is_word(bytes[end]) {
            end += 1;
        }
        // `@scope/package` names a package.
        let package =
            bytes.get(end) == Some(&b'/') && bytes.get(end + 1).is_some_and(|b| is_word(*b));
        while end > at + 1 && matches!(bytes[end - 1], b'-' | b'_') {
            end -= 1;
        }
        if end > at + 1 && bytes[at + 1].is_ascii_alphanumeric() && !package {
            found.push(Span::new(at, end));
        }
    }
    found
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Which parts of a text are prose.
struct Prose {
    whole: Option<Mask>,
    parts: Vec<(Span, Mask)>,
}

impl Prose {
    fn new(language: Option<Language>, text: &str) -> Self {
        let Some(language) = language else {
            return Self {
                whole: None,
                parts: Vec::new(),
            };
        };
        let parts = regions(language, text)
            .into_iter()
            .map(|region| {
                let mask = Mask::new(region.language, region.span.of(text));
                (region.span, mask)
            })
            .collect();
        Self {
            whole: (language != Language::Markdown).then(|| Mask::new(language, text)),
            parts,
        }
    }

    fn part_at(&self, offset: usize) -> Option<&(Span, Mask)> {
        self.parts
            .iter()
            .find(|(span, _)| span.start <= offset && offset < span.end)
    }

    fn holds(&self, offset: usize) -> bool {
        let comment = |mask: &Mask, offset| mask.at(offset).is_some_and(|m| m.kind.is_comment());
        match (self.part_at(offset), &self.whole) {
            (Some((span, mask)), _) => comment(mask, offset - span.start),
            (None, Some(mask)) => comment(mask, offset),
            (None, None) => true,
        }
    }

    /// The end of a comment that ends with its line is a place for prose.
    fn holds_before(&self, offset: usize) -> bool {
        let line_comment = |mask: &Mask, offset: usize| {
            mask.spans.iter().any(|m| {
                m.kind.is_comment()
                    && m.span.end == offset
                    && m.kind != asd_syntax::MaskKind::BlockComment
            })
        };
        let part = self.parts.iter().find(|(span, _)| span.touches(offset));
        match (part, &self.whole) {
            (Some((span, mask)), _) => line_comment(mask, offset - span.start),
            (None, Some(mask)) => line_comment(mask, offset),
            (None, None) => true,
        }
    }
}

/// A rule id in a suppression comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SuppressedRule<'t> {
    /// Where the id stands.
    pub span: Span,
    /// The id.
    pub id: &'t str,
}

/// The rule ids that `asd:ignore` and `asd:ignore-file` name in `text`.
#[must_use]
pub(crate) fn suppressed_rules(text: &str) -> Vec<SuppressedRule<'_>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(DIRECTIVE) {
        let Some(mut rest) = ids_start(text, at) else {
            continue;
        };
        loop {
            let end = id_end(text, rest);
            if end == rest {
                break;
            }
            found.push(SuppressedRule {
                span: Span::new(rest, end),
                id: &text[rest..end],
            });
            let after = text[end..].trim_start_matches([' ', '\t']);
            let Some(next) = after.strip_prefix(',') else {
                break;
            };
            rest = text.len() - next.trim_start_matches([' ', '\t']).len();
        }
    }
    found
}

/// The span of the rule id that is being written at `offset` in a suppression
/// comment; empty where none has been begun.
#[must_use]
pub(crate) fn suppressed_rule_at(text: &str, offset: usize) -> Option<Span> {
    let line_start = text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let at = line_start + text[line_start..offset].rfind(DIRECTIVE)?;
    let start = ids_start(text, at).filter(|start| *start <= offset)?;
    let written = &text[start..offset];
    if written.contains("--") {
        return None;
    }
    let begun = written.rfind([',', ' ', '\t']).map_or(0, |at| at + 1);
    // A word after a blank that follows no comma is no id any more.
    let before = written[..begun].trim_end();
    if !before.is_empty() && !before.ends_with(',') {
        return None;
    }
    Some(Span::new(start + begun, id_end(text, offset)))
}

const DIRECTIVE: &str = "asd:ignore";

/// Where the list of ids starts behind the directive at `at`.
fn ids_start(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at + DIRECTIVE.len()..];
    let rest = rest.strip_prefix("-file").unwrap_or(rest);
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    (blanks > 0).then(|| text.len() - rest.len() + blanks)
}

fn id_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    while end < bytes.len() && (is_word(bytes[end]) || matches!(bytes[end], b'.' | b'/' | b':')) {
        // `--` starts the reason, or ends an HTML comment.
        if bytes[end] == b'-' && bytes.get(end + 1) == Some(&b'-') {
            break;
        }
        if bytes[end] == b'/' && bytes.get(end.wrapping_sub(1)) == Some(&b'*') {
            break;
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Option<Language>, text: &str) -> Vec<&str> {
        mentions(language, text)
            .into_iter()
            .map(|span| span.of(text))
            .collect()
    }

    #[test]
    fn a_trigger_ends_with_its_name() {
        assert_eq!(
            found(
                None,
                "use @cookie-di. See（@net_monitor）和@cookie-di请 @a--"
            ),
            ["@cookie-di", "@net_monitor", "@cookie-di", "@a"]
        );
    }

    #[test]
    fn addresses_and_packages_are_no_triggers() {
        assert_eq!(
            found(None, "me@example.org @angular/core @@twice @ @-x a.@b"),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn decorators_are_no_triggers_but_comments_hold_them() {
        assert_eq!(
            found(
                Some(Language::TypeScript),
                "@inject class A {} // 中文 @inject\nconst s = '@inject';"
            ),
            ["@inject"]
        );
    }

    #[test]
    fn in_markdown_prose_counts_and_code_does_not() {
        assert_eq!(
            found(
                Some(Language::Markdown),
                "see @one\n\n```java\n@Two class A {} // @three\n```\n"
            ),
            ["@one", "@three"]
        );
    }

    #[test]
    fn the_cursor_may_stand_at_either_end() {
        let text = "# 中文 @cookie-di 之后";
        let start = text.find('@').unwrap();
        for offset in [start, start + 4, start + 10] {
            let span = mention_at(None, text, offset).unwrap();
            assert_eq!(span.of(text), "@cookie-di");
        }
        assert_eq!(mention_at(None, text, start - 1), None);
    }

    #[test]
    fn suppressions_list_ids_up_to_the_reason() {
        let ids = |text| {
            suppressed_rules(text)
                .into_iter()
                .map(|rule| rule.id)
                .collect::<Vec<_>>()
        };
        assert_eq!(ids("// asd:ignore a-b, c -- why, so"), ["a-b", "c"]);
        assert_eq!(ids("/* asd:ignore-file a */"), ["a"]);
        assert_eq!(ids("<!-- asd:ignore a,b-->"), ["a", "b"]);
        assert_eq!(ids("// asd:ignored a"), Vec::<&str>::new());
    }

    #[test]
    fn an_id_is_being_written_behind_the_directive_only() {
        let at =
            |text: &str| suppressed_rule_at(text, text.len()).map(|span| span.of(text).to_owned());
        assert_eq!(at("// asd:ignore "), Some(String::new()));
        assert_eq!(at("// asd:ignore no-e"), Some("no-e".to_owned()));
        assert_eq!(at("// asd:ignore a, b"), Some("b".to_owned()));
        assert_eq!(at("// asd:ignore a b"), None);
        assert_eq!(at("// asd:ignore a -- b"), None);
        assert_eq!(at("// asd:ignore"), None);
    }
}
