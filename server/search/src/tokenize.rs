//! Text into tokens. (search.md §2)

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::script::is_cjk;

/// A stretch of text that is one word by its characters alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Letters, digits, `_` and `-`.
    Plain {
        /// Its parts in lower case, split at joiners and case borders.
        parts: Vec<String>,
        /// The parts as one, when there was anything to split.
        joined: Option<String>,
    },
    /// Han, Kana or Hangul characters without a gap, in lower case.
    Cjk(Vec<char>),
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut plain: Vec<char> = Vec::new();
    let mut cjk: Vec<char> = Vec::new();
    for c in text.chars() {
        if is_cjk(c) {
            end_plain(&mut plain, &mut words);
            cjk.push(c);
        } else {
            end_cjk(&mut cjk, &mut words);
            if c.is_alphanumeric() || matches!(c, '_' | '-') {
                plain.push(c);
            } else {
                end_plain(&mut plain, &mut words);
            }
        }
    }
    end_plain(&mut plain, &mut words);
    end_cjk(&mut cjk, &mut words);
    words
}

fn end_cjk(run: &mut Vec<char>, words: &mut Vec<Word>) {
    if !run.is_empty() {
        words.push(Word::Cjk(std::mem::take(run)));
    }
}

fn end_plain(chars: &mut Vec<char>, words: &mut Vec<Word>) {
    let parts = split(chars);
    chars.clear();
    if parts.is_empty() {
        return;
    }
    let joined = (parts.len() > 1).then(|| parts.concat());
    words.push(Word::Plain { parts, joined });
}

/// Splits at `_`, `-` and the borders `aB` and `ABc`. Digits stay with the
/// letters before them.
fn split(chars: &[char]) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    for (index, &c) in chars.iter().enumerate() {
        if matches!(c, '_' | '-') {
            if !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            continue;
        }
        let before = index.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(index + 1);
        let begins = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || ((b.is_uppercase() || b.is_numeric())
                        && after.is_some_and(|a| a.is_lowercase()))
            });
        if begins && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        part.extend(c.to_lowercase());
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The tokens of a text: each once, in the order of their first occurrence.
#[must_use]
pub fn tokenize(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut tokens = Vec::new();
    let mut add = |token: String| {
        if !seen.contains(&token) {
            seen.insert(token.clone());
            tokens.push(token);
        }
    };
    for word in words(text) {
        match word {
            Word::Plain { parts, joined } => {
                parts
                    .into_iter()
                    .chain(joined)
                    .filter(|token| counts(token))
                    .for_each(&mut add);
            }
            Word::Cjk(run) => {
                for &c in &run {
                    if !is_stop_char(c) {
                        add(c.to_string());
                    }
                }
                for pair in run.windows(2) {
                    if !pair.iter().all(|&c| is_stop_char(c)) {
                        add(pair.iter().collect());
                    }
                }
                if run.len() >= 3 {
                    add(run.iter().collect());
                }
            }
        }
    }
    tokens
}

/// Whether a token outside of CJK says anything.
pub(crate) fn counts(token: &str) -> bool {
    !token.is_ascii() || (token.len() >= 2 && !is_stop_word(token))
}

const ENGLISH: &str = include_str!("../data/stop_en.txt");
const CHINESE: &str = include_str!("../data/stop_zh.txt");

/// Whether an English word in lower case only holds a sentence together.
pub(crate) fn is_stop_word(word: &str) -> bool {
    static WORDS: OnceLock<BTreeSet<&str>> = OnceLock::new();
    WORDS
        .get_or_init(|| ENGLISH.lines().collect())
        .contains(word)
}

/// Whether a Chinese character only holds a sentence together.
pub(crate) fn is_stop_char(c: char) -> bool {
    static CHARS: OnceLock<BTreeSet<char>> = OnceLock::new();
    CHARS
        .get_or_init(|| CHINESE.lines().flat_map(str::chars).collect())
        .contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(text: &str) -> Vec<String> {
        let mut tokens = tokenize(text);
        tokens.sort();
        tokens
    }

    #[test]
    fn camel_case_is_split_and_kept() {
        assert_eq!(
            tokenize("HTTPClientFactory"),
            ["http", "client", "factory", "httpclientfactory"]
        );
        assert_eq!(tokenize("getURLPath"), ["get", "url", "path", "geturlpath"]);
        assert_eq!(tokenize("HTTPClient"), ["http", "client", "httpclient"]);
    }

    #[test]
    fn joined_identifiers_are_found_in_one_word() {
        assert_eq!(
            tokenize("retry_queue-v2"),
            ["retry", "queue", "v2", "retryqueuev2"]
        );
        assert!(tokenize("retry_queue").contains(&"retryqueue".to_owned()));
    }

    #[test]
    fn digits_stay_with_the_letters_before_them() {
        assert_eq!(tokenize("utf8Decoder"), ["utf8", "decoder", "utf8decoder"]);
        assert_eq!(tokenize("PLR0913"), ["plr0913"]);
        assert_eq!(tokenize("base64URL"), ["base64url"]);
    }

    #[test]
    fn chinese_gives_characters_pairs_and_the_whole_run() {
        let mut expected = ["网", "络", "缓", "存", "网络", "络缓", "缓存", "网络缓存"];
        expected.sort_unstable();
        assert_eq!(sorted("网络缓存"), expected);
        assert_eq!(tokenize("缓存"), ["缓", "存", "缓存"]);
        assert_eq!(tokenize("的"), [""; 0]);
        assert_eq!(tokenize("用cache缓"), ["用", "cache", "缓"]);
    }

    #[test]
    fn function_words_are_left_out_but_not_those_that_forbid() {
        assert_eq!(tokenize("the of"), [""; 0]);
        assert_eq!(
            tokenize("no do not get set use"),
            ["no", "not", "get", "set", "use"]
        );
        assert!(!"不禁无".chars().any(is_stop_char));
    }

    #[test]
    fn the_stop_lists_have_the_documented_length() {
        let count = |text: &str| text.lines().collect::<BTreeSet<_>>().len();
        assert_eq!(count(ENGLISH), 48);
        assert_eq!(count(CHINESE), 78);
        assert!(CHINESE.lines().all(|line| line.chars().count() == 1));
    }

    proptest! {
        #[test]
        fn tokens_are_unique_and_never_empty(text in "\\PC{0,60}") {
            let tokens = tokenize(&text);
            let unique: BTreeSet<&String> = tokens.iter().collect();
            prop_assert_eq!(unique.len(), tokens.len());
            prop_assert!(tokens.iter().all(|token| !token.is_empty()));
        }
    }
}
