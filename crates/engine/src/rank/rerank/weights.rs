//! The weights of the second ranking, by group of sources: code, prose, history.
//!
//! Fitted by the softmax loss of the right documents among all candidates, on 642 natural questions over
//! 33 repositories with one vote each and on the development set and the commit sets with 0.3 votes
//! each, L2 penalty of the standardised weights 33. On repositories outside of the fit, the right document is first
//! for .565 of the natural questions and among the first three for .768, and the development set has an
//! NDCG@10 of .901 (`docs/concepts/ranking.md`). The scale gives half of the
//! first hits a score above 0.8, and half of the tenth ones a score above 0.35.

use super::FEATURES;
use crate::query::KINDS;

/// Weight of the first score, on the scale of sums of code.
pub(super) const BASE: [f32; 3] = [0.155, 0.140, 0.039];

/// Weight of each source beside the others.
pub(super) const SOURCE: [f32; 3] = [0.285, 0.095, -0.088];

/// Weights of the features.
#[rustfmt::skip]
pub(super) static FEATURE_WEIGHTS: [[f32; 3]; FEATURES] = [
    [0.501, 0.566, 0.388], // place
    [0.287, 0.223, 0.151], // window
    [-0.128, -0.361, 0.125], // window-squared
    [0.236, 0.496, 0.123], // wide-window
    [0.236, 0.215, 0.072], // document
    [-0.009, 0.083, 0.102], // document-squared
    [0.448, -0.231, 0.559], // run
    [2.046, 2.046, 1.534], // verbatim
    [0.741, 0.210, 0.008], // verbatim-name
    [4.092, 4.092, 0.000], // is-path
    [4.092, 4.092, 0.000], // is-record
    [0.260, 0.712, 0.000], // path-share
    [0.359, 0.662, 0.256], // title-share
    [0.314, 0.306, -0.020], // nearest
    [0.743, 1.094, 0.415], // nearest-squared
    [0.425, 1.454, 0.579], // nearest-window
    [0.000, 0.000, 0.197], // change
    [-0.046, 0.013, 0.241], // lines
    [-0.301, 0.168, 0.000], // in-test
    [-0.678, -0.234, 0.000], // not-source
    [0.241, 0.388, 0.250], // named-source
    [0.000, -0.053, 0.000], // specs
    [0.000, -0.238, 0.000], // tickets
];

/// Additions to the weights of the features for a question in words.
#[rustfmt::skip]
pub(super) static QUESTION_WEIGHTS: [[f32; 3]; FEATURES] = [
    [-0.027, -0.091, 0.103], // place
    [0.501, 0.157, 0.231], // window
    [0.031, -0.283, 0.083], // window-squared
    [0.271, 0.448, 0.194], // wide-window
    [0.221, 0.192, 0.130], // document
    [-0.160, 0.088, 0.092], // document-squared
    [0.569, 0.978, -0.100], // run
    [0.000, 0.000, 0.000], // verbatim
    [0.328, 0.000, 0.000], // verbatim-name
    [0.000, 0.000, 0.000], // is-path
    [0.000, 0.000, 0.000], // is-record
    [-0.576, -1.137, 0.000], // path-share
    [-0.185, -0.138, 0.186], // title-share
    [0.140, 0.116, 0.114], // nearest
    [0.136, 0.269, 0.944], // nearest-squared
    [0.476, 0.365, 1.216], // nearest-window
    [0.000, 0.000, 0.095], // change
    [-0.013, -0.096, 0.310], // lines
    [-0.317, -0.290, 0.000], // in-test
    [-0.523, -0.310, 0.000], // not-source
    [0.005, 0.121, 0.055], // named-source
    [0.000, 0.093, 0.000], // specs
    [0.000, 0.369, 0.000], // tickets
];

/// Weights of the kinds of question.
#[rustfmt::skip]
pub(super) static KIND_WEIGHTS: [[f32; 3]; KINDS] = [
    [-0.602, -0.140, 0.342], // asks-reason
    [-0.821, -0.530, 0.279], // asks-when
    [0.035, -0.177, 0.032], // asks-change
    [-0.135, 0.426, -0.078], // asks-how-to
    [-0.112, 0.567, -0.478], // asks-uses
    [0.064, -0.366, -0.017], // asks-error
    [0.045, -0.239, 0.078], // asks-record
    [-0.116, 0.214, 0.055], // asks-setting
    [0.153, -0.417, -0.285], // asks-place
    [0.147, -0.050, -0.191], // is-question
    [0.019, -0.058, -0.009], // is-short
    [-0.081, 0.015, 0.254], // is-name
];
