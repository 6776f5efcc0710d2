//! Reading `SKILL.md`.

use asd_recipe::{Home, parse};
use asd_store::{Disk, Host, PathKind, Project, read_text_up_to};

/// Larger skills are not read.
const MAX_SKILL: u64 = 1024 * 1024;

/// A skill of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectSkill {
    /// The name of its folder.
    pub name: String,
    /// What it does and when it is used.
    pub description: String,
    /// The text behind the front matter.
    pub body: String,
    /// Whether it is delivered although its name does not begin with
    /// `project-`.
    pub deliver: bool,
    /// Who wrote it, as its front matter says.
    pub created_by: String,
}

impl ProjectSkill {
    /// Reads the text of a `SKILL.md`. What its front matter does not say stays
    /// empty.
    #[must_use]
    pub fn parse(name: &str, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // Front matter is YAML here as in recipes, whose reader keeps the keys
        // that it does not know.
        let parsed = parse(text, Home::Recipes);
        let body_start = parsed
            .front_matter
            .map_or(0, |front| behind(text, front.end));
        let recipe = parsed.recipe.unwrap_or_default();
        let text_of = |key: &str| {
            recipe
                .extra
                .get(key)
                .and_then(serde_json::Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            name: name.to_owned(),
            description: recipe.description.trim().to_owned(),
            body: text[body_start..].trim().replace("\r\n", "\n"),
            deliver: recipe.extra.get("deliver") == Some(&serde_json::Value::Bool(true)),
            created_by: text_of("createdBy"),
        }
    }
}

/// Where the line behind the closing `---` begins.
fn behind(text: &str, content_end: usize) -> usize {
    let rest = &text[content_end..];
    let mut at = content_end;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" {
            return at;
        }
        if !line.trim().is_empty() {
            return content_end;
        }
    }
    at
}

/// The skills below `Alembic/skills/`, by name. One that cannot be read is left
/// out.
#[must_use]
pub fn read_project_skills(project: &Project) -> Vec<ProjectSkill> {
    let folder = project.knowledge().join("skills");
    let mut skills = Vec::new();
    for path in Disk.list(&folder).unwrap_or_default() {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let file = path.join("SKILL.md");
        if Disk.kind(&file) != Some(PathKind::File) || !project.contains(&file) {
            continue;
        }
        match read_text_up_to(&Disk, &file, MAX_SKILL) {
            Ok(decoded) => skills.push(ProjectSkill::parse(name, &decoded.text)),
            Err(reason) => tracing::warn!(skill = name, %reason, "cannot read a skill"),
        }
    }
    skills
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_read_as_yaml() {
        let skill = ProjectSkill::parse(
            "release",
            "---\r\nname: release\r\ndescription: >-\r\n  How to release:\r\n  step by step\r\n\
             deliver: true\r\ncreatedBy: manual\r\n---\r\n\r\n# Release\r\n",
        );
        assert_eq!(skill.description, "How to release: step by step");
        assert!(skill.deliver);
        assert_eq!(skill.created_by, "manual");
        assert_eq!(skill.body, "# Release");
        let bare = ProjectSkill::parse("x", "# Only a body\n---\n");
        assert_eq!(bare.body, "# Only a body\n---");
    }
}
