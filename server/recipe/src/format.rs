//! The layout of a recipe file, as far as it can be tidied without a change of
//! meaning.

use asd_text::{LineEnding, Span, TextEdit, apply_edits, with_line_ending};

use crate::body::Part;
use crate::front_matter::{FrontMatter, bom_len, find};
use crate::hash::content_hash;
use crate::hostile::refusal;
use crate::lines::{line_ending, lines_from};
use crate::markdown::{block_text, blocks};
use crate::yaml::{Node, Style, Value, load_lenient, scalar};
use crate::{Home, ProblemCode, parse};

/// Tidies a recipe file. (`asd recipe fmt`)
///
/// What it does: puts values in quotes that YAML would misread (`trigger:
/// @name`, `title: 404`), takes blanks away from the ends of lines outside of
/// code (not the two that break a line of Markdown), puts one blank line
/// between sections and behind the headings that the format knows, ends the
/// file with one line ending, gives every line the line ending of the first,
/// and brings a `hash` that is there up to date.
///
/// What it does not do: change the order of keys, comments, code, or anything
/// that a reader of the file would take in another way. A file that it cannot
/// read comes back as it is. Formatting twice is the same as formatting once.
#[must_use]
pub fn format(text: &str) -> String {
    let Some(text) = readable(text).and_then(|_| quoted(text)) else {
        return text.to_owned();
    };
    let Some(front) = readable(&text) else {
        return text;
    };
    let ending = line_ending(&text);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..bom_len(&text)]);
    out.push_str("---\n");
    out.push_str(&front_matter(&text, &front));
    out.push_str("---\n");
    let body = body(&text[front.body..]);
    if !body.is_empty() {
        out.push('\n');
        out.push_str(&body);
    }
    let out = with_line_ending(&out, ending).into_owned();
    with_fresh_hash(out)
}

/// The front matter of a file that may be formatted.
fn readable(text: &str) -> Option<FrontMatter> {
    if refusal(text).is_some() {
        return None;
    }
    let front = find(text)?;
    front.closing?;
    load_lenient(front.content.of(text), 0).ok()?;
    Some(front)
}

/// Puts values in quotes whose meaning is certain.
fn quoted(text: &str) -> Option<String> {
    let mut types = Vec::new();
    let mut broken = Vec::new();
    for problem in parse(text, Home::Recipes).problems {
        let written = problem.span.of(text);
        let fix = problem.fix.filter(|fix| fix.title == QUOTE);
        let edits = fix.map(|fix| fix.edits).unwrap_or_default();
        match problem.code {
            ProblemCode::WrongType => types.extend(edits),
            // A list or a quote that is not closed may still be typed.
            ProblemCode::FrontMatter if !written.starts_with(MAY_BE_OPEN) => broken.extend(edits),
            _ => {}
        }
    }
    let with_types = apply_edits(text, &types).ok()?;
    if broken.is_empty() {
        return Some(with_types);
    }
    // Only if quotes are what was missing.
    let count = broken_entries(text)? - broken.len();
    let all: Vec<TextEdit> = types.into_iter().chain(broken).collect();
    apply_edits(text, &all)
        .ok()
        .filter(|quoted| broken_entries(quoted) == Some(count))
        .or(Some(with_types))
}

/// What a value may begin with that is more than text.
const MAY_BE_OPEN: &[char] = &['[', '{', ']', '}', '"', '\'', '|', '>', '&', '*', '!', '`'];

fn broken_entries(text: &str) -> Option<usize> {
    let front = find(text)?;
    let loaded = load_lenient(front.content.of(text), 0).ok()?;
    Some(loaded.broken.len())
}

/// The title of the fix that puts a value in quotes.
pub(crate) const QUOTE: &str = "Put it in quotes";

/// The lines of the front matter without blanks at their ends, except where
/// these belong to a value of several lines.
fn front_matter(text: &str, front: &FrontMatter) -> String {
    let mut untouched = Vec::new();
    match load_lenient(front.content.of(text), front.content.start) {
        Ok(loaded) if loaded.broken.is_empty() => long_scalars(text, &loaded.root, &mut untouched),
        // The blanks in a value that is not YAML are nobody's to judge.
        _ => untouched.push(front.content),
    }
    let mut out = String::new();
    let mut after_value = false;
    for line in lines_from(&text[..front.content.end], front.content.start) {
        let in_value = untouched
            .iter()
            .any(|span| span.intersects(line.whole) && !line.whole.is_empty());
        // Blank lines behind a value of several lines may be its end.
        let keep = in_value || (after_value && line.is_blank(text));
        let content = line.text(text);
        out.push_str(if keep {
            content
        } else {
            content.trim_end_matches([' ', '\t'])
        });
        out.push('\n');
        after_value = keep;
    }
    out
}

fn long_scalars(text: &str, node: &Node, spans: &mut Vec<Span>) {
    match &node.value {
        Value::Scalar(found) => {
            if found.style == Style::Block || node.span.of(text).contains(['\n', '\r']) {
                spans.push(node.span);
            }
        }
        Value::Seq(items) => items
            .iter()
            .for_each(|item| long_scalars(text, item, spans)),
        Value::Map(entries) => entries
            .iter()
            .for_each(|entry| long_scalars(text, &entry.value, spans)),
    }
}

fn body(raw: &str) -> String {
    let text = with_line_ending(raw, LineEnding::Lf).into_owned();
    let found = blocks(&text, 0);
    if found.fences.iter().any(|fence| !fence.closed) {
        // Everything behind it is code.
        return text.trim_start_matches('\n').to_owned();
    }
    let sections: Vec<_> = found.headings.iter().filter(|h| h.level == 2).collect();
    let lead_end = sections.first().map_or(text.len(), |h| h.line.start);
    let mut parts = vec![block_text(&text[..lead_end])];
    for (index, heading) in sections.iter().enumerate() {
        let end = sections.get(index + 1).map_or(text.len(), |h| h.line.start);
        if Part::of(heading.title.of(&text)).is_none() {
            parts.push(block_text(&text[heading.line.start..end]));
            continue;
        }
        parts.push(heading.line.of(&text).trim_end().to_owned());
        parts.push(block_text(&text[heading.next.min(end)..end]));
    }
    parts.retain(|part| !part.is_empty());
    let mut out = parts.join("\n\n");
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

fn with_fresh_hash(text: String) -> String {
    let parsed = parse(&text, Home::Recipes);
    let Some(field) = parsed.fields.get("hash") else {
        return text;
    };
    let hash = content_hash(&text);
    let stated = parsed.recipe.and_then(|recipe| recipe.hash);
    if stated.as_deref() == Some(hash.as_str()) || field.value.of(&text).contains(['\n', '\r']) {
        return text;
    }
    let lead = if field.value.is_empty() { " " } else { "" };
    let edit = TextEdit::replace(field.value, format!("{lead}{}", scalar(&hash)));
    apply_edits(&text, &[edit]).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_tidied_without_a_change_of_meaning() {
        let text = "\r\n---  \r\ntitle: 404  # n  \r\ntrigger: @net\r\nmessage: |\r\n  a  \r\n   \r\ntags: [a,  b]  \r\n---\r\nlead  \r\nmore   \r\n\r\n\r\n##  Rationale\r\nwhy \r\n## Own\r\nx\r\n```\r\ncode  \r\n```\r\n\r\n\r\n";
        let expected = "---\ntitle: \"404\"  # n\ntrigger: \"@net\"\nmessage: |\n  a  \n   \ntags: [a,  b]\n---\n\nlead  \nmore\n\n##  Rationale\n\nwhy\n\n## Own\nx\n```\ncode  \n```\n";
        assert_eq!(format(text), expected.replace('\n', "\r\n"));
    }

    #[test]
    fn a_hash_is_brought_up_to_date() {
        let formatted = format("---\ntitle: T\nhash: old # h\n---\n");
        let hash = content_hash(&formatted);
        assert_eq!(
            formatted,
            format!("---\ntitle: T\nhash: {} # h\n---\n", scalar(&hash))
        );
    }

    #[test]
    fn what_cannot_be_read_stays_as_it_is() {
        for text in ["no recipe  \n", "---\ntitle: T  \n", "---\na: \0\n---\n"] {
            assert_eq!(format(text), text);
        }
        // A list that is being typed is no text.
        let open = "---\ntags: [a, b\n---\n";
        assert_eq!(format(open), open);
    }
}
