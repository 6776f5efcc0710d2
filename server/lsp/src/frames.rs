//! Frames of the wire: `Content-Length: N`, an empty line, N bytes of JSON.
//!
//! The reader survives whatever it is fed. Bytes that are no frame are skipped
//! up to the next header, so that one broken message costs no other.

use std::ops::Range;

/// No honest message is larger; a length above it is taken for damage.
const LARGEST: usize = 1 << 30;
/// No honest header block is larger.
const LARGEST_HEADER: usize = 8 << 10;
const NAME: &[u8] = b"content-length:";

/// Cuts a stream of bytes into message bodies.
#[derive(Debug, Default)]
pub(crate) struct FrameReader {
    buffer: Vec<u8>,
    start: usize,
}

/// What the reader found next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The body of a message.
    Body(Vec<u8>),
    /// Bytes that belong to no message were skipped.
    Garbage(usize),
}

impl FrameReader {
    /// Takes bytes in as they come.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        if self.start > 0 && (self.start == self.buffer.len() || self.start > 1 << 20) {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Puts bytes back that turned out not to belong to the body just given.
    pub(crate) fn unread(&mut self, bytes: &[u8]) {
        self.buffer.splice(..self.start, bytes.iter().copied());
        self.start = 0;
    }

    /// The next piece; `None` until more bytes come.
    pub(crate) fn next(&mut self) -> Option<Piece> {
        let rest = &self.buffer[self.start..];
        let Some(header) = header_block(rest) else {
            if rest.len() <= LARGEST_HEADER {
                return None;
            }
            // Far too much for a header. What may be the beginning of one is
            // kept.
            let keep = find_last(rest, NAME).filter(|at| rest.len() - at <= LARGEST_HEADER);
            let skip = keep.unwrap_or(rest.len() - NAME.len());
            self.start += skip;
            return (skip > 0).then_some(Piece::Garbage(skip));
        };
        let Some(length) = content_length(&rest[header.clone()]) else {
            let skip = header.end;
            self.start += skip;
            return Some(Piece::Garbage(skip));
        };
        let end = header.end + length;
        if rest.len() < end {
            return None;
        }
        let body = rest[header.end..end].to_vec();
        self.start += end;
        Some(Piece::Body(body))
    }
}

/// The bytes up to and including the first empty line.
fn header_block(bytes: &[u8]) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'\n', &bytes[from..]) {
        let at = from + at;
        match bytes.get(at + 1..) {
            Some([b'\n', ..]) => return Some(0..at + 2),
            Some([b'\r', b'\n', ..]) => return Some(0..at + 3),
            _ => from = at + 1,
        }
    }
    None
}

/// The length that a header block states. Only the last mention counts: what
/// stands before it in the block is the rest of something broken.
fn content_length(header: &[u8]) -> Option<usize> {
    let at = find_last(header, NAME)?;
    let value = &header[at + NAME.len()..];
    let end = memchr::memchr2(b'\r', b'\n', value)?;
    let digits = std::str::from_utf8(&value[..end]).ok()?.trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|length| *length <= LARGEST)
}

fn find_last(bytes: &[u8], name: &[u8]) -> Option<usize> {
    bytes
        .windows(name.len())
        .rposition(|window| window.eq_ignore_ascii_case(name))
}

/// Where a body that is not JSON holds the header of another frame, which
/// happens when a stated length was too large.
pub(crate) fn swallowed_frame(body: &[u8]) -> Option<usize> {
    let at = body
        .windows(NAME.len())
        .position(|window| window.eq_ignore_ascii_case(NAME))?;
    let header = header_block(&body[at..])?;
    content_length(&body[at..][header]).map(|_| at)
}

/// Puts a header before a body.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(bytes: &[u8], step: usize) -> Vec<String> {
        let mut reader = FrameReader::default();
        let mut found = Vec::new();
        for chunk in bytes.chunks(step) {
            reader.feed(chunk);
            while let Some(piece) = reader.next() {
                if let Piece::Body(body) = piece {
                    found.push(String::from_utf8(body).unwrap());
                }
            }
        }
        found
    }

    fn check(wire: &str, expected: &[&str]) {
        for step in [1, 7, 4096] {
            assert_eq!(
                bodies(wire.as_bytes(), step),
                expected,
                "in steps of {step}"
            );
        }
    }

    #[test]
    fn several_frames_in_any_portions() {
        check(
            "Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length:3\r\n\r\n[1]",
            &["{}", "[1]"],
        );
    }

    #[test]
    fn a_malformed_header_costs_only_its_own_message() {
        let good = "Content-Length: 2\r\n\r\n{}";
        check(&format!("Content-Lenght: 5\r\n\r\n[1,2]{good}"), &["{}"]);
        check(&format!("Content-Length: nine\r\n\r\n[1,2]{good}"), &["{}"]);
        check(&format!("Content-Length: -1\r\n\r\n{good}"), &["{}"]);
        check(
            &format!("Content-Length: 99999999999999999999\r\n\r\n{good}"),
            &["{}"],
        );
        check(&format!("stray output\n{good}\0\x01{good}"), &["{}", "{}"]);
    }

    #[test]
    fn endless_garbage_does_not_pile_up() {
        let mut reader = FrameReader::default();
        for _ in 0..1_000 {
            reader.feed(&[b'x'; 4096]);
            while reader.next().is_some() {}
        }
        assert!(reader.buffer.len() < 4 << 20);
        reader.feed(b"\r\nContent-Length: 2\r\n\r\n{}");
        let mut last = None;
        while let Some(piece) = reader.next() {
            last = Some(piece);
        }
        assert_eq!(last, Some(Piece::Body(b"{}".to_vec())));
    }

    #[test]
    fn a_frame_swallowed_by_a_wrong_length_is_found() {
        let body = b"{\"a\":1}Content-Length: 2\r\n\r\n{}";
        assert_eq!(swallowed_frame(body), Some(7));
        assert_eq!(swallowed_frame(b"{\"a\": \"content-length: 2\"}"), None);
    }
}
