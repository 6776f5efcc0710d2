use std::collections::BTreeMap;

use super::super::{BuiltIn, Check, DEFAULTS};
use crate::Layer;
use crate::cross_file::{At, Conflict, Files};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "objc-cross-file-duplicate-category",
    layer: Layer::CrossFile,
    languages: &["objc"],
    message: "The category is defined in several files.",
    fix_suggestion: "Join the files, or give one category another name.",
    why: "When both define a method, which one runs is a matter of chance.",
    check: Check::Project(check),
    page: include_str!("../../../../../docs/rules/objc-cross-file-duplicate-category.md"),
    ..DEFAULTS
};

/// The files of a category: where it first stands in each, and whether it is
/// implemented there.
type Places = BTreeMap<usize, (At, bool)>;

fn check(files: &Files<'_>) -> Vec<Conflict> {
    let mut by_name: BTreeMap<(&str, &str), Places> = BTreeMap::new();
    for file in files.all() {
        for category in files.categories(file) {
            let places = by_name
                .entry((&category.class, &category.name))
                .or_default();
            let place = places.entry(file).or_insert((category.at, false));
            place.1 |= category.is_implementation;
        }
    }
    let mut conflicts = Vec::new();
    for ((class, name), mut places) in by_name {
        // Tests state the private methods that they call once more; nothing is
        // defined by that.
        places.retain(|file, (_, is_implemented)| *is_implemented || !is_test(files, *file));
        let headers = places
            .keys()
            .filter(|file| files.path(**file).ends_with(".h"))
            .count();
        let implementations = places.len() - headers;
        if headers <= 1 && implementations <= 1 {
            continue;
        }
        conflicts.push(Conflict {
            key: format!("{class}({name})"),
            message: format!("`{class}({name})` is defined in {} files.", places.len()),
            places: places
                .into_iter()
                .map(|(file, (at, is_implemented))| {
                    let word = if is_implemented {
                        "implemented"
                    } else {
                        "declared"
                    };
                    (file, at, format!("`{class}({name})` is {word} here"))
                })
                .collect(),
        });
    }
    conflicts
}

/// Xcode's folders of tests have the name of what they test before the word.
fn is_test(files: &Files<'_>, file: usize) -> bool {
    files.is_test(file)
        || files
            .path(file)
            .rsplit_once('/')
            .is_some_and(|(folders, _)| folders.split('/').any(|part| part.ends_with("Tests")))
}
