//! A project on disk with recipes, and deliveries into it.

use std::fs;
use std::path::{Path, PathBuf};

use asd_delivery::{
    Action, DeliverOptions, DeliveryReport, Knowledge, ToolSummary, deliver, read_knowledge,
};
use asd_store::Project;

pub const BEGIN: &str = "<!-- asd:begin -->";
pub const END: &str = "<!-- asd:end -->";

pub struct Fixture {
    folder: tempfile::TempDir,
    pub project: Project,
}

impl Fixture {
    /// A project with one rule, one pattern and the given files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let fixture = Self::empty();
        fixture.rule("one", "Call X");
        fixture.recipe(
            "two",
            "kind: pattern\ncategory: Storage\nwhen: Saving\ndo: Use the store\n",
        );
        for (path, text) in files {
            fixture.write(path, text.as_bytes());
        }
        fixture
    }

    /// A project without recipes.
    pub fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("Alembic/recipes")).unwrap();
        Self {
            project: Project::at(folder.path()),
            folder,
        }
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, rel: &str) -> PathBuf {
        self.root().join(rel)
    }

    pub fn write(&self, rel: &str, bytes: &[u8]) {
        let path = self.path(rel);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, rel: &str) -> String {
        String::from_utf8(self.bytes(rel)).unwrap()
    }

    pub fn bytes(&self, rel: &str) -> Vec<u8> {
        fs::read(self.path(rel)).unwrap_or_else(|error| panic!("{rel}: {error}"))
    }

    pub fn exists(&self, rel: &str) -> bool {
        self.path(rel).symlink_metadata().is_ok()
    }

    pub fn recipe(&self, name: &str, front: &str) {
        let text = format!(
            "---\ntitle: About {name}\ntrigger: '@{name}'\nlifecycle: active\n{front}---\n"
        );
        self.write(
            &format!("Alembic/recipes/general/{name}.md"),
            text.as_bytes(),
        );
    }

    pub fn rule(&self, name: &str, instruction: &str) {
        self.recipe(name, &format!("kind: rule\ndo: '{instruction}'\n"));
    }

    pub fn knowledge(&self) -> Knowledge {
        knowledge(&self.project)
    }

    pub fn deliver(&self) -> DeliveryReport {
        self.deliver_with(&DeliverOptions::default())
    }

    pub fn deliver_with(&self, options: &DeliverOptions) -> DeliveryReport {
        deliver(&self.project, &self.knowledge(), options).unwrap()
    }

    /// Every file below the root but the lock, with its content and time.
    pub fn content(&self) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
        let mut files = Vec::new();
        collect(self.root(), &mut files);
        files.sort();
        files
    }
}

pub fn knowledge(project: &Project) -> Knowledge {
    let tools = vec![ToolSummary {
        name: "asd_search",
        purpose: "find recipes",
    }];
    read_knowledge(project, tools, None)
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>, std::time::SystemTime)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            collect(&path, files);
        } else if !path.ends_with("delivery.lock") && !path.ends_with(".asd/.gitignore") {
            let bytes = fs::read(&path).unwrap_or_default();
            let time = path.symlink_metadata().unwrap().modified().unwrap();
            files.push((path, bytes, time));
        }
    }
}

/// What was done with a file, and why.
pub fn action(report: &DeliveryReport, path: &str) -> (Action, Option<String>) {
    let file = report.files.iter().find(|file| file.path == path);
    let file = file.unwrap_or_else(|| panic!("{path} is not in {:#?}", report.files));
    (file.action, file.reason.clone())
}

pub fn skipped(reason: &str) -> (Action, Option<String>) {
    (Action::Skipped, Some(reason.to_owned()))
}
