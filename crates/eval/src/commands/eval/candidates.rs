//! The candidates of a collection with the values of their signals: from a dump, or from queries.

use std::path::Path;

use anyhow::Context;
use clap::Args;
use lore_console::report::{self, UsageError};
use lore_engine::{Clock, Fusion, Mode, Syntax};
use lore_schema::SourceName;
use lore_session::progress::Reporter;
use lore_settings::{
    Settings, env_vars,
    flags::{CommonArguments, TreeArguments},
    terminal::Terminal,
};

use super::{engines::engine_of_built_in_weights, output::hinted, place::PlaceArguments};
use crate::{Answered, Collection, Plan, QuerySignals, Run, Samples, SearchKind, Trees, ask};

/// Candidates a query: the right one is practically always among them, also under other weights.
pub(in crate::commands) const CANDIDATES: usize = 150;

/// The paths of the trees of collections, and the search mode.
#[derive(Debug, Args)]
pub(crate) struct AskingArguments {
    #[command(flatten)]
    place: PlaceArguments,

    #[command(flatten)]
    common: CommonArguments,

    #[command(flatten)]
    tree: TreeArguments,
}

impl AskingArguments {
    /// The options of queries, from the command line.
    pub(super) fn asking(&self) -> Result<Asking<'_>, UsageError> {
        Ok(Asking {
            trees: self.place.trees(self.tree.directory.as_deref()),
            sources: self.place.sources()?,
            mode: None,
            common: &self.common,
            tree: &self.tree,
        })
    }
}

/// Options of the queries of one collection.
#[derive(Clone)]
pub(super) struct Asking<'a> {
    /// Paths of their trees.
    pub(super) trees: Trees,
    /// Searched sources; those of the collection if empty.
    pub(super) sources: Vec<SourceName>,
    /// Search mode; that of the settings if `None`.
    pub(super) mode: Option<Mode>,
    /// Common options.
    pub(super) common: &'a CommonArguments,
    /// Options of the index.
    pub(super) tree: &'a TreeArguments,
}

impl Asking<'_> {
    /// Asks a collection, with as many results a query, and their parts where these are wanted.
    pub(super) fn run(
        &self,
        collection: &Collection,
        limit: usize,
        explain: bool,
        each: &mut dyn FnMut(&Answered<'_>),
    ) -> anyhow::Result<Run> {
        let here = Settings::load(Path::new("."), &env_vars::from_process, Vec::new())?;
        let fusion: Fusion = here.fusion();
        let plan = Plan {
            trees: self.trees.clone(),
            sources: self.sources.clone(),
            limit,
            explain,
            look_below: false,
            search_kind: SearchKind::Search,
            mode: self.mode.unwrap_or_else(|| here.mode()),
            fusion,
            min_similarity: None,
            syntax: Syntax::Full,
            snippet_lines: None,
            clock: Clock::default(),
        };
        let open = |root: &Path| engine_of_built_in_weights(self.tree, self.common, root);
        let progress = Reporter::start(Terminal::from_process());
        let run = ask(collection, &plan, &open, &progress, &mut |answered| {
            each(answered);
            Ok(())
        });
        progress.finish();
        run.map_err(hinted)
    }

    /// The candidates of a collection with their signals, and the name of the collection. A dump is
    /// read, anything else asked.
    pub(super) fn candidates(&self, path: &Path) -> anyhow::Result<(String, Vec<QuerySignals>)> {
        if let Some(queries) = QuerySignals::load(path)? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return Ok((name, queries));
        }
        let collection = Collection::load(path)?;
        let mut queries = Vec::new();
        self.run(&collection, CANDIDATES, true, &mut |answered| {
            queries.push(QuerySignals::of(answered));
        })
        .with_context(|| format!("could not ask `{}`", path.display()))?;
        Ok((collection.name, queries))
    }
}

/// Reports the signals of a dump that this version ignores.
pub(in crate::commands) fn note_unknown(samples: &Samples) {
    if !samples.unknown().is_empty() {
        report::note(&format!(
            "`{}` contains signals that this version does not have; ignored: {}",
            samples.name(),
            samples.unknown().join(", ")
        ));
    }
}
