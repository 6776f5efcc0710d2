//! A strict client of the protocol over stdio: every line must be a message,
//! every answer must be to a question, and each question has one answer.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Only ends a test that is broken.
const LONG: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Answers that came before they were asked for.
    early: BTreeMap<u64, Value>,
    /// Answers to nobody: those without an id.
    nobody: Vec<Value>,
    next: u64,
}

impl Client {
    /// Starts the server and opens the connection.
    pub fn start(root: &Path) -> Self {
        Self::with(root, &[])
    }

    /// The same, with variables.
    pub fn with(root: &Path, variables: &[(&str, &str)]) -> Self {
        let mut client = Self::raw(root, variables);
        client.open("2025-11-25");
        client
    }

    /// Starts the server and says nothing.
    pub fn raw(root: &Path, variables: &[(&str, &str)]) -> Self {
        Self::raw_as(Path::new(env!("CARGO_BIN_EXE_asd")), root, variables, None)
    }

    /// The same, with a copy of the program and as another user.
    pub fn raw_as(
        program: &Path,
        root: &Path,
        variables: &[(&str, &str)],
        user: Option<u32>,
    ) -> Self {
        let mut command = Command::new(program);
        command
            .arg("mcp")
            .current_dir(root)
            .env_remove("ASD_PROJECT_DIR")
            .env_remove("ASD_MCP_TIER")
            .env_remove("ASD_MCP_ROLE")
            .env("XDG_CONFIG_HOME", root.join(".user"))
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        #[cfg(unix)]
        if let Some(user) = user {
            std::os::unix::process::CommandExt::uid(&mut command, user);
        }
        let mut child = command.spawn().expect("the server starts");
        let output = child.stdout.take().expect("stdout is piped");
        let (line, lines) = channel();
        std::thread::spawn(move || {
            for text in BufReader::new(output).lines() {
                let text = text.expect("stdout is UTF-8");
                if line.send(text).is_err() {
                    return;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            lines,
            early: BTreeMap::new(),
            nobody: Vec::new(),
            next: 1,
        }
    }

    pub fn open(&mut self, version: &str) -> Value {
        let reply = self.ask(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        reply["result"].clone()
    }

    /// Writes a line.
    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(line.as_bytes()).expect("the server reads");
        input.write_all(b"\n").expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// Sends a request; gives its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.say(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    pub fn send_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            let message = self.message();
            self.keep(message);
        }
    }

    /// The same, which may be the answer to a batch.
    pub fn answer_to_nobody_or_list(&mut self) -> Value {
        let message = self.message();
        if message.is_array() {
            return message;
        }
        self.keep(message);
        self.answer_to_nobody()
    }

    /// Whether a request was answered by what was read so far.
    pub fn has_answer(&self, id: u64) -> bool {
        self.early.contains_key(&id)
    }

    fn keep(&mut self, message: Value) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let answers = message.get("result").is_some() || message.get("error").is_some();
        assert!(answers, "the server asks or tells nothing: {message}");
        match message["id"].as_u64() {
            Some(id) => {
                assert!(id < self.next, "nobody asked for {message}");
                let before = self.early.insert(id, message);
                assert_eq!(before, None, "one answer for each request");
            }
            None => self.nobody.push(message),
        }
    }

    /// The next line that is no answer to a request.
    pub fn answer_to_nobody(&mut self) -> Value {
        loop {
            if !self.nobody.is_empty() {
                return self.nobody.remove(0);
            }
            let message = self.message();
            self.keep(message);
        }
    }

    /// The next message, whatever it is.
    pub fn message(&mut self) -> Value {
        let line = match self.lines.recv_timeout(LONG) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("the server hangs"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server ended"),
        };
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool; gives its envelope.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.send_call(tool, arguments);
        let answer = self.answer(id);
        envelope(&answer)
    }

    /// The data of a call that succeeds.
    pub fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let envelope = self.call(tool, arguments);
        assert_eq!(envelope["success"], true, "{envelope}");
        envelope["data"].clone()
    }

    /// The error code of a call that fails.
    pub fn error(&mut self, tool: &str, arguments: Value) -> String {
        let envelope = self.call(tool, arguments);
        assert_eq!(envelope["success"], false, "{envelope}");
        envelope["errorCode"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    #[cfg(unix)]
    pub fn terminate(&self) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(status.expect("kill runs").success());
    }

    /// Closes the input and waits for the end; gives what was said until then.
    pub fn close(mut self) -> (ExitStatus, Vec<Value>) {
        self.input = None;
        let status = self.ended();
        let rest = self.lines.iter();
        let rest = rest.map(|line| serde_json::from_str(&line).expect("a message"));
        let said = self.early.values().cloned().chain(rest).collect();
        (status, said)
    }

    /// Waits for the end.
    pub fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the server can be waited for") {
                return status;
            }
            assert!(start.elapsed() < LONG, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The envelope in the answer to a call; text and structure are the same.
pub fn envelope(answer: &Value) -> Value {
    let result = &answer["result"];
    let text = result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text in {answer}"));
    let envelope: Value = serde_json::from_str(text).expect("the text is JSON");
    assert_eq!(envelope, result["structuredContent"]);
    assert_eq!(result["isError"], envelope["success"] == false);
    assert_eq!(envelope["meta"]["source"], "asd");
    envelope
}
