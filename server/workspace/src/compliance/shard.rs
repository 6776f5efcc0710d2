use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One of several parts of a project's files, so that machines can share the
/// work. Which part a file belongs to depends on its path alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
}

impl Shard {
    /// Whether a file, by its project-relative path, belongs to this part.
    #[must_use]
    pub fn holds(self, path: &str) -> bool {
        // FNV-1a, which is the same on every machine.
        let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        // The low bits of this hash alone are too regular for names that differ
        // in a digit.
        let mixed = (hash ^ (hash >> 32)) % u64::from(self.count.max(1));
        mixed + 1 == u64::from(self.index)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text
            .split_once('/')
            .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parsed {
            Some((index, count)) if index >= 1 && index <= count => Ok(Self { index, count }),
            _ => Err(format!(
                "`{text}` is no part; the second of three is written 2/3"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_with_a_slash() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, count: 3 }));
        for wrong in ["", "2", "0/3", "4/3", "a/b", "1/0", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_file_is_in_one_part_and_the_parts_are_alike() {
        let mut sizes = [0; 4];
        for number in 0..4000 {
            let path = format!("src/module{}/file{number}.ts", number % 7);
            let holding: Vec<u32> = (1..=4)
                .filter(|index| {
                    Shard {
                        index: *index,
                        count: 4,
                    }
                    .holds(&path)
                })
                .collect();
            assert_eq!(holding.len(), 1, "{path}");
            sizes[holding[0] as usize - 1] += 1;
        }
        assert!(
            sizes.iter().all(|size| (800..1200).contains(size)),
            "{sizes:?}"
        );
    }
}
