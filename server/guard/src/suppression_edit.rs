//! Writing suppression comments. (editor.md §3)

use asd_syntax::{Language, Node};
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
    let content = line.of(text);
    let bare = content.trim_start_matches(['\u{feff}', ' ', '\t']);
    let first = line.end - bare.len();
    if can_go_above(part, line, first) {
        let form = form_at(part, first)?;
        let indentation = content[..content.len() - bare.len()].trim_start_matches('\u{feff}');
        let number = part.lines().line_of(at);
        let ending = part.lines().line_ending(text, number).as_str();
        let comment = form.write(&format!("{} {rule_id}", suppress::MARK));
        return Some(TextEdit::insert(
            first - indentation.len(),
            format!("{indentation}{comment}{ending}"),
        ));
    }
    // Inside a literal over several lines only the end of its last line is
    // code again.
    let is_code = part
        .mask()
        .at(line.end)
        .is_none_or(|span| span.span.start >= line.end)
        && (line.end == text.len() || part.mask().at(line.end).is_none());
    if !is_code || content.ends_with('\\') || content.starts_with("#!") {
        return None;
    }
    let form = form_at(part, line.end)?;
    let comment = form.write(&format!("{} {rule_id}", suppress::MARK));
    Some(TextEdit::insert(line.end, format!(" {comment}")))
}

/// Whether a line of its own in front of `line` would be a comment there and
/// change nothing.
fn can_go_above(part: &Part<'_>, line: Span, first: usize) -> bool {
    let text = part.text;
    let inside = part
        .mask()
        .at(line.start)
        .is_some_and(|span| span.span.start < line.start);
    let continued = line.start > 0 && {
        let before = Line::around(text, line.start - 1).content;
        before.of(text).ends_with('\\')
    };
    let prolog = ["#!", "<?xml", "<!DOCTYPE", "<!doctype"]
        .iter()
        .any(|start| text[first..].starts_with(start))
        && line.start == 0;
    !inside && !continued && !prolog
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
    let form = Form::of(part.language)?;
    let at = below_what_must_be_first(part.language, text);
    if !suppress::is_at_the_top(text, at) {
        return None;
    }
    let ending = part.lines().line_ending(text, 0).as_str();
    let comment = form.write(&format!("{} {rule_id}", suppress::FILE_MARK));
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

/// How a comment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Line(&'static str),
    Block(&'static str, &'static str),
    /// Between the children of an element in JSX.
    JsxChild,
}

impl Form {
    fn of(language: Language) -> Option<Self> {
        let comments = language.comments();
        let block = comments.block.map(|(start, end)| Self::Block(start, end));
        comments.line.map(Self::Line).or(block)
    }

    fn write(self, text: &str) -> String {
        match self {
            Self::Line(start) => format!("{start} {text}"),
            Self::Block(start, end) => format!("{start} {text} {end}"),
            Self::JsxChild => format!("{{/* {text} */}}"),
        }
    }
}

/// The form that is a comment at `at`; `None` where none can stand.
fn form_at(part: &Part<'_>, at: usize) -> Option<Form> {
    match part.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let tree = asd_syntax::parse(part.language, part.text, None)?;
            let form = if is_jsx_child(tree.root_node(), at) {
                Form::JsxChild
            } else {
                Form::Line("//")
            };
            Some(form)
        }
        Language::Html | Language::Vue | Language::Svelte if is_in_tag(part.text, at) => None,
        language => Form::of(language),
    }
}

/// Whether text written at `at` would stand between the children of an element.
fn is_jsx_child(root: Node<'_>, at: usize) -> bool {
    let Some(mut node) = root.descendant_for_byte_range(at, at) else {
        return false;
    };
    while node.start_byte() == at {
        match node.parent() {
            Some(parent) => node = parent,
            None => return false,
        }
    }
    matches!(node.kind(), "jsx_text" | "jsx_element" | "jsx_fragment")
}

/// Whether `at` is between `<` and `>` of a tag, where no comment can stand.
fn is_in_tag(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let open = before.rfind('<');
    let close = before.rfind('>');
    open > close
        && open.is_some_and(|open| {
            before[open + 1..].starts_with(|c: char| c.is_alphabetic() || c == '/')
        })
}
