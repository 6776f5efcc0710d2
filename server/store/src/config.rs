use std::collections::BTreeMap;

use asd_guard::{Exclusions, GuardOptions, PathExclusion, Profile, RuleOverride, SourceFilter};
use asd_recipe::{Problem, Severity};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config_read;
use crate::config_search::SearchConfig;
use crate::node::Node;

/// The settings of a project: `Alembic/config.toml`, over the user's own
/// settings, under those of the editor. Every key has a default, and each key
/// may also be written in snake_case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(title = "Alembic project settings")]
pub struct Config {
    /// What is checked, and how strictly.
    pub guard: GuardConfig,
    /// What a build may have before it fails.
    pub quality_gate: QualityGate,
    /// Which files are looked at.
    pub files: FilesConfig,
    /// Folders outside of `Alembic/` whose recipes apply too, for example one
    /// that several projects share. Relative paths start at the project's root.
    /// They are only read.
    pub recipes_dirs: Vec<String>,
    /// How recipes are searched.
    pub search: SearchConfig,
    /// What is brought into the files that agents read.
    pub delivery: DeliveryConfig,
    /// The project's name; that of its folder by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What is brought into the files that agents read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DeliveryConfig {
    /// Deliver also what an agent has submitted and no person has approved.
    pub trust_agents: bool,
}

/// What is checked, and how strictly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GuardConfig {
    /// The preset of thresholds: `default` is relaxed, `strict` is tight.
    pub profile: Profile,
    /// Ids of rules that are off, whatever their source.
    pub disabled_rules: Vec<String>,
    /// Changes to single rules, by rule id.
    #[schemars(with = "BTreeMap<String, RuleOverride>")]
    pub rules: IndexMap<String, RuleOverride>,
    /// The older form of `rules`: a threshold, or a severity with excluded
    /// paths, by rule id. Where both name a rule, `rules` wins.
    #[schemars(with = "BTreeMap<String, Threshold>")]
    pub code_level_thresholds: IndexMap<String, Threshold>,
    /// Show what could not be decided as hints in the editor.
    pub show_uncertain: bool,
    /// How a change is reviewed.
    pub review: ReviewConfig,
}

/// How a change is reviewed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ReviewConfig {
    /// Let every violation in a changed file block the change, not only those
    /// on changed lines.
    pub whole_file: bool,
}

/// A value of `codeLevelThresholds`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Threshold {
    /// The number that must not be exceeded.
    Limit(u32),
    /// Another severity, and where the rule does not look.
    Settings {
        /// Another severity.
        #[serde(default)]
        severity: Option<Severity>,
        /// Globs; files that match one are not checked by the rule.
        #[serde(default)]
        exclude: Vec<String>,
    },
}

/// What a build may have before it fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct QualityGate {
    /// More errors fail the gate.
    pub max_errors: u32,
    /// More warnings make it warn.
    pub max_warnings: u32,
    /// A lower score, of 100, fails it.
    pub min_score: u32,
}

impl Default for QualityGate {
    fn default() -> Self {
        Self {
            max_errors: 0,
            max_warnings: 20,
            min_score: 70,
        }
    }
}

/// Which files are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FilesConfig {
    /// Globs; files that match one are never checked, not even when they are
    /// named or opened. The same form as in `guard-exclusions.json`.
    pub exclude: Vec<String>,
}

impl Config {
    /// Reads the text of a `config.toml`. What cannot be read is a problem with
    /// its place and keeps its default; everything else is in force.
    #[must_use]
    pub fn parse(text: &str) -> (Self, Vec<Problem>) {
        let mut config = Self::default();
        let problems = config.apply(&Layer::from_toml(text));
        (config, problems)
    }

    /// Lays `layer` over the settings: a value that it states replaces the one
    /// before; lists and tables by rule id are joined. Gives everything that is
    /// wrong with the layer.
    pub fn apply(&mut self, layer: &Layer) -> Vec<Problem> {
        let mut problems = Vec::new();
        config_read::read(self, &layer.node, layer.origin, &mut problems);
        // Below a line that is broken, what was read may not be what was meant.
        if let Some(broken) = layer.problems.first() {
            problems.retain(|problem| problem.span.end <= broken.span.start);
        }
        problems.extend(layer.problems.iter().cloned());
        problems.sort_by_key(|problem| (problem.span, problem.code));
        problems
    }

    /// What the rules need to know.
    #[must_use]
    pub fn guard_options(&self, exclusions: &Exclusions, sources: SourceFilter) -> GuardOptions {
        let mut overrides = self.guard.rules.clone();
        for (id, threshold) in &self.guard.code_level_thresholds {
            let rule = overrides.entry(id.clone()).or_default();
            match threshold {
                Threshold::Limit(limit) => rule.threshold = rule.threshold.or(Some(*limit)),
                Threshold::Settings { severity, exclude } => {
                    rule.severity = rule.severity.or(*severity);
                    rule.exclude_paths.extend(exclude.iter().cloned());
                }
            }
        }
        let mut exclusions = exclusions.clone();
        exclusions
            .path_exclusions
            .extend(self.files.exclude.iter().map(|pattern| PathExclusion {
                pattern: pattern.clone(),
                reason: "files.exclude".to_owned(),
                added_at: None,
            }));
        GuardOptions {
            profile: self.guard.profile,
            disabled: self.guard.disabled_rules.clone(),
            overrides,
            exclusions,
            sources,
            ..GuardOptions::default()
        }
    }
}

/// Settings of one origin, not yet laid over others.
#[derive(Clone, Debug)]
pub struct Layer {
    node: Node,
    origin: Origin,
    problems: Vec<Problem>,
}

/// Who has written settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Anybody: what a repository brings along cannot be told apart from what
    /// the user has chosen in an editor.
    Anybody,
    /// The user, for all projects.
    User,
}

impl Layer {
    /// The text of a `config.toml`.
    #[must_use]
    pub fn from_toml(text: &str) -> Self {
        let (node, problems) = Node::from_toml(text);
        Self {
            node,
            origin: Origin::Anybody,
            problems,
        }
    }

    /// The text of a JSON file of the same keys, comments allowed.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        let (node, problems) = Node::from_json(text);
        Self {
            node,
            origin: Origin::Anybody,
            problems,
        }
    }

    /// The settings that a client sends. Its problems have empty spans.
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> Self {
        Self {
            node: Node::from_value(value),
            origin: Origin::Anybody,
            problems: Vec::new(),
        }
    }

    /// Says that these are the user's own settings, in which programs and
    /// endpoints may be named that no project may name.
    #[must_use]
    pub fn of_user(self) -> Self {
        Self {
            origin: Origin::User,
            ..self
        }
    }

    /// Whether the text could be read as a whole; single values may be wrong
    /// nevertheless.
    #[must_use]
    pub fn is_well_formed(&self) -> bool {
        self.problems.is_empty()
    }
}

/// The JSON Schema of `config.toml`.
#[must_use]
pub fn config_schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}
