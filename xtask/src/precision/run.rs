//! Running the built-in rules over the packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::data::{self, Count, Counts, Place, State, Verdict};
use super::packages::{Package, packages};
use crate::tools::{cargo, command, run as run_command, target_dir};

/// How many findings of a rule are judged.
const SAMPLE: usize = 25;

/// What a rule found, by place: the line's text.
type Found = BTreeMap<String, BTreeMap<Place, String>>;

pub fn run(only: Option<&str>, asd: Option<&Path>) -> Result<()> {
    let asd = if let Some(asd) = asd {
        asd.canonicalize()
            .with_context(|| asd.display().to_string())?
    } else {
        run_command(cargo().args(["build", "--quiet", "--package", "asd-cli"]))?;
        target_dir().join("debug/asd")
    };
    let mut found = Found::new();
    let mut severities = severities(&asd)?;
    for package in wanted(only)? {
        let folder = package.fetch()?;
        check(&asd, &package, &folder, &mut found)?;
    }
    let counts: Counts = found
        .iter()
        .map(|(rule, places)| {
            let packages: BTreeSet<&str> = places.keys().map(|p| p.package.as_str()).collect();
            let count = Count {
                severity: severities.remove(rule).unwrap_or_default(),
                findings: places.len(),
                packages: packages.len(),
            };
            (rule.clone(), count)
        })
        .collect();
    compare(&found, only)?;
    if only.is_none() {
        data::write_counts(&counts)?;
    }
    Ok(())
}

fn wanted(only: Option<&str>) -> Result<Vec<Package>> {
    let mut packages = packages()?;
    packages.retain(|package| only.is_none_or(|only| package.name.contains(only)));
    if packages.is_empty() {
        bail!("no package of tests/precision/packages.tsv has that name");
    }
    Ok(packages)
}

fn severities(asd: &Path) -> Result<BTreeMap<String, String>> {
    let list = crate::tools::output(command(asd).args(["guard", "rules", "--json"]))?;
    let list: Vec<Value> = serde_json::from_str(&list)?;
    Ok(list
        .iter()
        .filter_map(|rule| {
            Some((
                rule["id"].as_str()?.to_owned(),
                rule["severity"].as_str()?.to_owned(),
            ))
        })
        .collect())
}

fn check(asd: &Path, package: &Package, folder: &Path, found: &mut Found) -> Result<()> {
    let output = command(asd)
        .args(["check", "--format", "json", "--rules", "builtin", "."])
        .current_dir(folder)
        .output()?;
    // 1 says that there are errors, which is what is looked for.
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!(
            "asd check in {}: {}\n{}",
            folder.display(),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let result: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("asd check in {}", folder.display()))?;
    let mut total = 0;
    let files = result["files"].as_array().context("no files")?;
    for file in files {
        let path = file["filePath"].as_str().context("no filePath")?;
        let violations = file["violations"].as_array().context("no violations")?;
        if violations.is_empty() {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(folder.join(path))?).into_owned();
        let lines: Vec<&str> = text.split('\n').collect();
        for violation in violations {
            let rule = violation["ruleId"].as_str().context("no ruleId")?;
            let line = violation["line"].as_u64().context("no line")?;
            let place = Place {
                package: package.name.clone(),
                file: path.to_owned(),
                line: u32::try_from(line)?,
            };
            let excerpt = lines
                .get(usize::try_from(line)? - 1)
                .map_or("", |line| line.trim());
            total += 1;
            found
                .entry(rule.to_owned())
                .or_default()
                .insert(place, excerpt.to_owned());
        }
    }
    for violation in result["crossFileViolations"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let rule = violation["ruleId"].as_str().context("no ruleId")?;
        let location = &violation["locations"][0];
        let Some(path) = location["filePath"].as_str() else {
            continue;
        };
        let place = Place {
            package: package.name.clone(),
            file: path.to_owned(),
            line: u32::try_from(location["line"].as_u64().unwrap_or(1))?,
        };
        total += 1;
        let snippet = location["snippet"].as_str().unwrap_or_default().trim();
        found
            .entry(rule.to_owned())
            .or_default()
            .insert(place, snippet.to_owned());
    }
    println!(
        "{} {}: {} files, {total} findings",
        package.name,
        package.version,
        files.len()
    );
    Ok(())
}

fn excerpt_hash(excerpt: &str) -> String {
    format!("{:016x}", data::hash(&[excerpt]))
}

/// Says which judged findings are gone or came back, records it, and lists what
/// of the sample nobody has judged yet.
fn compare(found: &Found, only: Option<&str>) -> Result<()> {
    let mut judgements = data::judgements()?;
    let mut open = String::new();
    let empty = BTreeMap::new();
    let of_package = |place: &Place| only.is_none_or(|only| place.package.contains(only));
    for (rule, judged) in &mut judgements {
        let now = found.get(rule).unwrap_or(&empty);
        for (place, judged) in judged.iter_mut().filter(|(place, _)| of_package(place)) {
            let state = match now.get(place) {
                Some(excerpt) if excerpt_hash(excerpt) == judged.excerpt => State::Found,
                Some(_) | None => State::Gone,
            };
            if state != judged.state {
                let verdict = match judged.verdict {
                    Verdict::Right => "right",
                    Verdict::Wrong => "wrong",
                };
                let what = match state {
                    State::Found => "is found again",
                    State::Gone => "is gone",
                };
                println!(
                    "{rule}: {}/{}:{} (judged {verdict}) {what}",
                    place.package, place.file, place.line
                );
                judged.state = state;
            }
        }
    }
    for (rule, places) in found {
        let judged = judgements.get(rule);
        let is_judged = |place: &Place| judged.is_some_and(|judged| judged.contains_key(place));
        let done = places.keys().filter(|place| is_judged(place)).count();
        let mut missing = SAMPLE.min(places.len()).saturating_sub(done);
        for (place, excerpt) in sample_order(rule, places) {
            if missing == 0 {
                break;
            }
            if !is_judged(place) {
                missing -= 1;
                writeln!(
                    open,
                    "{rule}\t{}\t{}\t{}\t{}",
                    place.package,
                    place.file,
                    place.line,
                    excerpt_hash(excerpt)
                )?;
            }
        }
    }
    if only.is_none() {
        data::write_judgements(&judgements)?;
    }
    let path = target_dir().join("precision-open.tsv");
    fs::write(&path, &open)?;
    match open.lines().count() {
        0 => println!("every finding of the sample is judged"),
        n => println!(
            "{n} findings of the sample are to be judged: {}",
            path.display()
        ),
    }
    Ok(())
}

/// The findings in the order in which a sample takes them: in turn from every
/// package, and within a package by a hash, which has no preference.
fn sample_order<'a>(
    rule: &str,
    places: &'a BTreeMap<Place, String>,
) -> Vec<(&'a Place, &'a String)> {
    let mut by_package: BTreeMap<&str, Vec<(u64, &Place, &String)>> = BTreeMap::new();
    for (place, excerpt) in places {
        let hash = data::hash(&[rule, &place.package, &place.file, &place.line.to_string()]);
        by_package
            .entry(&place.package)
            .or_default()
            .push((hash, place, excerpt));
    }
    let mut order = Vec::new();
    for of_package in by_package.values_mut() {
        of_package.sort();
        order.extend(of_package.drain(..).enumerate());
    }
    order.sort();
    order
        .into_iter()
        .map(|(_, (_, place, excerpt))| (place, excerpt))
        .collect()
}

/// Applies every fix of the built-in rules to the packages' sources, as the
/// test of the rules' own crate does with the sources of this repository.
pub fn fixes(only: Option<&str>) -> Result<()> {
    let folders = wanted(only)?
        .iter()
        .map(Package::fetch)
        .collect::<Result<Vec<_>>>()?;
    let folders = std::env::join_paths(folders)?;
    run_command(
        cargo()
            .args([
                "test",
                "--quiet",
                "--package",
                "asd-guard",
                "--test",
                "fixes",
            ])
            .env("ASD_FIX_SOURCES", folders),
    )
}
