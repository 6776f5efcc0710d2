use std::collections::BTreeMap;

use asd_recipe::Severity;

use super::super::{BuiltIn, Check, DEFAULTS};
use crate::Layer;
use crate::cross_file::{At, Conflict, Files, Platforms, largest_build};

/// From so many files on the order is hard to see.
const MANY: usize = 3;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "go-multiple-init",
    layer: Layer::CrossFile,
    severity: Severity::Info,
    languages: &["go"],
    category: "style",
    message: "Several files of the package have an `init`.",
    fix_suggestion: "Do it in one `init`, or in a function that is called.",
    why: "They run in the order of the file names, so renaming a file changes what the program does.",
    check: Check::Project(check),
    page: include_str!("../../../../../docs/rules/go-multiple-init.md"),
    ..DEFAULTS
};

fn check(files: &Files<'_>) -> Vec<Conflict> {
    let mut by_package: BTreeMap<(&str, &str), Vec<(usize, At)>> = BTreeMap::new();
    for file in files.all() {
        let path = files.path(file);
        let (Some(package), Some(first)) = (&files.facts(file).package, files.inits(file).next())
        else {
            continue;
        };
        if path.ends_with("_test.go") {
            continue;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let places = by_package.entry((folder, package)).or_default();
        places.push((file, first));
    }
    let mut conflicts = Vec::new();
    for ((folder, package), places) in by_package {
        if places.len() < MANY {
            continue;
        }
        let platforms: Vec<Platforms<'_>> = places
            .iter()
            .map(|(file, _)| {
                Platforms::of(files.path(*file), files.facts(*file).constraint.as_deref())
            })
            .collect();
        let together = largest_build(&platforms);
        if together.len() < MANY {
            continue;
        }
        conflicts.push(Conflict {
            key: format!("{folder}:{package}"),
            message: format!(
                "{} files of package `{package}` have an `init`.",
                together.len()
            ),
            places: together
                .into_iter()
                .map(|index| {
                    let (file, at) = places[index];
                    (file, at, format!("an `init` of package `{package}`"))
                })
                .collect(),
        });
    }
    conflicts
}
