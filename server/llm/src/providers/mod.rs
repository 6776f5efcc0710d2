//! The wire formats of the providers: how a request is written and how frames are
//! read. Habits that all share end in `normalise`.

mod anthropic;
mod bedrock;
mod gemini;
mod openai;
mod sigv4;

use std::collections::BTreeMap;

use serde_json::Value;

pub(crate) use anthropic::Anthropic;
pub(crate) use bedrock::Bedrock;
pub(crate) use gemini::Gemini;
pub(crate) use openai::OpenAi;
pub(crate) use sigv4::{AwsKeys, Signed, sign};

use crate::capabilities::Capabilities;
use crate::conversation::Turn;
use crate::event::{ErrorCode, StreamError};
use crate::normalise::Piece;
use crate::request::Request;
use crate::schema::ToolNames;
use crate::wire::Frame;

/// A request that is ready to be written.
pub(crate) struct Prepared<'a> {
    pub request: &'a Request,
    /// The system prompt, with the tools when they are described in it.
    pub system: &'a str,
    pub turns: &'a [Turn],
    pub names: &'a ToolNames,
    pub capabilities: &'a Capabilities,
}

impl Prepared<'_> {
    /// Whether tools are sent in the provider's own format.
    pub fn sends_tools(&self) -> bool {
        self.capabilities.tools == crate::capabilities::ToolMode::Native
            && !self.names.tools().is_empty()
    }

    /// How long the answer may be.
    pub fn max_output(&self) -> u32 {
        let limit = self.capabilities.max_output;
        self.request.max_output.unwrap_or(limit).min(limit)
    }
}

/// A request on the wire.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HttpCall {
    /// Beyond the base address, query included.
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

impl HttpCall {
    pub fn new(path: impl Into<String>, body: Value) -> Self {
        Self {
            path: path.into(),
            headers: BTreeMap::new(),
            body,
        }
    }
}

/// A wire format.
pub(crate) trait Wire: Send + Sync {
    /// Writes a request.
    fn write(&self, prepared: &Prepared<'_>) -> HttpCall;
    /// Reads an answer.
    fn reader(&self) -> Box<dyn Reader>;
}

/// Reads the frames of one answer.
pub(crate) trait Reader: Send {
    fn read(&mut self, frame: &Frame, out: &mut Vec<Piece>);
}

/// A frame's JSON, or a piece that says why there is none.
fn json(frame: &Frame) -> Result<Value, Piece> {
    serde_json::from_str(&frame.data).map_err(|error| {
        Piece::Unreadable(format!(
            "The provider sent an event that is no JSON: {error}"
        ))
    })
}

/// A member that is a text with something in it.
fn text(value: &Value, key: &str) -> Option<String> {
    value
        .get(key)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn count(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// An error that came inside of a stream, judged by what the provider calls it.
fn stream_error(kind: &str, message: &str) -> StreamError {
    let both = format!("{kind} {message}").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| both.contains(word));
    let code = if crate::fault::says_too_long(&both) {
        ErrorCode::ContextOverflow
    } else if has(&["insufficient_quota", "billing", "quota"]) {
        ErrorCode::Quota
    } else if has(&["overloaded", "unavailable", "503", "529"]) {
        ErrorCode::Overloaded
    } else if has(&["rate_limit", "rate limit", "throttl", "429"]) {
        ErrorCode::RateLimit
    } else if has(&["auth", "permission", "api key"]) {
        ErrorCode::Auth
    } else if has(&["not_found"]) {
        ErrorCode::NotFound
    } else if has(&["invalid_request", "validation", "bad_request"]) {
        ErrorCode::BadRequest
    } else {
        ErrorCode::Server
    };
    let message = if message.is_empty() { kind } else { message };
    StreamError::new(code, format!("The provider reported an error: {message}"))
}
