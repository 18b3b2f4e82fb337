//! The weights of the second ranking, by group of sources: code, prose, history.
//!
//! Fitted by the softmax loss of the right documents among all candidates, on 642 natural questions over
//! 33 repositories with one vote each and on the development set and the commit sets with 0.3 votes
//! each, L2 penalty of the standardised weights 33. On repositories outside of the fit, the right document is first
//! for .573 of the natural questions and among the first three for .768, and the development set has an
//! NDCG@10 of .901 (`docs/concepts/ranking.md`). The scale gives half of the
//! first hits a score above 0.8, and half of the tenth ones a score above 0.35.

use super::FEATURES;
use crate::query::KINDS;

/// Weight of the first score, on the scale of sums of code.
pub(super) const BASE: [f32; 3] = [0.152, 0.188, 0.013];

/// Weight of each source beside the others.
pub(super) const SOURCE: [f32; 3] = [0.306, 0.126, -0.056];

/// Weights of the features.
#[rustfmt::skip]
pub(super) static FEATURE_WEIGHTS: [[f32; 3]; FEATURES] = [
    [0.497, 0.490, 0.371], // place
    [0.283, 0.211, 0.146], // window
    [-0.126, -0.391, 0.156], // window-squared
    [0.238, 0.464, 0.108], // wide-window
    [0.223, 0.223, 0.065], // document
    [0.001, 0.044, 0.119], // document-squared
    [0.432, -0.270, 0.595], // run
    [2.029, 2.029, 1.522], // verbatim
    [0.734, 0.172, 0.102], // verbatim-name
    [4.059, 4.059, 0.000], // is-path
    [4.059, 4.059, 0.000], // is-record
    [0.258, -0.107, 0.000], // path-share
    [0.361, 0.632, 0.263], // title-share
    [0.303, 0.339, -0.021], // nearest
    [0.787, 1.193, 0.441], // nearest-squared
    [0.404, 1.470, 0.564], // nearest-window
    [0.000, 0.000, 0.210], // change
    [-0.043, -0.023, 0.225], // lines
    [-0.291, 0.247, 0.000], // in-test
    [-0.253, -0.198, 0.000], // not-source
    [0.220, 0.196, 0.222], // named-source
    [0.000, -0.039, 0.000], // specs
    [0.000, -0.213, 0.000], // tickets
];

/// Additions to the weights of the features for a question in words.
#[rustfmt::skip]
pub(super) static QUESTION_WEIGHTS: [[f32; 3]; FEATURES] = [
    [-0.015, -0.106, 0.115], // place
    [0.496, 0.161, 0.216], // window
    [0.053, -0.249, 0.094], // window-squared
    [0.279, 0.459, 0.169], // wide-window
    [0.207, 0.221, 0.114], // document
    [-0.131, 0.090, 0.095], // document-squared
    [0.602, 1.021, -0.111], // run
    [0.000, 0.000, 0.000], // verbatim
    [0.311, 0.000, 0.000], // verbatim-name
    [0.000, 0.000, 0.000], // is-path
    [0.000, 0.000, 0.000], // is-record
    [-0.736, -0.190, 0.000], // path-share
    [-0.158, -0.093, 0.203], // title-share
    [0.115, 0.137, 0.114], // nearest
    [0.170, 0.244, 0.983], // nearest-squared
    [0.431, 0.152, 1.197], // nearest-window
    [0.000, 0.000, 0.107], // change
    [-0.011, -0.113, 0.294], // lines
    [-0.315, -0.356, 0.000], // in-test
    [-0.093, -0.215, 0.000], // not-source
    [-0.006, 0.184, 0.034], // named-source
    [0.000, -0.138, 0.000], // specs
    [0.000, 0.339, 0.000], // tickets
];

/// Weights of the kinds of question.
#[rustfmt::skip]
pub(super) static KIND_WEIGHTS: [[f32; 3]; KINDS] = [
    [-0.571, -0.111, 0.361], // asks-reason
    [-0.763, -0.352, 0.376], // asks-when
    [0.054, -0.186, 0.030], // asks-change
    [-0.134, 0.439, -0.079], // asks-how-to
    [-0.145, 0.644, -0.501], // asks-uses
    [0.081, -0.478, -0.037], // asks-error
    [-0.041, -0.185, 0.195], // asks-record
    [-0.118, 0.230, 0.059], // asks-setting
    [0.150, -0.429, -0.292], // asks-place
    [0.133, -0.032, -0.190], // is-question
    [0.024, -0.114, 0.017], // is-short
    [-0.079, 0.094, 0.184], // is-name
];
