//! Exchange of indexes between machines: writes those of a view to one file, and reads such a file.
//!
//! | Step | Module |
//! |---|---|
//! | the layout of the file | [`container`] |
//! | a private folder beside the indexes | [`folder`] |
//! | copy without anything that is not live, pack | [`mod@export`] |
//! | check, unpack, and put an index in place | [`mod@import`] |
//!
//! **Invariant:** an imported index is used only after every byte of the file was checked. Until
//! then, it is in a private folder, which is removed after a failure.

mod container;
mod export;
mod folder;
mod import;

pub use self::folder::ExchangeFolder;
pub(super) use self::{
    export::export,
    folder::remove_abandoned,
    import::{describe, exports_in, place, unpack},
};

#[cfg(test)]
mod tests;
