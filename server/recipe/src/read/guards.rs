use std::collections::BTreeSet;

use asd_text::{Span, TextEdit};
use indexmap::IndexMap;
use serde_json::Value as Json;

use super::fields::{Known, Reader};
use super::guard_kind;
use crate::keys::{FIX, FIX_KINDS, GUARD, SEVERITIES};
use crate::suggest::nearest;
use crate::yaml::{Entry, Node, Style, Value, quoted_scalar};
use crate::{
    FixKind, FixTemplate, Guard, GuardSpans, ProblemCode, QuickFix, Recipe, Severity,
    canonical_language, is_known_language, known_languages,
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
    let kind = guard_kind::read(reader, &known, anchor, &mut spans);
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
