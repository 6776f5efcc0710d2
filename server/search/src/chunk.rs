//! Long texts in pieces that one vector can speak for. (search.md §10)

use asd_recipe::token_estimate;

/// The most tokens of a piece.
const LIMIT: usize = 512;
/// The most characters of a piece that has no better border.
const FIXED: usize = 2048;
/// The tokens at the end of a piece that the next one begins with.
const OVERLAP: usize = 50;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The piece.
    pub text: String,
    /// Its first and last line in the text, counted from 1.
    pub lines: (usize, usize),
}

/// The pieces of a text: the text itself when it is short, else its sections
/// (Markdown headings up to the third level, small neighbours together), and a
/// section that is too long at its line breaks. A fence is cut only when it is
/// too long by itself.
#[must_use]
pub fn chunk_text(text: &str) -> Vec<Chunk> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let lines: Vec<&str> = text.split('\n').collect();
    if token_estimate(text) <= LIMIT {
        return vec![Chunk {
            text: text.to_owned(),
            lines: (1, lines.len()),
        }];
    }
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut end = 0;
    for (from, to) in sections(&lines) {
        if end > start && tokens(&lines[start..to]) > LIMIT {
            push(&lines, start, end, &mut chunks);
            start = from;
        }
        end = to;
    }
    push(&lines, start, end, &mut chunks);
    chunks
}

/// The name of the `number`-th piece (counted from 0) of a file.
#[must_use]
pub fn chunk_id(path: &str, number: usize) -> String {
    format!("{}_{number}", path.replace('/', "_"))
}

fn tokens(lines: &[&str]) -> usize {
    token_estimate(&lines.join("\n"))
}

/// The line ranges of sections, by headings outside of fences.
fn sections(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut borders = vec![0];
    let mut fence: Option<&str> = None;
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim_start();
        match fence {
            Some(mark) if line.starts_with(mark) => fence = None,
            Some(_) => {}
            None => {
                fence = ["```", "~~~"]
                    .into_iter()
                    .find(|mark| line.starts_with(mark));
                let level = line.bytes().take_while(|b| *b == b'#').count();
                let is_heading = (1..=3).contains(&level) && line[level..].starts_with(' ');
                if is_heading && index > 0 {
                    borders.push(index);
                }
            }
        }
    }
    borders.push(lines.len());
    borders.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Adds the lines as one piece, or as several when they are too many.
fn push(lines: &[&str], start: usize, end: usize, chunks: &mut Vec<Chunk>) {
    let mut from = start;
    while from < end {
        let mut to = from;
        let mut chars = 0;
        let whole = tokens(&lines[from..end]) <= LIMIT;
        while to < end && (whole || to == from || chars + lines[to].len() <= FIXED) {
            chars += lines[to].len() + 1;
            to += 1;
        }
        let text = lines[from..to].join("\n");
        if text.chars().count() > FIXED && to == from + 1 {
            long_line(&text, from + 1, chunks);
        } else if !text.trim().is_empty() {
            chunks.push(Chunk {
                text,
                lines: (from + 1, to),
            });
        }
        if to >= end {
            return;
        }
        // The next piece begins with the last lines of this one.
        let mut back = to;
        while back > from + 1 && tokens(&lines[back - 1..to]) <= OVERLAP {
            back -= 1;
        }
        from = back;
    }
}

fn long_line(line: &str, number: usize, chunks: &mut Vec<Chunk>) {
    let chars: Vec<char> = line.chars().collect();
    for piece in chars.chunks(FIXED) {
        chunks.push(Chunk {
            text: piece.iter().collect(),
            lines: (number, number),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_piece() {
        let chunks = chunk_text("# A\ntext\n## B\nmore");
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].lines, (1, 4));
        assert_eq!(chunk_text(" \n"), []);
    }

    #[test]
    fn a_long_text_is_cut_at_its_headings() {
        let section = |name: &str| format!("## {name}\n{}\n", "word ".repeat(250));
        let text = section("One") + &section("Two") + &section("Three");
        let chunks = chunk_text(&text);
        let starts: Vec<&str> = chunks.iter().map(|chunk| &chunk.text[..6]).collect();
        assert_eq!(starts, ["## One", "## Two", "## Thr"]);
        assert!(
            chunks
                .iter()
                .all(|chunk| token_estimate(&chunk.text) <= LIMIT)
        );
    }

    #[test]
    fn small_sections_stay_together_and_fences_whole() {
        let mut text = String::new();
        for n in 0..40 {
            text += &format!(
                "### Part {n}\n```\n# not a heading\ncode {n}\n```\n{}\n",
                "word ".repeat(12)
            );
        }
        let chunks = chunk_text(&text);
        assert!(chunks.len() > 1 && chunks.len() < 10, "{}", chunks.len());
        for chunk in &chunks {
            assert!(chunk.text.starts_with("### Part"));
            assert_eq!(chunk.text.matches("```").count() % 2, 0);
        }
    }

    #[test]
    fn a_line_without_end_is_cut_too() {
        let chunks = chunk_text(&"字".repeat(5000));
        assert_eq!(chunks.len(), 3);
        assert!(
            chunks
                .iter()
                .all(|chunk| chunk.text.chars().count() <= FIXED)
        );
    }

    #[test]
    fn plain_text_overlaps() {
        let text: String = (0..300)
            .map(|n| format!("line number {n} of it\n"))
            .collect();
        let chunks = chunk_text(&text);
        for pair in chunks.windows(2) {
            assert!(pair[1].lines.0 <= pair[0].lines.1, "{pair:?}");
        }
        assert_eq!(chunks.last().unwrap().lines.1, 301);
    }

    #[test]
    fn pieces_are_named_by_path() {
        assert_eq!(chunk_id("a/b.md", 2), "a_b.md_2");
    }
}
