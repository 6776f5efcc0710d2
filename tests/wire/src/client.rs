use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::builder::Builder;
use crate::frames::frame;
use crate::text::Encoding;
use crate::workspace::Workspace;

/// Far more than anything takes on a busy machine; only a hang reaches it.
const PATIENCE: Duration = Duration::from_secs(30);

/// One `textDocument/publishDiagnostics`.
#[derive(Clone, Debug, PartialEq)]
pub struct Publish {
    /// The document as the server spells it.
    pub uri: String,
    /// Its version; `None` for a closed one.
    pub version: Option<i64>,
    /// What was found.
    pub diagnostics: Vec<Value>,
}

impl Publish {
    /// The rule ids, in the order of the diagnostics.
    #[must_use]
    pub fn codes(&self) -> Vec<&str> {
        self.diagnostics
            .iter()
            .map(|diagnostic| diagnostic["code"].as_str().unwrap_or_default())
            .collect()
    }
}

/// A client with its server.
#[derive(Debug)]
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Incoming>,
    heard: VecDeque<Value>,
    publishes: Vec<Publish>,
    answered: BTreeMap<i64, Value>,
    builder: Builder,
    next_id: i64,
    shown: BTreeMap<String, Publish>,
    /// What the server answered to `initialize`.
    pub introduction: Value,
    /// The unit of columns that was agreed on.
    pub encoding: Encoding,
    finished: bool,
}

#[derive(Debug)]
pub(crate) enum Incoming {
    Message(Value),
    Fault(String),
}

/// What remains when a server has ended.
#[derive(Debug)]
pub struct Ended {
    /// How the process ended.
    pub status: ExitStatus,
    /// Everything that was published, in order.
    pub publishes: Vec<Publish>,
    /// Messages that nobody asked for.
    pub rest: Vec<Value>,
}

impl Client {
    /// A client of a folder, started.
    #[must_use]
    pub fn start(workspace: &Workspace) -> Self {
        Builder::new(workspace).start()
    }

    pub(crate) fn new(mut child: Child, incoming: Receiver<Incoming>, builder: Builder) -> Self {
        Self {
            stdin: child.stdin.take(),
            child,
            incoming,
            heard: VecDeque::new(),
            publishes: Vec::new(),
            answered: BTreeMap::new(),
            builder,
            next_id: 0,
            shown: BTreeMap::new(),
            introduction: Value::Null,
            encoding: Encoding::Utf16,
            finished: false,
        }
    }

    /// Sends `initialize` and `initialized`.
    ///
    /// # Panics
    /// When the server does not answer as it must.
    pub fn greet(&mut self) {
        let builder = self.builder.clone();
        let mut capabilities = builder.capabilities;
        if let Some(encodings) = &builder.encodings {
            capabilities["general"] = json!({ "positionEncodings": encodings });
        }
        let folders: Vec<Value> = builder
            .folders
            .iter()
            .map(|uri| json!({"uri": uri, "name": uri.rsplit('/').next()}))
            .collect();
        let introduction = self.request(
            "initialize",
            json!({
                "processId": builder.process,
                "rootUri": builder.folders.first(),
                "workspaceFolders": folders,
                "capabilities": capabilities,
                "initializationOptions": builder.options,
            }),
        );
        self.encoding = match introduction["capabilities"]["positionEncoding"].as_str() {
            Some("utf-8") => Encoding::Utf8,
            Some("utf-32") => Encoding::Utf32,
            None | Some("utf-16") => Encoding::Utf16,
            Some(other) => panic!("the server chose {other}"),
        };
        self.introduction = introduction;
        self.notify("initialized", json!({}));
    }

    /// The process id of the server.
    #[must_use]
    pub fn server(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes as they are.
    ///
    /// # Panics
    /// When the server has closed its stdin.
    pub fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.raw(&frame(
            &json!({"jsonrpc": "2.0", "method": method, "params": params}),
        ));
    }

    /// Sends a request without waiting; gives its number.
    pub fn send(&mut self, method: &str, params: Value) -> i64 {
        let (id, bytes) = self.prepare(method, params);
        self.raw(&bytes);
        id
    }

    /// A request that is not sent yet: its number and its bytes.
    #[must_use]
    pub fn prepare(&mut self, method: &str, params: Value) -> (i64, Vec<u8>) {
        self.next_id += 1;
        let id = self.next_id;
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        (id, frame(&message))
    }

    /// Sends a request and waits for its result.
    ///
    /// # Panics
    /// When the answer is an error.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer(id);
        assert!(
            answer.get("error").is_none(),
            "{method} was answered with {answer}"
        );
        answer["result"].clone()
    }

    /// Sends a request and waits for the error that it must lead to.
    ///
    /// # Panics
    /// When the answer is none.
    pub fn refused(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer(id);
        assert!(
            answer.get("error").is_some(),
            "{method} was answered with {answer}"
        );
        answer["error"].clone()
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait("an answer", |client| client.answered.remove(&id))
    }

    /// Opens a document.
    pub fn open(&mut self, uri: &str, language: &str, version: i64, text: &str) {
        self.notify(
            "textDocument/didOpen",
            json!({"textDocument": {
                "uri": uri, "languageId": language, "version": version, "text": text,
            }}),
        );
    }

    /// Replaces the whole text of a document.
    pub fn replace(&mut self, uri: &str, version: i64, text: &str) {
        self.change(uri, version, json!([{ "text": text }]));
    }

    /// Changes a document.
    pub fn change(&mut self, uri: &str, version: i64, changes: Value) {
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": changes}),
        );
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        self.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }

    /// Says that a document was saved.
    pub fn save(&mut self, uri: &str) {
        self.notify(
            "textDocument/didSave",
            json!({"textDocument": {"uri": uri}}),
        );
    }

    /// Tells of changes on disk: 1 created, 2 changed, 3 deleted.
    pub fn watched(&mut self, events: &[(&str, u8)]) {
        let changes: Vec<Value> = events
            .iter()
            .map(|(uri, kind)| json!({"uri": uri, "type": kind}))
            .collect();
        self.notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": changes }),
        );
    }

    /// Runs a command.
    pub fn command(&mut self, name: &str, arguments: Value) -> Value {
        self.request(
            "workspace/executeCommand",
            json!({"command": name, "arguments": arguments}),
        )
    }

    /// Waits for the diagnostics of one version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i64) -> Publish {
        self.published(uri, &format!("version {version} of {uri}"), |publish| {
            publish.version == Some(version)
        })
    }

    /// Waits until what is shown for a document is as `wanted`.
    pub fn published(
        &mut self,
        uri: &str,
        what: &str,
        wanted: impl Fn(&Publish) -> bool,
    ) -> Publish {
        self.wait(what, |client| {
            client
                .shown
                .get(uri)
                .filter(|publish| wanted(publish))
                .cloned()
        })
    }

    /// What is shown for a document at present.
    #[must_use]
    pub fn shown(&self, uri: &str) -> Option<&Publish> {
        self.shown.get(uri)
    }

    /// Everything that was published up to now.
    #[must_use]
    pub fn publishes(&self) -> &[Publish] {
        &self.publishes
    }

    /// Waits for a message of the server with this method, and takes it.
    pub fn message(&mut self, method: &str) -> Value {
        self.wait(method, |client| {
            let at = client
                .heard
                .iter()
                .position(|message| message["method"] == method)?;
            client.heard.remove(at)
        })
    }

    /// Takes all messages with this method that have come.
    pub fn messages(&mut self, method: &str) -> Vec<Value> {
        let (taken, rest) = std::mem::take(&mut self.heard)
            .into_iter()
            .partition(|message| message["method"] == method);
        self.heard = rest;
        Vec::from_iter::<VecDeque<Value>>(taken)
    }

    /// Takes the answers to what was no message.
    pub fn unnumbered(&mut self) -> Vec<Value> {
        let (taken, rest) = std::mem::take(&mut self.heard)
            .into_iter()
            .partition(|message| message.get("method").is_none());
        self.heard = rest;
        Vec::from_iter::<VecDeque<Value>>(taken)
    }

    /// Answers a request of the server.
    pub fn respond(&mut self, id: &Value, result: Value) {
        self.raw(&frame(
            &json!({"jsonrpc": "2.0", "id": id, "result": result}),
        ));
    }

    /// Takes in whatever comes for a while.
    pub fn idle(&mut self, time: Duration) {
        let until = Instant::now() + time;
        loop {
            match self
                .incoming
                .recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                Ok(incoming) => self.take(incoming),
                Err(_) => return,
            }
        }
    }

    /// Closes stdin.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the process, whatever leads to it.
    ///
    /// # Panics
    /// When it does not end within `limit`.
    pub fn wait_for_end(&mut self, limit: Duration) -> ExitStatus {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait().expect("the state of the server") {
                self.finished = true;
                return status;
            }
            assert!(
                Instant::now() < deadline,
                "the server did not end within {limit:?}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the session in order and gives everything that was said.
    ///
    /// # Panics
    /// When the server does not end in order.
    pub fn finish(mut self) -> Ended {
        self.end_session()
    }

    fn end_session(&mut self) -> Ended {
        let id = self.send("shutdown", Value::Null);
        self.answer(id);
        self.notify("exit", Value::Null);
        let status = self.wait_for_end(PATIENCE);
        while let Ok(incoming) = self.incoming.recv() {
            self.take(incoming);
        }
        let rest = std::mem::take(&mut self.heard)
            .into_iter()
            .filter(|message| !is_small_talk(message))
            .collect();
        Ended {
            status,
            publishes: std::mem::take(&mut self.publishes),
            rest,
        }
    }

    fn wait<T>(&mut self, what: &str, mut ready: impl FnMut(&mut Self) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = ready(self) {
                return found;
            }
            match self
                .incoming
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(incoming) => self.take(incoming),
                Err(RecvTimeoutError::Timeout) => {
                    panic!(
                        "the server did not send {what}; shown are {:#?}",
                        self.shown
                    )
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the server ended before it sent {what}")
                }
            }
        }
    }

    fn take(&mut self, incoming: Incoming) {
        let message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Fault(fault) => panic!("{fault}"),
        };
        match (
            message.get("method").and_then(Value::as_str),
            message.get("id"),
        ) {
            (None, Some(Value::Number(id))) => {
                let id = id.as_i64().expect("a number of ours");
                assert!(id <= self.next_id, "an answer to nothing: {message}");
                let before = self.answered.insert(id, message);
                assert!(before.is_none(), "a second answer to request {id}");
            }
            (Some("textDocument/publishDiagnostics"), None) => self.take_publish(&message),
            (Some(method), Some(id)) if self.builder.answers => {
                let result = match method {
                    "workspace/configuration" => json!([self.builder.configuration]),
                    "window/showDocument" => json!({"success": true}),
                    "workspace/applyEdit" => json!({"applied": true}),
                    _ => Value::Null,
                };
                let (id, kept) = (id.clone(), message.clone());
                // It may be ending already.
                if let Some(stdin) = &mut self.stdin {
                    let _ = stdin.write_all(&frame(
                        &json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    ));
                }
                self.heard.push_back(kept);
            }
            _ => self.heard.push_back(message),
        }
    }

    fn take_publish(&mut self, message: &Value) {
        let params = &message["params"];
        let publish = Publish {
            uri: params["uri"].as_str().expect("a uri").to_owned(),
            version: params["version"].as_i64(),
            diagnostics: params["diagnostics"].as_array().expect("a list").clone(),
        };
        if let Some(before) = self.shown.get(&publish.uri) {
            assert_ne!(
                *before, publish,
                "the same diagnostics were published twice"
            );
        }
        let newest = |uri: &str, publishes: &[Publish]| {
            publishes
                .iter()
                .rev()
                .take_while(|before| before.uri != uri || before.version.is_some())
                .filter(|before| before.uri == uri)
                .filter_map(|before| before.version)
                .max()
        };
        if let (Some(version), Some(newest)) =
            (publish.version, newest(&publish.uri, &self.publishes))
        {
            let reopened = version == 1;
            assert!(
                version >= newest || reopened,
                "version {version} of {} was published after version {newest}",
                publish.uri
            );
        }
        self.shown.insert(publish.uri.clone(), publish.clone());
        self.publishes.push(publish);
    }
}

/// What a server may say at any time and nobody has to listen to.
fn is_small_talk(message: &Value) -> bool {
    match message["method"].as_str() {
        Some("$/progress" | "window/workDoneProgress/create") => true,
        // Errors are for what must not happen.
        Some("window/logMessage") => message["params"]["type"] != 1,
        Some("client/registerCapability" | "client/unregisterCapability") => true,
        Some("workspace/configuration") => true,
        _ => false,
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.finished || std::thread::panicking() {
            let _ = self.child.kill();
            let _ = self.child.wait();
            return;
        }
        let ended = self.end_session();
        assert!(
            ended.status.success(),
            "the server ended with {}",
            ended.status
        );
        assert!(ended.rest.is_empty(), "nobody asked for {:#?}", ended.rest);
    }
}
