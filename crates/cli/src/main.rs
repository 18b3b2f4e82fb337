//! The program `lore`. Everything it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    lorehound::run(std::env::args_os())
}
