//! Package.swift and Podfile

use super::{Manifest, ManifestTarget};

pub(super) fn package(text: &str) -> Option<Manifest> {
    let mut manifest = Manifest {
        package: argument(text, "name"),
        ..Manifest::default()
    };
    for (word, kind, base) in [
        (".target(", "library", "Sources"),
        (".executableTarget(", "executable", "Sources"),
        (".testTarget(", "test", "Tests"),
        (".macro(", "library", "Sources"),
        (".plugin(", "library", "Plugins"),
    ] {
        for (at, _) in text.match_indices(word) {
            let body = in_parentheses(&text[at + word.len() - 1..]);
            // A dependency `.target(name: "X")` has nothing else.
            let Some(name) = argument(body, "name") else {
                continue;
            };
            if kind == "library" && is_dependency(text, at) {
                continue;
            }
            let folder = argument(body, "path").unwrap_or_else(|| format!("{base}/{name}"));
            let dependencies = body
                .split_once("dependencies:")
                .map(|(_, rest)| strings(in_brackets(rest)))
                .unwrap_or_default();
            manifest.targets.push(ManifestTarget {
                name,
                kind: kind.to_owned(),
                folder: folder.trim_end_matches('/').to_owned(),
                dependencies,
            });
        }
    }
    manifest.targets.sort_by(|a, b| a.name.cmp(&b.name));
    for target in &manifest.targets {
        manifest
            .dependencies
            .extend(target.dependencies.iter().cloned());
    }
    Some(manifest)
}

/// Whether a `.target(` stands in a list of dependencies.
fn is_dependency(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let depth_ends = before.rfind("dependencies:");
    depth_ends.is_some_and(|start| {
        let between = &before[start..];
        between.matches('[').count() > between.matches(']').count() && !between.contains("targets:")
    })
}

/// The value of a string argument.
fn argument(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("{name}:"))?;
    let rest = rest.trim_start().strip_prefix('"')?;
    rest.split_once('"').map(|(value, _)| value.to_owned())
}

fn in_parentheses(text: &str) -> &str {
    enclosed(text, '(', ')')
}

fn in_brackets(text: &str) -> &str {
    enclosed(text, '[', ']')
}

fn enclosed(text: &str, open: char, close: char) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return &text[..at];
            }
        }
    }
    text
}

/// The first string of each element: names of targets and products.
fn strings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for element in text.split(['\n', ',']) {
        let element = element.trim();
        if element.starts_with("package:") || element.starts_with("condition:") {
            continue;
        }
        if let Some((_, rest)) = element.split_once('"')
            && let Some((name, _)) = rest.split_once('"')
        {
            found.push(name.to_owned());
        }
    }
    found
}

pub(super) fn podfile(text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let quoted = |line: &str| {
        let rest = line.split_once(['\'', '"'])?.1;
        rest.split_once(['\'', '"'])
            .map(|(name, _)| name.to_owned())
    };
    for line in text.lines().map(str::trim) {
        if line.starts_with("target ") {
            if let Some(name) = quoted(line) {
                manifest.targets.push(ManifestTarget {
                    folder: name.clone(),
                    kind: if name.ends_with("Tests") {
                        "test"
                    } else {
                        "executable"
                    }
                    .to_owned(),
                    name,
                    dependencies: Vec::new(),
                });
            }
        } else if line.starts_with("pod ")
            && let Some(name) = quoted(line)
        {
            if let Some(target) = manifest.targets.last_mut() {
                target.dependencies.push(name.clone());
            }
            manifest.dependencies.push(name);
        }
    }
    Some(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_a_swift_package() {
        let manifest = package(
            r#"let package = Package(name: "Kit", targets: [
                .target(name: "Core", dependencies: []),
                .target(name: "Net", dependencies: ["Core", .product(name: "Log", package: "log")], path: "Source/Net"),
                .testTarget(name: "NetTests", dependencies: [.target(name: "Net")]),
            ])"#,
        )
        .unwrap();
        let shown: Vec<_> = manifest
            .targets
            .iter()
            .map(|t| {
                format!(
                    "{} {} {} {}",
                    t.name,
                    t.kind,
                    t.folder,
                    t.dependencies.join("+")
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "Core library Sources/Core ",
                "Net library Source/Net Core+Log",
                "NetTests test Tests/NetTests Net",
            ]
        );
    }

    #[test]
    fn pods_belong_to_the_target_above() {
        let manifest = podfile("target 'App' do\n  pod 'Alamofire', '~> 5'\nend\n").unwrap();
        assert_eq!(manifest.targets[0].dependencies, ["Alamofire"]);
    }
}
