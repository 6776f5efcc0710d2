//! Running commands, and getting the tools that tests and benchmarks need.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the root")
        .to_owned()
}

/// Where fetched tools are kept between runs: `ASD_TEST_CACHE`, else a folder
/// in the user's cache.
pub fn cache() -> Result<PathBuf> {
    let path = match env::var_os("ASD_TEST_CACHE") {
        Some(path) => PathBuf::from(path),
        None => match env::var_os("XDG_CACHE_HOME") {
            Some(base) => PathBuf::from(base).join("asd-tests"),
            None => {
                PathBuf::from(env::var_os("HOME").context("HOME is not set; set ASD_TEST_CACHE")?)
                    .join(".cache/asd-tests")
            }
        },
    };
    std::fs::create_dir_all(&path)
        .with_context(|| format!("cannot make the cache folder {}", path.display()))?;
    Ok(path)
}

/// The folder that cargo builds into.
pub fn target_dir() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(path) => root().join(path),
        None => root().join("target"),
    }
}

/// A command that runs in the repository's root.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// The cargo that runs this task.
pub fn cargo() -> Command {
    command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command to its end and fails when it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("$ {shown}");
    let status = command
        .status()
        .with_context(|| format!("cannot start: {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// Runs a command and gives what it printed on stdout.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start: {shown}"))?;
    if !output.status.success() {
        bail!("{shown}: {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{shown}: output is not UTF-8"))
}

fn show(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a program can be found on the PATH.
pub fn on_path(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|paths| env::split_paths(&paths).any(|dir| dir.join(program).is_file()))
}

/// A Python environment in the cache that holds exactly these packages
/// (`name==version`); gives its folder of programs.
pub fn python_tools(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let venv = cache()?.join(name);
    let bin = venv.join("bin");
    let stamp = venv.join("packages.txt");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(bin);
    }
    run(command("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&venv))?;
    run(command(bin.join("pip"))
        .args(["install", "--quiet"])
        .args(packages))?;
    std::fs::write(&stamp, wanted)?;
    Ok(bin)
}

/// Makes sure that a program is there, installing its Debian package when we
/// may; says what to do when we may not.
pub fn debian_tool(program: &str, packages: &[&str]) -> Result<()> {
    if on_path(program) {
        return Ok(());
    }
    if !on_path("apt-get") {
        bail!(
            "{program} is needed; install it with your system's package manager (Debian: {})",
            packages.join(" ")
        );
    }
    let install = |command: &mut Command| run(command.env("DEBIAN_FRONTEND", "noninteractive"));
    install(command("apt-get").args(["update", "--quiet"]))?;
    install(
        command("apt-get")
            .args(["install", "--yes", "--quiet", "--no-install-recommends"])
            .args(packages),
    )
    .with_context(|| {
        format!(
            "{program} is needed: apt-get install {}",
            packages.join(" ")
        )
    })
}
