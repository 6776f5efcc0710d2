//! Delivery after a change, from several processes at once.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::fs::{self, File};
use std::io::Write;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use asd_delivery::{Debounce, Delivered, Redelivery, deliver_if_changed};
use asd_store::Project;

use common::{Fixture, knowledge};

const PROJECT: &str = "ASD_TEST_TRIGGER_PROJECT";

fn quick() -> Debounce {
    Debounce {
        quiet: Duration::from_millis(80),
        longest: Duration::from_secs(10),
    }
}

/// Another process: this test itself, started again with a project to deliver
/// into. It writes down when it has its turn and what came of it.
#[test]
fn a_process_of_its_own() {
    let Some(root) = std::env::var_os(PROJECT) else {
        return;
    };
    let project = Project::at(root.as_ref());
    let log = project.root().join("log");
    let note = |text: &str| {
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(&log)
            .unwrap();
        file.write_all(format!("{text}\n").as_bytes()).unwrap();
    };
    let delivered = deliver_if_changed(&project, quick(), || {
        note("begin");
        // Long enough for the others to come in between, if they could.
        std::thread::sleep(Duration::from_millis(60));
        let knowledge = knowledge(&project);
        note("end");
        knowledge
    })
    .unwrap();
    match delivered {
        Delivered::Written(_) => note("written"),
        Delivered::Nothing => note("nothing"),
        Delivered::NotWanted => note("not wanted"),
    }
}

fn start(fixture: &Fixture) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_of_its_own", "--quiet"])
        .env(PROJECT, fixture.root())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn of_several_processes_that_see_a_change_one_delivers_at_a_time_and_only_one_writes() {
    let fixture = Fixture::new(&[]);
    fixture.deliver();
    fixture.rule("one", "Call Y");
    let children: Vec<Child> = (0..4).map(|_| start(&fixture)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let log = fixture.read("log");
    let turns: Vec<&str> = log
        .lines()
        .filter(|line| matches!(*line, "begin" | "end"))
        .collect();
    assert_eq!(turns, ["begin", "end"].repeat(4), "{log}");
    assert_eq!(
        log.lines().filter(|line| *line == "written").count(),
        1,
        "{log}"
    );
    assert_eq!(
        log.lines().filter(|line| *line == "nothing").count(),
        3,
        "{log}"
    );
    assert!(fixture.read("AGENTS.md").contains("- Call Y."));
}

#[test]
fn a_process_that_dies_leaves_the_delivery_to_the_others() {
    let fixture = Fixture::new(&[]);
    fixture.deliver();
    fixture.rule("one", "Call Z");
    let mut first = start(&fixture);
    while !fixture.exists("log") {
        std::thread::sleep(Duration::from_millis(2));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let delivered =
        deliver_if_changed(&fixture.project, quick(), || knowledge(&fixture.project)).unwrap();
    assert!(matches!(
        delivered,
        Delivered::Written(_) | Delivered::Nothing
    ));
    assert!(fixture.read("AGENTS.md").contains("- Call Z."));
    assert_eq!(fixture.deliver().stats.files_written, 0);
}

const LOOP: &str = "ASD_TEST_TRIGGER_LOOP";

/// Another process, which delivers without end.
#[test]
fn a_process_that_goes_on() {
    let Some(root) = std::env::var_os(LOOP) else {
        return;
    };
    let project = Project::at(root.as_ref());
    let mut knowledge = knowledge(&project);
    let entries = knowledge.entries.clone();
    loop {
        for count in 0..=entries.len() {
            knowledge.entries = entries[..count].to_vec();
            asd_delivery::deliver(&project, &knowledge, &Default::default()).unwrap();
        }
    }
}

#[test]
fn a_process_that_is_killed_in_the_middle_leaves_whole_files() {
    let fixture = Fixture::new(&[("CLAUDE.md", "mine\n")]);
    fixture.recipe("view", "kind: pattern\ncategory: View\nwhen: W\ndo: D\n");
    for round in 0..12 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_process_that_goes_on", "--quiet"])
            .env(LOOP, fixture.root())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while !fixture.path("AGENTS.md").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(7 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        if round > 0 {
            // What is removed goes last, so the rules are there at any moment.
            let rules = fixture.read(".cursor/rules/alembic-project-rules.mdc");
            assert!(rules.ends_with("For more, call asd_search.\n"), "{rules}");
        }
        for path in ["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"] {
            if !fixture.exists(path) {
                continue;
            }
            let text = fixture.read(path);
            if path == "CLAUDE.md" {
                assert!(text.starts_with("mine\n"), "{text}");
            }
            if text != "mine\n" {
                assert!(
                    text.ends_with("until it passes.\n<!-- asd:end -->\n"),
                    "{text}"
                );
                assert_eq!(text.matches("<!-- asd:begin -->").count(), 1);
            }
        }
    }
    fixture.deliver();
    assert!(fixture.read("CLAUDE.md").contains("- Call X."));
    assert_eq!(fixture.deliver().stats.files_written, 0);
}

#[test]
fn changes_in_a_row_are_delivered_together() {
    let fixture = Fixture::new(&[]);
    fixture.deliver();
    let debounce = Debounce {
        quiet: Duration::from_millis(400),
        longest: Duration::from_secs(30),
    };
    let delivered = std::thread::scope(|scope| {
        let delivery = scope.spawn(|| {
            deliver_if_changed(&fixture.project, debounce, || knowledge(&fixture.project)).unwrap()
        });
        for round in 0..5 {
            std::thread::sleep(Duration::from_millis(50));
            fixture.rule("one", &format!("Call round {round}"));
        }
        delivery.join().unwrap()
    });
    assert!(matches!(delivered, Delivered::Written(_)));
    assert!(fixture.read("AGENTS.md").contains("Call round 4"));
}

#[test]
fn one_process_delivers_once_for_many_changes_and_again_for_a_late_one() {
    let fixture = Fixture::new(&[]);
    fixture.deliver();
    let (project, other) = (fixture.project.clone(), fixture.project.clone());
    let results = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&results);
    let redelivery = Redelivery::new(
        project,
        quick(),
        move || knowledge(&other),
        move |result| told.lock().unwrap().push(result.unwrap()),
    );
    redelivery.wait();
    for round in 0..20 {
        fixture.rule("one", &format!("Call round {round}"));
        redelivery.changed();
    }
    redelivery.wait();
    let count = results.lock().unwrap().len();
    assert!((1..=2).contains(&count), "{count}");
    assert!(fixture.read("AGENTS.md").contains("Call round 19"));
    fixture.rule("one", "Call the last");
    redelivery.changed();
    redelivery.wait();
    assert!(fixture.read("AGENTS.md").contains("Call the last"));
}

#[test]
fn a_project_that_has_no_delivered_files_gets_none_by_itself() {
    let fixture = Fixture::new(&[]);
    let delivered =
        deliver_if_changed(&fixture.project, quick(), || knowledge(&fixture.project)).unwrap();
    assert_eq!(delivered, Delivered::NotWanted);
    assert!(!fixture.exists("AGENTS.md") && !fixture.exists(".asd"));
}

#[test]
fn a_change_that_does_not_show_writes_nothing() {
    let fixture = Fixture::new(&[]);
    fixture.deliver();
    fs::write(
        fixture.path("Alembic/recipes/general/new.md"),
        "---\ntitle: New\ntrigger: '@new'\nlifecycle: deprecated\n---\n",
    )
    .unwrap();
    let delivered =
        deliver_if_changed(&fixture.project, quick(), || knowledge(&fixture.project)).unwrap();
    assert_eq!(delivered, Delivered::Nothing);
}
