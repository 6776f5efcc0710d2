use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::providers::{Anthropic, Bedrock, Gemini, OpenAi, Prepared, Wire};
use crate::request::{Request, ToolSpec};
use crate::settings::{ProviderKind, ProviderSettings};

const MODEL: &str = "m";

fn model(provider: &str) -> ModelRef {
    ModelRef {
        provider: provider.into(),
        model: MODEL.into(),
    }
}

fn arguments() -> Map<String, Value> {
    json!({"path": "a"}).as_object().unwrap().clone()
}

fn body(kind: ProviderKind, items: Vec<Item>, change: impl Fn(&mut Capabilities)) -> Value {
    let mut capabilities = ProviderSettings::of(kind).known(MODEL);
    change(&mut capabilities);
    let request = Request {
        model: MODEL.into(),
        system: "Be brief.".into(),
        items,
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "Reads a file.".into(),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
            group: Default::default(),
        }],
        ..Request::default()
    };
    let ready = crate::prepare::ready(&request, kind.name(), &capabilities);
    let prepared = Prepared {
        request: &request,
        system: &ready.system,
        turns: &ready.turns,
        names: &ready.names,
        capabilities: &capabilities,
    };
    let open_ai = OpenAi {
        path: String::new(),
        limit: "max_tokens",
        extras: false,
    };
    let call = match kind {
        ProviderKind::Anthropic => Anthropic.write(&prepared),
        ProviderKind::Gemini => Gemini.write(&prepared),
        ProviderKind::Bedrock => Bedrock.write(&prepared),
        _ => open_ai.write(&prepared),
    };
    call.body
}

#[test]
fn a_call_is_followed_by_its_result_before_anything_else() {
    let items = vec![
        Item::user("go"),
        Item::call("a b", "read", arguments()),
        Item::call("c", "read", arguments()),
        Item::user("wait"),
        Item::result("c", "read", ""),
        Item::result("orphan", "read", "lost"),
    ];
    let body = body(ProviderKind::OpenAi, items, |_| {});
    let messages: Vec<String> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            format!(
                "{} {id} {}",
                message["role"].as_str().unwrap(),
                message["content"]
            )
        })
        .collect();
    assert_eq!(
        messages,
        [
            "system  \"Be brief.\"",
            "user  \"go\"",
            "assistant  null",
            "tool a_b \"interrupted: the call was not executed, or its result was lost\"",
            "tool c \"(no output)\"",
            "user  \"wait\"",
        ]
    );
}

#[test]
fn reasoning_goes_back_with_calls_where_it_is_asked_for() {
    let items = |provider| {
        vec![
            Item::user("go"),
            Item::thinking("hm", None, model(provider)),
            Item::call("c", "read", arguments()),
            Item::result("c", "read", "x"),
        ]
    };
    let sent = body(ProviderKind::DeepSeek, items("deepseek"), |_| {});
    assert_eq!(sent["messages"][2]["reasoning_content"], "hm");
    let foreign = body(ProviderKind::DeepSeek, items("openai"), |_| {});
    assert_eq!(foreign["messages"][2]["reasoning_content"], "");
    let unasked = body(ProviderKind::OpenAi, items("openai"), |_| {});
    assert_eq!(unasked["messages"][2].get("reasoning_content"), None);
}

#[test]
fn signed_reasoning_goes_back_unchanged_to_whoever_signed_it() {
    let items = |provider: &str| {
        vec![
            Item::user("go"),
            Item::thinking("hm", Some("sig".into()), model(provider)),
            Item::thinking("", Some("redacted:xyz".into()), model(provider)),
            Item::call("c", "read", arguments()),
            Item::result("c", "read", "x"),
        ]
    };
    let sent = body(ProviderKind::Anthropic, items("anthropic"), |_| {});
    assert_eq!(
        sent["messages"][1]["content"][0],
        json!({"type": "thinking", "thinking": "hm", "signature": "sig"})
    );
    assert_eq!(
        sent["messages"][1]["content"][1],
        json!({"type": "redacted_thinking", "data": "xyz"})
    );
    let foreign = body(ProviderKind::Anthropic, items("bedrock"), |_| {});
    assert_eq!(foreign["messages"][1]["content"][0]["type"], "tool_use");
    let gemini = body(
        ProviderKind::Gemini,
        vec![
            Item::user("go"),
            Item::thinking("", Some("sig".into()), model("gemini")),
            Item::call("c", "read", arguments()),
        ],
        |_| {},
    );
    assert_eq!(
        gemini["contents"][1]["parts"][0],
        json!({"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": "sig"})
    );
}

#[test]
fn without_native_tools_calls_and_results_are_text() {
    let items = vec![
        Item::user("go"),
        Item::call("c", "read", arguments()),
        Item::result("c", "read", "x"),
    ];
    let body = body(ProviderKind::Local, items, |capabilities| {
        capabilities.tools = ToolMode::Text;
    });
    assert_eq!(body.get("tools"), None);
    let messages = &body["messages"];
    assert!(
        messages[0]["content"]
            .as_str()
            .unwrap()
            .contains("## read\nReads a file.")
    );
    assert_eq!(
        messages[2]["content"],
        "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>"
    );
    assert_eq!(
        messages[3]["content"],
        "<tool_result id=\"c\" name=\"read\">\nx\n</tool_result>"
    );
}

fn item() -> impl Strategy<Value = Item> {
    let id = prop::sample::select(vec!["a", "b", "", "é/!"]);
    let text = prop::sample::select(vec!["", " \n", "hello", "é"]);
    prop_oneof![
        text.clone().prop_map(Item::user),
        text.clone().prop_map(Item::assistant),
        (text.clone(), any::<bool>()).prop_map(|(text, signed)| {
            Item::thinking(text, signed.then(|| "sig".to_owned()), model("anthropic"))
        }),
        id.clone()
            .prop_map(|id| Item::call(id, "read", arguments())),
        (id, text.clone()).prop_map(|(id, text)| Item::result(id, "read", text)),
        text.prop_map(|text| Item {
            origin: crate::item::Origin::Kernel,
            kind: ItemKind::Summary { text: text.into() },
        }),
    ]
}

/// What of a message every provider refuses, by the shapes of all of them.
fn check_open_ai(body: &Value) {
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[1]["role"], "user");
    assert_ne!(messages.last().unwrap()["role"], "assistant");
    let mut waiting: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for message in messages {
        let role = message["role"].as_str().unwrap();
        if role == "tool" {
            assert_eq!(waiting.remove(0), message["tool_call_id"].as_str().unwrap());
        } else {
            assert!(waiting.is_empty(), "a call without its result: {body}");
        }
        let content = message["content"].as_str().unwrap_or_default().trim();
        let calls = message["tool_calls"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        assert!(
            !content.is_empty() || !calls.is_empty(),
            "nothing said: {body}"
        );
        for call in calls {
            let id = call["id"].as_str().unwrap().to_owned();
            assert!(seen.insert(id.clone()), "an id twice: {body}");
            waiting.push(id);
        }
    }
    assert!(waiting.is_empty());
}

fn check_blocks(messages: &Value, content: &str, kind: &dyn Fn(&Value) -> (&'static str, String)) {
    let mut waiting: BTreeSet<String> = BTreeSet::new();
    let mut speaker = "assistant".to_owned();
    for message in messages.as_array().unwrap() {
        let role = message["role"]
            .as_str()
            .unwrap()
            .replace("model", "assistant");
        assert_ne!(role, speaker, "the same speaker twice: {messages}");
        speaker = role;
        let blocks = message[content].as_array().unwrap();
        assert!(!blocks.is_empty());
        let mut others = false;
        for block in blocks {
            let (kind, id) = kind(block);
            match kind {
                "call" => assert!(waiting.insert(id)),
                "result" => {
                    assert!(!others, "a result behind other content: {messages}");
                    assert!(waiting.remove(&id), "a result without its call: {messages}");
                }
                "text" => {
                    assert!(!id.trim().is_empty(), "an empty text: {messages}");
                    others = true;
                }
                _ => {}
            }
        }
        assert!(speaker == "assistant" || waiting.is_empty(), "{messages}");
    }
    assert_eq!(speaker, "user");
    assert!(waiting.is_empty());
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

proptest! {
    #[test]
    fn every_request_that_leaves_is_valid_for_its_provider(
        items in prop::collection::vec(item(), 0..14),
    ) {
        for kind in [ProviderKind::OpenAi, ProviderKind::DeepSeek, ProviderKind::Local] {
            check_open_ai(&body(kind, items.clone(), |_| {}));
        }
        let text_mode = body(ProviderKind::Local, items.clone(), |capabilities| {
            capabilities.tools = ToolMode::Text;
        });
        check_open_ai(&text_mode);
        let anthropic = body(ProviderKind::Anthropic, items.clone(), |_| {});
        check_blocks(&anthropic["messages"], "content", &|block| {
            match block["type"].as_str().unwrap() {
                "tool_use" => ("call", text_of(&block["id"])),
                "tool_result" => ("result", text_of(&block["tool_use_id"])),
                "text" => ("text", text_of(&block["text"])),
                _ => ("thinking", String::new()),
            }
        });
        let bedrock = body(ProviderKind::Bedrock, items.clone(), |_| {});
        check_blocks(&bedrock["messages"], "content", &|block| {
            if let Some(call) = block.get("toolUse") {
                ("call", text_of(&call["toolUseId"]))
            } else if let Some(result) = block.get("toolResult") {
                ("result", text_of(&result["toolUseId"]))
            } else if let Some(text) = block.get("text") {
                ("text", text_of(text))
            } else {
                ("thinking", String::new())
            }
        });
        let gemini = body(ProviderKind::Gemini, items, |_| {});
        let mut calls = 0_usize;
        for content in gemini["contents"].as_array().unwrap() {
            let parts = content["parts"].as_array().unwrap();
            prop_assert!(!parts.is_empty());
            let count = |key: &str| parts.iter().filter(|part| part.get(key).is_some()).count();
            prop_assert_eq!(count("functionResponse"), calls);
            calls = count("functionCall");
        }
        prop_assert_eq!(calls, 0);
    }
}
