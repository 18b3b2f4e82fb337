//! The commands that measure and fit: `lore eval`, `lore tune` and `lore bench`.

pub mod bench;
pub mod eval;
pub mod tune;

pub(crate) use self::{bench::BenchWire, eval::AgentsWire};
