use asd_text::Span;

use super::brackets::unbalanced;
use crate::body::{Body, Part};
use crate::front_matter::FrontMatter;
use crate::markdown::blocks;
use crate::names::is_cjk;
use crate::{ParsedRecipe, Problem, ProblemCode, Recipe, Severity, token_estimate};

/// The content-quality rules that need no other file. They block a submission;
/// in a file that is there they are warnings.
pub(super) fn check(
    text: &str,
    front: &FrontMatter,
    body: &Body,
    recipe: &Recipe,
    parsed: &mut ParsedRecipe,
) {
    let mut checks = Checks {
        text,
        recipe,
        parsed,
        fallback: front.opening,
    };
    checks.title();
    checks.clauses();
    checks.sources();
    checks.core_code();
    checks.markdown(body);
}

struct Checks<'a> {
    text: &'a str,
    recipe: &'a Recipe,
    parsed: &'a mut ParsedRecipe,
    fallback: Span,
}

impl Checks<'_> {
    fn report(&mut self, span: Span, severity: Severity, message: impl Into<String>) {
        self.parsed.problems.push(Problem {
            span,
            severity,
            code: ProblemCode::Quality,
            message: message.into(),
            fix: None,
        });
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.report(span, Severity::Warning, message);
    }

    /// The value of the first of these fields that the file has.
    fn field(&self, names: &[&str]) -> Span {
        names
            .iter()
            .find_map(|name| self.parsed.fields.get(*name))
            .map(|field| field.value)
            .filter(|span| !span.is_empty())
            .unwrap_or(self.fallback)
    }

    fn section(&self, part: Part) -> Option<Span> {
        self.parsed
            .sections
            .iter()
            .find(|section| section.level == 2 && Part::of(&section.title) == Some(part))
            .map(|section| section.heading)
    }

    fn title(&mut self) {
        let title = &self.recipe.title;
        if title.is_empty() {
            return;
        }
        let span = self.field(&["title"]);
        let length = title.chars().count();
        let max = title_limit(title);
        if is_textbook_name(title) {
            self.warn(
                span,
                "This title is the name of a textbook pattern. Name the type, module or API of the project that it is about.",
            );
        }
        if has_word_agent(title) {
            self.warn(
                span,
                "A title must not hold the word \"Agent\": it is about the code, not about who writes it.",
            );
        }
        if length > max {
            self.warn(
                span,
                format!("This title has {length} characters; at most {max} are shown well."),
            );
        }
    }

    fn clauses(&mut self) {
        let length = self.recipe.description.chars().count();
        if length > MAX_DESCRIPTION {
            let span = self.field(&["description"]);
            self.warn(span, format!("This description has {length} characters; at most {MAX_DESCRIPTION} are permitted."));
        }
        let tokens = token_estimate(&self.recipe.do_clause);
        if tokens > MAX_DO_TOKENS {
            let span = self.field(&["do", "doClause", "do_clause"]);
            self.warn(span, format!("This `do` clause has about {tokens} tokens; at most {MAX_DO_TOKENS} are permitted. Move details to the usage guide."));
        }
    }

    fn sources(&mut self) {
        let sources = &self.recipe.reasoning.sources;
        let Some(first) = sources.first() else {
            return;
        };
        if !sources.iter().any(|source| source.path.contains('/')) {
            let span = first.span;
            self.warn(
                span,
                "No source names a folder. Give paths from the root of the project.",
            );
        }
    }

    fn core_code(&mut self) {
        let Some(code) = &self.recipe.core_code else {
            return;
        };
        if code.text.trim().is_empty() {
            return;
        }
        let language = if code.language.is_empty() {
            &self.recipe.language
        } else {
            &code.language
        };
        if let Some(fault) = unbalanced(&code.text, language) {
            let span = Some(code.span)
                .filter(|span| !span.is_empty())
                .unwrap_or(self.fallback);
            self.warn(
                span,
                format!("This code cannot be copied as it stands: it {fault}."),
            );
        }
    }

    fn markdown(&mut self, body: &Body) {
        const MIN: usize = MIN_MARKDOWN;
        let markdown = &self.recipe.content.markdown;
        if markdown.is_empty() {
            return;
        }
        let span = self
            .section(Part::Description)
            .or(body.first_line)
            .unwrap_or(self.fallback);
        let length = markdown.chars().count();
        let found = blocks(markdown, 0);
        let references = file_references(markdown);
        let with_folder = references.iter().any(|path| path.contains('/'));
        if found.fences.is_empty() && !with_folder {
            self.warn(
                span,
                "The description shows neither code nor a file of the project. Add a code block or a path such as `src/net/retry.rs`.",
            );
        } else if references.is_empty() {
            self.report(
                span,
                Severity::Info,
                "The description names no file of the project. A path such as `src/net/retry.rs` shows where it comes from.",
            );
        } else if !with_folder {
            let name = references[0].clone();
            self.report(
                span,
                Severity::Info,
                format!("`{name}` is named without its folder. Give the path from the root of the project."),
            );
        }
        if length < MIN {
            self.warn(span, format!("The description has {length} characters; a published recipe has at least {MIN}."));
        }
        let lines = body.blocks.prose.iter().filter(|line| {
            !self.text[line.content.range()]
                .trim_start()
                .starts_with('#')
        });
        if lines.count() <= 2 && body.blocks.fences.is_empty() && self.recipe.core_code.is_none() {
            self.warn(
                span,
                "The body has no code and hardly any text. Say how it is done and show it.",
            );
        }
    }
}

/// The longest description, in characters.
pub const MAX_DESCRIPTION: usize = 80;
/// The longest do clause, in estimated tokens.
pub const MAX_DO_TOKENS: usize = 60;
/// The shortest description in Markdown of a published recipe, in characters.
pub const MIN_MARKDOWN: usize = 200;

/// The most characters that a title should have: fewer when it holds Han, Kana
/// or Hangul.
#[must_use]
pub fn title_limit(title: &str) -> usize {
    const MAX: usize = 80;
    const MAX_CJK: usize = 20;
    if title.chars().any(is_cjk) {
        MAX_CJK
    } else {
        MAX
    }
}

/// Whether a title says no more than the name of a design pattern.
#[must_use]
pub fn is_textbook_name(title: &str) -> bool {
    const NAMES: &[&str] = &[
        "singleton",
        "factory",
        "observer",
        "strategy",
        "builder",
        "mvc",
        "mvvm",
        "delegate",
        "adapter",
    ];
    let folded = title.trim().to_lowercase();
    let bare = folded
        .trim_end_matches("模式")
        .trim_end()
        .trim_end_matches("pattern")
        .trim_end();
    NAMES.contains(&bare)
}

/// Whether a title holds the word "Agent".
#[must_use]
pub fn has_word_agent(title: &str) -> bool {
    title
        .split(|c: char| !c.is_alphanumeric() || is_cjk(c))
        .any(|word| word.eq_ignore_ascii_case("agent"))
}

/// Names of files in a text: words with a dot and a short ending of letters.
#[must_use]
pub fn file_references(markdown: &str) -> Vec<String> {
    markdown
        .split(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '`' | '(' | ')' | '[' | ']' | '"' | '\'' | ',' | '<' | '>'
                )
                || is_cjk(c)
        })
        .filter_map(|word| {
            let word = word.trim_end_matches(['.', ';', ':']);
            let path = word.split(':').next().unwrap_or_default();
            let (stem, ending) = path.rsplit_once('.')?;
            let is_file = !stem.is_empty()
                && (1..=6).contains(&ending.len())
                && ending.bytes().all(|b| b.is_ascii_alphanumeric())
                && ending.starts_with(|c: char| c.is_ascii_alphabetic())
                && !word.contains("://");
            let looks_like_path = path.contains('/') || FILE_ENDINGS.contains(&ending);
            (is_file && looks_like_path).then(|| path.to_owned())
        })
        .collect()
}

/// Endings by which a name without a folder is taken for a file.
const FILE_ENDINGS: &[&str] = &[
    "rs", "swift", "m", "mm", "h", "js", "jsx", "mjs", "ts", "tsx", "py", "java", "kt", "go",
    "dart", "c", "cc", "cpp", "cs", "rb", "vue", "svelte", "sh", "json", "yaml", "yml", "toml",
    "md", "html", "css",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_names_are_known_in_two_languages() {
        for title in ["Singleton", "Singleton 模式", "factory pattern", "MVVM"] {
            assert!(is_textbook_name(title), "{title}");
        }
        assert!(!is_textbook_name("NetClient factory"));
        assert!(has_word_agent("用 Agent 写代码"));
        assert!(!has_word_agent("UserAgent header"));
    }

    #[test]
    fn references_are_paths_and_file_names() {
        assert_eq!(
            file_references(
                "见`src/net/retry.rs:10`。 and Foo.swift, e.g. this. URLSession.shared https://x.io/a.html"
            ),
            ["src/net/retry.rs", "Foo.swift"]
        );
    }
}
