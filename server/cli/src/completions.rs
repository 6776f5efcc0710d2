use clap::CommandFactory;

use crate::Outcome;
use crate::args::Arguments;
use crate::terminal::Terminal;

pub(crate) fn run(shell: clap_complete::Shell, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "asd", &mut script);
    terminal.line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Outcome::Fine)
}
