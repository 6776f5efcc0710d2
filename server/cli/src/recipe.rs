use std::sync::Arc;

use anyhow::{Context, bail};
use asd_recipe::{
    Home, Lifecycle, NewRecipe, Recipe, Severity, bucket, dimension_ids, file_stem,
    front_matter_schema, is_known_language, new_recipe_text, normalise_trigger, parse,
};
use asd_store::{Project, write_atomic};
use asd_workspace::ProjectState;
use asd_workspace::report::FileProblem;
use asd_workspace::service::NamedAction;

use crate::Outcome;
use crate::args::{ListOptions, NewOptions, RecipeCheckOptions, RecipeCommand, ShowOptions};
use crate::excerpt::Painter;
use crate::fmt;
use crate::output::text::{Names, number, write_problems};
use crate::person;
use crate::recipe_file::select;
use crate::rules::current_project;
use crate::terminal::Terminal;

pub(crate) fn run(command: &RecipeCommand, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    use NamedAction::{
        Decay, Deprecate, Evolve, FastTrack, Publish, Reactivate, Reject, Restore, Stage, ToDraft,
    };
    match command {
        RecipeCommand::New(options) => new(options, terminal),
        RecipeCommand::Check(options) => check(options, terminal),
        RecipeCommand::Fmt(options) => fmt::run(options, terminal),
        RecipeCommand::Show(options) => show(options, terminal),
        RecipeCommand::List(options) => list(options, terminal),
        RecipeCommand::Edit(options) => person::edit(options, terminal),
        RecipeCommand::Approve(options) => person::move_recipes(options, Stage, terminal),
        RecipeCommand::Reject(options) => person::move_recipes(options, Reject, terminal),
        RecipeCommand::Publish(options) => person::move_recipes(options, Publish, terminal),
        RecipeCommand::FastTrack(options) => person::move_recipes(options, FastTrack, terminal),
        RecipeCommand::ToDraft(options) => person::move_recipes(options, ToDraft, terminal),
        RecipeCommand::Evolve(options) => person::move_recipes(options, Evolve, terminal),
        RecipeCommand::Decay(options) => person::move_recipes(options, Decay, terminal),
        RecipeCommand::Restore(options) => person::move_recipes(options, Restore, terminal),
        RecipeCommand::Deprecate(options) => person::move_recipes(options, Deprecate, terminal),
        RecipeCommand::Reactivate(options) => person::move_recipes(options, Reactivate, terminal),
        RecipeCommand::Delete(options) => person::delete(options, terminal),
        RecipeCommand::Drift(options) => person::drift(options, terminal),
        RecipeCommand::Schema => {
            terminal.json(&front_matter_schema())?;
            Ok(Outcome::Fine)
        }
    }
}

fn new(options: &NewOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    // `../x` is meant as a place, and would become `@x` somewhere else.
    let is_path = options.trigger.contains(['/', '\\']) || options.trigger.contains("..");
    let Some(trigger) = normalise_trigger(&options.trigger).filter(|_| !is_path) else {
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
    if let Some(dimension) = &options.dimension {
        let known = dimension_ids();
        if !known.contains(&dimension.as_str()) {
            bail!(
                "`{dimension}` is not a dimension; known are {}",
                known.join(", ")
            );
        }
    }
    let state = current_project()?;
    if let Some((path, _)) = state.recipe_by_trigger(&trigger) {
        bail!("{trigger} exists already: {path}");
    }
    let project = Project::at(state.project().root());
    let (folder, home, lifecycle) = if options.candidate {
        ("candidates", Home::Candidates, Lifecycle::Pending)
    } else {
        ("recipes", Home::Recipes, Lifecycle::Active)
    };
    let text = new_recipe_text(&NewRecipe {
        trigger: &trigger,
        title: options.title.as_deref().unwrap_or_default(),
        language: &options.language,
        dimension: options.dimension.as_deref(),
        lifecycle,
    });
    let recipe = parse(&text, home)
        .recipe
        .context("the template cannot be read as a recipe")?;
    let rel = format!(
        "Alembic/{folder}/{}/{}.md",
        bucket(&recipe),
        file_stem(&recipe)
    );
    if project.root().join(&rel).exists() {
        bail!("{rel} exists already");
    }
    write_atomic(&project, &rel, text.as_bytes())?;
    terminal.line(&Names::new(project.root()).shown(&rel))?;
    terminal
        .note("Fill in what stands in <angle brackets>; `asd recipe check` says what is missing.");
    Ok(Outcome::Fine)
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
    let Some((path, recipe)) = find(&state, &options.trigger) else {
        bail!("{}", unknown(&state, &options.trigger));
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

/// The recipe of an id, a trigger in whatever spelling, or an exact title.
pub(crate) fn find<'s>(state: &'s ProjectState, name: &str) -> Option<&'s (Arc<str>, Arc<Recipe>)> {
    let name = name.trim();
    let mut recipes = state.recipes().iter();
    recipes
        .find(|(_, recipe)| recipe.id.as_deref() == Some(name))
        .or_else(|| state.recipe_by_trigger(name))
        .or_else(|| {
            state
                .recipes()
                .iter()
                .find(|(_, recipe)| recipe.title == name)
        })
        .or_else(|| state.recipe_by_trigger(&normalise_trigger(name)?))
}

/// What to say when there is none.
pub(crate) fn unknown(state: &ProjectState, name: &str) -> String {
    let near: Vec<&str> = state
        .search_recipes(name)
        .iter()
        .take(3)
        .map(|hit| state.recipes()[hit.index].1.trigger.as_str())
        .collect();
    let hint = if near.is_empty() {
        "`asd recipe list` lists the recipes".to_owned()
    } else {
        format!("did you mean {}?", near.join(", "))
    };
    format!("no recipe has the trigger {name}; {hint}")
}

fn list(options: &ListOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let state = current_project()?;
    let hits = state.search_recipes(&options.query.join(" "));
    let status = options.status.as_deref().map(state_named).transpose()?;
    let found: Vec<_> = hits
        .iter()
        .map(|hit| &state.recipes()[hit.index])
        .filter(|(_, recipe)| status.is_none_or(|status| recipe.lifecycle == status))
        .collect();
    if options.json {
        let listed: Vec<serde_json::Value> = found
            .iter()
            .map(|(path, recipe)| {
                serde_json::json!({
                    "id": recipe.id,
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
        // Most recipes are active, which goes without saying.
        let state = match recipe.lifecycle {
            Lifecycle::Active => String::new(),
            other => format!("  ({})", other.name()),
        };
        terminal.line(&format!(
            "{:width$}  {}{state}",
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

fn state_named(name: &str) -> anyhow::Result<Lifecycle> {
    Lifecycle::from_name(name).with_context(|| {
        let names: Vec<&str> = Lifecycle::ALL.iter().map(|state| state.name()).collect();
        format!(
            "`{name}` is no state of a recipe; possible are {}",
            names.join(", ")
        )
    })
}
