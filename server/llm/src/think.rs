//! Reasoning that a model writes into its text, between tags.

/// What a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Thought {
    /// Between the tags.
    Thinking(String),
    /// Outside of them.
    Text(String),
}

const OPENING: &[(&str, &str)] = &[("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// Separates the reasoning at the beginning of an answer from the answer. Tags
/// further on are text: an answer may be about them.
#[derive(Debug, Default)]
pub(crate) struct ThinkSplitter {
    state: State,
    held: String,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Start,
    Thinking(&'static str),
    Text,
}

impl ThinkSplitter {
    pub fn push(&mut self, text: &str, out: &mut Vec<Thought>) {
        self.held.push_str(text);
        loop {
            match self.state {
                State::Start => {
                    let begin = self.held.trim_start();
                    let found = OPENING.iter().find(|(open, _)| begin.starts_with(open));
                    if let Some((open, close)) = found {
                        self.held = begin[open.len()..].to_owned();
                        self.state = State::Thinking(close);
                    } else if OPENING.iter().any(|(open, _)| open.starts_with(begin)) {
                        return;
                    } else {
                        self.state = State::Text;
                    }
                }
                State::Thinking(close) => {
                    if let Some(at) = self.held.find(close) {
                        give(Thought::Thinking(self.held[..at].to_owned()), out);
                        self.held = self.held[at + close.len()..].to_owned();
                        self.state = State::Start;
                    } else {
                        let keep = partial_suffix(&self.held, close);
                        let rest = self.held.split_off(self.held.len() - keep);
                        give(
                            Thought::Thinking(std::mem::replace(&mut self.held, rest)),
                            out,
                        );
                        return;
                    }
                }
                State::Text => {
                    give(Thought::Text(std::mem::take(&mut self.held)), out);
                    return;
                }
            }
        }
    }

    /// The text has ended, or a call begins: reasoning ends with it.
    pub fn end(&mut self, out: &mut Vec<Thought>) {
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Thinking(_) => {
                give(Thought::Thinking(held), out);
                self.state = State::Start;
            }
            State::Start | State::Text => give(Thought::Text(held), out),
        }
    }
}

fn give(thought: Thought, out: &mut Vec<Thought>) {
    let (Thought::Thinking(text) | Thought::Text(text)) = &thought;
    if !text.is_empty() {
        out.push(thought);
    }
}

/// How many bytes at the end of a text may be the beginning of a tag.
pub(crate) fn partial_suffix(text: &str, tag: &str) -> usize {
    (1..tag.len())
        .rev()
        .find(|length| tag.is_char_boundary(*length) && text.ends_with(&tag[..*length]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, size: usize) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut out = Vec::new();
        let chars: Vec<char> = text.chars().collect();
        for chunk in chars.chunks(size) {
            splitter.push(&chunk.iter().collect::<String>(), &mut out);
        }
        splitter.end(&mut out);
        let mut both = (String::new(), String::new());
        for thought in out {
            match thought {
                Thought::Thinking(text) => both.0 += &text,
                Thought::Text(text) => both.1 += &text,
            }
        }
        both
    }

    #[test]
    fn reasoning_at_the_beginning_is_no_text() {
        for size in [1, 3, 100] {
            let both = split("\n<think>a < b\n</think>\nYes.", size);
            assert_eq!(both, ("a < b\n".into(), "\nYes.".into()));
            let both = split("<thinking>é</thinking>缓", size);
            assert_eq!(both, ("é".into(), "缓".into()));
        }
    }

    #[test]
    fn reasoning_without_an_end_ends_with_the_answer() {
        assert_eq!(
            split("<think>hm</thi", 2),
            ("hm</thi".into(), String::new())
        );
    }

    #[test]
    fn tags_further_on_are_text() {
        let text = "Write <think>x</think> first.";
        assert_eq!(split(text, 4), (String::new(), text.into()));
        assert_eq!(split("<thin", 1), (String::new(), "<thin".into()));
    }
}
