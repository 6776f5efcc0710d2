//! Where model files and libraries are looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of the model file of the built-in encoder.
pub const MODEL_FILE: &str = "use-multilingual-v3.asdmodel";

/// Names the one folder in which the model file is looked for and installed.
pub const MODEL_DIR_VARIABLE: &str = "ASD_MODEL_DIR";

/// The folders that may hold a model file, and what the environment says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    folders: Vec<PathBuf>,
    install: Option<PathBuf>,
}

impl Places {
    /// Those of this process: the folder in `ASD_MODEL_DIR` and no other when it
    /// is set; else `models` beside the program, where release packages have
    /// it, then the program's own folder, then the user's cache.
    #[must_use]
    pub fn of_process() -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        // What a link leads to counts: packages link to their binary.
        let program = std::env::current_exe().and_then(std::fs::canonicalize).ok();
        Self::from(program.as_deref().and_then(Path::parent), &variable)
    }

    /// One folder and no other.
    #[must_use]
    pub fn only(folder: &Path) -> Self {
        Self {
            folders: vec![folder.to_owned()],
            install: Some(folder.to_owned()),
        }
    }

    fn from(program: Option<&Path>, variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        if let Some(folder) = variable(MODEL_DIR_VARIABLE).map(PathBuf::from) {
            return Self::only(&folder);
        }
        let cache = cache_home(variable).map(|cache| cache.join("asd").join("models"));
        let beside = program.map(|folder| [folder.join("models"), folder.to_owned()]);
        Self {
            folders: beside.into_iter().flatten().chain(cache.clone()).collect(),
            install: cache,
        }
    }

    /// The paths at which the model file is looked for, in this order.
    #[must_use]
    pub fn candidates(&self) -> Vec<PathBuf> {
        self.folders
            .iter()
            .map(|folder| folder.join(MODEL_FILE))
            .collect()
    }

    /// The first model file there is.
    #[must_use]
    pub fn find(&self) -> Option<PathBuf> {
        self.candidates().into_iter().find(|path| path.is_file())
    }

    /// Where a model file is installed; `None` where neither `ASD_MODEL_DIR` nor
    /// a home folder is known.
    #[must_use]
    pub fn install_path(&self) -> Option<PathBuf> {
        self.install.as_ref().map(|folder| folder.join(MODEL_FILE))
    }
}

/// The folder of one's own for what can be had again.
fn cache_home(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The variable must hold an absolute path to count.
    let stated = variable("XDG_CACHE_HOME").map(PathBuf::from);
    if let Some(path) = stated.filter(|path| path.is_absolute()) {
        return Some(path);
    }
    if cfg!(windows) {
        return variable("LOCALAPPDATA").map(PathBuf::from);
    }
    let home = PathBuf::from(variable("HOME")?);
    Some(if cfg!(target_os = "macos") {
        home.join("Library").join("Caches")
    } else {
        home.join(".cache")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(program: Option<&str>, variables: &[(&str, &str)]) -> Places {
        Places::from(program.map(Path::new), &|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.into())
        })
    }

    #[cfg(not(any(windows, target_os = "macos")))]
    #[test]
    fn the_model_is_looked_for_beside_the_program_and_in_the_cache() {
        let places = places(Some("/opt/asd/bin"), &[("HOME", "/home/ann")]);
        let folders = [
            "/opt/asd/bin/models",
            "/opt/asd/bin",
            "/home/ann/.cache/asd/models",
        ];
        let expected: Vec<_> = folders
            .map(|folder| Path::new(folder).join(MODEL_FILE))
            .into();
        assert_eq!(places.candidates(), expected);
        assert_eq!(places.install_path(), expected.last().cloned());
    }

    #[test]
    fn a_stated_folder_is_the_only_one() {
        let places = places(
            Some("/opt/asd/bin"),
            &[("HOME", "/home/ann"), (MODEL_DIR_VARIABLE, "/m")],
        );
        assert_eq!(places.candidates(), [Path::new("/m").join(MODEL_FILE)]);
        assert_eq!(
            places.install_path(),
            Some(Path::new("/m").join(MODEL_FILE))
        );
    }

    #[test]
    fn without_a_home_nothing_can_be_installed() {
        assert_eq!(places(None, &[]).install_path(), None);
        assert_eq!(places(None, &[]).find(), None);
    }
}
