//! Arithmetic of vectors.

/// Maximum number of dimensions of a model's vectors.
pub(super) const MAX_DIMENSION: usize = 4096;

/// Number of partial sums that the compiler can add at once.
const LANES: usize = 16;

/// The dot product of two vectors of one dimension.
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

/// Scales a vector to length 1; a vector without a direction becomes all zeros.
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
