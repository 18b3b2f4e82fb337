//! A tree that is opened with its settings, and what commands need around it.

use std::{
    io::{self, BufWriter, Write},
    ops::Deref,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use jiff::Zoned;
use lore_console::{
    dates,
    report::{self, UsageError},
};
use lore_engine::{Backend, EmbedError, Embedding, Engine, EngineConfig, Receipt, StoredTree};
use lore_render::output::{
    self,
    links::{LinkFormat, Links},
    style::{Amount, Grouping, Style, Theme},
};
use lore_schema::SourceName;
use lore_settings::{
    Origin, Override, Settings, env_vars,
    flags::{CommonArguments, RevisionArguments, TreeArguments, shared_flags},
    terminal::Terminal,
};

use crate::{embedding, pager, parsers};

/// The tree, the index and the settings of a command.
pub struct Context {
    /// The tree, absolute.
    pub root: PathBuf,
    /// Every setting, decided.
    pub settings: Settings,
    /// The terminal that answers are written for.
    pub terminal: Terminal,
    /// The commit whose tree is searched, as it was typed.
    pub at: Option<String>,
}

impl Context {
    /// Finds the tree and decides the settings. `flags` are those of the command alone.
    pub fn new(
        tree: &TreeArguments,
        common: &CommonArguments,
        flags: Vec<Override>,
    ) -> anyhow::Result<Context> {
        let root = root(tree.directory.as_deref())?;
        let flags = flags.into_iter().chain(shared_flags(tree, common)).collect();
        Context::of_root(root, flags)
    }

    /// Decides the settings of a tree that is known. `flags` are all flags.
    pub(crate) fn of_root(root: PathBuf, flags: Vec<Override>) -> anyhow::Result<Context> {
        let settings = Settings::load(&root, &env_vars::from_process, flags)?;
        for warning in &settings.warnings {
            report::warning(warning);
        }
        Ok(Context { root, settings, terminal: Terminal::from_process(), at: None })
    }

    /// The same, for the tree of a commit if one is named.
    #[must_use]
    pub fn at(mut self, revision: &RevisionArguments) -> Context {
        self.at.clone_from(&revision.at);
        self
    }

    /// The engine; warns if the embedding settings cannot be used.
    pub fn engine(&self) -> anyhow::Result<OpenEngine> {
        let (engine, error) = self.quiet_engine()?;
        if let Some(error) = error {
            let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            report::warning(&format!("{}{hint}; the built-in model is used instead", error.reason));
        }
        Ok(engine)
    }

    /// The engine, and why it does not embed as the settings say: searches by meaning tell that
    /// themselves.
    pub fn quiet_engine(&self) -> anyhow::Result<(OpenEngine, Option<EmbedError>)> {
        let (embedding, error) = embedding::configured(&self.settings, &env_vars::from_process)?;
        let mut engine = Engine::open(engine_config(&self.settings, &self.root, embedding)?)?;
        if let Some(name) = &self.at {
            engine = engine.at(name, dates::clock(&Zoned::now()))?;
        }
        Ok((OpenEngine(engine), error))
    }

    /// Style of answers on this terminal. Only answers of a search have links.
    pub fn style(&self) -> Style {
        // A number of lines that was chosen is shown on any screen.
        let lines = self.settings.get("output.snippet-lines");
        let is_chosen = lines.is_some_and(|resolved| resolved.origin != Origin::Default);
        Style {
            color: self.terminal.colors(self.settings.color(), &env_vars::from_process),
            theme: Theme::from_name(self.settings.theme()).unwrap_or_default(),
            links: None,
            amount: if is_chosen { Amount::Passage } else { Amount::Screen },
            verbose: false,
            icons: self.terminal.output,
            width: self.terminal.width,
            grouping: match self.settings.group() {
                "always" => Grouping::Always,
                "never" => Grouping::Never,
                _ => Grouping::Several,
            },
            null: false,
        }
    }

    /// The links of places in the tree; `None` for none.
    ///
    /// # Errors
    /// If the format of the settings is not valid.
    pub fn links(&self) -> Result<Option<Links>, UsageError> {
        let lookup: env_vars::Lookup<'_> = &env_vars::from_process;
        let name = match self.settings.hyperlink_format() {
            "auto" if self.terminal.links(lookup) => "default",
            "auto" => "none",
            name => name,
        };
        let format: LinkFormat = name.parse().map_err(|error| {
            UsageError::new(format!("could not use the hyperlink format `{name}`: {error}")).hint(
                format!(
                    "the formats are {}, or a text such as `file://{{host}}{{path}}`",
                    LinkFormat::names().collect::<Vec<_>>().join(", ")
                ),
            )
        })?;
        // A repository in a cluster has no files to open.
        if format.is_none() || StoredTree::is_root(&self.root) {
            return Ok(None);
        }
        let distribution = lookup(env_vars::WSL_DISTRO_NAME);
        let distribution = distribution.as_deref().and_then(std::ffi::OsStr::to_str);
        Ok(Some(Links::new(format, &self.root, &host(), distribution)))
    }

    /// Writes an answer, through the pager if it is longer than the screen.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write_paged(&self, text: &[u8]) -> anyhow::Result<()> {
        write_paged(text, self.settings.pager())
    }
}

/// Writes a text to standard output, through a pager if that is a terminal with too few rows for it.
/// `configured` is the pager of the settings; empty for that of the environment.
///
/// # Errors
/// If the output cannot be written.
pub fn write_paged(text: &[u8], configured: &[String]) -> anyhow::Result<()> {
    pager::write(text, configured).context("could not write the output")
}

/// The name of this machine, for links; empty if it is not known, which means this machine, too.
fn host() -> String {
    if let Some(name) = env_vars::non_empty(&env_vars::from_process, env_vars::COMPUTERNAME) {
        return name.to_string_lossy().into_owned();
    }
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let name = files.iter().find_map(|file| std::fs::read_to_string(file).ok());
    name.map_or_else(String::new, |name| name.trim().to_owned())
}

/// Maximum time that a command continues after its answer to read older commits.
const HISTORY_TIME: Duration = Duration::from_millis(300);

/// Minimum time from one such continuation to the next, so that commands in a loop are hardly slower.
const HISTORY_PAUSE: Duration = Duration::from_secs(4);

/// The configuration of an engine: the settings, where texts are parsed, and where indexes are stored.
///
/// # Errors
/// If indexes are stored in a cluster, and its settings cannot be used.
pub fn engine_config(
    settings: &Settings,
    root: &Path,
    embedding: Embedding,
) -> Result<EngineConfig, UsageError> {
    let config = EngineConfig { parsers: parsers::host(), ..settings.engine(root, embedding) };
    if !settings.uses_cluster() {
        return Ok(config);
    }
    Ok(EngineConfig { backend: cluster_backend(settings, root)?, ..config })
}

/// The backend for the cluster of the settings.
#[cfg(feature = "opensearch")]
fn cluster_backend(settings: &Settings, root: &Path) -> Result<&'static dyn Backend, UsageError> {
    let layout = lore_engine::ClusterLayout::default();
    let repository = crate::cluster::repository(settings, root);
    Ok(crate::cluster::backend(settings, &repository, &env_vars::from_process, layout)?)
}

#[cfg(not(feature = "opensearch"))]
fn cluster_backend(_: &Settings, _: &Path) -> Result<&'static dyn Backend, UsageError> {
    Err(UsageError::new("this build has no support for clusters")
        .hint("use `index.backend = \"local\"`, or a build with the feature `opensearch`"))
}

/// An engine that writes what its answers leave in memory when the command lets it go: after the
/// answer was written. Then it reads some of the commits that are not read yet.
pub struct OpenEngine(Engine);

impl From<Engine> for OpenEngine {
    fn from(engine: Engine) -> OpenEngine {
        OpenEngine(engine)
    }
}

impl OpenEngine {
    /// Reads some older commits, unless that was done just now.
    fn continue_history(&self) {
        if !self.0.has_older_commits() {
            return;
        }
        let folder = self.0.cache_folder().map(|folder| folder.join(SourceName::Git.as_str()));
        let written = folder.and_then(|folder| folder.metadata().ok()?.modified().ok());
        let is_recent = written
            .and_then(|written| written.elapsed().ok())
            .is_none_or(|elapsed| elapsed < HISTORY_PAUSE);
        // The answer was given: an error is reported by the next one that reads the history.
        if !is_recent {
            let _ = self.0.read_older_commits(HISTORY_TIME, &|| false);
        }
    }
}

impl Deref for OpenEngine {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.0
    }
}

impl Drop for OpenEngine {
    fn drop(&mut self) {
        for warning in self.0.settle() {
            report::warning(&warning);
        }
        self.continue_history();
    }
}

/// The folder that is named, or the tree around the current one.
pub fn root(directory: Option<&Path>) -> anyhow::Result<PathBuf> {
    let Some(directory) = directory else {
        let current = std::env::current_dir().context("could not find the current directory")?;
        return Ok(lore_engine::find_root(&current));
    };
    let root = std::path::absolute(directory)
        .with_context(|| format!("could not open the tree `{}`", directory.display()))?;
    if root.is_dir() {
        return Ok(lore_engine::native::canonical(&root).unwrap_or(root));
    }
    let reason = if root.exists() { "it is not a directory" } else { "there is no such directory" };
    Err(UsageError::new(format!("could not open the tree `{}`: {reason}", directory.display()))
        .hint("name an existing directory with `-C DIR`")
        .into())
}

/// Prints what was searched and skipped, per source.
pub fn tell_sources(receipt: &Receipt) {
    for (source, report) in &receipt.sources {
        let documents = output::plural(report.documents, "document", "documents");
        let skipped = output::skipped(&report.skipped);
        let comma = if skipped.is_empty() { "" } else { ", skipped: " };
        report::note(&format!("{source}: {documents}{comma}{skipped}"));
    }
}

/// A number that was typed.
pub fn number(typed: u64) -> usize {
    usize::try_from(typed).unwrap_or(usize::MAX)
}

/// Writes to standard output, buffered.
pub fn write_output(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).context("could not write the output")
}
