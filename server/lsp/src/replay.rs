//! Plays a record back to a fresh server, at the pace of its answers, and says
//! where they differ from those of the record.
//!
//! Messages of the client are sent in their order. Where the record has an
//! answer or a set of diagnostics in between, the fresh server is waited for.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::frames::{FrameReader, Piece, frame};
use crate::lifecycle;
use crate::record::{Direction, Entry};

const PATIENCE: Duration = Duration::from_secs(10);

/// Plays a record. 0: every answer is as it was; 1: some differ, or the record
/// cannot be read.
pub(crate) fn replay(record: &Path) -> u8 {
    let entries = match read(record) {
        Ok(entries) => entries,
        Err(reason) => {
            tracing::error!("{}: {reason}", record.display());
            return 1;
        }
    };
    let mut out = std::io::stdout().lock();
    match play(&entries, &mut out) {
        Ok(0) => 0,
        Ok(_) => 1,
        Err(error) => {
            tracing::error!("the replay was broken off: {error}");
            1
        }
    }
}

fn read(path: &Path) -> Result<Vec<Entry>, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    BufReader::new(file)
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let line = line.map_err(|error| error.to_string())?;
            serde_json::from_str(&line)
                .map_err(|error| format!("line {} is not one of a record: {error}", index + 1))
        })
        .collect()
}

struct Player<'o, W> {
    to_server: std::io::PipeWriter,
    from_server: Receiver<Value>,
    /// What came and was not asked for yet.
    heard: VecDeque<Value>,
    /// The fresh server's number for each request of the recorded one.
    ids: BTreeMap<String, Value>,
    out: &'o mut W,
}

/// Plays the entries; gives the number of differences.
fn play(entries: &[Entry], out: &mut impl Write) -> std::io::Result<usize> {
    let (server_input, to_server) = std::io::pipe()?;
    let (from_server, server_output) = std::io::pipe()?;
    let server = std::thread::spawn(move || {
        lifecycle::serve(server_input, server_output, None, |_| {});
    });
    let (sender, receiver) = channel();
    std::thread::spawn(move || listen(from_server, &sender));
    let mut player = Player {
        to_server,
        from_server: receiver,
        heard: VecDeque::new(),
        ids: BTreeMap::new(),
        out,
    };
    let mut differences = 0;
    for entry in entries {
        let same = match entry.from {
            Direction::ToServer => player.say(&entry.message)?,
            Direction::ToClient => player.hear(&entry.message)?,
        };
        differences += usize::from(!same);
    }
    drop(player);
    let _ = server.join();
    Ok(differences)
}

fn listen(mut input: impl Read, messages: &std::sync::mpsc::Sender<Value>) {
    let mut reader = FrameReader::default();
    let mut bytes = vec![0; 64 << 10];
    while let Ok(read @ 1..) = input.read(&mut bytes) {
        reader.feed(&bytes[..read]);
        while let Some(piece) = reader.next() {
            if let Piece::Body(body) = piece
                && let Ok(message) = serde_json::from_slice(&body)
                && messages.send(message).is_err()
            {
                return;
            }
        }
    }
}

impl<W: Write> Player<'_, W> {
    /// Sends a message of the client. Answers get the number that the fresh
    /// server gave its question.
    fn say(&mut self, message: &Value) -> std::io::Result<bool> {
        let mut message = message.clone();
        // This process is no client that could die.
        if message["method"] == "initialize"
            && let Some(params) = message["params"].as_object_mut()
        {
            params.insert("processId".to_owned(), Value::Null);
        }
        if message.get("method").is_none() {
            let Some(id) = self.ids.get(&message["id"].to_string()) else {
                return Ok(true);
            };
            message["id"] = id.clone();
        }
        self.to_server
            .write_all(&frame(message.to_string().as_bytes()))?;
        Ok(true)
    }

    /// Waits for what the recorded server said, and compares.
    fn hear(&mut self, recorded: &Value) -> std::io::Result<bool> {
        let method = recorded["method"].as_str();
        // Logs and progress depend on the time.
        if matches!(
            method,
            Some("window/logMessage" | "$/progress" | "asd/status")
        ) {
            return Ok(true);
        }
        let Some(fresh) = self.wait_for(|fresh| same_place(recorded, fresh)) else {
            writeln!(self.out, "- {recorded}")?;
            return Ok(false);
        };
        if let (Some(_), Some(id)) = (method, fresh.get("id")) {
            self.ids.insert(recorded["id"].to_string(), id.clone());
        }
        let same = ["result", "error", "params"]
            .iter()
            .all(|part| recorded.get(*part) == fresh.get(*part));
        if same {
            writeln!(self.out, "  {fresh}")?;
        } else {
            writeln!(self.out, "- {recorded}\n+ {fresh}")?;
        }
        Ok(same)
    }

    fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.heard.iter().position(&wanted) {
                return self.heard.remove(at);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.from_server.recv_timeout(left) {
                Ok(message) => self.heard.push_back(message),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

/// Whether two messages of servers stand in the same place of a conversation.
fn same_place(recorded: &Value, fresh: &Value) -> bool {
    let key = |message: &Value| match message["method"].as_str() {
        None => json!(["answer", message["id"]]),
        Some("textDocument/publishDiagnostics") => json!([
            "publish",
            message["params"]["uri"],
            message["params"]["version"]
        ]),
        Some(method) => json!([method]),
    };
    key(recorded) == key(fresh)
}
