//! Vectors in one block of memory, and comparing a query with all of them.

/// From so many vectors on they are kept as bytes. (search.md §10)
pub(crate) const BYTES_FROM: usize = 3000;

/// Vectors of one length.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Matrix {
    Floats {
        dimension: usize,
        values: Vec<f32>,
    },
    /// Each number is a byte times the scale of its vector.
    Bytes {
        dimension: usize,
        values: Vec<i8>,
        scales: Vec<f32>,
    },
}

impl Matrix {
    /// Keeps vectors in the form that fits their number.
    pub(crate) fn new(dimension: usize, rows: &[Vec<f32>]) -> Self {
        if rows.len() < BYTES_FROM {
            return Self::Floats {
                dimension,
                values: rows.concat(),
            };
        }
        let mut values = Vec::with_capacity(rows.len() * dimension);
        let mut scales = Vec::with_capacity(rows.len());
        for row in rows {
            let (bytes, scale) = quantise(row);
            values.extend_from_slice(&bytes);
            scales.push(scale);
        }
        Self::Bytes {
            dimension,
            values,
            scales,
        }
    }

    pub(crate) const fn dimension(&self) -> usize {
        match self {
            Self::Floats { dimension, .. } | Self::Bytes { dimension, .. } => *dimension,
        }
    }

    /// One vector as numbers.
    pub(crate) fn row(&self, index: usize) -> Vec<f32> {
        let range = index * self.dimension()..(index + 1) * self.dimension();
        match self {
            Self::Floats { values, .. } => values[range].to_vec(),
            Self::Bytes { values, scales, .. } => values[range]
                .iter()
                .map(|byte| f32::from(*byte) * scales[index])
                .collect(),
        }
    }

    /// The dot product of a vector with each row.
    pub(crate) fn dots(&self, vector: &[f32]) -> Vec<f32> {
        match self {
            Self::Floats { dimension, values } if *dimension > 0 => values
                .chunks_exact(*dimension)
                .map(|row| dot(row, vector))
                .collect(),
            Self::Bytes {
                dimension,
                values,
                scales,
            } if *dimension > 0 => {
                let (bytes, scale) = quantise(vector);
                let bytes: Vec<i16> = bytes.into_iter().map(i16::from).collect();
                values
                    .chunks_exact(*dimension)
                    .zip(scales)
                    .map(|(row, row_scale)| dot_bytes(row, &bytes) * row_scale * scale)
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the scale keeps every number within a byte"
)]
fn quantise(row: &[f32]) -> (Vec<i8>, f32) {
    let largest = row.iter().fold(0.0f32, |most, value| most.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return (vec![0; row.len()], 0.0);
    }
    let scale = largest / 127.0;
    let bytes = row.iter().map(|value| (value / scale).round() as i8);
    (bytes.collect(), scale)
}

/// Eight sums side by side let the compiler use wide registers; adding floats
/// in one sum would fix their order.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (heads, others) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = heads
        .remainder()
        .iter()
        .zip(others.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in heads.zip(others) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// The query is widened once, so that a step is one multiplication of sixteen
/// bits that the compiler can do side by side.
#[expect(clippy::cast_precision_loss, reason = "a sum of products of bytes")]
fn dot_bytes(a: &[i8], b: &[i16]) -> f32 {
    let (heads, others) = (a.chunks_exact(16), b.chunks_exact(16));
    let product = |(x, y): (&i8, &i16)| i32::from(i16::from(*x)) * i32::from(*y);
    let rest: i32 = heads
        .remainder()
        .iter()
        .zip(others.remainder())
        .map(product)
        .sum();
    let mut sums = [0i32; 16];
    for (x, y) in heads.zip(others) {
        for lane in 0..16 {
            sums[lane] += product((&x[lane], &y[lane]));
        }
    }
    (sums.iter().sum::<i32>() + rest) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn many_vectors_are_kept_as_bytes_and_say_nearly_the_same() {
        let rows: Vec<Vec<f32>> = (0..BYTES_FROM)
            .map(|i| {
                (0..24)
                    .map(|j| ((i * 31 + j * 17) % 97) as f32 / 97.0 - 0.5)
                    .collect()
            })
            .collect();
        let bytes = Matrix::new(24, &rows);
        let floats = Matrix::new(24, &rows[..BYTES_FROM - 1]);
        assert!(matches!(bytes, Matrix::Bytes { .. }));
        assert!(matches!(floats, Matrix::Floats { .. }));
        let query = &rows[5];
        for (near, exact) in bytes.dots(query).iter().zip(floats.dots(query)) {
            assert!((near - exact).abs() < 0.03, "{near} {exact}");
        }
        for (near, exact) in bytes.row(7).iter().zip(&rows[7]) {
            assert!((near - exact).abs() < 0.005);
        }
    }

    #[test]
    fn nothing_breaks_on_zeros_or_on_no_vectors() {
        assert_eq!(Matrix::new(3, &[]).dots(&[1.0, 2.0, 3.0]), [0.0; 0]);
        assert_eq!(quantise(&[0.0, 0.0]), (vec![0, 0], 0.0));
    }

    proptest! {
        #[test]
        fn lanes_do_not_change_the_sum(values in proptest::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 0..40)) {
            let (a, b): (Vec<f32>, Vec<f32>) = values.into_iter().unzip();
            let plain: f32 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            prop_assert!((dot(&a, &b) - plain).abs() < 1e-4);
        }
    }
}
