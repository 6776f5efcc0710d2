use std::collections::BTreeMap;

use asd_recipe::Severity;

use super::super::{BuiltIn, Check, DEFAULTS};
use crate::Layer;
use crate::cross_file::{At, Conflict, Files};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "java-duplicate-class-name",
    layer: Layer::CrossFile,
    severity: Severity::Info,
    languages: &["java", "kotlin"],
    message: "A package has two classes of one name.",
    fix_suggestion: "Rename one, or remove the copy.",
    why: "Only one of them is loaded, and which one depends on the order of the class path.",
    check: Check::Project(check),
    page: include_str!("../../../../../docs/rules/java-duplicate-class-name.md"),
    ..DEFAULTS
};

fn check(files: &Files<'_>) -> Vec<Conflict> {
    let mut by_name: BTreeMap<(String, &str, &str), BTreeMap<usize, At>> = BTreeMap::new();
    for file in files.all() {
        if ![".java", ".kt", ".kts"]
            .iter()
            .any(|end| files.path(file).ends_with(end))
        {
            continue;
        }
        let package = files.facts(file).package.as_deref().unwrap_or_default();
        for class in files.classes(file) {
            let home = home(files, file, package);
            let places = by_name.entry((home, package, &class.name)).or_default();
            places.entry(file).or_insert(class.at);
        }
    }
    let mut conflicts = Vec::new();
    for ((home, package, name), places) in by_name {
        if places.len() < 2 {
            continue;
        }
        let full = if package.is_empty() {
            name.to_owned()
        } else {
            format!("{package}.{name}")
        };
        conflicts.push(Conflict {
            key: format!("{home}:{full}"),
            message: format!("`{full}` is declared in {} files.", places.len()),
            places: places
                .into_iter()
                .map(|(file, at)| (file, at, format!("`{full}` is declared here")))
                .collect(),
        });
    }
    conflicts
}

/// What has to be the same for two classes to meet: sources of tests, and of
/// the variants of a program, are built apart from the others. Files without a
/// package are programs of their own, unless they lie side by side.
fn home(files: &Files<'_>, file: usize, package: &str) -> String {
    let path = files.path(file);
    if package.is_empty() {
        return path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
            .to_owned();
    }
    let mut parts = path.split('/');
    // `src/<set>/java`, as build tools have it.
    let set = parts.find(|part| *part == "src").and_then(|_| {
        let set = parts.next()?;
        matches!(parts.next()?, "java" | "kotlin").then_some(set)
    });
    match set {
        Some("main") | None if !files.is_test(file) => String::new(),
        Some(set) => set.to_owned(),
        None => "test".to_owned(),
    }
}
