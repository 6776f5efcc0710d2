//! Which file a script means by an import.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use super::tsconfig::TsConfig;
use super::{FileFacts, Files};

/// What stands behind a specifier without an ending, in the order in which
/// they are tried.
const ENDINGS: &[&str] = &[
    "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte",
];
/// A chain of configurations that build upon each other ends here.
const MAX_EXTENDS: usize = 8;

/// The modules of a project.
pub(crate) struct Modules<'f> {
    by_path: HashMap<&'f str, usize>,
    configs: HashMap<&'f str, &'f TsConfig>,
    /// By folder: what is said there of paths.
    mappings: RefCell<HashMap<String, Option<Rc<Mapping>>>>,
}

/// Patterns, each with what it stands for.
type Paths = Vec<(String, Vec<String>)>;

/// How a configuration maps paths.
struct Mapping {
    /// Where its targets start from.
    base: String,
    /// Whether other specifiers are looked for there as well.
    is_base_of_all: bool,
    /// The most exact pattern first.
    paths: Paths,
}

impl<'f> Modules<'f> {
    /// The modules among the files.
    pub(crate) fn of(files: &Files<'f>) -> Self {
        Self::new(
            files.all().map(|file| files.path(file)),
            files
                .all()
                .map(|file| (files.path(file), files.facts(file))),
        )
    }

    /// Modules by their paths, and what is known of some of them; configurations
    /// that are not known do not count.
    pub(crate) fn new(
        paths: impl Iterator<Item = &'f str>,
        known: impl Iterator<Item = (&'f str, &'f FileFacts)>,
    ) -> Self {
        Self {
            by_path: paths.enumerate().map(|(file, path)| (path, file)).collect(),
            configs: known
                .filter_map(|(path, facts)| Some((path, facts.config.as_deref()?)))
                .collect(),
            mappings: RefCell::default(),
        }
    }

    /// The file that is loaded for a specifier in the file at `from`; `None` for
    /// packages and for files that are not there.
    pub(crate) fn resolve(&self, from: &str, specifier: &str) -> Option<usize> {
        let folder = folder(from);
        if specifier.starts_with("./")
            || specifier.starts_with("../")
            || matches!(specifier, "." | "..")
        {
            return self.file(&join(folder, specifier)?);
        }
        let mapping = self.mapping(folder)?;
        for (pattern, targets) in &mapping.paths {
            let Some(rest) = matched(pattern, specifier) else {
                continue;
            };
            let found = targets.iter().find_map(|target| {
                let target = target.replacen('*', rest, 1);
                self.file(&join(&mapping.base, &target)?)
            });
            if found.is_some() {
                return found;
            }
        }
        if mapping.is_base_of_all {
            return self.file(&join(&mapping.base, specifier)?);
        }
        None
    }

    /// The file at a path as imports write it: with or without its ending, with
    /// the ending that it has when it was compiled, or its folder.
    fn file(&self, path: &str) -> Option<usize> {
        if let Some(file) = self.by_path.get(path) {
            return Some(*file);
        }
        let sources: &[(&str, &[&str])] = &[
            (".js", &[".ts", ".tsx"]),
            (".jsx", &[".tsx"]),
            (".mjs", &[".mts"]),
            (".cjs", &[".cts"]),
        ];
        for (compiled, sources) in sources {
            if let Some(stem) = path.strip_suffix(compiled) {
                let mut paths = sources.iter().map(|source| format!("{stem}{source}"));
                let found = paths.find_map(|path| self.by_path.get(path.as_str()));
                if let Some(found) = found {
                    return Some(*found);
                }
            }
        }
        let with_ending = ENDINGS.iter().map(|ending| format!("{path}.{ending}"));
        let in_folder = ENDINGS.iter().map(|ending| match path {
            "" => format!("index.{ending}"),
            _ => format!("{path}/index.{ending}"),
        });
        with_ending
            .chain(in_folder)
            .find_map(|path| self.by_path.get(path.as_str()).copied())
    }

    /// What the nearest configuration says of paths.
    fn mapping(&self, folder: &str) -> Option<Rc<Mapping>> {
        if self.configs.is_empty() {
            return None;
        }
        let known = self.mappings.borrow().get(folder).cloned();
        known.unwrap_or_else(|| {
            let found = self.find_mapping(folder);
            let mut mappings = self.mappings.borrow_mut();
            mappings.insert(folder.to_owned(), found.clone());
            found
        })
    }

    fn find_mapping(&self, folder: &str) -> Option<Rc<Mapping>> {
        for name in ["tsconfig.json", "jsconfig.json"] {
            let path = join(folder, name)?;
            if self.configs.contains_key(path.as_str()) {
                return Some(Rc::new(self.mapping_of(&path)));
            }
        }
        (!folder.is_empty())
            .then(|| self.mapping(self::folder(folder)))
            .flatten()
    }

    fn mapping_of(&self, path: &str) -> Mapping {
        let mut base = None;
        let mut paths: Option<(String, Paths)> = None;
        let mut todo = vec![path.to_owned()];
        for _ in 0..MAX_EXTENDS {
            let Some(path) = todo.pop() else { break };
            let Some(config) = self.configs.get(path.as_str()) else {
                continue;
            };
            let at = folder(&path);
            if base.is_none() {
                base = config.base_url.as_ref().and_then(|url| join(at, url));
            }
            if paths.is_none() {
                let own = config.paths.as_ref();
                paths = own.map(|paths| (at.to_owned(), paths.clone()));
            }
            todo.extend(config.extends.iter().filter_map(|other| {
                let other = other.strip_suffix(".json").unwrap_or(other);
                join(at, &format!("{other}.json"))
            }));
        }
        let is_base_of_all = base.is_some();
        let (at, mut paths) = paths.unwrap_or_default();
        paths.sort_by_key(|(pattern, _)| {
            let fixed = pattern.find('*').unwrap_or(usize::MAX);
            Reverse(fixed)
        });
        Mapping {
            base: base.unwrap_or(at),
            is_base_of_all,
            paths,
        }
    }
}

/// What the `*` of a pattern stands for, when it matches.
fn matched<'s>(pattern: &str, specifier: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        Some((before, after)) => specifier.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == specifier).then_some(""),
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path relative to a folder; `None` when it leaves the project.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_within_the_project() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("", "./x").as_deref(), Some("x"));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(matched("@/*", "@/a/b"), Some("a/b"));
        assert_eq!(matched("@lib", "@lib"), Some(""));
        assert_eq!(matched("@lib", "@lib/a"), None);
    }
}
