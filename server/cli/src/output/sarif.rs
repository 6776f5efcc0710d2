use asd_workspace::sarif::sarif;

use crate::check::Checked;
use crate::terminal::Terminal;

pub(crate) fn write(checked: &Checked, terminal: &mut Terminal) -> anyhow::Result<()> {
    terminal.json(&sarif(&checked.result().details, env!("CARGO_PKG_VERSION")))
}
