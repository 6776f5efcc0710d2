//! The model file: a head, a table of sections, the sections. It is mapped into
//! memory and never copied. docs/embeddings.md describes the format.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use sha2::{Digest, Sha256};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"ASDMODEL";

/// The version of the format that this program reads and writes.
const VERSION: u32 = 1;

/// The magic, the version, the number of sections, the length of the file, the
/// digest of what follows the head, zeros.
const HEAD: usize = 64;

/// A name padded with zeros, an offset, a length.
const ENTRY: usize = 32;

const NAME: usize = 16;

/// Sections begin at multiples of this.
const ALIGNMENT: usize = 64;

/// More sections than any model has.
const MAX_SECTIONS: usize = 1024;

/// What is wrong with a model file, or with what one is to be made from.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is something else.
    #[error("{} is not a model file of asd", .0.display())]
    Foreign(PathBuf),
    /// It was written by another version of this program.
    #[error(
        "{} has version {found} of the format, this asd reads version {VERSION}; \
         run `asd embed install` again", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that it has.
        found: u32,
    },
    /// Its content is not what its head says.
    #[error("the model file is damaged ({0}); run `asd embed install` again")]
    Damaged(String),
    /// A model cannot be made from what was given.
    #[error("{0}")]
    Source(String),
}

impl ModelError {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }

    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            error,
        }
    }
}

/// A mapped model file whose head and table of sections are sound. The content
/// of the sections is only as good as whoever wrote it; whoever reads it checks
/// every place that it leads to.
#[derive(Debug)]
pub(super) struct ModelFile {
    map: Mmap,
    sections: Vec<(String, std::ops::Range<usize>)>,
    digest: [u8; 32],
}

impl ModelFile {
    /// Maps the file at `path`.
    pub(super) fn open(path: &Path) -> Result<Self, ModelError> {
        let file = File::open(path).map_err(|error| ModelError::io(path, error))?;
        #[expect(unsafe_code, reason = "mapping a file cannot be done otherwise")]
        // SAFETY: model files are replaced as a whole, by renaming, and never
        // changed in their place, so the mapped bytes stay as they are.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| ModelError::io(path, error))?;
        let number = |at: usize| -> Option<[u8; 4]> { map.get(at..at + 4)?.try_into().ok() };
        if map.get(..MAGIC.len()) != Some(MAGIC) || map.len() < HEAD {
            return Err(ModelError::Foreign(path.to_owned()));
        }
        let version = u32::from_le_bytes(number(8).unwrap_or_default());
        if version != VERSION {
            return Err(ModelError::Version {
                path: path.to_owned(),
                found: version,
            });
        }
        let count = u32::from_le_bytes(number(12).unwrap_or_default()) as usize;
        if offset(&map, 16) != Some(map.len()) {
            return Err(ModelError::damaged("it is cut off"));
        }
        let mut digest = [0; 32];
        digest.copy_from_slice(&map[24..56]);
        if count > MAX_SECTIONS {
            return Err(ModelError::damaged("too many sections"));
        }
        let mut sections = Vec::with_capacity(count);
        for entry in 0..count {
            let at = HEAD + entry * ENTRY;
            let (Some(name), Some(start), Some(length)) = (
                map.get(at..at + NAME),
                offset(&map, at + NAME),
                offset(&map, at + NAME + 8),
            ) else {
                return Err(ModelError::damaged("its table is cut off"));
            };
            let end = start.checked_add(length).filter(|end| *end <= map.len());
            let Some(end) = end.filter(|_| start.is_multiple_of(ALIGNMENT)) else {
                return Err(ModelError::damaged("a section lies outside of the file"));
            };
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            sections.push((String::from_utf8_lossy(name).into_owned(), start..end));
        }
        Ok(Self {
            map,
            sections,
            digest,
        })
    }

    /// The bytes of a section.
    pub(super) fn section(&self, name: &str) -> Result<&[u8], ModelError> {
        self.sections
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, range)| &self.map[range.clone()])
            .ok_or_else(|| ModelError::damaged(format!("it has no section `{name}`")))
    }

    /// The first digits of the digest, which tell models apart.
    pub(super) fn fingerprint(&self) -> String {
        hex(&self.digest[..6])
    }

    /// How long the file is, in bytes.
    pub(super) fn len(&self) -> usize {
        self.map.len()
    }

    /// Reads the whole file and compares it with its digest.
    pub(super) fn verify(&self) -> Result<(), ModelError> {
        if Sha256::digest(&self.map[HEAD..])[..] == self.digest {
            Ok(())
        } else {
            Err(ModelError::damaged("its checksum is another one"))
        }
    }
}

fn offset(bytes: &[u8], at: usize) -> Option<usize> {
    let number = bytes.get(at..at + 8)?.try_into().ok()?;
    usize::try_from(u64::from_le_bytes(number)).ok()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Writes a model file of these sections.
pub(super) fn write(to: &mut impl Write, sections: &[(String, Vec<u8>)]) -> io::Result<()> {
    let mut body = Vec::new();
    let mut at = (HEAD + sections.len() * ENTRY).next_multiple_of(ALIGNMENT);
    for (name, bytes) in sections {
        let mut padded = [0; NAME];
        padded
            .get_mut(..name.len())
            .ok_or_else(|| io::Error::other(format!("the section name {name} is too long")))?
            .copy_from_slice(name.as_bytes());
        body.extend(padded);
        body.extend((at as u64).to_le_bytes());
        body.extend((bytes.len() as u64).to_le_bytes());
        at = (at + bytes.len()).next_multiple_of(ALIGNMENT);
    }
    for (_, bytes) in sections {
        body.resize((HEAD + body.len()).next_multiple_of(ALIGNMENT) - HEAD, 0);
        body.extend(bytes);
    }
    let mut head = Vec::with_capacity(HEAD);
    head.extend(MAGIC);
    head.extend(VERSION.to_le_bytes());
    head.extend(
        u32::try_from(sections.len())
            .map_err(io::Error::other)?
            .to_le_bytes(),
    );
    head.extend(((HEAD + body.len()) as u64).to_le_bytes());
    head.extend(&Sha256::digest(&body)[..]);
    head.resize(HEAD, 0);
    to.write_all(&head)?;
    to.write_all(&body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(sections: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let sections: Vec<_> = sections
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), bytes.clone()))
            .collect();
        write(&mut bytes, &sections).expect("a vector takes everything");
        bytes
    }

    fn open(bytes: &[u8]) -> Result<ModelFile, ModelError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model");
        std::fs::write(&path, bytes).expect("written");
        ModelFile::open(&path)
    }

    #[test]
    fn what_is_written_is_read_and_aligned() {
        let bytes = written(&[("one", vec![1; 5]), ("two", vec![2; 100]), ("none", vec![])]);
        let file = open(&bytes).expect("sound");
        assert_eq!(file.section("one").expect("there"), [1; 5]);
        assert_eq!(file.section("two").expect("there"), [2; 100]);
        assert_eq!(file.section("none").expect("there"), [0; 0]);
        assert!(file.section("three").is_err());
        assert_eq!(
            file.section("two").expect("there").as_ptr() as usize % 64,
            0
        );
        file.verify().expect("sound");
    }

    #[test]
    fn a_file_that_was_cut_off_anywhere_is_refused() {
        let bytes = written(&[("one", vec![1; 5]), ("two", vec![2; 100])]);
        for end in 0..bytes.len() {
            assert!(open(&bytes[..end]).is_err(), "at {end}");
        }
    }

    #[test]
    fn a_flipped_bit_is_found_by_the_checksum() {
        let mut bytes = written(&[("one", vec![1; 5])]);
        let last = bytes.len() - 1;
        bytes[last] ^= 4;
        let error = open(&bytes)
            .expect("the head is sound")
            .verify()
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the model file is damaged (its checksum is another one); run `asd embed install` again"
        );
    }

    #[test]
    fn another_version_says_what_to_do() {
        let mut bytes = written(&[]);
        bytes[8] = 9;
        let error = open(&bytes).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "has version 9 of the format, this asd reads version 1; run `asd embed install` again"
            ),
            "{error}"
        );
    }
}
