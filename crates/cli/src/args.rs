//! What can be typed: the arguments of every command, with their help.
//!
//! Only definitions and texts. What the values mean is decided by the commands and by the settings,
//! so that nothing here has a default of its own.
#![expect(clippy::struct_excessive_bools, reason = "a flag is typed or it is not")]

mod amount;
mod bench;
mod context;
mod graph;
mod install;
mod maintenance;
mod mcp;
mod model;
mod similar;
mod suggest;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use lore_compat::ContractArguments;
use lore_settings::{
    Value,
    flags::{CommonArguments, FilterArguments, FusionArguments, TreeArguments},
};

pub(crate) use self::{
    amount::AmountArguments,
    bench::BenchArguments,
    context::{ClassifyArguments, ContextArguments, PolicyArguments},
    graph::{FileArguments, LookupArguments, ResearchArguments, SymbolArguments},
    install::{InstallArguments, SetupArguments, UninstallArguments},
    maintenance::{
        CleanArguments, CompletionsArguments, ConfigArguments, HistoryArguments, IndexArguments,
        ReportArguments, TrustArguments,
    },
    mcp::{McpArguments, ServeArguments},
    model::{ModelAction, ModelArguments, ModelUseArguments, ModelVerifyArguments},
    similar::{ExistsArguments, RelatedArguments},
    suggest::SuggestArguments,
};
use crate::commands::{eval::EvalCommand, tune::TuneArguments};
pub(crate) use lore_settings::flags::RevisionArguments;

/// Most steps that a search follows.
const MOST_HOPS: u64 = 5;

const AFTER_HELP: &str = "\
Exit codes: 0 with hits, 1 without, 2 after an error. `lore spec` exits 0 in both cases.

A first word that is a command is the command: `lore search status` searches for `status`.
Run `lore help COMMAND` for the details of a command.";

/// Search everything that a repository knows
///
/// Finds the few places in code, docs, specs, tickets, git history and code patterns that answer a
/// question. `lore QUERY` is the same as `lore search QUERY`. Nothing needs to be set up: the index
/// is made by the first search and brought up to date by every other one.
#[derive(Debug, Parser)]
#[command(
    name = "lore",
    version,
    after_help = AFTER_HELP,
    override_usage = "lore [OPTIONS] QUERY...\n       lore COMMAND [OPTIONS]",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) search: SearchArguments,
}

/// The commands, in the order of the help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Search everything (the default command)
    Search(Box<SearchArguments>),

    /// Find definitions by name
    ///
    /// The name as typed comes first, a type with its members, then the name in other letter case,
    /// names that begin so, and names that hold all of its parts. Names that are only spelled
    /// nearly so come last and are labelled. Exits 1 when there are only such names.
    Symbol(SymbolArguments),

    /// List the definitions of files
    File(FileArguments),

    /// Ask who calls, implements or reaches what
    ///
    /// In words such as `callers of save`, or as a question such as `what implements Store?`. The
    /// relations are callers, callees, references, implementations, path (from one definition to
    /// another one), related, and dependencies (of modules). Every edge says how sure it is.
    Research(ResearchArguments),

    /// Put together what to read for a task or a ticket
    ///
    /// Tells what the task asks for, and writes the definitions it is about, what belongs together
    /// with them, the specs that govern them, tests, decisions, patterns, tickets and commits, within
    /// a number of tokens. Exits 1 when nothing is about the task.
    Context(Box<ContextArguments>),

    /// Tell what a task asks for
    ///
    /// One of debug, explain, implement, refactor, review, search and test, with how sure that is and
    /// which words tell it. Only `lore context` makes use of it; a search does not.
    Classify(ClassifyArguments),

    /// Show what a context package holds for each intent
    ///
    /// Settings replace each value: `max_symbols = 10` in the table `[context.policy.debug]`.
    Policy(PolicyArguments),

    /// Find what resembles a passage
    ///
    /// A definition, section, spec, ticket or commit that is near in meaning, over all sources, each
    /// with how near it is. What is nearly the same text, also with other names of variables, is a
    /// near clone. Exits 1 when nothing is near.
    Related(Box<RelatedArguments>),

    /// Tell whether something exists already
    ///
    /// Of code: near clones of it, functions and types that do the same in other words, and how often
    /// both are used. Of words: the functions, methods, types and macros that do that. The first line
    /// is the verdict: yes, perhaps or no. Exits 1 when it is no.
    Exists(ExistsArguments),

    /// Search spec nodes by words alone: no index, no model, no git
    ///
    /// Reads every spec of the tree and ranks them by a fixed rule. With `--json`, standard output
    /// is exactly an array of `id`, `title`, `path`, `score` and `snippet`. The time of computing
    /// goes to standard error. Exits 0 also when nothing is found.
    Spec(SpecArguments),

    /// Complete what is being typed
    ///
    /// From the words, definitions, titles and paths of the index as it was last written: nothing is
    /// read anew, so that it can be asked at every key. Of several words, the last one is completed.
    Suggest(SuggestArguments),

    /// Tell which specs govern a file
    ///
    /// Specs name code in their lists `code` (what they govern) and `related`: by path, folder or
    /// pattern, with `#name` for a part of a file. Exits 1 when none names the file.
    Owners(OwnersArguments),

    /// Make the index, or bring it up to date
    ///
    /// A search does this by itself; run it to do the work at a time of your choice.
    Index(IndexArguments),

    /// Show the state of the index
    Status(ReportArguments),

    /// List the sources, their formats and what was left out
    Sources(ReportArguments),

    /// Look for anything that is wrong, and verify the index
    ///
    /// Exits 1 when something is wrong.
    Doctor(ReportArguments),

    /// Delete indexes that nobody needs
    ///
    /// Those of trees that are gone, those that another version made, and, where all together are
    /// larger than `limits.disk`, those that were not used for longest. Shows them, and asks. An index
    /// is only a cache: the next search makes it anew.
    Clean(CleanArguments),

    /// Show which searches were made
    ///
    /// Only where you asked for it with `history.enabled` or `--history`: nothing is noted by default,
    /// and nothing leaves the machine. `lore history clear` deletes all of it. Equal queries on one
    /// tree are one line, the latest first.
    History(HistoryArguments),

    /// Answer coding agents: a server of the Model Context Protocol
    ///
    /// Reads requests from standard input and answers on standard output, as clients that start it
    /// expect. It reads the tree of `-C`; without, the folders that the client names, else the
    /// repository around the current folder. What it can be asked tells `docs/reference/mcp.md`.
    Mcp(Box<McpArguments>),

    /// Answer over HTTP, on this machine alone
    ///
    /// With `--mcp`, the server of `lore mcp` for clients that connect to an address. Who asks must
    /// know a token: made at the start and printed on standard error, or that of `--token-file` or
    /// `LOREHOUND_TOKEN`.
    Serve(Box<ServeArguments>),

    /// Show every setting and where its value comes from
    Config(ConfigArguments),

    /// Let the settings file of a project say more
    ///
    /// A project's `lorehound.toml` comes from whoever wrote the repository, so that it may not say
    /// where files are written or which files outside of the tree are read. This shows what it says
    /// of that kind and what it would do, and lets it, once you agree: exactly this content, until it
    /// changes. No trust lets a project run a program, name a server or a key, or show secrets.
    Trust(TrustArguments),

    /// List, choose and verify the models that make vectors
    Model(ModelArguments),

    /// Measure ranking against labelled queries
    Eval(Box<EvalCommand>),

    /// Fit the ranking to this repository's own history
    ///
    /// Commits are questions: their subject should find the files that they changed. The weights of
    /// ranking under which it does so best are shown, with what they are worth on commits that they were
    /// not fitted to. Nothing is changed without `--apply`, and `--reset` takes that back.
    Tune(Box<TuneArguments>),

    /// Measure indexing and searching on generated trees
    ///
    /// Makes trees of several sizes, of code in six languages and Markdown with the vocabulary of real
    /// ones, indexes each in a temporary folder and asks it: time, size, memory and how they grow.
    /// Nothing of yours is read, and everything is removed again.
    Bench(BenchArguments),

    /// Let coding agents ask lore
    ///
    /// Puts an entry that starts `lore mcp` and a few lines of instructions into their files, and
    /// touches no other byte of them. Every change is shown before, and each file is copied before it
    /// is written. Without a name, the agents that have files here or in your home are meant.
    Install(InstallArguments),

    /// Take out what `lore install` put in
    ///
    /// Exactly that, also when you have changed other parts of the files meanwhile. What you have
    /// changed of it yourself is left, and exits 1.
    Uninstall(UninstallArguments),

    /// Print the completions of a shell
    ///
    /// Put the output where your shell looks for it, for example
    /// `lore completions fish > ~/.config/fish/completions/lore.fish`.
    Completions(CompletionsArguments),
}

/// Arguments of `lore search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// What to look for: words or a question
    ///
    /// Several words are one query. A document that holds more of the words comes first. Phrases in
    /// quotes, `AND`, `OR`, `NOT`, `+`, `-`, parentheses, `field:value`, `word~` and `prefix*` are
    /// told by `lore help syntax`. May be left out where a filter tells what is looked for.
    #[arg(value_name = "QUERY", help_heading = "Query")]
    pub(crate) query: Vec<String>,

    /// Read the query as words alone
    ///
    /// Quotes, operators and fields are text then.
    #[arg(long, help_heading = "Query")]
    pub(crate) raw: bool,

    /// Look for a regular expression in every text file
    ///
    /// Every file of the tree that is not ignored is looked through, also large and generated ones,
    /// in any letter case. The syntax is that of ripgrep. Hits are files, those with most matching
    /// lines first. Commits are looked through with `--in git`.
    #[arg(long, help_heading = "Query", conflicts_with_all = ["literal", "raw"])]
    pub(crate) regex: bool,

    /// Look for a text as it stands in every text file
    ///
    /// As `--regex`, but every character means itself, also inside words.
    #[arg(long, help_heading = "Query", conflicts_with = "raw")]
    pub(crate) literal: bool,

    /// Search for what a log tells of failures
    ///
    /// The log is read from standard input, or from `--from-failure=FILE`. Stack traces, messages of compilers, failed tests and logs of the main languages. The places
    /// that they name come first, innermost first, then the tests of what failed, the commits that
    /// wrote it, and what the words of the message find, with those of the query if there is one.
    #[arg(long, value_name = "FILE", help_heading = "Query", num_args = 0..=1, require_equals = true,
        default_missing_value = "-", conflicts_with_all = ["regex", "literal", "system"])]
    pub(crate) from_failure: Option<PathBuf>,

    /// Tell capitals apart in `--regex` and `--literal`
    #[arg(long, help_heading = "Query")]
    pub(crate) case_sensitive: bool,

    /// Leave out hits with a lower score
    ///
    /// From 0 to 1; from 0 to 100 under `--as lean`, where the default is 10.
    #[arg(long, value_name = "SCORE", help_heading = "Query", value_parser = lore_settings::flags::score)]
    pub(crate) min_score: Option<f32>,

    /// Show at most N hits [default: 10]
    ///
    /// From 1 to 100000.
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    #[command(flatten)]
    pub(crate) meaning: FusionArguments,

    /// Follow what the best hits call and use for N steps [default: 0]
    ///
    /// From 0 to 5. What is reached ranks below the hit that led there, and names it.
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(0..=MOST_HOPS))]
    pub(crate) hops: Option<u64>,

    /// Look for words that mean nearly the same, too
    ///
    /// `auth` finds `login` as well, below what holds `auth` itself. What was added is told.
    #[arg(long, help_heading = "Query")]
    pub(crate) expand: bool,

    /// Search by the words as they are typed
    ///
    /// Otherwise a word that nothing here holds is searched by what is nearest to it in meaning, and
    /// an abbreviation by what it stands for here, if other words stand beside it. What was added is
    /// told.
    #[arg(long, help_heading = "Query")]
    pub(crate) no_rewrite: bool,

    /// Let a program add words to the query
    ///
    /// A program with its arguments, run without a shell. It gets the words as JSON on standard
    /// input; the guide's page on settings has the form.
    #[arg(long, value_name = "COMMAND", help_heading = "Query", value_parser = lore_settings::command_line)]
    pub(crate) expand_cmd: Option<Value>,

    /// Let a program reorder the hits
    ///
    /// It gets the answer as `--json` writes it on standard input, and can name its hits in another
    /// order; it cannot add any.
    #[arg(long, value_name = "COMMAND", help_heading = "Query", value_parser = lore_settings::command_line)]
    pub(crate) rerank_cmd: Option<Value>,

    /// Note this search, for `lore history`
    #[arg(long, help_heading = "Query", overrides_with = "no_history")]
    pub(crate) history: bool,

    /// Do not note this search
    #[arg(long, help_heading = "Query", overrides_with = "history")]
    pub(crate) no_history: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArguments,

    /// Write as agent, human, json, jsonl, markdown, paths or toon [default: human]
    ///
    /// `agent` is text for a language model, at most 2,000 tokens unless `--budget` says so, 8,000 at
    /// the most; it goes through the best 100 hits.
    /// `json` is one object with the results and a receipt, `jsonl` a line for each result and one
    /// for the rest, `toon` the same object in fewer tokens; `markdown` is for pasting. `paths` is
    /// one path a line, each once, best first, `git:` and the hash for a commit. In `paths`, a name
    /// with a control character is quoted as git quotes it.
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(lore_compat::format_names()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// The same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    /// End each path with a NUL byte, for `xargs -0`
    ///
    /// Only with `--format paths`. No name is quoted then.
    #[arg(short = '0', long, help_heading = "Output")]
    pub(crate) null: bool,

    /// Show the parts of every score
    ///
    /// The raw score is the sum of the parts, and each part is a value times a weight. Values go from 0
    /// to 1, or, beside those of a middling hit, from -1.
    #[arg(long, help_heading = "Output")]
    pub(crate) explain: bool,

    /// Suggest what to ask next
    ///
    /// Up to five related queries, from what was found and what it uses.
    #[arg(long, help_heading = "Output")]
    pub(crate) follow_ups: bool,

    #[command(flatten)]
    pub(crate) amount: AmountArguments,

    /// Go on where an answer for agents ended
    ///
    /// Only with `--format agent`, whose last line names the cursor. A cursor of another question, or
    /// of a tree that has changed since, says so and begins anew.
    #[arg(long, value_name = "CURSOR", help_heading = "Output")]
    pub(crate) cursor: Option<String>,

    /// Group hits by source
    ///
    /// For `human` and `markdown`; the other formats list hits by rank. The default is to group when hits come from several sources.
    #[arg(long, help_heading = "Output", overrides_with = "no_group")]
    pub(crate) group: bool,

    /// List hits by rank alone
    #[arg(long, help_heading = "Output", overrides_with = "group")]
    pub(crate) no_group: bool,

    /// Show where the hits lead: `code` for the files and definitions that a spec governs
    #[arg(long, value_name = "WHAT", help_heading = "Output", value_parser = ["code"],
        hide_possible_values = true)]
    pub(crate) follow: Option<String>,

    #[command(flatten)]
    pub(crate) contract: ContractArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore spec`.
#[derive(Debug, Args)]
pub(crate) struct SpecArguments {
    /// What to look for: words or a question
    #[arg(required = true, value_name = "QUERY", help_heading = "Query")]
    pub(crate) query: Vec<String>,

    /// Show at most N hits [default: 10]
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(1..=lore_settings::MAX_HITS))]
    pub(crate) limit: Option<u64>,

    /// Write the array of hits as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Show where the hits lead: `code` for the files and definitions that a spec governs
    #[arg(long, value_name = "WHAT", help_heading = "Output", value_parser = ["code"],
        hide_possible_values = true)]
    pub(crate) follow: Option<String>,

    /// Search only the nodes of spex, and answer exactly as it does
    #[arg(long = "as", value_name = "SYSTEM", help_heading = "Contract", value_parser = ["spex"],
        hide_possible_values = true, conflicts_with = "follow")]
    pub(crate) system: Option<String>,

    /// Join the folders of an identifier by this character: `_` or `/` [default: _]
    #[arg(long, value_name = "CHARACTER", help_heading = "Contract", value_parser = ["_", "/"],
        hide_possible_values = true)]
    pub(crate) id_sep: Option<String>,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}

/// Arguments of `lore owners`.
#[derive(Debug, Args)]
pub(crate) struct OwnersArguments {
    /// A file or folder, or `file#name` for a part of it
    #[arg(value_name = "PATH", help_heading = "Query")]
    pub(crate) path: String,

    /// Write one JSON object
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(flatten)]
    pub(crate) revision: RevisionArguments,

    #[command(flatten)]
    pub(crate) tree: TreeArguments,
}
