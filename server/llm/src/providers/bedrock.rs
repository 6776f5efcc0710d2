//! Bedrock's ConverseStream.

use serde_json::{Map, Value, json};

use super::anthropic::stop_reason;
use super::{HttpCall, Piece, Prepared, Reader, Wire, count, json as parse, stream_error, text};
use crate::accumulate::REDACTED;
use crate::capabilities::{CacheMode, ThinkingMode};
use crate::conversation::{Speaker, Turn, TurnPart};
use crate::request::ToolChoice;
use crate::schema::convert;
use crate::usage::TokenUsage;
use crate::wire::Frame;

/// The format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bedrock;

impl Wire for Bedrock {
    fn write(&self, prepared: &Prepared<'_>) -> HttpCall {
        let request = prepared.request;
        let explicit = prepared.capabilities.cache == CacheMode::Explicit;
        let mark = || json!({"cachePoint": {"type": "default"}});
        let mut body = Map::new();
        if !prepared.system.trim().is_empty() {
            let mut system = vec![json!({"text": prepared.system})];
            if explicit {
                system.push(mark());
            }
            body.insert("system".into(), Value::Array(system));
        }
        let mut messages: Vec<Value> = prepared.turns.iter().map(message).collect();
        if explicit
            && let Some(content) = messages
                .last_mut()
                .and_then(|message| message["content"].as_array_mut())
        {
            content.push(mark());
        }
        body.insert("messages".into(), Value::Array(messages));
        let mut inference = json!({"maxTokens": prepared.max_output()});
        let mut forced = false;
        // Calls in the conversation are refused without any tool.
        if prepared.sends_tools() && request.tool_choice != ToolChoice::None
            || has_calls(prepared.turns)
        {
            let mut tools: Vec<Value> = prepared
                .names
                .tools()
                .iter()
                .map(|(name, tool)| {
                    let schema = convert(&tool.parameters, prepared.capabilities.schema);
                    let mut spec = json!({"name": name, "inputSchema": {"json": schema}});
                    if !tool.description.is_empty() {
                        spec["description"] = json!(tool.description);
                    }
                    json!({"toolSpec": spec})
                })
                .collect();
            if tools.is_empty() {
                tools.push(json!({"toolSpec": {
                    "name": "none",
                    "description": "Does nothing. Do not call it.",
                    "inputSchema": {"json": {"type": "object", "properties": {}}},
                }}));
            }
            if explicit {
                tools.push(mark());
            }
            let mut config = json!({"tools": tools});
            match &request.tool_choice {
                ToolChoice::Auto | ToolChoice::None => {}
                ToolChoice::Required => {
                    forced = true;
                    config["toolChoice"] = json!({"any": {}});
                }
                ToolChoice::Tool(name) => {
                    forced = true;
                    config["toolChoice"] = json!({"tool": {"name": prepared.names.exposed(name)}});
                }
            }
            body.insert("toolConfig".into(), config);
        }
        let budget = request
            .thinking
            .budget()
            .map(|budget| budget.min(prepared.max_output() / 2))
            .filter(|budget| *budget >= 1_024);
        match budget {
            Some(budget) if prepared.capabilities.thinking == ThinkingMode::Budget && !forced => {
                body.insert(
                    "additionalModelRequestFields".into(),
                    json!({"thinking": {"type": "enabled", "budget_tokens": budget}}),
                );
            }
            _ => {
                if let Some(temperature) = request.temperature {
                    inference["temperature"] = json!(temperature);
                }
            }
        }
        if !request.stop.is_empty() {
            inference["stopSequences"] = json!(request.stop);
        }
        body.insert("inferenceConfig".into(), inference);
        HttpCall::new(
            format!(
                "/model/{}/converse-stream",
                super::sigv4::encode(&request.model)
            ),
            Value::Object(body),
        )
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(ConverseReader)
    }
}

fn has_calls(turns: &[Turn]) -> bool {
    let parts = turns.iter().flat_map(|turn| &turn.parts);
    parts
        .into_iter()
        .any(|part| matches!(part, TurnPart::Call { .. }))
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
    let format = mime.strip_prefix("image/").unwrap_or("png");
    let format = if format == "jpg" { "jpeg" } else { format };
    json!({"image": {"format": format, "source": {"bytes": data}}})
}

fn block(part: &TurnPart) -> Option<Value> {
    Some(match part {
        TurnPart::Text(text) => json!({"text": text}),
        TurnPart::Image { mime, data } => image(mime, data),
        TurnPart::Thinking { text, signature } => {
            let signature = signature.as_deref()?;
            match signature.strip_prefix(REDACTED) {
                Some(data) => json!({"reasoningContent": {"redactedContent": data}}),
                None => json!({"reasoningContent": {
                    "reasoningText": {"text": text, "signature": signature},
                }}),
            }
        }
        TurnPart::Call {
            id,
            name,
            arguments,
        } => json!({"toolUse": {"toolUseId": id, "name": name, "input": arguments}}),
        TurnPart::Result {
            id,
            text,
            images,
            is_error,
            ..
        } => {
            let mut content = vec![json!({"text": text})];
            content.extend(images.iter().map(|(mime, data)| image(mime, data)));
            let status = if *is_error { "error" } else { "success" };
            json!({"toolResult": {"toolUseId": id, "content": content, "status": status}})
        }
    })
}

struct ConverseReader;

impl Reader for ConverseReader {
    fn read(&mut self, frame: &Frame, out: &mut Vec<Piece>) {
        let event = match parse(frame) {
            Ok(event) => event,
            Err(piece) => return out.push(piece),
        };
        let key = Some(count(&event, "contentBlockIndex"));
        let name = frame.event.as_deref().unwrap_or_default();
        if let Some(exception) = name.strip_prefix('!') {
            let message = text(&event, "message").unwrap_or_default();
            out.push(Piece::Failed(stream_error(exception, &message)));
            return;
        }
        match name {
            "contentBlockStart" => {
                if let Some(call) = event.pointer("/start/toolUse") {
                    out.push(Piece::Call {
                        key,
                        id: text(call, "toolUseId"),
                        name: text(call, "name"),
                        arguments: None,
                    });
                }
            }
            "contentBlockDelta" => {
                let delta = event.get("delta").unwrap_or(&Value::Null);
                out.extend(text(delta, "text").map(Piece::Text));
                if let Some(call) = delta.get("toolUse") {
                    out.push(Piece::Call {
                        key,
                        id: None,
                        name: None,
                        arguments: text(call, "input"),
                    });
                }
                if let Some(reasoning) = delta.get("reasoningContent") {
                    let redacted = text(reasoning, "redactedContent");
                    let signature = text(reasoning, "signature")
                        .or_else(|| redacted.map(|data| format!("{REDACTED}{data}")));
                    out.push(Piece::Thinking {
                        text: text(reasoning, "text").unwrap_or_default(),
                        signature,
                    });
                }
            }
            "contentBlockStop" => out.extend(key.map(|key| Piece::Stop { key })),
            "messageStop" => {
                let reason = text(&event, "stopReason").unwrap_or_default();
                out.push(Piece::Finish(stop_reason(&reason)));
            }
            "metadata" => {
                if let Some(usage) = event.get("usage") {
                    out.push(Piece::Usage(TokenUsage {
                        input: count(usage, "inputTokens"),
                        output: count(usage, "outputTokens"),
                        cache_creation: count(usage, "cacheWriteInputTokens"),
                        cache_read: count(usage, "cacheReadInputTokens"),
                    }));
                }
            }
            _ => {}
        }
    }
}
