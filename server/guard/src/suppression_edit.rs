//! Writing suppression comments. (editor.md §3)

use asd_syntax::{CommentSlot, Language};
use asd_text::{Span, TextEdit};

use crate::part::{Line, Part, lines};
use crate::suppress::{self, Directive, DirectiveReach};

/// Where a suppression comment takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionScope {
    /// `asd:ignore`, on the finding's line or the line before.
    Line,
    /// `asd:ignore-file`, within the first 20 lines.
    File,
}

/// The edit that suppresses a rule at a finding's place, in the comment syntax
/// that is valid there; merged into a suppression comment that is there
/// already. `None` where no comment can stand or the rule is suppressed
/// already.
#[must_use]
pub fn suppression_edit(
    language: Language,
    text: &str,
    finding: Span,
    rule_id: &str,
    scope: SuppressionScope,
) -> Option<TextEdit> {
    match scope {
        SuppressionScope::Line => {
            let region = asd_syntax::regions(language, text)
                .into_iter()
                .find(|region| region.span.contains(finding));
            if let Some(region) = region {
                let start = region.span.start;
                let inner = Span::new(finding.start - start, finding.end - start);
                let mut edit =
                    suppression_edit(region.language, region.span.of(text), inner, rule_id, scope)?;
                edit.span = edit.span.shifted(start);
                return Some(edit);
            }
            on_line(&Part::new(language, text), finding.start, rule_id)
        }
        SuppressionScope::File => in_file(&Part::new(language, text), rule_id),
    }
}

fn on_line(part: &Part<'_>, at: usize, rule_id: &str) -> Option<TextEdit> {
    let directives = suppress::directives(part);
    let reaching: Vec<&Directive> = directives
        .iter()
        .filter(|directive| match directive.reach {
            DirectiveReach::Lines(lines) => lines.touches(at),
            DirectiveReach::File => suppress::is_at_the_top(part.text, directive.span.start),
        })
        .collect();
    if reaching.iter().any(|directive| names(directive, rule_id)) {
        return None;
    }
    let on_lines = reaching
        .into_iter()
        .rfind(|directive| directive.reach != DirectiveReach::File);
    if let Some(directive) = on_lines {
        return Some(merged(directive, rule_id));
    }
    let text = part.text;
    let line = Line::around(text, at).content;
    let directive = format!("{} {rule_id}", suppress::MARK);
    if let Some(slot) = asd_syntax::comment_above(part.language, text, None, at)
        && is_directly_above(text, line, slot.at)
    {
        let content = &text[slot.at..line.end];
        let blanks = content.len() - content.trim_start_matches([' ', '\t']).len();
        let number = part.lines().line_of(at);
        let ending = part.lines().line_ending(text, number).as_str();
        let comment = written(&slot, &directive);
        return Some(TextEdit::insert(
            slot.at,
            format!("{}{comment}{ending}", &content[..blanks]),
        ));
    }
    let slot = asd_syntax::comment_behind(part.language, text, None, at)?;
    let comment = written(&slot, &directive);
    Some(TextEdit::insert(slot.at, format!(" {comment}")))
}

fn written(slot: &CommentSlot, text: &str) -> String {
    if slot.close.is_empty() {
        format!("{} {text}", slot.open)
    } else {
        format!("{} {text} {}", slot.open, slot.close)
    }
}

/// Whether a comment at `at` would be on the line before `line`, and would not
/// take the first line from what has to be there.
fn is_directly_above(text: &str, line: Span, at: usize) -> bool {
    let content = line.of(text).trim_start_matches('\u{feff}');
    let must_be_first = line.start == 0
        && ["#!", "<?xml", "<!DOCTYPE", "<!doctype"]
            .iter()
            .any(|start| content.starts_with(start));
    at >= line.start && at <= line.end && !must_be_first
}

fn names(directive: &Directive, rule_id: &str) -> bool {
    directive.rules.iter().any(|(rule, _)| rule == rule_id)
}

fn merged(directive: &Directive, rule_id: &str) -> TextEdit {
    match directive.rules.last() {
        Some((_, last)) => TextEdit::insert(last.end, format!(", {rule_id}")),
        None => {
            let mark = match directive.reach {
                DirectiveReach::File => suppress::FILE_MARK,
                DirectiveReach::Lines(_) => suppress::MARK,
            };
            TextEdit::insert(directive.span.start + mark.len(), format!(" {rule_id}"))
        }
    }
}

fn in_file(part: &Part<'_>, rule_id: &str) -> Option<TextEdit> {
    let text = part.text;
    let mut existing = suppress::directives(part);
    existing.retain(|directive| {
        directive.reach == DirectiveReach::File
            && suppress::is_at_the_top(text, directive.span.start)
    });
    if existing.iter().any(|directive| names(directive, rule_id)) {
        return None;
    }
    if let Some(directive) = existing.first() {
        return Some(merged(directive, rule_id));
    }
    let at = below_what_must_be_first(part.language, text);
    let slot = plain_slot(part.language, at)?;
    if !suppress::is_at_the_top(text, at) {
        return None;
    }
    let ending = part.lines().line_ending(text, 0).as_str();
    let comment = written(&slot, &format!("{} {rule_id}", suppress::FILE_MARK));
    // The last line before it may have no ending.
    let before = if at > 0 && !text[..at].ends_with(['\n', '\r', '\u{feff}']) {
        ending
    } else {
        ""
    };
    Some(TextEdit::insert(at, format!("{before}{comment}{ending}")))
}

/// Past the byte order mark, a `#!` line, an XML or HTML prolog, a coding line
/// and front matter.
fn below_what_must_be_first(language: Language, text: &str) -> usize {
    let mut at = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    if language == Language::Markdown && text[at..].starts_with("---") {
        let mut rest = lines(&text[at..]).skip(1);
        let end = rest.find(|line| {
            let content = line.content.of(&text[at..]).trim_end();
            content == "---" || content == "..."
        });
        return at + end.map_or(0, |line| line.next);
    }
    for line in lines(&text[at..]).take(3) {
        let content = line.content.of(&text[at..]);
        let bare = content.trim_start();
        let is_coding = line.content.start < 200
            && bare.starts_with('#')
            && bare.contains("coding")
            && language == Language::Python;
        let stays = (line.content.start == 0 && content.starts_with("#!"))
            || bare.starts_with("<?xml")
            || bare
                .get(..9)
                .is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"))
            || is_coding
            || bare.starts_with("@charset");
        if !stays {
            return at + line.content.start;
        }
        if line.is_last() {
            return text.len();
        }
    }
    let third = lines(&text[at..]).nth(3);
    at += third.map_or(0, |line| line.content.start);
    at
}

/// How comments are written where nothing is in their way.
fn plain_slot(language: Language, at: usize) -> Option<CommentSlot> {
    let comments = language.comments();
    let (open, close) = match (comments.line, comments.block) {
        (Some(line), _) => (line, ""),
        (None, Some(block)) => block,
        (None, None) => return None,
    };
    Some(CommentSlot { at, open, close })
}

#[cfg(test)]
mod tests {
    use asd_text::apply_edits;

    use super::*;

    /// Suppresses rules, one after the other, at the first `|` of the text.
    fn suppressed(language: Language, marked: &str, rules: &[&str]) -> String {
        let at = marked.find('|').expect("a mark");
        let mut text = marked.replacen('|', "", 1);
        let errors = |text: &str| {
            asd_syntax::parse(language, text, None).is_some_and(|tree| tree.root_node().has_error())
        };
        let mut at = at;
        for rule in rules {
            let finding = Span::new(at, at + 1);
            let edit = suppression_edit(language, &text, finding, rule, SuppressionScope::Line);
            let Some(edit) = edit else { continue };
            let before = errors(&text);
            if edit.span.start <= at {
                at += edit.text.len();
            }
            text = apply_edits(&text, &[edit]).unwrap();
            assert!(before || !errors(&text), "does not parse: {text}");
            let directives = suppress::directives(&Part::new(language, &text));
            assert!(
                asd_syntax::regions(language, &text)
                    .iter()
                    .any(|r| r.span.touches(at))
                    || directives.iter().any(|directive| {
                        names(directive, rule)
                            && matches!(directive.reach, DirectiveReach::Lines(l) if l.touches(at))
                    }),
                "has no effect: {text}"
            );
        }
        text
    }

    #[test]
    fn a_comment_of_its_own_above_with_equal_indentation() {
        assert_eq!(
            suppressed(Language::JavaScript, "{\r\n\t  |foo();\r\n}", &["a"]),
            "{\r\n\t  // asd:ignore a\r\n\t  foo();\r\n}"
        );
        assert_eq!(
            suppressed(Language::Python, "|foo()", &["a"]),
            "# asd:ignore a\nfoo()"
        );
        assert_eq!(
            suppressed(Language::Css, "a {\n  |top: 0;\n}\n", &["a"]),
            "a {\n  /* asd:ignore a */\n  top: 0;\n}\n"
        );
        assert_eq!(
            suppressed(Language::JavaScript, "\u{feff}|foo();\n", &["a"]),
            "\u{feff}// asd:ignore a\nfoo();\n"
        );
    }

    #[test]
    fn a_second_rule_joins_the_first_and_none_comes_twice() {
        assert_eq!(
            suppressed(Language::Go, "func f() {\n\t|foo()\n}", &["r1", "r2", "r1"]),
            "func f() {\n\t// asd:ignore r1, r2\n\tfoo()\n}"
        );
        assert_eq!(
            suppressed(
                Language::JavaScript,
                "|foo(); // asd:ignore r1 -- it is so\n",
                &["r2", "r2"]
            ),
            "foo(); // asd:ignore r1, r2 -- it is so\n"
        );
        assert_eq!(
            suppressed(Language::JavaScript, "|foo(); // why\n", &["r1"]),
            "// asd:ignore r1\nfoo(); // why\n"
        );
    }

    #[test]
    fn in_jsx_by_where_it_stands() {
        let tsx = |marked| suppressed(Language::Tsx, marked, &["r"]);
        assert_eq!(
            tsx("const a = (\n  <div>\n    <Foo a={|foo} />\n  </div>\n);\n"),
            "const a = (\n  <div>\n    {/* asd:ignore r */}\n    <Foo a={foo} />\n  </div>\n);\n"
        );
        assert_eq!(
            tsx("const a = (\n  <div\n\t a={|foo}\n  />\n);\n"),
            "const a = (\n  <div\n\t // asd:ignore r\n\t a={foo}\n  />\n);\n"
        );
        assert_eq!(
            tsx("const a = <div>{\n  |foo()\n}</div>;\n"),
            "const a = <div>{\n  // asd:ignore r\n  foo()\n}</div>;\n"
        );
        assert_eq!(
            tsx("const a = <div>\n  text {|foo()}\n</div>;\n"),
            "const a = <div>\n  {/* asd:ignore r */}\n  text {foo()}\n</div>;\n"
        );
        assert_eq!(
            tsx("const a =\n  <div>{|foo()}</div>;\n"),
            "const a =\n  // asd:ignore r\n  <div>{foo()}</div>;\n"
        );
    }

    #[test]
    fn inside_a_literal_over_lines_the_comment_goes_behind() {
        assert_eq!(
            suppressed(Language::JavaScript, "f(`a\n  ${|foo()}`);\n", &["r"]),
            "f(`a\n  ${foo()}`); // asd:ignore r\n"
        );
        let text = "f(`a\n${foo()}\n`);";
        let edit = suppression_edit(
            Language::JavaScript,
            text,
            Span::new(7, 10),
            "r",
            SuppressionScope::Line,
        );
        assert_eq!(edit, None);
    }

    #[test]
    fn parts_take_the_syntax_of_their_own_language() {
        assert_eq!(
            suppressed(
                Language::Vue,
                "<template></template>\n<script>\n  |foo();\n</script>\n",
                &["r"]
            ),
            "<template></template>\n<script>\n  // asd:ignore r\n  foo();\n</script>\n"
        );
        assert_eq!(
            suppressed(Language::Html, "<p>\n  <b>|x</b>\n</p>\n", &["r"]),
            "<p>\n  <!-- asd:ignore r -->\n  <b>x</b>\n</p>\n"
        );
        assert_eq!(
            suppressed(Language::Markdown, "# T\n\n|foo\n", &["r"]),
            "# T\n\n<!-- asd:ignore r -->\nfoo\n"
        );
        assert_eq!(
            suppressed(Language::Json, "{\"a\": |1}", &["r"]),
            "{\"a\": 1}"
        );
        assert_eq!(
            suppressed(Language::Html, "<p\n  a=|1>\n</p>\n", &["r"]),
            "<p\n  a=1> <!-- asd:ignore r -->\n</p>\n"
        );
        assert_eq!(
            suppressed(Language::Yaml, "a:\n  - |1\n", &["r"]),
            "a:\n  # asd:ignore r\n  - 1\n"
        );
    }

    fn in_whole(language: Language, text: &str, rules: &[&str]) -> String {
        let mut text = text.to_owned();
        for rule in rules {
            let span = Span::empty(text.len());
            if let Some(edit) =
                suppression_edit(language, &text, span, rule, SuppressionScope::File)
            {
                text = apply_edits(&text, &[edit]).unwrap();
            }
        }
        text
    }

    #[test]
    fn for_the_file_it_goes_below_what_must_be_first() {
        for (language, text, expected) in [
            (
                Language::JavaScript,
                "\u{feff}foo();\n",
                "\u{feff}// asd:ignore-file a, b\nfoo();\n",
            ),
            (
                Language::Bash,
                "#!/bin/sh\r\nfoo\r\n",
                "#!/bin/sh\r\n# asd:ignore-file a, b\r\nfoo\r\n",
            ),
            (
                Language::Python,
                "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nfoo\n",
                "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# asd:ignore-file a, b\nfoo\n",
            ),
            (
                Language::Html,
                "<!DOCTYPE html>\n<p>",
                "<!DOCTYPE html>\n<!-- asd:ignore-file a, b -->\n<p>",
            ),
            (
                Language::Markdown,
                "---\ntitle: a\n---\n# T\n",
                "---\ntitle: a\n---\n<!-- asd:ignore-file a, b -->\n# T\n",
            ),
            (
                Language::Bash,
                "#!/bin/sh",
                "#!/bin/sh\n# asd:ignore-file a, b\n",
            ),
            (Language::Rust, "", "// asd:ignore-file a, b\n"),
        ] {
            assert_eq!(in_whole(language, text, &["a", "b", "a"]), expected);
        }
    }
}
