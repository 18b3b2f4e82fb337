//! `lore eval ablate`: the effect of each signal on every collection of a list.

use std::{collections::BTreeMap, path::PathBuf};

use clap::Args;
use lore_console::report::{self, Status, UsageError};
use lore_engine::{Mode, RankingConfig, SignalWeight, signal_weights};
use lore_schema::SourceName;
use lore_settings::flags::{CommonArguments, TreeArguments};

use super::{
    candidates::{Asking, note_unknown},
    output::{SHOWN_HITS, write_clean},
};
use crate::{
    Ablation, Collection, EvalError, ListedCollection, ModesRow, QuerySignals, Samples, ablate,
    find_sections, headline, judge, load_collections, measures, write_modes, write_sections,
    write_signals,
};

/// The modes that are compared.
const MODES: [Mode; 3] = [Mode::Lexical, Mode::Hybrid, Mode::Semantic];

/// The sections of a page that the tables replace.
const SECTIONS: [&str; 2] = ["modes", "signals"];

/// Arguments of `lore eval ablate`.
#[derive(Debug, Args)]
pub(crate) struct AblateArguments {
    #[command(flatten)]
    list: ListArguments,

    /// Put the tables between the markers of this Markdown file
    ///
    /// `<!-- generated: modes -->` and `<!-- end of modes -->`, and the same with `signals`. The
    /// default is to print them.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    write: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,

    #[command(flatten)]
    tree: TreeArguments,
}

/// A list of collections, and the values of its variables.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// The list of collections
    ///
    /// TOML with a `[[collection]]` for each: `name`, `about`, `path`, `trees` or `root`, `sources`,
    /// `measures` and `vote`. Paths are relative to the file; `{NAME}` in them is given by `--set`.
    #[arg(long, value_name = "FILE", help_heading = "Collection")]
    pub(super) config: Option<PathBuf>,

    /// The value of a variable in the list's paths
    ///
    /// May be given several times.
    #[arg(
        long = "set",
        value_name = "NAME=VALUE",
        help_heading = "Collection",
        requires = "config"
    )]
    set: Vec<String>,
}

impl ListArguments {
    /// The collections of the list; none without a list.
    pub(super) fn load(&self) -> anyhow::Result<Vec<ListedCollection>> {
        let Some(path) = &self.config else { return Ok(Vec::new()) };
        let mut variables = BTreeMap::new();
        for set in &self.set {
            let (name, value) = set.split_once('=').ok_or_else(|| {
                UsageError::new(format!("could not understand `--set {set}`"))
                    .hint("write a name and a value, such as `--set trees=$HOME/code`")
            })?;
            // Paths in the list are relative to the list, those that are typed to the current folder.
            let typed = PathBuf::from(value);
            let value = std::path::absolute(&typed).unwrap_or(typed);
            variables.insert(name.to_owned(), value.display().to_string());
        }
        load_collections(path, &variables).map_err(|error| match &error {
            EvalError::Unset { names, .. } => {
                let flags: Vec<String> =
                    names.iter().map(|name| format!("--set {name}=DIR")).collect();
                UsageError::new(error.to_string())
                    .hint(format!("give them with `{}`", flags.join(" ")))
                    .into()
            }
            EvalError::UnknownName { kind, .. } => {
                let known: Vec<&str> = match *kind {
                    "measure" => measures::DEFAULT.to_vec(),
                    _ => SourceName::ALL.iter().map(|source| source.as_str()).collect(),
                };
                UsageError::new(error.to_string())
                    .hint(format!("the {kind}s are {}", known.join(", ")))
                    .into()
            }
            _ => error.into(),
        })
    }

    /// The error for a missing or empty list.
    fn nothing_listed(&self) -> UsageError {
        match &self.config {
            Some(path) => UsageError::new(format!("`{}` lists no collection", path.display()))
                .hint("write `[[collection]]` into it, and below that its `name` and `path`"),
            None => UsageError::new("no list of collections is named")
                .hint("name one: `lore eval ablate --config LIST.toml`"),
        }
    }
}

/// Asks every collection of the list once in each mode, and prints or writes the tables.
pub(super) fn run(arguments: &AblateArguments) -> anyhow::Result<Status> {
    if arguments.tree.directory.is_some() {
        return Err(UsageError::new("`-C` does not go with `lore eval ablate`")
            .hint("the list contains the paths of trees: write `root` or `trees` below the collection")
            .into());
    }
    let signals = signal_weights(&RankingConfig::default());
    let listed = arguments.list.load()?;
    if listed.is_empty() {
        return Err(arguments.list.nothing_listed().into());
    }
    // The queries take long, so input errors are found first.
    for collection in &listed {
        expect_judged(collection)?;
    }
    if let Some(path) = &arguments.write
        && find_sections(path, &SECTIONS)?.is_empty()
    {
        return Err(UsageError::new(format!("`{}` has no place for the tables", path.display()))
            .hint(
                "write the lines `<!-- generated: signals -->` and `<!-- end of signals -->` where \
                 they belong",
            )
            .into());
    }
    let (modes, table) = tables(arguments, &listed, &signals)?;
    let print = || {
        write_clean(|out| {
            out.write_all(&modes)?;
            writeln!(out)?;
            out.write_all(&table)
        })
    };
    let Some(path) = &arguments.write else {
        print()?;
        return Ok(Status::Success);
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let [of_modes, of_signals] = SECTIONS;
    match write_sections(path, &[(of_modes, text(&modes)), (of_signals, text(&table))]) {
        Ok(found) => {
            report::note(&format!("wrote {} to `{}`", found.join(" and "), path.display()));
            Ok(Status::Success)
        }
        Err(error) => {
            // What took so long is not lost.
            print()?;
            Err(error.into())
        }
    }
}

/// Refuses a collection that would give a row of zeros.
fn expect_judged(listed: &ListedCollection) -> anyhow::Result<()> {
    let is_judged = if let Some(queries) = QuerySignals::load(&listed.path)? {
        queries.iter().any(|query| query.targets > 0)
    } else {
        let queries = Collection::load(&listed.path)?.queries;
        queries.iter().any(|query| !query.targets.is_empty())
    };
    if is_judged {
        return Ok(());
    }
    Err(UsageError::new(format!("`{}` holds no judged query", listed.path.display()))
        .hint("a query needs at least one right result in `relevant`")
        .into())
}

/// The tables of modes and of signals, as Markdown.
fn tables(
    arguments: &AblateArguments,
    listed: &[ListedCollection],
    signals: &[SignalWeight],
) -> anyhow::Result<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    let mut ablations: Vec<Ablation> = Vec::new();
    for collection in listed {
        report::note(&format!("{}: {}", collection.name, collection.about));
        let asking = |mode| Asking {
            trees: collection.trees.clone(),
            sources: collection.sources.clone(),
            mode: Some(mode),
            common: &arguments.common,
            tree: &arguments.tree,
        };
        let measures: Vec<String> = collection.measures.iter().map(ToString::to_string).collect();
        let (_, queries) = asking(Mode::Hybrid).candidates(&collection.path)?;
        let samples = Samples::new(&collection.name, signals, &queries);
        note_unknown(&samples);
        ablations.push(ablate(&collection.name, signals, &samples, collection.measures[0]));
        let mut modes = vec![None; MODES.len()];
        // A dump contains the candidates of one mode only.
        if QuerySignals::load(&collection.path)?.is_none() {
            let loaded = Collection::load(&collection.path)?;
            for (cell, mode) in modes.iter_mut().zip(MODES) {
                let run = asking(mode).run(&loaded, SHOWN_HITS, false, &mut |_| ())?;
                let judgement = judge(&loaded, &run, &collection.measures);
                *cell = Some(headline(&judgement, &collection.measures).values);
            }
        }
        let about = collection.about.clone();
        rows.push(ModesRow { about, queries: samples.queries(), measures, modes });
    }
    let (mut modes, mut table) = (Vec::new(), Vec::new());
    write_modes(&MODES.map(Mode::as_str), &rows, &mut modes).expect("a vector takes everything");
    write_signals(signals, &ablations, &mut table).expect("a vector takes everything");
    Ok((modes, table))
}
