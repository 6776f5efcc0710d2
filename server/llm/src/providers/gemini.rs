//! Gemini's generateContent.

use serde_json::{Map, Value, json};

use super::{HttpCall, Piece, Prepared, Reader, Wire, count, json as parse, stream_error, text};
use crate::capabilities::ThinkingMode;
use crate::conversation::{Speaker, Turn, TurnPart};
use crate::event::CompleteReason;
use crate::request::ToolChoice;
use crate::schema::convert;
use crate::usage::TokenUsage;
use crate::wire::Frame;

/// What the provider takes in place of a signature of its own, for calls that
/// another model made.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gemini;

impl Wire for Gemini {
    fn write(&self, prepared: &Prepared<'_>) -> HttpCall {
        let request = prepared.request;
        let wants_signatures = request.model.contains("gemini-3");
        let mut body = Map::new();
        if !prepared.system.trim().is_empty() {
            body.insert(
                "systemInstruction".into(),
                json!({"parts": [{"text": prepared.system}]}),
            );
        }
        let contents = prepared
            .turns
            .iter()
            .map(|turn| content(turn, wants_signatures));
        body.insert("contents".into(), contents.collect());
        if prepared.sends_tools() {
            let tools = prepared.names.tools().iter().map(|(name, tool)| {
                let mut declaration = json!({"name": name, "description": tool.description});
                let schema = convert(&tool.parameters, prepared.capabilities.schema);
                // A function without parameters has no schema at all.
                if schema.get("properties").is_some() {
                    declaration["parameters"] = schema;
                }
                declaration
            });
            let tools: Vec<Value> = tools.collect();
            body.insert("tools".into(), json!([{"functionDeclarations": tools}]));
            let mode = match &request.tool_choice {
                ToolChoice::Auto => None,
                ToolChoice::None => Some(json!({"mode": "NONE"})),
                ToolChoice::Required => Some(json!({"mode": "ANY"})),
                ToolChoice::Tool(name) => Some(json!({
                    "mode": "ANY",
                    "allowedFunctionNames": [prepared.names.exposed(name)],
                })),
            };
            if let Some(mode) = mode {
                body.insert("toolConfig".into(), json!({"functionCallingConfig": mode}));
            }
        }
        let mut config = json!({"maxOutputTokens": prepared.max_output()});
        if let Some(temperature) = request.temperature {
            config["temperature"] = json!(temperature);
        }
        if !request.stop.is_empty() {
            config["stopSequences"] = json!(request.stop);
        }
        match prepared.capabilities.thinking {
            ThinkingMode::Budget => {
                let mut thinking = json!({"includeThoughts": true});
                if let Some(budget) = request.thinking.budget() {
                    thinking["thinkingBudget"] = json!(budget);
                }
                config["thinkingConfig"] = thinking;
            }
            ThinkingMode::Effort | ThinkingMode::Adaptive => {
                let mut thinking = json!({"includeThoughts": true});
                if let Some(effort) = request.thinking.effort() {
                    thinking["thinkingLevel"] = json!(effort);
                }
                config["thinkingConfig"] = thinking;
            }
            ThinkingMode::None => {}
        }
        body.insert("generationConfig".into(), config);
        HttpCall::new(
            format!("/models/{}:streamGenerateContent?alt=sse", request.model),
            Value::Object(body),
        )
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(ResponseReader)
    }
}

fn content(turn: &Turn, wants_signatures: bool) -> Value {
    let role = match turn.speaker {
        Speaker::User => "user",
        Speaker::Assistant => "model",
    };
    let mut parts = Vec::new();
    let mut signature: Option<&str> = None;
    let mut images = Vec::new();
    let mut called = false;
    for part in &turn.parts {
        let mut written = match part {
            TurnPart::Thinking { signature: own, .. } => {
                signature = own.as_deref().or(signature);
                continue;
            }
            TurnPart::Text(text) => json!({"text": text}),
            TurnPart::Image { mime, data } => image(mime, data),
            TurnPart::Call {
                name, arguments, ..
            } => {
                // Only the first of parallel calls carries one.
                if wants_signatures && !called && signature.is_none() {
                    signature = Some(NO_SIGNATURE);
                }
                called = true;
                json!({"functionCall": {"name": name, "args": arguments}})
            }
            TurnPart::Result {
                name,
                text,
                images: shown,
                is_error,
                ..
            } => {
                images.extend(shown.iter().map(|(mime, data)| image(mime, data)));
                let key = if *is_error { "error" } else { "output" };
                json!({"functionResponse": {"name": name, "response": {key: text}}})
            }
        };
        if let Some(signature) = signature.take() {
            written["thoughtSignature"] = json!(signature);
        }
        parts.push(written);
    }
    parts.extend(images);
    json!({"role": role, "parts": parts})
}

fn image(mime: &str, data: &str) -> Value {
    json!({"inlineData": {"mimeType": mime, "data": data}})
}

struct ResponseReader;

impl Reader for ResponseReader {
    fn read(&mut self, frame: &Frame, out: &mut Vec<Piece>) {
        let response = match parse(frame) {
            // Without `alt=sse` all responses come as one array.
            Ok(Value::Array(responses)) => responses,
            Ok(response) => vec![response],
            Err(piece) => return out.push(piece),
        };
        for response in response {
            read_response(&response, out);
        }
    }
}

fn read_response(response: &Value, out: &mut Vec<Piece>) {
    if let Some(error) = response.get("error") {
        let kind = format!(
            "{} {}",
            text(error, "status").unwrap_or_default(),
            count(error, "code")
        );
        let message = text(error, "message").unwrap_or_default();
        out.push(Piece::Failed(stream_error(&kind, &message)));
        return;
    }
    if let Some(usage) = response.get("usageMetadata") {
        let output = count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount");
        out.push(Piece::Usage(TokenUsage::with_cached_inside(
            count(usage, "promptTokenCount"),
            count(usage, "cachedContentTokenCount"),
            output,
        )));
    }
    if text(
        response.get("promptFeedback").unwrap_or(&Value::Null),
        "blockReason",
    )
    .is_some()
    {
        out.push(Piece::Finish(CompleteReason::Refusal));
    }
    let Some(candidate) = response.pointer("/candidates/0") else {
        return;
    };
    let parts = candidate
        .pointer("/content/parts")
        .and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        let signature = text(part, "thoughtSignature");
        if part.get("thought") == Some(&Value::Bool(true)) {
            out.push(Piece::Thinking {
                text: text(part, "text").unwrap_or_default(),
                signature,
            });
            continue;
        }
        if signature.is_some() {
            out.push(Piece::Thinking {
                text: String::new(),
                signature,
            });
        }
        if let Some(call) = part.get("functionCall") {
            let arguments = call.get("args").filter(|arguments| arguments.is_object());
            out.push(Piece::Call {
                // Calls come whole, so each is one of its own.
                key: None,
                id: text(call, "id"),
                name: text(call, "name"),
                arguments: arguments.map(Value::to_string).or(Some("{}".into())),
            });
        } else if let Some(text) = text(part, "text") {
            out.push(Piece::Text(text));
        }
    }
    if let Some(reason) = text(candidate, "finishReason") {
        let piece = match reason.as_str() {
            "MAX_TOKENS" => Piece::Finish(CompleteReason::MaxTokens),
            "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
            | "IMAGE_SAFETY" => Piece::Finish(CompleteReason::Refusal),
            "MALFORMED_FUNCTION_CALL" => {
                let message = text(candidate, "finishMessage").unwrap_or_default();
                out.push(Piece::Unreadable(format!(
                    "The model wrote a call that the provider could not read. {message}"
                )));
                Piece::Finish(CompleteReason::End)
            }
            _ => Piece::Finish(CompleteReason::End),
        };
        out.push(piece);
    }
}
