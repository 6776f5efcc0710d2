use std::collections::BTreeMap;

use super::super::{BuiltIn, Check, DEFAULTS};
use crate::Layer;
use crate::cross_file::{At, Conflict, Files};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "swift-cross-file-extension-conflict",
    layer: Layer::CrossFile,
    languages: &["swift"],
    message: "Two extensions of a type declare the same member.",
    fix_suggestion: "Keep one of them, or give one another name.",
    why: "Within a module that does not compile; across modules, each call means whichever is nearer.",
    check: Check::Project(check),
    page: include_str!("../../../../../docs/rules/swift-cross-file-extension-conflict.md"),
    ..DEFAULTS
};

fn check(files: &Files<'_>) -> Vec<Conflict> {
    let mut by_member: BTreeMap<(&str, &str, &str, String), BTreeMap<usize, At>> = BTreeMap::new();
    for file in files.all() {
        for member in files.members(file) {
            let key = (
                &*member.of,
                &*member.signature,
                &*member.condition,
                module(files, file),
            );
            by_member
                .entry(key)
                .or_default()
                .entry(file)
                .or_insert(member.at);
        }
    }
    let mut conflicts = Vec::new();
    for ((of, signature, condition, module), places) in by_member {
        if places.len() < 2 {
            continue;
        }
        conflicts.push(Conflict {
            key: format!("{module}:{of}:{condition}:{signature}"),
            message: format!(
                "Extensions of `{of}` in {} files declare the same member.",
                places.len()
            ),
            places: places
                .into_iter()
                .map(|(file, at)| {
                    (
                        file,
                        at,
                        format!("a member of `{of}` that stands elsewhere too"),
                    )
                })
                .collect(),
        });
    }
    conflicts
}

/// What files have to share for their extensions to meet: the target of a
/// package, and tests are apart from what they test.
fn module(files: &Files<'_>, file: usize) -> String {
    let path = files.path(file);
    let parts: Vec<&str> = path.split('/').collect();
    let target = parts
        .iter()
        .position(|part| matches!(*part, "Sources" | "Tests"))
        // A target is a folder, not the file itself.
        .filter(|at| at + 2 < parts.len())
        .map(|at| parts[..at + 2].join("/"));
    match target {
        Some(target) => target,
        None if files.is_test(file) => "test".to_owned(),
        None => String::new(),
    }
}
