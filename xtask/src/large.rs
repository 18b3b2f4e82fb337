//! `cargo xtask large-tree`: measures and checks `lore` on a large tree, or on a generated one.
//!
//! All work is on a copy of the tree in a temporary folder, with caches of its own. Each part prints
//! its figures beside their limits.

mod first;
mod fresh;
mod index;
mod kill;
mod made;
mod options;
mod process;
mod programs;
mod questions;
mod renames;
mod report;
mod run;
mod served;
mod tree;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use self::{
    options::{Options, Source},
    programs::Programs,
    report::Report,
    tree::Tree,
};

/// A run of the parts.
struct Bench {
    options: Options,
    tree: Tree,
    programs: Programs,
    /// Folder of the run, which is removed at the end.
    folder: std::path::PathBuf,
}

/// A part: adds its figures to the report.
type Part = fn(&Bench, &mut Report) -> Result<()>;

/// Parts by name, in their order. The last ones change the tree.
const PARTS: &[(&str, Part)] = &[
    ("index", index::run),
    ("first-answer", first::run),
    ("kill", kill::run),
    ("process", process::run),
    ("server", served::run),
    ("renames", renames::run),
    ("fresh", fresh::run),
];

/// Runs the parts that the arguments name, or all.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<()> {
    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    let options = Options::parse(words, &names)?;
    let folder = match &options.folder {
        Some(folder) => std::path::absolute(folder)?,
        None => std::env::temp_dir().join(format!("lore-large-{}", std::process::id())),
    };
    std::fs::create_dir(&folder)
        .with_context(|| format!("could not create the folder `{}`", folder.display()))?;
    let outcome = measure(root, options, &folder);
    let is_kept = outcome.as_ref().is_ok_and(|options| options.keep)
        || words.iter().any(|word| word == "--keep");
    if is_kept {
        println!("kept: {}", folder.display());
    } else {
        std::fs::remove_dir_all(&folder)
            .with_context(|| format!("could not remove `{}`", folder.display()))?;
    }
    outcome.map(|_| ())
}

/// Prepares the tree, runs the parts and writes the report.
fn measure(root: &Path, options: Options, folder: &Path) -> Result<Options> {
    let tree = folder.join("tree");
    match &options.source {
        Source::Folder(source) => tree::copy(source, &tree)?,
        Source::Made(files) => made::make(&tree, *files, options.seed)?,
    }
    let tree = Tree::open(&tree)?;
    let programs = Programs::new(root, &options, folder)?;
    let mut report = Report::new(&options, &tree, &programs)?;
    let bench = Bench { options, tree, programs, folder: folder.to_owned() };
    for (name, part) in PARTS.iter().filter(|(name, _)| bench.options.includes(name)) {
        report.begin(name);
        if let Err(error) = part(&bench, &mut report) {
            report.fail(&format!("{error:#}"));
        }
        report.end();
    }
    if let Some(path) = &bench.options.json {
        report.write(path)?;
    }
    let failures = report.failures(bench.options.check, bench.options.check_times);
    if !failures.is_empty() {
        bail!("{} limits are broken:\n{}", failures.len(), failures.join("\n"));
    }
    Ok(bench.options)
}
