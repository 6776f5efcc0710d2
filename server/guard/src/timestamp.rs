//! Moments as people and other programs write them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const DAY: i64 = 86_400_000;

/// A moment: milliseconds since 1970, in UTC. It is written as
/// `2026-01-31T12:00:00.000Z`, and read from that form (with or without the
/// fraction) or from a number of milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// How many milliseconds lie between an earlier moment and this one.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// How many whole days lie between an earlier moment and this one.
    #[must_use]
    pub const fn days_since(self, earlier: Self) -> i64 {
        self.since(earlier) / DAY
    }

    /// Year, month, day, and the milliseconds of the day.
    fn civil(self) -> (i64, u32, u32, i64) {
        let days = self.0.div_euclid(DAY);
        let rest = self.0.rem_euclid(DAY);
        // Days are counted from 0000-03-01, so that a leap day ends a year, in
        // eras of 400 years.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        let small = |value: i64| u32::try_from(value).unwrap_or_default();
        (year, small(month), small(day), rest)
    }

    fn from_civil(year: i64, month: i64, day: i64) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let shifted = if month > 2 { month - 3 } else { month + 9 };
        let of_year = (153 * shifted + 2) / 5 + day - 1;
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
        Self((days - 719_468) * DAY)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day, rest) = self.civil();
        let (seconds, millis) = (rest / 1000, rest % 1000);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{millis:03}Z",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )
    }
}

impl FromStr for Timestamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text)
            .ok_or_else(|| format!("`{text}` is not a moment; write it like 2026-01-31T12:00:00Z"))
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
    let mut parts = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(0..=9999).contains(&year) {
        return None;
    }
    let time = time.strip_suffix(['Z', 'z']).unwrap_or(time);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = time.splitn(3, ':').map(str::parse::<i64>);
    let (hour, minute) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let second = parts.next().unwrap_or(Ok(0)).ok()?;
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..61).contains(&second) {
        return None;
    }
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let of_day = ((hour * 60 + minute) * 60 + second) * 1000 + millis;
    Some(Timestamp(
        Timestamp::from_civil(year, month, day).0 + of_day,
    ))
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(i64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(number) => Ok(Self(number)),
            Form::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_moments() {
        let shown = |millis| Timestamp(millis).to_string();
        assert_eq!(shown(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(shown(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(shown(1_790_000_000_123), "2026-09-21T14:13:20.123Z");
        assert_eq!(shown(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!("1970-01-02".parse(), Ok(Timestamp(DAY)));
        assert_eq!("1970-01-01T00:00:01Z".parse(), Ok(Timestamp(1000)));
        for wrong in ["", "soon", "2026-13-01", "2026-01-01T25:00:00Z"] {
            assert!(wrong.parse::<Timestamp>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_moment_is_read_as_it_is_written(millis in -60_000_000_000_000_i64..250_000_000_000_000) {
            let moment = Timestamp(millis);
            prop_assert_eq!(moment.to_string().parse::<Timestamp>(), Ok(moment));
        }
    }
}
