//! Folders of a cluster, and the processes of its nodes.

use std::{
    fs::{File, TryLockError},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};

use super::{options::Options, report};

/// Interval at which the end of a process is awaited.
const POLL: Duration = Duration::from_millis(100);

/// Folder with everything: the downloaded files, the servers, and one cluster.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The argument that selects the folder, for hints; empty for the usual one.
    argument: String,
}

impl Folder {
    /// The folder that the user gave, or else the usual one. It need not exist.
    pub(super) fn new(given: Option<&Path>, usual: &Path) -> Result<Folder> {
        let path = std::path::absolute(given.unwrap_or(usual))?;
        if path.to_string_lossy().contains(char::is_whitespace) {
            bail!("`{}`: the start script of OpenSearch does not accept spaces", path.display());
        }
        // In a folder such as `/var/tmp`, another user could have created it first.
        if let Ok(metadata) = path.symlink_metadata()
            && (!metadata.is_dir() || metadata.uid() != own_user()?)
        {
            bail!("`{}` is not a folder of this user", path.display());
        }
        let argument = given.map(|_| format!(" --folder {}", path.display())).unwrap_or_default();
        Ok(Folder { path, argument })
    }

    /// Creates the folder and those that the user of the nodes must enter.
    pub(super) fn create(&self) -> Result<()> {
        for path in [self.path.clone(), self.servers(), self.cluster()] {
            std::fs::create_dir_all(&path)
                .with_context(|| format!("could not create `{}`", path.display()))?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    pub(super) fn argument(&self) -> &str {
        &self.argument
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Downloaded files.
    pub(super) fn artifacts(&self) -> PathBuf {
        self.path.join("artifacts")
    }

    /// Unpacked servers.
    pub(super) fn servers(&self) -> PathBuf {
        self.path.join("servers")
    }

    /// The cluster: everything that `stop` removes.
    pub(super) fn cluster(&self) -> PathBuf {
        self.path.join("cluster")
    }

    /// Certificates and passwords.
    pub(super) fn security(&self) -> PathBuf {
        self.cluster().join("security")
    }

    /// Folder that snapshots may use.
    pub(super) fn snapshots(&self) -> PathBuf {
        self.cluster().join("snapshots")
    }

    /// Configuration, data and logs of a node.
    pub(super) fn node(&self, number: u16) -> PathBuf {
        self.cluster().join(format!("node-{number}"))
    }

    fn process_file(&self, number: u16) -> PathBuf {
        self.cluster().join(format!("node-{number}.pid"))
    }

    /// Waits until no other command uses the folder. The result ends that when it is dropped.
    pub(super) fn lock(&self) -> Result<File> {
        std::fs::create_dir_all(&self.path)
            .with_context(|| format!("could not create `{}`", self.path.display()))?;
        let file = File::create(self.path.join("lock"))?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        report("waiting for another `cargo xtask opensearch`");
        file.lock()?;
        Ok(file)
    }

    /// Options of the cluster, if there is one.
    pub(super) fn options(&self) -> Result<Option<Options>> {
        let file = self.cluster().join("options");
        if !file.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&file)?;
        let options = Options::from_text(&text);
        Ok(Some(options.with_context(|| format!("could not read `{}`", file.display()))?))
    }

    pub(super) fn write_options(&self, options: &Options) -> Result<()> {
        Ok(std::fs::write(self.cluster().join("options"), options.to_string())?)
    }

    /// The process of a node, if it runs.
    pub(super) fn process(&self, number: u16) -> Option<Process> {
        let text = std::fs::read_to_string(self.process_file(number)).ok()?;
        Process::parse(&text).filter(Process::is_running)
    }

    /// Records the process of a node.
    pub(super) fn write_process(&self, number: u16, process: &Process) -> Result<()> {
        let Process { id, started } = process;
        Ok(std::fs::write(self.process_file(number), format!("{id} {started}\n"))?)
    }
}

/// A process, with the time of its start: a number alone is used again later.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: u32,
    /// Ticks since the start of the system.
    started: u64,
}

impl Process {
    /// The process that has this number now.
    pub(super) fn now(id: u32) -> Result<Process> {
        let started = start_time(id).with_context(|| format!("process {id} ended"))?;
        Ok(Process { id, started })
    }

    /// Reads the text of a file: the number and the time of the start.
    fn parse(text: &str) -> Option<Process> {
        let (id, started) = text.trim().split_once(' ')?;
        Some(Process { id: id.parse().ok()?, started: started.parse().ok()? })
    }

    pub(super) fn is_running(&self) -> bool {
        start_time(self.id) == Some(self.started)
    }

    /// Sends a signal, such as `TERM`, unless the process ended.
    pub(super) fn signal(&self, name: &str) -> Result<()> {
        if !self.is_running() {
            return Ok(());
        }
        let status = Command::new("kill").args(["-s", name, &self.id.to_string()]).status();
        let status = status.context("could not start `kill`")?;
        if !status.success() && self.is_running() {
            bail!("could not send SIG{name} to process {}", self.id);
        }
        Ok(())
    }

    /// Waits for the end; false if the process still runs after the time.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let ends = Instant::now() + time;
        while self.is_running() {
            if ends < Instant::now() {
                return false;
            }
            thread::sleep(POLL);
        }
        true
    }
}

/// Time of the start of a process that has not ended.
fn start_time(id: u32) -> Option<u64> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Time of the start in the text of `/proc/PID/stat`. The name of the program, in parentheses, may
/// contain spaces.
fn parse_stat(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<_> = fields.split_whitespace().collect();
    // A zombie ended, unless it has other threads: those of Java run longer than the first one.
    let threads: u64 = fields.get(17)?.parse().ok()?;
    let is_running = !matches!(*fields.first()?, "Z" | "X") || threads > 1;
    fields.get(19).filter(|_| is_running)?.parse().ok()
}

/// Number of the user of this process.
pub(super) fn own_user() -> Result<u32> {
    Ok(std::fs::metadata("/proc/self").context("could not read `/proc/self`")?.uid())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "812 (java (x) y) S 1 812 812 0 -1 4194560 9 0 0 0 7 3 0 0 20 0 60 0 91734 \
                        4096 1 18446744073709551615\n";

    #[test]
    fn start_times_are_read_after_the_name_of_the_program() {
        assert_eq!(parse_stat(STAT), Some(91_734));
        let zombie = STAT.replace(") S", ") Z");
        assert_eq!(parse_stat(&zombie), Some(91_734));
        assert_eq!(parse_stat(&zombie.replace(" 20 0 60 ", " 20 0 1 ")), None);
        assert_eq!(parse_stat("812 (java"), None);
        assert_eq!(parse_stat("812 (java) S 1"), None);
    }

    #[test]
    fn process_files_have_a_number_and_a_start() {
        assert_eq!(Process::parse("812 91734\n"), Some(Process { id: 812, started: 91_734 }));
        for text in ["", "812", "812 ", "x 91734", "812 91734 1"] {
            assert_eq!(Process::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn another_process_with_the_same_number_is_not_a_node() {
        let this = Process::now(std::process::id()).unwrap();
        assert!(this.is_running());
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::new(None, folder.path()).unwrap();
        folder.create().unwrap();
        folder.write_process(1, &this).unwrap();
        assert_eq!(folder.process(1).as_ref(), Some(&this));
        let earlier = Process { started: this.started - 1, ..this };
        folder.write_process(1, &earlier).unwrap();
        assert_eq!(folder.process(1), None);
        earlier.signal("KILL").unwrap();
    }

    #[test]
    fn folders_of_the_user_are_arguments_of_hints() {
        let usual = Path::new("/nonexistent");
        assert_eq!(Folder::new(None, usual).unwrap().argument(), "");
        let given = Folder::new(Some(Path::new("/nowhere")), usual).unwrap();
        assert_eq!(given.argument(), " --folder /nowhere");
        assert!(Folder::new(Some(Path::new("/no where")), usual).is_err());
    }

    #[test]
    fn options_of_a_cluster_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::new(None, folder.path()).unwrap();
        folder.create().unwrap();
        assert_eq!(folder.options().unwrap(), None);
        let options = Options { nodes: 3, security: true, ..Options::default() };
        folder.write_options(&options).unwrap();
        assert_eq!(folder.options().unwrap(), Some(options));
    }
}
