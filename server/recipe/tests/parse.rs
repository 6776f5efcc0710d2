//! What a recipe file says, and what is wrong with it.

use asd_recipe::{
    AstGuard, ExampleKind, GuardKind, Home, Kind, Lifecycle, ParsedRecipe, ProblemCode, Recipe,
    RelationKind, Severity, parse,
};
use asd_text::apply_edits;
use expect_test::{Expect, expect};

fn read(text: &str) -> Recipe {
    parse(text, Home::Recipes).recipe.expect("a recipe")
}

/// Each problem with the text that it underlines and the title of its fix.
fn shown(text: &str, parsed: &ParsedRecipe) -> String {
    let mut out = String::new();
    for problem in &parsed.problems {
        out.push_str(&format!(
            "{} {} {:?}: {}\n",
            problem.severity.as_str(),
            problem.code.as_str(),
            problem.span.of(text),
            problem.message
        ));
        if let Some(fix) = &problem.fix {
            out.push_str(&format!("  fix: {}\n", fix.title));
        }
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&shown(text, &parse(text, Home::Recipes)));
}

/// The problems of a front matter, without those of missing fields.
fn check_fields(front: &str, expected: Expect) {
    let text = format!("---\n{front}---\n");
    let mut parsed = parse(&text, Home::Recipes);
    parsed
        .problems
        .retain(|problem| problem.code != ProblemCode::MissingField);
    expected.assert_eq(&shown(&text, &parsed));
}

const FULL: &str = include_str!("full.md");

#[test]
fn a_full_recipe_is_read_without_a_complaint() {
    check(FULL, expect![""]);
    let parsed = parse(FULL, Home::Recipes);
    let recipe = parsed.recipe.unwrap();
    assert_eq!(recipe.trigger, "@retry-queue-backoff");
    assert_eq!(recipe.kind, Kind::Rule);
    assert_eq!(
        recipe.reasoning.sources[0].to_string(),
        "src/net/retry.rs:10-48"
    );
    assert_eq!(
        recipe.reasoning.sources[0].span.of(FULL),
        "src/net/retry.rs:10-48"
    );
    assert_eq!(
        recipe.relations[&RelationKind::DependsOn][0].target,
        "@net-client-factory"
    );
    assert_eq!(
        recipe.relations[&RelationKind::DependsOn][0].span.of(FULL),
        "@net-client-factory"
    );
    assert_eq!(recipe.hash.as_deref(), Some("3f9a6c1be0d4487a"));
    assert_eq!(
        recipe.core_code.as_ref().unwrap().span.of(FULL),
        "queue.push(req, Attempts::new(3)).await?;"
    );
    let guard = &recipe.constraints.guards[0];
    assert_eq!(guard.id, "retry-queue-no-sleep-loop");
    assert_eq!(guard.severity, Severity::Error);
    assert_eq!(guard.languages, ["rust"]);
    assert_eq!(
        guard.spans.pattern.of(FULL),
        r"'loop\s*\{[^}]*thread::sleep'"
    );
    let start = guard.spans.pattern_text.unwrap();
    assert!(FULL[start..].starts_with(r"loop\s*"));
    assert_eq!(parsed.fields["reasoning.confidence"].value.of(FULL), "0.86");
    assert_eq!(parsed.fields["guards.0.severity"].key.of(FULL), "severity");
    let titles: Vec<&str> = parsed.sections.iter().map(|s| s.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Description",
            "Rationale",
            "Core code",
            "Usage guide",
            "Steps"
        ]
    );
}

#[test]
fn a_minimal_recipe_works_with_one_warning() {
    let text = "---\ntrigger: \"@no-eval\"\ntitle: No eval\ndo: Use JSON.parse\nguards:\n  - pattern: 'eval\\('\n---\n";
    check(
        text,
        expect![[r####"
        warning missing-field "---": The recipe works, but to be published it also needs the fields `knowledgeType`, `language`, `category`, `dimensionId`, `topicHint`, `description`, `when`, `dont`, `reasoning.whyStandard`, `reasoning.sources` and the sections `## Description`, `## Rationale`, `## Core code`, `## Usage guide`.
          fix: Add what is missing
    "####]],
    );
    let recipe = read(text);
    let guard = &recipe.constraints.guards[0];
    assert_eq!(guard.id, "no-eval");
    assert_eq!(guard.message, "No eval");
    assert_eq!(guard.fix_suggestion, "Use JSON.parse");
    assert_eq!(guard.severity, Severity::Warning);
    assert!(guard.languages.is_empty());
    assert_eq!(recipe.kind, Kind::Rule);
    assert_eq!(recipe.lifecycle, Lifecycle::Active);
    assert_eq!(
        parse(text, Home::Candidates).recipe.unwrap().lifecycle,
        Lifecycle::Pending
    );
}
