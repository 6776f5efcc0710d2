//! The body of a recipe file: its sections, and the examples in it.
//! (knowledge.md §4, editor.md §5)

mod structured;

use asd_text::Span;

use crate::markdown::{Blocks, Fence, Heading, block_text, blocks};
use crate::{Code, Example, ExampleKind, Problem, ProblemCode, Recipe, Section, Severity};
pub(crate) use structured::ends_with_code;
use structured::{read_changes, read_pattern, read_steps, read_verification};

/// The headings that have a field of their own, in the order of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Description,
    Rationale,
    CoreCode,
    Pattern,
    UsageGuide,
    Steps,
    Changes,
    Verification,
}

impl Part {
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Description => "Description",
            Self::Rationale => "Rationale",
            Self::CoreCode => "Core code",
            Self::Pattern => "Pattern",
            Self::UsageGuide => "Usage guide",
            Self::Steps => "Steps",
            Self::Changes => "Changes",
            Self::Verification => "Verification",
        }
    }

    pub(crate) fn of(title: &str) -> Option<Self> {
        [
            Self::Description,
            Self::Rationale,
            Self::CoreCode,
            Self::Pattern,
            Self::UsageGuide,
            Self::Steps,
            Self::Changes,
            Self::Verification,
        ]
        .into_iter()
        .find(|part| part.title().eq_ignore_ascii_case(title))
    }
}

/// What the body of a file holds.
pub(crate) struct Body {
    pub blocks: Blocks,
    /// The first line of the body that says anything.
    pub first_line: Option<Span>,
    start: usize,
    end: usize,
}

impl Body {
    pub(crate) fn read(text: &str, start: usize) -> Self {
        let blocks = blocks(text, start);
        let first_line = blocks
            .prose
            .first()
            .map(|line| line.content)
            .into_iter()
            .chain(blocks.fences.first().map(|fence| fence.whole))
            .min_by_key(|span| span.start);
        Self {
            blocks,
            first_line,
            start,
            end: text.len(),
        }
    }

    /// The headings with what belongs to each.
    pub(crate) fn sections(&self, text: &str) -> Vec<Section> {
        let headings = &self.blocks.headings;
        headings
            .iter()
            .enumerate()
            .map(|(index, heading)| Section {
                title: heading.title.of(text).to_owned(),
                level: heading.level,
                heading: heading.line,
                whole: Span::new(
                    heading.line.start,
                    headings[index + 1..]
                        .iter()
                        .find(|next| next.level <= heading.level)
                        .map_or(self.end, |next| next.line.start),
                ),
            })
            .collect()
    }

    /// The parts of the body: the text before the first `##`, then each `##`.
    fn parts<'t>(&self, text: &'t str) -> Vec<BodyPart<'t>> {
        let starts: Vec<&Heading> = self
            .blocks
            .headings
            .iter()
            .filter(|heading| heading.level == 2)
            .collect();
        let first_end = starts
            .first()
            .map_or(self.end, |heading| heading.line.start);
        let mut parts = vec![BodyPart {
            part: Some(Part::Description),
            heading: Span::empty(self.start),
            content: Span::new(self.start, first_end),
            raw: &text[self.start..first_end],
        }];
        for (index, heading) in starts.iter().enumerate() {
            let end = starts
                .get(index + 1)
                .map_or(self.end, |next| next.line.start);
            let part = Part::of(heading.title.of(text));
            let from = if part.is_some() {
                heading.next
            } else {
                heading.line.start
            };
            let content = Span::new(from.min(end), end);
            parts.push(BodyPart {
                part,
                heading: heading.line,
                content,
                raw: content.of(text),
            });
        }
        parts
    }

    fn fences_in(&self, span: Span) -> impl Iterator<Item = &Fence> {
        self.blocks
            .fences
            .iter()
            .filter(move |fence| span.contains(fence.whole))
    }

    /// The fenced blocks that are the recipe's own tests.
    pub(crate) fn examples(&self, text: &str) -> Vec<Example> {
        self.blocks
            .fences
            .iter()
            .filter_map(|fence| {
                let info = Info::of(fence.info.of(text));
                Some(Example {
                    kind: info.example?,
                    guard: info.guard.map(str::to_owned),
                    language: info.language.to_owned(),
                    text: fence.text.clone(),
                    span: fence.content,
                    info_span: fence.info,
                })
            })
            .collect()
    }

    /// Reads the sections into the fields of `recipe` that are still empty.
    pub(crate) fn fill(&self, text: &str, recipe: &mut Recipe, problems: &mut Vec<Problem>) {
        let mut markdown = Pieces::default();
        let mut rationale = Pieces::default();
        let mut pattern = Pieces::default();
        let mut usage = Pieces::default();
        let mut steps = Vec::new();
        let mut changes = Vec::new();
        let mut verification = None;
        let mut core_code = None;
        for part in self.parts(text) {
            match part.part {
                Some(Part::Description) | None => markdown.push(part.raw),
                Some(Part::Rationale) => rationale.push(part.raw),
                Some(Part::Pattern) => pattern.0.extend(read_pattern(part.raw)),
                Some(Part::UsageGuide) => usage.push(part.raw),
                Some(Part::Steps) => steps.extend(read_steps(part.raw)),
                Some(Part::Changes) => changes.extend(read_changes(part.raw)),
                Some(Part::Verification) => verification = read_verification(part.raw),
                Some(Part::CoreCode) => {
                    let code = self.core_code(text, &part, problems, &mut markdown);
                    core_code = core_code.or(code);
                }
            }
        }
        for fence in self.blocks.fences.iter().filter(|fence| !fence.closed) {
            let line_end = text[fence.whole.start..]
                .find(['\n', '\r'])
                .map_or(text.len(), |at| fence.whole.start + at);
            problems.push(Problem {
                span: Span::new(fence.whole.start, line_end),
                severity: Severity::Warning,
                code: ProblemCode::Quality,
                message: "This code block is not closed, so the rest of the file counts as code."
                    .into(),
                fix: None,
            });
        }
        let content = &mut recipe.content;
        set(&mut content.markdown, markdown);
        set(&mut content.rationale, rationale);
        set(&mut content.pattern, pattern);
        set(&mut recipe.usage_guide, usage);
        if content.steps.is_empty() {
            content.steps = steps;
        }
        if content.code_changes.is_empty() {
            content.code_changes = changes;
        }
        if content.verification.is_none() {
            content.verification = verification;
        }
        if recipe.core_code.is_none() {
            recipe.core_code = core_code;
        }
        if recipe.language.is_empty()
            && let Some(code) = &recipe.core_code
        {
            recipe.language.clone_from(&code.language);
        }
    }

    /// The first fence of the section that is not an example. What else stands
    /// in the section goes to the description, so that nothing is lost.
    fn core_code(
        &self,
        text: &str,
        part: &BodyPart<'_>,
        problems: &mut Vec<Problem>,
        rest: &mut Pieces,
    ) -> Option<Code> {
        let fence = self
            .fences_in(part.content)
            .find(|fence| Info::of(fence.info.of(text)).example.is_none());
        let Some(fence) = fence else {
            let code = block_text(part.raw);
            if code.is_empty() {
                return None;
            }
            problems.push(Problem {
                span: part.heading,
                severity: Severity::Warning,
                code: ProblemCode::Quality,
                message: "The core code is not in a code block. Put it between lines of ```."
                    .into(),
                fix: None,
            });
            if self.fences_in(part.content).next().is_some() {
                rest.push(part.raw);
                return None;
            }
            let start = part.content.start + (part.raw.len() - part.raw.trim_start().len());
            return Some(Code {
                language: String::new(),
                text: code,
                span: Span::new(start, start + part.raw.trim().len()),
            });
        };
        rest.push(&text[part.content.start..fence.whole.start]);
        rest.push(&text[fence.whole.end..part.content.end]);
        Some(Code {
            language: Info::of(fence.info.of(text)).language.to_owned(),
            text: fence.text.clone(),
            span: fence.content,
        })
    }
}

struct BodyPart<'t> {
    part: Option<Part>,
    heading: Span,
    content: Span,
    raw: &'t str,
}

/// Texts that make one field, a blank line between them.
#[derive(Default)]
struct Pieces(Vec<String>);

impl Pieces {
    fn push(&mut self, raw: &str) {
        let text = block_text(raw);
        if !text.is_empty() {
            self.0.push(text);
        }
    }
}

fn set(field: &mut String, pieces: Pieces) {
    if field.is_empty() {
        *field = pieces.0.join("\n\n");
    }
}

/// The info string of a fence.
struct Info<'a> {
    language: &'a str,
    example: Option<ExampleKind>,
    guard: Option<&'a str>,
}

impl<'a> Info<'a> {
    fn of(info: &'a str) -> Self {
        let example_of = |word: &str| match word {
            "bad" => Some(ExampleKind::Bad),
            "good" => Some(ExampleKind::Good),
            "fixed" => Some(ExampleKind::Fixed),
            _ => None,
        };
        let mut words = info.split_whitespace();
        let mut result = Info {
            language: "",
            example: None,
            guard: None,
        };
        if let Some(first) = words.next() {
            result.example = example_of(first);
            if result.example.is_none() {
                result.language = first;
            }
        }
        for word in words {
            if result.example.is_none() {
                result.example = example_of(word);
            }
            if let Some(guard) = word.strip_prefix("guard=") {
                let guard = guard.trim_matches(['"', '\'']);
                result.guard = (!guard.is_empty()).then_some(guard);
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Recipe {
        let mut recipe = Recipe::default();
        Body::read(text, 0).fill(text, &mut recipe, &mut Vec::new());
        recipe
    }

    #[test]
    fn sections_go_to_their_fields() {
        let recipe = filled(
            "lead\r\n\r\n## description\r\nD\r\n## RATIONALE\r\n\r\nwhy\r\n\r\n## Core code\r\n```rust\r\na();\r\nb();\r\n```\r\nnote\r\n## Notes\r\nN\r\n## Usage guide\r\n### Steps\r\nx\r\n",
        );
        assert_eq!(recipe.content.markdown, "lead\n\nD\n\nnote\n\n## Notes\nN");
        assert_eq!(recipe.content.rationale, "why");
        assert_eq!(recipe.usage_guide, "### Steps\nx");
        let code = recipe.core_code.unwrap();
        assert_eq!(
            (code.language.as_str(), code.text.as_str()),
            ("rust", "a();\nb();")
        );
        assert_eq!(recipe.language, "rust");
    }

    #[test]
    fn a_heading_inside_a_longer_fence_is_no_section() {
        let recipe = filled("## Description\n````md\n```md\n## Core code\n```\n````\n");
        assert!(recipe.core_code.is_none());
        assert_eq!(
            recipe.content.markdown,
            "````md\n```md\n## Core code\n```\n````"
        );
    }

    #[test]
    fn steps_changes_and_verification_are_structured() {
        let recipe = filled(
            "## Steps\n1. First\n\n   Do it\n   well\n\n   ```swift\n   1. not a step\n     x\n   ```\n2) Second\n\n## Changes\n### `src/a.rs`\nwhy\n```rust before\nold\n```\n```rust after\nnew\n```\n### b.rs\n```\none\n```\n```\ntwo\n```\n\n## Verification\nRun it\n### Expected result\nok\n### Test code\n```\nassert!(x)\n```\n",
        );
        expect_test::expect![[r#"
            [
                Step {
                    title: "First",
                    description: "Do it\nwell",
                    code: "1. not a step\n  x",
                },
                Step {
                    title: "Second",
                    description: "",
                    code: "",
                },
            ]
            [
                CodeChange {
                    file: "src/a.rs",
                    before: "old",
                    after: "new",
                    explanation: "why",
                },
                CodeChange {
                    file: "b.rs",
                    before: "one",
                    after: "two",
                    explanation: "",
                },
            ]
            Some(
                Verification {
                    method: "Run it",
                    expected_result: "ok",
                    test_code: "assert!(x)",
                },
            )
        "#]]
        .assert_eq(&format!(
            "{:#?}\n{:#?}\n{:#?}\n",
            recipe.content.steps, recipe.content.code_changes, recipe.content.verification
        ));
    }

    #[test]
    fn examples_are_fences_with_a_word_behind_the_language() {
        let text = "## X\n```swift bad guard=cookie-di\nlet 🍪 = 1\n```\n- item\n\n  ~~~ts good\n  ok()\n  ~~~\n```bad\nx\n```\n```swift\nno example\n```\n```swift fixed\n```\n";
        let examples = Body::read(text, 0).examples(text);
        let shown: Vec<String> = examples
            .iter()
            .map(|e| {
                format!(
                    "{:?} {:?} {:?} {:?} {:?}",
                    e.kind,
                    e.guard,
                    e.language,
                    e.text,
                    e.span.of(text)
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#"Bad Some("cookie-di") "swift" "let 🍪 = 1" "let 🍪 = 1""#,
                r#"Good None "ts" "ok()" "  ok()""#,
                r#"Bad None "" "x" "x""#,
                r#"Fixed None "swift" "" """#,
            ]
        );
        assert_eq!(examples[0].info_span.of(text), "swift bad guard=cookie-di");
    }
}
