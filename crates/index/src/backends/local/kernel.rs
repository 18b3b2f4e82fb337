//! Dot products of rows with a query: the inner loop of a dense search, and the only module of the
//! crate with `unsafe` code.
//!
//! Products of 8 and 16 bits are added in 32 bits. A query is rounded so that no sum of any of the
//! products overflows (see [`Probe`]). The order of the additions therefore does not matter, and
//! every kernel returns the same result.
//!
//! [`Probe`]: super::quantise::Probe

#![expect(unsafe_code, reason = "vector instructions need intrinsics")]

use super::quantise::row_bytes;

/// An implementation of the dot product for one instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kernel(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Runs on every processor.
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Kernel {
    /// Returns the fastest kernel for this processor.
    pub(super) fn detect() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Kernel(Kind::Avx2);
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            return Kernel(Kind::Neon);
        }
        Kernel(Kind::Portable)
    }

    /// Writes the dot product of each row, up to the length of `sums`.
    pub(super) fn sums(self, rows: &[u8], query: &[i16], sums: &mut [i32]) {
        match self.0 {
            Kind::Portable => portable(rows, query, sums),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: only `detect` returns this kind, after it detected AVX2.
            Kind::Avx2 => unsafe { avx2(rows, query, sums) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: only `detect` returns this kind, after it detected NEON.
            Kind::Neon => unsafe { neon(rows, query, sums) },
        }
    }
}

fn portable(rows: &[u8], query: &[i16], sums: &mut [i32]) {
    for (row, sum) in rows.chunks_exact(row_bytes(query.len())).zip(sums) {
        *sum = rest(row, query);
    }
}

/// Computes the dot product one component at a time. A row may be longer.
fn rest(row: &[u8], query: &[i16]) -> i32 {
    let product =
        |(byte, value): (&u8, &i16)| i32::from(i8::from_le_bytes([*byte])) * i32::from(*value);
    row.iter().zip(query).map(product).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[expect(clippy::cast_ptr_alignment, reason = "the loads need no alignment")]
fn avx2(rows: &[u8], query: &[i16], sums: &mut [i32]) {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32,
        _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
        _mm256_loadu_si256, _mm256_madd_epi16, _mm256_setzero_si256,
    };

    let products = |row: &[u8; 16], query: &[i16; 16]| -> __m256i {
        // SAFETY: both arrays have the loaded length, and the loads need no alignment.
        let (row, query) = unsafe {
            (
                _mm_loadu_si128(row.as_ptr().cast::<__m128i>()),
                _mm256_loadu_si256(query.as_ptr().cast::<__m256i>()),
            )
        };
        _mm256_madd_epi16(_mm256_cvtepi8_epi16(row), query)
    };
    let (queries, query_rest) = query.as_chunks::<16>();
    let done = queries.len() * 16;
    for (row, sum) in rows.chunks_exact(row_bytes(query.len())).zip(sums) {
        let (blocks, _) = row[..done].as_chunks::<16>();
        // Two independent chains of additions.
        let mut even = _mm256_setzero_si256();
        let mut odd = _mm256_setzero_si256();
        let (block_pairs, last_block) = blocks.as_chunks::<2>();
        let (query_pairs, last_query) = queries.as_chunks::<2>();
        for ([left, right], [left_query, right_query]) in block_pairs.iter().zip(query_pairs) {
            even = _mm256_add_epi32(even, products(left, left_query));
            odd = _mm256_add_epi32(odd, products(right, right_query));
        }
        for (block, query) in last_block.iter().zip(last_query) {
            even = _mm256_add_epi32(even, products(block, query));
        }
        let all = _mm256_add_epi32(even, odd);
        let half = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
        let pair = _mm_add_epi32(half, _mm_shuffle_epi32::<0b00_00_11_10>(half));
        let single = _mm_add_epi32(pair, _mm_shuffle_epi32::<0b00_00_00_01>(pair));
        *sum = _mm_cvtsi128_si32(single) + rest(&row[done..], query_rest);
    }
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
fn neon(rows: &[u8], query: &[i16], sums: &mut [i32]) {
    use std::arch::aarch64::{
        vaddq_s32, vaddvq_s32, vdupq_n_s32, vget_low_s8, vget_low_s16, vld1q_s8, vld1q_s16,
        vmlal_high_s16, vmlal_s16, vmovl_high_s8, vmovl_s8,
    };

    let (queries, _) = query.as_chunks::<8>();
    let (query_pairs, _) = queries.as_chunks::<2>();
    let done = query_pairs.len() * 16;
    for (row, sum) in rows.chunks_exact(row_bytes(query.len())).zip(sums) {
        let (blocks, _) = row[..done].as_chunks::<16>();
        // Two independent chains of additions.
        let mut even = vdupq_n_s32(0);
        let mut odd = vdupq_n_s32(0);
        for (block, [low_query, high_query]) in blocks.iter().zip(query_pairs) {
            // SAFETY: the arrays have the loaded length, and the loads need no alignment.
            let (block, low_query, high_query) = unsafe {
                (
                    vld1q_s8(block.as_ptr().cast::<i8>()),
                    vld1q_s16(low_query.as_ptr()),
                    vld1q_s16(high_query.as_ptr()),
                )
            };
            let (low, high) = (vmovl_s8(vget_low_s8(block)), vmovl_high_s8(block));
            even = vmlal_s16(even, vget_low_s16(low), vget_low_s16(low_query));
            odd = vmlal_high_s16(odd, low, low_query);
            even = vmlal_s16(even, vget_low_s16(high), vget_low_s16(high_query));
            odd = vmlal_high_s16(odd, high, high_query);
        }
        *sum = vaddvq_s32(vaddq_s32(even, odd)) + rest(&row[done..], &query[done..]);
    }
}

#[cfg(test)]
mod tests;
