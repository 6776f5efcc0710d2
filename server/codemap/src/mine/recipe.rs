//! A convention as a recipe that awaits review.

use std::fmt::Write as _;
use std::sync::Arc;

use asd_guard::{GuardOptions, RuleSet, SourceFilter};
use asd_recipe::{
    Code, Content, Home, Kind, Lifecycle, Reasoning, Recipe, Scope, SourceRef, parse, to_markdown,
};
use serde_json::json;

use super::candidate::{Candidate, Example, GuardState, MinedPlace};

/// How many places are named in the text.
const NAMED: usize = 10;
/// How many sources are given.
const SOURCES: usize = 5;

/// A candidate as a pending recipe. Its examples are its tests where its guard
/// agrees with them.
#[must_use]
pub fn candidate_recipe(candidate: &Candidate) -> Recipe {
    let mut recipe = without_examples(candidate);
    let shown = |example: &Example, kind: &str| {
        format!(
            "\n\n```{}{kind}\n{}\n```",
            candidate.language.id(),
            example.text.trim_end()
        )
    };
    let plain = recipe.content.markdown.clone();
    let mut good: Vec<&Example> = candidate.good.iter().collect();
    let mut bad: Vec<&Example> = candidate.bad.iter().collect();
    if matches!(candidate.guard, GuardState::Exact(_)) {
        let holds = |kind: &str, example: &Example| {
            let mut tried = recipe.clone();
            tried.content.markdown = format!("{plain}{}", shown(example, kind));
            examples_hold(&tried)
        };
        good.retain(|example| holds(" good", example));
        bad.retain(|example| holds(" bad", example));
        for example in bad {
            recipe.content.markdown += &shown(example, " bad");
        }
        for example in good {
            recipe.content.markdown += &shown(example, " good");
        }
    } else {
        for (label, list) in [("Instead of:", bad), ("As here:", good)] {
            if !list.is_empty() {
                recipe.content.markdown += "\n\n";
                recipe.content.markdown += label;
                for example in list {
                    recipe.content.markdown += &shown(example, "");
                }
            }
        }
    }
    recipe
}

fn without_examples(candidate: &Candidate) -> Recipe {
    let language = candidate.language.id().to_owned();
    let kept = candidate.witnesses.len();
    let broken = candidate.outliers.len();
    let all = kept + broken;
    let mut markdown = format!(
        "{}. Counted in the code of this project: {kept} of {all} {} follow this",
        candidate.title, candidate.unit
    );
    match broken {
        0 => markdown.push_str(", none does otherwise.\n"),
        1 => markdown.push_str(", one does otherwise.\n"),
        more => {
            let _ = writeln!(markdown, ", {more} do otherwise.");
        }
    }
    markdown.push_str("\nWhere it is done:\n");
    list(&mut markdown, &candidate.witnesses);
    if broken > 0 {
        markdown.push_str("\nWhere it is not:\n");
        list(&mut markdown, &candidate.outliers);
    }
    let mut recipe = Recipe {
        title: candidate.title.clone(),
        description: format!(
            "{} ({kept} of {all} {}).",
            candidate.do_clause, candidate.unit
        ),
        trigger: candidate.key.clone(),
        kind: Kind::Rule,
        knowledge_type: "code-style".to_owned(),
        language: language.clone(),
        category: "general".to_owned(),
        dimension_id: Some(candidate.dimension.to_owned()),
        scope: Scope::ProjectSpecific,
        tags: vec!["mined".to_owned(), candidate.miner.to_owned()],
        when_clause: candidate.when.clone(),
        do_clause: candidate.do_clause.clone(),
        dont_clause: candidate.dont_clause.clone(),
        usage_guide: format!(
            "### When it applies\n{}.\n\n### What to do\n{}. Do not: {}.",
            candidate.when,
            candidate.do_clause,
            lower_first(&candidate.dont_clause)
        ),
        content: Content {
            markdown: markdown.trim_end().to_owned(),
            rationale: format!(
                "This is what the code does already. With 95 % certainty the habit holds for at least {:.0} % of such {} (the lower end of Wilson's interval for {kept} of {all}).",
                (candidate.confidence * 100.0).floor(),
                candidate.unit
            ),
            ..Content::default()
        },
        reasoning: Reasoning {
            why_standard: format!("{kept} of {all} {} in this project do it", candidate.unit),
            sources: candidate
                .witnesses
                .iter()
                .take(SOURCES)
                .map(source)
                .collect(),
            confidence: Some((candidate.confidence * 100.0).round() / 100.0),
            ..Reasoning::default()
        },
        lifecycle: Lifecycle::Pending,
        source: "bootstrap".to_owned(),
        ..Recipe::default()
    };
    for (name, value) in [("evidenceFor", kept), ("evidenceAgainst", broken)] {
        recipe
            .reasoning
            .quality_signals
            .insert(name.to_owned(), json!(value));
    }
    if let Some(example) = candidate.good.first() {
        recipe.core_code = Some(Code {
            language,
            text: example.text.clone(),
            ..Code::default()
        });
    }
    if let GuardState::Exact(guard) = &candidate.guard {
        recipe.constraints.guards.push((**guard).clone());
    }
    recipe
}

fn list(out: &mut String, places: &[MinedPlace]) {
    for place in places.iter().take(NAMED) {
        let _ = writeln!(out, "- `{}:{}`", place.path, place.line);
    }
    if let Some(more) = places.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let _ = writeln!(out, "- and {more} more");
    }
}

fn source(place: &MinedPlace) -> SourceRef {
    SourceRef {
        path: place.path.clone(),
        lines: Some((place.line, place.end_line)),
        ..SourceRef::default()
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

/// Whether the examples in a recipe agree with its guards.
fn examples_hold(recipe: &Recipe) -> bool {
    let file = parse(&to_markdown(recipe), Home::Candidates);
    let Some(read) = file.recipe else {
        return false;
    };
    let mut active = read.clone();
    active.lifecycle = Lifecycle::Active;
    let options = GuardOptions {
        sources: SourceFilter::Recipe,
        ..GuardOptions::default()
    };
    let (rules, _) = RuleSet::build(&[("".into(), Arc::new(active.clone()))], &options, None);
    !file.examples.is_empty() && rules.check_examples(&active, &file.examples).is_empty()
}
