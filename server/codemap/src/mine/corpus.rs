//! The files that are mined.

use std::collections::BTreeMap;
use std::sync::Arc;

use asd_store::{Host, Project, read_text_up_to};
use asd_syntax::{Language, is_generated, is_minified, is_test_path};
use rayon::prelude::*;

use super::Text;
use crate::extract::extract_text;
use crate::facts::{CallSite, Declaration, FileFacts, Receiver};
use crate::map::CodeMap;
use crate::resolve::build;
use crate::scan::{CodeIndex, MAX_SOURCE};
use crate::source::{SourceFile, Sources, content_hash};

/// Folders whose code is not the project's own, is made from other code, or only
/// shows how something is used.
const ASIDE: &[&str] = &[
    "vendor",
    "_vendor",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "node_modules",
    "bower_components",
    "pods",
    "carthage",
    "external",
    "externals",
    "extern",
    "deps",
    "dist",
    "build",
    "out",
    "target",
    "esm",
    "esm5",
    "esm2015",
    "cjs",
    "umd",
    "generated",
    "gen",
    "fixtures",
    "testdata",
    "examples",
    "example",
    "samples",
    "sample",
    "demo",
    "demos",
    "docs",
    "doc",
    "benchmarks",
    "benches",
    "benchmark",
    "debian",
    "migrations",
    "templates",
    "locale",
    "fuzz",
    "_dist_",
    "packages_vendored",
    "test_data",
    "test-data",
    "min",
    "conformance",
    "site-packages",
    "minified-js",
    "embeddedlibraries",
];

/// What part of a project a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Its own code.
    Product,
    /// Its tests.
    Test,
    /// Neither: nothing is learnt from it.
    Aside,
}

/// A file with its text.
pub(super) struct MinedFile {
    pub path: String,
    pub text: Text,
    pub source: Arc<SourceFile>,
    pub part: Part,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl MinedFile {
    fn new(path: String, text: Text, source: Arc<SourceFile>) -> Self {
        let part = part_of(&path);
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self {
            path,
            text,
            source,
            part,
            starts,
        }
    }

    pub fn facts(&self) -> &FileFacts {
        &self.source.facts
    }

    /// The language, with TSX as TypeScript.
    pub fn language(&self) -> Language {
        self.source.facts.language
    }

    /// The line of a byte, from 1.
    pub fn line_of(&self, offset: usize) -> u32 {
        let after = self.starts.partition_point(|&start| start <= offset);
        u32::try_from(after).unwrap_or(u32::MAX).max(1)
    }

    /// A line, from 1, without its end.
    pub fn line(&self, number: u32) -> &str {
        let Some(index) = (number as usize).checked_sub(1) else {
            return "";
        };
        let Some(&start) = self.starts.get(index) else {
            return "";
        };
        let end = self
            .starts
            .get(index + 1)
            .map_or(self.text.len(), |&next| next - 1);
        self.text[start..end].trim_end_matches('\r')
    }

    /// The number of lines, a last empty one not counted.
    pub fn line_count(&self) -> u32 {
        let empty = usize::from(self.starts.last() == Some(&self.text.len()));
        u32::try_from(self.starts.len() - empty).unwrap_or(u32::MAX)
    }

    /// The text of a call's receiver and name: `http.client.get`.
    pub fn call_path(&self, site: &CallSite) -> Option<String> {
        match &site.receiver {
            Receiver::None => Some(site.name.clone()),
            Receiver::Path(path) => Some(format!("{path}.{}", site.name)),
            Receiver::Call(_) | Receiver::Other => None,
        }
    }
}

/// Everything that the miners look at.
pub(super) struct Corpus {
    /// In the order of the map's files.
    pub files: Vec<MinedFile>,
    pub map: Arc<CodeMap>,
}

impl Corpus {
    pub fn read(project: &Project, index: &CodeIndex, host: &dyn Host) -> Self {
        let map = index.map();
        let files = map
            .files()
            .par_iter()
            .map(|file| {
                let text = project
                    .absolute(&file.path)
                    .ok()
                    .and_then(|at| read_text_up_to(host, &at, MAX_SOURCE).ok())
                    .map_or_else(
                        || Text::from(""),
                        |decoded| Text::from(decoded.text.as_str()),
                    );
                MinedFile::new(file.path.clone(), text, Arc::clone(&file.source))
            })
            .collect();
        Self { files, map }
    }

    pub fn of_texts(texts: &[(String, String)]) -> Self {
        let mut sources = Sources::default();
        let mut by_path = BTreeMap::new();
        for (path, text) in texts {
            let Some(language) = Language::of_file(std::path::Path::new(path), text) else {
                continue;
            };
            if is_generated(path, text) || is_minified(text) {
                continue;
            }
            sources.files.insert(
                path.clone(),
                Arc::new(SourceFile {
                    hash: content_hash(path, text.as_bytes()),
                    size: text.len() as u64,
                    is_test: is_test_path(path),
                    facts: extract_text(text, language),
                }),
            );
            by_path.insert(path.clone(), Text::from(text.as_str()));
        }
        let map = Arc::new(build(&sources));
        let files = map
            .files()
            .iter()
            .map(|file| {
                let text = by_path
                    .get(&file.path)
                    .cloned()
                    .unwrap_or_else(|| Text::from(""));
                MinedFile::new(file.path.clone(), text, Arc::clone(&file.source))
            })
            .collect();
        Self { files, map }
    }

    /// The files of one part, with their numbers.
    pub fn part(&self, part: Part) -> impl Iterator<Item = (usize, &MinedFile)> {
        self.files
            .iter()
            .enumerate()
            .filter(move |(_, file)| file.part == part)
    }

    /// The project's own code.
    pub fn product(&self) -> impl Iterator<Item = (usize, &MinedFile)> {
        self.part(Part::Product)
    }

    /// The languages of one part, in a fixed order.
    pub fn languages(&self, part: Part) -> Vec<Language> {
        let by_id: BTreeMap<&str, Language> = self
            .part(part)
            .map(|(_, file)| (file.language().id(), file.language()))
            .collect();
        by_id.into_values().collect()
    }

    /// The declarations of the product in one language, those of tests left out.
    pub fn declarations(
        &self,
        language: Language,
    ) -> impl Iterator<Item = (usize, &MinedFile, &Declaration)> {
        self.product()
            .filter(move |(_, file)| file.language() == language)
            .flat_map(|(at, file)| {
                file.facts()
                    .declarations
                    .iter()
                    .filter(|declaration| !declaration.is_test)
                    .map(move |declaration| (at, file, declaration))
            })
    }
}

/// A folder's name that says its files are not mined, or not with the others.
pub(super) fn is_aside(folder: &str) -> bool {
    ASIDE.contains(&folder.to_lowercase().as_str())
}

fn part_of(path: &str) -> Part {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let lower = path.to_lowercase();
    let is_minified =
        lower.ends_with(".min.js") || lower.ends_with(".d.ts") || lower.ends_with(".pyi");
    if is_minified || folders.split('/').any(is_aside) {
        Part::Aside
    } else if is_test_path(path) || is_test_like(&lower) {
        Part::Test
    } else {
        Part::Product
    }
}

/// Helpers of tests that are not tests themselves.
fn is_test_like(lower: &str) -> bool {
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", lower));
    folders.split('/').any(|folder| {
        matches!(
            folder,
            "testing"
                | "testutil"
                | "testutils"
                | "mocks"
                | "specs"
                | "testsuite"
                | "testhelper"
                | "interop"
        ) || folder.ends_with("test")
            || folder.ends_with("tests")
    }) || name.starts_with("mock_")
}
