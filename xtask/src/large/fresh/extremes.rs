//! Changes beyond the limits of the system: more events than its queue has room for, paths of the
//! maximum length, whole folders from elsewhere, and more folders than can be watched.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use anyhow::{Context as _, Result};

use super::{
    super::{
        Bench,
        programs::Program,
        report::{Limit, Report},
        run::{Signal, signal},
        served::wait_until_ready,
    },
    checks::{Checker, Findings},
    texts,
};
use crate::server::Server;

/// Maximum length of a path for a system call, with the final zero byte.
const PATH_MAX: usize = 4096;

/// Events beyond the size of the queue.
const EXCESS: usize = 2_000;

/// Maximum size of the queue for which it is filled.
const MAX_QUEUE: usize = 1_000_000;

/// Limit of watched folders.
const WATCHES: usize = 10;

/// Changes under that limit.
const CHANGES: usize = 20;

/// Number that makes the words, as if another writer made them.
const WRITER: usize = 16;

/// The folder of these changes.
const FOLDER: &str = "lt-extremes";

/// A run of these changes.
pub(super) struct Extremes<'a> {
    bench: &'a Bench,
    aside: &'a Path,
    words: usize,
}

impl<'a> Extremes<'a> {
    pub(super) fn new(bench: &'a Bench, aside: &'a Path) -> Extremes<'a> {
        Extremes { bench, aside, words: 0 }
    }

    /// Makes all changes, and reports failures of each kind.
    pub(super) fn run(&mut self, report: &mut Report, server: &Server) -> Result<()> {
        let kinds: [(&str, Change<'a>); 3] = [
            ("a queue that overflowed", Extremes::overflow),
            ("the deepest folders", Extremes::deepest),
            ("folders from elsewhere", Extremes::elsewhere),
        ];
        for (name, change) in kinds {
            let findings = Mutex::default();
            let made = change(self, server, Checker { server, findings: &findings });
            let note = made.with_context(|| format!("after {name}"))?;
            finish(report, name, findings, note);
        }
        self.few_watches(report)
    }

    fn word(&mut self) -> String {
        self.words += 1;
        texts::word(WRITER, self.words)
    }

    fn on_disk(&self, path: &str) -> PathBuf {
        self.bench.tree.root.join(path)
    }

    /// Writes a file with a new word.
    fn write(&mut self, path: &str) -> Result<String> {
        let word = self.word();
        write(&self.on_disk(path), &word)?;
        Ok(word)
    }

    /// Stops the server, makes more events than its queue has room for, and then real changes.
    fn overflow(&mut self, server: &Server, checker: Checker<'_>) -> Result<Option<String>> {
        let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events")?;
        let limit: usize = limit.trim().parse()?;
        if MAX_QUEUE < limit {
            return Ok(Some(format!("the queue was not filled: it has room for {limit} events")));
        }
        let paths = ["first.md", "second.md", "third.md"].map(|name| format!("{FOLDER}/q/{name}"));
        let mut words = Vec::new();
        for path in &paths {
            words.push(self.write(path)?);
            checker.check("a file before the overflow", &words[words.len() - 1], &[path]);
        }
        signal(server.id(), Signal::Stop)?;
        let outcome = self.fill_queue(limit, &paths);
        signal(server.id(), Signal::Continue)?;
        let [new, written] = outcome?;
        checker.check("an overflow: new folder", &new, &[&format!("{FOLDER}/r/s/new.md")]);
        checker.check("an overflow: write", &written, &[&paths[1]]);
        checker.check("an overflow: older text", &words[1], &[]);
        checker.check("an overflow: deletion", &words[2], &[]);
        Ok(None)
    }

    /// Fills the queue of a stopped server, and returns the words of a new file and of a written one.
    fn fill_queue(&mut self, limit: usize, paths: &[String; 3]) -> Result<[String; 2]> {
        // Equal events that follow each other become one, so two files take turns.
        let open = |path: &String| File::options().append(true).open(self.on_disk(path));
        let mut files = [open(&paths[0])?, open(&paths[1])?];
        for number in 0..limit + EXCESS {
            files[number % 2].write_all(b"\n")?;
        }
        drop(files);
        let new = self.write(&format!("{FOLDER}/r/s/new.md"))?;
        let written = self.write(&paths[1])?;
        fs::remove_file(self.on_disk(&paths[2]))?;
        Ok([new, written])
    }

    /// Makes folders in folders until paths have the maximum length.
    fn deepest(&mut self, _: &Server, checker: Checker<'_>) -> Result<Option<String>> {
        let name = "/deepest.md";
        let root = self.bench.tree.root.as_os_str().len() + 1;
        let mut folder = format!("{FOLDER}/deep");
        fs::create_dir_all(self.on_disk(&folder))?;
        while root + folder.len() + "/d".len() + name.len() < PATH_MAX {
            folder.push_str("/d");
            fs::create_dir(self.on_disk(&folder))?;
        }
        let path = format!("{folder}{name}");
        let word = self.write(&path)?;
        checker.check("a new file in the deepest folder", &word, &[&path]);
        let next = self.write(&path)?;
        checker.check("a write in the deepest folder", &next, &[&path]);
        checker.check("a write in the deepest folder", &word, &[]);
        fs::remove_dir_all(self.on_disk(&format!("{FOLDER}/deep")))?;
        checker.check("the removal of the deepest folder", &next, &[]);
        Ok(Some(format!("the deepest folders are {} levels deep", folder.matches('/').count() + 1)))
    }

    /// Moves a folder into the tree, out of it, and in again after a change.
    fn elsewhere(&mut self, _: &Server, checker: Checker<'_>) -> Result<Option<String>> {
        let outside = self.aside.join("elsewhere");
        let inside = self.on_disk(&format!("{FOLDER}/elsewhere"));
        fs::create_dir_all(self.on_disk(FOLDER))?;
        let [top, inner] = ["top.md", "one/two/inner.md"];
        let words = [self.word(), self.word()];
        write(&outside.join(top), &words[0])?;
        write(&outside.join(inner), &words[1])?;
        let [top_path, inner_path] = [top, inner].map(|name| format!("{FOLDER}/elsewhere/{name}"));
        fs::rename(&outside, &inside)?;
        checker.check("a folder moved in", &words[1], &[&inner_path]);
        checker.check("a folder moved in", &words[0], &[&top_path]);
        let second = self.write(&inner_path)?;
        checker.check("a write in that folder", &second, &[&inner_path]);
        fs::rename(&inside, &outside)?;
        checker.check("a folder moved out", &second, &[]);
        checker.check("a folder moved out", &words[0], &[]);
        let third = self.word();
        write(&outside.join(inner), &third)?;
        checker.check("a write outside", &third, &[]);
        fs::rename(&outside, &inside)?;
        checker.check("a folder moved in again", &third, &[&inner_path]);
        checker.check("a folder moved in again", &second, &[]);
        fs::remove_dir_all(&inside)?;
        checker.check("a removed folder", &third, &[]);
        Ok(None)
    }

    /// Runs a server that can watch few folders.
    ///
    /// The limit is that of a user namespace, so no other process is limited.
    fn few_watches(&mut self, report: &mut Report) -> Result<()> {
        const NAME: &str = "a limit of watched folders";
        let script =
            format!("echo {WATCHES} > /proc/sys/user/max_inotify_watches && exec \"$0\" \"$@\"");
        let limited = |program: &Path| {
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-root-user", "--", "/bin/sh", "-c", &script]);
            command.arg(program);
            command
        };
        let probe = limited(Path::new("true")).output();
        if !probe.is_ok_and(|probe| probe.status.success()) {
            report.note(format!("NOT CHECKED: {NAME}. A user namespace cannot be made here."));
            return Ok(());
        }
        let program = &self.bench.programs.lore;
        let tree = &self.bench.tree.root;
        let messages = self.bench.folder.join("messages-few");
        let mut command = limited(&program.path);
        let server = Program::connect(&mut command, program.cache(tree)?, tree, &messages)?;
        wait_until_ready(&server)?;
        let findings = Mutex::default();
        let checker = Checker { server: &server, findings: &findings };
        let files = self.bench.tree.sources();
        let step = (files.len() / CHANGES).max(1);
        for file in files.iter().step_by(step).take(CHANGES) {
            let folder = file.rsplit_once('/').map_or(FOLDER, |(folder, _)| folder);
            let path = format!("{folder}/few-watches.md");
            let word = self.write(&path)?;
            checker.check(NAME, &word, &[&path]);
            let next = self.write(&path)?;
            checker.check(NAME, &next, &[&path]);
            checker.check(NAME, &word, &[]);
            fs::remove_file(self.on_disk(&path))?;
            checker.check(NAME, &next, &[]);
        }
        server.end()?;
        finish(report, NAME, findings, None);
        let messages = fs::read_to_string(&messages)?;
        let about: Vec<&str> = messages.lines().filter(|line| line.contains("watch")).collect();
        report
            .add("messages about it, without the first one", "", about.len().abs_diff(1) as f64)
            .limit(Limit::Correct(0.0));
        if about.len() != 1 {
            report.note(format!("messages about watched folders: {about:?}"));
        }
        Ok(())
    }
}

/// A kind of change, which returns a note.
type Change<'a> = fn(&mut Extremes<'a>, &Server, Checker<'_>) -> Result<Option<String>>;

/// Reports the failures of a kind.
fn finish(report: &mut Report, name: &str, findings: Mutex<Findings>, note: Option<String>) {
    let findings = findings.into_inner().expect("no thread panics while it has the lock");
    report
        .add(&format!("failures after {name}"), "", f64::from(findings.failures()))
        .limit(Limit::Correct(0.0));
    findings.shown.into_iter().chain(note).for_each(|line| report.note(line));
}

/// Writes a file, and the folders above it.
fn write(path: &Path, word: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    Ok(fs::write(path, texts::text("notes.md", word))?)
}
