use std::sync::atomic::AtomicBool;

use super::*;

fn mined(files: &[(String, String)], min_support: usize) -> Vec<Candidate> {
    let options = MineOptions {
        min_support,
        ..MineOptions::default()
    };
    mine_texts(files, &options, &AtomicBool::new(false))
}

fn titled<'c>(candidates: &'c [Candidate], part: &str) -> Option<&'c Candidate> {
    candidates
        .iter()
        .find(|candidate| candidate.title.contains(part))
}

/// A client that wraps `fetch`, `used` files that call it, and `raw` files that
/// call `fetch` themselves.
fn clients(used: usize, raw: usize) -> Vec<(String, String)> {
    let mut files = vec![(
        "src/net/client.ts".to_owned(),
        "export function request(url: string) {\n  return fetch(url);\n}\n".to_owned(),
    )];
    for index in 0..used {
        files.push((
            format!("src/a/use{index}.ts"),
            format!("import {{ request }} from '../net/client';\n\nexport function load{index}() {{\n  return request('/a{index}');\n}}\n"),
        ));
    }
    for index in 0..raw {
        files.push((
            format!("src/b/raw{index}.ts"),
            format!("export function get{index}() {{\n  return fetch('/b{index}');\n}}\n"),
        ));
    }
    files
}

#[test]
fn a_wrapper_that_is_used_nearly_everywhere_is_found_with_its_outliers() {
    let found = mined(&clients(46, 2), MIN_SUPPORT);
    let candidate = titled(&found, "`request` is used instead of `fetch`").expect("the wrapper");
    assert_eq!(
        (candidate.witnesses.len(), candidate.outliers.len()),
        (46, 2)
    );
    assert_eq!(candidate.outliers[0].path, "src/b/raw0.ts");
    assert_eq!(candidate.outliers[0].line, 2);
    assert!((candidate.confidence - 0.86).abs() < 0.005);
    let GuardState::Exact(guard) = &candidate.guard else {
        panic!("{:?}", candidate.guard);
    };
    assert!(guard.fix.is_some());
    let recipe = candidate_recipe(candidate);
    assert!(
        recipe
            .content
            .markdown
            .contains("```typescript bad\nreturn fetch('/b0');\n```"),
        "{}",
        recipe.content.markdown
    );
    assert!(
        recipe
            .content
            .markdown
            .contains("```typescript good\nreturn request("),
        "{}",
        recipe.content.markdown
    );
}

#[test]
fn below_the_support_nothing_is_said() {
    assert!(titled(&mined(&clients(11, 0), MIN_SUPPORT), "`request`").is_none());
    assert!(titled(&mined(&clients(11, 0), 5), "`request`").is_some());
    assert!(titled(&mined(&clients(14, 6), MIN_SUPPORT), "`request`").is_none());
}

#[test]
fn a_candidate_is_a_recipe_that_could_be_published() {
    for candidate in mined(&clients(46, 2), MIN_SUPPORT) {
        let recipe = candidate_recipe(&candidate);
        let text = asd_recipe::to_markdown(&recipe);
        let read = asd_recipe::parse(&text, asd_recipe::Home::Candidates);
        let again = read.recipe.expect("it is a recipe");
        assert_eq!(again.source, "bootstrap");
        assert_eq!(again.lifecycle, asd_recipe::Lifecycle::Pending);
        assert_eq!(again.trigger, candidate.key);
        let exact = matches!(candidate.guard, GuardState::Exact(_));
        assert_eq!(again.constraints.guards.len(), usize::from(exact));
    }
}

#[test]
fn equal_files_give_equal_candidates_in_any_order() {
    let files = clients(20, 1);
    let mut turned = files.clone();
    turned.reverse();
    assert_eq!(mined(&files, MIN_SUPPORT), mined(&turned, MIN_SUPPORT));
}

#[test]
fn code_that_is_not_the_projects_own_is_no_evidence() {
    let moved: Vec<(String, String)> = clients(46, 0)
        .into_iter()
        .map(|(path, text)| (format!("vendor/{path}"), text))
        .collect();
    assert_eq!(mined(&moved, MIN_SUPPORT), Vec::new());
}

/// Modules that begin with a directive, and `without` that do not.
fn modules(with: usize, without: usize) -> Vec<(String, String)> {
    (0..with + without)
        .map(|index| {
            let head = if index < with {
                "from __future__ import annotations\n\n"
            } else {
                ""
            };
            (
                format!("app/m{index}.py"),
                format!("{head}VALUE = {index}\n"),
            )
        })
        .collect()
}

#[test]
fn a_directive_at_the_top_has_a_guard_for_the_files_without_it() {
    let found = mined(&modules(30, 1), MIN_SUPPORT);
    let candidate = titled(&found, "from __future__ import annotations").expect("the directive");
    assert_eq!(
        (candidate.witnesses.len(), candidate.outliers.len()),
        (30, 1)
    );
    assert!(
        matches!(candidate.guard, GuardState::Exact(_)),
        "{:?}",
        candidate.guard
    );
}

#[test]
fn classes_of_a_base_share_an_ending() {
    let files: Vec<(String, String)> = (0..20)
        .map(|index| {
            let name = if index == 7 {
                "Odd".to_owned()
            } else {
                format!("Kind{index}Field")
            };
            (
                format!("app/f{index}.py"),
                format!("class {name}(Field):\n    size = {index}\n"),
            )
        })
        .collect();
    let found = mined(&files, MIN_SUPPORT);
    let candidate = titled(&found, "`Field` are named `…Field`").expect("the ending");
    assert_eq!(candidate.outliers[0].path, "app/f7.py");
    assert!(
        matches!(candidate.guard, GuardState::Exact(_)),
        "{:?}",
        candidate.guard
    );
}

#[test]
fn an_overridden_method_that_always_calls_super_is_found() {
    let classes = |count: usize| -> Vec<(String, String)> {
        (0..count)
            .map(|index| {
                let call = if index == 3 {
                    "pass"
                } else {
                    "super().close()"
                };
                (
                    format!("app/c{index}.py"),
                    format!("class C{index}(Base):\n    def close(self):\n        {call}\n"),
                )
            })
            .collect()
    };
    let found = mined(&classes(16), MIN_SUPPORT);
    assert!(
        titled(&found, "`close` of a `Base`").is_none(),
        "15 of 16 is not sure enough"
    );
    let found = mined(&classes(24), MIN_SUPPORT);
    let candidate = titled(&found, "`close` of a `Base`").expect("the call");
    assert_eq!(candidate.outliers.len(), 1);
    assert!(
        matches!(candidate.guard, GuardState::Exact(_)),
        "{:?}",
        candidate.guard
    );
}

#[test]
fn a_guard_that_finds_more_than_the_outliers_is_left_out() {
    let mut files = clients(46, 2);
    // A method of the same name is no call of the platform's `fetch`.
    files.push((
        "src/b/other.ts".to_owned(),
        "function fetch(x: number) {\n  return x;\n}\nexport const y = fetch(1);\n".to_owned(),
    ));
    let found = mined(&files, MIN_SUPPORT);
    let candidate = titled(&found, "`request` is used instead of `fetch`");
    assert!(candidate.is_none_or(|candidate| matches!(candidate.guard, GuardState::Dropped(_))));
}
