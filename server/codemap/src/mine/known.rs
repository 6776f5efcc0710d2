//! What the project's recipes say already is not proposed again.

use std::collections::BTreeSet;

use asd_knowledge::similarity::{DUPLICATE_FROM, Print, SimilarityIndex};
use asd_recipe::{Recipe, trigger_key};

/// How a recipe that was mined is marked.
const MARK: &str = "mined";

/// The recipes that are there: retired ones too, for what was rejected once is
/// not proposed again.
pub struct KnownRecipes {
    triggers: BTreeSet<String>,
    titles: BTreeSet<String>,
    written: SimilarityIndex,
}

impl KnownRecipes {
    /// What these recipes say.
    #[must_use]
    pub fn new<'r>(recipes: impl IntoIterator<Item = &'r Recipe>) -> Self {
        let mut known = Self {
            triggers: BTreeSet::new(),
            titles: BTreeSet::new(),
            written: SimilarityIndex::build([]),
        };
        for recipe in recipes {
            known.triggers.insert(trigger_key(&recipe.trigger));
            known.titles.insert(recipe.title.to_lowercase());
            // Two that were mined have their sentences in common, whatever they
            // are about: their triggers tell them apart.
            if !recipe.tags.iter().any(|tag| tag == MARK) {
                known.written.insert(recipe);
            }
        }
        known
    }

    /// Whether a candidate is one of them, or as good as one.
    #[must_use]
    pub fn has(&self, recipe: &Recipe) -> bool {
        self.triggers.contains(&trigger_key(&recipe.trigger))
            || self.titles.contains(&recipe.title.to_lowercase())
            || !self
                .written
                .similar(&Print::new(recipe), DUPLICATE_FROM)
                .is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(trigger: &str, title: &str, tags: &[&str]) -> Recipe {
        Recipe {
            trigger: trigger.to_owned(),
            title: title.to_owned(),
            description: format!("{title}, always"),
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            ..Recipe::default()
        }
    }

    #[test]
    fn the_same_in_other_words_is_known_and_another_convention_is_not() {
        let known = KnownRecipes::new(&[
            recipe("@requests", "Requests go through NetworkKit", &[]),
            recipe(
                "@a-fields",
                "Classes that extend `Field` are named `…Field`",
                &[MARK],
            ),
        ]);
        assert!(known.has(&recipe("@requests", "Something else", &[])));
        assert!(known.has(&recipe("@other", "Requests go through NetworkKit", &[])));
        assert!(known.has(&recipe("@third", "Requests all go through NetworkKit", &[])));
        assert!(!known.has(&recipe(
            "@b-forms",
            "Classes that extend `Form` are named `…Form`",
            &[]
        )));
    }
}
