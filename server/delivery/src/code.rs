//! Code samples made short: without comments of their own lines, at most
//! fifteen lines, in a fence that holds whatever is inside.

use asd_syntax::{Language, Mask};

use crate::text::defused;

/// More lines are cut off.
const MOST_LINES: usize = 15;

/// How languages that have no lexer here begin a comment line.
const OTHER_COMMENTS: &[(&[&str], &str)] = &[
    (&["sql", "lua", "haskell", "hs", "ada", "elm"], "--"),
    (
        &[
            "perl",
            "r",
            "elixir",
            "dockerfile",
            "makefile",
            "powershell",
            "ps1",
            "nix",
        ],
        "#",
    ),
    (
        &[
            "php", "scala", "groovy", "zig", "proto", "protobuf", "solidity", "scss", "less",
        ],
        "//",
    ),
];

/// A fenced block of code. Empty when there is no code.
pub(crate) fn fenced(code: &str, language: &str) -> String {
    let lines = compact(code, language);
    if lines.is_empty() {
        return String::new();
    }
    let text = lines.join("\n");
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    let info: String = language
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '-' | '_'))
        .collect();
    let info = if info == "all" { String::new() } else { info };
    format!("{fence}{info}\n{text}\n{fence}")
}

fn compact(code: &str, language: &str) -> Vec<String> {
    let code = code.replace("\r\n", "\n").replace('\r', "\n");
    let known = Language::from_id(language);
    let mask = known.map(|known| Mask::new(known, &code));
    let other = OTHER_COMMENTS
        .iter()
        .find(|(names, _)| names.contains(&language.to_ascii_lowercase().as_str()))
        .map(|(_, sign)| *sign);
    let mut lines: Vec<String> = Vec::new();
    let mut start = 0;
    for line in code.split('\n') {
        let is_comment = match &mask {
            Some(mask) => is_comment_only(mask, line, start),
            None => other.is_some_and(|sign| line.trim_start().starts_with(sign)),
        };
        start += line.len() + 1;
        if is_comment && !line.starts_with("#!") {
            continue;
        }
        let line = line.trim_end();
        let is_second_blank = line.is_empty() && lines.last().is_none_or(String::is_empty);
        if !is_second_blank {
            lines.push(defused(line));
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines.push(cut_sign(known, other));
    }
    lines
}

/// Whether a line that begins at `start` holds a comment and nothing else.
fn is_comment_only(mask: &Mask, line: &str, start: usize) -> bool {
    let mut any = false;
    for (at, c) in line.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let Some(span) = mask.at(start + at) else {
            return false;
        };
        if !span.kind.is_comment() {
            return false;
        }
        any |= !c.is_whitespace();
    }
    any
}

fn cut_sign(known: Option<Language>, other: Option<&str>) -> String {
    let comments = known.map(Language::comments);
    match (
        comments.and_then(|c| c.line),
        comments.and_then(|c| c.block),
    ) {
        (Some(line), _) => format!("{line} …"),
        (None, Some((open, close))) => format!("{open} … {close}"),
        (None, None) => match (known, other) {
            (None, Some(sign)) => format!("{sign} …"),
            (None, None) => "// …".to_owned(),
            // A language without comments.
            (Some(_), _) => "…".to_owned(),
        },
    }
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_lines_go_by_the_rules_of_the_language() {
        for (language, code, kept) in [
            (
                "c",
                "#include <a.h>\n// note\nint x; // y",
                "#include <a.h>\nint x; // y",
            ),
            (
                "c",
                "#if A\n/* a\n * b\n */\nf();\n#endif",
                "#if A\nf();\n#endif",
            ),
            (
                "rust",
                "/// Doc\n#[derive(Debug)]\nstruct A;",
                "#[derive(Debug)]\nstruct A;",
            ),
            (
                "python",
                "# note\nx = '''\n# text\n'''",
                "x = '''\n# text\n'''",
            ),
            ("bash", "#!/bin/sh\n# note\nls", "#!/bin/sh\nls"),
            ("sql", "-- note\nselect 1", "select 1"),
            ("go", "s := `\n// text\n`", "s := `\n// text\n`"),
            ("unknown", "# a\n// b", "# a\n// b"),
        ] {
            assert_eq!(compact(code, language).join("\n"), kept, "{language}");
        }
    }

    #[test]
    fn long_code_is_cut_with_a_sign_of_the_language() {
        let code: String = (0..20).map(|n| format!("l{n}()\n")).collect();
        for (language, sign) in [
            ("go", "// …"),
            ("python", "# …"),
            ("html", "<!-- … -->"),
            ("lua", "-- …"),
        ] {
            let lines = compact(&code, language);
            assert_eq!(lines.len(), 16);
            assert_eq!(lines[15], sign);
        }
    }

    #[test]
    fn blank_runs_become_one_blank_line() {
        assert_eq!(compact("\n\na()\n\n\n\nb()\n\n", "go"), ["a()", "", "b()"]);
        assert_eq!(fenced("\n", "go"), "");
    }

    #[test]
    fn the_fence_is_longer_than_any_run_inside() {
        let block = fenced("x := \"````\"", "go");
        assert!(block.starts_with("`````go\n"), "{block}");
        assert!(
            fenced("<!-- asd:end -->", "text")
                .lines()
                .all(|line| line.trim() != "<!-- asd:end -->")
        );
    }
}
