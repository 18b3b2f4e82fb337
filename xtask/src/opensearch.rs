//! Starts and stops an OpenSearch cluster for tests: `cargo xtask opensearch`.
//!
//! Everything is in one folder: downloaded files and unpacked servers, which stay, and one cluster
//! with its configuration, data and logs, which `stop` removes. Nodes listen on this machine only.

mod artifacts;
mod check;
mod health;
mod java;
mod node;
mod options;
mod security;
mod server;
mod state;
mod user;

use std::{
    net::TcpListener,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};

pub(crate) use artifacts::VERSION;
use health::{health, requires_user};
use node::Launcher;
use options::Options;
use state::{Folder, Process};
use user::User;

const USAGE: &str = "usage: cargo xtask opensearch start [--nodes N] [--security] [--port P] [--heap MB] [--folder DIR]
       cargo xtask opensearch status [--folder DIR]
       cargo xtask opensearch kill NODE [--folder DIR]
       cargo xtask opensearch check [--questions N] [--port P] [--folder DIR]
       cargo xtask opensearch stop [--folder DIR]";

/// Folder for root, whose own folders the user of the nodes cannot enter.
const FOLDER_OF_ROOT: &str = "/var/tmp/lore-opensearch";

/// Maximum time until the cluster is complete.
const MAX_START: Duration = Duration::from_mins(4);

/// Interval between two looks at a starting cluster.
const POLL: Duration = Duration::from_millis(500);

/// Time that a node has to end before it is killed.
const MAX_STOP: Duration = Duration::from_secs(20);

/// Time after which the system has ended a killed process.
const MAX_KILL: Duration = Duration::from_secs(10);

/// Runs the command that the arguments name.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["start", ..] => {
            let (options, folder) = Options::parse(&arguments[1..]).context(USAGE)?;
            start(&open(root, folder.as_deref())?, &options)
        }
        ["status", ..] => status(&open_of(root, &arguments[1..])?),
        ["stop", ..] => stop(&open_of(root, &arguments[1..])?),
        ["check", ..] => {
            let arguments = check::parse(&arguments[1..]).context(USAGE)?;
            check::run(root, &open(root, arguments.folder.as_deref())?, &arguments)
        }
        ["kill", node, ..] => kill(&open_of(root, &arguments[2..])?, options::node_number(node)?),
        _ => bail!("{USAGE}"),
    }
}

/// The folder of the arguments, which may have nothing else.
fn open_of(root: &Path, arguments: &[String]) -> Result<Folder> {
    open(root, options::parse_folder(arguments).context(USAGE)?.as_deref())
}

/// The given folder, or the usual one.
fn open(root: &Path, folder: Option<&Path>) -> Result<Folder> {
    let usual = if state::own_user()? == 0 {
        FOLDER_OF_ROOT.into()
    } else {
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        root.join(target).join("opensearch")
    };
    Folder::new(folder, &usual)
}

/// Starts the nodes that do not run, waits for the cluster, and prints its address.
fn start(folder: &Folder, options: &Options) -> Result<()> {
    let _lock = folder.lock()?;
    folder.create()?;
    if let Some(present) = folder.options()?
        && present != *options
    {
        bail!(
            "`{}` has a cluster with other options\n\
             hint: run `cargo xtask opensearch stop{given}` first, or use that cluster: \
             `cargo xtask opensearch start {present}{given}`",
            folder.path().display(),
            given = folder.argument(),
        );
    }
    let missing: Vec<u16> =
        options.numbers().filter(|number| folder.process(*number).is_none()).collect();
    let began = Instant::now();
    if missing.is_empty() {
        report("the nodes run already");
        wait(folder, options)?;
    } else {
        start_nodes(folder, options, &missing)?;
        wait(folder, options)?;
        report(&format!("complete after {:.0} s", began.elapsed().as_secs_f64()));
    }
    if options.security {
        if !requires_user(folder, options, 1)? {
            bail!("`{}` does not reject requests without a user", options.url(1));
        }
        report(&format!("certificate of the authority: {}", security::authority(folder).display()));
        report(&format!("users and passwords: {}", security::credentials(folder).display()));
    }
    println!("{}", options.url(1));
    Ok(())
}

/// Starts the nodes with these numbers.
fn start_nodes(folder: &Folder, options: &Options, missing: &[u16]) -> Result<()> {
    let java = java::find()?;
    let user = User::find()?;
    user.check_access(&folder.servers())?;
    let is_in_use = missing.len() < usize::from(options.nodes);
    let home = server::assemble(folder, &java, options.security, is_in_use)?;
    for number in missing {
        for port in [options.http_port(*number), options.transport_port(*number)] {
            TcpListener::bind(("127.0.0.1", port)).with_context(|| {
                format!("port {port} is not free\nhint: use other ports with `--port`")
            })?;
        }
    }
    folder.write_options(options)?;
    if !folder.snapshots().exists() {
        node::create_private_folder(&folder.snapshots())?;
        user.own(&folder.snapshots())?;
    }
    if options.security {
        security::prepare(folder, &home, &java)?;
    }
    let launcher = Launcher { folder, options, home, java, user };
    for number in missing {
        launcher.prepare(*number)?;
        let process = launcher.start(*number)?;
        report(&format!("started node-{number}: process {}, {}", process.id, options.url(*number)));
    }
    Ok(())
}

/// Waits until every node reports the complete cluster.
fn wait(folder: &Folder, options: &Options) -> Result<()> {
    let began = Instant::now();
    let hint =
        format!("hint: `cargo xtask opensearch stop{}` removes the cluster", folder.argument());
    loop {
        for number in options.numbers() {
            if folder.process(number).is_none() {
                let log = node::log(folder, number);
                bail!("node-{number} ended while it started\n{log}\n{hint}");
            }
        }
        let mut is_complete = true;
        for number in options.numbers() {
            let health = health(folder, options, number)?;
            is_complete &= health.is_some_and(|health| health.is_complete(options));
        }
        if is_complete {
            return Ok(());
        }
        if MAX_START < began.elapsed() {
            let log = node::log(folder, 1);
            bail!("not complete after {} s\n{log}\n{hint}", MAX_START.as_secs());
        }
        thread::sleep(POLL);
    }
}

/// Prints the state of the cluster; an error if it is not complete.
fn status(folder: &Folder) -> Result<()> {
    let Some(options) = folder.options()? else { return Err(no_cluster(folder)) };
    println!("options: {options}");
    let mut is_complete = true;
    for number in options.numbers() {
        let state = match folder.process(number) {
            None => "does not run".to_owned(),
            Some(Process { id, .. }) => format!("process {id}"),
        };
        let health = health(folder, &options, number)?;
        is_complete &= health.as_ref().is_some_and(|health| health.is_complete(&options));
        let health = health.map_or_else(
            || "no answer".to_owned(),
            |health| format!("{}, {} of {} nodes", health.status, health.nodes, options.nodes),
        );
        println!("node-{number}: {}, {state}, {health}", options.url(number));
    }
    if !is_complete {
        bail!(
            "the cluster is not complete\nhint: cargo xtask opensearch start {options}{}",
            folder.argument()
        );
    }
    Ok(())
}

/// Kills a node. Its data stays, so that `start` continues it.
fn kill(folder: &Folder, number: u16) -> Result<()> {
    let Some(options) = folder.options()? else { return Err(no_cluster(folder)) };
    let _lock = folder.lock()?;
    if !options.numbers().contains(&number) {
        bail!("the cluster has no node-{number}");
    }
    let process = folder.process(number).with_context(|| format!("node-{number} does not run"))?;
    process.signal("KILL")?;
    if !process.wait(MAX_KILL) {
        bail!("process {} of node-{number} did not end", process.id);
    }
    report(&format!("killed node-{number}"));
    Ok(())
}

/// Ends all nodes, and removes the cluster.
fn stop(folder: &Folder) -> Result<()> {
    let Some(options) = folder.options()? else {
        report(&format!("there is no cluster in `{}`", folder.path().display()));
        return Ok(());
    };
    let _lock = folder.lock()?;
    let nodes: Vec<_> = options
        .numbers()
        .filter_map(|number| folder.process(number).map(|process| (number, process)))
        .collect();
    for (_, process) in &nodes {
        process.signal("TERM")?;
    }
    let ends = Instant::now() + MAX_STOP;
    for (number, process) in &nodes {
        if !process.wait(ends.saturating_duration_since(Instant::now())) {
            report(&format!("node-{number} does not end, and is killed"));
            process.signal("KILL")?;
            if !process.wait(MAX_KILL) {
                bail!("process {} of node-{number} did not end", process.id);
            }
        }
    }
    std::fs::remove_dir_all(folder.cluster())?;
    report(&format!("stopped the cluster (running nodes: {}) and removed its data", nodes.len()));
    Ok(())
}

fn no_cluster(folder: &Folder) -> anyhow::Error {
    anyhow::anyhow!(
        "there is no cluster in `{}`\nhint: cargo xtask opensearch start{}",
        folder.path().display(),
        folder.argument()
    )
}

/// Reports progress on standard error: standard output has the address only.
#[expect(clippy::print_stderr, reason = "standard output is for programs")]
fn report(text: &str) {
    eprintln!("{text}");
}
