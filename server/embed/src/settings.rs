//! Which embedder is used: what the user has chosen, and what is there.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

use crate::breaker::{Breaker, Limits, Rested, SystemClock};
use crate::builtin::BuiltinEmbedder;
use crate::embedder::Embedder;
use crate::locate::Places;
use crate::onnx::{OnnxEmbedder, OnnxSettings};
use crate::remote::{RemoteEmbedder, RemoteSettings};

/// Overrides where vectors come from: `builtin`, `off`, `onnx` or `remote`.
pub const CHOICE_VARIABLE: &str = "ASD_EMBEDDINGS";
/// Names an endpoint, which is used then.
pub const URL_VARIABLE: &str = "ASD_EMBED_URL";
/// Names the model of the endpoint or of ONNX Runtime.
pub const MODEL_VARIABLE: &str = "ASD_EMBED_MODEL";
/// Holds the key of the endpoint, unless the settings name another variable.
pub const KEY_VARIABLE: &str = "ASD_EMBED_KEY";

/// Where vectors come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Nowhere.
    Off,
    /// The built-in encoder, from the first of these places that has its model.
    Builtin(Places),
    /// A model run by ONNX Runtime.
    Onnx(OnnxSettings),
    /// An endpoint.
    Remote(RemoteSettings),
}

/// Why there is no embedder. Search by words goes on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoEmbedder {
    /// It was turned off.
    #[error("embeddings are off")]
    Off,
    /// The model of the built-in encoder is not installed. A normal state.
    #[error("no embedding model is installed; `asd embed install` installs one")]
    NotInstalled {
        /// Where it was looked for.
        looked_at: Vec<PathBuf>,
    },
    /// What was chosen cannot be used.
    #[error("{0}")]
    Unusable(String),
}

/// The kinds of places that vectors come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Nowhere.
    Off,
    /// The built-in encoder.
    #[default]
    Builtin,
    /// A model run by ONNX Runtime.
    Onnx,
    /// An endpoint.
    Remote,
}

/// What settings say. What they leave out is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Where vectors come from.
    pub source: Source,
    /// The model of ONNX Runtime.
    pub onnx: OnnxSettings,
    /// The endpoint; its key is not a setting.
    pub remote: RemoteSettings,
    /// The environment variable that holds the key of the endpoint, unless it is
    /// `ASD_EMBED_KEY`.
    pub key_variable: Option<String>,
}

impl Choice {
    /// What the settings say, and the environment over them.
    ///
    /// # Errors
    ///
    /// When something is chosen that is not described, or not known.
    pub fn new(
        wanted: Wanted,
        variable: &dyn Fn(&str) -> Option<String>,
        places: Places,
    ) -> Result<Self, NoEmbedder> {
        let stated = |name: &str| variable(name).filter(|value| !value.is_empty());
        let source = match stated(CHOICE_VARIABLE).as_deref() {
            Some("builtin") => Source::Builtin,
            Some("off") => Source::Off,
            Some("onnx") => Source::Onnx,
            Some("remote") => Source::Remote,
            Some(other) => {
                return Err(NoEmbedder::Unusable(format!(
                    "{CHOICE_VARIABLE} is `{other}`; it can be builtin, off, onnx or remote"
                )));
            }
            None if stated(URL_VARIABLE).is_some() && wanted.source != Source::Off => {
                Source::Remote
            }
            None => wanted.source,
        };
        Ok(match source {
            Source::Off => Self::Off,
            Source::Builtin => Self::Builtin(places),
            Source::Onnx => {
                let mut onnx = wanted.onnx;
                onnx.model = stated(MODEL_VARIABLE).unwrap_or(onnx.model);
                if onnx.model.is_empty() {
                    return Err(missing("search.onnx.model", MODEL_VARIABLE));
                }
                Self::Onnx(onnx)
            }
            Source::Remote => {
                let mut remote = wanted.remote;
                remote.url = stated(URL_VARIABLE).unwrap_or(remote.url);
                remote.model = stated(MODEL_VARIABLE).unwrap_or(remote.model);
                if remote.url.is_empty() {
                    return Err(missing("search.remote.url", URL_VARIABLE));
                }
                if remote.model.is_empty() {
                    return Err(missing("search.remote.model", MODEL_VARIABLE));
                }
                remote.key = stated(wanted.key_variable.as_deref().unwrap_or(KEY_VARIABLE));
                Self::Remote(remote)
            }
        })
    }

    /// What the settings and the environment of this process say.
    ///
    /// # Errors
    ///
    /// As [`Choice::new`].
    pub fn of_process(wanted: Wanted) -> Result<Self, NoEmbedder> {
        let variable = |name: &str| std::env::var(name).ok();
        Self::new(wanted, &variable, Places::of_process())
    }

    /// The embedder that was chosen, left alone for a while whenever it fails
    /// too often. Models of ONNX Runtime are not loaded, and endpoints not
    /// asked, before the first text is embedded; the built-in model is mapped,
    /// which takes no time to speak of.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn open(&self) -> Result<Arc<dyn Embedder>, NoEmbedder> {
        Ok(match self {
            Self::Off => return Err(NoEmbedder::Off),
            Self::Builtin(places) => {
                let Some(path) = places.find() else {
                    return Err(NoEmbedder::NotInstalled {
                        looked_at: places.candidates(),
                    });
                };
                let embedder = BuiltinEmbedder::open(&path)
                    .map_err(|error| NoEmbedder::Unusable(error.to_string()))?;
                rested(embedder)
            }
            Self::Onnx(settings) => {
                let embedder = OnnxEmbedder::find(settings.clone())
                    .map_err(|error| NoEmbedder::Unusable(error.to_string()))?;
                rested(embedder)
            }
            Self::Remote(settings) => rested(RemoteEmbedder::new(settings.clone())),
        })
    }
}

/// The embedder of this process by the settings, or why there is none. What
/// runs for long keeps a [`LazyEmbedder`] instead.
///
/// # Errors
///
/// When there is none.
pub fn default_embedder(wanted: Wanted) -> Result<Arc<dyn Embedder>, NoEmbedder> {
    Choice::of_process(wanted)?.open()
}

/// An embedder that is looked for when it is needed. One that was found stays;
/// one that was not is looked for again the next time, since it may have been
/// installed.
pub struct LazyEmbedder {
    choice: Result<Choice, NoEmbedder>,
    found: Mutex<Option<Arc<dyn Embedder>>>,
}

impl LazyEmbedder {
    /// Nothing is looked for yet.
    #[must_use]
    pub fn new(choice: Result<Choice, NoEmbedder>) -> Self {
        Self {
            choice,
            found: Mutex::new(None),
        }
    }

    /// What the settings and the environment of this process say.
    #[must_use]
    pub fn of_process(wanted: Wanted) -> Self {
        Self::new(Choice::of_process(wanted))
    }

    /// The embedder.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn get(&self) -> Result<Arc<dyn Embedder>, NoEmbedder> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(embedder) = &*found {
            return Ok(Arc::clone(embedder));
        }
        let embedder = self.choice.as_ref().map_err(Clone::clone)?.open()?;
        Ok(Arc::clone(found.insert(embedder)))
    }
}

fn rested(embedder: impl Embedder + 'static) -> Arc<dyn Embedder> {
    let breaker = Breaker::new(Limits::EMBEDDING, Box::new(SystemClock::default()));
    Arc::new(Rested::new(embedder, breaker))
}

fn missing(key: &str, variable: &str) -> NoEmbedder {
    NoEmbedder::Unusable(format!(
        "`{key}` is not stated; add it to the user's settings, or set {variable}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::MODEL_FILE;

    fn choose(wanted: Wanted, variables: &[(&str, &str)]) -> Result<Choice, NoEmbedder> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Choice::new(wanted, &variable, Places::default())
    }

    fn remote() -> Wanted {
        Wanted {
            source: Source::Remote,
            remote: RemoteSettings {
                url: "https://host/v1".to_owned(),
                model: "m".to_owned(),
                ..RemoteSettings::default()
            },
            key_variable: Some("HOST_KEY".to_owned()),
            ..Wanted::default()
        }
    }

    #[test]
    fn without_settings_it_is_the_built_in_encoder() {
        let choice = choose(Wanted::default(), &[]).unwrap();
        assert_eq!(choice, Choice::Builtin(Places::default()));
        let Err(error) = choice.open() else {
            panic!("there is a model");
        };
        assert_eq!(
            error,
            NoEmbedder::NotInstalled {
                looked_at: Vec::new()
            }
        );
    }

    #[test]
    fn the_key_comes_from_the_variable_that_the_settings_name_and_is_never_shown() {
        let variables = [("HOST_KEY", "sk-1"), (KEY_VARIABLE, "sk-2")];
        let Ok(Choice::Remote(settings)) = choose(remote(), &variables) else {
            panic!("another choice");
        };
        assert_eq!(settings.key.as_deref(), Some("sk-1"));
        assert!(!format!("{settings:?}").contains("sk-1"));
    }

    #[test]
    fn the_environment_goes_over_the_settings() {
        let variables = [(URL_VARIABLE, "http://other"), (MODEL_VARIABLE, "n")];
        let Ok(Choice::Remote(settings)) = choose(Wanted::default(), &variables) else {
            panic!("another choice");
        };
        assert_eq!(
            (settings.url.as_str(), settings.model.as_str()),
            ("http://other", "n")
        );
        let off = Wanted {
            source: Source::Off,
            ..Wanted::default()
        };
        assert_eq!(choose(off, &variables), Ok(Choice::Off), "off means off");
        assert_eq!(
            choose(remote(), &[(CHOICE_VARIABLE, "off")]),
            Ok(Choice::Off)
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |variables: &[(&str, &str)]| {
            choose(Wanted::default(), variables)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error(&[(CHOICE_VARIABLE, "onnx")]),
            "`search.onnx.model` is not stated; add it to the user's settings, or set ASD_EMBED_MODEL"
        );
        assert_eq!(
            error(&[(CHOICE_VARIABLE, "remote")]),
            "`search.remote.url` is not stated; add it to the user's settings, or set ASD_EMBED_URL"
        );
        assert_eq!(
            error(&[(CHOICE_VARIABLE, "gpu")]),
            "ASD_EMBEDDINGS is `gpu`; it can be builtin, off, onnx or remote"
        );
    }

    #[test]
    fn a_model_that_is_installed_later_is_found_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MODEL_FILE);
        let lazy = LazyEmbedder::new(Ok(Choice::Builtin(Places::only(folder.path()))));
        assert!(matches!(lazy.get(), Err(NoEmbedder::NotInstalled { .. })));
        std::fs::write(&path, b"something else").unwrap();
        let Err(NoEmbedder::Unusable(text)) = lazy.get() else {
            panic!("it is not a model");
        };
        assert_eq!(
            text,
            format!("{} is not a model file of asd", path.display())
        );
    }
}
