//! The coverage matrix: to how much of each module the project's own rules
//! apply. (guard.md §12)

use std::collections::{BTreeMap, BTreeSet};

use asd_guard::RuleStats;
use asd_store::FileEntry;
use asd_syntax::Language;
use serde::{Deserialize, Serialize};

use crate::ProjectState;

/// Files that make their folder a module of its own.
const MANIFESTS: &[&str] = &[
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Package.swift",
    "pubspec.yaml",
];

/// All modules with the mean of their coverage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverageMatrix {
    /// The mean over modules with files, in percent.
    pub overall: u8,
    /// By module.
    pub modules: Vec<ModuleCoverage>,
}

/// To how much of a module the project's own rules apply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModuleCoverage {
    /// Its folder, project-relative with `/`; `.` for files at the root.
    pub module: String,
    /// How many files it has in a known language.
    pub files: usize,
    /// How many of the project's own rules apply to a file of it.
    pub rule_count: usize,
    /// The mean false-positive rate of those of them that were judged.
    pub fp_rate: Option<f64>,
    /// Percent of its files to which one of the project's own rules applies.
    pub coverage: u8,
    /// The same in a word.
    pub level: CoverageLevel,
}

/// Coverage in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CoverageLevel {
    /// None at all.
    Zero,
    /// Below 50 %.
    Low,
    /// 50 % or more.
    Good,
}

impl CoverageMatrix {
    /// The matrix of these modules, sorted by name.
    #[must_use]
    pub fn new(mut modules: Vec<ModuleCoverage>) -> Self {
        modules.sort_by(|a, b| a.module.cmp(&b.module));
        let sum: usize = modules.iter().map(|m| usize::from(m.coverage)).sum();
        Self {
            overall: percent_of(sum, modules.len() * 100),
            modules,
        }
    }
}

impl ProjectState {
    /// The modules that `files` make up: the folder of the nearest manifest
    /// below the root, else the first folder of the path.
    #[must_use]
    pub fn module_coverage(
        &self,
        files: &[FileEntry],
        stats: &BTreeMap<String, RuleStats>,
    ) -> Vec<ModuleCoverage> {
        let manifests: BTreeSet<&str> = files
            .iter()
            .filter_map(|file| {
                let (folder, name) = file.rel.rsplit_once('/')?;
                MANIFESTS.contains(&name).then_some(folder)
            })
            .collect();
        #[derive(Default)]
        struct Found<'r> {
            files: usize,
            covered: usize,
            rules: BTreeSet<&'r str>,
        }
        let mut modules: BTreeMap<&str, Found<'_>> = BTreeMap::new();
        for file in files {
            let Some(language) = Language::of_file(&file.path, "") else {
                continue;
            };
            let has_rules = self
                .rules()
                .rules()
                .iter()
                .any(|rule| rule.languages.iter().any(|id| id == language.id()));
            let mut applying = self
                .rules()
                .recipe_rules_at(language, &file.rel)
                .map(|rule| rule.id.as_str())
                .peekable();
            // Data and prose count only where a rule looks at them.
            if !has_rules && applying.peek().is_none() {
                continue;
            }
            let found = modules.entry(module_of(&file.rel, &manifests)).or_default();
            found.files += 1;
            found.covered += usize::from(applying.peek().is_some());
            found.rules.extend(applying);
        }
        modules
            .into_iter()
            .map(|(module, found)| {
                let coverage = percent_of(found.covered, found.files);
                ModuleCoverage {
                    module: module.to_owned(),
                    files: found.files,
                    rule_count: found.rules.len(),
                    fp_rate: mean(
                        found.rules.iter().filter_map(|id| {
                            stats.get(*id).and_then(RuleStats::false_positive_rate)
                        }),
                    ),
                    coverage,
                    level: level(coverage, found.covered),
                }
            })
            .collect()
    }
}

fn module_of<'p>(path: &'p str, manifests: &BTreeSet<&str>) -> &'p str {
    let mut folder = path;
    while let Some((parent, _)) = folder.rsplit_once('/') {
        if manifests.contains(parent) {
            return parent;
        }
        folder = parent;
    }
    path.split_once('/').map_or(".", |(first, _)| first)
}

const fn level(coverage: u8, covered: usize) -> CoverageLevel {
    if covered == 0 {
        CoverageLevel::Zero
    } else if coverage < 50 {
        CoverageLevel::Low
    } else {
        CoverageLevel::Good
    }
}

/// Rounded; 0 when there is nothing.
fn percent_of(part: usize, whole: usize) -> u8 {
    let percent = (part * 200 + whole).checked_div(whole * 2).unwrap_or(0);
    u8::try_from(percent.min(100)).unwrap_or(100)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_manifest_makes_a_module_else_the_first_folder() {
        let manifests = BTreeSet::from(["packages/app", "packages/app/native"]);
        let module = |path| module_of(path, &manifests);
        assert_eq!(module("packages/app/src/a.ts"), "packages/app");
        assert_eq!(module("packages/app/native/x/a.rs"), "packages/app/native");
        assert_eq!(module("packages/other/a.ts"), "packages");
        assert_eq!(module("a.ts"), ".");
    }

    #[test]
    fn levels_follow_the_coverage() {
        assert_eq!(level(percent_of(0, 3), 0), CoverageLevel::Zero);
        assert_eq!(level(percent_of(1, 3), 1), CoverageLevel::Low);
        assert_eq!(level(percent_of(1, 2), 1), CoverageLevel::Good);
        assert_eq!(level(percent_of(1, 500), 1), CoverageLevel::Low);
    }
}
