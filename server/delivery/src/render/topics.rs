//! The topics that patterns are sorted into.

use std::collections::BTreeMap;

use asd_recipe::{Recipe, is_cjk};

/// One topic with what belongs to it. (delivery.md §7)
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Topic {
    pub name: &'static str,
    pub label: &'static str,
    categories: &'static [&'static str],
    words: &'static [&'static str],
    /// Words that its description always has.
    base: &'static [&'static str],
}

/// In the order in which they are tried; the last takes what no other wants.
pub(crate) const TOPICS: &[Topic] = &[
    Topic {
        name: "networking",
        label: "Networking",
        categories: &["Network"],
        words: &[
            "http",
            "https",
            "api",
            "request",
            "response",
            "socket",
            "websocket",
            "grpc",
            "rest",
            "url",
            "endpoint",
            "client",
            "网络",
            "请求",
            "接口",
        ],
        base: &["http", "api", "request"],
    },
    Topic {
        name: "ui",
        label: "UI",
        categories: &["View", "UI"],
        words: &[
            "view",
            "component",
            "layout",
            "render",
            "animation",
            "screen",
            "widget",
            "css",
            "theme",
            "视图",
            "组件",
            "界面",
        ],
        base: &["view", "component", "layout"],
    },
    Topic {
        name: "data",
        label: "Data",
        categories: &["Model", "Storage"],
        words: &[
            "database",
            "sql",
            "cache",
            "model",
            "entity",
            "store",
            "persist",
            "migration",
            "repository",
            "数据",
            "缓存",
            "存储",
        ],
        base: &["storage", "model", "cache"],
    },
    Topic {
        name: "architecture",
        label: "Architecture",
        categories: &["Service"],
        words: &[
            "architecture",
            "module",
            "layer",
            "dependency",
            "inject",
            "coordinator",
            "router",
            "lifecycle",
            "架构",
            "模块",
            "依赖",
        ],
        base: &["module", "layer", "dependency"],
    },
    Topic {
        name: "conventions",
        label: "Conventions",
        categories: &["Utility", "Tool"],
        words: &[
            "naming", "style", "format", "lint", "comment", "test", "commit", "命名", "规范",
            "约定",
        ],
        base: &["naming", "style", "test"],
    },
    Topic {
        name: "general",
        label: "General",
        categories: &[],
        words: &[],
        base: &["project", "code"],
    },
];

/// The name of the topic that a recipe belongs to.
#[must_use]
pub fn topic_of(recipe: &Recipe) -> &'static str {
    topic(recipe).name
}

pub(crate) fn topic(recipe: &Recipe) -> &'static Topic {
    let hint = recipe.topic_hint.as_deref().unwrap_or_default().trim();
    if let Some(topic) = TOPICS.iter().find(|topic| topic.name == hint) {
        return topic;
    }
    let mut text = recipe.tags.join(" ");
    for part in [
        &recipe.category,
        &recipe.title,
        &recipe.when_clause,
        recipe.module_name.as_ref().unwrap_or(&String::new()),
    ] {
        text.push(' ');
        text.push_str(part);
    }
    let text = text.to_lowercase();
    let words: Vec<&str> = words(&text).collect();
    TOPICS
        .iter()
        .find(|topic| {
            topic.categories.contains(&recipe.category.as_str())
                || topic.words.iter().any(|word| {
                    // Chinese is not divided into words.
                    if word.starts_with(is_cjk) {
                        text.contains(word)
                    } else {
                        words.contains(word)
                    }
                })
        })
        .unwrap_or(&TOPICS[TOPICS.len() - 1])
}

/// The words of a text: runs of letters and digits of one script.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .flat_map(split_scripts)
}

/// `缓存cache` is `缓存` and `cache`.
fn split_scripts(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in run.char_indices() {
        let cjk = is_cjk(c);
        if before.is_some_and(|b| b != cjk) {
            parts.push(&run[start..at]);
            start = at;
        }
        before = Some(cjk);
    }
    if start < run.len() {
        parts.push(&run[start..]);
    }
    parts
}

/// At most so many words beside those that every description of the topic has.
const MOST_WORDS: usize = 15;
/// The description stays shorter than this, in bytes, so that the signature
/// behind it is found at the beginning of the file.
const MOST_BYTES: usize = 500;

const STOP_WORDS: &[&str] = &[
    "about", "add", "adding", "after", "all", "and", "any", "are", "before", "but", "can", "for",
    "from", "has", "have", "how", "into", "its", "may", "must", "new", "not", "one", "only",
    "other", "should", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "through", "use", "used", "using", "was", "what", "when", "where", "which", "while", "will",
    "with", "you", "your",
];

const SYSTEM_TAGS: &[&str] = &["dimension:", "bootstrap:", "internal:", "system:"];

/// What the front matter says of a topic: its label, its base words, and the
/// words of its recipes, those of tags first.
pub(crate) fn description(topic: &Topic, recipes: &[&Recipe]) -> String {
    let mut chosen: Vec<String> = topic.base.iter().map(|word| (*word).to_owned()).collect();
    let base = chosen.len();
    let tags = recipes.iter().flat_map(|recipe| {
        recipe
            .tags
            .iter()
            .filter(|tag| !SYSTEM_TAGS.iter().any(|system| tag.starts_with(system)))
            .map(|tag| tag.trim().to_lowercase())
    });
    let clauses = recipes.iter().flat_map(|r| telling_words(&r.when_clause));
    let titles = recipes
        .iter()
        .flat_map(|r| telling_words(&r.title).chain(telling_words(&r.description)));
    for group in [
        by_frequency(tags),
        by_frequency(clauses),
        by_frequency(titles),
    ] {
        for word in group {
            if chosen.len() < base + MOST_WORDS && !chosen.contains(&word) {
                chosen.push(word);
            }
        }
    }
    let mut text = format!("{} patterns: ", topic.label);
    for (index, word) in chosen.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        if text.len() + separator.len() + word.len() > MOST_BYTES {
            break;
        }
        text.push_str(separator);
        text.push_str(word);
    }
    text
}

fn telling_words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let found: Vec<String> = words(&lower)
        .filter(|word| {
            let letters = word.chars().count();
            if word.starts_with(is_cjk) {
                // A longer run is a sentence, not a word.
                (2..=4).contains(&letters)
            } else {
                letters >= 3 && !STOP_WORDS.contains(word) && word.contains(char::is_alphabetic)
            }
        })
        .map(str::to_owned)
        .collect();
    found.into_iter()
}

fn by_frequency(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in words.filter(|word| !word.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.into_iter().map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::entry;

    #[test]
    fn topics_are_found_by_hint_category_and_whole_words() {
        for (front, topic) in [
            ("topicHint: data\ncategory: Network", "data"),
            ("topicHint: '../../etc'\ncategory: View", "ui"),
            ("category: Network", "networking"),
            ("tags: [build script]", "general"),
            ("tags: [ui]", "general"),
            ("title: Build a REST client", "networking"),
            ("title: restore the ledger", "general"),
            ("when: 修改缓存策略时", "data"),
            ("moduleName: theme-kit", "ui"),
            ("title: 'SQL'", "data"),
            ("when: 用client发请求", "networking"),
        ] {
            assert_eq!(topic_of(&entry(front).recipe), topic, "{front}");
        }
    }

    #[test]
    fn the_description_has_words_of_tags_first_and_at_most_fifteen() {
        let recipe = entry(
            "title: Ledger pool\ntags: [settlement, ledger, 'dimension:x']\n\
             when: Reading or writing an account",
        )
        .recipe;
        let data = TOPICS.iter().find(|topic| topic.name == "data").unwrap();
        assert_eq!(
            description(data, &[&recipe]),
            "Data patterns: storage, model, cache, ledger, settlement, account, reading, writing, pool"
        );
        let many = entry(&format!(
            "when: {}",
            (0..40).map(|n| format!("word{n} ")).collect::<String>()
        ));
        let text = description(data, &[&many.recipe]);
        assert_eq!(text.matches(',').count(), 2 + MOST_WORDS, "{text}");
    }
}
