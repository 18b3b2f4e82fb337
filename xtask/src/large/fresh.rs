//! Answers while files change: three writers change a tree and query one server after each change.

mod changes;
mod checks;
mod compare;
mod extremes;
mod kinds;
mod repository;
mod texts;
mod writer;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Mutex, atomic::AtomicUsize},
    thread,
    time::Instant,
};

use anyhow::Result;

use self::{
    checks::{Checker, Findings},
    extremes::Extremes,
    writer::{Shared, Writer},
};
use super::{
    Bench,
    report::{Limit, Report, percentile},
    served::wait_until_ready,
    tree::Tree,
};

/// Number of writers.
const WRITERS: usize = 3;

/// Maximum size of a file of the tree that is changed.
const MAX_BYTES: u64 = 64 << 10;

pub(super) fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let root = &bench.tree.root;
    let program = &bench.programs.lore;
    let aside = bench.folder.join("aside");
    fs::create_dir(&aside)?;
    repository::prepare(root, WRITERS)?;
    let indexed = compare::listing(program, program.cache(root)?, root)?;
    let server = program.serve(program.cache(root)?, root, &bench.folder.join("messages"))?;
    wait_until_ready(&server)?;
    let findings = Mutex::new(Findings::default());
    let shared = Shared {
        root,
        aside: &aside,
        git: Mutex::new(()),
        left: AtomicUsize::new(bench.options.changes),
    };
    let checker = Checker { server: &server, findings: &findings };
    let parts = shares(&bench.tree, &indexed);
    let started = Instant::now();
    thread::scope(|scope| {
        for (number, files) in parts.into_iter().enumerate() {
            let mut writer = Writer::new(number, bench.options.seed, &shared, checker, files);
            scope.spawn(move || kinds::work(&mut writer));
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    let findings = findings.into_inner().expect("no thread panics while it has the lock");
    report
        .add(&format!("{} changes by {WRITERS} writers", bench.options.changes), "s", seconds)
        .add("questions right after a change", "", findings.milliseconds.len() as f64)
        .add("stale answers", "", f64::from(findings.stale))
        .limit(Limit::Correct(0.0))
        .add("missing answers", "", f64::from(findings.missing))
        .limit(Limit::Correct(0.0))
        .add("failed calls", "", f64::from(findings.errors))
        .limit(Limit::Correct(0.0))
        .add("answers that were not verified", "", f64::from(findings.partial))
        .add("answer, median", "ms", percentile(&findings.milliseconds, 0.5))
        .add("answer, 99th percentile", "ms", percentile(&findings.milliseconds, 0.99));
    findings.shown.into_iter().for_each(|line| report.note(line));
    Extremes::new(bench, &aside).run(report, &server)?;
    compare::run(bench, report, &server)?;
    server.end()?;
    bench.tree.reset()?;
    repository::remove(root)
}

/// Files of the tree for each writer: those of folders without folders inside, so that such a folder
/// can be moved as a whole. Files that no answer can contain are left as they are.
fn shares(tree: &Tree, indexed: &BTreeMap<String, u64>) -> Vec<Vec<String>> {
    let mut folders: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &tree.files {
        if let Some((folder, _)) = file.rsplit_once('/') {
            folders.entry(folder).or_default();
        }
    }
    let names: Vec<String> = folders.keys().map(|folder| format!("{folder}/")).collect();
    for file in tree.sources() {
        let Some((folder, _)) = file.rsplit_once('/') else { continue };
        if indexed.contains_key(file) && is_small(&tree.root.join(file)) {
            folders.entry(folder).or_default().push(file.to_owned());
        }
    }
    let has_inner = |folder: &str| {
        let inside = format!("{folder}/");
        let at = names.partition_point(|name| *name <= inside);
        names.get(at).is_some_and(|name| name.starts_with(&inside))
    };
    let mut shares = vec![Vec::new(); WRITERS];
    let leaves = folders.iter().filter(|(folder, files)| !has_inner(folder) && !files.is_empty());
    for (number, (_, files)) in leaves.enumerate() {
        shares[number % WRITERS].extend_from_slice(files);
    }
    shares
}

/// Returns true for a regular file of moderate size.
fn is_small(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use super::{Tree, WRITERS, shares};

    #[test]
    fn writers_get_whole_folders_without_folders_inside() {
        let root = tempfile::tempdir().unwrap();
        let files = ["a/b/one.md", "a/b/two.md", "a/three.md", "c/four.md", "c/x.bin", "d/e.md"];
        for file in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "text").unwrap();
        }
        let tree = Tree {
            root: root.path().to_owned(),
            files: files.map(str::to_owned).to_vec(),
            text_bytes: 0,
        };
        let indexed = files.map(|file| (file.to_owned(), 1)).into();
        let shares = shares(&tree, &indexed);
        assert_eq!(shares.len(), WRITERS);
        assert_eq!(shares[0], ["a/b/one.md", "a/b/two.md"]);
        assert_eq!(shares[1], ["c/four.md"]);
        assert_eq!(shares[2], ["d/e.md"]);
    }
}
