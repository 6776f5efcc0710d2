use std::sync::OnceLock;

use asd_recipe::AstGuard as Source;
use asd_syntax::Language;
use ast_grep_config::{DeserializeEnv, RuleCore, SerializableRuleCore};
use ast_grep_core::matcher::PatternNode;
use ast_grep_core::{MatchStrictness, Matcher, Pattern};
use serde_json::Value;

use super::literals::{Blanks, Literal, better, required, union};
use super::regex_guard::BadPattern;
use crate::named::Named;

/// A guard on the syntax tree. It is compiled for each language when a text in
/// that language is first checked.
pub(crate) struct AstGuard {
    source: Source,
    by_language: Box<[OnceLock<Result<AstMatcher, BadPattern>>]>,
    /// The names of its metavariables, without `$`.
    pub(crate) metavariables: Vec<String>,
}

/// A guard as it is matched in one language.
pub(crate) struct AstMatcher {
    pub(crate) how: How,
    /// One of these occurs in every text that it matches in.
    pub(crate) literals: Option<Vec<Literal>>,
    /// Whether they occur within the matched node.
    pub(crate) literals_inside: bool,
    /// The kinds of nodes that can match, by id; `None` for every kind.
    pub(crate) kinds: Option<Vec<u16>>,
}

/// How a node is matched.
pub(crate) enum How {
    Pattern(Box<Pattern>),
    Rule(Box<RuleCore>),
    Named(Named),
    /// Matched against the tree as a whole; the indices of the captures that
    /// are violations.
    Query(Box<tree_sitter::Query>, Vec<u32>),
}

impl AstGuard {
    pub(crate) fn new(source: &Source) -> Self {
        let mut metavariables = Vec::new();
        match source {
            Source::Pattern { pattern } | Source::MustNotUseInContext { pattern, .. } => {
                collect_metavariables(pattern, &mut metavariables);
            }
            Source::Rule {
                rule,
                constraints,
                utils,
            } => {
                for value in [Some(rule), constraints.as_ref(), utils.as_ref()]
                    .into_iter()
                    .flatten()
                {
                    collect_from_value(value, &mut metavariables);
                }
            }
            Source::MustCallThrough { .. }
            | Source::MustConformToProtocol { .. }
            | Source::Query { .. } => {}
        }
        metavariables.sort();
        metavariables.dedup();
        Self {
            source: source.clone(),
            by_language: Language::all().iter().map(|_| OnceLock::new()).collect(),
            metavariables,
        }
    }

    /// The guard for a language.
    pub(crate) fn matcher(&self, language: Language) -> Result<&AstMatcher, &BadPattern> {
        self.by_language[language as usize]
            .get_or_init(|| compile(&self.source, language))
            .as_ref()
    }

    /// TypeScript has two grammars: a pattern with JSX is code of the one, one
    /// with a type assertion in angle brackets of the other.
    pub(crate) fn is_for_the_other_grammar(&self, language: Language) -> bool {
        let other = match language {
            Language::TypeScript => Language::Tsx,
            Language::Tsx => Language::TypeScript,
            _ => return false,
        };
        self.matcher(language).is_err() && self.matcher(other).is_ok()
    }
}

impl AstMatcher {
    /// Whether all its literals are identifiers, which stand in no comment and
    /// no string.
    pub(crate) fn literals_are_code(&self) -> bool {
        let literals = self.literals.iter().flatten();
        self.literals.is_some() && literals.into_iter().all(|literal| literal.word)
    }

    pub(crate) fn from_pattern(pattern: Pattern, language: Language) -> Self {
        let literal = longest_terminal(&pattern.node, &pattern.strictness, language);
        Self {
            kinds: kinds_of(&pattern),
            literals: better(None, literal.map(|literal| vec![literal])),
            literals_inside: true,
            how: How::Pattern(Box::new(pattern)),
        }
    }
}

fn compile(source: &Source, language: Language) -> Result<AstMatcher, BadPattern> {
    let Some(grammar) = language.grammar() else {
        return Err(bad(format!(
            "There is no grammar for {} to match a syntax tree with.",
            language.id()
        )));
    };
    match source {
        Source::Pattern { pattern } => Ok(AstMatcher::from_pattern(
            code_pattern(pattern, language)?,
            language,
        )),
        Source::Rule {
            rule,
            constraints,
            utils,
        } => rule_object(rule, constraints.as_ref(), utils.as_ref(), language),
        Source::Query { query, capture } => {
            let compiled =
                tree_sitter::Query::new(&grammar, query).map_err(|error| BadPattern {
                    message: format!(
                        "This query is not valid for {}: {}.",
                        language.id(),
                        query_fault(&error)
                    ),
                    at: Some((error.offset, error.offset)),
                })?;
            // It would be as if the condition were not there.
            if let Some(unknown) = unknown_predicate(&compiled) {
                return Err(bad(format!(
                    "The query asks `#{unknown}`, which is not known here. Use `#eq?`, `#match?` or \
                     `#any-of?`, also with `not-` or `any-` in front."
                )));
            }
            let names = compiled.capture_names();
            let wanted = capture.as_deref().map(|name| name.trim_start_matches('@'));
            let captures: Vec<u32> = (0_u32..)
                .zip(names)
                .filter(|(_, name)| {
                    wanted.map_or(!name.starts_with('_'), |wanted| **name == wanted)
                })
                .map(|(index, _)| index)
                .collect();
            if captures.is_empty() {
                return Err(bad(match wanted {
                    Some(name) => format!("The query has no capture `@{name}`."),
                    None => "The query captures nothing. Mark the violation with `@name`.".into(),
                }));
            }
            Ok(AstMatcher {
                how: How::Query(Box::new(compiled), captures),
                literals: None,
                literals_inside: false,
                kinds: None,
            })
        }
        Source::MustCallThrough { .. }
        | Source::MustNotUseInContext { .. }
        | Source::MustConformToProtocol { .. } => crate::named::compile(source, language),
    }
}

/// Reads a code pattern in a language.
pub(crate) fn code_pattern(pattern: &str, language: Language) -> Result<Pattern, BadPattern> {
    if pattern.trim().is_empty() {
        return Err(bad("The pattern is empty."));
    }
    let compiled = Pattern::try_new(pattern, language).map_err(|error| {
        bad(format!(
            "This pattern is not valid {} code: {error}",
            language.id()
        ))
    })?;
    if compiled.has_error() {
        return Err(bad(format!(
            "This pattern is not valid {} code. Write a whole expression or statement.",
            language.id()
        )));
    }
    if matches!(compiled.node, PatternNode::MetaVar { .. }) {
        return Err(bad(
            "This pattern is a metavariable alone and would match everything.",
        ));
    }
    Ok(compiled)
}

pub(crate) fn bad(message: impl Into<String>) -> BadPattern {
    BadPattern {
        message: message.into(),
        at: None,
    }
}

pub(crate) fn kinds_of(matcher: &impl Matcher) -> Option<Vec<u16>> {
    let kinds = matcher.potential_kinds()?;
    Some(
        kinds
            .iter()
            .filter_map(|kind| u16::try_from(kind).ok())
            .collect(),
    )
}

fn rule_object(
    rule: &Value,
    constraints: Option<&Value>,
    utils: Option<&Value>,
    language: Language,
) -> Result<AstMatcher, BadPattern> {
    let mut object = serde_json::Map::new();
    object.insert("rule".to_owned(), rule.clone());
    for (name, value) in [("constraints", constraints), ("utils", utils)] {
        if let Some(value) = value {
            object.insert(name.to_owned(), value.clone());
        }
    }
    let core: SerializableRuleCore = serde_json::from_value(Value::Object(object))
        .map_err(|error| bad(format!("This is not an ast-grep rule: {error}")))?;
    let core = core
        .get_matcher(DeserializeEnv::new(language))
        .map_err(|error| bad(rule_fault(&error, language)))?;
    let reading = LiteralReading {
        language,
        utils: utils.and_then(Value::as_object),
    };
    let inside = reading.of_rule(rule, Place::Inside, 0);
    let (literals, literals_inside) = match inside {
        Some(inside) => (Some(inside), true),
        None => (reading.of_rule(rule, Place::Anywhere, 0), false),
    };
    Ok(AstMatcher {
        kinds: kinds_of(&core),
        how: How::Rule(Box::new(core)),
        literals,
        literals_inside,
    })
}

/// What is wrong with a rule object: the part that is, and the last of its causes.
fn rule_fault(error: &dyn std::error::Error, language: Language) -> String {
    let outer = error.to_string();
    let part = outer
        .strip_suffix(" is not configured correctly.")
        .unwrap_or("This rule");
    let mut root = error;
    while let Some(cause) = root.source() {
        root = cause;
    }
    let root = root.to_string();
    // An error of a regex draws a picture first.
    let cause = root.lines().next_back().unwrap_or_default();
    let cause = cause.trim_start_matches("error: ").trim_end_matches('.');
    format!("{part} is not valid for {}: {cause}.", language.id())
}

/// What is wrong with a query, on one line; where, the caller knows.
fn query_fault(error: &tree_sitter::QueryError) -> String {
    use tree_sitter::QueryErrorKind as Kind;
    let name = error.message.trim_matches('"');
    match error.kind {
        Kind::NodeType => format!("its grammar has no node `{name}`"),
        Kind::Field => format!("its grammar has no field `{name}`"),
        Kind::Capture => format!("there is no capture `@{name}`"),
        Kind::Structure => "no tree has this structure".to_owned(),
        Kind::Syntax => "an S-expression is not complete, or not one".to_owned(),
        Kind::Predicate | Kind::Language => error.message.clone(),
    }
}

/// A condition of the query that nobody evaluates.
fn unknown_predicate(query: &tree_sitter::Query) -> Option<String> {
    (0..query.pattern_count()).find_map(|index| {
        let general = query.general_predicates(index).first();
        let property = || {
            let (_, is) = query.property_predicates(index).first()?;
            Some(if *is { "is?" } else { "is-not?" }.to_owned())
        };
        general
            .map(|predicate| predicate.operator.to_string())
            .or_else(property)
    })
}

/// Where a literal has to stand to count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Within the matched node.
    Inside,
    /// Somewhere in the text.
    Anywhere,
}

struct LiteralReading<'a> {
    language: Language,
    utils: Option<&'a serde_json::Map<String, Value>>,
}

impl LiteralReading<'_> {
    fn of_rule(&self, rule: &Value, place: Place, depth: u8) -> Option<Vec<Literal>> {
        let object = rule.as_object().filter(|_| depth < 16)?;
        let mut best = None;
        for (key, value) in object {
            let found = match key.as_str() {
                "pattern" => self.of_pattern(value),
                "regex" => value.as_str().and_then(|regex| {
                    required(&regex_syntax::parse(regex).ok()?, Blanks::OfTheText)
                }),
                "has" => self.of_rule(value, place, depth + 1),
                "inside" | "precedes" | "follows" if place == Place::Anywhere => {
                    self.of_rule(value, place, depth + 1)
                }
                "all" => value.as_array().and_then(|rules| {
                    rules.iter().fold(None, |best, rule| {
                        better(best, self.of_rule(rule, place, depth + 1))
                    })
                }),
                "any" => value.as_array().and_then(|rules| {
                    union(
                        rules
                            .iter()
                            .map(|rule| self.of_rule(rule, place, depth + 1)),
                    )
                }),
                "matches" => value
                    .as_str()
                    .and_then(|name| self.utils?.get(name))
                    .and_then(|rule| self.of_rule(rule, place, depth + 1)),
                _ => None,
            };
            best = better(best, found);
        }
        best
    }

    fn of_pattern(&self, pattern: &Value) -> Option<Vec<Literal>> {
        let pattern = match pattern {
            Value::String(code) => Pattern::try_new(code, self.language).ok()?,
            Value::Object(object) => {
                let context = object.get("context")?.as_str()?;
                let mut pattern = match object.get("selector").and_then(Value::as_str) {
                    Some(selector) => Pattern::contextual(context, selector, self.language).ok()?,
                    None => Pattern::try_new(context, self.language).ok()?,
                };
                pattern.strictness = match object.get("strictness").and_then(Value::as_str) {
                    None | Some("smart" | "cst") => MatchStrictness::Smart,
                    Some("ast" | "relaxed") => MatchStrictness::Ast,
                    Some(_) => MatchStrictness::Signature,
                };
                pattern
            }
            _ => return None,
        };
        let literal = longest_terminal(&pattern.node, &pattern.strictness, self.language)?;
        better(None, Some(vec![literal]))
    }
}

/// The longest token of a pattern that the text must hold as it stands.
fn longest_terminal(
    node: &PatternNode,
    strictness: &MatchStrictness,
    language: Language,
) -> Option<Literal> {
    match node {
        PatternNode::MetaVar { .. } => None,
        PatternNode::Terminal {
            text,
            is_named,
            kind_id,
        } => {
            let counts = match strictness {
                MatchStrictness::Cst | MatchStrictness::Smart => true,
                MatchStrictness::Ast | MatchStrictness::Relaxed => *is_named,
                _ => false,
            };
            // An identifier goes as far as letters do; the content of a string
            // may stand right behind an escape.
            let is_identifier = language.grammar().is_some_and(|grammar| {
                let kind = grammar.node_kind_for_id(*kind_id);
                kind.is_some_and(|kind| kind.ends_with("identifier"))
            });
            counts.then(|| {
                if is_identifier && text.chars().all(|c| c.is_alphanumeric() || c == '_') {
                    Literal::word(text)
                } else {
                    Literal::exactly(text)
                }
            })
        }
        PatternNode::Internal { children, .. } => children
            .iter()
            .enumerate()
            .filter_map(|(index, child)| {
                let literal = longest_terminal(child, strictness, language)?;
                let before = index.checked_sub(1).and_then(|index| children.get(index));
                let named = matches!(child, PatternNode::Terminal { .. }) && literal.word;
                Some(match before {
                    Some(PatternNode::Terminal { text, .. }) if named && text == "." => {
                        literal.of_member()
                    }
                    _ => literal,
                })
            })
            .max_by_key(|literal| literal.text.len()),
    }
}

fn collect_metavariables(pattern: &str, names: &mut Vec<String>) {
    for piece in pattern.split('$').skip(1) {
        let end = piece
            .find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
            .unwrap_or(piece.len());
        let name = &piece[..end];
        // Names that begin with `_` match without being remembered.
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            names.push(name.to_owned());
        }
    }
}

fn collect_from_value(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::String(text) => collect_metavariables(text, names),
        Value::Array(values) => {
            for value in values {
                collect_from_value(value, names);
            }
        }
        Value::Object(object) => {
            for value in object.values() {
                collect_from_value(value, names);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(source: &Source, language: Language) -> Option<Vec<String>> {
        let guard = AstGuard::new(source);
        let matcher = guard
            .matcher(language)
            .map_err(|bad| bad.message.clone())
            .unwrap();
        let literals = matcher.literals.as_ref()?;
        Some(literals.iter().map(|l| l.text.clone()).collect())
    }

    fn rule(rule: Value) -> Source {
        Source::Rule {
            rule,
            constraints: None,
            utils: None,
        }
    }

    #[test]
    fn a_pattern_requires_its_longest_token() {
        let pattern = |pattern: &str| Source::Pattern {
            pattern: pattern.to_owned(),
        };
        assert_eq!(
            literals(&pattern("console.log($$$ARGS)"), Language::TypeScript),
            Some(vec!["console".to_owned()])
        );
        assert_eq!(
            literals(&pattern("$A.sharedInstance"), Language::Swift),
            Some(vec!["sharedInstance".to_owned()])
        );
        assert_eq!(literals(&pattern("$A + $B"), Language::Tsx), None);
    }

    #[test]
    fn a_rule_requires_what_all_its_parts_do() {
        let of = |value| literals(&rule(value), Language::TypeScript);
        let json = |text| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(
            of(json(
                r#"{"any": [{"pattern": "foo($A)"}, {"pattern": "barbar()"}]}"#
            )),
            Some(vec!["barbar".to_owned(), "foo".to_owned()])
        );
        assert_eq!(
            of(json(
                r#"{"kind": "identifier", "regex": "^(legacy|ancient)Api$"}"#
            )),
            Some(vec!["ancientApi".to_owned(), "legacyApi".to_owned()])
        );
        assert_eq!(
            of(json(
                r#"{"kind": "call_expression", "inside": {"pattern": "class Legacy { $$$ }", "stopBy": "end"}}"#
            )),
            Some(vec!["Legacy".to_owned()])
        );
        assert_eq!(
            of(json(
                r#"{"kind": "call_expression", "not": {"pattern": "foo()"}}"#
            )),
            None
        );
    }

    #[test]
    fn what_is_not_valid_says_why() {
        let message = |source: &Source| {
            let guard = AstGuard::new(source);
            guard
                .matcher(Language::TypeScript)
                .err()
                .unwrap()
                .message
                .clone()
        };
        let unknown = serde_json::json!({"kind": "no_such_kind"});
        assert!(message(&rule(unknown)).contains("no_such_kind"));
        let pattern = Source::Pattern {
            pattern: "$A".to_owned(),
        };
        assert!(message(&pattern).contains("everything"));
        let query = Source::Query {
            query: "(identifier) @a (nothing_such)".to_owned(),
            capture: None,
        };
        assert!(message(&query).contains("nothing_such"));
    }

    #[test]
    fn a_fault_is_told_in_one_line() {
        let message = |source: &Source| {
            let guard = AstGuard::new(source);
            let bad = guard.matcher(Language::TypeScript).err().unwrap();
            bad.message.clone()
        };
        let of_rule = |value| message(&rule(value));
        assert_eq!(
            of_rule(serde_json::json!({"kind": "no_such_kind"})),
            "`rule` is not valid for typescript: Kind `no_such_kind` is invalid."
        );
        assert_eq!(
            of_rule(serde_json::json!({"regex": "["})),
            "`rule` is not valid for typescript: unclosed character class."
        );
        let of_query = |query: &str| {
            message(&Source::Query {
                query: query.to_owned(),
                capture: Some("f".to_owned()),
            })
        };
        assert_eq!(
            of_query("(nokind) @f"),
            "This query is not valid for typescript: its grammar has no node `nokind`."
        );
        assert_eq!(
            of_query("(call_expression"),
            "This query is not valid for typescript: an S-expression is not complete, or not one."
        );
        assert_eq!(
            of_query("((identifier) @f (#has-ancestor? @f class_body))"),
            "The query asks `#has-ancestor?`, which is not known here. Use `#eq?`, `#match?` or \
             `#any-of?`, also with `not-` or `any-` in front."
        );
        assert!(of_query("((identifier) @f (#is-not? local))").contains("#is-not?"));
        assert!(of_query("((identifier) @f (#match? @f \"[\"))").contains("regex"));
    }

    /// Whether the name of a method is looked for at each place of a text.
    #[test]
    fn the_name_of_a_member_follows_a_dot() {
        let guard = AstGuard::new(&Source::Pattern {
            pattern: "$OBJECT.dispose($$$ARGS)".to_owned(),
        });
        for language in [
            Language::JavaScript,
            Language::Swift,
            Language::Python,
            Language::Kotlin,
        ] {
            let matcher = guard
                .matcher(language)
                .unwrap_or_else(|bad| panic!("{}", bad.message));
            let [literal] = matcher.literals.as_deref().expect("the name is required") else {
                panic!("one literal");
            };
            let looked_at = |text: &str| {
                let start = text.find("dispose").expect("the name is there");
                literal.stands_at(text, start)
            };
            assert!(looked_at("list.dispose()"), "{language:?}");
            assert!(looked_at("list?.dispose()"));
            assert!(looked_at("list\n  .dispose()"));
            assert!(looked_at("list.\n  dispose()"));
            assert!(looked_at("list. /* why */ dispose()"));
            assert!(looked_at("list. // why\n dispose()"));
            assert!(!looked_at("function dispose() {}"), "{language:?}");
            assert!(!looked_at("x = dispose()"));
        }
    }
}
