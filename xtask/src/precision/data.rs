//! The data under `tests/precision/`: what was found, and what was judged of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::tools::root;

/// Where a finding is. The versions of the packages are pinned, so lines stay.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub package: String,
    pub file: String,
    pub line: u32,
}

/// Whether a judged finding is still made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    Found,
    Gone,
}

/// What a person says of a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Right,
    Wrong,
}

/// A judged finding.
pub struct Judged {
    /// A hash of the line that it points at.
    pub excerpt: String,
    pub state: State,
    pub verdict: Verdict,
    pub reason: String,
}

/// The judged findings of each rule.
pub type Judgements = BTreeMap<String, BTreeMap<Place, Judged>>;

/// How much was found of each rule, in how many packages.
pub type Counts = BTreeMap<String, Count>;

#[derive(Clone, Default)]
pub struct Count {
    pub severity: String,
    pub findings: usize,
    pub packages: usize,
}

const HEAD: &str = "package\tfile\tline\texcerpt\tstate\tverdict\treason\n";

pub fn folder() -> PathBuf {
    root().join("tests/precision")
}

pub fn judgements() -> Result<Judgements> {
    let mut all = Judgements::new();
    let folder = folder().join("judged");
    let Ok(entries) = fs::read_dir(&folder) else {
        return Ok(all);
    };
    for entry in entries {
        let path = entry?.path();
        let rule = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .with_context(|| path.display().to_string())?
            .to_owned();
        let text = fs::read_to_string(&path)?;
        let mut of_rule = BTreeMap::new();
        for (line, number) in text.lines().zip(1..).skip(1) {
            let (place, judged) =
                row(line).with_context(|| format!("{}:{number}", path.display()))?;
            if of_rule.insert(place, judged).is_some() {
                bail!("{}:{number}: judged twice", path.display());
            }
        }
        all.insert(rule, of_rule);
    }
    Ok(all)
}

fn row(line: &str) -> Result<(Place, Judged)> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [package, file, line, excerpt, state, verdict, reason] = cells[..] else {
        bail!("seven cells are needed");
    };
    if reason.is_empty() {
        bail!("a verdict needs its reason");
    }
    let place = Place {
        package: package.to_owned(),
        file: file.to_owned(),
        line: line.parse()?,
    };
    let judged = Judged {
        excerpt: excerpt.to_owned(),
        state: match state {
            "found" => State::Found,
            "gone" => State::Gone,
            other => bail!("state {other}"),
        },
        verdict: match verdict {
            "right" => Verdict::Right,
            "wrong" => Verdict::Wrong,
            other => bail!("verdict {other}"),
        },
        reason: reason.to_owned(),
    };
    Ok((place, judged))
}

pub fn write_judgements(all: &Judgements) -> Result<()> {
    let folder = folder().join("judged");
    fs::create_dir_all(&folder)?;
    for (rule, judged) in all {
        let mut text = HEAD.to_owned();
        for (place, judged) in judged {
            let state = match judged.state {
                State::Found => "found",
                State::Gone => "gone",
            };
            let verdict = match judged.verdict {
                Verdict::Right => "right",
                Verdict::Wrong => "wrong",
            };
            writeln!(
                text,
                "{}\t{}\t{}\t{}\t{state}\t{verdict}\t{}",
                place.package, place.file, place.line, judged.excerpt, judged.reason
            )?;
        }
        fs::write(folder.join(format!("{rule}.tsv")), text)?;
    }
    Ok(())
}

pub fn counts() -> Result<Counts> {
    let path = folder().join("findings.tsv");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [rule, severity, findings, packages] = cells[..] else {
                bail!("findings.tsv: {line}");
            };
            let count = Count {
                severity: severity.to_owned(),
                findings: findings.parse()?,
                packages: packages.parse()?,
            };
            Ok((rule.to_owned(), count))
        })
        .collect()
}

pub fn write_counts(counts: &Counts) -> Result<()> {
    let mut text = "rule\tseverity\tfindings\tpackages\n".to_owned();
    for (rule, count) in counts {
        writeln!(
            text,
            "{rule}\t{}\t{}\t{}",
            count.severity, count.findings, count.packages
        )?;
    }
    fs::write(folder().join("findings.tsv"), text)?;
    Ok(())
}

/// A hash that is the same on every machine (FNV-1a).
pub fn hash(parts: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
