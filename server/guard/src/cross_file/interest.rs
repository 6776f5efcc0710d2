use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use asd_syntax::Language;

use super::{FileFacts, Modules};

/// Which other files have to be known for the rules to decide about some: those
/// that they import, directly or not, and those that may declare the same.
pub struct Interest {
    /// The folders of Go packages.
    folders: BTreeSet<String>,
    objc: Names,
    java: Names,
    swift: Names,
}

/// Names of which one has to occur in a text.
struct Names(Option<AhoCorasick>);

impl Names {
    fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Self(None);
        }
        // Too many names to be searched for are not worth a search.
        Self(AhoCorasick::new(&names).ok())
    }

    fn occur_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|names| names.is_match(text))
    }
}

impl Interest {
    /// What the files with these facts need to know of others.
    #[must_use]
    pub fn of(files: &[(Arc<str>, Arc<FileFacts>)]) -> Self {
        let facts = || files.iter().map(|(_, facts)| facts);
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(f, _)| f).to_owned();
        Self {
            folders: files
                .iter()
                .filter(|(_, facts)| !facts.inits.is_empty() || !facts.dropped.is_empty())
                .map(|(path, _)| folder(path))
                .collect(),
            objc: Names::of(facts().flat_map(|f| f.categories.iter().map(|one| &*one.name))),
            java: Names::of(facts().flat_map(|f| f.classes.iter().map(|one| &*one.name))),
            swift: Names::of(facts().flat_map(|f| f.members.iter().map(|one| &*one.of))),
        }
    }

    /// Whether a file has to be looked into, by its path.
    #[must_use]
    pub fn is_for_path(&self, path: &str, language: Language) -> bool {
        match language {
            Language::Go => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                self.folders.contains(folder)
            }
            Language::Objc => self.objc.0.is_some(),
            Language::Java | Language::Kotlin => self.java.0.is_some(),
            Language::Swift => self.swift.0.is_some(),
            _ => false,
        }
    }

    /// Whether the facts of a file have to be known, by its text.
    #[must_use]
    pub fn is_for_text(&self, language: Language, text: &str) -> bool {
        match language {
            Language::Objc => self.objc.occur_in(text),
            Language::Java | Language::Kotlin => self.java.occur_in(text),
            Language::Swift => self.swift.occur_in(text),
            _ => true,
        }
    }
}

/// The files, by index in `paths`, that the files of `from` import and whose
/// facts are not `known`.
#[must_use]
pub fn imported_files(
    from: &[(Arc<str>, Arc<FileFacts>)],
    known: &[(Arc<str>, Arc<FileFacts>)],
    paths: &[Arc<str>],
) -> Vec<usize> {
    let configs = known.iter().map(|(path, facts)| (&**path, &**facts));
    let modules = Modules::new(paths.iter().map(|path| &**path), configs);
    let seen: HashSet<&str> = known.iter().map(|(path, _)| &**path).collect();
    let mut found = BTreeSet::new();
    for (path, facts) in from {
        for import in &facts.imports {
            let target = modules.resolve(path, &import.specifier);
            found.extend(target.filter(|target| !seen.contains(&*paths[*target])));
        }
    }
    found.into_iter().collect()
}
