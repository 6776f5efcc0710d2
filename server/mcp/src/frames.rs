//! The stdio transport: one JSON-RPC message a line. A line that is no message
//! is answered and the next one is read; a batch is answered as one array; what
//! was asked before the input ended is still answered. (mcp.md §1)

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

/// A longer line is refused, in bytes.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;
/// How long answers are waited for when the input has ended.
const LAST_ANSWERS: Duration = Duration::from_millis(1_800);

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;

/// What was read.
enum Frame {
    Line(Vec<u8>),
    TooLong,
}

/// The transport over a reader and a writer that block, each with a thread of
/// its own.
pub(crate) struct Frames {
    incoming: mpsc::Receiver<Frame>,
    /// Messages that were not handed out yet.
    waiting: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// Whether a request was seen. What is said before is for nobody, and the
    /// library would end the connection over it.
    opened: bool,
    answers: Arc<Answers>,
}

/// What is still to be answered, and the way out.
struct Answers {
    out: std::sync::mpsc::Sender<Out>,
    open: Mutex<Open>,
    /// Told whenever an answer has left.
    answered: Notify,
}

enum Out {
    Line(Vec<u8>),
    /// Tells that everything before it has been written.
    Flushed(tokio::sync::oneshot::Sender<()>),
}

#[derive(Default)]
struct Open {
    requests: HashSet<RequestId>,
    /// The batch of a request.
    batch_of: HashMap<RequestId, u64>,
    batches: HashMap<u64, Batch>,
    next_batch: u64,
}

#[derive(Default)]
struct Batch {
    missing: usize,
    answers: Vec<Value>,
}

impl Frames {
    pub(crate) fn new(
        input: impl Read + Send + 'static,
        mut output: impl Write + Send + 'static,
    ) -> Self {
        let (to_service, incoming) = mpsc::channel(64);
        std::thread::spawn(move || read_lines(input, &to_service));
        let (out, lines) = std::sync::mpsc::channel::<Out>();
        std::thread::spawn(move || {
            for item in lines {
                match item {
                    Out::Line(line) => {
                        // Nobody reads any more: the input will end as well.
                        let written = output.write_all(&line).and_then(|()| output.flush());
                        if written.is_err() {
                            return;
                        }
                    }
                    Out::Flushed(tell) => {
                        let _ = tell.send(());
                    }
                }
            }
        });
        Self {
            incoming,
            waiting: VecDeque::new(),
            opened: false,
            answers: Arc::new(Answers {
                out,
                open: Mutex::default(),
                answered: Notify::new(),
            }),
        }
    }

    /// Takes a line apart; what cannot be handed on is answered here.
    fn take(&mut self, line: &[u8]) {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let value = match serde_json::from_slice::<Value>(line) {
            Ok(value) => value,
            Err(error) => {
                self.answers.write(&refusal(
                    None,
                    PARSE_ERROR,
                    &format!("This line is not JSON: {error}."),
                ));
                return;
            }
        };
        match value {
            Value::Array(items) if items.is_empty() => {
                self.answers
                    .write(&refusal(None, INVALID_REQUEST, "This batch is empty."));
            }
            Value::Array(items) => self.take_batch(items),
            value => match message(value) {
                Ok(message) => self.hand_on(message),
                Err(refused) => self.answers.write(&refused),
            },
        }
    }

    fn take_batch(&mut self, items: Vec<Value>) {
        let mut batch = Batch::default();
        let mut messages = Vec::new();
        for item in items {
            match message(item) {
                Ok(message) => messages.push(message),
                Err(refused) => batch.answers.push(refused),
            }
        }
        let mut open = self.answers.open();
        let number = open.next_batch;
        open.next_batch += 1;
        for message in &messages {
            if let JsonRpcMessage::Request(request) = message
                && open.requests.insert(request.id.clone())
            {
                open.batch_of.insert(request.id.clone(), number);
                batch.missing += 1;
            }
        }
        if batch.missing > 0 {
            open.batches.insert(number, batch);
            drop(open);
        } else {
            drop(open);
            if !batch.answers.is_empty() {
                self.answers.write(&Value::Array(batch.answers));
            }
        }
        self.waiting.extend(messages);
    }

    fn hand_on(&mut self, message: RxJsonRpcMessage<RoleServer>) {
        match &message {
            JsonRpcMessage::Request(request) => {
                self.answers.open().requests.insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // What was cancelled may stay without an answer.
                    self.answers.settle(id);
                }
            }
            _ => {}
        }
        self.waiting.push_back(message);
    }
}

impl Transport<RoleServer> for Frames {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let result = self.answers.send(&item);
        std::future::ready(result)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                self.opened |= matches!(message, JsonRpcMessage::Request(_));
                if self.opened {
                    return Some(message);
                }
                continue;
            }
            match self.incoming.recv().await {
                Some(Frame::Line(line)) => self.take(&line),
                Some(Frame::TooLong) => self.answers.write(&refusal(
                    None,
                    INVALID_REQUEST,
                    "This line is longer than 16 MiB; the next one is read.",
                )),
                None => {
                    self.answers.all_left().await;
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.answers.flushed().await;
        Ok(())
    }
}

impl Answers {
    fn open(&self) -> std::sync::MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, item: &TxJsonRpcMessage<RoleServer>) -> std::io::Result<()> {
        let answered = match item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let value = serde_json::to_value(item)?;
        match answered {
            Some(id) => self.answer(&id, value),
            None => self.write(&value),
        }
        Ok(())
    }

    /// Sends an answer, or keeps it until its batch is whole.
    fn answer(&self, id: &RequestId, value: Value) {
        let mut open = self.open();
        open.requests.remove(id);
        let number = open.batch_of.remove(id);
        let whole = match number {
            None => Some(value),
            Some(number) => {
                let batch = open.batches.entry(number).or_default();
                batch.answers.push(value);
                batch.missing = batch.missing.saturating_sub(1);
                if batch.missing == 0 {
                    open.batches
                        .remove(&number)
                        .map(|batch| Value::Array(batch.answers))
                } else {
                    None
                }
            }
        };
        drop(open);
        if let Some(whole) = whole {
            self.write(&whole);
        }
        self.answered.notify_waiters();
    }

    /// A request that needs no answer any more.
    fn settle(&self, id: &RequestId) {
        let mut open = self.open();
        open.requests.remove(id);
        let Some(number) = open.batch_of.remove(id) else {
            return;
        };
        let Some(batch) = open.batches.get_mut(&number) else {
            return;
        };
        batch.missing = batch.missing.saturating_sub(1);
        if batch.missing > 0 {
            return;
        }
        let done = open.batches.remove(&number);
        drop(open);
        if let Some(done) = done
            && !done.answers.is_empty()
        {
            self.write(&Value::Array(done.answers));
        }
    }

    fn write(&self, value: &Value) {
        let mut line = value.to_string().into_bytes();
        line.push(b'\n');
        // The writer ends only when nobody reads.
        let _ = self.out.send(Out::Line(line));
    }

    /// Waits for the answers to what was asked before the input ended.
    async fn all_left(&self) {
        let all = async {
            loop {
                let told = self.answered.notified();
                if self.open().requests.is_empty() {
                    return;
                }
                told.await;
            }
        };
        let _ = tokio::time::timeout(LAST_ANSWERS, all).await;
        self.flushed().await;
    }

    async fn flushed(&self) {
        let (tell, told) = tokio::sync::oneshot::channel();
        if self.out.send(Out::Flushed(tell)).is_ok() {
            let _ = tokio::time::timeout(Duration::from_millis(300), told).await;
        }
    }
}

/// A message from a JSON value, or the answer that says why it is none.
fn message(value: Value) -> Result<RxJsonRpcMessage<RoleServer>, Value> {
    let id = value
        .get("id")
        .filter(|id| id.is_string() || id.is_number())
        .cloned();
    let refuse = |reason: &str| Err(refusal(id.clone(), INVALID_REQUEST, reason));
    if !value.is_object() {
        return refuse("A message is a JSON object.");
    }
    if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refuse("A message has `\"jsonrpc\": \"2.0\"`.");
    }
    if value
        .get("method")
        .is_some_and(|method| !method.is_string())
    {
        return refuse("`method` is a string.");
    }
    match serde_json::from_value(value) {
        Ok(message) => Ok(message),
        Err(error) => refuse(&format!("This is not a message of the protocol: {error}.")),
    }
}

fn refusal(id: Option<Value>, code: i32, message: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id.unwrap_or(Value::Null),
        "error": {"code": code, "message": message},
    })
}

fn read_lines(input: impl Read, to_service: &mpsc::Sender<Frame>) {
    let mut input = BufReader::with_capacity(64 * 1024, input);
    let mut line = Vec::new();
    loop {
        let frame = match read_line(&mut input, &mut line) {
            Ok(Some(frame)) => frame,
            // What was not ended by a newline is a message all the same.
            Ok(None) if !line.is_empty() => {
                let _ = to_service.blocking_send(Frame::Line(std::mem::take(&mut line)));
                return;
            }
            Ok(None) | Err(_) => return,
        };
        if to_service.blocking_send(frame).is_err() {
            return;
        }
    }
}

/// Reads up to a newline, and no more than [`MAX_LINE`] into memory; `None` at
/// the end.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Option<Frame>> {
    let mut too_long = false;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(too_long.then_some(Frame::TooLong));
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.unwrap_or(available.len());
        if line.len() + taken > MAX_LINE {
            too_long = true;
            line.clear();
        }
        if !too_long {
            line.extend_from_slice(available.get(..taken).unwrap_or_default());
        }
        input.consume(newline.map_or(taken, |at| at + 1));
        if newline.is_some() {
            return Ok(Some(if too_long {
                Frame::TooLong
            } else {
                Frame::Line(std::mem::take(line))
            }));
        }
    }
}
