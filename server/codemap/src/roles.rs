//! What part a module plays: by its name first, refined by what its code does.
//! (mcp.md §8)

use serde::Serialize;

/// The part that a module or target plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Role {
    Core,
    Service,
    Ui,
    Networking,
    Storage,
    Test,
    App,
    Routing,
    Utility,
    Model,
    Auth,
    Config,
    Feature,
}

/// Words of names, the first match counts.
const WORDS: &[(Role, &[&str])] = &[
    (
        Role::Core,
        &["core", "kit", "shared", "common", "foundation", "base"],
    ),
    (
        Role::Service,
        &["service", "manager", "provider", "repository", "store"],
    ),
    (Role::Ui, &["ui", "view", "screen", "component", "widget"]),
    (
        Role::Networking,
        &["network", "api", "http", "grpc", "socket"],
    ),
    (
        Role::Storage,
        &[
            "storage", "database", "cache", "persist", "realm", "coredata",
        ],
    ),
    (Role::Test, &["test", "spec", "mock", "stub", "fake"]),
    (Role::App, &["app", "main", "launch", "entry"]),
    (Role::Routing, &["router", "coordinator", "navigation"]),
    (Role::Utility, &["util", "helper", "extension", "tool"]),
    (Role::Model, &["model", "entity", "dto", "schema"]),
    (Role::Auth, &["auth", "login", "session", "token"]),
    (
        Role::Config,
        &["config", "setting", "environment", "constant"],
    ),
];

impl Role {
    /// Its name in results.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Service => "service",
            Self::Ui => "ui",
            Self::Networking => "networking",
            Self::Storage => "storage",
            Self::Test => "test",
            Self::App => "app",
            Self::Routing => "routing",
            Self::Utility => "utility",
            Self::Model => "model",
            Self::Auth => "auth",
            Self::Config => "config",
            Self::Feature => "feature",
        }
    }

    /// The role that a name says, [`Role::Feature`] when it says none. A word
    /// counts as a part of the name, in the singular or plural, not inside of
    /// another word.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let parts = words(name);
        WORDS
            .iter()
            .find(|(_, known)| {
                parts
                    .iter()
                    .any(|part| known.contains(&singular(part).as_str()))
            })
            .map_or(Self::Feature, |(role, _)| *role)
    }
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return singular(&format!("{stem}y"));
    }
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') && stem.len() > 1 => stem.to_owned(),
        _ => match word {
            "networking" => "network".to_owned(),
            "caching" => "cache".to_owned(),
            "persistence" => "persist".to_owned(),
            "routing" => "router".to_owned(),
            "utility" => "util".to_owned(),
            word => word.to_owned(),
        },
    }
}

/// The words of a name, in lower case: split at signs and at capitals.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, &c) in letters.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let starts = c.is_uppercase()
            && (before.is_some_and(|b| b.is_lowercase() || b.is_ascii_digit())
                || (before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|a| a.is_lowercase())));
        if starts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// How early a file is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Priority {
    High,
    Medium,
    Low,
}

/// How early a file is to be read, by its path.
#[must_use]
pub fn file_priority(path: &str) -> Priority {
    const LOW: &[&str] = &[
        "test",
        "mock",
        "extension",
        "helper",
        "generated",
        "readme",
        "changelog",
        "license",
    ];
    const HIGH: &[&str] = &[
        "protocol",
        "interface",
        "delegate",
        "service",
        "manager",
        "provider",
        "config",
        "constant",
        "router",
        "coordinator",
        "factory",
        "builder",
    ];
    const STARTS: &[&str] = &["app", "main", "launch", "entry", "bootstrap"];
    let name = crate::path::name(path);
    let lower = name.to_lowercase();
    let parts = words(crate::path::stem(path));
    let has = |known: &[&str]| {
        parts
            .iter()
            .any(|part| known.contains(&singular(part).as_str()))
    };
    if asd_syntax::is_test_path(path) || name.contains("+Ext") || lower.contains(".pb.") || has(LOW)
    {
        return Priority::Low;
    }
    if has(HIGH) || STARTS.iter().any(|start| lower.starts_with(start)) {
        return Priority::High;
    }
    Priority::Medium
}

/// What is known of a module beside its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// Roles that supertypes and imports tell, with their counts: a superclass
    /// 1, a protocol 0.5, an import 0.5.
    pub syntax: Vec<(Role, f64)>,
    /// Calls into the module from outside, and out of it.
    pub calls: Option<(usize, usize)>,
    /// Types of the module that others extend, and those of others that it
    /// extends: the data that flows out, and in.
    pub data_flow: Option<(usize, usize)>,
    /// Whether a type has a shared instance.
    pub has_singleton: bool,
    /// Whether there are delegates.
    pub has_delegate: bool,
    /// The role of the layer that the settings put it in.
    pub configured: Option<Role>,
    /// Whether it has the name of the project.
    pub is_project: bool,
}

/// How sure a role is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase", tag = "resolution")]
pub enum Resolution {
    /// The signals agree.
    Clear,
    /// The best roles are close to each other, the best first.
    Uncertain {
        /// At most three.
        alternatives: Vec<Role>,
    },
    /// The signals are too weak: the name decides.
    Fallback,
}

/// A role with how sure it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefinedRole {
    /// The role.
    pub role: Role,
    /// The weighted mean of what the signals say for it, 0 to 1.
    pub confidence: f64,
    /// How sure.
    #[serde(flatten)]
    pub resolution: Resolution,
}

/// The role of a module by the weighted vote of its signals: for each role the
/// mean of the confidences, weighted, over the signals that say anything.
#[must_use]
pub fn refine_role(name: &str, signals: &Signals) -> RefinedRole {
    let by_name = Role::of_name(name);
    let mut votes: Vec<(Role, f64)> = Vec::new();
    let mut total = 0.0;
    let mut signal = |weight: f64, roles: &[(Role, f64)]| {
        if roles.is_empty() {
            return;
        }
        total += weight;
        for (role, confidence) in roles {
            match votes.iter_mut().find(|(known, _)| known == role) {
                Some((_, sum)) => *sum += confidence * weight,
                None => votes.push((*role, confidence * weight)),
            }
        }
    };
    let all: f64 = signals.syntax.iter().map(|(_, count)| count).sum();
    let shares: Vec<(Role, f64)> = signals
        .syntax
        .iter()
        .map(|(role, count)| (*role, count / all))
        .collect();
    signal(0.30, &shares);
    if let Some((inward, outward)) = signals.calls.filter(|(i, o)| i + o > 0) {
        let r = inward as f64 / (inward + outward) as f64;
        let vote = if r > 0.7 {
            (Role::Core, 0.8 * r)
        } else if r < 0.3 {
            (Role::Ui, 0.6 * (1.0 - r))
        } else {
            (Role::Service, 0.5)
        };
        signal(0.30, &[vote]);
    }
    if let Some((outward, inward)) = signals.data_flow {
        if outward > 2 * inward {
            signal(0.15, &[(Role::Model, 0.6)]);
        } else if inward > 2 * outward {
            signal(0.15, &[(Role::Ui, 0.5)]);
        }
    }
    let mut patterns = Vec::new();
    patterns.extend(signals.has_singleton.then_some((Role::Service, 0.6)));
    patterns.extend(signals.has_delegate.then_some((Role::Ui, 0.4)));
    signal(0.10, &patterns);
    if let Some(role) = signals.configured {
        signal(0.30, &[(role, 0.85)]);
    }
    signal(0.15, &[(by_name, 0.5)]);
    if signals.is_project {
        signal(0.30, &[(Role::App, 0.95)]);
    }
    for (_, sum) in &mut votes {
        *sum /= total;
    }
    votes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let (top, score) = votes[0];
    let second = votes.get(1).map_or(0.0, |(_, score)| *score);
    let resolution = if score > 0.7 {
        Resolution::Clear
    } else if score - second < 0.1 {
        Resolution::Uncertain {
            alternatives: votes.iter().take(3).map(|(role, _)| *role).collect(),
        }
    } else if score > 0.4 {
        Resolution::Clear
    } else {
        Resolution::Fallback
    };
    let role = if resolution == Resolution::Fallback {
        by_name
    } else {
        top
    };
    RefinedRole {
        role,
        confidence: score,
        resolution,
    }
}

/// Imports that tell a role: a module is one of these or lies below it.
const IMPORTS: &[(Role, &[&str])] = &[
    (
        Role::Ui,
        &[
            "UIKit",
            "SwiftUI",
            "AppKit",
            "react",
            "vue",
            "svelte",
            "package:flutter",
            "android.widget",
            "android.view",
            "androidx.compose",
            "javafx",
            "tkinter",
            "egui",
            "ratatui",
        ],
    ),
    (
        Role::Networking,
        &[
            "Alamofire",
            "axios",
            "requests",
            "httpx",
            "aiohttp",
            "reqwest",
            "hyper",
            "net/http",
            "okhttp3",
            "retrofit2",
            "node-fetch",
            "package:http",
            "package:dio",
            "google.golang.org/grpc",
            "tonic",
        ],
    ),
    (
        Role::Storage,
        &[
            "CoreData",
            "RealmSwift",
            "rusqlite",
            "sqlx",
            "diesel",
            "sqlalchemy",
            "database/sql",
            "gorm.io",
            "android.database",
            "androidx.room",
            "java.sql",
            "mongoose",
            "typeorm",
            "prisma",
            "redis",
            "sqlite3",
        ],
    ),
    (
        Role::Test,
        &[
            "XCTest",
            "pytest",
            "unittest",
            "jest",
            "vitest",
            "mocha",
            "chai",
            "org.junit",
            "testing",
            "package:test",
            "package:flutter_test",
        ],
    ),
    (
        Role::Routing,
        &["react-router", "vue-router", "package:go_router"],
    ),
];

/// The role that an import tells.
#[must_use]
pub fn role_of_import(module: &str) -> Option<Role> {
    IMPORTS
        .iter()
        .find(|(_, known)| {
            known.iter().any(|name| {
                module
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':', '-']))
            })
        })
        .map(|(role, _)| *role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_and_its_order() {
        for (name, role) in [
            ("AppCore", Role::Core),
            ("NetworkKit", Role::Core),
            ("user-service", Role::Service),
            ("LoginView", Role::Ui),
            ("api_client", Role::Networking),
            ("HTTPClient", Role::Networking),
            ("ImageCache", Role::Storage),
            ("NetTests", Role::Test),
            ("Specs", Role::Test),
            ("main", Role::App),
            ("router", Role::Routing),
            ("utils", Role::Utility),
            ("utilities", Role::Utility),
            ("entities", Role::Model),
            ("auth", Role::Auth),
            ("settings", Role::Config),
            ("billing", Role::Feature),
            // Whole words only.
            ("build", Role::Feature),
            ("happy", Role::Feature),
            ("capitals", Role::Feature),
        ] {
            assert_eq!(Role::of_name(name), role, "{name}");
        }
    }

    #[test]
    fn a_name_is_split_at_signs_and_capitals() {
        assert_eq!(
            words("HTTPServerV2_fooBar-x"),
            ["http", "server", "v2", "foo", "bar", "x"]
        );
    }

    #[test]
    fn files_are_read_by_their_weight() {
        for (path, priority) in [
            ("src/UserService.swift", Priority::High),
            ("src/main.rs", Priority::High),
            ("src/AppDelegate.m", Priority::High),
            ("src/config.ts", Priority::High),
            ("src/user.go", Priority::Medium),
            ("src/user_test.go", Priority::Low),
            ("src/String+Ext.swift", Priority::Low),
            ("src/a.pb.go", Priority::Low),
            ("src/ServiceMock.kt", Priority::Low),
            ("README", Priority::Low),
        ] {
            assert_eq!(file_priority(path), priority, "{path}");
        }
    }

    #[test]
    fn the_name_alone_is_a_clear_vote_and_strong_signals_outvote_it() {
        let plain = refine_role("billing", &Signals::default());
        assert_eq!(
            (plain.role, plain.resolution),
            (Role::Feature, Resolution::Clear)
        );
        let core = refine_role(
            "billing",
            &Signals {
                calls: Some((90, 10)),
                ..Signals::default()
            },
        );
        // (0.3 · 0.8 · 0.9) / 0.45 = 0.48 against 0.17
        assert_eq!(core.role, Role::Core);
        assert!((core.confidence - 0.48).abs() < 1e-9);
        let project = refine_role(
            "alembic",
            &Signals {
                is_project: true,
                configured: Some(Role::App),
                ..Signals::default()
            },
        );
        assert_eq!(
            (project.role, project.resolution),
            (Role::App, Resolution::Clear)
        );
    }

    #[test]
    fn calls_data_flow_and_patterns_vote_by_their_formulas() {
        let of = |signals: Signals| refine_role("x", &signals);
        // 0.3 · 0.6 · 0.9 / 0.45 = 0.36: the best, but too weak to overrule the name.
        let outward = of(Signals {
            calls: Some((1, 9)),
            ..Signals::default()
        });
        assert!((outward.confidence - 0.36).abs() < 1e-9);
        assert_eq!(
            (outward.role, outward.resolution),
            (Role::Feature, Resolution::Fallback)
        );
        let settled = of(Signals {
            calls: Some((1, 9)),
            configured: Some(Role::Ui),
            ..Signals::default()
        });
        assert_eq!(
            (settled.role, settled.resolution),
            (Role::Ui, Resolution::Clear)
        );
        let even = of(Signals {
            calls: Some((5, 5)),
            has_singleton: true,
            configured: Some(Role::Service),
            ..Signals::default()
        });
        assert_eq!(even.role, Role::Service);
        let flow = of(Signals {
            data_flow: Some((5, 2)),
            ..Signals::default()
        });
        // 0.15 · 0.6 / 0.3 = 0.3 against 0.25 for the name
        assert_eq!(
            flow.resolution,
            Resolution::Uncertain {
                alternatives: vec![Role::Model, Role::Feature]
            }
        );
        let single = of(Signals {
            has_singleton: true,
            has_delegate: true,
            ..Signals::default()
        });
        assert_eq!(
            single.resolution,
            Resolution::Uncertain {
                alternatives: vec![Role::Feature, Role::Service, Role::Ui]
            }
        );
        let syntax = of(Signals {
            syntax: vec![(Role::Ui, 3.0), (Role::Test, 1.0)],
            ..Signals::default()
        });
        assert_eq!((syntax.role, syntax.confidence), (Role::Ui, 0.5));
        let weak = of(Signals {
            syntax: vec![(Role::Ui, 1.0), (Role::Test, 1.0), (Role::Model, 2.0)],
            calls: Some((0, 0)),
            data_flow: Some((1, 1)),
            ..Signals::default()
        });
        // 0.3 · 0.5 / 0.45 for models is below 0.4.
        assert_eq!(
            (weak.role, weak.resolution),
            (Role::Feature, Resolution::Fallback)
        );
    }

    #[test]
    fn imports_tell_a_role_by_whole_parts() {
        assert_eq!(role_of_import("react-dom"), Some(Role::Ui));
        assert_eq!(role_of_import("java.sql.Connection"), Some(Role::Storage));
        assert_eq!(role_of_import("reacting"), None);
    }
}
