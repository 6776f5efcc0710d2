//! How the programs that run agents are told of the server: one file each, in
//! the form that each reads today, merged into what is there.

mod auto_approve;
mod json;
mod toml;

pub use auto_approve::{apply_auto_approve, request_auto_approve};

pub(crate) use json::{merge_hooks, merge_json, remove_hooks, remove_json};
pub(crate) use toml::{merge_toml, remove_toml};

use serde_json::{Map, Value, json};

/// The key of our entry everywhere.
pub(crate) const KEY: &str = "alembic";

/// A program that runs agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of the programs")]
pub enum Host {
    Cursor,
    VsCode,
    Claude,
    Codex,
    Zed,
    Windsurf,
    Trae,
    Qoder,
}

impl Host {
    /// Every host.
    pub const ALL: [Self; 8] = [
        Self::Cursor,
        Self::VsCode,
        Self::Claude,
        Self::Codex,
        Self::Zed,
        Self::Windsurf,
        Self::Trae,
        Self::Qoder,
    ];

    /// Those that are set up unless something else is asked for.
    pub const DEFAULT: [Self; 3] = [Self::Cursor, Self::VsCode, Self::Claude];

    /// As the command line names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Zed => "zed",
            Self::Windsurf => "windsurf",
            Self::Trae => "trae",
            Self::Qoder => "qoder",
        }
    }

    /// The host of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.name() == name)
    }

    /// Its files in the project; none when it only has one of the user's own.
    pub(crate) const fn files(self) -> &'static [HostFile] {
        match self {
            Self::Cursor => &[CURSOR],
            Self::VsCode => &[VSCODE],
            Self::Claude => &[CLAUDE_FOLDER, CLAUDE_ROOT],
            Self::Codex => &[CODEX],
            Self::Zed => &[ZED],
            Self::Trae => &[TRAE],
            Self::Windsurf | Self::Qoder => &[],
        }
    }

    /// What a user puts into a file of their own, and where that file is.
    pub(crate) fn snippet(self) -> Option<(&'static str, String)> {
        let place = match self {
            Self::Windsurf => "~/.codeium/windsurf/mcp_config.json",
            Self::Qoder => "Qoder's settings, MCP, My Servers",
            _ => return None,
        };
        // The file is for all projects, so it names none: the server takes the
        // folder in which it is started.
        let entry = json!({"mcpServers": {KEY: {"command": "asd", "args": ["mcp"]}}});
        let text = serde_json::to_string_pretty(&entry).unwrap_or_default();
        Some((place, text))
    }
}

/// A file that names servers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostFile {
    /// Project-relative path.
    pub path: &'static str,
    pub form: Form,
    /// The table that holds the servers.
    pub parent: &'static str,
    /// Whether entries state their transport.
    typed: bool,
    /// What the host replaces by the project's folder; `.` where it replaces
    /// nothing and starts servers in that folder.
    folder: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Toml,
}

const VARIABLE: &str = "${workspaceFolder}";

const CURSOR: HostFile = HostFile {
    path: ".cursor/mcp.json",
    form: Form::Json,
    parent: "mcpServers",
    typed: false,
    folder: VARIABLE,
};
const VSCODE: HostFile = HostFile {
    path: ".vscode/mcp.json",
    parent: "servers",
    typed: true,
    ..CURSOR
};
const CLAUDE_FOLDER: HostFile = HostFile {
    path: ".claude/mcp.json",
    folder: ".",
    ..CURSOR
};
const CLAUDE_ROOT: HostFile = HostFile {
    path: ".mcp.json",
    folder: ".",
    ..CURSOR
};
const CODEX: HostFile = HostFile {
    path: ".codex/config.toml",
    form: Form::Toml,
    parent: "mcp_servers",
    typed: false,
    folder: ".",
};
const ZED: HostFile = HostFile {
    path: ".zed/settings.json",
    parent: "context_servers",
    folder: ".",
    ..CURSOR
};
const TRAE: HostFile = HostFile {
    path: ".trae/mcp.json",
    ..CURSOR
};

impl HostFile {
    /// Our entry. The command is a name, not a path: the file is committed.
    pub(crate) fn entry(&self) -> Value {
        let mut entry = Map::new();
        if self.typed {
            entry.insert("type".to_owned(), json!("stdio"));
        }
        entry.insert("command".to_owned(), json!("asd"));
        entry.insert("args".to_owned(), json!(["mcp"]));
        entry.insert("env".to_owned(), json!({"ASD_PROJECT_DIR": self.folder}));
        Value::Object(entry)
    }

    /// `text` with our entry; equal to it when the entry is there. `Err` says
    /// why the file cannot be changed.
    pub(crate) fn merge(&self, text: Option<&str>) -> Result<String, &'static str> {
        match self.form {
            Form::Json => merge_json(text, self.parent, &self.entry()),
            Form::Toml => merge_toml(text, self.parent, &self.entry()),
        }
    }

    /// `text` without our entry; `None` when it has none. An empty text means
    /// that nothing but what we wrote was in it.
    pub(crate) fn unmerge(&self, text: &str) -> Result<Option<String>, &'static str> {
        match self.form {
            Form::Json => remove_json(text, self.parent),
            Form::Toml => remove_toml(text, self.parent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_a_file_or_a_snippet() {
        for host in Host::ALL {
            assert_eq!(
                host.files().is_empty(),
                host.snippet().is_some(),
                "{host:?}"
            );
            assert_eq!(Host::from_name(host.name()), Some(host));
            for file in host.files() {
                assert!(crate::may_write(file.path), "{}", file.path);
            }
        }
    }

    #[test]
    fn entries_are_as_each_host_reads_them() {
        let text = |host: Host| {
            let files = host.files().iter();
            files
                .map(|file| file.merge(None).unwrap())
                .collect::<Vec<_>>()
                .join("--\n")
        };
        expect_test::expect![[r#"
            {
              "mcpServers": {
                "alembic": {
                  "command": "asd",
                  "args": ["mcp"],
                  "env": {
                    "ASD_PROJECT_DIR": "${workspaceFolder}"
                  }
                }
              }
            }
        "#]]
        .assert_eq(&text(Host::Cursor));
        expect_test::expect![[r#"
            {
              "servers": {
                "alembic": {
                  "type": "stdio",
                  "command": "asd",
                  "args": ["mcp"],
                  "env": {
                    "ASD_PROJECT_DIR": "${workspaceFolder}"
                  }
                }
              }
            }
        "#]]
        .assert_eq(&text(Host::VsCode));
        expect_test::expect![[r#"
            [mcp_servers.alembic]
            command = "asd"
            args = ["mcp"]
            env = { ASD_PROJECT_DIR = "." }
        "#]]
        .assert_eq(&text(Host::Codex));
        let zed = text(Host::Zed);
        assert!(
            zed.contains("\"context_servers\"") && zed.contains("\"ASD_PROJECT_DIR\": \".\""),
            "{zed}"
        );
    }
}
