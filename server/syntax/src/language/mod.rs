mod files;
mod grammar;
mod pattern;
#[cfg(test)]
mod pattern_tests;

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

const ALL: &[Language] = &[
    Language::Objc,
    Language::Swift,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Python,
    Language::Java,
    Language::Kotlin,
    Language::Go,
    Language::Dart,
    Language::Rust,
    Language::C,
    Language::Cpp,
    Language::CSharp,
    Language::Ruby,
    Language::Html,
    Language::Css,
    Language::Vue,
    Language::Svelte,
    Language::Markdown,
    Language::Bash,
    Language::Json,
    Language::Yaml,
    Language::Toml,
];

impl Language {
    /// The canonical id.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Objc => "objc",
            Self::Swift => "swift",
            Self::JavaScript => "javascript",
            Self::TypeScript | Self::Tsx => "typescript",
            Self::Python => "python",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::Go => "go",
            Self::Dart => "dart",
            Self::Rust => "rust",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::CSharp => "csharp",
            Self::Ruby => "ruby",
            Self::Html => "html",
            Self::Css => "css",
            Self::Vue => "vue",
            Self::Svelte => "svelte",
            Self::Markdown => "markdown",
            Self::Bash => "bash",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
        }
    }

    /// The language of an id, alias or editor language id. `tsx` and
    /// `typescriptreact` give [`Language::Tsx`].
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        let trimmed = id.trim();
        if trimmed.eq_ignore_ascii_case("tsx") || trimmed.eq_ignore_ascii_case("typescriptreact") {
            return Some(Self::Tsx);
        }
        let id = asd_recipe::canonical_language(trimmed)?;
        ALL.iter().copied().find(|language| language.id() == id)
    }

    /// The language of a file, by its name and, for `.h` and files without an
    /// extension, by what it holds. (guard.md §1)
    #[must_use]
    pub fn of_file(path: &Path, text: &str) -> Option<Self> {
        files::language_of(path.file_name()?.to_str()?, text)
    }

    /// Its comments; both `None` where the language has none (JSON).
    #[must_use]
    pub fn comments(self) -> CommentSyntax {
        const SLASHES: CommentSyntax = CommentSyntax {
            line: Some("//"),
            block: Some(("/*", "*/")),
        };
        const HASH: CommentSyntax = CommentSyntax {
            line: Some("#"),
            block: None,
        };
        const MARKUP: CommentSyntax = CommentSyntax {
            line: None,
            block: Some(("<!--", "-->")),
        };
        match self {
            Self::Objc
            | Self::Swift
            | Self::JavaScript
            | Self::TypeScript
            | Self::Tsx
            | Self::Java
            | Self::Kotlin
            | Self::Go
            | Self::Dart
            | Self::Rust
            | Self::C
            | Self::Cpp
            | Self::CSharp => SLASHES,
            Self::Python | Self::Ruby | Self::Bash | Self::Yaml | Self::Toml => HASH,
            Self::Html | Self::Vue | Self::Svelte | Self::Markdown => MARKUP,
            Self::Css => CommentSyntax {
                line: None,
                block: Some(("/*", "*/")),
            },
            Self::Json => CommentSyntax {
                line: None,
                block: None,
            },
        }
    }

    /// Every language.
    #[must_use]
    pub fn all() -> &'static [Self] {
        ALL
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        Self::from_id(&id)
            .ok_or_else(|| serde::de::Error::custom(format!("`{id}` is not a known language")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_lead_back_to_their_language() {
        for &language in Language::all() {
            let back = Language::from_id(language.id());
            if language == Language::Tsx {
                assert_eq!(back, Some(Language::TypeScript));
            } else {
                assert_eq!(back, Some(language));
            }
        }
        let ids: Vec<_> = asd_recipe::known_languages().collect();
        for id in ids {
            assert!(Language::from_id(id).is_some(), "{id} has no language");
        }
    }

    #[test]
    fn aliases_and_editor_ids() {
        for (id, language) in [
            ("typescriptreact", Language::Tsx),
            ("TSX", Language::Tsx),
            ("javascriptreact", Language::JavaScript),
            ("jsx", Language::JavaScript),
            ("objective-c", Language::Objc),
            ("objective-cpp", Language::Objc),
            ("Obj-C", Language::Objc),
            ("shellscript", Language::Bash),
            ("jsonc", Language::Json),
            ("c++", Language::Cpp),
            ("c#", Language::CSharp),
            ("golang", Language::Go),
            ("kt", Language::Kotlin),
            ("py", Language::Python),
            (" rust ", Language::Rust),
        ] {
            assert_eq!(Language::from_id(id), Some(language), "{id}");
        }
        assert_eq!(Language::from_id("cobol"), None);
        assert_eq!(Language::from_id(""), None);
    }

    #[test]
    fn files_are_told_by_extension_name_and_shebang() {
        let of = |path: &str, text: &str| Language::of_file(Path::new(path), text);
        for (path, language) in [
            ("src/a.TS", Language::TypeScript),
            ("a.d.ts", Language::TypeScript),
            ("a.tsx", Language::Tsx),
            ("a.cjs", Language::JavaScript),
            ("View.mm", Language::Objc),
            ("build.gradle.kts", Language::Kotlin),
            ("x.pyi", Language::Python),
            ("x.hpp", Language::Cpp),
            ("Gemfile", Language::Ruby),
            ("ios/Podfile", Language::Ruby),
            ("pkg/BUILD", Language::Python),
            (".bashrc", Language::Bash),
            ("Cargo.lock", Language::Toml),
            ("Podfile.lock", Language::Yaml),
            ("App.vue", Language::Vue),
            ("README.md", Language::Markdown),
        ] {
            assert_eq!(of(path, ""), Some(language), "{path}");
        }
        for path in ["a.txt", "Makefile", ".gitignore", "ts", ".ts", "a."] {
            assert_eq!(of(path, ""), None, "{path}");
        }
        for (line, language) in [
            ("#!/bin/sh", Some(Language::Bash)),
            ("#!/usr/bin/env python3.11", Some(Language::Python)),
            (
                "#!/usr/bin/env -S NODE_ENV=x node --flag",
                Some(Language::JavaScript),
            ),
            ("\u{feff}#! /usr/bin/ruby -w", Some(Language::Ruby)),
            ("#!/usr/bin/perl", None),
            ("#!", None),
            ("echo", None),
        ] {
            assert_eq!(of("bin/tool", line), language, "{line}");
        }
    }

    #[test]
    fn headers_are_told_by_content() {
        let of = |text: &str| Language::of_file(Path::new("a.h"), text);
        assert_eq!(of("#import <UIKit/UIKit.h>\n"), Some(Language::Objc));
        assert_eq!(of("@class A;\n"), Some(Language::Objc));
        assert_eq!(of("#include <a.h>\nint f(void);\n"), Some(Language::C));
        assert_eq!(of("  namespace a {\n}\n"), Some(Language::Cpp));
        assert_eq!(of("std::string f();\n"), Some(Language::Cpp));
        assert_eq!(of("struct s { int class_count; };\n"), Some(Language::C));
    }

    #[test]
    fn comments_are_those_of_the_language() {
        assert_eq!(Language::Tsx.comments().line, Some("//"));
        assert_eq!(Language::Css.comments().line, None);
        assert_eq!(Language::Vue.comments().block, Some(("<!--", "-->")));
        for &language in Language::all() {
            let comments = language.comments();
            let none = comments.line.is_none() && comments.block.is_none();
            assert_eq!(none, language == Language::Json, "{language:?}");
            // The lexer takes for a comment what the table says is one.
            let forms = [
                comments.line.map(|line| format!("{line} a")),
                comments
                    .block
                    .map(|(open, close)| format!("{open} a {close}")),
            ];
            for text in forms.into_iter().flatten() {
                let spans = crate::Mask::new(language, &text).spans;
                assert!(spans.len() == 1 && spans[0].kind.is_comment(), "{text}");
                assert_eq!(spans[0].span.len(), text.len());
            }
        }
    }
}
