use crate::canonical_language;

/// Why `code` is not a piece that can be copied: it begins with a closing
/// bracket, or its brackets do not balance. Strings and comments do not count.
#[must_use]
pub fn unbalanced(code: &str, language: &str) -> Option<String> {
    let first = code.trim_start().chars().next()?;
    if matches!(first, '}' | ')' | ']') {
        return Some(format!("begins with `{first}`"));
    }
    let hash_comments = matches!(
        canonical_language(language),
        Some("python" | "ruby" | "bash" | "yaml" | "toml")
    );
    if matches!(
        canonical_language(language),
        Some("markdown" | "html" | "vue" | "svelte" | "bash")
    ) {
        // Apostrophes of prose and the `)` of a shell's `case` are no brackets.
        return None;
    }
    let rust_like = matches!(canonical_language(language), Some("rust"));
    let mut open: Vec<char> = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '/' if rest.starts_with("//") && !hash_comments => end_of_line(rest),
            '/' if rest.starts_with("/*") && !hash_comments => {
                rest[2..].find("*/").map_or("", |at| &rest[2 + at + 2..])
            }
            '#' if hash_comments => end_of_line(rest),
            '"' if rest.starts_with("\"\"\"") => skip_until(&rest[3..], "\"\"\""),
            '\'' if rest.starts_with("'''") && hash_comments => skip_until(&rest[3..], "'''"),
            '\'' if rust_like => lifetime_or_char(rest),
            '"' | '\'' => string(after, c),
            '`' => skip_until(after, "`"),
            '(' | '[' | '{' => {
                open.push(c);
                after
            }
            ')' | ']' | '}' => {
                let wanted = match c {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                match open.pop() {
                    Some(found) if found == wanted => after,
                    Some(found) => return Some(format!("closes a `{found}` with `{c}`")),
                    None => return Some(format!("has a `{c}` that nothing opens")),
                }
            }
            _ => after,
        };
    }
    open.last().map(|c| format!("does not close a `{c}`"))
}

fn end_of_line(rest: &str) -> &str {
    rest.find('\n').map_or("", |at| &rest[at..])
}

fn skip_until<'a>(rest: &'a str, end: &str) -> &'a str {
    rest.find(end).map_or("", |at| &rest[at + end.len()..])
}

/// Behind a string; one that is not closed ends with its line.
fn string(rest: &str, quote: char) -> &str {
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '\n' => return &rest[at..],
            c if c == quote => return &rest[at + 1..],
            _ => {}
        }
    }
    ""
}

fn lifetime_or_char(rest: &str) -> &str {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => string(&rest[1..], '\''),
        (Some(_), Some((at, '\''))) => &rest[at + 1..],
        _ => &rest[1..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        for (language, code) in [
            ("rust", "fn f<'a>(x: &'a str) { let c = '{'; /* ( */ } // ]"),
            ("swift", "let s = \"(\\\"\"\nfoo { $0 }"),
            ("python", "x = {'a': 1}  # {\n'''\n(\n'''"),
            ("typescript", "const s = `(${x}`;"),
            ("bash", "case x in a) ;; esac"),
        ] {
            assert_eq!(unbalanced(code, language), None, "{code}");
        }
        assert_eq!(
            unbalanced("} else { return }", "swift").unwrap(),
            "begins with `}`"
        );
        assert_eq!(unbalanced("foo(", "swift").unwrap(), "does not close a `(`");
        assert_eq!(
            unbalanced("foo(]", "swift").unwrap(),
            "closes a `(` with `]`"
        );
        assert_eq!(
            unbalanced("x )", "go").unwrap(),
            "has a `)` that nothing opens"
        );
    }
}
