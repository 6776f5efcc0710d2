use asd_recipe::Severity;
use asd_text::{Span, TextEdit};
use tree_sitter::Node;

use super::BuiltIn;
use crate::{Fix, Related, UncertainReason};

/// What a rule found at one place.
pub(crate) struct Found {
    /// The rule.
    pub(crate) rule: &'static BuiltIn,
    /// Exactly the offending expression.
    pub(crate) span: Span,
    /// Another severity than the rule's.
    pub(crate) severity: Option<Severity>,
    /// Another message than the rule's.
    pub(crate) message: Option<String>,
    /// The machine fix.
    pub(crate) fix: Option<Fix>,
    /// Other places in the text.
    pub(crate) related: Vec<Related>,
}

impl Found {
    /// Gives this finding a severity of its own.
    pub(crate) fn severity(&mut self, severity: Severity) -> &mut Self {
        self.severity = Some(severity);
        self
    }

    /// Gives this finding a message of its own.
    pub(crate) fn message(&mut self, message: impl Into<String>) -> &mut Self {
        self.message = Some(message.into());
        self
    }

    /// A fix that keeps what the code does, and so may be applied in bulk.
    pub(crate) fn safe_fix(&mut self, title: impl Into<String>, edits: Vec<TextEdit>) -> &mut Self {
        self.fix = Some(Fix {
            title: title.into(),
            edits,
            safe: true,
        });
        self
    }

    /// A fix that a person should look at.
    pub(crate) fn unsafe_fix(
        &mut self,
        title: impl Into<String>,
        edits: Vec<TextEdit>,
    ) -> &mut Self {
        self.fix = Some(Fix {
            title: title.into(),
            edits,
            safe: false,
        });
        self
    }

    /// Points at another place of the same text.
    pub(crate) fn related(
        &mut self,
        at: impl Into<Place>,
        message: impl Into<String>,
    ) -> &mut Self {
        self.related.push(Related {
            path: None,
            span: at.into().0,
            message: message.into(),
        });
        self
    }
}

/// A place in the text: a span, or that of a node.
pub(crate) struct Place(pub(crate) Span);

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Self(span)
    }
}

impl From<Node<'_>> for Place {
    fn from(node: Node<'_>) -> Self {
        Self(Span::new(node.start_byte(), node.end_byte()))
    }
}

/// A rule that could not decide about the file.
pub(crate) struct Undecided {
    /// The rule.
    pub(crate) rule: &'static BuiltIn,
    /// Why.
    pub(crate) reason: UncertainReason,
    /// The particulars.
    pub(crate) detail: String,
}

/// The thresholds in force for a rule, 0 where it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The first.
    pub(crate) first: u32,
    /// The second, of a rule that counts two things.
    pub(crate) second: u32,
}

/// Collects what rules say of one file.
#[derive(Default)]
pub(crate) struct Sink {
    pub(super) current: Option<(&'static BuiltIn, Limits)>,
    /// What was found, in the order in which it was found.
    pub(crate) found: Vec<Found>,
    /// What could not be decided.
    pub(crate) undecided: Vec<Undecided>,
}

impl Sink {
    fn current(&self) -> (&'static BuiltIn, Limits) {
        self.current
            .expect("the plan names the rule before it runs it")
    }

    /// The threshold in force for the rule that is running.
    pub(crate) fn threshold(&self) -> u32 {
        self.current().1.first
    }

    /// The second threshold of a rule that has two.
    pub(crate) fn second_threshold(&self) -> u32 {
        self.current().1.second
    }

    /// A finding of the rule that is running.
    pub(crate) fn report(&mut self, at: impl Into<Place>) -> &mut Found {
        let (rule, _) = self.current();
        self.found.push(Found {
            rule,
            span: at.into().0,
            severity: None,
            message: None,
            fix: None,
            related: Vec::new(),
        });
        self.found.last_mut().expect("one was just pushed")
    }

    /// Says which rule is running, with its thresholds.
    pub(crate) fn start(&mut self, rule: &'static BuiltIn, limits: Limits) {
        self.current = Some((rule, limits));
    }

    /// Says that the rule that is running cannot decide about this file.
    pub(crate) fn undecided(&mut self, reason: UncertainReason, detail: impl Into<String>) {
        let (rule, _) = self.current();
        self.undecided.push(Undecided {
            rule,
            reason,
            detail: detail.into(),
        });
    }

    /// Where a rule of a higher layer found the same fault, only its finding
    /// stays. (guard.md §2)
    pub(super) fn drop_yielding(&mut self) {
        let at: Vec<(&'static str, Span)> = self
            .found
            .iter()
            .map(|found| (found.rule.id, found.span))
            .collect();
        self.found.retain(|found| {
            found.rule.yields_to.is_none_or(|higher| {
                !at.iter()
                    .any(|(id, span)| *id == higher && span.intersects(found.span))
            })
        });
    }
}
