//! `asd recipe approve` and its like, `asd recipe drift`, `asd proposals`,
//! `asd governance` and `asd status`, on a copy of a sample project.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::path::Path;
use std::process::Command;

use common::Project;
use serde_json::Value;

/// A copy of the sample project.
fn harbor() -> Project {
    let project = Project::new(&[]);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/projects/harbor");
    copy(&from, &project.path(""));
    project
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == ".asd" {
            continue;
        }
        if path.is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

fn git(project: &Project, arguments: &[&str]) {
    let done = Command::new("git")
        .current_dir(project.path(""))
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

fn list<'v>(value: &'v Value, name: &str) -> &'v Vec<Value> {
    value["data"][name].as_array().unwrap()
}

/// A recipe about `RetryQueue`, which stands in `src/net/retry.ts`.
fn queue(lifecycle: &str, more: &str) -> String {
    format!(
        "---\nid: queue-1\ntitle: Retries go through the queue\ntrigger: \"@retry-queue\"\n\
         kind: rule\nlanguage: typescript\nlifecycle: {lifecycle}\n\
         do: Retry through RetryQueue\ndont: Sleep and call again\nwhen: A call failed\n\
         reasoning:\n  whyStandard: It backs off\n  sources:\n    - src/net/retry.ts:2-4\n\
         {more}---\n\n## Core code\n\n```typescript\nconst queue = new RetryQueue(client);\n\
         queue.enqueueCall(call);\n```\n"
    )
}

const RETRY: &str = "// retries\nexport class RetryQueue {\n  constructor(client: unknown) {}\n\
                     \x20 enqueueCall(call: unknown) { return call; }\n}\n";

fn with_queue(lifecycle: &str, more: &str) -> Project {
    Project::new(&[
        (
            "Alembic/recipes/network/retry-queue.md",
            &queue(lifecycle, more),
        ),
        ("src/net/retry.ts", RETRY),
        (
            "src/use.ts",
            "import { RetryQueue } from './net/retry';\nnew RetryQueue(1).enqueueCall(2);\n",
        ),
    ])
}

#[test]
fn a_candidate_is_approved_published_retired_and_brought_back() {
    let project = harbor();
    let approved = project.run(&["recipe", "approve", "feature flags", "--reason", "agreed"]);
    assert_eq!(approved.code, 0, "{}", approved.shown());
    assert!(
        approved.out.contains("is staging now"),
        "{}",
        approved.shown()
    );
    let staged = project.run(&["recipe", "list", "--status", "staging"]);
    assert!(
        staged.out.starts_with("@feature-flags"),
        "{}",
        staged.shown()
    );
    let published = project.json(&["recipe", "publish", "@feature-flags", "--json"]);
    assert_eq!(published["data"]["from"], "staging");
    assert_eq!(
        published["data"]["file"],
        "Alembic/recipes/conventions/feature-flags.md"
    );
    assert!(
        !project
            .path("Alembic/candidates/conventions/feature-flags.md")
            .exists()
    );
    let again = project.run(&["recipe", "approve", "@feature-flags"]);
    assert_eq!(again.code, 2, "{}", again.shown());
    assert!(
        again.err.contains("from active to staging"),
        "{}",
        again.shown()
    );
    assert_eq!(
        project.run(&["recipe", "deprecate", "FeatureFlags"]).code,
        0
    );
    let back = project.json(&["recipe", "reactivate", "feature-flags", "--json"]);
    assert_eq!(back["data"]["to"], "pending");
    assert_eq!(
        back["data"]["file"],
        "Alembic/candidates/conventions/feature-flags.md"
    );
    let text = project.read("Alembic/candidates/conventions/feature-flags.md");
    assert!(text.contains("reason: agreed"), "{text}");
}

#[test]
fn a_name_that_is_none_is_told_with_what_is_near() {
    let run = harbor().run(&["recipe", "approve", "featureflag"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("@feature-flags"), "{}", run.shown());
}

#[test]
fn a_recipe_is_deleted_only_when_that_is_meant() {
    let project = harbor();
    let file = "Alembic/candidates/conventions/feature-flags.md";
    let asked = project.run(&["recipe", "delete", "feature-flags"]);
    assert_eq!(asked.code, 2, "{}", asked.shown());
    assert!(asked.err.contains("--yes"), "{}", asked.shown());
    assert!(project.path(file).exists());
    let done = project.run(&["recipe", "delete", "feature-flags", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.shown());
    assert!(!project.path(file).exists());
    let account = project.json(&["governance", "audit", "--json"]);
    assert_eq!(list(&account, "items")[0]["action"], "knowledge:delete");
    assert_eq!(list(&account, "items")[0]["result"], "success");
}

#[test]
fn a_recipe_that_is_what_the_code_is_shows_no_drift() {
    let project = with_queue("active", "");
    let run = project.run(&["recipe", "drift"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert_eq!(
        run.out.trim(),
        "1 recipes beside the code: 1 healthy, 0 to look at, 0 outdated."
    );
}

#[test]
fn code_that_is_gone_makes_a_recipe_outdated() {
    let project = with_queue("active", "");
    assert_eq!(project.run(&["recipe", "drift"]).code, 0);
    std::fs::remove_file(project.path("src/net/retry.ts")).unwrap();
    std::fs::write(project.path("src/use.ts"), "export const nothing = 1;\n").unwrap();
    let run = project.json(&["recipe", "drift", "retry queue", "--json"]);
    let row = &list(&run, "results")[0];
    assert_eq!(row["verdict"], "decay");
    let kinds: Vec<&str> = row["signals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|signal| signal["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "symbol_missing",
            "zero_match",
            "match_rate_drop",
            "source_ref_stale"
        ]
    );
    assert_eq!(project.run(&["recipe", "drift"]).code, 1);
}

#[test]
fn a_definition_that_is_removed_is_missed_although_it_is_still_called() {
    let project = with_queue("active", "");
    assert_eq!(project.run(&["recipe", "drift"]).code, 0);
    project.write(
        "src/net/retry.ts",
        b"// nothing is left\nexport const a = 1;\n",
    );
    let run = project.json(&["recipe", "drift", "--json"]);
    let row = &list(&run, "results")[0];
    assert_eq!(row["signals"][0]["kind"], "symbol_missing");
    assert_eq!(
        row["signals"][0]["subjects"],
        serde_json::json!(["RetryQueue", "enqueueCall"])
    );
}

#[test]
fn what_comes_from_a_library_or_is_marked_as_deprecated_is_told_apart() {
    let project = with_queue("active", "");
    project.write(
        "src/net/retry.ts",
        RETRY
            .replace(
                "export class",
                "/** @deprecated use Backoff */\nexport class",
            )
            .as_bytes(),
    );
    let text = queue("active", "").replace(
        "queue.enqueueCall(call);",
        "queue.enqueueCall(call);\nuseLibraryState(queue);",
    );
    project.write("Alembic/recipes/network/retry-queue.md", text.as_bytes());
    project.write(
        "src/view.ts",
        b"import { useLibraryState } from 'some-library';\nuseLibraryState(1);\n",
    );
    let run = project.json(&["recipe", "drift", "--json"]);
    let signals = list(&run, "results")[0]["signals"].as_array().unwrap();
    assert_eq!(signals.len(), 1, "{signals:?}");
    assert_eq!(signals[0]["kind"], "api_deprecated");
    assert_eq!(signals[0]["subjects"], serde_json::json!(["RetryQueue"]));
}

#[test]
fn a_renamed_source_is_followed_with_its_lines() {
    let project = with_queue("active", "");
    git(&project, &["init", "-q"]);
    git(&project, &["add", "src", "Alembic"]);
    git(&project, &["commit", "-qm", "x"]);
    std::fs::create_dir_all(project.path("src/http")).unwrap();
    git(&project, &["mv", "src/net/retry.ts", "src/http/queue.ts"]);
    project.write(
        "src/http/queue.ts",
        format!("// one\n// two\n{RETRY}").as_bytes(),
    );
    let shown = project.run(&["recipe", "drift"]);
    assert!(
        shown
            .out
            .contains("src/net/retry.ts:2-4 is src/http/queue.ts now"),
        "{}",
        shown.shown()
    );
    let before = project.read("Alembic/recipes/network/retry-queue.md");
    let dry = project.run(&["governance", "run", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.shown());
    assert_eq!(
        project.read("Alembic/recipes/network/retry-queue.md"),
        before
    );
    let run = project.run(&["governance", "run"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    let after = project.read("Alembic/recipes/network/retry-queue.md");
    assert!(after.contains("src/http/queue.ts:4-6"), "{after}");
}

#[test]
fn states_that_ran_out_are_shown_everywhere_and_written_by_a_run_alone() {
    let project = with_queue("decaying", "decayStartedAt: 1600000000\n");
    let before = project.read("Alembic/recipes/network/retry-queue.md");
    for command in [
        &["governance", "report"][..],
        &["governance", "decay"],
        &["governance", "staging"],
        &["governance", "run", "--dry-run"],
        &["recipe", "drift"],
        &["recipe", "list"],
        &["status"],
        &["check"],
    ] {
        project.run(command);
        let now = project.read("Alembic/recipes/network/retry-queue.md");
        assert_eq!(now, before, "{command:?}");
    }
    let run = project.json(&["governance", "run", "--json"]);
    let made = &list(&run, "moves")[0];
    assert_eq!(made["to"], "deprecated");
    assert_eq!(made["cause"], "timeout");
    let after = project.read("Alembic/recipes/network/retry-queue.md");
    assert!(after.contains("lifecycle: deprecated"), "{after}");
    let again = project.json(&["governance", "run", "--json"]);
    assert!(list(&again, "moves").is_empty());
}

#[test]
fn a_fading_recipe_that_is_found_again_is_active_again() {
    let project = with_queue("decaying", "decayStartedAt: 1600000000\n");
    project.write(
        ".asd/usage.jsonl",
        b"{\"t\":1700000000000,\"id\":\"queue-1\",\"e\":\"searchHit\",\"n\":1}\n",
    );
    let run = project.json(&["governance", "run", "--json"]);
    let made = &list(&run, "moves")[0];
    assert_eq!(made["to"], "active");
    assert_eq!(made["cause"], "signal-recovery");
    assert_eq!(run["data"]["usageMerged"], true);
    let usage: Value = serde_json::from_str(&project.read("Alembic/usage.json")).unwrap();
    assert_eq!(usage["recipes"]["queue-1"]["searchHits"], 1);
    let again = project.json(&["governance", "run", "--json"]);
    assert_eq!(again["data"]["usageMerged"], false, "told once");
}

/// One line of the journal of proposals.
fn proposal(kind: &str, status: &str, more: &str) -> String {
    format!(
        "{{\"id\":\"p-1\",\"type\":\"{kind}\",\"target\":\"queue-1\",\"status\":\"{status}\",\
         \"confidence\":0.9,\"source\":\"external_agent\",\"reason\":\"the code moved on\",\
         \"createdAt\":1600000000{more}}}\n"
    )
}

const USED: &[u8] = b"{\"t\":1700000000000,\"id\":\"queue-1\",\"e\":\"view\",\"n\":3}\n";

#[test]
fn a_change_is_made_when_its_window_is_over_and_the_recipe_was_used() {
    let project = with_queue("active", "");
    let change = ",\"observingSince\":1600000000,\"patch\":[{\"field\":\"doClause\",\"op\":\"set\",\
                  \"value\":\"Queue every retry\"}]";
    project.write(
        ".asd/proposals.jsonl",
        proposal("correction", "observing", change).as_bytes(),
    );
    project.write(".asd/usage.jsonl", USED);
    let listed = project.run(&["proposals", "list"]);
    assert!(listed.out.contains("@retry-queue"), "{}", listed.shown());
    let run = project.json(&["governance", "run", "--json"]);
    assert_eq!(list(&run, "proposals")[0]["outcome"], "executed");
    let text = project.read("Alembic/recipes/network/retry-queue.md");
    assert!(text.contains("do: Queue every retry"), "{text}");
    let decided = project.json(&["proposals", "list", "--all", "--json"]);
    let row = &list(&decided, "items")[0];
    assert_eq!(row["status"], "executed");
    assert_eq!(row["snapshot"]["doClause"], "Retry through RetryQueue");
}

#[test]
fn a_change_that_breaks_the_recipe_or_is_not_used_is_turned_down() {
    for (patch, usage, why) in [
        (
            "{\"field\":\"coreCode\",\"op\":\"set\",\"value\":\"} else { return }\"}",
            USED,
            "breaks a rule",
        ),
        (
            "{\"field\":\"doClause\",\"op\":\"set\",\"value\":\"Queue\"}",
            b"",
            "not used",
        ),
        (
            "{\"field\":\"doClause\",\"op\":\"replace\",\"old\":\"gone\",\"value\":\"x\"}",
            USED,
            "does not hold",
        ),
    ] {
        let project = with_queue("active", "");
        let before = project.read("Alembic/recipes/network/retry-queue.md");
        let change = format!(",\"observingSince\":1600000000,\"patch\":[{patch}]");
        project.write(
            ".asd/proposals.jsonl",
            proposal("enhance", "observing", &change).as_bytes(),
        );
        project.write(".asd/usage.jsonl", usage);
        let run = project.json(&["governance", "run", "--json"]);
        let row = &list(&run, "proposals")[0];
        assert_eq!(row["outcome"], "rejected", "{row}");
        assert!(row["reason"].as_str().unwrap().contains(why), "{row}");
        let after = project.read("Alembic/recipes/network/retry-queue.md");
        let plain = |text: &str| -> Vec<String> {
            text.lines()
                .filter(|line| line.starts_with("do:") || line.contains("queue"))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(plain(&after), plain(&before));
    }
}

#[test]
fn a_person_accepts_or_turns_down_what_was_proposed() {
    let project = with_queue("active", "");
    let change = ",\"patch\":[{\"field\":\"whenClause\",\"op\":\"set\",\"value\":\"Any call\"}]";
    project.write(
        ".asd/proposals.jsonl",
        proposal("enhance", "pending", change).as_bytes(),
    );
    let shown = project.run(&["proposals", "show", "retry-queue"]);
    assert!(shown.out.contains("+ Any call"), "{}", shown.shown());
    let accepted = project.run(&["proposals", "accept", "p-1"]);
    assert_eq!(accepted.code, 0, "{}", accepted.shown());
    let text = project.read("Alembic/recipes/network/retry-queue.md");
    assert!(text.contains("lifecycle: evolving"), "{text}");
    let now = project.run(&["proposals", "accept", "p-1", "--now"]);
    assert_eq!(now.code, 0, "{}", now.shown());
    let text = project.read("Alembic/recipes/network/retry-queue.md");
    assert!(text.contains("when: Any call"), "{text}");
    assert!(text.contains("lifecycle: active"), "{text}");
    let late = project.run(&["proposals", "reject", "p-1"]);
    assert_eq!(late.code, 2);
    assert!(late.err.contains("executed already"), "{}", late.shown());
}

#[test]
fn a_proposal_that_nobody_takes_up_expires() {
    let project = with_queue("active", "");
    project.write(
        ".asd/proposals.jsonl",
        proposal("supersede", "pending", "").as_bytes(),
    );
    let run = project.json(&["governance", "run", "--json"]);
    assert_eq!(list(&run, "proposals")[0]["outcome"], "expired");
    let open = project.run(&["proposals", "list"]);
    assert!(open.err.contains("no open proposals"), "{}", open.shown());
}

#[test]
fn status_says_how_things_stand() {
    let project = with_queue("active", "");
    let run = project.run(&["status"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert!(
        run.out.contains("recipes     1 (1 active; 1 rules"),
        "{}",
        run.shown()
    );
    let json = project.json(&["status", "--json"]);
    assert_eq!(json["knowledgeBase"]["recipes"]["total"], 1);
    assert_eq!(json["proposals"]["count"], 0);
    let old = queue("pending", "createdAt: 1600000000\n").replace("queue-1", "queue-2");
    let old = old
        .replace("@retry-queue", "@old-one")
        .replace("Retries go", "Old ones go");
    project.write("Alembic/candidates/network/old-one.md", old.as_bytes());
    let due = project.json(&["governance", "run", "--dry-run", "--json"]);
    assert_eq!(list(&due, "moves")[0]["to"], "deprecated");
}

#[test]
fn an_editor_is_opened_on_the_file_and_the_recipe_checked() {
    let project = with_queue("active", "");
    let editor = project.path("editor.sh");
    std::fs::write(
        &editor,
        "#!/bin/sh\nsed -i 's/^do: .*/do: Edited here/' \"$1\"\n",
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_asd"));
    command
        .args(["recipe", "edit", "retry queue"])
        .env("VISUAL", format!("sh {}", editor.display()));
    let run = project.finish(command);
    assert_eq!(run.code, 0, "{}", run.shown());
    let text = project.read("Alembic/recipes/network/retry-queue.md");
    assert!(text.contains("do: Edited here"), "{text}");
}
