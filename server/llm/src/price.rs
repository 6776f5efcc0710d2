//! What tokens cost, in exact decimals. (spec 5.4)

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::capabilities::CacheMode;
use crate::usage::TokenUsage;

/// An amount of money in billionths of its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal(i128);

/// Billionths of one.
const ONE: i128 = 1_000_000_000;

impl Decimal {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// From billionths.
    #[must_use]
    pub const fn from_billionths(billionths: i128) -> Self {
        Self(billionths)
    }

    /// In billionths.
    #[must_use]
    pub const fn billionths(self) -> i128 {
        self.0
    }

    /// This for each of so many tokens, where it is the price of a million, not
    /// yet rounded.
    fn millionths_of(self, tokens: u64) -> i128 {
        self.0.saturating_mul(i128::from(tokens))
    }
}

impl std::ops::Add for Decimal {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl std::iter::Sum for Decimal {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, |sum, amount| sum + amount)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let whole = self.0.unsigned_abs();
        let one = ONE.unsigned_abs();
        let fraction = format!("{:09}", whole % one);
        let fraction = fraction.trim_end_matches('0');
        let dot = if fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{}{dot}{fraction}", whole / one)
    }
}

/// A text that is no decimal with at most nine places.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no decimal number with at most nine places, as 1.25")]
pub struct BadDecimal(String);

impl FromStr for Decimal {
    type Err = BadDecimal;

    fn from_str(text: &str) -> Result<Self, BadDecimal> {
        let bad = || BadDecimal(text.to_owned());
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || whole.len() > 18 || fraction.len() > 9 {
            return Err(bad());
        }
        if !is_number(whole) || !is_number(fraction) {
            return Err(bad());
        }
        let number = format!("{whole}{fraction:0<9}");
        number
            .parse::<i128>()
            .map(|billionths| Self(sign * billionths))
            .map_err(|_| bad())
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a decimal number, as 1.25 or \"1.25\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Decimal, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Decimal, E> {
                Ok(Decimal(i128::from(number) * ONE))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Decimal, E> {
                Ok(Decimal(i128::from(number) * ONE))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Decimal, E> {
                // The shortest text that reads back as the same number is what
                // the user wrote.
                number.to_string().parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// What a million tokens cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Price {
    /// The currency, as `USD`.
    #[serde(default = "usd")]
    pub currency: String,
    /// Input that is read anew.
    pub input: Decimal,
    /// Output.
    pub output: Decimal,
    /// Input that is written to the cache, where that has a price of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Decimal>,
    /// Input from the cache, where that has a price of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Decimal>,
}

fn usd() -> String {
    "USD".to_owned()
}

/// What an answer cost, and what the cache saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// The currency.
    pub currency: String,
    /// What it cost.
    pub total: Decimal,
    /// What the input from the cache would have cost more without the cache.
    pub saved: Decimal,
}

impl Price {
    /// What tokens cost with a provider that caches in this way.
    #[must_use]
    pub fn cost(&self, usage: TokenUsage, cache: CacheMode) -> Cost {
        let read = self.cache_read.unwrap_or(match cache {
            CacheMode::None => self.input,
            CacheMode::Automatic | CacheMode::Explicit => Decimal(self.input.0 / 10),
        });
        let write = self.cache_write.unwrap_or(match cache {
            CacheMode::Explicit => Decimal(self.input.0 * 5 / 4),
            CacheMode::None | CacheMode::Automatic => self.input,
        });
        let total = self.input.millionths_of(usage.input)
            + self.output.millionths_of(usage.output)
            + write.millionths_of(usage.cache_creation)
            + read.millionths_of(usage.cache_read);
        let saved = Decimal(self.input.0 - read.0).millionths_of(usage.cache_read);
        Cost {
            currency: self.currency.clone(),
            total: Decimal(rounded(total)),
            saved: Decimal(rounded(saved)),
        }
    }
}

/// A millionth, to the nearest; half away from zero.
fn rounded(amount: i128) -> i128 {
    (amount + amount.signum() * 500_000) / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(text: &str) -> Price {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn decimals_are_exact() {
        for text in ["0", "1.25", "0.000000001", "-3.5", "75"] {
            assert_eq!(text.parse::<Decimal>().unwrap().to_string(), text);
        }
        for text in ["", ".5", "1.0000000001", "1e3", "1,5", "--1"] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
        assert_eq!(
            serde_json::from_str::<Decimal>("0.1").unwrap(),
            Decimal(100_000_000)
        );
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let price = price(r#"{"input":3,"output":15,"cacheWrite":"3.75","cacheRead":"0.3"}"#);
        let usage = TokenUsage {
            input: 100,
            output: 10,
            cache_creation: 1_000,
            cache_read: 900,
        };
        let cost = price.cost(usage, CacheMode::Explicit);
        // 300 + 150 + 3750 + 270 millionths
        assert_eq!(cost.total.to_string(), "0.00447");
        assert_eq!(cost.saved.to_string(), "0.00243");
        assert_eq!(cost.currency, "USD");
    }

    #[test]
    fn prices_of_the_cache_that_nobody_said_follow_from_the_input() {
        let price = price(r#"{"input":2,"output":8,"currency":"CNY"}"#);
        let usage = TokenUsage {
            cache_creation: 1_000_000,
            cache_read: 1_000_000,
            ..TokenUsage::default()
        };
        let total = |cache| price.cost(usage, cache).total.to_string();
        assert_eq!(total(CacheMode::Explicit), "2.7");
        assert_eq!(total(CacheMode::Automatic), "2.2");
        assert_eq!(total(CacheMode::None), "4");
        assert_eq!(price.cost(usage, CacheMode::Explicit).currency, "CNY");
    }

    #[test]
    fn one_token_of_a_cheap_model_is_not_lost() {
        let price = price(r#"{"input":0.05,"output":0.4}"#);
        let usage = TokenUsage {
            input: 1,
            ..TokenUsage::default()
        };
        let cost = price.cost(usage, CacheMode::None);
        assert_eq!(cost.total, Decimal::from_billionths(50));
        assert_eq!(
            std::iter::repeat_n(cost.total, 20)
                .sum::<Decimal>()
                .to_string(),
            "0.000001"
        );
    }
}
