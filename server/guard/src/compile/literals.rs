//! The literals that a text must hold before a pattern can match in it.
//!
//! They decide which few of many rules have to look at a text at all, so they
//! may be weak but never wrong: whatever matches the pattern holds at least one
//! of them.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Longer sets cost more in the automaton than they save in matching.
const MAX_ALTERNATIVES: usize = 48;
/// Where a run of alternatives multiplies beyond this, it is cut.
const MAX_PRODUCT: usize = 16;
/// A shorter literal occurs on too many lines to be worth waiting for.
const MIN_LENGTH: usize = 2;
/// Beyond this a longer literal is no better than one with fewer alternatives.
const LONG_ENOUGH: usize = 10;
const MAX_LENGTH: usize = 64;

/// A text that must occur.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal {
    pub(crate) text: String,
    /// Up to ASCII case; the text is then in lower case.
    pub(crate) fold: bool,
    /// As a whole word: no letter stands before it, no letter or digit behind.
    pub(crate) word: bool,
    /// As the name of a member: a dot stands before it.
    pub(crate) member: bool,
}

impl Literal {
    fn empty() -> Self {
        Self::exactly("")
    }

    pub(crate) fn exactly(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            fold: false,
            word: false,
            member: false,
        }
    }

    pub(crate) fn word(text: impl Into<String>) -> Self {
        Self {
            word: true,
            ..Self::exactly(text)
        }
    }

    /// The same word as the name of a member.
    pub(crate) fn of_member(self) -> Self {
        Self {
            member: true,
            ..self
        }
    }

    /// Whether it stands in `text` at `start`, where its bytes do, up to case.
    pub(crate) fn stands_at(&self, text: &str, start: usize) -> bool {
        let end = start + self.text.len();
        let bytes = text.as_bytes();
        if !self.fold && bytes[start..end] != *self.text.as_bytes() {
            return false;
        }
        if !self.word {
            return true;
        }
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || *byte >= 0x80;
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let behind = bytes.get(end);
        !before.is_some_and(is_letter)
            && !behind.is_some_and(|byte| is_letter(byte) || byte.is_ascii_digit())
            && (!self.member || may_follow_dot(&bytes[..start]))
    }

    fn then(&self, next: &Self) -> Self {
        let fold = self.fold || next.fold;
        let mut text = format!("{}{}", self.text, next.text);
        if fold {
            text.make_ascii_lowercase();
        }
        Self {
            text,
            fold,
            word: false,
            member: false,
        }
    }
}

/// Whether the last code before a place may be a dot: it is one, or a comment
/// may hide it.
fn may_follow_dot(before: &[u8]) -> bool {
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let code = before.iter().rposition(|byte| !blank(byte));
    let Some(code) = code else { return false };
    let on_another_line = before[code..].contains(&b'\n') || before[code..].contains(&b'\r');
    matches!(before[code], b'.' | b'/') || on_another_line
}

/// Whether blanks in a pattern are blanks of the text. They are not where
/// comments have been replaced by blanks, or line endings by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blanks {
    OfTheText,
    PerhapsMasked,
}

/// One of the returned literals occurs in every match of `hir`; `None` when
/// nothing useful can be said.
pub(crate) fn required(hir: &Hir, blanks: Blanks) -> Option<Vec<Literal>> {
    let mut best = Best { blanks, set: None };
    collect(hir, &mut best);
    best.set
}

/// The better of two answers to the question what must occur.
pub(crate) fn better(a: Option<Vec<Literal>>, b: Option<Vec<Literal>>) -> Option<Vec<Literal>> {
    let mut best = Best {
        blanks: Blanks::OfTheText,
        set: a,
    };
    if let Some(b) = b {
        best.consider(&b);
    }
    best.set
}

/// What must occur when one of several things must: the union, unless one of
/// them is not known or there are too many.
pub(crate) fn union(sets: impl IntoIterator<Item = Option<Vec<Literal>>>) -> Option<Vec<Literal>> {
    let mut union = Vec::new();
    for set in sets {
        union.extend(set?);
        if union.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    union.sort();
    union.dedup();
    (!union.is_empty()).then_some(union)
}

struct Best {
    blanks: Blanks,
    set: Option<Vec<Literal>>,
}

impl Best {
    fn consider(&mut self, set: &[Literal]) {
        let set: Vec<Literal> = set.iter().map(|literal| self.usable(literal)).collect();
        let Some(set) = union([Some(set)]) else {
            return;
        };
        if quality(&set).0 < MIN_LENGTH {
            return;
        }
        if self
            .set
            .as_ref()
            .is_none_or(|best| quality(best) < quality(&set))
        {
            self.set = Some(set);
        }
    }

    fn usable(&self, literal: &Literal) -> Literal {
        let text = match self.blanks {
            Blanks::OfTheText => literal.text.as_str(),
            Blanks::PerhapsMasked => literal
                .text
                .split(char::is_whitespace)
                .max_by_key(|piece| piece.len())
                .unwrap_or_default(),
        };
        let mut end = text.len().min(MAX_LENGTH);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Literal {
            word: literal.word && end == literal.text.len(),
            member: literal.member,
            text: text[..end].to_owned(),
            fold: literal.fold,
        }
    }
}

/// How rare a set is: by its shortest literal, then by its size.
fn quality(set: &[Literal]) -> (usize, usize) {
    let shortest = set.iter().map(|l| l.text.len()).min().unwrap_or_default();
    (shortest.min(LONG_ENOUGH), usize::MAX - set.len())
}

fn collect(hir: &Hir, best: &mut Best) {
    if let Some(set) = exact(hir) {
        best.consider(&set);
        return;
    }
    match hir.kind() {
        HirKind::Concat(parts) => {
            let mut run = vec![Literal::empty()];
            for part in parts {
                match exact(part) {
                    Some(set) if set.len() * run.len() <= MAX_PRODUCT => run = product(&run, &set),
                    Some(set) => {
                        best.consider(&run);
                        run = set;
                    }
                    None => {
                        best.consider(&run);
                        run = vec![Literal::empty()];
                        collect(part, best);
                    }
                }
            }
            best.consider(&run);
        }
        HirKind::Alternation(branches) => {
            let sets = branches.iter().map(|branch| required(branch, best.blanks));
            if let Some(set) = union(sets) {
                best.consider(&set);
            }
        }
        HirKind::Repetition(repetition) if repetition.min > 0 => collect(&repetition.sub, best),
        HirKind::Capture(capture) => collect(&capture.sub, best),
        _ => {}
    }
}

fn product(left: &[Literal], right: &[Literal]) -> Vec<Literal> {
    left.iter()
        .flat_map(|l| right.iter().map(|r| l.then(r)))
        .collect()
}

/// Every text that `hir` can match, when there are few.
fn exact(hir: &Hir) -> Option<Vec<Literal>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(vec![Literal::empty()]),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(vec![Literal::exactly(text)])
        }
        HirKind::Class(class) => exact_class(class),
        HirKind::Capture(capture) => exact(&capture.sub),
        HirKind::Repetition(repetition) => {
            let max = repetition.max?;
            let set = exact(&repetition.sub)?;
            if repetition.min == 0 && max == 1 {
                return within(
                    MAX_PRODUCT,
                    set.into_iter().chain([Literal::empty()]).collect(),
                );
            }
            if repetition.min != max || max > 8 {
                return None;
            }
            let mut power = vec![Literal::empty()];
            for _ in 0..max {
                power = within(MAX_PRODUCT, product(&power, &set))?;
            }
            Some(power)
        }
        HirKind::Concat(parts) => {
            let mut run = vec![Literal::empty()];
            for part in parts {
                run = within(MAX_PRODUCT, product(&run, &exact(part)?))?;
            }
            Some(run)
        }
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(exact(branch)?);
            }
            within(MAX_ALTERNATIVES, all)
        }
    }
}

fn within(limit: usize, set: Vec<Literal>) -> Option<Vec<Literal>> {
    (set.len() <= limit).then_some(set)
}

/// A class with few members; a letter in both cases counts as one, folded. The
/// two letters outside of ASCII that fold to `k` and `s` are left to whoever
/// matches: see [`UNICODE_FOLDS`].
fn exact_class(class: &Class) -> Option<Vec<Literal>> {
    let Class::Unicode(class) = class else {
        return None;
    };
    let mut members = Vec::new();
    for range in class.ranges() {
        for member in range.start()..=range.end() {
            if members.len() > 8 {
                return None;
            }
            members.push(member);
        }
    }
    let ascii: Vec<char> = members.iter().copied().filter(char::is_ascii).collect();
    if let [upper, lower] = ascii[..]
        && upper.is_ascii_uppercase()
        && upper.to_ascii_lowercase() == lower
        && members
            .iter()
            .all(|c| c.is_ascii() || UNICODE_FOLDS.contains(c))
    {
        return Some(vec![Literal {
            text: lower.to_string(),
            fold: true,
            word: false,
            member: false,
        }]);
    }
    Some(members.into_iter().map(Literal::exactly).collect())
}

/// KELVIN SIGN and LATIN SMALL LETTER LONG S: equal to `k` and `s` up to case
/// for Unicode, not for ASCII. A text that holds one must be looked at by every
/// rule with folded literals.
pub(crate) const UNICODE_FOLDS: [char; 2] = ['\u{212a}', '\u{17f}'];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: &str) -> String {
        with(pattern, Blanks::OfTheText)
    }

    fn with(pattern: &str, blanks: Blanks) -> String {
        let hir = regex_syntax::parse(pattern).unwrap();
        match required(&hir, blanks) {
            None => "-".to_owned(),
            Some(set) => set
                .iter()
                .map(|l| format!("{}{}", l.text, if l.fold { "/i" } else { "" }))
                .collect::<Vec<_>>()
                .join(" | "),
        }
    }

    #[test]
    fn the_longest_literal_is_required() {
        assert_eq!(of(r"HTTPCookieStorage\.shared"), "HTTPCookieStorage.shared");
        assert_eq!(of(r"\blet\s+\w+\s*=\s*decode\("), "decode(");
        assert_eq!(of(r"(foo|barbar)\.baz"), "barbar.baz | foo.baz");
        assert_eq!(of(r"https?://"), "http:// | https://");
        assert_eq!(of(r"(?:abc)+\d"), "abc");
        assert_eq!(of(r"colou?r"), "color | colour");
    }

    #[test]
    fn what_may_be_absent_is_not_required() {
        assert_eq!(of(r"(abc)*"), "-");
        assert_eq!(of(r"\w+|abc"), "-");
        assert_eq!(of(r"a.*b"), "-");
        assert_eq!(of(r"(abc)?def(ghi)*"), "abcdef | def");
        assert_eq!(of(r"[^abc]+"), "-");
    }

    #[test]
    fn case_folds_in_ascii() {
        assert_eq!(of(r"(?i)task_id"), "task_id/i");
        assert_eq!(of(r"[Ff]ixme"), "fixme/i");
        assert_eq!(of(r"[abc]x1"), "ax1 | bx1 | cx1");
        assert_eq!(of("(?i)éa"), "Éa/i | éa/i");
    }

    #[test]
    fn blanks_that_may_be_masked_comments_are_not_required() {
        assert_eq!(with("return  null", Blanks::PerhapsMasked), "return");
        assert_eq!(with("a b", Blanks::PerhapsMasked), "-");
        assert_eq!(with("a b", Blanks::OfTheText), "a b");
    }
}
