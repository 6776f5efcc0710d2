//! What skill operations do, and what each failure is called.

use super::*;
use crate::fixture::entry;

fn project() -> (tempfile::TempDir, Project) {
    let temp = tempfile::tempdir().unwrap();
    let project = Project::at(temp.path());
    (temp, project)
}

fn new<'a>(name: &'a str) -> NewSkill<'a> {
    NewSkill {
        name,
        description: "Does: it. Use when \"needed\".",
        content: "# Title\n\nText.\n\n## Part\nInside.\n### Deeper\nYes.\n## Other\n",
        ..NewSkill::default()
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, SkillError>) -> &'static str {
    result.unwrap_err().code.name()
}

#[test]
fn a_skill_is_written_read_changed_and_deleted() {
    let (_temp, project) = project();
    let created = create_skill(&project, &new("release-train")).unwrap();
    assert_eq!(created.path, "Alembic/skills/release-train/SKILL.md");
    let list = list_skills(&project);
    assert_eq!(list.total, 6);
    assert_eq!(list.skills[0].description, "Does: it. Use when \"needed\".");
    assert_eq!(list.skills[0].created_by, "external-ai");

    let part = load_skill(&project, "release-train", Some("part"), &[]).unwrap();
    assert_eq!(part.content, "## Part\nInside.\n### Deeper\nYes.");

    let changes = SkillChanges {
        description: Some("Another"),
        content: Some("New text."),
    };
    update_skill(&project, "release-train", changes).unwrap();
    let text = fs::read_to_string(project.root().join(&created.path)).unwrap();
    assert_eq!(
        text,
        "---\nname: release-train\ndescription: Another\ncreatedBy: \"external-ai\"\n---\n\nNew text.\n"
    );

    delete_skill(&project, "release-train").unwrap();
    assert_eq!(list_skills(&project).total, 5);
}

#[test]
fn every_failure_has_its_code() {
    let (_temp, project) = project();
    for bad in ["My Skill", "../x", "ab", "1abc", "a--b", "skill/x"] {
        assert_eq!(
            code(create_skill(&project, &new(bad))),
            "INVALID_NAME",
            "{bad}"
        );
    }
    assert_eq!(code(create_skill(&project, &new(""))), "MISSING_PARAM");
    assert_eq!(
        code(create_skill(&project, &new("alembic-guard"))),
        "BUILTIN_CONFLICT"
    );
    let mut empty = new("abc");
    empty.content = "";
    assert_eq!(code(create_skill(&project, &empty)), "MISSING_PARAM");
    create_skill(&project, &new("abc")).unwrap();
    assert_eq!(code(create_skill(&project, &new("abc"))), "ALREADY_EXISTS");
    let mut again = new("abc");
    again.overwrite = true;
    assert!(create_skill(&project, &again).unwrap().overwritten);
    assert_eq!(
        code(update_skill(&project, "abc", SkillChanges::default())),
        "NOTHING_TO_UPDATE"
    );
    assert_eq!(
        code(delete_skill(&project, "alembic-guard")),
        "BUILTIN_PROTECTED"
    );
    assert_eq!(code(delete_skill(&project, "nowhere")), "SKILL_NOT_FOUND");
    assert_eq!(
        code(load_skill(&project, "nowhere", None, &[])),
        "SKILL_NOT_FOUND"
    );
    assert_eq!(
        code(load_skill(&project, "abc", Some("No"), &[])),
        "SKILL_NOT_FOUND"
    );
}

#[cfg(unix)]
#[test]
fn a_skill_never_leads_out_of_the_project() {
    let (temp, _) = project();
    let outside = temp.path().join("outside");
    let root = temp.path().join("p");
    fs::create_dir_all(&outside).unwrap();
    fs::create_dir_all(root.join("Alembic/skills")).unwrap();
    std::os::unix::fs::symlink(&outside, root.join("Alembic/skills/evil")).unwrap();
    let project = Project::at(&root);
    assert_eq!(code(create_skill(&project, &new("evil"))), "WRITE_ERROR");
    assert_eq!(code(delete_skill(&project, "evil")), "DELETE_ERROR");
    assert!(outside.exists());
}

#[test]
fn a_dimension_with_several_recipes_and_no_skill_is_suggested() {
    let (_temp, project) = project();
    let entries: Vec<Entry> = (0..3)
        .map(|n| entry(&format!("trigger: '@a{n}'\ndimensionId: architecture")))
        .collect();
    let suggested = suggest_skills(&project, &entries);
    assert_eq!(suggested.len(), 1);
    assert_eq!(suggested[0].name, "project-architecture");
    assert_eq!(suggested[0].related_recipes, ["@a0", "@a1", "@a2"]);
    create_skill(&project, &new("project-architecture")).unwrap();
    assert!(suggest_skills(&project, &entries).is_empty());
}
