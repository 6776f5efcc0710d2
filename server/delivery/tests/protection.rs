//! Deliveries into projects whose files belong to people and other tools.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::fs;

use asd_delivery::{Action, DeliverOptions, Mode, plan, remove};
use proptest::prelude::*;

use common::{BEGIN, END, Fixture, action, skipped};

const COPILOT: &str = ".github/copilot-instructions.md";
const RULES: &str = ".cursor/rules/alembic-project-rules.mdc";

#[test]
fn the_first_delivery_creates_every_file_and_the_second_writes_nothing() {
    let fixture = Fixture::new(&[]);
    let first = fixture.deliver();
    for path in ["AGENTS.md", "CLAUDE.md", COPILOT, RULES] {
        assert_eq!(action(&first, path), (Action::Create, None), "{path}");
    }
    let before = fixture.content();
    let second = fixture.deliver();
    assert_eq!(second.stats.files_written, 0);
    assert_eq!(second.stats.files_unchanged, first.stats.files_written);
    assert_eq!(
        fixture.content(),
        before,
        "no byte and no time of a file changes"
    );
}

#[test]
fn one_section_is_in_all_three_files() {
    let fixture = Fixture::new(&[("CLAUDE.md", "mine\n")]);
    fixture.deliver();
    let section = |path: &str| {
        let text = fixture.read(path);
        let (_, rest) = text.split_once(BEGIN).unwrap();
        rest.split_once(END).unwrap().0.to_owned()
    };
    assert_eq!(section("AGENTS.md"), section("CLAUDE.md"));
    assert_eq!(section("AGENTS.md"), section(COPILOT));
    assert!(section("AGENTS.md").contains("- Call X."));
}

#[test]
fn files_of_people_without_markers_are_skipped_but_for_claude() {
    let fixture = Fixture::new(&[
        ("AGENTS.md", "hello"),
        (COPILOT, "hello"),
        ("CLAUDE.md", "hello"),
    ]);
    let report = fixture.deliver();
    for path in ["AGENTS.md", COPILOT] {
        assert_eq!(action(&report, path), skipped("user-owned"));
        assert_eq!(fixture.read(path), "hello");
    }
    let claude = fixture.read("CLAUDE.md");
    assert!(
        claude.starts_with(&format!("hello\n\n{BEGIN}\n")),
        "{claude}"
    );
    assert!(claude.ends_with(&format!("{END}\n")), "{claude}");
}

#[test]
fn a_file_is_adopted_when_a_person_wishes() {
    let fixture = Fixture::new(&[("AGENTS.md", "hello")]);
    let options = DeliverOptions {
        adopt: vec!["AGENTS.md".to_owned()],
        ..DeliverOptions::default()
    };
    fixture.deliver_with(&options);
    let text = fixture.read("AGENTS.md");
    assert!(text.starts_with(&format!("hello\n\n{BEGIN}\n")), "{text}");
    // From then on it has markers.
    fixture.rule("one", "Call Y");
    assert_eq!(action(&fixture.deliver(), "AGENTS.md").0, Action::Update);
}

#[test]
fn a_crlf_file_keeps_its_endings_and_its_mark() {
    let text = format!("\u{feff}# Mine\r\n{BEGIN}\r\nold\r\n{END}\r\nbelow\r\n");
    let fixture = Fixture::new(&[("CLAUDE.md", &text)]);
    fixture.deliver();
    let text = fixture.read("CLAUDE.md");
    assert!(!text.replace("\r\n", "").contains('\n'), "{text:?}");
    assert!(text.starts_with("\u{feff}# Mine\r\n"));
    assert!(text.ends_with(&format!("{END}\r\nbelow\r\n")));
    assert!(text.contains("- Call X.\r\n"));
}

#[test]
fn broken_markers_leave_the_file_alone_and_name_the_line() {
    for (text, line) in [
        (format!("a\n{BEGIN}\nb\n"), 2),
        (format!("a\n\n{END}\nb\n"), 3),
        (format!("{END}\n{BEGIN}\n"), 1),
        (format!("{BEGIN}\n{BEGIN}\n{END}\n"), 2),
    ] {
        let fixture = Fixture::new(&[("CLAUDE.md", &text)]);
        let report = fixture.deliver();
        assert_eq!(action(&report, "CLAUDE.md"), skipped("malformed-markers"));
        let file = report.files.iter().find(|f| f.path == "CLAUDE.md").unwrap();
        assert_eq!(file.line, Some(line), "{text}");
        assert_eq!(fixture.read("CLAUDE.md"), text);
    }
}

#[test]
fn a_lost_end_marker_is_put_back_only_where_nothing_else_follows() {
    let fixture = Fixture::new(&[("CLAUDE.md", "mine\n")]);
    fixture.deliver();
    let whole = fixture.read("CLAUDE.md");
    let repair = DeliverOptions {
        repair: true,
        ..DeliverOptions::default()
    };
    let cut = whole.replace(&format!("{END}\n"), "");
    fixture.write("CLAUDE.md", cut.as_bytes());
    assert_eq!(
        action(&fixture.deliver(), "CLAUDE.md"),
        skipped("malformed-markers")
    );
    fixture.deliver_with(&repair);
    assert_eq!(fixture.read("CLAUDE.md"), whole);

    fixture.write("CLAUDE.md", format!("{cut}and mine\n").as_bytes());
    let report = fixture.deliver_with(&repair);
    assert_eq!(action(&report, "CLAUDE.md"), skipped("malformed-markers"));
    assert_eq!(fixture.read("CLAUDE.md"), format!("{cut}and mine\n"));
}

#[test]
fn of_two_sections_the_second_goes_when_we_wrote_it() {
    let fixture = Fixture::new(&[("CLAUDE.md", "mine\n")]);
    fixture.deliver();
    let whole = fixture.read("CLAUDE.md");
    let (_, section) = whole.split_once("mine\n\n").unwrap();
    fixture.write("CLAUDE.md", format!("{whole}between\n{section}").as_bytes());
    fixture.deliver();
    assert_eq!(fixture.read("CLAUDE.md"), format!("{whole}between\n"));

    let foreign = format!("{whole}between\n{BEGIN}\nsomebody else's\n{END}\n");
    fixture.write("CLAUDE.md", foreign.as_bytes());
    assert_eq!(
        action(&fixture.deliver(), "CLAUDE.md"),
        skipped("several-sections")
    );
    assert_eq!(fixture.read("CLAUDE.md"), foreign);
}

#[test]
fn markers_in_code_are_no_markers() {
    let text = format!("# How it works\n```md\n{BEGIN}\nx\n{END}\n```\nand `{BEGIN}` inline\n");
    let fixture = Fixture::new(&[("AGENTS.md", &text), ("CLAUDE.md", &text)]);
    for _ in 0..3 {
        let report = fixture.deliver();
        assert_eq!(action(&report, "AGENTS.md"), skipped("user-owned"));
    }
    assert_eq!(fixture.read("AGENTS.md"), text);
    let claude = fixture.read("CLAUDE.md");
    assert!(claude.starts_with(&text));
    assert_eq!(claude.matches(&format!("\n{BEGIN}\n")).count(), 2);
}

#[test]
fn text_of_recipes_is_taken_literally() {
    let fixture = Fixture::empty();
    fixture.rule("one", "use $1 and $& and \\0");
    fixture.rule("two", &format!("write {END} and {BEGIN}"));
    fixture.write(
        "CLAUDE.md",
        format!("{BEGIN}\nold\n{END}\nmine\n").as_bytes(),
    );
    fixture.deliver();
    let text = fixture.read("CLAUDE.md");
    assert!(
        text.contains("- Use $1 and $& and \\0.") || text.contains("- use $1 and $& and \\0."),
        "{text}"
    );
    assert_eq!(text.matches(END).count(), 1);
    assert!(text.ends_with(&format!("{END}\nmine\n")));
    assert_eq!(fixture.deliver().stats.files_written, 0);
}

#[test]
fn what_is_no_utf8_is_left_alone() {
    let fixture = Fixture::new(&[]);
    fixture.write("CLAUDE.md", b"caf\xe9\n");
    assert_eq!(action(&fixture.deliver(), "CLAUDE.md"), skipped("not-utf8"));
    assert_eq!(fixture.bytes("CLAUDE.md"), b"caf\xe9\n");
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_project_only() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("CLAUDE.md");
    fs::write(&target, "theirs").unwrap();

    let fixture = Fixture::new(&[("docs/agents.md", "mine\n")]);
    symlink(&target, fixture.path("CLAUDE.md")).unwrap();
    symlink("docs/agents.md", fixture.path("AGENTS.md")).unwrap();
    fs::create_dir_all(fixture.path(".github")).unwrap();
    symlink("nowhere", fixture.path(COPILOT)).unwrap();
    let options = DeliverOptions {
        adopt: vec!["AGENTS.md".to_owned()],
        ..DeliverOptions::default()
    };
    let report = fixture.deliver_with(&options);
    assert_eq!(action(&report, "CLAUDE.md"), skipped("symlink-outside"));
    assert_eq!(action(&report, COPILOT), skipped("dangling-symlink"));
    assert_eq!(action(&report, "AGENTS.md"), (Action::Update, None));
    assert_eq!(fs::read_to_string(&target).unwrap(), "theirs");
    assert!(fixture.read("docs/agents.md").contains(BEGIN));
    assert!(
        fixture
            .path("AGENTS.md")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert_eq!(fixture.deliver_with(&options).stats.files_written, 0);
}

#[cfg(unix)]
#[test]
fn a_link_to_another_of_the_files_gets_no_section_of_its_own() {
    let fixture = Fixture::new(&[("AGENTS.md", "mine\n")]);
    std::os::unix::fs::symlink("AGENTS.md", fixture.path("CLAUDE.md")).unwrap();
    let report = fixture.deliver();
    assert_eq!(action(&report, "AGENTS.md"), skipped("user-owned"));
    assert_eq!(action(&report, "CLAUDE.md").0, Action::Unchanged);
    assert_eq!(fixture.read("AGENTS.md"), "mine\n");
}

#[cfg(unix)]
#[test]
fn a_folder_that_leads_out_is_not_entered() {
    let outside = tempfile::tempdir().unwrap();
    let fixture = Fixture::new(&[]);
    std::os::unix::fs::symlink(outside.path(), fixture.path(".cursor")).unwrap();
    let report = fixture.deliver();
    assert_eq!(action(&report, RULES), skipped("symlink-outside"));
    assert_eq!(action(&report, "AGENTS.md").0, Action::Create);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_fails_and_the_others_are_written() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new(&[("CLAUDE.md", "mine\n")]);
    fs::set_permissions(fixture.path("CLAUDE.md"), fs::Permissions::from_mode(0o444)).unwrap();
    let report = fixture.deliver();
    assert_eq!(
        action(&report, "CLAUDE.md"),
        (Action::Failed, Some("read-only".to_owned()))
    );
    assert_eq!(action(&report, "AGENTS.md").0, Action::Create);
    assert_eq!(fixture.read("CLAUDE.md"), "mine\n");
    assert!(!report.is_complete());
}

#[test]
fn a_signed_rule_file_is_overwritten_whole_and_an_unsigned_one_kept() {
    let mine = ".cursor/rules/alembic-patterns-mine.mdc";
    let skill = ".cursor/skills/alembic-guard/SKILL.md";
    let fixture = Fixture::new(&[(mine, "by hand\n"), (skill, "my own skill\n")]);
    fixture.deliver();
    let text = fixture.read(RULES) + "an edit\n";
    fixture.write(RULES, text.as_bytes());
    let report = fixture.deliver();
    assert_eq!(action(&report, RULES).0, Action::Update);
    assert!(!fixture.read(RULES).contains("an edit"));
    assert_eq!(action(&report, mine), skipped("user-owned"));
    assert_eq!(fixture.read(mine), "by hand\n");
    assert_eq!(action(&report, skill), skipped("user-owned"));
    assert_eq!(fixture.read(skill), "my own skill\n");
    assert_eq!(report.channels.channel_c.skipped, ["alembic-guard"]);
    assert!(
        !report
            .channels
            .channel_c
            .synced
            .contains(&"alembic-guard".to_owned())
    );
}

#[test]
fn a_checkout_with_crlf_is_no_change() {
    let fixture = Fixture::new(&[]);
    fixture.deliver();
    let text = fixture.read(RULES).replace('\n', "\r\n");
    fixture.write(RULES, text.as_bytes());
    assert_eq!(fixture.deliver().stats.files_written, 0);
    fixture.rule("one", "Call Y");
    fixture.deliver();
    let text = fixture.read(RULES);
    assert!(text.contains("- Call Y.\r\n") && !text.replace("\r\n", "").contains('\n'));
}

#[test]
fn what_is_no_longer_said_is_removed_after_the_rest_is_written() {
    let ui = ".cursor/rules/alembic-patterns-ui.mdc";
    let document = ".cursor/skills/alembic-devdocs/references/about-doc.md";
    let own = ".cursor/skills/alembic-x/notes.md";
    let fixture = Fixture::new(&[
        (
            ".cursor/rules/alembic-conventions.mdc",
            "<!-- auto-generated by [alembic] -->\n",
        ),
        (
            "Alembic/skills/project-x/SKILL.md",
            "---\ndescription: X\n---\nText.\n",
        ),
    ]);
    fixture.recipe("view", "kind: pattern\ncategory: View\nwhen: W\ndo: D\n");
    fixture.recipe(
        "doc",
        "kind: fact\nknowledgeType: dev-document\ndescription: A doc\n",
    );
    let report = fixture.deliver();
    assert_eq!(report.channels.channel_d.files, 2);
    assert!(fixture.exists(ui) && fixture.exists(document));
    fixture.write(own, b"by hand\n");

    for path in [
        "Alembic/recipes/general/view.md",
        "Alembic/recipes/general/doc.md",
    ] {
        fs::remove_file(fixture.path(path)).unwrap();
    }
    fs::remove_dir_all(fixture.path("Alembic/skills")).unwrap();
    let report = fixture.deliver();
    assert_eq!(action(&report, ui).0, Action::Remove);
    assert!(!fixture.exists(ui) && !fixture.exists(document));
    assert!(!fixture.exists(".cursor/skills/alembic-devdocs/references"));
    // The built-in skill takes its place again, without the table.
    assert!(
        !fixture
            .read(".cursor/skills/alembic-devdocs/SKILL.md")
            .contains("about-doc")
    );
    assert!(!fixture.exists(".cursor/skills/alembic-x/SKILL.md"));
    assert_eq!(fixture.read(own), "by hand\n");
    assert!(
        fixture.exists(".cursor/rules/alembic-conventions.mdc"),
        "not ours to clean"
    );
}

#[test]
fn a_plan_says_the_same_as_the_delivery_and_writes_nothing() {
    let fixture = Fixture::new(&[
        ("AGENTS.md", "mine"),
        (
            ".cursor/rules/alembic-patterns-ui.mdc",
            "<!-- auto-generated by [alembic] -->\n",
        ),
    ]);
    let before = fixture.content();
    let planned = plan(
        &fixture.project,
        &fixture.knowledge(),
        &DeliverOptions::default(),
    );
    assert_eq!(fixture.content(), before);
    let done = fixture.deliver();
    assert_eq!(planned.files, done.files);
    assert_eq!(planned.channels, done.channels);
}

#[test]
fn removal_gives_back_what_was_there_before() {
    let files = [
        ("CLAUDE.md", "mine, without an end"),
        (".github/other.md", "x"),
        (".cursor/rules/mine.mdc", "mine"),
    ];
    let fixture = Fixture::new(&files);
    let before: Vec<_> = fixture
        .content()
        .into_iter()
        .map(|(path, bytes, _)| (path, bytes))
        .collect();
    fixture.deliver();
    let dry = remove(&fixture.project, Mode::DryRun).unwrap();
    assert!(fixture.exists(RULES));
    let report = remove(&fixture.project, Mode::Write).unwrap();
    assert_eq!(dry, report);
    let after: Vec<_> = fixture
        .content()
        .into_iter()
        .map(|(path, bytes, _)| (path, bytes))
        .collect();
    assert_eq!(after, before);
    assert!(!fixture.exists(".cursor/skills"));
    assert!(fixture.exists(".cursor/rules") && fixture.exists(".github"));
}

#[test]
fn a_file_that_is_blank_after_the_cut_goes_only_when_we_created_it() {
    let fixture = Fixture::new(&[("CLAUDE.md", "")]);
    fixture.deliver();
    remove(&fixture.project, Mode::Write).unwrap();
    assert_eq!(fixture.read("CLAUDE.md"), "");
    assert!(!fixture.exists("AGENTS.md"));
}

#[test]
fn without_the_local_record_everything_works_but_undoing_to_the_byte() {
    let fixture = Fixture::new(&[("CLAUDE.md", "mine\n")]);
    fixture.deliver();
    let whole = fixture.read("CLAUDE.md");
    fs::remove_dir_all(fixture.path(".asd")).unwrap();
    assert_eq!(fixture.deliver().stats.files_written, 0);
    assert_eq!(fixture.read("CLAUDE.md"), whole);
    fs::remove_dir_all(fixture.path(".asd")).unwrap();
    remove(&fixture.project, Mode::Write).unwrap();
    assert_eq!(fixture.read("CLAUDE.md").trim_end(), "mine");
}

#[test]
fn an_empty_knowledge_base_delivers_the_baseline() {
    let fixture = Fixture::empty();
    let report = fixture.deliver();
    assert_eq!(report.channels.channel_a.rules_count, 0);
    assert!(
        fixture
            .read(RULES)
            .contains("Search the project's knowledge")
    );
    assert!(!fixture.read("AGENTS.md").contains("## Coding Standards"));
    assert!(fixture.read("AGENTS.md").contains("## Working Protocol"));
}

#[test]
fn what_a_process_that_died_has_left_is_tidied_up() {
    let fixture = Fixture::new(&[
        (".asd-old1.tmp", "x"),
        (".asd-new1.tmp", "x"),
        (".asd-mine.txt", "x"),
    ]);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let file = fs::File::options()
        .write(true)
        .open(fixture.path(".asd-old1.tmp"))
        .unwrap();
    file.set_modified(old).unwrap();
    fixture.deliver();
    assert!(!fixture.exists(".asd-old1.tmp"));
    assert!(fixture.exists(".asd-new1.tmp") && fixture.exists(".asd-mine.txt"));
}

/// What other tools generate, and what people write, into the three files.
fn foreign() -> Vec<String> {
    let mut files: Vec<String> = [
        "# AGENTS.md\n\nThis file provides guidance to agents.\n",
        "# CLAUDE.md\n\nThis file provides guidance to Claude Code when working with code here.\n\n## Commands\n\n```bash\nnpm test\n```\n",
        "<!-- nx configuration start-->\n<!-- Leave the start & end comments to automatically receive updates. -->\n\n# General Guidelines\n\n<!-- nx configuration end-->\n",
        "<!-- TRELLIS:START -->\nx\n<!-- TRELLIS:END -->\r\n",
        "---\napplyTo: \"**\"\n---\n# Copilot\n- Use tabs.\n",
        "<!-- Generated by another-tool on 2026-01-01. DO NOT EDIT. -->\n\nRules.",
        "\u{feff}# Regeln\r\n\r\nNur Deutsch: äöü\r\n",
        "@./docs/shared.md\n@AGENTS.md\n",
        "# Marker docs\n\nPut `<!-- asd:begin -->` and `<!-- asd:end -->` around it.\n\n~~~\n<!-- asd:begin -->\n~~~\n",
        "# 项目约定\n\n- 使用中文注释\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "",
        "\n\n\n",
        "no newline",
        "old mac\rline\r",
        "mixed\r\nlines\nhere\r\n",
    ]
    .map(str::to_owned)
    .to_vec();
    files.push("A long line of text in a large file.\n".repeat(30_000));
    files
}

#[test]
fn files_of_others_survive_a_hundred_deliveries() {
    for text in foreign() {
        let fixture = Fixture::new(&[
            ("AGENTS.md", &text),
            ("CLAUDE.md", &text),
            (COPILOT, &text),
            ("GEMINI.md", &text),
            (".cursor/rules/other.mdc", &text),
            (".cursor/mcp.json", &text),
            (".windsurfrules", &text),
        ]);
        for round in 0..100 {
            if round % 7 == 0 {
                fixture.rule("one", &format!("Call X{round}"));
            }
            fixture.deliver();
        }
        for path in [
            "AGENTS.md",
            COPILOT,
            "GEMINI.md",
            ".cursor/rules/other.mdc",
            ".cursor/mcp.json",
            ".windsurfrules",
        ] {
            assert_eq!(fixture.bytes(path), text.as_bytes(), "{path}");
        }
        let claude = fixture.read("CLAUDE.md");
        assert!(
            claude.starts_with(&text),
            "{:?}",
            &claude[..claude.len().min(200)]
        );
        assert_eq!(claude.matches("## Working Protocol").count(), 1);
        remove(&fixture.project, Mode::Write).unwrap();
        assert_eq!(fixture.bytes("CLAUDE.md"), text.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_stands_outside_of_the_section_stays(
        before in prop::collection::vec(prop::sample::select(vec!["a\n", "\r\n", "# T\n", "```\nx\n```\n", "$& \\1\n", "词\r\n", "  - x\n"]), 0..8),
        after in prop::collection::vec(prop::sample::select(vec!["b\n", "\r\n", "## U\r\n", "~~~\ny\n~~~\n", "end"]), 0..8),
        crlf in any::<bool>(),
    ) {
        let newline = if crlf { "\r\n" } else { "\n" };
        let (before, after) = (before.concat(), after.concat());
        let text = format!("{before}{BEGIN}{newline}old{newline}{END}{newline}{after}");
        let fixture = Fixture::new(&[("AGENTS.md", &text), ("CLAUDE.md", &text), (COPILOT, &text)]);
        for round in 0..4 {
            fixture.rule("one", &format!("Call X{round}"));
            fixture.deliver();
            for path in ["AGENTS.md", "CLAUDE.md", COPILOT] {
                let now = fixture.read(path);
                let wanted = format!("Call X{round}");
                let (first, last) = (format!("{before}{BEGIN}{newline}"), format!("{END}{newline}{after}"));
                prop_assert!(now.starts_with(&first));
                prop_assert!(now.ends_with(&last));
                prop_assert!(now.contains(&wanted));
            }
        }
    }
}
