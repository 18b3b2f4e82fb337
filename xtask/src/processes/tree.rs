//! A constantly changing repository, and all earlier contents of its files.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Result, bail};

/// Number of files that change.
const CHANGING: usize = 120;

/// Number of files that never change.
pub(crate) const STILL: usize = 60;

/// One text of a file, and the time span in which it could be read.
struct Version {
    text: String,
    from: Instant,
    /// `None` while it is on disk.
    until: Option<Instant>,
}

/// The repository.
pub(crate) struct Tree {
    pub(crate) folder: PathBuf,
    versions: BTreeMap<String, Vec<Version>>,
    /// Paths of the files that change, without deleted ones.
    paths: Vec<String>,
    seed: u64,
    written: u64,
    branch: &'static str,
    /// Number of changes of each kind.
    pub(crate) changes: BTreeMap<&'static str, u64>,
}

impl Tree {
    /// Creates a repository with two branches.
    pub(crate) fn new(folder: PathBuf) -> Result<Tree> {
        std::fs::create_dir_all(folder.join("src"))?;
        let mut tree = Tree {
            folder,
            versions: BTreeMap::new(),
            paths: Vec::new(),
            seed: 0x9E37_79B9_7F4A_7C15,
            written: 0,
            branch: "main",
            changes: BTreeMap::new(),
        };
        for number in 0..STILL {
            let text = format!("/// Returns wombat{number}.\npub fn report_{number}() {{}}\n");
            std::fs::write(tree.folder.join(format!("src/still_{number}.rs")), text)?;
        }
        for number in 0..CHANGING {
            let text = tree.text(number);
            std::fs::write(tree.folder.join(format!("src/part_{number}.rs")), text)?;
        }
        tree.git(&["init", "--quiet", "--initial-branch", "main"])?;
        tree.commit("start")?;
        tree.git(&["branch", "side"])?;
        tree.note(Instant::now())?;
        Ok(tree)
    }

    /// Makes a change.
    pub(crate) fn change(&mut self) -> Result<()> {
        let began = Instant::now();
        let chosen = self.below(self.paths.len());
        let chosen = self.paths.get(chosen).cloned().unwrap_or_default();
        let number = self.below(CHANGING);
        let what = match self.below(40) {
            0 if self.written > 20 => {
                self.switch()?;
                "switches"
            }
            1..4 => {
                self.commit("work")?;
                "commits"
            }
            4..8 if CHANGING / 2 < self.paths.len() => {
                std::fs::remove_file(self.folder.join(&chosen))?;
                "deletions"
            }
            8..14 => {
                let target = format!("src/moved_{number}.rs");
                std::fs::rename(self.folder.join(&chosen), self.folder.join(target))?;
                "renames"
            }
            14..18 => {
                let text = self.text(number);
                std::fs::write(self.folder.join(format!("src/part_{number}.rs")), text)?;
                "new files"
            }
            _ => {
                let text = self.text(number);
                std::fs::write(self.folder.join(&chosen), text)?;
                "edits"
            }
        };
        *self.changes.entry(what).or_default() += 1;
        self.note(began)
    }

    /// A word that some file contained at some time, mostly recently.
    pub(crate) fn word(&self, random: usize) -> String {
        let last = usize::try_from(self.written).unwrap_or(1);
        let back = if random.is_multiple_of(3) { random % last } else { random % last.min(40) };
        format!("quokka{}", last - 1 - back)
    }

    /// Returns true if a file contained these lines, the first of which is `first`, at some moment
    /// of a time span.
    pub(crate) fn held(
        &self,
        path: &str,
        first: usize,
        lines: &str,
        time: (Instant, Instant),
    ) -> bool {
        let skipped = first.saturating_sub(1);
        let holds = |version: &Version| {
            let of_file = version.text.lines().skip(skipped).map(str::trim_end);
            let shown: Vec<&str> = lines.lines().map(str::trim_end).collect();
            of_file.take(shown.len()).eq(shown.iter().copied())
        };
        let lived = |version: &&Version| {
            version.from <= time.1 && version.until.is_none_or(|until| time.0 <= until)
        };
        self.versions.get(path).is_some_and(|versions| versions.iter().filter(lived).any(holds))
    }

    /// Runs git in the tree.
    pub(crate) fn git(&self, words: &[&str]) -> Result<()> {
        let ran = Command::new("git")
            .arg("-C")
            .arg(&self.folder)
            .args(["-c", "user.name=Soak", "-c", "user.email=soak@example.org"])
            .args(["-c", "gc.auto=0"])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()?;
        if !ran.status.success() {
            bail!("git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
        }
        Ok(())
    }

    fn commit(&self, message: &str) -> Result<()> {
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message])
    }

    fn switch(&mut self) -> Result<()> {
        self.commit("before the switch")?;
        self.branch = if self.branch == "main" { "side" } else { "main" };
        self.git(&["checkout", "--quiet", self.branch])
    }

    /// Records the differences on disk since `began`.
    fn note(&mut self, began: Instant) -> Result<()> {
        let mut now = BTreeMap::new();
        for entry in std::fs::read_dir(self.folder.join("src"))? {
            let entry = entry?;
            let path = format!("src/{}", entry.file_name().to_string_lossy());
            now.insert(path, std::fs::read_to_string(entry.path())?);
        }
        let ended = Instant::now();
        for (path, versions) in &mut self.versions {
            let last = versions.last_mut().filter(|version| version.until.is_none());
            if let Some(version) = last
                && now.get(path) != Some(&version.text)
            {
                version.until = Some(ended);
            }
        }
        let is_changing = |path: &&String| !path.starts_with("src/still_");
        self.paths = now.keys().filter(is_changing).cloned().collect();
        for (path, text) in now {
            let versions = self.versions.entry(path).or_default();
            if versions.last().is_none_or(|version| version.until.is_some()) {
                versions.push(Version { text, from: began, until: None });
            }
        }
        Ok(())
    }

    /// A new text, with a unique word.
    fn text(&mut self, number: usize) -> String {
        let word = self.written;
        self.written += 1;
        let mut text = format!("/// Describes quokka{word} in part {number}.\n");
        let _ = writeln!(text, "pub fn describe_{word}() {{\n    turn_wheel({number});\n}}\n");
        for function in 0..self.below(12) {
            let _ = writeln!(text, "/// Turns wheel {function} of part {number}.");
            let _ =
                writeln!(text, "pub fn wheel_{number}_{function}() {{\n    turn({word});\n}}\n");
        }
        text
    }

    fn below(&mut self, limit: usize) -> usize {
        self.seed = random(self.seed);
        usize::try_from(self.seed >> 33).unwrap_or(0) % limit.max(1)
    }
}

/// The next number of a pseudo-random sequence (xorshift64).
pub(crate) fn random(mut seed: u64) -> u64 {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    seed
}

/// Number of files below a directory, and their bytes.
pub(crate) fn size_of(folder: &Path) -> (u64, u64) {
    let Ok(entries) = std::fs::read_dir(folder) else { return (0, 0) };
    entries.flatten().fold((0, 0), |(files, bytes), entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            let below = size_of(&entry.path());
            (files + below.0, bytes + below.1)
        }
        Ok(metadata) => (files + 1, bytes + metadata.len()),
        Err(_) => (files, bytes),
    })
}
