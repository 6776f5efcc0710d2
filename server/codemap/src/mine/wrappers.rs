//! Functions and modules of the project that are used instead of what they wrap.

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::MatchIn;
use asd_syntax::Language;

use super::corpus::{Corpus, MinedFile, Part};
use super::draft::{Cut, Draft, Spot, escape, key, regex_guard, replacing};
use super::names::{external_imports, external_names, last_segment, share_a_word};
use crate::facts::{CallSite, SymbolKind};
use crate::map::{FileId, ImportKind, KNOWN_CALL};

/// The longest function that can be said to wrap another, in lines.
const LONGEST: u32 = 40;

/// Functions of a language's global scope that are worth a wrapper.
const GLOBALS: &[&str] = &[
    "fetch",
    "setTimeout",
    "setInterval",
    "XMLHttpRequest",
    "NSLog",
    "localStorage",
    "sessionStorage",
];

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    let mut drafts = functions(corpus);
    drafts.extend(modules(corpus));
    drafts
}

/// A call that leaves the project.
struct Raw {
    /// What it means, the same in every file.
    means: String,
    /// How it is written here.
    written: String,
    line: u32,
    caller: Option<u32>,
}

fn raw_calls(corpus: &Corpus, at: usize) -> Vec<Raw> {
    let file = &corpus.files[at];
    let names = external_names(corpus, at);
    let id = FileId(u32::try_from(at).unwrap_or(u32::MAX));
    let resolved: BTreeSet<u32> = corpus
        .map
        .calls_in(id)
        .iter()
        .filter(|edge| edge.confidence >= KNOWN_CALL)
        .map(|edge| edge.site)
        .collect();
    file.facts()
        .calls
        .iter()
        .zip(0_u32..)
        .filter(|(_, index)| !resolved.contains(index))
        .filter_map(|(site, _)| {
            let written = file.call_path(site)?;
            let means = meaning(corpus, file, site, &written, &names)?;
            Some(Raw {
                means,
                written,
                line: site.line,
                caller: site.caller,
            })
        })
        .collect()
}

fn meaning(
    corpus: &Corpus,
    file: &MinedFile,
    site: &CallSite,
    written: &str,
    names: &BTreeMap<String, String>,
) -> Option<String> {
    let (root, rest) = written.split_once('.').unwrap_or((written, ""));
    // Of a package in Go only its functions are meant, not a variable's methods.
    if file.language() == Language::Go
        && (rest.contains('.') || !rest.starts_with(char::is_uppercase))
    {
        return None;
    }
    if let Some(module) = names.get(root) {
        return Some(if rest.is_empty() {
            module.clone()
        } else {
            format!("{module}.{rest}")
        });
    }
    if GLOBALS.contains(&root) && corpus.map.named(root).next().is_none() {
        return Some(written.to_owned());
    }
    // A type of the platform: its module is imported as a whole, or not at all.
    let platform = matches!(
        file.language(),
        Language::Swift | Language::Objc | Language::Java | Language::Kotlin
    );
    let is_type = root.starts_with(char::is_uppercase) && !rest.is_empty();
    (platform && is_type && site.arguments < 20 && corpus.map.named(root).next().is_none())
        .then(|| written.to_owned())
}

fn functions(corpus: &Corpus) -> Vec<Draft> {
    let raws: Vec<Vec<Raw>> = (0..corpus.files.len())
        .map(|at| {
            if corpus.files[at].part == Part::Product {
                raw_calls(corpus, at)
            } else {
                Vec::new()
            }
        })
        .collect();
    let mut by_meaning: BTreeMap<&str, Vec<(usize, &Raw)>> = BTreeMap::new();
    for (at, list) in raws.iter().enumerate() {
        for raw in list {
            by_meaning.entry(&raw.means).or_default().push((at, raw));
        }
    }
    let mut best: BTreeMap<&str, Draft> = BTreeMap::new();
    for (means, places) in &by_meaning {
        if places.len() > 60 {
            continue;
        }
        for &(home, raw) in places {
            let Some(wrapper) = raw.caller else { continue };
            let Some(draft) = wrapped(corpus, home, wrapper, raw, means, places) else {
                continue;
            };
            let known = best.get(means).map_or(0, |other| other.kept.len());
            if draft.kept.len() > known {
                best.insert(means, draft);
            }
        }
    }
    best.into_values().collect()
}

fn wrapped(
    corpus: &Corpus,
    home: usize,
    wrapper: u32,
    raw: &Raw,
    means: &str,
    places: &[(usize, &Raw)],
) -> Option<Draft> {
    let file = &corpus.files[home];
    let declaration = file.facts().declaration(wrapper)?;
    let callable = matches!(declaration.kind, SymbolKind::Function | SymbolKind::Method);
    let length = declaration.end_line.saturating_sub(declaration.line);
    let api = last_segment(means);
    if !callable || declaration.is_test || length > LONGEST || declaration.name == "main" {
        return None;
    }
    let owner = declaration
        .parent
        .and_then(|parent| file.facts().declaration(parent))
        .map(|parent| parent.name.as_str());
    let full = match owner {
        Some(owner) if declaration.kind == SymbolKind::Method => {
            format!("{owner}.{}", declaration.name)
        }
        _ => declaration.name.clone(),
    };
    // A name that says the same, or the module's name does.
    if !share_a_word(&full, api) && !share_a_word(&declaration.name, means) {
        return None;
    }
    // What a function calls beside shows whether it wraps or merely uses.
    let beside = file
        .facts()
        .calls
        .iter()
        .filter(|site| site.caller == Some(wrapper))
        .count();
    if beside > 12 {
        return None;
    }
    let id = FileId(u32::try_from(home).ok()?);
    let symbol = corpus.map.symbol(id, wrapper);
    let mut kept: Vec<Spot> = corpus
        .map
        .calls_to(symbol)
        .filter(|edge| edge.confidence >= KNOWN_CALL && edge.file != id)
        .filter(|edge| corpus.files[edge.file.0 as usize].part == Part::Product)
        .map(|edge| Spot::line(edge.file.0 as usize, edge.line))
        .collect();
    kept.sort_unstable();
    kept.dedup();
    let mut broken: Vec<Spot> = places
        .iter()
        .filter(|(at, _)| *at != home)
        .map(|(at, raw)| Spot::line(*at, raw.line))
        .collect();
    broken.sort_unstable();
    broken.dedup();
    let language = file.language();
    let arguments = if declaration.kind == SymbolKind::Function {
        replacing(format!("{}(", declaration.name))
    } else {
        None
    };
    let mut guard = regex_guard(
        language,
        format!(r"(?:^|[^\w.]){}\(", escape(&raw.written)),
        MatchIn::Code,
        &format!("Calls `{}` instead of `{full}`", raw.written),
    );
    if let GuardPattern::Word(pattern) = bounded(&raw.written) {
        guard.kind = asd_recipe::GuardKind::Regex {
            pattern,
            flags: String::new(),
            match_in: MatchIn::Code,
            multiline: false,
        };
    }
    guard.fix = arguments;
    guard.exclude_paths.push(file.path.clone());
    guard
        .positive_examples
        .push(file.line(raw.line).trim().to_owned());
    Some(Draft {
        miner: "wrapper",
        dimension: dimension_of(means),
        language,
        key: key(&["use", &full, "not", api]),
        title: format!("`{full}` is used instead of `{}`", raw.written),
        when: format!("Code needs what `{}` does", raw.written),
        do_: format!("Call `{full}` of `{}`", file.path),
        dont: format!("Call `{}` directly", raw.written),
        unit: "calls",
        kept,
        broken,
        min_files: 3,
        guard: Some(guard),
        by_file: false,
        cut: Cut::Statement,
    })
}

enum GuardPattern {
    Word(String),
    Other,
}

fn bounded(written: &str) -> GuardPattern {
    if written.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        GuardPattern::Word(format!(r"\b{}\(", escape(written)))
    } else {
        GuardPattern::Other
    }
}

/// Modules of the project that are imported instead of the module that they
/// are named after.
fn modules(corpus: &Corpus) -> Vec<Draft> {
    let mut importers: BTreeMap<&str, Vec<(usize, u32)>> = BTreeMap::new();
    for (at, _) in corpus.product() {
        for import in external_imports(corpus, at) {
            let places = importers.entry(&import.module).or_default();
            if places.last().map(|(file, _)| *file) != Some(at) {
                places.push((at, import.line));
            }
        }
    }
    let mut drafts = Vec::new();
    for (module, places) in &importers {
        for &(home, line) in places {
            let file = &corpus.files[home];
            let language = file.language();
            if !matches!(
                language,
                Language::Python | Language::Go | Language::JavaScript | Language::TypeScript
            ) {
                continue;
            }
            let folder = crate::path::folder(&file.path);
            let name = if language == Language::Go {
                crate::path::name(folder)
            } else {
                crate::path::stem(&file.path)
            };
            let api = last_segment(module);
            // A relative module is one of the project that was not found.
            if module.starts_with('.') || api.len() < 4 || !is_named_after(name, api) {
                continue;
            }
            let same = |other: usize| {
                other == home
                    || (language == Language::Go
                        && crate::path::folder(&corpus.files[other].path) == folder)
            };
            let mut kept: BTreeMap<usize, u32> = BTreeMap::new();
            for edge in corpus.map.imports() {
                let (from, to) = (edge.from.0 as usize, edge.to.0 as usize);
                let counts = matches!(edge.kind, ImportKind::Import | ImportKind::Dynamic)
                    && same(to)
                    && !same(from)
                    && corpus.files[from].part == Part::Product;
                if counts {
                    kept.entry(from).or_insert(edge.line);
                }
            }
            let kept: Vec<Spot> = kept
                .into_iter()
                .map(|(at, line)| Spot::line(at, line))
                .collect();
            let broken: Vec<Spot> = places
                .iter()
                .filter(|(at, _)| !same(*at))
                .map(|&(at, line)| Spot::line(at, line))
                .collect();
            let mut guard = import_guard(
                language,
                module,
                &format!("Imports `{module}` instead of `{name}`"),
            );
            guard.exclude_paths.push(if language == Language::Go {
                format!("{folder}/**")
            } else {
                file.path.clone()
            });
            guard.positive_examples.push(file.line(line).to_owned());
            drafts.push(Draft {
                miner: "wrapper",
                dimension: "coding-standards",
                language,
                key: key(&["import", name, "not", module]),
                title: format!("`{}` is imported instead of `{module}`", file.path),
                when: format!("Code needs what `{module}` does"),
                do_: format!("Import `{name}` from `{}`", file.path),
                dont: format!("Import `{module}` directly"),
                unit: "importing files",
                kept,
                broken,
                min_files: 3,
                guard: Some(guard),
                by_file: true,
                cut: Cut::Statement,
            });
        }
    }
    drafts
}

/// `logging` after `logging`, `grpcrand` after `rand`.
fn is_named_after(name: &str, api: &str) -> bool {
    let (name, api) = (name.to_lowercase(), api.to_lowercase());
    name == api || (name.len() <= api.len() + 6 && (name.ends_with(&api) || name.starts_with(&api)))
}

/// A guard on imports of a module.
pub(super) fn import_guard(language: Language, module: &str, message: &str) -> asd_recipe::Guard {
    let module = escape(module);
    let pattern = match language {
        Language::Python => format!(r"^\s*(?:import|from)\s+{module}\b"),
        Language::Go => format!(r#"^\s*(?:import\s+)?(?:[\w.]+\s+)?"{module}"\s*$"#),
        Language::Java | Language::Kotlin => format!(r"^\s*import\s+(?:static\s+)?{module}\b"),
        Language::Rust => format!(r"\b{module}\b"),
        Language::Swift => format!(r"^\s*(?:@\w+\s+)?import\s+{module}\b"),
        _ => format!(r#"(?:from|import|require\()\s*['"]{module}(?:/[^'"]*)?['"]"#),
    };
    regex_guard(language, pattern, MatchIn::Text, message)
}

fn dimension_of(means: &str) -> &'static str {
    let is = |words: &str| share_a_word(means, words);
    if is("network") {
        "networking-api"
    } else if is("log") {
        "observability-logging"
    } else {
        "coding-standards"
    }
}
