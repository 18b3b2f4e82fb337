//! `lore generate`: writes man pages, completions, pages of the reference and JSON Schemas.

use std::fs;

use anyhow::Context as _;
use lore_console::report::Status;
use lore_session::write_output;

use crate::{
    args::{GenerateArguments, GeneratedFiles, OutArguments},
    generate::{self, GeneratedFile},
};

/// Writes the files and prints their paths.
pub(super) fn run(arguments: &GenerateArguments) -> anyhow::Result<Status> {
    match &arguments.files {
        GeneratedFiles::Man(out) => write(out, &generate::man_pages()),
        GeneratedFiles::Completions(out) => write(out, &generate::scripts()),
        GeneratedFiles::Reference(out) => write(out, &generate::reference()),
        GeneratedFiles::Schemas(out) => write(out, &generate::schemas()),
    }
}

fn write(arguments: &OutArguments, files: &[GeneratedFile]) -> anyhow::Result<Status> {
    let folder = &arguments.out;
    fs::create_dir_all(folder)
        .with_context(|| format!("could not create the directory `{}`", folder.display()))?;
    for file in files {
        let path = folder.join(&file.name);
        fs::write(&path, &file.text)
            .with_context(|| format!("could not write `{}`", path.display()))?;
    }
    write_output(|out| {
        files.iter().try_for_each(|file| writeln!(out, "{}", folder.join(&file.name).display()))
    })?;
    Ok(Status::Success)
}
