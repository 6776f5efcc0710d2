//! Whether words alone are sure enough, or meaning is asked too. (search.md §4)

use crate::names::Name;
use crate::tokenize::{Word, words};

/// What the gate is asked about: the best rows by words.
pub(crate) struct Best<'t> {
    pub(crate) score: f32,
    pub(crate) title: &'t str,
    pub(crate) trigger: &'t str,
}

/// From so many points on words alone are sure enough.
pub(crate) const SURE: i32 = 60;

const CJK_QUESTIONS: &[&str] = &[
    "如何",
    "怎么",
    "怎样",
    "什么",
    "为什么",
    "为何",
    "哪个",
    "哪些",
    "是否",
    "吗",
];

const ENGLISH_QUESTIONS: &[&str] = &[
    "how",
    "what",
    "why",
    "when",
    "where",
    "which",
    "should",
    "can",
    "does",
    "implement",
    "create",
    "add",
];

/// How sure the rows found by words are, 0 to 100. `best` are the first rows,
/// best first, `count` is how many there are.
pub(crate) fn certainty(query: &str, best: &[Best<'_>], count: usize, limit: usize) -> i32 {
    let query = query.trim();
    let mut points = 0;
    if let Some(first) = best.first().filter(|first| first.score > 0.0) {
        let second = best.get(1).map_or(0.0, |second| second.score);
        let gap = (first.score - second) / first.score;
        if gap > 0.30 {
            points += 25;
        } else if gap > 0.15 {
            points += 15;
        }
    }
    points += best
        .iter()
        .take(3)
        .map(|row| name_points(query, row))
        .max()
        .unwrap_or(0);
    if is_name(query) {
        points += 25;
    }
    if count >= limit {
        points += 10;
    }
    if is_cjk_question(query) {
        points -= 40;
    }
    if is_english_question(query) {
        points -= 40;
    }
    match query.chars().count() {
        21.. => points -= 20,
        11.. => points -= 10,
        _ => {}
    }
    points.clamp(0, 100)
}

/// The weight of meaning beside words; `None` when words alone are sure.
pub(crate) fn semantic_weight(certainty: i32) -> Option<f32> {
    #[expect(clippy::cast_precision_loss, reason = "at most 100")]
    (certainty < SURE).then(|| 0.4 + 0.35 * (1.0 - certainty as f32 / SURE as f32))
}

fn name_points(query: &str, row: &Best<'_>) -> i32 {
    let bare = |text: &str| text.trim().trim_start_matches('@').to_lowercase();
    let asked = Name::new(query);
    let query = bare(query);
    [row.title, row.trigger]
        .into_iter()
        .map(|name| (Name::new(name), bare(name)))
        .filter(|(_, name)| !name.is_empty())
        .map(|(words, name)| {
            // `RetryQueue`, `retry_queue` and `@retry-queue` are one name.
            if name == query || words == asked {
                50
            } else if name.contains(&query) {
                35
            } else if query.contains(&name) {
                15
            } else {
                0
            }
        })
        .max()
        .unwrap_or(0)
}

/// `PascalCase`, `snake_case` or `@trigger`.
fn is_name(query: &str) -> bool {
    if query.starts_with('@') {
        return true;
    }
    let is_word = query.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let humps = query.chars().filter(char::is_ascii_uppercase).count();
    let starts_upper = query.starts_with(|c: char| c.is_ascii_uppercase());
    let has_lower = query.contains(|c: char| c.is_ascii_lowercase());
    is_word && ((starts_upper && has_lower && humps >= 1) || query.trim_matches('_').contains('_'))
}

/// Cues count as words: the 为 and 如 of 行为 and 例如 ask nothing. 吗 stands
/// at the end of a question.
fn is_cjk_question(query: &str) -> bool {
    CJK_QUESTIONS.iter().any(|cue| {
        query.match_indices(cue).any(|(at, _)| {
            let rest = &query[at + cue.len()..];
            *cue != "吗" || !rest.starts_with(crate::script::is_cjk)
        })
    })
}

fn is_english_question(query: &str) -> bool {
    match words(query).first() {
        Some(Word::Plain { parts, .. }) => {
            parts.len() == 1 && ENGLISH_QUESTIONS.contains(&parts[0].as_str())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(query: &str, rows: &[(f32, &str, &str)], limit: usize) -> i32 {
        let best: Vec<Best<'_>> = rows
            .iter()
            .map(|&(score, title, trigger)| Best {
                score,
                title,
                trigger,
            })
            .collect();
        certainty(query, &best, rows.len(), limit)
    }

    #[test]
    fn a_trigger_that_fits_is_sure() {
        let rows = [(2.0, "Backoff", "@retry-queue-backoff"), (0.3, "x", "@y")];
        assert!(points("@retry-queue-backoff", &rows, 10) >= SURE);
    }

    #[test]
    fn questions_are_not() {
        let rows = [(1.0, "请求重试", "@retry"), (0.9, "请求", "@request")];
        assert!(points("如何重试请求", &rows, 10) < SURE);
        assert!(is_english_question("how to retry"));
        assert!(is_english_question("add a cache"));
    }

    #[test]
    fn cues_inside_of_words_ask_nothing() {
        for plain in [
            "行为树",
            "例如缓存",
            "address book",
            "认为",
            "whatever works",
        ] {
            assert!(
                !is_cjk_question(plain) && !is_english_question(plain),
                "{plain}"
            );
        }
        for question in ["这样可以吗", "可以吗？", "为什么崩溃", "有哪些规范"] {
            assert!(is_cjk_question(question), "{question}");
        }
        assert_eq!(points("行为树", &[], 10), 0);
    }

    #[test]
    fn the_weight_of_meaning_falls_with_certainty() {
        let near = |points, expected: f32| {
            let weight = semantic_weight(points).unwrap();
            assert!((weight - expected).abs() < 1e-6, "{points}: {weight}");
        };
        near(0, 0.75);
        near(30, 0.575);
        near(59, 0.405_833_33);
        assert_eq!(semantic_weight(60), None);
    }

    #[test]
    fn names_are_known_by_their_form() {
        assert!(is_name("RetryQueue") && is_name("retry_queue") && is_name("@x"));
        assert!(!is_name("retry") && !is_name("retry queue") && !is_name("URL"));
    }
}
