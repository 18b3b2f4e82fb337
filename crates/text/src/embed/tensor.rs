//! Reads numbers of a safetensors file in place.

use std::ops::Range;

use safetensors::{Dtype, tensor::Metadata};

/// The header of the file.
pub(super) struct Tensors {
    metadata: Metadata,
    /// Offset of the numbers.
    start: usize,
}

/// One table of the file, row by row.
pub(super) struct Tensor {
    kind: Kind,
    bytes: Range<usize>,
    /// Sizes of the dimensions, the outermost first.
    pub(super) shape: Vec<usize>,
}

#[derive(Clone, Copy)]
enum Kind {
    Double,
    Single,
    Half,
    Brain,
    Byte,
    Int,
    Long,
}

impl Tensors {
    /// Reads the header and checks that the file contains all tensors.
    pub(super) fn read(file: &[u8]) -> Result<Self, String> {
        let (header, metadata) =
            safetensors::SafeTensors::read_metadata(file).map_err(|error| error.to_string())?;
        // The length of the header precedes it.
        Ok(Self { metadata, start: size_of::<u64>() + header })
    }

    /// The tensor with this name; `None` if the file has no such tensor.
    pub(super) fn get(&self, name: &str) -> Result<Option<Tensor>, String> {
        let Some(info) = self.metadata.info(name) else { return Ok(None) };
        let kind = match info.dtype {
            Dtype::F64 => Kind::Double,
            Dtype::F32 => Kind::Single,
            Dtype::F16 => Kind::Half,
            Dtype::BF16 => Kind::Brain,
            Dtype::I8 => Kind::Byte,
            Dtype::I32 => Kind::Int,
            Dtype::I64 => Kind::Long,
            other => return Err(format!("`{name}` contains numbers of the type {other}")),
        };
        let (from, to) = info.data_offsets;
        let bytes = self.start + from..self.start + to;
        Ok(Some(Tensor { kind, bytes, shape: info.shape.clone() }))
    }
}

impl Tensor {
    /// Adds a row, times a weight, to a sum of the same dimension. The row exists.
    pub(super) fn add_row(&self, file: &[u8], row: usize, weight: f32, sum: &mut [f32]) {
        let bytes = &file[self.bytes.clone()];
        let at = row * sum.len();
        match self.kind {
            Kind::Double => add(bytes, at, weight, sum, double),
            Kind::Single => add(bytes, at, weight, sum, f32::from_le_bytes),
            Kind::Half => add(bytes, at, weight, sum, half),
            Kind::Brain => add(bytes, at, weight, sum, brain),
            Kind::Byte => add(bytes, at, weight, sum, |[byte]| f32::from(byte.cast_signed())),
            Kind::Int => add(bytes, at, weight, sum, |bytes| i32::from_le_bytes(bytes) as f32),
            Kind::Long => add(bytes, at, weight, sum, |bytes| i64::from_le_bytes(bytes) as f32),
        }
    }

    /// All numbers, in their order.
    pub(super) fn numbers(&self, file: &[u8]) -> Vec<f32> {
        let mut numbers = vec![0.0; self.shape.iter().product()];
        self.add_row(file, 0, 1.0, &mut numbers);
        numbers
    }

    /// All numbers as indices into a table; `None` if one of them is not a natural number.
    pub(super) fn places(&self, file: &[u8]) -> Option<Vec<usize>> {
        let bytes = &file[self.bytes.clone()];
        match self.kind {
            Kind::Int => {
                let numbers = bytes.as_chunks().0.iter();
                numbers.map(|bytes| i32::from_le_bytes(*bytes).try_into().ok()).collect()
            }
            Kind::Long => {
                let numbers = bytes.as_chunks().0.iter();
                numbers.map(|bytes| i64::from_le_bytes(*bytes).try_into().ok()).collect()
            }
            _ => None,
        }
    }
}

fn add<const N: usize>(
    bytes: &[u8],
    at: usize,
    weight: f32,
    sum: &mut [f32],
    number: impl Fn([u8; N]) -> f32,
) {
    let numbers = &bytes.as_chunks::<N>().0[at..at + sum.len()];
    for (value, bytes) in sum.iter_mut().zip(numbers) {
        *value += weight * number(*bytes);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a vector needs no more digits")]
fn double(bytes: [u8; 8]) -> f32 {
    f64::from_le_bytes(bytes) as f32
}

/// Converts a 16-bit IEEE 754 number: sign, 5 bits of exponent, 10 of fraction.
fn half(bytes: [u8; 2]) -> f32 {
    /// 2 to the power of 112: the difference of the two formats' exponents.
    const SCALE: f32 = f32::from_bits((127 + 112) << 23);
    let bits = u32::from(u16::from_le_bytes(bytes));
    let magnitude = bits & 0x7fff;
    if 0x7c00 <= magnitude {
        // Infinity or NaN.
        return if magnitude == 0x7c00 { f32::INFINITY } else { f32::NAN };
    }
    let value = f32::from_bits(magnitude << 13) * SCALE;
    if bits & 0x8000 == 0 { value } else { -value }
}

/// Converts a 16-bit number that is the upper half of an `f32`.
fn brain(bytes: [u8; 2]) -> f32 {
    f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)
}

#[cfg(test)]
mod tests {
    use super::{brain, half};

    #[test]
    fn numbers_of_16_bits() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            // The smallest number above 0, and the largest below the normal ones.
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
        ] {
            let value = half(u16::to_le_bytes(bits));
            assert!((value - expected).abs() <= f32::EPSILON * expected.abs(), "{bits:x}: {value}");
        }
        assert!(half(u16::to_le_bytes(0x7c00)).is_infinite());
        assert!(half(u16::to_le_bytes(0xfe00)).is_nan());
        assert!((brain(u16::to_le_bytes(0xbf80)) + 1.0).abs() < f32::EPSILON);
    }
}
