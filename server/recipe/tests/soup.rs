//! Whatever bytes a file holds, reading it ends, and every place that is
//! reported can be shown.

use asd_recipe::{
    Home, Lifecycle, ProblemCode, Recipe, format, parse, patch_front_matter, to_markdown,
};
use asd_text::{Span, apply_edits};
use proptest::prelude::*;

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just("---\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        3 => Just("\n".to_owned()),
        1 => Just("\u{feff}".to_owned()),
        2 => Just("title: 缓存 🍪\n".to_owned()),
        2 => Just("trigger: @no-eval\n".to_owned()),
        2 => Just("trigger: \"@no-eval\"\n".to_owned()),
        2 => Just("guards:\n".to_owned()),
        2 => Just("  - pattern: 'a\\d'\n".to_owned()),
        2 => Just("  - ast: |\n      $A.b\n      c\n".to_owned()),
        1 => Just("    fix: {kind: remove, safe: yes}\n".to_owned()),
        1 => Just("    severity: warn # why\n".to_owned()),
        1 => Just("reasoning: {sources: [a/b.rs:1-2, ../x], confidence: 7}\n".to_owned()),
        1 => Just("relations:\n  depends_on: [\"@a\", {target: b}]\n  foo: x\n".to_owned()),
        1 => Just("_content: {\"markdown\": \"x \\ud83c\\udf6a\"}\n".to_owned()),
        1 => Just("tags: [a, b\n".to_owned()),
        1 => Just("tags: &x [a]\nheaders: *x\n".to_owned()),
        1 => Just("message: \"\\q\n".to_owned()),
        1 => Just("own: {a: [1, ~, 0x1f, 1.50, 007]}\n".to_owned()),
        1 => Just("# comment   \n".to_owned()),
        1 => Just("## Description\n".to_owned()),
        1 => Just("##   Core code ##\n".to_owned()),
        1 => Just("## Steps\n1. a\n\n   b\n\n   ```\n   c\n   ```\n".to_owned()),
        1 => Just("## Changes\n### f\n```\nx\n```\n".to_owned()),
        1 => Just("## Verification\nm\n### Test code\nx\n".to_owned()),
        1 => Just("## Pattern\n".to_owned()),
        1 => Just("## 其他\ntext  \nmore \n".to_owned()),
        1 => Just("```swift bad guard=x\nlet 🍪\n```\n".to_owned()),
        1 => Just("~~~~\n```\n".to_owned()),
        1 => Just("- item\n\n  ```js good\n  x\n  ```\n".to_owned()),
        1 => Just("\t".to_owned()),
        1 => "[ -~]{0,12}",
        1 => "[\\-:?!&*|>%@`'\"{}\\[\\],# \n\ta🍪]{0,10}",
        1 => any::<String>(),
    ]
}

fn file() -> impl Strategy<Value = String> {
    (any::<bool>(), prop::collection::vec(fragment(), 0..14)).prop_map(|(front, parts)| {
        let head = if front { "---\n" } else { "" };
        head.to_owned() + &parts.concat()
    })
}

fn check_span(text: &str, span: Span) {
    assert!(
        span.start <= span.end && span.end <= text.len(),
        "{span:?} of {}",
        text.len()
    );
    assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
}

fn check_file(text: &str) {
    let parsed = parse(text, Home::Recipes);
    for problem in &parsed.problems {
        check_span(text, problem.span);
        assert!(!problem.message.is_empty());
        if let Some(fix) = &problem.fix {
            for edit in &fix.edits {
                check_span(text, edit.span);
            }
            let mended = apply_edits(text, &fix.edits).expect("a fix does not overlap itself");
            assert_ne!(mended, text);
            for problem in parse(&mended, Home::Recipes).problems {
                check_span(&mended, problem.span);
            }
        }
    }
    for field in parsed.fields.values() {
        check_span(text, field.key);
        check_span(text, field.value);
    }
    for section in &parsed.sections {
        check_span(text, section.heading);
        check_span(text, section.whole);
    }
    for example in &parsed.examples {
        check_span(text, example.span);
        check_span(text, example.info_span);
    }
    if let Some(span) = parsed.front_matter {
        check_span(text, span);
    }
    if let Some(recipe) = &parsed.recipe {
        for guard in &recipe.constraints.guards {
            check_span(text, guard.spans.whole);
            check_span(text, guard.spans.pattern);
            assert!(
                guard
                    .spans
                    .pattern_text
                    .is_none_or(|at| text.is_char_boundary(at))
            );
        }
        for source in &recipe.reasoning.sources {
            check_span(text, source.span);
        }
        for relation in recipe.relations.values().flatten() {
            check_span(text, relation.span);
        }
    }
}

fn without_places(recipe: &Recipe) -> serde_json::Value {
    serde_json::to_value(recipe).expect("a recipe is JSON")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 1_000_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check_file(&text);
    }

    #[test]
    fn any_front_matter_is_read(text in any::<String>()) {
        check_file(&format!("---\n{text}\n---\n"));
    }

    #[test]
    fn any_mixture_of_what_recipes_hold_is_read(text in file()) {
        check_file(&text);
    }

    #[test]
    fn what_was_read_is_written_and_read_again(text in file()) {
        if let Some(recipe) = parse(&text, Home::Recipes).recipe {
            let written = to_markdown(&recipe);
            let again = parse(&written, Home::Candidates).recipe.expect("a recipe");
            prop_assert_eq!(without_places(&again), without_places(&recipe), "{}", written);
            prop_assert_eq!(to_markdown(&again), written);
        }
    }

    #[test]
    fn formatting_keeps_the_meaning_and_settles_at_once(text in file()) {
        let formatted = format(&text);
        prop_assert_eq!(format(&formatted), formatted.clone(), "{:?}", text);
        let before = parse(&text, Home::Recipes);
        let mut after = parse(&formatted, Home::Recipes);
        if let (Some(before), Some(after)) = (&before.recipe, &mut after.recipe) {
            after.hash.clone_from(&before.hash);
            prop_assert_eq!(without_places(after), without_places(before), "{:?}", formatted);
        }
        prop_assert_eq!(before.recipe.is_some(), after.recipe.is_some());
        let examples = |parsed: &asd_recipe::ParsedRecipe| {
            parsed.examples.iter().map(|e| (e.kind, e.text.clone(), e.guard.clone())).collect::<Vec<_>>()
        };
        prop_assert_eq!(examples(&before), examples(&after));
    }

    #[test]
    fn a_patch_changes_its_key_and_nothing_else(text in file()) {
        let changes = [
            ("lifecycle", Some(serde_json::json!("decaying"))),
            ("updatedAt", Some(serde_json::json!(7))),
            ("agentNotes", Some(serde_json::json!({"a": ["b: c"]}))),
        ];
        let Ok(edits) = patch_front_matter(&text, &changes) else {
            return Ok(());
        };
        let patched = apply_edits(&text, &edits).expect("edits do not overlap");
        let before = parse(&text, Home::Recipes);
        // Beside broken entries a patch does its best, no more.
        prop_assume!(before.problems.iter().all(|p| p.code != ProblemCode::FrontMatter));
        let mut before = before.recipe.expect("a recipe");
        let after = parse(&patched, Home::Recipes).recipe.expect("a recipe");
        before.lifecycle = Lifecycle::Decaying;
        before.updated_at = Some(7);
        before.extra.insert("agentNotes".into(), serde_json::json!({"a": ["b: c"]}));
        prop_assert_eq!(without_places(&after), without_places(&before), "{}", patched);
    }
}
