//! From items to turns that every provider accepts: calls paired with their
//! results, speakers alternating, nothing empty. (spec 5.7)

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::capabilities::{Capabilities, ToolMode};
use crate::item::{Item, ItemKind, ModelRef, Part};
use crate::schema::ToolNames;
use crate::text_calls::{write_call, write_result};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Assistant,
}

/// Everything that one side says before the other does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Turn {
    pub speaker: Speaker,
    pub parts: Vec<TurnPart>,
}

/// A piece of a turn. Names are those that the model sees.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TurnPart {
    Text(String),
    Image {
        mime: String,
        data: String,
    },
    Thinking {
        text: String,
        signature: Option<String>,
    },
    Call {
        id: String,
        name: String,
        arguments: Map<String, Value>,
    },
    Result {
        id: String,
        name: String,
        text: String,
        images: Vec<(String, String)>,
        is_error: bool,
    },
}

/// What a call without a result is answered with.
const INTERRUPTED: &str = "interrupted: the call was not executed, or its result was lost";
const NO_OUTPUT: &str = "(no output)";
const NO_IMAGES: &str = "(an image was left out: this model sees none)";

/// Turns a conversation into turns. The first and the last are the user's.
pub(crate) fn turns(
    items: &[Item],
    model: &ModelRef,
    capabilities: &Capabilities,
    names: &ToolNames,
) -> Vec<Turn> {
    let mut builder = Builder {
        items,
        model,
        capabilities,
        names,
        results: pair(items),
        ids: BTreeSet::new(),
        pending: Vec::new(),
        turns: Vec::new(),
    };
    for place in 0..items.len() {
        builder.take(place);
    }
    builder.answer_calls();
    whole(builder.turns)
}

/// The result of each call, by their places.
fn pair(items: &[Item]) -> Vec<Option<usize>> {
    let mut results = vec![None; items.len()];
    for (place, item) in items.iter().enumerate() {
        let ItemKind::ToolResult { id, .. } = &item.kind else {
            continue;
        };
        // An id may come again later; the newest call that waits is meant.
        let call = (0..place).rev().find(|at| {
            results[*at].is_none()
                && matches!(&items[*at].kind, ItemKind::ToolCall { id: own, .. } if own == id)
        });
        if let Some(call) = call {
            results[call] = Some(place);
        }
    }
    results
}

struct Builder<'a> {
    items: &'a [Item],
    model: &'a ModelRef,
    capabilities: &'a Capabilities,
    names: &'a ToolNames,
    results: Vec<Option<usize>>,
    ids: BTreeSet<String>,
    /// Calls whose results were not given yet: place and id for the wire.
    pending: Vec<(usize, String)>,
    turns: Vec<Turn>,
}

impl Builder<'_> {
    fn take(&mut self, place: usize) {
        match &self.items[place].kind {
            ItemKind::User { content } => {
                self.answer_calls();
                for part in content {
                    let part = match part {
                        Part::Text { text } => TurnPart::Text(text.clone()),
                        Part::Image { mime, data } if self.capabilities.images => TurnPart::Image {
                            mime: mime.clone(),
                            data: data.clone(),
                        },
                        Part::Image { .. } => TurnPart::Text(NO_IMAGES.to_owned()),
                    };
                    self.say(Speaker::User, part);
                }
            }
            ItemKind::Summary { text }
            | ItemKind::CheckpointNote { text }
            | ItemKind::Challenge { text }
            | ItemKind::MemoryBlock { text }
            | ItemKind::RulesBlock { text } => {
                self.answer_calls();
                self.say(Speaker::User, TurnPart::Text(text.clone()));
            }
            ItemKind::AssistantText { text, .. } => {
                self.say(Speaker::Assistant, TurnPart::Text(text.clone()));
            }
            ItemKind::Thinking {
                text,
                signature,
                model,
            } => {
                let wanted = signature.is_some() || self.capabilities.echo_reasoning;
                if model == self.model && wanted {
                    self.say(
                        Speaker::Assistant,
                        TurnPart::Thinking {
                            text: text.clone(),
                            signature: signature.clone(),
                        },
                    );
                }
            }
            ItemKind::ToolCall {
                id,
                name,
                arguments,
            } => {
                let id = self.wire_id(id);
                let name = self.names.exposed(name);
                let part = match self.capabilities.tools {
                    ToolMode::Native => TurnPart::Call {
                        id: id.clone(),
                        name,
                        arguments: arguments.clone(),
                    },
                    ToolMode::Text | ToolMode::None => TurnPart::Text(write_call(&name, arguments)),
                };
                self.pending.push((place, id));
                self.say(Speaker::Assistant, part);
            }
            ItemKind::ToolResult { .. } => {
                if self
                    .pending
                    .iter()
                    .any(|(call, _)| self.results[*call] == Some(place))
                {
                    self.answer_calls();
                }
            }
        }
    }

    /// Gives the results of all calls that wait, in the order of the calls.
    fn answer_calls(&mut self) {
        for (call, id) in std::mem::take(&mut self.pending) {
            let ItemKind::ToolCall { name, .. } = &self.items[call].kind else {
                continue;
            };
            let name = self.names.exposed(name);
            let mut images = Vec::new();
            let (mut text, is_error) = match self.results[call].map(|at| &self.items[at].kind) {
                Some(ItemKind::ToolResult {
                    content, is_error, ..
                }) => {
                    let mut texts = Vec::new();
                    for part in content {
                        match part {
                            Part::Text { text } => texts.push(text.as_str()),
                            Part::Image { mime, data } if self.capabilities.images => {
                                images.push((mime.clone(), data.clone()));
                            }
                            Part::Image { .. } => texts.push(NO_IMAGES),
                        }
                    }
                    (texts.join("\n"), *is_error)
                }
                _ => (INTERRUPTED.to_owned(), true),
            };
            if text.trim().is_empty() {
                text = NO_OUTPUT.to_owned();
            }
            if self.capabilities.tools == ToolMode::Native {
                let part = TurnPart::Result {
                    id,
                    name,
                    text,
                    images,
                    is_error,
                };
                self.say(Speaker::User, part);
            } else {
                self.say(
                    Speaker::User,
                    TurnPart::Text(write_result(&id, &name, &text)),
                );
                for (mime, data) in images {
                    self.say(Speaker::User, TurnPart::Image { mime, data });
                }
            }
        }
    }

    /// An id of letters, digits, `_` and `-`, at most 64, that is used once.
    fn wire_id(&mut self, id: &str) -> String {
        let mut wire: String = id
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '-' {
                    c
                } else {
                    '_'
                }
            })
            .take(64)
            .collect();
        if wire.is_empty() {
            wire.push_str("call");
        }
        let base: String = wire.chars().take(56).collect();
        let mut number = 1;
        while !self.ids.insert(wire.clone()) {
            number += 1;
            wire = format!("{base}_{number}");
        }
        wire
    }

    fn say(&mut self, speaker: Speaker, part: TurnPart) {
        if matches!(&part, TurnPart::Text(text) if text.trim().is_empty()) {
            return;
        }
        match self.turns.last_mut() {
            Some(turn) if turn.speaker == speaker => turn.parts.push(part),
            _ => self.turns.push(Turn {
                speaker,
                parts: vec![part],
            }),
        }
    }
}

/// Removes turns that only think, and lets the user begin and end.
fn whole(turns: Vec<Turn>) -> Vec<Turn> {
    let mut whole: Vec<Turn> = Vec::new();
    for turn in turns {
        let only_thinks = turn
            .parts
            .iter()
            .all(|part| matches!(part, TurnPart::Thinking { .. }));
        if only_thinks {
            continue;
        }
        match whole.last_mut() {
            Some(last) if last.speaker == turn.speaker => last.parts.extend(turn.parts),
            _ => whole.push(turn),
        }
    }
    let said = |text: &str| Turn {
        speaker: Speaker::User,
        parts: vec![TurnPart::Text(text.to_owned())],
    };
    if whole
        .first()
        .is_none_or(|turn| turn.speaker == Speaker::Assistant)
    {
        whole.insert(0, said("(the conversation goes on)"));
    }
    if whole
        .last()
        .is_some_and(|turn| turn.speaker == Speaker::Assistant)
    {
        whole.push(said("(go on)"));
    }
    whole
}

#[cfg(test)]
mod tests;
