//! Which language a file is in: tables of extensions, file names and
//! interpreters, and the rule that tells the three languages of `.h` apart.

use super::Language;
use super::Language::{
    Bash, C, CSharp, Cpp, Css, Dart, Go, Html, Java, JavaScript, Json, Kotlin, Markdown, Objc,
    Python, Ruby, Rust, Svelte, Swift, Toml, Tsx, TypeScript, Vue, Yaml,
};

/// Extensions, without the dot and in lower case. `.h` is decided by content.
const EXTENSIONS: &[(Language, &[&str])] = &[
    (Objc, &["m", "mm"]),
    (Swift, &["swift", "swiftinterface"]),
    (JavaScript, &["js", "mjs", "cjs", "jsx", "es6"]),
    (TypeScript, &["ts", "mts", "cts"]),
    (Tsx, &["tsx"]),
    (Python, &["py", "pyi", "pyw", "bzl", "star"]),
    (Java, &["java"]),
    (Kotlin, &["kt", "kts"]),
    (Go, &["go"]),
    (Dart, &["dart"]),
    (Rust, &["rs"]),
    (C, &["c"]),
    (
        Cpp,
        &[
            "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "ixx",
            "cppm",
        ],
    ),
    (CSharp, &["cs", "csx"]),
    (
        Ruby,
        &["rb", "rake", "gemspec", "podspec", "ru", "rbi", "rbw"],
    ),
    (Html, &["html", "htm", "xhtml"]),
    (Css, &["css"]),
    (Vue, &["vue"]),
    (Svelte, &["svelte"]),
    (Markdown, &["md", "markdown", "mdown", "mkd", "mdx", "mdc"]),
    (Bash, &["sh", "bash", "zsh", "ksh", "bats"]),
    (
        Json,
        &[
            "json",
            "jsonc",
            "json5",
            "geojson",
            "webmanifest",
            "code-workspace",
        ],
    ),
    (Yaml, &["yaml", "yml"]),
    (Toml, &["toml"]),
];

/// Names of files that are known without an extension, or in spite of it.
const NAMES: &[(Language, &[&str])] = &[
    (
        Ruby,
        &[
            "Gemfile",
            "Rakefile",
            "Podfile",
            "Fastfile",
            "Appfile",
            "Matchfile",
            "Deliverfile",
            "Vagrantfile",
            "Brewfile",
            "Guardfile",
            "Dangerfile",
            "Capfile",
            ".irbrc",
            ".pryrc",
        ],
    ),
    (
        Python,
        &[
            "BUILD",
            "WORKSPACE",
            "BUCK",
            "Tiltfile",
            "SConstruct",
            "SConscript",
            "wscript",
        ],
    ),
    (
        Bash,
        &[
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".bash_logout",
            ".bash_aliases",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".kshrc",
            ".envrc",
            "PKGBUILD",
        ],
    ),
    (
        Json,
        &[
            ".babelrc",
            ".swcrc",
            ".eslintrc",
            ".jshintrc",
            "Pipfile.lock",
            "composer.lock",
        ],
    ),
    (
        Yaml,
        &[
            ".clang-format",
            ".clang-tidy",
            ".gemrc",
            "Podfile.lock",
            "pubspec.lock",
        ],
    ),
    (Toml, &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"]),
];

/// Interpreters of a `#!` line, without a version at their end.
const INTERPRETERS: &[(Language, &[&str])] = &[
    (Bash, &["sh", "bash", "zsh", "dash", "ksh", "ash", "bats"]),
    (Python, &["python", "pypy", "uv"]),
    (Ruby, &["ruby", "jruby"]),
    (JavaScript, &["node", "nodejs", "bun", "qjs"]),
    (TypeScript, &["deno", "ts-node", "tsx"]),
    (Swift, &["swift"]),
    (Dart, &["dart"]),
    (Kotlin, &["kotlin"]),
];

fn find(table: &[(Language, &[&str])], key: &str) -> Option<Language> {
    table
        .iter()
        .find(|(_, keys)| keys.contains(&key))
        .map(|(language, _)| *language)
}

/// The language of a file by its name, then its extension, then the `#!` line
/// of a file whose name says nothing.
pub(super) fn language_of(name: &str, text: &str) -> Option<Language> {
    if let Some(language) = find(NAMES, name) {
        return Some(language);
    }
    // A dot at the front makes a file hidden, it does not start an extension.
    let extension = name
        .rsplit_once('.')
        .and_then(|(stem, extension)| (!stem.is_empty()).then(|| extension.to_ascii_lowercase()));
    match extension.as_deref() {
        Some("h") => Some(of_header(text)),
        Some(extension) => find(EXTENSIONS, extension),
        None => of_shebang(text),
    }
}

/// The marks by which a header shows its language. (guard.md §1)
const OBJC_TOKENS: &[&str] = &["@interface", "@protocol", "@property", "@class", "#import"];
const CPP_LINE_STARTS: &[&str] = &[
    "class ",
    "namespace ",
    "template<",
    "template <",
    "using ",
    "public:",
    "private:",
    "protected:",
    "constexpr ",
    "extern \"C++\"",
];

fn of_header(text: &str) -> Language {
    if OBJC_TOKENS.iter().any(|token| text.contains(token)) {
        return Objc;
    }
    let cpp = text.contains("std::")
        || text.lines().any(|line| {
            let line = line.trim_start();
            CPP_LINE_STARTS.iter().any(|start| line.starts_with(start))
        });
    if cpp { Cpp } else { C }
}

fn of_shebang(text: &str) -> Option<Language> {
    let line = text.trim_start_matches('\u{feff}').lines().next()?;
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        program = program.rsplit('/').next()?;
    }
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    find(INTERPRETERS, plain)
}
