//! The normalisation that the vocabulary was made with: NFKC with a few changes
//! of its own, as a table of replacements in a double-array trie, and one space
//! between words.

use super::file::ModelError;

/// What stands for a space in the vocabulary.
pub(super) const SPACE: &str = "\u{2581}";

/// The table of replacements, as SentencePiece stores it: the size of a
/// double-array trie in bytes, its units, and the replacements, each ended by a
/// zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charsmap<'m> {
    units: &'m [u8],
    replacements: &'m str,
}

impl<'m> Charsmap<'m> {
    pub(super) fn read(section: &'m [u8]) -> Result<Self, ModelError> {
        let damaged = || ModelError::damaged("its table of characters cannot be read");
        let (size, rest) = section.split_first_chunk().ok_or_else(damaged)?;
        let size = u32::from_le_bytes(*size) as usize;
        let (units, replacements) = rest.split_at_checked(size).ok_or_else(damaged)?;
        Ok(Self {
            units,
            replacements: std::str::from_utf8(replacements).map_err(|_| damaged())?,
        })
    }

    /// The text as the vocabulary knows it: it begins with [`SPACE`], and every
    /// space is one. Nothing is left of a text without visible characters.
    pub(super) fn normalise(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 2 + SPACE.len());
        out.push_str(SPACE);
        let mut rest = text;
        let mut after_space = true;
        while !rest.is_empty() {
            let (replacement, length) = self.replace_first(rest);
            rest = &rest[length..];
            let kept = if after_space {
                replacement.trim_start_matches(' ')
            } else {
                replacement
            };
            for char in kept.chars() {
                if char == ' ' {
                    out.push_str(SPACE);
                } else {
                    out.push(char);
                }
            }
            if !kept.is_empty() {
                after_space = kept.ends_with(' ');
            }
        }
        out.truncate(out.trim_end_matches(SPACE).len());
        out
    }

    /// What the longest known beginning of `text` becomes, and its length; a
    /// character that begins nothing stays as it is.
    fn replace_first<'t>(&self, text: &'t str) -> (&'t str, usize)
    where
        'm: 't,
    {
        let mut found = None;
        let mut node = self.unit(0).map_or(0, Unit::offset);
        for (index, byte) in text.bytes().enumerate() {
            node ^= usize::from(byte);
            let Some(unit) = self.unit(node).filter(|unit| unit.is_for(byte)) else {
                break;
            };
            node ^= unit.offset();
            if unit.has_value() && text.is_char_boundary(index + 1) {
                found = self.unit(node).map(|leaf| (leaf.value(), index + 1));
            }
        }
        let replacement = found.and_then(|(at, length)| {
            let rest = self
                .replacements
                .get(at..)
                .filter(|rest| !rest.is_empty())?;
            Some((rest.split('\0').next().unwrap_or_default(), length))
        });
        replacement.unwrap_or_else(|| {
            let length = text.chars().next().map_or(0, char::len_utf8);
            (&text[..length], length)
        })
    }

    fn unit(&self, index: usize) -> Option<Unit> {
        let at = index.checked_mul(4)?;
        let bytes = self.units.get(at..at + 4)?;
        Some(Unit(u32::from_le_bytes(bytes.try_into().ok()?)))
    }
}

/// A cell of a double array in the layout of darts-clone: the lowest byte is
/// the label, bit 8 says that a value follows, the upper 22 bits lead to the
/// children, in steps of 256 when bit 9 is set. A cell with a value has bit 31
/// set, and the value below.
#[derive(Clone, Copy)]
struct Unit(u32);

impl Unit {
    fn is_for(self, byte: u8) -> bool {
        self.0 & 0x8000_00ff == u32::from(byte)
    }

    fn has_value(self) -> bool {
        self.0 & 0x100 != 0
    }

    fn value(self) -> usize {
        (self.0 & 0x7fff_ffff) as usize
    }

    fn offset(self) -> usize {
        ((self.0 >> 10) << ((self.0 & 0x200) >> 6)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table that replaces nothing.
    fn empty() -> Vec<u8> {
        let mut section = 4_u32.to_le_bytes().to_vec();
        section.extend([0; 4]);
        section
    }

    #[test]
    fn words_are_divided_by_one_mark_and_begin_with_one() {
        let section = empty();
        let charsmap = Charsmap::read(&section).expect("sound");
        assert_eq!(charsmap.normalise("  a  b c  "), "▁a▁b▁c");
        assert_eq!(charsmap.normalise("重试 队列"), "▁重试▁队列");
        assert_eq!(charsmap.normalise("   "), "");
        assert_eq!(charsmap.normalise(""), "");
    }

    #[test]
    fn a_table_that_is_cut_off_is_refused() {
        assert!(Charsmap::read(&empty()[..6]).is_err());
        assert!(Charsmap::read(&[]).is_err());
    }
}
