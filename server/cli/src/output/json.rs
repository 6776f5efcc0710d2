use asd_workspace::report::BatchResult;

use crate::check::Checked;
use crate::terminal::Terminal;

pub(crate) fn write(checked: &Checked, terminal: &mut Terminal) -> anyhow::Result<()> {
    terminal.json(&BatchResult::new(
        &checked.batch,
        &checked.skipped,
        checked.broken.clone(),
    ))
}
