//! What the miners share about names and modules.

use std::collections::BTreeMap;

use asd_syntax::Language;

use super::corpus::{Corpus, MinedFile};
use crate::facts::Import;
use crate::roles::words;

/// The last word of a name in capitals and small letters, as written:
/// `HttpError` gives `Error`. A name of one word gives nothing.
pub(super) fn last_word(name: &str) -> Option<&str> {
    let starts = name.char_indices().skip(1).filter(|(at, c)| {
        let before = name[..*at].chars().next_back();
        c.is_uppercase() && before.is_some_and(|b| b.is_lowercase() || b.is_ascii_digit())
    });
    let (at, _) = starts.last()?;
    Some(&name[at..])
}

/// The last part of a dotted or scoped name, without generic arguments.
pub(super) fn last_segment(name: &str) -> &str {
    let name = name.split(['<', '[', '(']).next().unwrap_or(name);
    name.rsplit(['.', ':', '/']).next().unwrap_or(name).trim()
}

/// Words that mean nearly the same when one thing wraps another.
const ALIKE: &[&[&str]] = &[
    &[
        "network", "http", "request", "fetch", "url", "api", "session", "socket",
    ],
    &["log", "logger", "logging", "print", "println", "console"],
    &["random", "rand"],
    &[
        "json",
        "decode",
        "encode",
        "serialize",
        "deserialize",
        "parse",
        "stringify",
    ],
    &["defaults", "preferences", "storage", "settings"],
    &["time", "clock", "now", "timer", "timeout"],
    &["path", "file", "files"],
    &["warn", "warning", "warnings", "deprecated"],
    &["random", "uuid"],
    &["exec", "spawn", "popen", "subprocess", "process", "command"],
];

/// Whether two names share a word that says something, or words that mean
/// nearly the same.
pub(super) fn share_a_word(a: &str, b: &str) -> bool {
    let (a, b) = (words(a), words(b));
    let alike = |x: &String, y: &String| {
        (x.len() >= 4 && x == y)
            || ALIKE
                .iter()
                .any(|group| group.contains(&x.as_str()) && group.contains(&y.as_str()))
    };
    a.iter().any(|x| b.iter().any(|y| alike(x, y)))
}

/// What each name of a file stands for that comes from outside of the project:
/// `rand` is `math/rand`, `getLogger` is `logging.getLogger`.
pub(super) fn external_names(corpus: &Corpus, at: usize) -> BTreeMap<String, String> {
    let file = &corpus.files[at];
    external_imports(corpus, at)
        .flat_map(|import| {
            let whole = import.names.is_empty().then(|| {
                let local = import
                    .alias
                    .clone()
                    .unwrap_or_else(|| local_name(file, import));
                (local, import.module.clone())
            });
            let named = import.names.iter().map(|name| {
                let means = if matches!(name.name.as_str(), "default" | "*") {
                    import.module.clone()
                } else {
                    format!("{}.{}", import.module, name.name)
                };
                (name.local.clone(), means)
            });
            whole.into_iter().chain(named).collect::<Vec<_>>()
        })
        .collect()
}

/// The imports of a file that lead out of the project.
pub(super) fn external_imports(corpus: &Corpus, at: usize) -> impl Iterator<Item = &Import> {
    let id = crate::map::FileId(u32::try_from(at).unwrap_or(u32::MAX));
    let externals = corpus.map.externals();
    let start = externals.partition_point(|external| external.from < id);
    let own = externals[start..]
        .iter()
        .take_while(move |external| external.from == id)
        .filter(|external| !external.is_broken)
        .map(|external| (external.module.as_str(), external.line))
        .collect::<Vec<_>>();
    corpus.files[at]
        .facts()
        .imports
        .iter()
        .filter(move |import| {
            own.iter()
                .any(|(module, line)| *line == import.line && *module == import.module)
        })
}

fn local_name(file: &MinedFile, import: &Import) -> String {
    let module = import.module.as_str();
    match file.language() {
        // `import os.path` makes `os` known.
        Language::Python => module.split('.').next().unwrap_or(module).to_owned(),
        _ => last_segment(module).to_owned(),
    }
}

/// A folder that holds nearly all files of the project's own code in a language:
/// what lies directly in it are its parts.
pub(super) fn source_root(corpus: &Corpus, language: Language) -> String {
    let paths: Vec<&str> = corpus
        .product()
        .filter(|(_, file)| file.language() == language)
        .map(|(_, file)| file.path.as_str())
        .collect();
    let mut root = String::new();
    loop {
        let mut below: BTreeMap<&str, usize> = BTreeMap::new();
        for path in &paths {
            let rest = if root.is_empty() {
                Some(*path)
            } else {
                path.strip_prefix(root.as_str())
                    .and_then(|rest| rest.strip_prefix('/'))
            };
            if let Some((folder, _)) = rest.and_then(|rest| rest.split_once('/')) {
                *below.entry(folder).or_default() += 1;
            }
        }
        match below.into_iter().max_by_key(|(_, count)| *count) {
            Some((folder, count)) if count * 10 > paths.len() * 9 => {
                if !root.is_empty() {
                    root.push('/');
                }
                root.push_str(folder);
            }
            _ => return root,
        }
    }
}

/// The name of a language in a sentence.
pub(super) const fn spoken(language: Language) -> &'static str {
    match language {
        Language::Objc => "Objective-C",
        Language::Swift => "Swift",
        Language::JavaScript => "JavaScript",
        Language::TypeScript | Language::Tsx => "TypeScript",
        Language::Python => "Python",
        Language::Java => "Java",
        Language::Kotlin => "Kotlin",
        Language::Go => "Go",
        Language::Dart => "Dart",
        Language::Rust => "Rust",
        Language::C => "C",
        Language::Cpp => "C++",
        _ => "source",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        assert_eq!(last_word("HttpError"), Some("Error"));
        assert_eq!(last_word("HTMLParser"), None);
        assert_eq!(last_word("Error"), None);
        assert_eq!(last_segment("a.b.Base[T]"), "Base");
        assert!(share_a_word("NetworkKit request", "URLSession"));
        assert!(share_a_word("grpcrand", "x") || share_a_word("force_string", "string"));
        assert!(!share_a_word("open", "close"));
    }
}
