//! `asd_rescan`: recipes beside the code as it became.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use asd_codemap::words;
use asd_knowledge::drift::{RefState, recipe_symbols};
use asd_knowledge::proposals::{NewProposal, ProposalStatus, ProposalType};
use asd_recipe::{Lifecycle, Recipe};
use asd_store::{Disk, Project, read_text};
use serde_json::{Value, json};

use crate::code::CodeView;
use crate::drift::{Audited, Remember, ScannedCode, audit};
use crate::intelligence::briefing::{dimension_rows, submission_spec};
use crate::intelligence::dimensions::{Dimension, active, dimension, dimension_of};
use crate::intelligence::relevance::{Found, TARGET, Verdict, gap, score};
use crate::intelligence::session::read_snapshot;
use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::ops::bootstrap::begin;
use crate::service::ops::dimension::unknown_dimension;

/// When more of the files changed, everything is looked at.
const MUCH: f64 = 0.5;
/// How many paths of each kind a delta names.
const MOST_PATHS: usize = 200;

/// What changed since the last look.
#[derive(Default)]
struct Changed {
    added: BTreeSet<String>,
    modified: BTreeSet<String>,
    deleted: BTreeSet<String>,
    /// Changed files by all that there were.
    ratio: f64,
}

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let wanted = call.texts("dimensions");
    if let Some(id) = wanted.iter().find(|id| dimension(id).is_none()) {
        return Err(unknown_dimension(id));
    }
    let view = service.code()?;
    let project = service.project();
    let before = read_snapshot(project).map(|snapshot| snapshot.files);
    let known = before.is_some();
    let changed = changed(&before.unwrap_or_default(), &view.hashes());
    let is_full = call.flag("force") || !known || changed.ratio > MUCH;

    let rows = audited(service, &view, &changed, is_full, &wanted);
    let observed = observed(service);
    let mut auto_actions = Vec::new();
    let mut resolved = Vec::new();
    let mut verify = Vec::new();
    for row in &rows {
        match row.verdict {
            Verdict::Healthy => resolved.push(json!({"recipeId": row.id, "action": "skip"})),
            Verdict::Dead if row.all_gone => {
                deprecate(service, call, row)?;
                auto_actions.push(json!({"recipeId": row.id, "action": "propose_deprecation"}));
            }
            verdict => verify.push(json!({
                "recipeId": row.id,
                "title": row.title,
                "score": row.score,
                "verdict": verdict,
                "hint": verdict.hint(),
            })),
        }
    }

    let active = active(&view.map);
    let planned: Vec<&'static Dimension> = active
        .iter()
        .copied()
        .filter(|dimension| wanted.is_empty() || wanted.iter().any(|id| id == dimension.id))
        .collect();
    let gaps: Vec<Value> = planned
        .iter()
        .map(|one| gap_row(one, &rows, &observed))
        .collect();
    let gaps: Vec<Value> = gaps.into_iter().filter(|gap| gap["missing"] != 0).collect();
    let plan: Vec<&'static Dimension> = planned
        .iter()
        .copied()
        .filter(|dimension| is_full || gaps.iter().any(|gap| gap["dimensionId"] == dimension.id))
        .collect();
    let mut warnings = view.warnings.clone();
    if !known {
        warnings.push(
            "This project was not scanned before; everything counts as new. asd_bootstrap gives \
             the full briefing."
                .to_owned(),
        );
    }
    let session = begin(project, &view, &plan, call.now)
        .map_err(|error| ServiceError::new(ErrorCode::WriteError, error.to_string()))?;
    let list = |paths: &BTreeSet<String>| -> Vec<String> {
        paths.iter().take(MOST_PATHS).cloned().collect()
    };
    let is_cut = [&changed.added, &changed.modified, &changed.deleted]
        .iter()
        .any(|paths| paths.len() > MOST_PATHS);
    let truncated: Vec<&str> = is_cut.then_some("delta").into_iter().collect();
    let audit: Vec<Value> = rows.iter().map(AuditRow::shown).collect();
    let data = json!({
        "session": session,
        "delta": {
            "added": list(&changed.added),
            "modified": list(&changed.modified),
            "deleted": list(&changed.deleted),
            "ratio": (changed.ratio * 1000.0).round() / 1000.0,
            "fullAnalysis": is_full,
        },
        "audit": audit,
        "autoActions": auto_actions,
        "gaps": gaps,
        "prescreen": {
            "needsVerification": verify,
            "autoResolved": resolved,
            "dimensionGaps": gaps,
        },
        "dimensions": dimension_rows(&view.map, &plan),
        "submissionSpec": submission_spec(),
        "meta": {
            "warnings": warnings,
            "truncated": truncated,
            "reason": call.text("reason"),
        },
    });
    let mut reply = Reply::new(
        format!(
            "{} files changed; {} recipes hold, {} need a look; {} dimensions have gaps.",
            changed.added.len() + changed.modified.len() + changed.deleted.len(),
            resolved.len(),
            verify.len(),
            gaps.len()
        ),
        data,
    );
    reply.warnings = warnings;
    Ok(reply)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn changed(before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>) -> Changed {
    let mut changed = Changed::default();
    for (path, hash) in after {
        match before.get(path) {
            None => changed.added.insert(path.clone()),
            Some(known) if known != hash => changed.modified.insert(path.clone()),
            Some(_) => false,
        };
    }
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    changed.deleted = gone.cloned().collect();
    let count = changed.added.len() + changed.modified.len() + changed.deleted.len();
    let all = before.len() + changed.added.len();
    changed.ratio = if all == 0 {
        0.0
    } else {
        count as f64 / all as f64
    };
    changed
}

/// One recipe beside the code.
struct AuditRow {
    id: String,
    title: String,
    score: f64,
    verdict: Verdict,
    dimension: Option<&'static str>,
    /// Whether every source is gone without a new name.
    all_gone: bool,
    signals: Vec<Value>,
    found: Found,
}

impl AuditRow {
    fn shown(&self) -> Value {
        json!({
            "recipeId": self.id,
            "title": self.title,
            "score": self.score,
            "verdict": self.verdict,
            "signals": self.signals,
            "evidence": self.found,
        })
    }
}

fn audited(
    service: &Service,
    view: &CodeView,
    changed: &Changed,
    is_full: bool,
    wanted: &[String],
) -> Vec<AuditRow> {
    let state = service.knowledge.state();
    let recipes: Vec<_> = state
        .recipes()
        .iter()
        .filter(|(_, recipe)| {
            let id = dimension_of(recipe).map_or("", |dimension| dimension.id);
            wanted.is_empty() || wanted.iter().any(|wanted| wanted == id)
        })
        .cloned()
        .collect();
    let code = ScannedCode {
        map: view.map.clone(),
        warnings: view.warnings.clone(),
    };
    let never = AtomicBool::new(false);
    let audit = audit(
        service.project(),
        &code,
        &recipes,
        Remember::Healthy,
        &never,
    );
    audit
        .entries
        .iter()
        .map(|entry| row(service.project(), view, changed, is_full, entry))
        .collect()
}

fn row(
    project: &Project,
    view: &CodeView,
    changed: &Changed,
    is_full: bool,
    entry: &Audited,
) -> AuditRow {
    let recipe = &entry.recipe;
    let gone: Vec<&str> = entry
        .sources
        .iter()
        .filter(|source| source.state == RefState::Stale)
        .map(|source| source.source.path.as_str())
        .collect();
    let found = found(project, view, changed, is_full, entry, &gone);
    let score = (score(&found, recipe.lifecycle) * 10.0).round() / 10.0;
    let drift = entry.drift.iter().flat_map(|drift| &drift.signals);
    AuditRow {
        id: entry.key().to_owned(),
        title: recipe.title.clone(),
        score,
        verdict: Verdict::of(score),
        dimension: dimension_of(recipe).map(|dimension| dimension.id),
        all_gone: !entry.sources.is_empty() && gone.len() == entry.sources.len(),
        signals: drift
            .map(|signal| json!({"kind": signal.kind, "severity": signal.severity, "message": signal.message}))
            .collect(),
        found,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn share(all: usize, there: usize) -> Option<f64> {
    (all > 0).then(|| there as f64 / all as f64)
}

fn found(
    project: &Project,
    view: &CodeView,
    changed: &Changed,
    is_full: bool,
    entry: &Audited,
    gone: &[&str],
) -> Found {
    let recipe = &entry.recipe;
    let knows = |name: &str| {
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        view.map.named(last).next().is_some() || view.used_names().contains(last)
    };
    let symbols = recipe_symbols(recipe).names;
    let there = symbols.iter().filter(|name| knows(name)).count();
    let trigger = trigger_words(&recipe.trigger);
    let known_words = trigger.iter().filter(|word| knows_word(view, word)).count();
    let headers: Vec<&String> = recipe
        .headers
        .iter()
        .filter(|header| !header.trim().is_empty())
        .collect();
    let has_header = |header: &&&String| {
        let mut parts = header
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|part| part.len() > 2 && !IMPORT_WORDS.contains(part));
        parts.any(&knows)
    };
    let deleted = gone
        .iter()
        .filter(|path| changed.deleted.contains(**path))
        .count();
    let touched: Vec<&str> = entry
        .sources
        .iter()
        .map(|source| source.source.path.as_str())
        .filter(|path| is_full || changed.modified.contains(*path))
        .collect();
    Found {
        trigger: share(trigger.len(), known_words),
        symbols: share(symbols.len(), there),
        dependencies: share(headers.len(), headers.iter().filter(has_header).count()),
        files: share(entry.sources.len(), entry.sources.len() - gone.len()),
        sources: entry.sources.len(),
        deleted,
        impact: impact(project, recipe, &touched),
    }
}

/// Words of import lines that name nothing.
const IMPORT_WORDS: &[&str] = &[
    "import", "from", "use", "include", "require", "using", "package", "const", "let", "var",
    "pub", "crate", "type", "static",
];

fn trigger_words(trigger: &str) -> Vec<String> {
    let mut found = words(trigger);
    found.retain(|word| word.chars().count() > 2);
    found
}

/// Whether a word, in the singular or plural, is part of a path or of a name in
/// the code.
fn knows_word(view: &CodeView, word: &str) -> bool {
    let known = view.words();
    known.contains(word)
        || known.contains(&format!("{word}s"))
        || word
            .strip_suffix('s')
            .is_some_and(|one| known.contains(one))
}

/// How much of a recipe's code no line of the files has any more; `None` when
/// there is nothing to compare.
fn impact(project: &Project, recipe: &Recipe, paths: &[&str]) -> Option<f64> {
    let code = recipe.core_code.as_ref()?;
    let squeezed = |line: &str| -> String { line.split_whitespace().collect() };
    let wanted: BTreeSet<String> = code
        .text
        .lines()
        .map(squeezed)
        .filter(|line| line.len() > 3)
        .collect();
    if wanted.is_empty() || paths.is_empty() {
        return None;
    }
    let mut lines: BTreeSet<String> = BTreeSet::new();
    let mut read = false;
    for path in paths {
        let Ok(at) = project.absolute(path) else {
            continue;
        };
        if let Ok(text) = read_text(&Disk, &at) {
            read = true;
            lines.extend(text.text.lines().map(squeezed));
        }
    }
    // Most skeletons are simplified: code that never stood there word for word
    // says nothing when it does not now.
    let kept = wanted.iter().filter(|line| lines.contains(*line)).count();
    if !read || kept == 0 {
        return None;
    }
    share(wanted.len(), wanted.len() - kept)
}

/// Ids of recipes with a proposal that is being observed.
fn observed(service: &Service) -> BTreeSet<String> {
    let proposals = service.knowledge.store.proposals();
    proposals
        .into_iter()
        .filter(|proposal| proposal.status == ProposalStatus::Observing)
        .map(|proposal| proposal.target)
        .collect()
}

fn gap_row(dimension: &Dimension, rows: &[AuditRow], observed: &BTreeSet<String>) -> Value {
    let of_it = || {
        rows.iter()
            .filter(|row| row.dimension == Some(dimension.id))
    };
    let healthy = of_it()
        .filter(|row| row.verdict == Verdict::Healthy)
        .count();
    let observing = of_it()
        .filter(|row| row.verdict != Verdict::Healthy && observed.contains(&row.id))
        .count();
    json!({
        "dimensionId": dimension.id,
        "have": healthy + observing,
        "target": TARGET,
        "missing": gap(healthy, observing),
    })
}

fn deprecate(service: &Service, call: &Call<'_>, row: &AuditRow) -> Result<(), ServiceError> {
    let held = service.knowledge.get(&row.id)?;
    if held.recipe.lifecycle == Lifecycle::Deprecated {
        return Ok(());
    }
    service.propose(
        NewProposal {
            kind: ProposalType::Deprecate,
            target: row.id.clone(),
            related: Vec::new(),
            confidence: 0.7,
            source: call.caller.role.clone(),
            reason: "All of its sources are gone, and none was renamed.".to_owned(),
            evidence: Some(json!({"score": row.score, "evidence": row.found})),
            patch: Vec::new(),
            baseline_score: None,
        },
        call.seconds(),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_counts_changed_files_by_all() {
        let of = |pairs: &[(&str, u64)]| -> BTreeMap<String, u64> {
            pairs
                .iter()
                .map(|(path, hash)| ((*path).to_owned(), *hash))
                .collect()
        };
        let before = of(&[("a", 1), ("b", 2), ("c", 3)]);
        let after = of(&[("a", 1), ("b", 9), ("d", 4)]);
        let changed = changed(&before, &after);
        assert_eq!(changed.added.into_iter().collect::<Vec<_>>(), ["d"]);
        assert_eq!(changed.modified.into_iter().collect::<Vec<_>>(), ["b"]);
        assert_eq!(changed.deleted.into_iter().collect::<Vec<_>>(), ["c"]);
        assert!((changed.ratio - 0.75).abs() < 1e-9);
    }
}
