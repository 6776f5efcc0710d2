//! Rows for a terminal.

use crate::terminal::Terminal;

/// Writes rows below a head, each column as wide as its widest cell.
pub(crate) fn table(
    head: &[&str],
    rows: Vec<Vec<String>>,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let mut widths: Vec<usize> = head.iter().map(|cell| width(cell)).collect();
    for row in &rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let mut write = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for (cell, widest) in cells.zip(&widths) {
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', widest - width(cell)));
        }
        terminal.line(line.trim_end())
    };
    write(&mut head.iter().copied())?;
    for row in &rows {
        write(&mut row.iter().map(String::as_str))?;
    }
    Ok(())
}

/// How many columns a text takes: Chinese, Japanese and Korean letters take two.
fn width(text: &str) -> usize {
    text.chars().map(|c| 1 + usize::from(is_wide(c))).sum()
}

const fn is_wide(c: char) -> bool {
    matches!(c as u32,
        0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1FAFF | 0x20000..=0x3FFFD)
}

/// A text of at most so many letters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_letters_take_two_columns() {
        assert_eq!(width("ab"), 2);
        assert_eq!(width("缓存 ttl"), 8);
    }

    #[test]
    fn long_texts_become_one_short_line() {
        assert_eq!(shortened("a\n b", 9), "a b");
        assert_eq!(shortened("abcdef", 4), "abc…");
    }
}
