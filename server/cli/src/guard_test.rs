use asd_recipe::{ExampleKind, ProblemCode};
use asd_workspace::report::FileProblem;

use crate::Outcome;
use crate::args::TestOptions;
use crate::excerpt::Painter;
use crate::output::text::{Names, number, write_problems};
use crate::recipe_file::select;
use crate::terminal::Terminal;

/// Runs the examples of recipes; those in the fenced blocks of the body and
/// those in the entries of guards.
pub(crate) fn run(options: &TestOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let (state, names) = select(&options.paths)?;
    let (mut examples, mut without) = (0, Vec::new());
    let mut failures = Vec::new();
    for name in &names {
        let Some(file) = state.recipe_file(name) else {
            continue;
        };
        let Some(recipe) = &file.recipe else {
            continue;
        };
        let in_guards: usize = recipe
            .constraints
            .guards
            .iter()
            .map(|guard| guard.positive_examples.len() + guard.negative_examples.len())
            .sum();
        let in_body = file.parsed.examples.len();
        examples += in_body + in_guards;
        let has_bad = file
            .parsed
            .examples
            .iter()
            .any(|e| e.kind == ExampleKind::Bad);
        if !recipe.constraints.guards.is_empty() && !has_bad && in_guards == 0 {
            without.push(name.clone());
        }
        failures.extend(
            state
                .problems_of(name)
                .iter()
                .filter(|problem| problem.code == ProblemCode::Example)
                .map(|problem| FileProblem::new(name, &file.text, &file.lines, problem)),
        );
    }
    let painter = Painter::new(terminal.colors());
    let root = state.project().root().to_path_buf();
    write_problems(&failures, &painter, terminal, &Names::new(&root), &|path| {
        state.text_of(path).map(|(text, _)| text.to_string())
    })?;
    for name in &without {
        terminal.note(&format!("{name}: its guards have no example"));
    }
    terminal.line(&format!(
        "Ran {}: {}.",
        number(examples, "example"),
        if failures.is_empty() {
            "all hold".to_owned()
        } else {
            format!("{} failed", failures.len())
        }
    ))?;
    Ok(if failures.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Errors
    })
}
