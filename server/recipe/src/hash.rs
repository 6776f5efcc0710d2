use asd_text::{LineEnding, with_line_ending};
use sha2::{Digest, Sha256};

use crate::front_matter::{bom_len, find};
use crate::lines::lines_from;

/// The hash of a recipe file: the first 16 hex digits of SHA-256 over the text
/// without its `hash:` line and with LF line ends. (knowledge.md §4)
///
/// Only a `hash:` line of the front matter counts; a byte order mark does not.
#[must_use]
pub fn content_hash(text: &str) -> String {
    let text = &text[bom_len(text)..];
    let text = with_line_ending(text, LineEnding::Lf);
    let mut digest = Sha256::new();
    match find(&text).and_then(|front| {
        lines_from(&text[..front.content.end], front.content.start)
            .into_iter()
            .find(|line| line.text(&text).starts_with("hash:"))
    }) {
        Some(line) => {
            digest.update(&text.as_bytes()[..line.whole.start]);
            digest.update(&text.as_bytes()[line.whole.end..]);
        }
        None => digest.update(text.as_bytes()),
    }
    digest
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_line_and_the_line_endings_do_not_count() {
        let without = "---\ntitle: T\n---\nhash: in the body\n";
        let with =
            "\u{feff}---\r\ntitle: T\r\nhash: 0123456789abcdef\r\n---\r\nhash: in the body\r\n";
        assert_eq!(content_hash(without), content_hash(with));
        assert_eq!(content_hash(without).len(), 16);
        assert_ne!(
            content_hash(without),
            content_hash("---\ntitle: U\n---\nhash: in the body\n")
        );
        // Stable across releases: it stands in people's files.
        assert_eq!(content_hash(""), "e3b0c44298fc1c14");
    }
}
