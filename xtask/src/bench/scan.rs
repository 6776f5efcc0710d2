//! Checks of a large, real source tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Programs;
use super::corpus::{Form, Rule, method_rules, write_ast_grep, write_recipes, write_semgrep};
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

/// The numbers of rules in the first table.
const RULES: [usize; 4] = [1, 10, 100, 500];
/// The shares of the files in the second one: one in so many.
const SHARES: [usize; 4] = [16, 4, 2, 1];
const RULES_BY_FILES: usize = 100;
/// What takes longer than this is measured once.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn bench(programs: &Programs, rounds: usize, limit: Duration) -> Result<()> {
    let mut limits = Limits {
        limit,
        slow: BTreeSet::new(),
    };
    let tree = source_tree()?;
    let mut files = Vec::new();
    javascript_files(&tree.join("package"), &mut files)?;
    files.sort();
    let rules = method_rules(&called_methods(&files, 500)?);
    if rules.len() < 500 {
        bail!("the tree calls only {} fitting methods", rules.len());
    }
    println!("## Check of a whole tree\n");
    println!(
        "{PACKAGE}: {} JavaScript files, {:.1} MB; median of {rounds} runs, or one run of more than {} s.\n",
        files.len(),
        megabytes(&files),
        PATIENCE.as_secs()
    );
    println!(
        "| rules | program | ms | × rg | peak MiB | matches |\n| ---: | --- | ---: | ---: | ---: | ---: |"
    );
    for count in RULES {
        let rows = compare(programs, &tree, &spread(&rules, count), rounds, &mut limits)?;
        let floor = rows[0]
            .1
            .as_ref()
            .map_or(f64::NAN, |rg| rg.time.as_secs_f64());
        for (name, measured) in &rows {
            let Some(measured) = measured else {
                println!("| {count} | {name} | {} | | | |", limits.shown());
                continue;
            };
            println!(
                "| {count} | {name} | {} | {:.1} | {} | {} |",
                Ms(measured.time),
                measured.time.as_secs_f64() / floor,
                measured.memory,
                measured.matches
            );
        }
    }
    println!("\n### By files\n\n{RULES_BY_FILES} rules; one file in 16, in 4, in 2, and all.\n");
    limits.slow.clear();
    let rules = spread(&rules, RULES_BY_FILES);
    let mut head = String::from("| program |");
    let mut rows: Vec<String> = NAMES.iter().map(|name| format!("| {name} |")).collect();
    for share in SHARES {
        let part = part_of(&tree, &files, share)?;
        let mut chosen = Vec::new();
        javascript_files(&part.join("package"), &mut chosen)?;
        head += &format!(" {} files, {:.1} MB |", chosen.len(), megabytes(&chosen));
        let measured = compare(programs, &part, &rules, rounds, &mut limits)?;
        for (row, (_, measured)) in rows.iter_mut().zip(measured) {
            let time = measured.map(|measured| Ms(measured.time).to_string());
            *row += &format!(" {} |", time.unwrap_or_else(|| limits.shown()));
        }
    }
    println!("{head}\n| --- |{}", " ---: |".repeat(SHARES.len()));
    println!("{}\n", rows.join("\n"));
    Ok(())
}

fn megabytes(files: &[PathBuf]) -> f64 {
    let bytes: u64 = files
        .iter()
        .filter_map(|file| fs::metadata(file).ok())
        .map(|meta| meta.len())
        .sum();
    bytes as f64 / 1e6
}

/// So many of the rules, from all over them.
fn spread(rules: &[Rule], count: usize) -> Vec<Rule> {
    let step = (rules.len() / count).max(1);
    let chosen = rules.iter().step_by(step).take(count);
    chosen.cloned().collect()
}

/// A tree of its own with one in `share` of the files.
fn part_of(tree: &Path, files: &[PathBuf], share: usize) -> Result<PathBuf> {
    let part = tree.with_file_name(format!("part-{share}"));
    let _ = fs::remove_dir_all(&part);
    for file in files.iter().step_by(share) {
        let to = part.join(file.strip_prefix(tree)?);
        fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
        fs::copy(file, to)?;
    }
    Ok(part)
}

/// What is compared, in the order in which it is measured and shown.
const NAMES: [&str; 7] = [
    "rg -F over the literals",
    "asd check, regular expressions",
    "asd check, code patterns",
    "asd check, code patterns + built-in rules",
    "the same again, nothing changed",
    "ast-grep scan, the same patterns",
    "semgrep scan, the same patterns",
];

fn compare(
    programs: &Programs,
    tree: &Path,
    rules: &[Rule],
    rounds: usize,
    limits: &mut Limits,
) -> Result<Vec<(&'static str, Option<Measured>)>> {
    let literals: Vec<&str> = rules.iter().map(|rule| rule.literal.as_str()).collect();
    fs::write(tree.join("literals.txt"), literals.join("\n"))?;
    write_ast_grep(tree, rules, "js")?;
    write_semgrep(tree, rules, "js")?;
    let kept = tree.with_file_name("kept-results");
    let _ = fs::remove_dir_all(&kept);
    let asd = |arguments: &[&str]| {
        let mut command = Command::new(&programs.asd);
        command
            .args(["check", "--format", "json"])
            .args(arguments)
            .arg("package")
            .env("XDG_CACHE_HOME", &kept);
        command
    };
    let limit = limits.limit;
    let measured = |name| -> Result<Option<Measured>> {
        let make = || match name {
            "rg -F over the literals" => {
                let mut command = Command::new(&programs.rg);
                command
                    .args(["-F", "--only-matching", "--no-heading", "-g", "*.js"])
                    .args(["-f", "literals.txt", "package"]);
                command
            }
            "asd check, code patterns + built-in rules" => asd(&["--no-cache"]),
            "the same again, nothing changed" => asd(&[]),
            "ast-grep scan, the same patterns" => {
                let mut command = Command::new(&programs.ast_grep);
                command.args(["scan", "--json=stream", "package"]);
                command
            }
            "semgrep scan, the same patterns" => {
                let mut command = Command::new(&programs.semgrep);
                command
                    .args(["scan", "--config", "semgrep.yml", "--json", "--quiet"])
                    .args(["--metrics=off", "--disable-version-check"])
                    .args(["--no-git-ignore", "--max-target-bytes=0", "--timeout=0"])
                    .arg("package");
                // It starts programs that lie beside it.
                let beside = programs.semgrep.parent().into_iter().map(Path::to_path_buf);
                let paths = std::env::var_os("PATH").unwrap_or_default();
                let paths = beside.chain(std::env::split_paths(&paths));
                if let Ok(paths) = std::env::join_paths(paths) {
                    command.env("PATH", paths);
                }
                command
            }
            _ => asd(&["--no-cache", "--rules", "recipe"]),
        };
        let form = match name {
            "asd check, regular expressions" => Form::Regex,
            _ => Form::Ast,
        };
        write_recipes(tree, rules, "javascript", form)?;
        if name == "the same again, nothing changed" {
            measure(make, tree, 1, limit)?;
        }
        measure(make, tree, rounds, limit).with_context(|| name.to_owned())
    };
    let mut rows = Vec::new();
    for name in NAMES {
        let row = if limits.slow.contains(name) {
            None
        } else {
            measured(name)?
        };
        if row.is_none() {
            limits.slow.insert(name);
        }
        rows.push((name, row));
    }
    Ok(rows)
}

/// How long a program may take.
struct Limits {
    limit: Duration,
    /// The programs that took longer; they are not tried with more.
    slow: BTreeSet<&'static str>,
}

impl Limits {
    fn shown(&self) -> String {
        format!("> {}", Ms(self.limit))
    }
}

struct Measured {
    time: Duration,
    memory: u64,
    matches: usize,
}

/// `None` when the program was ended at the limit.
fn measure(
    program: impl Fn() -> Command,
    tree: &Path,
    rounds: usize,
    limit: Duration,
) -> Result<Option<Measured>> {
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
        let over = wait(&mut child, start + limit)?;
        let time = start.elapsed();
        if over {
            return Ok(None);
        }
        times.push(time);
        memory = memory.max(watch.join().unwrap_or_default());
        if time > PATIENCE {
            break;
        }
    }
    let printed = fs::read_to_string(&out)?;
    // One line a match for rg and ast-grep.
    let matches = if printed.starts_with("{\"version\"") {
        printed.matches("\"check_id\"").count()
    } else if printed.starts_with("{\n") {
        let result: serde_json::Value = serde_json::from_str(&printed)?;
        count(&result["summary"]["totalViolations"])?
    } else {
        printed.lines().count()
    };
    Ok(Some(Measured {
        time: Times::new(times).median(),
        memory,
        matches,
    }))
}

/// Waits for the end of a program, or brings it about; says whether it did.
fn wait(child: &mut std::process::Child, until: Instant) -> Result<bool> {
    let mut pause = Duration::from_micros(200);
    loop {
        if child.try_wait()?.is_some() {
            return Ok(false);
        }
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            return Ok(true);
        }
        thread::sleep(pause);
        // A hundredth of the time so far is exact enough.
        pause = (pause * 101 / 100).min(Duration::from_millis(50));
    }
}

fn count(value: &serde_json::Value) -> Result<usize> {
    let count = value.as_u64().context("a check says how much it found")?;
    Ok(usize::try_from(count)?)
}
