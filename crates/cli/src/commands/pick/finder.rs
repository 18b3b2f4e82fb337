//! Answers the requests of the picker by the engine, from one state of the tree.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use lore_engine::{
    EngineError, Mode as EngineMode, Phase, Progress, SearchRequest, SearchResponse, Searcher,
    SymbolRequest, Syntax,
};
use lore_picker::{
    Answer, Cause, Document, Finder, Item, Mode, PathMatcher, Reader, Report, Request, Requests,
};
use lore_schema::{SkipReason, SourceName};
use lore_session::{Context, OpenEngine};

use super::{SharedEngine, items};

/// Maximum number of listed files.
const MAX_FILES: usize = 1_000;

/// Minimum number of characters of an unfinished word that is completed.
const MIN_PREFIX: usize = 2;

/// The engine as a finder.
pub(super) struct EngineFinder {
    context: Arc<Context>,
    engine: SharedEngine,
    /// The request of every search, without its query.
    template: SearchRequest,
}

impl EngineFinder {
    pub(super) fn new(
        context: Arc<Context>,
        engine: SharedEngine,
        template: SearchRequest,
    ) -> EngineFinder {
        EngineFinder { context, engine, template }
    }
}

impl Finder for EngineFinder {
    fn serve(self, mut requests: Requests) -> Result<(), Cause> {
        let report = requests.reporter();
        let (engine, _) = self.context.quiet_engine().map_err(boxed)?;
        let engine = Arc::new(engine);
        let engine = Arc::clone(self.engine.get_or_init(|| engine));
        let mut request = requests.wait();
        while request.is_some() {
            let progress =
                Watch { report: &report, counts: Mutex::default(), shown: AtomicU64::new(0) };
            let searcher = engine
                .searcher(&self.template.filter.sources, &progress)
                .map_err(|error| boxed(error.into()))?;
            report(Report::Ready(searcher.passages()));
            let paths = searcher.paths();
            let mut search = Search {
                searcher,
                paths,
                matcher: PathMatcher::default(),
                template: &self.template,
            };
            request = search.serve(request, &mut requests, &engine);
        }
        Ok(())
    }
}

fn boxed(error: anyhow::Error) -> Cause {
    Box::new(Error(error))
}

/// An error of a command, as the picker carries it.
#[derive(Debug)]
pub(super) struct Error(pub(super) anyhow::Error);

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Error {}

/// Searches of one state of the tree.
struct Search<'e> {
    searcher: Searcher<'e>,
    paths: Vec<String>,
    matcher: PathMatcher,
    template: &'e SearchRequest,
}

impl Search<'_> {
    /// Answers requests until one wants the tree to be read again, which is returned, or there are no more.
    fn serve(
        &mut self,
        mut request: Option<Request>,
        requests: &mut Requests,
        engine: &OpenEngine,
    ) -> Option<Request> {
        let mut is_settled = false;
        while let Some(current) = request {
            let answer = self.answer(&current, &|| requests.is_stale());
            requests.answer(Answer { number: current.number, ..answer });
            if !is_settled && !requests.is_stale() {
                // Writes a first index, after its first answer.
                engine.settle();
                is_settled = true;
            }
            request = requests.wait();
            if let Some(next) = &mut request
                && next.reload
            {
                next.reload = false;
                return request;
            }
        }
        None
    }

    fn answer(&mut self, request: &Request, is_stale: &dyn Fn() -> bool) -> Answer {
        let source = request.source.as_deref().and_then(SourceName::from_name);
        let query = request.query.trim();
        let result = match request.mode {
            Mode::Files => Ok(self.files(query, is_stale)),
            Mode::Hybrid | Mode::Lexical if query.is_empty() && source.is_none() => {
                Ok(self.files(query, is_stale))
            }
            Mode::Symbols if query.is_empty() => Ok(Answer::default()),
            Mode::Symbols => self.symbols(query),
            Mode::Hybrid => self.passages(&request.query, EngineMode::Hybrid, source, is_stale),
            Mode::Lexical => self.passages(&request.query, EngineMode::Lexical, source, is_stale),
        };
        result.unwrap_or_else(|error| match error {
            EngineError::EmptyQuery => Answer::default(),
            error => Answer { note: Some(error.to_string()), ..Answer::default() },
        })
    }

    /// Files whose paths contain the characters of the query in their order.
    fn files(&mut self, query: &str, is_stale: &dyn Fn() -> bool) -> Answer {
        let Some(found) = self.matcher.matches(query, &self.paths, is_stale) else {
            return Answer::default();
        };
        let mut items = Vec::new();
        for (index, _) in found.iter().take(MAX_FILES) {
            let path = &self.paths[*index];
            let marks =
                if query.is_empty() { Vec::new() } else { self.matcher.positions(query, path) };
            items.push(items::of_path(path, marks));
        }
        Answer { items, total: found.len() as u64, ..Answer::default() }
    }

    fn symbols(&self, query: &str) -> Result<Answer, EngineError> {
        let request = SymbolRequest {
            query: query.to_owned(),
            filter: self.template.filter.clone(),
            limit: self.template.limit,
        };
        let found = self.searcher.symbols(&request)?;
        let items: Vec<Item> = found.hits.iter().map(|hit| items::of_symbol(hit, query)).collect();
        Ok(Answer {
            total: found.receipt.total.max(items.len() as u64),
            items,
            ..Answer::default()
        })
    }

    /// Passages for the query. If it has no hit as it is, or only for corrected words, its last word is taken
    /// as the beginning of one: it may not be finished.
    fn passages(
        &mut self,
        query: &str,
        mode: EngineMode,
        source: Option<SourceName>,
        is_stale: &dyn Fn() -> bool,
    ) -> Result<Answer, EngineError> {
        let sources: Vec<SourceName> = source.into_iter().collect();
        let request = self.template.clone().with_mode(mode).with_query(query);
        let mut search =
            |request: &SearchRequest| self.searcher.search_in(&sources, request, &Silent);
        let response = match search(&request) {
            // A quote or a parenthesis is not closed yet.
            Err(EngineError::Query(error)) => {
                let response = search(&request.with_syntax(Syntax::Raw))?;
                return Ok(Answer { note: Some(error.message), ..answer(&response) });
            }
            response => response?,
        };
        let is_found = response.receipt.total > 0 && response.receipt.corrected.is_empty();
        if let Some(prefix) = as_prefix(query).filter(|_| !is_found)
            && !is_stale()
        {
            let completed = search(&request.with_mode(EngineMode::Lexical).with_query(prefix))?;
            if !completed.hits.is_empty() {
                return Ok(answer(&completed));
            }
        }
        Ok(answer(&response))
    }
}

fn answer(response: &SearchResponse) -> Answer {
    let items: Vec<Item> = response.hits.iter().map(items::of_hit).collect();
    let total = response.receipt.total.max(items.len() as u64);
    Answer { items, total, note: response.warnings.first().cloned(), ..Answer::default() }
}

/// The query with its last word as a prefix; `None` if that is not an unfinished word.
fn as_prefix(query: &str) -> Option<String> {
    let word = query.rsplit([' ', '(', ':']).next().unwrap_or_default();
    let is_word = word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_word && word.chars().count() >= MIN_PREFIX).then(|| format!("{query}*"))
}

/// Progress that is not shown: a search in an opened tree reads no files.
struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}

    fn note(&self, _: &str) {}
}

/// Shows the progress of an index run in the picker.
struct Watch<'a, F: Fn(Report) + Sync> {
    report: &'a F,
    counts: Mutex<BTreeMap<SourceName, (u64, u64)>>,
    /// The last number that was shown.
    shown: AtomicU64,
}

/// Number of finished units after which the progress is shown again.
const STEP: u64 = 100;

impl<F: Fn(Report) + Sync> Progress for Watch<'_, F> {
    fn wants_totals(&self) -> bool {
        true
    }

    fn phase(&self, phase: Phase) {
        let Phase::Read { source, finished, total: Some(total) } = phase else { return };
        let (done, known) = (finished.units, total.units);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let of_source = counts.entry(source).or_default();
        // Threads report out of order.
        *of_source = (of_source.0.max(done), of_source.1.max(known));
        let (done, known) =
            counts.values().fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
        drop(counts);
        if done >= self.shown.load(Ordering::Relaxed) + STEP {
            self.shown.store(done, Ordering::Relaxed);
            (self.report)(Report::Indexing(done, known));
        }
    }

    fn note(&self, _: &str) {}
}

/// Reads the text behind an item by the engine.
pub(super) struct EngineReader {
    engine: SharedEngine,
}

impl EngineReader {
    pub(super) fn new(engine: SharedEngine) -> EngineReader {
        EngineReader { engine }
    }

    fn text(&self, item: &Item) -> Result<Document, String> {
        let engine = self.engine.get().ok_or("the tree is not opened yet")?;
        if let Some(path) = &item.path {
            let text = engine.text(path).map_err(|reason| unreadable(path, reason))?;
            return Ok(Document { text, path: Some(path.clone()), has_lines: true });
        }
        let (_, text) = engine.passage(&item.key, &Silent).map_err(|error| error.to_string())?;
        Ok(Document { text, path: None, has_lines: false })
    }
}

impl Reader for EngineReader {
    fn read(&mut self, item: &Item) -> Document {
        let text = self.text(item);
        text.unwrap_or_else(|reason| Document { text: reason, path: None, has_lines: false })
    }
}

fn unreadable(path: &str, reason: SkipReason) -> String {
    format!("`{path}` is not shown: {}", reason.as_str())
}

#[cfg(test)]
mod tests {
    use super::as_prefix;

    #[test]
    fn only_an_unfinished_last_word_becomes_a_prefix() {
        let check = |query: &str, expected: Option<&str>| {
            assert_eq!(as_prefix(query).as_deref(), expected, "{query}");
        };
        check("retry refu", Some("retry refu*"));
        check("retry ", None);
        check("r", None);
        check("\"retry refu", Some("\"retry refu*"));
        check("path:src/a.rs", None);
        check("title:refu", Some("title:refu*"));
        check("", None);
    }
}
