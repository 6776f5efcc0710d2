use std::collections::BTreeSet;

use asd_text::{Span, TextEdit};
use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use super::fields::{Known, Reader};
use crate::keys::{
    AST_QUERIES, AST_QUERY, FIX, FIX_KINDS, GUARD, GUARD_TYPES, MATCH_IN, SEVERITIES,
};
use crate::suggest::nearest;
use crate::yaml::{Entry, Node, Style, Value, quoted_scalar};
use crate::{
    AstGuard, FixKind, FixTemplate, Guard, GuardKind, GuardSpans, MatchIn, ProblemCode, QuickFix,
    Recipe, Severity, canonical_language, is_known_language, known_languages,
};

/// What guards take from their recipe when they do not state it themselves.
pub(crate) struct GuardDefaults {
    stem: String,
    message: String,
    fix_suggestion: String,
    languages: Vec<String>,
}

impl GuardDefaults {
    pub(crate) fn of(recipe: &Recipe) -> Self {
        Self {
            stem: recipe.trigger.trim_start_matches('@').to_owned(),
            message: if recipe.description.is_empty() {
                recipe.title.clone()
            } else {
                recipe.description.clone()
            },
            fix_suggestion: recipe.do_clause.clone(),
            languages: languages([recipe.language.as_str()]),
        }
    }

    /// The id of the guard at `index` of `count`.
    pub(crate) fn id(&self, index: usize, count: usize) -> String {
        if count > 1 {
            format!("{}-{}", self.stem, index + 1)
        } else {
            self.stem.clone()
        }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn fix_suggestion(&self) -> &str {
        &self.fix_suggestion
    }

    pub(crate) fn languages(&self) -> &[String] {
        &self.languages
    }
}

/// Language ids in canonical form; none when `all` is among the names.
fn languages<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut result: Vec<String> = Vec::new();
    for name in names {
        let name = name.trim();
        if name.eq_ignore_ascii_case("all") {
            return Vec::new();
        }
        let id = canonical_language(name).unwrap_or(name);
        if !id.is_empty() && !result.iter().any(|known| known == id) {
            result.push(id.to_owned());
        }
    }
    result
}

/// Whether a pattern reaches beyond a line by itself.
pub(crate) fn spans_lines(pattern: &str) -> bool {
    pattern.contains('\n') || pattern.contains("\\n")
}

/// The items of a guard list. One guard that is not in a list is taken, with a
/// warning.
pub(super) fn items<'n>(reader: &mut Reader<'_>, entry: &'n Entry) -> Vec<&'n Node> {
    match &entry.value.value {
        Value::Seq(items) => items.iter().collect(),
        Value::Map(_) => {
            if entry.key != "guard" {
                reader.warning(
                    entry.key_span,
                    ProblemCode::WrongType,
                    format!(
                        "`{}` must be a list. Put `- ` in front of the guard.",
                        entry.key
                    ),
                );
            }
            vec![&entry.value]
        }
        Value::Scalar(_) if entry.value.is_null() => Vec::new(),
        Value::Scalar(_) => vec![&entry.value],
    }
}

/// Reads the guards of a recipe whose other fields are already read.
pub(super) fn read(reader: &mut Reader<'_>, items: &[&Node], recipe: &Recipe) -> Vec<Guard> {
    let defaults = GuardDefaults::of(recipe);
    let mut ids = BTreeSet::new();
    let mut guards = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let id = defaults.id(index, items.len());
        let Some((guard, id_span)) = guard(reader, item, id, &defaults) else {
            continue;
        };
        if ids.insert(guard.id.clone()) {
            guards.push(guard);
        } else {
            let message = format!(
                "Another guard of this recipe has the id `{}`. Give each its own.",
                guard.id
            );
            reader.error(id_span, ProblemCode::DuplicateId, message);
        }
    }
    guards
}

fn guard(
    reader: &mut Reader<'_>,
    item: &Node,
    default_id: String,
    defaults: &GuardDefaults,
) -> Option<(Guard, Span)> {
    let Value::Map(entries) = &item.value else {
        bare_pattern(reader, item);
        return None;
    };
    let (known, extra) = reader.sort(entries, GUARD, "of a guard");
    let anchor = entries.first().map_or(item.span, |entry| entry.key_span);
    let mut spans = GuardSpans {
        whole: item.span,
        ..GuardSpans::default()
    };
    let kind = kind(reader, &known, anchor, &mut spans);
    let (id, id_span) = match known.get("id").and_then(|e| Some((reader.line(e)?, e))) {
        Some((id, entry)) => {
            if id.contains(|c: char| c.is_whitespace() || c == ',') {
                reader.warning(
                    entry.value.span,
                    ProblemCode::InvalidValue,
                    "A guard id must have no blanks and no commas, or suppression comments cannot name it.",
                );
            }
            (id, entry.value.span)
        }
        None => (default_id, anchor),
    };
    let severity = known
        .get("severity")
        .and_then(|entry| {
            spans.severity = Some(entry.value.span).filter(|span| !span.is_empty());
            reader.one_of(entry, SEVERITIES, Severity::Warning)
        })
        .and_then(Severity::from_name)
        .unwrap_or_default();
    let message = known.get("message").and_then(|e| reader.line(e));
    let fix_suggestion = known.get("fixSuggestion").and_then(|e| reader.line(e));
    let fix = known.get("fix").and_then(|entry| {
        spans.fix = Some(entry.value.span).filter(|span| !span.is_empty());
        fix(reader, entry)
    });
    let languages = match known.get("languages") {
        Some(entry) if !entry.value.is_null() => guard_languages(reader, entry),
        _ => defaults.languages.clone(),
    };
    let mut list = |name: &str| {
        known
            .get(name)
            .map(|entry| reader.strings(entry))
            .unwrap_or_default()
    };
    let guard = Guard {
        id,
        include_paths: list("includePaths"),
        exclude_paths: list("excludePaths"),
        exclude_line: list("excludeLine"),
        positive_examples: list("positiveExamples"),
        negative_examples: list("negativeExamples"),
        kind: kind?,
        message: message.unwrap_or_else(|| defaults.message.clone()),
        severity,
        fix_suggestion: fix_suggestion.unwrap_or_else(|| defaults.fix_suggestion.clone()),
        fix,
        languages,
        extra,
        spans,
    };
    Some((guard, id_span))
}

/// A list item that is a text alone is probably meant as a pattern.
fn bare_pattern(reader: &mut Reader<'_>, item: &Node) {
    let edit = match &item.value {
        Value::Scalar(scalar) => reader.replace_scalar(item, &scalar.text).map(|edit| {
            TextEdit::replace(
                edit.span,
                format!("pattern: {}", quoted_scalar(&scalar.text)),
            )
        }),
        Value::Seq(_) | Value::Map(_) => None,
    };
    let message = format!(
        "A guard must be a mapping with `pattern`, `ast`, `rule` or `astQuery`, but this is {}.",
        item.type_name()
    );
    reader.error(item.span, ProblemCode::WrongType, message).fix = edit.map(|edit| QuickFix {
        title: "Make it a `pattern`".into(),
        edits: vec![edit],
    });
}

/// The ways to say what is looked for, in the order in which the first counts.
const WAYS: &[&str] = &["pattern", "ast", "rule", "astQuery"];

fn kind(
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

fn guard_languages(reader: &mut Reader<'_>, entry: &Entry) -> Vec<String> {
    // A single language needs no brackets.
    let names = match &entry.value.value {
        Value::Scalar(_) => reader
            .line(entry)
            .map(|name| vec![(name, &entry.value)])
            .unwrap_or_default(),
        Value::Seq(_) | Value::Map(_) => reader.texts(entry),
    };
    for (name, node) in &names {
        unknown_language(reader, name, node, "languages");
    }
    languages(names.iter().map(|(name, _)| name.as_str()))
}

/// Reports a language that no rule can apply to.
pub(super) fn unknown_language(reader: &mut Reader<'_>, name: &str, node: &Node, key: &str) {
    if is_known_language(name) {
        return;
    }
    let suggestion = nearest(name, known_languages());
    let edit = suggestion.and_then(|id| reader.replace_scalar(node, id));
    let hint = match suggestion {
        Some(id) => format!("Did you mean `{id}`?"),
        None => format!(
            "Known are all, {}.",
            known_languages().collect::<Vec<_>>().join(", ")
        ),
    };
    let message =
        format!("`{key}` names `{name}`, which is not a language that is checked. {hint}");
    reader
        .warning(node.span, ProblemCode::InvalidValue, message)
        .fix = suggestion.zip(edit).map(|(id, edit)| QuickFix {
        title: format!("Change to `{id}`"),
        edits: vec![edit],
    });
}

fn fix(reader: &mut Reader<'_>, entry: &Entry) -> Option<FixTemplate> {
    let Value::Map(entries) = &entry.value.value else {
        if entry.value.is_null() {
            return None;
        }
        // An empty replacement is a replacement too.
        let template = match &entry.value.value {
            Value::Scalar(scalar) if scalar.style == Style::Quoted && scalar.text.is_empty() => {
                String::new()
            }
            _ => reader.text(entry)?,
        };
        return Some(FixTemplate {
            template,
            ..FixTemplate::default()
        });
    };
    let (known, _): (Known<'_>, IndexMap<String, Json>) = reader.sort(entries, FIX, "of `fix`");
    let kind = known
        .get("kind")
        .and_then(|e| reader.one_of(e, FIX_KINDS, Severity::Warning))
        .and_then(FixKind::from_name)
        .unwrap_or_default();
    let template = known.get("template").and_then(|e| match &e.value.value {
        Value::Scalar(scalar) if scalar.style == Style::Quoted => Some(scalar.text.clone()),
        _ => reader.text(e),
    });
    let safe = known.get("safe").and_then(|e| reader.bool(e));
    if template.is_none() && kind != FixKind::Remove {
        reader.warning(
            entry.key_span,
            ProblemCode::Guard,
            "This fix has no `template`, so it is not offered. Use `kind: remove` to remove the match.",
        );
        return None;
    }
    Some(FixTemplate {
        kind,
        template: template.unwrap_or_default(),
        safe: safe.unwrap_or(false),
    })
}
