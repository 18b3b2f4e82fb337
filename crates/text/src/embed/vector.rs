//! Arithmetic of vectors.

/// Most dimensions that a vector of a model may have.
pub(super) const MAX_DIMENSION: usize = 4096;

/// Sums of products in as many lanes as the compiler can add up at once.
const LANES: usize = 16;

/// The sum of products of two vectors of one dimension.
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    lanes.iter().sum::<f32>() + rest
}

/// Brings a vector to length 1; one that has no direction becomes all zeros.
pub(super) fn normalise(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length.is_normal() {
        for value in vector {
            *value /= length;
        }
    } else {
        vector.fill(0.0);
    }
}
