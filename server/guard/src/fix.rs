use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use asd_syntax::{Language, Tree};
use asd_text::{Span, TextEdit, apply_edits};

use crate::{Cancelled, Finding, Fix, RuleSet, Target};

/// How often all fixes are applied before what is still restless is given up.
/// (editor.md §3)
const MAX_ROUNDS: usize = 10;
/// How often rules that were given up get another chance.
const MAX_PASSES: usize = 8;

/// Chooses findings by the text that they were made in.
type Select<'s> = &'s dyn Fn(&str, &Finding) -> bool;

/// What became of a text by fixing it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixOutcome {
    /// The text after all rounds.
    pub text: String,
    /// The same as edits of the text before, as small as they can be.
    pub edits: Vec<TextEdit>,
    /// How many fixes were applied, by rule id.
    pub applied: Vec<(String, usize)>,
    /// Rules whose fixes were not applied because they would never come to an
    /// end: one undoes another, or a fix brings about its own finding.
    pub restless: Vec<String>,
}

/// The fix of a finding, when the text that results has no more syntax errors
/// than the text before. It is asked for when a person wants the fix, not while
/// they type.
#[must_use]
pub fn verified_fix<'f>(target: &Target<'_>, finding: &'f Finding) -> Option<&'f Fix> {
    let fix = finding.fix.as_ref()?;
    let fixed = apply_edits(target.text, &fix.edits).ok()?;
    let keeps = errors(target.language, &fixed) <= errors(target.language, target.text);
    keeps.then_some(fix)
}

impl RuleSet {
    /// Applies the fixes of all findings that `select` takes, each beside the text
    /// that it was made in: outermost first
    /// where they overlap, again until nothing is left to do, ten rounds at
    /// most. A fix that would add a syntax error is not applied, nor are those
    /// that never come to an end. A second call on its result changes nothing.
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn fix_all(
        &self,
        target: &Target<'_>,
        select: Select<'_>,
        cancel: &AtomicBool,
    ) -> Result<FixOutcome, Cancelled> {
        let mut pieces = Pieces::new(target.text);
        let mut outcome = FixOutcome {
            text: target.text.to_owned(),
            ..FixOutcome::default()
        };
        let mut applied = BTreeMap::new();
        let mut restless = BTreeSet::new();
        // A rule that was given up may come to rest on what the others made of
        // the text, so that a second call would do what the first did not.
        for _ in 0..MAX_PASSES {
            let settled = self.settled(target, &outcome.text, &pieces, select, cancel)?;
            let is_stable = settled.restless.is_empty() || settled.text == outcome.text;
            outcome.text = settled.text;
            pieces = settled.pieces;
            restless = settled.restless;
            for (rule, count) in settled.applied {
                *applied.entry(rule).or_default() += count;
            }
            if is_stable {
                break;
            }
        }
        outcome.edits = pieces.edits(target.text);
        outcome.applied = applied.into_iter().collect();
        outcome.restless = restless.into_iter().collect();
        Ok(outcome)
    }

    /// Fixes a text, which is `target` as far as it is fixed, without the rules
    /// that keep it from coming to rest.
    fn settled(
        &self,
        target: &Target<'_>,
        text: &str,
        pieces: &Pieces,
        select: Select<'_>,
        cancel: &AtomicBool,
    ) -> Result<Settled, Cancelled> {
        let mut restless = BTreeSet::new();
        loop {
            let target = Target {
                text,
                previous: None,
                ..target.clone()
            };
            match self.attempt(&target, pieces.clone(), select, &restless, cancel)? {
                Attempt::Settled(settled) => {
                    return Ok(Settled {
                        restless,
                        ..settled
                    });
                }
                Attempt::Restless(rules) => restless.extend(rules),
            }
        }
    }

    fn attempt(
        &self,
        target: &Target<'_>,
        mut pieces: Pieces,
        select: Select<'_>,
        blocked: &BTreeSet<String>,
        cancel: &AtomicBool,
    ) -> Result<Attempt, Cancelled> {
        let mut text = target.text.to_owned();
        let mut seen = vec![text.clone()];
        let mut applied: BTreeMap<String, usize> = BTreeMap::new();
        let mut rounds: Vec<BTreeSet<String>> = Vec::new();
        loop {
            let now = Target {
                text: &text,
                previous: None,
                ..target.clone()
            };
            let report = self.check(&now, cancel)?;
            let wanted = |finding: &&Finding| {
                finding.fix.is_some()
                    && !blocked.contains(&finding.rule.id)
                    && select(&text, finding)
            };
            let fixes = chosen(report.findings.iter().filter(wanted));
            let before = errors(target.language, &text);
            let fixes = keeping_the_syntax(target.language, &text, before, &fixes);
            if fixes.is_empty() {
                return Ok(Attempt::Settled(Settled {
                    text,
                    pieces,
                    applied,
                    restless: BTreeSet::new(),
                }));
            }
            let rules: BTreeSet<String> = fixes.iter().map(|one| one.rule.id.clone()).collect();
            // What doubles with every round will not come to rest.
            let grows = rounds.len() > 3 && text.len() > 4 * target.text.len() + 1024;
            if rounds.len() == MAX_ROUNDS || grows {
                return Ok(Attempt::Restless(rules));
            }
            let edits = edits_of(&fixes);
            pieces.apply(&edits);
            text = apply_edits(&text, &edits).unwrap_or(text);
            for one in &fixes {
                *applied.entry(one.rule.id.clone()).or_default() += 1;
            }
            rounds.push(rules);
            if let Some(again) = seen.iter().position(|earlier| *earlier == text) {
                let circle = rounds.split_off(again).into_iter().flatten().collect();
                return Ok(Attempt::Restless(circle));
            }
            seen.push(text.clone());
        }
    }
}

/// A text that came to rest.
struct Settled {
    text: String,
    pieces: Pieces,
    applied: BTreeMap<String, usize>,
    restless: BTreeSet<String>,
}

enum Attempt {
    Settled(Settled),
    /// The rules that keep it from settling.
    Restless(BTreeSet<String>),
}

/// The fixes that can be applied together, outermost first.
fn chosen<'f>(findings: impl Iterator<Item = &'f Finding>) -> Vec<&'f Finding> {
    let mut ordered: Vec<(Span, &Finding)> = findings
        .filter_map(|finding| {
            let edits = &finding.fix.as_ref()?.edits;
            let start = edits.iter().map(|edit| edit.span.start).min()?;
            let end = edits.iter().map(|edit| edit.span.end).max()?;
            let hull = Span::new(start.min(finding.span.start), end.max(finding.span.end));
            Some((hull, finding))
        })
        .collect();
    ordered.sort_by(|(a, one), (b, other)| {
        (a.start, usize::MAX - a.end, &one.rule.id, one.span).cmp(&(
            b.start,
            usize::MAX - b.end,
            &other.rule.id,
            other.span,
        ))
    });
    let mut taken: Vec<Span> = Vec::new();
    let mut chosen = Vec::new();
    for (_, finding) in ordered {
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
        let spans: Vec<Span> = edits.map(|edit| edit.span).collect();
        if spans.iter().all(|span| is_free(&taken, *span)) {
            for span in spans {
                let at = taken.partition_point(|other| *other < span);
                taken.insert(at, span);
            }
            chosen.push(finding);
        }
    }
    chosen
}

/// Whether a span touches none of `taken`, which are sorted and apart.
fn is_free(taken: &[Span], span: Span) -> bool {
    let at = taken.partition_point(|other| *other < span);
    // Neighbours on both sides; an empty span may sit between two others.
    let from = at.saturating_sub(2);
    let to = (at + 2).min(taken.len());
    !taken[from..to].iter().any(|other| other.intersects(span))
}

fn edits_of(findings: &[&Finding]) -> Vec<TextEdit> {
    findings
        .iter()
        .filter_map(|finding| finding.fix.as_ref())
        .flat_map(|fix| fix.edits.iter().cloned())
        .collect()
}

/// Those of `fixes` that together add no syntax error.
fn keeping_the_syntax<'f>(
    language: Language,
    text: &str,
    before: usize,
    fixes: &[&'f Finding],
) -> Vec<&'f Finding> {
    if fixes.is_empty() {
        return Vec::new();
    }
    let keeps = |fixes: &[&Finding]| {
        apply_edits(text, &edits_of(fixes)).is_ok_and(|fixed| errors(language, &fixed) <= before)
    };
    if keeps(fixes) {
        return fixes.to_vec();
    }
    if fixes.len() == 1 {
        return Vec::new();
    }
    let (left, right) = fixes.split_at(fixes.len() / 2);
    let mut kept = keeping_the_syntax(language, text, before, left);
    let left_only = kept.len();
    kept.extend(keeping_the_syntax(language, text, before, right));
    if !keeps(&kept) {
        kept.truncate(left_only);
    }
    kept
}

/// The number of syntax errors in a text and its parts.
fn errors(language: Language, text: &str) -> usize {
    let own = asd_syntax::parse(language, text, None).map_or(0, |tree| errors_in(&tree));
    let parts = asd_syntax::regions(language, text);
    let of_parts: usize = parts
        .iter()
        .map(|part| {
            asd_syntax::parse(part.language, part.span.of(text), None)
                .map_or(0, |tree| errors_in(&tree))
        })
        .sum();
    own + of_parts
}

fn errors_in(tree: &Tree) -> usize {
    let root = tree.root_node();
    if !root.has_error() {
        return 0;
    }
    let mut count = 0;
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        count += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

/// A text that remembers what of it is from the beginning.
#[derive(Clone)]
struct Pieces(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Original(Span),
    New(String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Original(span) => span.len(),
            Self::New(text) => text.len(),
        }
    }

    fn slice(&self, from: usize, to: usize) -> Self {
        match self {
            Self::Original(span) => Self::Original(Span::new(span.start + from, span.start + to)),
            Self::New(text) => Self::New(text[from..to].to_owned()),
        }
    }
}

impl Pieces {
    fn new(text: &str) -> Self {
        Self(vec![Piece::Original(Span::new(0, text.len()))])
    }

    /// Applies edits of the present text that do not overlap.
    fn apply(&mut self, edits: &[TextEdit]) {
        let mut ordered: Vec<&TextEdit> = edits.iter().collect();
        ordered.sort_by_key(|edit| edit.span);
        let mut result = Vec::new();
        let mut done = 0;
        for edit in ordered {
            self.copy(done, edit.span.start, &mut result);
            if !edit.text.is_empty() {
                result.push(Piece::New(edit.text.clone()));
            }
            done = edit.span.end;
        }
        let end = self.0.iter().map(Piece::len).sum();
        self.copy(done, end, &mut result);
        self.0 = result;
    }

    fn copy(&self, from: usize, to: usize, result: &mut Vec<Piece>) {
        let mut start = 0;
        for piece in &self.0 {
            let end = start + piece.len();
            let (a, b) = (from.max(start), to.min(end));
            if a < b {
                result.push(piece.slice(a - start, b - start));
            }
            start = end;
        }
    }

    /// How the text differs from the beginning.
    fn edits(&self, original: &str) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let mut at = 0;
        let mut new = String::new();
        let end = Piece::Original(Span::empty(original.len()));
        for piece in self.0.iter().chain([&end]) {
            match piece {
                Piece::New(text) => new.push_str(text),
                Piece::Original(span) => {
                    edits.extend(smallest(original, Span::new(at, span.start), &new));
                    new.clear();
                    at = span.end;
                }
            }
        }
        edits
    }
}

/// The edit without what stays the same at its two ends.
fn smallest(original: &str, span: Span, new: &str) -> Option<TextEdit> {
    let old = span.of(original);
    if old == new {
        return None;
    }
    let prefix: usize = old
        .chars()
        .zip(new.chars())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let suffix: usize = old[prefix..]
        .chars()
        .rev()
        .zip(new[prefix..].chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    Some(TextEdit::replace(
        Span::new(span.start + prefix, span.end - suffix),
        &new[prefix..new.len() - suffix],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_over_several_rounds_become_edits_of_the_beginning() {
        let original = "one two three";
        let mut pieces = Pieces::new(original);
        pieces.apply(&[
            TextEdit::replace(Span::new(0, 3), "1"),
            TextEdit::insert(7, "!"),
        ]);
        // Now "1 two! three".
        pieces.apply(&[
            TextEdit::replace(Span::new(0, 1), "uno"),
            TextEdit::remove(Span::new(2, 6)),
        ]);
        let edits = pieces.edits(original);
        assert_eq!(apply_edits(original, &edits).unwrap(), "uno  three");
        assert_eq!(edits.len(), 2);
    }

    #[test]
    fn what_was_changed_and_changed_back_is_no_edit() {
        let original = "a b";
        let mut pieces = Pieces::new(original);
        pieces.apply(&[TextEdit::replace(Span::new(0, 1), "xyz")]);
        pieces.apply(&[TextEdit::replace(Span::new(0, 3), "a")]);
        assert_eq!(pieces.edits(original), []);
    }
}
