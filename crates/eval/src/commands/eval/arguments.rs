//! Arguments of `lore eval COLLECTION`, and the options of queries that they set.

use std::path::{Path, PathBuf};

use clap::Args;
use lore_console::report::UsageError;
use lore_engine::{Clock, Syntax};
use lore_settings::{
    Settings,
    flags::{CommonArguments, FusionArguments, TreeArguments},
};

use super::{output::SHOWN_HITS, place::PlaceArguments};
use crate::{Per, Plan, SearchKind, Trees};

/// Candidates per query when signals are written; these practically always include the relevant file.
const SIGNAL_CANDIDATES: u64 = 50;

/// Arguments of `lore eval COLLECTION`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent flag")]
pub(crate) struct EvalArguments {
    /// Labelled queries: a directory or a JSONL file
    ///
    /// Either a folder with `collection.toml`, `queries.jsonl`, `qrels.txt` (in the form of TREC)
    /// and its corpus, or a file with one labelled query a line (`id`, `repo`, `query`,
    /// `relevant`, `secondary`, `exclude`, `category`, `language`), or a folder with such a
    /// `queries.jsonl`. A `repositories.json` beside it names the folder of each repository that is
    /// searched. A file of questions about the graph (`relation`, `target`, `answers`), or a folder
    /// with such a `questions.jsonl`, runs `lore research`. Natural questions (`type`, `answers`),
    /// one file or a folder of `.jsonl` files, are judged by documents and by shown lines.
    #[arg(
        value_name = "COLLECTION",
        required_unless_present = "of_history",
        help_heading = "Collection"
    )]
    pub(super) collection: Option<PathBuf>,

    /// Measure by the repository's own history: does the subject of a commit find its files?
    ///
    /// Makes a private test of the newest commits: the subject of a commit is the query, the files
    /// that it changed are relevant, and the tree is searched as it was before that commit. Skipped
    /// are merges, commits that change more than ten files or only new ones, and subjects that have
    /// fewer than three words or only mention a merge, revert, bump or release. Lock files do not
    /// count, nor do files that are not searched or contain several documents.
    ///
    /// The trees are written one after another to a temporary directory, with an index of their own;
    /// nothing else is written, and nothing leaves the machine. The history itself and exports of
    /// trackers are not searched, since they contain the answers. Figures by source are those of a
    /// search of that source alone, judged by its files. `-C DIR` names another repository.
    #[arg(long = "self", help_heading = "Own history", conflicts_with = "collection")]
    pub(super) of_history: bool,

    /// Use at most N commits [default: 60]
    #[arg(long, value_name = "N", help_heading = "Own history", requires = "of_history",
        value_parser = clap::value_parser!(u64).range(1..=20_000))]
    pub(super) commits: Option<u64>,

    /// Measure the cost and the recall of answers for agents
    ///
    /// The tokens (o200k) of the exact text of `lore search --format agent`, from its beginning to the
    /// end of the first hit that covers a relevant result; if none does, the whole budget. Recall is
    /// the share of relevant results that the answer names with their lines, by text or by place; the
    /// list of files with the words does not count. Without N, an answer has the size that it has by
    /// default, and a miss counts 2,000 tokens.
    #[arg(long, value_name = "N", help_heading = "Measures", num_args = 0..=1, require_equals = true,
        default_missing_value = "0", value_parser = tokens_or_default,
        conflicts_with_all = ["of_history", "spec", "limit", "run", "measures", "compare", "minimums",
            "expected", "run_out", "dump_signals"])]
    pub(super) tokens: Option<u64>,

    /// Simulate what an agent reads until it sees the answer
    ///
    /// For natural questions. Shows the size of the answers of `--format agent`, how often they show a
    /// line that answers, by how sure they are, and the characters and calls that three fixed policies
    /// need: `lore`, then opening files, then ripgrep; ripgrep, git and opening files; passages of ten
    /// lines found by words alone. Needs `rg` and `git`. A policy is not an agent: the figures compare
    /// tools.
    #[arg(long, help_heading = "Measures",
        conflicts_with_all = ["of_history", "spec", "limit", "run", "measures", "compare", "minimums",
            "expected", "run_out", "dump_signals", "tokens"])]
    pub(super) agents: bool,

    #[command(flatten)]
    pub(super) place: PlaceArguments,

    /// Run only the queries of this repository
    ///
    /// May be given several times.
    #[arg(long, value_name = "NAME", help_heading = "Collection")]
    pub(super) repository: Vec<String>,

    /// Run only queries with this text, and show their hits with the parts of their scores
    #[arg(long, value_name = "TEXT", help_heading = "Collection")]
    pub(super) query: Option<String>,

    /// Use `lore spec` instead of the search
    #[arg(long, help_heading = "Collection", conflicts_with = "dump_signals")]
    pub(super) spec: bool,

    /// Request N results per query [default: 10]
    #[arg(long, value_name = "N", help_heading = "Collection",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(super) limit: Option<u64>,

    /// Judge this run, and run no query
    #[arg(long, value_name = "FILE", help_heading = "Collection",
        conflicts_with_all = ["query", "dump_signals"])]
    pub(super) run: Option<PathBuf>,

    /// Measures to show
    ///
    /// `nDCG`, `P` (precision), `RR`, `R` (recall) and `Success`, each with or without a cutoff such as `@10`. The
    /// first one is the headline. The default is nDCG@10,RR@10,R@10,Success@1,Success@3, and with
    /// `--self` nDCG@10,Success@1,Success@3,Success@10.
    #[arg(long = "measure", value_name = "NAME", value_delimiter = ',', help_heading = "Measures")]
    pub(super) measures: Vec<String>,

    /// Break down by category, language or repository
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = "Measures",
        value_parser = clap::builder::PossibleValuesParser::new(Per::ALL.iter().map(|per| per.as_str())))]
    pub(super) per: Vec<String>,

    /// Compare with this run: every changed query, the reason, and a significance test
    ///
    /// As `lore eval compare` does, over the queries of both runs.
    #[arg(long, value_name = "FILE", help_heading = "Measures")]
    pub(super) compare: Option<PathBuf>,

    /// Fail when a mean over repositories is below this
    ///
    /// For example `nDCG@10=0.85`. May be given several times. The exit code is 1 then. For the
    /// graph, the measures are precision, recall, precision-all and recall-all. For natural
    /// questions they are means over questions: D@1, D@3, D-MRR, L@1, L@3, L-MRR, recognised and
    /// not-flagged.
    #[arg(long = "min", value_name = "MEASURE=VALUE", help_heading = "Measures")]
    pub(super) minimums: Vec<String>,

    /// Fail when the rank of any relevant result differs from this file
    ///
    /// A table of query, rank, RR and nDCG@10. The exit code is 1 when anything differs.
    #[arg(long, value_name = "FILE", help_heading = "Measures")]
    pub(super) expected: Option<PathBuf>,

    /// Write the file of `--expected` again
    #[arg(long, requires = "expected", help_heading = "Measures")]
    pub(super) update: bool,

    /// Write the run: JSONL, or the form of TREC if the name ends in `.run` or `.trec`
    ///
    /// JSONL contains the relevance judgements and the parts of every score, for `lore eval compare`.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) run_out: Option<PathBuf>,

    /// Write the values of all signals for the best 50 candidates of each query
    ///
    /// One line of JSON a query, to fit weights to.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) dump_signals: Option<PathBuf>,

    /// Print the figures of natural questions as JSON
    ///
    /// All, by type, by repository, and the ranks of every question.
    #[arg(long, help_heading = "Output", conflicts_with_all = ["of_history", "tokens"])]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) meaning: FusionArguments,

    #[command(flatten)]
    pub(super) common: CommonArguments,

    #[command(flatten)]
    pub(super) tree: TreeArguments,
}

impl EvalArguments {
    /// Paths of the searched trees.
    pub(super) fn trees(&self) -> Trees {
        self.place.trees(self.tree.directory.as_deref())
    }

    /// The collection to measure.
    pub(super) fn collection(&self) -> Result<&Path, UsageError> {
        // The parser requires one.
        self.collection.as_deref().ok_or_else(|| {
            UsageError::new("no collection is named")
                .hint("name a folder or a file of labelled queries: `lore eval queries.jsonl`")
        })
    }

    /// Options of the queries, without the location of trees.
    pub(super) fn plan(&self, settings: &Settings) -> anyhow::Result<Plan> {
        let is_compared = self.run_out.is_some() || self.compare.is_some();
        let is_dumped = self.dump_signals.is_some();
        let limit = if is_dumped { SIGNAL_CANDIDATES } else { SHOWN_HITS as u64 };
        Ok(Plan {
            mode: settings.mode(),
            fusion: settings.fusion(),
            min_similarity: self.meaning.min_similarity,
            trees: Trees::default(),
            sources: self.place.sources()?,
            limit: usize::try_from(self.limit.unwrap_or(limit)).unwrap_or(usize::MAX),
            explain: is_compared || is_dumped || self.query.is_some(),
            look_below: is_compared,
            search_kind: if self.spec { SearchKind::Spec } else { SearchKind::Search },
            syntax: Syntax::Full,
            snippet_lines: None,
            clock: Clock::default(),
        })
    }

    /// Groups to break down the figures by.
    pub(super) fn breakdowns(&self) -> Vec<Per> {
        let is_named = |per: &Per| self.per.iter().any(|name| name == per.as_str());
        Per::ALL.iter().copied().filter(is_named).collect()
    }
}

/// Parses a number of tokens, 100..=8,000; 0 stands for a size that depends on the answer.
fn tokens_or_default(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(tokens) if tokens == 0 || (100..=8_000).contains(&tokens) => Ok(tokens),
        _ => Err("not a number from 100 to 8000".to_owned()),
    }
}
