//! Recording of a conversation, and playing it back to a fresh server.
//!
//! A record is a file of JSON lines: `{"at": milliseconds, "from": "client" or
//! "server", "message": …}`. It holds the text of the files that were open.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A record never grows beyond this many bytes.
const LARGEST: usize = 256 << 20;

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// From the server to the client.
    #[serde(rename = "server")]
    ToClient,
    /// From the client to the server.
    #[serde(rename = "client")]
    ToServer,
}

/// Writes a record.
#[derive(Debug)]
pub struct Recorder {
    start: Instant,
    file: Mutex<(BufWriter<File>, usize)>,
}

#[derive(Serialize)]
struct Line {
    at: u128,
    from: Direction,
    message: Value,
}

/// One line of a record as it is read back.
#[derive(Debug, Deserialize)]
pub(crate) struct Entry {
    pub(crate) from: Direction,
    pub(crate) message: Value,
}

impl Recorder {
    /// Starts a record, in the place of one that is there.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            start: Instant::now(),
            file: Mutex::new((BufWriter::new(File::create(path)?), 0)),
        })
    }

    /// Notes a message, given with its header.
    pub fn frame(&self, from: Direction, frame: &[u8]) {
        let body = frame
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .map_or(frame, |at| &frame[at + 4..]);
        self.body(from, body);
    }

    /// Notes a message. What is not JSON is left out.
    pub fn body(&self, from: Direction, body: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(body) else {
            return;
        };
        let line = Line {
            at: self.start.elapsed().as_millis(),
            from,
            message,
        };
        let Ok(mut line) = serde_json::to_vec(&line) else {
            return;
        };
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.1 + line.len() > LARGEST {
            return;
        }
        file.1 += line.len();
        if let Err(error) = file.0.write_all(&line).and_then(|()| file.0.flush()) {
            tracing::warn!("the record cannot be written: {error}");
            file.1 = LARGEST;
        }
    }
}
