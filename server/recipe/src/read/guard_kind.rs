use asd_text::Span;
use serde_json::json;

use super::fields::{Known, Reader};
use super::guards::spans_lines;
use crate::keys::{AST_QUERIES, AST_QUERY, GUARD_TYPES, MATCH_IN};
use crate::suggest::nearest;
use crate::yaml::{Entry, Node, Style, Value};
use crate::{AstGuard, GuardKind, GuardSpans, MatchIn, ProblemCode, QuickFix, Severity};

/// The ways to say what is looked for, in the order in which the first counts.
const WAYS: &[&str] = &["pattern", "ast", "rule", "astQuery"];

/// Reads what a guard looks for; `None`, with an error, when that is not clear.
pub(super) fn read(
    reader: &mut Reader<'_>,
    known: &Known<'_>,
    anchor: Span,
    spans: &mut GuardSpans,
) -> Option<GuardKind> {
    let stated = known
        .get("type")
        .and_then(|entry| reader.one_of(entry, GUARD_TYPES, Severity::Warning));
    let ways: Vec<(&str, &Entry)> = WAYS
        .iter()
        .filter_map(|way| Some((*way, known.get(way)?)))
        .filter(|(_, entry)| !entry.value.is_null())
        .collect();
    let [(way, entry)] = ways[..] else {
        let (span, message) = match ways.get(1) {
            None => (
                anchor,
                "This guard has nothing to match. Give it a `pattern` (a regular expression) or an `ast` (a code pattern).".to_owned(),
            ),
            Some((second, entry)) => (
                entry.key_span,
                format!(
                    "This guard has two ways to match, `{}` and `{second}`. Make two guards of it, or remove one.",
                    ways[0].0
                ),
            ),
        };
        reader.error(span, ProblemCode::Guard, message);
        return None;
    };
    spans.pattern = entry.value.span;
    spans.pattern_text = pattern_text(reader.text, &entry.value);
    let (wanted, other) = if way == "pattern" {
        ("regex", "ast")
    } else {
        ("ast", "regex")
    };
    if stated == Some(other)
        && let Some(type_entry) = known.get("type")
    {
        let edit = reader.replace_scalar(&type_entry.value, wanted);
        let span = type_entry.value.span;
        let problem = if way == "pattern" {
            reader.error(
                span,
                ProblemCode::Guard,
                "A guard of type `ast` needs `ast`, `rule` or `astQuery`; a `pattern` is a regular expression. Change the type or the key.",
            )
        } else {
            let message = format!("`{way}` is matched on the syntax tree, so the type is `ast`.");
            reader.warning(span, ProblemCode::Guard, message)
        };
        problem.fix = edit.map(|edit| QuickFix {
            title: format!("Change to `{wanted}`"),
            edits: vec![edit],
        });
        if way == "pattern" {
            return None;
        }
    }
    if way == "pattern" {
        return regex(reader, known, entry);
    }
    for name in ["flags", "matchIn", "multiline"] {
        if let Some(entry) = known.get(name) {
            let message = format!("`{name}` has no effect here: it belongs to a `pattern`.");
            reader.problem(entry.key_span, Severity::Info, ProblemCode::Guard, message);
        }
    }
    ast(reader, known, way, entry).map(GuardKind::Ast)
}

/// Where the first character of a one-line scalar stands, when the file shows
/// the text as it is.
fn pattern_text(text: &str, node: &Node) -> Option<usize> {
    let Value::Scalar(scalar) = &node.value else {
        return None;
    };
    let written = node.span.of(text);
    let shown = scalar.text.trim_end_matches('\n');
    match scalar.style {
        Style::Plain => (written == shown).then_some(node.span.start),
        Style::Quoted => {
            let inner = written.get(1..written.len().saturating_sub(1))?;
            if inner == shown && written.starts_with(['"', '\'']) {
                Some(node.span.start + 1)
            } else {
                // A value that was read although its quotes are missing.
                (written == shown).then_some(node.span.start)
            }
        }
        Style::Block => {
            let one_line = !shown.contains('\n') && !shown.is_empty();
            (one_line && written.ends_with(shown)).then(|| node.span.end - shown.len())
        }
    }
}

fn regex(reader: &mut Reader<'_>, known: &Known<'_>, entry: &Entry) -> Option<GuardKind> {
    const MAX_PATTERN: usize = 10_240;
    let pattern = pattern_of(reader, entry)?;
    if pattern.len() > MAX_PATTERN {
        reader.error(
            entry.value.span,
            ProblemCode::Guard,
            "This pattern is longer than 10 KB. Make several guards of it.",
        );
        return None;
    }
    let flags = known.get("flags").and_then(|e| flags(reader, e));
    let match_in = known
        .get("matchIn")
        .and_then(|e| reader.one_of(e, MATCH_IN, Severity::Warning))
        .and_then(MatchIn::from_name);
    let multiline = known.get("multiline").and_then(|e| reader.bool(e));
    for name in ["constraints", "utils"] {
        if let Some(entry) = known.get(name) {
            let message = format!("`{name}` has no effect here: it belongs to `ast` or `rule`.");
            reader.problem(entry.key_span, Severity::Info, ProblemCode::Guard, message);
        }
    }
    Some(GuardKind::Regex {
        multiline: multiline.unwrap_or(false) || spans_lines(&pattern),
        pattern,
        flags: flags.unwrap_or_default(),
        match_in: match_in.unwrap_or_default(),
    })
}

fn pattern_of(reader: &mut Reader<'_>, entry: &Entry) -> Option<String> {
    let text = reader.text(entry);
    if text.is_none() && !matches!(entry.value.value, Value::Seq(_) | Value::Map(_)) {
        let span = if entry.value.span.is_empty() {
            entry.key_span
        } else {
            entry.value.span
        };
        let message = format!(
            "`{}` is empty, so this guard has nothing to match.",
            entry.key
        );
        reader.error(span, ProblemCode::Guard, message);
    } else if text.is_none()
        && let Some(problem) = reader.problems.last_mut()
    {
        // Without its pattern the guard is not in force.
        problem.severity = Severity::Error;
    }
    text
}

fn flags(reader: &mut Reader<'_>, entry: &Entry) -> Option<String> {
    let written = reader.line(entry)?;
    let mut kept = String::new();
    for c in written.chars() {
        if "imsxu".contains(c) && !kept.contains(c) {
            kept.push(c);
        }
    }
    if written.chars().any(|c| !"imsxu".contains(c)) {
        let edit = reader.replace_scalar(&entry.value, &kept);
        reader
            .warning(
                entry.value.span,
                ProblemCode::InvalidValue,
                format!("`flags` cannot be `{written}`. It takes the letters i, m, s, x and u."),
            )
            .fix = edit.map(|edit| QuickFix {
            title: format!("Change to `{kept}`"),
            edits: vec![edit],
        });
    }
    Some(kept)
}

fn ast(reader: &mut Reader<'_>, known: &Known<'_>, way: &str, entry: &Entry) -> Option<AstGuard> {
    let mut object = |name: &str| {
        let entry = known.get(name)?;
        (!reader.map(entry).is_empty()).then(|| entry.value.to_json())
    };
    let constraints = object("constraints");
    let utils = object("utils");
    match way {
        "ast" => {
            let pattern = pattern_of(reader, entry)?;
            if constraints.is_none() && utils.is_none() {
                return Some(AstGuard::Pattern { pattern });
            }
            Some(AstGuard::Rule {
                rule: json!({ "pattern": pattern }),
                constraints,
                utils,
            })
        }
        "rule" => {
            if entry.value.entries().is_none_or(<[Entry]>::is_empty) {
                let span = if entry.value.span.is_empty() {
                    entry.key_span
                } else {
                    entry.value.span
                };
                reader.error(
                    span,
                    ProblemCode::Guard,
                    "`rule` must be an ast-grep rule object, for example `pattern: …` or `kind: …` on lines of its own.",
                );
                return None;
            }
            Some(AstGuard::Rule {
                rule: entry.value.to_json(),
                constraints,
                utils,
            })
        }
        _ => query(reader, entry),
    }
}

fn query(reader: &mut Reader<'_>, entry: &Entry) -> Option<AstGuard> {
    let entries = reader.map(entry);
    let (known, _) = reader.sort(entries, AST_QUERY, "of `astQuery`");
    let kind = match known.get("type") {
        Some(entry) => reader.one_of(entry, AST_QUERIES, Severity::Error)?,
        None => {
            let list = AST_QUERIES.join("`, `");
            let message = format!("`astQuery` needs a `type`: `{list}`.");
            reader.error(entry.key_span, ProblemCode::Guard, message);
            return None;
        }
    };
    let mut param = |name: &str| -> Option<String> {
        let value = known.get(name).and_then(|entry| reader.text(entry));
        if value.is_none() {
            let message = format!("`{kind}` needs `{name}`.");
            reader.error(entry.key_span, ProblemCode::Guard, message);
        }
        value
    };
    Some(match kind {
        "mustCallThrough" => {
            let (target, wrapper) = (param("targetAPI"), param("wrapperClass"));
            AstGuard::MustCallThrough {
                target_api: target?,
                wrapper_class: wrapper?,
            }
        }
        "mustNotUseInContext" => {
            let (pattern, context) = (param("pattern"), param("forbiddenContext"));
            if let (Some(context), Some(entry)) = (&context, known.get("forbiddenContext")) {
                forbidden_context(reader, context, entry)?;
            }
            AstGuard::MustNotUseInContext {
                pattern: pattern?,
                forbidden_context: context?,
            }
        }
        "mustConformToProtocol" => {
            let (class, protocol) = (param("className"), param("protocolName"));
            AstGuard::MustConformToProtocol {
                class_name: class?,
                protocol_name: protocol?,
            }
        }
        _ => {
            let query = param("query");
            let capture = known.get("capture").and_then(|entry| reader.line(entry));
            AstGuard::Query {
                query: query?,
                capture: capture
                    .map(|name| name.trim_start_matches('@').to_owned())
                    .filter(|name| !name.is_empty()),
            }
        }
    })
}

fn forbidden_context(reader: &mut Reader<'_>, context: &str, entry: &Entry) -> Option<()> {
    const NAMES: &[&str] = &["async", "loop", "constructor", "destructor", "test"];
    let glob = context
        .strip_prefix("class:")
        .or_else(|| context.strip_prefix("function:"));
    if NAMES.contains(&context) || glob.is_some_and(|glob| !glob.trim().is_empty()) {
        return Some(());
    }
    let suggestion = nearest(context, NAMES.iter().copied());
    let edit = suggestion.and_then(|name| reader.replace_scalar(&entry.value, name));
    let message = format!(
        "`forbiddenContext` cannot be `{context}`. Use `async`, `loop`, `constructor`, `destructor`, `test`, `class:<glob>` or `function:<glob>`."
    );
    reader
        .error(entry.value.span, ProblemCode::InvalidValue, message)
        .fix = suggestion.zip(edit).map(|(name, edit)| QuickFix {
        title: format!("Change to `{name}`"),
        edits: vec![edit],
    });
    None
}
