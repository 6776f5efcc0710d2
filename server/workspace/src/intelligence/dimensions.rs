//! The dimensions of a project's knowledge: one table. (mcp.md §5, §8)

use std::collections::{BTreeMap, BTreeSet};

use asd_codemap::{CodeMap, Role, role_of_import};
use asd_recipe::Recipe;

/// When a dimension is part of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// When there are files of a user interface.
    Interface,
    /// When something is imported that talks to a network.
    Network,
    /// When at least a tenth of the files are in one of these languages.
    Languages(&'static [&'static str]),
    /// When a manifest names one of these frameworks.
    Frameworks(&'static [&'static str]),
}

/// One dimension.
#[derive(Debug)]
pub(crate) struct Dimension {
    pub(crate) id: &'static str,
    pub(crate) label: &'static str,
    pub(crate) label_zh: &'static str,
    pub(crate) knowledge_types: &'static [&'static str],
    pub(crate) weight: f64,
    pub(crate) tier: usize,
    /// Its analysis also becomes a skill of the project.
    pub(crate) dual: bool,
    pub(crate) when: When,
    pub(crate) questions: &'static [&'static str],
    /// The roles of modules for which a gap weighs more; empty for all.
    pub(crate) roles: &'static [Role],
    /// Words in the names of files and types that it is about.
    pub(crate) words: &'static [&'static str],
    /// Starts of imported modules that it is about.
    pub(crate) imports: &'static [&'static str],
}

const PRACTICE: &[&str] = &["best-practice", "code-pattern"];
const IDIOM: &[&str] = &["code-pattern", "best-practice"];

const fn idiom(
    id: &'static str,
    label: &'static str,
    label_zh: &'static str,
    weight: f64,
    when: When,
    questions: &'static [&'static str],
) -> Dimension {
    Dimension {
        id,
        label,
        label_zh,
        knowledge_types: IDIOM,
        weight,
        tier: 1,
        dual: false,
        when,
        questions,
        roles: &[],
        words: &[],
        imports: &[],
    }
}

const fn ui_framework(mut dimension: Dimension, imports: &'static [&'static str]) -> Dimension {
    dimension.roles = &[Role::Ui, Role::Feature];
    dimension.imports = imports;
    dimension
}

/// All of them, in the order of [`asd_recipe::dimension_ids`].
pub(crate) const DIMENSIONS: &[Dimension] = &[
    Dimension {
        id: "architecture",
        label: "Architecture",
        label_zh: "架构",
        knowledge_types: &["architecture", "module-dependency", "boundary-constraint"],
        weight: 1.0,
        tier: 1,
        dual: true,
        when: When::Always,
        questions: &[
            "What are the modules, and what is each responsible for?",
            "Which way may they depend on each other?",
            "Where does the program start, and what is put together there?",
            "What is forbidden to import where?",
        ],
        roles: &[Role::Core, Role::App],
        words: &[
            "app",
            "main",
            "module",
            "container",
            "registry",
            "bootstrap",
            "entry",
        ],
        imports: &[],
    },
    Dimension {
        id: "coding-standards",
        label: "Coding standards",
        label_zh: "编码规范",
        knowledge_types: &["code-standard", "code-style"],
        weight: 0.8,
        tier: 2,
        dual: true,
        when: When::Always,
        questions: &[
            "How are types, functions, files and tests named?",
            "How are comments and documentation written?",
            "In which order do the parts of a file stand?",
        ],
        roles: &[],
        words: &["constant", "style", "lint", "format"],
        imports: &[],
    },
    Dimension {
        id: "design-patterns",
        label: "Design patterns",
        label_zh: "设计模式",
        knowledge_types: &["code-pattern", "code-relation", "inheritance"],
        weight: 0.8,
        tier: 2,
        dual: false,
        when: When::Always,
        questions: &[
            "Which patterns of creation, delegation and state recur?",
            "Which base types of the project are extended, and how?",
        ],
        roles: &[],
        words: &[
            "factory",
            "builder",
            "delegate",
            "observer",
            "strategy",
            "adapter",
            "visitor",
            "proxy",
            "decorator",
            "base",
            "abstract",
        ],
        imports: &[],
    },
    Dimension {
        id: "networking-api",
        label: "Networking and APIs",
        label_zh: "网络与接口",
        knowledge_types: PRACTICE,
        weight: 0.7,
        tier: 2,
        dual: false,
        when: When::Network,
        questions: &[
            "Which client is used, and which is not to be used?",
            "How are requests built and authenticated?",
            "How are answers decoded and their errors mapped?",
        ],
        roles: &[Role::Networking],
        words: &[
            "network", "api", "http", "client", "request", "response", "endpoint", "grpc",
        ],
        imports: &[],
    },
    Dimension {
        id: "error-resilience",
        label: "Errors and resilience",
        label_zh: "错误处理与韧性",
        knowledge_types: &["best-practice"],
        weight: 1.0,
        tier: 3,
        dual: false,
        when: When::Always,
        questions: &[
            "Which error types exist, and when is which used?",
            "Where are errors mapped, and where are they shown or logged?",
            "How are retries and timeouts bounded?",
        ],
        roles: &[Role::Service, Role::Networking, Role::Core],
        words: &[
            "error",
            "exception",
            "retry",
            "fallback",
            "timeout",
            "failure",
            "recovery",
        ],
        imports: &[
            "thiserror",
            "anyhow",
            "errors",
            "github.com/pkg/errors",
            "tenacity",
        ],
    },
    Dimension {
        id: "concurrency-async",
        label: "Concurrency",
        label_zh: "并发与异步",
        knowledge_types: PRACTICE,
        weight: 0.9,
        tier: 3,
        dual: false,
        when: When::Always,
        questions: &[
            "Which executor or queue runs what?",
            "Who owns shared state, and which locks protect it?",
            "How is cancellation passed on?",
        ],
        roles: &[Role::Service, Role::Networking, Role::Storage],
        words: &[
            "async",
            "queue",
            "worker",
            "scheduler",
            "pool",
            "lock",
            "task",
            "thread",
            "actor",
        ],
        imports: &[
            "tokio",
            "rayon",
            "std::sync",
            "std::thread",
            "crossbeam",
            "futures",
            "asyncio",
            "threading",
            "concurrent",
            "sync",
            "context",
            "java.util.concurrent",
            "kotlinx.coroutines",
            "Dispatch",
            "Combine",
            "rxjs",
            "async_std",
        ],
    },
    Dimension {
        id: "data-event-flow",
        label: "Data and events",
        label_zh: "数据与事件流",
        knowledge_types: &["call-chain", "data-flow"],
        weight: 0.8,
        tier: 3,
        dual: false,
        when: When::Always,
        questions: &[
            "Where does state live, and who may change it?",
            "Who publishes events, and who listens?",
            "How is data stored and cached?",
        ],
        roles: &[Role::Storage, Role::Model],
        words: &[
            "store",
            "state",
            "event",
            "bus",
            "repository",
            "cache",
            "model",
            "reducer",
            "publisher",
            "database",
            "message",
        ],
        imports: &[
            "redux",
            "@reduxjs/toolkit",
            "zustand",
            "rusqlite",
            "sqlx",
            "sqlalchemy",
            "database/sql",
        ],
    },
    Dimension {
        id: "ui-interaction",
        label: "User interface",
        label_zh: "界面与交互",
        knowledge_types: IDIOM,
        weight: 0.7,
        tier: 4,
        dual: false,
        when: When::Interface,
        questions: &[
            "How are screens and components built?",
            "How are they bound to data?",
            "How does one navigate between them?",
        ],
        roles: &[Role::Ui, Role::Feature],
        words: &[
            "view",
            "screen",
            "component",
            "widget",
            "page",
            "layout",
            "controller",
            "cell",
        ],
        imports: &[],
    },
    Dimension {
        id: "testing-quality",
        label: "Tests and quality",
        label_zh: "测试与质量",
        knowledge_types: PRACTICE,
        weight: 0.9,
        tier: 4,
        dual: false,
        when: When::Always,
        questions: &[
            "Which frameworks, fixtures and fakes are used?",
            "How is a test laid out and named?",
            "What must be covered?",
        ],
        roles: &[],
        words: &["test", "spec", "mock", "fixture", "fake", "stub"],
        imports: &[
            "pytest",
            "unittest",
            "XCTest",
            "jest",
            "vitest",
            "mocha",
            "chai",
            "org.junit",
            "testing",
            "github.com/stretchr/testify",
            "proptest",
            "package:test",
            "package:flutter_test",
        ],
    },
    Dimension {
        id: "security-auth",
        label: "Security",
        label_zh: "安全与鉴权",
        knowledge_types: &["best-practice", "boundary-constraint"],
        weight: 1.0,
        tier: 4,
        dual: false,
        when: When::Always,
        questions: &[
            "Where are secrets kept, and how do they reach the code?",
            "How and where are inputs checked?",
            "Who may do what, and where is that decided?",
        ],
        roles: &[Role::Networking, Role::Service],
        words: &[
            "auth",
            "login",
            "token",
            "permission",
            "secret",
            "crypto",
            "session",
            "sanitize",
            "credential",
        ],
        imports: &[
            "crypto",
            "jsonwebtoken",
            "bcrypt",
            "jwt",
            "Security",
            "CryptoKit",
            "ring",
            "rustls",
        ],
    },
    Dimension {
        id: "performance-optimization",
        label: "Performance",
        label_zh: "性能优化",
        knowledge_types: &["best-practice"],
        weight: 0.8,
        tier: 5,
        dual: false,
        when: When::Always,
        questions: &[
            "Where are caches, pools and lazy loads, and what bounds them?",
            "Which paths are hot, and how was that measured?",
        ],
        roles: &[Role::Ui, Role::Storage],
        words: &[
            "cache", "pool", "lazy", "prefetch", "batch", "bench", "buffer", "throttle", "debounce",
        ],
        imports: &["criterion", "lru", "functools"],
    },
    Dimension {
        id: "observability-logging",
        label: "Logging and metrics",
        label_zh: "日志与可观测性",
        knowledge_types: &["best-practice", "code-standard"],
        weight: 0.7,
        tier: 5,
        dual: false,
        when: When::Always,
        questions: &[
            "Which logger is used, with which levels and fields?",
            "What is measured, and what must never be logged?",
        ],
        roles: &[Role::Service, Role::Core],
        words: &[
            "log",
            "logger",
            "logging",
            "metric",
            "trace",
            "telemetry",
            "monitor",
            "analytic",
        ],
        imports: &[
            "log",
            "tracing",
            "logging",
            "slog",
            "zap",
            "winston",
            "pino",
            "os.log",
            "OSLog",
            "org.slf4j",
            "go.uber.org/zap",
            "github.com/sirupsen/logrus",
            "prometheus",
        ],
    },
    Dimension {
        id: "agent-guidelines",
        label: "Guidelines for agents",
        label_zh: "智能体准则",
        knowledge_types: &["boundary-constraint", "code-standard"],
        weight: 0.6,
        tier: 5,
        dual: true,
        when: When::Always,
        questions: &[
            "Which hard rules hold: what must always, what must never be done?",
            "Which APIs are retired, and what takes their place?",
            "Which traps does the environment hold?",
        ],
        roles: &[],
        words: &["deprecated", "legacy", "compat"],
        imports: &[],
    },
    idiom(
        "swift-objc-idiom",
        "Swift and Objective-C",
        "Swift 与 Objective-C 惯用法",
        0.8,
        When::Languages(&["swift", "objc"]),
        &[
            "Which idioms of Swift and Objective-C does the project prefer where common practice leaves a choice?",
            "How are optionals, retain cycles and the two languages side by side handled?",
        ],
    ),
    idiom(
        "ts-js-module",
        "TS and JS modules",
        "TS/JS 模块",
        0.7,
        When::Languages(&["typescript", "javascript", "vue", "svelte"]),
        &[
            "How are modules exported and imported: default or named, barrels, path aliases?",
            "Which habits of types differ from common practice?",
        ],
    ),
    idiom(
        "python-structure",
        "Python structure",
        "Python 结构",
        0.7,
        When::Languages(&["python"]),
        &[
            "How are packages laid out, and what does `__init__` export?",
            "How are types, dataclasses and imports written?",
        ],
    ),
    idiom(
        "jvm-annotation",
        "Annotations on the JVM",
        "JVM 注解",
        0.7,
        When::Languages(&["java", "kotlin"]),
        &[
            "Which annotations are used for what, and which are the project's own?",
            "How are nullability and data classes handled?",
        ],
    ),
    idiom(
        "go-module",
        "Go modules",
        "Go 模块",
        0.7,
        When::Languages(&["go"]),
        &[
            "How are packages cut, and what lies below `internal`?",
            "How are contexts, errors and interfaces passed?",
        ],
    ),
    idiom(
        "rust-ownership",
        "Rust ownership",
        "Rust 所有权",
        0.7,
        When::Languages(&["rust"]),
        &[
            "How are ownership and borrowing shared out: clones, `Arc`, lifetimes?",
            "Which habits of errors, traits and visibility differ from common practice?",
        ],
    ),
    idiom(
        "csharp-dotnet",
        "C# and .NET",
        "C# 与 .NET",
        0.7,
        When::Languages(&["csharp"]),
        &[
            "How are dependency injection, async and disposal handled?",
            "Which habits of nullability and records differ from common practice?",
        ],
    ),
    ui_framework(
        idiom(
            "react-patterns",
            "React",
            "React 模式",
            0.7,
            When::Frameworks(&["react", "nextjs"]),
            &[
                "How are components, hooks and state written?",
                "Where is data fetched, and how is it cached?",
            ],
        ),
        &["react", "next"],
    ),
    ui_framework(
        idiom(
            "vue-patterns",
            "Vue",
            "Vue 模式",
            0.7,
            When::Frameworks(&["vue", "nuxt"]),
            &[
                "Options or composition, and how are composables cut?",
                "How are stores and props used?",
            ],
        ),
        &["vue", "nuxt", "pinia"],
    ),
    idiom(
        "spring-patterns",
        "Spring",
        "Spring 模式",
        0.7,
        When::Frameworks(&["spring"]),
        &[
            "How are beans wired and configured?",
            "How are controllers, services and transactions cut?",
        ],
    ),
    ui_framework(
        idiom(
            "swiftui-patterns",
            "SwiftUI",
            "SwiftUI 模式",
            0.7,
            When::Frameworks(&["swiftui"]),
            &[
                "How are views cut and state owned?",
                "How are navigation and environment used?",
            ],
        ),
        &["SwiftUI"],
    ),
    idiom(
        "django-fastapi",
        "Django, FastAPI and Flask",
        "Python Web 框架",
        0.7,
        When::Frameworks(&["django", "fastapi", "flask"]),
        &[
            "How are views, models and serializers cut?",
            "How are dependencies, settings and migrations handled?",
        ],
    ),
];

/// The dimension with an id.
pub(crate) fn dimension(id: &str) -> Option<&'static Dimension> {
    DIMENSIONS.iter().find(|dimension| dimension.id == id)
}

/// Extensions of files that hold a user interface.
const INTERFACE_FILES: &[&str] = &["vue", "svelte", "tsx", "jsx", "xib", "storyboard"];

fn has_interface(map: &CodeMap) -> bool {
    let by_name = map.files().iter().any(|file| {
        let extension = file
            .path
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension);
        INTERFACE_FILES.contains(&extension)
    });
    by_name || imports_role(map, Role::Ui)
}

fn imports_role(map: &CodeMap, role: Role) -> bool {
    let mut externals = map.externals().iter();
    externals.any(|external| role_of_import(&external.module) == Some(role))
}

/// The frameworks of a project: what its manifests name, and SwiftUI, which is
/// only imported.
pub(crate) fn frameworks(map: &CodeMap) -> Vec<String> {
    let mut found: BTreeSet<String> = map.frameworks.iter().cloned().collect();
    if map
        .externals()
        .iter()
        .any(|external| external.module == "SwiftUI")
    {
        found.insert("swiftui".to_owned());
    }
    found.into_iter().collect()
}

/// The dimensions that a project has, in the order of the table.
pub(crate) fn active(map: &CodeMap) -> Vec<&'static Dimension> {
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    for file in map.files() {
        *languages
            .entry(file.source.facts.language.id())
            .or_default() += 1;
    }
    let total = map.files().len();
    let frameworks = frameworks(map);
    let applies = |when: When| match when {
        When::Always => true,
        When::Interface => has_interface(map),
        When::Network => imports_role(map, Role::Networking),
        When::Languages(wanted) => {
            let files: usize = wanted.iter().filter_map(|name| languages.get(name)).sum();
            files > 0 && files * 10 >= total
        }
        When::Frameworks(wanted) => frameworks
            .iter()
            .any(|name| wanted.contains(&name.as_str())),
    };
    DIMENSIONS
        .iter()
        .filter(|dimension| applies(dimension.when))
        .collect()
}

/// Where recipes go that belong to no dimension.
pub(crate) const GENERAL: &str = "general";

/// Dimensions of topics and categories. (mcp.md §8)
const BY_TOPIC: &[(&str, &str)] = &[
    ("networking", "networking-api"),
    ("network", "networking-api"),
    ("ui", "ui-interaction"),
    ("view", "ui-interaction"),
    ("data", "data-event-flow"),
    ("storage", "data-event-flow"),
    ("model", "data-event-flow"),
    ("architecture", "architecture"),
    ("service", "architecture"),
    ("conventions", "coding-standards"),
    ("code-standard", "coding-standards"),
    ("code-style", "coding-standards"),
    ("module-dependency", "architecture"),
    ("inheritance", "design-patterns"),
    ("call-chain", "data-event-flow"),
    ("data-flow", "data-event-flow"),
];

/// The dimension of a recipe: what it states, its category, its knowledge type,
/// its tags, then its topic and category by a table; the first that is known.
pub(crate) fn dimension_of(recipe: &Recipe) -> Option<&'static Dimension> {
    let stated = [
        recipe.dimension_id.as_deref(),
        Some(recipe.category.as_str()),
        Some(recipe.knowledge_type.as_str()),
    ];
    if let Some(found) = stated.into_iter().flatten().find_map(dimension) {
        return Some(found);
    }
    let tagged = recipe
        .tags
        .iter()
        .find_map(|tag| dimension(tag.strip_prefix("dimension:").unwrap_or(tag)));
    if tagged.is_some() {
        return tagged;
    }
    let topics = [
        recipe.topic_hint.as_deref(),
        Some(recipe.category.as_str()),
        Some(recipe.knowledge_type.as_str()),
    ];
    topics.into_iter().flatten().find_map(|topic| {
        let topic = topic.to_lowercase();
        let (_, id) = BY_TOPIC.iter().find(|(name, _)| *name == topic)?;
        dimension(id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_the_known_ids_in_their_order() {
        let ids: Vec<&str> = DIMENSIONS.iter().map(|dimension| dimension.id).collect();
        assert_eq!(ids, asd_recipe::dimension_ids());
    }

    #[test]
    fn weights_tiers_and_kinds_are_those_of_the_specification() {
        let row = |id: &str| {
            let found = dimension(id).unwrap();
            (
                found.weight,
                found.tier,
                found.dual,
                found.knowledge_types.len(),
            )
        };
        assert_eq!(row("architecture"), (1.0, 1, true, 3));
        assert_eq!(row("error-resilience"), (1.0, 3, false, 1));
        assert_eq!(row("agent-guidelines"), (0.6, 5, true, 2));
        assert_eq!(row("swift-objc-idiom"), (0.8, 1, false, 2));
        assert_eq!(row("django-fastapi"), (0.7, 1, false, 2));
        let universal = DIMENSIONS
            .iter()
            .filter(|d| matches!(d.when, When::Always | When::Interface | When::Network));
        assert_eq!(universal.count(), 13);
        assert!(
            DIMENSIONS
                .iter()
                .all(|dimension| dimension.questions.len() >= 2)
        );
        let sum: f64 = DIMENSIONS[..13]
            .iter()
            .map(|dimension| dimension.weight)
            .sum();
        assert!((sum - 10.7).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn the_first_field_that_names_a_dimension_counts() {
        let of = |recipe: &Recipe| dimension_of(recipe).map(|dimension| dimension.id);
        let mut recipe = Recipe {
            category: "Network".into(),
            ..Recipe::default()
        };
        assert_eq!(of(&recipe), Some("networking-api"));
        recipe.topic_hint = Some("ui".into());
        assert_eq!(of(&recipe), Some("ui-interaction"));
        recipe.tags = vec!["x".into(), "testing-quality".into()];
        assert_eq!(of(&recipe), Some("testing-quality"));
        recipe.tags = vec!["dimension:security-auth".into()];
        assert_eq!(of(&recipe), Some("security-auth"));
        recipe.knowledge_type = "architecture".into();
        assert_eq!(of(&recipe), Some("architecture"));
        recipe.category = "design-patterns".into();
        assert_eq!(of(&recipe), Some("design-patterns"));
        recipe.dimension_id = Some("go-module".into());
        assert_eq!(of(&recipe), Some("go-module"));
        recipe.dimension_id = Some("unheard-of".into());
        assert_eq!(of(&recipe), Some("design-patterns"));
        assert_eq!(of(&Recipe::default()), None);
    }
}
