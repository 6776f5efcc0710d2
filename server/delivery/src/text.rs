//! Small changes to text that comes out of recipes, so that it can stand in a
//! line, a table cell or a YAML value of a delivered file and mean nothing but
//! what it says.

use asd_recipe::{is_cjk, token_estimate};

/// What stands between the letters of our marker words when a recipe holds
/// them: a zero-width joiner.
const JOINER: char = '\u{200d}';

/// Takes the meaning out of marker words, so that no text of a recipe can begin
/// or end a managed section.
pub(crate) fn defused(text: &str) -> String {
    if !text.contains("asd:") {
        return text.to_owned();
    }
    text.replace("asd:begin", &format!("asd{JOINER}:begin"))
        .replace("asd:end", &format!("asd{JOINER}:end"))
}

/// Prose on one line: white space collapsed, markers defused, and nothing that
/// opens an HTML comment or a code fence.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let mut line = defused(&line).replace("<!--", "&lt;!--");
    for fence in ["```", "~~~"] {
        while line.contains(fence) {
            line = line.replace(fence, &fence[..1]);
        }
    }
    line
}

/// At most `limit` characters, cut at the border of a word where there is one
/// in the second half, with `…` for what is gone.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", at_word_border(&kept, text))
}

/// At most `limit` tokens, cut like [`shortened`].
pub(crate) fn within_tokens(text: &str, limit: usize) -> String {
    if token_estimate(text) <= limit {
        return text.to_owned();
    }
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        // The sign for what is gone costs its part too.
        if token_estimate(&text[..next]) + 1 > limit {
            break;
        }
        end = next;
    }
    format!("{}…", at_word_border(&text[..end], text))
}

/// `kept`, a prefix of `whole`, without the word that it cuts through.
fn at_word_border<'t>(kept: &'t str, whole: &str) -> &'t str {
    let cuts_a_word = whole[kept.len()..]
        .chars()
        .next()
        .is_some_and(|c| !c.is_whitespace());
    let border = kept
        .rfind(char::is_whitespace)
        .filter(|_| cuts_a_word)
        .filter(|at| *at >= kept.len() / 2);
    kept[..border.unwrap_or(kept.len())].trim_end_matches(|c: char| c.is_whitespace() || c == ',')
}

/// Prose in a table cell: one line, bars escaped.
pub(crate) fn cell(text: &str, limit: usize) -> String {
    let line = shortened(&one_line(text), limit);
    let mut cell = String::with_capacity(line.len());
    let mut backslashes = 0;
    for c in line.chars() {
        // A bar that is escaped already stays as it is.
        if c == '|' && backslashes % 2 == 0 {
            cell.push('\\');
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        cell.push(c);
    }
    // A backslash at the end would escape the bar that closes the cell.
    if backslashes % 2 == 1 {
        cell.push('\\');
    }
    cell
}

/// A YAML scalar in double quotes, as JSON writes it, on one line.
pub(crate) fn yaml_string(text: &str) -> String {
    serde_json::Value::String(one_line(text)).to_string()
}

/// Whether a word is a name in code: it has a second capital, `_`, `.`, `(` or
/// a back-tick.
fn is_identifier(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase) || word.contains(['_', '.', '(', '`'])
}

const NEGATIONS: &[&str] = &[
    "don't", "don’t", "do not", "never", "avoid", "不要", "禁止", "避免",
];

/// A clause without the leading "Don't", "Never", "不要" and the like.
pub(crate) fn without_negation(clause: &str) -> &str {
    let clause = clause.trim_start();
    for negation in NEGATIONS {
        let Some(head) = clause.get(..negation.len()) else {
            continue;
        };
        if head.to_lowercase() != *negation {
            continue;
        }
        let rest = &clause[negation.len()..];
        let is_word = negation.is_ascii() || negation.contains('’');
        if is_word && rest.starts_with(|c: char| c.is_alphanumeric()) {
            continue;
        }
        return rest
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | ','));
    }
    clause
}

/// The first word begins small, unless it is a name in code.
pub(crate) fn small_first(text: &str) -> String {
    change_first(text, |c| c.to_lowercase().collect())
}

/// The first word begins with a capital, unless it is a name in code.
pub(crate) fn capital_first(text: &str) -> String {
    change_first(text, |c| c.to_uppercase().collect())
}

fn change_first(text: &str, change: impl Fn(char) -> String) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    let Some(first) = text.chars().next().filter(|_| !is_identifier(word)) else {
        return text.to_owned();
    };
    format!("{}{}", change(first), &text[first.len_utf8()..])
}

/// A sentence that ends with one full stop, whatever it ended with.
pub(crate) fn sentence(text: &str) -> String {
    let text =
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ';' | '。' | '；'));
    if text.is_empty() {
        String::new()
    } else if text.ends_with(['!', '?', '！', '？', '…']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &["e.g.", "i.e.", "etc.", "cf.", "vs.", "approx.", "no."];

/// The first sentence of a text.
pub(crate) fn first_sentence(text: &str) -> String {
    let line = one_line(text);
    let chars: Vec<(usize, char)> = line.char_indices().collect();
    for (index, (at, c)) in chars.iter().enumerate() {
        let next = chars.get(index + 1).map(|(_, c)| *c);
        let end = at + c.len_utf8();
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if !ends {
            continue;
        }
        let word = line[..end]
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default();
        let word = word.trim_start_matches(['(', '"', '\'']).to_lowercase();
        if !ABBREVIATIONS.contains(&word.as_str()) {
            return line[..end].to_owned();
        }
    }
    line
}

/// A file name from a title: small letters, digits, CJK, and `-` for the rest,
/// at most 80 characters.
pub(crate) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() || is_cjk(c) {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug: String = slug.chars().take(80).collect();
    let slug = slug.trim_matches('-');
    if slug.is_empty() {
        "document".to_owned()
    } else {
        slug.to_owned()
    }
}

/// `name`, or `name-2`, `name-3` … when it is taken. What is given is taken
/// from then on.
pub(crate) fn unique(name: &str, taken: &mut std::collections::BTreeSet<String>) -> String {
    let mut candidate = name.to_owned();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{name}-{number}");
        number += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_negation_goes_in_every_form_and_nothing_else_does() {
        for (clause, rest) in [
            ("Don't call Y", "call Y"),
            ("Don’t call Y", "call Y"),
            ("DO NOT call Y", "call Y"),
            ("Never: call Y", "call Y"),
            ("avoid Y", "Y"),
            ("不要手写缓存", "手写缓存"),
            ("禁止 使用 Y", "使用 Y"),
            ("Nevermore()", "Nevermore()"),
            ("Avoidance of Y", "Avoidance of Y"),
            ("使用 Y", "使用 Y"),
        ] {
            assert_eq!(without_negation(clause), rest, "{clause}");
        }
    }

    #[test]
    fn a_first_word_that_is_code_keeps_its_case() {
        assert_eq!(small_first("Call Y"), "call Y");
        assert_eq!(small_first("LedgerPool twice"), "LedgerPool twice");
        assert_eq!(small_first("Foo.bar twice"), "Foo.bar twice");
        assert_eq!(small_first("`Y` twice"), "`Y` twice");
        assert_eq!(capital_first("keep it"), "Keep it");
        assert_eq!(capital_first("fooBar it"), "fooBar it");
    }

    #[test]
    fn the_first_sentence_does_not_end_inside_numbers_paths_or_abbreviations() {
        for (text, first) in [
            ("Takes 1.5 s. Then more.", "Takes 1.5 s."),
            ("See src/a.rs for it. More.", "See src/a.rs for it."),
            ("Use a cache, e.g. LRU. More.", "Use a cache, e.g. LRU."),
            ("会阻塞结算。第二句。", "会阻塞结算。"),
            ("No end", "No end"),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }

    #[test]
    fn cells_keep_their_row_in_one_piece() {
        assert_eq!(cell("a | b\nc", 80), r"a \| b c");
        assert_eq!(cell(r"a \| b", 80), r"a \| b");
        assert_eq!(cell(r"ends with \", 80), r"ends with \\");
    }

    #[test]
    fn markers_comments_and_fences_lose_their_meaning() {
        let line = one_line("a <!-- asd:end --> ````x");
        assert!(!line.contains("asd:end"), "{line}");
        assert!(!line.contains("<!--"), "{line}");
        assert!(!line.contains("```"), "{line}");
        assert_eq!(one_line("use $1 and $& \\0"), "use $1 and $& \\0");
    }

    #[test]
    fn what_is_too_long_is_cut_between_words() {
        assert_eq!(shortened("one two three", 9), "one two…");
        assert_eq!(shortened("one", 3), "one");
        let cut = within_tokens(&"word ".repeat(100), 60);
        assert!(token_estimate(&cut) <= 60, "{}", token_estimate(&cut));
        assert!(cut.ends_with("word…"), "{cut}");
    }

    #[test]
    fn slugs_keep_chinese_and_never_leave_the_folder() {
        assert_eq!(
            slug("Settlement replay: runbook"),
            "settlement-replay-runbook"
        );
        assert_eq!(slug("网络 缓存"), "网络-缓存");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("!!"), "document");
    }
}
