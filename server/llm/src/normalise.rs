//! From what providers send to a good stream of the eleven kinds of events:
//! every habit of a provider that differs from the grammar ends here.
//! (spec 4.4)

use std::sync::Arc;

use crate::event::{CompleteReason, ErrorCode, StreamError, StreamEvent, WarningCode};
use crate::host::{Host, new_id};
use crate::text_calls::{CallScanner, Scanned};
use crate::think::{ThinkSplitter, Thought};
use crate::usage::{Estimator, TokenUsage, UsageDelta};

/// What a decoder finds in a frame, in its provider's own order and with its
/// provider's own habits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// Text of the answer.
    Text(String),
    /// Reasoning; a signature ends it.
    Thinking {
        text: String,
        signature: Option<String>,
    },
    /// Part of a call. Whatever is absent, empty or null is `None`.
    Call {
        key: Option<u64>,
        id: Option<String>,
        name: Option<String>,
        arguments: Option<String>,
    },
    /// The provider says that the block with this key has ended.
    Stop { key: u64 },
    /// All tokens so far.
    Usage(TokenUsage),
    /// Why the answer ended.
    Finish(CompleteReason),
    /// Nothing follows.
    Done,
    /// The provider failed.
    Failed(StreamError),
    /// A frame cannot be read.
    Unreadable(String),
}

/// What the normaliser has to know about the request.
pub(crate) struct Expectation {
    /// Whether every delta repeats what came before.
    pub cumulative: bool,
    /// The estimated tokens of the request, when the provider does not count.
    pub input_estimate: u64,
    /// Finds calls in text.
    pub scanner: Option<CallScanner>,
    /// Whether calls in text are the agreed form, not a leak.
    pub text_calls_agreed: bool,
}

/// Makes a good stream.
pub(crate) struct Normaliser {
    host: Arc<dyn Host>,
    expected: Expectation,
    think: ThinkSplitter,
    text_so_far: String,
    thinking_so_far: String,
    open_text: Option<u32>,
    next_index: u32,
    calls: Vec<OpenCall>,
    /// The newest call, as a place in `calls`.
    newest: Option<usize>,
    promoted: bool,
    finish: Option<CompleteReason>,
    usage: Option<TokenUsage>,
    /// The chars of the answer, for an estimate.
    output: String,
    ended: bool,
}

struct OpenCall {
    key: Option<u64>,
    /// The id as the provider said it.
    id: Option<String>,
    name: Option<String>,
    /// The index, once the start was said.
    index: Option<u32>,
    arguments: String,
    closed: bool,
}

impl Normaliser {
    pub fn new(host: Arc<dyn Host>, expected: Expectation) -> Self {
        Self {
            host,
            expected,
            think: ThinkSplitter::default(),
            text_so_far: String::new(),
            thinking_so_far: String::new(),
            open_text: None,
            next_index: 0,
            calls: Vec::new(),
            newest: None,
            promoted: false,
            finish: None,
            usage: None,
            output: String::new(),
            ended: false,
        }
    }

    /// Whether the last event was given.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Takes a piece, and gives the events that follow from it.
    pub fn take(&mut self, piece: Piece, out: &mut Vec<StreamEvent>) {
        if self.ended {
            return;
        }
        match piece {
            Piece::Text(text) => {
                let text = if self.expected.cumulative {
                    news(&mut self.text_so_far, text)
                } else {
                    text
                };
                let mut thoughts = Vec::new();
                self.think.push(&text, &mut thoughts);
                self.take_thoughts(thoughts, out);
            }
            Piece::Thinking { text, signature } => {
                let text = if self.expected.cumulative {
                    news(&mut self.thinking_so_far, text)
                } else {
                    text
                };
                self.thinking(text, signature, out);
            }
            Piece::Call {
                key,
                id,
                name,
                arguments,
            } => self.call(key, id, name, arguments, out),
            Piece::Stop { key } => {
                if let Some(place) = self.calls.iter().position(|call| call.key == Some(key)) {
                    self.start_call(place, out);
                    self.close_call(place, out);
                }
            }
            Piece::Usage(usage) => {
                if let Some(old) = self.usage
                    && UsageDelta::between(usage, old).clamped
                {
                    out.push(StreamEvent::warning(
                        WarningCode::UsageNegative,
                        "The provider reported fewer tokens than before; the difference counts as 0.",
                    ));
                }
                self.usage = Some(usage);
                out.push(StreamEvent::Usage {
                    usage,
                    cumulative: true,
                    estimated: false,
                });
            }
            Piece::Finish(reason) => self.finish = Some(reason),
            Piece::Done => {
                self.finish.get_or_insert(CompleteReason::End);
                self.complete(out);
            }
            Piece::Failed(error) => self.fail(error, out),
            Piece::Unreadable(why) => {
                out.push(StreamEvent::warning(WarningCode::BadEvent, why));
            }
        }
    }

    /// The body has ended, with or without a fault. An answer whose reason is
    /// known is whole all the same.
    pub fn end(&mut self, fault: Option<StreamError>, out: &mut Vec<StreamEvent>) {
        if self.ended {
            return;
        }
        let cancelled = fault
            .as_ref()
            .is_some_and(|error| error.code == ErrorCode::Cancelled);
        if self.finish.is_some() && !cancelled {
            self.complete(out);
            return;
        }
        self.fail(
            fault.unwrap_or_else(|| {
                StreamError::new(
                    ErrorCode::Interrupted,
                    "The provider closed the stream before the answer was whole.",
                )
            }),
            out,
        );
    }

    fn take_thoughts(&mut self, thoughts: Vec<Thought>, out: &mut Vec<StreamEvent>) {
        for thought in thoughts {
            match thought {
                Thought::Thinking(text) => self.thinking(text, None, out),
                Thought::Text(text) => {
                    let mut scanned = Vec::new();
                    match &mut self.expected.scanner {
                        Some(scanner) => scanner.push(&text, &mut scanned),
                        None => scanned.push(Scanned::Text(text)),
                    }
                    self.take_scanned(scanned, out);
                }
            }
        }
    }

    fn take_scanned(&mut self, scanned: Vec<Scanned>, out: &mut Vec<StreamEvent>) {
        for found in scanned {
            match found {
                Scanned::Text(text) => self.text(text, out),
                Scanned::NearMiss(why) => {
                    out.push(StreamEvent::warning(WarningCode::NearMiss, why));
                }
                Scanned::Call { name, arguments } => {
                    if !self.expected.text_calls_agreed {
                        out.push(StreamEvent::warning(
                            WarningCode::PromotedTextCall,
                            format!(
                                "The model wrote a call of {name} as text; it counts as a call."
                            ),
                        ));
                    }
                    self.promoted = true;
                    self.call(None, None, Some(name), Some(arguments), out);
                    let place = self.calls.len() - 1;
                    self.close_call(place, out);
                }
            }
        }
    }

    fn text(&mut self, text: String, out: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        // Blanks alone begin no block: they would be empty content later.
        if self.open_text.is_none() && text.trim().is_empty() {
            return;
        }
        let index = match self.open_text {
            Some(index) => index,
            None => {
                let index = self.new_index();
                self.open_text = Some(index);
                out.push(StreamEvent::ContentStart { index });
                index
            }
        };
        self.output.push_str(&text);
        out.push(StreamEvent::ContentDelta { index, text });
    }

    fn thinking(&mut self, text: String, signature: Option<String>, out: &mut Vec<StreamEvent>) {
        if text.is_empty() && signature.is_none() {
            return;
        }
        self.output.push_str(&text);
        out.push(StreamEvent::ThinkingDelta { text, signature });
    }

    fn call(
        &mut self,
        key: Option<u64>,
        id: Option<String>,
        name: Option<String>,
        arguments: Option<String>,
        out: &mut Vec<StreamEvent>,
    ) {
        let arguments = arguments.unwrap_or_default();
        let found = self.find_call(key, id.as_deref(), name.as_deref());
        let place = match found {
            Some(place) => place,
            None if id.is_none()
                && name.is_none()
                && key.is_none_or(|_| !self.calls.is_empty()) =>
            {
                match self.newest.filter(|place| !self.calls[*place].closed) {
                    Some(place) => place,
                    None => {
                        if !arguments.is_empty() {
                            out.push(StreamEvent::warning(
                                WarningCode::OrphanDelta,
                                "Arguments arrived that belong to no call; they were dropped.",
                            ));
                        }
                        return;
                    }
                }
            }
            None if id.is_none() && name.is_none() => {
                if !arguments.is_empty() {
                    out.push(StreamEvent::warning(
                        WarningCode::OrphanDelta,
                        "Arguments arrived that belong to no call; they were dropped.",
                    ));
                }
                return;
            }
            None => {
                self.flush_text(out);
                self.calls.push(OpenCall {
                    key,
                    id: None,
                    name: None,
                    index: None,
                    arguments: String::new(),
                    closed: false,
                });
                self.calls.len() - 1
            }
        };
        self.newest = Some(place);
        let call = &mut self.calls[place];
        call.id = call.id.take().or(id);
        call.name = call.name.take().or(name);
        let fresh = if self.expected.cumulative {
            news(&mut call.arguments, arguments)
        } else {
            call.arguments.push_str(&arguments);
            arguments
        };
        match call.index {
            Some(index) if !fresh.is_empty() => {
                self.output.push_str(&fresh);
                out.push(StreamEvent::ToolUseDelta { index, json: fresh });
            }
            Some(_) => {}
            None if call.name.is_some() => self.start_call(place, out),
            None => {}
        }
    }

    /// The call that a delta goes on with.
    fn find_call(&self, key: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let open = |call: &OpenCall| !call.closed;
        if let Some(key) = key {
            // Some servers give every call the index 0 and an id of its own.
            return self.calls.iter().rposition(|call| {
                open(call)
                    && call.key == Some(key)
                    && (id.is_none() || call.id.is_none() || call.id.as_deref() == id)
            });
        }
        if id.is_some() {
            return self
                .calls
                .iter()
                .rposition(|call| open(call) && call.id.as_deref() == id);
        }
        let name = name?;
        // Only a name: it is the newest call's, said again, as long as its
        // arguments go on.
        self.newest.filter(|place| {
            let call = &self.calls[*place];
            open(call)
                && call.name.as_deref() == Some(name)
                && !call.arguments.is_empty()
                && serde_json::from_str::<serde_json::Value>(&call.arguments).is_err()
        })
    }

    /// Says the start of a call, with the arguments that came before its name.
    fn start_call(&mut self, place: usize, out: &mut Vec<StreamEvent>) {
        if self.calls[place].index.is_some() {
            return;
        }
        let index = self.new_index();
        let host = Arc::clone(&self.host);
        let call = &mut self.calls[place];
        call.index = Some(index);
        let name = call.name.clone().unwrap_or_default();
        self.output.push_str(&name);
        self.output.push_str(&call.arguments);
        out.push(StreamEvent::ToolUseStart {
            index,
            id: call.id.clone().unwrap_or_else(|| new_id("call", &*host)),
            name,
        });
        if !call.arguments.is_empty() {
            out.push(StreamEvent::ToolUseDelta {
                index,
                json: call.arguments.clone(),
            });
        }
    }

    fn close_call(&mut self, place: usize, out: &mut Vec<StreamEvent>) {
        let call = &mut self.calls[place];
        if let (Some(index), false) = (call.index, call.closed) {
            call.closed = true;
            out.push(StreamEvent::ToolUseStop { index });
        }
    }

    fn new_index(&mut self) -> u32 {
        self.next_index += 1;
        self.next_index - 1
    }

    /// Ends the text before a call: what was held back is text after all, and
    /// reasoning without an end has ended.
    fn flush_text(&mut self, out: &mut Vec<StreamEvent>) {
        let mut thoughts = Vec::new();
        self.think.end(&mut thoughts);
        self.take_thoughts(thoughts, out);
        if !self.promoted
            && !self.expected.text_calls_agreed
            && let Some(scanner) = &mut self.expected.scanner
        {
            let mut scanned = Vec::new();
            scanner.give_up(&mut scanned);
            self.take_scanned(scanned, out);
        }
        self.close_text(out);
    }

    fn close_text(&mut self, out: &mut Vec<StreamEvent>) {
        if let Some(index) = self.open_text.take() {
            out.push(StreamEvent::ContentStop { index });
        }
    }

    fn complete(&mut self, out: &mut Vec<StreamEvent>) {
        let reason = self.finish.unwrap_or(CompleteReason::End);
        let mut thoughts = Vec::new();
        self.think.end(&mut thoughts);
        self.take_thoughts(thoughts, out);
        if let Some(scanner) = &mut self.expected.scanner {
            let mut scanned = Vec::new();
            if reason == CompleteReason::MaxTokens {
                scanner.give_up(&mut scanned);
            } else {
                scanner.end(&mut scanned);
            }
            self.take_scanned(scanned, out);
        }
        self.close_text(out);
        let last = self.calls.len().wrapping_sub(1);
        for place in 0..self.calls.len() {
            if self.calls[place].name.is_none() {
                continue;
            }
            self.start_call(place, out);
            // A limit that was reached inside of a call cut that call.
            if reason != CompleteReason::MaxTokens || place != last {
                self.close_call(place, out);
            }
        }
        let has_calls = self.calls.iter().any(|call| call.index.is_some());
        let reason = match reason {
            CompleteReason::End | CompleteReason::StopSequence if has_calls => {
                CompleteReason::ToolUse
            }
            CompleteReason::ToolUse if !has_calls => CompleteReason::End,
            reason => reason,
        };
        if self.usage.is_none() {
            out.push(StreamEvent::Usage {
                usage: TokenUsage {
                    input: self.expected.input_estimate,
                    output: Estimator::default().text(&self.output),
                    ..TokenUsage::default()
                },
                cumulative: true,
                estimated: true,
            });
        }
        out.push(StreamEvent::Complete { reason });
        self.ended = true;
    }

    fn fail(&mut self, error: StreamError, out: &mut Vec<StreamEvent>) {
        // Nothing that arrived is lost, but no text becomes a call.
        let mut thoughts = Vec::new();
        self.think.end(&mut thoughts);
        self.take_thoughts(thoughts, out);
        if let Some(scanner) = &mut self.expected.scanner {
            let mut scanned = Vec::new();
            scanner.give_up(&mut scanned);
            self.take_scanned(scanned, out);
        }
        out.push(StreamEvent::Error(error));
        self.ended = true;
    }
}

/// What a snapshot has beyond the one before; a shorter one has nothing.
fn news(so_far: &mut String, snapshot: String) -> String {
    if snapshot.len() <= so_far.len() {
        return String::new();
    }
    let fresh = match snapshot.strip_prefix(so_far.as_str()) {
        Some(fresh) => fresh.to_owned(),
        None => snapshot.chars().skip(so_far.chars().count()).collect(),
    };
    *so_far = snapshot;
    fresh
}

#[cfg(test)]
mod tests;
