//! The file that a person begins a recipe with.

use crate::names::normalise_trigger;
use crate::yaml::scalar;
use crate::{Lifecycle, canonical_language};

/// What is known of a recipe before it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRecipe<'a> {
    /// The trigger, in any form; an example when empty.
    pub trigger: &'a str,
    /// The title; made from the trigger when empty.
    pub title: &'a str,
    /// The language; `all` when empty.
    pub language: &'a str,
    /// The dimension, when it is known.
    pub dimension: Option<&'a str>,
    /// Where it begins its life.
    pub lifecycle: Lifecycle,
}

/// The text of a new recipe: every field that an author fills, with what it is
/// for, and a guard with its examples. It reads without a problem but those
/// that the author still has to solve.
#[must_use]
pub fn new_recipe_text(new: &NewRecipe<'_>) -> String {
    let trigger = normalise_trigger(new.trigger)
        .or_else(|| normalise_trigger(new.title))
        .unwrap_or_else(|| "@my-rule".into());
    let title = if new.title.trim().is_empty() {
        title_of(&trigger)
    } else {
        new.title.trim().to_owned()
    };
    let language = match new.language.trim() {
        "" => "all",
        name => canonical_language(name).unwrap_or(name),
    };
    let fence = if language == "all" { "" } else { language };
    let space = if fence.is_empty() { "" } else { " " };
    let dimension = match new.dimension {
        Some(dimension) => format!("dimensionId: {}", scalar(dimension)),
        None => "# dimensionId: error-resilience   # the part of the knowledge that it belongs to"
            .into(),
    };
    let trigger = scalar(&trigger);
    let title = scalar(&title);
    let lifecycle = new.lifecycle.name();
    let language = scalar(language);
    format!(
        r#"---
title: {title}
trigger: {trigger}   # the unique name; people and agents call the recipe by it
kind: rule   # rule: must be kept · pattern: a way of doing something · fact
knowledgeType: best-practice
lifecycle: {lifecycle}   # guards are checked in staging, active, evolving and decaying
language: {language}
category: Utility   # View Service Tool Model Network Storage UI Utility, or a dimension
{dimension}
# topicHint: conventions   # networking ui data architecture conventions
tags: []
description: One sentence that says what this is about
when: The situation in which it applies
do: What to do, as an instruction
dont: What not to do, without a leading "don't"
headers: []   # import lines that the core code needs
reasoning:
  whyStandard: Why it is done this way here
  sources: [path/to/a/file.ext]   # where it was seen; :10-48 behind a path names lines
  confidence: 0.7
guards:
  # A regular expression, in single quotes. Or a code pattern: ast: old_call($A)
  - pattern: 'old_call\('
    severity: warning   # info, warning or error
    message: What is wrong, in one sentence
    fix: new_call(
---

## Description

Say what the rule is and show where it comes from, for example
`path/to/a/file.ext`. A published recipe has at least 200 characters here.

The blocks below are the tests of the guard: it must fire in a `bad` one and not
in a `good` one, and its fix must turn a `bad` one into the `fixed` one behind it.

```{fence}{space}bad
old_call(1)
```

```{fence}{space}fixed
new_call(1)
```

```{fence}{space}good
other_call(1)
```

## Rationale

Why it is so: what went wrong before, what it protects.

## Core code

```{fence}
new_call(1)
```

## Usage guide

### When it does not apply

Name the exceptions.
"#
    )
}

/// `Retry queue backoff` for `@retry-queue-backoff`.
fn title_of(trigger: &str) -> String {
    let words = trigger.trim_start_matches('@').replace('-', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + chars.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExampleKind, Home, ProblemCode, Severity, format, parse};

    #[test]
    fn a_new_recipe_reads_without_a_mistake() {
        for new in [
            NewRecipe::default(),
            NewRecipe {
                trigger: "RetryQueue backoff",
                title: "缓存: 必须经过 CacheStore",
                language: "Objective-C",
                dimension: Some("error-resilience"),
                lifecycle: Lifecycle::Active,
            },
        ] {
            let text = new_recipe_text(&new);
            let parsed = parse(&text, Home::Candidates);
            let wrong: Vec<_> = parsed
                .problems
                .iter()
                .filter(|p| p.severity > Severity::Warning || p.code != ProblemCode::MissingField)
                .collect();
            assert!(wrong.is_empty(), "{wrong:#?}");
            let recipe = parsed.recipe.unwrap();
            assert_eq!(recipe.lifecycle, new.lifecycle);
            assert_eq!(recipe.constraints.guards.len(), 1);
            let kinds: Vec<ExampleKind> = parsed.examples.iter().map(|e| e.kind).collect();
            assert_eq!(
                kinds,
                [ExampleKind::Bad, ExampleKind::Fixed, ExampleKind::Good]
            );
            assert_eq!(format(&text), text);
        }
    }

    #[test]
    fn what_is_known_is_filled_in() {
        let text = new_recipe_text(&NewRecipe {
            trigger: "net monitor",
            language: "ts",
            ..NewRecipe::default()
        });
        let recipe = parse(&text, Home::Recipes).recipe.unwrap();
        assert_eq!(recipe.trigger, "@net-monitor");
        assert_eq!(recipe.title, "Net monitor");
        assert_eq!(recipe.constraints.guards[0].languages, ["typescript"]);
        assert!(text.contains("```typescript bad\n"));
    }
}
