//! A hash that is the same on every machine and in every release: it ends up
//! in fingerprints that people commit.

/// FNV-1a over bytes, with a separator after each part so that `ab`, `c` and
/// `a`, `bc` differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StableHasher(u64);

impl StableHasher {
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn part(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            self.byte(byte);
        }
        self.byte(0xff)
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.part(&number.to_le_bytes())
    }

    fn byte(&mut self, byte: u8) -> &mut Self {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        self
    }

    pub(crate) const fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_that_were_committed_stay_valid() {
        let mut hasher = StableHasher::new();
        hasher.part(b"no-todo").part(b"TODO").number(0);
        assert_eq!(hasher.finish(), 0x47ce_62e8_6987_151c);
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let (mut a, mut b) = (StableHasher::new(), StableHasher::new());
        a.part(b"ab").part(b"c");
        b.part(b"a").part(b"bc");
        assert_ne!(a.finish(), b.finish());
    }
}
