//! The checks of an entry that need no other entry.

use std::sync::Arc;

use asd_guard::{GuardOptions, RuleSet, SourceFilter};
use asd_recipe::{
    Home, ItemReading, MAX_DESCRIPTION, MAX_DO_TOKENS, MIN_MARKDOWN, ProblemCode, Recipe, Severity,
    file_references, has_word_agent, is_known_language, is_textbook_name, parse, title_limit,
    to_markdown, token_estimate, unbalanced,
};

use super::{Issue, Layer, VALIDATION_ERROR};
use crate::prose;

/// Says whether files of the project exist.
pub trait SourceLookup {
    /// Whether there is a file or folder with that project-relative path;
    /// `None` when it cannot be known.
    fn exists(&self, path: &str) -> Option<bool>;
}

impl<F: Fn(&str) -> Option<bool>> SourceLookup for F {
    fn exists(&self, path: &str) -> Option<bool> {
        self(path)
    }
}

pub(super) fn error(field: &'static str, message: impl Into<String>) -> Issue {
    issue(Layer::L1, Severity::Error, field, message)
}

pub(super) fn warning(layer: Layer, field: &'static str, message: impl Into<String>) -> Issue {
    issue(layer, Severity::Warning, field, message)
}

fn issue(
    layer: Layer,
    severity: Severity,
    field: &'static str,
    message: impl Into<String>,
) -> Issue {
    Issue {
        layer,
        severity,
        code: VALIDATION_ERROR,
        field,
        message: message.into(),
    }
}

/// What the reader had to say of an item.
pub(super) fn reading_issues(reading: &ItemReading) -> Vec<Issue> {
    let problems = reading.problems.iter();
    problems
        // The trigger is normalised, and keys that are not known are ignored.
        .filter(|problem| !matches!(problem.code, ProblemCode::Trigger | ProblemCode::UnknownKey))
        .map(|problem| {
            let severity = problem.severity.max(Severity::Warning);
            issue(Layer::L1, severity, "", problem.message.clone())
        })
        .collect()
}

/// Checks an entry by itself: that its guards compile and agree with their
/// examples, and that its content says what an entry must say. Blank fields are
/// not reported here.
#[must_use]
pub fn validate_recipe(recipe: &Recipe, sources: &dyn SourceLookup) -> Vec<Issue> {
    let mut issues = Vec::new();
    if !recipe.language.is_empty() && !is_known_language(&recipe.language) {
        issues.push(warning(
            Layer::L1,
            "language",
            format!("`{}` is not a known language.", recipe.language),
        ));
    }
    issues.extend(guards(recipe));
    let mut content = Content {
        recipe,
        issues: &mut issues,
    };
    content.title();
    content.clauses();
    content.core_code();
    content.markdown();
    content.sources(sources);
    issues.dedup();
    issues
}

fn guards(recipe: &Recipe) -> Vec<Issue> {
    let mut issues = Vec::new();
    if recipe.constraints.guards.is_empty() {
        return issues;
    }
    let options = GuardOptions {
        sources: SourceFilter::Recipe,
        ..GuardOptions::default()
    };
    let alone = Arc::new(Recipe {
        lifecycle: asd_recipe::Lifecycle::Active,
        ..recipe.clone()
    });
    let (rules, problems) = RuleSet::build(&[("".into(), alone.clone())], &options, None);
    for problem in problems {
        let severity = problem.problem.severity.max(Severity::Warning);
        let message = format!("Guard `{}`: {}", problem.rule_id, problem.problem.message);
        issues.push(issue(Layer::L1, severity, "constraints.guards", message));
    }
    // Examples stand in the prose; they are found as they will be in the file.
    let file = parse(&to_markdown(recipe), Home::Candidates);
    for problem in rules.check_examples(&alone, &file.examples) {
        issues.push(issue(
            Layer::L1,
            Severity::Error,
            "constraints.guards",
            problem.message,
        ));
    }
    issues
}

struct Content<'a> {
    recipe: &'a Recipe,
    issues: &'a mut Vec<Issue>,
}

impl Content<'_> {
    fn error(&mut self, field: &'static str, message: impl Into<String>) {
        self.issues
            .push(issue(Layer::L2, Severity::Error, field, message));
    }

    fn warn(&mut self, field: &'static str, message: impl Into<String>) {
        self.issues.push(warning(Layer::L2, field, message));
    }

    fn title(&mut self) {
        let title = self.recipe.title.trim();
        if is_textbook_name(title) {
            self.error(
                "title",
                format!(
                    "\"{title}\" is a generic title: the name of a textbook pattern. Name the type, module or API of the project."
                ),
            );
        }
        if has_word_agent(title) {
            self.error(
                "title",
                "A title must not hold the word \"Agent\": it is about the code, not about who writes it.",
            );
        }
        let (length, limit) = (title.chars().count(), title_limit(title));
        if length > limit {
            self.warn(
                "title",
                format!("The title has {length} characters; at most {limit} are shown well."),
            );
        }
    }

    fn clauses(&mut self) {
        let length = self.recipe.description.chars().count();
        if length > MAX_DESCRIPTION {
            self.warn(
                "description",
                format!("The description has {length} characters; at most {MAX_DESCRIPTION} should be used."),
            );
        }
        let tokens = token_estimate(&self.recipe.do_clause);
        if tokens > MAX_DO_TOKENS {
            self.warn(
                "doClause",
                format!("The do clause has about {tokens} tokens; at most {MAX_DO_TOKENS} should be used. Move details to the usage guide."),
            );
        }
    }

    fn core_code(&mut self) {
        let Some(code) = &self.recipe.core_code else {
            return;
        };
        let language = if code.language.is_empty() {
            &self.recipe.language
        } else {
            &code.language
        };
        if let Some(fault) = unbalanced(&code.text, language) {
            self.error(
                "coreCode",
                format!("The core code cannot be copied as it stands: it {fault}."),
            );
        }
    }

    fn markdown(&mut self) {
        let markdown = &self.recipe.content.markdown;
        if markdown.trim().is_empty() {
            return;
        }
        const FIELD: &str = "content.markdown";
        let length = markdown.chars().count();
        if length < MIN_MARKDOWN {
            self.error(
                FIELD,
                format!("`content.markdown` has {length} characters; at least {MIN_MARKDOWN} are needed."),
            );
        }
        let has_fence = prose::shape(markdown).has_fence;
        let references = file_references(markdown);
        let has_path = references.iter().any(|path| path.contains('/'));
        if !has_fence && !has_path {
            self.error(
                FIELD,
                "`content.markdown` shows neither code nor a file of the project. Add a code block or a path such as `src/net/retry.rs`.",
            );
        }
        if references.is_empty() {
            self.warn(
                FIELD,
                "`content.markdown` names no file of the project. A path such as `src/net/retry.rs` shows where it comes from.",
            );
        } else if let Some(bare) = references.iter().find(|path| !path.contains('/')) {
            self.warn(
                FIELD,
                format!("`{bare}` is named without its folder. Give the path from the root of the project."),
            );
        }
        let lines = markdown.lines().filter(|line| !line.trim().is_empty());
        if lines.count() <= 2 && !has_fence && self.recipe.core_code.is_none() {
            self.warn(
                FIELD,
                "The body has no code and hardly any text. Say how it is done and show it.",
            );
        }
    }

    fn sources(&mut self, lookup: &dyn SourceLookup) {
        const FIELD: &str = "reasoning.sources";
        let sources = &self.recipe.reasoning.sources;
        if sources.is_empty() {
            return;
        }
        for source in sources {
            if !source.stays_inside() {
                self.error(
                    FIELD,
                    format!(
                        "The source `{source}` leads out of the project. Name a path from its root."
                    ),
                );
            } else if lookup.exists(&source.path) == Some(false) {
                self.warn(
                    FIELD,
                    format!("The source `{}` does not exist.", source.path),
                );
            }
        }
        if !sources.iter().any(|source| source.path.contains('/')) {
            self.warn(
                FIELD,
                "No source names a folder. Give paths from the root of the project.",
            );
        }
    }
}
