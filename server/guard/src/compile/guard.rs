use asd_recipe::{Guard, GuardKind, GuardSpans, Problem, ProblemCode, Severity};
use asd_syntax::Language;
use asd_text::Span;

use super::ast_guard::AstGuard;
use super::regex_guard::{LineFilter, RegexGuard};
use crate::glob::Glob;
use crate::languages::LanguageSet;
use crate::stable_hash::StableHasher;
use crate::template::{Names, Template};

/// A guard, compiled. It depends on nothing but the guard's own words, so that
/// it outlives changes of all others.
pub(crate) struct CompiledGuard {
    /// The guard that it was made of.
    source: Guard,
    /// A stable hash of it.
    pub(crate) key: u64,
    /// What it matches; why it cannot, when it cannot.
    pub(crate) matching: Result<Matching, String>,
    /// The languages whose texts it looks at.
    pub(crate) languages: LanguageSet,
    /// The fix of its matches.
    pub(crate) fix: Option<Template>,
    pub(crate) include: Vec<Glob>,
    pub(crate) exclude: Vec<Glob>,
    pub(crate) exclude_line: Vec<LineFilter>,
    notes: Vec<Note>,
}

/// What a guard looks for.
pub(crate) enum Matching {
    Regex(RegexGuard),
    Ast(AstGuard),
}

/// Something to be told to the guard's author.
struct Note {
    code: ProblemCode,
    severity: Severity,
    message: String,
    place: NotePlace,
}

enum NotePlace {
    Whole,
    Fix,
    Pattern(Option<(usize, usize)>),
}

impl CompiledGuard {
    pub(crate) fn key_of(guard: &Guard) -> u64 {
        let mut hasher = StableHasher::new();
        let text = serde_json::to_vec(guard).unwrap_or_default();
        hasher.part(&text).finish()
    }

    /// Whether it was made of an equal guard.
    pub(crate) fn is_of(&self, guard: &Guard) -> bool {
        let ours = &self.source;
        ours.kind == guard.kind
            && ours.fix == guard.fix
            && ours.languages == guard.languages
            && ours.include_paths == guard.include_paths
            && ours.exclude_paths == guard.exclude_paths
            && ours.exclude_line == guard.exclude_line
    }

    pub(crate) fn new(guard: &Guard, key: u64) -> Self {
        let mut notes = Vec::new();
        let languages = LanguageSet::named(&guard.languages);
        let matching = match &guard.kind {
            GuardKind::Regex {
                pattern,
                flags,
                match_in,
                multiline,
            } => match RegexGuard::new(pattern, flags, *match_in, *multiline) {
                Ok(regex) => {
                    if !regex.is_linear() {
                        notes.push(Note {
                            code: ProblemCode::SlowRegex,
                            severity: Severity::Info,
                            message: "Look-around and back-references need the slow, backtracking engine, which is stopped after too many steps. Without them this guard is faster and always decides.".to_owned(),
                            place: NotePlace::Pattern(None),
                        });
                    }
                    Ok(Matching::Regex(regex))
                }
                Err(bad) => {
                    notes.push(Note {
                        code: ProblemCode::InvalidRegex,
                        severity: Severity::Error,
                        message: bad.message.clone(),
                        place: NotePlace::Pattern(bad.at),
                    });
                    Err(bad.message)
                }
            },
            GuardKind::Ast(source) => {
                let ast = AstGuard::new(source);
                check_ast(&ast, guard, &mut notes);
                Ok(Matching::Ast(ast))
            }
        };
        let fix = guard.fix.as_ref().and_then(|fix| {
            let names = match matching.as_ref().ok()? {
                Matching::Regex(regex) => Names::Groups(&regex.groups),
                Matching::Ast(ast) => Names::Metavariables(&ast.metavariables),
            };
            let (template, unbound) = Template::new(fix, names);
            for name in unbound {
                notes.push(Note {
                    code: ProblemCode::UnboundCapture,
                    severity: Severity::Warning,
                    message: format!(
                        "Nothing in the pattern is called `{name}`; the fix would put these characters into the code as they stand."
                    ),
                    place: NotePlace::Fix,
                });
            }
            Some(template)
        });
        let exclude_line = guard
            .exclude_line
            .iter()
            .filter_map(|pattern| match LineFilter::new(pattern) {
                Ok(filter) => Some(filter),
                Err(bad) => {
                    notes.push(Note {
                        code: ProblemCode::InvalidRegex,
                        severity: Severity::Warning,
                        message: format!(
                            "`excludeLine` {pattern:?} is not in force. {}",
                            bad.message
                        ),
                        place: NotePlace::Whole,
                    });
                    None
                }
            })
            .collect();
        let globs = |patterns: &[String]| patterns.iter().map(|glob| Glob::new(glob)).collect();
        Self {
            source: guard.clone(),
            key,
            matching,
            languages,
            fix,
            include: globs(&guard.include_paths),
            exclude: globs(&guard.exclude_paths),
            exclude_line,
            notes,
        }
    }

    /// What its author should know, at its place in the recipe file.
    pub(crate) fn problems(&self, spans: &GuardSpans) -> impl Iterator<Item = Problem> {
        self.notes.iter().map(|note| Problem {
            span: match note.place {
                NotePlace::Whole => spans.whole,
                NotePlace::Fix => spans.fix.unwrap_or(spans.whole),
                NotePlace::Pattern(at) => within_pattern(spans, at),
            },
            severity: note.severity,
            code: note.code,
            message: note.message.clone(),
            fix: None,
        })
    }
}

/// The place of bytes of the pattern in the recipe file.
fn within_pattern(spans: &GuardSpans, at: Option<(usize, usize)>) -> Span {
    match (at, spans.pattern_text) {
        (Some((start, end)), Some(text)) => {
            let start = (text + start).min(spans.pattern.end);
            // An error at the pattern's end is shown on its last character.
            let end = (text + end).clamp(start, spans.pattern.end.max(start));
            Span::new(start, end)
        }
        _ => spans.pattern,
    }
}

/// Guards that name their languages are tried in them at once, so that their
/// author sees what is wrong; others when a text comes along.
fn check_ast(ast: &AstGuard, guard: &Guard, notes: &mut Vec<Note>) {
    for id in &guard.languages {
        let Some(language) = Language::from_id(id) else {
            continue;
        };
        if let Err(bad) = ast.matcher(language)
            && !ast.is_for_the_other_grammar(language)
        {
            notes.push(Note {
                code: ProblemCode::InvalidPattern,
                severity: Severity::Error,
                message: bad.message.clone(),
                place: NotePlace::Pattern(bad.at),
            });
        }
    }
}
