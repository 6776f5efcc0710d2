//! Fix templates and the edits that come of them. (guard.md §6.1)

use asd_recipe::{FixKind, FixTemplate};
use asd_text::{LineEnding, Span, TextEdit, with_line_ending};

use crate::part::{Line, Part};

/// A template with its holes found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) kind: FixKind,
    pub(crate) safe: bool,
    blanks: Blanks,
    parts: Vec<TemplatePart>,
}

/// Whether a replacement changes blanks alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blanks {
    /// As the template of a regex has them: to trim a line or to part two signs
    /// may be all that it is for.
    Meant,
    /// As the code has them where the template of a code pattern differs in
    /// nothing else: how people write is none of its business.
    Free,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Hole(Hole),
}

/// A place of a template that the match fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hole {
    /// A group of a regex by index; 0 is the whole match.
    Group(usize),
    /// A metavariable, `A` for `$A`.
    Node(String),
    /// A metavariable for several nodes, `ARGS` for `$$$ARGS`.
    Nodes(String),
}

/// What a match puts in a hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Filling {
    /// A stretch of the text, which then stays where it is if it can.
    Source(Span),
    /// Something else.
    Text(String),
}

/// What a template may name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Names<'a> {
    /// The groups of a regex.
    Groups(&'a crate::compile::regex_guard::Groups),
    /// The metavariables of a pattern or rule.
    Metavariables(&'a [String]),
}

/// Where a template is put.
pub(crate) struct Site<'a, 't> {
    pub(crate) part: &'a Part<'t>,
    /// The whole match.
    pub(crate) whole: Span,
    /// Comments within the match that a replacement leaves alone.
    pub(crate) comments: &'a [Span],
}

impl Template {
    /// Reads a template; says as well which holes nothing fills. Those, and
    /// every other `$`, are text as they stand.
    pub(crate) fn new(template: &FixTemplate, names: Names<'_>) -> (Self, Vec<String>) {
        let mut reader = Reader {
            rest: &template.template,
            text: String::new(),
            parts: Vec::new(),
            unbound: Vec::new(),
        };
        while let Some(at) = reader.rest.find('$') {
            reader.text.push_str(&reader.rest[..at]);
            reader.rest = &reader.rest[at..];
            match names {
                Names::Groups(groups) => reader.group(groups),
                Names::Metavariables(names) => reader.metavariable(names),
            }
        }
        reader.text.push_str(reader.rest);
        // A block scalar in YAML ends with a line ending that nobody meant.
        if template.kind == FixKind::Replace {
            let end = reader.text.trim_end_matches(['\n', '\r']).len();
            reader.text.truncate(end);
        }
        reader.flush();
        let plan = Self {
            kind: template.kind,
            safe: template.safe,
            blanks: match names {
                Names::Groups(_) => Blanks::Meant,
                Names::Metavariables(_) => Blanks::Free,
            },
            parts: reader.parts,
        };
        (plan, reader.unbound)
    }

    /// Whether anything but the whole match is asked for.
    pub(crate) fn needs_groups(&self) -> bool {
        self.kind != FixKind::Remove
            && self.parts.iter().any(|part| {
                !matches!(
                    part,
                    TemplatePart::Text(_) | TemplatePart::Hole(Hole::Group(0))
                )
            })
    }

    /// The edits that apply the template, in order and without overlap; empty
    /// when the text is already as the template wants it.
    pub(crate) fn edits(
        &self,
        site: &Site<'_, '_>,
        fill: &dyn Fn(&Hole) -> Option<Filling>,
    ) -> Vec<TextEdit> {
        match self.kind {
            FixKind::Remove => vec![TextEdit::remove(removed(site.part.text, site.whole))],
            FixKind::InsertBefore | FixKind::InsertAfter => {
                let at = if self.kind == FixKind::InsertBefore {
                    site.whole.start
                } else {
                    site.whole.end
                };
                let text: String = self
                    .filled(site, fill)
                    .into_iter()
                    .map(|filling| match filling {
                        Filling::Source(span) => span.of(site.part.text).to_owned(),
                        Filling::Text(text) => text,
                    })
                    .collect();
                if text.is_empty() {
                    Vec::new()
                } else {
                    vec![TextEdit::insert(at, text)]
                }
            }
            FixKind::Replace => replacement(site, self.blanks, self.filled(site, fill)),
        }
    }

    fn filled(&self, site: &Site<'_, '_>, fill: &dyn Fn(&Hole) -> Option<Filling>) -> Vec<Filling> {
        let (ending, indentation) = surroundings(site.part, site.whole.start);
        self.parts
            .iter()
            .filter_map(|part| match part {
                TemplatePart::Text(text) => {
                    Some(Filling::Text(indented(text, ending, indentation)))
                }
                TemplatePart::Hole(hole) => fill(hole),
            })
            .collect()
    }
}

struct Reader<'a> {
    rest: &'a str,
    text: String,
    parts: Vec<TemplatePart>,
    unbound: Vec<String>,
}

impl Reader<'_> {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.parts
                .push(TemplatePart::Text(std::mem::take(&mut self.text)));
        }
    }

    fn hole(&mut self, hole: Hole, length: usize) {
        self.flush();
        self.parts.push(TemplatePart::Hole(hole));
        self.rest = &self.rest[length..];
    }

    fn plain(&mut self, length: usize) {
        let (text, rest) = self.rest.split_at(length);
        self.text.push_str(text);
        self.rest = rest;
    }

    /// `$` stands at the start of the rest.
    fn group(&mut self, groups: &crate::compile::regex_guard::Groups) {
        let after = &self.rest[1..];
        if let Some(digit) = after.chars().next().and_then(|c| c.to_digit(10)) {
            let index = digit as usize;
            if index < groups.count {
                self.hole(Hole::Group(index), 2);
            } else {
                self.unbound.push(format!("${index}"));
                self.plain(2);
            }
            return;
        }
        if let Some((name, _)) = after
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'))
        {
            let length = name.len() + 3;
            let index = name.parse().ok().filter(|index| *index < groups.count);
            let index = index.or_else(|| {
                let named = groups.names.iter().find(|(known, _)| known == name);
                named.map(|(_, index)| *index)
            });
            if let Some(index) = index {
                self.hole(Hole::Group(index), length);
                return;
            }
            // Only what could be the name of a group was meant as one.
            let mut chars = name.chars();
            if chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
                && chars.all(|c| c.is_alphanumeric() || c == '_')
            {
                self.unbound.push(format!("${{{name}}}"));
            }
            self.plain(length);
            return;
        }
        self.plain(1);
    }

    /// `$` stands at the start of the rest.
    fn metavariable(&mut self, names: &[String]) {
        let dollars = if self.rest.starts_with("$$$") { 3 } else { 1 };
        let name: &str = {
            let after = &self.rest[dollars..];
            let end = after
                .find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
                .unwrap_or(after.len());
            &after[..end]
        };
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            self.plain(dollars);
            return;
        }
        let length = dollars + name.len();
        if names.iter().any(|known| known == name) {
            let name = name.to_owned();
            let hole = if dollars == 3 {
                Hole::Nodes(name)
            } else {
                Hole::Node(name)
            };
            self.hole(hole, length);
        } else {
            self.unbound.push(self.rest[..length].to_owned());
            self.plain(length);
        }
    }
}

/// How lines end and begin where something is put.
fn surroundings<'t>(part: &Part<'t>, at: usize) -> (LineEnding, &'t str) {
    let text = part.text;
    let line = Line::around(text, at).content.of(text);
    let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let number = part.lines().line_of(at);
    (part.lines().line_ending(text, number), indentation)
}

fn indented(text: &str, ending: LineEnding, indentation: &str) -> String {
    if !text.contains(['\n', '\r']) {
        return text.to_owned();
    }
    let unified = with_line_ending(text, LineEnding::Lf);
    let mut lines = unified.split('\n').peekable();
    let mut result = lines.next().unwrap_or_default().to_owned();
    while let Some(line) = lines.next() {
        result.push_str(ending.as_str());
        // An empty line in the middle gets no trailing blanks; the last one is
        // followed by whatever comes after the template.
        if !line.is_empty() || lines.peek().is_none() {
            result.push_str(indentation);
        }
        result.push_str(line);
    }
    result
}

/// What is taken away with a match: the whole line when nothing else is on it,
/// else the blanks that would be left over.
fn removed(text: &str, whole: Span) -> Span {
    let first = Line::around(text, whole.start);
    // A match that ends with its line's ending does not touch the next line.
    let last_byte = whole.end.max(whole.start + 1) - 1;
    let last = Line::around(text, last_byte);
    let before = &text[first.content.start..whole.start];
    let end_of_content = last.content.end.max(whole.end);
    let after = text.get(whole.end..end_of_content).unwrap_or_default();
    if before.trim().is_empty() && after.trim().is_empty() && !whole.is_empty() {
        let mut start = first.content.start;
        // The last line of a text has no ending of its own; the one before it
        // goes instead.
        if last.is_last() && start > 0 {
            start = Line::around(text, start - 1).content.end;
        }
        return Span::new(start, last.next.max(whole.end));
    }
    let is_blank = |c: char| c == ' ' || c == '\t';
    let blanks_after = after.len() - after.trim_start_matches(is_blank).len();
    let blanks_before = before.len() - before.trim_end_matches(is_blank).len();
    if blanks_after == after.len() {
        return Span::new(whole.start - blanks_before, whole.end + blanks_after);
    }
    if blanks_after > 0 && (blanks_before > 0 || before.is_empty()) {
        return Span::new(whole.start, whole.end + blanks_after);
    }
    whole
}

/// Replaces a match piece by piece: what the template takes over from the text
/// in its order stays untouched, so that the fixes of what stands inside do not
/// collide with this one.
fn replacement(site: &Site<'_, '_>, blanks: Blanks, fillings: Vec<Filling>) -> Vec<TextEdit> {
    let text = site.part.text;
    let mut edits = Vec::new();
    let mut at = site.whole.start;
    let mut new = String::new();
    for filling in fillings {
        match filling {
            Filling::Source(span)
                if !span.is_empty() && span.start >= at && span.end <= site.whole.end =>
            {
                rewrite(site, blanks, Span::new(at, span.start), &new, &mut edits);
                new.clear();
                at = span.end;
            }
            Filling::Source(span) => new.push_str(span.of(text)),
            Filling::Text(filled) => new.push_str(&filled),
        }
    }
    rewrite(
        site,
        blanks,
        Span::new(at, site.whole.end),
        &new,
        &mut edits,
    );
    edits
}

/// Turns a gap between pieces into `new`, with as few bytes as possible, and
/// around the comments in it.
fn rewrite(site: &Site<'_, '_>, blanks: Blanks, gap: Span, new: &str, edits: &mut Vec<TextEdit>) {
    let text = site.part.text;
    let (gap, new) = match blanks {
        Blanks::Meant => (gap, new),
        Blanks::Free => without_own_blanks(text, gap, new),
    };
    let mut islands: Vec<Span> = Vec::new();
    for comment in site
        .comments
        .iter()
        .filter(|comment| gap.contains(**comment))
    {
        // The blanks around it are its own.
        // A line comment keeps its ending, which closes it.
        let line = Line::around(text, comment.end);
        let end = if line.content.end == comment.end && line.next <= gap.end {
            line.next
        } else {
            comment.end
        };
        let is_blank = |c: char| c == ' ' || c == '\t';
        let from = islands.last().map_or(gap.start, |island| island.end);
        let before = text[from..comment.start].trim_end_matches(is_blank).len();
        let after = &text[end..gap.end];
        let after = after.len() - after.trim_start_matches(is_blank).len();
        islands.push(Span::new(from + before, end + after));
    }
    let mut pieces = Vec::new();
    let mut from = gap.start;
    for island in &islands {
        pieces.push(Span::new(from, island.start));
        from = island.end;
    }
    pieces.push(Span::new(from, gap.end));
    let old: String = pieces.iter().map(|piece| piece.of(text)).collect();
    if old == new || (blanks == Blanks::Free && same_but_for_blanks(&old, new)) {
        return;
    }
    let prefix = common_prefix(&old, new);
    let suffix = common_suffix(&old[prefix..], &new[prefix..]);
    let (middle_start, middle_end) = (prefix, old.len() - suffix);
    let mut rest = Some(&new[prefix..new.len() - suffix]);
    let mut seen = 0;
    for piece in pieces {
        let start = middle_start.clamp(seen, seen + piece.len()) - seen;
        let end = middle_end.clamp(seen, seen + piece.len()) - seen;
        let holds_middle = middle_start <= seen + piece.len();
        seen += piece.len();
        let put = if holds_middle { rest.take() } else { None }.unwrap_or_default();
        if start < end || !put.is_empty() {
            let span = Span::new(piece.start + start, piece.start + end);
            edits.push(TextEdit::replace(span, put));
        }
    }
}

/// Blanks between a bracket and what stays next to it are how people write;
/// they are none of the template's business.
fn without_own_blanks<'n>(text: &str, gap: Span, new: &'n str) -> (Span, &'n str) {
    let old = gap.of(text);
    let (trimmed, bare) = (old.trim_end(), new.trim_end());
    let last = trimmed.chars().next_back();
    let is_sign = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric() && c != '_');
    let (gap, new) = if is_sign(last) && last == bare.chars().next_back() {
        (Span::new(gap.start, gap.start + trimmed.len()), bare)
    } else {
        (gap, new)
    };
    let old = gap.of(text);
    let (trimmed, bare) = (old.trim_start(), new.trim_start());
    let first = trimmed.chars().next();
    if is_sign(first) && first == bare.chars().next() {
        (Span::new(gap.end - trimmed.len(), gap.end), bare)
    } else {
        (gap, new)
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.chars()
        .zip(b.chars())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum()
}

fn common_suffix(a: &str, b: &str) -> usize {
    a.chars()
        .rev()
        .zip(b.chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum()
}

/// Whether two pieces of code differ only in blanks that do not part words.
fn same_but_for_blanks(a: &str, b: &str) -> bool {
    fn tokens(text: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        for word in text.split_whitespace() {
            let mut start = 0;
            let mut previous: Option<bool> = None;
            for (at, c) in word.char_indices() {
                let is_word = c.is_alphanumeric() || c == '_';
                // Every sign is a token: `- -a` is not `--a`.
                if previous.is_some_and(|previous| previous != is_word || !is_word) {
                    tokens.push(&word[start..at]);
                    start = at;
                }
                previous = Some(is_word);
            }
            tokens.push(&word[start..]);
        }
        tokens
    }
    // Signs that grow together mean something else, so only blanks next to
    // brackets, commas and words are free. A line ending in the template is
    // meant.
    let is_free = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_,;()[]{}.:".contains(c);
    a.chars().chain(b.chars()).all(is_free) && !b.contains('\n') && tokens(a) == tokens(b)
}

#[cfg(test)]
mod tests {
    use asd_syntax::Language;
    use asd_text::apply_edits;

    use super::*;
    use crate::compile::regex_guard::Groups;

    /// `[…]` marks the match, `<…>` the group 1 in it.
    fn fixed(marked: &str, kind: FixKind, template: &str) -> String {
        let mut text = String::new();
        let (mut whole, mut group) = (Span::default(), Span::default());
        for c in marked.chars() {
            match c {
                '[' => whole.start = text.len(),
                ']' => whole.end = text.len(),
                '<' => group.start = text.len(),
                '>' => group.end = text.len(),
                c => text.push(c),
            }
        }
        let groups = Groups {
            count: 2,
            names: vec![("name".to_owned(), 1)],
        };
        let template = FixTemplate {
            kind,
            template: template.to_owned(),
            safe: true,
        };
        let (template, _) = Template::new(&template, Names::Groups(&groups));
        let part = Part::new(Language::JavaScript, &text);
        let site = Site {
            part: &part,
            whole,
            comments: &[],
        };
        let edits = template.edits(&site, &|hole| match hole {
            Hole::Group(0) => Some(Filling::Source(whole)),
            _ => Some(Filling::Source(group)),
        });
        apply_edits(&text, &edits).unwrap()
    }

    #[test]
    fn groups_fill_their_holes_and_other_dollars_stay() {
        let fixed = |template| fixed("a [foo(<x>)] b", FixKind::Replace, template);
        assert_eq!(fixed("bar($1)"), "a bar(x) b");
        assert_eq!(fixed("${name}${name}"), "a xx b");
        assert_eq!(fixed("$0;$0"), "a foo(x);foo(x) b");
        assert_eq!(fixed(r"$ ${x} \$ $$ $a"), r"a $ ${x} \$ $$ $a b");
        assert_eq!(fixed("$7"), "a $7 b");
        assert_eq!(fixed("y\n"), "a y b");
    }

    #[test]
    fn the_template_of_a_regex_may_change_blanks_alone() {
        let fixed = |marked, template| fixed(marked, FixKind::Replace, template);
        assert_eq!(fixed("a;[  ]\nb", ""), "a;\nb");
        assert_eq!(fixed("[\t]a;", "    "), "    a;");
        assert_eq!(fixed("[if(]a)", "if ("), "if (a)");
        assert_eq!(fixed("f[( ]a)", "("), "f(a)");
        assert_eq!(fixed("f(a[ )]", ")"), "f(a)");
        assert_eq!(fixed("[<a>  ,]b", "$1,"), "a,b");
    }

    #[test]
    fn lines_of_a_template_take_indentation_and_ending_of_their_place() {
        assert_eq!(
            fixed("{\r\n\t  [foo]();\r\n}", FixKind::Replace, "a();\n\n  b"),
            "{\r\n\t  a();\r\n\r\n\t    b();\r\n}"
        );
        assert_eq!(
            fixed("{\n  [foo]();\n}", FixKind::InsertBefore, "// why\n"),
            "{\n  // why\n  foo();\n}"
        );
        assert_eq!(
            fixed("{\n  [foo();]\n}", FixKind::InsertAfter, "\nbar();"),
            "{\n  foo();\n  bar();\n}"
        );
    }

    #[test]
    fn a_removal_takes_the_line_when_nothing_else_is_on_it() {
        let removed = |marked| fixed(marked, FixKind::Remove, "");
        assert_eq!(removed("a\n  [b();]  \nc"), "a\nc");
        assert_eq!(removed("a\r\n[b]\r\nc"), "a\r\nc");
        assert_eq!(removed("a\n[b]"), "a");
        assert_eq!(removed("[b]"), "");
        assert_eq!(removed("[b\n]c"), "c");
        assert_eq!(removed("// [TODO] fix"), "// fix");
        assert_eq!(removed("[TODO] fix"), "fix");
        assert_eq!(removed("fix [TODO]"), "fix");
        assert_eq!(removed("f([x])"), "f()");
        assert_eq!(removed("f([x], y)"), "f(, y)");
    }

    #[test]
    fn unbound_names_are_told() {
        let groups = Groups {
            count: 2,
            names: Vec::new(),
        };
        let unbound = |text: &str| {
            let template = FixTemplate {
                template: text.to_owned(),
                ..FixTemplate::default()
            };
            Template::new(&template, Names::Groups(&groups)).1
        };
        assert_eq!(unbound("$0 $1"), Vec::<String>::new());
        assert_eq!(unbound("$2 ${who} ${a b}"), ["$2", "${who}"]);
        let names = ["A".to_owned()];
        let template = FixTemplate {
            template: "$A $$$ARGS $b $_X".to_owned(),
            ..FixTemplate::default()
        };
        let (_, unbound) = Template::new(&template, Names::Metavariables(&names));
        assert_eq!(unbound, ["$$$ARGS", "$_X"]);
    }

    #[test]
    fn a_gap_is_rewritten_around_its_comments() {
        let text = "console.log(/* why */ x, // no\n y)";
        let part = Part::new(Language::JavaScript, text);
        let comments = [Span::new(12, 21), Span::new(25, 30)];
        let site = Site {
            part: &part,
            whole: Span::new(0, text.len()),
            comments: &comments,
        };
        let x = Span::new(22, 23);
        let y = Span::new(32, 33);
        let edits = replacement(
            &site,
            Blanks::Free,
            vec![
                Filling::Text("logger.debug(".into()),
                Filling::Source(x),
                Filling::Text(", ".into()),
                Filling::Source(y),
                Filling::Text(")".into()),
            ],
        );
        assert_eq!(
            apply_edits(text, &edits).unwrap(),
            "logger.debug(/* why */ x, // no\n y)"
        );
    }
}
