//! [`Engine`]: the entry point, with one method per kind of request.

mod exchange;
mod opening;

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use lore_index::{IndexError, IndexLocation, Reader, Store};
use lore_schema::{Filter, SkipReason, SourceName};
use lore_sources::{IndexState, SOURCES, Tree};
use lore_text::Embedder;

use crate::{
    CheckReport, ContextPackage, ContextRequest, EngineConfig, EngineError, ExistsRequest,
    ExistsResponse, IndexMode, IndexReport, Link, Listing, OlderCommits, OwnersAnswer,
    PlaceRequest, PlaceResponse, Progress, RelatedRequest, RelatedResponse, ResearchRequest,
    ResearchResponse, SearchRequest, SearchResponse, SignalWeight, SourceStatus, Subject,
    SuggestRequest, SuggestResponse, SymbolRequest, SymbolResponse,
    answers::{
        context, exhaustive, failure, follow_ups::FollowUpCache, live,
        navigation::NavigationStates, owners, place, similar, suggest,
    },
    documents::malformed_tickets,
    graph, search, signal_weights,
    state::{
        catch_up,
        estimate::{self, IndexEstimate},
        faults, housekeeping,
        limits::format_bytes,
        older_commits, parts, redacted, refresh, snapshot, storage, views,
    },
};

/// Minimum time that an index run spends on older commits; a longer run spends half as much as on the
/// rest.
const MIN_HISTORY_TIME: Duration = Duration::from_millis(500);

/// Maximum number of definitions of a file that are searched for a name.
const MAX_DEFINITIONS: usize = 100_000;

/// An open tree, with its sources and their indexes.
#[derive(Debug)]
pub struct Engine {
    pub(crate) config: EngineConfig,
    /// Cache of the follow-up queries that were suggested.
    pub(crate) follow_ups: FollowUpCache,
    /// States that the requests of an editor share.
    pub(crate) states: NavigationStates,
}

impl Engine {
    /// Answers a search on the tree as it is now. Writes nothing except the first index of a large tree;
    /// [`Engine::settle`] writes later.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the query contains no word and there is no other condition,
    /// [`EngineError::Query`] when it is invalid.
    pub fn search(
        &self,
        request: &SearchRequest,
        progress: &dyn Progress,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        let max_hits = self.config.limits.max_hits();
        let is_cut = max_hits < request.limit;
        let mut cut = request.clone().with_limit(request.limit.min(max_hits));
        let cut_query = cut.cut_query();
        let mut response = match request.pattern {
            Some(kind) => self.recover(|config| {
                let started = Instant::now();
                let response = exhaustive::search(config, &cut, kind, progress)?;
                config.check_texts_since(started)?;
                Ok(response)
            })?,
            None => {
                self.recover(|config| search::search(config, &cut, progress, &self.follow_ups))?
            }
        };
        if is_cut {
            response.warnings.push(format!(
                "{max_hits} hits are ranked instead of {}: `limits.memory` ({}) allows no more",
                request.limit,
                format_bytes(self.config.limits.memory.unwrap_or(0))
            ));
        }
        response.warnings.extend(cut_query);
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Answers a search from a failure log, on the tree as it is now: the code at its locations, their tests,
    /// the commits that wrote them, and the results of a search for its messages.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the log is blank.
    pub fn failure(
        &self,
        request: &crate::FailureRequest,
        progress: &dyn Progress,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        let mut response =
            self.recover(|config| failure::failure(config, request, progress, &self.follow_ups))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Answers a search without an index, within a time limit that only the last file that is read can
    /// exceed. Scans the files, first those whose paths contain words of the query. The receipt reports what
    /// was not scanned. Writes nothing.
    ///
    /// `cancelled` is called from several threads; once it returns true, the answer ends early.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the query contains no word, [`EngineError::Query`] when it is
    /// invalid, [`EngineError::NeedsIndex`] when it has a condition that needs an index.
    pub fn live(
        &self,
        request: &SearchRequest,
        deadline: Duration,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<SearchResponse, EngineError> {
        live::live(&self.config, None, request, deadline, cancelled)
    }

    /// Answers as [`Engine::live`], on the listing of the same request, which was declined with
    /// [`EngineError::SlowIndex`].
    ///
    /// # Errors
    /// As [`Engine::live`].
    pub fn live_in(
        &self,
        listing: &Listing,
        request: &SearchRequest,
        deadline: Duration,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<SearchResponse, EngineError> {
        live::live(&self.config, Some(listing), request, deadline, cancelled)
    }

    /// Finds passages that are similar to a passage, on the tree as it is now.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the subject is blank, [`EngineError::Subject`] when it does not
    /// exist.
    pub fn related(
        &self,
        request: &RelatedRequest,
        progress: &dyn Progress,
    ) -> Result<RelatedResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.recover(|config| similar::related(config, request, progress))?;
        response.answer.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Reads a passage: a line or a range of lines of a file (`src/a.rs:10-20`), a definition or section
    /// (`src/a.rs#name`), or the identifier of a hit. Returns its description and its current text.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the subject is blank, [`EngineError::Subject`] when it does not
    /// exist.
    pub fn passage(
        &self,
        subject: &str,
        progress: &dyn Progress,
    ) -> Result<(Subject, String), EngineError> {
        self.recover(|config| similar::passage(config, subject, progress))
    }

    /// Finds a place with its whole text, the code that uses it and the commits that changed its lines.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the place is blank, [`EngineError::Subject`] when it does not
    /// exist.
    pub fn place(
        &self,
        request: &PlaceRequest,
        progress: &dyn Progress,
    ) -> Result<PlaceResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.recover(|config| place::place(config, request, progress))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Checks whether similar code already exists, on the tree as it is now.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the text contains no letter and no digit.
    pub fn exists(
        &self,
        request: &ExistsRequest,
        progress: &dyn Progress,
    ) -> Result<ExistsResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.recover(|config| similar::exists(config, request, progress))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Completes a query while it is typed, from the index as it was last written. Creates the index if
    /// there is none.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when nothing was typed.
    pub fn suggest(
        &self,
        request: &SuggestRequest,
        progress: &dyn Progress,
    ) -> Result<SuggestResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.recover(|config| suggest::suggest(config, request, progress))?;
        response.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Finds definitions by name.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the name is blank.
    pub fn symbols(
        &self,
        request: &SymbolRequest,
        progress: &dyn Progress,
    ) -> Result<SymbolResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.recover(|config| graph::symbols(config, request, progress))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Lists the definitions of files whose path contains a fragment, by file and line.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the fragment is blank.
    pub fn file_symbols(
        &self,
        request: &SymbolRequest,
        progress: &dyn Progress,
    ) -> Result<SymbolResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.recover(|config| graph::file(config, request, progress))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Lists up to `limit` definitions of the files that match a filter, by file and line.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn definitions(
        &self,
        filter: &Filter,
        limit: usize,
        progress: &dyn Progress,
    ) -> Result<SymbolResponse, EngineError> {
        let started = Instant::now();
        let request = SymbolRequest { query: String::new(), filter: filter.clone(), limit };
        let mut response = self.recover(|config| graph::definitions(config, &request, progress))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Queries the graph of definitions.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn research(
        &self,
        request: &ResearchRequest,
        progress: &dyn Progress,
    ) -> Result<ResearchResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.recover(|config| graph::graph(config, request, progress))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Collects the context for a task, on the tree as it is now.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the task is blank.
    pub fn context(
        &self,
        request: &ContextRequest,
        progress: &dyn Progress,
    ) -> Result<ContextPackage, EngineError> {
        let started = Instant::now();
        let mut package =
            self.recover(|config| context::context(config, request, progress, &self.follow_ups))?;
        package.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(package)
    }

    /// Estimates an index run: which files it has to read, and what that costs. Writes nothing.
    ///
    /// # Errors
    /// When the tree cannot be listed.
    pub fn estimate(&self, mode: IndexMode) -> Result<IndexEstimate, EngineError> {
        estimate::estimate(&self.config, mode)
    }

    /// Brings the index of every source up to date, or rebuilds it.
    ///
    /// # Errors
    /// When the tree cannot be read or the index cannot be written. Waits up to a minute for another process
    /// that writes.
    pub fn index(
        &self,
        mode: IndexMode,
        progress: &dyn Progress,
    ) -> Result<IndexReport, EngineError> {
        let started = Instant::now();
        let mut taken = self.update_all(mode, progress)?;
        if let Some(error) = taken.unwritten {
            return Err(error.into());
        }
        catch_up::embed_the_rest(&self.config, &mut taken, progress)?;
        let mut report = taken.work;
        if self.has_older_commits() {
            let time = MIN_HISTORY_TIME.max(started.elapsed() / 2);
            let is_stopped = || progress.is_stopped();
            let older = older_commits::read_older(&self.config, time, &is_stopped, progress)?;
            report.sources.entry(SourceName::Git).or_default().0 += older.read;
        }
        if progress.is_stopped() {
            let folder = views::cache_folder(&self.config);
            return Err(parts::interrupted(&self.config, folder.as_deref(), &taken.tree));
        }
        report.warnings = taken.warnings;
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }

    /// Brings the indexes up to date as a search does, and writes them before it returns: embeddings of a
    /// server and older commits are left to [`Engine::index`].
    ///
    /// # Errors
    /// [`IndexError::Busy`] while another process writes them. Otherwise as
    /// [`Engine::index`].
    pub fn update(&self, progress: &dyn Progress) -> Result<(), EngineError> {
        let taken = self.commit_once(IndexMode::Update, progress)?;
        taken.unwritten.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Returns true if the last answer or index run left commits unread, for [`Engine::read_older_commits`].
    pub fn has_older_commits(&self) -> bool {
        self.config.write && self.config.overlays.has_older_commits()
    }

    /// Reads commits that earlier answers and index runs did not read, newest first, in steps that are
    /// written one by one, until the time is used, `is_stopped` returns true or none are left. Call it
    /// after an answer. Leaves the work to another process that is writing.
    ///
    /// # Errors
    /// When the history cannot be read or the index cannot be written.
    pub fn read_older_commits(
        &self,
        time: Duration,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<OlderCommits, EngineError> {
        older_commits::read_older(&self.config, time, is_stopped, &())
    }

    /// Writes the overlays of earlier answers if they are large and no other process is writing, so that
    /// later answers start from them. Call it after an answer. Returns warnings. Dropping an engine does the
    /// same.
    pub fn settle(&self) -> Vec<String> {
        if !self.config.write {
            return Vec::new();
        }
        let (is_written, errors) = self.config.overlays.publish();
        let mut warnings = Vec::new();
        if is_written && let Some(folder) = views::cache_folder(&self.config) {
            views::describe(&self.config, &folder);
            // Only first indexes and large changes are published.
            warnings = housekeeping::evict(&self.config, &folder, u64::MAX);
        }
        // One folder holds the indexes of all sources.
        warnings.extend(
            errors.first().map(|error| snapshot::unwritable_cache_warning(&self.config, error)),
        );
        warnings
    }

    /// Returns the ranking weights with the settings of this engine.
    pub fn signal_weights(&self) -> Vec<SignalWeight> {
        signal_weights(&self.config.ranking)
    }

    /// Returns the folder of this tree's indexes, inside that of its repository; `None` for memory.
    pub fn cache_folder(&self) -> Option<std::path::PathBuf> {
        views::cache_folder(&self.config)
    }

    /// Verifies the index byte by byte and the tree's readability. Writes nothing.
    ///
    /// # Errors
    /// When the tree or the tickets cannot be read. Damage of the index is a problem in the report, not an error.
    pub fn check(&self) -> Result<CheckReport, EngineError> {
        let mut report = CheckReport::default();
        let tree = Tree::walk(&self.config.root, &storage::walk_options(&self.config))?;
        report.passed.push(format!("the tree lists {} files", tree.entries().len()));
        report.problems.extend(malformed_tickets(&tree)?);
        for source in SOURCES {
            let name = source.name();
            if views::location_of(&self.config, name) == IndexLocation::Memory {
                continue;
            }
            match self.open_store(name).and_then(|store| store.verify()) {
                Ok(damage) if damage.is_empty() => {
                    report.passed.push(format!("the index of `{name}` is sound"));
                }
                Ok(damage) => report.problems.extend(damage),
                Err(error) => report.problems.push(error.to_string()),
            }
        }
        Ok(report)
    }

    /// The specs that name a root-relative path, which may carry `#name`, or something in a folder: no
    /// index, no git.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the path is blank; otherwise when the tree cannot be read.
    pub fn owners(&self, path: &str) -> Result<OwnersAnswer, EngineError> {
        if owners::split(path).0.is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let mut answer = owners::owners(&self.documents(&[SourceName::Specs], &|_, _| true)?, path);
        answer.exists = self.contains(&answer.path);
        Ok(answer)
    }

    /// Resolves the entries of specs, each to a file, a folder or a definition. Missing targets
    /// are labelled.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn follow(
        &self,
        entries: &[String],
        progress: &dyn Progress,
    ) -> Result<Vec<Link>, EngineError> {
        let mut paths: Vec<&str> = entries
            .iter()
            .map(|entry| owners::split(entry))
            .filter(|(_, part)| part.is_some())
            .map(|(path, _)| path)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        let mut definitions = Vec::new();
        for path in paths {
            let request = SymbolRequest {
                query: path.to_owned(),
                filter: Filter::default(),
                limit: MAX_DEFINITIONS,
            };
            definitions.extend(self.file_symbols(&request, progress)?.hits);
        }
        Ok(owners::links(entries, &definitions, |path| self.contains(path)))
    }

    /// Returns the source of each of these root-relative paths that holds exactly one document, on the tree as
    /// it is now. Files that are not searched, and those of several documents, have none.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn sources_of(
        &self,
        paths: &[String],
        progress: &dyn Progress,
    ) -> Result<std::collections::BTreeMap<String, SourceName>, EngineError> {
        let files: Vec<SourceName> =
            SourceName::ALL.iter().copied().filter(|name| *name != SourceName::Git).collect();
        let taken = refresh::take(&self.config, &files, IndexMode::Update, progress)?;
        let wanted: HashSet<&str> = paths.iter().map(String::as_str).collect();
        let mut documents = std::collections::BTreeMap::<&str, Vec<SourceName>>::new();
        for source in &taken.sources {
            let listing = source.reader.listing(&Filter::default())?;
            for listed in listing.iter().filter(|listed| wanted.contains(listed.path)) {
                let sources = documents.entry(listed.path).or_default();
                sources.push(source.reader.source());
            }
        }
        let single = documents.into_iter().filter(|(_, sources)| sources.len() == 1);
        Ok(single.map(|(path, sources)| (path.to_owned(), sources[0])).collect())
    }

    /// Reads a file of the tree as text, as it is now and without its secrets.
    ///
    /// # Errors
    /// The reason why files like this one are skipped: too large, binary, missing.
    pub fn text(&self, path: &str) -> Result<String, SkipReason> {
        self.config.read_text(path)
    }

    /// Returns true if there is a file or folder at a root-relative path.
    pub fn contains(&self, path: &str) -> bool {
        self.config.contains(path)
    }

    /// Returns true if there is a file at a root-relative path.
    pub fn contains_file(&self, path: &str) -> bool {
        self.config.contains_file(path)
    }

    /// Returns the embedder of the settings, if there is one.
    pub(crate) fn embedder(&self) -> Option<&dyn Embedder> {
        self.config.embedding.embedders().pop()
    }

    pub(crate) fn counts_of(&self, reader: &dyn Reader) -> Result<SourceStatus, IndexError> {
        let summary = reader.summary().clone();
        let usage = reader.disk_usage();
        let embedded = match self.embedder() {
            Some(embedder) => reader.vector_counts(embedder.fingerprint())?.documents,
            None => 0,
        };
        Ok(SourceStatus {
            documents: summary.documents,
            embedded,
            chunks: summary.chunks,
            formats: summary.formats,
            languages: summary.languages,
            skipped: summary.skipped,
            fell_back: summary.fell_back,
            text_bytes: summary.text_bytes,
            disk_bytes: usage.bytes,
            shared_bytes: usage.shared,
            pending: 0,
            secrets: redacted::counts(reader)?,
            unparsed: faults::files(reader)?,
            partly_parsed: faults::partly_parsed(reader)?,
        })
    }

    pub(crate) fn open_store(&self, source: SourceName) -> Result<Box<dyn Store>, IndexError> {
        let place = views::location_of(&self.config, source);
        self.config.backend.open(source, &place, &storage::fingerprint())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The next engine reads again what cannot be written.
        let _ = self.settle();
    }
}

pub(crate) fn add_skips(status: &mut SourceStatus, report: &lore_sources::ScanReport) {
    for (reason, count) in &report.skipped {
        *status.skipped.entry(*reason).or_default() += count;
    }
}

/// The index state of a reader; empty if there is none.
pub(crate) struct Pending<'a>(pub(crate) Option<&'a dyn Reader>);

impl IndexState for Pending<'_> {
    fn stamp(&self, unit: &str) -> Option<lore_schema::Stamp> {
        self.0.and_then(|reader| reader.stamp(unit))
    }

    fn cursor(&self) -> Option<&str> {
        self.0.and_then(|reader| reader.cursor())
    }
}
