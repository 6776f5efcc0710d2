//! Directive comments. (guard.md §15)

use asd_syntax::{Language, Mask, MaskKind};
use asd_text::Span;

use crate::part::{Line, lines};

/// What a directive comment asks for. (guard.md §15)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `as:search`, `as:s`
    Search,
    /// `as:create`, `as:c`
    Create,
    /// `as:audit`, `as:a`
    Audit,
    /// `as:agent`
    Agent,
}

/// A directive comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// What it asks for.
    pub kind: DirectiveKind,
    /// What follows the keyword, trimmed.
    pub argument: String,
    /// The keyword and its argument.
    pub span: Span,
}

impl Directive {
    /// The code that the directive speaks of: the whole text for `-f`, else the
    /// lines below it up to the first blank one outside of all brackets.
    #[must_use]
    pub fn code(&self, text: &str) -> Span {
        if self.argument.split_whitespace().any(|word| word == "-f") {
            return Span::new(0, text.len());
        }
        let own = Line::around(text, self.span.end);
        let start = own.next.min(text.len());
        let mut end = start;
        let mut depth = 0_i64;
        let mut at = own;
        while !at.is_last() {
            at = Line::starting(text, at.next);
            let content = at.content.of(text);
            if content.trim().is_empty() && depth <= 0 {
                break;
            }
            for c in content.chars() {
                match c {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth -= 1,
                    _ => {}
                }
            }
            end = at.content.end;
        }
        Span::new(start, end)
    }
}

const KEYWORDS: &[(&str, DirectiveKind)] = &[
    ("as:search", DirectiveKind::Search),
    ("as:s", DirectiveKind::Search),
    ("as:create", DirectiveKind::Create),
    ("as:c", DirectiveKind::Create),
    ("as:audit", DirectiveKind::Audit),
    ("as:agent", DirectiveKind::Agent),
    ("as:a", DirectiveKind::Audit),
];

/// The directive comments of a text and of the parts of it that are in another
/// language, in order.
#[must_use]
pub fn directives(language: Language, text: &str) -> Vec<Directive> {
    if memchr::memmem::find(text.as_bytes(), b"as:").is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let regions = asd_syntax::regions(language, text);
    for comment in &Mask::new(language, text).spans {
        let in_region = regions.iter().any(|r| r.span.contains(comment.span));
        if !in_region && matches!(comment.kind, MaskKind::LineComment | MaskKind::DocComment) {
            found.extend(in_comment(text, comment.span));
        }
    }
    for region in regions {
        for mut directive in directives(region.language, region.span.of(text)) {
            directive.span = directive.span.shifted(region.span.start);
            found.push(directive);
        }
    }
    found.sort_by_key(|directive| directive.span);
    found
}

/// A lexer may join line comments that follow each other, so each line of the
/// comment is looked at.
fn in_comment(text: &str, comment: Span) -> impl Iterator<Item = Directive> {
    lines(comment.of(text)).filter_map(move |Line { content, .. }| {
        let content = content.shifted(comment.start);
        let line = content.of(text);
        let bare = line.trim_start();
        let marker = ["//", "#", "--"]
            .into_iter()
            .find(|marker| bare.starts_with(marker))?;
        let sign = marker.chars().next()?;
        let bare = bare.trim_start_matches(sign).trim_start_matches(['!', '/']);
        let bare = bare.trim_start();
        let bare = bare.strip_prefix('@').unwrap_or(bare);
        let (keyword, kind) = KEYWORDS.iter().copied().find(|(keyword, _)| {
            bare.strip_prefix(keyword)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        })?;
        let bare = bare.trim_end();
        let start = content.start + line.trim_end().len() - bare.len();
        Some(Directive {
            kind,
            argument: bare[keyword.len()..].trim().to_owned(),
            span: Span::new(start, start + bare.len()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(language: Language, text: &str) -> Vec<(DirectiveKind, String, &str)> {
        directives(language, text)
            .into_iter()
            .map(|directive| (directive.kind, directive.argument, directive.span.of(text)))
            .collect()
    }

    #[test]
    fn long_and_short_forms_with_their_arguments() {
        use DirectiveKind::{Agent, Audit, Create, Search};
        let text = "// as:search retry 队列\nlet a = 1; // @as:c -f\n// as:a project cookies\r\n//as:agent do it  \n// as:s\n";
        let found = of(Language::JavaScript, text);
        assert_eq!(
            found,
            [
                (Search, "retry 队列".to_owned(), "as:search retry 队列"),
                (Create, "-f".to_owned(), "as:c -f"),
                (Audit, "project cookies".to_owned(), "as:a project cookies"),
                (Agent, "do it".to_owned(), "as:agent do it"),
                (Search, String::new(), "as:s"),
            ]
        );
    }

    #[test]
    fn a_keyword_ends_with_a_blank_and_stands_first_in_a_comment() {
        for text in [
            "// as:abc",
            "// see as:s foo",
            "let a = \"// as:s foo\";",
            "/* as:s foo */",
            "as:s foo",
        ] {
            assert_eq!(of(Language::JavaScript, text), [], "{text}");
        }
        assert_eq!(of(Language::Python, "# as:a file").len(), 1);
    }

    #[test]
    fn parts_in_other_languages_count() {
        let text = "# Title\n\n```swift\n// as:s cookies\n```\n";
        let found = of(Language::Markdown, text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].2, "as:s cookies");
    }
}
