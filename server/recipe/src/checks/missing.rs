use asd_text::{Span, TextEdit};

use crate::front_matter::FrontMatter;
use crate::keys::{KeyInfo, TOP};
use crate::lines::line_ending;
use crate::read::Stated;
use crate::{ParsedRecipe, Problem, ProblemCode, QuickFix, Recipe, Severity};

/// Reports what is missing: an error for each field without which there is no
/// recipe, and one warning for all the others together.
pub(super) fn check(
    text: &str,
    front: &FrontMatter,
    recipe: &Recipe,
    stated: Stated,
    parsed: &mut ParsedRecipe,
) {
    let place = front.opening;
    for (name, blank, placeholder) in [
        ("trigger", recipe.trigger.is_empty(), "\"@my-trigger\""),
        ("title", recipe.title.is_empty(), "\"\""),
    ] {
        if !blank {
            continue;
        }
        let written = value_of(parsed, name);
        let problem = Problem {
            span: written.map_or(place, |(key, _)| key),
            severity: Severity::Error,
            code: ProblemCode::MissingField,
            message: format!("A recipe needs a `{name}`. {}", doc(name)),
            fix: written.is_none().then(|| QuickFix {
                title: format!("Add `{name}`"),
                edits: vec![insert(text, front, &[format!("{name}: {placeholder}")])],
            }),
        };
        parsed.problems.push(problem);
    }
    let fields = missing_fields(recipe, stated);
    let sections = missing_sections(recipe);
    if fields.is_empty() && sections.is_empty() {
        return;
    }
    let (expected, required): (Vec<&str>, Vec<&str>) = fields
        .iter()
        .copied()
        .partition(|name| matches!(*name, "dimensionId" | "topicHint"));
    let mut needs = Vec::new();
    if !required.is_empty() {
        needs.push(format!("the fields {}", list(&required, "")));
    }
    if !sections.is_empty() {
        needs.push(format!("the sections {}", list(&sections, "## ")));
    }
    let mut message = Vec::new();
    if !needs.is_empty() {
        message.push(format!(
            "To be complete, this recipe also needs {}.",
            needs.join(" and ")
        ));
    }
    if !expected.is_empty() {
        let subject = if needs.is_empty() {
            "This recipe"
        } else {
            "It"
        };
        message.push(format!(
            "{subject} should also have {}.",
            list(&expected, "")
        ));
    }
    // Fields that stand there without a value are to be filled, not added.
    let to_add: Vec<&str> = fields
        .iter()
        .copied()
        .filter(|field| value_of(parsed, field).is_none())
        .collect();
    let mut edits = Vec::new();
    if !to_add.is_empty() {
        edits.extend(add_fields(text, front, &to_add, parsed));
    }
    let new_sections: Vec<&str> = sections
        .iter()
        .copied()
        .filter(|name| !has_heading(parsed, name))
        .collect();
    if !new_sections.is_empty() {
        edits.push(add_sections(text, &new_sections));
    }
    parsed.problems.push(Problem {
        span: place,
        severity: Severity::Warning,
        code: ProblemCode::MissingField,
        message: message.join(" "),
        fix: (!edits.is_empty()).then(|| QuickFix {
            title: "Add what is missing".into(),
            edits,
        }),
    });
}

fn list(names: &[&str], prefix: &str) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("`{prefix}{name}`"))
        .collect();
    names.join(", ")
}

/// The spans of a field's key and value, when the file has the field.
fn value_of(parsed: &ParsedRecipe, name: &str) -> Option<(Span, Span)> {
    let (parent, name) = name.rsplit_once('.').unwrap_or(("", name));
    let table = crate::keys::keys_at(parent)?;
    let key = table.iter().find(|key| key.name == name)?;
    parsed.fields.iter().find_map(|(path, field)| {
        let (path_parent, written) = path.rsplit_once('.').unwrap_or(("", path));
        (path_parent == parent && key.is(written)).then_some((field.key, field.value))
    })
}

fn doc(name: &str) -> &'static str {
    TOP.iter()
        .find(|key| key.name == name)
        .map_or("", |key| key.doc)
}

/// The fields that publishing asks for and the recipe does not have.
fn missing_fields(recipe: &Recipe, stated: Stated) -> Vec<&'static str> {
    let has_kind =
        stated.kind.is_some() || stated.knowledge_type || !recipe.constraints.guards.is_empty();
    [
        ("kind", has_kind),
        (
            "knowledgeType",
            stated.knowledge_type || stated.kind.is_some(),
        ),
        ("language", !recipe.language.is_empty()),
        ("category", !recipe.category.is_empty()),
        ("dimensionId", recipe.dimension_id.is_some()),
        ("topicHint", recipe.topic_hint.is_some()),
        ("description", !recipe.description.is_empty()),
        ("when", !recipe.when_clause.is_empty()),
        ("do", !recipe.do_clause.is_empty()),
        ("dont", !recipe.dont_clause.is_empty()),
        ("headers", stated.headers || !has_code(recipe)),
        (
            "reasoning.whyStandard",
            !recipe.reasoning.why_standard.is_empty(),
        ),
        ("reasoning.sources", !recipe.reasoning.sources.is_empty()),
    ]
    .into_iter()
    .filter(|(_, present)| !present)
    .map(|(name, _)| name)
    .collect()
}

fn has_code(recipe: &Recipe) -> bool {
    recipe
        .core_code
        .as_ref()
        .is_some_and(|code| !code.text.trim().is_empty())
}

fn missing_sections(recipe: &Recipe) -> Vec<&'static str> {
    [
        ("Description", !recipe.content.markdown.is_empty()),
        ("Rationale", !recipe.content.rationale.is_empty()),
        ("Core code", has_code(recipe)),
        ("Usage guide", !recipe.usage_guide.is_empty()),
    ]
    .into_iter()
    .filter(|(_, present)| !present)
    .map(|(name, _)| name)
    .collect()
}

fn add_fields(
    text: &str,
    front: &FrontMatter,
    names: &[&str],
    parsed: &ParsedRecipe,
) -> Option<TextEdit> {
    let mut lines = Vec::new();
    let nested: Vec<&&str> = names.iter().filter(|name| name.contains('.')).collect();
    for name in names.iter().filter(|name| !name.contains('.')) {
        lines.push(placeholder(TOP, name, ""));
    }
    // A `reasoning` that is there is left to its author.
    if !nested.is_empty() && value_of(parsed, "reasoning").is_none() {
        lines.push("reasoning:".into());
        for name in nested {
            let name = name.trim_start_matches("reasoning.");
            lines.push(placeholder(crate::keys::REASONING, name, "  "));
        }
    }
    (!lines.is_empty()).then(|| insert(text, front, &lines))
}

fn placeholder(table: &[KeyInfo], name: &str, indent: &str) -> String {
    let Some(key) = table.iter().find(|key| key.name == name) else {
        return format!("{indent}{name}:");
    };
    let value = match key.value {
        crate::ValueType::TextList => " []",
        _ => "",
    };
    let hint = if key.value == crate::ValueType::Enum {
        key.values.join(" | ")
    } else {
        key.doc
            .split(['.', ';'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    format!("{indent}{name}:{value} # {hint}")
}

/// Lines at the end of the front matter.
fn insert(text: &str, front: &FrontMatter, lines: &[String]) -> TextEdit {
    let ending = line_ending(text).as_str();
    let before = &text[..front.content.end];
    let mut new = String::new();
    if !before.ends_with(['\n', '\r']) {
        new.push_str(ending);
    }
    for line in lines {
        new.push_str(line);
        new.push_str(ending);
    }
    TextEdit::insert(front.content.end, new)
}

fn has_heading(parsed: &ParsedRecipe, name: &str) -> bool {
    parsed
        .sections
        .iter()
        .any(|section| section.level == 2 && section.title.eq_ignore_ascii_case(name))
}

fn add_sections(text: &str, names: &[&str]) -> TextEdit {
    let ending = line_ending(text).as_str();
    let mut new = String::new();
    if !text.ends_with(['\n', '\r']) {
        new.push_str(ending);
    }
    for name in names {
        new.push_str(&format!("{ending}## {name}{ending}"));
        if *name == "Core code" {
            new.push_str(&format!("```{ending}```{ending}"));
        }
    }
    TextEdit::insert(text.len(), new)
}
