//! Examples are cut from the code as it stands.

use super::candidate::{Example, place};
use super::corpus::{Corpus, MinedFile};
use super::draft::{Cut, Spot};

/// How many examples are kept of either sort.
const KEPT: usize = 2;
/// The longest example, in lines.
const LONGEST: u32 = 16;
/// The longest line of one, in bytes.
const WIDEST: usize = 160;

/// The shortest examples among these places, from different files where there
/// are several.
pub(super) fn cut(corpus: &Corpus, spots: &[Spot], how: Cut) -> Vec<Example> {
    let mut cuts: Vec<(usize, Spot, String)> = spots
        .iter()
        .filter_map(|&spot| {
            let file = &corpus.files[spot.file];
            let (first, last) = extent(file, spot, how)?;
            let text = dedented(file, first, last);
            let fits = !text.trim().is_empty()
                && text.lines().all(|line| line.len() <= WIDEST)
                && is_balanced(&text);
            let spot = Spot::lines(spot.file, first, last);
            fits.then_some((weight(&text), spot, text))
        })
        .collect();
    cuts.sort_by_key(|(weight, spot, _)| (*weight, *spot));
    let mut kept: Vec<(Spot, String)> = Vec::new();
    for (_, spot, text) in cuts {
        let is_new = kept
            .iter()
            .all(|(other, known)| other.file != spot.file && *known != text);
        if is_new {
            kept.push((spot, text));
        }
        if kept.len() == KEPT {
            break;
        }
    }
    kept.into_iter()
        .map(|(spot, text)| Example {
            place: place(corpus, spot),
            text,
        })
        .collect()
}

/// Very short pieces show as little as long ones: those near to four lines and
/// forty characters a line come first.
fn weight(text: &str) -> usize {
    text.lines().count() * 40 + text.len()
}

fn extent(file: &MinedFile, spot: Spot, how: Cut) -> Option<(u32, u32)> {
    match how {
        Cut::Nothing => None,
        Cut::Head => Some((1, spot.last.clamp(1, 8).min(file.line_count()))),
        Cut::Whole => (spot.last - spot.first < LONGEST).then_some((spot.first, spot.last)),
        Cut::Statement => {
            let end =
                (spot.first..=file.line_count().min(spot.first + LONGEST - 1)).find(|&end| {
                    let text: Vec<&str> = (spot.first..=end).map(|line| file.line(line)).collect();
                    is_balanced(&text.join("\n"))
                })?;
            Some((spot.first, end))
        }
    }
}

fn dedented(file: &MinedFile, first: u32, last: u32) -> String {
    let lines: Vec<&str> = (first..=last)
        .map(|line| file.line(line).trim_end())
        .collect();
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| blanks(line))
        .min()
        .unwrap_or(0);
    let cut: Vec<&str> = lines
        .iter()
        .map(|line| line.get(common..).unwrap_or(""))
        .collect();
    cut.join("\n")
}

/// Whether brackets outside of quotes close in the order in which they open.
pub(super) fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    let mut quote = None;
    let mut escaped = false;
    for c in text.chars() {
        if let Some(mark) = quote {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == mark || (c == '\n' && mark != '`') {
                quote = None;
            }
            continue;
        }
        match c {
            '"' | '`' => quote = Some(c),
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => {
                let wanted = match c {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop() != Some(wanted) {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty()
}
