use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;

use serde_json::{Value, json};

use crate::client::{Client, Incoming};
use crate::frames::Frames;
use crate::text::Encoding;
use crate::workspace::{Workspace, uri_of};

/// The binary under test.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn binary() -> PathBuf {
    let path = std::env::var_os("ASD_BIN").map_or_else(
        || {
            let test = std::env::current_exe().expect("the path of the test");
            test.ancestors()
                .nth(2)
                .expect("the target folder")
                .join(format!("asd{}", std::env::consts::EXE_SUFFIX))
        },
        PathBuf::from,
    );
    assert!(
        path.is_file(),
        "there is no {}; build it with `cargo build -p asd-cli`, or name another with ASD_BIN",
        path.display()
    );
    path
}
/// How a client introduces itself.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) folders: Vec<String>,
    pub(crate) state: PathBuf,
    pub(crate) capabilities: Value,
    pub(crate) options: Value,
    pub(crate) configuration: Option<Value>,
    pub(crate) encodings: Option<Vec<&'static str>>,
    pub(crate) process: Value,
    pub(crate) answers: bool,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
}

impl Builder {
    /// A client of a folder that can do what most can.
    #[must_use]
    pub fn new(workspace: &Workspace) -> Self {
        Self {
            folders: vec![uri_of(&workspace.root())],
            state: workspace.beside("state"),
            capabilities: json!({
                "workspace": {
                    "workspaceEdit": {
                        "documentChanges": true,
                        "resourceOperations": ["create", "rename", "delete"],
                    },
                    "workspaceFolders": true,
                },
                "textDocument": {
                    "publishDiagnostics": {
                        "relatedInformation": true,
                        "versionSupport": true,
                        "codeDescriptionSupport": true,
                        "dataSupport": true,
                        "tagSupport": {"valueSet": [1, 2]},
                    },
                    "codeAction": {
                        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
                        "isPreferredSupport": true,
                        "disabledSupport": true,
                        "dataSupport": true,
                        "resolveSupport": {"properties": ["edit"]},
                    },
                    "hover": {"contentFormat": ["markdown", "plaintext"]},
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                },
            }),
            options: Value::Null,
            configuration: None,
            encodings: None,
            process: Value::Null,
            answers: true,
            arguments: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// Opens these folders instead.
    #[must_use]
    pub fn folders(mut self, folders: Vec<String>) -> Self {
        self.folders = folders;
        self
    }

    /// Offers these encodings, the first being the favourite.
    #[must_use]
    pub fn encodings(mut self, encodings: &[&'static str]) -> Self {
        self.encodings = Some(encodings.to_vec());
        self
    }

    /// Counts columns in this unit.
    #[must_use]
    pub fn encoding(self, encoding: Encoding) -> Self {
        self.encodings(&[encoding.name()])
    }

    /// Declares more, by JSON pointer.
    #[must_use]
    pub fn capability(mut self, pointer: &str, value: Value) -> Self {
        let mut place = &mut self.capabilities;
        for key in pointer.split('/').skip(1) {
            if !place.is_object() {
                *place = json!({});
            }
            place = &mut place[key];
        }
        *place = value;
        self
    }

    /// Sends `initializationOptions`.
    #[must_use]
    pub fn options(mut self, options: Value) -> Self {
        self.options = options;
        self
    }

    /// Answers `workspace/configuration` with this.
    #[must_use]
    pub fn configuration(mut self, value: Value) -> Self {
        self.configuration = Some(value);
        self.capability("/workspace/configuration", json!(true))
    }

    /// Names a process that the server must not outlive.
    #[must_use]
    pub fn process(mut self, id: u32) -> Self {
        self.process = json!(id);
        self
    }

    /// Never answers a request of the server.
    #[must_use]
    pub fn silent(mut self) -> Self {
        self.answers = false;
        self
    }

    /// Starts the server with more arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: &[&str]) -> Self {
        self.arguments = arguments.iter().map(|text| (*text).to_owned()).collect();
        self
    }

    /// Starts the server with a variable of the environment.
    #[must_use]
    pub fn environment(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts the server, and says nothing to it yet.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn spawn(self) -> Client {
        let mut child = Command::new(binary())
            .arg("lsp")
            .args(&self.arguments)
            .env("XDG_STATE_HOME", &self.state)
            .env("XDG_CONFIG_HOME", self.state.join("config"))
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if std::env::var_os("ASD_WIRE_STDERR").is_some() {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .spawn()
            .expect("the server starts");
        let mut stdout = child.stdout.take().expect("stdout");
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            let mut frames = Frames::default();
            let mut bytes = vec![0; 64 << 10];
            loop {
                let read = stdout.read(&mut bytes).unwrap_or(0);
                if read == 0 {
                    break;
                }
                match frames.feed(&bytes[..read]) {
                    Ok(messages) => {
                        for message in messages {
                            if sender.send(Incoming::Message(message)).is_err() {
                                return;
                            }
                        }
                    }
                    Err(fault) => {
                        let _ = sender.send(Incoming::Fault(fault));
                        return;
                    }
                }
            }
            if frames.is_broken_off() {
                let _ = sender.send(Incoming::Fault("the last message is broken off".into()));
            }
        });
        Client::new(child, incoming, self)
    }

    /// Starts the server and greets it.
    #[must_use]
    pub fn start(self) -> Client {
        let mut client = self.spawn();
        client.greet();
        client
    }
}
