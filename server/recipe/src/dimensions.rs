/// The dimensions of a project's knowledge by id: thirteen for every project,
/// then those of languages, then those of frameworks.
const DIMENSIONS: &[&str] = &[
    "architecture",
    "coding-standards",
    "design-patterns",
    "networking-api",
    "error-resilience",
    "concurrency-async",
    "data-event-flow",
    "ui-interaction",
    "testing-quality",
    "security-auth",
    "performance-optimization",
    "observability-logging",
    "agent-guidelines",
    "swift-objc-idiom",
    "ts-js-module",
    "python-structure",
    "jvm-annotation",
    "go-module",
    "rust-ownership",
    "csharp-dotnet",
    "react-patterns",
    "vue-patterns",
    "spring-patterns",
    "swiftui-patterns",
    "django-fastapi",
];

/// Every dimension id, in the order of the table.
#[must_use]
pub const fn dimension_ids() -> &'static [&'static str] {
    DIMENSIONS
}
