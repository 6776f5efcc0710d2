//! Any text may be checked in any language with any guards: nothing panics and
//! every finding lies in the text.
#![no_main]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{GuardOptions, RuleSet, Target};
use asd_recipe::{Home, parse};
use asd_syntax::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str, &str)| {
    let (language, recipe, text) = input;
    let language = Language::all()[usize::from(language) % Language::all().len()];
    let recipe = format!(
        "---\ntrigger: \"@a\"\ntitle: A\ndo: B\nlanguage: {}\nguards:\n  - pattern: {recipe}\n    fix: \"$1\"\n---\n",
        language.id()
    );
    let recipes: Vec<_> =
        parse(&recipe, Home::Recipes).recipe.into_iter().map(|recipe| (Arc::from("a.md"), Arc::new(recipe))).collect();
    let (rules, _) = RuleSet::build(&recipes, &GuardOptions::default(), None);
    let target = Target { path: Some("a.x"), text, language, previous: None };
    let cancel = AtomicBool::new(false);
    if let Ok(report) = rules.check(&target, &cancel) {
        for finding in &report.findings {
            assert!(text.get(finding.span.range()).is_some(), "a finding outside of the text: {finding:?}");
        }
    }
    let _ = rules.fix_all(&target, &|finding| finding.fix.as_ref().is_some_and(|fix| fix.safe), &cancel);
});
