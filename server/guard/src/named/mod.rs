//! The three named questions that a recipe can ask of a syntax tree without
//! knowing any grammar. (guard.md §6)

mod conformance;
mod contexts;
mod facts;

use asd_recipe::AstGuard as Source;
use asd_syntax::{Doc, Language};
use asd_text::Span;
use ast_grep_core::matcher::{MatcherExt, NodeMatch};
use ast_grep_core::{Node, Pattern};

use crate::compile::ast_guard::{AstMatcher, How, bad, code_pattern, kinds_of};
use crate::compile::literals::{Literal, better};
use crate::compile::regex_guard::BadPattern;
use crate::glob::name_matches;

/// A named question.
pub(crate) enum Named {
    /// Every call of `target` lies in a type called `wrapper`.
    CallThrough { target: String, wrapper: Vec<char> },
    /// `pattern` does not stand in such a context.
    NotInContext {
        pattern: Box<Pattern>,
        context: Context,
    },
    /// Types of that name conform to the protocol.
    Conforms { class: Vec<char>, protocol: String },
}

/// A context that something is forbidden in.
pub(crate) enum Context {
    Async,
    Loop,
    Constructor,
    Destructor,
    Test,
    Type(Vec<char>),
    Function(Vec<char>),
}

/// A violation of a named question.
pub(crate) struct NamedMatch<'t> {
    pub(crate) span: Span,
    /// The match of the code pattern, where there is one.
    pub(crate) pattern: Option<NodeMatch<'t, Doc>>,
}

impl Context {
    fn parse(text: &str) -> Option<Self> {
        Some(match text.trim() {
            "async" => Self::Async,
            "loop" => Self::Loop,
            "constructor" => Self::Constructor,
            "destructor" => Self::Destructor,
            "test" => Self::Test,
            other => match other.split_once(':')? {
                ("class", glob) => Self::Type(glob.trim().chars().collect()),
                ("function", glob) => Self::Function(glob.trim().chars().collect()),
                _ => return None,
            },
        })
    }
}

/// Compiles one of the three for a language.
pub(crate) fn compile(source: &Source, language: Language) -> Result<AstMatcher, BadPattern> {
    match source {
        Source::MustCallThrough {
            target_api,
            wrapper_class,
        } => {
            let target = facts::normal_path(target_api);
            if target.trim_matches('.').is_empty() || wrapper_class.trim().is_empty() {
                return Err(bad("`targetAPI` and `wrapperClass` must both be given."));
            }
            let literal = longest(target.split(['.', ':']));
            Ok(AstMatcher {
                how: How::Named(Named::CallThrough {
                    target,
                    wrapper: wrapper_class.trim().chars().collect(),
                }),
                literals: literal,
                literals_inside: true,
                kinds: Some(ids(language, facts::CALLS)),
            })
        }
        Source::MustNotUseInContext {
            pattern,
            forbidden_context,
        } => {
            let context = Context::parse(forbidden_context).ok_or_else(|| {
                bad(format!(
                    "`{forbidden_context}` is not a context. Known are async, loop, constructor, destructor, test, class:<glob> and function:<glob>."
                ))
            })?;
            let pattern = code_pattern(pattern, language)?;
            let kinds = kinds_of(&pattern);
            let plain = AstMatcher::from_pattern(pattern.clone(), language);
            Ok(AstMatcher {
                how: How::Named(Named::NotInContext {
                    pattern: Box::new(pattern),
                    context,
                }),
                literals: plain.literals,
                literals_inside: true,
                kinds,
            })
        }
        Source::MustConformToProtocol {
            class_name,
            protocol_name,
        } => {
            if class_name.trim().is_empty() || protocol_name.trim().is_empty() {
                return Err(bad("`className` and `protocolName` must both be given."));
            }
            Ok(AstMatcher {
                how: How::Named(Named::Conforms {
                    class: class_name.trim().chars().collect(),
                    protocol: protocol_name.trim().to_owned(),
                }),
                literals: longest(class_name.trim().split(['*', '?'])),
                literals_inside: true,
                kinds: Some(ids(language, facts::TYPES)),
            })
        }
        Source::Pattern { .. } | Source::Rule { .. } | Source::Query { .. } => {
            Err(bad("This is not a named question."))
        }
    }
}

fn longest<'a>(pieces: impl Iterator<Item = &'a str>) -> Option<Vec<Literal>> {
    let longest = pieces.max_by_key(|piece| piece.len())?;
    better(None, Some(vec![Literal::exactly(longest)]))
}

fn ids(language: Language, kinds: &[&str]) -> Vec<u16> {
    let Some(grammar) = language.grammar() else {
        return Vec::new();
    };
    // A kind can have several ids where the grammar has aliases.
    (0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX))
        .filter(|id| {
            grammar.node_kind_is_named(*id)
                && grammar
                    .node_kind_for_id(*id)
                    .is_some_and(|kind| kinds.contains(&kind))
        })
        .collect()
}

impl Named {
    /// Whether a node violates it; `path` is that of the file.
    pub(crate) fn violated_by<'t>(
        &self,
        node: &Node<'t, Doc>,
        path: Option<&str>,
    ) -> Option<NamedMatch<'t>> {
        match self {
            Self::CallThrough { target, wrapper } => {
                let callee = facts::callee(node)?;
                if !facts::is_call_of(&callee, target) {
                    return None;
                }
                let wrapped = facts::enclosing_types(node)
                    .iter()
                    .any(|name| name_matches(wrapper, name));
                (!wrapped).then_some(NamedMatch {
                    span: callee.span,
                    pattern: None,
                })
            }
            Self::NotInContext { pattern, context } => {
                let found = pattern.match_node(node.clone())?;
                if !stands_in(context, node, path) {
                    return None;
                }
                Some(NamedMatch {
                    span: Span::from(found.range()),
                    pattern: Some(found),
                })
            }
            Self::Conforms { class, protocol } => {
                let declared = facts::declared_type(node)?;
                let missing = name_matches(class, &declared.name)
                    && !conformance::head_names(node, protocol)
                    && !conformance::conforms_elsewhere(node, &declared.name, protocol);
                missing.then_some(NamedMatch {
                    span: declared.span,
                    pattern: None,
                })
            }
        }
    }
}

fn stands_in(context: &Context, node: &Node<'_, Doc>, path: Option<&str>) -> bool {
    match context {
        Context::Async => contexts::in_async(node),
        Context::Loop => contexts::in_loop(node),
        Context::Constructor => contexts::in_constructor(node),
        Context::Destructor => contexts::in_destructor(node),
        Context::Test => path.is_some_and(asd_syntax::is_test_path) || contexts::in_test(node),
        Context::Type(glob) => facts::enclosing_types(node)
            .iter()
            .any(|name| name_matches(glob, name)),
        Context::Function(glob) => facts::enclosing_functions(node)
            .iter()
            .any(|name| name_matches(glob, name)),
    }
}
