//! How good the work on a dimension is. (mcp.md §8)

use std::collections::BTreeSet;

use asd_recipe::Recipe;

/// From this score on the work passes.
pub(crate) const PASS: f64 = 50.0;

/// What was handed in for a dimension.
#[derive(Debug)]
pub(crate) struct HandedIn<'a> {
    pub(crate) analysis: &'a str,
    pub(crate) recipes: &'a [&'a Recipe],
    /// Files that were named, those of recipes included.
    pub(crate) files: usize,
    /// Ids that no recipe has.
    pub(crate) rejected: usize,
}

/// The score and its parts, each 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Score {
    pub(crate) coverage: f64,
    pub(crate) evidence: f64,
    pub(crate) diversity: f64,
    pub(crate) coherence: f64,
}

impl Score {
    /// .3 coverage, .3 evidence, .2 diversity, .2 coherence.
    pub(crate) fn total(&self) -> f64 {
        0.3 * self.coverage + 0.3 * self.evidence + 0.2 * self.diversity + 0.2 * self.coherence
    }
}

/// The length of what a recipe says, in characters.
fn length(recipe: &Recipe) -> usize {
    let content = &recipe.content;
    [&content.markdown, &content.rationale, &recipe.usage_guide]
        .iter()
        .map(|text| text.trim().chars().count())
        .sum()
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, n), value| (sum + value, n + 1));
    if count == 0 { 0.0 } else { sum / count as f64 }
}

fn average_length(recipes: &[&Recipe]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "texts are far below 2^52")]
    mean(recipes.iter().map(|recipe| length(recipe) as f64))
}

/// The score of what was handed in.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn score(given: &HandedIn<'_>) -> Score {
    let recipes = given.recipes;
    let average = average_length(recipes);
    let has_code = |recipe: &Recipe| {
        let code = recipe.core_code.as_ref();
        code.is_some_and(|code| !code.text.trim().is_empty())
    };
    let with_code = mean(recipes.iter().map(|r| if has_code(r) { 1.0 } else { 0.0 }));
    let confidence = mean(
        recipes
            .iter()
            .map(|r| r.reasoning.confidence.unwrap_or(0.7)),
    );
    let of_length = if average > 400.0 {
        40.0
    } else {
        average / 10.0
    };
    let distinct = |of: &dyn Fn(&Recipe) -> String| {
        let values: BTreeSet<String> = recipes.iter().map(|recipe| of(recipe)).collect();
        values.len() as f64
    };
    let text = given.analysis.trim();
    let letters = text.chars().count() as f64;
    let mut coherence = if letters > 500.0 {
        30.0
    } else {
        letters / 17.0
    };
    let lines = || text.lines().map(str::trim_start);
    if lines().any(|line| line.starts_with('#')) {
        coherence += 25.0;
    }
    if lines().any(is_list_item) {
        coherence += 20.0;
    }
    if lines().any(|line| line.starts_with("```") || line.starts_with("~~~")) {
        coherence += 25.0;
    }
    Score {
        coverage: (20.0 * recipes.len() as f64 + 8.0 * given.files as f64).min(100.0),
        evidence: (of_length + 30.0 * with_code + 30.0 * confidence).min(100.0),
        diversity: (25.0 * distinct(&|r| r.knowledge_type.clone())
            + 15.0 * distinct(&|r| r.category.clone())
            + 20.0 * distinct(&|r| format!("{:?}", r.kind)))
        .min(100.0),
        coherence: coherence.min(100.0),
    }
}

fn is_list_item(line: &str) -> bool {
    if line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") {
        return true;
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
}

/// What would make it better, each a sentence.
pub(crate) fn hints(given: &HandedIn<'_>) -> Vec<String> {
    let mut hints = Vec::new();
    if given.recipes.len() < 3 {
        hints.push(format!(
            "{} recipes were submitted; three or more cover a dimension better.",
            given.recipes.len()
        ));
    }
    if given.files < 3 {
        hints.push(format!(
            "{} files were referenced; look at three or more before you say what the project does.",
            given.files
        ));
    }
    if !given.recipes.is_empty() && average_length(given.recipes) < 200.0 {
        hints.push(
            "The recipes are short: on average under 200 characters. Say when, how and why."
                .to_owned(),
        );
    }
    if given.analysis.trim().chars().count() < 200 {
        hints
            .push("The analysis is under 200 characters; say what you found and where.".to_owned());
    }
    if given.rejected > 0 {
        hints.push(format!(
            "{} of the submitted ids belong to no recipe; submit them again with \
             asd_submit_knowledge.",
            given.rejected
        ));
    }
    hints
}

#[cfg(test)]
mod tests {
    use asd_recipe::{Code, Content, Kind, Reasoning};

    use super::*;

    fn recipe(kind: Kind, text: usize) -> Recipe {
        Recipe {
            kind,
            knowledge_type: "best-practice".into(),
            category: "Network".into(),
            content: Content {
                markdown: "x".repeat(text),
                ..Content::default()
            },
            core_code: Some(Code {
                text: "f()".into(),
                ..Code::default()
            }),
            reasoning: Reasoning {
                confidence: Some(0.9),
                ..Reasoning::default()
            },
            ..Recipe::default()
        }
    }

    #[test]
    fn each_part_follows_its_formula() {
        let (one, two) = (recipe(Kind::Rule, 500), recipe(Kind::Fact, 500));
        let given = HandedIn {
            analysis: "# Title\n- one\n1. two\n```\ncode\n```\n",
            recipes: &[&one, &two],
            files: 3,
            rejected: 0,
        };
        let score = score(&given);
        assert!((score.coverage - 64.0).abs() < 1e-9);
        assert!((score.evidence - (40.0 + 30.0 + 27.0)).abs() < 1e-9);
        assert!((score.diversity - (25.0 + 15.0 + 40.0)).abs() < 1e-9);
        let letters = 35.0 - 1.0;
        assert!(
            (score.coherence - (letters / 17.0 + 70.0)).abs() < 0.1,
            "{score:?}"
        );
        let total = 0.3 * 64.0 + 0.3 * 97.0 + 0.2 * 80.0 + 0.2 * score.coherence;
        assert!((score.total() - total).abs() < 1e-9);
    }

    #[test]
    fn parts_are_at_most_a_hundred_and_nothing_is_nothing() {
        let all: Vec<Recipe> = (0..20).map(|_| recipe(Kind::Rule, 900)).collect();
        let all: Vec<&Recipe> = all.iter().collect();
        let much = HandedIn {
            analysis: "",
            recipes: &all,
            files: 90,
            rejected: 0,
        };
        assert!((score(&much).coverage - 100.0).abs() < 1e-9);
        let none = HandedIn {
            analysis: "",
            recipes: &[],
            files: 0,
            rejected: 0,
        };
        assert!(score(&none).total().abs() < 1e-9);
    }

    #[test]
    fn hints_say_what_is_lacking() {
        let short = recipe(Kind::Rule, 100);
        let given = HandedIn {
            analysis: "short",
            recipes: &[&short],
            files: 1,
            rejected: 2,
        };
        assert_eq!(hints(&given).len(), 5);
        let full: Vec<Recipe> = (0..3).map(|_| recipe(Kind::Rule, 300)).collect();
        let full: Vec<&Recipe> = full.iter().collect();
        let long = "a".repeat(250);
        let given = HandedIn {
            analysis: &long,
            recipes: &full,
            files: 3,
            rejected: 0,
        };
        assert_eq!(hints(&given), Vec::<String>::new());
    }
}
