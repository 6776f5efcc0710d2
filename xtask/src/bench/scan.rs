//! Checks of a large, real source tree.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Programs;
use super::corpus::{Form, Rule, method_rules, write_ast_grep, write_recipes};
use super::stats::{Ms, Times, peak_memory};
use crate::tools::{cache, command, run};

const PACKAGE: &str = "monaco-editor@0.52.2";

/// The package's JavaScript modules, unpacked once.
fn source_tree() -> Result<PathBuf> {
    let home = cache()?.join("bench-scan");
    let tree = home.join("project");
    if tree.join("complete").exists() {
        return Ok(tree);
    }
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&tree)?;
    run(command("npm")
        .args(["pack", "--silent", PACKAGE])
        .current_dir(&home))?;
    let archive = fs::read_dir(&home)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "tgz"))
        .context("npm pack made no archive")?;
    run(command("tar")
        .arg("-xzf")
        .arg(archive)
        .args(["-C"])
        .arg(&tree)
        .arg("package/esm"))?;
    fs::write(tree.join("complete"), "")?;
    Ok(tree)
}

fn javascript_files(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            javascript_files(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "js") {
            into.push(path);
        }
    }
    Ok(())
}

/// Method names that the tree calls, from rare to common, so that the rules
/// find something without drowning in it.
fn called_methods(files: &[PathBuf], count: usize) -> Result<Vec<String>> {
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(file)?;
        for (at, _) in text.match_indices('(') {
            let head = &text[..at];
            let name: String = head
                .chars()
                .rev()
                .take_while(char::is_ascii_alphanumeric)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            if name.len() > 7
                && head
                    .strip_suffix(name.as_str())
                    .is_some_and(|head| head.ends_with('.'))
            {
                *calls.entry(name).or_default() += 1;
            }
        }
    }
    let mut names: Vec<(usize, String)> = calls
        .into_iter()
        .filter(|(_, n)| *n <= 4)
        .map(|(name, n)| (n, name))
        .collect();
    names.sort();
    // Every nth, so that the sets of 10, 100 and 500 are alike.
    let step = (names.len() / count).max(1);
    Ok(names
        .into_iter()
        .step_by(step)
        .take(count)
        .map(|(_, name)| name)
        .collect())
}

pub fn bench(programs: &Programs, rounds: usize) -> Result<()> {
    let tree = source_tree()?;
    let mut files = Vec::new();
    javascript_files(&tree.join("package"), &mut files)?;
    let bytes: u64 = files
        .iter()
        .filter_map(|file| fs::metadata(file).ok())
        .map(|meta| meta.len())
        .sum();
    let rules = method_rules(&called_methods(&files, 500)?);
    if rules.len() < 500 {
        bail!("the tree calls only {} fitting methods", rules.len());
    }
    println!("## Check of a whole tree");
    println!(
        "{PACKAGE}: {} JavaScript files, {:.1} MB; median of {rounds} runs.\n",
        files.len(),
        bytes as f64 / 1e6
    );
    println!(
        "| rules | program | ms | × rg | peak MiB | matches |\n| ---: | --- | ---: | ---: | ---: | ---: |"
    );
    for count in [10, 100, 500] {
        let step = 500 / count;
        let chosen: Vec<Rule> = rules
            .iter()
            .step_by(step)
            .map(|r| Rule {
                id: r.id.clone(),
                pattern: r.pattern.clone(),
                literal: r.literal.clone(),
            })
            .collect();
        compare(programs, &tree, &chosen, rounds)?;
    }
    println!();
    Ok(())
}

fn compare(programs: &Programs, tree: &Path, rules: &[Rule], rounds: usize) -> Result<()> {
    let literals = tree.join("literals.txt");
    fs::write(
        &literals,
        rules
            .iter()
            .map(|rule| rule.literal.as_str())
            .collect::<Vec<_>>()
            .join("\n"),
    )?;
    write_ast_grep(tree, rules, "js")?;

    let rg = || {
        let mut command = Command::new(&programs.rg);
        command
            .args(["-F", "--only-matching", "--no-heading", "-g", "*.js", "-f"])
            .arg(&literals)
            .arg("package");
        command
    };
    let ast_grep = || {
        let mut command = Command::new(&programs.ast_grep);
        command.args(["scan", "--json=stream", "package"]);
        command
    };
    let asd = || {
        let mut command = Command::new(&programs.asd);
        command.args(["check", "--rules", "recipe", "--format", "json", "package"]);
        command
    };
    let asd_all = || {
        let mut command = Command::new(&programs.asd);
        command.args(["check", "--format", "json", "package"]);
        command
    };

    write_recipes(tree, rules, "javascript", Form::Ast)?;
    let floor = measure(rg, tree, rounds)?;
    let patterns = measure(asd, tree, rounds)?;
    let everything = measure(asd_all, tree, rounds)?;
    let peer = measure(ast_grep, tree, rounds)?;
    write_recipes(tree, rules, "javascript", Form::Regex)?;
    let regexes = measure(asd, tree, rounds)?;
    for (name, measured) in [
        ("rg -F over the literals", &floor),
        ("asd check, code patterns", &patterns),
        ("asd check, regular expressions", &regexes),
        ("asd check, code patterns + built-in rules", &everything),
        ("ast-grep scan, the same patterns", &peer),
    ] {
        let ratio = measured.time.as_secs_f64() / floor.time.as_secs_f64();
        println!(
            "| {} | {name} | {} | {ratio:.1} | {} | {} |",
            rules.len(),
            Ms(measured.time),
            measured.memory,
            measured.matches
        );
    }
    Ok(())
}

struct Measured {
    time: Duration,
    memory: u64,
    matches: usize,
}

fn measure(program: impl Fn() -> Command, tree: &Path, rounds: usize) -> Result<Measured> {
    let out = tree.join("out.txt");
    let mut times = Vec::new();
    let mut memory = 0;
    for _ in 0..rounds {
        let mut command = program();
        command
            .current_dir(tree)
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out)?)
            .stderr(Stdio::null());
        let start = Instant::now();
        let mut child = command.spawn()?;
        let pid = child.id();
        let watch = thread::spawn(move || {
            let mut peak = 0;
            while let Some(now) = peak_memory(pid) {
                peak = peak.max(now);
                thread::sleep(Duration::from_millis(2));
            }
            peak
        });
        child.wait()?;
        times.push(start.elapsed());
        memory = memory.max(watch.join().unwrap_or_default());
    }
    let printed = fs::read_to_string(&out)?;
    // One line a match for rg and ast-grep, one object with a `ruleId` for asd.
    let matches = match printed.matches("\"ruleId\"").count() {
        0 => printed.lines().count(),
        n if printed.starts_with("{\"text\"") => printed.lines().count().max(n),
        n => n,
    };
    Ok(Measured {
        time: Times::new(times).median(),
        memory,
        matches,
    })
}
