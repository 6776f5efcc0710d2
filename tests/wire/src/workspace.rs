use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder of files on disk, gone when it is dropped.
#[derive(Debug)]
pub struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// A folder with these files, by their relative paths.
    ///
    /// # Panics
    /// When they cannot be written.
    #[must_use]
    pub fn new(files: &[(&str, &str)]) -> Self {
        let workspace = Self {
            folder: TempDir::with_prefix("asd-wire-").expect("a folder for the test"),
        };
        std::fs::create_dir(workspace.root()).expect("a folder for the project");
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    /// The project's folder.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A folder beside the project's.
    #[must_use]
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The absolute path of a file.
    #[must_use]
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    /// The URI of a file.
    #[must_use]
    pub fn uri(&self, relative: &str) -> String {
        uri_of(&self.path(relative))
    }

    /// Writes a file.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    /// Deletes a file.
    ///
    /// # Panics
    /// When it is not there.
    pub fn remove(&self, relative: &str) {
        std::fs::remove_file(self.path(relative)).expect("a file to delete");
    }
}

/// The URI of a path that needs no escapes.
#[must_use]
pub fn uri_of(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// A recipe with one guard. `guard` is the YAML of the guard's fields, one a
/// line, without indentation.
#[must_use]
pub fn recipe(trigger: &str, language: &str, guard: &str) -> String {
    let mut fields = String::new();
    for (index, line) in guard.lines().enumerate() {
        let lead = if index == 0 { "  - " } else { "    " };
        fields.push_str(&format!("{lead}{line}\n"));
    }
    format!(
        "---\n\
         trigger: \"@{trigger}\"\n\
         title: Rule {trigger}\n\
         kind: rule\n\
         lifecycle: active\n\
         language: {language}\n\
         category: Utility\n\
         do: Do it the other way\n\
         dont: Do it like this\n\
         guards:\n{fields}---\n\n\
         ## Rationale\n\nIt is so.\n"
    )
}
