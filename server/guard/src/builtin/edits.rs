//! Edits that fixes are made of.

use asd_text::{Span, TextEdit};

/// Takes a statement away, with its line or lines when nothing else stands on
/// them.
pub(crate) fn remove_statement(text: &str, statement: Span) -> TextEdit {
    let line_start = text[..statement.start]
        .rfind(['\n', '\r'])
        .map_or(0, |at| at + 1);
    let rest = &text[statement.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let after = &rest[blank..];
    let line_break = if after.starts_with("\r\n") {
        Some(2)
    } else if after.starts_with(['\n', '\r']) {
        Some(1)
    } else if after.is_empty() {
        Some(0)
    } else {
        None
    };
    let alone = text[line_start..statement.start].trim().is_empty();
    match line_break {
        Some(len) if alone => TextEdit::remove(Span::new(line_start, statement.end + blank + len)),
        Some(_) => {
            let start = text[..statement.start].trim_end_matches([' ', '\t']).len();
            TextEdit::remove(Span::new(start, statement.end))
        }
        None => TextEdit::remove(Span::new(statement.start, statement.end + blank)),
    }
}

#[cfg(test)]
mod tests {
    use asd_text::{Span, TextEdit, apply_edits};

    use super::remove_statement;

    fn without(text: &str, statement: &str) -> String {
        let start = text.find(statement).unwrap();
        let edit: TextEdit = remove_statement(text, Span::new(start, start + statement.len()));
        apply_edits(text, &[edit]).unwrap()
    }

    #[test]
    fn a_line_of_its_own_goes_with_its_break() {
        assert_eq!(without("a;\n  x;\nb;\n", "x;"), "a;\nb;\n");
        assert_eq!(without("a;\r\n  x;\r\nb;\r\n", "x;"), "a;\r\nb;\r\n");
    }

    #[test]
    fn neighbours_on_the_line_stay() {
        assert_eq!(without("a; x; b;\n", "x;"), "a; b;\n");
        assert_eq!(without("a; x;\n", "x;"), "a;\n");
        assert_eq!(without("{ x; }", "x;"), "{ }");
    }
}
