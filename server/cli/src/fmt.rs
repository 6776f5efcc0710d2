use anyhow::{Context, bail};
use asd_recipe::{ParsedRecipe, Severity, parse, to_markdown};
use asd_store::{RecipeFile, lock_for_writing, write_atomic};

use crate::Outcome;
use crate::args::FmtOptions;
use crate::output::text::{Names, number};
use crate::recipe_file::select;
use crate::terminal::Terminal;

/// How long another process may keep the project's lock.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// Rewrites recipes in the canonical form. A file that would lose anything by
/// it is left as it is, and told.
pub(crate) fn run(options: &FmtOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let (state, names) = select(&options.paths)?;
    let shown = Names::new(state.project().root());
    let _lock = if options.check {
        None
    } else {
        Some(lock_for_writing(state.project(), PATIENCE)?)
    };
    let (mut changed, mut same, mut refused) = (0, 0, 0);
    for file in names.iter().filter_map(|name| state.recipe_file(name)) {
        match formatted(file) {
            Ok(text) if *text == *file.text => same += 1,
            Ok(text) => {
                changed += 1;
                if options.check {
                    terminal.line(&format!("{}: not formatted", shown.shown(&file.rel)))?;
                } else {
                    write_atomic(state.project(), &file.rel, text.as_bytes())?;
                    terminal.line(&format!("{}: formatted", shown.shown(&file.rel)))?;
                }
            }
            Err(reason) => {
                refused += 1;
                terminal.error(&format!("{}: {reason:#}", shown.shown(&file.rel)));
            }
        }
    }
    let verb = if options.check {
        "to be formatted"
    } else {
        "formatted"
    };
    terminal.line(&format!(
        "{} {verb}, {same} already so, {refused} left as they are.",
        number(changed, "recipe")
    ))?;
    Ok(if refused > 0 || (options.check && changed > 0) {
        Outcome::Errors
    } else {
        Outcome::Fine
    })
}

/// The canonical form of a recipe file.
fn formatted(file: &RecipeFile) -> anyhow::Result<String> {
    let broken = |problem: &&asd_recipe::Problem| problem.severity == Severity::Error;
    if let Some(problem) = file.parsed.problems.iter().find(broken) {
        bail!("not formatted, since it has an error: {}", problem.message);
    }
    let recipe = file
        .recipe
        .as_ref()
        .context("not formatted, since it cannot be read as a recipe")?;
    let text = to_markdown(recipe);
    let front = file.parsed.front_matter.map(|span| span.of(&file.text));
    if text != *file.text && front.is_some_and(has_comment) {
        bail!("not formatted, since the comments in its front matter would be lost");
    }
    if said(&parse(&text, file.home))? != said(&file.parsed)? {
        bail!("not formatted, since it would not say the same afterwards");
    }
    Ok(text)
}

/// What a recipe file says, without its places.
fn said(parsed: &ParsedRecipe) -> anyhow::Result<serde_json::Value> {
    let mut value = serde_json::json!({
        "recipe": parsed.recipe,
        "examples": parsed.examples,
    });
    // The hash is that of the text, and the text is what changes.
    if let Some(recipe) = value["recipe"].as_object_mut() {
        recipe.remove("hash");
    }
    Ok(value)
}

/// Whether YAML has a comment: `#` at the start of a line or behind a blank,
/// not inside quotes.
fn has_comment(yaml: &str) -> bool {
    yaml.lines().any(|line| {
        let mut quote = None;
        let mut before = ' ';
        for c in line.chars() {
            match (quote, c) {
                (None, '\'' | '"') if !before.is_alphanumeric() => quote = Some(c),
                (None, '#') if before.is_whitespace() => return true,
                (Some(open), c) if c == open => quote = None,
                _ => {}
            }
            before = c;
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_told_from_text() {
        assert!(has_comment("a: 1\n# why\n"));
        assert!(has_comment("a: 1 # why"));
        assert!(!has_comment("a: 'x # y'\nb: a#b\nc: don't\n"));
    }
}
