use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::accumulate::{Accumulator, CallState};
use crate::host::VirtualHost;
use crate::providers::{OpenAi, Wire};
use crate::wire::Frame;

fn read(chunks: &[&str], cumulative: bool, fault: Option<StreamError>) -> Vec<StreamEvent> {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let expected = Expectation {
        cumulative,
        input_estimate: 7,
        scanner: Some(CallScanner::new([("read".to_owned(), schema)])),
        text_calls_agreed: false,
    };
    let mut normaliser = Normaliser::new(Arc::new(VirtualHost::default()), expected);
    let wire = OpenAi {
        path: String::new(),
        limit: "max_tokens",
        extras: false,
    };
    let mut reader = wire.reader();
    let (mut pieces, mut events) = (Vec::new(), Vec::new());
    for chunk in chunks {
        let frame = Frame {
            event: None,
            data: (*chunk).to_owned(),
        };
        reader.read(&frame, &mut pieces);
    }
    for piece in pieces {
        normaliser.take(piece, &mut events);
    }
    normaliser.end(fault, &mut events);
    events
}

/// Events in a line; deltas of one block are joined, usage is left out.
fn show(events: &[StreamEvent]) -> String {
    let mut shown: Vec<String> = Vec::new();
    for event in events {
        let (next, joins) = match event {
            StreamEvent::ContentStart { index } => (format!("text{index}="), false),
            StreamEvent::ContentDelta { text, .. } => (text.clone(), true),
            StreamEvent::ToolUseStart { index, id, name } => {
                let id = if id.starts_with("call_") {
                    "made-up"
                } else {
                    id
                };
                (format!("call{index}:{id}:{name}="), false)
            }
            StreamEvent::ToolUseDelta { index, json } => {
                let begin = format!("call{index}:");
                let block = shown
                    .iter_mut()
                    .rev()
                    .find(|block| block.starts_with(&begin));
                block.expect("a delta follows its start").push_str(json);
                continue;
            }
            StreamEvent::ContentStop { index } | StreamEvent::ToolUseStop { index } => {
                (format!("stop{index}"), false)
            }
            StreamEvent::ThinkingDelta { text, .. } => (format!("think={text}"), false),
            StreamEvent::Usage { .. } => continue,
            StreamEvent::Complete { reason } => (format!("{reason:?}"), false),
            StreamEvent::Error(error) => (format!("!{:?}", error.code), false),
            StreamEvent::Warning { code, .. } => (format!("?{code:?}"), false),
        };
        match shown.last_mut() {
            Some(last) if joins => last.push_str(&next),
            _ => shown.push(next),
        }
    }
    shown.join(" ")
}

fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#)
}

fn finish(reason: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#)
}

fn check(deltas: &[&str], reason: &str, expected: &str) {
    let mut chunks: Vec<String> = deltas.iter().map(|text| delta(text)).collect();
    chunks.push(finish(reason));
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    assert_eq!(show(&read(&chunks, false, None)), expected, "{deltas:?}");
}

#[test]
fn every_habit_becomes_the_one_grammar() {
    let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":""}}]}"#;
    // An empty id and name on later deltas are absent ones.
    check(
        &[
            call,
            r#"{"tool_calls":[{"index":0,"id":"","function":{"name":null,"arguments":"{\"path\":"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":null,"function":{"name":"","arguments":"\"x\"}"}}]}"#,
        ],
        "tool_calls",
        r#"call0:a:read={"path":"x"} stop0 ToolUse"#,
    );
    // No id at all, two calls in parallel.
    check(
        &[
            r#"{"tool_calls":[{"index":0,"function":{"name":"read","arguments":"{"}},{"index":1,"function":{"name":"read","arguments":"{"}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}"#,
        ],
        "tool_calls",
        "call0:made-up:read={} call1:made-up:read={} stop0 stop1 ToolUse",
    );
    // An index that begins at 1 and has holes.
    check(
        &[
            r#"{"tool_calls":[{"index":1,"id":"a","function":{"name":"read","arguments":"{}"}}]}"#,
            r#"{"tool_calls":[{"index":7,"id":"b","function":{"name":"read","arguments":"{}"}}]}"#,
        ],
        "tool_calls",
        "call0:a:read={} call1:b:read={} stop0 stop1 ToolUse",
    );
    // Every call has the index 0 and an id of its own.
    check(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"read","arguments":"{}"}}]}"#,
        ],
        "tool_calls",
        "call0:a:read={} call1:b:read={} stop0 stop1 ToolUse",
    );
    // Arguments alone belong to the newest call, or to none.
    check(
        &[call, r#"{"tool_calls":[{"function":{"arguments":"{}"}}]}"#],
        "tool_calls",
        "call0:a:read={} stop0 ToolUse",
    );
    check(
        &[r#"{"tool_calls":[{"function":{"arguments":"{}"}}]}"#],
        "stop",
        "?OrphanDelta End",
    );
    // Arguments as an object.
    check(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":{"path":"x"}}}]}"#,
        ],
        "tool_calls",
        r#"call0:a:read={"path":"x"} stop0 ToolUse"#,
    );
    // Arguments before the name.
    check(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"name":"read","arguments":"}"}}]}"#,
        ],
        "tool_calls",
        "call0:a:read={} stop0 ToolUse",
    );
    // An empty list of calls.
    check(
        &[r#"{"content":"hi","tool_calls":[]}"#],
        "stop",
        "text0=hi stop0 End",
    );
    // A reason that does not fit.
    check(&[call], "stop", "call0:a:read= stop0 ToolUse");
    check(&[r#"{"content":"hi"}"#], "tool_calls", "text0=hi stop0 End");
    check(&[], "tool_calls", "End");
    // Reasoning in each of its places.
    for key in ["reasoning_content", "reasoning", "thinking"] {
        check(
            &[&format!(r#"{{"{key}":"hm"}}"#), r#"{"content":"hi"}"#],
            "stop",
            "think=hm text0=hi stop0 End",
        );
    }
    check(
        &[
            r#"{"content":"<th"}"#,
            r#"{"content":"ink>hm</think>\n\nhi"}"#,
        ],
        "stop",
        "think=hm text0=hi stop0 End"
            .replace("text0=hi", "text0=\n\nhi")
            .as_str(),
    );
    check(
        &[r#"{"content":"<think>hm"}"#, call],
        "tool_calls",
        "think=hm call0:a:read= stop0 ToolUse",
    );
    check(&[r#"{"content":"<think>hm"}"#], "stop", "think=hm End");
    // A limit that was reached in a call leaves that call open.
    check(&[call], "length", "call0:a:read= MaxTokens");
    // Both forms of the same call, every delta with its id and name.
    let both = |arguments: &str| {
        let function = format!(r#"{{"name":"read","arguments":"{arguments}"}}"#);
        format!(
            r#"{{"function_call":{function},"tool_calls":[{{"index":0,"id":"a","function":{function}}}]}}"#
        )
    };
    check(
        &[&both("{"), &both("}"), &both("")],
        "tool_calls",
        "call0:a:read={} stop0 ToolUse",
    );
    // The old form of calls.
    check(
        &[r#"{"function_call":{"name":"read","arguments":"{}"}}"#],
        "function_call",
        "call0:made-up:read={} stop0 ToolUse",
    );
}

#[test]
fn a_call_that_leaked_into_the_text_is_promoted() {
    check(
        &[
            r#"{"content":"{\"name\":\"read\","}"#,
            r#"{"content":"\"arguments\":{\"path\":\"a\"}}"}"#,
        ],
        "stop",
        r#"?PromotedTextCall call0:made-up:read={"path":"a"} stop0 ToolUse"#,
    );
    let quoted = "See:\\n```json\\n{\\\"name\\\":\\\"read\\\",\\\"arguments\\\":{}}\\n```\\nDone.";
    check(
        &[&format!(r#"{{"content":"{quoted}"}}"#)],
        "stop",
        "text0=See:\n```json\n{\"name\":\"read\",\"arguments\":{}}\n```\nDone. stop0 End",
    );
}

#[test]
fn snapshots_become_deltas() {
    let chunks = [
        delta(r#"{"content":"a"}"#),
        delta(r#"{"content":"abc"}"#),
        delta(r#"{"content":"ab"}"#),
        delta(r#"{"content":"abcd"}"#),
        finish("stop"),
    ];
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    assert_eq!(show(&read(&chunks, true, None)), "text0=abcd stop0 End");
}

fn usages(chunks: &[&str]) -> Vec<(u64, u64, u64, bool)> {
    let events = read(chunks, false, None);
    let usages = events.iter().filter_map(|event| match event {
        StreamEvent::Usage {
            usage, estimated, ..
        } => Some((usage.input, usage.output, usage.cache_read, *estimated)),
        _ => None,
    });
    usages.collect()
}

#[test]
fn usage_may_come_late_often_or_never() {
    let text = delta(r#"{"content":"hello"}"#);
    let end = finish("stop");
    assert_eq!(usages(&[&text, &end]), [(7, 2, 0, true)]);
    assert_eq!(
        usages(&[
            &text,
            &end,
            r#"{"choices":[],"usage":null}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":900}}}"#,
            "[DONE]",
        ]),
        [(100, 10, 900, false)]
    );
    assert_eq!(
        usages(&[
            &end,
            r#"{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10,"prompt_cache_hit_tokens":600,"prompt_cache_miss_tokens":400}}"#,
        ]),
        [(400, 10, 600, false)]
    );
    let shrinks = read(
        &[
            r#"{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":60}}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10}}"#,
            &end,
        ],
        false,
        None,
    );
    assert_eq!(show(&shrinks), "?UsageNegative End");
}

#[test]
fn an_answer_is_whole_when_its_reason_is_known() {
    let text = delta(r#"{"content":"hi"}"#);
    let cut = StreamError::new(ErrorCode::Interrupted, "cut");
    let events = read(&[&text, &finish("stop")], false, Some(cut.clone()));
    assert_eq!(show(&events), "text0=hi stop0 End");
    assert_eq!(
        show(&read(&[&text, "[DONE]"], false, None)),
        "text0=hi stop0 End"
    );
    assert_eq!(show(&read(&[&text], false, None)), "text0=hi !Interrupted");
    assert_eq!(
        show(&read(&[&text], false, Some(cut))),
        "text0=hi !Interrupted"
    );
}

#[test]
fn an_error_in_the_stream_says_what_it_is() {
    for (body, code) in [
        (
            r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#,
            ErrorCode::Overloaded,
        ),
        (
            r#"{"error":{"message":"x","code":"rate_limit_exceeded"}}"#,
            ErrorCode::RateLimit,
        ),
        (
            r#"{"error":{"message":"maximum context length is 8192"}}"#,
            ErrorCode::ContextOverflow,
        ),
        (r#"{"error":"something"}"#, ErrorCode::Server),
    ] {
        let events = read(&[body], false, None);
        assert!(
            matches!(&events[..], [StreamEvent::Error(error)] if error.code == code),
            "{events:?}"
        );
    }
    let events = read(&["not json", &finish("stop")], false, None);
    assert_eq!(show(&events), "?BadEvent End");
}

#[test]
fn arguments_are_read_once_and_a_cut_call_is_never_ready() {
    let call = delta(
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":\"a\""}}]}"#,
    );
    let states = |chunks: &[&str], fault| {
        let mut accumulator = Accumulator::default();
        for event in read(chunks, false, fault) {
            accumulator.push(event);
        }
        let answer = accumulator.finish();
        let model = crate::item::ModelRef {
            provider: "p".into(),
            model: "m".into(),
        };
        let items = answer.items(&model);
        let blocks = answer.blocks.into_iter().filter_map(|block| match block {
            crate::accumulate::Block::Call(call) => Some(call.state),
            _ => None,
        });
        (blocks.collect::<Vec<_>>(), items)
    };
    let end = finish("tool_calls");
    let rest = delta(r#"{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}"#);
    let (ready, items) = states(&[&call, &rest, &end], None);
    assert!(matches!(&ready[..], [CallState::Ready(arguments)] if arguments["path"] == "a"));
    assert!(matches!(
        items[0].kind,
        crate::item::ItemKind::ToolCall { .. }
    ));

    // Stored as text, so that no later request holds what is no JSON.
    let (bad, items) = states(&[&call, &end], None);
    assert!(matches!(&bad[..], [CallState::BadArguments(_)]));
    assert!(matches!(
        items[0].kind,
        crate::item::ItemKind::AssistantText { .. }
    ));

    let (cut, items) = states(&[&call, &finish("length")], None);
    assert_eq!((cut, items.len()), (vec![CallState::Cut], 0));
    let (cut, _) = states(&[&call, &rest], None);
    assert_eq!(cut, [CallState::Cut]);
}
