use asd_workspace::sarif::sarif;

use crate::check::Checked;
use crate::terminal::Terminal;

pub(crate) fn write(checked: &Checked, terminal: &mut Terminal) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let log = sarif(&checked.batch, &checked.skipped, &checked.broken, version);
    terminal.json(&log)
}
