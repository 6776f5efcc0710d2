//! Our section in a file that may hold more than that.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::protect::lines::{LineEnding, ending_of, with_ending, with_lf, without_bom};
use crate::protect::markers::{BEGIN, END, Found, Pair, scan};

/// Hashes of the section bodies that we wrote into a file.
pub(crate) type KnownBodies = BTreeSet<String>;

/// What is done with a file that has no markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unmarked {
    /// It is left alone.
    Skip,
    /// The section is put at its end.
    Append,
}

/// A file with its new section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SectionChange {
    pub text: String,
    /// What was put between the end of the file and the section.
    pub separator: Option<String>,
}

/// Why a file is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    UserOwned,
    /// The line of the marker that is wrong.
    Malformed(usize),
    /// The line of the fence that stays open.
    OpenFence(usize),
    /// A second section holds text that we did not write; its line.
    ForeignSection(usize),
}

impl Refusal {
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::UserOwned => "user-owned",
            Self::Malformed(_) => "malformed-markers",
            Self::OpenFence(_) => "unclosed-fence",
            Self::ForeignSection(_) => "several-sections",
        }
    }

    pub(crate) const fn line(self) -> Option<usize> {
        match self {
            Self::UserOwned => None,
            Self::Malformed(line) | Self::OpenFence(line) | Self::ForeignSection(line) => {
                Some(line)
            }
        }
    }
}

/// How a section body is known again: with LF, whatever the file has.
pub(crate) fn body_hash(body: &str) -> String {
    let digest = Sha256::digest(with_lf(body).as_bytes());
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A file that holds the section and nothing else.
pub(crate) fn new_file(body: &str) -> String {
    format!("{BEGIN}\n{body}{END}\n")
}

/// `text` with `body` (which has LF and ends with one) as its section.
/// Everything outside stays byte for byte. `known` are the bodies that we wrote
/// here before; `repair` closes a section whose end is missing, if nothing but
/// such a body follows.
pub(crate) fn with_section(
    text: &str,
    body: &str,
    unmarked: Unmarked,
    known: &KnownBodies,
    repair: bool,
) -> Result<SectionChange, Refusal> {
    let scan = scan(text);
    let pairs = match scan.found {
        Found::Pairs(pairs) => pairs,
        Found::Malformed { line, open_body } => {
            if repair && let Some(at) = open_body {
                return repaired(text, at, body, known).ok_or(Refusal::Malformed(line));
            }
            return Err(Refusal::Malformed(line));
        }
    };
    let Some((first, others)) = pairs.split_first() else {
        if is_legacy(text) && known.is_empty() {
            return Ok(rewritten(text, body));
        }
        return match (unmarked, scan.open_fence) {
            (Unmarked::Skip, _) => Err(Refusal::UserOwned),
            // A marker in code would never be found again.
            (Unmarked::Append, Some(line)) => Err(Refusal::OpenFence(line)),
            (Unmarked::Append, None) => Ok(appended(text, body)),
        };
    };
    if let Some(foreign) = others
        .iter()
        .find(|pair| !known.contains(&body_hash(&text[pair.body.clone()])))
    {
        let line = crate::protect::lines::lines(&text[..foreign.whole.start]).count() + 1;
        return Err(Refusal::ForeignSection(line));
    }
    let outside = outside(text, &pairs);
    let ending = ending_of(outside)
        .or_else(|| ending_of([&text[first.whole.start..first.body.start]]))
        .unwrap_or(LineEnding::Lf);
    let mut out = String::with_capacity(text.len() + body.len());
    out.push_str(&text[..first.body.start]);
    out.push_str(&with_ending(body, ending));
    let mut at = first.body.end;
    for other in others {
        out.push_str(&text[at..other.whole.start]);
        at = other.whole.end;
    }
    out.push_str(&text[at..]);
    Ok(SectionChange {
        text: out,
        separator: None,
    })
}

/// The parts of a text that lie outside of all sections.
fn outside<'t>(text: &'t str, pairs: &[Pair]) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut at = 0;
    for pair in pairs {
        parts.push(&text[at..pair.whole.start]);
        at = pair.whole.end;
    }
    parts.push(&text[at..]);
    parts
}

/// Whether a file was written as a whole by an earlier version: our comment is
/// the first thing in it, maybe below a title.
fn is_legacy(text: &str) -> bool {
    without_bom(text)
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(2)
        .take_while(|line| line.starts_with('#') || line.starts_with("<!--"))
        .any(|line| line.starts_with("<!--") && super::is_signed_text(line))
}

fn rewritten(text: &str, body: &str) -> SectionChange {
    let ending = ending_of([text]).unwrap_or(LineEnding::Lf);
    let bom = &text[..text.len() - without_bom(text).len()];
    SectionChange {
        text: format!("{bom}{}", with_ending(&new_file(body), ending)),
        separator: None,
    }
}

fn appended(text: &str, body: &str) -> SectionChange {
    let most = ending_of([text]).unwrap_or(LineEnding::Lf);
    // What is put between text and section has a vote the next time. With the
    // wrong ending it would even join a lone CR at the end of the text.
    let stays = |change: &SectionChange, ending| {
        let Found::Pairs(pairs) = scan(&change.text).found else {
            return false;
        };
        ending_of(outside(&change.text, &pairs)).is_none_or(|voted| voted == ending)
    };
    [most, LineEnding::Lf, LineEnding::CrLf, LineEnding::Cr]
        .into_iter()
        .map(|ending| (appended_with(text, body, ending), ending))
        .find(|(change, ending)| stays(change, *ending))
        .map_or_else(|| appended_with(text, body, most), |(change, _)| change)
}

fn appended_with(text: &str, body: &str, ending: LineEnding) -> SectionChange {
    let newline = ending.text();
    let last = crate::protect::lines::lines(text).last();
    let ends = text.ends_with(['\n', '\r']);
    let ends_blank = ends && last.is_some_and(|line| line.text.trim().is_empty());
    let separator = if without_bom(text).is_empty() || ends_blank {
        String::new()
    } else if ends {
        newline.to_owned()
    } else {
        newline.repeat(2)
    };
    SectionChange {
        text: format!("{text}{separator}{}", with_ending(&new_file(body), ending)),
        separator: Some(separator),
    }
}

fn repaired(text: &str, at: usize, body: &str, known: &KnownBodies) -> Option<SectionChange> {
    let rest = &text[at..];
    let ended = if rest.ends_with(['\n', '\r']) {
        rest.to_owned()
    } else {
        format!("{rest}\n")
    };
    if !known.contains(&body_hash(&ended)) {
        return None;
    }
    let ending = ending_of([text]).unwrap_or(LineEnding::Lf);
    Some(SectionChange {
        text: format!(
            "{}{}",
            &text[..at],
            with_ending(&format!("{body}{END}\n"), ending)
        ),
        separator: None,
    })
}

/// `text` without its sections; `separator` is what we put in front of one that
/// we appended. `None` when it has none.
pub(crate) fn cut_section(text: &str, separator: Option<&str>) -> Result<Option<String>, Refusal> {
    let pairs = match scan(text).found {
        Found::Pairs(pairs) if pairs.is_empty() => return Ok(None),
        Found::Pairs(pairs) => pairs,
        Found::Malformed { line, .. } => return Err(Refusal::Malformed(line)),
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for pair in &pairs {
        out.push_str(&text[at..pair.whole.start]);
        at = pair.whole.end;
    }
    if at == text.len()
        && let Some(separator) = separator
        && let Some(rest) = out.strip_suffix(separator)
    {
        out.truncate(rest.len());
    }
    out.push_str(&text[at..]);
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BODY: &str = "new $1 $& \\0\nbody\n";

    fn change(text: &str, unmarked: Unmarked) -> Result<String, Refusal> {
        with_section(text, BODY, unmarked, &KnownBodies::new(), false).map(|change| change.text)
    }

    #[test]
    fn one_pair_is_replaced_and_all_else_stays() {
        assert_eq!(
            change(
                "a\n<!-- asd:begin -->\nold\n<!-- asd:end -->\nb",
                Unmarked::Skip
            ),
            Ok(format!("a\n<!-- asd:begin -->\n{BODY}<!-- asd:end -->\nb"))
        );
    }

    #[test]
    fn a_file_with_crlf_gets_a_section_with_crlf() {
        let text = "\u{feff}a\r\n<!-- asd:begin -->\r\nold\r\n<!-- asd:end -->\r\nb\r\n";
        let out = change(text, Unmarked::Skip).unwrap();
        assert!(!out.replace("\r\n", "").contains('\n'), "{out:?}");
        assert!(
            out.starts_with("\u{feff}a\r\n<!-- asd:begin -->\r\nnew"),
            "{out:?}"
        );
        assert!(out.ends_with("<!-- asd:end -->\r\nb\r\n"), "{out:?}");
    }

    #[test]
    fn in_a_mixed_file_most_lines_decide_and_the_section_does_not_vote() {
        let text = "a\r\nb\r\nc\n<!-- asd:begin -->\n1\n2\n3\n<!-- asd:end -->\r\n";
        let out = change(text, Unmarked::Skip).unwrap();
        assert!(out.contains("new $1 $& \\0\r\nbody\r\n"), "{out:?}");
        assert_eq!(change(&out, Unmarked::Skip), Ok(out.clone()));
    }

    #[test]
    fn without_markers_the_file_is_skipped_or_gets_a_section_at_its_end() {
        assert_eq!(change("hello", Unmarked::Skip), Err(Refusal::UserOwned));
        let section = new_file(BODY);
        assert_eq!(
            change("hello", Unmarked::Append),
            Ok(format!("hello\n\n{section}"))
        );
        assert_eq!(
            change("hello\n", Unmarked::Append),
            Ok(format!("hello\n\n{section}"))
        );
        assert_eq!(
            change("hello\n\n", Unmarked::Append),
            Ok(format!("hello\n\n{section}"))
        );
        assert_eq!(change("", Unmarked::Append), Ok(section.clone()));
    }

    #[test]
    fn markers_that_do_not_match_stop_everything() {
        for (text, line) in [
            ("a\n<!-- asd:begin -->\nb\n", 2),
            ("<!-- asd:end -->\n", 1),
            ("<!-- asd:end -->\n<!-- asd:begin -->\n", 1),
            (
                "<!-- asd:begin -->\n<!-- asd:begin -->\n<!-- asd:end -->\n",
                2,
            ),
        ] {
            assert_eq!(
                change(text, Unmarked::Append),
                Err(Refusal::Malformed(line)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_lone_begin_is_closed_only_when_we_wrote_what_follows() {
        let known = KnownBodies::from([body_hash("old\n")]);
        let repair = |text: &str| with_section(text, BODY, Unmarked::Skip, &known, true);
        for text in [
            "a\n<!-- asd:begin -->\nold\n",
            "a\r\n<!-- asd:begin -->\r\nold",
        ] {
            let out = repair(text).unwrap().text;
            assert!(out.trim_end().ends_with(END), "{out:?}");
        }
        assert_eq!(
            repair("a\n<!-- asd:begin -->\nold\nmine\n"),
            Err(Refusal::Malformed(2))
        );
        assert_eq!(
            with_section(
                "<!-- asd:begin -->\nold\n",
                BODY,
                Unmarked::Skip,
                &known,
                false
            ),
            Err(Refusal::Malformed(1))
        );
    }

    #[test]
    fn a_second_section_goes_only_when_we_wrote_it() {
        let text = "<!-- asd:begin -->\nx\n<!-- asd:end -->\nmine\n<!-- asd:begin -->\nold\n<!-- asd:end -->\nalso\n";
        assert_eq!(
            change(text, Unmarked::Skip),
            Err(Refusal::ForeignSection(5))
        );
        let known = KnownBodies::from([body_hash("old\n")]);
        let out = with_section(text, BODY, Unmarked::Skip, &known, false)
            .unwrap()
            .text;
        assert_eq!(out, format!("{}mine\nalso\n", new_file(BODY)));
    }

    #[test]
    fn a_file_of_an_earlier_version_is_rewritten_once() {
        let legacy = "# Title\r\n<!-- auto-generated by [alembic] -->\r\nold\r\n";
        let out = change(legacy, Unmarked::Skip).unwrap();
        assert_eq!(out, new_file(BODY).replace('\n', "\r\n"));
        // Whoever took our markers away keeps what is there.
        let known = KnownBodies::from([body_hash("old\n")]);
        assert_eq!(
            with_section(legacy, BODY, Unmarked::Skip, &known, false),
            Err(Refusal::UserOwned)
        );
        assert_eq!(
            change(
                "My notes.\n<!-- auto-generated by [alembic] -->\n",
                Unmarked::Skip
            ),
            Err(Refusal::UserOwned)
        );
    }

    #[test]
    fn an_open_fence_would_hide_the_section() {
        assert_eq!(
            change("a\n```\nb\n", Unmarked::Append),
            Err(Refusal::OpenFence(2))
        );
    }

    #[test]
    fn cutting_gives_back_what_was_there_before() {
        for text in ["hello", "hello\n", "hello\n\n", "a\r\nb", "", "\u{feff}"] {
            let added =
                with_section(text, BODY, Unmarked::Append, &KnownBodies::new(), false).unwrap();
            let cut = cut_section(&added.text, added.separator.as_deref()).unwrap();
            assert_eq!(cut.as_deref(), Some(text));
        }
        assert_eq!(cut_section("nothing here", None), Ok(None));
        assert!(cut_section("<!-- asd:begin -->\n", None).is_err());
    }

    proptest! {
        #[test]
        fn any_text_survives_a_section(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "\n", "\r\n", "\r", "```", "~~~", "# T", " ", "词", "\u{feff}", "`", "$&",
                    "<!-- asd:begin -->", "<!-- asd:end -->", "<!-- auto-generated by [alembic] -->",
                ]),
                0..40,
            ),
        ) {
            let text: String = pieces.concat();
            let first = with_section(&text, BODY, Unmarked::Append, &KnownBodies::new(), false);
            if let Ok(change) = first {
                let known = KnownBodies::from([body_hash(BODY)]);
                let second = with_section(&change.text, BODY, Unmarked::Append, &known, false);
                prop_assert_eq!(second.map(|change| change.text), Ok(change.text.clone()));
                let other = with_section(&change.text, "x\n", Unmarked::Append, &known, false).unwrap();
                let back = with_section(&other.text, BODY, Unmarked::Append, &known, false).unwrap();
                prop_assert_eq!(&back.text, &change.text);
                if change.separator.is_some() {
                    let cut = cut_section(&change.text, change.separator.as_deref());
                    prop_assert_eq!(cut, Ok(Some(text)));
                }
            }
        }
    }
}
