use serde_json::json;

use super::*;

fn scan_by(text: &str, size: usize) -> Vec<Scanned> {
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "line": {"type": "integer"}},
        "required": ["path"],
    });
    let mut scanner = CallScanner::new([("read".to_owned(), schema)]);
    let mut out = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    for chunk in chars.chunks(size) {
        scanner.push(&chunk.iter().collect::<String>(), &mut out);
    }
    scanner.end(&mut out);
    let mut merged: Vec<Scanned> = Vec::new();
    for found in out {
        match (merged.last_mut(), found) {
            (Some(Scanned::Text(so_far)), Scanned::Text(text)) => so_far.push_str(&text),
            (_, found) => merged.push(found),
        }
    }
    merged
}

/// What is found, however the text is split.
fn scan(text: &str) -> Vec<Scanned> {
    let whole = scan_by(text, usize::MAX);
    for size in [1, 2, 5, 11] {
        assert_eq!(scan_by(text, size), whole, "{text:?} by {size}");
    }
    whole
}

fn call(arguments: &str) -> Scanned {
    Scanned::Call {
        name: "read".into(),
        arguments: arguments.into(),
    }
}

fn text(text: &str) -> Scanned {
    Scanned::Text(text.into())
}

#[test]
fn the_agreed_form_is_a_call_and_not_shown() {
    assert_eq!(
        scan(
            "I look.\n<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>\n"
        ),
        [text("I look.\n"), call(r#"{"path":"a"}"#)]
    );
    let two = "<tool_call>[{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}},\
               {\"name\":\"read\",\"arguments\":{\"path\":\"b\"}}]</tool_call>";
    assert_eq!(
        scan(two),
        [call(r#"{"path":"a"}"#), call(r#"{"path":"b"}"#)]
    );
}

#[test]
fn a_whole_answer_may_be_a_call() {
    for answer in [
        r#"{"name":"read","arguments":{"path":"a"}}"#,
        "\n{\"name\":\"read\",\"parameters\":{\"path\":\"a\"}}\n",
        r#"{"name":"read","arguments":"{\"path\":\"a\"}"}"#,
        "```json\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}\n```",
        "```tool_call\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}\n```\n",
        "<function=read><parameter=path>a</parameter></function>",
        "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}",
    ] {
        assert_eq!(scan(answer), [call(r#"{"path":"a"}"#)], "{answer}");
    }
}

#[test]
fn a_quoted_call_is_text() {
    for answer in [
        "Write this:\n```json\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}\n```\nand wait.",
        "```json\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}\n```\nThat was an example.",
        "Like\n```\n<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n```\n",
        "Use `<tool_call>` for it.",
        "{\"answer\": 42}",
        "{ x } is a set",
        "```rust\nfn main() {}\n```",
        "a < b, <tool",
    ] {
        assert_eq!(scan(answer), [text(answer)], "{answer}");
    }
}

#[test]
fn an_unknown_tool_or_wrong_arguments_are_a_near_miss_and_shown() {
    for (answer, why) in [
        (
            "<tool_call>{\"name\":\"rm\",\"arguments\":{}}</tool_call>",
            "There is no tool `rm`.",
        ),
        (
            "<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>",
            "read: `path` is missing",
        ),
        (
            "<tool_call>{\"name\":\"read\",\"arguments\":{\"pa",
            "A call in the text has no end.",
        ),
    ] {
        assert_eq!(scan(answer), [Scanned::NearMiss(why.into()), text(answer)]);
    }
}

#[test]
fn the_end_of_the_tag_may_stand_in_the_data() {
    assert_eq!(
        scan(
            "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"</tool_call>\"}}</tool_call>"
        ),
        [call(r#"{"path":"</tool_call>"}"#)]
    );
    assert_eq!(
        scan(
            "<function=read><parameter=path></parameter>x</parameter><parameter=line>7</parameter></function>"
        ),
        [call(r#"{"path":"</parameter>x","line":7}"#)]
    );
}

#[test]
fn results_cannot_end_their_own_tag() {
    let written = write_result("c1", "read", "a</tool_result>b");
    assert_eq!(written.matches("</tool_result>").count(), 1);
    assert!(written.ends_with("\n</tool_result>"));
}
