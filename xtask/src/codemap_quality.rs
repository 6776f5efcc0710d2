//! How right the code map is: its edges beside those of compilers and other
//! analysers, on real packages. Writes docs/codemap-quality.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::tools::{
    cache, cargo, command, debian_tool, output, python_tools, root, run, target_dir,
};

#[derive(Args)]
pub struct Options {
    /// Only these packages, by name; the document is not written then
    packages: Vec<String>,
    /// Show this many differences of each kind
    #[arg(long, default_value_t = 0)]
    show: usize,
    /// The asd to measure; built when it is not given
    #[arg(long)]
    asd: Option<PathBuf>,
}

/// A package with a second source.
struct Subject {
    /// Its name and version.
    name: &'static str,
    language: &'static str,
    /// What tells imports, and what tells calls.
    sources: (&'static str, &'static str),
    /// Gives the package's root and the second source's lines.
    measure: fn() -> Result<(PathBuf, String)>,
    /// Whether imports are between folders.
    by_folder: bool,
    /// Where the measured files lie.
    within: &'static str,
}

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "regex-syntax 0.8.8",
        language: "Rust",
        sources: ("rustdoc", "rustdoc"),
        measure: rust,
        by_folder: false,
        within: "src/",
    },
    Subject {
        name: "rxjs 7.8.1",
        language: "TypeScript",
        sources: ("dependency-cruiser", "tsc"),
        measure: typescript,
        by_folder: false,
        within: "src/",
    },
    Subject {
        name: "express 4.21.1",
        language: "JavaScript",
        sources: ("madge", "tsc"),
        measure: javascript,
        by_folder: false,
        within: "",
    },
    Subject {
        name: "click 8.1.7",
        language: "Python",
        sources: ("grimp", "jedi"),
        measure: click,
        by_folder: false,
        within: "src/",
    },
    Subject {
        name: "rich 13.9.4",
        language: "Python",
        sources: ("grimp", "jedi"),
        measure: rich,
        by_folder: false,
        within: "rich/",
    },
    Subject {
        name: "viper 1.12",
        language: "Go",
        sources: ("go list", "callgraph"),
        measure: go,
        by_folder: true,
        within: "",
    },
    Subject {
        name: "jsoup 1.15.3",
        language: "Java",
        sources: ("javac", "javac"),
        measure: java,
        by_folder: false,
        within: "src/main/",
    },
    Subject {
        name: "tree-sitter 0.27.1",
        language: "C",
        sources: ("gcc -E", "gcc -fcallgraph-info"),
        measure: c,
        by_folder: false,
        within: "",
    },
];

pub fn measure(options: &Options) -> Result<()> {
    let asd = match &options.asd {
        Some(asd) => std::path::absolute(asd)?,
        None => {
            run(cargo().args(["build", "--quiet", "--package", "asd-cli"]))?;
            target_dir().join("debug/asd")
        }
    };
    let mut rows = Vec::new();
    for subject in SUBJECTS {
        let wanted = options.packages.is_empty()
            || options
                .packages
                .iter()
                .any(|name| subject.name.starts_with(name.as_str()));
        if !wanted {
            continue;
        }
        let (root, truth) =
            (subject.measure)().with_context(|| format!("{} was not measured", subject.name))?;
        let edges = |kind: &str| {
            output(
                Command::new(&asd)
                    .args(["graph", "edges", kind, "--project"])
                    .arg(&root),
            )
        };
        let (imports, calls) = (lines(&edges("imports")?)?, lines(&edges("calls")?)?);
        let truth = lines(&truth)?;
        let imports = compare_imports(subject, &imports, &truth);
        let calls = compare_calls(subject, &calls, &truth);
        for (title, list) in [
            ("imports that only the second source has", &imports.missing),
            ("imports that only asd has", &imports.extra),
            ("calls that differ", &calls.wrong),
            ("calls that asd does not have", &calls.missing),
        ] {
            for line in list.iter().take(options.show) {
                println!("{}: {title}: {line}", subject.name);
            }
        }
        println!("{}", row(subject, &imports, &calls));
        rows.push((subject, imports, calls));
    }
    if options.packages.is_empty() {
        std::fs::write(
            crate::tools::root().join("docs/codemap-quality.md"),
            document(&rows),
        )?;
    }
    let failed: Vec<&str> = rows
        .iter()
        .filter(|(_, imports, calls)| {
            imports.recall() < 0.98 || imports.precision() < 0.98 || calls.precision() < 0.85
        })
        .map(|(subject, ..)| subject.name)
        .collect();
    if !failed.is_empty() {
        bail!("below the goals: {}", failed.join(", "));
    }
    Ok(())
}

fn lines(text: &str) -> Result<Vec<Value>> {
    text.lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("no JSON: {line}")))
        .collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

struct Imports {
    both: usize,
    missing: Vec<String>,
    extra: Vec<String>,
}

impl Imports {
    fn recall(&self) -> f64 {
        share(self.both, self.both + self.missing.len())
    }

    fn precision(&self) -> f64 {
        share(self.both, self.both + self.extra.len())
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

/// Edges that are written as imports, between the files of the second source.
fn compare_imports(subject: &Subject, ours: &[Value], truth: &[Value]) -> Imports {
    let place = |path: &str| {
        if subject.by_folder {
            folder(path).to_owned()
        } else {
            path.to_owned()
        }
    };
    let pairs = |rows: &[Value], mapped: bool| -> BTreeSet<(String, String)> {
        rows.iter()
            .filter(|row| {
                !matches!(
                    text(row, "kind"),
                    "part" | "path" | "implicit" | "call" | "external"
                )
            })
            .map(|row| {
                let (from, to) = (text(row, "from"), text(row, "to"));
                if mapped {
                    (place(from), place(to))
                } else {
                    (from.to_owned(), to.to_owned())
                }
            })
            .filter(|(from, to)| from != to)
            .collect()
    };
    let is_test = |path: &str| {
        path.contains("_test.")
            || path
                .split('/')
                .any(|part| matches!(part, "test" | "tests" | "spec"))
    };
    // What the second source did not look at: files, includes that are off, and
    // tests at the end of files.
    let seen: BTreeSet<&str> = truth
        .iter()
        .filter(|row| row["kind"] == "file")
        .map(|row| text(row, "file"))
        .collect();
    let off = |row: &Value| {
        let (from, to) = (text(row, "from"), text(row, "to"));
        (!seen.is_empty() && !seen.contains(from))
            || truth.iter().any(|one| {
                one["kind"] == "unknown"
                    && text(one, "file") == from
                    && to.ends_with(text(one, "include"))
            })
            || truth.iter().any(|one| {
                one["kind"] == "off"
                    && text(one, "file") == from
                    && one["line"].as_u64() <= row["line"].as_u64()
                    && row["line"].as_u64() <= one["end"].as_u64()
            })
            || truth.iter().any(|one| {
                one["kind"] == "end"
                    && text(one, "file") == from
                    && row["line"].as_u64() >= one["line"].as_u64()
            })
    };
    let mine: Vec<Value> = ours
        .iter()
        .filter(|row| !off(row))
        .filter(|row| {
            let (from, to) = (text(row, "from"), text(row, "to"));
            [from, to]
                .iter()
                .all(|path| path.starts_with(subject.within) && !is_test(path))
        })
        .cloned()
        .collect();
    let (mine, theirs) = (pairs(&mine, true), pairs(truth, false));
    let show = |(from, to): &(String, String)| format!("{from} → {to}");
    Imports {
        both: mine.intersection(&theirs).count(),
        missing: theirs.difference(&mine).map(show).collect(),
        extra: mine.difference(&theirs).map(show).collect(),
    }
}

struct Calls {
    right: usize,
    wrong: Vec<String>,
    /// Calls to the package's own functions that have no edge.
    missing: Vec<String>,
    /// Edges of which the second source says nothing.
    unjudged: usize,
    /// Guesses by name, and how many of them are right.
    guesses: (usize, usize),
}

impl Calls {
    fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong.len())
    }

    fn recall(&self) -> f64 {
        share(self.right, self.right + self.missing.len())
    }
}

/// What the second source says of the calls of one name on one line.
#[derive(Default)]
struct Site<'v> {
    inside: Vec<&'v Value>,
    outside: bool,
}

fn compare_calls<'v>(subject: &Subject, ours: &'v [Value], truth: &'v [Value]) -> Calls {
    let key = |row: &'v Value| {
        let name = text(row, "name")
            .trim_start_matches("new ")
            .trim_end_matches('!');
        let name = if name == "super" { "constructor" } else { name };
        (text(row, "file"), row["line"].as_u64().unwrap_or(0), name)
    };
    let mut sites: BTreeMap<_, Site<'_>> = BTreeMap::new();
    for row in truth {
        match text(row, "kind") {
            "call" => sites.entry(key(row)).or_default().inside.push(row),
            "external" => sites.entry(key(row)).or_default().outside = true,
            _ => {}
        }
    }
    let mut calls = Calls {
        right: 0,
        wrong: Vec::new(),
        missing: Vec::new(),
        unjudged: 0,
        guesses: (0, 0),
    };
    let mut found = BTreeSet::new();
    for row in ours
        .iter()
        .filter(|row| text(row, "file").starts_with(subject.within))
    {
        let key = key(row);
        let is_guess = row["confidence"].as_f64().unwrap_or(0.0) < 0.5;
        let Some(site) = sites.get(&key) else {
            calls.unjudged += 1;
            continue;
        };
        let is_right = site.inside.iter().any(|one| same(row, one));
        if is_guess {
            calls.guesses.0 += 1;
            calls.guesses.1 += usize::from(is_right);
            continue;
        }
        found.insert(key);
        if is_right {
            calls.right += 1;
        } else {
            let said: Vec<String> = site
                .inside
                .iter()
                .map(|one| format!("{}:{}", text(one, "calleeFile"), one["calleeLine"]))
                .collect();
            calls.wrong.push(format!(
                "{key:?}: asd says {} {}:{}, the other {}",
                text(row, "callee"),
                text(row, "calleeFile"),
                row["calleeLine"],
                said.join(" or ")
            ));
        }
    }
    calls.missing = sites
        .iter()
        .filter(|(key, site)| !site.inside.is_empty() && !site.outside && !found.contains(*key))
        .map(|(key, site)| {
            format!(
                "{key:?}: {}:{}",
                text(site.inside[0], "calleeFile"),
                site.inside[0]["calleeLine"]
            )
        })
        .collect();
    calls
}

/// Whether two rows name the same function. A type stands for its constructors.
fn same(ours: &Value, theirs: &Value) -> bool {
    if let Some(name) = theirs["callee"].as_str() {
        // Go: the folder of the package and the name with its type.
        return text(theirs, "calleeFolder") == folder(text(ours, "calleeFile"))
            && text(ours, "callee") == name;
    }
    if text(ours, "calleeFile") != text(theirs, "calleeFile") {
        return false;
    }
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap_or(0);
    let (line, start) = (number(ours, "calleeLine"), number(theirs, "calleeLine"));
    let end = number(theirs, "calleeEnd").max(start);
    if (start..=end).contains(&line) {
        return true;
    }
    let is_type = matches!(
        text(ours, "calleeKind"),
        "class" | "struct" | "enum" | "constructor" | "interface"
    );
    // From a class to its constructor, or back.
    is_type && (line..=number(ours, "calleeEnd")).contains(&start)
        || text(ours, "calleeKind") == "constructor"
            && start <= line
            && text(theirs, "name") != "<init>"
}

fn row(subject: &Subject, imports: &Imports, calls: &Calls) -> String {
    format!(
        "| {} | {} | {} | {} | {:.3} | {:.3} | {} | {} | {:.3} | {:.3} | {} | {}/{} |",
        subject.language,
        subject.name,
        subject.sources.0,
        imports.both + imports.missing.len(),
        imports.recall(),
        imports.precision(),
        subject.sources.1,
        calls.right + calls.wrong.len(),
        calls.precision(),
        calls.recall(),
        calls.unjudged,
        calls.guesses.1,
        calls.guesses.0,
    )
}

fn document(rows: &[(&Subject, Imports, Calls)]) -> String {
    let mut document = String::from(
        "# How right the code map is\n\n\
         Made by `cargo xtask codemap-quality`: the edges of `asd graph edges` on published packages, beside those of a\n\
         second source that shares no code with it. Goals: imports 0.98 in both directions, calls 0.85 precision.\n\n\
         | language | package | imports by | edges | recall | precision | calls by | judged | precision | recall | unjudged | guesses right |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (subject, imports, calls) in rows {
        let _ = writeln!(document, "{}", row(subject, imports, calls));
    }
    document.push_str(
        "\n- An import is an edge between two files (Go: two folders) that an import statement makes, tests left out.\n\
         - A call is judged when the second source says what is called on the same line by the same name, be it in the\n\
         \x20 package or outside of it. Edges with a confidence below 0.5 are guesses by the name alone; nothing follows from\n\
         \x20 them by default, and they are counted by themselves.\n\
         - Recall of calls counts calls to the package's own functions that the second source knows. callgraph, jedi and tsc\n\
         \x20 see through inference that a map made without a compiler does not try.\n\
         - A class and its constructor count as one.\n",
    );
    let differing: Vec<_> = rows
        .iter()
        .filter(|(_, imports, _)| !imports.missing.is_empty() || !imports.extra.is_empty())
        .collect();
    if !differing.is_empty() {
        document.push_str("\n## Imports that differ\n\n");
        for (subject, imports, _) in differing {
            for (list, who) in [
                (&imports.missing, "only the second source has"),
                (&imports.extra, "only asd has"),
            ] {
                for edge in list.iter().take(10) {
                    let _ = writeln!(document, "- {}: {who} {edge}", subject.name);
                }
            }
        }
    }
    document
}

fn packages() -> Result<PathBuf> {
    let path = cache()?.join("codemap");
    std::fs::create_dir_all(&path)?;
    Ok(path)
}

fn script(name: &str) -> PathBuf {
    root().join("tests/codemap").join(name)
}

fn unpack(archive: &Path, into: &Path) -> Result<()> {
    std::fs::create_dir_all(into)?;
    run(command("tar")
        .arg("-xf")
        .arg(archive)
        .arg("-C")
        .arg(into)
        .arg("--strip-components=1"))
}

/// A package of npm, unpacked.
fn npm(name: &str, version: &str) -> Result<PathBuf> {
    let folder = packages()?.join(format!("{name}-{version}"));
    if !folder.join("package.json").exists() {
        run(command("npm")
            .args(["pack", "--silent", &format!("{name}@{version}")])
            .current_dir(packages()?))?;
        unpack(&packages()?.join(format!("{name}-{version}.tgz")), &folder)?;
    }
    Ok(folder)
}

/// A folder with the tools that come from npm.
fn node_tools() -> Result<PathBuf> {
    let folder = packages()?.join("node");
    if !folder.join("node_modules/madge").exists() {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("package.json"), "{}")?;
        run(command("npm")
            .args([
                "install",
                "--silent",
                "madge@8",
                "typescript@5.6.3",
                "dependency-cruiser@16",
            ])
            .current_dir(&folder))?;
    }
    Ok(folder)
}

fn tsc_calls(package: &Path, source: &str) -> Result<String> {
    let tools = node_tools()?;
    output(
        command("node")
            .arg(script("node_calls.mjs"))
            .arg(tools)
            .arg(package)
            .arg(source),
    )
}

fn edge(from: &str, to: &str) -> String {
    serde_json::json!({"kind": "import", "from": from, "to": to}).to_string() + "\n"
}

fn typescript() -> Result<(PathBuf, String)> {
    let package = npm("rxjs", "7.8.1")?;
    // What was compiled from the sources is no source.
    let _ = std::fs::remove_dir_all(package.join("dist"));
    let tools = node_tools()?;
    let found = output(
        command(tools.join("node_modules/.bin/depcruise"))
            .args([
                "--no-config",
                "--ts-pre-compilation-deps",
                "--output-type",
                "json",
                "--exclude",
                "node_modules",
                "src",
            ])
            .current_dir(&package),
    )?;
    let found: Value = serde_json::from_str(&found)?;
    let mut truth = String::new();
    for module in found["modules"].as_array().into_iter().flatten() {
        for needed in module["dependencies"].as_array().into_iter().flatten() {
            let to = text(needed, "resolved");
            // References in comments are none.
            let written = !needed["dependencyTypes"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|kind| {
                    kind == "triple-slash-type-reference" || kind == "triple-slash-file-reference"
                });
            if to.starts_with("src/") && written {
                truth.push_str(&edge(text(module, "source"), to));
            }
        }
    }
    truth.push_str(&tsc_calls(&package, "src")?);
    Ok((package, truth))
}

fn javascript() -> Result<(PathBuf, String)> {
    let package = npm("express", "4.21.1")?;
    let tools = node_tools()?;
    let found = output(
        command(tools.join("node_modules/.bin/madge"))
            .args(["--json", "."])
            .current_dir(&package),
    )?;
    let found: BTreeMap<String, Vec<String>> = serde_json::from_str(&found)?;
    let mut truth = String::new();
    for (from, needed) in &found {
        needed.iter().for_each(|to| truth.push_str(&edge(from, to)));
    }
    truth.push_str(&tsc_calls(&package, ".")?);
    Ok((package, truth))
}

fn python(name: &str, version: &str, source: &str) -> Result<(PathBuf, String)> {
    let tools = python_tools("codemap-python", &["grimp==3.20", "jedi==0.20.1"])?;
    let stem = format!("{name}-{version}");
    let folder = packages()?.join(&stem);
    if !folder.join("pyproject.toml").exists() {
        let into = packages()?.join("sdist");
        run(command(tools.join("pip"))
            .args([
                "download",
                "--quiet",
                "--no-deps",
                "--no-binary",
                ":all:",
                "--dest",
            ])
            .arg(&into)
            .arg(format!("{name}=={version}")))?;
        unpack(&into.join(format!("{stem}.tar.gz")), &folder)?;
    }
    let truth = output(
        command(tools.join("python"))
            .arg(script("python_edges.py"))
            .arg(&folder)
            .args([source, name]),
    )?;
    Ok((folder, truth))
}

fn click() -> Result<(PathBuf, String)> {
    python("click", "8.1.7", "src")
}

fn rich() -> Result<(PathBuf, String)> {
    python("rich", "13.9.4", ".")
}

/// A crate, copied so that it is a project of its own.
fn krate(name: &str, version: &str) -> Result<PathBuf> {
    let folder = packages()?.join(format!("{name}-{version}"));
    if !folder.join("Cargo.toml").exists() {
        let fetch = packages()?.join("fetch");
        std::fs::create_dir_all(fetch.join("src"))?;
        std::fs::write(fetch.join("src/lib.rs"), "")?;
        std::fs::write(
            fetch.join("Cargo.toml"),
            format!(
                "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[dependencies]\n\"{name}\" = \"={version}\"\n[workspace]\n"
            ),
        )?;
        run(cargo()
            .args(["vendor", "--quiet", "vendor"])
            .current_dir(&fetch)
            .stdout(std::process::Stdio::null()))?;
        std::fs::rename(fetch.join("vendor").join(name), &folder)?;
        std::fs::remove_dir_all(&fetch)?;
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml"))?;
        std::fs::write(folder.join("Cargo.toml"), manifest + "\n[workspace]\n")?;
        let _ = std::fs::remove_file(folder.join(".cargo-checksum.json"));
    }
    Ok(folder)
}

fn rust() -> Result<(PathBuf, String)> {
    let folder = krate("regex-syntax", "0.8.8")?;
    let target = packages()?.join("rustdoc");
    run(cargo()
        .args(["rustdoc", "--quiet", "--target-dir"])
        .arg(&target)
        .args([
            "--",
            "-Zunstable-options",
            "--generate-link-to-definition",
            "--document-private-items",
        ])
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(&folder))?;
    let pages = target.join("doc/src/regex_syntax");
    let truth = output(
        command("python3")
            .arg(script("rust_edges.py"))
            .arg(&folder)
            .arg("regex_syntax")
            .arg(pages),
    )?;
    Ok((folder, truth))
}

fn c() -> Result<(PathBuf, String)> {
    let folder = krate("tree-sitter", "0.27.1")?;
    let truth = output(
        command("python3")
            .arg(script("c_edges.py"))
            .arg(&folder)
            .args([
                "src/lib.c",
                "-Iinclude",
                "-Isrc",
                "-std=c11",
                "-D_DEFAULT_SOURCE",
                "-D_POSIX_C_SOURCE=200112L",
            ]),
    )?;
    Ok((folder, truth))
}

fn go() -> Result<(PathBuf, String)> {
    debian_tool("callgraph", &["golang-go", "golang-golang-x-tools"])?;
    let installed = Path::new("/usr/share/gocode/src/github.com/spf13/viper");
    if !installed.exists() {
        run(command("apt-get").args([
            "install",
            "--yes",
            "--quiet",
            "--no-install-recommends",
            "golang-github-spf13-viper-dev",
        ]))?;
    }
    let truth = output(
        command("python3")
            .arg(script("go_edges.py"))
            .arg(installed)
            .arg("github.com/spf13/viper")
            .env("GOPATH", "/usr/share/gocode")
            .env("GO111MODULE", "off")
            .env("GOFLAGS", ""),
    )?;
    Ok((installed.to_owned(), truth))
}

/// The source package of a Debian package.
fn debian_source(name: &str, folder: &Path) -> Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let work = packages()?.join("apt");
    let (parts, lists) = (work.join("sources.list.d"), work.join("lists"));
    std::fs::create_dir_all(&parts)?;
    std::fs::create_dir_all(lists.join("partial"))?;
    let sources = std::fs::read_to_string("/etc/apt/sources.list.d/debian.sources")
        .context("this needs Debian's own list of package sources")?;
    std::fs::write(
        parts.join("source.sources"),
        sources.replace("Types: deb\n", "Types: deb-src\n"),
    )?;
    let apt = |arguments: &[&str]| {
        let mut apt = command("apt-get");
        apt.arg("-o")
            .arg(format!("Dir::Etc::SourceParts={}", parts.display()));
        apt.arg("-o")
            .arg(format!("Dir::State::Lists={}", lists.display()));
        apt.args(["-o", "APT::Sandbox::User=root", "--quiet"])
            .args(arguments)
            .current_dir(&work);
        apt
    };
    run(&mut apt(&["update"]))?;
    run(&mut apt(&["source", "--download-only", name]))?;
    let archive = std::fs::read_dir(&work)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            path.to_string_lossy().contains(&format!("/{name}_"))
                && path.to_string_lossy().contains(".orig.tar")
        })
        .context("no source archive was fetched")?;
    unpack(&archive, folder)
}

fn java() -> Result<(PathBuf, String)> {
    debian_tool("javac", &["default-jdk-headless"])?;
    let folder = packages()?.join("jsoup");
    debian_source("jsoup", &folder)?;
    let truth = output(
        command("java")
            .arg(script("JavaEdges.java"))
            .arg(&folder)
            .arg("src/main/java"),
    )?;
    Ok((folder, truth))
}
