//! Running guards on the syntax tree: one traversal for all of them and for
//! the built-in rules.

use std::sync::atomic::{AtomicBool, Ordering};

use asd_syntax::{Doc, Root};
use asd_text::Span;
use ast_grep_core::matcher::{MatcherExt, NodeMatch};
use ast_grep_core::meta_var::MetaVarEnv;
use ast_grep_core::{Matcher, Node};
use tree_sitter::StreamingIterator;

use crate::Cancelled;
use crate::builtin::Visitor;
use crate::compile::ast_guard::{AstMatcher, How};
use crate::part::Part;
use crate::prefilter::Reach;
use crate::template::{Filling, Hole, Site, Template};

/// A rule that may match in the text.
pub(crate) struct AstCandidate<'r> {
    /// What the caller knows the rule by.
    pub(crate) rule: u32,
    pub(crate) matcher: &'r AstMatcher,
    pub(crate) reach: Reach,
    pub(crate) fix: Option<&'r Template>,
}

impl AstCandidate<'_> {
    /// Whether a node of that range can match, by the literals in it.
    fn has_hit_in(&self, range: &std::ops::Range<usize>) -> bool {
        match &self.reach {
            Reach::Hits(hits) if self.matcher.literals_inside => {
                let next = hits.partition_point(|(start, _)| (*start as usize) < range.start);
                hits.get(next)
                    .is_some_and(|(start, _)| (*start as usize) < range.end)
            }
            _ => true,
        }
    }
}

/// One match.
pub(crate) struct AstMatch {
    pub(crate) rule: u32,
    pub(crate) span: Span,
    pub(crate) edits: Vec<asd_text::TextEdit>,
}

/// Between two looks at the cancellation flag.
const NODES_PER_LOOK: u32 = 512;

/// All matches, in the order of the text for each rule. `visitor` takes part
/// in the traversal when it has something to look at.
pub(crate) fn run<'a>(
    root: &'a Root,
    part: &Part<'_>,
    path: Option<&str>,
    candidates: &[AstCandidate<'_>],
    visitor: Option<&mut Visitor<'_, 'a>>,
    cancel: &AtomicBool,
) -> Result<Vec<AstMatch>, Cancelled> {
    let mut run = Run {
        root,
        part,
        path,
        candidates,
        by_kind: Vec::new(),
        any_kind: Vec::new(),
        matches: Vec::new(),
    };
    let mut places = Some(Vec::new());
    for (index, candidate) in candidates.iter().enumerate() {
        if let How::Query(query, captures) = &candidate.matcher.how {
            run.query(candidate, query, captures);
            continue;
        }
        run.register(index, candidate);
        match &candidate.reach {
            Reach::Hits(hits) if candidate.matcher.literals_inside => {
                if let Some(places) = &mut places {
                    places.extend(hits.iter().map(|(start, _)| *start as usize));
                }
            }
            _ => places = None,
        }
    }
    if let Some(visitor) = visitor {
        run.accompany(visitor, cancel)?;
    } else if !run.any_kind.is_empty() || !run.by_kind.is_empty() {
        if let Some(places) = &mut places {
            places.sort_unstable();
            places.dedup();
        }
        run.traverse(places.as_deref(), cancel)?;
    }
    Ok(run.matches)
}

struct Run<'r, 'a, 't> {
    root: &'a Root,
    part: &'r Part<'t>,
    path: Option<&'r str>,
    candidates: &'r [AstCandidate<'r>],
    /// By kind id: indices of candidates.
    by_kind: Vec<Vec<u32>>,
    any_kind: Vec<u32>,
    matches: Vec<AstMatch>,
}

impl<'a> Run<'_, 'a, '_> {
    fn register(&mut self, index: usize, candidate: &AstCandidate<'_>) {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        match &candidate.matcher.kinds {
            None => self.any_kind.push(index),
            Some(kinds) => {
                for kind in kinds {
                    let kind = usize::from(*kind);
                    if self.by_kind.len() <= kind {
                        self.by_kind.resize_with(kind + 1, Vec::new);
                    }
                    self.by_kind[kind].push(index);
                }
            }
        }
    }

    /// Shows every node to the visitor and to the candidates.
    fn accompany(
        &mut self,
        visitor: &mut Visitor<'_, 'a>,
        cancel: &AtomicBool,
    ) -> Result<(), Cancelled> {
        for nodes in visitor.nodes().chunks(NODES_PER_LOOK as usize) {
            if cancel.load(Ordering::Relaxed) {
                return Err(Cancelled);
            }
            for placed in nodes {
                visitor.visit(placed);
                self.visit(placed.node, placed.kind);
            }
        }
        Ok(())
    }

    /// Visits every node, or only those that hold one of `places`.
    fn traverse(&mut self, places: Option<&[usize]>, cancel: &AtomicBool) -> Result<(), Cancelled> {
        let root = self.root.root();
        let mut cursor = root.get_inner_node().walk();
        let mut until_look = NODES_PER_LOOK;
        loop {
            until_look -= 1;
            if until_look == 0 {
                if cancel.load(Ordering::Relaxed) {
                    return Err(Cancelled);
                }
                until_look = NODES_PER_LOOK;
            }
            let node = cursor.node();
            let holds_a_place = places.is_none_or(|places| {
                let next = places.partition_point(|place| *place < node.start_byte());
                places
                    .get(next)
                    .is_some_and(|place| *place < node.end_byte())
            });
            if holds_a_place {
                self.visit(node, node.kind_id());
                if cursor.goto_first_child() {
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(());
                }
            }
        }
    }

    fn visit(&mut self, node: tree_sitter::Node<'a>, kind: u16) {
        let by_kind = self.by_kind.get(usize::from(kind));
        let by_kind = by_kind.map_or(&[][..], Vec::as_slice);
        if (by_kind.is_empty() && self.any_kind.is_empty()) || node.is_missing() {
            return;
        }
        let range = node.byte_range();
        let mut adopted = None;
        let mut found = Vec::new();
        for &index in by_kind.iter().chain(&self.any_kind) {
            let candidate = &self.candidates[index as usize];
            if candidate.has_hit_in(&range) {
                let node = adopted.get_or_insert_with(|| self.root.adopt(node));
                found.extend(self.match_node(candidate, node));
            }
        }
        self.matches.extend(found);
    }

    fn match_node(&self, candidate: &AstCandidate<'_>, node: &Node<'a, Doc>) -> Option<AstMatch> {
        match &candidate.matcher.how {
            How::Pattern(pattern) => {
                let found = pattern.match_node(node.clone())?;
                Some(self.matched(candidate, &**pattern, &found))
            }
            How::Rule(rule) => {
                let found = rule.match_node(node.clone())?;
                Some(self.matched(candidate, &**rule, &found))
            }
            How::Named(named) => {
                let found = named.violated_by(node, self.path)?;
                let edits = candidate.fix.map_or_else(Vec::new, |fix| {
                    let env = found.pattern.as_ref().map(NodeMatch::get_env);
                    self.edits(fix, found.span, env)
                });
                Some(AstMatch {
                    rule: candidate.rule,
                    span: found.span,
                    edits,
                })
            }
            How::Query(..) => None,
        }
    }

    fn matched(
        &self,
        candidate: &AstCandidate<'_>,
        matcher: &impl Matcher,
        found: &NodeMatch<'a, Doc>,
    ) -> AstMatch {
        let range = found.range();
        // A pattern may leave the end of its node unsaid, like a semicolon.
        let end = matcher
            .get_match_len(found.get_node().clone())
            .map_or(range.end, |length| range.start + length);
        let span = Span::new(range.start, end.clamp(range.start, range.end));
        let edits = candidate.fix.map_or_else(Vec::new, |fix| {
            let whole = match fix.kind {
                asd_recipe::FixKind::Remove => whole_statement(found.get_node(), span),
                _ => span,
            };
            self.edits(fix, whole, Some(found.get_env()))
        });
        AstMatch {
            rule: candidate.rule,
            span,
            edits,
        }
    }

    fn edits(
        &self,
        fix: &Template,
        whole: Span,
        env: Option<&MetaVarEnv<'a, Doc>>,
    ) -> Vec<asd_text::TextEdit> {
        let captured = env.map(captured_spans).unwrap_or_default();
        let spans = &self.part.mask().spans;
        let first = spans.partition_point(|span| span.span.end <= whole.start);
        let comments: Vec<Span> = spans[first..]
            .iter()
            .take_while(|span| span.span.start < whole.end)
            .filter(|span| span.kind.is_comment())
            .map(|span| span.span)
            .filter(|span| !captured.iter().any(|captured| captured.contains(*span)))
            .collect();
        let site = Site {
            part: self.part,
            whole,
            comments: &comments,
        };
        fix.edits(&site, &|hole| fill(hole, env?))
    }

    fn query(
        &mut self,
        candidate: &AstCandidate<'_>,
        query: &tree_sitter::Query,
        captures: &[u32],
    ) {
        let root = self.root.root();
        let mut cursor = tree_sitter::QueryCursor::new();
        let mut matches = cursor.matches(query, root.get_inner_node(), self.part.text.as_bytes());
        let mut spans: Vec<Span> = Vec::new();
        while let Some(found) = matches.next() {
            for capture in found.captures() {
                if captures.contains(&capture.index) {
                    spans.push(Span::from(capture.node.byte_range()));
                }
            }
        }
        spans.sort_unstable();
        spans.dedup();
        for span in spans {
            let edits = candidate
                .fix
                .map_or_else(Vec::new, |fix| self.edits(fix, span, None));
            self.matches.push(AstMatch {
                rule: candidate.rule,
                span,
                edits,
            });
        }
    }
}

/// An expression that is a statement goes with its semicolon, unless something
/// needs a statement there: the next one would take its place.
fn whole_statement(node: &Node<'_, Doc>, span: Span) -> Span {
    const LISTS: &[&str] = &[
        "block",
        "statements",
        "list",
        "body",
        "program",
        "module",
        "unit",
    ];
    let in_list = |statement: &Node<'_, Doc>| {
        statement.parent().is_some_and(|around| {
            let kind = around.kind();
            LISTS.iter().any(|list| kind.ends_with(list))
                || matches!(
                    &*kind,
                    "compound_statement" | "source_file" | "statement_block"
                )
        })
    };
    match node.parent() {
        Some(parent)
            if parent.kind().ends_with("statement")
                && parent.named_children().count() == 1
                && in_list(&parent) =>
        {
            let range = parent.range();
            if range.start == span.start {
                Span::from(range)
            } else {
                span
            }
        }
        _ => span,
    }
}

fn captured_spans(env: &MetaVarEnv<'_, Doc>) -> Vec<Span> {
    use ast_grep_core::meta_var::MetaVariable;

    env.get_matched_variables()
        .filter_map(|variable| match variable {
            MetaVariable::Capture(name, _) => {
                let node = env.get_match(&name)?;
                Some(Span::from(node.range()))
            }
            MetaVariable::MultiCapture(name) => nodes_span(&env.get_multiple_matches(&name)),
            MetaVariable::Dropped(_) | MetaVariable::Multiple => None,
        })
        .collect()
}

fn nodes_span(nodes: &[Node<'_, Doc>]) -> Option<Span> {
    let (first, last) = (nodes.first()?, nodes.last()?);
    Some(Span::new(first.range().start, last.range().end))
}

fn fill(hole: &Hole, env: &MetaVarEnv<'_, Doc>) -> Option<Filling> {
    let (Hole::Node(name) | Hole::Nodes(name)) = hole else {
        return None;
    };
    if let Some(bytes) = env.get_transformed(name) {
        return Some(Filling::Text(String::from_utf8_lossy(bytes).into_owned()));
    }
    if let Some(node) = env.get_match(name) {
        return Some(Filling::Source(Span::from(node.range())));
    }
    nodes_span(&env.get_multiple_matches(name)).map(Filling::Source)
}
