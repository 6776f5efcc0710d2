//! Calls that a model writes as text: the form that is asked for, and a scanner
//! that finds calls while the text streams. (spec 5.6)

use serde_json::{Map, Value};

use crate::arguments::parse_arguments;
use crate::request::ToolSpec;
use crate::schema::validate;
use crate::think::partial_suffix;

/// What is held back at most while it may be a call, in bytes.
const HELD: usize = 4 * 1024 * 1024;
const TAG: &str = "<tool_call>";
const TAG_END: &str = "</tool_call>";
const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";

/// What a scanner finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scanned {
    /// Text to show.
    Text(String),
    /// A call of a known tool with valid arguments, as JSON.
    Call { name: String, arguments: String },
    /// Something has the form of a call but is none; its text is shown.
    NearMiss(String),
}

/// Finds calls in text.
pub(crate) struct CallScanner {
    tools: Vec<(String, Value)>,
    held: String,
    state: State,
    /// Whether what comes next begins a line.
    line_start: bool,
    in_fence: bool,
    /// Whether something was a call; then blanks around it are not shown.
    found: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but blanks so far.
    Start,
    /// The whole answer may be one call.
    Whole,
    Text,
    /// Inside of a tag.
    Tag,
    /// Inside of a function's tag.
    Function,
}

impl CallScanner {
    /// A scanner for these tools, by the names that the model knows.
    pub fn new(tools: impl IntoIterator<Item = (String, Value)>) -> Self {
        Self {
            tools: tools.into_iter().collect(),
            held: String::new(),
            state: State::Start,
            line_start: true,
            in_fence: false,
            found: false,
        }
    }

    /// Takes text, and gives what is certain now.
    pub fn push(&mut self, text: &str, out: &mut Vec<Scanned>) {
        self.held.push_str(text);
        if self.held.len() > HELD {
            self.give_up(out);
            return;
        }
        self.scan(out);
    }

    /// The answer is whole.
    pub fn end(&mut self, out: &mut Vec<Scanned>) {
        let held = std::mem::take(&mut self.held);
        let candidate = match self.state {
            State::Whole => whole(&held),
            State::Tag => Some(held[TAG.len()..].trim()),
            State::Function => Some(held.trim()),
            State::Start | State::Text => None,
        };
        match candidate.map(|candidate| self.calls(candidate)) {
            Some(Candidate::Calls(calls)) => {
                out.extend(calls);
                return;
            }
            Some(Candidate::NearMiss(why)) => out.push(Scanned::NearMiss(why)),
            Some(Candidate::Unfinished) if self.state != State::Whole => out.push(
                Scanned::NearMiss("A call in the text has no end.".to_owned()),
            ),
            Some(Candidate::Unfinished | Candidate::Other) | None => {}
        }
        give(held, out);
    }

    /// Nothing that is held back becomes a call.
    pub fn give_up(&mut self, out: &mut Vec<Scanned>) {
        give(std::mem::take(&mut self.held), out);
        self.state = State::Text;
    }

    fn scan(&mut self, out: &mut Vec<Scanned>) {
        loop {
            let go_on = match self.state {
                State::Start => self.scan_start(),
                State::Whole => self.scan_whole(),
                State::Text => self.scan_text(out),
                State::Tag => self.scan_tag(TAG_END, out),
                State::Function => self.scan_tag(FUNCTION_END, out),
            };
            if !go_on {
                return;
            }
        }
    }

    fn scan_start(&mut self) -> bool {
        let begin = self.held.trim_start();
        self.state = if begin.is_empty() || "```".starts_with(begin) {
            return false;
        } else if begin.starts_with('{') || begin.starts_with("```") {
            State::Whole
        } else {
            State::Text
        };
        true
    }

    /// Whether the answer, so far one object or one fence, has turned out to be
    /// more or something else.
    fn scan_whole(&mut self) -> bool {
        let begin = self.held.trim_start();
        let is_more = if let Some(fence) = begin.strip_prefix("```") {
            match fence.split_once('\n') {
                Some((info, body)) => {
                    !matches!(info.trim(), "json" | "tool_call" | "")
                        || body
                            .split_once("\n```")
                            .is_some_and(|(_, after)| !after.trim().is_empty())
                }
                None => fence.len() > 40,
            }
        } else {
            let inside = begin[1..].trim_start();
            !inside.is_empty() && !inside.starts_with(['"', '}'])
        };
        if is_more {
            self.state = State::Text;
        }
        is_more
    }

    fn scan_text(&mut self, out: &mut Vec<Scanned>) -> bool {
        let mut at = 0;
        while at < self.held.len() {
            let rest = &self.held[at..];
            if self.line_start {
                let begin = rest.trim_start_matches([' ', '\t']);
                if begin.is_empty() || begin.len() < 3 && begin.bytes().all(|b| b == b'`') {
                    break;
                }
                self.line_start = false;
                if begin.starts_with("```") {
                    self.in_fence = !self.in_fence;
                    at += rest.len() - begin.len() + 3;
                    continue;
                }
            }
            let line = rest.find('\n').map_or(rest, |end| &rest[..=end]);
            if !self.in_fence
                && let Some((place, state)) = self.tag_in(line, at)
            {
                let before = self.held[..at + place].to_owned();
                self.held.drain(..at + place);
                self.give_text(before, out);
                self.state = state;
                return true;
            }
            if line.ends_with('\n') {
                self.line_start = true;
                at += line.len();
                continue;
            }
            let keep = if self.in_fence {
                0
            } else {
                partial_suffix(line, TAG).max(partial_suffix(line, FUNCTION))
            };
            at += line.len() - keep;
            break;
        }
        let rest = self.held.split_off(at);
        let text = std::mem::replace(&mut self.held, rest);
        self.give_text(text, out);
        false
    }

    /// The first tag in a line that is not quoted as code.
    fn tag_in(&self, line: &str, at: usize) -> Option<(usize, State)> {
        [(TAG, State::Tag), (FUNCTION, State::Function)]
            .into_iter()
            .filter_map(|(tag, state)| {
                line.match_indices(tag)
                    .map(|(place, _)| place)
                    .find(|place| !self.held[..at + place].ends_with('`'))
                    .map(|place| (place, state))
            })
            .min_by_key(|(place, _)| *place)
    }

    fn scan_tag(&mut self, end: &str, out: &mut Vec<Scanned>) -> bool {
        let mut from = 0;
        while let Some(found) = self.held[from..].find(end) {
            let stop = from + found + end.len();
            let inside = if self.state == State::Tag {
                &self.held[TAG.len()..stop - end.len()]
            } else {
                &self.held[..stop]
            };
            match self.calls(inside.trim()) {
                // The end may stand in a text of the arguments.
                Candidate::Unfinished => {
                    from = stop;
                    continue;
                }
                Candidate::Calls(calls) => {
                    self.found = true;
                    out.extend(calls);
                    self.held.drain(..stop);
                }
                Candidate::NearMiss(why) => {
                    out.push(Scanned::NearMiss(why));
                    let text: String = self.held.drain(..stop).collect();
                    give(text, out);
                }
                Candidate::Other => {
                    out.push(Scanned::NearMiss(
                        "A <tool_call> in the text holds no JSON object with a name.".to_owned(),
                    ));
                    let text: String = self.held.drain(..stop).collect();
                    give(text, out);
                }
            }
            self.state = State::Text;
            return true;
        }
        false
    }

    fn give_text(&self, text: String, out: &mut Vec<Scanned>) {
        if self.found && text.trim().is_empty() {
            return;
        }
        give(text, out);
    }

    fn calls(&self, text: &str) -> Candidate {
        if text.starts_with(FUNCTION) {
            return self.function(text);
        }
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) if error.is_eof() => return Candidate::Unfinished,
            Err(_) => match parse_arguments(text) {
                Ok(object) => Value::Object(object),
                Err(_) => return Candidate::Other,
            },
        };
        let several = match value {
            Value::Array(several) => several,
            one => vec![one],
        };
        let mut calls = Vec::new();
        for one in &several {
            let Some(name) = one.get("name").and_then(Value::as_str) else {
                return Candidate::Other;
            };
            let arguments = match one.get("arguments").or_else(|| one.get("parameters")) {
                Some(Value::Object(arguments)) => arguments.clone(),
                Some(Value::String(text)) => match parse_arguments(text) {
                    Ok(arguments) => arguments,
                    Err(bad) => return Candidate::NearMiss(format!("{name}: {bad}")),
                },
                None => Map::new(),
                Some(_) => {
                    return Candidate::NearMiss(format!("{name}: the arguments are no object"));
                }
            };
            match self.check(name, arguments) {
                Ok(call) => calls.push(call),
                Err(why) => return Candidate::NearMiss(why),
            }
        }
        if calls.is_empty() {
            return Candidate::Other;
        }
        Candidate::Calls(calls)
    }

    fn function(&self, text: &str) -> Candidate {
        let Some((name, mut rest)) = text[FUNCTION.len()..].split_once('>') else {
            return Candidate::Unfinished;
        };
        let schema = self.tools.iter().find(|(tool, _)| tool == name);
        let mut arguments = Map::new();
        loop {
            rest = rest.trim_start();
            if rest == FUNCTION_END {
                break;
            }
            let parameter = rest
                .strip_prefix("<parameter=")
                .and_then(|rest| rest.split_once('>'));
            let Some((key, value)) = parameter else {
                return Candidate::Unfinished;
            };
            let end = value.match_indices("</parameter>").find(|(at, tag)| {
                let after = value[at + tag.len()..].trim_start();
                after.starts_with("<parameter=") || after == FUNCTION_END
            });
            let Some((end, tag)) = end else {
                return Candidate::Unfinished;
            };
            let text = &value[..end];
            let text = text.strip_prefix('\n').unwrap_or(text);
            let text = text.strip_suffix('\n').unwrap_or(text);
            let kind = schema
                .and_then(|(_, schema)| schema.pointer(&format!("/properties/{key}/type")))
                .and_then(Value::as_str);
            let read = match kind {
                Some("string") => None,
                _ => serde_json::from_str(text.trim()).ok(),
            };
            arguments.insert(
                key.to_owned(),
                read.unwrap_or_else(|| Value::String(text.to_owned())),
            );
            rest = &value[end + tag.len()..];
        }
        match self.check(name, arguments) {
            Ok(call) => Candidate::Calls(vec![call]),
            Err(why) => Candidate::NearMiss(why),
        }
    }

    fn check(&self, name: &str, arguments: Map<String, Value>) -> Result<Scanned, String> {
        let Some((_, schema)) = self.tools.iter().find(|(tool, _)| tool == name) else {
            return Err(format!("There is no tool `{name}`."));
        };
        let arguments = Value::Object(arguments);
        validate(&arguments, schema).map_err(|fault| format!("{name}: {fault}"))?;
        Ok(Scanned::Call {
            name: name.to_owned(),
            arguments: arguments.to_string(),
        })
    }
}

enum Candidate {
    Calls(Vec<Scanned>),
    NearMiss(String),
    Unfinished,
    /// It has not the form of a call.
    Other,
}

/// The object that is the whole answer, out of its fence.
fn whole(held: &str) -> Option<&str> {
    let text = held.trim();
    match text.strip_prefix("```") {
        Some(fence) => {
            let (_, body) = fence.split_once('\n')?;
            Some(body.strip_suffix("```")?.trim())
        }
        None => Some(text),
    }
}

fn give(text: String, out: &mut Vec<Scanned>) {
    if !text.is_empty() {
        out.push(Scanned::Text(text));
    }
}

/// The part of the system prompt that describes tools to a model without native
/// calls, by the names that the model is to use.
pub(crate) fn describe_tools(tools: &[(String, &ToolSpec)]) -> String {
    let mut text = String::from(
        "# Tools\n\nYou can call tools. To call one, write a block of exactly this form and nothing \
         after it:\n\n<tool_call>{\"name\": \"TOOL\", \"arguments\": {\"KEY\": \"VALUE\"}}</tool_call>\n\n\
         Several blocks may follow each other. The results come in the next message as \
         <tool_result> blocks. These are the tools, with the JSON Schema of their arguments:\n",
    );
    for (name, tool) in tools {
        text.push_str(&format!(
            "\n## {name}\n{}\n{}\n",
            tool.description.trim(),
            tool.parameters
        ));
    }
    text
}

/// A call as the model is asked to write it.
pub(crate) fn write_call(name: &str, arguments: &Map<String, Value>) -> String {
    let call = serde_json::json!({ "name": name, "arguments": arguments });
    format!("{TAG}{call}{TAG_END}")
}

/// A result as the model is told to expect it. The closing tag inside of the data
/// is escaped.
pub(crate) fn write_result(id: &str, name: &str, text: &str) -> String {
    let text = text.replace("</tool_result", "<\\/tool_result");
    format!("<tool_result id=\"{id}\" name=\"{name}\">\n{text}\n</tool_result>")
}

#[cfg(test)]
mod tests;
