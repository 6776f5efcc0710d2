use std::path::Path;

/// A language that can be checked. `Tsx` is TypeScript with the grammar that
/// knows JSX; both have the id `typescript`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Language {
    Objc,
    Swift,
    JavaScript,
    TypeScript,
    Tsx,
    Python,
    Java,
    Kotlin,
    Go,
    Dart,
    Rust,
    C,
    Cpp,
    CSharp,
    Ruby,
    Html,
    Css,
    Vue,
    Svelte,
    Markdown,
    Bash,
    Json,
    Yaml,
    Toml,
}

/// How a language writes comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentSyntax {
    /// What starts a comment that ends with its line.
    pub line: Option<&'static str>,
    /// What starts and what ends a comment over several lines.
    pub block: Option<(&'static str, &'static str)>,
}

impl Language {
    /// The canonical id.
    #[must_use]
    pub fn id(self) -> &'static str {
        todo!()
    }

    /// The language of an id, alias or editor language id.
    #[must_use]
    pub fn from_id(_id: &str) -> Option<Self> {
        todo!()
    }

    /// The language of a file, by its name and, for `.h`, by what it holds.
    #[must_use]
    pub fn of_file(_path: &Path, _text: &str) -> Option<Self> {
        todo!()
    }

    /// Its comments; both `None` where the language has none (JSON).
    #[must_use]
    pub fn comments(self) -> CommentSyntax {
        todo!()
    }

    /// Every language.
    #[must_use]
    pub fn all() -> &'static [Self] {
        todo!()
    }

    /// Its grammar; `None` where only embedded parts are parsed (Markdown, Vue,
    /// Svelte).
    #[must_use]
    pub fn grammar(self) -> Option<tree_sitter::Language> {
        todo!()
    }
}

impl ast_grep_core::Language for Language {
    fn kind_to_id(&self, _kind: &str) -> u16 {
        todo!()
    }

    fn field_to_id(&self, _field: &str) -> Option<u16> {
        todo!()
    }

    fn build_pattern(
        &self,
        _builder: &ast_grep_core::matcher::PatternBuilder,
    ) -> Result<ast_grep_core::Pattern, ast_grep_core::PatternError> {
        todo!()
    }
}

impl ast_grep_core::tree_sitter::LanguageExt for Language {
    fn get_ts_language(&self) -> ast_grep_core::tree_sitter::TSLanguage {
        todo!()
    }
}
