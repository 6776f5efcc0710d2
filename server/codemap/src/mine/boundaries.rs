//! Which folders import which, and where an outside module stays.

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::{Guard, MatchIn};
use asd_syntax::Language;

use super::corpus::{Corpus, Part};
use super::draft::{Cut, Draft, Spot, escape, key, regex_guard};
use super::names::{external_imports, source_root, spoken};
use super::wrappers::import_guard;
use crate::map::ImportKind;
use crate::path::is_below;

/// The fewest files that a folder has on either side of a boundary.
const FEWEST_FILES: usize = 5;

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for language in corpus.languages(Part::Product) {
        drafts.extend(directions(corpus, language));
        drafts.extend(confined(corpus, language));
    }
    drafts
}

/// The part of the source that a path lies in: a folder right below its root.
fn part_of<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let rest = if root.is_empty() {
        path
    } else {
        path.strip_prefix(root)?.strip_prefix('/')?
    };
    rest.split_once('/').map(|(part, _)| part)
}

fn directions(corpus: &Corpus, language: Language) -> Vec<Draft> {
    let root = source_root(corpus, language);
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == language)
    {
        if let Some(part) = part_of(&file.path, &root) {
            *files.entry(part).or_default() += 1;
        }
    }
    // From one part to another: the first import of each file.
    let mut edges: BTreeMap<(&str, &str), BTreeMap<usize, u32>> = BTreeMap::new();
    for edge in corpus.map.imports() {
        let (from, to) = (edge.from.0 as usize, edge.to.0 as usize);
        let own = |at: usize| {
            corpus.files[at].part == Part::Product && corpus.files[at].language() == language
        };
        if !own(from) || !own(to) || matches!(edge.kind, ImportKind::Implicit | ImportKind::Part) {
            continue;
        }
        let (Some(a), Some(b)) = (
            part_of(&corpus.files[from].path, &root),
            part_of(&corpus.files[to].path, &root),
        ) else {
            continue;
        };
        if a != b {
            edges
                .entry((a, b))
                .or_default()
                .entry(from)
                .or_insert(edge.line);
        }
    }
    let none = BTreeMap::new();
    let mut drafts = Vec::new();
    for (&low, &count) in &files {
        if count < FEWEST_FILES {
            continue;
        }
        let mut kept = Vec::new();
        let mut broken = Vec::new();
        let mut high = Vec::new();
        for (&up, &size) in &files {
            let down = edges.get(&(up, low)).unwrap_or(&none);
            let back = edges.get(&(low, up)).unwrap_or(&none);
            if up == low || size < FEWEST_FILES || down.len() < 3 || back.len() * 6 > down.len() {
                continue;
            }
            high.push(up);
            kept.extend(down.iter().map(|(&at, &line)| Spot::line(at, line)));
            broken.extend(back.iter().map(|(&at, &line)| Spot::line(at, line)));
        }
        // One folder above and few imports may be a matter of chance.
        if high.is_empty() || (high.len() == 1 && kept.len() < 24) {
            continue;
        }
        let at = if root.is_empty() {
            low.to_owned()
        } else {
            format!("{root}/{low}")
        };
        let list = high
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let guard = direction_guard(corpus, language, &root, &at, &high, &kept);
        drafts.push(Draft {
            miner: "boundary",
            dimension: "architecture",
            language,
            key: key(&["imports-of", low]),
            title: format!("`{low}` is imported by {list} and does not import them"),
            when: format!("An import is added to {} code in `{at}`", spoken(language)),
            do_: format!("Keep `{at}` free of {list}"),
            dont: format!("Import {list} from `{at}`"),
            unit: "importing files between them",
            kept,
            broken,
            min_files: 3,
            guard,
            by_file: true,
            cut: Cut::Nothing,
        });
    }
    drafts
}

fn direction_guard(
    corpus: &Corpus,
    language: Language,
    root: &str,
    at: &str,
    high: &[&str],
    kept: &[Spot],
) -> Option<Guard> {
    let any = high
        .iter()
        .map(|name| escape(name))
        .collect::<Vec<_>>()
        .join("|");
    let dotted = root
        .rsplit_once("python/")
        .map_or(root, |(_, rest)| rest)
        .replace('/', r"\.");
    let module = if dotted.is_empty() {
        String::new()
    } else {
        format!(r"{dotted}\.")
    };
    let pattern = match language {
        Language::Python => format!(
            r"^\s*(?:from\s+{module}(?:{any})\b|import\s+{module}(?:{any})\b|from\s+\.\.+(?:{any})\b)"
        ),
        Language::Go => {
            format!(r#"^\s*(?:import\s+)?(?:[\w.]+\s+)?"[^"]+/(?:{any})(?:/[^"]*)?"\s*$"#)
        }
        Language::Java | Language::Kotlin => {
            let package = corpus.product().find_map(|(_, file)| {
                file.facts()
                    .package
                    .clone()
                    .filter(|_| is_below(&file.path, at))
            })?;
            let low = at.rsplit('/').next().unwrap_or(at);
            let base = package
                .split(&format!(".{low}"))
                .next()
                .unwrap_or(&package)
                .to_owned();
            format!(r"^\s*import\s+(?:static\s+)?{}\.(?:{any})\.", escape(&base))
        }
        Language::Rust => format!(r"\bcrate::(?:{any})\b"),
        Language::JavaScript | Language::TypeScript => {
            format!(r#"(?:from|import|require\()\s*['"](?:\.\./)+(?:{any})(?:/[^'"]*)?['"]"#)
        }
        _ => return None,
    };
    let mut guard = regex_guard(
        language,
        pattern,
        MatchIn::Text,
        &format!("`{at}` imports from a folder that imports it"),
    );
    guard.include_paths.push(format!("{at}/**"));
    // An import of one of them by another folder shows that the guard can see it.
    let seen = corpus.map.imports().iter().find_map(|edge| {
        let from = edge.from.0 as usize;
        let to = part_of(&corpus.map.file(edge.to).path, root)?;
        let file = &corpus.files[from];
        let here = part_of(&file.path, root);
        (file.language() == language
            && high.contains(&to)
            && here != Some(to)
            && edge.line > 0
            && kept.len() > 1)
            .then(|| file.line(edge.line).to_owned())
            .filter(|line| high.iter().any(|name| line.contains(name)))
    })?;
    guard.positive_examples.push(seen);
    Some(guard)
}

/// Modules of a language's own library: where they are used says little.
const OWN: &[&str] = &[
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "bisect",
    "builtins",
    "codecs",
    "collections",
    "concurrent",
    "contextlib",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "errno",
    "fnmatch",
    "functools",
    "gc",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "locale",
    "logging",
    "math",
    "multiprocessing",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "posixpath",
    "queue",
    "random",
    "re",
    "select",
    "shutil",
    "signal",
    "socket",
    "sqlite3",
    "ssl",
    "stat",
    "string",
    "struct",
    "subprocess",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "types",
    "typing",
    "typing_extensions",
    "unicodedata",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
    "weakref",
    "xml",
    "zipfile",
    "zlib",
    "__future__",
    "fs",
    "path",
    "util",
    "events",
    "stream",
    "assert",
    "crypto",
    "buffer",
    "url",
    "std",
    "core",
    "alloc",
    "pytest",
    "java",
    "javax",
    "kotlin",
    "Foundation",
    "UIKit",
    "tslib",
];

/// The name of a package in an import, none for the language's own library.
fn package_of(language: Language, module: &str) -> Option<String> {
    let module = module.strip_prefix("node:").map_or(module, |_| "fs");
    let first = module.split(['.', '/', ':']).next()?;
    if module.starts_with('.') || first.is_empty() || OWN.contains(&first) {
        return None;
    }
    match language {
        Language::Go => first_with_dot(module),
        Language::JavaScript | Language::TypeScript if module.starts_with('@') => {
            Some(module.split('/').take(2).collect::<Vec<_>>().join("/"))
        }
        Language::JavaScript | Language::TypeScript | Language::Python => Some(first.to_owned()),
        Language::Java | Language::Kotlin => {
            Some(module.split('.').take(3).collect::<Vec<_>>().join("."))
        }
        _ => None,
    }
}

fn first_with_dot(module: &str) -> Option<String> {
    module
        .split('/')
        .next()?
        .contains('.')
        .then(|| module.to_owned())
}

fn confined(corpus: &Corpus, language: Language) -> Vec<Draft> {
    let mut users: BTreeMap<String, BTreeMap<usize, u32>> = BTreeMap::new();
    let mut all = BTreeSet::new();
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == language)
    {
        all.insert(file.path.as_str());
        for import in external_imports(corpus, at) {
            if let Some(package) = package_of(language, &import.module) {
                users
                    .entry(package)
                    .or_default()
                    .entry(at)
                    .or_insert(import.line);
            }
        }
    }
    let root = source_root(corpus, language);
    let mut drafts = Vec::new();
    for (package, places) in users {
        let folder = |at: &usize| {
            let path = &corpus.files[*at].path;
            part_of(path, &root).map(|part| {
                if root.is_empty() {
                    part.to_owned()
                } else {
                    format!("{root}/{part}")
                }
            })
        };
        let mut by_folder: BTreeMap<String, usize> = BTreeMap::new();
        for at in places.keys() {
            if let Some(folder) = folder(at) {
                *by_folder.entry(folder).or_default() += 1;
            }
        }
        let Some((home, _)) = by_folder
            .into_iter()
            .max_by_key(|(name, count)| (*count, name.clone()))
        else {
            continue;
        };
        let outside = all.iter().filter(|path| !is_below(path, &home)).count();
        if outside < 12 || outside * 2 < all.len() {
            continue;
        }
        let (kept, broken): (Vec<_>, Vec<_>) = places
            .iter()
            .map(|(&at, &line)| Spot::line(at, line))
            .partition(|spot| is_below(&corpus.files[spot.file].path, &home));
        let mut guard = import_guard(
            language,
            &package,
            &format!("Imports `{package}` outside of `{home}`"),
        );
        guard.exclude_paths.push(format!("{home}/**"));
        if let Some(spot) = kept.first() {
            guard
                .positive_examples
                .push(corpus.files[spot.file].line(spot.first).to_owned());
        }
        drafts.push(Draft {
            miner: "boundary",
            dimension: "architecture",
            language,
            key: key(&["only", &home, "imports", &package]),
            title: format!("Only `{home}` imports `{package}`"),
            when: format!("Code outside of `{home}` needs `{package}`"),
            do_: format!("Reach `{package}` through `{home}`"),
            dont: format!("Import `{package}` elsewhere"),
            unit: "importing files",
            kept,
            broken,
            min_files: 3,
            guard: Some(guard),
            by_file: true,
            cut: Cut::Statement,
        });
    }
    drafts
}
