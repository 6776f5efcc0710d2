//! The encoder: the vectors of the pieces, three branches of two convolutions
//! each, over two, three and five pieces, their normalised sum, and a small
//! dense network.

use super::file::{ModelError, ModelFile};
use super::matrix::{Matrix, multiply};

/// How many numbers the vector of a piece has, and that of a text.
pub(super) const DIMENSION: usize = 512;

/// The columns of a branch.
const BRANCH: usize = 256;

/// What is known of a piece after the branches: its vector and theirs.
const FEATURES: usize = DIMENSION + BRANCHES.len() * BRANCH;

/// The width of the hidden layers.
const HIDDEN: usize = 320;

/// The table of vectors is quantised in this many parts: the piece `p` belongs
/// to the part `p % PARTS`.
pub(super) const PARTS: usize = 17;

/// How many pieces are computed at a time: enough to read every matrix once for
/// many texts, few enough to stay in the cache of the processor.
pub(super) const BATCH: usize = 256;

/// The branches: how many pieces a convolution sees, and how many of them come
/// before the one in question.
const BRANCHES: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];

/// The zeros between two texts, which is as far as a convolution reaches.
const GAP: usize = 2;

/// Everything that the network has learned, in the model file.
pub(super) struct Network<'m> {
    table: &'m [u8],
    scale: Vec<f32>,
    low: Vec<f32>,
    branches: Vec<Branch<'m>>,
    branch_norm: Norm,
    norm: Norm,
    merge: Matrix<'m>,
    merge_bias: Vec<f32>,
    dense: [Matrix<'m>; 4],
    skip: [Matrix<'m>; 2],
    epsilon: f32,
}

struct Branch<'m> {
    width: usize,
    before: usize,
    project: Matrix<'m>,
    project_bias: Vec<f32>,
    convolve: [Matrix<'m>; 2],
    bias: [Vec<f32>; 2],
}

/// All matrices: their names, rows and columns.
pub(super) fn matrices() -> Vec<(String, usize, usize)> {
    let of_branch = |(width, _): (usize, usize)| {
        [
            (format!("proj{width}"), DIMENSION, BRANCH),
            (format!("w1_{width}"), width * BRANCH, BRANCH),
            (format!("w2_{width}"), width * BRANCH, BRANCH),
        ]
    };
    let rest = [
        ("cnn_W", FEATURES, DIMENSION),
        ("d0", DIMENSION, HIDDEN),
        ("d1", HIDDEN, HIDDEN),
        ("d2", HIDDEN, DIMENSION),
        ("d3", DIMENSION, DIMENSION),
        ("p1", DIMENSION, HIDDEN),
        ("p3", HIDDEN, DIMENSION),
    ];
    let rest = rest.map(|(name, rows, columns)| (name.to_owned(), rows, columns));
    BRANCHES
        .into_iter()
        .flat_map(of_branch)
        .chain(rest)
        .collect()
}

/// All vectors: their names and lengths.
pub(super) fn vectors() -> Vec<(String, usize)> {
    let of_branch = |(width, _): (usize, usize)| {
        ["proj_b", "ln_g", "ln_b", "b1_", "b2_"].map(|name| (format!("{name}{width}"), BRANCH))
    };
    let rest = [
        ("scale", PARTS),
        ("lo", PARTS),
        ("ln_g", FEATURES),
        ("ln_b", FEATURES),
        ("cnn_b", DIMENSION),
        ("eps", 1),
    ];
    let rest = rest.map(|(name, length)| (name.to_owned(), length));
    BRANCHES
        .into_iter()
        .flat_map(of_branch)
        .chain(rest)
        .collect()
}

impl<'m> Network<'m> {
    /// Reads the network for a vocabulary of `pieces` pieces.
    pub(super) fn read(file: &'m ModelFile, pieces: usize) -> Result<Self, ModelError> {
        let (matrices, vectors) = (matrices(), vectors());
        let matrix = |name: &str| -> Result<Matrix<'m>, ModelError> {
            let matrix = Matrix::read(file.section(name)?)?;
            let wanted = matrices.iter().find(|(known, ..)| known == name);
            if wanted.is_some_and(|(_, rows, columns)| {
                (matrix.rows, matrix.columns) == (*rows, *columns)
            }) {
                Ok(matrix)
            } else {
                Err(ModelError::damaged(format!("`{name}` has a wrong size")))
            }
        };
        let vector = |name: &str| -> Result<Vec<f32>, ModelError> {
            let section = file.section(name)?;
            let wanted = vectors.iter().find(|(known, _)| known == name);
            if wanted.is_none_or(|(_, length)| section.len() != length * 4) {
                return Err(ModelError::damaged(format!("`{name}` has a wrong size")));
            }
            Ok(section
                .chunks_exact(4)
                .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes")))
                .collect())
        };
        let joined = |name: &str| -> Result<Vec<f32>, ModelError> {
            let each = BRANCHES.map(|(width, _)| vector(&format!("{name}{width}")));
            each.into_iter()
                .collect::<Result<Vec<_>, _>>()
                .map(|each| each.concat())
        };
        let table = file.section("table")?;
        if table.len() < pieces * DIMENSION {
            return Err(ModelError::damaged("it has pieces without a vector"));
        }
        let epsilon = vector("eps")?[0];
        let branch = |(width, before): (usize, usize)| -> Result<Branch<'m>, ModelError> {
            Ok(Branch {
                width,
                before,
                project: matrix(&format!("proj{width}"))?,
                project_bias: vector(&format!("proj_b{width}"))?,
                convolve: [
                    matrix(&format!("w1_{width}"))?,
                    matrix(&format!("w2_{width}"))?,
                ],
                bias: [
                    vector(&format!("b1_{width}"))?,
                    vector(&format!("b2_{width}"))?,
                ],
            })
        };
        Ok(Self {
            table,
            scale: vector("scale")?,
            low: vector("lo")?,
            branches: BRANCHES.into_iter().map(branch).collect::<Result<_, _>>()?,
            branch_norm: Norm {
                gain: joined("ln_g")?,
                bias: joined("ln_b")?,
                epsilon,
            },
            norm: Norm {
                gain: vector("ln_g")?,
                bias: vector("ln_b")?,
                epsilon,
            },
            merge: matrix("cnn_W")?,
            merge_bias: vector("cnn_b")?,
            dense: [matrix("d0")?, matrix("d1")?, matrix("d2")?, matrix("d3")?],
            skip: [matrix("p1")?, matrix("p3")?],
            epsilon,
        })
    }

    /// The vectors of texts that are given as pieces.
    pub(super) fn encode(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let count: usize = lengths.iter().sum();
        let mut features = vec![0.0; count * FEATURES];
        for (row, piece) in features
            .chunks_exact_mut(FEATURES)
            .zip(texts.iter().flatten())
        {
            self.look_up(*piece, &mut row[..DIMENSION]);
        }
        self.convolve(&lengths, &mut features);
        let mut sums = vec![0.0; texts.len() * FEATURES];
        let mut rows = features.chunks_exact_mut(FEATURES);
        for (sum, length) in sums.chunks_exact_mut(FEATURES).zip(&lengths) {
            for row in rows.by_ref().take(*length) {
                self.norm.apply(row);
                add(sum, row);
            }
        }
        let mut merged = product(&sums, self.merge);
        for (row, length) in merged.chunks_exact_mut(DIMENSION).zip(&lengths) {
            let length = *length as f32;
            for (value, bias) in row.iter_mut().zip(&self.merge_bias) {
                *value = (*value + length * bias) / length.sqrt();
            }
        }
        let mut output = self.dense(&merged);
        for row in output.chunks_exact_mut(DIMENSION) {
            for value in row.iter_mut() {
                *value = value.tanh();
            }
            let squares: f32 = row.iter().map(|value| value * value).sum();
            let factor = squares.max(self.epsilon).sqrt().recip();
            for value in row.iter_mut() {
                *value *= factor;
            }
        }
        output
            .chunks_exact(DIMENSION)
            .map(<[f32]>::to_vec)
            .collect()
    }

    /// The vector of a piece.
    fn look_up(&self, piece: u32, out: &mut [f32]) {
        let piece = piece as usize;
        let (scale, low) = (self.scale[piece % PARTS], self.low[piece % PARTS]);
        let codes = &self.table[piece * DIMENSION..][..DIMENSION];
        for (value, code) in out.iter_mut().zip(codes) {
            *value = f32::from(*code) * scale + low;
        }
    }

    /// Fills in what the branches make of the vectors of the pieces.
    fn convolve(&self, lengths: &[usize], features: &mut [f32]) {
        let count = features.len() / FEATURES;
        let starts: Vec<usize> = (0..count).map(|row| row * FEATURES).collect();
        let width = self.branches.len() * BRANCH;
        let mut projected = vec![0.0; count * width];
        for (index, branch) in self.branches.iter().enumerate() {
            let at = index * BRANCH;
            multiply(
                features,
                &starts,
                branch.project,
                &mut projected[at..],
                width,
            );
            for row in projected.chunks_exact_mut(width) {
                add(&mut row[at..at + BRANCH], &branch.project_bias);
            }
        }
        for row in projected.chunks_exact_mut(width) {
            self.branch_norm.apply(row);
        }
        let places = places(lengths);
        let padded = places.last().map_or(0, |last| last + 1 + GAP);
        let mut input = vec![0.0; padded * BRANCH];
        let mut product = vec![0.0; count * BRANCH];
        for (index, branch) in self.branches.iter().enumerate() {
            let windows: Vec<usize> = places
                .iter()
                .map(|place| (place - branch.before) * BRANCH)
                .collect();
            debug_assert!(
                branch.width - branch.before <= GAP + 1,
                "the gap is too small"
            );
            let source = projected.chunks_exact(width);
            for (place, row) in places.iter().zip(source) {
                input[place * BRANCH..][..BRANCH].copy_from_slice(&row[index * BRANCH..][..BRANCH]);
            }
            for (matrix, bias) in branch.convolve.iter().zip(&branch.bias) {
                multiply(&input, &windows, *matrix, &mut product, BRANCH);
                for (place, row) in places.iter().zip(product.chunks_exact(BRANCH)) {
                    let out = &mut input[place * BRANCH..][..BRANCH];
                    for ((out, value), bias) in out.iter_mut().zip(row).zip(bias) {
                        *out += (value + bias).max(0.0);
                    }
                }
            }
            let at = DIMENSION + index * BRANCH;
            for (place, row) in places.iter().zip(features.chunks_exact_mut(FEATURES)) {
                row[at..at + BRANCH].copy_from_slice(&input[place * BRANCH..][..BRANCH]);
            }
        }
    }

    fn dense(&self, input: &[f32]) -> Vec<f32> {
        let mut first = product(input, self.dense[0]);
        rectify(&mut first);
        let mut second = product(input, self.skip[0]);
        add(&mut second, &product(&first, self.dense[1]));
        rectify(&mut second);
        let mut third = product(&second, self.dense[2]);
        rectify(&mut third);
        let mut output = product(&second, self.skip[1]);
        add(&mut output, &product(&third, self.dense[3]));
        output
    }
}

/// Where the pieces of texts of these lengths lie when there is a gap before
/// and after every text.
fn places(lengths: &[usize]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut next = GAP;
    for length in lengths {
        places.extend(next..next + length);
        next += length + GAP;
    }
    places
}

/// Brings a row to mean zero and variance one, then to a learned gain and bias.
struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    fn apply(&self, row: &mut [f32]) {
        let length = row.len() as f32;
        let mean = sum(row, |value| value) / length;
        let variance = sum(row, |value| (value - mean) * (value - mean)) / length;
        let factor = (variance + self.epsilon).sqrt().recip();
        for ((value, gain), bias) in row.iter_mut().zip(&self.gain).zip(&self.bias) {
            *value = (*value - mean) * factor * gain + bias;
        }
    }
}

/// A sum in eight parts, which the compiler may keep in one vector register.
fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut parts = [0.0; 8];
    for chunk in row.chunks(8) {
        for (part, value) in parts.iter_mut().zip(chunk) {
            *part += term(*value);
        }
    }
    parts.iter().sum()
}

fn product(rows: &[f32], matrix: Matrix<'_>) -> Vec<f32> {
    let count = rows.len() / matrix.rows;
    let starts: Vec<usize> = (0..count).map(|row| row * matrix.rows).collect();
    let mut output = vec![0.0; count * matrix.columns];
    multiply(rows, &starts, matrix, &mut output, matrix.columns);
    output
}

fn add(to: &mut [f32], values: &[f32]) {
    for (to, value) in to.iter_mut().zip(values) {
        *to += value;
    }
}

fn rectify(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}
