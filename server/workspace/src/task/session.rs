//! One connection: how much it called, what it is working on, and the task it
//! has open. Pure; who writes the records that come out is the caller's business.
//! (mcp.md §6–§7)

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use asd_search::PrimeMeta;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::service::{ErrorCode, ServiceError};
use crate::task::drift;
use crate::task::intent::{Decision, End, IntentChainRecord, IntentState, Outcome, Phase};

/// Files that one call may bring in.
const MAX_FILES_A_CALL: usize = 50;
/// A recipe that was found counts once in so many milliseconds.
const HIT_EVERY: i64 = 10 * 60 * 1000;
/// Arguments that name files.
const FILE_ARGUMENTS: &[&str] = &[
    "files",
    "filePath",
    "activeFile",
    "referencedFiles",
    "articlesWritten",
];
/// Tools whose results name the files that they are about.
const FILE_RESULTS: &[&str] = &["asd_structure", "asd_guard", "asd_call_context"];

/// One connection.
#[derive(Clone, Debug)]
pub struct Session {
    /// `ses-…`
    pub id: String,
    /// Milliseconds since 1970.
    pub started_at: i64,
    /// Calls so far.
    pub tool_call_count: u64,
    /// How often each tool was called.
    pub tools_used: BTreeMap<String, u64>,
    /// Milliseconds since 1970.
    pub last_activity_at: i64,
    /// What it is working on.
    pub intent: IntentState,
    root: PathBuf,
    tasks: u32,
    /// Decisions taken while nothing was being worked on.
    held: Vec<Decision>,
    /// When a recipe was last counted as found.
    hits: BTreeMap<String, i64>,
}

/// Work that is left open for another process to take up: in the terminal every
/// command is a process of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenWork {
    session_id: String,
    started_at: i64,
    tasks: u32,
    /// What is being worked on.
    pub intent: IntentState,
    held: Vec<Decision>,
}

/// What a prime is about and what it found.
#[derive(Clone, Debug, Default)]
pub struct Primed {
    /// The user's words.
    pub query: String,
    /// The open file.
    pub active_file: Option<String>,
    /// What the search says of itself.
    pub meta: PrimeMeta,
    /// The recipes that it found.
    pub recipe_ids: Vec<String>,
    /// Their modules.
    pub modules: BTreeSet<String>,
}

impl Session {
    /// A connection to the project at `root` that begins now.
    #[must_use]
    pub fn new(root: &Path, now: i64) -> Self {
        Self {
            id: format!("ses-{}-{:04x}", base36(now), std::process::id() & 0xFFFF),
            started_at: now,
            tool_call_count: 0,
            tools_used: BTreeMap::new(),
            last_activity_at: now,
            intent: IntentState::default(),
            root: root.to_path_buf(),
            tasks: 0,
            held: Vec::new(),
            hits: BTreeMap::new(),
        }
    }

    /// A connection that goes on with work that was left open.
    #[must_use]
    pub fn resume(root: &Path, work: OpenWork, now: i64) -> Self {
        Self {
            id: work.session_id,
            started_at: work.started_at,
            tasks: work.tasks,
            intent: work.intent,
            held: work.held,
            ..Self::new(root, now)
        }
    }

    /// The work that is open; `None` when there is none.
    #[must_use]
    pub fn open_work(&self) -> Option<OpenWork> {
        (self.intent.is_active() || !self.held.is_empty()).then(|| OpenWork {
            session_id: self.id.clone(),
            started_at: self.started_at,
            tasks: self.tasks,
            intent: self.intent.clone(),
            held: self.held.clone(),
        })
    }

    /// Counts a call, and follows where the work goes.
    pub fn observe(&mut self, tool: &str, arguments: &Value, data: &Value, now: i64) {
        self.tool_call_count += 1;
        *self.tools_used.entry(tool.to_owned()).or_default() += 1;
        self.last_activity_at = now;
        if !self.intent.is_active() || matches!(tool, "asd_task" | "asd_health") {
            return;
        }
        self.intent.add_call(tool, &summary(arguments), now);
        if tool == "asd_search"
            && let Some(query) = arguments.get("query").and_then(Value::as_str)
        {
            self.intent.add_query(query);
            if let Some(event) = drift::of_query(&self.intent, tool, query, now) {
                self.intent.drift_events.push(event);
            }
        }
        let mut files = BTreeSet::new();
        for name in FILE_ARGUMENTS {
            if let Some(value) = arguments.get(*name) {
                add_paths(value, &mut files);
            }
        }
        if FILE_RESULTS.contains(&tool) {
            find_paths(data, &mut files);
        }
        for file in files.into_iter().take(MAX_FILES_A_CALL) {
            let Some(file) = self.relative(&file) else {
                continue;
            };
            let module = self.module_of(&file);
            if let Some(module) = &module
                && let Some(event) = drift::of_module(&self.intent, tool, module, now)
            {
                self.intent.drift_events.push(event);
            }
            self.intent.add_file(&file, module.as_deref());
        }
    }

    /// Begins new work; gives the record of the work that is left for it, when
    /// it is worth one.
    pub fn prime(&mut self, primed: Primed, now: i64) -> Option<IntentChainRecord> {
        let left = self.abandon(now);
        let active_file = primed.active_file.and_then(|file| self.relative(&file));
        self.intent = IntentState {
            phase: Phase::Active,
            prime_query: primed.query,
            prime_module: active_file.as_deref().and_then(|file| self.module_of(file)),
            prime_active_file: active_file,
            prime_recipe_ids: primed.recipe_ids,
            prime_language: primed.meta.language.clone(),
            prime_scenario: Some(primed.meta.scenario.as_str().to_owned()),
            prime_at: Some(now),
            named_modules: primed.modules,
            search_meta: json!(primed.meta),
            decisions: std::mem::take(&mut self.held),
            ..IntentState::default()
        };
        left
    }

    /// Opens a task. Without a prime before it, its title is what the work is
    /// about. Gives its id, and whether there was a prime.
    pub fn create(&mut self, title: &str, now: i64) -> (String, bool) {
        self.tasks += 1;
        let id = format!("asd-{}-{}", base36(now), self.tasks);
        let primed = self.intent.is_active();
        if !primed {
            self.intent = IntentState {
                phase: Phase::Active,
                prime_query: title.to_owned(),
                prime_at: Some(now),
                decisions: std::mem::take(&mut self.held),
                ..IntentState::default()
            };
        }
        self.intent.task_id = Some(id.clone());
        self.intent.task_title = Some(title.to_owned());
        (id, primed)
    }

    /// Writes a decision down; while nothing is being worked on it is held for
    /// what comes next.
    pub fn record_decision(&mut self, mut decision: Decision) -> Decision {
        let known = self.held.len() + self.intent.decisions.len();
        decision.id = format!(
            "dec-{}",
            base36(decision.timestamp * 64 + known as i64 % 64)
        );
        if self.intent.is_active() {
            self.intent.decisions.push(decision.clone());
        } else {
            self.held.push(decision.clone());
        }
        decision
    }

    /// Ends the work that is open. Gives the id of its task and its record.
    ///
    /// # Errors
    /// `NO_ACTIVE_TASK`, and `CONFLICT` when `id` is that of another task.
    pub fn end(
        &mut self,
        id: Option<&str>,
        end: &End,
        now: i64,
    ) -> Result<(Option<String>, IntentChainRecord), ServiceError> {
        if !self.intent.is_active() {
            return Err(ServiceError::new(
                ErrorCode::NoActiveTask,
                "No task is open here.",
            ));
        }
        let open = self.intent.task_id.clone();
        if let (Some(id), Some(open)) = (id, &open)
            && id != open
        {
            return Err(ServiceError::new(
                ErrorCode::Conflict,
                format!("The open task is `{open}`, not `{id}`."),
            )
            .with_data(json!({"openTask": open})));
        }
        if open.is_none()
            && let Some(id) = id
        {
            return Err(ServiceError::new(
                ErrorCode::NoActiveTask,
                format!("No task is open here; `{id}` is not known."),
            ));
        }
        let record = self.intent.record(&self.id, end, now);
        self.intent = IntentState::default();
        Ok((open, record))
    }

    /// Leaves the work that is open; gives its record when it is worth one.
    pub fn abandon(&mut self, now: i64) -> Option<IntentChainRecord> {
        let end = End {
            outcome: Outcome::Abandoned,
            reason: None,
        };
        let record = self
            .intent
            .is_worth_keeping()
            .then(|| self.intent.record(&self.id, &end, now));
        self.intent = IntentState::default();
        record
    }

    /// Of the recipes that were found, those that count as a hit: each once in
    /// ten minutes.
    pub fn count_hits(&mut self, ids: &[String], now: i64) -> Vec<String> {
        let mut counted = Vec::new();
        for id in ids {
            let last = self.hits.get(id).copied();
            if last.is_none_or(|last| now.saturating_sub(last) >= HIT_EVERY) {
                self.hits.insert(id.clone(), now);
                counted.push(id.clone());
            }
        }
        counted
    }

    /// The last queries, for searches in context.
    #[must_use]
    pub fn queries(&self) -> &[String] {
        &self.intent.search_queries
    }

    /// A path as the project names it; `None` when it lies outside.
    fn relative(&self, path: &str) -> Option<String> {
        let path = Path::new(path.trim());
        let below = if path.is_absolute() {
            path.strip_prefix(&self.root).ok()?
        } else {
            path
        };
        let mut parts = Vec::new();
        for part in below.components() {
            match part {
                Component::Normal(part) => parts.push(part.to_string_lossy()),
                Component::CurDir => {}
                _ => return None,
            }
        }
        (!parts.is_empty()).then(|| parts.join("/"))
    }

    fn module_of(&self, file: &str) -> Option<String> {
        asd_search::module_of(file, &self.root)
    }
}

/// The operation and the first other argument of a call.
fn summary(arguments: &Value) -> String {
    let Some(arguments) = arguments.as_object() else {
        return String::new();
    };
    let operation = arguments.get("operation").and_then(Value::as_str);
    let first = arguments
        .iter()
        .find(|(name, value)| *name != "operation" && !value.is_null())
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name}={text}"),
            None => format!("{name}={value}"),
        });
    let parts: Vec<String> = operation
        .map(str::to_owned)
        .into_iter()
        .chain(first)
        .collect();
    parts.join(" ")
}

/// The paths in an argument: a text, or a list of texts or of objects.
fn add_paths(value: &Value, paths: &mut BTreeSet<String>) {
    match value {
        Value::String(path) => {
            paths.insert(path.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| add_paths(item, paths)),
        Value::Object(item) => {
            for name in ["path", "filePath", "file"] {
                if let Some(path) = item.get(name) {
                    add_paths(path, paths);
                    return;
                }
            }
        }
        _ => {}
    }
}

/// The paths that a result names, wherever they stand in it.
fn find_paths(value: &Value, paths: &mut BTreeSet<String>) {
    if paths.len() >= MAX_FILES_A_CALL {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| find_paths(item, paths)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), field) {
                    ("path" | "filePath" | "file", Value::String(path)) => {
                        paths.insert(path.clone());
                    }
                    _ => find_paths(field, paths),
                }
            }
        }
        _ => {}
    }
}

/// A number in the digits 0–9 and a–z.
fn base36(number: i64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut number = number.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}
