//! How good an entry is. The one scorer: nothing else gives a grade.
//! (knowledge.md §13)

use asd_recipe::{Recipe, is_known_language, normalise_trigger};
use serde::{Deserialize, Serialize};

use crate::prose;

/// The grades by the score from which on they are given, best first.
const GRADES: [(f64, Grade); 4] = [
    (0.85, Grade::A),
    (0.70, Grade::B),
    (0.55, Grade::C),
    (0.35, Grade::D),
];

/// A grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "grades need no words")]
pub enum Grade {
    A,
    B,
    C,
    D,
    F,
}

impl Grade {
    /// The grade of a score.
    #[must_use]
    pub fn of(overall: f64) -> Self {
        let grade = GRADES.iter().find(|(from, _)| overall >= *from);
        grade.map_or(Self::F, |(_, grade)| *grade)
    }
}

/// The score of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// From 0 to 1.
    pub overall: f64,
    /// Its grade.
    pub grade: Grade,
    /// What it is made of.
    pub dims: QualityDims,
}

/// The five parts of a score, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QualityDims {
    /// Whether every field is there, and long enough.
    pub completeness: f64,
    /// Whether the prose says something.
    pub content_depth: f64,
    /// Whether it can be delivered as it is.
    pub delivery_ready: f64,
    /// Whether one can act on it.
    pub actionability: f64,
    /// Whether one knows where it comes from.
    pub provenance: f64,
}

/// The confidence of an entry that states none.
pub const DEFAULT_CONFIDENCE: f64 = 0.7;

/// The score of an entry; `rating` is its authority from 0 to 5, where it has
/// one.
#[must_use]
pub fn quality(recipe: &Recipe, rating: Option<f64>) -> Quality {
    let dims = QualityDims {
        completeness: completeness(recipe),
        content_depth: content_depth(recipe),
        delivery_ready: delivery_ready(recipe),
        actionability: actionability(recipe),
        provenance: provenance(recipe, rating),
    };
    let overall = 0.25 * dims.completeness
        + 0.30 * dims.content_depth
        + 0.20 * dims.delivery_ready
        + 0.15 * dims.actionability
        + 0.10 * dims.provenance;
    let overall = overall.clamp(0.0, 1.0);
    Quality {
        overall,
        grade: Grade::of(overall),
        dims,
    }
}

/// What a text of a length is worth, at most `weight`.
#[expect(
    clippy::cast_precision_loss,
    reason = "the length of a text is far below 2^52"
)]
fn ramp(text: &str, min: usize, optimum: usize, weight: f64) -> f64 {
    let length = text.trim().chars().count();
    if length == 0 {
        0.0
    } else if length < min {
        0.2 * weight
    } else if length <= optimum {
        weight * (0.5 + 0.5 * length as f64 / optimum as f64)
    } else {
        weight
    }
}

/// What a number of things is worth, at most `most`.
#[expect(
    clippy::cast_precision_loss,
    reason = "the number of tags or sources is far below 2^52"
)]
fn count(n: usize, each: f64, most: f64) -> f64 {
    (n as f64 * each).min(most)
}

const fn given(present: bool, weight: f64) -> f64 {
    if present { weight } else { 0.0 }
}

fn code(recipe: &Recipe) -> &str {
    recipe.core_code.as_ref().map_or("", |code| &code.text)
}

fn length(text: &str) -> usize {
    text.trim().chars().count()
}

fn completeness(recipe: &Recipe) -> f64 {
    ramp(&recipe.title, 3, 40, 0.15)
        + given(length(&recipe.trigger) > 0, 0.15)
        + ramp(&recipe.description, 10, 60, 0.15)
        + ramp(&recipe.do_clause, 10, 50, 0.15)
        + ramp(&recipe.when_clause, 10, 50, 0.15)
        + ramp(code(recipe), 10, 200, 0.15)
        + given(length(&recipe.dont_clause) > 0, 0.10)
}

fn content_depth(recipe: &Recipe) -> f64 {
    let markdown = &recipe.content.markdown;
    let shape = prose::shape(markdown);
    let guide = recipe.usage_guide.trim();
    let own_guide = if guide == markdown.trim() { "" } else { guide };
    ramp(markdown, 50, 800, 0.30)
        + given(shape.has_heading, 0.08)
        + given(shape.has_fence, 0.08)
        + given(shape.has_list, 0.04)
        + ramp(&recipe.content.rationale, 10, 100, 0.15)
        + ramp(&recipe.reasoning.why_standard, 10, 100, 0.15)
        + count(recipe.reasoning.sources.len(), 0.03, 0.10)
        + ramp(own_guide, 20, 200, 0.10)
}

fn delivery_ready(recipe: &Recipe) -> f64 {
    let trigger = recipe.trigger.trim();
    let trigger = if asd_recipe::is_canonical_trigger(trigger) {
        0.25
    } else if trigger.chars().count() >= 2 && normalise_trigger(trigger).is_some() {
        0.15
    } else {
        0.0
    };
    let language = if is_known_language(&recipe.language) {
        0.25
    } else {
        0.10
    };
    trigger
        + language
        + given(length(&recipe.category) > 0, 0.20)
        + count(recipe.tags.len(), 0.04, 0.15)
        + count(recipe.headers.len(), 0.05, 0.15)
}

fn actionability(recipe: &Recipe) -> f64 {
    let code = match length(code(recipe)) {
        30..=500 => 0.30,
        10.. => 0.20,
        _ => given(prose::shape(&recipe.content.markdown).has_fence, 0.20),
    };
    let (does, donts) = (length(&recipe.do_clause), length(&recipe.dont_clause));
    let clause = match does {
        15..=200 => 0.25,
        5.. => 0.10,
        _ => 0.0,
    };
    let both = match (does > 0, donts > 0) {
        (true, true) => 0.20,
        (true, false) => 0.10,
        _ => 0.0,
    };
    let when = match length(&recipe.when_clause) {
        15.. => 0.25,
        5.. => 0.10,
        _ => 0.0,
    };
    code + clause + both + when
}

fn provenance(recipe: &Recipe, rating: Option<f64>) -> f64 {
    let confidence = recipe.reasoning.confidence.unwrap_or(DEFAULT_CONFIDENCE);
    let source = match recipe.source.as_str() {
        "manual" => 0.20,
        "mcp" => 0.15,
        "bootstrap" | "cursor-scan" => 0.10,
        _ => 0.0,
    };
    let rating = rating.map_or(0.0, |rating| (rating / 5.0).clamp(0.0, 1.0));
    confidence.clamp(0.0, 1.0) * 0.30
        + count(recipe.reasoning.sources.len(), 0.10, 0.30)
        + source
        + rating * 0.20
}

#[cfg(test)]
mod tests {
    use asd_recipe::{Code, SourceRef};
    use proptest::prelude::*;

    use super::*;

    fn full() -> Recipe {
        let mut recipe = Recipe {
            title: "RetryQueue is the only way to retry a call".into(),
            trigger: "@retry-queue".into(),
            description: "x".repeat(61),
            when_clause: "w".repeat(51),
            do_clause: "d".repeat(51),
            dont_clause: "Loop".into(),
            core_code: Some(Code {
                text: "c".repeat(201),
                ..Code::default()
            }),
            language: "rust".into(),
            category: "Network".into(),
            tags: vec!["a".into(); 4],
            headers: vec!["use a;".into(); 3],
            usage_guide: "g".repeat(201),
            source: "manual".into(),
            ..Recipe::default()
        };
        recipe.content.markdown = format!("### H\n- item\n```\nx\n```\n{}", "m".repeat(800));
        recipe.content.rationale = "r".repeat(101);
        recipe.reasoning.why_standard = "y".repeat(101);
        recipe.reasoning.confidence = Some(1.0);
        recipe.reasoning.sources = vec![SourceRef::parse("a/b.rs"); 4];
        recipe
    }

    #[test]
    fn nothing_is_missing_from_a_full_entry() {
        let score = quality(&full(), Some(5.0));
        assert!((score.overall - 1.0).abs() < 1e-9, "{score:?}");
        assert_eq!(score.grade, Grade::A);
    }

    #[test]
    fn an_empty_entry_fails() {
        let score = quality(&Recipe::default(), None);
        assert_eq!(score.grade, Grade::F);
        assert!(score.overall < 0.1);
        assert!((score.dims.provenance - 0.21).abs() < 1e-9);
    }

    #[test]
    fn there_is_one_scale_of_grades() {
        for (score, grade) in [
            (0.85, Grade::A),
            (0.849, Grade::B),
            (0.70, Grade::B),
            (0.55, Grade::C),
            (0.35, Grade::D),
            (0.349, Grade::F),
        ] {
            assert_eq!(Grade::of(score), grade, "{score}");
        }
    }

    #[test]
    fn a_ramp_rises_from_half_to_all() {
        let worth = |n: usize| ramp(&"x".repeat(n), 10, 50, 1.0);
        assert_eq!(worth(0), 0.0);
        assert_eq!(worth(9), 0.2);
        assert_eq!(worth(10), 0.6);
        assert_eq!(worth(50), 1.0);
        assert_eq!(worth(51), 1.0);
    }

    #[test]
    fn a_guide_that_repeats_the_description_counts_for_nothing() {
        let mut recipe = full();
        let before = quality(&recipe, None).dims.content_depth;
        recipe.usage_guide = recipe.content.markdown.clone();
        let after = quality(&recipe, None).dims.content_depth;
        assert!((before - after - 0.10).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn scores_are_from_nothing_to_all(
            title in ".{0,90}", markdown in "[#`a-z\n -]{0,900}", confidence in -2.0..3.0_f64,
            rating in proptest::option::of(-9.0..9.0_f64), sources in 0..9_usize,
        ) {
            let mut recipe = Recipe { title, ..full() };
            recipe.content.markdown = markdown;
            recipe.reasoning.confidence = Some(confidence);
            recipe.reasoning.sources = vec![SourceRef::parse("a/b"); sources];
            let score = quality(&recipe, rating);
            for part in [
                score.overall, score.dims.completeness, score.dims.content_depth,
                score.dims.delivery_ready, score.dims.actionability, score.dims.provenance,
            ] {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&part), "{part}");
            }
        }
    }
}
