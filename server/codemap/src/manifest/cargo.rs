//! Cargo.toml

use toml::{Table, Value};

use super::{Manifest, ManifestTarget};

pub(super) fn parse(text: &str) -> Option<Manifest> {
    let table: Table = text.parse().ok()?;
    let mut manifest = Manifest::default();
    for key in ["dependencies", "dev-dependencies", "build-dependencies"] {
        collect(table.get(key), &mut manifest.dependencies);
    }
    for (_, target) in table
        .get("target")
        .and_then(Value::as_table)
        .into_iter()
        .flatten()
    {
        collect(target.get("dependencies"), &mut manifest.dependencies);
    }
    let name = table
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(Value::as_str);
    let Some(name) = name else {
        return table.contains_key("workspace").then_some(manifest);
    };
    manifest.package = Some(name.to_owned());
    let path_of = |value: &Value| value.get("path").and_then(Value::as_str).map(str::to_owned);
    let lib = table.get("lib");
    manifest.roots.push(
        lib.and_then(path_of)
            .unwrap_or_else(|| "src/lib.rs".to_owned()),
    );
    manifest.roots.push("src/main.rs".to_owned());
    for key in ["bin", "test", "example", "bench"] {
        for one in table
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            manifest.roots.extend(path_of(one));
        }
    }
    let library_name = lib
        .and_then(|lib| lib.get("name"))
        .and_then(Value::as_str)
        .map_or_else(|| name.replace('-', "_"), str::to_owned);
    manifest.aliases.push((library_name, Vec::new()));
    let has_binary = table.contains_key("bin");
    manifest.targets.push(ManifestTarget {
        name: name.to_owned(),
        kind: if has_binary { "executable" } else { "library" }.to_owned(),
        folder: String::new(),
        dependencies: manifest.dependencies.clone(),
    });
    Some(manifest)
}

fn collect(table: Option<&Value>, names: &mut Vec<String>) {
    for (name, value) in table.and_then(Value::as_table).into_iter().flatten() {
        let package = value.get("package").and_then(Value::as_str).unwrap_or(name);
        names.push(package.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_has_its_roots_and_needs_what_it_names() {
        let manifest = parse(
            "[package]\nname = \"my-app\"\n[[bin]]\nname = \"x\"\npath = \"tool/x.rs\"\n\
             [dependencies]\nserde = \"1\"\nj = { package = \"json\" }\n",
        )
        .unwrap();
        assert_eq!(manifest.roots, ["src/lib.rs", "src/main.rs", "tool/x.rs"]);
        assert_eq!(manifest.dependencies, ["json", "serde"]);
        assert_eq!(manifest.aliases[0].0, "my_app");
        assert_eq!(manifest.targets[0].kind, "executable");
        assert!(parse("[package").is_none());
    }
}
