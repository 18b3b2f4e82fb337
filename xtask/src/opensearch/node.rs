//! Configuration and start of a node.

use std::{
    fs::File,
    io::Write as _,
    os::unix::{
        fs::{DirBuilderExt as _, OpenOptionsExt as _},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::{
    options::Options,
    security,
    state::{Folder, Process},
    user::User,
};

/// Name of the cluster, and of the log of each node.
pub(super) const CLUSTER: &str = "lorehound-tests";

/// Number of the last lines of a log in an error.
const LOG_LINES: usize = 15;

/// Programs that nodes of one cluster run, and their user.
pub(super) struct Launcher<'a> {
    pub(super) folder: &'a Folder,
    pub(super) options: &'a Options,
    /// Folder of the server.
    pub(super) home: PathBuf,
    /// Folder of Java.
    pub(super) java: PathBuf,
    pub(super) user: User,
}

impl Launcher<'_> {
    /// Writes the configuration of a node that has none. The data of another one is kept.
    pub(super) fn prepare(&self, number: u16) -> Result<()> {
        let folder = self.folder.node(number);
        if folder.exists() {
            return Ok(());
        }
        // A folder with the right name is complete.
        let part = folder.with_extension("part");
        if part.exists() {
            std::fs::remove_dir_all(&part)?;
        }
        let config = part.join("config");
        for name in ["config", "data", "logs", "tmp"] {
            create_private_folder(&part.join(name))?;
        }
        let mut settings = settings(self.folder, self.options, number);
        if self.options.security {
            settings += security::SETTINGS;
            security::copy(self.folder, &self.home, &config)?;
        }
        write_private(&config.join("opensearch.yml"), &settings)?;
        write_private(&config.join("jvm.options"), &java_options(self.options.heap))?;
        let logging = std::fs::read_to_string(self.home.join("config/log4j2.properties"))?;
        write_private(&config.join("log4j2.properties"), &logging)?;
        self.user.own(&part)?;
        Ok(std::fs::rename(part, folder)?)
    }

    /// Starts a node, and records its process.
    pub(super) fn start(&self, number: u16) -> Result<Process> {
        let folder = self.folder.node(number);
        // The script replaces itself by Java, so the process is that of the node.
        let mut command = Command::new(self.home.join("bin/opensearch"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &folder)
            .env("OPENSEARCH_JAVA_HOME", &self.java)
            .env("OPENSEARCH_PATH_CONF", folder.join("config"))
            .env("OPENSEARCH_TMPDIR", folder.join("tmp"))
            .current_dir(&folder)
            .stdin(Stdio::null())
            // Ctrl-C at the terminal must not end the nodes.
            .process_group(0);
        self.user.apply(&mut command);
        let log = File::create(console(self.folder, number))?;
        command.stdout(log.try_clone()?).stderr(log);
        let child = command.spawn().context("could not start `bin/opensearch`")?;
        let process = Process::now(child.id())?;
        self.folder.write_process(number, &process)?;
        Ok(process)
    }
}

/// File with the output of a node, beside the folder that belongs to its user.
fn console(folder: &Folder, number: u16) -> PathBuf {
    folder.cluster().join(format!("node-{number}.log"))
}

/// Path and last lines of the output of a node.
pub(super) fn log(folder: &Folder, number: u16) -> String {
    let path = console(folder, number);
    let text = std::fs::read(&path).unwrap_or_default();
    format!("{}:\n{}", path.display(), last_lines(&String::from_utf8_lossy(&text)))
}

fn last_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

/// The settings of a node.
fn settings(folder: &Folder, options: &Options, number: u16) -> String {
    let node = folder.node(number);
    let names: Vec<_> = options.numbers().map(|number| format!("node-{number}")).collect();
    let addresses =
        options.numbers().map(|number| format!("127.0.0.1:{}", options.transport_port(number)));
    let settings = [
        ("cluster.name", json!(CLUSTER)),
        ("node.name", json!(format!("node-{number}"))),
        ("path.data", json!(node.join("data"))),
        ("path.logs", json!(node.join("logs"))),
        ("path.repo", json!([folder.snapshots()])),
        ("network.host", json!("127.0.0.1")),
        ("http.port", json!(options.http_port(number))),
        ("transport.port", json!(options.transport_port(number))),
        ("discovery.seed_hosts", json!(addresses.collect::<Vec<_>>())),
        ("cluster.initial_cluster_manager_nodes", json!(names)),
        // A disk that is almost full would leave replicas unassigned and make indexes read-only.
        ("cluster.routing.allocation.disk.threshold_enabled", json!(false)),
    ];
    // JSON is YAML.
    let lines = settings.iter().map(|(name, value)| format!("{name}: {value}\n"));
    lines.collect::<Vec<_>>().concat()
}

/// The options of Java: those of the distribution, without its logs and heap dumps.
fn java_options(heap: u32) -> String {
    format!(
        "-Xms{heap}m\n-Xmx{heap}m\n\
         -XX:+UseG1GC\n-XX:G1ReservePercent=25\n-XX:InitiatingHeapOccupancyPercent=30\n\
         -Djava.io.tmpdir=${{OPENSEARCH_TMPDIR}}\n\
         20-:--add-modules=jdk.incubator.vector\n\
         23:-XX:CompileCommand=dontinline,java/lang/invoke/MethodHandle.setAsTypeCache\n\
         23:-XX:CompileCommand=dontinline,java/lang/invoke/MethodHandle.asTypeUncached\n\
         21-:-javaagent:agent/opensearch-agent.jar\n\
         21-:--add-opens=java.base/java.nio=org.apache.arrow.memory.core,ALL-UNNAMED\n\
         -Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1\n"
    )
}

/// Creates a folder that only its user can enter; the security plugin warns about others.
pub(super) fn create_private_folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(path).with_context(|| format!("could not create `{}`", path.display()))
}

/// Writes a file that only its user can read.
pub(super) fn write_private(path: &Path, text: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let file = options.open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("could not write `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_ports_and_folders_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::new(None, folder.path()).unwrap();
        folder.create().unwrap();
        let options = Options { nodes: 3, port: 20_000, ..Options::default() };
        let text = settings(&folder, &options, 2);
        let lines: Vec<_> = text.lines().collect();
        for line in [
            "node.name: \"node-2\"",
            "network.host: \"127.0.0.1\"",
            "http.port: 20001",
            "transport.port: 20101",
            "discovery.seed_hosts: [\"127.0.0.1:20100\",\"127.0.0.1:20101\",\"127.0.0.1:20102\"]",
            "cluster.initial_cluster_manager_nodes: [\"node-1\",\"node-2\",\"node-3\"]",
            &format!("path.data: \"{}/cluster/node-2/data\"", folder.path().display()),
        ] {
            assert!(lines.contains(&line), "{line}\n{text}");
        }
    }

    #[test]
    fn java_gets_the_heap_and_the_folder_of_the_node() {
        let text = java_options(512);
        assert!(text.starts_with("-Xms512m\n-Xmx512m\n"), "{text}");
        assert!(text.contains("\n-Djava.io.tmpdir=${OPENSEARCH_TMPDIR}\n"), "{text}");
        assert!(text.lines().all(|line| !line.contains("logs/")), "{text}");
    }

    #[test]
    fn errors_show_the_last_lines_of_a_log() {
        let lines: Vec<_> = (0..40).map(|number| format!("line {number}")).collect();
        let shown = last_lines(&lines.join("\n"));
        assert_eq!(shown.lines().count(), LOG_LINES);
        assert!(shown.ends_with("line 39"));
        assert_eq!(last_lines("only"), "only");
    }
}
