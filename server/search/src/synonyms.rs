//! What means the same in English and in Chinese. (search.md §11)

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use thiserror::Error;

use crate::script::is_cjk;
use crate::stem::stem;
use crate::tokenize::{Word, words};

/// The most words of an English phrase.
const MAX_PHRASE: usize = 3;
/// The most words that one query is expanded by.
pub const MAX_EXPANSION: usize = 16;

/// Groups of words with one meaning. A text is tied to a group by any of its
/// members, in either script.
#[derive(Debug)]
pub struct Synonyms {
    groups: Vec<Group>,
    /// By the stems of a phrase with a blank between them.
    latin: HashMap<String, Vec<u32>>,
    cjk: HashMap<Vec<char>, Vec<u32>>,
    longest_cjk: usize,
}

#[derive(Debug)]
struct Group {
    latin: Vec<String>,
    cjk: Vec<String>,
    /// Whether the group adds words to a query of the user.
    expands: bool,
}

/// What is wrong with a project's `synonyms.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("Alembic/synonyms.toml: {0}")]
pub struct SynonymError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFile {
    #[serde(default)]
    groups: Vec<Vec<String>>,
}

impl Synonyms {
    /// The groups that come with the program.
    #[must_use]
    pub fn built_in() -> Arc<Self> {
        static BUILT_IN: OnceLock<Arc<Synonyms>> = OnceLock::new();
        BUILT_IN
            .get_or_init(|| Arc::new(Self::new(built_in_groups())))
            .clone()
    }

    /// The built-in groups and those of a project: the text of its
    /// `synonyms.toml`, which holds `groups = [["hydrate", "注水"], …]`.
    ///
    /// # Errors
    /// [`SynonymError`] when the text is not of that form, or a group has words
    /// of one script only.
    pub fn with_project(text: &str) -> Result<Arc<Self>, SynonymError> {
        let file: ProjectFile =
            toml::from_str(text).map_err(|error| SynonymError(error.to_string()))?;
        if file.groups.is_empty() {
            return Ok(Self::built_in());
        }
        let mut groups = built_in_groups();
        for members in file.groups {
            let (cjk, latin): (Vec<String>, Vec<String>) = members
                .into_iter()
                .map(|member| member.trim().to_lowercase())
                .filter(|member| !member.is_empty())
                .partition(|member| member.chars().any(is_cjk));
            if cjk.is_empty() || latin.is_empty() {
                let have = [latin, cjk].concat().join(", ");
                return Err(SynonymError(format!(
                    "the group [{have}] needs a word in Latin letters and one in Chinese"
                )));
            }
            groups.push(Group {
                latin,
                cjk,
                expands: true,
            });
        }
        Ok(Arc::new(Self::new(groups)))
    }

    fn new(groups: Vec<Group>) -> Self {
        let mut table = Self {
            groups: Vec::new(),
            latin: HashMap::new(),
            cjk: HashMap::new(),
            longest_cjk: 0,
        };
        for (index, group) in groups.iter().enumerate() {
            let id = u32::try_from(index).unwrap_or(u32::MAX);
            for member in &group.latin {
                let ids = table.latin.entry(phrase_key(member)).or_default();
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            for member in &group.cjk {
                let word: Vec<char> = member.chars().collect();
                table.longest_cjk = table.longest_cjk.max(word.len());
                let ids = table.cjk.entry(word).or_default();
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        table.groups = groups;
        table
    }

    /// How many groups there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is no group.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The groups of the longest phrase that begins at `at`, and its length in
    /// stems.
    pub(crate) fn latin_at(&self, stems: &[String], at: usize) -> Option<(usize, &[u32])> {
        let most = MAX_PHRASE.min(stems.len() - at);
        (1..=most).rev().find_map(|length| {
            let key = stems[at..at + length].join(" ");
            Some((length, self.latin.get(&key)?.as_slice()))
        })
    }

    /// The groups of one stem.
    pub(crate) fn latin(&self, stem: &str) -> &[u32] {
        self.latin.get(stem).map_or(&[], Vec::as_slice)
    }

    /// The groups of a Chinese word.
    pub(crate) fn cjk(&self, word: &[char]) -> &[u32] {
        self.cjk.get(word).map_or(&[], Vec::as_slice)
    }

    /// The length of the longest known word at `at` of a run. A word of one
    /// character counts as a whole run only.
    pub(crate) fn longest_at(&self, run: &[char], at: usize) -> Option<usize> {
        let most = self.longest_cjk.min(run.len() - at);
        (1..=most)
            .rev()
            .filter(|&length| length > 1 || run.len() == 1)
            .find(|&length| self.cjk.contains_key(&run[at..at + length]))
    }

    /// Every known word of a run, overlapping ones too: start and length.
    pub(crate) fn all_in(&self, run: &[char]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for at in 0..run.len() {
            for length in 1..=self.longest_cjk.min(run.len() - at) {
                if (length > 1 || run.len() == 1) && self.cjk.contains_key(&run[at..at + length]) {
                    found.push((at, length));
                }
            }
        }
        found
    }

    /// The words that a query is expanded by: for each word of it that a group
    /// knows, the members in the other script, at most [`MAX_EXPANSION`].
    /// (search.md §8, Q1)
    #[must_use]
    pub fn expand(&self, query: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut add = |members: &[String]| {
            for member in members {
                if found.len() < MAX_EXPANSION && !found.contains(member) {
                    found.push(member.clone());
                }
            }
        };
        for word in words(query) {
            match word {
                Word::Plain { parts, .. } => {
                    let stems: Vec<String> = parts.iter().map(|part| stem(part)).collect();
                    let mut at = 0;
                    while at < stems.len() {
                        let (length, ids) = self.latin_at(&stems, at).unwrap_or((1, &[]));
                        for group in self.expanding(ids) {
                            add(&group.cjk);
                        }
                        at += length;
                    }
                }
                Word::Cjk(run) => {
                    for (at, length) in self.longest_words(&run) {
                        for group in self.expanding(self.cjk(&run[at..at + length])) {
                            add(&group.latin);
                        }
                    }
                }
            }
        }
        found
    }

    /// The known words of a run, longest first at each place, without overlap.
    pub(crate) fn longest_words(&self, run: &[char]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < run.len() {
            match self.longest_at(run, at) {
                Some(length) => {
                    found.push((at, length));
                    at += length;
                }
                None => at += 1,
            }
        }
        found
    }

    /// The first Latin member of a Chinese word's group.
    pub(crate) fn first_latin(&self, word: &[char]) -> Option<&str> {
        self.expanding(self.cjk(word))
            .next()
            .and_then(|group| group.latin.first())
            .map(String::as_str)
    }

    fn expanding<'t>(&'t self, ids: &'t [u32]) -> impl Iterator<Item = &'t Group> {
        ids.iter()
            .filter_map(|id| self.groups.get(*id as usize))
            .filter(|group| group.expands)
    }
}

fn phrase_key(phrase: &str) -> String {
    let stems: Vec<String> = words(phrase)
        .into_iter()
        .flat_map(|word| match word {
            Word::Plain { parts, .. } => parts,
            Word::Cjk(_) => Vec::new(),
        })
        .map(|part| stem(&part))
        .collect();
    stems.join(" ")
}

const SYNONYMS: &str = include_str!("../data/synonyms.tsv");
const VOCABULARY: &str = include_str!("../data/vocabulary.tsv");

fn built_in_groups() -> Vec<Group> {
    let members = |list: &str| -> Vec<String> {
        let members = list.split(',').map(|member| member.trim().to_owned());
        members.filter(|member| !member.is_empty()).collect()
    };
    let read = |text: &'static str, expands| {
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(move |line| {
                let (latin, cjk) = line.split_once('|')?;
                Some(Group {
                    latin: members(latin),
                    cjk: members(cjk),
                    expands,
                })
            })
    };
    read(SYNONYMS, true)
        .chain(read(VOCABULARY, false))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_a_group() {
        let lines = |text: &str| text.lines().filter(|l| !l.starts_with('#')).count();
        assert_eq!(lines(SYNONYMS), 90);
        assert_eq!(
            Synonyms::built_in().len(),
            lines(SYNONYMS) + lines(VOCABULARY)
        );
        for group in built_in_groups() {
            assert!(
                !group.latin.is_empty() && !group.cjk.is_empty(),
                "{group:?}"
            );
            assert!(
                group.latin.iter().all(|m| !m.chars().any(is_cjk)),
                "{group:?}"
            );
            assert!(group.cjk.iter().all(|m| m.chars().all(is_cjk)), "{group:?}");
        }
    }

    #[test]
    fn a_query_gets_words_of_the_other_script_only() {
        let synonyms = Synonyms::built_in();
        assert_eq!(
            synonyms.expand("帮我加个缓存中间件"),
            ["cache", "caching", "memoize", "middleware"]
        );
        assert_eq!(synonyms.expand("caches"), ["缓存"]);
        assert_eq!(
            synonyms.expand("retry 缓存"),
            ["重试", "退避", "cache", "caching", "memoize"]
        );
        assert_eq!(synonyms.expand("zebra 斑马"), [""; 0]);
    }

    #[test]
    fn one_character_counts_as_a_whole_run_only() {
        let synonyms = Synonyms::built_in();
        assert_eq!(synonyms.expand("锁"), ["lock", "mutex"]);
        assert_eq!(synonyms.expand("物流"), [""; 0]);
        assert_eq!(synonyms.expand("死锁"), ["deadlock"]);
    }

    #[test]
    fn an_expansion_is_bounded() {
        let query = "缓存 单例 注入 中间件 拦截 网络 请求 响应 重试 超时 取消 线程";
        assert_eq!(Synonyms::built_in().expand(query).len(), MAX_EXPANSION);
    }

    #[test]
    fn a_project_adds_groups() {
        let synonyms = Synonyms::with_project("groups = [[\"hydrate\", \"注水\"]]").unwrap();
        assert_eq!(synonyms.expand("注水"), ["hydrate"]);
        assert_eq!(synonyms.expand("hydrated"), ["注水"]);
        let one_sided = Synonyms::with_project("groups = [[\"a\", \"b\"]]").unwrap_err();
        expect_test::expect![
            "Alembic/synonyms.toml: the group [a, b] needs a word in Latin letters and one in Chinese"
        ]
        .assert_eq(&one_sided.to_string());
        assert!(Synonyms::with_project("x = 1").is_err());
    }
}
