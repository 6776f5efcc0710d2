use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use asd_guard::{GuardOptions, Layer, RuleInfo, RuleOrigin, RuleSet};
use asd_recipe::Severity;
use asd_store::Project;
use asd_workspace::ProjectState;
use serde::Serialize;

use crate::args::RulesOptions;
use crate::check::settings;
use crate::output::text::number;
use crate::terminal::Terminal;
use crate::{Outcome, check};

/// A rule as `asd guard rules --json` lists it. (guard.md §14)
#[derive(Serialize)]
struct Listed<'r> {
    id: &'r str,
    layer: Layer,
    severity: Severity,
    languages: &'r [String],
    category: &'r str,
    message: &'r str,
    fixable: bool,
    source: &'static str,
    enabled: bool,
}

pub(crate) fn run(options: &RulesOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let settings = settings(&options.project)?;
    let state = ProjectState::load(Project::discover(Path::new(".")).root(), &settings);
    let rules = all_rules(&state, settings.sources);
    if options.json {
        let listed: Vec<Listed<'_>> = rules
            .iter()
            .map(|(rule, enabled)| Listed {
                id: &rule.id,
                layer: rule.layer,
                severity: rule.severity,
                languages: &rule.languages,
                category: &rule.category,
                message: &rule.message,
                fixable: rule.fixable,
                source: source(rule),
                enabled: *enabled,
            })
            .collect();
        terminal.json(&listed)?;
        return Ok(Outcome::Fine);
    }
    let width = rules.iter().map(|(rule, _)| rule.id.chars().count()).max();
    for (rule, enabled) in &rules {
        let languages = if rule.languages.is_empty() {
            "all".to_owned()
        } else {
            rule.languages.join(",")
        };
        let off = if *enabled { "" } else { "  (off)" };
        let line = format!(
            "{:width$}  {:7}  {:7}  {languages}  {}{off}",
            rule.id,
            rule.severity.as_str(),
            source(rule),
            rule.message,
            width = width.unwrap_or(0)
        );
        terminal.line(&line)?;
    }
    terminal.line(&number(rules.len(), "rule"))?;
    Ok(Outcome::Fine)
}

/// Every rule by id, and whether it is in force: what the settings turn off is
/// listed too.
pub(crate) fn all_rules(
    state: &ProjectState,
    sources: asd_guard::SourceFilter,
) -> Vec<(Arc<RuleInfo>, bool)> {
    let options = GuardOptions {
        sources,
        ..GuardOptions::default()
    };
    let (all, _) = RuleSet::build(state.recipes(), &options, Some(state.rules()));
    let mut rules: Vec<(Arc<RuleInfo>, bool)> = state
        .rules()
        .rules()
        .iter()
        .map(|rule| (rule.clone(), true))
        .collect();
    for rule in all.rules() {
        if !rules.iter().any(|(known, _)| known.id == rule.id) {
            rules.push((rule.clone(), false));
        }
    }
    rules.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
    rules
}

pub(crate) fn source(rule: &RuleInfo) -> &'static str {
    match rule.origin {
        RuleOrigin::Recipe(_) => "recipe",
        RuleOrigin::Pack { .. } => "pack",
        RuleOrigin::BuiltIn => "builtin",
    }
}

/// The project of the current folder.
pub(crate) fn current_project() -> anyhow::Result<ProjectState> {
    project_at(Path::new("."))
}

/// The project that a file or folder belongs to.
pub(crate) fn project_at(path: &Path) -> anyhow::Result<ProjectState> {
    if path.symlink_metadata().is_err() {
        bail!("there is no file or folder {}", path.display());
    }
    let settings = check::settings(&crate::args::ProjectOptions::default())?;
    let path = std::path::absolute(path)?;
    Ok(ProjectState::load(
        Project::discover(&path).root(),
        &settings,
    ))
}
