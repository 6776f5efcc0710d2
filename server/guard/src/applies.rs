//! Which rules look at a file, without a check of it.

use std::sync::Arc;

use asd_syntax::Language;

use crate::{RuleInfo, RuleSet};

impl RuleSet {
    /// The guards of recipes that check a file, by its language and its
    /// project-relative path with `/`.
    pub fn recipe_rules_at(
        &self,
        language: Language,
        path: &str,
    ) -> impl Iterator<Item = &Arc<RuleInfo>> {
        let rules = if self.leaves_out(path) {
            None
        } else {
            self.inner.language(language)
        };
        rules
            .into_iter()
            .flat_map(|rules| &rules.slots)
            .filter_map(|index| self.inner.rules.get(*index as usize))
            .filter(move |rule| rule.admits(Some(path)))
            .map(|rule| &rule.info)
    }

    /// Whether a rule, by its id, checks a file.
    #[must_use]
    pub fn applies(&self, id: &str, language: Language, path: &str) -> bool {
        if self.leaves_out(path) {
            return false;
        }
        let of_recipe = self
            .recipe_rules_at(language, path)
            .any(|rule| rule.id == id);
        of_recipe
            || self.inner.built_ins.iter().any(|rule| {
                rule.info.id == id
                    && rule
                        .info
                        .languages
                        .iter()
                        .any(|known| known == language.id())
                    && rule.scope.admits(Some(path))
            })
    }

    fn leaves_out(&self, path: &str) -> bool {
        self.excluded_by(path).is_some()
    }
}
