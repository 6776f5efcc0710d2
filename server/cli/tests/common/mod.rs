//! A project on disk and the real program run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that is removed at the end of the test.
pub struct Project {
    folder: tempfile::TempDir,
    cache: tempfile::TempDir,
}

/// What a run of the program left.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Project {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let project = Self {
            folder: tempfile::Builder::new()
                .prefix("asd-test-")
                .tempdir()
                .unwrap(),
            cache: tempfile::tempdir().unwrap(),
        };
        for (path, text) in files {
            project.write(path, text.as_bytes());
        }
        project
    }

    pub fn path(&self, rel: &str) -> PathBuf {
        self.folder.path().join(rel)
    }

    /// Where the program keeps what it can make again.
    pub fn cache(&self) -> &Path {
        self.cache.path()
    }

    pub fn write(&self, rel: &str, bytes: &[u8]) {
        let path = self.path(rel);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, rel: &str) -> String {
        std::fs::read_to_string(self.path(rel)).unwrap()
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asd"));
        command.args(arguments);
        self.finish(command)
    }

    /// Runs a command in the project with an environment of its own.
    pub fn finish(&self, mut command: Command) -> Run {
        let output = command
            .current_dir(self.folder.path())
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("XDG_CONFIG_HOME", self.path(".user"))
            .env("XDG_CACHE_HOME", self.cache.path())
            .output()
            .unwrap();
        Run::from(output)
    }

    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let run = self.run(arguments);
        serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.shown()))
    }

    /// Every file with its content, to see that nothing was written.
    pub fn content(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        collect(self.folder.path(), &mut files);
        files.sort();
        files
    }
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push((path.clone(), std::fs::read(path).unwrap()));
        }
    }
}

impl Run {
    pub fn shown(&self) -> String {
        format!("exit {}\n{}\n{}", self.code, self.out, self.err)
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A recipe with one regex guard in TypeScript; `more` is added to the guard.
pub fn recipe(trigger: &str, pattern: &str, more: &str) -> String {
    format!(
        "---\ntitle: About {trigger}\ntrigger: \"@{trigger}\"\nkind: rule\nlanguage: typescript\n\
         do: Write {trigger} in the other way\ndont: Write it in the old way\n\
         guards:\n  - pattern: '{pattern}'\n    message: This is the old way\n{more}---\n"
    )
}
