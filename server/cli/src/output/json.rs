use crate::check::Checked;
use crate::terminal::Terminal;

pub(crate) fn write(checked: &Checked, terminal: &mut Terminal) -> anyhow::Result<()> {
    terminal.json(&checked.result())
}
