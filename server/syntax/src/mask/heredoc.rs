//! Where heredocs end.

use std::collections::HashMap;
use std::ops::Range;

use super::lexis::Interpolation;

/// A heredoc whose opener was read and whose body is still to come.
pub(super) struct Heredoc {
    /// Where the body starts.
    pub start: usize,
    /// Where the line that ends it ends.
    pub end: usize,
    /// The length of that line.
    pub terminator: usize,
    pub interpolation: Interpolation,
}

/// All lines that could end a heredoc, found once, so that many openers cost no
/// more than one.
pub(super) struct Terminators<'t> {
    lines: HashMap<&'t [u8], Vec<Range<usize>>>,
}

impl<'t> Terminators<'t> {
    pub fn new(bytes: &'t [u8]) -> Self {
        let mut lines: HashMap<&[u8], Vec<Range<usize>>> = HashMap::new();
        let mut start = 0;
        for line in bytes.split(|b| *b == b'\n') {
            let content = line.strip_suffix(b"\r").unwrap_or(line);
            let word = content.trim_ascii_start();
            if (1..=128).contains(&word.len()) {
                let line = start..start + content.len();
                lines.entry(word).or_default().push(line);
            }
            start += line.len() + 1;
        }
        Self { lines }
    }

    /// The first line at or after `from` that holds only `id`, which may be
    /// indented if said so.
    pub fn find(&self, id: &[u8], from: usize, indented: bool) -> Option<Range<usize>> {
        let lines = self.lines.get(id)?;
        let first = lines.partition_point(|line| line.start < from);
        lines[first..]
            .iter()
            .find(|line| indented || line.len() == id.len())
            .cloned()
    }
}
