//! Example recipes for the languages of a project: candidates that show what a
//! good recipe looks like, for a person to keep, change or delete.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use asd_recipe::{Home, bucket, parse, trigger_key};
use asd_store::{Disk, Project, list_recipes, load_recipes, walk};
use asd_syntax::{Language, is_test_path};

use super::files::Files;
use crate::deliver::Action;

/// An example with the languages that it is for; none is for every project.
struct Seed {
    languages: &'static [&'static str],
    text: &'static str,
}

const SEEDS: &[Seed] = &[
    Seed {
        languages: &[],
        text: include_str!("../../seeds/todo.md"),
    },
    Seed {
        languages: &["typescript", "javascript"],
        text: include_str!("../../seeds/javascript.md"),
    },
    Seed {
        languages: &["python"],
        text: include_str!("../../seeds/python.md"),
    },
    Seed {
        languages: &["go"],
        text: include_str!("../../seeds/go.md"),
    },
    Seed {
        languages: &["rust"],
        text: include_str!("../../seeds/rust.md"),
    },
    Seed {
        languages: &["java"],
        text: include_str!("../../seeds/java.md"),
    },
    Seed {
        languages: &["kotlin"],
        text: include_str!("../../seeds/kotlin.md"),
    },
    Seed {
        languages: &["swift"],
        text: include_str!("../../seeds/swift.md"),
    },
    Seed {
        languages: &["objc"],
        text: include_str!("../../seeds/objc.md"),
    },
    Seed {
        languages: &["dart"],
        text: include_str!("../../seeds/dart.md"),
    },
    Seed {
        languages: &["csharp"],
        text: include_str!("../../seeds/csharp.md"),
    },
    Seed {
        languages: &["ruby"],
        text: include_str!("../../seeds/ruby.md"),
    },
    Seed {
        languages: &["c", "cpp"],
        text: include_str!("../../seeds/c.md"),
    },
];

/// What stands in an example for the id, the language and a file of the
/// project.
const ID: &str = "{{id}}";
const LANGUAGE: &str = "{{language}}";
const SOURCE: &str = "{{source}}";

/// Writes the examples whose language the project has, each once.
pub(crate) fn write(files: &mut Files<'_>, source: &Project) {
    let sources = sources(source);
    let mut known = known_triggers(files.project);
    for seed in SEEDS {
        let found = if seed.languages.is_empty() {
            sources.values().next().map(|path| ("all", path))
        } else {
            seed.languages
                .iter()
                .find_map(|language| Some((*language, sources.get(language)?)))
        };
        let Some((language, path)) = found else {
            continue;
        };
        let id = uuid::Uuid::new_v4().to_string();
        let text = filled(seed.text, &id, language, path);
        let Some(recipe) = parse(&text, Home::Candidates).recipe else {
            continue;
        };
        let stem = asd_recipe::file_stem(&recipe);
        let rel = format!("Alembic/candidates/{}/{stem}.md", bucket(&recipe));
        if known.insert(trigger_key(&recipe.trigger)) {
            files.create(&rel, &text);
        } else {
            files.tell(&rel, Action::Unchanged, Some("the trigger exists"));
        }
    }
}

fn filled(text: &str, id: &str, language: &str, source: &str) -> String {
    text.replace(ID, id)
        .replace(LANGUAGE, language)
        .replace(SOURCE, source)
}

fn known_triggers(project: &Project) -> BTreeSet<String> {
    let (paths, _) = list_recipes(&Disk, project, &[]);
    let (files, _) = load_recipes(&Disk, &paths);
    files
        .iter()
        .filter_map(|file| file.recipe.as_ref())
        .map(|recipe| trigger_key(&recipe.trigger))
        .collect()
}

/// The first file of each language that is no test.
fn sources(project: &Project) -> BTreeMap<&'static str, String> {
    let walked = walk(&Disk, project, &[], &AtomicBool::new(false));
    let mut sources = BTreeMap::new();
    for file in walked.files {
        let Some(language) = Language::of_file(&file.path, "") else {
            continue;
        };
        if !is_test_path(&file.rel) {
            sources.entry(language.id()).or_insert(file.rel);
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_a_recipe_without_fault() {
        let mut triggers = BTreeSet::new();
        for seed in SEEDS {
            let language = seed.languages.first().copied().unwrap_or("all");
            let text = filled(
                seed.text,
                "5b0c4d1e-7a55-4c58-9d5e-0a4f3c1e2b77",
                language,
                "src/a.x",
            );
            assert!(!text.contains("{{"), "{text}");
            let parsed = parse(&text, Home::Candidates);
            assert!(parsed.problems.is_empty(), "{:#?}\n{text}", parsed.problems);
            let recipe = parsed.recipe.unwrap();
            assert!(triggers.insert(recipe.trigger.clone()));
            assert_eq!(recipe.lifecycle, asd_recipe::Lifecycle::Pending);
            assert!(!recipe.constraints.guards.is_empty());
            // It waits for a person before any agent is told of it.
            assert!(recipe.reasoning.confidence.unwrap() < 0.7);
        }
    }
}
