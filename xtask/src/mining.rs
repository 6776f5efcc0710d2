//! How often mined conventions are right on real code: the candidates of widely
//! used packages, what a person judged of them by reading the code, and the page
//! that counts both.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::precision::packages::{Package, packages_of};
use crate::tools::{cargo, command, output, root, run};

#[derive(Args)]
pub struct Options {
    /// Change nothing; fail when docs/mining.md is not what the data says
    #[arg(long, conflicts_with = "run")]
    check: bool,
    /// Fetch the packages and mine them again; candidates that nobody judged
    /// are listed, and kept with the verdict `open`
    #[arg(long)]
    run: bool,
    /// With --run: this program instead of one that is built now
    #[arg(long, requires = "run", value_name = "FILE")]
    asd: Option<PathBuf>,
}

const PAGE: &str = "docs/mining.md";
const PACKAGES: &str = "tests/mining/packages.tsv";
const JUDGED: &str = "tests/mining/candidates.tsv";
const STATED: &str = "tests/mining/stated.tsv";
const HEAD: &str = "package\ttrigger\ttitle\tfor\tagainst\tguard\tverdict\treason\n";

pub fn mining(options: &Options) -> Result<()> {
    if options.run {
        mine_again(options.asd.as_deref())?;
    }
    if options.check {
        return check_page();
    }
    fs::write(root().join(PAGE), page()?)?;
    println!("{PAGE} is counted again");
    Ok(())
}

/// Fails when the page is not what the data says.
pub fn check_page() -> Result<()> {
    if fs::read_to_string(root().join(PAGE)).unwrap_or_default() != page()? {
        bail!("{PAGE} is not up to date; run: cargo xtask mining");
    }
    println!("{PAGE} is up to date");
    Ok(())
}

/// A candidate with what was judged of it.
struct Row {
    package: String,
    trigger: String,
    title: String,
    kept: usize,
    broken: usize,
    guard: String,
    /// `right`, `wrong`, or `open` while nobody judged it.
    verdict: String,
    reason: String,
}

fn rows() -> Result<Vec<Row>> {
    let path = root().join(JUDGED);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [
                package,
                trigger,
                title,
                kept,
                broken,
                guard,
                verdict,
                reason,
            ] = cells[..]
            else {
                bail!("{JUDGED}: eight cells are needed: {line}");
            };
            if !matches!(verdict, "right" | "wrong" | "open")
                || (verdict != "open" && reason.is_empty())
            {
                bail!("{JUDGED}: a verdict is right or wrong and has a reason: {line}");
            }
            Ok(Row {
                package: package.to_owned(),
                trigger: trigger.to_owned(),
                title: title.to_owned(),
                kept: kept.parse()?,
                broken: broken.parse()?,
                guard: guard.to_owned(),
                verdict: verdict.to_owned(),
                reason: reason.to_owned(),
            })
        })
        .collect()
}

fn mine_again(asd: Option<&std::path::Path>) -> Result<()> {
    let program = if let Some(asd) = asd {
        asd.to_owned()
    } else {
        run(cargo().args(["build", "--release", "-p", "asd-cli"]))?;
        root().join("target/release/asd")
    };
    let known: BTreeMap<(String, String), (String, String)> = rows()
        .unwrap_or_default()
        .into_iter()
        .map(|row| ((row.package, row.trigger), (row.verdict, row.reason)))
        .collect();
    let mut text = HEAD.to_owned();
    let mut open = 0;
    for package in packages_of(PACKAGES)? {
        for row in mined(&program, &package)? {
            let place = (row.package.clone(), row.trigger.clone());
            let (verdict, reason) = known.get(&place).cloned().unwrap_or_else(|| {
                open += 1;
                println!(
                    "nobody judged: {} {} {}",
                    row.package, row.trigger, row.title
                );
                ("open".to_owned(), String::new())
            });
            writeln!(
                text,
                "{}\t{}\t{}\t{}\t{}\t{}\t{verdict}\t{reason}",
                row.package, row.trigger, row.title, row.kept, row.broken, row.guard
            )?;
        }
    }
    fs::write(root().join(JUDGED), text)?;
    if open > 0 {
        println!("{open} candidates have to be judged in {JUDGED}");
    }
    Ok(())
}

fn mined(program: &std::path::Path, package: &Package) -> Result<Vec<Row>> {
    let folder = package.fetch()?;
    let said = output(command(program).args(["mine", "--json"]).arg(&folder))?;
    let said: Value = serde_json::from_str(&said).context("asd mine --json gave no JSON")?;
    let list = said["candidates"]
        .as_array()
        .context("no candidates in the JSON")?;
    Ok(list
        .iter()
        .map(|one| {
            let text = |key: &str| {
                one[key]
                    .as_str()
                    .unwrap_or_default()
                    .replace(['\t', '\n'], " ")
            };
            let number = |key: &str| one[key].as_u64().unwrap_or(0) as usize;
            let guard = match (&one["guard"], &one["guardNote"]) {
                (Value::Null, Value::Null) => "none",
                (Value::Null, _) => "left out",
                _ => "exact",
            };
            Row {
                package: package.name.clone(),
                trigger: text("trigger"),
                title: text("title"),
                kept: number("for"),
                broken: number("against"),
                guard: guard.to_owned(),
                verdict: String::new(),
                reason: String::new(),
            }
        })
        .collect())
}

const ABOUT: &str = "\
# How often mined conventions are right

`asd mine` was run over the packages below with its usual thresholds, and every
candidate was judged once: is this what the project does, would its maintainers
say so in a review, and is it more than the language or its usual linter demands
anyway? Most were judged from their counts, names and places alone. The code was
opened where the reason says `read`, and the configuration where it says
`stated`; the share of wrong ones is an estimate until the rest is read too.

A candidate needs twelve places that agree, in three files, and a confidence of
0.75: the lower end of Wilson's 95 % interval of the share that agrees. A guard
is given only when it finds exactly the places that were counted against; where
one was tried and found more or less, it is left out.

The verdicts and their reasons are in `tests/mining/candidates.tsv`. This page
is counted from them by `cargo xtask mining`; `cargo xtask mining --run` fetches
the packages and mines them again.

";

fn page() -> Result<String> {
    let rows = rows()?;
    let mut page = ABOUT.to_owned();
    page.push_str("| package | candidates | right | wrong | not judged | guards that find exactly the outliers |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    let count = |package: Option<&str>, is: &dyn Fn(&Row) -> bool| {
        rows.iter()
            .filter(|row| package.is_none_or(|package| row.package == package) && is(row))
            .count()
    };
    let mut line = |name: &str, package: Option<&str>| {
        writeln!(
            page,
            "| {name} | {} | {} | {} | {} | {} |",
            count(package, &|_| true),
            count(package, &|row| row.verdict == "right"),
            count(package, &|row| row.verdict == "wrong"),
            count(package, &|row| row.verdict == "open"),
            count(package, &|row| row.guard == "exact"),
        )
    };
    let packages = packages_of(PACKAGES)?;
    for package in &packages {
        line(
            &format!("{} {}", package.name, package.version),
            Some(&package.name),
        )?;
    }
    line("all", None)?;
    let judged = count(None, &|row| row.verdict != "open");
    let wrong = count(None, &|row| row.verdict == "wrong");
    if judged > 0 {
        writeln!(
            page,
            "\nOf {judged} judged candidates {wrong} are wrong: {:.1} %.",
            wrong as f64 * 100.0 / judged as f64
        )?;
    }
    page.push_str("\n## Conventions that the packages state themselves\n\nWhat a contributing guide or a lint configuration says, and what was mined without reading it.\n\n");
    page.push_str("| package | stated in | what it states | mined | places |\n| --- | --- | --- | --- | --- |\n");
    let stated = fs::read_to_string(root().join(STATED)).context(STATED)?;
    for entry in stated.lines().skip(1) {
        let cells: Vec<&str> = entry.split('\t').collect();
        let [package, file, says, trigger] = cells[..] else {
            bail!("{STATED}: four cells are needed: {entry}");
        };
        let found = rows
            .iter()
            .find(|row| row.package == package && row.trigger == trigger);
        let (mined, places) = match found {
            Some(row) => (
                row.title.clone(),
                format!("{} of {}", row.kept, row.kept + row.broken),
            ),
            None => ("not found".to_owned(), String::new()),
        };
        writeln!(page, "| {package} | {file} | {says} | {mined} | {places} |")?;
    }
    page.push_str("\n## Every candidate\n\n| package | convention | for | against | guard | verdict | reason |\n| --- | --- | ---: | ---: | --- | --- | --- |\n");
    for row in &rows {
        writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.package,
            row.title.replace('|', "\\|"),
            row.kept,
            row.broken,
            row.guard,
            row.verdict,
            row.reason.replace('|', "\\|")
        )?;
    }
    Ok(page)
}
