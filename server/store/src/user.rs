use std::ffi::OsString;
use std::path::PathBuf;

/// The user's own settings: `$XDG_CONFIG_HOME/asd/config.toml`, or the place
/// that the platform has for it. (knowledge.md §5)
#[must_use]
pub fn user_config_path() -> Option<PathBuf> {
    config_home(&|name| std::env::var_os(name).filter(|value| !value.is_empty()))
        .map(|home| home.join("asd").join("config.toml"))
}

fn config_home(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The variable must hold an absolute path to count.
    let stated = variable("XDG_CONFIG_HOME").map(PathBuf::from);
    if let Some(path) = stated.filter(|path| path.is_absolute()) {
        return Some(path);
    }
    if cfg!(windows) {
        return variable("APPDATA").map(PathBuf::from);
    }
    let home = PathBuf::from(variable("HOME")?);
    Some(if cfg!(target_os = "macos") {
        home.join("Library").join("Application Support")
    } else {
        home.join(".config")
    })
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
