//! Prints the syntax tree of files, as a help for writing queries.
//!
//! `cargo run -p lorehound-syntax --example tree -- FILE...`
#![expect(clippy::print_stdout, reason = "an example prints")]
#![expect(clippy::disallowed_methods, reason = "an example reads files by itself")]

fn main() {
    for path in std::env::args().skip(1) {
        match std::fs::read_to_string(&path) {
            Ok(text) => match lore_syntax::syntax_tree(&path, &text) {
                Some(tree) => print!("{tree}"),
                None => println!("{path}: no grammar"),
            },
            Err(error) => println!("{path}: {error}"),
        }
    }
}
