//! The engine: one tree, its sources and their indexes.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use lore_index::{IndexError, IndexLocation, Reader, Store};
use lore_schema::{Change, Document, Filter, SourceName};
use lore_sources::{IndexState, SOURCES, Tree};
use lore_text::Embedder;

use crate::{
    CheckReport, Clock, ContextPackage, ContextRequest, EngineConfig, EngineError, ExistsRequest,
    ExistsResponse, IndexMode, IndexReport, LeanAnswer, Link, Overlays, OwnersAnswer, Progress,
    RelatedRequest, RelatedResponse, ResearchRequest, ResearchResponse, SageAnswer, SageDocument,
    SageRequest, SearchRequest, SearchResponse, SignalWeight, SourceStatus, SpecAnswer, Subject,
    SuggestRequest, SuggestResponse, SymbolRequest, SymbolResponse,
    answers::{
        context, exhaustive, failure, follow_ups::FollowUpCache, live, owners, similar, suggest,
    },
    contracts, floor, graph,
    rank::signals,
    search, signal_weights,
    state::{
        catch_up, housekeeping, limits::in_words, redacted, refresh, revision, snapshot, storage,
        views,
    },
};

/// Most definitions of a file among which one is looked up.
const MOST_DEFINITIONS: usize = 100_000;

/// One tree, ready to be asked.
#[derive(Debug)]
pub struct Engine {
    pub(crate) config: EngineConfig,
    /// What was suggested to ask next.
    pub(crate) follow_ups: FollowUpCache,
}

impl Engine {
    /// Opens a tree. Reads nothing but the root folder itself.
    ///
    /// # Errors
    /// When the root is not a folder that can be read, or a weight is set for an unknown signal.
    pub fn open(mut config: EngineConfig) -> Result<Engine, EngineError> {
        let known = signals::names();
        if let Some(name) =
            config.ranking.weights.keys().find(|name| !known.contains(&name.as_str()))
        {
            return Err(EngineError::UnknownSignal { name: name.clone(), known });
        }
        config.root = lore_sources::canonical_root(&config.root).map_err(|reason| {
            EngineError::Root { path: config.root.clone(), reason: reason.to_string() }
        })?;
        Ok(Engine { config, follow_ups: FollowUpCache::default() })
    }

    /// An engine for the tree of a commit: its hash or the beginning of that, a branch, a tag, with
    /// `~3` or `^2` behind it, or a date, which is the newest commit up to its end on the line of first
    /// parents of HEAD. Files are read from git, and nothing but the cache is ever written.
    ///
    /// # Errors
    /// [`EngineError::Revision`] when nothing is called so, [`EngineError::Source`] outside git.
    pub fn at(&self, name: &str, clock: Clock) -> Result<Engine, EngineError> {
        let at = Some(revision::find(&self.config.root, name, clock)?);
        let config = EngineConfig { at, overlays: Overlays::default(), ..self.config.clone() };
        Ok(Engine { config, follow_ups: FollowUpCache::default() })
    }

    /// Answers a question on the tree as it is now. Writes nothing: that is for [`Engine::settle`],
    /// but for the first index of a large tree.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the query holds no word and nothing else is asked for,
    /// [`EngineError::Query`] when it cannot be understood.
    pub fn search(
        &self,
        request: &SearchRequest,
        progress: &dyn Progress,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        let most = self.config.limits.most_hits();
        let is_cut = most < request.limit;
        let cut = SearchRequest { limit: request.limit.min(most), ..request.clone() };
        let mut response = match request.pattern {
            Some(kind) => {
                self.recover(|config| exhaustive::search(config, &cut, kind, progress))?
            }
            None => {
                self.recover(|config| search::search(config, &cut, progress, &self.follow_ups))?
            }
        };
        if is_cut {
            response.warnings.push(format!(
                "{most} hits are ranked instead of {}: `limits.memory` ({}) allows no more",
                request.limit,
                in_words(self.config.limits.memory.unwrap_or(0))
            ));
        }
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Answers a question with a log, on the tree as it is now: the spans of its places, who tests
    /// them, which commits wrote them, and what a search for its messages finds.
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

    /// Answers a question without an index, within a time that it keeps to whatever the size of the
    /// tree, but for the last file that is read: by looking through the files, those first whose paths
    /// hold words of it. What was not looked at by then is told by the receipt. Writes nothing.
    /// `cancelled` is asked from several threads; once it is true, the answer ends early.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the query holds no word, [`EngineError::Query`] when it cannot
    /// be understood, [`EngineError::NeedsIndex`] when it asks for what only an index tells.
    pub fn live(
        &self,
        request: &SearchRequest,
        deadline: Duration,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<SearchResponse, EngineError> {
        live::live(&self.config, request, deadline, cancelled)
    }

    /// Finds what resembles a passage, on the tree as it is now.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when nothing is pointed at, [`EngineError::Subject`] when it is
    /// not there.
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

    /// Reads a passage that somebody points at: a line or a stretch of a file (`src/a.rs:10-20`), a
    /// definition or section (`src/a.rs#name`), or the identifier of a hit. Returns what it is, and
    /// its text as it is now.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when nothing is pointed at, [`EngineError::Subject`] when it is
    /// not there.
    pub fn passage(
        &self,
        subject: &str,
        progress: &dyn Progress,
    ) -> Result<(Subject, String), EngineError> {
        self.recover(|config| similar::passage(config, subject, progress))
    }

    /// Tells whether something exists already, on the tree as it is now.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the text holds no letter and no digit.
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

    /// Completes what is being typed, from the index as it was last written; only where there is
    /// none, it is made first.
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

    /// Lists the definitions of every file that meets a filter, by file and line, at most `limit`.
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

    /// Answers a question about the graph of definitions.
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

    /// Puts together what somebody has to read who is to do a task, on the tree as it is now.
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

    /// Brings the index of every source up to date, or makes it anew.
    ///
    /// # Errors
    /// Also when nothing could be written, where a search would go on in memory; when another
    /// process writes, only after a minute.
    pub fn index(
        &self,
        mode: IndexMode,
        progress: &dyn Progress,
    ) -> Result<IndexReport, EngineError> {
        let started = Instant::now();
        let mut taken = self.take_to_write(mode, progress)?;
        if let Some(error) = taken.unwritten {
            return Err(error.into());
        }
        catch_up::embed_the_rest(&self.config, &mut taken, progress)?;
        let mut report = taken.work;
        report.warnings = taken.warnings;
        report.seconds = started.elapsed().as_secs_f64();
        Ok(report)
    }

    /// Writes what earlier answers left in memory, if it is worth it and nobody else writes, so that
    /// later ones start from there: for after an answer, which nobody waits for then. Returns why
    /// something could not be written. An engine does the same when it is dropped.
    pub fn settle(&self) -> Vec<String> {
        if !self.config.write {
            return Vec::new();
        }
        let (is_written, errors) = self.config.overlays.publish();
        let mut told = Vec::new();
        if is_written && let Some(folder) = views::cache_folder(&self.config) {
            views::note(&self.config, &folder);
            // What is published is a first index, or a large change.
            told = housekeeping::keep_house(&self.config, &folder, u64::MAX);
        }
        // One folder holds the indexes of all sources.
        told.extend(errors.first().map(|error| snapshot::told_of_memory(&self.config, error)));
        told
    }

    /// The weights of ranking with the settings of this engine.
    pub fn signal_weights(&self) -> Vec<SignalWeight> {
        signal_weights(&self.config.ranking)
    }

    /// The folder of this tree's indexes, in that of its repository; `None` for memory.
    pub fn cache_folder(&self) -> Option<std::path::PathBuf> {
        views::cache_folder(&self.config)
    }

    /// Verifies the index byte by byte and the tree's readability. Writes nothing.
    pub fn check(&self) -> Result<CheckReport, EngineError> {
        let mut report = CheckReport::default();
        let tree = Tree::walk(&self.config.root, &storage::walk_options(&self.config))?;
        report.passed.push(format!("the tree lists {} files", tree.entries().len()));
        for source in SOURCES {
            let name = source.name();
            if views::place_of(&self.config, name) == IndexLocation::Memory {
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

    /// The lexical floor over the specs of every format: no index, no model, no git.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the query is blank.
    pub fn spec(&self, query: &str, limit: usize) -> Result<SpecAnswer, EngineError> {
        self.floor(query, limit, |_| true)
    }

    /// As [`Engine::spec`], over the nodes of spex alone: no other spec counts.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the query is blank.
    pub fn spex(&self, query: &str, limit: usize) -> Result<SpecAnswer, EngineError> {
        self.floor(query, limit, |document| document.format == "spex")
    }

    fn floor(
        &self,
        query: &str,
        limit: usize,
        keep: impl Fn(&Document) -> bool,
    ) -> Result<SpecAnswer, EngineError> {
        if query.trim().is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let documents = self.specs(keep)?;
        let started = Instant::now();
        let mut answer = floor::rank(&floor::nodes(&documents), query, limit);
        answer.compute_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(answer)
    }

    /// The specs that name a root-relative path, which may carry `#name`: no index, no git.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the path is blank; otherwise when the tree cannot be read.
    pub fn owners(&self, path: &str) -> Result<OwnersAnswer, EngineError> {
        if owners::split(path).0.is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let mut answer = owners::owners(&self.specs(|_| true)?, path);
        answer.exists = self.holds(&answer.path);
        Ok(answer)
    }

    /// Where the entries of specs lead: each to a file, a folder or a definition. What is not
    /// there is labelled.
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
                limit: MOST_DEFINITIONS,
            };
            definitions.extend(self.file_symbols(&request, progress)?.hits);
        }
        Ok(owners::links(entries, &definitions, |path| self.holds(path)))
    }

    /// The source of each of these root-relative paths that holds exactly one document, on the tree as
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

    /// Whether a root-relative path is there. What leads out of the tree is not.
    fn holds(&self, path: &str) -> bool {
        self.config.holds(path)
    }

    /// Reads the specs that are to be kept, without an index.
    fn specs(&self, keep: impl Fn(&Document) -> bool) -> Result<Vec<Document>, EngineError> {
        let tree = Tree::walk(&self.config.root, &storage::walk_options(&self.config))?;
        let mut documents = Vec::new();
        for source in SOURCES.iter().filter(|source| source.name() == SourceName::Specs) {
            source.scan(&tree, &Pending(None), &mut |change| {
                if let Change::Replace { documents: read, .. } = change {
                    documents.extend(read.into_iter().filter(&keep));
                }
                std::ops::ControlFlow::Continue(())
            })?;
        }
        Ok(documents)
    }

    /// The search of lean-spec: the specs of every format in memory, no index, no git. The least
    /// score of the request is one of 0.0..=100.0; its sources and languages are not looked at.
    /// With `strict`, nothing is said of specs that come near where none is found.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the query is blank, [`EngineError::Query`] when it is none
    /// of the query language.
    pub fn lean(&self, request: &SearchRequest, strict: bool) -> Result<LeanAnswer, EngineError> {
        let started = Instant::now();
        if request.query.trim().is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let tree = Tree::walk(&self.config.root, &storage::walk_options(&self.config))?;
        let documents = lore_sources::read_documents(&tree, SourceName::Specs, &|_| true)?;
        let mut request = request.clone();
        if contracts::asks_for_dates(&request) {
            let undated = documents.iter().filter(|document| document.attributes.updated.is_none());
            let paths = undated.map(|document| document.path.clone());
            let oldest = contracts::oldest_date(&request);
            request.filter.dates = self.config.last_changes(paths, oldest);
        }
        let mut answer = contracts::lean::search(&documents, &request, strict)?;
        answer.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(answer)
    }

    /// The search of sage: its sources in memory, no index.
    ///
    /// # Errors
    /// [`EngineError::EmptyQuery`] when the query is blank, [`EngineError::Query`] when it is a
    /// pattern that cannot be understood.
    pub fn sage(&self, request: &SageRequest) -> Result<SageAnswer, EngineError> {
        let started = Instant::now();
        let documents = self.read_for_sage(&contracts::sage::sources_to_read(&request.sources))?;
        let in_git = self.config.commit().is_some();
        let of_files = |documents: &[&Document]| -> std::collections::BTreeMap<String, i64> {
            // Without a history, the time of a file is that of its copy.
            if !in_git {
                return std::collections::BTreeMap::new();
            }
            let oldest = request.search.clock.now - contracts::sage::FADED;
            let paths = documents.iter().map(|document| document.path.clone());
            self.config.last_changes(paths, Some(oldest))
        };
        let mut request = request.clone();
        if contracts::asks_for_dates(&request.search) {
            let undated = documents.iter().filter(|document| document.attributes.updated.is_none());
            let paths = undated.map(|document| document.path.clone());
            let paths = paths.filter(|path| !path.is_empty());
            let oldest = contracts::oldest_date(&request.search);
            request.search.filter.dates = self.config.last_changes(paths, oldest);
        }
        let mut answer = contracts::sage::search(&documents, &request, &of_files)?;
        answer.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(answer)
    }

    /// What the index file of sage holds, in the order of the identifiers.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn sage_documents(&self) -> Result<Vec<SageDocument>, EngineError> {
        Ok(contracts::sage::index(&self.read_for_sage(SourceName::ALL)?))
    }

    fn read_for_sage(&self, sources: &[SourceName]) -> Result<Vec<Document>, EngineError> {
        let tree = Tree::walk(&self.config.root, &storage::walk_options(&self.config))?;
        let mut documents = Vec::new();
        for &source in sources {
            let is_read = |unit: &str| contracts::sage::is_read(source, unit);
            let mut read = lore_sources::read_documents(&tree, source, &is_read)?;
            read.iter_mut().for_each(contracts::sage::keep_message);
            documents.append(&mut read);
        }
        Ok(documents)
    }

    /// The embedder of the settings, if there is one.
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
        })
    }

    pub(crate) fn open_store(&self, source: SourceName) -> Result<Box<dyn Store>, IndexError> {
        let place = views::place_of(&self.config, source);
        self.config.backend.open(source, &place, &storage::fingerprint())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // What cannot be written is read again by the next engine.
        let _ = self.settle();
    }
}

pub(crate) fn add_skips(status: &mut SourceStatus, report: &lore_sources::ScanReport) {
    for (reason, count) in &report.skipped {
        *status.skipped.entry(*reason).or_default() += count;
    }
}

/// What a reader knows; nothing, when there is none.
pub(crate) struct Pending<'a>(pub(crate) Option<&'a dyn Reader>);

impl IndexState for Pending<'_> {
    fn stamp(&self, unit: &str) -> Option<lore_schema::Stamp> {
        self.0.and_then(|reader| reader.stamp(unit))
    }

    fn cursor(&self) -> Option<&str> {
        self.0.and_then(|reader| reader.cursor())
    }
}
