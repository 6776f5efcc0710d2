//! What can be seen of a Markdown text line by line.

/// The things that a text holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// A heading outside of code.
    pub has_heading: bool,
    /// A fenced block of code.
    pub has_fence: bool,
    /// A list outside of code.
    pub has_list: bool,
}

/// What a text holds. Code hides what it shows.
pub(crate) fn shape(markdown: &str) -> Shape {
    let mut shape = Shape::default();
    let mut fence: Option<(char, usize)> = None;
    for line in markdown.lines() {
        let text = line.trim_start();
        let mark = text.chars().next().unwrap_or_default();
        let run = text.chars().take_while(|c| *c == mark).count();
        let is_fence = matches!(mark, '`' | '~') && run >= 3;
        if let Some((open, length)) = fence {
            if is_fence && mark == open && run >= length && text[run..].trim().is_empty() {
                fence = None;
            }
            continue;
        }
        if is_fence {
            fence = Some((mark, run));
            shape.has_fence = true;
        } else if mark == '#' && run <= 6 && text[run..].starts_with(' ') {
            shape.has_heading = true;
        } else if is_item(text) {
            shape.has_list = true;
        }
    }
    shape
}

fn is_item(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    if digits > 0 {
        rest.starts_with(". ") || rest.starts_with(") ")
    } else {
        ["- ", "* ", "+ "].iter().any(|mark| rest.starts_with(mark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_hides_what_it_shows() {
        let inside = shape("````\n# no\n- no\n```\n````\ntext");
        assert_eq!(
            inside,
            Shape {
                has_fence: true,
                ..Shape::default()
            }
        );
        assert!(shape("## yes\n1. one").has_heading);
        assert!(shape("1) one").has_list);
        assert!(!shape("#tag -x 1.5").has_heading);
    }
}
