use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use asd_guard::{Feedback, SourceFilter, Target, Verdict, judged_stats};
use asd_store::{Disk, Git, Project, add_feedback, change_records, now, read_feedback, read_text};
use asd_syntax::Language;
use asd_text::{LineIndex, Span};
use asd_workspace::{ProjectState, verdict_fingerprint};

use crate::Outcome;
use crate::args::ProjectOptions;
use crate::check::settings;
use crate::guard_args::{FeedbackOptions, Said};
use crate::rules::all_rules;
use crate::terminal::Terminal;

pub(crate) fn run(options: &FeedbackOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let place = options.place.as_deref().map(Place::parse);
    let start = place.as_ref().map_or(Path::new("."), |place| &place.path);
    let project = Project::discover(start);
    let state = ProjectState::load(project.root(), &settings(&ProjectOptions::default())?);
    let rules = all_rules(&state, SourceFilter::All);
    if !rules.iter().any(|(rule, _)| rule.id == options.rule) {
        bail!(
            "no rule has the id `{}`; `asd guard rules` lists the rules",
            options.rule
        );
    }
    let (file_path, fingerprint) = match &place {
        Some(place) => found_at(&state, &options.rule, options.verdict, place)?,
        None => (String::new(), String::new()),
    };
    let verdict = match options.verdict {
        Said::Correct => Verdict::Correct,
        Said::Fp => Verdict::Fp,
        Said::Fn => Verdict::Fn,
    };
    add_feedback(
        &project,
        Feedback {
            rule_id: options.rule.clone(),
            file_path,
            fingerprint,
            verdict,
            by: Git::open(project.root()).ok().and_then(|git| git.user()),
            at: now(),
            reason: options.reason.clone(),
        },
    )?;
    let all = read_feedback(&project)?;
    change_records(&project, |records| {
        records.stats = judged_stats(&records.stats, &all);
    })?;
    terminal.line(&format!(
        "Noted in Alembic/feedback.json: {} is {} here. Commit the file to share it.",
        options.rule,
        match options.verdict {
            Said::Correct => "right",
            Said::Fp => "wrong",
            Said::Fn => "silent where it should not be",
        }
    ))?;
    Ok(Outcome::Fine)
}

/// A file, perhaps with a line.
struct Place {
    path: PathBuf,
    line: Option<usize>,
}

impl Place {
    fn parse(text: &str) -> Self {
        // What follows the line, as in `a.ts:3:7`, is taken too.
        for (colons, part) in [(2, 1), (1, 1)] {
            let mut parts = text.rsplitn(colons + 1, ':').collect::<Vec<_>>();
            parts.reverse();
            if parts.len() == colons + 1
                && parts[1..].iter().all(|part| part.parse::<usize>().is_ok())
            {
                return Self {
                    path: PathBuf::from(parts[0]),
                    line: parts[part].parse().ok(),
                };
            }
        }
        Self {
            path: PathBuf::from(text),
            line: None,
        }
    }
}

/// The project-relative path of a place, and the fingerprint of what the rule
/// found there; for something that it did not find, one of the line.
fn found_at(
    state: &ProjectState,
    rule: &str,
    said: Said,
    place: &Place,
) -> anyhow::Result<(String, String)> {
    let Some(rel) = state.project().relative(&place.path) else {
        bail!("{} is outside of the project", place.path.display());
    };
    let decoded = read_text(&Disk, &place.path)
        .with_context(|| format!("cannot read {}", place.path.display()))?;
    let text = &decoded.text;
    let lines = LineIndex::new(text);
    if said == Said::Fn {
        let fingerprint = match place.line {
            Some(line) if line >= 1 && line <= lines.line_count() => {
                let span = lines.line_span(text, line - 1);
                verdict_fingerprint(rule, text, &lines, Span::new(span.start, span.start))
            }
            Some(line) => bail!("{} has no line {line}", place.path.display()),
            None => String::new(),
        };
        return Ok((rel, fingerprint));
    }
    let Some(language) = Language::of_file(&place.path, text) else {
        bail!("no rule knows the language of {}", place.path.display());
    };
    let target = Target {
        path: Some(&rel),
        text,
        language,
        previous: None,
    };
    // A verdict may be changed, so those that there are do not count here.
    let report = state.rules().check(&target, &AtomicBool::new(false))?;
    let found: Vec<(usize, String)> = report
        .findings
        .iter()
        .filter(|finding| finding.rule.id == rule)
        .map(|finding| {
            let line = lines.line_of(finding.span.start) + 1;
            (line, verdict_fingerprint(rule, text, &lines, finding.span))
        })
        .filter(|(line, _)| place.line.is_none_or(|wanted| wanted == *line))
        .collect();
    match found.as_slice() {
        [] => bail!(
            "{rule} finds nothing at {}; for a fault that it does not see, say `fn`",
            shown(place)
        ),
        // Several on the line that was named are one to a person.
        [(_, fingerprint), rest @ ..] if rest.is_empty() || place.line.is_some() => {
            Ok((rel, fingerprint.clone()))
        }
        several => {
            let lines: Vec<String> = several.iter().map(|(line, _)| line.to_string()).collect();
            bail!(
                "{rule} finds something in lines {} of {}; name one of them as {}:LINE",
                lines.join(", "),
                place.path.display(),
                place.path.display()
            )
        }
    }
}

fn shown(place: &Place) -> String {
    match place.line {
        Some(line) => format!("{}:{line}", place.path.display()),
        None => place.path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_may_have_a_line_and_a_column() {
        let parsed = |text| {
            let place = Place::parse(text);
            (place.path.display().to_string(), place.line)
        };
        assert_eq!(parsed("a.ts"), ("a.ts".to_owned(), None));
        assert_eq!(parsed("a.ts:3"), ("a.ts".to_owned(), Some(3)));
        assert_eq!(parsed("a.ts:3:7"), ("a.ts".to_owned(), Some(3)));
        assert_eq!(parsed(r"C:\a.ts:3"), (r"C:\a.ts".to_owned(), Some(3)));
        assert_eq!(parsed("a:b.ts"), ("a:b.ts".to_owned(), None));
    }
}
