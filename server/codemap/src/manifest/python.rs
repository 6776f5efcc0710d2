//! pyproject.toml, setup.py and setup.cfg

use toml::{Table, Value};

use super::{Manifest, ManifestTarget};

pub(super) fn project(text: &str) -> Option<Manifest> {
    let table: Table = text.parse().ok()?;
    let mut manifest = Manifest::default();
    let at = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter()
            .try_fold(table.get(*first)?, |value, key| value.get(*key))
    };
    let name = at(&["project", "name"])
        .or_else(|| at(&["tool", "poetry", "name"]))
        .and_then(Value::as_str);
    for one in at(&["project", "dependencies"])
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        manifest
            .dependencies
            .extend(one.as_str().and_then(requirement));
    }
    for (_, group) in at(&["project", "optional-dependencies"])
        .and_then(Value::as_table)
        .into_iter()
        .flatten()
    {
        for one in group.as_array().into_iter().flatten() {
            manifest
                .dependencies
                .extend(one.as_str().and_then(requirement));
        }
    }
    if let Some(poetry) = at(&["tool", "poetry", "dependencies"]).and_then(Value::as_table) {
        manifest
            .dependencies
            .extend(poetry.keys().filter(|key| *key != "python").cloned());
    }
    for one in at(&["tool", "setuptools", "packages", "find", "where"])
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        manifest.roots.extend(one.as_str().map(str::to_owned));
    }
    finish(manifest, name)
}

fn finish(mut manifest: Manifest, name: Option<&str>) -> Option<Manifest> {
    manifest.package = name.map(str::to_owned);
    if let Some(name) = name {
        manifest.targets.push(ManifestTarget {
            name: name.to_owned(),
            kind: "package".to_owned(),
            folder: String::new(),
            dependencies: manifest.dependencies.clone(),
        });
    }
    Some(manifest)
}

/// The name in a requirement like `requests[socks]>=2`.
fn requirement(text: &str) -> Option<String> {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_ascii_lowercase())
}

pub(super) fn setup(text: &str) -> Option<Manifest> {
    let name = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_end_matches(',').trim_matches(['"', '\'']);
        let is_name = value
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        (key.trim() == "name" && is_name && !value.is_empty()).then_some(value)
    });
    let mut manifest = Manifest::default();
    if text.contains("package_dir") && text.contains("src") {
        manifest.roots.push("src".to_owned());
    }
    finish(manifest, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_is_known_by_its_name() {
        let manifest =
            project("[project]\nname = \"a\"\ndependencies = [\"Flask[async]>=2\", \"attrs\"]\n")
                .unwrap();
        assert_eq!(manifest.dependencies, ["flask", "attrs"]);
        assert_eq!(manifest.targets[0].name, "a");
        assert_eq!(
            setup("setup(\n  name='b',\n)").unwrap().package.as_deref(),
            Some("b")
        );
    }
}
