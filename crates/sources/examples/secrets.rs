//! Prints which files below some folders contain secrets, by rule, without showing them, and the
//! time it took: `cargo run --release -p lorehound-sources --example secrets -- FOLDER…`.

#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::{collections::BTreeMap, path::Path, time::Instant};

use lore_sources::{Secrets, Tree, WalkOptions, count_redactions, redact};

fn main() {
    for folder in std::env::args().skip(1) {
        let options = WalkOptions {
            at: None,
            stored: None,
            hidden: true,
            max_file_size: 1 << 20,
            threads: 1,
            commits: None,
            older_commits: false,
            exports: Vec::new(),
            custom: lore_sources::CustomSources::none(),
            secrets: Secrets::Shown,
        };
        let (tree, _) = Tree::walk_while(Path::new(&folder), &options, &|| true)
            .expect("the folder can be read");
        let (mut bytes, mut seconds) = (0, 0.0);
        let mut counts = BTreeMap::<&str, u64>::new();
        let mut files = 0;
        for entry in tree.entries() {
            let Ok(text) = tree.read_text(&entry.path) else { continue };
            bytes += text.len();
            let started = Instant::now();
            let redacted = redact(text);
            seconds += started.elapsed().as_secs_f64();
            let found = count_redactions(&redacted);
            files += usize::from(!found.is_empty());
            if !found.is_empty() {
                println!("  {}: {found:?}", entry.path);
            }
            for (rule, count) in found {
                *counts.entry(rule).or_default() += count;
            }
        }
        let megabytes = bytes as f64 / 1e6;
        println!("{folder}: {megabytes:.1} MB in {seconds:.3} s, {files} files: {counts:?}");
    }
}
