//! The candidates of a collection with the values of their signals: from a dump, or asked for.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use jiff::Zoned;
use lore_engine::{Fusion, Mode, Syntax};
use lore_eval::{Answered, Collection, Door, Plan, QuerySignals, Run, Samples, Trees, ask};
use lore_schema::SourceName;

use super::{engine_of, hinted, trees_of};
use crate::{
    args::{CommonArguments, FilterArguments, TreeArguments},
    env_vars, filters,
    progress::Reporter,
    report::{self, UsageError},
    settings::Settings,
    terminal::Terminal,
};

/// Candidates a query: the right one is practically always among them, also under other weights.
pub(super) const CANDIDATES: usize = 150;

/// Where the trees of collections lie, and how they are searched.
#[derive(Debug, Args)]
pub(crate) struct AskingArguments {
    /// Search this tree, for one repository or for all
    ///
    /// As for `lore eval COLLECTION`.
    #[arg(long = "root", value_name = "[NAME=]DIR", help_heading = "Collection")]
    pub(super) roots: Vec<String>,

    /// Search the trees in this folder, one for each repository
    #[arg(long, value_name = "DIR", help_heading = "Collection")]
    pub(super) trees: Option<PathBuf>,

    /// Search only these sources
    ///
    /// The default is what the collection says, otherwise all.
    #[arg(
        long = "in",
        visible_alias = "source",
        value_name = "SOURCE",
        value_delimiter = ',',
        help_heading = "Collection"
    )]
    sources: Vec<String>,

    #[command(flatten)]
    pub(super) common: CommonArguments,

    #[command(flatten)]
    pub(super) tree: TreeArguments,
}

impl AskingArguments {
    /// The trees as they were typed.
    pub(super) fn trees(&self) -> Trees {
        trees_of(&self.roots, self.trees.as_ref(), self.tree.directory.as_ref())
    }

    /// The sources as they were typed; none where the collection says it.
    pub(super) fn sources(&self) -> Result<Vec<SourceName>, UsageError> {
        named_sources(&self.sources)
    }
}

/// The sources with these names.
pub(super) fn named_sources(names: &[String]) -> Result<Vec<SourceName>, UsageError> {
    let typed = FilterArguments { sources: names.to_vec(), ..Default::default() };
    Ok(filters::filter(&typed, &[], Path::new(""), &Zoned::now())?.sources)
}

/// How the queries of one collection are asked.
pub(super) struct Asking<'a> {
    /// Where their trees lie.
    pub(super) trees: Trees,
    /// What is searched; what the collection says if empty.
    pub(super) sources: Vec<SourceName>,
    /// How hits are found; what the settings say if `None`.
    pub(super) mode: Option<Mode>,
    /// The arguments that decide the rest.
    pub(super) arguments: &'a AskingArguments,
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
        let here = Settings::load(Path::new("."), &env_vars::of_process, Vec::new())?;
        let fusion: Fusion = here.fusion();
        let plan = Plan {
            trees: self.trees.clone(),
            sources: self.sources.clone(),
            limit,
            explain,
            look_below: false,
            door: Door::Search,
            mode: self.mode.unwrap_or_else(|| here.mode()),
            fusion,
            min_similarity: None,
            syntax: Syntax::Full,
        };
        let AskingArguments { common, tree, .. } = self.arguments;
        let open = |root: &Path| engine_of(tree, common, root);
        let progress = Reporter::start(Terminal::of_process());
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
pub(super) fn note_unknown(samples: &Samples) {
    if !samples.unknown().is_empty() {
        report::note(&format!(
            "`{}` holds what is no signal of this version, and is left out: {}",
            samples.name(),
            samples.unknown().join(", ")
        ));
    }
}
