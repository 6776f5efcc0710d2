//! What a check leaves behind for the next one: runs, counts of rules, signals.
//! (guard.md §5, §10, §11)

use std::collections::{BTreeMap, BTreeSet};

use asd_guard::{
    Feedback, Occurrence, RunSummary, StoredRun, Timestamp, add_run, disappeared, judged_stats,
};
use asd_recipe::Severity;
use asd_store::{
    Project, Records, Signal, Usage, WriteError, append_signals, append_usage, change_records,
    new_run_id,
};
use serde_json::json;

use crate::compliance::with_suppressions;
use crate::flat::Flat;
use crate::report::{BatchDetails, FileResult};

/// A check to be remembered.
pub struct Recording<'r> {
    /// What it said.
    pub details: &'r BatchDetails,
    /// The folder that it covered as a whole, project-relative with `/` and `.`
    /// for the project; `None` when it looked at single files.
    pub whole: Option<&'r str>,
    /// Everybody's verdicts, from which the counts of the rules follow.
    pub feedback: &'r [Feedback],
    /// Whether a rule, by its id, still looks at a file of the check. Where it
    /// does not, a violation that is gone was not mended.
    pub still_checks: &'r dyn Fn(&str, &FileResult) -> bool,
    /// This moment.
    pub now: Timestamp,
}

/// A violation that was mended since the run before.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mended {
    rule_id: String,
    file_path: String,
    recipe: String,
}

#[derive(Default)]
struct News {
    mended: Vec<Mended>,
    /// How often the rules of each recipe fired anew.
    hits: BTreeMap<String, u64>,
    summary_changed: bool,
}

impl Recording<'_> {
    /// Stores the run below `.asd/`, finds what was mended since the one before
    /// and tells both to those who watch the signals.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn store(&self, project: &Project) -> Result<(), WriteError> {
        let exists = |rel: &str| project.root().join(rel).exists();
        let news = change_records(project, |records| self.take_in(records, &exists))?;
        append_signals(project, &self.signals(&news))?;
        append_usage(project, &self.usage(&news))
    }

    fn take_in(&self, records: &mut Records, exists: &dyn Fn(&str) -> bool) -> News {
        let mut latest: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, run) in records.runs.iter().enumerate() {
            latest.insert(&run.file_path, index);
        }
        let recipes: BTreeMap<&str, &str> = self
            .details
            .rules
            .iter()
            .filter_map(|rule| Some((rule.id.as_str(), rule.recipe_id.as_deref()?)))
            .collect();
        let mut found: BTreeMap<&str, Vec<Occurrence>> = BTreeMap::new();
        for violation in self.details.flat() {
            // One that lies in several files belongs to the first.
            let of_file = found.entry(violation.path).or_default();
            of_file.push(occurrence(&violation, &recipes));
        }
        let mut news = News::default();
        let mut runs = Vec::new();
        let mut fired: BTreeMap<String, u64> = BTreeMap::new();
        for file in self.details.files.iter().filter(|file| file.checked) {
            let now = found.remove(file.file_path.as_str()).unwrap_or_default();
            let before = latest.get(file.file_path.as_str());
            let before: &[Occurrence] =
                before.map_or(&[], |index| &records.runs[*index].violations);
            for found in disappeared(&now, before) {
                *fired.entry(found.rule_id.clone()).or_default() += 1;
                if let Some(recipe) = &found.recipe {
                    *news.hits.entry(recipe.clone()).or_default() += 1;
                }
            }
            for found in &now {
                fired.entry(found.rule_id.clone()).or_default();
            }
            for gone in disappeared(before, &now) {
                if let Some(recipe) = &gone.recipe
                    && self.is_mended(&gone.rule_id, file)
                {
                    news.mended.push(Mended {
                        rule_id: gone.rule_id.clone(),
                        file_path: file.file_path.clone(),
                        recipe: recipe.clone(),
                    });
                }
            }
            // A file that was never wrong is part of the run over all of them.
            if !now.is_empty() || !before.is_empty() || self.whole.is_none() {
                runs.push(self.run(file.file_path.clone(), summary_of(&now), now));
            }
        }
        for (rule, anew) in fired {
            records.stats.entry(rule).or_default().fired(anew, self.now);
        }
        let verdicts = with_suppressions(self.feedback, self.details);
        records.stats = judged_stats(&records.stats, &verdicts);
        if let Some(whole) = self.whole {
            let summary = self.summary();
            news.summary_changed = latest
                .get(whole)
                .is_none_or(|index| records.runs[*index].summary != summary);
            runs.push(self.run(whole.to_owned(), summary, Vec::new()));
        }
        for run in runs {
            add_run(&mut records.runs, run);
        }
        // What was deleted is neither wrong any more nor mended.
        let gone: BTreeSet<String> = records
            .runs
            .iter()
            .filter(|run| !run.violations.is_empty() && !exists(&run.file_path))
            .map(|run| run.file_path.clone())
            .collect();
        records.runs.retain(|run| !gone.contains(&run.file_path));
        news
    }

    /// Whether the rule was decided on the file and nothing hides its findings.
    fn is_mended(&self, rule_id: &str, file: &FileResult) -> bool {
        let undecided = file
            .uncertain_results
            .iter()
            .any(|uncertain| uncertain.rule_id == rule_id || uncertain.rule_id == "*")
            || file
                .skipped_checks
                .iter()
                .any(|check| check.rule_id.as_deref().is_none_or(|id| id == rule_id));
        let suppressed = self.details.suppressions.iter().any(|suppression| {
            suppression.used
                && suppression.rule_id == rule_id
                && suppression.file_path == file.file_path
        });
        !undecided && !suppressed && (self.still_checks)(rule_id, file)
    }

    fn run(
        &self,
        file_path: String,
        summary: RunSummary,
        violations: Vec<Occurrence>,
    ) -> StoredRun {
        StoredRun {
            id: new_run_id(self.now),
            file_path,
            triggered_at: self.now,
            violation_count: summary.errors + summary.warnings + summary.infos,
            summary,
            violations,
        }
    }

    fn summary(&self) -> RunSummary {
        let mut summary = RunSummary::default();
        for violation in self.details.flat() {
            match violation.severity {
                Severity::Error => summary.errors += 1,
                Severity::Warning => summary.warnings += 1,
                Severity::Info => summary.infos += 1,
            }
        }
        summary
    }

    fn signals(&self, news: &News) -> Vec<Signal> {
        let signal = |kind, target: &str, value, metadata| Signal {
            kind,
            source: "guard",
            target: target.to_owned(),
            value,
            metadata,
            timestamp: self.now.0,
        };
        let mut signals: Vec<Signal> = news
            .mended
            .iter()
            .map(|mended| {
                let metadata = json!({
                    "usageType": "application",
                    "source": "guard_fix_detection",
                    "ruleId": mended.rule_id,
                    "filePath": mended.file_path,
                });
                signal("usage", &mended.recipe, 1.0, metadata)
            })
            .collect();
        if news.summary_changed {
            let summary = self.summary();
            let value = if summary.errors > 0 { 1.0 } else { 0.5 };
            let target = self.whole.unwrap_or(".");
            signals.push(signal("guard", target, value, json!({"summary": summary})));
            let uncertain: usize = self
                .details
                .files
                .iter()
                .map(|file| file.uncertain_results.len())
                .sum();
            if uncertain >= 5 {
                let value = if uncertain >= 20 { 1.0 } else { 0.5 };
                let metadata = json!({"uncertain": uncertain});
                signals.push(signal("guard_blind_spot", target, value, metadata));
            }
        }
        signals
    }

    fn usage(&self, news: &News) -> Vec<Usage> {
        let mut applied: BTreeMap<&str, u64> = BTreeMap::new();
        for mended in &news.mended {
            *applied.entry(&mended.recipe).or_default() += 1;
        }
        let usage = |event: &'static str| {
            move |(id, count): (&str, u64)| Usage {
                t: self.now.0,
                id: id.to_owned(),
                e: event,
                n: count,
            }
        };
        let hits = news.hits.iter().map(|(id, count)| (id.as_str(), *count));
        hits.map(usage("guardHit"))
            .chain(applied.into_iter().map(usage("application")))
            .collect()
    }
}

fn occurrence(violation: &Flat<'_>, recipes: &BTreeMap<&str, &str>) -> Occurrence {
    Occurrence {
        rule_id: violation.rule_id.to_owned(),
        severity: violation.severity,
        line: violation.place.line,
        snippet: violation.snippet.to_owned(),
        recipe: recipes
            .get(violation.rule_id)
            .map(|recipe| (*recipe).to_owned()),
    }
}

fn summary_of(occurrences: &[Occurrence]) -> RunSummary {
    let mut summary = RunSummary::default();
    for found in occurrences {
        match found.severity {
            Severity::Error => summary.errors += 1,
            Severity::Warning => summary.warnings += 1,
            Severity::Info => summary.infos += 1,
        }
    }
    summary
}
