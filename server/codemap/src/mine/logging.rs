//! How the project logs.

use std::collections::BTreeMap;

use asd_recipe::MatchIn;
use asd_syntax::Language;

use super::corpus::{Corpus, MinedFile, Part};
use super::draft::{Cut, Draft, Spot, escape, key, regex_guard};
use super::names::spoken;
use crate::facts::CallSite;

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    corpus
        .languages(Part::Product)
        .into_iter()
        .flat_map(|language| {
            [printing(corpus, language), logger_name(corpus, language)]
                .into_iter()
                .flatten()
        })
        .collect()
}

const LEVELS: &[&str] = &[
    "trace",
    "debug",
    "info",
    "notice",
    "warn",
    "warning",
    "error",
    "exception",
    "critical",
    "fatal",
    "severe",
    "fine",
    "verbose",
    "log",
    "infof",
    "debugf",
    "warnf",
    "warningf",
    "errorf",
    "fatalf",
    "tracef",
];

/// Whether a call logs through a logger.
fn logs(file: &MinedFile, site: &CallSite) -> bool {
    let Some(path) = file.call_path(site) else {
        return false;
    };
    let lower = path.to_lowercase();
    let (on, name) = lower.rsplit_once(['.', ':']).unwrap_or(("", &lower));
    let on = on
        .rsplit(['.', ':'])
        .next()
        .unwrap_or(on)
        .trim_start_matches('_');
    let level = LEVELS.contains(&name)
        || name.trim_end_matches('f').len() >= 4 && LEVELS.contains(&name.trim_end_matches("ln"));
    let is_logger = matches!(
        on,
        "logger"
            | "log"
            | "logging"
            | "tracing"
            | "grpclog"
            | "logrus"
            | "klog"
            | "glog"
            | "slog"
            | "timber"
    );
    is_logger && level
        || (file.language() == Language::Rust
            && site.kind == crate::facts::CallKind::Macro
            && on.is_empty()
            && matches!(name, "trace" | "debug" | "info" | "warn" | "error"))
}

/// What prints past the logger: the names of calls, and a guard for them.
const fn prints(language: Language) -> Option<(&'static [&'static str], &'static str)> {
    match language {
        Language::Python => Some((&["print"], r"(?:^|[^\w.])print\(")),
        Language::JavaScript | Language::TypeScript => Some((
            &[
                "console.log",
                "console.warn",
                "console.error",
                "console.info",
                "console.debug",
            ],
            r"\bconsole\.(?:log|warn|error|info|debug)\(",
        )),
        Language::Java => Some((
            &[
                "System.out.println",
                "System.err.println",
                "System.out.print",
                "System.err.print",
                "System.out.printf",
            ],
            r"\bSystem\.(?:out|err)\.print(?:ln|f)?\(",
        )),
        Language::Kotlin => Some((&["println", "print"], r"(?:^|[^\w.])print(?:ln)?\(")),
        Language::Swift => Some((
            &["print", "NSLog", "debugPrint"],
            r"(?:^|[^\w.])(?:print|NSLog|debugPrint)\(",
        )),
        Language::Go => Some((
            &["fmt.Println", "fmt.Printf", "fmt.Print"],
            r"\bfmt\.Print(?:ln|f)?\(",
        )),
        Language::Rust => Some((
            &["println", "eprintln", "print", "eprint"],
            r"\be?print(?:ln)?!",
        )),
        _ => None,
    }
}

fn printing(corpus: &Corpus, language: Language) -> Option<Draft> {
    let (names, pattern) = prints(language)?;
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == language)
    {
        for site in &file.facts().calls {
            let path = file.call_path(site);
            if path.as_deref().is_some_and(|path| names.contains(&path)) {
                broken.push(Spot::line(at, site.line));
            } else if logs(file, site) {
                kept.push(Spot::line(at, site.line));
            }
        }
    }
    // Programs print to whoever started them: only few prints make it a rule.
    if broken.len() * 7 > kept.len() {
        return None;
    }
    Some(Draft {
        miner: "logging",
        dimension: "observability-logging",
        language,
        key: key(&[language.id(), "log-do-not-print"]),
        title: format!(
            "{} code logs through its logger and does not print",
            spoken(language)
        ),
        when: "Something is to be told while the program runs".to_owned(),
        do_: "Call the logger".to_owned(),
        dont: "Print to the console".to_owned(),
        unit: "calls that log or print",
        kept,
        broken,
        min_files: 3,
        guard: Some(regex_guard(
            language,
            pattern.to_owned(),
            MatchIn::Code,
            "Prints instead of logging",
        )),
        by_file: false,
        cut: Cut::Statement,
    })
}

/// What a logger of a file or class is called.
fn logger_name(corpus: &Corpus, language: Language) -> Option<Draft> {
    // How a logger is made, what stands in front of its name, and a guard.
    let (made, keyword): (&[&str], &str) = match language {
        Language::Python => (&["getLogger(", "get_logger("], ""),
        Language::Java => (
            &[
                "LoggerFactory.getLogger(",
                "LogManager.getLogger(",
                "Logger.getLogger(",
                "LogFactory.getLog(",
            ],
            "",
        ),
        Language::Go => (
            &["grpclog.Component(", "log.New(", "zap.New", "logrus.New("],
            "var ",
        ),
        _ => return None,
    };
    let mut by_name: BTreeMap<String, Vec<Spot>> = BTreeMap::new();
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == language)
    {
        for number in 1..=file.line_count() {
            let line = file.line(number);
            let Some((left, right)) = line.split_once('=') else {
                continue;
            };
            let right = right.trim_start();
            // Indented in Python, it belongs to a function or class.
            if (language == Language::Python && line.starts_with([' ', '\t']))
                || !made.iter().any(|call| starts_with_call(right, call))
            {
                continue;
            }
            let name = left
                .trim()
                .trim_start_matches(keyword)
                .rsplit([' ', '\t'])
                .next()
                .unwrap_or_default();
            if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                by_name
                    .entry(name.to_owned())
                    .or_default()
                    .push(Spot::line(at, number));
            }
        }
    }
    let name = by_name
        .iter()
        .max_by_key(|(name, list)| (list.len(), (*name).clone()))
        .map(|(name, _)| name.clone())?;
    let kept = by_name.remove(&name)?;
    let broken = by_name.into_values().flatten().collect();
    let calls = made
        .iter()
        .map(|call| escape(call))
        .collect::<Vec<_>>()
        .join("|");
    let pattern = match language {
        Language::Python => format!(r"^\w+\s*=\s*(?:\w+\.)*(?:{calls})"),
        _ => format!(r"\b\w+\s*=\s*(?:\w+\.)*(?:{calls})"),
    };
    let mut guard = regex_guard(
        language,
        pattern,
        MatchIn::Code,
        &format!("A logger that is not called `{name}`"),
    );
    guard.exclude_line.push(format!(r"\b{}\s*=", escape(&name)));
    Some(Draft {
        miner: "logging",
        dimension: "observability-logging",
        language,
        key: key(&[language.id(), "logger-is-called", &name]),
        title: format!(
            "The logger of a {} file is called `{name}`",
            spoken(language)
        ),
        when: "A file or class needs a logger".to_owned(),
        do_: format!("Call it `{name}`"),
        dont: "Give it another name".to_owned(),
        unit: "loggers",
        kept,
        broken,
        min_files: 3,
        guard: Some(guard),
        by_file: false,
        cut: Cut::Statement,
    })
}

/// Whether an expression is a call of this function, perhaps of a module.
fn starts_with_call(expression: &str, call: &str) -> bool {
    expression.find(call).is_some_and(|at| {
        expression[..at]
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
            && (at == 0 || expression[..at].ends_with('.'))
    })
}
