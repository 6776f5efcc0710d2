//! Candidates that are drafted from code.

use asd_recipe::{Code, Lifecycle, Reasoning, Recipe, SourceRef, normalise_trigger};
use asd_syntax::Language;

use crate::ProjectState;

/// A candidate that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The file, project-relative with `/`; there is none of that name yet.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl ProjectState {
    /// A candidate of a piece of code, named after the file that it stands in.
    /// `is_taken` says of a path whether a file of that name is being written.
    /// `None` where the project has not been set up.
    #[must_use]
    pub fn draft(
        &self,
        code: &str,
        language: Language,
        source: SourceRef,
        is_taken: &dyn Fn(&str) -> bool,
    ) -> Option<Draft> {
        let root = self.project().root();
        if !root.join("Alembic").is_dir() {
            return None;
        }
        let name = source.path.rsplit('/').next().unwrap_or(&source.path);
        let stem = name.split('.').next().unwrap_or(name);
        let base = normalise_trigger(stem).unwrap_or_else(|| "@new-recipe".to_owned());
        let recipe = Recipe {
            title: format!("Draft from {name}"),
            language: language.id().to_owned(),
            category: "general".to_owned(),
            knowledge_type: "code-pattern".to_owned(),
            lifecycle: Lifecycle::Pending,
            source: "manual".to_owned(),
            core_code: Some(Code {
                language: language.id().to_owned(),
                text: dedented(code).collect::<Vec<_>>().join("\n"),
                ..Code::default()
            }),
            reasoning: Reasoning {
                sources: vec![source],
                ..Reasoning::default()
            },
            ..Recipe::default()
        };
        (1..100).find_map(|number| {
            let trigger = if number == 1 {
                base.clone()
            } else {
                format!("{base}-{number}")
            };
            let recipe = Recipe {
                trigger,
                ..recipe.clone()
            };
            let path = candidate_path(&recipe);
            let free = self.recipe_by_trigger(&recipe.trigger).is_none()
                && !is_taken(&path)
                && !root.join(&path).exists();
            free.then(|| Draft {
                text: asd_recipe::to_markdown(&recipe),
                path,
            })
        })
    }
}

/// Where a candidate is kept. (knowledge.md §1)
fn candidate_path(recipe: &Recipe) -> String {
    format!(
        "Alembic/candidates/{}/{}.md",
        asd_recipe::bucket(recipe),
        asd_recipe::file_stem(recipe)
    )
}

/// The lines of a piece of code without the blanks that all of them begin with.
pub fn dedented(code: &str) -> impl Iterator<Item = &str> {
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let first = code.lines().find(|line| !line.trim().is_empty());
    let mut common = first.map_or("", |line| &line[..blanks(line)]);
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        while !line.starts_with(common) {
            common = &common[..common.len() - 1];
        }
    }
    let common = common.to_owned();
    code.lines().map(move |line| {
        line.strip_prefix(common.as_str())
            .unwrap_or_else(|| line.trim_start())
    })
}
