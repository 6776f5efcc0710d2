use anyhow::{Context, bail};
use asd_recipe::{Severity, is_known_language, normalise_trigger};
use asd_store::{Project, write_atomic};
use asd_workspace::report::FileProblem;

use crate::Outcome;
use crate::args::{ListOptions, NewOptions, RecipeCheckOptions, RecipeCommand, ShowOptions};
use crate::excerpt::Painter;
use crate::fmt;
use crate::output::text::{Names, number, write_problems};
use crate::recipe_file::select;
use crate::rules::current_project;
use crate::terminal::Terminal;

pub(crate) fn run(command: &RecipeCommand, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match command {
        RecipeCommand::New(options) => new(options, terminal),
        RecipeCommand::Check(options) => check(options, terminal),
        RecipeCommand::Fmt(options) => fmt::run(options, terminal),
        RecipeCommand::Show(options) => show(options, terminal),
        RecipeCommand::List(options) => list(options, terminal),
    }
}

fn new(options: &NewOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let Some(trigger) = normalise_trigger(&options.trigger) else {
        bail!(
            "`{}` is no trigger; write it with letters, digits and `-`, for example @retry-queue",
            options.trigger
        );
    };
    if !is_known_language(&options.language) {
        let known: Vec<&str> = asd_recipe::known_languages().collect();
        bail!(
            "`{}` is not a language; known are all, {}",
            options.language,
            known.join(", ")
        );
    }
    let state = current_project()?;
    if let Some((path, _)) = state.recipe_by_trigger(&trigger) {
        bail!("{trigger} exists already: {path}");
    }
    let project = Project::at(state.project().root());
    let home = if options.candidate {
        "candidates"
    } else {
        "recipes"
    };
    let bucket: String = options
        .category
        .to_lowercase()
        .chars()
        .map(|c| match c {
            'a'..='z' | '0'..='9' | '_' | '-' => c,
            _ => '-',
        })
        .collect();
    let rel = format!("Alembic/{home}/{bucket}/{}.md", &trigger[1..]);
    if project.root().join(&rel).exists() {
        bail!("{rel} exists already");
    }
    let title = options.title.clone().unwrap_or_else(|| titled(&trigger));
    let text = template(&trigger, &title, options);
    write_atomic(&project, &rel, text.as_bytes())?;
    terminal.line(&Names::new(project.root()).shown(&rel))?;
    terminal
        .note("Fill in what stands in <angle brackets>; `asd recipe check` says what is missing.");
    Ok(Outcome::Fine)
}

/// `@retry-queue` as `Retry queue`.
fn titled(trigger: &str) -> String {
    let words = trigger.trim_start_matches('@').replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// A recipe with one guard and its tests.
fn template(trigger: &str, title: &str, options: &NewOptions) -> String {
    let word = trigger.trim_start_matches('@').replace('-', "_");
    let language = &options.language;
    let fence = if language == "all" {
        "text"
    } else {
        language.as_str()
    };
    // JSON strings are YAML strings, whatever a person has typed.
    let title = serde_json::Value::from(title);
    let category = serde_json::Value::from(options.category.as_str());
    format!(
        "---
title: {title}
trigger: \"{trigger}\"
kind: rule
knowledgeType: best-practice
language: {language}
category: {category}
scope: project-specific
description: <what this is about, in one sentence>
when: <the situation in which it applies>
do: <what to do>
dont: <what not to do>
headers: []
reasoning:
  whyStandard: <why it is done this way here>
  sources: []
guards:
  # A regular expression over the code, without comments and strings. Other
  # ways: `ast:` with a code pattern such as `eval($X)`, or a `rule:`.
  - pattern: '\\b{word}_old\\b'
    severity: warning
    message: <what is wrong, in one sentence>
    # fix: {word}_new
---

## Description

<What a person needs to know, with an example from this project.>

## Rationale

<Why it is so.>

## Core code

```{fence}
{word}_new
```

## Tests

A guard must fire in each `bad` block and in no `good` block.

```{fence} bad
{word}_old
```

```{fence} good
{word}_new
```
"
    )
}

fn check(options: &RecipeCheckOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let (state, names) = select(&options.paths)?;
    let mut problems = Vec::new();
    for name in &names {
        let (text, lines) = state.text_of(name).context("a file vanished meanwhile")?;
        let found = state.problems_of(name);
        problems.extend(
            found
                .iter()
                .map(|problem| FileProblem::new(name, &text, &lines, problem)),
        );
    }
    let errors = count(&problems, Severity::Error);
    let unread = state.skipped();
    if options.json {
        terminal.json(&serde_json::json!({
            "filesChecked": names.len(),
            "problems": problems,
            "skipped": unread
                .iter()
                .map(asd_workspace::report::SkippedPath::from)
                .collect::<Vec<_>>(),
        }))?;
    } else {
        let painter = Painter::new(terminal.colors());
        let shown = Names::new(state.project().root());
        write_problems(&problems, &painter, terminal, &shown, &|path| {
            state.text_of(path).map(|(text, _)| text.to_string())
        })?;
        for skipped in unread {
            terminal.line(&format!(
                "{}: {}",
                shown.shown(&skipped.path),
                skipped.reason
            ))?;
        }
        terminal.line(&format!(
            "Checked {}: {}, {}, {}.",
            number(names.len(), "file"),
            number(errors, "error"),
            number(count(&problems, Severity::Warning), "warning"),
            number(count(&problems, Severity::Info), "note")
        ))?;
    }
    if errors > 0 || !unread.is_empty() {
        return Ok(Outcome::Errors);
    }
    if names.is_empty() {
        terminal.error("there are no recipes; `asd recipe new @name` starts one");
        return Ok(Outcome::Failed);
    }
    Ok(Outcome::Fine)
}

fn count(problems: &[FileProblem], severity: Severity) -> usize {
    problems
        .iter()
        .filter(|problem| problem.severity == severity)
        .count()
}

fn show(options: &ShowOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let state = current_project()?;
    let Some((path, recipe)) = state.recipe_by_trigger(&options.trigger) else {
        let near: Vec<&str> = state
            .search_recipes(&options.trigger)
            .iter()
            .take(3)
            .map(|hit| state.recipes()[hit.index].1.trigger.as_str())
            .collect();
        let hint = if near.is_empty() {
            "`asd recipe list` lists the recipes".to_owned()
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        bail!("no recipe has the trigger {}; {hint}", options.trigger);
    };
    if options.json {
        let mut value = serde_json::to_value(recipe)?;
        if let Some(object) = value.as_object_mut() {
            object.insert("filePath".to_owned(), path.to_string().into());
        }
        terminal.json(&value)?;
        return Ok(Outcome::Fine);
    }
    let (text, _) = state.text_of(path).context("the file vanished meanwhile")?;
    terminal.note(&Names::new(state.project().root()).shown(path));
    terminal.line(text.trim_end())?;
    Ok(Outcome::Fine)
}

fn list(options: &ListOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let state = current_project()?;
    let hits = state.search_recipes(&options.query.join(" "));
    let found: Vec<_> = hits.iter().map(|hit| &state.recipes()[hit.index]).collect();
    if options.json {
        let listed: Vec<serde_json::Value> = found
            .iter()
            .map(|(path, recipe)| {
                serde_json::json!({
                    "trigger": recipe.trigger,
                    "title": recipe.title,
                    "kind": recipe.kind,
                    "lifecycle": recipe.lifecycle,
                    "language": recipe.language,
                    "guards": recipe.constraints.guards.len(),
                    "filePath": &**path,
                })
            })
            .collect();
        terminal.json(&listed)?;
        return Ok(Outcome::Fine);
    }
    let width = found.iter().map(|(_, r)| r.trigger.chars().count()).max();
    for (_, recipe) in &found {
        terminal.line(&format!(
            "{:width$}  {}",
            recipe.trigger,
            recipe.title,
            width = width.unwrap_or(0)
        ))?;
    }
    if found.is_empty() {
        terminal.note(if state.recipes().is_empty() {
            "There are no recipes here; `asd recipe new @name` starts one."
        } else {
            "No recipe fits."
        });
    }
    Ok(Outcome::Fine)
}
