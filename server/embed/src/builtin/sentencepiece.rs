//! Reading the vocabulary and the table of characters from the model file of
//! SentencePiece, which is a protocol buffer.

use super::file::ModelError;

/// What is needed of the model.
#[derive(Debug, PartialEq)]
pub(super) struct Model<'m> {
    /// The pieces with their scores; the place of a piece is its number.
    pub(super) pieces: Vec<(String, f32)>,
    /// The table of replacements for normalisation.
    pub(super) charsmap: &'m [u8],
}

/// The fields, by their numbers: of the model, of a piece, of the normaliser.
const PIECE: u64 = 1;
const PIECE_TEXT: u64 = 1;
const PIECE_SCORE: u64 = 2;
const NORMALISER: u64 = 3;
const NORMALISER_CHARSMAP: u64 = 2;

impl<'m> Model<'m> {
    pub(super) fn read(bytes: &'m [u8]) -> Result<Self, ModelError> {
        Self::parse(bytes)
            .filter(|model| !model.pieces.is_empty() && !model.charsmap.is_empty())
            .ok_or_else(|| {
                ModelError::Source("sp.model is not a vocabulary of SentencePiece".to_owned())
            })
    }

    fn parse(bytes: &'m [u8]) -> Option<Self> {
        let mut model = Self {
            pieces: Vec::new(),
            charsmap: &[],
        };
        for field in fields(bytes) {
            match field? {
                (PIECE, piece) => {
                    let (mut text, mut score) = (None, 0.0);
                    for field in fields(piece) {
                        match field? {
                            (PIECE_TEXT, bytes) => {
                                text = Some(std::str::from_utf8(bytes).ok()?.to_owned());
                            }
                            (PIECE_SCORE, bytes) => {
                                score = f32::from_le_bytes(bytes.try_into().ok()?);
                            }
                            _ => {}
                        }
                    }
                    model.pieces.extend(text.map(|text| (text, score)));
                }
                (NORMALISER, normaliser) => {
                    for field in fields(normaliser) {
                        if let (NORMALISER_CHARSMAP, bytes) = field? {
                            model.charsmap = bytes;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(model)
    }
}

/// The fields of a message with their numbers; `None` where it cannot be read.
/// Numbers of variable length have no bytes here.
fn fields(mut bytes: &[u8]) -> impl Iterator<Item = Option<(u64, &[u8])>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let field = field(&mut bytes);
        if field.is_none() {
            bytes = &[];
        }
        Some(field)
    })
}

fn field<'b>(bytes: &mut &'b [u8]) -> Option<(u64, &'b [u8])> {
    let tag = varint(bytes)?;
    let length = match tag & 7 {
        0 => {
            varint(bytes)?;
            0
        }
        1 => 8,
        2 => usize::try_from(varint(bytes)?).ok()?,
        5 => 4,
        _ => return None,
    };
    let (value, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some((tag >> 3, value))
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_the_table_are_read() {
        let mut piece = vec![0x0a, 1, b'a', 0x15];
        piece.extend((-1.5_f32).to_le_bytes());
        let mut bytes = vec![0x0a, u8::try_from(piece.len()).expect("short")];
        bytes.extend(&piece);
        bytes.extend([0x1a, 4, 0x12, 2, 7, 8]);
        bytes.extend([0x20, 0x96, 0x01]);
        assert_eq!(
            Model::read(&bytes).expect("sound"),
            Model {
                pieces: vec![("a".to_owned(), -1.5)],
                charsmap: &[7, 8],
            }
        );
        for end in 0..bytes.len() {
            // What is cut off between two fields may still be a message.
            if let Ok(model) = Model::read(&bytes[..end]) {
                assert_eq!(model.pieces.len(), 1);
            }
        }
    }
}
