//! The block of ours in `.gitignore`.

use crate::protect::{LineEnding, ending_of, with_ending};

const BEGIN: &str = "# >>> Alembic (managed block — do not edit) >>>";
const END: &str = "# <<< Alembic <<<";
const LINES: &str = ".asd/\n.env\n";

/// Why the file is left alone.
pub(crate) const BROKEN: &str = "malformed-block";

/// `text` with the block, put at its end or in the place of the one that is
/// there.
pub(crate) fn with_block(text: &str) -> Result<String, &'static str> {
    with_block_of(text, LINES)
}

/// The same with other lines between the borders.
pub(crate) fn with_block_of(text: &str, lines: &str) -> Result<String, &'static str> {
    let ending = ending_of([text]).unwrap_or(LineEnding::Lf);
    let block = with_ending(&format!("{BEGIN}\n{lines}{END}"), ending);
    if let Some((start, end)) = find(text)? {
        return Ok(format!("{}{block}{}", &text[..start], &text[end..]));
    }
    let newline = ending.text();
    let separator = if text.is_empty() || text.ends_with(&newline.repeat(2)) {
        String::new()
    } else if text.ends_with(newline) {
        newline.to_owned()
    } else {
        newline.repeat(2)
    };
    Ok(format!("{text}{separator}{block}{newline}"))
}

/// `text` without the block; `None` when it has none.
pub(crate) fn without_block(text: &str) -> Result<Option<String>, &'static str> {
    let Some((start, end)) = find(text)? else {
        return Ok(None);
    };
    let newline = ending_of([text]).unwrap_or(LineEnding::Lf).text();
    let rest = text[end..].strip_prefix(newline).unwrap_or(&text[end..]);
    let mut before = &text[..start];
    // The blank line in front was ours, if there is nothing behind.
    if rest.is_empty() && before.ends_with(&newline.repeat(2)) {
        before = &before[..before.len() - newline.len()];
    }
    Ok(Some(format!("{before}{rest}")))
}

/// From the first border to behind the second, without its line ending.
fn find(text: &str) -> Result<Option<(usize, usize)>, &'static str> {
    let mut open = None;
    let mut found = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match (line.trim(), open) {
            (BEGIN, None) if found.is_none() => open = Some(at),
            (END, Some(start)) => {
                let content = line.trim_end_matches(['\n', '\r']).len();
                found = Some((start, at + content));
                open = None;
            }
            (BEGIN | END, _) => return Err(BROKEN),
            _ => {}
        }
        at += line.len();
    }
    if open.is_some() {
        return Err(BROKEN);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_added_once_and_taken_away_again() {
        for text in ["", "target\n", "target", "a\r\nb\r\n"] {
            let with = with_block(text).unwrap();
            assert!(with.starts_with(text), "{with:?}");
            assert_eq!(with_block(&with), Ok(with.clone()));
            let without = without_block(&with).unwrap().unwrap();
            assert_eq!(without.trim_end(), text.trim_end());
        }
        assert_eq!(without_block("target\n"), Ok(None));
    }

    #[test]
    fn a_block_that_is_there_is_replaced_in_its_place() {
        let old = format!("a\n{BEGIN}\nold/\n{END}\nb\n");
        assert_eq!(
            with_block(&old).unwrap(),
            format!("a\n{BEGIN}\n.asd/\n.env\n{END}\nb\n")
        );
    }

    #[test]
    fn borders_that_do_not_match_stop_everything() {
        for text in [
            format!("{BEGIN}\nx\n"),
            format!("{END}\n"),
            format!("{END}\n{BEGIN}\n"),
        ] {
            assert_eq!(with_block(&text), Err(BROKEN));
        }
    }
}
