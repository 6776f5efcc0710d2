//! Words of English and Chinese texts, as far as rules about knowledge need
//! them.

use std::collections::BTreeSet;

/// Words that say nothing about a topic.
const STOP_WORDS: [&str; 62] = [
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "before", "but", "by", "can", "do",
    "each", "every", "for", "from", "has", "have", "if", "in", "into", "is", "it", "its", "must",
    "new", "of", "on", "one", "only", "or", "out", "over", "should", "so", "than", "that", "the",
    "their", "them", "then", "there", "these", "this", "through", "to", "use", "used", "uses",
    "using", "via", "was", "when", "where", "which", "while", "will", "with", "you", "your",
];

/// Words that turn a sentence round, compared as whole words.
const NEGATIONS: [&str; 10] = [
    "avoid",
    "cannot",
    "don't",
    "dont",
    "forbid",
    "forbidden",
    "mustn't",
    "never",
    "no",
    "not",
];
/// The same in Chinese, where words have no bounds.
const CHINESE_NEGATIONS: [&str; 6] = ["禁止", "不要", "避免", "不得", "不能", "切勿"];

/// The words of a text in lower case; an apostrophe belongs to its word. Of
/// Chinese, Japanese and Korean text each run of characters is one word.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let folded = text.to_lowercase().replace('’', "'");
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut wide = false;
    for c in folded.chars() {
        let is_letter = c.is_alphanumeric() || matches!(c, '\'' | '_');
        let is_wide = c > '\u{2e80}';
        if !word.is_empty() && (!is_letter || is_wide != wide) {
            words.push(std::mem::take(&mut word));
        }
        if is_letter {
            word.push(c);
            wide = is_wide;
        }
    }
    words.push(word);
    words
        .into_iter()
        .map(|word| word.trim_matches('\'').to_owned())
        .filter(|word| !word.is_empty())
}

/// What a text is about: its words without those that say nothing, Chinese as
/// pairs of characters. Negations are left out.
pub(crate) fn topic_words(text: &str) -> BTreeSet<String> {
    let mut topic = BTreeSet::new();
    for word in words(text) {
        if word.chars().any(|c| c > '\u{2e80}') {
            let mut rest = word;
            for negation in CHINESE_NEGATIONS {
                rest = rest.replace(negation, " ");
            }
            for run in rest.split(' ') {
                let chars: Vec<char> = run.chars().collect();
                topic.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
            }
        } else if word.chars().count() >= 2
            && !STOP_WORDS.contains(&word.as_str())
            && !NEGATIONS.contains(&word.as_str())
        {
            topic.insert(word);
        }
    }
    topic
}

/// Whether a text says that something is not to be done.
pub(crate) fn is_negated(text: &str) -> bool {
    CHINESE_NEGATIONS
        .iter()
        .any(|negation| text.contains(negation))
        || words(text).any(|word| NEGATIONS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negations_are_whole_words() {
        for text in [
            "Never block",
            "don’t block",
            "MUST NOT block",
            "禁止阻塞主线程",
            "请避免阻塞",
        ] {
            assert!(is_negated(text), "{text}");
        }
        for text in [
            "a notable case",
            "another knot",
            "avoidance",
            "阻塞主线程",
            "node",
        ] {
            assert!(!is_negated(text), "{text}");
        }
    }

    #[test]
    fn topics_leave_out_what_says_nothing() {
        let topic = topic_words("Never use the RetryQueue in a 缓存统一");
        let topic: Vec<&str> = topic.iter().map(String::as_str).collect();
        assert_eq!(topic, ["retryqueue", "存统", "统一", "缓存"]);
        assert_eq!(topic_words("禁止缓存"), topic_words("缓存"));
    }
}
