//! The eleven kinds of events that every provider's answer is made of.
//! (spec 4.1)

use serde::{Deserialize, Serialize};

use crate::usage::TokenUsage;

/// One event of an answer. A good stream is any number of blocks (start, deltas,
/// stop) among thinking, usage and warnings, then one [`Complete`]. Blocks of
/// different indices may interleave. Nothing follows [`Complete`] or [`Error`].
///
/// [`Complete`]: StreamEvent::Complete
/// [`Error`]: StreamEvent::Error
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StreamEvent {
    /// A block of text begins.
    ContentStart {
        /// Which block.
        index: u32,
    },
    /// More text of a block.
    ContentDelta {
        /// Which block.
        index: u32,
        /// The text.
        text: String,
    },
    /// A block of text has ended.
    ContentStop {
        /// Which block.
        index: u32,
    },
    /// A tool call begins.
    ToolUseStart {
        /// Which block.
        index: u32,
        /// The provider's id of the call, or one that was made up.
        id: String,
        /// The tool's full name.
        name: String,
    },
    /// A fragment of a call's arguments; never JSON by itself.
    ToolUseDelta {
        /// Which block.
        index: u32,
        /// The fragment.
        json: String,
    },
    /// A tool call has ended.
    ToolUseStop {
        /// Which block.
        index: u32,
    },
    /// Reasoning of the model. A signature ends the block of reasoning that it
    /// belongs to; with an empty text it stands for reasoning that is hidden.
    ThinkingDelta {
        /// The text.
        text: String,
        /// What the provider wants back with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// Tokens used by this answer so far.
    Usage {
        /// The tokens, in normal form.
        #[serde(flatten)]
        usage: TokenUsage,
        /// Whether this replaces what was reported before; otherwise it is added.
        cumulative: bool,
        /// Whether we counted, because the provider did not say.
        estimated: bool,
    },
    /// The answer is whole.
    Complete {
        /// Why it ended.
        reason: CompleteReason,
    },
    /// The answer was cut, or there is none.
    Error(StreamError),
    /// Something that the user may want to know; the stream goes on.
    Warning {
        /// What it is.
        code: WarningCode,
        /// A sentence.
        message: String,
        /// Of [`WarningCode::Retrying`] only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry: Option<Retrying>,
    },
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompleteReason {
    /// The model had said all.
    End,
    /// The model waits for the results of its calls.
    ToolUse,
    /// The limit of the answer, or of the window, was reached.
    MaxTokens,
    /// The model or a filter of the provider refused.
    Refusal,
    /// A stop sequence was reached.
    StopSequence,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct StreamError {
    /// What kind of fault it is.
    pub code: ErrorCode,
    /// What happened, where, and what to do. Never holds a key.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The HTTP status, if one was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

impl StreamError {
    /// An error without an HTTP status.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retryable: code.is_retryable(),
            status: None,
        }
    }

    /// The same with the HTTP status that was received.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }
}

/// Kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No connection could be made.
    Connect,
    /// Nothing came in time.
    Timeout,
    /// The stream ended before the answer was whole.
    Interrupted,
    /// The provider has too much to do.
    Overloaded,
    /// Too many requests in too short a time.
    RateLimit,
    /// What was paid for is used up, or the wait is too long.
    Quota,
    /// The key is missing, wrong, or not allowed to do this.
    Auth,
    /// The request is larger than the model's window.
    ContextOverflow,
    /// There is no such model or address.
    NotFound,
    /// The model takes no tools.
    ToolsUnsupported,
    /// The provider refused the request for another reason.
    BadRequest,
    /// The provider failed.
    Server,
    /// What came is not what the provider's format says.
    Protocol,
    /// One event is larger than we take.
    TooLarge,
    /// The connection would leave the machine although that is switched off.
    Offline,
    /// The provider failed too often; it is left alone for a while.
    CircuitOpen,
    /// The settings of the provider are wrong or incomplete.
    Configuration,
    /// The caller cancelled.
    Cancelled,
}

impl ErrorCode {
    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::Connect
                | Self::Timeout
                | Self::Interrupted
                | Self::Overloaded
                | Self::RateLimit
                | Self::Server
                | Self::CircuitOpen
        )
    }
}

/// Kinds of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// The request is sent again.
    Retrying,
    /// Arguments came for no call, and were dropped.
    OrphanDelta,
    /// A report of usage was smaller than the one before.
    UsageNegative,
    /// A call that was written as text became a call.
    PromotedTextCall,
    /// Text looks like a call but is not one.
    NearMiss,
    /// The model takes no tools; they are described in text from now on.
    ToolsUnsupported,
    /// Something in the stream could not be read, and was left out.
    BadEvent,
}

/// A wait before a request is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Retrying {
    /// Which repetition this is, from 1.
    pub attempt: u32,
    /// How long the wait is, in milliseconds.
    pub wait_ms: u64,
    /// The HTTP status that caused it, if one was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

impl StreamEvent {
    /// Whether nothing may follow.
    #[must_use]
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Complete { .. } | Self::Error(_))
    }

    /// Whether it brings something of the answer itself. After the first of
    /// these a provider never sends the request again.
    #[must_use]
    pub fn is_progress(&self) -> bool {
        !matches!(
            self,
            Self::Usage { .. } | Self::Warning { .. } | Self::Complete { .. } | Self::Error(_)
        )
    }

    pub(crate) fn warning(code: WarningCode, message: impl Into<String>) -> Self {
        Self::Warning {
            code,
            message: message.into(),
            retry: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_says_its_kind_in_json() {
        let event = StreamEvent::Usage {
            usage: TokenUsage {
                input: 100,
                output: 10,
                cache_creation: 0,
                cache_read: 900,
            },
            cumulative: true,
            estimated: false,
        };
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(
            json,
            r#"{"kind":"usage","input":100,"output":10,"cacheCreation":0,"cacheRead":900,"cumulative":true,"estimated":false}"#
        );
        assert_eq!(serde_json::from_str::<StreamEvent>(&json).unwrap(), event);
        assert_eq!(
            serde_json::to_string(&StreamEvent::Complete {
                reason: CompleteReason::MaxTokens
            })
            .unwrap(),
            r#"{"kind":"complete","reason":"max_tokens"}"#
        );
    }
}
