//! go.mod, pubspec.yaml, CMakeLists.txt, compile_commands.json, *.csproj

use serde_json::Value;

use super::node::json;
use super::{Manifest, ManifestTarget};

fn target(name: &str, kind: &str, dependencies: Vec<String>) -> ManifestTarget {
    ManifestTarget {
        name: name.to_owned(),
        kind: kind.to_owned(),
        folder: String::new(),
        dependencies,
    }
}

pub(super) fn go(text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        if let Some(name) = line.strip_prefix("module ") {
            manifest.package = Some(name.trim().trim_matches('"').to_owned());
        } else if line.starts_with("require (") {
            in_block = true;
        } else if line == ")" {
            in_block = false;
        } else if let Some(one) = line.strip_prefix("require ").or(in_block.then_some(line)) {
            manifest
                .dependencies
                .extend(one.split_whitespace().next().map(str::to_owned));
        }
    }
    let name = manifest.package.clone()?;
    manifest
        .targets
        .push(target(&name, "package", manifest.dependencies.clone()));
    Some(manifest)
}

pub(super) fn pubspec(text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut section = "";
    for line in text.lines() {
        let indented = line.starts_with([' ', '\t']);
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        if !indented {
            section = key.trim();
            if section == "name" {
                manifest.package = Some(value.trim().trim_matches(['"', '\'']).to_owned());
            }
        } else if matches!(section, "dependencies" | "dev_dependencies")
            && line.len() - line.trim_start().len() <= 2
        {
            manifest.dependencies.push(key.trim().to_owned());
        }
    }
    let name = manifest.package.clone()?;
    manifest
        .targets
        .push(target(&name, "package", manifest.dependencies.clone()));
    Some(manifest)
}

pub(super) fn cmake(text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for (word, kind) in [("add_library", "library"), ("add_executable", "executable")] {
        for arguments in calls(text, word) {
            if let Some(name) = arguments.first().filter(|name| !name.contains('$')) {
                manifest.targets.push(target(name, kind, Vec::new()));
            }
        }
    }
    for arguments in calls(text, "target_link_libraries") {
        let Some((name, needed)) = arguments.split_first() else {
            continue;
        };
        let needed: Vec<String> = needed
            .iter()
            .filter(|word| !matches!(word.as_str(), "PUBLIC" | "PRIVATE" | "INTERFACE"))
            .cloned()
            .collect();
        manifest.dependencies.extend(needed.iter().cloned());
        if let Some(found) = manifest
            .targets
            .iter_mut()
            .find(|target| target.name == *name)
        {
            found.dependencies.extend(needed);
        }
    }
    for word in ["include_directories", "target_include_directories"] {
        for arguments in calls(text, word) {
            for folder in arguments {
                let folder = folder
                    .replace("${CMAKE_CURRENT_SOURCE_DIR}", ".")
                    .replace("${PROJECT_SOURCE_DIR}", ".")
                    .replace("${CMAKE_SOURCE_DIR}", ".")
                    .replace("$<BUILD_INTERFACE:", "")
                    .replace('>', "");
                if !folder.contains('$') {
                    manifest.roots.push(folder.trim_matches('"').to_owned());
                }
            }
        }
    }
    manifest.package = calls(text, "project")
        .into_iter()
        .next()
        .and_then(|words| words.into_iter().next());
    manifest.targets.sort_by(|a, b| a.name.cmp(&b.name));
    manifest.targets.dedup_by(|a, b| a.name == b.name);
    Some(manifest)
}

/// The arguments of every call of a command.
fn calls(text: &str, word: &str) -> Vec<Vec<String>> {
    let plain: String = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n");
    let lower = plain.to_ascii_lowercase();
    let mut found = Vec::new();
    for (at, _) in lower.match_indices(word) {
        let starts = !lower[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = plain[at + word.len()..].trim_start();
        if let Some(body) = rest.strip_prefix('(').filter(|_| starts)
            && let Some((body, _)) = body.split_once(')')
        {
            found.push(body.split_whitespace().map(str::to_owned).collect());
        }
    }
    found
}

/// The folders that compilers look for headers in.
pub(super) fn compile_commands(text: &str) -> Option<Manifest> {
    let value = json(text)?;
    let mut manifest = Manifest::default();
    for entry in value.as_array()? {
        let words: Vec<String> = match (&entry["arguments"], &entry["command"]) {
            (Value::Array(words), _) => words
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            (_, Value::String(line)) => line.split_whitespace().map(str::to_owned).collect(),
            _ => continue,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let folder = match word.as_str() {
                "-I" | "-iquote" | "-isystem" => words.next(),
                word => word.strip_prefix("-I").map(str::to_owned),
            };
            manifest
                .roots
                .extend(folder.filter(|folder| !folder.starts_with('/')));
        }
    }
    manifest.roots.sort();
    manifest.roots.dedup();
    Some(manifest)
}

pub(super) fn csproj(name: &str, text: &str) -> Option<Manifest> {
    let stem = name.strip_suffix(".csproj")?;
    let mut manifest = Manifest {
        package: Some(stem.to_owned()),
        ..Manifest::default()
    };
    for (tag, is_file) in [("<PackageReference", false), ("<ProjectReference", true)] {
        for part in text.split(tag).skip(1) {
            let Some((_, rest)) = part.split_once("Include=\"") else {
                continue;
            };
            let Some((value, _)) = rest.split_once('"') else {
                continue;
            };
            let value = if is_file {
                let file = value.rsplit(['/', '\\']).next().unwrap_or(value);
                file.strip_suffix(".csproj").unwrap_or(file)
            } else {
                value
            };
            manifest.dependencies.push(value.to_owned());
        }
    }
    let kind = if text.contains("<OutputType>Exe") {
        "executable"
    } else {
        "library"
    };
    manifest
        .targets
        .push(target(stem, kind, manifest.dependencies.clone()));
    Some(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_names_its_package_and_what_it_needs() {
        let manifest = go("module a.b/c // x\nrequire (\n\td.e/f v1\n)\nrequire g/h v2\n").unwrap();
        assert_eq!(
            (manifest.package.as_deref(), manifest.dependencies.join(" ")),
            (Some("a.b/c"), "d.e/f g/h".into())
        );
        let manifest =
            pubspec("name: app\ndependencies:\n  flutter:\n    sdk: flutter\n  http: ^1\n")
                .unwrap();
        assert_eq!(manifest.dependencies, ["flutter", "http"]);
        let manifest = cmake("add_library(core a.c)\nadd_executable(app m.c)\ntarget_link_libraries(app PRIVATE core)\ninclude_directories(include)").unwrap();
        assert_eq!(manifest.targets[0].name, "app");
        assert_eq!(manifest.targets[0].dependencies, ["core"]);
        assert_eq!(manifest.roots, ["include"]);
        let manifest = csproj(
            "A.csproj",
            r#"<ProjectReference Include="..\B\B.csproj" /><PackageReference Include="X" />"#,
        )
        .unwrap();
        assert_eq!(manifest.dependencies, ["X", "B"]);
        let manifest = compile_commands(r#"[{"command": "cc -Iinc -I src -c a.c"}]"#).unwrap();
        assert_eq!(manifest.roots, ["inc", "src"]);
    }
}
