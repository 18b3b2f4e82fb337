//! Writes the token tables that `lore` reads, after a change of the vocabularies or of the format:
//! `cargo run -p lorehound-render --example token_tables`.
//!
//! The tables are committed. The crate with the vocabularies weighs 52 MB and would be compiled into
//! every build; only this program and the tests use it.

#![expect(clippy::disallowed_methods, reason = "the tables are files of the repository")]

#[path = "../src/tokens/tables.rs"]
mod tables;

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tokens");
    for name in tables::NAMES {
        for (file, bytes) in tables::tables(name) {
            fs::write(folder.join(file), bytes)?;
        }
    }
    Ok(())
}
