//! One file an analyzer.

pub(crate) mod code;
pub(crate) mod path;
pub(crate) mod prose;
