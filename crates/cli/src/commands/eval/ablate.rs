//! `lore eval ablate`: what each signal is worth on every collection of a list.

use std::{collections::BTreeMap, path::PathBuf};

use clap::Args;
use lore_engine::{Mode, RankingConfig, signal_weights};
use lore_eval::{
    Ablation, Collection, EvalError, ListedCollection, ModesRow, QuerySignals, Samples, ablate,
    headline, judge, load_collections, write_modes, write_sections, write_signals,
};

use super::{
    SHOWN_HITS,
    candidates::{Asking, note_unknown},
    write_clean,
};
use crate::{
    args::{CommonArguments, TreeArguments},
    report::{self, Status, UsageError},
};

/// The modes that are compared.
const MODES: [Mode; 3] = [Mode::Lexical, Mode::Hybrid, Mode::Semantic];

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

/// A list of collections, and what its variables stand for.
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
                    .hint("write a name and a value, such as `--set trees=~/code`")
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
            _ => error.into(),
        })
    }
}

/// Asks every collection of the list once in each mode, and prints or writes the tables.
pub(super) fn run(arguments: &AblateArguments) -> anyhow::Result<Status> {
    let signals = signal_weights(&RankingConfig::default());
    let listed = arguments.list.load()?;
    if listed.is_empty() {
        return Err(UsageError::new("no collection is listed")
            .hint("name a list with `--config docs/concepts/collections.toml`")
            .into());
    }
    let mut rows = Vec::new();
    let mut ablations: Vec<Ablation> = Vec::new();
    for one in &listed {
        report::note(&format!("{}: {}", one.name, one.about));
        let asking = |mode| Asking {
            trees: one.trees.clone(),
            sources: one.sources.clone(),
            mode: Some(mode),
            common: &arguments.common,
            tree: &arguments.tree,
        };
        let measures: Vec<String> = one.measures.iter().map(ToString::to_string).collect();
        let (_, queries) = asking(Mode::Hybrid).candidates(&one.path)?;
        let samples = Samples::new(&one.name, &signals, &queries);
        note_unknown(&samples);
        ablations.push(ablate(&one.name, &signals, &samples, one.measures[0]));
        let mut modes = vec![None; MODES.len()];
        // A dump is of one mode, and cannot be asked.
        if QuerySignals::load(&one.path)?.is_none() {
            let collection = Collection::load(&one.path)?;
            for (cell, mode) in modes.iter_mut().zip(MODES) {
                let run = asking(mode).run(&collection, SHOWN_HITS, false, &mut |_| ())?;
                let judgement = judge(&collection, &run, &one.measures);
                *cell = Some(headline(&judgement, &one.measures).values);
            }
        }
        let about = one.about.clone();
        rows.push(ModesRow { about, queries: samples.queries(), measures, modes });
    }
    let (mut modes, mut table) = (Vec::new(), Vec::new());
    write_modes(&MODES.map(Mode::as_str), &rows, &mut modes).expect("a vector takes everything");
    write_signals(&signals, &ablations, &mut table).expect("a vector takes everything");
    let Some(path) = &arguments.write else {
        write_clean(|out| {
            out.write_all(&modes)?;
            writeln!(out)?;
            out.write_all(&table)
        })?;
        return Ok(Status::Found);
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let found = write_sections(path, &[("modes", text(&modes)), ("signals", text(&table))])?;
    if found.is_empty() {
        return Err(UsageError::new(format!("`{}` has no place for the tables", path.display()))
            .hint(
                "write the lines `<!-- generated: signals -->` and `<!-- end of signals -->` where \
                 they belong",
            )
            .into());
    }
    report::note(&format!("wrote {} to `{}`", found.join(" and "), path.display()));
    Ok(Status::Found)
}
