use expect_test::expect;
use serde_json::json;

use super::tests::{in_file, resolved_later};
use crate::fixture::check;

#[test]
fn a_suppression_takes_the_indentation_of_its_line() {
    check(
        &in_file("//- /a.ts\nfunction f() {\n\t  tracer.l$0og(1)\n}\n"),
        &expect![[r#"
            //- /a.ts
            function f() {
            	  // asd:ignore no-tracer
            	  tracer.log(1)
            }
        "#]],
        |world| world.act("Ignore on this line"),
    );
}

#[test]
fn a_suppression_in_jsx_is_a_comment_there() {
    check(
        &in_file("//- /a.tsx\nconst a = (\n  <div>\n    {tracer.l$0og(1)}\n  </div>\n);\n"),
        &expect![[r#"
            //- /a.tsx
            const a = (
              <div>
                {/* asd:ignore no-tracer */}
                {tracer.log(1)}
              </div>
            );
        "#]],
        |world| world.act("Ignore on this line"),
    );
}

#[test]
fn a_second_rule_joins_the_comment_of_the_first() {
    check(
        &in_file("//- /a.ts\n// asd:ignore no-todo -- later\ntracer.l$0og('TODO x')\n"),
        &expect![[r#"
            //- /a.ts
            // asd:ignore no-todo, no-tracer -- later
            tracer.log('TODO x')
        "#]],
        |world| world.act("Ignore on this line"),
    );
}

#[test]
fn a_file_is_ignored_at_its_top() {
    check(
        &in_file("//- /a.ts\nlet a = 1\ntracer.l$0og(1)\n"),
        &expect![[r#"
            //- /a.ts
            // asd:ignore-file no-tracer
            let a = 1
            tracer.log(1)
        "#]],
        |world| world.act("Ignore in this file"),
    );
}

#[test]
fn a_file_is_excluded_in_the_exclusions() {
    check(
        &in_file("//- /src/a.ts\ntracer.l$0og(1)\n"),
        &expect![[r#"
            create /Alembic/guard-exclusions.json
            //- /Alembic/guard-exclusions.json
            {
              "ruleExclusions": {
                "no-tracer": [
                  {
                    "filePath": "src/a.ts",
                    "reason": "ignored from the editor",
                  }
                ]
              }
            }
        "#]],
        |world| {
            let said = world.act("Ignore in guard-exclusions.json");
            // The time of the exclusion is that of the test.
            said.lines()
                .filter(|line| !line.contains("addedAt"))
                .fold(String::new(), |said, line| said + line + "\n")
        },
    );
}

#[test]
fn an_unused_suppression_can_be_removed() {
    check(
        &in_file("//- /a.ts\nlet a = 1; // asd:ignore no-tra$0cer\n"),
        &expect![[r#"
            //- /a.ts
            let a = 1;
        "#]],
        |world| world.act("Remove the unused suppression"),
    );
}

#[test]
fn a_skeleton_is_inserted_below_as_plain_text() {
    check(
        &in_file("//- /a.ts\nfunction f() {\n\t// see @no-tra$0cer\n}\n"),
        &expect![[r#"
            //- /a.ts
            function f() {
            	// see @no-tracer
            	logger.debug("what happened", { $0: `${x}` });
            }
        "#]],
        |world| world.act("Insert recipe skeleton"),
    );
}

#[test]
fn a_selection_becomes_a_candidate() {
    check(
        &in_file(
            "//- /src/RetryQueue.ts\nlet a = 1;\n$0  if (a) {\n    go();\n  }\n$0let b = 2;\n",
        ),
        &expect![[r#"
            create /Alembic/candidates/general/retry-queue.md
            //- /Alembic/candidates/general/retry-queue.md
            ---
            title: Draft from RetryQueue.ts
            trigger: "@retry-queue"
            kind: pattern
            knowledgeType: code-pattern
            lifecycle: pending
            language: typescript
            category: general
            headers: []
            reasoning:
              sources: ["src/RetryQueue.ts:2-4"]
            ---

            ## Core code

            ```typescript
            if (a) {
              go();
            }
            ```
        "#]],
        |world| world.act("Create recipe from selection"),
    );
}

#[test]
fn a_rule_that_is_suppressed_already_is_not_suppressed_twice() {
    expect!["no edit"].assert_eq(&resolved_later(
        "//- /a.ts\ntracer.l$0og(1)\n",
        "//- /a.ts\n// asd:ignore no-tracer\ntracer.l$0og(1)\n",
        "Ignore on this line",
    ));
}

#[test]
fn suppressions_fit_where_they_stand() {
    check(
        &in_file("//- /a.tsx\nconst a = (\n  <div\n    title={tracer.l$0og(1)}\n  />\n);\n"),
        &expect![[r#"
            //- /a.tsx
            const a = (
              <div
                // asd:ignore no-tracer
                title={tracer.log(1)}
              />
            );
        "#]],
        |world| world.act("Ignore on this line"),
    );
    check(
        &in_file(
            "//- /a.vue\n<template><p>TODO x</p></template>\n<script lang=\"ts\">\ntracer.log($01)\n</script>\n",
        ),
        &expect![[r#"
            quickfix: Fix: Call `logger.debug` *
            quickfix: Ignore on this line: no-tracer
            quickfix: Ignore in this file: no-tracer
            quickfix: Ignore in guard-exclusions.json: no-tracer
            quickfix: Not a violation (false positive): no-tracer
        "#]],
        |world| world.titles(&json!({ "only": ["quickfix"] })),
    );
    check(
        &in_file("//- /a.py\ndef f():\n\tx = 'TODO$0 x'\n"),
        &expect![[r#"
            //- /a.py
            def f():
            	# asd:ignore no-todo
            	x = 'TODO x'
        "#]],
        |world| world.act("Ignore on this line"),
    );
}
