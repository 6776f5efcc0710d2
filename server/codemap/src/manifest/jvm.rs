//! Gradle and Maven

use super::{Manifest, ManifestTarget};

pub(super) fn gradle(text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim) {
        let word = line.split([' ', '(']).next().unwrap_or_default();
        let is_dependency = [
            "implementation",
            "api",
            "compile",
            "compileOnly",
            "runtimeOnly",
            "testImplementation",
            "kapt",
            "ksp",
        ]
        .contains(&word);
        if !is_dependency {
            if line.starts_with("id")
                && let Some(id) = quoted(line)
            {
                manifest.dependencies.push(id);
            }
            continue;
        }
        let Some(value) = quoted(line) else { continue };
        if line.contains("project(") {
            let name = value.rsplit(':').next().unwrap_or(&value);
            manifest.dependencies.push(name.to_owned());
        } else {
            let mut parts = value.split(':');
            let group = parts.next().unwrap_or_default();
            manifest
                .dependencies
                .push(parts.next().unwrap_or(group).to_owned());
        }
    }
    // The name is that of the folder, which a manifest does not know.
    manifest.targets.push(ManifestTarget {
        name: String::new(),
        kind: if text.contains("com.android.application")
            || text.contains("application") && !text.contains("library")
        {
            "executable"
        } else {
            "library"
        }
        .to_owned(),
        folder: String::new(),
        dependencies: manifest.dependencies.clone(),
    });
    Some(manifest)
}

pub(super) fn settings(text: &str) -> Option<Manifest> {
    let name = text
        .lines()
        .find(|line| line.trim().starts_with("rootProject.name"))
        .and_then(quoted);
    Some(Manifest {
        package: name,
        ..Manifest::default()
    })
}

fn quoted(line: &str) -> Option<String> {
    let start = line.find(['"', '\''])?;
    let rest = &line[start + 1..];
    rest.find(['"', '\'']).map(|end| rest[..end].to_owned())
}

pub(super) fn maven(text: &str) -> Option<Manifest> {
    let mut outer = text.to_owned();
    // What stands in these has names of its own.
    for tag in [
        "parent",
        "dependencies",
        "build",
        "profiles",
        "dependencyManagement",
        "reporting",
    ] {
        outer = without(&outer, tag);
    }
    let mut manifest = Manifest {
        package: element(&outer, "artifactId"),
        ..Manifest::default()
    };
    for block in text.split("<dependency>").skip(1) {
        let block = block.split("</dependency>").next().unwrap_or(block);
        manifest.dependencies.extend(element(block, "artifactId"));
    }
    manifest.targets.push(ManifestTarget {
        name: manifest.package.clone()?,
        kind: match element(&outer, "packaging").as_deref() {
            Some("pom") => "workspace",
            _ => "library",
        }
        .to_owned(),
        folder: String::new(),
        dependencies: manifest.dependencies.clone(),
    });
    Some(manifest)
}

fn element(text: &str, tag: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    rest.split_once(&format!("</{tag}>"))
        .map(|(value, _)| value.trim().to_owned())
}

fn without(text: &str, tag: &str) -> String {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(&open) {
        result.push_str(before);
        rest = after.split_once(&close).map_or("", |(_, after)| after);
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_maven_project_is_not_that_of_its_parent() {
        let manifest = maven(
            "<project><parent><artifactId>up</artifactId></parent><artifactId>me</artifactId>\
             <dependencies><dependency><artifactId>gson</artifactId></dependency></dependencies></project>",
        )
        .unwrap();
        assert_eq!(manifest.package.as_deref(), Some("me"));
        assert_eq!(manifest.dependencies, ["gson"]);
    }

    #[test]
    fn gradle_names_projects_and_artifacts() {
        let manifest =
            gradle("dependencies {\n  api project(':core')\n  implementation(\"a.b:net:1\")\n}")
                .unwrap();
        assert_eq!(manifest.dependencies, ["core", "net"]);
    }
}
