//! Times lookups in an index of ten thousand chunks and the ranking of two hundred candidates:
//! `cargo bench -p lorehound-engine --features benchmarks --bench latency`
//!
//! Prints the best of several rounds in milliseconds, and fails if one exceeds its limit.

#![expect(clippy::print_stdout, reason = "the result of a benchmark")]
#![expect(clippy::disallowed_methods, reason = "the tree is written to a temporary folder")]

use std::{fmt::Write as _, path::Path, process::ExitCode};

use lore_engine::benchmarks::{candidates, lookups};

/// Writes a thousand files of ten classes, each of which implements an interface and calls others.
fn write_tree(folder: &Path) {
    for file in 0..1_000 {
        let mut text = String::from("from shop.base import Store\n\n");
        for class in 0..10 {
            let number = file * 10 + class;
            let body = "        total = total + rate * amount  # what was sold, and for how much\n";
            writeln!(
                text,
                "class Store{number}(Store):\n    def save{number}(self, total, rate, amount):\n{}        return helper{}(total)\n\n\ndef helper{number}(total):\n    return helper{}(total) + helper{}(total)\n",
                body.repeat(12),
                (number + 1) % 10_000,
                (number + 7) % 10_000,
                (number + 1_013) % 10_000,
            )
            .expect("a string takes all");
        }
        std::fs::write(folder.join(format!("module{file}.py")), text).expect("a file");
    }
    std::fs::create_dir(folder.join("shop")).expect("a folder");
    std::fs::write(folder.join("shop/base.py"), "class Store:\n    pass\n").expect("a file");
}

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    write_tree(folder.path());
    // The code of this project: files of all sizes, with definitions, comments and tests.
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates");
    let mut code = ExitCode::SUCCESS;
    for timing in lookups(folder.path()).into_iter().chain(candidates(crates)) {
        let is_slow = timing.ms > timing.max_ms;
        let limit = if timing.max_ms.is_finite() {
            format!(" of {} ms{}", timing.max_ms, if is_slow { ", over the limit" } else { "" })
        } else {
            String::new()
        };
        println!("{}: {:.2} ms{limit}", timing.name, timing.ms);
        if is_slow {
            code = ExitCode::FAILURE;
        }
    }
    code
}
