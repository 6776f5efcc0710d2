/// The candidate that `written` was probably meant to be. Case, `-`, `_` and
/// blanks do not count; otherwise at most a third of the letters may differ.
pub(crate) fn nearest<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = fold(written);
    if wanted.is_empty() || wanted.len() > 40 {
        return None;
    }
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let folded = fold(candidate);
            let allowed = wanted.len().max(folded.len()).div_ceil(3).min(3);
            let distance = distance(&wanted, &folded);
            let prefix = wanted.len() >= 3 && folded.starts_with(&wanted);
            (distance <= allowed && distance < wanted.len() || prefix)
                .then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Up to `most` candidates that look like what was written, the likest first:
/// at most half of the letters differ, or one is part of the other.
#[must_use]
pub fn like_names<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let wanted = fold(written.trim_start_matches('@'));
    if wanted.is_empty() {
        return Vec::new();
    }
    let word: String = wanted.iter().collect();
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let folded = fold(candidate.trim_start_matches('@'));
            let part = wanted.len() >= 3 && folded.iter().collect::<String>().contains(&word);
            let distance = if part { 0 } else { distance(&wanted, &folded) };
            (distance * 2 <= wanted.len().max(folded.len())).then_some((distance, candidate))
        })
        .collect();
    scored.sort_unstable();
    scored.truncate(most);
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

fn fold(text: &str) -> Vec<char> {
    text.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The number of insertions, removals, replacements and swaps of neighbours
/// that lead from one to the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut cost = (last[j] + usize::from(x != y))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_come_likest_first() {
        let known = [
            "@retry-queue",
            "@retry-queue-backoff",
            "@ledger-pool",
            "@cache",
        ];
        assert_eq!(
            like_names("@retry-queu", known, 3),
            ["@retry-queue", "@retry-queue-backoff"]
        );
        assert_eq!(like_names("@chache", known, 3), ["@cache"]);
        assert!(like_names("@zzzzzzzz", known, 3).is_empty());
    }

    #[test]
    fn the_nearest_candidate_is_found() {
        let keys = ["title", "trigger", "tags", "whenClause", "severity"];
        assert_eq!(nearest("tilte", keys), Some("title"));
        assert_eq!(nearest("When_clause", keys), Some("whenClause"));
        assert_eq!(nearest("sevrity", keys), Some("severity"));
        assert_eq!(nearest("trig", keys), Some("trigger"));
        assert_eq!(nearest("owner", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(
            nearest("warn", ["info", "warning", "error"]),
            Some("warning")
        );
        assert_eq!(nearest("err", ["info", "warning", "error"]), Some("error"));
    }
}
