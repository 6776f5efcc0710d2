//! Documents as references of the skill `alembic-devdocs` (channel D).

use std::collections::BTreeSet;

use asd_recipe::{Recipe, canonical_language, token_estimate};

use crate::Entry;
use crate::render::REFERENCE_SIGNATURE;
use crate::text::{cell, defused, first_sentence, one_line, slug, unique};

const BUDGET: usize = 4000;

/// One rendered document.
pub(crate) struct Document {
    /// Its file name below `references/`.
    pub file: String,
    pub text: String,
    title: String,
    summary: String,
}

pub(crate) fn render(entries: &[&Entry]) -> Vec<Document> {
    let mut taken = BTreeSet::new();
    entries
        .iter()
        .map(|entry| document(&entry.recipe, &mut taken))
        .collect()
}

/// The table that the skill shows of them.
pub(crate) fn index(documents: &[Document]) -> String {
    let mut table = "## Documents\n\n| Title | File | Summary |\n|---|---|---|\n".to_owned();
    for document in documents {
        table.push_str(&format!(
            "| {} | references/{} | {} |\n",
            cell(&document.title, 80),
            document.file,
            cell(&document.summary, 80)
        ));
    }
    table
}

fn document(recipe: &Recipe, taken: &mut BTreeSet<String>) -> Document {
    let title = one_line(if recipe.title.trim().is_empty() {
        &recipe.trigger
    } else {
        &recipe.title
    });
    let mut facts = Vec::new();
    if !recipe.trigger.trim().is_empty() {
        facts.push(format!("Trigger: {}", one_line(&recipe.trigger)));
    }
    if let Some(language) = canonical_language(&recipe.language) {
        facts.push(format!("Language: {language}"));
    }
    let mut head = format!("{REFERENCE_SIGNATURE}\n# {title}\n");
    if !facts.is_empty() {
        head.push_str(&format!("> {}\n", facts.join(" · ")));
    }
    let body = tidy(&recipe.content.markdown);
    let summary = if recipe.description.trim().is_empty() {
        first_sentence(&body)
    } else {
        one_line(&recipe.description)
    };
    Document {
        file: format!("{}.md", unique(&slug(&title), taken)),
        text: within_budget(&head, &body),
        title,
        summary,
    }
}

/// Without images, badges, HTML comments and runs of blank lines; code stays as
/// it is.
fn tidy(markdown: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut fence = None;
    let mut in_comment = false;
    for line in markdown.lines() {
        let line = line.trim_end();
        let is_border = fence_of(line);
        if let Some(open) = fence {
            if is_border.is_some_and(|border: Fence| border.closes(open)) {
                fence = None;
            }
            out.push(defused(line));
            continue;
        }
        if !in_comment && is_border.is_some() {
            fence = is_border;
            out.push(defused(line));
            continue;
        }
        let had_text = !line.is_empty();
        let line = without_images(&without_comments(line, &mut in_comment));
        let line = line.trim_end();
        if line.is_empty() && (had_text || out.last().is_none_or(String::is_empty)) {
            continue;
        }
        out.push(defused(line));
    }
    // A document that leaves its code open would swallow what follows.
    if let Some(open) = fence {
        out.push(open.sign.to_string().repeat(open.length));
    }
    while out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    out.join("\n")
}

#[derive(Clone, Copy)]
struct Fence {
    sign: char,
    length: usize,
    bare: bool,
}

impl Fence {
    fn closes(self, open: Self) -> bool {
        self.sign == open.sign && self.length >= open.length && self.bare
    }
}

fn fence_of(line: &str) -> Option<Fence> {
    let text = line.trim_start();
    let sign = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == sign).count();
    let rest = &text[length..];
    (length >= 3 && !(sign == '`' && rest.contains('`'))).then(|| Fence {
        sign,
        length,
        bare: rest.trim().is_empty(),
    })
}

fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some(end) = rest.find("-->") else {
                return out;
            };
            rest = &rest[end + 3..];
            *in_comment = false;
        }
        let Some(start) = rest.find("<!--") else {
            out.push_str(rest);
            return out;
        };
        out.push_str(&rest[..start]);
        rest = &rest[start + 4..];
        *in_comment = true;
    }
}

/// `[![…](…)](…)`, `![…](…)` and `<img …>` go; a line that held nothing else
/// becomes empty.
fn without_images(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        if let Some(length) = badge(rest)
            .or_else(|| image(rest))
            .or_else(|| image_tag(rest))
        {
            rest = &rest[length..];
            continue;
        }
        let next = rest.chars().next().map_or(1, char::len_utf8);
        out.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    out
}

fn image(text: &str) -> Option<usize> {
    let alt = text.strip_prefix("![")?;
    let close = alt.find(']')?;
    let target = alt[close + 1..].strip_prefix('(')?;
    let end = target.find(')')?;
    Some(2 + close + 1 + 1 + end + 1)
}

fn badge(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let length = image(inner)?;
    let target = inner[length..].strip_prefix("](")?;
    let end = target.find(')')?;
    Some(1 + length + 2 + end + 1)
}

fn image_tag(text: &str) -> Option<usize> {
    let is_tag = text
        .get(..4)
        .is_some_and(|head| head.eq_ignore_ascii_case("<img"));
    is_tag.then(|| text.find('>').map(|end| end + 1)).flatten()
}

/// Drops sections from the end until the file keeps the budget; a document
/// without headings is cut between its paragraphs.
fn within_budget(head: &str, body: &str) -> String {
    let whole = |body: &str, note: &str| format!("{head}\n{body}\n{note}");
    let text = whole(body, "");
    if token_estimate(&text) <= BUDGET {
        return text;
    }
    let note = "\n…shortened; asd_knowledge get has all of it.\n";
    let mut kept = body;
    for borders in [headings(body), paragraphs(body)] {
        for border in borders.into_iter().rev().filter(|border| *border > 0) {
            if border >= kept.len() {
                continue;
            }
            kept = body[..border].trim_end();
            let text = whole(kept, note);
            if token_estimate(&text) <= BUDGET {
                return text;
            }
        }
    }
    whole("", note)
}

/// Where the lines outside of fences begin, with the lines.
fn prose_lines(body: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut fence = None;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let border = fence_of(line.trim_end());
        match (fence, border) {
            (Some(open), Some(border)) if border.closes(open) => fence = None,
            (Some(_), _) => {}
            (None, Some(border)) => fence = Some(border),
            (None, None) => lines.push((at, line.trim_end())),
        }
        at += line.len();
    }
    lines
}

fn headings(body: &str) -> Vec<usize> {
    prose_lines(body)
        .into_iter()
        .filter(|(_, line)| {
            let level = line.chars().take_while(|c| *c == '#').count();
            (1..=6).contains(&level) && line[level..].starts_with(' ')
        })
        .map(|(at, _)| at)
        .collect()
}

fn paragraphs(body: &str) -> Vec<usize> {
    prose_lines(body)
        .into_iter()
        .filter(|(_, line)| line.is_empty())
        .map(|(at, _)| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::entry;

    fn one(front: &str) -> Document {
        render(&[&entry(front)]).remove(0)
    }

    #[test]
    fn a_document_keeps_headings_code_and_tables() {
        let document = one(
            "title: Settlement replay runbook\ntrigger: '@settlement-replay'\nlanguage: go\n---\n\
             ## Description\n[![ci](a.svg)](b)\nStart ![x](y.png) here. <!-- not\nseen --> Then.\n\n\n\n\
             ### Steps\n```sh\n# ![kept](in code)\n\n\nrun\n```\n\n| a | b |\n|---|---|\n",
        );
        assert_eq!(document.file, "settlement-replay-runbook.md");
        expect_test::expect![[r#"
            <!-- auto-generated by [alembic] -->
            # Settlement replay runbook
            > Trigger: @settlement-replay · Language: go

            Start  here.
             Then.

            ### Steps
            ```sh
            # ![kept](in code)


            run
            ```

            | a | b |
            |---|---|
        "#]]
        .assert_eq(&document.text);
    }

    #[test]
    fn equal_titles_get_files_of_their_own() {
        let first = entry("title: Same\ntrigger: '@a'");
        let second = entry("title: same!\ntrigger: '@b'");
        let files: Vec<String> = render(&[&first, &second])
            .into_iter()
            .map(|d| d.file)
            .collect();
        assert_eq!(files, ["same.md", "same-2.md"]);
    }

    #[test]
    fn sections_go_from_the_end_until_the_budget_holds() {
        let sections: String = (0..40)
            .map(|n| {
                format!(
                    "### Section {n}\n\n```go\n{}```\n\n",
                    "call(argument)\n".repeat(40)
                )
            })
            .collect();
        let document = one(&format!("title: Long\n---\n## Description\n{sections}"));
        assert!(token_estimate(&document.text) <= BUDGET);
        assert!(document.text.contains("### Section 0\n"));
        assert!(!document.text.contains("### Section 39\n"));
        assert_eq!(document.text.matches("```").count() % 2, 0);
        let flat = one(&format!(
            "title: Flat\n---\n## Description\n{}",
            "词语。\n\n".repeat(4000)
        ));
        assert!(token_estimate(&flat.text) <= BUDGET);
        assert!(flat.text.contains("词语"));
    }
}
