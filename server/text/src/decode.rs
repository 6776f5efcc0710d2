use thiserror::Error;

/// What a file's bytes say as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text without its byte order mark, as editors show it.
    pub text: String,
    /// Whether the bytes began with a UTF-8 byte order mark.
    pub bom: bool,
}

/// Why bytes are not text that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Undecodable {
    /// A NUL byte within the first 8,000 bytes, the sign that git uses too.
    #[error("binary content")]
    Binary,
    /// A byte sequence that is not UTF-8, at this byte offset.
    #[error("not valid UTF-8 (first bad byte at offset {0})")]
    NotUtf8(usize),
}

const BINARY_PROBE: usize = 8_000;
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Reads a file's bytes as UTF-8 text.
///
/// # Errors
/// [`Undecodable`] for binary content and for other encodings. Such a file is
/// reported as unchecked; guessing its encoding would shift every column.
pub fn decode(bytes: Vec<u8>) -> Result<Decoded, Undecodable> {
    let probe = &bytes[..bytes.len().min(BINARY_PROBE)];
    if memchr::memchr(0, probe).is_some() {
        return Err(Undecodable::Binary);
    }
    let bom = bytes.starts_with(BOM);
    let bytes = if bom {
        bytes[BOM.len()..].to_vec()
    } else {
        bytes
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Decoded { text, bom }),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            Err(Undecodable::NotUtf8(
                valid + if bom { BOM.len() } else { 0 },
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_not_text() {
        let decoded = decode(b"\xEF\xBB\xBFTODO".to_vec()).unwrap();
        assert_eq!(
            decoded,
            Decoded {
                text: "TODO".into(),
                bom: true
            }
        );
    }

    #[test]
    fn latin_1_and_binary_are_named() {
        assert_eq!(decode(b"caf\xE9 x".to_vec()), Err(Undecodable::NotUtf8(3)));
        assert_eq!(
            decode(b"\xEF\xBB\xBFa\xE9".to_vec()),
            Err(Undecodable::NotUtf8(4))
        );
        assert_eq!(decode(b"\x7fELF\0\0".to_vec()), Err(Undecodable::Binary));
    }
}
