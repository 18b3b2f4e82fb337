//! Rankings by the published rules of other systems, over documents in memory.
//!
//! Pure but for what the doors in [`crate::Engine`] do: they read the documents and measure the
//! time.

mod changes;
mod evaluate;
mod facts;
mod filter;
mod folded;
pub(crate) mod lean;
mod pattern;
mod question;
pub(crate) mod sage;

pub(crate) use filter::DocumentFilter;
pub use lean::{LeanAnswer, LeanField, LeanHit, LeanMatch, LeanSpec};
pub(crate) use question::{asks_for_dates, oldest_date};
pub use sage::{SageAnswer, SageDocument, SageHit, SageRequest, SageSource};
