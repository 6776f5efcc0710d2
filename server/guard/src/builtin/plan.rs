use asd_syntax::Language;
use asd_text::Span;
use tree_sitter::Node;

use super::file_cx::Placed;
use super::{BuiltIn, Check, FileCx, Limits, Sink};

/// The built-in rules in force for one language, by the kind of node that they
/// look at.
pub(crate) struct Plan {
    /// Each with its thresholds.
    rules: Vec<(&'static BuiltIn, Limits)>,
    /// By kind id: indices into `rules`.
    by_kind: Vec<Box<[u16]>>,
}

impl Plan {
    /// Joins rules, each with its thresholds. Rules that do not know the language
    /// are left out.
    pub(crate) fn new(
        language: Language,
        active: impl IntoIterator<Item = (&'static BuiltIn, Limits)>,
    ) -> Self {
        let rules: Vec<(&'static BuiltIn, Limits)> = active
            .into_iter()
            .filter(|(rule, _)| rule.languages.contains(&language.id()))
            .collect();
        let Some(grammar) = language.grammar() else {
            return Self {
                rules,
                by_kind: Vec::new(),
            };
        };
        let mut by_kind = vec![Vec::new(); grammar.node_kind_count()];
        for (index, (rule, _)) in (0_u16..).zip(&rules) {
            let (Check::Nodes { kinds, .. } | Check::Count { kinds, .. }) = &rule.check else {
                continue;
            };
            let kinds = kinds(language);
            for (id, rules) in (0_u16..).zip(&mut by_kind) {
                if grammar
                    .node_kind_for_id(id)
                    .is_some_and(|kind| kinds.contains(&kind))
                {
                    rules.push(index);
                }
            }
        }
        Self {
            rules,
            by_kind: by_kind.into_iter().map(Vec::into_boxed_slice).collect(),
        }
    }

    /// Whether a traversal of the tree is of any use.
    pub(crate) fn needs_tree(&self) -> bool {
        self.by_kind.iter().any(|rules| !rules.is_empty())
    }

    /// What takes part in a traversal that someone else makes.
    pub(crate) fn visitor<'p, 'a>(&'p self, cx: &'p FileCx<'a>) -> Visitor<'p, 'a> {
        Visitor {
            plan: self,
            cx,
            sink: Sink::default(),
            counted: vec![Vec::new(); self.rules.len()],
        }
    }

    /// Makes the traversal itself and says what was found.
    #[cfg(test)]
    pub(crate) fn run(&self, cx: &FileCx<'_>) -> Sink {
        let mut visitor = self.visitor(cx);
        if self.needs_tree() {
            for placed in cx.nodes() {
                visitor.visit(placed);
            }
        }
        visitor.finish()
    }
}

/// Takes part in a traversal: [`Visitor::visit`] for every node in the order of
/// the text, [`Visitor::finish`] at the end.
pub(crate) struct Visitor<'p, 'a> {
    plan: &'p Plan,
    cx: &'p FileCx<'a>,
    sink: Sink,
    counted: Vec<Vec<Span>>,
}

impl<'p, 'a> Visitor<'p, 'a> {
    /// Shows a node to the rules that look at its kind.
    pub(crate) fn visit(&mut self, placed: &Placed<'a>) {
        let node = placed.node;
        self.cx.enter(placed);
        let rules = match self.plan.by_kind.get(usize::from(placed.kind)) {
            Some(rules) if !rules.is_empty() && !is_doubtful(node) => rules,
            _ => return,
        };
        for &index in rules {
            let index = usize::from(index);
            let (rule, threshold) = self.plan.rules[index];
            match &rule.check {
                Check::Nodes { visit, .. } => {
                    self.sink.current = Some((rule, threshold));
                    visit(self.cx, node, &mut self.sink);
                }
                Check::Count { visit, .. } => visit(self.cx, node, &mut self.counted[index]),
                Check::File(_) | Check::Project(_) => {}
            }
        }
    }

    /// The nodes to be visited.
    pub(crate) fn nodes(&self) -> &'p [Placed<'a>] {
        self.cx.nodes()
    }

    /// Lets the rules that look at the whole file decide, and says what was
    /// found.
    pub(crate) fn finish(mut self) -> Sink {
        for (index, (rule, threshold)) in self.plan.rules.iter().enumerate() {
            self.sink.current = Some((rule, *threshold));
            match &rule.check {
                Check::Nodes { .. } | Check::Project(_) => {}
                Check::Count { finish, .. } => {
                    finish(self.cx, &self.counted[index], &mut self.sink);
                }
                Check::File(check) => check(self.cx, &mut self.sink),
            }
        }
        self.sink.drop_yielding();
        self.sink
    }
}

/// A small node with a syntax error in it is half written, or is not what the
/// parser took it for.
fn is_doubtful(node: Node<'_>) -> bool {
    const SMALL: usize = 10;
    node.is_missing()
        || node.has_error() && node.end_position().row - node.start_position().row < SMALL
}
