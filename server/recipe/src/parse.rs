use asd_text::TextEdit;

use crate::body::Body;
use crate::front_matter::{find, missing_closing};
use crate::hostile::{disguises, first_line, hostile, refusal};
use crate::yaml::{Node, Value, YamlError, load_lenient};
use crate::{Home, ParsedRecipe, Problem, ProblemCode, QuickFix, Severity, checks, read};

/// Reads a recipe file. `text` may have any line ending and may begin with a
/// byte order mark; all spans refer to it as given.
///
/// Reading does not stop at what is wrong: every problem is reported at its
/// place and the rest is read. `recipe` is `None` only when the file has no
/// front matter, or is refused as hostile.
#[must_use]
pub fn parse(text: &str, home: Home) -> ParsedRecipe {
    let mut parsed = ParsedRecipe::default();
    if let Some(problem) = refusal(text) {
        parsed.problems.push(problem);
        return parsed;
    }
    let Some(front) = find(text) else {
        parsed.problems.push(no_front_matter(text));
        return parsed;
    };
    parsed.front_matter = Some(front.content);
    if front.closing.is_none() {
        parsed.problems.push(Problem {
            span: front.opening,
            severity: Severity::Error,
            code: ProblemCode::FrontMatter,
            message: "The front matter is not closed. Put a line `---` behind it.".into(),
            fix: Some(QuickFix {
                title: "Close the front matter".into(),
                edits: vec![TextEdit::insert(
                    front.content.end,
                    missing_closing(text, &front),
                )],
            }),
        });
    }
    let loaded = match load_lenient(front.content.of(text), front.content.start) {
        Ok(loaded) => loaded,
        Err(error) => {
            parsed.problems.push(too_much(text, &error));
            return parsed;
        }
    };
    for broken in loaded.broken {
        parsed.problems.push(Problem {
            span: broken.span,
            severity: Severity::Error,
            code: ProblemCode::FrontMatter,
            message: broken.message,
            fix: broken.quote.map(|edit| QuickFix {
                title: crate::format::QUOTE.into(),
                edits: vec![edit],
            }),
        });
    }
    let is_mapping = matches!(loaded.root.value, Value::Map(_)) || loaded.root.is_null();
    let root = mapping(loaded.root, &mut parsed);
    parsed.fields = read::field_spans(&root);

    let body = Body::read(text, front.body);
    parsed.sections = body.sections(text);
    parsed.examples = body.examples(text);
    let mut reading = read::front_matter(text, &root, home);
    body.fill(text, &mut reading.recipe, &mut parsed.problems);
    let (recipe, stated, problems) = reading.finish();
    parsed.problems.extend(problems);
    parsed.problems.extend(disguises(text));
    if is_mapping {
        checks::check(text, &front, &body, &recipe, stated, &mut parsed);
    }
    parsed.recipe = Some(recipe);
    parsed
        .problems
        .sort_by_key(|problem| (problem.span.start, problem.span.end));
    parsed
}

fn no_front_matter(text: &str) -> Problem {
    let at = crate::front_matter::bom_len(text);
    let ending = crate::lines::line_ending(text).as_str();
    let lines = [
        "---",
        "title: ",
        "trigger: \"@\"",
        "do: ",
        "guards:",
        "  - pattern: ''",
        "---",
        "",
    ];
    Problem {
        span: first_line(text),
        severity: Severity::Error,
        code: ProblemCode::FrontMatter,
        message: "A recipe begins with its front matter: a line `---`, then `key: value` lines, then a line `---`.".into(),
        fix: Some(QuickFix {
            title: "Add a front matter".into(),
            edits: vec![TextEdit::insert(at, lines.join(ending) + ending)],
        }),
    }
}

pub(crate) fn too_much(text: &str, error: &YamlError) -> Problem {
    let (at, message) = match error {
        YamlError::TooDeep { at } => (
            *at,
            "This front matter is nested more than 32 levels deep, so the file is not read.",
        ),
        YamlError::TooBig { at } => (
            *at,
            "This front matter holds too many values, or its aliases expand to too many, so the file is not read.",
        ),
        YamlError::Syntax { at, .. } => (*at, "This is not valid YAML."),
    };
    let start = (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    let end = text[start..]
        .find(['\n', '\r'])
        .map_or(text.len(), |length| start + length);
    let end = (start..=end.min(start + 80))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(start);
    hostile(asd_text::Span::new(start, end), message.into())
}

/// The front matter as a mapping; anything else is reported and left out.
fn mapping(root: Node, parsed: &mut ParsedRecipe) -> Node {
    match root.value {
        Value::Map(_) => root,
        Value::Scalar(_) if root.is_null() => root,
        _ => {
            parsed.problems.push(Problem {
                span: root.span,
                severity: Severity::Error,
                code: ProblemCode::FrontMatter,
                message: format!(
                    "The front matter must be `key: value` lines, but this is {}.",
                    root.type_name()
                ),
                fix: None,
            });
            Node::null(root.span.start)
        }
    }
}
