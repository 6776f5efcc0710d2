//! Edits of byte spans as edits of the protocol's ranges.

use asd_text::{Span, TextEdit};
use tower_lsp_server::ls_types;

use crate::snapshot::DocumentView;

/// Edits of a document in the client's terms.
pub(super) fn protocol_edits(view: &DocumentView, edits: &[TextEdit]) -> Vec<ls_types::TextEdit> {
    edits
        .iter()
        .map(|edit| ls_types::TextEdit::new(view.range(edit.span), edit.text.clone()))
        .collect()
}

/// The one edit that turns a text into another and leaves alone what both begin
/// and end with; `None` when they are equal.
pub(super) fn minimal_edit(old: &str, new: &str) -> Option<TextEdit> {
    if old == new {
        return None;
    }
    let equal = |(a, b): &(char, char)| a == b;
    let start: usize = old
        .chars()
        .zip(new.chars())
        .take_while(equal)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let end: usize = old[start..]
        .chars()
        .rev()
        .zip(new[start..].chars().rev())
        .take_while(equal)
        .map(|(c, _)| c.len_utf8())
        .sum();
    Some(TextEdit::replace(
        Span::new(start, old.len() - end),
        &new[start..new.len() - end],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_texts_share_is_left_alone() {
        let edit = |old, new| minimal_edit(old, new).unwrap();
        assert_eq!(edit("a🦀c", "a🦀xc"), TextEdit::insert(5, "x"));
        assert_eq!(edit("aa", "a"), TextEdit::remove(Span::new(1, 2)));
        assert_eq!(edit("", "a"), TextEdit::insert(0, "a"));
        assert_eq!(minimal_edit("a", "a"), None);
    }
}
