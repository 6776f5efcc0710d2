//! Reading arrays of numbers as NumPy stores them: a zip archive of `.npy`
//! files.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::file::ModelError;

/// More than any file of the model unpacks to.
const MAX_ENTRY: u64 = 1 << 28;

/// An archive that is held in memory.
pub(super) struct Archive {
    what: String,
    zip: ZipArchive<Cursor<Vec<u8>>>,
}

impl Archive {
    /// Opens an archive; `what` names it in errors.
    pub(super) fn open(what: &str, bytes: Vec<u8>) -> Result<Self, ModelError> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| ModelError::Source(format!("{what} cannot be unpacked: {error}")))?;
        Ok(Self {
            what: what.to_owned(),
            zip,
        })
    }

    /// The content of the entry whose name ends with `name`.
    pub(super) fn entry(&mut self, name: &str) -> Result<Vec<u8>, ModelError> {
        let is_named = |entry: &str| {
            entry
                .strip_suffix(name)
                .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        };
        let found = self
            .zip
            .file_names()
            .find_map(|entry| entry.ok().filter(|entry| is_named(entry)).map(String::from));
        let Some(entry) = found else {
            return Err(ModelError::Source(format!(
                "{} has no {name} in it; is it the package of the model?",
                self.what
            )));
        };
        let unreadable = |error: &dyn std::fmt::Display| {
            ModelError::Source(format!(
                "{}: {entry} cannot be unpacked: {error}",
                self.what
            ))
        };
        let file = self
            .zip
            .by_name(&entry)
            .map_err(|error| unreadable(&error))?;
        let mut bytes = Vec::new();
        file.take(MAX_ENTRY)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&error))?;
        Ok(bytes)
    }

    /// The bytes of an array of `u8` of this shape.
    pub(super) fn bytes(&mut self, name: &str, shape: &[usize]) -> Result<Vec<u8>, ModelError> {
        let (kind, bytes) = self.array(name, shape)?;
        if kind == "|u1" {
            return Ok(bytes);
        }
        Err(self.unexpected(name, &format!("numbers of the type {kind}")))
    }

    /// The numbers of an array of floats of this shape.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let (kind, bytes) = self.array(name, shape)?;
        match kind.as_str() {
            "<f4" => Ok(bytes
                .chunks_exact(4)
                .map(|number| f32::from_le_bytes(number.try_into().expect("four bytes")))
                .collect()),
            "<f8" => Ok(bytes
                .chunks_exact(8)
                .map(|number| f64::from_le_bytes(number.try_into().expect("eight bytes")) as f32)
                .collect()),
            _ => Err(self.unexpected(name, &format!("numbers of the type {kind}"))),
        }
    }

    /// The type of the numbers of an array, and their bytes.
    fn array(&mut self, name: &str, shape: &[usize]) -> Result<(String, Vec<u8>), ModelError> {
        let bytes = self.entry(&format!("{name}.npy"))?;
        let Some(array) = Npy::read(&bytes) else {
            return Err(self.unexpected(name, "something that is not a NumPy array"));
        };
        // A single number may have no dimension at all.
        let same = array.shape == shape || (array.shape.is_empty() && shape == [1]);
        let size = array.kind[2..].parse().unwrap_or(0);
        if !same || array.data.len() != shape.iter().product::<usize>() * size {
            return Err(self.unexpected(name, &format!("the shape {:?}", array.shape)));
        }
        Ok((array.kind.to_owned(), array.data.to_vec()))
    }

    fn unexpected(&self, name: &str, what: &str) -> ModelError {
        ModelError::Source(format!(
            "{}: the array {name} has {what}; this version of the package is not known",
            self.what
        ))
    }
}

/// A `.npy` file: a magic, a version, a head that is a Python dictionary, data.
#[derive(Debug, PartialEq)]
struct Npy<'b> {
    kind: &'b str,
    shape: Vec<usize>,
    data: &'b [u8],
}

impl<'b> Npy<'b> {
    fn read(bytes: &'b [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(b"\x93NUMPY")?;
        let (version, rest) = rest.split_first_chunk::<2>()?;
        let (length, rest) = if version[0] == 1 {
            let (length, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        } else {
            let (length, rest) = rest.split_first_chunk()?;
            (u32::from_le_bytes(*length) as usize, rest)
        };
        let (head, data) = rest.split_at_checked(length)?;
        let head = std::str::from_utf8(head).ok()?;
        let value = |key: &str| Some(head.split_once(key)?.1.trim_start());
        if !value("'fortran_order':")?.starts_with("False") {
            return None;
        }
        let kind = value("'descr':")?.strip_prefix('\'')?.split('\'').next()?;
        let shape = value("'shape':")?.strip_prefix('(')?.split(')').next()?;
        let shape = shape
            .split(',')
            .map(str::trim)
            .filter(|size| !size.is_empty())
            .map(|size| size.parse().ok())
            .collect::<Option<_>>()?;
        (kind.len() > 2 && kind.is_ascii()).then_some(Self { kind, shape, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_read_with_its_type_and_shape() {
        let head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n";
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(head.len()).expect("short").to_le_bytes());
        bytes.extend(head.as_bytes());
        bytes.extend([0; 8]);
        assert_eq!(
            Npy::read(&bytes),
            Some(Npy {
                kind: "<f4",
                shape: vec![1, 2],
                data: &[0; 8]
            })
        );
        for end in 0..60 {
            assert_eq!(Npy::read(&bytes[..end]), None);
        }
    }
}
