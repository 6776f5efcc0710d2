//! Skills: texts that teach an agent how to work. Some come with the program,
//! others lie in `Alembic/skills/<name>/SKILL.md`.

mod file;
mod operations;

pub use file::{ProjectSkill, read_project_skills};
pub use operations::{
    CreatedSkill, ListedSkill, LoadedSkill, NewSkill, SkillChanges, SkillError, SkillErrorCode,
    SkillList, SkillPath, SkillSource, SkillSuggestion, create_skill, delete_skill, list_skills,
    load_skill, suggest_skills, update_skill,
};

/// A skill that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// What it does and when it is used: by this an agent chooses it.
    pub description: &'static str,
    /// The text behind the front matter.
    pub body: &'static str,
}

/// The skills that come with the program.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "alembic-create",
        description: "Write a recipe: record a convention, pattern or fact of this project so that \
                      others follow it. Use when the user states a rule or you find a habit in the code.",
        body: include_str!("text/create.md"),
    },
    BuiltIn {
        name: "alembic-devdocs",
        description: "Read and write the project's runbooks, decisions and longer explanations. Use \
                      when a task needs background that the code does not show.",
        body: include_str!("text/devdocs.md"),
    },
    BuiltIn {
        name: "alembic-guard",
        description: "Check code against the team's rules and mend what is found. Use after every \
                      change of files and before you say that work is done.",
        body: include_str!("text/guard.md"),
    },
    BuiltIn {
        name: "alembic-recipes",
        description: "Find and follow the team's recipes for a task. Use at the start of any work on \
                      code, and whenever you wonder how something is done in this project.",
        body: include_str!("text/recipes.md"),
    },
    BuiltIn {
        name: "alembic-structure",
        description: "Find out how the project is built: parts, layers, dependencies, callers, impact \
                      of a change. Use before work that reaches beyond one file.",
        body: include_str!("text/structure.md"),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_skills_keep_the_conventions() {
        for skill in BUILT_IN {
            assert!(skill.description.chars().count() <= 200, "{}", skill.name);
            assert!(skill.description.contains("Use "), "{}", skill.name);
            assert!(skill.body.lines().count() < 500);
        }
    }
}
