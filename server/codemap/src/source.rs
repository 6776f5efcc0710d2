//! The files that a map is made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::facts::FileFacts;
use crate::manifest::Manifest;

/// A source file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// A hash of its path and content.
    pub hash: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Whether its path is that of a test.
    pub is_test: bool,
    /// What it says.
    pub facts: FileFacts,
}

/// Everything that a map is made of, by project-relative path. Equal sources
/// give equal maps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sources {
    /// The source files.
    pub files: BTreeMap<String, Arc<SourceFile>>,
    /// The manifests that could be read.
    pub manifests: BTreeMap<String, Arc<Manifest>>,
}

/// FNV-1a over a path and a content, the same on every machine.
pub(crate) fn content_hash(path: &str, content: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bytes: &[u8]| {
        let mut words = bytes.chunks_exact(8);
        for word in words.by_ref() {
            let word = <[u8; 8]>::try_from(word).map_or(0, u64::from_le_bytes);
            hash = (hash ^ word)
                .wrapping_mul(0x0000_0100_0000_01b3)
                .rotate_left(23);
        }
        for &byte in words.remainder() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash = (hash ^ bytes.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    };
    mix(path.as_bytes());
    mix(content);
    hash
}
