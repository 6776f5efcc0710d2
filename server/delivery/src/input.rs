//! What delivered files are made from.

use std::sync::Arc;

use asd_knowledge::counters::UsageSummary;
use asd_recipe::Recipe;
use asd_store::Skipped;

use crate::skills::ProjectSkill;

/// Everything that delivered files are made from. All of it is committed to the
/// repository or comes with the program, so two machines make the same bytes.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// The recipes of the project.
    pub entries: Vec<Entry>,
    /// The skills below `Alembic/skills/`.
    pub skills: Vec<ProjectSkill>,
    /// What the server offers to agents.
    pub tools: Vec<ToolSummary>,
    /// Who calls whom; nothing when the code has not been looked at.
    pub calls: Option<Vec<FileCalls>>,
    /// Deliver also what an agent wrote and no person approved.
    pub trust_agents: bool,
    /// Recipe files that could not be read, to be told to a person.
    pub left_out: Vec<Skipped>,
}

/// A recipe with what the committed summary of use says of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it says.
    pub recipe: Arc<Recipe>,
    /// Project-relative path of its file, with `/`.
    pub path: Arc<str>,
    /// Adoptions, applications and guard hits together.
    pub use_count: u64,
    /// 0 to 5.
    pub authority: f64,
}

/// A tool of the server, as far as agents are told of it in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolSummary {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in at most eight words.
    pub purpose: &'static str,
}

/// How many places of one file call into another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileCalls {
    /// Project-relative path of the calling file, with `/`.
    pub caller: String,
    /// Project-relative path of the called file, with `/`.
    pub callee: String,
    /// How many call sites.
    pub count: u64,
}

impl Entry {
    /// A recipe with what the committed summary of use says of it. Counters of
    /// this machine alone do not count: other machines do not have them.
    #[must_use]
    pub fn new(path: Arc<str>, recipe: Arc<Recipe>, usage: &UsageSummary) -> Self {
        let counts = recipe.id.as_ref().and_then(|id| usage.recipes.get(id));
        let authority = recipe
            .extra
            .get("stats")
            .and_then(|stats| stats.get("authority"))
            .and_then(serde_json::Value::as_f64);
        Self {
            use_count: counts.map_or(0, |counts| {
                counts
                    .adoptions
                    .saturating_add(counts.applications)
                    .saturating_add(counts.guard_hits)
            }),
            authority: authority.unwrap_or_default(),
            recipe,
            path,
        }
    }
}
