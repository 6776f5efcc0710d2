//! Sections that hold more than text: a code sample, steps, changes and
//! verification.

use super::{Info, Pieces};
use crate::markdown::{Fence, Heading, block_text, blocks};
use crate::{CodeChange, Step, Verification};

/// A code sample: what stands in the section's only fence, else the whole
/// section.
pub(super) fn read_pattern(raw: &str) -> Option<String> {
    let text = block_text(raw);
    match only_fence(&text) {
        Some(code) => Some(code),
        None => Some(text).filter(|text| !text.is_empty()),
    }
}

/// The code of `text` when it is one fence and nothing else.
fn only_fence(text: &str) -> Option<String> {
    let found = blocks(text, 0);
    match &found.fences[..] {
        [fence] if found.prose.is_empty() && fence.closed => Some(fence.text.clone()),
        _ => None,
    }
}

/// Where the text of an ordered list item begins in `line`, when it is one at
/// the left margin.
fn ordered_item(line: &str) -> Option<usize> {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &line[digits..];
    let after = rest.strip_prefix('.').or_else(|| rest.strip_prefix(')'))?;
    let blanks = after.len() - after.trim_start_matches(' ').len();
    ((1..=9).contains(&digits) && (blanks > 0 || after.is_empty()))
        .then_some(digits + 1 + blanks.min(4))
}

pub(super) fn read_steps(raw: &str) -> Vec<Step> {
    let raw = block_text(raw);
    let found = blocks(&raw, 0);
    let mut fences = found.fences.iter().map(|fence| fence.whole).peekable();
    let mut steps: Vec<Step> = Vec::new();
    let mut items: Vec<(String, Vec<String>)> = Vec::new();
    let mut column = 0;
    let mut at = 0;
    for line in raw.split('\n') {
        while fences.next_if(|span| span.end < at).is_some() {}
        let in_fence = fences.peek().is_some_and(|span| span.start < at);
        match ordered_item(line).filter(|_| !in_fence) {
            Some(start) => {
                column = start;
                items.push((line[start..].trim().to_owned(), Vec::new()));
            }
            None => {
                if let Some((_, lines)) = items.last_mut() {
                    let blanks = crate::lines::indent_of(line).min(column);
                    lines.push(line[blanks..].to_owned());
                }
            }
        }
        at += line.len() + 1;
    }
    for (title, lines) in items {
        let (description, code) = split_last_fence(&lines.join("\n"));
        steps.push(Step {
            title,
            description,
            code,
        });
    }
    steps
}

/// The text before the fence that ends `text`, and the code in it.
fn split_last_fence(text: &str) -> (String, String) {
    let text = block_text(text);
    let found = blocks(&text, 0);
    match found.fences.last() {
        Some(fence)
            if text[fence.whole.end..].trim().is_empty()
                && Info::of(fence.info.of(&text)).example.is_none() =>
        {
            (block_text(&text[..fence.whole.start]), fence.text.clone())
        }
        _ => (text, String::new()),
    }
}

/// Whether the last fence of `text` would be taken for the code of a step.
pub(crate) fn ends_with_code(text: &str) -> bool {
    blocks(text, 0).fences.last().is_some_and(|fence| {
        text[fence.whole.end..].trim().is_empty() && Info::of(fence.info.of(text)).example.is_none()
    })
}

/// The parts of `text` under its `###` headings, the text before them first.
fn subsections(text: &str) -> (String, Vec<(String, String)>) {
    let found = blocks(text, 0);
    let starts: Vec<&Heading> = found.headings.iter().filter(|h| h.level == 3).collect();
    let lead = &text[..starts.first().map_or(text.len(), |h| h.line.start)];
    let parts = starts
        .iter()
        .enumerate()
        .map(|(index, heading)| {
            let end = starts.get(index + 1).map_or(text.len(), |h| h.line.start);
            (
                heading.title.of(text).to_owned(),
                text[heading.next.min(end)..end].to_owned(),
            )
        })
        .collect();
    (lead.to_owned(), parts)
}

pub(super) fn read_changes(raw: &str) -> Vec<CodeChange> {
    let (_, parts) = subsections(raw);
    parts
        .into_iter()
        .map(|(title, text)| {
            let mut change = CodeChange {
                file: title.trim_matches('`').to_owned(),
                ..CodeChange::default()
            };
            let mut prose = Pieces::default();
            let mut from = 0;
            let mut before = None;
            let mut after = None;
            let found = blocks(&text, 0);
            let says = |fence: &Fence, word: &str| {
                fence.info.of(&text).split_whitespace().any(|w| w == word)
            };
            // Without the words, the first two fences are before and after.
            let worded = found
                .fences
                .iter()
                .any(|fence| says(fence, "before") || says(fence, "after"));
            for fence in &found.fences {
                let is_before = says(fence, "before") || (!worded && before.is_none());
                let is_after = says(fence, "after") || (!worded && !is_before);
                let slot = match (is_before, is_after) {
                    (true, _) => &mut before,
                    (_, true) => &mut after,
                    _ => continue,
                };
                if slot.is_none() {
                    *slot = Some(fence.text.clone());
                    prose.push(&text[from..fence.whole.start]);
                    from = fence.whole.end;
                }
            }
            prose.push(&text[from..]);
            change.before = before.unwrap_or_default();
            change.after = after.unwrap_or_default();
            change.explanation = prose.0.join("\n\n");
            change
        })
        .collect()
}

pub(super) fn read_verification(raw: &str) -> Option<Verification> {
    let (lead, parts) = subsections(raw);
    let mut verification = Verification::default();
    let mut method = Pieces::default();
    method.push(&lead);
    for (title, text) in parts {
        match title.to_lowercase().as_str() {
            "expected" | "expected result" => verification.expected_result = block_text(&text),
            "test" | "test code" => {
                let (rest, code) = split_last_fence(&text);
                verification.test_code = if code.is_empty() { rest } else { code };
            }
            _ => method.push(&format!("### {title}\n{text}")),
        }
    }
    verification.method = method.0.join("\n\n");
    (verification != Verification::default()).then_some(verification)
}
