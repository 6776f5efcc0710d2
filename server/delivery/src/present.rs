//! Which recipes the delivered rule files hold, so that nobody is told twice.

use std::collections::BTreeSet;

use asd_recipe::Recipe;
use asd_store::{Disk, Host, Project, read_text_up_to};

use crate::render::{patterns, rules};

/// A rule file is kept within a budget; one of this size is not ours.
const MAX_FILE: u64 = 256 * 1024;

/// What stands in the rule files of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Present {
    rules: BTreeSet<String>,
    patterns: BTreeSet<String>,
}

impl Present {
    /// Reads the files of the channels A and B.
    #[must_use]
    pub fn read(project: &Project) -> Self {
        let lines = |path: &std::path::Path| -> Vec<String> {
            read_text_up_to(&Disk, path, MAX_FILE)
                .map(|decoded| decoded.text.lines().map(str::to_owned).collect())
                .unwrap_or_default()
        };
        let rules_path = project.root().join(rules::PATH);
        let mut patterns = BTreeSet::new();
        let folder = rules_path.parent().unwrap_or(project.root());
        for path in Disk.list(folder).unwrap_or_default() {
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(patterns::is_file) {
                let headings = lines(&path).into_iter();
                patterns.extend(
                    headings.filter_map(|line| line.strip_prefix("### ").map(str::to_owned)),
                );
            }
        }
        Self {
            rules: lines(&rules_path).into_iter().collect(),
            patterns,
        }
    }

    /// The channel that holds a recipe, `A` or `B`.
    #[must_use]
    pub fn channel_of(&self, recipe: &Recipe) -> Option<&'static str> {
        if self.patterns.contains(recipe.trigger.trim()) {
            return Some("B");
        }
        let line = rules::rule_line(recipe)?;
        self.rules.contains(line.trim_end()).then_some("A")
    }
}
