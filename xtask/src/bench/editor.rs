//! The language server as an editor meets it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::Programs;
use super::corpus::{Form, Rule, method_rules, typescript, write_ast_grep, write_recipes};
use super::stats::{Ms, Times, peak_memory};
use crate::tools::cache;

const PATIENCE: Duration = Duration::from_secs(60);

/// A language server and the messages that it sends.
struct Server {
    child: Child,
    stdin: ChildStdin,
    inbox: Receiver<Value>,
    started: Instant,
    /// Whether the server takes changes, or wants the whole text each time.
    incremental: bool,
}

impl Server {
    fn start(mut command: Command, root: &Path) -> Result<Self> {
        let started = Instant::now();
        let mut child = command
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start the server")?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = child.stdout.take().context("no stdout")?;
        let (send, inbox) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            while let Ok(Some(message)) = read_message(&mut reader) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut server = Self {
            child,
            stdin,
            inbox,
            started,
            incremental: false,
        };
        let uri = format!("file://{}", root.display());
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "processId": std::process::id(), "rootUri": uri, "workspaceFolders": [{"uri": uri, "name": "bench"}],
            "capabilities": {"textDocument": {"publishDiagnostics": {"versionSupport": true}}},
        }}))?;
        let answer = server.wait("the answer to initialize", |m| m["id"] == 1)?;
        let sync = &answer["result"]["capabilities"]["textDocumentSync"];
        server.incremental = *sync == 2 || sync["change"] == 2;
        server.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}))?;
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let body = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(self.stdin.flush()?)
    }

    fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(message) = self.inbox.recv_timeout(left) else {
                bail!("the server did not send {what}")
            };
            if wanted(&message) {
                return Ok(message);
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) -> Result<()> {
        self.send(
            &json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
            "textDocument": {"uri": uri, "languageId": "typescript", "version": 0, "text": text}}}),
        )
    }

    fn wait_for_version(&mut self, uri: &str, version: usize) -> Result<Value> {
        self.wait("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri
                && m["params"]["version"] == version
        })
    }

    /// The time from writing a change to having its diagnostics. The change
    /// puts `typed` in front of a line of `text`.
    fn keystroke(
        &mut self,
        uri: &str,
        version: usize,
        text: &mut String,
        line: usize,
        typed: &str,
    ) -> Result<Duration> {
        let offset: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        text.insert_str(offset, typed);
        let at = json!({"line": line, "character": 0});
        let change = if self.incremental {
            json!({"range": {"start": at, "end": at}, "text": typed})
        } else {
            json!({"text": text})
        };
        let start = Instant::now();
        self.send(
            &json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}}),
        )?;
        self.wait_for_version(uri, version)?;
        Ok(start.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_message(reader: &mut impl BufRead) -> Result<Option<Value>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if let Some(value) = line.strip_prefix("Content-Length:") {
            length = value.trim().parse()?;
        } else if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

pub fn bench(programs: &Programs, keystrokes: usize) -> Result<()> {
    let root = cache()?.join("bench-editor");
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join(".git"))?;
    let names: Vec<String> = (0..1000).map(|n| format!("legacyCall{n}")).collect();
    let rules = method_rules(&names);
    let text = typescript(5_000, &rules[..500]);
    let asd = || {
        let mut command = Command::new(&programs.asd);
        command.arg("lsp");
        command
    };
    let ast_grep = || {
        let mut command = Command::new(&programs.ast_grep);
        command.arg("lsp");
        command
    };

    println!("## Keystroke to diagnostics");
    println!(
        "A TypeScript file of {} lines, 500 rules, {keystrokes} changes.\n",
        text.lines().count()
    );
    println!(
        "| server | p50 ms | p99 ms | findings | peak MiB |\n| --- | ---: | ---: | ---: | ---: |"
    );
    write_ast_grep(&root, &rules[..500], "ts")?;
    write_recipes(&root, &rules[..500], "typescript", Form::Ast)?;
    row(
        "asd, 500 code patterns + built-in rules",
        asd(),
        &root,
        &text,
        keystrokes,
    )?;
    row(
        "ast-grep lsp, the same 500 patterns",
        ast_grep(),
        &root,
        &text,
        keystrokes,
    )?;
    write_recipes(&root, &rules[..500], "typescript", Form::Regex)?;
    row(
        "asd, 500 regular expressions + built-in rules",
        asd(),
        &root,
        &text,
        keystrokes,
    )?;

    println!("\n## Start and memory\n1,000 recipes.\n");
    write_recipes(&root, &rules, "typescript", Form::Ast)?;
    start_and_memory(asd, &root, &rules)
}

fn row(name: &str, command: Command, root: &Path, text: &str, keystrokes: usize) -> Result<()> {
    let mut server = Server::start(command, root)?;
    let path = root.join("big.ts");
    fs::write(&path, text)?;
    let uri = format!("file://{}", path.display());
    server.open(&uri, text)?;
    server.wait_for_version(&uri, 0)?;
    thread::sleep(Duration::from_millis(500));
    let lines = text.lines().count();
    let mut now = text.to_owned();
    let mut times = Vec::new();
    for version in 1..=keystrokes + 10 {
        let typed = if version.is_multiple_of(9) { "\n" } else { " " };
        let time = server.keystroke(&uri, version, &mut now, (version * 37) % lines, typed)?;
        if version > 10 {
            times.push(time);
        }
    }
    server.send(
        &json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
        "textDocument": {"uri": uri, "version": keystrokes + 11}, "contentChanges": [{"text": text}]}}),
    )?;
    let published = server.wait_for_version(&uri, keystrokes + 11)?;
    let findings = published["params"]["diagnostics"]
        .as_array()
        .map_or(0, Vec::len);
    let memory = peak_memory(server.child.id()).map_or("?".to_owned(), |mib| mib.to_string());
    let times = Times::new(times);
    println!(
        "| {name} | {} | {} | {findings} | {memory} |",
        Ms(times.median()),
        Ms(times.percentile(99))
    );
    Ok(())
}

fn start_and_memory(command: impl Fn() -> Command, root: &Path, rules: &[Rule]) -> Result<()> {
    let text = typescript(300, rules);
    let uri = |n: usize| format!("file://{}", root.join(format!("file{n}.ts")).display());
    let mut starts = Vec::new();
    let mut memory = 0;
    for _ in 0..5 {
        let mut server = Server::start(command(), root)?;
        server.open(&uri(0), &text)?;
        server.wait("findings", |m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["diagnostics"]
                    .as_array()
                    .is_some_and(|d| !d.is_empty())
        })?;
        starts.push(server.started.elapsed());
        for n in 1..20 {
            server.open(&uri(n), &text)?;
            server.wait_for_version(&uri(n), 0)?;
        }
        memory = peak_memory(server.child.id()).unwrap_or_default();
    }
    let starts = Times::new(starts);
    println!("| what | figure |\n| --- | ---: |");
    println!(
        "| start to first findings, median of 5 | {} ms |",
        Ms(starts.median())
    );
    println!("| peak resident memory, 20 open files | {memory} MiB |\n");
    Ok(())
}
