//! Reading the facts of one file from its tree.

mod builder;
mod clike;
mod dart;
mod ecma;
mod ecma_modules;
mod go;
mod java;
mod kotlin;
mod python;
mod rust;
mod swift;
#[cfg(test)]
mod tests;
mod types;

use asd_syntax::{Language, Node, Tree, parse, regions};

use crate::facts::FileFacts;
use builder::Builder;

/// The version of the extraction: facts of another version are read again.
pub const EXTRACTOR_VERSION: u32 = 1;

/// What a language does with a node: whether its children are looked at.
type Enter = for<'t> fn(&mut Builder<'t>, Node<'t>) -> bool;

/// The facts of a file. A pure function of the three: `tree` must be that of
/// `text`.
#[must_use]
pub fn extract(text: &str, tree: &Tree, language: Language) -> FileFacts {
    let Some(enter) = enter(language) else {
        return FileFacts::empty(language, line_count(text));
    };
    let mut builder = Builder::new(text, language);
    builder.walk(tree.root_node(), enter);
    builder.finish(tree.root_node().has_error())
}

/// Like [`extract`], but parses the text first. Of a file in several languages
/// the scripts are read; spans are those in the whole text.
#[must_use]
pub fn extract_text(text: &str, language: Language) -> FileFacts {
    if matches!(language, Language::Vue | Language::Svelte) {
        return extract_scripts(text, language);
    }
    match parse(language, text, None) {
        Some(tree) => extract(text, &tree, language),
        None => FileFacts::empty(language, line_count(text)),
    }
}

/// Reads the scripts of a component as one text in which all else is blank, so
/// that offsets and lines stay.
fn extract_scripts(text: &str, language: Language) -> FileFacts {
    let scripts: Vec<_> = regions(language, text)
        .into_iter()
        .filter(|region| {
            matches!(
                region.language,
                Language::JavaScript | Language::TypeScript | Language::Tsx
            )
        })
        .collect();
    let mut blank: Vec<u8> = text
        .bytes()
        .map(|byte| {
            if matches!(byte, b'\n' | b'\r') {
                byte
            } else {
                b' '
            }
        })
        .collect();
    for script in &scripts {
        blank[script.span.start..script.span.end].copy_from_slice(script.span.of(text).as_bytes());
    }
    let typed = if scripts
        .iter()
        .any(|script| script.language == Language::Tsx)
    {
        Language::Tsx
    } else {
        Language::TypeScript
    };
    let mut facts = match String::from_utf8(blank) {
        Ok(blank) if !scripts.is_empty() => extract_text(&blank, typed),
        _ => FileFacts::empty(language, line_count(text)),
    };
    facts.language = language;
    facts
}

/// The number of lines of a text.
pub(crate) fn line_count(text: &str) -> u32 {
    let lines = text.lines().count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

fn enter(language: Language) -> Option<Enter> {
    Some(match language {
        Language::Rust => rust::enter,
        Language::Python => python::enter,
        Language::JavaScript | Language::TypeScript | Language::Tsx => ecma::enter,
        Language::Go => go::enter,
        Language::Java => java::enter,
        Language::Kotlin => kotlin::enter,
        Language::Swift => swift::enter,
        Language::C | Language::Cpp | Language::Objc => clike::enter,
        Language::Dart => dart::enter,
        _ => return None,
    })
}
