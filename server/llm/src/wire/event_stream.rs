//! The binary messages that AWS streams: lengths, a checksum, headers, a
//! payload, and a checksum of all.

use super::{Frame, MAX_EVENT, too_large};
use crate::event::{ErrorCode, StreamError};

/// Lengths and their checksum.
const PRELUDE: usize = 12;
/// The checksum at the end.
const TRAILER: usize = 4;

/// Cuts a body into messages.
#[derive(Debug, Default)]
pub(crate) struct EventStreamFramer {
    buffer: Vec<u8>,
}

impl EventStreamFramer {
    /// Takes bytes, and gives the messages that are whole now.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Frame>) -> Result<(), StreamError> {
        self.buffer.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(prelude) = self.buffer.get(start..start + PRELUDE) {
            let total = number(&prelude[..4]);
            let headers = number(&prelude[4..8]);
            if crc32fast::hash(&prelude[..8]) as usize != number(&prelude[8..]) {
                return Err(damaged("the checksum of its lengths is wrong"));
            }
            if total > MAX_EVENT {
                return Err(too_large());
            }
            if total < PRELUDE + headers + TRAILER {
                return Err(damaged("its lengths contradict each other"));
            }
            let Some(message) = self.buffer.get(start..start + total) else {
                break;
            };
            let (body, checksum) = message.split_at(total - TRAILER);
            if crc32fast::hash(body) as usize != number(checksum) {
                return Err(damaged("its checksum is wrong"));
            }
            let (headers, payload) = body[PRELUDE..].split_at(headers);
            out.push(Frame {
                event: Some(name(headers)?),
                data: String::from_utf8_lossy(payload).into_owned(),
            });
            start += total;
        }
        self.buffer.drain(..start);
        Ok(())
    }
}

/// The name of a message: its event type, or `!` and the type of its exception.
fn name(mut headers: &[u8]) -> Result<String, StreamError> {
    let short = || damaged("a header is cut");
    let mut event = None;
    let mut exception = None;
    while let Some((&length, rest)) = headers.split_first() {
        let (key, rest) = rest
            .split_at_checked(usize::from(length))
            .ok_or_else(short)?;
        let (&kind, rest) = rest.split_first().ok_or_else(short)?;
        let fixed = match kind {
            0 | 1 => Some(0),
            2 => Some(1),
            3 => Some(2),
            4 => Some(4),
            5 | 8 => Some(8),
            9 => Some(16),
            6 | 7 => None,
            _ => return Err(damaged("a header has an unknown type")),
        };
        let (value, rest) = match fixed {
            Some(length) => rest.split_at_checked(length).ok_or_else(short)?,
            None => {
                let (length, rest) = rest.split_at_checked(2).ok_or_else(short)?;
                rest.split_at_checked(number(length)).ok_or_else(short)?
            }
        };
        match key {
            b":event-type" => event = Some(String::from_utf8_lossy(value).into_owned()),
            b":exception-type" | b":error-code" => {
                exception = Some(format!("!{}", String::from_utf8_lossy(value)));
            }
            _ => {}
        }
        headers = rest;
    }
    Ok(exception.or(event).unwrap_or_default())
}

fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | usize::from(*byte))
}

fn damaged(how: &str) -> StreamError {
    StreamError::new(
        ErrorCode::Interrupted,
        format!("The provider's stream is damaged: a message arrived whose {how}."),
    )
}

/// A message with text headers.
#[cfg(test)]
pub(crate) fn encode(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
    let mut head = Vec::new();
    for (key, value) in headers {
        head.push(u8::try_from(key.len()).unwrap());
        head.extend_from_slice(key.as_bytes());
        head.push(7);
        head.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
        head.extend_from_slice(value.as_bytes());
    }
    let total = u32::try_from(PRELUDE + head.len() + payload.len() + TRAILER).unwrap();
    let mut message = total.to_be_bytes().to_vec();
    message.extend_from_slice(&u32::try_from(head.len()).unwrap().to_be_bytes());
    message.extend_from_slice(&crc32fast::hash(&message).to_be_bytes());
    message.extend_from_slice(&head);
    message.extend_from_slice(payload.as_bytes());
    message.extend_from_slice(&crc32fast::hash(&message).to_be_bytes());
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_whole_however_they_are_split() {
        let mut body = encode(
            &[(":message-type", "event"), (":event-type", "messageStart")],
            "{\"role\":\"assistant\"}",
        );
        body.extend(encode(
            &[
                (":message-type", "exception"),
                (":exception-type", "throttlingException"),
            ],
            "{\"message\":\"slow down\"}",
        ));
        for size in [1, 7, 13, body.len()] {
            let mut framer = EventStreamFramer::default();
            let mut frames = Vec::new();
            for read in body.chunks(size) {
                framer.push(read, &mut frames).unwrap();
            }
            let names: Vec<_> = frames
                .iter()
                .map(|frame| frame.event.clone().unwrap())
                .collect();
            assert_eq!(names, ["messageStart", "!throttlingException"]);
            assert_eq!(frames[0].data, "{\"role\":\"assistant\"}");
        }
    }

    #[test]
    fn a_published_message_is_read() {
        // The empty message of AWS's own description of the format.
        let bytes = [
            0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x05, 0xc2, 0x48, 0xeb, 0x7d, 0x98,
            0xc8, 0xff,
        ];
        let mut frames = Vec::new();
        EventStreamFramer::default()
            .push(&bytes, &mut frames)
            .unwrap();
        assert_eq!(frames.len(), 1);
        assert_eq!(frames[0].data, "");
    }

    #[test]
    fn no_flipped_bit_passes() {
        let good = encode(&[(":event-type", "contentBlockDelta")], "{}");
        for at in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[at / 8] ^= 1 << (at % 8);
            let mut frames = Vec::new();
            let refused = EventStreamFramer::default()
                .push(&bad, &mut frames)
                .is_err();
            assert!(refused && frames.is_empty(), "bit {at}");
        }
    }
}
