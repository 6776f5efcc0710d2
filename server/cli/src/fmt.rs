use asd_recipe::format;
use asd_store::{lock_for_writing, write_atomic};

use crate::Outcome;
use crate::args::FmtOptions;
use crate::output::text::{Names, number};
use crate::recipe_file::select;
use crate::terminal::Terminal;

/// How long another process may keep the project's lock.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// Tidies recipes. Comments, the order of keys and code stay as they are.
pub(crate) fn run(options: &FmtOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let (state, names) = select(&options.paths)?;
    let shown = Names::new(state.project().root());
    let _lock = if options.check {
        None
    } else {
        Some(lock_for_writing(state.project(), PATIENCE)?)
    };
    let (mut changed, mut same, mut unreadable) = (0, 0, 0);
    for file in names.iter().filter_map(|name| state.recipe_file(name)) {
        let name = shown.shown(&file.rel);
        if !file.is_sound() {
            unreadable += 1;
            terminal.error(&format!("{name}: it cannot be read as a recipe"));
            continue;
        }
        // The text that the state holds has no byte order mark, so that a file
        // loses its own here; the format has none.
        let text = format(&file.text);
        if *text == *file.text {
            same += 1;
            continue;
        }
        changed += 1;
        if options.check {
            terminal.line(&format!("{name}: not formatted"))?;
        } else {
            write_atomic(state.project(), &file.rel, text.as_bytes())?;
            terminal.line(&format!("{name}: formatted"))?;
        }
    }
    let verb = if options.check {
        "to be formatted"
    } else {
        "formatted"
    };
    terminal.line(&format!(
        "{} {verb}, {same} already so, {unreadable} unreadable.",
        number(changed, "recipe")
    ))?;
    Ok(if unreadable > 0 || (options.check && changed > 0) {
        Outcome::Errors
    } else {
        Outcome::Fine
    })
}
