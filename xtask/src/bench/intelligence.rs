//! The briefing of a project of 5,000 files, and questions about its calls.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::stats::{Ms, Times};
use crate::tools::target_dir;

/// How many files the project has.
const FILES: usize = 5_000;
/// How many of them lie in one folder.
const IN_FOLDER: usize = 50;
/// How many questions are asked.
const QUESTIONS: usize = 200;

pub fn bench() -> Result<()> {
    let asd = target_dir().join("release/asd");
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let root = folder.path();
    write_project(root)?;
    fs::create_dir_all(root.join("Alembic/recipes"))?;
    println!("a project of {FILES} files, in ms\n");
    println!("| what | ms | KB |");
    println!("| --- | --- | --- |");
    for what in ["briefing, nothing known", "briefing, all files known"] {
        let start = Instant::now();
        let output = Command::new(&asd)
            .args(["bootstrap", "--json"])
            .current_dir(root)
            .output()
            .context("cannot run asd bootstrap")?;
        let time = start.elapsed();
        ensure!(
            output.status.success(),
            "asd bootstrap: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let envelope: Value = serde_json::from_slice(&output.stdout)?;
        let size = envelope["data"].to_string().len();
        println!("| {what} | {} | {} |", Ms(time), size / 1024);
    }
    let times = questions(&asd, root)?;
    println!("\nasd_call_context over MCP, {QUESTIONS} calls\n");
    println!("| p50 | p99 |");
    println!("| --- | --- |");
    println!("| {} | {} |", Ms(times.median()), Ms(times.percentile(99)));
    Ok(())
}

/// Asks a running server who calls what.
fn questions(asd: &Path, root: &Path) -> Result<Times> {
    let mut server = Command::new(asd)
        .args(["mcp", "--project"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start asd mcp")?;
    let mut stdin = server.stdin.take().context("no stdin")?;
    let mut stdout = BufReader::new(server.stdout.take().context("no stdout")?);
    let mut id = 0;
    let mut ask = |method: &str, params: Value| -> Result<Duration> {
        id += 1;
        let start = Instant::now();
        writeln!(
            stdin,
            "{}",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        )?;
        stdin.flush()?;
        loop {
            let mut line = String::new();
            ensure!(stdout.read_line(&mut line)? > 0, "the server has gone");
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                ensure!(message.get("error").is_none(), "{message}");
                return Ok(start.elapsed());
            }
        }
    };
    ask(
        "initialize",
        json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "0"},
        }),
    )?;
    let mut context = |n: usize| {
        let name = format!("Class{}.run{}", n % FILES, n % FILES);
        let arguments = json!({"methodName": name, "maxDepth": 3});
        ask(
            "tools/call",
            json!({"name": "asd_call_context", "arguments": arguments}),
        )
    };
    // The first one reads the code.
    context(0)?;
    let times = (0..QUESTIONS)
        .map(|n| context(n * 17 + 1))
        .collect::<Result<Vec<_>>>()?;
    drop(stdin);
    server.wait()?;
    Ok(Times::new(times))
}

/// Packages of TypeScript, each of which calls into the ones below it.
fn write_project(root: &Path) -> Result<()> {
    for n in 0..FILES {
        let folder = root.join(format!("src/package{:02}", n / IN_FOLDER));
        if n % IN_FOLDER == 0 {
            fs::create_dir_all(&folder)?;
        }
        let mut text = String::new();
        let needed: Vec<usize> = [1, 7, IN_FOLDER + 3, 3 * IN_FOLDER]
            .into_iter()
            .filter_map(|back| n.checked_sub(back))
            .collect();
        for other in &needed {
            let package = other / IN_FOLDER;
            writeln!(
                text,
                "import {{ Class{other}, helper{other} }} from '../package{package:02}/file{other}';"
            )?;
        }
        writeln!(
            text,
            "\nexport interface Shape{n} {{ area(): number; name: string; }}\n"
        )?;
        writeln!(text, "export class Class{n} implements Shape{n} {{")?;
        writeln!(
            text,
            "  name = 'shape';\n  area(): number {{ return {n}; }}"
        )?;
        writeln!(text, "  run{n}(): number {{\n    let sum = this.area();")?;
        for other in &needed {
            writeln!(
                text,
                "    sum += new Class{other}().run{other}();\n    sum += helper{other}(sum);"
            )?;
        }
        writeln!(text, "    return sum;\n  }}")?;
        for method in 0..6 {
            writeln!(
                text,
                "  step{method}(value: number): number {{\n    if (value > {method}) {{ return this.area(); }}\n    return helper{n}(value);\n  }}"
            )?;
        }
        writeln!(
            text,
            "}}\n\nexport function helper{n}(value: number): number {{\n  return value + {n};\n}}"
        )?;
        fs::write(folder.join(format!("file{n}.ts")), text)?;
    }
    Ok(())
}
