//! `asd recipe` and what else looks at recipes.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{Project, recipe};

#[test]
fn a_new_recipe_passes_its_own_tests() {
    let project = Project::new(&[]);
    std::fs::create_dir_all(project.path("Alembic")).unwrap();
    let made = project.run(&["recipe", "new", "RetryQueue", "--language", "typescript"]);
    assert_eq!(made.code, 0, "{}", made.shown());
    assert_eq!(made.out.trim(), "Alembic/recipes/utility/retry-queue.md");
    let checked = project.run(&["recipe", "check"]);
    assert_eq!(checked.code, 0, "{}", checked.shown());
    let tested = project.run(&["guard", "test"]);
    assert_eq!(tested.code, 0, "{}", tested.shown());
    assert!(!tested.out.starts_with("Ran 0"), "{}", tested.shown());
    let again = project.run(&["recipe:new", "@retry-queue"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("exists already"), "{}", again.shown());
}

#[test]
fn a_failing_example_is_shown_and_fails_the_run() {
    let text = recipe("no-old", "oldCall", "") + "\n```typescript bad\nnewCall()\n```\n";
    let project = Project::new(&[("Alembic/recipes/a.md", &text)]);
    let run = project.run(&["guard", "test"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    assert!(run.out.contains("failing-example"), "{}", run.shown());
    assert!(
        run.out.contains("Alembic/recipes/a.md:13"),
        "{}",
        run.shown()
    );
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let project = Project::new(&[
        ("Alembic/recipes/a.md", &recipe("no-old", "old(", "")),
        ("Alembic/config.toml", "[guard]\ndisabledRule = []\n"),
    ]);
    let run = project.run(&["recipe", "check"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    assert!(
        run.out.contains("Alembic/config.toml:2:1"),
        "{}",
        run.shown()
    );
    assert!(
        run.out.contains("Did you mean `disabledRules`?"),
        "{}",
        run.shown()
    );
    assert!(run.out.contains("error[invalid-regex]"), "{}", run.shown());
    let json = project.json(&["recipe", "check", "--json", "Alembic/config.toml"]);
    assert_eq!(json["problems"][0]["code"], "unknown-key");
    assert_eq!(json["problems"][0]["line"], 2);
    let outside = project.run(&["recipe", "check", "Alembic/absent.md"]);
    assert_eq!(outside.code, 2);
}

#[test]
fn formatting_is_done_once_and_keeps_what_a_person_wrote() {
    let examples = "\n```typescript bad\noldCall()  \n```\n\n\n\n## Notes   \ntext";
    let untidy = recipe("no-old", "oldCall", "").replace("kind: rule", "kind: rule # always");
    let project = Project::new(&[
        ("Alembic/recipes/a.md", &(untidy + examples)),
        ("Alembic/recipes/c.md", "---\ntitle: [\n---\n"),
    ]);
    let name = "Alembic/recipes/a.md";
    let unchecked = project.run(&["recipe", "fmt", "--check", name]);
    assert_eq!(unchecked.code, 1, "{}", unchecked.shown());
    let done = project.run(&["recipe", "fmt"]);
    assert_eq!(done.code, 1, "one file is unreadable: {}", done.shown());
    assert_eq!(project.read("Alembic/recipes/c.md"), "---\ntitle: [\n---\n");
    let text = project.read(name);
    assert!(text.contains("kind: rule # always"), "{text}");
    assert!(
        text.contains("```typescript bad\noldCall()  \n```"),
        "{text}"
    );
    assert!(text.ends_with("text\n"), "{text}");
    let again = project.run(&["recipe", "fmt", name]);
    assert_eq!(again.code, 0, "{}", again.shown());
    assert_eq!(project.read(name), text);
    assert_eq!(project.run(&["recipe", "fmt", "--check", name]).code, 0);
    assert_eq!(project.run(&["guard", "test", name]).code, 0);
}

#[test]
fn recipes_are_found_in_both_languages() {
    let chinese = recipe("cookie-di", "HTTPCookieStorage", "")
        .replace("title: About cookie-di", "title: 注入 Cookie 存储");
    let project = Project::new(&[
        ("Alembic/recipes/a.md", &chinese),
        ("Alembic/recipes/b.md", &recipe("retry-queue", "x", "")),
    ]);
    let found = project.run(&["recipe", "list", "存储"]);
    assert_eq!(found.out, "@cookie-di  注入 Cookie 存储\n");
    let shown = project.run(&["recipe", "show", "CookieDI"]);
    assert!(shown.out.contains("HTTPCookieStorage"), "{}", shown.shown());
    let unknown = project.run(&["recipe", "show", "@cookie"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("@cookie-di"), "{}", unknown.shown());
}

#[test]
fn rules_are_listed_and_explained() {
    let project = Project::new(&[
        ("Alembic/recipes/a.md", &recipe("no-old", "oldCall", "")),
        (
            "Alembic/config.toml",
            "[guard]\ndisabledRules = ['no-old']\n",
        ),
    ]);
    let rules = project.json(&["guard", "rules", "--json", "--rules", "recipe"]);
    assert_eq!(rules[0]["id"], "no-old");
    assert_eq!(rules[0]["source"], "recipe");
    assert_eq!(rules[0]["enabled"], false);
    let told = project.run(&["guard", "explain", "no-old"]);
    assert!(told.out.contains("@no-old"), "{}", told.shown());
    assert_eq!(project.run(&["guard", "explain", "nobody"]).code, 2);
}

#[test]
fn schemas_completions_and_help_are_printed() {
    let project = Project::new(&[]);
    let schema = project.json(&["config", "schema"]);
    assert!(schema["properties"]["guard"].is_object());
    let schema = project.json(&["recipe", "schema"]);
    assert!(schema["properties"]["guards"].is_object());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = project.run(&["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(script.out.contains("asd"));
    }
    let version = project.run(&["--version"]);
    assert_eq!(version.out, format!("asd {}\n", env!("CARGO_PKG_VERSION")));
    let help = project.run(&["--help"]);
    assert!(help.out.contains("Examples:"), "{}", help.shown());
}

#[test]
fn a_place_is_no_trigger() {
    let project = Project::new(&[("Alembic/recipes/_x.md", "")]);
    for trigger in ["../../xy", "a/b", "a\\b", "缓存"] {
        let run = project.run(&["recipe", "new", trigger]);
        assert_eq!(run.code, 2, "{}", run.shown());
        assert!(run.err.contains("is no trigger"), "{}", run.shown());
    }
}
