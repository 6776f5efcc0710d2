//! Names compared on the borders of their words.

use crate::tokenize::{Word, words};

/// A title, trigger or query as its words in lower case, with ` ` around those
/// that are not Chinese.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    text: String,
    length: usize,
}

impl Name {
    pub(crate) fn new(text: &str) -> Self {
        let mut name = String::new();
        for word in words(text) {
            match word {
                Word::Plain { parts, .. } => {
                    for part in parts {
                        if !name.ends_with(' ') {
                            name.push(' ');
                        }
                        name.push_str(&part);
                        name.push(' ');
                    }
                }
                Word::Cjk(run) => name.extend(run),
            }
        }
        let length = name.chars().filter(|c| *c != ' ').count();
        Self { text: name, length }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether the name says enough to be looked for inside of another.
    pub(crate) const fn is_specific(&self) -> bool {
        self.length > 3
    }

    pub(crate) fn holds(&self, other: &Self) -> bool {
        memchr::memmem::find(self.text.as_bytes(), other.text.as_bytes()).is_some()
    }

    /// How much of the other name this one is.
    #[expect(clippy::cast_precision_loss, reason = "a name is short")]
    pub(crate) fn share_of(&self, other: &Self) -> f32 {
        self.length as f32 / other.length.max(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(name: &str, part: &str) -> bool {
        Name::new(name).holds(&Name::new(part))
    }

    #[test]
    fn a_word_is_not_found_inside_of_another() {
        assert!(!holds("catalog of errors", "log"));
        assert!(holds("log of errors", "log"));
        assert!(holds("@retry-queue-backoff", "RetryQueue"));
        assert!(holds("缓存中间件规范", "中间件"));
        assert!(holds("使用RetryQueue发送", "retry queue"));
        assert_eq!(Name::new("@retry-queue"), Name::new("Retry Queue"));
    }
}
