use asd_workspace::formats;

use crate::check::Checked;
use crate::terminal::Terminal;

pub(crate) fn write(checked: &Checked, terminal: &mut Terminal) -> anyhow::Result<()> {
    for line in formats::github(&checked.result().details) {
        terminal.line(&line)?;
    }
    Ok(())
}
