//! Names that are found while they are typed: by parts of words and by letters
//! in their order. Questions in prose are searched in the index.

use asd_recipe::{Lifecycle, Recipe};

use crate::script::is_cjk;

/// The words of a query, in lower case.
#[must_use]
pub fn typed_words(query: &str) -> Vec<String> {
    query
        .split(|c: char| c.is_whitespace() || matches!(c, '@' | ',' | '，' | '、' | '。'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// How well the words typed so far fit what a recipe calls itself; higher is
/// better. `None` when one of them is nowhere in it.
#[must_use]
pub fn typed_fit(words: &[String], recipe: &Recipe) -> Option<f32> {
    let tags = recipe.tags.join(" ");
    let fields = [
        (recipe.trigger.trim_start_matches('@'), 4.0),
        (recipe.title.as_str(), 3.0),
        (tags.as_str(), 2.0),
        (recipe.description.as_str(), 1.0),
    ]
    .map(|(text, weight)| (text.to_lowercase(), weight));
    let mut total = match recipe.lifecycle {
        Lifecycle::Active | Lifecycle::Evolving => 0.3,
        Lifecycle::Staging | Lifecycle::Decaying => 0.2,
        Lifecycle::Pending => 0.1,
        Lifecycle::Deprecated => 0.0,
    };
    for word in words {
        total += fields
            .iter()
            .filter_map(|(text, weight)| Some(fit(word, text)? * weight))
            .max_by(f32::total_cmp)?;
    }
    Some(total)
}

/// How well a word fits a text, from 0 to 1.
fn fit(word: &str, text: &str) -> Option<f32> {
    if let Some(at) = text.find(word) {
        if word.len() == text.len() {
            return Some(1.0);
        }
        let starts_word = text[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric());
        return Some(match (at, starts_word) {
            (0, _) => 0.9,
            (_, true) => 0.8,
            _ => 0.6,
        });
    }
    if word.chars().any(is_cjk) {
        return shared_bigrams(word, text);
    }
    subsequence(word, text)
}

/// The share of a word's pairs of neighbouring characters that a text has. At
/// least half of them must be there.
fn shared_bigrams(word: &str, text: &str) -> Option<f32> {
    let characters: Vec<char> = word.chars().collect();
    let pairs = characters.windows(2);
    let count = pairs.len();
    let shared = pairs
        .filter(|pair| text.contains(&pair.iter().collect::<String>()))
        .count();
    #[expect(clippy::cast_precision_loss, reason = "a query has few characters")]
    (count > 0 && shared * 2 >= count).then(|| 0.5 * shared as f32 / count as f32)
}

/// How close together the letters of a word follow each other in a text. The
/// first must start a word of it, so that a few letters do not fit everything.
fn subsequence(word: &str, text: &str) -> Option<f32> {
    if word.chars().count() < 2 {
        return None;
    }
    let letters: Vec<char> = word.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let starts = (0..text.len())
        .filter(|&at| text[at] == letters[0] && (at == 0 || !text[at - 1].is_alphanumeric()));
    starts
        .filter_map(|start| {
            let mut at = start;
            for letter in &letters[1..] {
                at += 1 + text[at + 1..].iter().position(|c| c == letter)?;
            }
            let length = at - start + 1;
            #[expect(clippy::cast_precision_loss, reason = "a name has few characters")]
            let density = letters.len() as f32 / length as f32;
            (density >= 0.3).then_some(density * 0.5)
        })
        .max_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(trigger: &str, title: &str, tags: &[&str]) -> Recipe {
        Recipe {
            trigger: trigger.into(),
            title: title.into(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Recipe::default()
        }
    }

    fn ranked(query: &str) -> Vec<String> {
        let recipes = [
            recipe("@cookie-di", "注入 Cookie 存储", &["依赖注入"]),
            recipe(
                "@retry-queue-backoff",
                "RetryQueue backoff rule",
                &["retry"],
            ),
            recipe("@queue-names", "How queues are named", &[]),
        ];
        let words = typed_words(query);
        let mut hits: Vec<(f32, &str)> = recipes
            .iter()
            .filter_map(|r| Some((typed_fit(&words, r)?, r.trigger.as_str())))
            .collect();
        hits.sort_by(|a, b| b.0.total_cmp(&a.0));
        hits.into_iter().map(|(_, t)| t.to_owned()).collect()
    }

    #[test]
    fn the_start_of_a_trigger_ranks_before_its_middle() {
        assert_eq!(ranked("queue"), ["@queue-names", "@retry-queue-backoff"]);
        assert_eq!(ranked("@cookie"), ["@cookie-di"]);
    }

    #[test]
    fn letters_in_order_are_enough() {
        assert_eq!(ranked("rtryq"), ["@retry-queue-backoff"]);
        assert_eq!(ranked("zzz"), [""; 0]);
    }

    #[test]
    fn chinese_is_found_by_parts_of_its_words() {
        assert_eq!(ranked("注入存储"), ["@cookie-di"]);
        assert_eq!(ranked("依赖"), ["@cookie-di"]);
        assert_eq!(ranked("网络重试"), [""; 0]);
    }

    #[test]
    fn every_word_must_fit() {
        assert_eq!(ranked("retry rule"), ["@retry-queue-backoff"]);
        assert_eq!(ranked("retry cookie"), [""; 0]);
    }
}
