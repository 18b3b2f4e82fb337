//! `lore serve`: serves the web page, and the protocol for agents, over HTTP.

use std::{path::Path, sync::Arc, time::Duration};

use lore_console::report::{self, Status, UsageError};
use lore_server::{
    access::Access,
    http::{self, Address, PublicUrl, Served, Users},
    operations::{LogForm, OperationsOptions},
    roots::Trees,
};
use lore_session::traces::Exporter;
use lore_settings::{Override, Settings, Value, env_vars};

use crate::args::ServeArguments;

/// Serves until it is stopped.
pub(super) fn run(arguments: ServeArguments) -> anyhow::Result<Status> {
    let address = Address::new(arguments.host.as_deref(), arguments.port, arguments.unencrypted)?;
    let token = http::token(arguments.token_file.as_deref())?;
    let access = arguments.access.as_deref();
    let access = access.map(|file| Access::open(file, &env_vars::from_process)).transpose()?;
    let public_urls = arguments.public_url.iter().map(|url| PublicUrl::new(url));
    let public_urls = public_urls.collect::<Result<_, _>>()?;
    let options = lore_server::Options {
        systems: lore_compat::mcp::systems(&arguments.compat.systems),
        remembers: !arguments.compat.no_dedup,
        tree: arguments.tree,
        cluster: arguments.scope.cluster_url().map(str::to_owned),
        workspace: arguments.scope.workspace,
        repositories: arguments.scope.repo,
        common: arguments.common,
        max_request_time: arguments.max_request_ms.map(Duration::from_millis),
    };
    let trees = Arc::new(Trees::new(Arc::new(options)));
    // Clients of the protocol may name other directories; the page has one.
    if !arguments.mcp
        && let Err(failure) = trees.of_start()
    {
        let error = UsageError::new(failure.message());
        return Err(match failure.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        }
        .into());
    }
    if access.is_some()
        && let Some([outer, inner]) = trees.nested()
    {
        let error = format!(
            "could not give users access to a part of the workspace: the repository `{outer}` contains \
             `{inner}`, so that its readers would read both"
        );
        let hint =
            "remove one of them with `lore workspace remove`, or choose others with `--repo GLOB`";
        return Err(UsageError::new(error).hint(hint).into());
    }
    let traces = traces(&trees, arguments.otlp)?;
    let served = Served {
        protocol: arguments.mcp,
        pages: (!arguments.no_page).then(|| lore_page::pages(Arc::clone(&trees))),
        opened: arguments.open.then_some(open_page as fn(&str)),
        operations: OperationsOptions {
            build: env!("LORE_BUILD_VERSION"),
            log: arguments.log.as_deref().map(log_form),
            logs_queries: arguments.log_queries,
            audit: arguments.audit,
            audits_queries: arguments.audit_queries,
            traces,
        },
        users: Users { access, public_urls },
    };
    http::serve(trees, address, &token, served)?;
    Ok(Status::Success)
}

/// Starts to send traces, if the flag or the user's own settings name a collector.
fn traces(trees: &Trees, flag: Option<String>) -> anyhow::Result<Option<Exporter>> {
    let value = flag.map(Value::Text);
    let flags = value.map(|value| Override { key: "server.otlp", value, flag: "--otlp" });
    // A server for the roots of its clients may have no tree at its start.
    let tree = trees.of_start().ok().and_then(|trees| trees.into_iter().next());
    let root = tree.as_ref().map_or(Path::new("."), |tree| &tree.root);
    let settings = Settings::load(root, &env_vars::from_process, flags.into_iter().collect())?;
    settings.collector().map(|collector| Exporter::start(&collector)).transpose()
}

/// The form of the log with this name.
fn log_form(name: &str) -> LogForm {
    if name == "json" { LogForm::Json } else { LogForm::Text }
}

/// Opens the page in the user's browser. The server runs also if there is none.
fn open_page(address: &str) {
    if let Err(error) = open::that_detached(address) {
        report::warning(&format!("could not open a browser: {error}; open the address above"));
    }
}
