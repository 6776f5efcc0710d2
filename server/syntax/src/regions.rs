use asd_text::Span;

use crate::Language;
use crate::markup::{self, Part};

/// A part of a file that is in another language than the file: a fenced block
/// in Markdown, a `<script>` or `<style>` in HTML, Vue or Svelte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The language of the part.
    pub language: Language,
    /// Where it stands in the outer text, without its fence or tags.
    pub span: Span,
    /// The info string of a Markdown fence after its language; else empty.
    pub info: String,
}

/// The parts of `text` in other languages, in order, without overlap. Parts in
/// a language that is not known are left out.
///
/// A part is one stretch of the outer text: the lines of a fence inside a list
/// keep their indentation. Fences inside of block quotes are left out, since
/// their lines are not contiguous.
#[must_use]
pub fn regions(outer: Language, text: &str) -> Vec<Region> {
    match outer {
        Language::Markdown => fences(text).iter().filter_map(Fence::region).collect(),
        Language::Html | Language::Vue | Language::Svelte => markup::parts(text.as_bytes())
            .into_iter()
            .filter_map(|part| match part {
                Part::RawText { tag, text: span } => Some(Region {
                    language: raw_text_language(tag.of(text))?,
                    span,
                    info: String::new(),
                }),
                Part::Comment(_) | Part::Value(_) => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The language of a script or style with this tag.
fn raw_text_language(tag: &str) -> Option<Language> {
    let tag = tag.trim_start_matches('<').trim_end_matches('>');
    let name = markup::name(tag.as_bytes());
    if let Some(lang) = markup::attribute(tag, "lang").filter(|lang| !lang.is_empty()) {
        return Language::from_id(lang);
    }
    let kind = markup::attribute(tag, "type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    if name.eq_ignore_ascii_case(b"style") {
        return matches!(kind.as_str(), "" | "text/css").then_some(Language::Css);
    }
    match kind.as_str() {
        ""
        | "module"
        | "text/javascript"
        | "application/javascript"
        | "application/x-javascript"
        | "text/ecmascript"
        | "application/ecmascript"
        | "text/babel"
        | "text/jsx" => Some(Language::JavaScript),
        "text/typescript" | "application/typescript" | "ts" => Some(Language::TypeScript),
        "text/tsx" => Some(Language::Tsx),
        "application/json" | "application/ld+json" | "importmap" | "speculationrules" => {
            Some(Language::Json)
        }
        _ => None,
    }
}

/// A fenced block of Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence<'t> {
    /// From the line of the opening fence to the end of that of the closing one.
    pub outer: Span,
    /// The lines between the fences.
    pub content: Span,
    /// What stands behind the opening fence.
    pub info: &'t str,
}

impl Fence<'_> {
    fn region(&self) -> Option<Region> {
        // `{.language .class}` is a way to write it too.
        let info = match self.info.strip_prefix('{') {
            Some(info) => info
                .strip_suffix('}')
                .unwrap_or(info)
                .trim_start_matches('.'),
            None => self.info,
        };
        let end = info
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}'))
            .unwrap_or(info.len());
        let rest = info[end..].trim_start_matches(',').trim();
        Some(Region {
            language: Language::from_id(&info[..end])?,
            span: self.content,
            info: rest.to_owned(),
        })
    }
}

/// A line: where it starts, where its text ends, where the next one starts.
struct Line {
    start: usize,
    end: usize,
    next: usize,
}

fn lines(text: &str) -> impl Iterator<Item = Line> {
    let bytes = text.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= bytes.len() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', &bytes[start..])
            .map_or(bytes.len(), |length| start + length);
        let next = match bytes.get(end) {
            Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => end + 2,
            Some(_) => end + 1,
            None => end,
        };
        let line = Line { start, end, next };
        start = next;
        Some(line)
    })
}

/// The columns of the blank space at the start of a line, a tab reaching to the
/// next multiple of four, and its length in bytes.
fn indent(line: &str) -> (usize, usize) {
    let mut columns = 0;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => return (columns, at),
        }
    }
    (columns, line.len())
}

/// The length of a list marker with the blank after it.
fn list_marker(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let mark = match bytes.get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    match bytes.get(mark) {
        None => Some(mark),
        Some(b' ' | b'\t') => Some(mark + 1),
        Some(_) => None,
    }
}

/// The mark and length of an opening fence, and what stands behind it.
fn opening(line: &str) -> Option<(u8, usize, &str)> {
    let mark = *line
        .as_bytes()
        .first()
        .filter(|b| matches!(b, b'`' | b'~'))?;
    let length = line.bytes().take_while(|b| *b == mark).count();
    let info = line[length..].trim();
    let valid = length >= 3 && !(mark == b'`' && info.contains('`'));
    valid.then_some((mark, length, info))
}

/// The fence that is open while its lines are read.
struct Open<'t> {
    mark: u8,
    length: usize,
    info: &'t str,
    start: usize,
    content: usize,
}

impl<'t> Open<'t> {
    const fn closed(&self, content_end: usize, end: usize) -> Fence<'t> {
        Fence {
            outer: Span::new(self.start, end),
            content: Span::new(self.content, content_end),
            info: self.info,
        }
    }
}

/// The fenced blocks of a Markdown text, those without a language too. One that
/// is not closed ends with its list item, or with the text.
pub(crate) fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut fences = Vec::new();
    let mut open: Option<Open> = None;
    // The columns at which the text of the enclosing list items starts.
    let mut items: Vec<usize> = Vec::new();
    let mut in_comment = false;
    for line in lines(text) {
        let whole = &text[line.start..line.end];
        let (mut column, blanks) = indent(whole);
        let mut rest = &whole[blanks..];
        if in_comment {
            in_comment = !rest.contains("-->");
            continue;
        }
        if rest.is_empty() {
            continue;
        }
        let container = items.last().copied().unwrap_or(0);
        if let Some(fence) = &open {
            if column < container {
                fences.push(fence.closed(line.start, line.start));
                open = None;
            } else {
                let marks = rest.bytes().take_while(|b| *b == fence.mark).count();
                if marks >= fence.length
                    && rest[marks..].trim().is_empty()
                    && column < container + 4
                {
                    fences.push(fence.closed(line.start, line.end));
                    open = None;
                }
                continue;
            }
        }
        while items.last().is_some_and(|item| column < *item) {
            items.pop();
        }
        // Deeper than that it is an indented block of code.
        while column < items.last().copied().unwrap_or(0) + 4
            && let Some(length) = list_marker(rest)
        {
            let (more, blanks) = indent(&rest[length..]);
            // Five blanks after a marker are one, and a block of code.
            let (more, blanks) = if more > 3 { (0, 0) } else { (more, blanks) };
            column += length + more;
            rest = &rest[length + blanks..];
            items.push(column);
        }
        if column >= items.last().copied().unwrap_or(0) + 4 {
            continue;
        }
        if let Some((mark, length, info)) = opening(rest) {
            open = Some(Open {
                mark,
                length,
                info,
                start: line.start,
                content: line.next,
            });
        } else if rest.starts_with("<!--") {
            in_comment = !rest.contains("-->");
        }
    }
    if let Some(fence) = open {
        fences.push(fence.closed(text.len(), text.len()));
    }
    fences
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The regions as `language[ info]: text`.
    fn shown(outer: Language, text: &str) -> Vec<String> {
        regions(outer, text)
            .into_iter()
            .map(|region| {
                let info = if region.info.is_empty() {
                    String::new()
                } else {
                    format!(" {}", region.info)
                };
                format!("{:?}{info}: {}", region.language, region.span.of(text))
            })
            .collect()
    }

    #[test]
    fn fences_of_either_mark_and_any_length() {
        assert_eq!(
            shown(
                Language::Markdown,
                "```js\na\n```\n~~~ py x=1\nb\n```\n~~~~\n````md\n```rs\nc\n```\n`````\n``` ts\n```\n"
            ),
            [
                "JavaScript: a\n",
                "Python x=1: b\n```\n",
                "Markdown: ```rs\nc\n```\n",
                "TypeScript: ",
            ]
        );
    }

    #[test]
    fn the_info_string_names_the_language_first() {
        for (info, shown_as) in [
            (
                "swift bad guard=cookie-di-import",
                "Swift bad guard=cookie-di-import: a\n",
            ),
            ("TSX", "Tsx: a\n"),
            ("rust,no_run", "Rust no_run: a\n"),
            ("js{1,3} x", "JavaScript {1,3} x: a\n"),
            ("{.python .numbers}", "Python .numbers: a\n"),
            ("c++  good ", "Cpp good: a\n"),
        ] {
            assert_eq!(
                shown(Language::Markdown, &format!("```{info}\na\n```")),
                [shown_as]
            );
        }
        for info in ["", "mermaid", "a`b", "js`"] {
            assert!(shown(Language::Markdown, &format!("```{info}\na\n```\n")).is_empty());
        }
    }

    #[test]
    fn fences_in_lists_keep_their_indentation() {
        assert_eq!(
            shown(
                Language::Markdown,
                "- a\n\n  ```js\n  b\n\n    c\n  ```\n  1. d\n     ```py\n     e\n     ```\n- ```go\n  f\n  ```\n"
            ),
            [
                "JavaScript:   b\n\n    c\n",
                "Python:      e\n",
                "Go:   f\n"
            ]
        );
        // The item ends and with it what is in it.
        assert_eq!(
            shown(
                Language::Markdown,
                "- a\n  ```js\n  b\nc\n\n```py\nd\n```\n"
            ),
            ["JavaScript:   b\n", "Python: d\n"]
        );
        assert_eq!(
            shown(
                Language::Markdown,
                "1. a\n   ```js\n   b\n   ```\n10. c\n    ~~~js\n    d\n    ~~~"
            ),
            ["JavaScript:    b\n", "JavaScript:     d\n"]
        );
    }

    #[test]
    fn what_only_looks_like_a_fence() {
        for text in [
            "> ```js\n> a\n> ```\n",
            "    ```js\n    a\n    ```\n",
            "``js\na\n``\n",
            "a ```js\nb\n```",
            "<!--\n```js\na\n```\n-->\n",
        ] {
            assert!(shown(Language::Markdown, text).is_empty(), "{text}");
        }
        // A closing fence has nothing behind it, and may not be deep.
        assert_eq!(
            shown(Language::Markdown, "```js\n``` x\n    ```\n ```\n"),
            ["JavaScript: ``` x\n    ```\n"]
        );
    }

    #[test]
    fn an_open_fence_ends_with_the_text_in_any_line_ending() {
        assert_eq!(
            shown(Language::Markdown, "```js\r\na\r\n"),
            ["JavaScript: a\r\n"]
        );
        assert_eq!(
            shown(Language::Markdown, "```js\ra\r```\rb"),
            ["JavaScript: a\r"]
        );
        assert_eq!(shown(Language::Markdown, "```js"), ["JavaScript: "]);
    }

    #[test]
    fn scripts_and_styles_by_their_attributes() {
        for (tag, language) in [
            ("<script>", Some("JavaScript")),
            ("<SCRIPT LANG='ts'>", Some("TypeScript")),
            ("<script setup lang=\"tsx\">", Some("Tsx")),
            ("<script type=\"module\" src=\"a\">", Some("JavaScript")),
            (
                "<script type=\"text/javascript; charset=utf-8\">",
                Some("JavaScript"),
            ),
            ("<script type=\"application/json\">", Some("Json")),
            ("<script type=importmap>", Some("Json")),
            ("<script type=\"text/x-template\">", None),
            ("<script lang=\"coffee\">", None),
            (
                "<script data-lang=\"ts\" title=\"a > b\">",
                Some("JavaScript"),
            ),
            ("<style>", Some("Css")),
            ("<style scoped lang='css'>", Some("Css")),
            ("<style lang=\"scss\">", None),
        ] {
            let name = if tag.to_lowercase().contains("script") {
                "script"
            } else {
                "style"
            };
            let text = format!("<p>it's</p>\n{tag}a < b; \"</p>\"</{name} >\n<p>");
            let expected: Vec<_> = language
                .map(|language| format!("{language}: a < b; \"</p>\""))
                .into_iter()
                .collect();
            for outer in [Language::Html, Language::Vue, Language::Svelte] {
                assert_eq!(shown(outer, &text), expected, "{tag}");
            }
        }
    }

    #[test]
    fn what_hides_or_cuts_a_script() {
        assert_eq!(
            shown(
                Language::Html,
                "<!-- <script>a</script> --><p title=\"<script>b</script>\"><script>c // <!-- </script>d\
                 <script src=\"x\" /><scripts>e</scripts><style>f"
            ),
            ["JavaScript: c // <!-- ", "Css: f"]
        );
        assert!(shown(Language::Html, "<!-- <script>a</script>").is_empty());
        assert!(shown(Language::Python, "<script>a</script>").is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_gives_ordered_parts(
            text in "(```|~~~|````js|[-*>] |1\\. |    |\\t|\\n|\\r\\n|\\r|<!--|-->|<script>|<style a=\"|</script>|[a-z饼🍪`<>\"'/=]){0,40}",
        ) {
            for outer in [Language::Markdown, Language::Html] {
                let mut done = 0;
                for region in regions(outer, &text) {
                    prop_assert!(done <= region.span.start && region.span.end <= text.len());
                    prop_assert!(text.get(region.span.range()).is_some());
                    done = region.span.end;
                }
            }
        }
    }
}
