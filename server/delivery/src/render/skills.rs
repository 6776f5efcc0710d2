//! Skills with the recipes that belong to them (channel C).

use std::collections::BTreeMap;

use asd_recipe::{canonical_language, is_known_language};

use crate::Entry;
use crate::rank::by_rank;
use crate::render::{REFERENCE_SIGNATURE, SIGNATURE};
use crate::skills::{BUILT_IN, BuiltIn, ProjectSkill};
use crate::text::{cell, defused, one_line, shortened, yaml_string};

/// The skill that channel D writes while there are documents.
pub(crate) const DEVDOCS: &str = "alembic-devdocs";
const MOST_RELATED: usize = 20;

/// A skill as it is written.
pub(crate) struct Skill {
    /// The name of its folder.
    pub name: String,
    pub description: String,
    pub body: String,
    /// What its table of recipes is made of.
    related: Related,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Related {
    None,
    All,
    WithGuards,
    /// Those of a dimension, category or tag.
    About(String),
}

/// The path of a file of a skill.
pub(crate) fn path(skill: &str, file: &str) -> String {
    format!(".cursor/skills/{skill}/{file}")
}

/// Every skill that is delivered, by the name of its folder. One of the project
/// takes the place of a built-in one.
pub(crate) fn collect(project: &[ProjectSkill]) -> Vec<Skill> {
    let mut skills: BTreeMap<String, Skill> = BTreeMap::new();
    let mut sorted: Vec<&ProjectSkill> = project.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    for skill in sorted {
        let Some(target) = target_of(skill) else {
            continue;
        };
        let mut name = target.clone();
        let mut number = 2;
        while skills.contains_key(&name) {
            name = format!("{target}-{number}");
            number += 1;
        }
        skills.insert(
            name.clone(),
            Skill {
                name,
                description: shortened(&one_line(&skill.description), 200),
                body: skill.body.clone(),
                related: Related::About(dimension_of(&skill.name).to_owned()),
            },
        );
    }
    for built_in in BUILT_IN {
        skills
            .entry(built_in.name.to_owned())
            .or_insert_with(|| of_built_in(built_in));
    }
    skills.into_values().collect()
}

pub(crate) fn of_built_in(built_in: &BuiltIn) -> Skill {
    Skill {
        name: built_in.name.to_owned(),
        description: built_in.description.to_owned(),
        body: built_in.body.to_owned(),
        related: match built_in.name {
            "alembic-recipes" => Related::All,
            "alembic-guard" => Related::WithGuards,
            "alembic-structure" => Related::About("architecture".to_owned()),
            _ => Related::None,
        },
    }
}

fn target_of(skill: &ProjectSkill) -> Option<String> {
    Some(match skill.name.as_str() {
        "project-architecture" => "alembic-architecture".to_owned(),
        "project-coding-standards" => "alembic-coding-standards".to_owned(),
        "project-agent-guidelines" => "alembic-guidelines".to_owned(),
        "project-data-event-flow" => "alembic-data-flow".to_owned(),
        name => match name.strip_prefix("project-") {
            Some(rest) => format!("alembic-{rest}"),
            None if skill.deliver && name.starts_with("alembic-") => name.to_owned(),
            None if skill.deliver => format!("alembic-{name}"),
            None => return None,
        },
    })
}

/// The dimension that a skill of the project is about, as far as its name says.
pub(crate) fn dimension_of(name: &str) -> &str {
    name.strip_prefix("project-").unwrap_or(name)
}

impl Skill {
    /// The text of `SKILL.md`.
    pub(crate) fn text(&self, appendix: &str) -> String {
        let separator = if appendix.is_empty() { "" } else { "\n" };
        format!(
            "---\nname: {}\ndescription: {}\n---\n{SIGNATURE}\n{}\n{separator}{appendix}",
            self.name,
            yaml_string(&self.description),
            defused(self.body.trim()).replace("\r\n", "\n")
        )
    }

    /// The text of `references/RECIPES.md`; nothing when no recipe is related.
    pub(crate) fn related(&self, entries: &[&Entry]) -> Option<String> {
        let mut related: Vec<&Entry> = entries
            .iter()
            .copied()
            .filter(|entry| self.is_related(entry))
            .collect();
        related.sort_by(|a, b| by_rank(a, b));
        if related.is_empty() {
            return None;
        }
        let mut text = format!(
            "{REFERENCE_SIGNATURE}\n# Related Recipes\n\
             | Title | Trigger | Kind | Lang | Summary |\n|---|---|---|---|---|\n"
        );
        for entry in related.into_iter().take(MOST_RELATED) {
            text.push_str(&row(entry));
        }
        text.push_str("\nFull text: asd_search or asd_knowledge get.\n");
        Some(text)
    }

    fn is_related(&self, entry: &Entry) -> bool {
        let recipe = &entry.recipe;
        match &self.related {
            Related::None => false,
            Related::All => true,
            Related::WithGuards => !recipe.constraints.guards.is_empty(),
            Related::About(subject) => {
                recipe.dimension_id.as_deref() == Some(subject)
                    || recipe.category.eq_ignore_ascii_case(subject)
                    || recipe.tags.iter().any(|tag| {
                        tag.strip_prefix("dimension:")
                            .unwrap_or(tag)
                            .eq_ignore_ascii_case(subject)
                    })
            }
        }
    }
}

fn row(entry: &Entry) -> String {
    let recipe = &entry.recipe;
    let language = match canonical_language(&recipe.language) {
        Some(language) => language,
        None if is_known_language(&recipe.language) => "all",
        None => &recipe.language,
    };
    let summary = if recipe.description.trim().is_empty() {
        &recipe.do_clause
    } else {
        &recipe.description
    };
    format!(
        "| {} | {} | {} | {} | {} |\n",
        cell(&recipe.title, 80),
        cell(&recipe.trigger, 80),
        recipe.kind.name(),
        cell(language, 20),
        cell(summary, 80)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::entry;

    fn skill(name: &str, deliver: bool) -> ProjectSkill {
        ProjectSkill {
            name: name.to_owned(),
            description: format!("About {name}"),
            body: format!("# {name}\n"),
            deliver,
            created_by: String::new(),
        }
    }

    fn names(project: &[ProjectSkill]) -> Vec<String> {
        collect(project)
            .into_iter()
            .map(|skill| skill.name)
            .collect()
    }

    #[test]
    fn skills_of_the_project_get_their_folders() {
        let built_in = names(&[]);
        assert_eq!(
            built_in,
            [
                "alembic-create",
                "alembic-devdocs",
                "alembic-guard",
                "alembic-recipes",
                "alembic-structure"
            ]
        );
        let all = names(&[
            skill("project-architecture", false),
            skill("project-agent-guidelines", false),
            skill("project-data-event-flow", false),
            skill("project-x", false),
            skill("private-notes", false),
            skill("release", true),
        ]);
        for name in [
            "alembic-architecture",
            "alembic-guidelines",
            "alembic-data-flow",
            "alembic-x",
            "alembic-release",
        ] {
            assert!(all.contains(&name.to_owned()), "{name}");
        }
        assert!(!all.iter().any(|name| name.contains("notes")));
    }

    #[test]
    fn the_project_wins_over_a_built_in_and_the_later_gets_a_number() {
        let all = collect(&[skill("project-guard", false), skill("guard", true)]);
        let guard = all
            .iter()
            .find(|skill| skill.name == "alembic-guard")
            .unwrap();
        assert_eq!(guard.description, "About guard");
        assert!(all.iter().any(|skill| skill.name == "alembic-guard-2"));
    }

    #[test]
    fn related_recipes_are_a_table_of_five_columns() {
        let skill = &collect(&[skill("project-architecture", false)])[0];
        let related = entry(
            "title: 'a | b'\ntrigger: '@ab'\nkind: rule\ndimensionId: architecture\nlanguage: golang\n\
             description: One sentence",
        );
        let other = entry("title: other\ndimensionId: security-auth");
        let tagged = entry("title: tagged\ntags: ['dimension:architecture']\nlifecycle: staging");
        let text = skill.related(&[&tagged, &other, &related]).unwrap();
        expect_test::expect![[r"
            <!-- auto-generated by [alembic] -->
            # Related Recipes
            | Title | Trigger | Kind | Lang | Summary |
            |---|---|---|---|---|
            | a \| b | @ab | rule | go | One sentence |
            | tagged | @t-0000 | pattern |  |  |

            Full text: asd_search or asd_knowledge get.
        "]]
        .assert_eq(&text);
    }

    #[test]
    fn at_most_twenty_rows() {
        let entries: Vec<Entry> = (0..30)
            .map(|n| entry(&format!("title: T{n}\ntrigger: '@t{n}'")))
            .collect();
        let entries: Vec<&Entry> = entries.iter().collect();
        let all = collect(&[]);
        let recipes = all
            .iter()
            .find(|skill| skill.name == "alembic-recipes")
            .unwrap();
        let text = recipes.related(&entries).unwrap();
        assert_eq!(text.matches("| @t").count(), 20);
    }
}
