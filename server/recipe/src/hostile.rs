use asd_text::{Span, TextEdit};

use crate::{Problem, ProblemCode, QuickFix, Severity};

/// The largest recipe file that is read, in bytes.
const MAX_FILE: usize = 1_000_000;

/// Why a file is not read at all.
pub(crate) fn refusal(text: &str) -> Option<Problem> {
    if text.len() > MAX_FILE {
        return Some(hostile(
            first_line(text),
            "This file is larger than 1 MB, so it is not read as a recipe. Split it into several recipes.".into(),
        ));
    }
    let (at, c) = text.char_indices().find(|(_, c)| is_forbidden(*c))?;
    let span = Span::new(at, at + c.len_utf8());
    let edits = text
        .char_indices()
        .filter(|(_, c)| is_forbidden(*c))
        .map(|(at, c)| TextEdit::remove(Span::new(at, at + c.len_utf8())))
        .collect();
    Some(Problem {
        fix: Some(QuickFix {
            title: "Remove the control characters".into(),
            edits,
        }),
        ..hostile(
            span,
            format!(
                "The control character U+{:04X} has no place in a text file, so this file is not read as a recipe. Remove it.",
                u32::from(c)
            ),
        )
    })
}

/// Characters that make text look other than it is read.
pub(crate) fn disguises(text: &str) -> Option<Problem> {
    if text.is_ascii() {
        return None;
    }
    let (at, c) = text
        .char_indices()
        .find(|(_, c)| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))?;
    Some(Problem {
        severity: Severity::Warning,
        ..hostile(
            Span::new(at, at + c.len_utf8()),
            format!(
                "The invisible character U+{:04X} changes the direction of the text, so it reads other than it is matched. Remove it.",
                u32::from(c)
            ),
        )
    })
}

fn is_forbidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}'))
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

pub(crate) fn hostile(span: Span, message: String) -> Problem {
    Problem {
        span,
        severity: Severity::Error,
        code: ProblemCode::Hostile,
        message,
        fix: None,
    }
}

pub(crate) fn first_line(text: &str) -> Span {
    let start = crate::front_matter::bom_len(text);
    let end = text[start..]
        .find(['\n', '\r'])
        .map_or(text.len(), |at| start + at);
    // A line of a megabyte helps nobody.
    let end = (start..=end.min(start + 200))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(start);
    Span::new(start, end)
}
