//! Files that are generated from the definitions of the program: man pages, shell completions, pages of
//! the reference, and JSON Schemas.
//!
//! The same program writes the same bytes on every machine: no clock, no environment, no terminal.

mod cli_page;
mod commands;
mod json_page;
mod man;
mod markdown;
mod outputs;
mod roff;
mod settings_page;
mod shells;

pub(crate) use self::{
    man::man_pages,
    outputs::schemas,
    shells::{Shell, completions, scripts},
};

/// A generated file.
pub(crate) struct GeneratedFile {
    /// Its name below the directory.
    pub(crate) name: String,
    /// Its content.
    pub(crate) text: String,
}

/// The pages of the reference.
pub(crate) fn reference() -> Vec<GeneratedFile> {
    let page = |name: &str, text: String| GeneratedFile { name: name.to_owned(), text };
    vec![
        page("cli.md", cli_page::page()),
        page("environment.md", settings_page::environment()),
        page("json.md", json_page::page()),
        page("settings.md", settings_page::settings()),
    ]
}
