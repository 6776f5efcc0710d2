//! Comments and attribute values of HTML, Vue and Svelte, and the comments of
//! Markdown. All other text is prose to them; scripts and styles are parts of
//! their own (see `regions`).

use asd_text::Span;

use super::{MaskKind, MaskSpan, lookback};
use crate::Language;
use crate::markup::{self, Part};
use crate::regions;

pub(super) fn lex(language: Language, text: &str) -> Vec<MaskSpan> {
    if language == Language::Markdown {
        markdown(text)
    } else {
        html(text.as_bytes())
    }
}

fn comment(span: Span) -> MaskSpan {
    MaskSpan {
        span,
        inner: span,
        kind: MaskKind::BlockComment,
    }
}

fn html(bytes: &[u8]) -> Vec<MaskSpan> {
    markup::parts(bytes)
        .into_iter()
        .filter_map(|part| match part {
            Part::Comment(span) => Some(comment(span)),
            Part::Value(span) => Some(MaskSpan {
                span,
                inner: Span::new(span.start + 1, span.end - 1),
                kind: MaskKind::String,
            }),
            Part::RawText { .. } => None,
        })
        .collect()
}

fn markdown(text: &str) -> Vec<MaskSpan> {
    let bytes = text.as_bytes();
    let fences = regions::fences(text);
    let mut fences = fences.iter().peekable();
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(length) = memchr::memchr2(b'<', b'`', &bytes[at..]) {
        at += length;
        while fences.next_if(|fence| fence.outer.end <= at).is_some() {}
        if let Some(fence) = fences.peek()
            && fence.outer.start <= at
        {
            at = fence.outer.end;
        } else if bytes[at] == b'`' {
            at = code_span_end(bytes, at);
        } else if bytes[at..].starts_with(b"<!--") {
            let end = markup::comment_end(bytes, at);
            spans.push(comment(Span::new(at, end)));
            at = end;
        } else {
            at += 1;
        }
    }
    spans
}

/// Where the code span at `at` ends on its line; after its marks when it does
/// not.
fn code_span_end(bytes: &[u8], at: usize) -> usize {
    let marks = bytes[at..].iter().take_while(|b| **b == b'`').count();
    let line = lookback::line_end(bytes, at);
    let mut from = at + marks;
    while let Some(length) = memchr::memchr(b'`', &bytes[from..line]) {
        let start = from + length;
        let run = bytes[start..].iter().take_while(|b| **b == b'`').count();
        from = start + run;
        if run == marks {
            return from;
        }
    }
    at + marks
}
