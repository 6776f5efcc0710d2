//! Where the file of a recipe goes. (knowledge.md §4)

use asd_knowledge::lifecycle::home_of;
use asd_recipe::{Home, Recipe, bucket, file_stem, short_id};

use crate::KNOWLEDGE_DIR;

/// How many names are tried when others are taken.
const TRIES: usize = 100;

pub(crate) const fn folder_of(home: Home) -> &'static str {
    match home {
        Home::Recipes => "recipes",
        Home::Candidates => "candidates",
    }
}

/// The places of a new recipe's file, the best one first.
pub(crate) fn places_of(recipe: &Recipe) -> impl Iterator<Item = String> + use<> {
    let folder = folder_of(home_of(recipe.lifecycle));
    let stem = format!(
        "{KNOWLEDGE_DIR}/{folder}/{}/{}",
        bucket(recipe),
        file_stem(recipe)
    );
    numbered(stem, recipe.id.as_deref())
}

/// The places that a file can have in another folder, the best one first: what
/// is below the folder stays as it is.
pub(crate) fn places_in(
    home: Home,
    rel: &str,
    id: Option<&str>,
) -> impl Iterator<Item = String> + use<> {
    let below = rel.splitn(3, '/').nth(2).unwrap_or(rel);
    let below = below.strip_suffix(".md").unwrap_or(below);
    numbered(format!("{KNOWLEDGE_DIR}/{}/{below}", folder_of(home)), id)
}

fn numbered(stem: String, id: Option<&str>) -> impl Iterator<Item = String> + use<> {
    let id = id.map(short_id).filter(|id| !id.is_empty());
    (0..TRIES).map(move |turn| match (turn, &id) {
        (0, _) => format!("{stem}.md"),
        (1, Some(id)) => format!("{stem}-{id}.md"),
        (n, Some(id)) => format!("{stem}-{id}-{n}.md"),
        (n, None) => format!("{stem}-{}.md", n + 1),
    })
}

#[cfg(test)]
mod tests {
    use asd_recipe::Lifecycle;

    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_the_beginning_of_the_id() {
        let recipe = Recipe {
            id: Some("5b0c4d1e-7a55-4c58".to_owned()),
            trigger: "@net-monitor".to_owned(),
            category: "Network".to_owned(),
            lifecycle: Lifecycle::Active,
            ..Recipe::default()
        };
        let places: Vec<String> = places_of(&recipe).take(3).collect();
        assert_eq!(
            places,
            [
                "Alembic/recipes/network/net-monitor.md",
                "Alembic/recipes/network/net-monitor-5b0c4d1e.md",
                "Alembic/recipes/network/net-monitor-5b0c4d1e-2.md",
            ]
        );
    }

    #[test]
    fn what_a_trigger_or_a_category_says_leads_nowhere_else() {
        let recipe = Recipe {
            trigger: "@../../etc/passwd".to_owned(),
            category: "../../../tmp".to_owned(),
            ..Recipe::default()
        };
        let place = places_of(&recipe).next().unwrap();
        assert!(!place.contains(".."), "{place}");
        assert_eq!(place.split('/').count(), 4, "{place}");
    }

    #[test]
    fn a_file_keeps_its_name_in_the_other_folder() {
        let mut places = places_in(Home::Candidates, "Alembic/recipes/x/deep/a.md", Some("1"));
        assert_eq!(places.next().unwrap(), "Alembic/candidates/x/deep/a.md");
        assert_eq!(places.next().unwrap(), "Alembic/candidates/x/deep/a-1.md");
    }
}
