//! Server-sent events and lines of JSON.

use std::collections::VecDeque;

use super::{Frame, MAX_EVENT, too_large};
use crate::event::StreamError;

/// Cuts a body into events. Line ends may be LF, CR LF or CR; chars and lines
/// may be split anywhere between reads.
#[derive(Debug, Default)]
pub(crate) struct LineFramer {
    framing: Framing,
    /// The line that has no end yet.
    line: Vec<u8>,
    /// Whether the last byte was a CR, so that a LF after it is no line of its own.
    after_cr: bool,
    /// Whether a line was read already; a byte order mark may stand before it.
    started: bool,
    event: Option<String>,
    id: Option<String>,
    data: Option<Vec<u8>>,
    recent: VecDeque<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Framing {
    #[default]
    Events,
    Json,
}

/// How many ids of events are remembered, so that a second delivery is seen.
const RECENT: usize = 64;

impl LineFramer {
    /// Server-sent events.
    pub fn events() -> Self {
        Self::default()
    }

    /// One JSON value on each line.
    pub fn json() -> Self {
        Self {
            framing: Framing::Json,
            ..Self::default()
        }
    }

    /// Takes bytes, and gives the events that are whole now.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut Vec<Frame>) -> Result<(), StreamError> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            if bytes[0] == b'\n' {
                bytes = &bytes[1..];
            }
        }
        while let Some(end) = line_end(bytes) {
            if self.line.len() + end > MAX_EVENT {
                return Err(too_large());
            }
            if self.line.is_empty() {
                self.take_line(&bytes[..end], out)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(&bytes[..end]);
                self.take_line(&line, out)?;
                line.clear();
                self.line = line;
            }
            let mut next = end + 1;
            if bytes[end] == b'\r' {
                match bytes.get(next) {
                    Some(b'\n') => next += 1,
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
            bytes = &bytes[next..];
        }
        if self.line.len() + bytes.len() > MAX_EVENT {
            return Err(too_large());
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// The body has ended: an event without its empty line counts, since some
    /// servers leave it out.
    pub fn end(&mut self, out: &mut Vec<Frame>) -> Result<(), StreamError> {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, out)?;
        }
        self.dispatch(out);
        Ok(())
    }

    fn take_line(&mut self, mut line: &[u8], out: &mut Vec<Frame>) -> Result<(), StreamError> {
        if !self.started {
            self.started = true;
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if self.framing == Framing::Json {
            let line = line.trim_ascii();
            // Some servers switch to events in the middle, or say the wrong type.
            let line = line.strip_prefix(b"data:").unwrap_or(line).trim_ascii();
            if !line.is_empty() && line[0] != b':' {
                out.push(Frame {
                    event: None,
                    data: String::from_utf8_lossy(line).into_owned(),
                });
            }
            return Ok(());
        }
        if line.is_empty() {
            self.dispatch(out);
            return Ok(());
        }
        let (field, value) = match colon(line) {
            Some(0) => return Ok(()),
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[][..]),
        };
        match field {
            b"data" => {
                let have = self.data.as_ref().map_or(0, Vec::len);
                if have + value.len() > MAX_EVENT {
                    return Err(too_large());
                }
                match &mut self.data {
                    Some(data) => {
                        data.push(b'\n');
                        data.extend_from_slice(value);
                    }
                    None => self.data = Some(value.to_vec()),
                }
            }
            b"event" => self.event = Some(text(value)),
            b"id" => self.id = Some(text(value)),
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, out: &mut Vec<Frame>) {
        let event = self.event.take();
        let id = self.id.take();
        let Some(data) = self.data.take() else { return };
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            if self.recent.contains(&id) {
                return;
            }
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back(id);
        }
        out.push(Frame {
            event,
            data: String::from_utf8(data)
                .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned()),
        });
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn colon(line: &[u8]) -> Option<usize> {
    memchr::memchr(b':', line)
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(b'\n', b'\r', bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn data(framer: LineFramer, reads: &[&[u8]]) -> Vec<String> {
        let mut framer = framer;
        let mut frames = Vec::new();
        for read in reads {
            framer.push(read, &mut frames).unwrap();
        }
        framer.end(&mut frames).unwrap();
        frames.into_iter().map(|frame| frame.data).collect()
    }

    fn events(body: &str) -> Vec<String> {
        data(LineFramer::events(), &[body.as_bytes()])
    }

    #[test]
    fn every_line_end_ends_a_line() {
        for body in [
            "data: a\n\ndata: b\n\n",
            "data: a\r\n\r\ndata: b\r\n\r\n",
            "data: a\r\rdata: b\r\r",
            "data:a\n\r\ndata:b\r\n\n",
        ] {
            assert_eq!(events(body), ["a", "b"], "{body:?}");
        }
    }

    #[test]
    fn comments_keep_alive_and_say_nothing() {
        assert_eq!(events(": ping\n\ndata: a\n: ping\n\n:\n\n"), ["a"]);
    }

    #[test]
    fn several_data_lines_are_one_event() {
        assert_eq!(
            events("data: {\ndata: \"a\":1}\ndata\n\n"),
            ["{\n\"a\":1}\n"]
        );
    }

    #[test]
    fn an_event_without_its_empty_line_counts_at_the_end() {
        assert_eq!(events("data: a\n\ndata: b\n"), ["a", "b"]);
        assert_eq!(events("data: a\n\ndata: b"), ["a", "b"]);
    }

    #[test]
    fn names_belong_to_one_event_only() {
        let mut framer = LineFramer::events();
        let mut frames = Vec::new();
        framer
            .push(
                b"\xef\xbb\xbfevent: ping\ndata: 1\n\nretry: 3\ndata: 2\n\n",
                &mut frames,
            )
            .unwrap();
        assert_eq!(frames[0].event.as_deref(), Some("ping"));
        assert_eq!(frames[1].event, None);
    }

    #[test]
    fn an_event_that_is_delivered_twice_is_taken_once() {
        assert_eq!(
            events("id: 7\ndata: a\n\nid: 7\ndata: a\n\nid: 8\ndata: a\n\ndata: a\n\n"),
            ["a", "a", "a"]
        );
    }

    #[test]
    fn lines_of_json_are_events() {
        let body = b"{\"a\":1}\n\n  {\"b\":\"\xc3\xa9\"}\r\n{\"c\":2}";
        assert_eq!(
            data(LineFramer::json(), &[body]),
            ["{\"a\":1}", "{\"b\":\"é\"}", "{\"c\":2}"]
        );
        assert_eq!(data(LineFramer::json(), &[b": hi\ndata: {}\n"]), ["{}"]);
    }

    #[test]
    fn more_than_eight_mebibytes_are_refused_whole_or_in_parts() {
        let line = vec![b'x'; MAX_EVENT + 1];
        let mut framer = LineFramer::events();
        let error = framer.push(&line, &mut Vec::new()).unwrap_err();
        assert_eq!(error.code, crate::event::ErrorCode::TooLarge);
        let mut framer = LineFramer::events();
        let line = [b"data: ", &line[..1024 * 1024][..], b"\n"].concat();
        let refused = (0..9).any(|_| framer.push(&line, &mut Vec::new()).is_err());
        assert!(refused);
    }

    proptest! {
        #[test]
        fn where_a_body_is_split_makes_no_difference(
            texts in prop::collection::vec("[a-zé缓😀 :]{0,12}", 0..6),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let mut body = String::new();
            for (number, text) in texts.iter().enumerate() {
                body += &format!("data: {text}{}{}", ends[number * 2], ends[number * 2 + 1]);
            }
            // CR and LF of two line ends may meet and are one then.
            let whole = events(&body);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
            cuts.push(0);
            cuts.push(body.len());
            cuts.sort_unstable();
            let reads: Vec<&[u8]> =
                cuts.windows(2).map(|cut| &body.as_bytes()[cut[0]..cut[1]]).collect();
            prop_assert_eq!(data(LineFramer::events(), &reads), whole.clone());
            let bytes: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
            prop_assert_eq!(data(LineFramer::events(), &bytes), whole);
        }
    }
}
