//! The analyzers, one file each.

pub(crate) mod code;
pub(crate) mod path;
pub(crate) mod prose;
