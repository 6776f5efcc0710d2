use std::collections::BTreeMap;

use asd_text::Span;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

use super::{Entry, Node, Scalar, Style, Value};

/// How deep a front matter may be nested.
const MAX_DEPTH: usize = 32;
/// How many nodes aliases may add.
const MAX_ALIAS_NODES: usize = 10_000;
/// How many nodes a front matter may have at all.
const MAX_NODES: usize = 20_000;

/// Why a text could not be read as YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum YamlError {
    /// It is not YAML; the offset is where that was noticed.
    Syntax { at: usize, message: String },
    /// It is nested too deeply.
    TooDeep { at: usize },
    /// Its aliases expand to too much, or it has too many nodes.
    TooBig { at: usize },
}

/// Reads one YAML document. `base` is the place of `text` in its file; all
/// spans refer to the file.
pub(crate) fn load(text: &str, base: usize) -> Result<Node, YamlError> {
    let offsets = ByteOffsets::new(text, base);
    let mut builder = Builder {
        text,
        base,
        stack: Vec::new(),
        root: None,
        anchors: BTreeMap::new(),
        nodes: 0,
        alias_nodes: 0,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| syntax_error(&error, &offsets))?;
        let span = Span::new(
            offsets.byte(span.start.index()),
            offsets.byte(span.end.index().max(span.start.index())),
        );
        match event {
            Event::DocumentEnd => break,
            Event::Scalar(value, style, anchor, tag) => {
                let forced_text = tag.is_some_and(|tag| {
                    tag.suffix == "str" && (tag.is_yaml_core_schema() || tag.handle == "!!")
                });
                builder.scalar(value.into_owned(), style, forced_text, anchor, span)?;
            }
            Event::SequenceStart(anchor, _) => builder.open(Open::Seq(Vec::new()), anchor, span)?,
            Event::MappingStart(anchor, _) => {
                builder.open(Open::Map(Vec::new(), None), anchor, span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => builder.close(span)?,
            Event::Alias(id) => builder.alias(id, span)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
    }
    Ok(builder.root.unwrap_or_else(|| Node::null(base)))
}

fn syntax_error(error: &ScanError, offsets: &ByteOffsets) -> YamlError {
    let at = offsets.byte(error.marker().index());
    // The parser has a limit of its own, for brackets that it has not yet
    // reported.
    if error.info().contains("recursion limit") {
        return YamlError::TooDeep { at };
    }
    YamlError::Syntax {
        at,
        message: error.info().to_owned(),
    }
}

/// The parser counts characters; files are addressed in bytes.
struct ByteOffsets {
    base: usize,
    len: usize,
    /// The byte offset of each character; `None` when they are all ASCII.
    table: Option<Vec<usize>>,
}

impl ByteOffsets {
    fn new(text: &str, base: usize) -> Self {
        Self {
            base,
            len: text.len(),
            table: (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect()),
        }
    }

    fn byte(&self, character: usize) -> usize {
        let offset = match &self.table {
            None => character.min(self.len),
            Some(table) => table.get(character).copied().unwrap_or(self.len),
        };
        self.base + offset
    }
}

enum Open {
    Seq(Vec<Node>),
    Map(Vec<Entry>, Option<(String, Span)>),
}

struct Frame {
    open: Open,
    anchor: usize,
    start: usize,
    flow: bool,
}

struct Anchored {
    node: Node,
    nodes: usize,
    depth: usize,
}

struct Builder<'a> {
    text: &'a str,
    base: usize,
    stack: Vec<Frame>,
    root: Option<Node>,
    anchors: BTreeMap<usize, Anchored>,
    nodes: usize,
    alias_nodes: usize,
}

impl Builder<'_> {
    fn at(&self, offset: usize) -> &str {
        &self.text[offset - self.base..]
    }

    fn scalar(
        &mut self,
        value: String,
        style: ScalarStyle,
        forced_text: bool,
        anchor: usize,
        span: Span,
    ) -> Result<(), YamlError> {
        let start = self.skip_properties(span.start);
        let (span, style) = match style {
            ScalarStyle::Plain if value.is_empty() => {
                (Span::empty(self.place_of_nothing(span.start)), Style::Plain)
            }
            ScalarStyle::Plain => {
                let end = span.end.max(start);
                let style = if forced_text {
                    Style::Quoted
                } else {
                    Style::Plain
                };
                (Span::new(start, end), style)
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                (Span::new(start, self.end_of_quoted(start)), Style::Quoted)
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let start = self.block_header(span.start);
                let end = span.end.max(start);
                let body = &self.text[start - self.base..end - self.base];
                (
                    Span::new(start, start + body.trim_end().len()),
                    Style::Block,
                )
            }
        };
        let node = Node {
            value: Value::Scalar(Scalar { text: value, style }),
            span,
        };
        self.add(node, anchor, 1)
    }

    /// Where a value that is not there belongs: behind the colon of its key.
    fn place_of_nothing(&self, fallback: usize) -> usize {
        match self.stack.last() {
            Some(Frame {
                open: Open::Map(_, Some((_, key))),
                ..
            }) => {
                let rest = self.at(key.end);
                match rest.trim_start_matches([' ', '\t']) {
                    after if after.starts_with(':') => key.end + (rest.len() - after.len()) + 1,
                    _ => key.end,
                }
            }
            _ => fallback,
        }
    }

    /// Steps over an anchor and a tag in front of a node.
    fn skip_properties(&self, start: usize) -> usize {
        let mut rest = self.at(start);
        while rest.starts_with(['&', '!']) {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            rest = rest[end..].trim_start();
        }
        self.base + self.text.len() - rest.len()
    }

    /// Where the `|` or `>` of a block scalar stands; the parser reports where
    /// its content begins.
    fn block_header(&self, content: usize) -> usize {
        let start = self.skip_properties(content);
        if self.at(start).starts_with(['|', '>']) && start != content {
            return start;
        }
        let before = self.text[..content - self.base].trim_end();
        let line_start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let line = &before[line_start..];
        let line = line.find(" #").map_or(line, |comment| &line[..comment]);
        let header = line.rfind(['|', '>']).filter(|&at| {
            line[at + 1..]
                .trim_end()
                .bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-'))
        });
        header.map_or(content, |at| self.base + line_start + at)
    }

    fn end_of_quoted(&self, start: usize) -> usize {
        let text = self.at(start);
        let mut chars = text.char_indices();
        let Some((_, quote)) = chars.next() else {
            return start;
        };
        while let Some((at, c)) = chars.next() {
            if c == '\\' && quote == '"' {
                chars.next();
            } else if c == quote {
                let after = at + c.len_utf8();
                if quote == '\'' && text[after..].starts_with('\'') {
                    chars.next();
                } else {
                    return start + after;
                }
            }
        }
        start + text.len()
    }

    fn open(&mut self, open: Open, anchor: usize, span: Span) -> Result<(), YamlError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(YamlError::TooDeep { at: span.start });
        }
        let start = self.skip_properties(span.start);
        let bracket = match open {
            Open::Seq(_) => '[',
            Open::Map(..) => '{',
        };
        let flow = self.at(start).starts_with(bracket);
        self.stack.push(Frame {
            open,
            anchor,
            start,
            flow,
        });
        Ok(())
    }

    fn close(&mut self, span: Span) -> Result<(), YamlError> {
        let Some(frame) = self.stack.pop() else {
            return Ok(());
        };
        let (value, last) = match frame.open {
            Open::Seq(items) => {
                let last = items.last().map(|item| item.span.end);
                (Value::Seq(items), last)
            }
            Open::Map(entries, _) => {
                let last = entries.last().map(|entry| entry.value.span.end);
                (Value::Map(entries), last)
            }
        };
        let end = if frame.flow {
            // The closing bracket; the parser counts the blanks and the comment
            // behind it too.
            span.start + usize::from(!span.is_empty())
        } else {
            last.unwrap_or(frame.start)
        };
        let node = Node {
            value,
            span: Span::new(frame.start, end.max(frame.start)),
        };
        self.add(node, frame.anchor, 1)
    }

    fn alias(&mut self, id: usize, span: Span) -> Result<(), YamlError> {
        let Some(anchored) = self.anchors.get(&id) else {
            return Err(YamlError::Syntax {
                at: span.start,
                message: "an alias inside the node that it names".into(),
            });
        };
        if self.stack.len() + anchored.depth > MAX_DEPTH {
            return Err(YamlError::TooDeep { at: span.start });
        }
        let nodes = anchored.nodes;
        self.alias_nodes += nodes;
        if self.alias_nodes > MAX_ALIAS_NODES {
            return Err(YamlError::TooBig { at: span.start });
        }
        let node = Node {
            value: anchored.node.value.clone(),
            span,
        };
        self.add(node, 0, nodes)
    }

    fn add(&mut self, node: Node, anchor: usize, nodes: usize) -> Result<(), YamlError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(YamlError::TooBig {
                at: node.span.start,
            });
        }
        if anchor != 0 {
            let (nodes, depth) = size(&node);
            self.anchors.insert(
                anchor,
                Anchored {
                    node: node.clone(),
                    nodes,
                    depth,
                },
            );
        }
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Frame {
                open: Open::Seq(items),
                ..
            }) => items.push(node),
            Some(Frame {
                open: Open::Map(entries, key),
                ..
            }) => match key.take() {
                None => match node.value {
                    Value::Scalar(scalar) => *key = Some((scalar.text, node.span)),
                    Value::Seq(_) | Value::Map(_) => {
                        return Err(YamlError::Syntax {
                            at: node.span.start,
                            message: "a key must be text, not a list or a mapping".into(),
                        });
                    }
                },
                Some((name, key_span)) => entries.push(Entry {
                    key: name,
                    key_span,
                    value: node,
                }),
            },
        }
        Ok(())
    }
}

/// The number of nodes in a tree and its depth.
fn size(node: &Node) -> (usize, usize) {
    let mut nodes = 1;
    let mut depth = 0;
    let mut visit = |child: &Node| {
        let (child_nodes, child_depth) = size(child);
        nodes += child_nodes;
        depth = depth.max(child_depth);
    };
    match &node.value {
        Value::Scalar(_) => return (1, 0),
        Value::Seq(items) => items.iter().for_each(&mut visit),
        Value::Map(entries) => entries.iter().for_each(|entry| visit(&entry.value)),
    }
    (nodes, depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every node with the text that its span covers.
    fn outline(text: &str) -> String {
        fn walk(text: &str, node: &Node, path: &str, out: &mut String) {
            out.push_str(&format!("{path} = {:?}\n", node.span.of(text)));
            match &node.value {
                Value::Scalar(_) => {}
                Value::Seq(items) => {
                    for (index, item) in items.iter().enumerate() {
                        walk(text, item, &format!("{path}.{index}"), out);
                    }
                }
                Value::Map(entries) => {
                    for entry in entries {
                        assert_eq!(entry.key_span.of(text).trim_matches(['"', '\'']), entry.key);
                        walk(text, &entry.value, &format!("{path}.{}", entry.key), out);
                    }
                }
            }
        }
        let mut out = String::new();
        walk(text, &load(text, 0).unwrap(), "", &mut out);
        out
    }

    #[test]
    fn spans_are_bytes_in_text_of_any_script() {
        let text = "标题: 缓存 🍪  # 注释\r\n'quoted': 'it''s 🍪'   # c\r\ndouble: \"a \\\" b\"  \r\nnone:\r\nlist: [一, \"二\"] # c\r\nblock:\r\n  - x: 1\r\n    y: |\r\n      行1\r\n      行2\r\n\r\n  - z\r\nend: '*'\r\n";
        expect_test::expect![[r#"
             = "标题: 缓存 🍪  # 注释\r\n'quoted': 'it''s 🍪'   # c\r\ndouble: \"a \\\" b\"  \r\nnone:\r\nlist: [一, \"二\"] # c\r\nblock:\r\n  - x: 1\r\n    y: |\r\n      行1\r\n      行2\r\n\r\n  - z\r\nend: '*'"
            .标题 = "缓存 🍪"
            .quoted = "'it''s 🍪'"
            .double = "\"a \\\" b\""
            .none = ""
            .list = "[一, \"二\"]"
            .list.0 = "一"
            .list.1 = "\"二\""
            .block = "- x: 1\r\n    y: |\r\n      行1\r\n      行2\r\n\r\n  - z"
            .block.0 = "x: 1\r\n    y: |\r\n      行1\r\n      行2"
            .block.0.x = "1"
            .block.0.y = "|\r\n      行1\r\n      行2"
            .block.1 = "z"
            .end = "'*'"
        "#]]
        .assert_eq(&outline(text));
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line() {
        let node = load("a: 1\rb: é\r", 0).unwrap();
        assert_eq!(node.to_json(), serde_json::json!({"a": 1, "b": "é"}));
    }

    #[test]
    fn an_empty_value_stands_behind_its_colon() {
        let text = "a:   # nothing\nb :\nc: 1\n";
        let node = load(text, 0).unwrap();
        let spans: Vec<usize> = node
            .entries()
            .unwrap()
            .iter()
            .map(|e| e.value.span.start)
            .collect();
        assert_eq!(spans, [2, 18, 22]);
    }

    #[test]
    fn aliases_are_expanded_and_keep_their_place() {
        let text = "a: &x [1, 2]\nb: *x\nc: &y text\nd: !!str 12\n";
        let node = load(text, 0).unwrap();
        assert_eq!(
            node.to_json(),
            serde_json::json!({"a": [1, 2], "b": [1, 2], "c": "text", "d": "12"})
        );
        let entries = node.entries().unwrap();
        assert_eq!(entries[0].value.span.of(text), "[1, 2]");
        assert_eq!(entries[1].value.span.of(text), "*x");
        assert_eq!(entries[2].value.span.of(text), "text");
        assert_eq!(entries[3].value.span.of(text), "12");
    }

    #[test]
    fn a_billion_laughs_are_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..10 {
            let last = i - 1;
            let ten = vec![format!("*a{last}"); 10].join(", ");
            text.push_str(&format!("a{i}: &a{i} [{ten}]\n"));
        }
        assert!(matches!(load(&text, 0), Err(YamlError::TooBig { .. })));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let text = format!("a: {}", "[".repeat(5_000));
        assert!(matches!(load(&text, 0), Err(YamlError::TooDeep { .. })));
        assert!(load(&format!("{}1{}", "[".repeat(32), "]".repeat(32)), 0).is_ok());
    }
}
