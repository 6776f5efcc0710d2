//! From events to an answer: texts, reasoning, and calls whose arguments are read
//! once, when all has arrived. (spec 4.3, 4.5)

use serde_json::{Map, Value};

use crate::arguments::{BadArguments, parse_arguments};
use crate::event::{CompleteReason, StreamError, StreamEvent, WarningCode};
use crate::item::{Item, ItemKind, ModelRef, Origin};
use crate::usage::TokenUsage;

/// Collects the events of one answer.
#[derive(Debug, Clone, Default)]
pub struct Accumulator {
    blocks: Vec<Building>,
    usage: Option<(TokenUsage, bool)>,
    warnings: Vec<(WarningCode, String)>,
    outcome: Option<Outcome>,
}

#[derive(Debug, Clone)]
enum Building {
    Text {
        index: u32,
        text: String,
    },
    Thinking {
        text: String,
        signature: Option<String>,
    },
    Call {
        index: u32,
        id: String,
        name: String,
        arguments: String,
        closed: bool,
    },
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is whole.
    Complete(CompleteReason),
    /// It was cut.
    Interrupted(StreamError),
}

/// What has arrived of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// In the order of their beginnings.
    pub blocks: Vec<Block>,
    /// All tokens.
    pub usage: TokenUsage,
    /// Whether the tokens are counted by us.
    pub estimated: bool,
    /// What the user may want to know.
    pub warnings: Vec<(WarningCode, String)>,
    /// How it ended.
    pub outcome: Outcome,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A text; never empty.
    Text(String),
    /// Reasoning.
    Thinking {
        /// The text; empty when it is hidden.
        text: String,
        /// What the provider wants back with it.
        signature: Option<String>,
    },
    /// A call.
    Call(Call),
}

/// A call in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The provider's id of the call, or one that was made up.
    pub id: String,
    /// The tool's full name.
    pub name: String,
    /// The text of the arguments as it came.
    pub text: String,
    /// What may be done with it.
    pub state: CallState,
}

/// What may be done with a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// It may be executed.
    Ready(Map<String, Value>),
    /// Its arguments are no object.
    BadArguments(BadArguments),
    /// It was cut; it is kept as text only.
    Cut,
    /// It is whole, but the answer was cut after it; it is not executed.
    Proposed,
}

impl Accumulator {
    /// Takes the next event. What comes after the last one is not accepted.
    pub fn push(&mut self, event: StreamEvent) {
        if self.outcome.is_some() {
            return;
        }
        match event {
            StreamEvent::ContentStart { index } => self.blocks.push(Building::Text {
                index,
                text: String::new(),
            }),
            StreamEvent::ContentDelta { index, text } => {
                let found = self.blocks.iter_mut().rev().find_map(|block| match block {
                    Building::Text { index: own, text } if *own == index => Some(text),
                    _ => None,
                });
                if let Some(so_far) = found {
                    so_far.push_str(&text);
                }
            }
            StreamEvent::ContentStop { .. } => {}
            StreamEvent::ToolUseStart { index, id, name } => self.blocks.push(Building::Call {
                index,
                id,
                name,
                arguments: String::new(),
                closed: false,
            }),
            StreamEvent::ToolUseDelta { index, json } => {
                if let Some((arguments, _)) = self.call(index) {
                    arguments.push_str(&json);
                }
            }
            StreamEvent::ToolUseStop { index } => {
                if let Some((_, closed)) = self.call(index) {
                    *closed = true;
                }
            }
            StreamEvent::ThinkingDelta { text, signature } => match self.blocks.last_mut() {
                Some(Building::Thinking {
                    text: so_far,
                    signature: none @ None,
                }) if !(text.is_empty() && is_redacted(signature.as_deref())) => {
                    so_far.push_str(&text);
                    *none = signature;
                }
                _ => self.blocks.push(Building::Thinking { text, signature }),
            },
            StreamEvent::Usage {
                usage,
                cumulative,
                estimated,
            } => {
                let usage = match self.usage {
                    Some((before, _)) if !cumulative => before.plus(usage),
                    _ => usage,
                };
                self.usage = Some((usage, estimated));
            }
            StreamEvent::Complete { reason } => self.outcome = Some(Outcome::Complete(reason)),
            StreamEvent::Error(error) => self.outcome = Some(Outcome::Interrupted(error)),
            StreamEvent::Warning { code, message, .. } => self.warnings.push((code, message)),
        }
    }

    fn call(&mut self, index: u32) -> Option<(&mut String, &mut bool)> {
        self.blocks.iter_mut().rev().find_map(|block| match block {
            Building::Call {
                index: own,
                arguments,
                closed,
                ..
            } if *own == index => Some((arguments, closed)),
            _ => None,
        })
    }

    /// The answer; an answer without its last event was cut.
    #[must_use]
    pub fn finish(self) -> Answer {
        let outcome = self.outcome.unwrap_or_else(|| {
            Outcome::Interrupted(StreamError::new(
                crate::event::ErrorCode::Interrupted,
                "The stream ended before the answer was whole.",
            ))
        });
        let complete = matches!(outcome, Outcome::Complete(_));
        let blocks = self
            .blocks
            .into_iter()
            .filter_map(|block| match block {
                Building::Text { text, .. } => {
                    (!text.trim().is_empty()).then_some(Block::Text(text))
                }
                Building::Thinking { text, signature } => Some(Block::Thinking { text, signature }),
                Building::Call {
                    id,
                    name,
                    arguments,
                    closed,
                    ..
                } => {
                    let state = match (closed, complete) {
                        (false, _) => CallState::Cut,
                        (true, false) => CallState::Proposed,
                        (true, true) => match parse_arguments(&arguments) {
                            Ok(arguments) => CallState::Ready(arguments),
                            Err(bad) => CallState::BadArguments(bad),
                        },
                    };
                    Some(Block::Call(Call {
                        id,
                        name,
                        text: arguments,
                        state,
                    }))
                }
            })
            .collect();
        let (usage, estimated) = self.usage.unwrap_or((TokenUsage::default(), true));
        Answer {
            blocks,
            usage,
            estimated,
            warnings: self.warnings,
            outcome,
        }
    }
}

fn is_redacted(signature: Option<&str>) -> bool {
    signature.is_some_and(|signature| signature.starts_with(REDACTED))
}

/// Begins the signature of reasoning that a provider keeps secret as a whole.
pub(crate) const REDACTED: &str = "redacted:";

impl Answer {
    /// The calls that may be executed.
    pub fn ready_calls(&self) -> impl Iterator<Item = (&Call, &Map<String, Value>)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => match &call.state {
                CallState::Ready(arguments) => Some((call, arguments)),
                _ => None,
            },
            _ => None,
        })
    }

    /// All texts.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// What goes into the conversation. A call that cannot be executed goes in as
    /// the text that it was, so that no later request holds what a provider would
    /// refuse; of a cut answer only the text does.
    #[must_use]
    pub fn items(&self, model: &ModelRef) -> Vec<Item> {
        let whole = matches!(self.outcome, Outcome::Complete(_));
        let mut items = Vec::new();
        for block in &self.blocks {
            match block {
                Block::Text(text) => items.push(Item {
                    origin: Origin::Model,
                    kind: ItemKind::AssistantText {
                        text: text.clone(),
                        interrupted: !whole,
                    },
                }),
                Block::Thinking { text, signature } if whole => {
                    items.push(Item::thinking(text, signature.clone(), model.clone()));
                }
                Block::Call(call) if whole => match &call.state {
                    CallState::Ready(arguments) => {
                        items.push(Item::call(&call.id, &call.name, arguments.clone()));
                    }
                    CallState::BadArguments(_) => items.push(Item::assistant(format!(
                        "(call of {} that could not be read: {})",
                        call.name, call.text
                    ))),
                    CallState::Cut | CallState::Proposed => {}
                },
                Block::Thinking { .. } | Block::Call(_) => {}
            }
        }
        items
    }
}
