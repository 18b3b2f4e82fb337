//! The binary `lore`. The library of this crate contains all of it.

use std::process::ExitCode;

/// A search makes many small things and drops them: rows, names, evidence.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    lorehound::run_program(std::env::args_os())
}
