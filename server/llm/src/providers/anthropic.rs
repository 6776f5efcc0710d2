//! Messages of Anthropic.

use serde_json::{Map, Value, json};

use super::{HttpCall, Piece, Prepared, Reader, Wire, count, json as parse, stream_error, text};
use crate::accumulate::REDACTED;
use crate::capabilities::{CacheMode, ThinkingMode};
use crate::conversation::{Speaker, Turn, TurnPart};
use crate::event::CompleteReason;
use crate::request::{Thinking, ToolChoice};
use crate::schema::convert;
use crate::usage::TokenUsage;
use crate::wire::Frame;

/// The version of the format.
const VERSION: &str = "2023-06-01";
/// The smallest number of tokens to think in.
const LEAST_BUDGET: u32 = 1_024;

/// The format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anthropic;

impl Wire for Anthropic {
    fn write(&self, prepared: &Prepared<'_>) -> HttpCall {
        let request = prepared.request;
        let explicit = prepared.capabilities.cache == CacheMode::Explicit;
        let mark = json!({"type": "ephemeral"});
        let max_output = prepared.max_output();
        let mut body = Map::new();
        body.insert("model".into(), json!(request.model));
        body.insert("max_tokens".into(), json!(max_output));
        body.insert("stream".into(), json!(true));
        if !prepared.system.trim().is_empty() {
            let mut block = json!({"type": "text", "text": prepared.system});
            if explicit {
                block["cache_control"] = mark.clone();
            }
            body.insert("system".into(), json!([block]));
        }
        let mut messages: Vec<Value> = prepared.turns.iter().map(message).collect();
        if explicit
            && let Some(block) = messages
                .last_mut()
                .and_then(|message| message["content"].as_array_mut())
                .and_then(|content| content.last_mut())
        {
            block["cache_control"] = mark.clone();
        }
        body.insert("messages".into(), Value::Array(messages));
        let mut forced = false;
        if prepared.sends_tools() {
            let mut tools: Vec<Value> = prepared
                .names
                .tools()
                .iter()
                .map(|(name, tool)| {
                    json!({
                        "name": name,
                        "description": tool.description,
                        "input_schema": convert(&tool.parameters, prepared.capabilities.schema),
                    })
                })
                .collect();
            if explicit && let Some(tool) = tools.last_mut() {
                tool["cache_control"] = mark;
            }
            body.insert("tools".into(), Value::Array(tools));
            let mut choice = match &request.tool_choice {
                ToolChoice::Auto => json!({"type": "auto"}),
                ToolChoice::None => json!({"type": "none"}),
                ToolChoice::Required => json!({"type": "any"}),
                ToolChoice::Tool(name) => {
                    json!({"type": "tool", "name": prepared.names.exposed(name)})
                }
            };
            forced = matches!(
                request.tool_choice,
                ToolChoice::Required | ToolChoice::Tool(_)
            );
            if !prepared.capabilities.parallel_tools && request.tool_choice != ToolChoice::None {
                choice["disable_parallel_tool_use"] = json!(true);
            }
            body.insert("tool_choice".into(), choice);
        }
        // A forced call and thinking exclude each other, as do thinking and a
        // temperature.
        let mut thinks = false;
        match (prepared.capabilities.thinking, request.thinking) {
            (_, Thinking::Default | Thinking::Off)
            | (ThinkingMode::None | ThinkingMode::Effort, _) => {}
            _ if forced => {}
            (ThinkingMode::Budget, thinking) => {
                let budget = thinking.budget().unwrap_or(LEAST_BUDGET).max(LEAST_BUDGET);
                let budget = budget.min(max_output / 2);
                if budget >= LEAST_BUDGET {
                    thinks = true;
                    body.insert(
                        "thinking".into(),
                        json!({"type": "enabled", "budget_tokens": budget}),
                    );
                }
            }
            (ThinkingMode::Adaptive, thinking) => {
                thinks = true;
                body.insert("thinking".into(), json!({"type": "adaptive"}));
                if let Some(effort) = thinking.effort() {
                    body.insert("output_config".into(), json!({"effort": effort}));
                }
            }
        }
        if let (false, Some(temperature)) = (thinks, request.temperature) {
            body.insert("temperature".into(), json!(temperature));
        }
        if !request.stop.is_empty() {
            body.insert("stop_sequences".into(), json!(request.stop));
        }
        let mut call = HttpCall::new("/v1/messages", Value::Object(body));
        call.headers
            .insert("anthropic-version".into(), VERSION.into());
        call
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<MessageReader>::default()
    }
}

fn message(turn: &Turn) -> Value {
    let role = match turn.speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    };
    let content: Vec<Value> = turn.parts.iter().filter_map(block).collect();
    json!({"role": role, "content": content})
}

fn image(mime: &str, data: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}})
}

fn block(part: &TurnPart) -> Option<Value> {
    Some(match part {
        TurnPart::Text(text) => json!({"type": "text", "text": text.trim_end()}),
        TurnPart::Image { mime, data } => image(mime, data),
        TurnPart::Thinking { text, signature } => {
            let signature = signature.as_deref()?;
            match signature.strip_prefix(REDACTED) {
                Some(data) => json!({"type": "redacted_thinking", "data": data}),
                None => json!({"type": "thinking", "thinking": text, "signature": signature}),
            }
        }
        TurnPart::Call {
            id,
            name,
            arguments,
        } => json!({"type": "tool_use", "id": id, "name": name, "input": arguments}),
        TurnPart::Result {
            id,
            text,
            images,
            is_error,
            ..
        } => {
            let mut content = vec![json!({"type": "text", "text": text})];
            content.extend(images.iter().map(|(mime, data)| image(mime, data)));
            let mut block = json!({"type": "tool_result", "tool_use_id": id, "content": content});
            if *is_error {
                block["is_error"] = json!(true);
            }
            block
        }
    })
}

#[derive(Default)]
struct MessageReader {
    usage: TokenUsage,
}

impl MessageReader {
    fn take_usage(&mut self, usage: &Value, out: &mut Vec<Piece>) {
        // Later reports leave out what has not changed.
        for (key, field) in [
            ("input_tokens", &mut self.usage.input),
            ("output_tokens", &mut self.usage.output),
            (
                "cache_creation_input_tokens",
                &mut self.usage.cache_creation,
            ),
            ("cache_read_input_tokens", &mut self.usage.cache_read),
        ] {
            if let Some(tokens) = usage.get(key).and_then(Value::as_u64) {
                *field = tokens;
            }
        }
        out.push(Piece::Usage(self.usage));
    }
}

impl Reader for MessageReader {
    fn read(&mut self, frame: &Frame, out: &mut Vec<Piece>) {
        let event = match parse(frame) {
            Ok(event) => event,
            Err(piece) => return out.push(piece),
        };
        let key = count(&event, "index");
        let none = Value::Null;
        match event
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default()
        {
            "message_start" => {
                if let Some(usage) = event.pointer("/message/usage") {
                    self.take_usage(usage, out);
                }
            }
            "content_block_start" => {
                let block = event.get("content_block").unwrap_or(&none);
                match block
                    .get("type")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                {
                    "tool_use" => {
                        let input = block.get("input").filter(|input| {
                            input.as_object().is_some_and(|input| !input.is_empty())
                        });
                        out.push(Piece::Call {
                            key: Some(key),
                            id: text(block, "id"),
                            name: text(block, "name"),
                            arguments: input.map(Value::to_string),
                        });
                    }
                    "text" => out.extend(text(block, "text").map(Piece::Text)),
                    "thinking" => out.extend(text(block, "thinking").map(thinking)),
                    "redacted_thinking" => {
                        let data = text(block, "data").unwrap_or_default();
                        out.push(Piece::Thinking {
                            text: String::new(),
                            signature: Some(format!("{REDACTED}{data}")),
                        });
                    }
                    _ => {}
                }
            }
            "content_block_delta" => {
                let delta = event.get("delta").unwrap_or(&none);
                match delta
                    .get("type")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                {
                    "text_delta" => out.extend(text(delta, "text").map(Piece::Text)),
                    "thinking_delta" => out.extend(text(delta, "thinking").map(thinking)),
                    "signature_delta" => {
                        out.extend(text(delta, "signature").map(|signature| Piece::Thinking {
                            text: String::new(),
                            signature: Some(signature),
                        }));
                    }
                    "input_json_delta" => {
                        out.extend(text(delta, "partial_json").map(|json| Piece::Call {
                            key: Some(key),
                            id: None,
                            name: None,
                            arguments: Some(json),
                        }));
                    }
                    _ => {}
                }
            }
            "content_block_stop" => out.push(Piece::Stop { key }),
            "message_delta" => {
                if let Some(usage) = event.get("usage") {
                    self.take_usage(usage, out);
                }
                if let Some(reason) = event.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    out.push(Piece::Finish(stop_reason(reason)));
                }
            }
            "message_stop" => out.push(Piece::Done),
            "error" => {
                let error = event.get("error").unwrap_or(&none);
                out.push(Piece::Failed(stream_error(
                    &text(error, "type").unwrap_or_default(),
                    &text(error, "message").unwrap_or_default(),
                )));
            }
            _ => {}
        }
    }
}

fn thinking(text: String) -> Piece {
    Piece::Thinking {
        text,
        signature: None,
    }
}

/// Of Anthropic and of Bedrock.
pub(super) fn stop_reason(reason: &str) -> CompleteReason {
    match reason {
        "tool_use" => CompleteReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => CompleteReason::MaxTokens,
        "stop_sequence" => CompleteReason::StopSequence,
        "refusal" | "guardrail_intervened" | "content_filtered" => CompleteReason::Refusal,
        _ => CompleteReason::End,
    }
}
