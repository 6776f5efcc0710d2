/// Language ids as recipes and reports write them, each with its aliases.
/// (guard.md, conventions)
const LANGUAGES: &[(&str, &[&str])] = &[
    (
        "objc",
        &["objectivec", "objective-c", "obj-c", "objective-cpp"],
    ),
    ("swift", &[]),
    ("javascript", &["js", "jsx", "javascriptreact"]),
    ("typescript", &["ts", "tsx", "typescriptreact"]),
    ("python", &["py", "python3"]),
    ("java", &[]),
    ("kotlin", &["kt"]),
    ("go", &["golang"]),
    ("dart", &[]),
    ("rust", &["rs"]),
    ("c", &[]),
    ("cpp", &["c++", "cxx"]),
    ("csharp", &["c#", "cs"]),
    ("ruby", &["rb"]),
    ("html", &["htm"]),
    ("css", &[]),
    ("vue", &[]),
    ("svelte", &[]),
    ("markdown", &["md"]),
    ("bash", &["sh", "shell", "shellscript", "zsh"]),
    ("json", &["jsonc"]),
    ("yaml", &["yml"]),
    ("toml", &[]),
];

/// The id under which a language is compared everywhere: `Objective-C`, `obj-c`
/// and `objectivec` are all `objc`. A name that is not known comes back as
/// `None`; `all` is not a language.
#[must_use]
pub fn canonical_language(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    LANGUAGES
        .iter()
        .find(|(id, aliases)| *id == name || aliases.contains(&name.as_str()))
        .map(|(id, _)| *id)
}

/// Whether a recipe may name this language; `all` is permitted.
#[must_use]
pub fn is_known_language(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("all") || canonical_language(name).is_some()
}

/// Every language id, in the order of the table.
pub fn known_languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(id, _)| *id)
}
