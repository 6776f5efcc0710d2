//! Projects on disk.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// A folder that is removed at the end of the test.
pub struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub fn empty() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("asd-mcp-")
            .tempdir()
            .unwrap();
        std::fs::create_dir(folder.path().join("Alembic")).unwrap();
        Self { folder }
    }

    /// With recipes: a trigger, a title and a kind for each.
    pub fn with(recipes: &[(&str, &str, &str)]) -> Self {
        let project = Self::empty();
        for (trigger, title, kind) in recipes {
            project.recipe(trigger, title, kind, "");
        }
        project
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    pub fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, relative: &str) -> String {
        std::fs::read_to_string(self.path(relative)).unwrap()
    }

    /// An active recipe; `more` goes into its head.
    pub fn recipe(&self, trigger: &str, title: &str, kind: &str, more: &str) {
        let number = trigger.bytes().fold(7_u64, |sum, byte| {
            (sum * 31 + u64::from(byte)) % 1_000_000_000_000
        });
        self.write(
            &format!("Alembic/recipes/net/{trigger}.md"),
            &format!(
                "---\nid: 00000000-0000-4000-8000-{number:012}\ntrigger: \"@{trigger}\"\n\
                 title: {title}\nkind: {kind}\nlanguage: rust\nlifecycle: active\n\
                 category: Network\ndescription: {title}\nwhen: Writing about {title}\n\
                 do: Follow {title}\ndont: Ignore {title}\n{more}---\n\n## Description\n{title}, \
                 in words.\n\n## Core code\n```rust\nlet way = right();\n```\n"
            ),
        );
    }

    /// Makes it a repository whose files are all committed.
    pub fn commit(&self) {
        let git = |arguments: &[&str]| {
            let status = Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
                .args(arguments)
                .current_dir(self.root())
                .status();
            assert!(status.unwrap().success());
        };
        git(&["init", "--quiet"]);
        git(&["add", "-A"]);
        git(&["commit", "--quiet", "--allow-empty", "-m", "all"]);
    }

    /// The chains of work that were kept.
    pub fn chains(&self) -> Vec<Value> {
        lines(&self.path(".asd/signals/intent.jsonl"))
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// An item that may become a candidate.
pub fn item(trigger: &str, subject: &str) -> Value {
    let about = format!(
        "{subject} is taken from one place in this project, as `src/{trigger}.rs:12` shows. "
    );
    json!({
        "title": format!("{subject} checkout"),
        "description": format!("{subject} comes from its pool"),
        "trigger": format!("@{trigger}"),
        "kind": "rule",
        "knowledgeType": "best-practice",
        "language": "rust",
        "category": "Storage",
        "whenClause": format!("Reading or writing {subject}"),
        "doClause": format!("Check {subject} out of its pool"),
        "dontClause": format!("Construct {subject} directly"),
        "coreCode": format!("let one = {}_pool.checkout(id)?;\none.apply(change)?;\none.release();", trigger.replace('-', "_")),
        "headers": [],
        "usageGuide": format!("### When\nAny access to {subject}."),
        "content": {
            "markdown": about.repeat(4),
            "rationale": format!("{subject} that is held blocks the others"),
        },
        "reasoning": {
            "whyStandard": "Seen at all nine places",
            "sources": [format!("src/{trigger}.rs:12-40")],
            "confidence": 0.8,
        },
    })
}
