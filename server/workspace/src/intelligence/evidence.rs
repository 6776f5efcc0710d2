//! What in the code a dimension is about: the files to read first, and facts
//! with their places.

use std::collections::BTreeMap;

use asd_codemap::{CodeMap, FileId, Priority, SymbolKind, file_priority, words};
use serde::Serialize;

use super::dimensions::{Dimension, When};

/// How many files a reading list has.
const MOST_FILES: usize = 8;
/// Fewer are filled up with files that most others use.
const LEAST_FILES: usize = 3;
/// How many facts are told.
const MOST_FACTS: usize = 8;
/// How many places a fact names.
const MOST_PLACES: usize = 3;

/// Something that was counted in the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fact {
    /// What, in a few words.
    pub(crate) note: String,
    /// How often.
    pub(crate) count: usize,
    /// Some of the places, `path:line`.
    pub(crate) places: Vec<String>,
}

/// What the code says of a dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// The files to read first.
    pub(crate) files: Vec<String>,
    /// Facts, the most frequent first.
    pub(crate) facts: Vec<Fact>,
}

#[derive(Default)]
struct Counts {
    count: usize,
    places: Vec<String>,
}

impl Counts {
    fn add(&mut self, place: impl FnOnce() -> String) {
        self.count += 1;
        if self.places.len() < MOST_PLACES {
            self.places.push(place());
        }
    }
}

fn has_word(name: &str, wanted: &[&str]) -> bool {
    words(name).iter().any(|word| {
        let plural = word.strip_suffix('s').unwrap_or(word);
        wanted.contains(&word.as_str()) || wanted.contains(&plural)
    })
}

fn is_import(module: &str, wanted: &[&str]) -> bool {
    wanted.iter().any(|name| {
        module
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':', '-']))
    })
}

/// Whether a module belongs to what a dimension looks at by its role.
fn is_of_role(dimension: &Dimension, module: &str) -> bool {
    let wanted = match dimension.when {
        When::Network => asd_codemap::Role::Networking,
        When::Interface => asd_codemap::Role::Ui,
        _ => return false,
    };
    asd_codemap::role_of_import(module) == Some(wanted)
}

/// What the code says of a dimension. Deterministic: equal maps, equal answers.
pub(crate) fn evidence(map: &CodeMap, dimension: &Dimension) -> Evidence {
    let mut scores: BTreeMap<usize, u32> = BTreeMap::new();
    let mut facts: BTreeMap<String, Counts> = BTreeMap::new();
    let wants_tests = dimension.id == "testing-quality";
    let is_idiom = matches!(dimension.when, When::Languages(_));
    for (index, file) in map.files().iter().enumerate() {
        if file.source.is_test != wants_tests {
            continue;
        }
        let source = &file.source.facts;
        let mut score = 0;
        if let When::Languages(languages) = dimension.when {
            if !languages.contains(&source.language.id()) {
                continue;
            }
            score += 1;
        }
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        if has_word(name.split('.').next().unwrap_or(name), dimension.words) {
            score += 3;
        }
        for declaration in &source.declarations {
            if declaration.kind.is_type() && has_word(&declaration.name, dimension.words) {
                score += 2;
                let note = format!("{} {}", declaration.kind.as_str(), declaration.name);
                facts
                    .entry(note)
                    .or_default()
                    .add(|| format!("{}:{}", file.path, declaration.line));
            }
        }
        for import in &source.imports {
            if is_import(&import.module, dimension.imports) || is_of_role(dimension, &import.module)
            {
                score += 2;
                facts
                    .entry(format!("imports {}", import.module))
                    .or_default()
                    .add(|| format!("{}:{}", file.path, import.line));
            }
        }
        special(dimension.id, file, &mut facts, &mut score);
        if score > 0 {
            scores.insert(index, score);
        }
    }
    if wants_tests {
        // A project whose tests lie beside the code has no files of tests.
        for (index, file) in map.files().iter().enumerate() {
            if !file.source.is_test && file.source.facts.declarations.iter().any(|d| d.is_test) {
                *scores.entry(index).or_default() += 1;
            }
        }
    }
    let most_used = fan_in(map);
    let mut ranked: Vec<(usize, u32)> = scores.into_iter().collect();
    let priority = |index: usize| match file_priority(&map.files()[index].path) {
        Priority::High => 0,
        Priority::Medium => 1,
        Priority::Low => 2,
    };
    ranked.sort_by_key(|(index, score)| {
        let score = if is_idiom { 0 } else { (*score).min(12) };
        let weight = score + u32::try_from(most_used[*index].min(10)).unwrap_or(0);
        (std::cmp::Reverse(weight), priority(*index), *index)
    });
    let mut chosen: Vec<usize> = ranked
        .into_iter()
        .take(MOST_FILES)
        .map(|(index, _)| index)
        .collect();
    if chosen.len() < LEAST_FILES && !wants_tests {
        // Where no name tells, what most others use shows how things are done.
        let mut others: Vec<usize> = (0..map.files().len())
            .filter(|index| !map.files()[*index].source.is_test && !chosen.contains(index))
            .filter(|index| match dimension.when {
                When::Languages(languages) => {
                    languages.contains(&map.files()[*index].source.facts.language.id())
                }
                _ => true,
            })
            .collect();
        others.sort_by_key(|index| {
            (
                std::cmp::Reverse(most_used[*index]),
                priority(*index),
                *index,
            )
        });
        others.truncate(LEAST_FILES - chosen.len());
        chosen.extend(others);
    }
    let files = chosen
        .into_iter()
        .map(|index| map.files()[index].path.clone())
        .collect();
    let mut facts: Vec<Fact> = facts
        .into_iter()
        .map(|(note, counts)| Fact {
            note,
            count: counts.count,
            places: counts.places,
        })
        .collect();
    // Sorting is stable: facts of one count stay in the order of their names.
    facts.sort_by_key(|fact| std::cmp::Reverse(fact.count));
    facts.truncate(MOST_FACTS);
    Evidence { files, facts }
}

/// By how many files each file is imported.
fn fan_in(map: &CodeMap) -> Vec<usize> {
    let mut counts = vec![0; map.files().len()];
    for edge in map.imports() {
        let FileId(to) = edge.to;
        counts[to as usize] += 1;
    }
    counts
}

/// What is told by more than names.
fn special(
    id: &str,
    file: &asd_codemap::MapFile,
    facts: &mut BTreeMap<String, Counts>,
    score: &mut u32,
) {
    let source = &file.source.facts;
    match id {
        "error-resilience" => {
            for thrown in source
                .throws
                .iter()
                .filter(|thrown| !thrown.error.is_empty())
            {
                *score += 1;
                facts
                    .entry(format!("raises {}", thrown.error))
                    .or_default()
                    .add(|| format!("{}:{}", file.path, thrown.line));
            }
        }
        "concurrency-async" => {
            let is_async = |declaration: &&asd_codemap::Declaration| {
                let mut words = declaration.modifiers.iter();
                words.any(|word| word == "async" || word == "suspend" || word == "synchronized")
            };
            for declaration in source.declarations.iter().filter(is_async) {
                *score += 1;
                facts
                    .entry("asynchronous functions".to_owned())
                    .or_default()
                    .add(|| format!("{}:{}", file.path, declaration.line));
            }
        }
        "design-patterns" => {
            for declaration in &source.declarations {
                for supertype in &declaration.supertypes {
                    facts
                        .entry(format!("types that extend {supertype}"))
                        .or_default()
                        .add(|| format!("{}:{}", file.path, declaration.line));
                }
            }
        }
        "coding-standards" => {
            for declaration in &source.declarations {
                if let Some(note) = naming(declaration.kind, &declaration.name) {
                    let note = format!("{} ({})", note, source.language.id());
                    facts
                        .entry(note)
                        .or_default()
                        .add(|| format!("{}:{}", file.path, declaration.line));
                }
            }
        }
        "agent-guidelines" => {
            let is_retired = |declaration: &&asd_codemap::Declaration| {
                let mut marks = declaration.annotations.iter();
                marks.any(|mark| mark.to_lowercase().starts_with("deprecated"))
            };
            for declaration in source.declarations.iter().filter(is_retired) {
                *score += 2;
                facts
                    .entry("declarations that are marked as deprecated".to_owned())
                    .or_default()
                    .add(|| format!("{}:{}", file.path, declaration.line));
            }
        }
        "observability-logging" => {
            for call in &source.calls {
                let receiver = match &call.receiver {
                    asd_codemap::Receiver::Path(path) => path.rsplit('.').next().unwrap_or(path),
                    _ => "",
                };
                if has_word(
                    receiver,
                    &["log", "logger", "logging", "tracing", "console"],
                ) {
                    *score += 1;
                    facts
                        .entry(format!("calls {receiver}.{}", call.name))
                        .or_default()
                        .add(|| format!("{}:{}", file.path, call.line));
                }
            }
        }
        _ => {}
    }
}

/// How a name is written, for kinds where projects agree on it.
fn naming(kind: SymbolKind, name: &str) -> Option<&'static str> {
    let has_lower = name.chars().any(char::is_lowercase);
    let has_upper = name.chars().any(char::is_uppercase);
    let has_line = name.trim_matches('_').contains('_');
    let style = match (has_lower, has_upper, has_line) {
        (false, true, _) if name.chars().count() > 1 => "upper",
        (true, false, true) => "snake",
        (true, true, false) if name.starts_with(char::is_uppercase) => "pascal",
        (true, true, false) => "camel",
        _ => return None,
    };
    Some(match (kind, style) {
        (SymbolKind::Function | SymbolKind::Method, "snake") => "functions in snake_case",
        (SymbolKind::Function | SymbolKind::Method, "camel") => "functions in camelCase",
        (SymbolKind::Function | SymbolKind::Method, "pascal") => "functions in PascalCase",
        (SymbolKind::Constant, "upper") => "constants in UPPER_CASE",
        (SymbolKind::Constant, "camel") => "constants in camelCase",
        (SymbolKind::Constant, "pascal") => "constants in PascalCase",
        (kind, "pascal") if kind.is_type() => "types in PascalCase",
        (kind, "snake") if kind.is_type() => "types in snake_case",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::dimensions::dimension;
    use super::super::test_map::map;
    use super::*;

    #[test]
    fn files_and_facts_are_those_that_a_dimension_is_about() {
        let map = map(&[
            (
                "src/net_error.py",
                "class NetError(Exception): pass\nclass Other: pass\n",
            ),
            (
                "src/a.py",
                "import src.net_error\ndef f():\n    raise NetError()\ndef g():\n    raise NetError()\n",
            ),
            ("src/z.py", "def h(): pass\n"),
            ("tests/test_error.py", "def test_error(): pass\n"),
        ]);
        let found = evidence(&map, dimension("error-resilience").unwrap());
        assert_eq!(found.files, ["src/net_error.py", "src/a.py", "src/z.py"]);
        let notes: Vec<(&str, usize)> = found
            .facts
            .iter()
            .map(|fact| (fact.note.as_str(), fact.count))
            .collect();
        assert_eq!(notes, [("raises NetError", 2), ("class NetError", 1)]);
        assert_eq!(found.facts[0].places, ["src/a.py:3", "src/a.py:5"]);
        let tests = evidence(&map, dimension("testing-quality").unwrap());
        assert_eq!(tests.files, ["tests/test_error.py"]);
    }

    #[test]
    fn names_tell_how_they_are_written() {
        assert_eq!(
            naming(SymbolKind::Function, "read_all"),
            Some("functions in snake_case")
        );
        assert_eq!(
            naming(SymbolKind::Method, "readAll"),
            Some("functions in camelCase")
        );
        assert_eq!(
            naming(SymbolKind::Class, "HttpClient"),
            Some("types in PascalCase")
        );
        assert_eq!(
            naming(SymbolKind::Constant, "MAX_SIZE"),
            Some("constants in UPPER_CASE")
        );
        assert_eq!(
            naming(SymbolKind::Function, "read"),
            None,
            "one word says nothing"
        );
    }
}
