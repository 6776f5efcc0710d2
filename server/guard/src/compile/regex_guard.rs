use std::sync::OnceLock;

use asd_recipe::MatchIn;
use regex_syntax::hir::{Hir, Look};

use super::literals::{Blanks, Literal, required};

/// Patterns are prose of people, not programs: larger ones are refused.
/// (guard.md §5)
const MAX_PATTERN: usize = 10 * 1024;
/// Bytes that one compiled pattern may take. What is larger was written to be
/// large.
const MAX_COMPILED: usize = 4 << 20;
/// Steps that the backtracking engine may take on one line.
const MAX_STEPS_ON_LINE: usize = 50_000;
/// Steps that it may take on a whole text, of which each character needs one.
const MAX_STEPS_ON_TEXT: usize = 5_000_000;

/// A regular expression with the way it is to be matched. It is checked when
/// it is made and compiled when it is first needed.
#[derive(Debug)]
pub(crate) struct RegexGuard {
    /// Which part of the text it sees.
    pub(crate) match_in: MatchIn,
    /// Whether it sees the whole text at once rather than line by line.
    pub(crate) whole_text: bool,
    /// One of these occurs wherever it matches.
    pub(crate) literals: Option<Vec<Literal>>,
    /// The engine.
    pub(crate) engine: Engine,
    /// The names and number of its groups.
    pub(crate) groups: Groups,
}

/// The groups of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    /// How many there are, with the whole match.
    pub(crate) count: usize,
    /// Names with their index.
    pub(crate) names: Vec<(String, usize)>,
}

/// What matches.
#[derive(Debug)]
pub(crate) enum Engine {
    /// Linear in the text.
    Linear(Linear),
    /// With look-around and back-references, bounded by a number of steps.
    Backtracking(fancy_regex::Regex),
}

/// A pattern of the linear engine.
#[derive(Debug)]
pub(crate) struct Linear {
    source: Source,
    matcher: OnceLock<Option<regex::Regex>>,
    /// The same with line anchors, to find the next line worth a look in a text
    /// of many; `None` where the pattern is bound to the text's ends.
    sweep: Option<OnceLock<Option<regex::Regex>>>,
}

#[derive(Clone, Debug)]
struct Source {
    pattern: String,
    flags: Flags,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
    verbose: bool,
}

impl Flags {
    fn parse(flags: &str) -> Self {
        Self {
            ignore_case: flags.contains('i'),
            multi_line: flags.contains('m'),
            dot_all: flags.contains('s'),
            verbose: flags.contains('x'),
        }
    }

    /// The same as an inline group, empty when no flag is set.
    fn inline(self) -> String {
        let letters: String = [
            ('i', self.ignore_case),
            ('m', self.multi_line),
            ('s', self.dot_all),
            ('x', self.verbose),
        ]
        .into_iter()
        .filter_map(|(letter, on)| on.then_some(letter))
        .collect();
        if letters.is_empty() {
            letters
        } else {
            format!("(?{letters})")
        }
    }

    fn parser(self) -> regex_syntax::Parser {
        regex_syntax::ParserBuilder::new()
            .case_insensitive(self.ignore_case)
            .multi_line(self.multi_line)
            .dot_matches_new_line(self.dot_all)
            .ignore_whitespace(self.verbose)
            .crlf(true)
            .build()
    }
}

/// A pattern that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadPattern {
    /// What is wrong.
    pub(crate) message: String,
    /// The bytes of the pattern that are meant, when they are known.
    pub(crate) at: Option<(usize, usize)>,
}

impl RegexGuard {
    pub(crate) fn new(
        pattern: &str,
        flags: &str,
        match_in: MatchIn,
        multiline: bool,
    ) -> Result<Self, BadPattern> {
        if pattern.len() > MAX_PATTERN {
            return Err(BadPattern {
                message: format!(
                    "This pattern has {} bytes; more than {MAX_PATTERN} are not accepted. Split it into several guards.",
                    pattern.len()
                ),
                at: None,
            });
        }
        let mut flags = Flags::parse(flags);
        let whole_text = multiline || names_a_line_ending(pattern, flags.verbose);
        flags.multi_line |= whole_text;
        let blanks = if match_in == MatchIn::Text && !whole_text {
            Blanks::OfTheText
        } else {
            Blanks::PerhapsMasked
        };
        let error = match flags.parser().parse(pattern) {
            Ok(hir) => {
                return Ok(Self {
                    match_in,
                    whole_text,
                    literals: required(&hir, blanks),
                    groups: groups_of(&hir),
                    engine: Engine::Linear(Linear::new(pattern, flags)),
                });
            }
            Err(error) if !may_be_meant_for_another_engine(&error) => {
                return Err(bad_pattern(&error, None, pattern, flags));
            }
            Err(error) => error,
        };
        let limit = if whole_text {
            MAX_STEPS_ON_TEXT
        } else {
            MAX_STEPS_ON_LINE
        };
        match backtracking(pattern, flags, limit) {
            Ok((regex, tree)) => {
                let mut groups = Groups {
                    count: regex.captures_len(),
                    names: Vec::new(),
                };
                for (index, name) in regex.capture_names().enumerate() {
                    groups
                        .names
                        .extend(name.map(|name| (name.to_owned(), index)));
                }
                Ok(Self {
                    match_in,
                    whole_text,
                    literals: tree.and_then(|tree| super::backtracking::required(&tree, blanks)),
                    groups,
                    engine: Engine::Backtracking(regex),
                })
            }
            Err(fancy) => Err(bad_pattern(&error, Some(&fancy), pattern, flags)),
        }
    }

    /// Whether its time is linear in the length of the text.
    pub(crate) const fn is_linear(&self) -> bool {
        matches!(self.engine, Engine::Linear(_))
    }
}

impl Linear {
    fn new(pattern: &str, flags: Flags) -> Self {
        // Line by line `^` is the start of the line's own text. Over many lines
        // at once the same is asked in multi-line mode, but `\A` and `\z`
        // cannot be.
        let swept = Flags {
            multi_line: true,
            ..flags
        };
        let sweepable = swept.parser().parse(pattern).is_ok_and(|hir| {
            let looks = hir.properties().look_set();
            !looks.contains(Look::Start) && !looks.contains(Look::End)
        });
        Self {
            source: Source {
                pattern: pattern.to_owned(),
                flags,
            },
            matcher: OnceLock::new(),
            sweep: sweepable.then(OnceLock::new),
        }
    }

    /// The compiled pattern; `None` when it is too large.
    pub(crate) fn matcher(&self) -> Option<&regex::Regex> {
        self.matcher
            .get_or_init(|| self.source.compile(self.source.flags))
            .as_ref()
    }

    /// The compiled pattern for a search over many lines: every line that the
    /// pattern matches on its own is touched by a match of it.
    pub(crate) fn sweep(&self) -> Option<&regex::Regex> {
        let flags = Flags {
            multi_line: true,
            ..self.source.flags
        };
        self.sweep
            .as_ref()?
            .get_or_init(|| self.source.compile(flags))
            .as_ref()
    }
}

impl Source {
    fn compile(&self, flags: Flags) -> Option<regex::Regex> {
        regex::RegexBuilder::new(&self.pattern)
            .case_insensitive(flags.ignore_case)
            .multi_line(flags.multi_line)
            .dot_matches_new_line(flags.dot_all)
            .ignore_whitespace(flags.verbose)
            .crlf(true)
            .size_limit(MAX_COMPILED)
            .build()
            .ok()
    }
}

fn backtracking(
    pattern: &str,
    flags: Flags,
    limit: usize,
) -> Result<(fancy_regex::Regex, Option<fancy_regex::Expr>), fancy_regex::Error> {
    let prefixed = format!("{}{pattern}", flags.inline());
    let regex = fancy_regex::RegexBuilder::new(&prefixed)
        .backtrack_limit(limit)
        .delegate_size_limit(MAX_COMPILED)
        .build()?;
    let tree = fancy_regex::Expr::parse_tree(&prefixed).ok();
    Ok((regex, tree.map(|tree| tree.expr)))
}

/// Whether what the linear engine does not know could be known to the other.
fn may_be_meant_for_another_engine(error: &regex_syntax::Error) -> bool {
    use regex_syntax::ast::ErrorKind as Kind;

    let regex_syntax::Error::Parse(error) = error else {
        return false;
    };
    matches!(
        error.kind(),
        Kind::UnsupportedBackreference
            | Kind::UnsupportedLookAround
            | Kind::EscapeUnrecognized
            | Kind::FlagUnrecognized
    )
}

/// The linear engine says more exactly where an error is, the other knows more.
fn bad_pattern(
    error: &regex_syntax::Error,
    fancy: Option<&fancy_regex::Error>,
    pattern: &str,
    flags: Flags,
) -> BadPattern {
    let (message, at) = match (error, fancy) {
        (_, Some(fancy)) => {
            let at = match fancy {
                fancy_regex::Error::ParseError(at, _) => {
                    let at = at.saturating_sub(flags.inline().len());
                    Some((at, at))
                }
                _ => None,
            };
            (fancy.to_string(), at)
        }
        (regex_syntax::Error::Parse(error), None) => {
            (error.kind().to_string(), Some(offsets(error.span())))
        }
        (regex_syntax::Error::Translate(error), None) => {
            (error.kind().to_string(), Some(offsets(error.span())))
        }
        (error, None) => (error.to_string(), None),
    };
    BadPattern {
        message: format!("This regular expression cannot be used: {message}."),
        at: at.map(|(start, end)| {
            let start = start.min(pattern.len());
            (start, end.clamp(start, pattern.len()))
        }),
    }
}

fn offsets(span: &regex_syntax::ast::Span) -> (usize, usize) {
    (span.start.offset, span.end.offset)
}

fn groups_of(hir: &Hir) -> Groups {
    use regex_syntax::hir::HirKind;

    fn walk(hir: &Hir, groups: &mut Groups) {
        match hir.kind() {
            HirKind::Capture(capture) => {
                groups.count = groups.count.max(capture.index as usize + 1);
                if let Some(name) = &capture.name {
                    groups
                        .names
                        .push((name.to_string(), capture.index as usize));
                }
                walk(&capture.sub, groups);
            }
            HirKind::Repetition(repetition) => walk(&repetition.sub, groups),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => {
                for part in parts {
                    walk(part, groups);
                }
            }
            _ => {}
        }
    }
    let mut groups = Groups {
        count: 1,
        names: Vec::new(),
    };
    walk(hir, &mut groups);
    groups
}

/// Whether a pattern speaks of line endings, so that it must see more than one
/// line: a `\n`, or an ending as it is where blanks are not ignored.
fn names_a_line_ending(pattern: &str, verbose: bool) -> bool {
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        let names = match byte {
            b'\\' => bytes.next() == Some(b'n'),
            b'\n' => !verbose,
            _ => false,
        };
        if names {
            return true;
        }
    }
    false
}

/// A regex that only says whether a line is one to be left out.
#[derive(Debug)]
pub(crate) struct LineFilter {
    pattern: String,
    regex: OnceLock<Option<regex::Regex>>,
}

impl LineFilter {
    pub(crate) fn new(pattern: &str) -> Result<Self, BadPattern> {
        let guard = RegexGuard::new(pattern, "", MatchIn::Text, false)?;
        if !guard.is_linear() {
            return Err(BadPattern {
                message: "Look-around and back-references are not supported in `excludeLine`."
                    .to_owned(),
                at: None,
            });
        }
        Ok(Self {
            pattern: pattern.to_owned(),
            regex: OnceLock::new(),
        })
    }

    pub(crate) fn matches(&self, line: &str) -> bool {
        self.regex
            .get_or_init(|| {
                regex::RegexBuilder::new(&self.pattern)
                    .size_limit(MAX_COMPILED)
                    .build()
                    .ok()
            })
            .as_ref()
            .is_some_and(|regex| regex.is_match(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(pattern: &str) -> Result<RegexGuard, BadPattern> {
        RegexGuard::new(pattern, "", MatchIn::Code, false)
    }

    #[test]
    fn an_error_is_at_its_offset() {
        let at = |pattern: &str| new(pattern).unwrap_err().at;
        assert_eq!(at("("), Some((0, 1)));
        assert_eq!(at("ab[c"), Some((2, 3)));
        assert_eq!(at("a{2,1}"), Some((1, 6)));
        assert!(at(r"(?=a)(").is_some());
    }

    #[test]
    fn look_around_and_back_references_take_the_slow_engine() {
        assert!(new("a+b").unwrap().is_linear());
        assert!(!new("foo(?!bar)").unwrap().is_linear());
        assert!(!new(r"(\w)\1").unwrap().is_linear());
    }

    #[test]
    fn a_huge_pattern_is_refused() {
        assert!(new(&"a".repeat(10 * 1024)).is_ok());
        assert!(new(&"a".repeat(10 * 1024 + 1)).is_err());
    }

    #[test]
    fn only_a_pattern_that_names_a_line_ending_sees_many_lines() {
        assert!(new(r"a\nb").unwrap().whole_text);
        assert!(new("a\nb").unwrap().whole_text);
        assert!(!new(r"a\\nb").unwrap().whole_text);
        assert!(!new(r"a\sb").unwrap().whole_text);
    }

    #[test]
    fn groups_are_known_without_compiling() {
        let groups = new(r"(a)(?<name>b(c))").unwrap().groups;
        assert_eq!(groups.count, 4);
        assert_eq!(groups.names, [("name".to_owned(), 2)]);
        assert_eq!(new(r"(a)(?=b)(?<n>c)").unwrap().groups.count, 3);
    }
}
