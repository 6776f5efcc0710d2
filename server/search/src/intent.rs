//! What a task is about, from what the user said and the file that is open.
//! (search.md §8)

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::rank::Scenario;
use crate::synonyms::Synonyms;
use crate::tokenize::{Word, words};

/// The longest query that is made, in characters.
const MAX_LENGTH: usize = 500;
/// The most technical terms.
const MAX_TERMS: usize = 8;
/// From so many characters on, the synonyms alone are a query too.
const LONG_QUERY: usize = 50;

/// What the user said, and where.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What the user said.
    pub query: &'a str,
    /// The file that is open, absolute or relative to the project.
    pub active_file: Option<&'a str>,
    /// The language, when it is stated.
    pub language: Option<&'a str>,
    /// The project's root.
    pub root: &'a Path,
}

/// What to search for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Intent {
    /// The queries, the most telling first; none for a blank question.
    pub queries: Vec<String>,
    /// Queries for literal words.
    pub keyword_queries: Vec<String>,
    /// What the answer is for.
    pub scenario: Scenario,
    /// The language of the work.
    pub language: Option<String>,
    /// The folder of the work.
    pub module: Option<String>,
}

impl Intent {
    /// What was asked, as queries.
    #[must_use]
    pub fn extract(asked: &Asked<'_>, synonyms: &Synonyms) -> Self {
        let query = asked.query.trim();
        let language = asked
            .language
            .map(str::trim)
            .filter(|language| !language.is_empty())
            .map(|language| asd_recipe::canonical_language(language).unwrap_or(language))
            .or_else(|| asked.active_file.and_then(language_of))
            .map(str::to_owned);
        let module = asked
            .active_file
            .and_then(|file| module_of(file, asked.root));
        if query.is_empty() {
            return Self {
                language,
                module,
                ..Self::default()
            };
        }
        let expansion = synonyms.expand(query);
        let together = expansion.join(" ");
        let terms = technical_terms(query, synonyms).join(" ");
        let file = asked
            .active_file
            .map(|file| file_context(file, asked.root))
            .unwrap_or_default();
        let is_long = query.chars().count() > LONG_QUERY && expansion.len() >= 2;
        let queries = [
            format!("{query} {together}"),
            terms,
            file,
            if is_long {
                together.clone()
            } else {
                String::new()
            },
        ];
        Self {
            queries: tidy(queries),
            keyword_queries: tidy([together]),
            scenario: scenario(query),
            language,
            module,
        }
    }
}

/// Trimmed, cut, without blanks and repetitions.
fn tidy<const N: usize>(queries: [String; N]) -> Vec<String> {
    let mut tidy: Vec<String> = Vec::new();
    for query in queries {
        let cut: String = query.trim().chars().take(MAX_LENGTH).collect();
        let query = cut.trim().to_owned();
        if !query.is_empty() && !tidy.contains(&query) {
            tidy.push(query);
        }
    }
    tidy
}

/// Folders that say nothing about what is in them.
const CONTAINERS: &[&str] = &[
    "src", "lib", "app", "sources", "source", "pkg", "internal", "main", "java", "kotlin",
];

/// The folders of a file below the root, without those that say nothing; and
/// its name.
fn telling_folders(file: &str, root: &Path) -> (Vec<String>, String) {
    let file = file.replace('\\', "/");
    let root = root.to_string_lossy().replace('\\', "/");
    let relative = file
        .strip_prefix(root.trim_end_matches('/'))
        .filter(|rest| rest.starts_with('/') && !root.is_empty())
        .unwrap_or(&file);
    let mut parts: Vec<&str> = relative
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let name = parts.pop().unwrap_or_default().to_owned();
    let folders = parts
        .into_iter()
        .filter(|part| !CONTAINERS.contains(&part.to_lowercase().as_str()))
        .filter(|part| *part != ".." && !part.ends_with(':'))
        .map(str::to_owned)
        .collect();
    (folders, name)
}

fn last_two(folders: &[String]) -> &[String] {
    &folders[folders.len().saturating_sub(2)..]
}

/// The module of a file: its last two folders that say something, joined by
/// `/`. `None` for a file at the root. Works with paths below the root and with
/// relative ones.
#[must_use]
pub fn module_of(file: &str, root: &Path) -> Option<String> {
    let (folders, _) = telling_folders(file, root);
    (!folders.is_empty()).then(|| last_two(&folders).join("/"))
}

fn file_context(file: &str, root: &Path) -> String {
    let (folders, name) = telling_folders(file, root);
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("");
    let mut parts = last_two(&folders).to_vec();
    parts.push(stem.to_owned());
    parts.join(" ")
}

/// Suffixes that are no name of their language.
const SUFFIXES: &[(&str, &str)] = &[
    ("m", "objc"),
    ("mm", "objc"),
    ("h", "c"),
    ("hpp", "cpp"),
    ("hh", "cpp"),
    ("cc", "cpp"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("mts", "typescript"),
    ("cts", "typescript"),
    ("kts", "kotlin"),
    ("pyi", "python"),
    ("gradle", "groovy"),
    ("php", "php"),
    ("scss", "css"),
    ("less", "css"),
];

/// The language of a file by its suffix.
fn language_of(file: &str) -> Option<&'static str> {
    let (_, suffix) = file.rsplit_once('.')?;
    let suffix = suffix.to_ascii_lowercase();
    let known = SUFFIXES.iter().find(|(name, _)| *name == suffix);
    known
        .map(|(_, language)| *language)
        .or_else(|| asd_recipe::canonical_language(&suffix))
}

/// The names of the query: what stands in back ticks, triggers, names with
/// humps and their halves, files of code, and what Chinese words would be
/// called.
fn technical_terms(query: &str, synonyms: &Synonyms) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |term: &str| {
        let length = term.chars().count();
        if (3..=50).contains(&length) && terms.len() < MAX_TERMS && seen.insert(term.to_lowercase())
        {
            terms.push(term.to_owned());
        }
    };
    for (index, quoted) in query.split('`').enumerate() {
        if index % 2 == 1 {
            add(quoted.trim());
        }
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | '/');
    for word in query.split(|c: char| !is_part(c)) {
        let word = word.trim_matches(['.', '-', '/']);
        if word.starts_with('@') {
            add(word);
            continue;
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        if let Some((stem, _)) = name.split_once('.')
            && language_of(name).is_some()
        {
            add(stem);
        }
        for name in name.split('.') {
            if let Some(humps) = humps(name) {
                add(name);
                if humps.len() >= 3 {
                    let middle = humps.len() / 2;
                    add(&humps[..middle].concat());
                    add(&humps[middle..].concat());
                }
            }
        }
    }
    for word in words(query) {
        if let Word::Cjk(run) = word {
            for pair in synonyms.longest_words(&run).windows(2) {
                let [(at, length), (next, next_length)] = pair else {
                    continue;
                };
                let first = synonyms.first_latin(&run[*at..at + length]);
                let second = synonyms.first_latin(&run[*next..next + next_length]);
                if let (true, Some(first), Some(second)) = (at + length == *next, first, second) {
                    add(&(pascal(first) + &pascal(second)));
                }
            }
        }
    }
    terms
}

/// The humps of a name like `NetManager` or `netManager`; `None` when it has
/// only one.
fn humps(name: &str) -> Option<Vec<String>> {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let chars: Vec<char> = name.chars().collect();
    let mut humps: Vec<String> = vec![String::new()];
    for (index, &c) in chars.iter().enumerate() {
        let begins = c.is_ascii_uppercase()
            && index > 0
            && (chars[index - 1].is_ascii_lowercase()
                || (chars[index - 1].is_ascii_uppercase()
                    && chars.get(index + 1).is_some_and(char::is_ascii_lowercase)));
        if begins {
            humps.push(String::new());
        }
        if let Some(last) = humps.last_mut() {
            last.push(c);
        }
    }
    (humps.len() > 1).then_some(humps)
}

fn pascal(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// The cues of one scenario: parts of Chinese text, and whole English words or
/// phrases.
struct Cues(Scenario, &'static [&'static str], &'static [&'static str]);

/// The first that fits counts.
const SCENARIOS: &[Cues] = &[
    Cues(
        Scenario::Generate,
        &[
            "帮我加",
            "帮我写",
            "帮我做",
            "帮我实现",
            "帮我创建",
            "添加",
            "修改",
            "删除",
            "实现",
            "开发",
            "编写",
            "创建",
            "初始化",
            "新增",
            "新加",
            "新建",
        ],
        &[
            "implement",
            "add",
            "create",
            "build",
            "write",
            "refactor",
            "fix",
        ],
    ),
    Cues(
        Scenario::Lint,
        &["检查", "合规", "违规", "规则", "规范", "审查"],
        &["review", "lint", "guard", "violation", "compliance"],
    ),
    Cues(
        Scenario::Learning,
        &[
            "什么是",
            "怎么用",
            "怎么做",
            "原理",
            "学习",
            "为什么",
            "理解",
        ],
        &["explain", "what is", "how does", "why", "understand"],
    ),
];

/// What a question is for.
#[must_use]
pub fn scenario(query: &str) -> Scenario {
    let lower = query.to_lowercase();
    let spaced: String = lower
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' })
        .collect();
    let plain = format!(
        " {} ",
        spaced.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    SCENARIOS
        .iter()
        .find(|Cues(_, chinese, english)| {
            chinese.iter().any(|cue| lower.contains(cue))
                || english
                    .iter()
                    .any(|cue| plain.contains(&format!(" {cue} ")))
        })
        .map_or(Scenario::Search, |Cues(scenario, _, _)| *scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(query: &str, active_file: Option<&str>) -> Intent {
        let asked = Asked {
            query,
            active_file,
            language: None,
            root: Path::new("/root/p"),
        };
        Intent::extract(&asked, &Synonyms::built_in())
    }

    #[test]
    fn scenarios_are_told_by_cues_in_their_order() {
        for (query, expected) in [
            ("帮我加个缓存中间件", Scenario::Generate),
            ("email address rules?", Scenario::Search),
            ("检查这次改动是否合规", Scenario::Lint),
            ("implement a retry queue", Scenario::Generate),
            ("review this", Scenario::Lint),
            ("what is a singleton", Scenario::Learning),
            ("why does it deadlock", Scenario::Learning),
            ("padding", Scenario::Search),
            ("为什么要用缓存", Scenario::Learning),
            ("缓存策略", Scenario::Search),
        ] {
            assert_eq!(scenario(query), expected, "{query}");
        }
    }

    #[test]
    fn a_question_is_asked_in_both_languages() {
        let intent = intent("帮我加个缓存中间件", None);
        expect_test::expect![[r#"
            [
                "帮我加个缓存中间件 cache caching memoize middleware",
                "CacheMiddleware",
            ]
        "#]]
        .assert_debug_eq(&intent.queries);
        assert_eq!(intent.keyword_queries, ["cache caching memoize middleware"]);
        assert_eq!(intent.scenario, Scenario::Generate);
    }

    #[test]
    fn the_open_file_says_module_and_language() {
        for file in [
            "/root/p/Sources/Net/Manager/NetManager.swift",
            "Sources/Net/Manager/NetManager.swift",
        ] {
            let intent = intent("timeout", Some(file));
            assert_eq!(intent.language.as_deref(), Some("swift"));
            assert_eq!(intent.module.as_deref(), Some("Net/Manager"));
            assert_eq!(intent.queries[1], "Net Manager NetManager");
        }
        assert_eq!(module_of("main.rs", Path::new("/root/p")), None);
        assert_eq!(module_of("/root/p/src/a.rs", Path::new("/root/p")), None);
        let module = module_of("a/b/c/d.rs", Path::new("/root/p"));
        assert_eq!(module.as_deref(), Some("b/c"));
    }

    #[test]
    fn names_are_searched_by_themselves() {
        let terms = technical_terms(
            "why does `push_all` in net/RetryQueue.swift break @retry-queue and HTTPClientFactory",
            &Synonyms::built_in(),
        );
        expect_test::expect![[r#"
            [
                "push_all",
                "RetryQueue",
                "@retry-queue",
                "HTTPClientFactory",
                "HTTP",
                "ClientFactory",
            ]
        "#]]
        .assert_debug_eq(&terms);
        assert_eq!(
            technical_terms("plain words only", &Synonyms::built_in()),
            [""; 0]
        );
    }

    #[test]
    fn a_long_question_is_asked_by_its_synonyms_alone_too() {
        let long =
            "we would like the network requests of the settings page to be cached for a while";
        let queries = intent(long, None).queries;
        assert_eq!(queries.len(), 2);
        assert!(queries[1].contains("缓存") && !queries[1].contains("settings"));
    }

    #[test]
    fn a_blank_question_asks_nothing() {
        let intent = intent("  ", Some("src/net/a.rs"));
        assert_eq!(intent.queries, [""; 0]);
        assert_eq!(intent.module.as_deref(), Some("net"));
    }

    #[test]
    fn queries_are_cut_and_unique() {
        let intent = intent(&"x".repeat(900), None);
        assert_eq!(intent.queries.len(), 1);
        assert_eq!(intent.queries[0].len(), MAX_LENGTH);
        assert_eq!(tidy([" a ".into(), "a".into(), String::new()]), ["a"]);
    }
}
