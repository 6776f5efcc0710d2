use std::fmt::Write as _;

use asd_text::{Encoding, LineEnding};
use expect_test::expect;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{CodeAction, CodeActionOrCommand};

use super::resolve;
use crate::fixture::{GOES_ON, World, check, check_with, full_client};

/// Two rules: one deletes a word, one replaces a callee.
const RULES: &str = r#"
//- /Alembic/recipes/no-todo.md closed raw
---
title: No open ends
trigger: "@no-todo"
kind: rule
lifecycle: active
language: all
do: Delete the word
guards:
  - pattern: 'TODO '
    matchIn: text
    fix: { template: "", safe: true }
---
//- /Alembic/recipes/no-tracer.md closed raw
---
title: Log through the logger
trigger: "@no-tracer"
kind: rule
lifecycle: active
language: typescript
do: Call `logger.debug`
guards:
  - ast: tracer.log($$$ARGS)
    fix: { template: "logger.debug($$$ARGS)", safe: true }
---

## Core code
```ts
logger.debug("what happened", { $0: `${x}` });
```
"#;

pub(super) fn in_file(text: &str) -> String {
    format!("{RULES}{text}")
}

#[test]
fn a_finding_offers_its_fix_and_its_suppressions() {
    check(
        &in_file("//- /a.ts\n/* 🦀 */ tracer.l$0og(1)\n"),
        &expect![[r#"
            quickfix: Fix: Call `logger.debug` *
            quickfix: Ignore on this line: no-tracer
            quickfix: Ignore in this file: no-tracer
            quickfix: Ignore in guard-exclusions.json: no-tracer
            quickfix: Not a violation (false positive): no-tracer
            refactor: Insert recipe skeleton: @no-tracer
            source.fixAll.asd: Fix all safe findings
        "#]],
        |world| world.titles(&json!({})),
    );
}

#[test]
fn the_fix_changes_only_the_call() {
    check(
        &in_file("//- /a.ts\n/* 🦀 */ tracer.l$0og( 1 /* one */ )  // 饼干\n"),
        &expect![[r#"
            //- /a.ts
            /* 🦀 */ logger.debug( 1 /* one */ )  // 饼干
        "#]],
        |world| world.act("Fix: "),
    );
}

#[test]
fn a_client_without_document_changes_gets_plain_ones() {
    let mut client = full_client();
    client["workspace"]["workspaceEdit"] = json!({});
    check_with(
        &in_file("//- /a.ts\ntracer.l$0og(1)\n"),
        &client,
        &expect![[r#"
            unversioned
            //- /a.ts
            logger.debug(1)
        "#]],
        |world| world.act("Fix: "),
    );
}

#[test]
fn all_findings_of_a_rule_are_fixed_at_once() {
    check(
        &in_file("//- /a.ts\ntracer.l$0og(1)\ntracer.log(tracer.log(2))\n// TODO x\n"),
        &expect![[r#"
            //- /a.ts
            logger.debug(1)
            logger.debug(logger.debug(2))
            // TODO x
        "#]],
        |world| world.act("Fix all: no-tracer"),
    );
}

#[test]
fn the_source_action_fixes_everything_safe_and_once() {
    check(
        &in_file("//- /a.ts\ntracer.log(1) // TODO TODO x$0\ntracer.log(tracer.log(2))\n"),
        &expect![[r#"
            Fix all safe findings
            //- /a.ts
            logger.debug(1) // x
            logger.debug(logger.debug(2))
        "#]],
        |world| {
            let asked = json!({ "only": ["source.fixAll"] });
            let actions = world.actions(&asked);
            let fixed = actions.iter().map(|action| {
                let edit = world.resolved(action).edit.expect("an edit");
                format!("{}\n{}", action.title, world.apply(&edit))
            });
            fixed.collect()
        },
    );
}

#[test]
fn two_findings_on_a_line_do_not_double_the_actions() {
    check(
        &in_file("//- /a.ts\n$0tracer.log(1); tracer.log(1);$0\n"),
        &expect![[r#"
            quickfix: Fix: Call `logger.debug` *
            quickfix: Fix: Call `logger.debug` *
            quickfix: Fix all: no-tracer
            quickfix: Ignore on this line: no-tracer
            quickfix: Ignore in this file: no-tracer
            quickfix: Ignore in guard-exclusions.json: no-tracer
            quickfix: Not a violation (false positive): no-tracer
            refactor: Insert recipe skeleton: @no-tracer
            refactor: Create recipe from selection
            source.fixAll.asd: Fix all safe findings
            --- only quickfix
            quickfix: Fix: Call `logger.debug` *
            quickfix: Fix: Call `logger.debug` *
            quickfix: Fix all: no-tracer
            quickfix: Ignore on this line: no-tracer
            quickfix: Ignore in this file: no-tracer
            quickfix: Ignore in guard-exclusions.json: no-tracer
            quickfix: Not a violation (false positive): no-tracer
        "#]],
        |world| {
            let foreign = json!([
                { "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 3 } },
                  "source": "eslint", "code": "no-tracer", "message": "x" },
                { "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 3 } },
                  "source": "other", "message": "y" },
            ]);
            let all = world.titles(&json!({ "diagnostics": foreign }));
            let quick = world.titles(&json!({ "diagnostics": foreign, "only": ["quickfix"] }));
            format!("{all}--- only quickfix\n{quick}")
        },
    );
}

#[test]
fn a_line_without_findings_offers_no_quick_fix() {
    check(
        &in_file("//- /a.ts\ntracer.log(1)\nlet x$0 = 1\n"),
        &expect![""],
        |world| {
            let foreign = json!([{
                "range": { "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 } },
                "source": "eslint", "message": "x",
            }]);
            world.titles(&json!({ "diagnostics": foreign }))
        },
    );
}

#[test]
fn kinds_that_are_not_asked_for_are_left_out() {
    check(
        &in_file("//- /a.ts\ntracer.l$0og(1)\n"),
        &expect![[r#"
            --- refactor
            refactor: Insert recipe skeleton: @no-tracer
            --- source
            source.fixAll.asd: Fix all safe findings
            --- source.fixAll.eslint
            --- quickfix.other
            --- refactor.extract
            --- automatic
            quickfix: Fix: Call `logger.debug` *
            quickfix: Ignore on this line: no-tracer
            quickfix: Ignore in this file: no-tracer
            quickfix: Ignore in guard-exclusions.json: no-tracer
            quickfix: Not a violation (false positive): no-tracer
            source.fixAll.asd: Fix all safe findings
        "#]],
        |world| {
            let mut said = String::new();
            for kind in [
                "refactor",
                "source",
                "source.fixAll.eslint",
                "quickfix.other",
                "refactor.extract",
            ] {
                let titles = world.titles(&json!({ "only": [kind] }));
                let _ = write!(said, "--- {kind}\n{titles}");
            }
            let _ = write!(
                said,
                "--- automatic\n{}",
                world.titles(&json!({ "triggerKind": 2 }))
            );
            said
        },
    );
}

#[test]
fn our_diagnostics_come_back_in_any_shape() {
    check(
        &in_file("//- /a.ts\ntracer.l$0og(1)\n"),
        &expect![[r#"
            quickfix: Fix: Call `logger.debug` *
            quickfix: Ignore on this line: no-tracer
            quickfix: Ignore in this file: no-tracer
            quickfix: Ignore in guard-exclusions.json: no-tracer
            quickfix: Not a violation (false positive): no-tracer
        "#]],
        |world| {
            let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 14 } });
            let echoed: Vec<Value> = [json!(null), json!("text"), json!({ "schema": 99 }), json!([1])]
                .into_iter()
                .map(|data| json!({
                    "range": range, "source": "asd", "code": "no-tracer", "message": "x", "data": data,
                }))
                .collect();
            world.titles(&json!({ "diagnostics": echoed, "only": ["quickfix"] }))
        },
    );
}

#[test]
fn actions_that_are_not_ours_come_back_as_they_are() {
    check(
        &in_file("//- /a.ts\ntracer.l$0og(1)\n"),
        &expect!["5 came back"],
        |world| {
            let mut count = 0;
            for data in [
                None,
                Some(json!("text")),
                Some(json!({ "schema": 99 })),
                Some(json!({ "schema": 1, "uri": "file:///a.ts" })),
                Some(
                    json!({ "schema": 1, "uri": world.uri("closed.ts"), "version": 1, "task": { "kind": "fixAll" } }),
                ),
            ] {
                let action = CodeAction {
                    title: "x".into(),
                    data,
                    ..CodeAction::default()
                };
                assert_eq!(
                    resolve(&world.snapshot, action.clone(), &GOES_ON).unwrap(),
                    action
                );
                count += 1;
            }
            format!("{count} came back")
        },
    );
}

/// Resolves the actions of one text in another.
pub(super) fn resolved_later(before: &str, after: &str, title: &str) -> String {
    let world = |text: &str| {
        World::new(
            &in_file(text),
            &full_client(),
            Encoding::Utf16,
            LineEnding::Lf,
        )
    };
    let (old, new) = (world(before), world(after));
    let action = old
        .actions(&json!({}))
        .into_iter()
        .find(|action| action.title.starts_with(title));
    let mut action = action.expect("an action");
    // The document is the same one, with an older version.
    let data = action.data.as_mut().expect("data");
    data["uri"] = json!(new.uri("a.ts"));
    data["version"] = json!(6);
    match resolve(&new.snapshot, action, &GOES_ON).unwrap().edit {
        Some(edit) => new.apply(&edit),
        None => "no edit".to_owned(),
    }
}

#[test]
fn a_stale_action_is_made_anew_where_its_finding_still_is() {
    expect![[r#"
        //- /a.ts
        // 饼干

        logger.debug(1)
    "#]]
    .assert_eq(&resolved_later(
        "//- /a.ts\ntracer.l$0og(1)\n",
        "//- /a.ts\n// 饼干\n\ntracer.l$0og(1)\n",
        "Fix: ",
    ));
}

#[test]
fn a_stale_action_without_its_finding_has_no_edit() {
    expect!["no edit"].assert_eq(&resolved_later(
        "//- /a.ts\ntracer.l$0og(1)\n",
        "//- /a.ts\nlogger.deb$0ug(1)\n",
        "Fix: ",
    ));
}

#[test]
fn a_fix_that_looks_like_a_snippet_is_plain_text() {
    let fixture = r#"
//- /Alembic/recipes/dollar.md closed raw
---
title: Dollars
trigger: "@dollar"
lifecycle: active
language: typescript
do: Use good
guards:
  - pattern: 'bad\((.*)\)'
    matchIn: text
    fix: 'good($1)'
---
//- /a.ts raw
bad("$0 ${x} \$")
//- /b.ts
$0
"#;
    check(
        fixture,
        &expect![[r#"
        //- /a.ts
        good("$0 ${x} \$")
    "#]],
        |world| {
            let params = world.params(&json!({
            "textDocument": { "uri": world.uri("a.ts") },
            "range": { "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 1 } },
            "context": { "diagnostics": [] },
        }));
            let actions = super::code_action(&world.snapshot, params, &GOES_ON)
                .unwrap()
                .unwrap();
            let fixes = actions.iter().filter_map(|action| match action {
                CodeActionOrCommand::CodeAction(action) if action.title.starts_with("Fix: ") => {
                    action.edit.as_ref()
                }
                _ => None,
            });
            fixes.map(|edit| world.apply(edit)).collect()
        },
    );
}

#[test]
fn problems_of_a_recipe_have_their_ways_out() {
    check(
        &in_file(
            "//- /Alembic/recipes/x.md\n---\ntitle: X rule\ntrigger: \"@x-rule\"\nknd$0: rule\ndo: It\n---\n",
        ),
        &expect![[r#"
            quickfix: Change to `kind` *
        "#]],
        |world| world.titles(&json!({})),
    );
}

#[test]
fn positions_out_of_the_text_are_clamped() {
    check(
        &in_file("//- /a.ts\nlet 🍪 = 1$0\n"),
        &expect![""],
        |world| {
            let mut said = String::new();
            for position in world.far_away() {
                let params = world.params(&json!({
                    "range": { "start": position, "end": position },
                    "context": { "diagnostics": [] },
                }));
                let actions = super::code_action(&world.snapshot, params, &GOES_ON).unwrap();
                let _ = write!(
                    said,
                    "{}",
                    actions.map_or(String::new(), |a| format!("{a:?}").replace("[]", ""))
                );
            }
            said
        },
    );
}

/// Three safe fixes and two that are not, one of each around another.
const MIXED: &str = r#"
//- /Alembic/recipes/outer.md closed raw
---
title: Outer
trigger: "@outer"
lifecycle: active
language: typescript
do: Call `wrapped`
guards:
  - ast: outer($A)
    fix: { template: "wrapped($A)", safe: true }
---
//- /Alembic/recipes/inner.md closed raw
---
title: Inner
trigger: "@inner"
lifecycle: active
language: typescript
do: Call `core`
guards:
  - ast: inner($A)
    fix: { template: "core($A)", safe: true }
---
//- /Alembic/recipes/risky.md closed raw
---
title: Risky
trigger: "@risky"
lifecycle: active
language: typescript
do: Call `calm`
guards:
  - ast: risky($A)
    fix: calm($A)
---
"#;

fn all_fixed(world: &World) -> String {
    let asked = json!({ "only": ["source.fixAll.asd"] });
    match world.actions(&asked).first() {
        None => "nothing to fix".to_owned(),
        Some(action) => {
            let edit = world.resolved(action).edit.expect("an edit");
            world.apply(&edit)
        }
    }
}

#[test]
fn safe_fixes_are_applied_inside_each_other_and_risky_ones_are_not() {
    check(
        &format!("{MIXED}//- /a.ts\n$0outer(inner(1)) // 饼干 🍪\nrisky(inner(2))\nrisky(3)\n"),
        &expect![[r#"
            //- /a.ts
            wrapped(core(1)) // 饼干 🍪
            risky(core(2))
            risky(3)
        "#]],
        all_fixed,
    );
}

#[test]
fn a_second_run_of_all_fixes_has_nothing_to_do() {
    check(
        &format!("{MIXED}//- /a.ts\n$0wrapped(core(1)) // 饼干 🍪\nrisky(core(2))\nrisky(3)\n"),
        &expect!["nothing to fix"],
        all_fixed,
    );
}

#[test]
fn a_client_that_cannot_resolve_gets_the_edit_at_once() {
    let mut client = full_client();
    client["textDocument"]["codeAction"]["resolveSupport"] = json!(null);
    client["textDocument"]["codeAction"]["dataSupport"] = json!(false);
    check_with(
        &in_file("//- /a.ts\ntracer.l$0og(1)\ntracer.log(2)\n"),
        &client,
        &expect![[r#"
            Fix: Call `logger.debug` edit true data false
            Fix all: no-tracer edit true data false
            Ignore on this line: no-tracer edit true data false
            Ignore in this file: no-tracer edit true data false
            Ignore in guard-exclusions.json: no-tracer edit true data false
            Not a violation (false positive): no-tracer edit false data false
            Insert recipe skeleton: @no-tracer edit true data false
            Fix all safe findings edit true data false
        "#]],
        |world| {
            let mut said = String::new();
            for action in world.actions(&json!({})) {
                let (edit, data) = (action.edit.is_some(), action.data.is_some());
                let _ = writeln!(said, "{} edit {edit} data {data}", action.title);
            }
            said
        },
    );
}

#[test]
fn a_client_without_action_literals_gets_none() {
    check_with(
        &in_file("//- /a.ts\ntracer.l$0og(1)\n"),
        &json!({}),
        &expect![""],
        |world| world.titles(&json!({})),
    );
}

#[test]
fn the_clients_own_diagnostic_is_tied_to_the_fix() {
    check(
        &in_file("//- /a.ts\ntracer.l$0og(1)\n"),
        &expect!["Some(1)"],
        |world| {
            let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 13 } });
            let shown =
                json!([{ "range": range, "source": "asd", "code": "no-tracer", "message": "x" }]);
            let actions = world.actions(&json!({ "diagnostics": shown }));
            format!("{:?}", actions[0].diagnostics.as_ref().map(Vec::len))
        },
    );
}

#[test]
fn an_unsaved_document_is_fixed_like_any_other() {
    check(
        &in_file("//- /untitled:Untitled-1\n$0debugger;\nlet a = '🍪 饼干';\n$0"),
        &expect![[r#"
            quickfix: Fix: Remove `debugger` *
            quickfix: Ignore on this line: js-no-debugger
            quickfix: Ignore in this file: js-no-debugger
            source.fixAll.asd: Fix all safe findings
            //- /untitled:Untitled-1
            let a = '🍪 饼干';
        "#]],
        |world| format!("{}{}", world.titles(&json!({})), world.act("Fix: ")),
    );
}

#[test]
fn a_long_selection_does_not_flood_the_menu() {
    let text = "tracer.log(1)\n".repeat(200);
    check(
        &in_file(&format!("//- /a.ts\n$0{text}$0")),
        &expect!["32"],
        |world| {
            let fixes = world.actions(&json!({ "only": ["quickfix"] }));
            fixes
                .iter()
                .filter(|action| action.title.starts_with("Fix: "))
                .count()
                .to_string()
        },
    );
}
