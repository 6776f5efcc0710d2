//! Tokens: the normal form of what was used, differences, and estimates.
//! (spec 5.3)

use serde::{Deserialize, Serialize};

use crate::item::{Item, ItemKind, Part};

/// Tokens of one answer in normal form: `input` excludes what was cached, and
/// the four never overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenUsage {
    /// Input that was read anew.
    pub input: u64,
    /// Output, reasoning included.
    pub output: u64,
    /// Input that was written to the cache.
    pub cache_creation: u64,
    /// Input that came from the cache.
    pub cache_read: u64,
}

impl TokenUsage {
    /// All of the request: what counts against the window, without the output.
    #[must_use]
    pub fn whole_input(self) -> u64 {
        self.input + self.cache_creation + self.cache_read
    }

    /// The sum, field by field.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_creation: self.cache_creation.saturating_add(other.cache_creation),
            cache_read: self.cache_read.saturating_add(other.cache_read),
        }
    }

    /// Usage of a provider that counts cached input into the input.
    #[must_use]
    pub fn with_cached_inside(prompt: u64, cached: u64, output: u64) -> Self {
        Self {
            input: prompt.saturating_sub(cached),
            output,
            cache_creation: 0,
            cache_read: cached,
        }
    }

    /// The share of the input that came from the cache, from 0 to 1; `None`
    /// without input.
    #[must_use]
    pub fn hit_rate(self) -> Option<f64> {
        let whole = self.whole_input();
        #[expect(clippy::cast_precision_loss, reason = "a share needs no exact tokens")]
        (whole > 0).then(|| self.cache_read as f64 / whole as f64)
    }
}

/// What a cumulative report adds to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageDelta {
    /// What was added; never below 0.
    pub added: TokenUsage,
    /// Whether a field was smaller than before and counts as 0.
    pub clamped: bool,
}

impl UsageDelta {
    /// `max(0, new - old)` of each field.
    #[must_use]
    pub fn between(new: TokenUsage, old: TokenUsage) -> Self {
        Self {
            added: TokenUsage {
                input: new.input.saturating_sub(old.input),
                output: new.output.saturating_sub(old.output),
                cache_creation: new.cache_creation.saturating_sub(old.cache_creation),
                cache_read: new.cache_read.saturating_sub(old.cache_read),
            },
            clamped: new.input < old.input
                || new.output < old.output
                || new.cache_creation < old.cache_creation
                || new.cache_read < old.cache_read,
        }
    }
}

/// Tokens that one item takes beside its text.
const PER_ITEM: f64 = 4.0;
/// What an image takes, whatever its size; providers scale images to about this.
const PER_IMAGE: f64 = 1_600.0;
/// The weight of a new observation.
const FACTOR: f64 = 0.2;

/// Estimates tokens, and learns from what providers report how far off it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimator {
    ratio: f64,
}

impl Default for Estimator {
    fn default() -> Self {
        Self { ratio: 1.0 }
    }
}

impl Estimator {
    /// Tokens of a text: one for 3.6 chars of ASCII, 1.4 of CJK, 2.5 of others.
    #[must_use]
    pub fn text(&self, text: &str) -> u64 {
        round(raw_text(text) * self.ratio)
    }

    /// Tokens of items in a request.
    #[must_use]
    pub fn items(&self, items: &[Item]) -> u64 {
        round(items.iter().map(raw_item).sum::<f64>() * self.ratio)
    }

    /// Learns from a request whose estimated input is known and whose real input
    /// was reported. The ratio stays within 0.5 and 2.
    pub fn observe(&mut self, estimated: u64, reported: u64) {
        if estimated == 0 || reported == 0 {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "a ratio needs no exact tokens")]
        let ratio = self.ratio * reported as f64 / estimated as f64;
        self.ratio = (self.ratio * (1.0 - FACTOR) + ratio * FACTOR).clamp(0.5, 2.0);
    }

    /// By what raw estimates are multiplied.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ratio
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate is never negative nor near the limit"
)]
fn round(tokens: f64) -> u64 {
    tokens.ceil() as u64
}

fn raw_text(text: &str) -> f64 {
    let (mut ascii, mut cjk, mut other) = (0.0, 0.0, 0.0);
    for c in text.chars() {
        if c.is_ascii() {
            ascii += 1.0;
        } else if is_cjk(c) {
            cjk += 1.0;
        } else {
            other += 1.0;
        }
    }
    ascii / 3.6 + cjk / 1.4 + other / 2.5
}

/// Ideographs, kana, hangul, and their full-width punctuation.
fn is_cjk(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

fn raw_parts(parts: &[Part]) -> f64 {
    parts
        .iter()
        .map(|part| match part {
            Part::Text { text } => raw_text(text),
            Part::Image { .. } => PER_IMAGE,
        })
        .sum()
}

fn raw_item(item: &Item) -> f64 {
    let text = match &item.kind {
        ItemKind::User { content } | ItemKind::ToolResult { content, .. } => raw_parts(content),
        ItemKind::AssistantText { text, .. }
        | ItemKind::Thinking { text, .. }
        | ItemKind::Summary { text }
        | ItemKind::CheckpointNote { text }
        | ItemKind::Challenge { text }
        | ItemKind::MemoryBlock { text }
        | ItemKind::RulesBlock { text } => raw_text(text),
        ItemKind::ToolCall {
            name, arguments, ..
        } => raw_text(name) + raw_text(&serde_json::Value::Object(arguments.clone()).to_string()),
    };
    text + PER_ITEM
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_input_is_taken_off_the_input() {
        assert_eq!(
            TokenUsage::with_cached_inside(1000, 900, 10),
            TokenUsage {
                input: 100,
                output: 10,
                cache_creation: 0,
                cache_read: 900
            }
        );
        assert_eq!(TokenUsage::with_cached_inside(5, 9, 0).input, 0);
    }

    #[test]
    fn a_report_that_shrinks_adds_nothing_and_says_so() {
        let old = TokenUsage::with_cached_inside(1000, 900, 60);
        let new = TokenUsage { output: 10, ..old };
        let delta = UsageDelta::between(new, old);
        assert_eq!(delta.added, TokenUsage::default());
        assert!(delta.clamped);
        assert!(!UsageDelta::between(old, new).clamped);
        assert_eq!(UsageDelta::between(old, new).added.output, 50);
    }

    #[test]
    fn scripts_have_their_own_density() {
        let estimator = Estimator::default();
        assert_eq!(estimator.text(&"a".repeat(36)), 10);
        assert_eq!(estimator.text(&"缓".repeat(14)), 10);
        assert_eq!(estimator.text(&"é".repeat(25)), 10);
        assert_eq!(estimator.items(&[Item::user("a".repeat(36))]), 14);
    }

    #[test]
    fn the_estimate_follows_what_is_reported_within_limits() {
        let mut estimator = Estimator::default();
        estimator.observe(100, 150);
        assert!((estimator.ratio() - 1.1).abs() < 1e-9);
        for _ in 0..100 {
            estimator.observe(estimator.text(&"a".repeat(3600)), 1500);
        }
        assert!((estimator.ratio() - 1.5).abs() < 0.01);
        for _ in 0..100 {
            estimator.observe(1, 1_000_000);
        }
        assert!((estimator.ratio() - 2.0).abs() < 1e-9);
        estimator.observe(0, 5);
        assert!((estimator.ratio() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_hit_rate_is_of_the_whole_input() {
        assert_eq!(TokenUsage::default().hit_rate(), None);
        let usage = TokenUsage::with_cached_inside(1000, 900, 10);
        assert!((usage.hit_rate().unwrap() - 0.9).abs() < 1e-9);
    }
}
