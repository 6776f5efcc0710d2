//! What is wrong with the files that a person writes for Alembic.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use asd_guard::{GuardOptions, RuleSet, SourceFilter};
use asd_recipe::{Problem, ProblemCode, Severity, SourceRef};
use asd_store::read_text;
use asd_text::{LineIndex, Span};
use rayon::prelude::*;

use crate::ProjectState;
use crate::state::Entry;

impl ProjectState {
    /// Everything that is wrong with a recipe, the settings or the exclusions,
    /// in the order of the file, with spans of its text as it is now. Empty for
    /// any other file. Runs the recipe's examples.
    #[must_use]
    pub fn problems_of(&self, path: &str) -> Vec<Problem> {
        if let Some(entry) = self.inner().entry(path) {
            return self.recipe_problems(entry);
        }
        let Some(file) = self.inner().settings_files().find(|file| file.name == path) else {
            return Vec::new();
        };
        let mut problems = file.problems.to_vec();
        problems.extend(self.unknown_rule_ids(&file.text, path));
        problems.sort_by_key(|problem| (problem.span, problem.code));
        problems
    }

    /// The files that something is wrong with, sorted. Looks at all of them, on
    /// all cores.
    #[must_use]
    pub fn problem_paths(&self) -> Vec<String> {
        self.all_problems()
            .into_iter()
            .map(|(path, _)| path)
            .collect()
    }

    /// The problems of all files that have any, sorted by path.
    #[must_use]
    pub fn all_problems(&self) -> Vec<(String, Vec<Problem>)> {
        let mut paths: Vec<String> = self
            .recipe_files()
            .map(|file| file.rel.to_string())
            .chain(self.inner().settings_files().map(|file| file.name.clone()))
            .collect();
        paths.sort();
        paths
            .into_par_iter()
            .map(|path| {
                let problems = self.problems_of(&path);
                (path, problems)
            })
            .filter(|(_, problems)| !problems.is_empty())
            .collect()
    }

    /// The text in which the spans of [`Self::problems_of`] lie.
    #[must_use]
    pub fn text_of(&self, path: &str) -> Option<(Arc<str>, Arc<LineIndex>)> {
        if let Some(file) = self.recipe_file(path) {
            return Some((file.text.clone(), file.lines.clone()));
        }
        let file = self.inner().settings_files().find(|f| f.name == path)?;
        Some((file.text.clone(), Arc::new(LineIndex::new(&file.text))))
    }

    fn recipe_problems(&self, entry: &Entry) -> Vec<Problem> {
        let file = &entry.file;
        let mut problems = file.parsed.problems.clone();
        problems.extend_from_slice(self.inner().set_problems(&file.rel));
        problems.extend_from_slice(self.inner().rule_problems(&file.rel));
        if let Some(recipe) = &file.recipe {
            let examples = &file.parsed.examples;
            // Where recipes may not check anything, they do not check those.
            if self.inner().settings.sources != SourceFilter::BuiltIn {
                problems.extend(self.rules().check_examples(recipe, examples));
            }
            problems.extend(self.missing_sources(entry));
        }
        problems.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        problems.dedup();
        problems
    }

    fn missing_sources(&self, entry: &Entry) -> Vec<Problem> {
        let Some(recipe) = &entry.file.recipe else {
            return Vec::new();
        };
        // A recipe that several projects share cannot name files of each.
        if entry.file.path.strip_prefix(self.project().root()).is_err() {
            return Vec::new();
        }
        recipe
            .reasoning
            .sources
            .iter()
            .filter(|source| !source.path.is_empty())
            .filter_map(|source| {
                let message = match self.project().absolute(&source.path) {
                    Ok(path) if self.inner().settings.host.kind(&path).is_some() => {
                        self.missing_lines(source, &path)?
                    }
                    Ok(_) => format!(
                        "There is no file `{}` in the project. Name the file that shows this \
                         now, or remove the entry.",
                        source.path
                    ),
                    Err(_) => format!(
                        "`{}` is outside of the project. Sources are named relative to the \
                         project's root.",
                        source.path
                    ),
                };
                Some(Problem {
                    span: source.span,
                    severity: Severity::Warning,
                    code: ProblemCode::MissingSource,
                    message,
                    fix: None,
                })
            })
            .collect()
    }

    /// What to say of a source whose lines lie behind the end of its file.
    fn missing_lines(&self, source: &SourceRef, path: &Path) -> Option<String> {
        let (first, last) = source.lines?;
        let file = read_text(self.inner().settings.host.as_ref(), path).ok()?;
        let lines = LineIndex::new(&file.text).line_count();
        let last = usize::try_from(first.max(last)).ok()?;
        // The empty line behind the last line ending is one in editors.
        (last > lines).then(|| {
            let ends = lines - usize::from(lines > 1 && file.text.ends_with(['\n', '\r']));
            format!(
                "`{}` ends at line {ends}: there is no line {last}. Name the lines that show \
                 this now.",
                source.path
            )
        })
    }

    /// Rule ids that settings name and no rule has.
    fn unknown_rule_ids(&self, text: &str, path: &str) -> Vec<Problem> {
        // The set in force lacks the very rules that the settings turn off.
        let options = GuardOptions::default();
        let (all, _) = RuleSet::build(self.recipes(), &options, Some(self.rules()));
        let known: BTreeSet<&str> = all.rules().iter().map(|rule| rule.id.as_str()).collect();
        if known.is_empty() {
            return Vec::new();
        }
        let config = self.config();
        let exclusions = &self.inner().loaded.exclusions;
        let named: BTreeSet<&str> = if path.ends_with("guard-exclusions.json") {
            let global = &exclusions.global_rule_exclusions;
            exclusions
                .rule_exclusions
                .keys()
                .chain(global.iter().filter_map(|rule| rule.rule_id.as_ref()))
                .map(String::as_str)
                .collect()
        } else {
            config
                .guard
                .disabled_rules
                .iter()
                .chain(config.guard.rules.keys())
                .map(String::as_str)
                .collect()
        };
        named
            .into_iter()
            .filter(|id| !known.contains(id))
            .filter_map(|id| {
                Some(Problem {
                    span: place_of(text, id)?,
                    severity: Severity::Warning,
                    code: ProblemCode::InvalidValue,
                    message: format!(
                        "No rule has the id `{id}`. `asd guard rules` lists the rules."
                    ),
                    fix: None,
                })
            })
            .collect()
    }
}

/// Where a word stands by itself in a settings file.
fn place_of(text: &str, word: &str) -> Option<Span> {
    let part_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(word).find_map(|(start, _)| {
        let end = start + word.len();
        let alone = !text[..start].chars().next_back().is_some_and(part_of_word)
            && !text[end..].chars().next().is_some_and(part_of_word);
        alone.then(|| Span::new(start, end))
    })
}
