use std::io::{self, IsTerminal, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use anyhow::Context;
use asd_store::Project;
use asd_workspace::Settings;

use crate::args::Color;

/// Where results and notes go.
pub(crate) struct Terminal {
    out: io::BufWriter<AutoStream<StdoutLock<'static>>>,
    colors: bool,
    error_colors: bool,
    /// Whether somebody watches stderr.
    pub(crate) shows_progress: bool,
}

impl Terminal {
    pub(crate) fn new(color: Color) -> Self {
        let stdout = io::stdout().lock();
        let choose = |auto: ColorChoice| match color {
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
            Color::Auto => auto,
        };
        let choice = choose(AutoStream::choice(&stdout));
        let errors = choose(AutoStream::choice(&io::stderr()));
        Self {
            colors: choice != ColorChoice::Never,
            error_colors: errors != ColorChoice::Never,
            out: io::BufWriter::new(AutoStream::new(stdout, choice)),
            shows_progress: io::stderr().is_terminal(),
        }
    }

    /// Whether results are shown in colours.
    pub(crate) const fn colors(&self) -> bool {
        self.colors
    }

    /// Writes a line of the result.
    pub(crate) fn line(&mut self, text: &str) -> anyhow::Result<()> {
        writeln!(self.out, "{text}").context("cannot write the result")
    }

    /// Writes a result as JSON.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value).context("cannot write the result")?;
        self.line("")
    }

    /// Writes a result as JSON on one line, and hands it over at once.
    pub(crate) fn json_line(&mut self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        serde_json::to_writer(&mut self.out, value).context("cannot write the result")?;
        self.line("")?;
        self.finish()
    }

    /// Makes sure that everything has been written.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        self.out.flush().context("cannot write the result")
    }

    /// A note for a person, beside the result.
    pub(crate) fn note(&self, text: &str) {
        anstream::eprintln!("{text}");
    }

    /// Says what is wrong with the settings of a project, for commands whose
    /// result shows no problems of files.
    pub(crate) fn note_settings(&self, project: &Project, settings: &Settings) {
        for problem in settings.problems(project) {
            self.note(&format!(
                "{}:{}:{}: {}: {}",
                problem.path,
                problem.place.line,
                problem.place.column,
                problem.severity.as_str(),
                problem.message
            ));
        }
    }

    /// A note on why a command failed.
    pub(crate) fn error(&self, text: &str) {
        if self.error_colors {
            anstream::eprintln!("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: {text}");
        } else {
            anstream::eprintln!("error: {text}");
        }
    }
}
