//! package.json and tsconfig.json

use serde_json::{Map, Value};

use super::{Manifest, ManifestTarget};

/// JSON with comments and trailing commas, as people write it.
pub(super) fn json(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok()
}

pub(super) fn package(text: &str) -> Option<Manifest> {
    let value = json(text)?;
    let object = value.as_object()?;
    let mut manifest = Manifest {
        package: text_of(object, "name"),
        ..Manifest::default()
    };
    for key in [
        "dependencies",
        "devDependencies",
        "peerDependencies",
        "optionalDependencies",
    ] {
        let names = object.get(key).and_then(Value::as_object);
        manifest
            .dependencies
            .extend(names.into_iter().flat_map(Map::keys).cloned());
    }
    match object.get("exports") {
        Some(exports) => exported(exports, ".", &mut manifest.exports),
        None => {
            for key in ["types", "module", "main"] {
                if let Some(file) = text_of(object, key) {
                    manifest.exports.push((".".to_owned(), file));
                }
            }
        }
    }
    // What stands for the sources of a package in its own repository.
    for key in ["source", "main", "module"] {
        if let Some(file) = text_of(object, key) {
            manifest.exports.push((".".to_owned(), file));
        }
    }
    for (name, value) in object
        .get("imports")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let mut files = Vec::new();
        exported(value, "", &mut files);
        manifest.aliases.push((
            name.clone(),
            files.into_iter().map(|(_, file)| file).collect(),
        ));
    }
    if object.contains_key("name") || !manifest.dependencies.is_empty() {
        let is_executable = object.contains_key("bin");
        manifest.targets.push(ManifestTarget {
            name: manifest.package.clone().unwrap_or_default(),
            kind: if object.contains_key("workspaces") {
                "workspace"
            } else if is_executable {
                "executable"
            } else {
                "package"
            }
            .to_owned(),
            folder: String::new(),
            dependencies: manifest.dependencies.clone(),
        });
    }
    Some(manifest)
}

fn text_of(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// Every file that a subpath can stand for, whatever the condition.
fn exported(value: &Value, subpath: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(file) => found.push((subpath.to_owned(), file.clone())),
        Value::Array(values) => values
            .iter()
            .for_each(|value| exported(value, subpath, found)),
        Value::Object(object) => {
            for (key, value) in object {
                let below = if key.starts_with('.') { key } else { subpath };
                exported(value, below, found);
            }
        }
        _ => {}
    }
}

pub(super) fn configuration(text: &str) -> Option<Manifest> {
    let value = json(text)?;
    let object = value.as_object()?;
    let mut manifest = Manifest::default();
    match object.get("extends") {
        Some(Value::String(one)) => manifest.extends.push(one.clone()),
        Some(Value::Array(many)) => {
            manifest
                .extends
                .extend(many.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        _ => {}
    }
    let options = object.get("compilerOptions").and_then(Value::as_object);
    if let Some(options) = options {
        manifest.base = text_of(options, "baseUrl");
        for (name, value) in options
            .get("paths")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let files = value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            manifest
                .aliases
                .push((name.clone(), files.map(str::to_owned).collect()));
        }
        manifest.roots.extend(
            options
                .get("rootDirs")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned),
        );
    }
    Some(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_flattened_over_their_conditions() {
        let manifest = package(
            r##"{"name": "@a/b", "exports": {".": {"import": "./src/index.ts"}, "./x": "./src/x.ts"},
               "imports": {"#y": "./src/y.js"}, "dependencies": {"react": "^18"}}"##,
        )
        .unwrap();
        assert_eq!(
            manifest.exports,
            [
                (".".to_owned(), "./src/index.ts".to_owned()),
                ("./x".to_owned(), "./src/x.ts".to_owned())
            ]
        );
        assert_eq!(
            manifest.aliases,
            [("#y".to_owned(), vec!["./src/y.js".to_owned()])]
        );
    }

    #[test]
    fn a_configuration_may_hold_comments() {
        let manifest = configuration(
            "{ // paths\n \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"src/*\"],}} }",
        )
        .unwrap();
        assert_eq!(manifest.base.as_deref(), Some("."));
        assert_eq!(manifest.aliases[0].1, ["src/*"]);
    }
}
