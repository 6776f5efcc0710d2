//! Chat completions: OpenAI, Azure, DeepSeek, Copilot, and everything local that
//! speaks their format. Ollama's own lines are read too.

use serde_json::{Map, Value, json};

use super::{HttpCall, Piece, Prepared, Reader, Wire, count, json as parse, stream_error, text};
use crate::capabilities::{SchemaDialect, SystemRole, ThinkingMode};
use crate::conversation::{Speaker, Turn, TurnPart};
use crate::event::CompleteReason;
use crate::request::{Thinking, ToolChoice};
use crate::schema::convert;
use crate::usage::TokenUsage;
use crate::wire::Frame;

/// How a server differs from the others.
#[derive(Debug, Clone)]
pub(crate) struct OpenAi {
    /// Beyond the base address; `{model}` stands for the model.
    pub path: String,
    /// What the limit of the answer is called.
    pub limit: &'static str,
    /// Whether the server knows `parallel_tool_calls` and `prompt_cache_key`.
    pub extras: bool,
}

impl Wire for OpenAi {
    fn write(&self, prepared: &Prepared<'_>) -> HttpCall {
        let request = prepared.request;
        let capabilities = prepared.capabilities;
        let mut body = Map::new();
        body.insert("model".into(), json!(request.model));
        body.insert("messages".into(), Value::Array(messages(prepared)));
        body.insert("stream".into(), json!(true));
        body.insert("stream_options".into(), json!({"include_usage": true}));
        body.insert(self.limit.into(), json!(prepared.max_output()));
        if prepared.sends_tools() {
            body.insert("tools".into(), tools(prepared));
            let choice = match &request.tool_choice {
                ToolChoice::Auto => None,
                ToolChoice::None => Some(json!("none")),
                ToolChoice::Required => Some(json!("required")),
                ToolChoice::Tool(name) => Some(json!({
                    "type": "function",
                    "function": {"name": prepared.names.exposed(name)},
                })),
            };
            if let Some(choice) = choice {
                body.insert("tool_choice".into(), choice);
            }
            if self.extras && !capabilities.parallel_tools {
                body.insert("parallel_tool_calls".into(), json!(false));
            }
        }
        if capabilities.thinking == ThinkingMode::Effort {
            let effort = match request.thinking {
                Thinking::Off => Some("minimal"),
                thinking => thinking.effort(),
            };
            if let Some(effort) = effort {
                body.insert("reasoning_effort".into(), json!(effort));
            }
        } else if let Some(temperature) = request.temperature {
            body.insert("temperature".into(), json!(temperature));
        }
        if !request.stop.is_empty() {
            body.insert("stop".into(), json!(request.stop));
        }
        if let (true, Some(key)) = (self.extras, &request.cache_key) {
            body.insert("prompt_cache_key".into(), json!(key));
        }
        HttpCall::new(
            self.path.replace("{model}", &request.model),
            Value::Object(body),
        )
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(ChunkReader)
    }
}

fn tools(prepared: &Prepared<'_>) -> Value {
    let dialect = prepared.capabilities.schema;
    let tools = prepared.names.tools().iter().map(|(name, tool)| {
        let mut function = json!({
            "name": name,
            "description": tool.description,
            "parameters": convert(&tool.parameters, dialect),
        });
        if dialect == SchemaDialect::OpenAiStrict {
            function["strict"] = json!(true);
        }
        json!({"type": "function", "function": function})
    });
    tools.collect()
}

fn messages(prepared: &Prepared<'_>) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut before = None;
    if !prepared.system.trim().is_empty() {
        match prepared.capabilities.system_role {
            SystemRole::User => before = Some(prepared.system),
            SystemRole::Developer => {
                messages.push(json!({"role": "developer", "content": prepared.system}));
            }
            SystemRole::System | SystemRole::Separate => {
                messages.push(json!({"role": "system", "content": prepared.system}));
            }
        }
    }
    for turn in prepared.turns {
        match turn.speaker {
            Speaker::Assistant => {
                messages.push(assistant(turn, prepared.capabilities.echo_reasoning));
            }
            Speaker::User => user(turn, before.take(), &mut messages),
        }
    }
    messages
}

fn assistant(turn: &Turn, echo_reasoning: bool) -> Value {
    let mut texts = Vec::new();
    let mut reasoning = String::new();
    let mut calls = Vec::new();
    for part in &turn.parts {
        match part {
            TurnPart::Text(text) => texts.push(text.as_str()),
            TurnPart::Thinking { text, .. } => reasoning.push_str(text),
            TurnPart::Call {
                id,
                name,
                arguments,
            } => calls.push(json!({
                "id": id,
                "type": "function",
                "function": {"name": name, "arguments": Value::Object(arguments.clone()).to_string()},
            })),
            TurnPart::Image { .. } | TurnPart::Result { .. } => {}
        }
    }
    let mut message = json!({"role": "assistant"});
    message["content"] = if texts.is_empty() {
        Value::Null
    } else {
        json!(texts.join("\n\n"))
    };
    if !calls.is_empty() {
        if echo_reasoning {
            message["reasoning_content"] = json!(reasoning);
        }
        message["tool_calls"] = Value::Array(calls);
    }
    message
}

fn user(turn: &Turn, before: Option<&str>, messages: &mut Vec<Value>) {
    let mut content = Vec::new();
    if let Some(before) = before {
        content.push(json!({"type": "text", "text": before}));
    }
    let image = |mime: &str, data: &str| json!({"type": "image_url", "image_url": {"url": format!("data:{mime};base64,{data}")}});
    for part in &turn.parts {
        match part {
            TurnPart::Text(text) => content.push(json!({"type": "text", "text": text})),
            TurnPart::Image { mime, data } => content.push(image(mime, data)),
            TurnPart::Result {
                id, text, images, ..
            } => {
                messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
                // A tool's message takes texts only.
                content.extend(images.iter().map(|(mime, data)| image(mime, data)));
            }
            TurnPart::Thinking { .. } | TurnPart::Call { .. } => {}
        }
    }
    if content.is_empty() {
        return;
    }
    // Servers that only know texts get a text wherever there is only text.
    let texts: Option<Vec<&str>> = content
        .iter()
        .map(|part| part.get("text").and_then(Value::as_str))
        .collect();
    let content = match texts {
        Some(texts) => json!(texts.join("\n\n")),
        None => Value::Array(content),
    };
    messages.push(json!({"role": "user", "content": content}));
}

struct ChunkReader;

impl Reader for ChunkReader {
    fn read(&mut self, frame: &Frame, out: &mut Vec<Piece>) {
        if frame.data.trim() == "[DONE]" {
            out.push(Piece::Done);
            return;
        }
        let chunk = match parse(frame) {
            Ok(chunk) => chunk,
            Err(piece) => return out.push(piece),
        };
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            let message = text(error, "message")
                .or_else(|| error.as_str().map(str::to_owned))
                .unwrap_or_default();
            let kind = [text(error, "type"), text(error, "code")]
                .into_iter()
                .flatten();
            let kind: Vec<String> = kind
                .chain(error.get("code").map(Value::to_string))
                .collect();
            out.push(Piece::Failed(stream_error(&kind.join(" "), &message)));
            return;
        }
        for choice in chunk
            .get("choices")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
                read_delta(delta, out);
            }
            if let Some(reason) = text(choice, "finish_reason") {
                out.push(Piece::Finish(finish_reason(&reason)));
            }
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            out.push(Piece::Usage(read_usage(usage)));
        }
        read_ollama(&chunk, out);
    }
}

fn read_delta(delta: &Value, out: &mut Vec<Piece>) {
    for key in ["reasoning_content", "reasoning", "thinking"] {
        if let Some(thought) = text(delta, key) {
            out.push(Piece::Thinking {
                text: thought,
                signature: None,
            });
            break;
        }
    }
    match delta.get("content") {
        Some(Value::String(content)) if !content.is_empty() => {
            out.push(Piece::Text(content.clone()));
        }
        Some(Value::Array(parts)) => {
            let parts = parts.iter().filter_map(|part| text(part, "text"));
            out.extend(parts.map(Piece::Text));
        }
        _ => {}
    }
    if let Some(refusal) = text(delta, "refusal") {
        out.push(Piece::Text(refusal));
        out.push(Piece::Finish(CompleteReason::Refusal));
    }
    let calls = delta.get("tool_calls").and_then(Value::as_array);
    let calls = calls.map_or(&[][..], Vec::as_slice);
    for call in calls {
        read_call(call, call.get("function").unwrap_or(call), out);
    }
    // Some servers say every call in the old form too.
    if calls.is_empty()
        && let Some(function) = delta.get("function_call").filter(|call| call.is_object())
    {
        read_call(&json!({"index": 0}), function, out);
    }
}

fn read_call(call: &Value, function: &Value, out: &mut Vec<Piece>) {
    let arguments = match function.get("arguments") {
        Some(Value::String(arguments)) if !arguments.is_empty() => Some(arguments.clone()),
        Some(arguments @ Value::Object(_)) => Some(arguments.to_string()),
        _ => None,
    };
    let piece = Piece::Call {
        key: call.get("index").and_then(Value::as_u64),
        id: text(call, "id"),
        name: text(function, "name"),
        arguments,
    };
    out.push(piece);
}

fn finish_reason(reason: &str) -> CompleteReason {
    match reason {
        "length" | "max_tokens" | "model_length" => CompleteReason::MaxTokens,
        "tool_calls" | "function_call" | "tool_use" => CompleteReason::ToolUse,
        "content_filter" | "refusal" => CompleteReason::Refusal,
        "stop_sequence" => CompleteReason::StopSequence,
        _ => CompleteReason::End,
    }
}

fn read_usage(usage: &Value) -> TokenUsage {
    let output = count(usage, "completion_tokens");
    if usage.get("prompt_cache_hit_tokens").is_some() {
        return TokenUsage {
            input: count(usage, "prompt_cache_miss_tokens"),
            output,
            cache_creation: 0,
            cache_read: count(usage, "prompt_cache_hit_tokens"),
        };
    }
    let details = usage.get("prompt_tokens_details").unwrap_or(&Value::Null);
    TokenUsage::with_cached_inside(
        count(usage, "prompt_tokens"),
        count(details, "cached_tokens"),
        output,
    )
}

/// A line of Ollama's own format.
fn read_ollama(line: &Value, out: &mut Vec<Piece>) {
    if line.get("choices").is_some() {
        return;
    }
    if let Some(message) = line.get("message") {
        read_delta(message, out);
    }
    if line.get("done") == Some(&Value::Bool(true)) {
        if line.get("eval_count").is_some() {
            out.push(Piece::Usage(TokenUsage {
                input: count(line, "prompt_eval_count"),
                output: count(line, "eval_count"),
                ..TokenUsage::default()
            }));
        }
        let reason = text(line, "done_reason").unwrap_or_default();
        out.push(Piece::Finish(finish_reason(&reason)));
        out.push(Piece::Done);
    }
}
