//! Arguments of every command, with their help.
//!
//! Only definitions and texts. Commands and settings interpret the values, so nothing here has a
//! default.
#![expect(clippy::struct_excessive_bools, reason = "a flag is typed or it is not")]

mod access;
mod amount;
#[cfg(feature = "opensearch")]
mod cluster;
mod context;
mod display;
mod drift;
mod generate;
mod graph;
mod install;
mod maintenance;
mod mcp;
mod model;
mod pick;
mod review;
mod rg;
mod similar;
mod spec;
mod suggest;
mod why;
mod workspace;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, builder::PossibleValue};
use lore_compat::ContractArguments;
use lore_eval::commands::{bench::BenchArguments, eval::EvalCommand, tune::TuneArguments};
use lore_settings::{
    Value,
    flags::{CommonArguments, FilterArguments, FusionArguments, TreeArguments},
};

#[cfg(feature = "opensearch")]
pub(crate) use self::cluster::{
    ClusterAction, ClusterArguments, ClusterForgetArguments, ClusterIngestArguments,
    ClusterInitArguments, ClusterStatusArguments, ClusterTarget,
};
pub(crate) use self::{
    access::{AccessAction, AccessArguments, AccessTokenArguments},
    amount::AmountArguments,
    context::{ClassifyArguments, ContextArguments, PolicyArguments},
    display::DisplayArguments,
    drift::DriftArguments,
    generate::{GenerateArguments, GeneratedFiles, OutArguments},
    graph::{ExpandArguments, FileArguments, LookupArguments, ResearchArguments, SymbolArguments},
    install::{InstallArguments, SetupArguments, UninstallArguments},
    maintenance::{
        CleanArguments, CompletionsArguments, ConfigArguments, HistoryArguments, IndexArguments,
        ReportArguments, TrustArguments,
    },
    mcp::{LspArguments, McpArguments, ServeArguments},
    model::{ModelAction, ModelArguments, ModelUseArguments, ModelVerifyArguments},
    pick::PickArguments,
    review::ReviewArguments,
    rg::RgArguments,
    similar::{ExistsArguments, RelatedArguments},
    spec::{OwnersArguments, SpecArguments},
    suggest::SuggestArguments,
    why::{TriedArguments, WhyArguments},
    workspace::{
        ScopeArguments, WorkspaceAction, WorkspaceArguments, WorkspaceChangeArguments,
        WorkspaceListArguments, WorkspaceRemoveArguments,
    },
};
pub(crate) use lore_settings::flags::RevisionArguments;

/// Maximum number of steps that a search follows.
const MAX_HOPS: u64 = 5;

/// The formats of a search. Those of contracts are accepted, and not named.
fn formats() -> impl Iterator<Item = PossibleValue> {
    let own = lore_render::output::names();
    let all = lore_compat::format_names().into_iter();
    all.map(move |name| PossibleValue::new(name).hide(!own.contains(&name)))
}

/// Search everything in a repository
///
/// Finds the few passages in code, docs, specs, tickets, git history and code patterns that answer a
/// question. `lore QUERY` is the same as `lore search QUERY`. No setup is needed: the first search
/// builds the index, and every later search updates it.
#[derive(Debug, Parser)]
#[command(
    name = "lore",
    version = env!("LORE_BUILD_VERSION"),
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
    ///
    /// Finds the few passages in code, docs, specs, tickets, git history and code patterns that answer a
    /// question. `lore QUERY` is the same. No setup is needed: the first search builds the index, and
    /// every later search updates it.
    Search(Box<SearchArguments>),

    /// Find definitions by name
    ///
    /// Exact matches come first, a type with its members; then the name in other letter case, names
    /// that start with it, and names that contain all of its parts. Names of similar spelling come
    /// last and are labelled. Exits 1 when only those are found.
    Symbol(SymbolArguments),

    /// List the definitions of files
    File(FileArguments),

    /// Show a place whole, its callers, or the history of its lines
    ///
    /// The first lines state how many tokens each of the three costs, and the command for it. Exits 2
    /// when there is no such place.
    Expand(ExpandArguments),

    /// Show why a place is as it is: its commits, tickets, specs, documents and tests
    ///
    /// Follows the lines to the commits that wrote and changed them, through renamings and moves, and those
    /// to the tickets, pull requests, specs and decisions that they cite. Adds the specs that govern the
    /// file, the documents that name the definition, and the tests that use it. Every hop has its evidence.
    /// `why` and several words are a search. Exits 1 when nothing explains it.
    Why(WhyArguments),

    /// List what was tried before: reverted commits, rejected and superseded records
    ///
    /// An attempt is a commit that a later one reverts, or a decision, spec or ticket that was rejected,
    /// abandoned, superseded or closed without its change. Exits 1 when there is none.
    Tried(TriedArguments),

    /// Review a change: what it touches, and what it may break
    ///
    /// Reads what is not committed, what is staged, the difference of two commits, or a patch. Reports the
    /// specs that govern the files, uses of changed and removed definitions that the change does not touch,
    /// statements in documents that it makes untrue, tests that it does not contain, files that usually
    /// change together with these, and earlier reverts in the same lines.
    Review(ReviewArguments),

    /// Query the call, type and import graph
    ///
    /// Takes a phrase such as `callers of save`, or a question such as `what implements Store?`. The
    /// relations are callers, callees, references, implementations, path (from one definition to
    /// another), related, and dependencies (of modules). Every edge shows how certain it is.
    Research(ResearchArguments),

    /// Collect what to read for a task or a ticket
    ///
    /// Guesses the intent of the task and writes a context package: the definitions it is about,
    /// related code, the specs that govern them, tests, decisions, patterns, tickets and commits,
    /// within a token budget. Exits 1 when nothing relevant is found.
    Context(Box<ContextArguments>),

    /// Guess the intent of a task (debug, implement, …)
    ///
    /// The intent is one of debug, explain, implement, refactor, review, search and test. It is shown
    /// with its confidence and the words that indicate it. Only `lore context` uses the intent; a
    /// search does not.
    Classify(ClassifyArguments),

    /// Show what a context package contains for each intent
    ///
    /// Settings override each value: `max_symbols = 10` in the table `[context.policy.debug]`.
    Policy(PolicyArguments),

    /// Find passages similar to a given one
    ///
    /// Finds definitions, sections, specs, tickets and commits of similar meaning in all sources, each
    /// with its similarity. Nearly identical text, also with renamed variables, is a near clone. Exits
    /// 1 when nothing is similar.
    Related(Box<RelatedArguments>),

    /// Check whether similar code already exists
    ///
    /// For code: its near clones, functions and types that do the same in other words, and how often
    /// both are used. For a description: the functions, methods, types and macros that do that. The
    /// first line is the result: yes, perhaps or no. Exits 1 when it is no.
    Exists(ExistsArguments),

    /// Search spec nodes by words only: no index, no model, no git
    ///
    /// Reads every spec of the tree and ranks them by a fixed rule. With `--json`, standard output
    /// is exactly an array of objects with `id`, `title`, `path`, `score` and `snippet`. The computing
    /// time goes to standard error. Exits 0 also when nothing is found.
    Spec(SpecArguments),

    /// Search files for a pattern, with the flags and output of ripgrep
    ///
    /// Takes what `rg` takes and prints the same bytes, in the order of `rg --sort path`, with the
    /// same exit codes: 0 with a match, 1 without, 2 after an error. Uses no index. Lines are printed
    /// as they are in the files: secrets are not removed. `--ranked` first lists the most relevant
    /// matches, if there is an index. `lore rg --help` lists the flags.
    Rg(RgArguments),

    /// Search while you type, with a preview, and open the choice in your editor
    ///
    /// Enter opens the choice, Tab selects several, F1 lists the keys. If standard output is not a terminal,
    /// as in `$(lore pick)`, the choice is printed. Exit codes: 0 with a choice, 1 without a match, 2 after an
    /// error, 130 if you quit.
    Pick(Box<PickArguments>),

    /// Complete a partly typed query
    ///
    /// Suggests words, definitions, titles and paths from the index as it was last written. No file is
    /// read again, so it is fast enough for every keystroke. Of several words, the last one is
    /// completed.
    Suggest(SuggestArguments),

    /// List the specs that govern a file
    ///
    /// Specs name code in their lists `code` (what they govern) and `related`: by path, directory or
    /// pattern, with `#name` for a part of a file. Exits 1 when no spec names the file.
    Owners(OwnersArguments),

    /// Find statements in documents and comments that the code no longer supports
    ///
    /// Checks the paths, links, names, flags, keys, environment variables, versions, parameters and
    /// messages that documents and comments mention. A missing name is reported if a commit removed it
    /// after the statement was written. A comment `lore-drift: ignore` suppresses a line. Exits 0, also
    /// with findings; with `--gate`, exits 1 if a finding counts.
    Drift(Box<DriftArguments>),

    /// Build or update the index
    ///
    /// A search does this automatically; run it to do the work at a time of your choice.
    Index(IndexArguments),

    /// Show the state of the index
    Status(ReportArguments),

    /// Make, change and list workspaces: repositories that are searched together
    ///
    /// `lore -W NAME QUERY` has one ranked answer over all repositories of a workspace. Workspaces are
    /// in `workspaces.toml` beside your settings file; `lorehound.workspace.toml` in a directory with
    /// repositories defines one for that directory.
    Workspace(WorkspaceArguments),

    /// Write repositories into a search cluster, and show its state
    ///
    /// The cluster is an OpenSearch 3 with the plugin k-NN, named by `--cluster` or the setting
    /// `cluster.url`. With the setting `index.backend = "opensearch"`, every command uses it in place of
    /// indexes on this machine.
    #[cfg(feature = "opensearch")]
    Cluster(ClusterArguments),

    /// Make tokens for the users of `lore serve --access`
    Access(AccessArguments),

    /// List the sources, their formats and what was skipped
    Sources(ReportArguments),

    /// Check for problems and verify the index
    ///
    /// Exits 1 when there is a problem.
    Doctor(ReportArguments),

    /// Delete indexes that are no longer needed
    ///
    /// These are the indexes of removed trees, those of another version of lore, and, if all indexes
    /// together exceed `limits.disk`, the least recently used ones. Lists them and asks before it
    /// deletes them. An index is only a cache: the next search rebuilds it.
    Clean(CleanArguments),

    /// Show earlier searches
    ///
    /// Searches are recorded only if you enable it with `history.enabled` or `--history`, and never
    /// leave your machine. `lore history clear` deletes the records. Equal queries on the same tree are
    /// one line, the latest first.
    History(HistoryArguments),

    /// Serve coding agents over the Model Context Protocol (MCP)
    ///
    /// Reads requests from standard input and answers on standard output, for clients that start
    /// `lore mcp` themselves. Searches the tree of `-C`; without it, the directories that the client
    /// names, or the repository that contains the current directory. `docs/reference/mcp.md` lists the
    /// tools.
    Mcp(Box<McpArguments>),

    /// Serve editors over the Language Server Protocol (LSP)
    ///
    /// Reads requests from standard input and answers on standard output, for editors that start
    /// `lore lsp` themselves: definitions, references, implementations, call hierarchy, symbols, hover,
    /// and questions by the command `lorehound.ask`. Searches the tree of `-C`; without it, the folders
    /// of the editor, or the repository that contains the current directory.
    Lsp(Box<LspArguments>),

    /// Show the tree as a web page, on this machine only
    ///
    /// Open the printed address, or use `--open`: search, files with their definitions and history,
    /// commits, tickets and specs; the same answers as JSON below `/api/`. With `--mcp` also the server
    /// of `lore mcp`, for clients that connect to an address. Every request needs a token: that of
    /// `--token-file` or `LOREHOUND_TOKEN`, or one that is generated at the start. The printed address
    /// contains it, and a browser keeps it in a cookie.
    Serve(Box<ServeArguments>),

    /// Show every setting and where its value comes from
    Config(ConfigArguments),

    /// Allow more settings in a project's settings file
    ///
    /// A project's `lorehound.toml` comes from the authors of the repository. By default, it may not set
    /// where files are written or which files outside the tree are read. This command shows its
    /// settings of that kind and their effect, and allows them if you agree: for exactly this content,
    /// until it changes. Even a trusted file cannot run a program, name a server or a key, or show
    /// secrets.
    Trust(TrustArguments),

    /// List, choose and verify embedding models
    Model(ModelArguments),

    /// Measure ranking against labelled queries
    Eval(Box<EvalCommand>),

    /// Fit the ranking to this repository's own history
    ///
    /// Commits serve as queries: their subject should find the files that they changed. Shows the
    /// ranking weights with which it does so best, and their quality on commits that they were not
    /// fitted to. Nothing is changed without `--apply`, and `--reset` undoes it.
    Tune(Box<TuneArguments>),

    /// Measure indexing and searching on generated trees
    ///
    /// Generates trees of several sizes, with code in six languages and Markdown that use a realistic
    /// vocabulary. Indexes and searches each in a temporary directory, and reports time, size, memory
    /// and their growth. Your own files are not read, and everything is removed afterwards.
    Bench(BenchArguments),

    /// Connect coding agents to lore
    ///
    /// Adds an entry that starts `lore mcp` and a few lines of instructions to their files, and
    /// changes no other byte. Every change is shown first, and each file is copied before it is
    /// written. Without a name, connects the agents that have files here or in your home directory.
    Install(InstallArguments),

    /// Remove what `lore install` added
    ///
    /// Removes exactly that, even if you have changed other parts of the files since. Keeps what you
    /// have edited of it yourself, and then exits 1.
    Uninstall(UninstallArguments),

    /// Suggest `lore` to an agent that is about to search with a shell command
    ///
    /// Reads the event of a hook from standard input. `lore install --hook` adds it.
    #[command(hide = true)]
    AgentHook,

    /// Print shell completions, or key bindings
    ///
    /// Put the output where your shell looks for it, for example
    /// `lore completions fish > ~/.config/fish/completions/lore.fish`.
    Completions(CompletionsArguments),

    /// Write man pages, completions, pages of the reference and JSON Schemas, for packages
    ///
    /// The files contain the definitions of this program and nothing of your machine. The same program
    /// writes the same bytes everywhere.
    #[command(hide = true)]
    Generate(GenerateArguments),
}

/// Arguments of `lore search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// Words or a question to search for
    ///
    /// Several words are one query. Documents that contain more of the words come first. `lore help
    /// syntax` describes phrases in quotes, `AND`, `OR`, `NOT`, `+`, `-`, parentheses, `field:value`,
    /// `word~` and `prefix*`. Not required if there is a filter.
    #[arg(value_name = "QUERY", help_heading = "Query")]
    pub(crate) query: Vec<String>,

    /// A question; may be given several times
    ///
    /// The answers follow one another and share a budget: that of `--budget`, or 1,200 tokens in the
    /// format `agent`. `json` and `toon` write a list of answers.
    #[arg(short = 'e', long = "question", value_name = "QUESTION", help_heading = "Query",
        conflicts_with_all = ["from_failure", "cursor", "system"])]
    pub(crate) questions: Vec<String>,

    /// Treat the query as plain words
    ///
    /// Quotes, operators and fields are then searched as text.
    #[arg(long, help_heading = "Query")]
    pub(crate) raw: bool,

    /// Search every text file for a regular expression
    ///
    /// Searches every file of the tree that is not ignored, also large and generated ones, in any
    /// letter case. The syntax is that of ripgrep. Hits are files, those with the most matching lines
    /// first. `--in git` searches commits.
    #[arg(long, help_heading = "Query", conflicts_with_all = ["literal", "raw"])]
    pub(crate) regex: bool,

    /// Search every text file for the query as literal text
    ///
    /// Like `--regex`, but every character matches itself, also inside words.
    #[arg(long, help_heading = "Query", conflicts_with = "raw")]
    pub(crate) literal: bool,

    /// Search for the failures in a log
    ///
    /// Reads the log from standard input, or from `--from-failure=FILE`: stack traces, compiler
    /// messages, failed tests and logs of the main languages. The locations that they name come first,
    /// innermost first; then the tests of the code that failed, the commits that wrote it, and the hits
    /// for the words of the message and of the query, if there is one.
    #[arg(long, value_name = "FILE", help_heading = "Query", num_args = 0..=1, require_equals = true,
        default_missing_value = "-", conflicts_with_all = ["regex", "literal", "system"])]
    pub(crate) from_failure: Option<PathBuf>,

    /// Match case-sensitively in `--regex` and `--literal`
    #[arg(long, help_heading = "Query")]
    pub(crate) case_sensitive: bool,

    /// Omit hits with a lower score
    ///
    /// From 0 to 1.
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
    /// From 0 to 5. A definition reached this way ranks below the hit that led to it, and names it.
    #[arg(long, value_name = "N", help_heading = "Query",
        value_parser = clap::value_parser!(u64).range(0..=MAX_HOPS))]
    pub(crate) hops: Option<u64>,

    /// Also search for words of similar meaning
    ///
    /// `auth` also finds `login`, ranked below documents that contain `auth` itself. The answer lists
    /// the added words.
    #[arg(long, help_heading = "Query")]
    pub(crate) expand: bool,

    /// Search only for the words as typed
    ///
    /// By default, if the query has several words, a word that occurs nowhere is searched by the words
    /// closest in meaning, and an abbreviation by its long form in this repository. The answer lists
    /// the added words.
    #[arg(long, help_heading = "Query")]
    pub(crate) no_rewrite: bool,

    /// Wait for the index, however long it takes
    ///
    /// By default, if a first index is expected to take more than three seconds (the setting
    /// `search.wait`), the files themselves are searched for a preliminary answer. At a terminal, the
    /// complete answer follows. In a pipe, the index is built in the background.
    #[arg(long, help_heading = "Query")]
    pub(crate) wait: bool,

    /// Run a program that adds words to the query
    ///
    /// A program with its arguments, run without a shell. It receives the words as JSON on standard
    /// input; `docs/guide/settings.md` describes the format.
    #[arg(long, value_name = "COMMAND", help_heading = "Query", value_parser = lore_settings::command_line)]
    pub(crate) expand_cmd: Option<Value>,

    /// Run a program that reorders the hits
    ///
    /// It receives the answer on standard input, in the format of `--json`, and can return the hits in
    /// another order. It cannot add any.
    #[arg(long, value_name = "COMMAND", help_heading = "Query", value_parser = lore_settings::command_line)]
    pub(crate) rerank_cmd: Option<Value>,

    /// Record this search for `lore history`, unless `--no-write` is set
    #[arg(long, help_heading = "Query", overrides_with = "no_history")]
    pub(crate) history: bool,

    /// Do not record this search
    #[arg(long, help_heading = "Query", overrides_with = "history")]
    pub(crate) no_history: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArguments,

    /// Output format: agent, grep, human, json, jsonl, markdown, paths, toon or vimgrep [default: human]
    ///
    /// `agent` is text for a language model, from the best 100 hits. The surer the answer, the shorter
    /// it is: at most 450 tokens, or those of `--budget`, up to 8,000. `json` is one object with the results and a receipt, `jsonl`
    /// one line per result and one for the rest, `toon` the same object in fewer tokens, and `markdown`
    /// is for pasting. `paths` prints each path once, one per line, best first; a commit is `git:` and
    /// its hash. In `paths`, a name with a control character is quoted as git quotes it. `grep` and
    /// `vimgrep` print the line to open of each hit that is in a file, for editors and `fzf`:
    /// `path:line:text` and `path:line:column:text`.
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = clap::builder::PossibleValuesParser::new(formats()), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Same as `--format json`
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,

    /// End each path with a NUL byte, for `xargs -0`
    ///
    /// Only with `--format paths`. Names are then not quoted.
    #[arg(short = '0', long, help_heading = "Output")]
    pub(crate) null: bool,

    /// Show the parts of every score
    ///
    /// `human` omits parts that are zero. The raw score is the sum of the parts, and each part is a value times a weight. Values are from 0
    /// to 1; those relative to the median hit are from -1 to 1.
    #[arg(long, help_heading = "Output")]
    pub(crate) explain: bool,

    /// Suggest related queries
    ///
    /// Up to five, from the hits and the definitions that they use.
    #[arg(long, help_heading = "Output")]
    pub(crate) follow_ups: bool,

    #[command(flatten)]
    pub(crate) amount: AmountArguments,

    #[command(flatten)]
    pub(crate) display: DisplayArguments,

    /// Continue an earlier answer for agents
    ///
    /// Only with `--format agent`, whose last line contains the cursor. If the cursor belongs to another
    /// query, or the tree has changed since, the answer says so and starts again at the best hit.
    #[arg(long, value_name = "CURSOR", help_heading = "Output")]
    pub(crate) cursor: Option<String>,

    /// List every file that contains a word of the query
    ///
    /// Only with `--format agent`. A query of one name, `--regex` and `--literal` list them anyway.
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,

    /// Group hits by source
    ///
    /// For `human` and `markdown`; the other formats list hits by rank. By default, only `markdown` groups
    /// them, if they come from several sources.
    #[arg(long, help_heading = "Output", overrides_with = "no_group")]
    pub(crate) group: bool,

    /// List hits by rank only
    #[arg(long, help_heading = "Output", overrides_with = "group")]
    pub(crate) no_group: bool,

    /// Also show linked places: `code` for the files and definitions that a spec governs
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

    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}
