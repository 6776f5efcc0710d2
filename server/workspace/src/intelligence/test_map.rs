//! Maps of small projects for tests.

use std::sync::Arc;

use asd_codemap::{CodeMap, SourceFile, Sources, build, extract_text, parse_manifest};
use asd_syntax::{Language, is_test_path};

/// The map of files with these texts.
pub(crate) fn map(files: &[(&str, &str)]) -> CodeMap {
    let mut sources = Sources::default();
    for (number, (path, text)) in files.iter().enumerate() {
        if let Some(manifest) = parse_manifest(path, text) {
            sources
                .manifests
                .insert((*path).to_owned(), Arc::new(manifest));
            continue;
        }
        let language = Language::of_file(std::path::Path::new(path), text).unwrap();
        let file = SourceFile {
            hash: number as u64,
            size: text.len() as u64,
            is_test: is_test_path(path),
            facts: extract_text(text, language),
        };
        sources.files.insert((*path).to_owned(), Arc::new(file));
    }
    build(&sources)
}
