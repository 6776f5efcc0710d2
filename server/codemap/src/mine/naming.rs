//! How things are named, by what they are and where they stand.

use std::collections::BTreeMap;

use asd_recipe::{GuardKind, MatchIn};
use asd_syntax::Language;
use serde_json::{Value as Json, json};

use super::corpus::{Corpus, Part};
use super::draft::{Cut, Draft, Spot, escape, key, regex_guard, rule_guard};
use super::names::{last_segment, last_word, spoken};
use crate::facts::{Declaration, SymbolKind};

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for part in [Part::Product, Part::Test] {
        for language in corpus.languages(part) {
            drafts.extend(by_base(corpus, language, part));
        }
    }
    for language in corpus.languages(Part::Product) {
        drafts.extend(by_folder(corpus, language));
        drafts.extend(file_names(corpus, language));
        drafts.extend(privates(corpus, language));
    }
    drafts
}

struct Named<'c> {
    spot: Spot,
    name: &'c str,
}

/// The ending that most names of a list have.
fn common_ending<'c>(list: &[Named<'c>]) -> Option<&'c str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for named in list {
        if let Some(word) = last_word(named.name) {
            *counts.entry(word).or_default() += 1;
        }
    }
    let (word, _) = counts
        .into_iter()
        .max_by_key(|(word, count)| (*count, *word))?;
    word.chars().all(char::is_alphabetic).then_some(word)
}

fn is_class(declaration: &Declaration) -> bool {
    matches!(declaration.kind, SymbolKind::Class | SymbolKind::Struct)
}

fn by_base(corpus: &Corpus, language: Language, part: Part) -> Vec<Draft> {
    let mut bases: BTreeMap<&str, Vec<Named<'_>>> = BTreeMap::new();
    for (at, file) in corpus
        .part(part)
        .filter(|(_, file)| file.language() == language)
    {
        for declaration in file.facts().declarations.iter().filter(|d| is_class(d)) {
            for base in &declaration.supertypes {
                let base = last_segment(base);
                if base != declaration.name && base.starts_with(char::is_uppercase) {
                    bases.entry(base).or_default().push(Named {
                        spot: Spot::line(at, declaration.line),
                        name: &declaration.name,
                    });
                }
            }
        }
    }
    bases
        .into_iter()
        .filter_map(|(base, list)| {
            let ending = common_ending(&list)?;
            let (kept, broken) = split(&list, ending);
            let verb = if language == Language::Java || language == Language::TypeScript {
                "extend or implement"
            } else {
                "extend"
            };
            Some(Draft {
                miner: "naming",
                dimension: if part == Part::Test {
                    "testing-quality"
                } else {
                    "coding-standards"
                },
                language,
                key: key(&[base, "subclasses-end-in", ending]),
                title: format!("Classes that {verb} `{base}` are named `…{ending}`"),
                when: format!("A class is to {verb} `{base}`"),
                do_: format!("End its name in `{ending}`"),
                dont: "Give it another ending".to_owned(),
                unit: "classes",
                kept,
                broken,
                min_files: 3,
                guard: base_rule(language, base, ending).map(|rule| {
                    rule_guard(
                        language,
                        rule,
                        &format!("A `{base}` whose name does not end in `{ending}`"),
                    )
                }),
                by_file: false,
                cut: Cut::Statement,
            })
        })
        .collect()
}

fn split(list: &[Named<'_>], ending: &str) -> (Vec<Spot>, Vec<Spot>) {
    let (kept, broken): (Vec<&Named<'_>>, Vec<&Named<'_>>) =
        list.iter().partition(|named| named.name.ends_with(ending));
    let spots = |list: Vec<&Named<'_>>| list.into_iter().map(|named| named.spot).collect();
    (spots(kept), spots(broken))
}

/// The name of a class of that base, when it ends otherwise.
fn base_rule(language: Language, base: &str, ending: &str) -> Option<Json> {
    let is_base = format!(r"^(?:\w+\.)*{}(?:[<\[][\s\S]*)?$", escape(base));
    let class = match language {
        Language::Python => json!({
            "kind": "class_definition",
            "has": {"field": "superclasses", "has": {"regex": is_base}},
        }),
        Language::Java => json!({
            "kind": "class_declaration",
            "any": [
                {"has": {"field": "superclass", "has": {"regex": is_base}}},
                {"has": {"field": "interfaces", "has": {"kind": "type_list", "has": {"regex": is_base}}}},
            ],
        }),
        Language::JavaScript => json!({
            "any": [{"kind": "class_declaration"}, {"kind": "class"}],
            "has": {"kind": "class_heritage", "regex": format!(r"^extends\s+(?:\w+\.)*{}$", escape(base))},
        }),
        Language::TypeScript => json!({
            "any": [{"kind": "class_declaration"}, {"kind": "abstract_class_declaration"}],
            "has": {"kind": "class_heritage", "any": [
                {"has": {"kind": "extends_clause", "has": {"field": "value", "regex": is_base}}},
                {"has": {"kind": "implements_clause", "has": {"regex": is_base}}},
            ]},
        }),
        _ => return None,
    };
    Some(name_rule(class, ending))
}

/// The name in `class`, when it ends otherwise.
fn name_rule(mut class: Json, ending: &str) -> Json {
    if let Json::Object(class) = &mut class {
        class.insert("field".to_owned(), json!("name"));
    }
    json!({
        "regex": r"^\w+$",
        "not": {"regex": format!("{ending}$")},
        "inside": class,
    })
}

fn by_folder(corpus: &Corpus, language: Language) -> Vec<Draft> {
    let mut folders: BTreeMap<&str, Vec<Named<'_>>> = BTreeMap::new();
    for (at, file, declaration) in corpus.declarations(language) {
        let folder = crate::path::name(crate::path::folder(&file.path));
        if is_class(declaration)
            && declaration.parent.is_none()
            && declaration.is_public
            && !folder.is_empty()
        {
            folders.entry(folder).or_default().push(Named {
                spot: Spot::line(at, declaration.line),
                name: &declaration.name,
            });
        }
    }
    folders
        .into_iter()
        .filter_map(|(folder, list)| {
            let ending = common_ending(&list)?;
            let (kept, broken) = split(&list, ending);
            let class = match language {
                Language::Python => json!({"kind": "class_definition"}),
                Language::Java => json!({"kind": "class_declaration"}),
                Language::TypeScript => json!({"any": [{"kind": "class_declaration"}, {"kind": "abstract_class_declaration"}]}),
                Language::JavaScript => json!({"kind": "class_declaration"}),
                _ => Json::Null,
            };
            let guard = (class != Json::Null).then(|| {
                let mut guard = rule_guard(language, name_rule(class, ending), &format!("A class in `{folder}` whose name does not end in `{ending}`"));
                guard.include_paths.push(format!("**/{folder}/*"));
                guard
            });
            Some(Draft {
                miner: "naming",
                dimension: "coding-standards",
                language,
                key: key(&["folder", folder, "classes-end-in", ending]),
                title: format!("Classes in folders named `{folder}` are named `…{ending}`"),
                when: format!("A {} class is added to a folder named `{folder}`", spoken(language)),
                do_: format!("End its name in `{ending}`"),
                dont: "Give it another ending".to_owned(),
                unit: "classes",
                kept,
                broken,
                min_files: 3,
                guard,
                by_file: false,
                cut: Cut::Statement,
            })
        })
        .collect()
}

/// How the words of a file's name are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Case {
    Kebab,
    Snake,
    Camel,
    Pascal,
}

impl Case {
    /// `None` for a name of one word in small letters, which fits them all.
    fn of(name: &str) -> Option<Self> {
        let upper = name.chars().skip(1).any(char::is_uppercase);
        if name.contains('-') {
            Some(Self::Kebab)
        } else if name.trim_matches('_').contains('_') {
            Some(Self::Snake)
        } else if name.starts_with(char::is_uppercase) {
            Some(Self::Pascal)
        } else if upper {
            Some(Self::Camel)
        } else {
            None
        }
    }

    const fn said(self) -> &'static str {
        match self {
            Self::Kebab => "kebab-case",
            Self::Snake => "snake_case",
            Self::Camel => "camelCase",
            Self::Pascal => "PascalCase",
        }
    }

    /// A glob of names in this case, before the extension, where there is one.
    const fn glob(self) -> Option<&'static str> {
        match self {
            Self::Kebab => Some("**/*-*"),
            Self::Snake => Some("**/*_*"),
            Self::Camel | Self::Pascal => None,
        }
    }
}

fn file_names(corpus: &Corpus, language: Language) -> Vec<Draft> {
    // Elsewhere the language or its standard linter demands a case.
    if !matches!(
        language,
        Language::JavaScript | Language::TypeScript | Language::Go | Language::C | Language::Cpp
    ) {
        return Vec::new();
    }
    let mut by_case: BTreeMap<Case, Vec<Spot>> = BTreeMap::new();
    let mut extensions = BTreeMap::new();
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == language)
    {
        let name = crate::path::name(&file.path);
        let first = name.split('.').next().unwrap_or(name);
        let stem = if language == Language::Go {
            first
                .trim_end_matches("_linux")
                .trim_end_matches("_windows")
                .trim_end_matches("_unix")
                .trim_end_matches("_darwin")
        } else {
            first
        };
        if let Some(case) = Case::of(stem) {
            by_case
                .entry(case)
                .or_default()
                .push(Spot::lines(at, 1, file.line_count().max(1)));
            if let Some((_, extension)) = name.rsplit_once('.') {
                extensions.insert(extension, ());
            }
        }
    }
    let Some(main) = by_case
        .iter()
        .max_by_key(|(case, list)| (list.len(), **case))
        .map(|(case, _)| *case)
    else {
        return Vec::new();
    };
    let kept = by_case.remove(&main).unwrap_or_default();
    let broken: Vec<Spot> = by_case.values().flatten().copied().collect();
    let mut guard = regex_guard(
        language,
        r"\A\s*\S+".to_owned(),
        MatchIn::Text,
        &format!("The name of this file is not in {}", main.said()),
    );
    if let GuardKind::Regex { multiline, .. } = &mut guard.kind {
        *multiline = true;
    }
    let others = [Case::Kebab, Case::Snake]
        .into_iter()
        .filter(|case| *case != main);
    for glob in others.filter_map(Case::glob) {
        for extension in extensions.keys() {
            guard.include_paths.push(format!("{glob}.{extension}"));
        }
    }
    vec![Draft {
        miner: "naming",
        dimension: "coding-standards",
        language,
        key: key(&[language.id(), "file-names", main.said()]),
        title: format!("{} files are named in {}", spoken(language), main.said()),
        when: format!("A {} file is added", spoken(language)),
        do_: format!("Join the words of its name in {}", main.said()),
        dont: "Join them in another way".to_owned(),
        unit: "file names of several words",
        kept,
        broken,
        min_files: 3,
        guard: Some(guard),
        by_file: false,
        cut: Cut::Nothing,
    }]
}

/// Private members with an underscore in front, where the language does not ask
/// for one.
fn privates(corpus: &Corpus, language: Language) -> Vec<Draft> {
    if !matches!(
        language,
        Language::TypeScript | Language::Java | Language::Kotlin | Language::Swift
    ) {
        return Vec::new();
    }
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, _, declaration) in corpus.declarations(language) {
        if declaration.kind == SymbolKind::Field
            && declaration.modifiers.iter().any(|word| word == "private")
        {
            let list = if declaration.name.starts_with('_') {
                &mut kept
            } else {
                &mut broken
            };
            list.push(Spot::line(at, declaration.line));
        }
    }
    let guard = (language == Language::TypeScript).then(|| {
        rule_guard(
            language,
            json!({
                "kind": "property_identifier",
                "not": {"regex": "^_"},
                "inside": {"kind": "public_field_definition", "field": "name", "has": {"kind": "accessibility_modifier", "regex": "^private$"}},
            }),
            "A private field without an underscore in front",
        )
    });
    vec![Draft {
        miner: "naming",
        dimension: "coding-standards",
        language,
        key: key(&[language.id(), "private-fields-underscore"]),
        title: format!(
            "Private fields in {} begin with an underscore",
            spoken(language)
        ),
        when: "A private field is declared".to_owned(),
        do_: "Begin its name with `_`".to_owned(),
        dont: "Name it like a public one".to_owned(),
        unit: "private fields",
        kept,
        broken,
        min_files: 3,
        guard,
        by_file: false,
        cut: Cut::Statement,
    }]
}
