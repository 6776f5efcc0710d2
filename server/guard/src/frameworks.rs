//! Which frameworks a project uses, by its manifests. (guard.md §7)

use serde_json::Value;

/// A framework that there are rules about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framework {
    /// Python, on the server.
    Django,
    /// JavaScript, in the browser.
    React,
    /// Java and Kotlin, on the server.
    Spring,
    /// Swift, on Apple's systems.
    SwiftUi,
    /// JavaScript, in the browser.
    Vue,
}

impl Framework {
    /// Its name in reports and settings.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Django => "django",
            Self::React => "react",
            Self::Spring => "spring",
            Self::SwiftUi => "swiftui",
            Self::Vue => "vue",
        }
    }

    /// Whether a file says what a project is made of, by its name.
    #[must_use]
    pub fn is_manifest(name: &str) -> bool {
        MANIFESTS.contains(&name)
            || name.starts_with("requirements") && name.ends_with(".txt")
            || is_xcode(name)
    }

    /// The frameworks that a manifest names.
    #[must_use]
    pub fn in_manifest(name: &str, text: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let mut add = |framework, is_there| {
            if is_there {
                found.push(framework);
            }
        };
        match name {
            "package.json" => {
                let names = packages(text);
                let has = |wanted: &[&str]| wanted.iter().any(|one| names.iter().any(|n| n == one));
                add(
                    Self::React,
                    has(&["react", "preact", "react-native", "next"]),
                );
                add(Self::Vue, has(&["vue", "nuxt", "@vue/compat"]));
            }
            "pom.xml" | "build.gradle" | "build.gradle.kts" | "libs.versions.toml" => {
                add(Self::Spring, text.contains("org.springframework"));
            }
            "Package.swift" | "Podfile" | "project.yml" => add(Self::SwiftUi, true),
            name if is_xcode(name) => add(Self::SwiftUi, true),
            name if name.ends_with(".txt") => {
                let is_django = |line: &str| {
                    let line = line.trim().to_ascii_lowercase();
                    line.strip_prefix("django").is_some_and(|rest| {
                        !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
                    })
                };
                add(Self::Django, text.lines().any(is_django));
            }
            "manage.py" => add(Self::Django, text.contains("DJANGO_SETTINGS_MODULE")),
            _ => {
                let text = text.to_ascii_lowercase();
                let names = [
                    "\"django\"",
                    "'django'",
                    "\"django>",
                    "\"django=",
                    "\"django~",
                    "\"django<",
                    "django =",
                ];
                add(Self::Django, names.iter().any(|name| text.contains(name)));
            }
        }
        found
    }
}

const MANIFESTS: &[&str] = &[
    "Package.swift",
    "Pipfile",
    "Podfile",
    "build.gradle",
    "build.gradle.kts",
    "libs.versions.toml",
    "manage.py",
    "package.json",
    "pom.xml",
    "project.yml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
];

/// Whether a folder is a project of Xcode, by its name.
fn is_xcode(name: &str) -> bool {
    name.ends_with(".xcodeproj") || name.ends_with(".xcworkspace")
}

/// The packages that a `package.json` depends on.
fn packages(text: &str) -> Vec<String> {
    let manifest: Value = serde_json::from_str(text).unwrap_or_default();
    ["dependencies", "devDependencies", "peerDependencies"]
        .iter()
        .filter_map(|key| manifest[key].as_object())
        .flat_map(|packages| packages.keys().cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_name_their_frameworks() {
        use Framework::{Django, React, Spring, SwiftUi, Vue};
        let cases: &[(&str, &str, &[Framework])] = &[
            (
                "package.json",
                r#"{"dependencies": {"react": "19"}}"#,
                &[React],
            ),
            (
                "package.json",
                r#"{"peerDependencies": {"vue": "3"}}"#,
                &[Vue],
            ),
            (
                "package.json",
                r#"{"dependencies": {"react-icons": "1"}}"#,
                &[],
            ),
            ("package.json", "{", &[]),
            (
                "pom.xml",
                "<groupId>org.springframework.boot</groupId>",
                &[Spring],
            ),
            ("build.gradle.kts", "implementation(\"junit\")", &[]),
            ("requirements.txt", "Django>=5\nrequests", &[Django]),
            ("requirements-dev.txt", "django-stubs", &[]),
            (
                "pyproject.toml",
                "dependencies = [\"Django>=5\"]",
                &[Django],
            ),
            (
                "manage.py",
                "os.environ.setdefault(\"DJANGO_SETTINGS_MODULE\"",
                &[Django],
            ),
            ("App.xcodeproj", "", &[SwiftUi]),
        ];
        for (name, text, expected) in cases {
            assert!(Framework::is_manifest(name), "{name}");
            assert_eq!(
                Framework::in_manifest(name, text),
                *expected,
                "{name}: {text}"
            );
        }
        assert!(!Framework::is_manifest("notes.txt"));
    }
}
