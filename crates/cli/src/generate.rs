//! Files that are generated from the definitions of the program: man pages and shell completions.
//!
//! The same program writes the same bytes on every machine: no clock, no environment, no terminal.

mod commands;
mod man;
mod roff;
mod shells;

pub(crate) use self::{
    man::man_pages,
    shells::{Shell, completions, scripts},
};

/// A generated file.
pub(crate) struct GeneratedFile {
    /// Its name below the directory.
    pub(crate) name: String,
    /// Its content.
    pub(crate) text: String,
}
