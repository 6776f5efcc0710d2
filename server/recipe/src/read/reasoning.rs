use asd_text::Span;
use indexmap::IndexMap;
use serde_json::Value as Json;

use super::fields::Reader;
use crate::keys::REASONING;
use crate::yaml::{Entry, Node};
use crate::{ProblemCode, QuickFix, Reasoning, SourceRef};

/// Reads `reasoning`.
pub(super) fn read(reader: &mut Reader<'_>, entry: &Entry) -> Reasoning {
    let entries = reader.map(entry);
    let (known, extra) = reader.sort(entries, REASONING, "of `reasoning`");
    let mut reasoning = Reasoning {
        extra,
        ..Reasoning::default()
    };
    reasoning.why_standard = known
        .get("whyStandard")
        .and_then(|e| reader.line(e))
        .unwrap_or_default();
    if let Some(entry) = known.get("sources") {
        for (text, node) in reader.texts(entry) {
            reasoning.sources.extend(source(reader, &text, node));
        }
    }
    reasoning.confidence = known
        .get("confidence")
        .and_then(|e| Some((reader.number(e)?, e)))
        .and_then(|(value, entry)| {
            if (0.0..=1.0).contains(&value) {
                return Some(value);
            }
            reader.warning(
                entry.value.span,
                ProblemCode::InvalidValue,
                format!("`confidence` must lie between 0 and 1, not {value}."),
            );
            None
        });
    if let Some(entry) = known.get("qualitySignals") {
        reasoning.quality_signals = json_map(reader.map(entry));
    }
    reasoning.alternatives = known
        .get("alternatives")
        .map(|e| reader.strings(e))
        .unwrap_or_default();
    reasoning
}

fn json_map(entries: &[Entry]) -> IndexMap<String, Json> {
    entries
        .iter()
        .map(|entry| (entry.key.clone(), entry.value.to_json()))
        .collect()
}

fn source(reader: &mut Reader<'_>, text: &str, node: &Node) -> Option<SourceRef> {
    let source = SourceRef {
        span: inner_span(reader.text, node),
        ..SourceRef::parse(text)
    };
    if !source.stays_inside() {
        reader.error(
            node.span,
            ProblemCode::Hostile,
            format!("The source `{text}` leads out of the project. Name a path below the project's root, with `/`."),
        );
        return None;
    }
    if text.contains('\\') {
        let canonical = source.to_string();
        let edit = reader.replace_scalar(node, &canonical);
        reader
            .warning(
                node.span,
                ProblemCode::InvalidValue,
                "Write paths with `/`, so that they work on every system.",
            )
            .fix = edit.map(|edit| QuickFix {
            title: format!("Change to `{canonical}`"),
            edits: vec![edit],
        });
    }
    Some(source)
}

/// The span of a scalar without its quotes.
pub(super) fn inner_span(text: &str, node: &Node) -> Span {
    let written = node.span.of(text);
    let quoted = written.len() >= 2
        && ["\"", "'"]
            .iter()
            .any(|quote| written.starts_with(quote) && written.ends_with(quote));
    if quoted {
        Span::new(node.span.start + 1, node.span.end - 1)
    } else {
        node.span
    }
}
