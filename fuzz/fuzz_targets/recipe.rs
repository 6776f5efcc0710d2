//! Any text may be given as a recipe file: nothing panics, every span lies in
//! the text, and what could be read survives being written and read again.
#![no_main]

use asd_recipe::{Home, parse, to_markdown};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = parse(text, Home::Recipes);
    for problem in &parsed.problems {
        assert!(text.get(problem.span.range()).is_some(), "a problem outside of the text: {problem:?}");
        for edit in problem.fix.iter().flat_map(|fix| &fix.edits) {
            assert!(text.get(edit.span.range()).is_some(), "a fix outside of the text: {problem:?}");
        }
    }
    for example in &parsed.examples {
        assert!(text.get(example.span.range()).is_some());
    }
    let _ = asd_recipe::content_hash(text);
    if let Some(recipe) = parsed.recipe {
        let once = to_markdown(&recipe);
        if let Some(again) = parse(&once, Home::Recipes).recipe {
            assert_eq!(once, to_markdown(&again), "writing is not stable");
        }
    }
});
