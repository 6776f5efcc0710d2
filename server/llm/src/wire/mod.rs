//! From bytes to frames: the framings that providers stream in. (spec 4.2)

mod event_stream;
mod lines;

pub(crate) use event_stream::EventStreamFramer;
#[cfg(test)]
pub(crate) use event_stream::encode as encode_event_stream;
pub(crate) use lines::LineFramer;

use crate::event::{ErrorCode, StreamError};

/// The largest event that is taken, in bytes.
pub(crate) const MAX_EVENT: usize = 8 * 1024 * 1024;

/// One event of a stream, of whatever framing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// What the provider calls it, if it has a name.
    pub event: Option<String>,
    /// Its payload.
    pub data: String,
}

/// How a body is cut into frames.
pub(crate) enum Framer {
    /// Server-sent events, or lines of JSON.
    Lines(LineFramer),
    /// The binary messages of AWS.
    EventStream(EventStreamFramer),
    /// One JSON value, of a server that does not stream.
    Whole(Vec<u8>),
}

impl Framer {
    /// Takes bytes, and gives the frames that are whole now.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Frame>) -> Result<(), StreamError> {
        match self {
            Self::Lines(framer) => framer.push(bytes, out),
            Self::EventStream(framer) => framer.push(bytes, out),
            Self::Whole(body) => {
                body.extend_from_slice(bytes);
                if body.len() > MAX_EVENT {
                    return Err(too_large());
                }
                Ok(())
            }
        }
    }

    /// Gives the frame that only the end of the body makes whole.
    pub fn end(&mut self, out: &mut Vec<Frame>) -> Result<(), StreamError> {
        match self {
            Self::Lines(framer) => framer.end(out),
            Self::EventStream(_) => Ok(()),
            Self::Whole(body) => {
                out.push(Frame {
                    event: None,
                    data: String::from_utf8_lossy(body).into_owned(),
                });
                Ok(())
            }
        }
    }
}

fn too_large() -> StreamError {
    StreamError::new(
        ErrorCode::TooLarge,
        "The provider sent an event of more than 8 MiB; the stream was closed.",
    )
}
