use std::ffi::OsString;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::Project;

/// The user's own settings: `$XDG_CONFIG_HOME/asd/config.toml`, or the place
/// that the platform has for it. (knowledge.md §5)
#[must_use]
pub fn user_config_path() -> Option<PathBuf> {
    config_home(&environment).map(|home| home.join("asd").join("config.toml"))
}

fn config_home(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let fallback = if cfg!(target_os = "macos") {
        &["Library", "Application Support"][..]
    } else {
        &[".config"][..]
    };
    home_of("XDG_CONFIG_HOME", "APPDATA", fallback, variable)
}

/// A variable of the environment, when it says anything.
pub(crate) fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// One of the folders that a user has for the files of programs: what `stated`
/// says, else what Windows has in `windows`, else a folder in the home folder.
pub(crate) fn home_of(
    stated: &str,
    windows: &str,
    fallback: &[&str],
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    // The variable must hold an absolute path to count.
    let stated = variable(stated).map(PathBuf::from);
    if let Some(path) = stated.filter(|path| path.is_absolute()) {
        return Some(path);
    }
    if cfg!(windows) {
        return variable(windows).map(PathBuf::from);
    }
    let mut home = PathBuf::from(variable("HOME")?);
    home.extend(fallback);
    Some(home)
}

/// The folder for what belongs to one project but not into it:
/// `$XDG_STATE_HOME/asd/<hash of the project's path>`, or the place that the
/// platform has for it. (knowledge.md §5)
#[must_use]
pub fn project_state_folder(project: &Project) -> Option<PathBuf> {
    let real = project
        .root()
        .canonicalize()
        .unwrap_or_else(|_| project.root().to_path_buf());
    let digest = Sha256::digest(real.to_string_lossy().as_bytes());
    let name: String = digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    state_home().map(|home| home.join("asd").join(name))
}

fn state_home() -> Option<PathBuf> {
    let fallback = if cfg!(target_os = "macos") {
        &["Library", "Application Support"][..]
    } else {
        &[".local", "state"][..]
    };
    home_of("XDG_STATE_HOME", "LOCALAPPDATA", fallback, &environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(any(windows, target_os = "macos")))]
    #[test]
    fn a_relative_variable_does_not_count() {
        let with = |stated: &'static str| {
            config_home(&move |name| match name {
                "XDG_CONFIG_HOME" => Some(stated.into()),
                "HOME" => Some("/home/ann".into()),
                _ => None,
            })
        };
        assert_eq!(with("/x"), Some(PathBuf::from("/x")));
        assert_eq!(with("x"), Some(PathBuf::from("/home/ann/.config")));
    }
}
