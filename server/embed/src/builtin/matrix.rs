//! Products of rows of 32-bit floats with matrices of 8-bit weights.
//!
//! A matrix is stored in panels of sixteen columns, row after row, so that a
//! product reads it once from its beginning to its end. The loops are plain;
//! the compiler makes vector instructions of them, for any processor, for those
//! with AVX2, and for those with AVX-512.

use super::file::ModelError;

/// How many columns a panel has.
pub(super) const PANEL: usize = 16;

/// How many rows are multiplied with a panel at a time: with two vectors of
/// eight for each, this is what sixteen vector registers have room for.
const TILE: usize = 6;

/// The same for the thirty-two registers of AVX-512, with one vector of sixteen
/// for each row.
#[cfg(target_arch = "x86_64")]
const WIDE_TILE: usize = 12;

/// The bytes before the panels: the number of rows, the number of columns, and
/// the factor of the weights, padded to the alignment of the panels.
const HEAD: usize = 64;

/// A matrix as it lies in the model file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix<'m> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    scale: f32,
    panels: &'m [u8],
}

impl<'m> Matrix<'m> {
    /// Reads what [`pack`] wrote.
    pub(super) fn read(section: &'m [u8]) -> Result<Self, ModelError> {
        let field = |at: usize| -> Option<[u8; 4]> { section.get(at..at + 4)?.try_into().ok() };
        let (Some(rows), Some(columns), Some(scale)) = (field(0), field(4), field(8)) else {
            return Err(ModelError::damaged("a matrix without a head"));
        };
        let rows = u32::from_le_bytes(rows) as usize;
        let columns = u32::from_le_bytes(columns) as usize;
        let scale = f32::from_le_bytes(scale);
        let panels = section.get(HEAD..).unwrap_or_default();
        if rows == 0
            || !columns.is_multiple_of(PANEL)
            || rows.checked_mul(columns) != Some(panels.len())
        {
            return Err(ModelError::damaged("a matrix of a wrong size"));
        }
        Ok(Self {
            rows,
            columns,
            scale,
            panels,
        })
    }
}

/// The section of a matrix that is given row by row. Its weights must be whole
/// multiples, from -127 to 127, of one factor, as 8-bit quantisation leaves
/// them; anything else gives `None`.
pub(super) fn pack(rows: usize, columns: usize, weights: &[f32]) -> Option<Vec<u8>> {
    if !columns.is_multiple_of(PANEL) || weights.len() != rows * columns {
        return None;
    }
    let scale = step(weights)?;
    let mut section = Vec::with_capacity(HEAD + weights.len());
    section.extend(u32::try_from(rows).ok()?.to_le_bytes());
    section.extend(u32::try_from(columns).ok()?.to_le_bytes());
    section.extend(scale.to_le_bytes());
    section.resize(HEAD, 0);
    for panel in (0..columns).step_by(PANEL) {
        for row in weights.chunks_exact(columns) {
            for weight in &row[panel..panel + PANEL] {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "`step` makes sure that it fits"
                )]
                let code = (weight / scale).round() as i8;
                section.push(code.to_le_bytes()[0]);
            }
        }
    }
    Some(section)
}

/// The factor that all weights are multiples of.
fn step(weights: &[f32]) -> Option<f32> {
    let mut distinct: Vec<f32> = weights.to_vec();
    distinct.sort_by(f32::total_cmp);
    distinct.dedup();
    let near = distinct
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(f32::INFINITY, f32::min);
    let (first, last) = (*distinct.first()?, *distinct.last()?);
    // The difference of neighbours is inexact; over the whole range it is not.
    let scale = (last - first) / ((last - first) / near).round();
    let fits = |weight: &f32| {
        let code = weight / scale;
        code.abs() < 127.5 && (code - code.round()).abs() < 1e-3
    };
    (scale.is_finite() && scale > 0.0 && distinct.iter().all(fits)).then_some(scale)
}

/// Multiplies rows of `input` with `matrix` and adds nothing. The row `r` of
/// the input begins at `starts[r]`; rows may overlap. The row `r` of the
/// product is written to `output` from `r * stride` on.
///
/// # Panics
///
/// When a row reaches over the end of `input` or `output`.
pub(super) fn multiply(
    input: &[f32],
    starts: &[usize],
    matrix: Matrix<'_>,
    output: &mut [f32],
    stride: usize,
) {
    let mut panel = vec![0.0; matrix.rows * PANEL];
    for (index, codes) in matrix.panels.chunks_exact(matrix.rows * PANEL).enumerate() {
        let job = Job {
            input,
            starts,
            scale: matrix.scale,
            codes,
            column: index * PANEL,
            stride,
        };
        job.run(&mut panel, output);
    }
}

/// The product with one panel.
#[derive(Clone, Copy)]
struct Job<'j> {
    input: &'j [f32],
    starts: &'j [usize],
    scale: f32,
    codes: &'j [u8],
    column: usize,
    stride: usize,
}

impl Job<'_> {
    #[cfg(target_arch = "x86_64")]
    fn run(self, panel: &mut [f32], output: &mut [f32]) {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma") {
            #[expect(unsafe_code, reason = "only called when the processor has both")]
            // SAFETY: the features of the function have just been detected.
            unsafe {
                self.run_avx512(panel, output);
            }
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            #[expect(unsafe_code, reason = "only called when the processor has both")]
            // SAFETY: the features of the function have just been detected.
            unsafe {
                self.run_avx2(panel, output);
            }
        } else {
            self.run_with::<TILE, false>(panel, output);
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn run(self, panel: &mut [f32], output: &mut [f32]) {
        self.run_with::<TILE, { cfg!(target_arch = "aarch64") }>(panel, output);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,fma")]
    fn run_avx512(self, panel: &mut [f32], output: &mut [f32]) {
        self.run_with::<WIDE_TILE, true>(panel, output);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn run_avx2(self, panel: &mut [f32], output: &mut [f32]) {
        self.run_with::<TILE, true>(panel, output);
    }

    #[inline(always)]
    fn run_with<const TILE: usize, const FUSED: bool>(self, panel: &mut [f32], output: &mut [f32]) {
        let count = self.starts.len();
        if count == 1 {
            return self.row::<FUSED>(output);
        }
        for (weight, code) in panel.iter_mut().zip(self.codes) {
            *weight = f32::from(i8::from_le_bytes([*code]));
        }
        let mut done = 0;
        if count >= TILE {
            // The last tile may repeat rows of the one before.
            while done < count {
                self.tile::<TILE, FUSED>(done.min(count - TILE), panel, output);
                done += TILE;
            }
            return;
        }
        while count - done >= 4 {
            self.tile::<4, FUSED>(done, panel, output);
            done += 4;
        }
        while count - done >= 2 {
            self.tile::<2, FUSED>(done, panel, output);
            done += 2;
        }
        if done < count {
            self.tile::<1, FUSED>(done, panel, output);
        }
    }

    /// The product of the only row. Its sum is taken in four parts, since every
    /// addition would have to wait for the one before.
    #[inline(always)]
    fn row<const FUSED: bool>(self, output: &mut [f32]) {
        const PARTS: usize = 4;
        let depth = self.codes.len() / PANEL;
        let row = &self.input[self.starts[0]..][..depth];
        let mut sums = [[0.0_f32; PANEL]; PARTS];
        for (factors, codes) in row.chunks(PARTS).zip(self.codes.chunks(PANEL * PARTS)) {
            let codes = codes.chunks_exact(PANEL);
            for ((sum, factor), codes) in sums.iter_mut().zip(factors).zip(codes) {
                for (sum, code) in sum.iter_mut().zip(codes) {
                    let weight = f32::from(i8::from_le_bytes([*code]));
                    *sum = multiply_add::<FUSED>(*factor, weight, *sum);
                }
            }
        }
        let places = &mut output[self.column..][..PANEL];
        for (index, place) in places.iter_mut().enumerate() {
            *place = sums.iter().map(|sum| sum[index]).sum::<f32>() * self.scale;
        }
    }

    #[inline(always)]
    fn tile<const ROWS: usize, const FUSED: bool>(
        self,
        first: usize,
        panel: &[f32],
        output: &mut [f32],
    ) {
        let depth = panel.len() / PANEL;
        let rows: [&[f32]; ROWS] =
            std::array::from_fn(|row| &self.input[self.starts[first + row]..][..depth]);
        let mut sums = [[0.0_f32; PANEL]; ROWS];
        for (k, weights) in panel.chunks_exact(PANEL).enumerate() {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                let factor = row[k];
                for (sum, weight) in sum.iter_mut().zip(weights) {
                    *sum = multiply_add::<FUSED>(factor, *weight, *sum);
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            let at = (first + row) * self.stride + self.column;
            for (place, sum) in output[at..at + PANEL].iter_mut().zip(sums) {
                *place = sum * self.scale;
            }
        }
    }
}

/// `FUSED` says whether the processor adds a product in one instruction; where
/// it does not, asking for that would call a function instead.
#[inline(always)]
fn multiply_add<const FUSED: bool>(factor: f32, weight: f32, sum: f32) -> f32 {
    if FUSED {
        factor.mul_add(weight, sum)
    } else {
        factor * weight + sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole multiples of 0.25, different in every place.
    fn weights(rows: usize, columns: usize) -> Vec<f32> {
        (0..rows * columns)
            .map(|i| ((i * 37 + i / 7) % 255) as f32 * 0.25 - 31.75)
            .collect()
    }

    #[test]
    fn a_product_is_that_of_the_definition() {
        for count in [1, 2, 3, 6, 7, 11, 12, 13, 25] {
            let (rows, columns) = (26, 48);
            let weights = weights(rows, columns);
            let section = pack(rows, columns, &weights).expect("quantised");
            let matrix = Matrix::read(&section).expect("just packed");
            let input: Vec<f32> = (0..count * 8 + rows).map(|i| (i as f32).sin()).collect();
            let starts: Vec<usize> = (0..count).map(|row| row * 8).collect();
            let stride = columns + 5;
            let mut output = vec![f32::NAN; count * stride];
            multiply(&input, &starts, matrix, &mut output, stride);
            for (row, start) in starts.iter().enumerate() {
                for column in 0..columns {
                    let expected: f32 = (0..rows)
                        .map(|k| input[start + k] * weights[k * columns + column])
                        .sum();
                    let found = output[row * stride + column];
                    assert!(
                        (found - expected).abs() < 1e-3,
                        "{found} instead of {expected} at {row}, {column} of {count}"
                    );
                }
                assert!(output[row * stride + columns].is_nan(), "wrote too far");
            }
        }
    }

    #[test]
    fn a_processor_without_vector_instructions_gives_the_same() {
        let (rows, columns) = (26, PANEL);
        let section = pack(rows, columns, &weights(rows, columns)).expect("quantised");
        let matrix = Matrix::read(&section).expect("just packed");
        let input: Vec<f32> = (0..200).map(|i| (i as f32).cos()).collect();
        for count in [1, 5, 6, 9] {
            let starts: Vec<usize> = (0..count).map(|row| row * 8).collect();
            let mut expected = vec![0.0; count * columns];
            multiply(&input, &starts, matrix, &mut expected, columns);
            let mut found = vec![0.0; count * columns];
            let job = Job {
                input: &input,
                starts: &starts,
                scale: matrix.scale,
                codes: matrix.panels,
                column: 0,
                stride: columns,
            };
            job.run_with::<TILE, false>(&mut vec![0.0; rows * PANEL], &mut found);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-3, "{found} and {expected}");
            }
        }
    }

    #[test]
    fn weights_that_were_not_quantised_are_refused() {
        let mut weights = weights(16, 16);
        weights[3] += 0.1;
        assert_eq!(pack(16, 16, &weights), None);
    }

    #[test]
    fn a_matrix_of_a_wrong_size_is_refused() {
        let mut section = pack(16, 16, &weights(16, 16)).expect("quantised");
        assert!(Matrix::read(&section[..8]).is_err());
        section.pop();
        assert!(Matrix::read(&section).is_err());
    }
}
