//! How the project tests: what tests are called, what they stand on, and how
//! they state what they expect.

use std::collections::BTreeMap;

use asd_recipe::MatchIn;
use asd_syntax::Language;
use serde_json::json;

use super::corpus::{Corpus, MinedFile, Part};
use super::draft::{Cut, Draft, Spot, escape, key, regex_guard, rule_guard};
use super::names::{last_segment, spoken};
use crate::facts::SymbolKind;

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for language in corpus.languages(Part::Test) {
        drafts.extend(file_names(corpus, language));
        match language {
            Language::Python => {
                drafts.extend(python_style(corpus));
                drafts.extend(base_class(corpus, language));
            }
            Language::Java | Language::Swift => drafts.extend(base_class(corpus, language)),
            Language::JavaScript | Language::TypeScript => {
                drafts.extend(one_of(
                    corpus,
                    language,
                    &["it", "test"],
                    "names its cases with",
                    "cases",
                ));
                drafts.extend(titles(corpus, language));
            }
            Language::Go => drafts.push(go_assertions(corpus)),
            _ => {}
        }
    }
    drafts
}

fn tests(corpus: &Corpus, language: Language) -> impl Iterator<Item = (usize, &MinedFile)> {
    corpus
        .part(Part::Test)
        .filter(move |(_, file)| file.language() == language)
}

/// What the names of files with tests look like.
fn file_names(corpus: &Corpus, language: Language) -> Option<Draft> {
    // Elsewhere the tool that runs tests asks for one form.
    if !matches!(
        language,
        Language::Python
            | Language::JavaScript
            | Language::TypeScript
            | Language::Java
            | Language::Swift
    ) {
        return None;
    }
    let mut shapes: BTreeMap<String, Vec<Spot>> = BTreeMap::new();
    for (at, file) in tests(corpus, language) {
        if holds_tests(file) {
            shapes
                .entry(shape(crate::path::name(&file.path)))
                .or_default()
                .push(Spot::lines(at, 1, file.line_count().max(1)));
        }
    }
    let main = shapes
        .iter()
        .max_by_key(|(shape, list)| (list.len(), (*shape).clone()))
        .map(|(shape, _)| shape.clone())?;
    if !main.contains("est") && !main.contains("pec") {
        return None;
    }
    let kept = shapes.remove(&main)?;
    Some(Draft {
        miner: "test",
        dimension: "testing-quality",
        language,
        key: key(&[language.id(), "test-files", &main]),
        title: format!("{} test files are named `{main}`", spoken(language)),
        when: "A file of tests is added".to_owned(),
        do_: format!("Name it `{main}`"),
        dont: "Give it a name of another form".to_owned(),
        unit: "files with tests",
        kept,
        broken: shapes.into_values().flatten().collect(),
        min_files: 3,
        guard: None,
        by_file: false,
        cut: Cut::Nothing,
    })
}

fn holds_tests(file: &MinedFile) -> bool {
    let facts = file.facts();
    match file.language() {
        Language::JavaScript | Language::TypeScript => facts.calls.iter().any(|site| {
            matches!(
                file.call_path(site).as_deref(),
                Some("it" | "test" | "describe")
            ) && site.arguments >= 2
        }),
        _ => facts.declarations.iter().any(|declaration| {
            let named = declaration.name.starts_with("test");
            declaration.kind.is_callable() && (named || declaration.is_test)
        }),
    }
}

fn shape(name: &str) -> String {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let stem = match stem {
        s if s.starts_with("test_") => "test_*",
        s if s.ends_with("_test") => "*_test",
        s if s.ends_with(".test") => "*.test",
        s if s.ends_with(".spec") => "*.spec",
        s if s.ends_with("-spec") => "*-spec",
        s if s.ends_with("-test") => "*-test",
        s if s.ends_with("TestCase") => "*TestCase",
        s if s.ends_with("Tests") => "*Tests",
        s if s.ends_with("Test") => "*Test",
        s if s.ends_with("Spec") => "*Spec",
        s if s.starts_with("test") => "test*",
        _ => "*",
    };
    format!("{stem}.{extension}")
}

/// Test functions alone, or methods of test cases.
fn python_style(corpus: &Corpus) -> Vec<Draft> {
    let (mut functions, mut methods) = (Vec::new(), Vec::new());
    for (at, file) in tests(corpus, Language::Python) {
        for declaration in &file.facts().declarations {
            if !declaration.name.starts_with("test") || !declaration.kind.is_callable() {
                continue;
            }
            let class = declaration
                .parent
                .and_then(|parent| file.facts().declaration(parent));
            let spot = Spot::lines(at, declaration.line, declaration.end_line);
            match class {
                None => functions.push(spot),
                Some(class) if class.kind == SymbolKind::Class => methods.push(spot),
                Some(_) => {}
            }
        }
    }
    let guard = regex_guard(
        Language::Python,
        r"^(?:async\s+)?def\s+test".to_owned(),
        MatchIn::Code,
        "A test outside of a class",
    );
    let body = json!({"kind": "block", "inside": {"kind": "class_definition"}});
    let other = rule_guard(
        Language::Python,
        json!({
            "kind": "identifier",
            "regex": "^test",
            "inside": {
                "kind": "function_definition", "field": "name",
                "inside": {"any": [body.clone(), {"kind": "decorated_definition", "inside": body}]},
            },
        }),
        "A test in a class",
    );
    let draft =
        |title: &str, do_: &str, dont: &str, name: &str, kept: &[Spot], broken: &[Spot], guard| {
            Draft {
                miner: "test",
                dimension: "testing-quality",
                language: Language::Python,
                key: key(&["python", name]),
                title: title.to_owned(),
                when: "A test is added".to_owned(),
                do_: do_.to_owned(),
                dont: dont.to_owned(),
                unit: "tests",
                kept: kept.to_vec(),
                broken: broken.to_vec(),
                min_files: 3,
                guard: Some(guard),
                by_file: false,
                cut: Cut::Whole,
            }
        };
    vec![
        draft(
            "Tests are functions, not methods of test classes",
            "Write a test as a function",
            "Put it into a class",
            "tests-are-functions",
            &functions,
            &methods,
            other,
        ),
        draft(
            "Tests are methods of test classes",
            "Write a test as a method of a test class",
            "Write it as a function alone",
            "tests-are-methods",
            &methods,
            &functions,
            guard,
        ),
    ]
}

/// What classes of tests extend.
fn base_class(corpus: &Corpus, language: Language) -> Vec<Draft> {
    let mut bases: BTreeMap<&str, Vec<Spot>> = BTreeMap::new();
    for (at, file) in tests(corpus, language) {
        let facts = file.facts();
        for (declaration, index) in facts.declarations.iter().zip(0_u32..) {
            let has_tests = || {
                facts
                    .declarations
                    .iter()
                    .any(|method| method.parent == Some(index) && method.name.starts_with("test"))
            };
            if declaration.kind != SymbolKind::Class || !has_tests() {
                continue;
            }
            let base = declaration
                .supertypes
                .first()
                .map_or("", |base| last_segment(base));
            bases
                .entry(base)
                .or_default()
                .push(Spot::line(at, declaration.line));
        }
    }
    let Some(main) = bases
        .iter()
        .max_by_key(|(name, list)| (list.len(), **name))
        .map(|(name, _)| *name)
    else {
        return Vec::new();
    };
    // XCTest leaves no choice, and no base is no habit.
    if main.is_empty() || matches!(main, "XCTestCase" | "object") {
        return Vec::new();
    }
    let kept = bases.remove(main).unwrap_or_default();
    vec![Draft {
        miner: "test",
        dimension: "testing-quality",
        language,
        key: key(&[language.id(), "tests-extend", main]),
        title: format!("Test classes extend `{main}`"),
        when: "A class of tests is added".to_owned(),
        do_: format!("Extend `{main}`"),
        dont: "Extend another class, or none".to_owned(),
        unit: "classes with tests",
        kept,
        broken: bases.into_values().flatten().collect(),
        min_files: 3,
        guard: None,
        by_file: false,
        cut: Cut::Statement,
    }]
}

/// One of several functions that do the same.
fn one_of(
    corpus: &Corpus,
    language: Language,
    names: &[&'static str],
    says: &str,
    unit: &'static str,
) -> Option<Draft> {
    let mut counts: BTreeMap<&str, Vec<Spot>> =
        names.iter().map(|name| (*name, Vec::new())).collect();
    for (at, file) in tests(corpus, language) {
        for site in &file.facts().calls {
            if let Some(path) = file.call_path(site)
                && site.arguments >= 2
                && let Some(list) = counts.get_mut(path.as_str())
            {
                list.push(Spot::line(at, site.line));
            }
        }
    }
    let main = counts
        .iter()
        .max_by_key(|(name, list)| (list.len(), **name))
        .map(|(name, _)| *name)?;
    let kept = counts.remove(main)?;
    let others = counts
        .keys()
        .map(|name| escape(name))
        .collect::<Vec<_>>()
        .join("|");
    let broken: Vec<Spot> = counts.into_values().flatten().collect();
    Some(Draft {
        miner: "test",
        dimension: "testing-quality",
        language,
        key: key(&[language.id(), "tests-use", main]),
        title: format!("The {} test suite {says} `{main}`", spoken(language)),
        when: "A test is added".to_owned(),
        do_: format!("Call `{main}`"),
        dont: format!("Call `{}`", others.replace('|', "` or `")),
        unit,
        kept,
        broken,
        min_files: 3,
        guard: Some(regex_guard(
            language,
            format!(r#"(?:^|[^\w.])(?:{others})\(\s*['"`]"#),
            MatchIn::Text,
            &format!("A test that is not made by `{main}`"),
        )),
        by_file: false,
        cut: Cut::Nothing,
    })
}

/// Titles of cases that begin with `should`.
fn titles(corpus: &Corpus, language: Language) -> Option<Draft> {
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, file) in tests(corpus, language) {
        for site in &file.facts().calls {
            if !matches!(file.call_path(site).as_deref(), Some("it" | "test")) || site.arguments < 2
            {
                continue;
            }
            let rest = file.text[site.span.end..].trim_start_matches(['(', ' ', '\n', '\r', '\t']);
            let Some(title) = rest.strip_prefix(['\'', '"', '`']) else {
                continue;
            };
            let spot = Spot::line(at, site.line);
            if title.starts_with("should ") {
                kept.push(spot)
            } else {
                broken.push(spot)
            }
        }
    }
    Some(Draft {
        miner: "test",
        dimension: "testing-quality",
        language,
        key: key(&[language.id(), "titles-begin-with-should"]),
        title: "Titles of test cases begin with `should`".to_owned(),
        when: "A test case is added".to_owned(),
        do_: "Begin its title with `should`".to_owned(),
        dont: "Begin it otherwise".to_owned(),
        unit: "cases",
        kept,
        broken,
        min_files: 3,
        guard: None,
        by_file: false,
        cut: Cut::Nothing,
    })
}

/// What Go tests fail with: the testing package, or a library of assertions.
fn go_assertions(corpus: &Corpus) -> Draft {
    let (mut plain, mut library) = (Vec::new(), Vec::new());
    for (at, file) in tests(corpus, Language::Go) {
        for site in &file.facts().calls {
            let path = file.call_path(site).unwrap_or_default();
            let spot = Spot::line(at, site.line);
            if let Some((on, name)) = path.rsplit_once('.') {
                if matches!(on, "t" | "b")
                    && matches!(name, "Fatal" | "Fatalf" | "Error" | "Errorf")
                {
                    plain.push(spot);
                } else if matches!(on, "assert" | "require") {
                    library.push(spot);
                }
            }
        }
    }
    let uses_library = library.len() > plain.len();
    let (kept, broken) = if uses_library {
        (library, plain)
    } else {
        (plain, library)
    };
    let (title, do_, dont, pattern) = if uses_library {
        (
            "Go tests state what they expect through `assert` and `require`",
            "Call `assert` or `require`",
            "Call `t.Fatal` or `t.Error`",
            r"(?:^|[^\w.])[tb]\.(?:Fatal|Error)f?\(",
        )
    } else {
        (
            "Go tests fail through `t.Fatal` and `t.Error`, without a library of assertions",
            "Call `t.Fatal` or `t.Error`",
            "Use a library of assertions",
            r"(?:^|[^\w.])(?:assert|require)\.\w+\(",
        )
    };
    Draft {
        miner: "test",
        dimension: "testing-quality",
        language: Language::Go,
        key: key(&[
            "go",
            if uses_library {
                "assertions"
            } else {
                "no-assertions"
            },
        ]),
        title: title.to_owned(),
        when: "A Go test states what it expects".to_owned(),
        do_: do_.to_owned(),
        dont: dont.to_owned(),
        unit: "statements",
        kept,
        broken,
        min_files: 3,
        guard: Some(regex_guard(
            Language::Go,
            pattern.to_owned(),
            MatchIn::Code,
            dont,
        )),
        by_file: false,
        cut: Cut::Statement,
    }
}
