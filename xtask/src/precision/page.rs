//! docs/precision.md, counted from the data.

use std::fmt::Write as _;

use anyhow::Result;

use super::data::{self, State, Verdict};
use super::packages::packages;

const HEAD: &str = "\
# How often the built-in rules are right

The rules were run over the packages below, and a sample of what each found was
judged by reading the code: would someone who keeps the linter that owns the
idea call this a violation? The sample takes up to 25 findings of a rule, in
turn from every package and in the order of a hash. What was judged wrong led
to a change of the rule and a case in `tests/guards/builtin/`; such findings
stay in the data, so that they are missed when they come back.

The verdicts and their reasons are in `tests/precision/judged/`. This page is
counted from them by `cargo xtask precision`; `cargo xtask precision --run`
fetches the packages, runs the rules again, says which judged findings are gone
or new, and applies every fix to every package.

## Rules

| rule | severity | findings | packages | judged | right | share right | false alarms removed |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
";

pub fn page() -> Result<String> {
    let mut page = HEAD.to_owned();
    let judgements = data::judgements()?;
    let counts = data::counts()?;
    let (mut all_judged, mut all_right, mut all_found, mut all_removed) = (0, 0, 0, 0);
    let mut rules: Vec<&String> = counts.keys().chain(judgements.keys()).collect();
    rules.sort();
    rules.dedup();
    for rule in rules {
        let count = counts.get(rule).cloned().unwrap_or_default();
        let (mut judged, mut right, mut removed) = (0, 0, 0);
        for row in judgements.get(rule).into_iter().flat_map(|j| j.values()) {
            match (row.state, row.verdict) {
                (State::Found, verdict) => {
                    judged += 1;
                    right += usize::from(verdict == Verdict::Right);
                }
                (State::Gone, Verdict::Wrong) => removed += 1,
                (State::Gone, Verdict::Right) => {}
            }
        }
        writeln!(
            page,
            "| [{rule}](rules/{rule}.md) | {} | {} | {} | {judged} | {right} | {} | {removed} |",
            if count.severity.is_empty() {
                "–"
            } else {
                &count.severity
            },
            count.findings,
            count.packages,
            share(right, judged),
        )?;
        all_judged += judged;
        all_right += right;
        all_found += count.findings;
        all_removed += removed;
    }
    writeln!(
        page,
        "| all | | {all_found} | | {all_judged} | {all_right} | {} | {all_removed} |",
        share(all_right, all_judged)
    )?;
    page.push_str(
        "\nA rule that is not in the table found nothing in these packages; its cases are\n\
         those of `tests/guards/builtin/`.\n\n\
         ## Packages\n\n| registry | package | version | languages |\n| --- | --- | --- | --- |\n",
    );
    for package in packages()? {
        writeln!(
            page,
            "| {} | {} | {} | {} |",
            package.registry, package.name, package.version, package.languages
        )?;
    }
    Ok(page)
}

fn share(right: usize, judged: usize) -> String {
    if judged == 0 {
        return "–".to_owned();
    }
    let tenths = (right * 1000 + judged / 2) / judged;
    format!("{}.{} %", tenths / 10, tenths % 10)
}
