//! Drift as problems of the recipe's file, each at what it is about.

use asd_knowledge::drift::{DriftKind, DriftSeverity, DriftSignal, RefState};
use asd_recipe::{Problem, ProblemCode, QuickFix, Severity};
use asd_store::RecipeFile;
use asd_text::{Span, TextEdit};

use super::{Audited, AuditedSource};

/// What an audit found of a recipe, as problems of its file. A source that was
/// renamed comes with its new name.
#[must_use]
pub fn drift_problems(entry: &Audited, file: &RecipeFile) -> Vec<Problem> {
    let mut problems: Vec<Problem> = entry
        .sources
        .iter()
        .filter_map(|found| source_problem(found, file))
        .collect();
    let signals = entry.drift.iter().flat_map(|drift| &drift.signals);
    problems.extend(signals.flat_map(|signal| of_signal(signal, file)));
    problems.retain(|problem| problem.span.end <= file.text.len());
    problems.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
    problems
}

fn source_problem(found: &AuditedSource, file: &RecipeFile) -> Option<Problem> {
    let source = &found.source;
    let is_there = file.text.get(source.span.start..source.span.end);
    match found.state {
        RefState::Active => None,
        RefState::Stale => Some(Problem {
            span: source.span,
            severity: Severity::Info,
            code: ProblemCode::SourceStale,
            message: format!(
                "`{}` is gone, and git knows of no other name. Name the file that shows this \
                 now, or remove the entry.",
                source.path
            ),
            fix: None,
        }),
        RefState::Renamed => {
            let new = found.repaired.as_ref()?;
            let fix = is_there
                .filter(|text| !text.is_empty() && !new.path.contains([':', '#', '\'', '"']))
                .map(|_| QuickFix {
                    title: format!("Change to `{new}`"),
                    edits: vec![TextEdit {
                        span: source.span,
                        text: new.to_string(),
                    }],
                });
            Some(Problem {
                span: source.span,
                severity: Severity::Warning,
                code: ProblemCode::SourceRenamed,
                message: format!("`{}` is `{}` now.", source.path, new.path),
                fix,
            })
        }
    }
}

fn of_signal(signal: &DriftSignal, file: &RecipeFile) -> Vec<Problem> {
    let code = match signal.kind {
        DriftKind::SymbolMissing => ProblemCode::SymbolMissing,
        DriftKind::ZeroMatch => ProblemCode::ZeroMatch,
        DriftKind::MatchRateDrop => ProblemCode::MatchRateDrop,
        DriftKind::ApiDeprecated => ProblemCode::ApiDeprecated,
        // Each of them has a problem of its own.
        DriftKind::SourceRefStale => return Vec::new(),
    };
    let problem = |span: Span, message: String| Problem {
        span,
        severity: match signal.severity {
            DriftSeverity::High => Severity::Warning,
            DriftSeverity::Medium => Severity::Info,
        },
        code,
        message,
        fix: None,
    };
    if signal.subjects.is_empty() {
        let advice = " Look whether the recipe still holds.";
        return vec![problem(
            name_of(file),
            format!("{}{advice}", signal.message),
        )];
    }
    signal
        .subjects
        .iter()
        .map(|symbol| {
            let message = match signal.kind {
                DriftKind::ApiDeprecated => format!(
                    "`{symbol}` is marked as deprecated in the project. Name what takes its place."
                ),
                _ => format!(
                    "`{symbol}` is defined nowhere in the project any more. Show how it is done \
                     now."
                ),
            };
            let span = word_in_code(file, symbol).unwrap_or_else(|| name_of(file));
            problem(span, message)
        })
        .collect()
}

/// What a recipe is called by, in its file.
fn name_of(file: &RecipeFile) -> Span {
    let fields = &file.parsed.fields;
    ["title", "trigger"]
        .iter()
        .filter_map(|key| fields.get(*key))
        .map(|field| field.value)
        .find(|span| !span.is_empty())
        .unwrap_or_default()
}

/// Where a name stands in the recipe's code: in its body, else in its front
/// matter.
fn word_in_code(file: &RecipeFile, word: &str) -> Option<Span> {
    let text = &*file.text;
    let body = file.parsed.front_matter.map_or(0, |span| span.end);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let find = |from: usize, to: usize| {
        text.get(from..to)?.match_indices(word).find_map(|(at, _)| {
            let (start, end) = (from + at, from + at + word.len());
            let alone = !text[..start].chars().next_back().is_some_and(is_part)
                && !text[end..].chars().next().is_some_and(is_part);
            alone.then(|| Span::new(start, end))
        })
    };
    let fenced = text
        .get(body..)
        .and_then(|body| body.find("```"))
        .map(|at| body + at);
    fenced
        .and_then(|from| find(from, text.len()))
        .or_else(|| find(0, text.len()))
}
