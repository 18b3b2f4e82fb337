//! Arguments for the paths of the trees of a collection, and their searched sources.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use clap::Args;
use jiff::Zoned;
use lore_console::report::UsageError;
use lore_schema::SourceName;
use lore_settings::{filters, flags::FilterArguments};

use crate::Trees;

/// Paths of the trees, and their searched sources.
#[derive(Debug, Args)]
pub(super) struct PlaceArguments {
    /// Search this tree, for one repository or for all
    ///
    /// `NAME=DIR` for one repository, `DIR` for every other one. May be given several times. The
    /// default is the corpus of the collection. `-C DIR` is the same as `--root DIR`.
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
    pub(super) sources: Vec<String>,
}

impl PlaceArguments {
    /// The trees: those of `--root`, `single` for every other repository, and the folder of `--trees`.
    pub(super) fn trees(&self, single: Option<&Path>) -> Trees {
        let mut trees = Trees {
            named: BTreeMap::new(),
            single: single.map(Path::to_owned),
            folder: self.trees.clone(),
        };
        for root in &self.roots {
            match root.split_once('=') {
                // A folder whose name holds the sign is one all the same.
                Some((name, folder)) if !Path::new(root).is_dir() => {
                    trees.named.insert(name.to_owned(), PathBuf::from(folder));
                }
                _ => trees.single = Some(PathBuf::from(root)),
            }
        }
        trees
    }

    /// The sources that were typed; what the collection says if none.
    pub(super) fn sources(&self) -> Result<Vec<SourceName>, UsageError> {
        let typed = FilterArguments { sources: self.sources.clone(), ..Default::default() };
        let filter = filters::filter(&typed, &[], Path::new(""), &Zoned::now())?;
        if filter.parts.is_empty() {
            Ok(filter.sources)
        } else {
            let typed = self.sources.join(",");
            let error = format!("could not judge `--in {typed}`: it names parts of sources");
            Err(UsageError::new(error).hint("name them as a whole: --in code,docs"))
        }
    }
}
