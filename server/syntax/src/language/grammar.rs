//! The tree-sitter grammar of each language, built once.

use std::sync::OnceLock;

use super::{ALL, Language};

static GRAMMARS: [OnceLock<tree_sitter::Language>; ALL.len()] =
    [const { OnceLock::new() }; ALL.len()];

fn load(language: Language) -> Option<tree_sitter::Language> {
    Some(match language {
        Language::Objc => tree_sitter_objc::LANGUAGE.into(),
        Language::Swift => tree_sitter_swift::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::Kotlin => tree_sitter_kotlin_sg::LANGUAGE.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::Dart => tree_sitter_dart::LANGUAGE.into(),
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::C => tree_sitter_c::LANGUAGE.into(),
        Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
        Language::Ruby => tree_sitter_ruby::LANGUAGE.into(),
        Language::Html => tree_sitter_html::LANGUAGE.into(),
        Language::Css => tree_sitter_css::LANGUAGE.into(),
        Language::Bash => tree_sitter_bash::LANGUAGE.into(),
        Language::Json => tree_sitter_json::LANGUAGE.into(),
        Language::Yaml => tree_sitter_yaml::LANGUAGE.into(),
        Language::Toml => tree_sitter_toml_ng::LANGUAGE.into(),
        Language::Vue | Language::Svelte | Language::Markdown => return None,
    })
}

impl Language {
    /// Its grammar; `None` where only embedded parts are parsed (Markdown, Vue,
    /// Svelte).
    #[must_use]
    pub fn grammar(self) -> Option<tree_sitter::Language> {
        let slot = &GRAMMARS[self as usize];
        if let Some(grammar) = slot.get() {
            return Some(grammar.clone());
        }
        let grammar = load(self)?;
        Some(slot.get_or_init(|| grammar).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_loads_into_a_parser() {
        for &language in Language::all() {
            let Some(grammar) = language.grammar() else {
                continue;
            };
            tree_sitter::Parser::new()
                .set_language(&grammar)
                .unwrap_or_else(|error| panic!("{language:?}: {error}"));
        }
    }

    #[test]
    fn the_table_is_in_the_order_of_the_type() {
        for (index, &language) in ALL.iter().enumerate() {
            assert_eq!(language as usize, index);
        }
    }
}
