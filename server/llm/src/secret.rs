//! Keys: from the environment or the keyring of the system, never from a file of
//! a project, and never shown. (spec 5.8)

use std::fmt;

/// A key. It is never written to a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself, for the one who sends it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with every occurrence of the key made unreadable.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if self.0.len() < 8 {
            return text.to_owned();
        }
        text.replace(&self.0, "***")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Where keys are found.
pub trait Secrets: Send + Sync {
    /// The key of this name; names are those of environment variables.
    fn secret(&self, name: &str) -> Option<Secret>;
}

/// The variables of the process. Whoever starts children removes them there; see
/// [`key_variables`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Environment;

impl Secrets for Environment {
    fn secret(&self, name: &str) -> Option<Secret> {
        let value = std::env::var(name).ok()?;
        let value = value.trim();
        (!value.is_empty()).then(|| Secret::new(value))
    }
}

/// One place, then another.
pub struct First<A, B>(pub A, pub B);

impl<A: Secrets, B: Secrets> Secrets for First<A, B> {
    fn secret(&self, name: &str) -> Option<Secret> {
        self.0.secret(name).or_else(|| self.1.secret(name))
    }
}

/// The variables that hold keys of the known providers; children must not see
/// them.
#[must_use]
pub fn key_variables() -> &'static [&'static str] {
    &[
        "ANTHROPIC_API_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AZURE_OPENAI_API_KEY",
        "DEEPSEEK_API_KEY",
        "GEMINI_API_KEY",
        "GITHUB_COPILOT_TOKEN",
        "OPENAI_API_KEY",
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Secret::new("sk-0123456789");
        assert_eq!(format!("{key:?}"), "***");
        assert_eq!(key.hide_in("bad key sk-0123456789!"), "bad key ***!");
    }
}
