use asd_syntax::Language;

/// A set of languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LanguageSet {
    bits: u32,
    all: bool,
}

impl LanguageSet {
    /// The languages of some ids, whatever aliases they are; every language
    /// when there are none. Ids that are not known name no text.
    pub(crate) fn named(ids: &[impl AsRef<str>]) -> Self {
        let mut bits = 0;
        let mut all = ids.is_empty();
        for id in ids {
            let id = id.as_ref();
            all |= id.trim().eq_ignore_ascii_case("all");
            if let Some(canonical) = asd_recipe::canonical_language(id) {
                for language in Language::all() {
                    if language.id() == canonical {
                        bits |= 1 << *language as u32;
                    }
                }
            }
        }
        Self { bits, all }
    }

    pub(crate) const fn contains(self, language: Language) -> bool {
        self.all || self.bits & (1 << language as u32) != 0
    }

    /// Whether the language was named, not just included in all.
    pub(crate) const fn names(self, language: Language) -> bool {
        !self.all && self.contains(language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_and_both_grammars_of_typescript() {
        let set = LanguageSet::named(&["Objective-C", "ts"]);
        assert!(set.contains(Language::Objc));
        assert!(set.contains(Language::TypeScript));
        assert!(set.contains(Language::Tsx));
        assert!(!set.contains(Language::JavaScript));
        assert!(LanguageSet::named(&[] as &[&str]).contains(Language::Go));
        assert!(LanguageSet::named(&["all"]).contains(Language::Markdown));
        assert!(!LanguageSet::named(&["cobol"]).contains(Language::Go));
    }
}
