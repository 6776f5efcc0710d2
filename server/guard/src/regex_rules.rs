//! Running regex guards on a text.

use std::sync::atomic::{AtomicBool, Ordering};

use asd_recipe::MatchIn;
use asd_text::Span;

use crate::Cancelled;
use crate::compile::regex_guard::{Engine, Linear, RegexGuard};
use crate::part::{Line, Part, lines};
use crate::prefilter::Reach;

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegexMatch {
    /// What is reported: at least one character where there is text, never a
    /// line ending.
    pub(crate) shown: Span,
    /// What a fix works on, with the line endings that the pattern named.
    pub(crate) whole: Span,
    /// Its groups from the whole match on, when they were asked for.
    pub(crate) groups: Vec<Option<Span>>,
}

/// Whether anyone will ask for groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Places,
    Groups,
}

/// A rule that could not be run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The backtracking engine took too many steps.
    TooSlow,
    /// The compiled pattern is too large.
    TooLarge,
}

/// How a run ended.
pub(crate) type Ran = Result<Result<Vec<RegexMatch>, Stopped>, Cancelled>;

/// Between two looks at the cancellation flag.
const LINES_PER_LOOK: usize = 512;

/// All matches of a guard in a text, in order.
pub(crate) fn run(
    guard: &RegexGuard,
    part: &Part<'_>,
    reach: &Reach,
    want: Want,
    cancel: &AtomicBool,
) -> Ran {
    let view = part.view(guard.match_in);
    let mut run = Run {
        raw: part.text,
        view,
        masked: guard.match_in != MatchIn::Text,
        want,
        matches: Vec::new(),
        cancel,
        looked: 0,
    };
    let done = if guard.whole_text {
        if let Reach::Hits(hits) = reach
            && !hits.iter().any(|hit| run.is_seen(*hit))
        {
            return Ok(Ok(Vec::new()));
        }
        run.whole_text(&guard.engine)
    } else {
        match (&guard.engine, reach) {
            (Engine::Linear(linear), Reach::Hits(hits)) if is_dense(hits, view) => {
                run.sweep(linear, &guard.engine)?
            }
            (engine, Reach::Hits(hits)) => run.hit_lines(engine, hits)?,
            (Engine::Linear(linear), Reach::Everywhere) => run.sweep(linear, &guard.engine)?,
            (engine, Reach::Everywhere) => run.all_lines(engine)?,
        }
    };
    Ok(done.map(|()| run.matches))
}

/// Where nearly every line has a hit, looking at all lines at once is cheaper.
fn is_dense(hits: &[(u32, u32)], view: &str) -> bool {
    hits.len() > 256 && hits.len() > view.len() / 64
}

struct Run<'a> {
    raw: &'a str,
    view: &'a str,
    masked: bool,
    want: Want,
    matches: Vec<RegexMatch>,
    cancel: &'a AtomicBool,
    looked: usize,
}

impl Run<'_> {
    /// Whether a literal of the raw text is in the view as well.
    fn is_seen(&self, (start, len): (u32, u32)) -> bool {
        let range = start as usize..start as usize + len as usize;
        !self.masked || self.view.as_bytes()[range.clone()] == self.raw.as_bytes()[range]
    }

    fn look(&mut self) -> Result<(), Cancelled> {
        self.looked += 1;
        if self.looked.is_multiple_of(LINES_PER_LOOK) && self.cancel.load(Ordering::Relaxed) {
            return Err(Cancelled);
        }
        Ok(())
    }

    fn hit_lines(
        &mut self,
        engine: &Engine,
        hits: &[(u32, u32)],
    ) -> Result<Result<(), Stopped>, Cancelled> {
        let mut done = 0;
        for hit in hits {
            let at = hit.0 as usize;
            if at < done || !self.is_seen(*hit) {
                continue;
            }
            self.look()?;
            let line = Line::around(self.raw, at);
            if let Err(stopped) = self.line(engine, line) {
                return Ok(Err(stopped));
            }
            done = line.next;
        }
        Ok(Ok(()))
    }

    fn all_lines(&mut self, engine: &Engine) -> Result<Result<(), Stopped>, Cancelled> {
        for line in lines(self.raw) {
            self.look()?;
            if let Err(stopped) = self.line(engine, line) {
                return Ok(Err(stopped));
            }
        }
        Ok(Ok(()))
    }

    fn sweep(
        &mut self,
        linear: &Linear,
        engine: &Engine,
    ) -> Result<Result<(), Stopped>, Cancelled> {
        let Some(sweep) = linear.sweep() else {
            return self.all_lines(engine);
        };
        let mut from = 0;
        while let Some(found) = sweep.find_at(self.view, from) {
            self.look()?;
            let line = Line::around(self.view, found.start());
            if let Err(stopped) = self.line(engine, line) {
                return Ok(Err(stopped));
            }
            if line.is_last() {
                break;
            }
            from = line.next;
        }
        Ok(Ok(()))
    }

    fn line(&mut self, engine: &Engine, line: Line) -> Result<(), Stopped> {
        let view = line.content.of_bytes(self.view);
        let mut found = Vec::new();
        find_all(engine, view, self.want, &mut found)?;
        for groups in found {
            let groups = groups
                .into_iter()
                .map(|group| group.map(|span| span.shifted(line.content.start)))
                .collect();
            self.add(groups);
        }
        Ok(())
    }

    fn whole_text(&mut self, engine: &Engine) -> Result<(), Stopped> {
        let mut found = Vec::new();
        if self.view.contains('\r') {
            let unified = Unified::new(self.view);
            find_all(engine, &unified.text, self.want, &mut found)?;
            for groups in found {
                let groups = groups
                    .into_iter()
                    .map(|group| group.map(|span| unified.outer(span)))
                    .collect();
                self.add(groups);
            }
        } else {
            find_all(engine, self.view, self.want, &mut found)?;
            for groups in found {
                self.add(groups);
            }
        }
        Ok(())
    }

    fn add(&mut self, mut groups: Vec<Option<Span>>) {
        let Some(Some(matched)) = groups.first().copied() else {
            return;
        };
        if matched.is_empty() {
            let shown = self.widened(matched.start);
            self.matches.push(RegexMatch {
                shown,
                whole: matched,
                groups,
            });
            return;
        }
        let Some(whole) = self.without_masked_edges(matched) else {
            return;
        };
        let shown = without_line_endings(self.raw, whole);
        let shown = if shown.is_empty() {
            self.widened(shown.start)
        } else {
            shown
        };
        for group in &mut groups {
            *group = group.and_then(|span| match span.is_empty() {
                true => self.raw.is_char_boundary(span.start).then_some(span),
                false => self.without_masked_edges(span),
            });
        }
        if let Some(first) = groups.first_mut() {
            *first = Some(whole);
        }
        self.matches.push(RegexMatch {
            shown,
            whole,
            groups,
        });
    }

    /// Comments that became blanks are not part of what was matched when they
    /// stand at its edge, and nothing but such blanks is no match at all. What
    /// is left lies on character boundaries.
    fn without_masked_edges(&self, span: Span) -> Option<Span> {
        if !self.masked {
            return Some(span);
        }
        let (raw, view) = (self.raw.as_bytes(), self.view.as_bytes());
        let is_blank = |at: &usize| view[*at].is_ascii_whitespace();
        let is_masked = |at: &usize| !raw[*at].is_ascii_whitespace();
        let Some(first) = span.range().find(|at| !is_blank(at)) else {
            return (!span.range().any(|at| is_masked(&at))).then_some(span);
        };
        let last = span.range().rfind(|at| !is_blank(at)).unwrap_or(first);
        let start = (span.start..first).rfind(is_masked);
        let end = (last + 1..span.end).find(is_masked);
        let (start, end) = (
            start.map_or(span.start, |at| at + 1),
            end.unwrap_or(span.end),
        );
        let is_whole = self.raw.is_char_boundary(start) && self.raw.is_char_boundary(end);
        is_whole.then(|| Span::new(start, end))
    }

    /// One character at, or else before, an empty match; nothing on an empty
    /// line.
    fn widened(&self, at: usize) -> Span {
        let mut at = at;
        while !self.raw.is_char_boundary(at) {
            at -= 1;
        }
        let line = Line::around(self.raw, at).content;
        if at > line.end {
            return Span::empty(line.end);
        }
        if let Some(next) = self.raw[at..line.end].chars().next() {
            return Span::new(at, at + next.len_utf8());
        }
        match self.raw[line.start..at].chars().next_back() {
            Some(before) => Span::new(at - before.len_utf8(), at),
            None => Span::empty(at),
        }
    }
}

fn without_line_endings(text: &str, span: Span) -> Span {
    let matched = span.of(text);
    let end = span.start + matched.trim_end_matches(['\n', '\r']).len();
    let trimmed = text[span.start..end].trim_start_matches(['\n', '\r']).len();
    Span::new(end - trimmed, end)
}

fn find_all(
    engine: &Engine,
    text: &str,
    want: Want,
    found: &mut Vec<Vec<Option<Span>>>,
) -> Result<(), Stopped> {
    match (engine, want) {
        (Engine::Linear(linear), Want::Places) => {
            let regex = linear.matcher().ok_or(Stopped::TooLarge)?;
            found.extend(
                regex
                    .find_iter(text)
                    .map(|found| vec![Some(Span::from(found.range()))]),
            );
        }
        (Engine::Linear(linear), Want::Groups) => {
            let regex = linear.matcher().ok_or(Stopped::TooLarge)?;
            found.extend(regex.captures_iter(text).map(|captures| {
                captures
                    .iter()
                    .map(|group| group.map(|group| Span::from(group.range())))
                    .collect()
            }));
        }
        (Engine::Backtracking(regex), _) => {
            for captures in regex.captures_iter(text) {
                let captures = captures.map_err(|_| Stopped::TooSlow)?;
                found.push(
                    captures
                        .iter()
                        .map(|group| group.map(|group| Span::new(group.start(), group.end())))
                        .collect(),
                );
            }
        }
    }
    Ok(())
}

/// A text with all line endings as `\n`, and the way back to its offsets.
struct Unified {
    text: String,
    /// Offsets in `text` of the endings that were two bytes long.
    halved: Vec<usize>,
}

impl Unified {
    fn new(text: &str) -> Self {
        let mut unified = String::with_capacity(text.len());
        let mut halved = Vec::new();
        for line in lines(text) {
            unified.push_str(line.content.of_bytes(text));
            if !line.is_last() {
                if line.next - line.content.end == 2 {
                    halved.push(unified.len());
                }
                unified.push('\n');
            }
        }
        Self {
            text: unified,
            halved,
        }
    }

    fn outer(&self, span: Span) -> Span {
        let offset = |at: usize| at + self.halved.partition_point(|ending| *ending < at);
        Span::new(offset(span.start), offset(span.end))
    }
}

/// Slicing by a span of the raw text: a view has the same bytes at the same
/// places, but its own characters.
trait OfBytes {
    fn of_bytes(self, text: &str) -> &str;
}

impl OfBytes for Span {
    fn of_bytes(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}
