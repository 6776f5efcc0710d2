use crate::body::{Part, ends_with_code};
use crate::markdown::{block_text, blocks, contained, fenced};
use crate::{CodeChange, Recipe, Step, Verification};

/// Appends the sections, a blank line before and behind each heading.
pub(super) fn write(recipe: &Recipe, out: &mut String) {
    let content = &recipe.content;
    section(out, Part::Description, &description(&content.markdown));
    section(out, Part::Rationale, &inside(&content.rationale));
    if let Some(code) = &recipe.core_code {
        section(out, Part::CoreCode, &fenced(&code.language, &code.text));
    }
    section(
        out,
        Part::Pattern,
        &pattern(&content.pattern, &recipe.language),
    );
    section(out, Part::UsageGuide, &inside(&recipe.usage_guide));
    section(out, Part::Steps, &steps(&content.steps));
    section(out, Part::Changes, &changes(&content.code_changes));
    if let Some(verification) = &content.verification {
        section(out, Part::Verification, &verify(verification));
    }
}

fn section(out: &mut String, part: Part, text: &str) {
    if text.is_empty() {
        return;
    }
    out.push_str("\n## ");
    out.push_str(part.title());
    out.push_str("\n\n");
    out.push_str(text);
    if !text.ends_with('\n') {
        out.push('\n');
    }
}

/// Prose in which no heading ends the section.
fn inside(text: &str) -> String {
    contained(text, 3, |_, level| level == 2)
}

/// The description may hold sections of its own, except under a known heading.
fn description(text: &str) -> String {
    contained(text, 3, |title, level| {
        level == 2 && Part::of(title).is_some()
    })
}

fn pattern(text: &str, language: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    // Prose with code in it stands as it is; everything else is code, and a
    // section that is one fence is read as its code.
    let found = blocks(text, 0);
    let is_prose = !found.fences.is_empty()
        && !found.prose.is_empty()
        && block_text(text) == text
        && inside(text) == text;
    if is_prose {
        text.to_owned()
    } else {
        fenced(language, text)
    }
}

fn steps(steps: &[Step]) -> String {
    let mut out = String::new();
    for (index, step) in steps.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let marker = format!("{}. ", index + 1);
        let indent = " ".repeat(marker.len());
        out.push_str(&marker);
        out.push_str(&step.title.split_whitespace().collect::<Vec<_>>().join(" "));
        out.truncate(out.trim_end().len());
        out.push('\n');
        let mut parts = Vec::new();
        if !step.description.is_empty() {
            parts.push(inside(&step.description));
        }
        if !step.code.is_empty() || ends_with_code(&step.description) {
            parts.push(fenced("", &step.code));
        }
        for part in parts {
            out.push('\n');
            for line in part.trim_end_matches('\n').split('\n') {
                if !line.is_empty() {
                    out.push_str(&indent);
                    out.push_str(line);
                }
                out.push('\n');
            }
        }
    }
    out
}

fn changes(changes: &[CodeChange]) -> String {
    let mut out = String::new();
    for (index, change) in changes.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str("### ");
        out.push_str(&change.file.split_whitespace().collect::<Vec<_>>().join(" "));
        out.truncate(out.trim_end().len());
        out.push('\n');
        let explanation = contained(&change.explanation, 4, |_, level| matches!(level, 2 | 3));
        if !explanation.is_empty() {
            out.push('\n');
            out.push_str(&explanation);
            out.push('\n');
        }
        // A fence in the explanation would be taken for the code before.
        let both = !blocks(&explanation, 0).fences.is_empty();
        for (word, code) in [("before", &change.before), ("after", &change.after)] {
            if both || !code.is_empty() {
                out.push('\n');
                out.push_str(&fenced(word, code));
            }
        }
    }
    out
}

fn verify(verification: &Verification) -> String {
    const KNOWN: &[&str] = &["expected", "expected result", "test", "test code"];
    let mut parts = Vec::new();
    if !verification.method.is_empty() {
        parts.push(contained(&verification.method, 4, |title, level| {
            level == 2 || (level == 3 && KNOWN.contains(&title.to_lowercase().as_str()))
        }));
    }
    if !verification.expected_result.is_empty() {
        let text = contained(&verification.expected_result, 4, |_, level| {
            matches!(level, 2 | 3)
        });
        parts.push(format!("### Expected result\n\n{text}"));
    }
    if !verification.test_code.is_empty() {
        let code = fenced("", &verification.test_code);
        parts.push(format!("### Test code\n\n{code}"));
    }
    parts
        .iter()
        .map(|part| part.trim_end_matches('\n'))
        .collect::<Vec<_>>()
        .join("\n\n")
}
