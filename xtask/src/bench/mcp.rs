//! `asd mcp` as an agent's host sees it: how soon it answers the handshake, and
//! what a call costs from the question's last byte to the answer's.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::stats::{Ms, Times, peak_memory};
use crate::tools::target_dir;

/// How often a start is measured.
const STARTS: usize = 9;
/// How often a call is measured.
const CALLS: usize = 400;

pub fn bench() -> Result<()> {
    println!("asd mcp over stdio, in ms\n");
    println!("| recipes | what | p50 | p99 |");
    println!("| ---: | --- | ---: | ---: |");
    for recipes in [1_000, 10_000] {
        let folder = tempfile::tempdir().context("cannot make a folder")?;
        for number in 0..recipes {
            write_recipe(folder.path(), number)?;
        }
        starts(folder.path(), recipes)?;
        calls(folder.path(), recipes)?;
    }
    println!();
    Ok(())
}

fn starts(root: &Path, recipes: usize) -> Result<()> {
    let mut opened = Vec::new();
    let mut ready = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut server = Server::start(root)?;
        server.open()?;
        opened.push(start.elapsed());
        server.call("asd_health", &json!({}))?;
        ready.push(start.elapsed());
        server.end()?;
    }
    row(recipes, "start to the answer of initialize", opened);
    row(recipes, "start to the answer of the first call", ready);
    Ok(())
}

fn calls(root: &Path, recipes: usize) -> Result<()> {
    let mut server = Server::start(root)?;
    server.open()?;
    let decision = json!({"operation": "record_decision", "title": "t", "description": "d"});
    let search = json!({"query": "part 7 of the pool"});
    let code = json!({"code": "fn main() {}\n", "language": "rust"});
    // The first search makes the index.
    server.call("asd_search", &search)?;
    let mut pings = Vec::new();
    for _ in 0..CALLS {
        let start = Instant::now();
        server.ask("ping", &json!({}))?;
        pings.push(start.elapsed());
    }
    row(recipes, "ping", pings);
    for (what, tool, arguments) in [
        ("asd_task record_decision", "asd_task", &decision),
        ("asd_guard, one line of code", "asd_guard", &code),
        ("asd_search", "asd_search", &search),
    ] {
        let mut times = Vec::new();
        for _ in 0..CALLS {
            let start = Instant::now();
            server.call(tool, arguments)?;
            times.push(start.elapsed());
        }
        row(recipes, what, times);
    }
    if let Some(peak) = peak_memory(server.child.id()) {
        println!("| {recipes} | peak resident memory, MiB | {peak} | |");
    }
    server.end()
}

fn row(recipes: usize, what: &str, times: Vec<Duration>) {
    let times = Times::new(times);
    let (middle, slow) = (Ms(times.median()), Ms(times.percentile(99)));
    println!("| {recipes} | {what} | {middle} | {slow} |");
}

/// A server and its client.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(root: &Path) -> Result<Self> {
        let mut child = Command::new(target_dir().join("release/asd"))
            .arg("mcp")
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start asd mcp")?;
        let input = child.stdin.take().context("stdin is piped")?;
        let output = BufReader::new(child.stdout.take().context("stdout is piped")?);
        Ok(Self {
            child,
            input,
            output,
            next: 0,
        })
    }

    fn open(&mut self) -> Result<()> {
        self.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            }),
        )?;
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.ask("tools/call", &params)?;
        ensure!(answer["result"]["isError"] == false, "{tool}: {answer}");
        Ok(())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        ensure!(answer["id"] == id, "{method}: {answer}");
        Ok(answer)
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        let mut line = message.to_string();
        line.push('\n');
        self.input.write_all(line.as_bytes())?;
        Ok(self.input.flush()?)
    }

    fn end(self) -> Result<()> {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        let status = child.wait()?;
        ensure!(status.success(), "asd mcp ended with {status}");
        Ok(())
    }
}

fn write_recipe(root: &Path, number: usize) -> Result<()> {
    let folder = root.join(format!("Alembic/recipes/bucket-{}", number % 40));
    fs::create_dir_all(&folder)?;
    let text = format!(
        "---\nid: 00000000-0000-4000-8000-{number:012}\ntitle: Part {number} of the pool\n\
         trigger: '@part-{number}'\nkind: pattern\nlifecycle: active\nlanguage: rust\n\
         category: Service\ndescription: How part {number} is used\nwhen: Using part {number}\n\
         do: Take part {number} from the pool\ndont: Construct part {number}\n---\n\n\
         ## Description\nText about part {number}, which is long enough to be read.\n\n\
         ## Core code\n```rust\nlet part = pool.take({number})?;\npart.apply(request)\n```\n"
    );
    fs::write(folder.join(format!("part-{number}.md")), text)?;
    Ok(())
}
