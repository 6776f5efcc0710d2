//! What one connection is working on, from the question that primed it to the
//! record that is kept of it. (mcp.md §6–§7)

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// At most so many calls, files and queries are kept; older ones go first and
/// are counted.
const MAX_CALLS: usize = 500;
const MAX_FILES: usize = 200;
const MAX_QUERIES: usize = 100;
/// How long the summary of a call's arguments may be, in characters.
const MAX_SUMMARY: usize = 120;

/// Where a connection stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Nothing is being worked on.
    #[default]
    Idle,
    /// Something is.
    Active,
    /// It was closed.
    Ended,
}

/// How a piece of work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Closed as done.
    Completed,
    /// Closed as failed.
    Failed,
    /// Left for something else, or with the connection.
    Abandoned,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
    /// Its operation and first argument.
    pub args_summary: String,
}

/// Something that was decided with the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// `dec-…`
    pub id: String,
    /// What it is about.
    pub title: String,
    /// What was decided.
    pub description: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// Free words.
    pub tags: Vec<String>,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
}

/// The ways in which work leaves what it was primed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// A file of another module.
    NewModule,
    /// A search for something else.
    SearchShift,
}

/// One such step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DriftEvent {
    /// Which way.
    #[serde(rename = "type")]
    pub kind: Drift,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
    /// The tool that was called.
    pub tool: String,
    /// The module or the query.
    pub detail: String,
    /// How much of it the prime had, 0 to 1.
    pub prime_overlap: f64,
}

/// What a connection is working on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IntentState {
    /// Where it stands.
    pub phase: Phase,
    /// The user's words.
    pub prime_query: String,
    /// The file that was open, project-relative.
    pub prime_active_file: Option<String>,
    /// The recipes that were found.
    pub prime_recipe_ids: Vec<String>,
    /// The language asked for.
    pub prime_language: Option<String>,
    /// The module of the open file.
    pub prime_module: Option<String>,
    /// `generate`, `lint`, `learning` or `search`.
    pub prime_scenario: Option<String>,
    /// When, in milliseconds since 1970.
    pub prime_at: Option<i64>,
    /// Modules of the recipes that were found.
    #[serde(default, skip)]
    pub named_modules: BTreeSet<String>,
    /// What the search says of itself.
    pub search_meta: Value,
    /// The open task.
    pub task_id: Option<String>,
    /// Its title.
    pub task_title: Option<String>,
    /// Calls since, newest last.
    pub tool_calls: Vec<ToolCall>,
    /// Calls that are no longer kept.
    #[serde(default)]
    pub dropped_calls: usize,
    /// Queries since.
    pub search_queries: Vec<String>,
    /// Files named since, project-relative.
    pub mentioned_files: Vec<String>,
    /// How often a module was named.
    pub mentioned_modules: BTreeMap<String, usize>,
    /// What was decided.
    pub decisions: Vec<Decision>,
    /// How it left its way.
    pub drift_events: Vec<DriftEvent>,
}

impl IntentState {
    /// Whether something is being worked on.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.phase == Phase::Active
    }

    /// Whether it is worth a record when it is left: it holds a task, or
    /// something was done.
    #[must_use]
    pub fn is_worth_keeping(&self) -> bool {
        self.is_active() && (self.task_id.is_some() || !self.tool_calls.is_empty())
    }

    /// Remembers a call.
    pub(crate) fn add_call(&mut self, tool: &str, summary: &str, at: i64) {
        self.tool_calls.push(ToolCall {
            tool: tool.to_owned(),
            timestamp: at,
            args_summary: summary.chars().take(MAX_SUMMARY).collect(),
        });
        self.dropped_calls += drop_oldest(&mut self.tool_calls, MAX_CALLS);
    }

    /// Remembers a query.
    pub(crate) fn add_query(&mut self, query: &str) {
        if !query.trim().is_empty() {
            self.search_queries.push(query.to_owned());
            drop_oldest(&mut self.search_queries, MAX_QUERIES);
        }
    }

    /// Remembers a file and its module.
    pub(crate) fn add_file(&mut self, file: &str, module: Option<&str>) {
        if let Some(module) = module {
            *self.mentioned_modules.entry(module.to_owned()).or_default() += 1;
        }
        if !self.mentioned_files.iter().any(|known| known == file) {
            self.mentioned_files.push(file.to_owned());
            drop_oldest(&mut self.mentioned_files, MAX_FILES);
        }
    }

    /// How far the work left its way: the mean of what the prime did not have,
    /// 0 when it never left.
    #[must_use]
    pub fn drift_score(&self) -> f64 {
        if self.drift_events.is_empty() {
            return 0.0;
        }
        let sum: f64 = self
            .drift_events
            .iter()
            .map(|event| 1.0 - event.prime_overlap)
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred events")]
        let mean = sum / self.drift_events.len() as f64;
        (mean * 100.0).round() / 100.0
    }

    /// The record of a chain that ends now.
    #[must_use]
    pub fn record(&self, session: &str, end: &End, at: i64) -> IntentChainRecord {
        let started = self.prime_at.unwrap_or(at);
        IntentChainRecord {
            session_id: session.to_owned(),
            task_id: self.task_id.clone(),
            task_title: self.task_title.clone(),
            outcome: end.outcome,
            prime_query: self.prime_query.clone(),
            prime_active_file: self.prime_active_file.clone(),
            prime_recipe_ids: self.prime_recipe_ids.clone(),
            prime_language: self.prime_language.clone(),
            prime_module: self.prime_module.clone(),
            prime_scenario: self.prime_scenario.clone(),
            search_meta: self.search_meta.clone(),
            tool_calls: self.tool_calls.clone(),
            search_queries: self.search_queries.clone(),
            mentioned_files: self.mentioned_files.clone(),
            mentioned_modules: self.mentioned_modules.clone(),
            decisions: self.decisions.clone(),
            drift_events: self.drift_events.clone(),
            drift_score: self.drift_score(),
            started_at: started,
            ended_at: at,
            duration: at.saturating_sub(started),
            close_reason: end
                .reason
                .clone()
                .filter(|_| end.outcome == Outcome::Completed),
            fail_reason: end
                .reason
                .clone()
                .filter(|_| end.outcome == Outcome::Failed),
        }
    }
}

/// How and why a chain ends.
#[derive(Clone, Debug)]
pub struct End {
    /// How.
    pub outcome: Outcome,
    /// Why.
    pub reason: Option<String>,
}

/// What is kept of a piece of work, one line in `.asd/signals/intent.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of `IntentState`")]
pub struct IntentChainRecord {
    pub session_id: String,
    pub task_id: Option<String>,
    pub task_title: Option<String>,
    pub outcome: Outcome,
    pub prime_query: String,
    pub prime_active_file: Option<String>,
    pub prime_recipe_ids: Vec<String>,
    pub prime_language: Option<String>,
    pub prime_module: Option<String>,
    pub prime_scenario: Option<String>,
    pub search_meta: Value,
    pub tool_calls: Vec<ToolCall>,
    pub search_queries: Vec<String>,
    pub mentioned_files: Vec<String>,
    pub mentioned_modules: BTreeMap<String, usize>,
    pub decisions: Vec<Decision>,
    pub drift_events: Vec<DriftEvent>,
    pub drift_score: f64,
    pub started_at: i64,
    pub ended_at: i64,
    /// Milliseconds.
    pub duration: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_reason: Option<String>,
}

fn drop_oldest<T>(list: &mut Vec<T>, keep: usize) -> usize {
    let surplus = list.len().saturating_sub(keep);
    list.drain(..surplus);
    surplus
}
