//! `lore cluster`: creates the index in a search cluster, writes repositories into it and shows its state.

use std::io::{self, Write};

use lore_console::{
    report::{self, Status, UsageError},
    text::clean,
};
use lore_engine::{ClusterLayout, ClusterStatus, EngineError, IndexMode, OpenSearchBackend};
use lore_render::{
    output::{
        self,
        table::{self, Align},
    },
    wire,
};
use lore_session::{Context, cluster, progress::Reporter, write_output};
use lore_settings::{
    Override, Value, env_vars,
    flags::{CommonArguments, TreeArguments},
};

use super::{index, scope};
use crate::args::{
    ClusterAction, ClusterArguments, ClusterForgetArguments, ClusterIngestArguments,
    ClusterInitArguments, ClusterStatusArguments, ClusterTarget,
};

/// Runs an action on the cluster.
pub(super) fn run(arguments: &ClusterArguments) -> anyhow::Result<Status> {
    match &arguments.action {
        ClusterAction::Init(arguments) => init(arguments),
        ClusterAction::Status(arguments) => status(arguments),
        ClusterAction::Ingest(arguments) => ingest(arguments),
        ClusterAction::Forget(arguments) => forget(arguments),
    }
}

/// The settings that the flags of a command set.
fn overrides(target: &ClusterTarget) -> Vec<Override> {
    target.url.as_deref().map(scope::cluster_flag).into_iter().collect()
}

/// Settings and backend of a command that concerns no tree.
fn open(
    target: &ClusterTarget,
    common: &CommonArguments,
    layout: ClusterLayout,
) -> anyhow::Result<&'static OpenSearchBackend> {
    let context = Context::new(&TreeArguments::default(), common, overrides(target))?;
    let lookup = &env_vars::from_process;
    let repository = cluster::repository(&context.settings, &context.root);
    Ok(cluster::backend(&context.settings, &repository, lookup, layout)?)
}

fn init(arguments: &ClusterInitArguments) -> anyhow::Result<Status> {
    let layout = ClusterLayout { shards: arguments.shards, replicas: arguments.replicas };
    let backend = open(&arguments.target, &arguments.common, layout)?;
    let before = backend.status()?;
    backend.create()?;
    let shown = format!("the cluster `{}`", clean(&before.name));
    report::note(&match before.index {
        Some(_) => format!("the index exists already in {shown}"),
        None => format!("the index was created in {shown}"),
    });
    report::hint_line("run `lore cluster ingest` in a repository");
    Ok(Status::Success)
}

fn status(arguments: &ClusterStatusArguments) -> anyhow::Result<Status> {
    let backend = open(&arguments.target, &arguments.common, ClusterLayout::default())?;
    let status = backend.status()?;
    write_output(|out| {
        if arguments.json { wire::write(&wire::cluster(&status), out) } else { write(&status, out) }
    })?;
    Ok(if status.health == "red" { Status::NoResult } else { Status::Success })
}

fn write(status: &ClusterStatus, out: &mut dyn Write) -> io::Result<()> {
    let ClusterStatus { name, version, health, nodes, index, repositories } = status;
    let nodes = output::plural(*nodes, "node", "nodes");
    writeln!(out, "{}: OpenSearch {}, {nodes}, {}", clean(name), clean(version), clean(health))?;
    let Some(index) = index else {
        return writeln!(out, "no index; `lore cluster init` creates one");
    };
    let shards = output::plural(index.shards, "shard", "shards");
    let rows = output::plural(index.rows, "row", "rows");
    let copies = output::plural(index.replicas, "copy", "copies");
    writeln!(out, "{shards} with {copies} each, {rows}, {}\n", output::bytes(index.bytes))?;
    let mut rows = vec![["repository", "source", "documents", "passages"].map(str::to_owned)];
    for repository in repositories {
        for (source, (documents, chunks, _)) in &repository.sources {
            let counts = [*documents, *chunks].map(output::count);
            let [documents, chunks] = counts;
            rows.push([clean(&repository.name), source.to_string(), documents, chunks]);
        }
    }
    table::write([Align::Left, Align::Left, Align::Right, Align::Right], &rows, out)
}

fn ingest(arguments: &ClusterIngestArguments) -> anyhow::Result<Status> {
    let mut flags = overrides(&arguments.target);
    flags.push(Override {
        key: "index.backend",
        value: Value::Text("opensearch".to_owned()),
        flag: "lore cluster ingest",
    });
    flags.extend(arguments.name.clone().map(|name| Override {
        key: "cluster.repository",
        value: Value::Text(name),
        flag: "--as",
    }));
    let context = Context::new(&arguments.tree, &arguments.common, flags)?;
    let engine = context.engine()?;
    let progress = Reporter::start(context.terminal).stop_on_interrupt();
    let mode = if arguments.rebuild { IndexMode::Rebuild } else { IndexMode::Update };
    let report = engine.index(mode, &progress);
    progress.finish();
    let report = match report {
        Ok(report) => report,
        Err(EngineError::Interrupted { .. }) => {
            report::note("interrupted: the cluster keeps what it had");
            return Ok(Status::Interrupted);
        }
        Err(error) => return Err(error.into()),
    };
    for warning in &report.warnings {
        progress.warn(warning);
    }
    write_output(|out| {
        if arguments.json {
            wire::write(&wire::index(&report, &context.root), out)
        } else {
            index::write(&report, out)
        }
    })?;
    if arguments.common.stats {
        let name = cluster::repository(&context.settings, &context.root);
        report::note(&format!("written as `{}`", clean(&name)));
    }
    Ok(Status::Success)
}

fn forget(arguments: &ClusterForgetArguments) -> anyhow::Result<Status> {
    let backend = open(&arguments.target, &arguments.common, ClusterLayout::default())?;
    for name in &arguments.names {
        if !backend.forget(name)? {
            let error = UsageError::new(format!("the cluster has no repository `{name}`"));
            return Err(error.hint("`lore cluster status` lists them").into());
        }
        report::note(&format!("`{}` was removed from the cluster", clean(name)));
    }
    Ok(Status::Success)
}
