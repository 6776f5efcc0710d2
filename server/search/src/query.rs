//! What is asked, and what is answered. (search.md §1)

use asd_recipe::{Kind, Lifecycle};
use serde::Serialize;
use thiserror::Error;

use crate::rank::Scenario;

/// The longest query, in characters.
pub const MAX_QUERY: usize = 1000;
/// The most rows of an answer.
pub const MAX_LIMIT: usize = 100;

/// How recipes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By words, and by meaning where words alone are not sure.
    #[default]
    Auto,
    /// By the literal text.
    Keyword,
    /// By words.
    Weighted,
    /// By meaning.
    Semantic,
    /// As auto, with what the session was about.
    Context,
}

impl Mode {
    /// The mode of that name; `bm25` is `weighted`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Auto,
            "keyword" => Self::Keyword,
            "weighted" | "bm25" => Self::Weighted,
            "semantic" => Self::Semantic,
            "context" => Self::Context,
            _ => return None,
        })
    }
}

/// A search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    /// What is looked for, in English, Chinese or both.
    pub text: String,
    /// How.
    pub mode: Mode,
    /// Only recipes of this kind.
    pub kind: Option<KindFilter>,
    /// Only recipes of this language and those of every language.
    pub language: Option<String>,
    /// Only recipes in these states; staging, active and evolving when empty.
    pub lifecycles: Vec<LifecycleFilter>,
    /// The most rows, 1 to 100; 10 unless stated, 5 in context mode.
    pub limit: Option<usize>,
    /// Whether use, age and authority move rows that fit about equally well.
    pub rank: bool,
    /// What the rows are for.
    pub scenario: Scenario,
    /// The last queries of the session, oldest first.
    pub session_history: Vec<String>,
    /// Whether rows come back, marked, when nothing here seems to answer.
    pub keep_weak: bool,
}

/// A kind that is asked for.
pub type KindFilter = Ordered<Kind>;
/// A state that is asked for.
pub type LifecycleFilter = Ordered<Lifecycle>;

/// A value of a recipe as a part of a query, which is a key of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordered<T>(pub T);

macro_rules! ordered_by_name {
    ($type:ty) => {
        impl PartialOrd for Ordered<$type> {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
        impl Ord for Ordered<$type> {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.0.name().cmp(other.0.name())
            }
        }
    };
}
ordered_by_name!(Kind);
ordered_by_name!(Lifecycle);

impl Query {
    /// A search with everything else as it is by default.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            mode: Mode::Auto,
            kind: None,
            language: None,
            lifecycles: Vec::new(),
            limit: None,
            rank: true,
            scenario: Scenario::Search,
            session_history: Vec::new(),
            keep_weak: false,
        }
    }

    pub(crate) fn checked_limit(&self) -> Result<usize, QueryError> {
        if self.text.trim().is_empty() {
            return Err(QueryError::new("query", "`query` must not be blank"));
        }
        if self.text.chars().count() > MAX_QUERY {
            return Err(QueryError::new(
                "query",
                "`query` must not be longer than 1000 characters",
            ));
        }
        let usual = if self.mode == Mode::Context { 5 } else { 10 };
        let limit = self.limit.unwrap_or(usual);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(QueryError::new("limit", "`limit` must be 1 to 100"));
        }
        Ok(limit)
    }

    pub(crate) fn admits(&self, lifecycle: Lifecycle) -> bool {
        if self.lifecycles.is_empty() {
            return matches!(
                lifecycle,
                Lifecycle::Staging | Lifecycle::Active | Lifecycle::Evolving
            );
        }
        self.lifecycles.contains(&Ordered(lifecycle))
    }
}

/// A query that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct QueryError {
    /// The parameter that is wrong.
    pub path: &'static str,
    /// What is wrong with it.
    pub message: String,
}

impl QueryError {
    fn new(path: &'static str, message: &str) -> Self {
        Self {
            path,
            message: message.to_owned(),
        }
    }
}

/// How sure it is that the first rows answer the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Nothing here answers this.
    None,
    /// Perhaps.
    Low,
    /// Likely.
    Medium,
    /// Surely.
    High,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The query as it was asked.
    pub query: String,
    /// The mode that was asked for.
    pub mode: Mode,
    /// The rows, best first.
    pub items: Vec<Row>,
    /// How sure the answer is.
    pub confidence: Confidence,
    /// The same as a number from 0 to 1, 3 decimals.
    pub certainty: f64,
    /// Whether a part of the search could not be done, so that there may be
    /// more to find.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub degraded: bool,
}

/// A recipe that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// See [`crate::Document::id`].
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its trigger, with `@`.
    pub trigger: String,
    /// Its kind.
    pub kind: Kind,
    /// Its language as written.
    pub language: String,
    /// How well it fits, 3 decimals; comparable within one answer.
    pub score: f64,
    /// What it is about, at most 120 characters.
    pub description: String,
    /// `when → do`
    pub action_hint: String,
    /// Its finer kind.
    pub knowledge_type: String,
    /// Where it was seen.
    pub source_refs: Vec<String>,
    /// Whether it is shown although nothing seems to answer the query.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_limits_and_say_so() {
        let path = |query: &Query| query.checked_limit().map_err(|error| error.path);
        let mut query = Query::new("cache");
        assert_eq!(path(&query), Ok(10));
        query.mode = Mode::Context;
        assert_eq!(path(&query), Ok(5));
        for limit in [0, 101] {
            query.limit = Some(limit);
            assert_eq!(path(&query), Err("limit"));
        }
        assert_eq!(path(&Query::new(" ")), Err("query"));
        assert_eq!(path(&Query::new(&"x".repeat(1001))), Err("query"));
        assert_eq!(path(&Query::new(&"缓".repeat(1000))), Ok(10));
    }

    #[test]
    fn bm25_is_another_name_of_weighted() {
        assert_eq!(Mode::from_name("bm25"), Some(Mode::Weighted));
        assert_eq!(Mode::from_name("magic"), None);
    }
}
