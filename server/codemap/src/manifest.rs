//! Manifests: what build tools are told of a project. Each is read by itself.

mod apple;
mod cargo;
mod jvm;
mod node;
mod other;
mod python;

use serde::{Deserialize, Serialize};

/// A part of a project that is built as a whole, as its manifest describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestTarget {
    /// Its name.
    pub name: String,
    /// `library`, `executable`, `test`, `package` or `workspace`.
    pub kind: String,
    /// Its folder, seen from that of the manifest; empty for the same.
    pub folder: String,
    /// Names of packages and targets that it needs, sorted.
    pub dependencies: Vec<String>,
}

/// What a manifest says. Paths are seen from its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The name of the package.
    pub package: Option<String>,
    /// Its targets; empty when the manifest only configures.
    pub targets: Vec<ManifestTarget>,
    /// Where source roots are: the files of crate roots for Cargo, folders for
    /// others.
    pub roots: Vec<String>,
    /// What the package exports: subpath (`.` for itself) and file, in order.
    pub exports: Vec<(String, String)>,
    /// `#name` and file, or other names for packages.
    pub aliases: Vec<(String, Vec<String>)>,
    /// The folder that non-relative imports start from.
    pub base: Option<String>,
    /// Another configuration that this one extends.
    pub extends: Vec<String>,
    /// Names of packages that it needs, sorted.
    pub dependencies: Vec<String>,
    /// Names of frameworks that it names among its dependencies, sorted.
    pub frameworks: Vec<String>,
}

/// The largest manifest that is read, in bytes.
pub const MAX_MANIFEST: u64 = 1024 * 1024;

/// Reads a manifest by its file name. `None` when it is none, or is so broken
/// that nothing is known.
#[must_use]
pub fn parse_manifest(path: &str, text: &str) -> Option<Manifest> {
    let name = crate::path::name(path);
    let mut manifest = match name {
        "Cargo.toml" => cargo::parse(text),
        "package.json" => node::package(text),
        "tsconfig.json" | "jsconfig.json" => node::configuration(text),
        "pyproject.toml" => python::project(text),
        "setup.py" | "setup.cfg" => python::setup(text),
        "go.mod" => other::go(text),
        "Package.swift" => apple::package(text),
        "Podfile" => apple::podfile(text),
        "build.gradle" | "build.gradle.kts" => jvm::gradle(text),
        "settings.gradle" | "settings.gradle.kts" => jvm::settings(text),
        "pom.xml" => jvm::maven(text),
        "pubspec.yaml" => other::pubspec(text),
        "CMakeLists.txt" => other::cmake(text),
        "compile_commands.json" => other::compile_commands(text),
        _ if name.starts_with("tsconfig.") && name.ends_with(".json") => node::configuration(text),
        _ if name.ends_with(".csproj") => other::csproj(name, text),
        _ => None,
    }?;
    manifest.dependencies.sort();
    manifest.dependencies.dedup();
    for target in &mut manifest.targets {
        target.dependencies.sort();
        target.dependencies.dedup();
    }
    manifest.frameworks = frameworks(&manifest);
    Some(manifest)
}

/// Whether a path is that of a manifest.
#[must_use]
pub fn is_manifest(path: &str) -> bool {
    let name = crate::path::name(path);
    matches!(
        name,
        "Cargo.toml"
            | "package.json"
            | "tsconfig.json"
            | "jsconfig.json"
            | "pyproject.toml"
            | "setup.py"
            | "setup.cfg"
            | "go.mod"
            | "Package.swift"
            | "Podfile"
            | "build.gradle"
            | "build.gradle.kts"
            | "settings.gradle"
            | "settings.gradle.kts"
            | "pom.xml"
            | "pubspec.yaml"
            | "CMakeLists.txt"
            | "compile_commands.json"
    ) || (name.starts_with("tsconfig.") && name.ends_with(".json"))
        || name.ends_with(".csproj")
}

/// Names of dependencies, and the framework that each tells of.
const FRAMEWORKS: &[(&str, &str)] = &[
    ("react", "react"),
    ("next", "nextjs"),
    ("vue", "vue"),
    ("nuxt", "nuxt"),
    ("svelte", "svelte"),
    ("@angular/core", "angular"),
    ("express", "express"),
    ("@nestjs/core", "nestjs"),
    ("django", "django"),
    ("fastapi", "fastapi"),
    ("flask", "flask"),
    ("org.springframework.boot", "spring"),
    ("spring-boot-starter", "spring"),
    ("spring-core", "spring"),
    ("spring-context", "spring"),
    ("flutter", "flutter"),
    ("actix-web", "actix"),
    ("axum", "axum"),
    ("tokio", "tokio"),
    ("github.com/gin-gonic/gin", "gin"),
    ("Alamofire", "alamofire"),
];

fn frameworks(manifest: &Manifest) -> Vec<String> {
    let mut found: Vec<String> = FRAMEWORKS
        .iter()
        .filter(|(name, _)| {
            manifest
                .dependencies
                .iter()
                .any(|d| d.eq_ignore_ascii_case(name))
        })
        .map(|(_, framework)| (*framework).to_owned())
        .collect();
    found.sort();
    found.dedup();
    found
}
