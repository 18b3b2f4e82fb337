//! The candidates of a collection with the values of their signals: from a dump, or asked for.

use std::path::Path;

use anyhow::Context;
use clap::Args;
use lore_console::report::{self, UsageError};
use lore_engine::{Fusion, Mode, Syntax};
use lore_eval::{Answered, Collection, Plan, QuerySignals, Run, Samples, SearchKind, Trees, ask};
use lore_schema::SourceName;
use lore_session::progress::Reporter;
use lore_settings::{
    Settings, env_vars,
    flags::{CommonArguments, TreeArguments},
    terminal::Terminal,
};

use super::{engine_of_built_in_weights, hinted, place::PlaceArguments};

/// Candidates a query: the right one is practically always among them, also under other weights.
pub(in crate::commands) const CANDIDATES: usize = 150;

/// Where the trees of collections lie, and how they are searched.
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
    /// How collections are asked, as it was typed.
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

/// How the queries of one collection are asked.
#[derive(Clone)]
pub(super) struct Asking<'a> {
    /// Where their trees lie.
    pub(super) trees: Trees,
    /// What is searched; what the collection says if empty.
    pub(super) sources: Vec<SourceName>,
    /// How hits are found; what the settings say if `None`.
    pub(super) mode: Option<Mode>,
    /// Whether timing is shown.
    pub(super) common: &'a CommonArguments,
    /// Where the index is kept, and how it is made.
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

/// Says which numbers of a dump count for nothing here.
pub(in crate::commands) fn note_unknown(samples: &Samples) {
    if !samples.unknown().is_empty() {
        report::note(&format!(
            "`{}` holds what is no signal of this version, and is left out: {}",
            samples.name(),
            samples.unknown().join(", ")
        ));
    }
}
