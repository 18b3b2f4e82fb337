//! A place with what surrounds it: its whole text, the code that uses it, and the commits that wrote and
//! changed its lines.

use std::{ops::Range, time::Duration};

use lore_index::StoredDocument;
use lore_schema::{Filter, SkipReason, SourceName, SymbolKind, Trust};
use lore_sources::{Before, HeadHistory, line_history};

use super::similar::{Passage, find_passage};
use crate::{
    EngineConfig, EngineError, IndexMode, Progress, Receipt, Relation, ResearchQuestion,
    ResearchRequest, ResearchResponse, Subject,
    commits::message,
    graph::{answer_graph, ids_of_name},
    state::{file_commits::FileCommits, refresh, snapshot::Snapshot},
};

/// Maximum number of commits of a file whose changes are compared, newest first. Each costs two versions
/// of the file.
const MAX_COMMITS: usize = 400;

/// Maximum time for the order of the commits.
const MAX_WALK_TIME: Duration = Duration::from_secs(1);

/// Maximum number of other definitions of the name that are listed.
const MAX_NAMESAKES: usize = 10;

/// A request for a place.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceRequest {
    /// The place: `path`, `path:line`, `path:line-line`, `path#name`, the identifier of a hit, or the name
    /// of a definition. Paths are root-relative.
    pub place: String,
    /// The relation of the uses; `None` for callers, or for references if the place is a type.
    pub relation: Option<Relation>,
    /// True to look the uses up.
    pub has_uses: bool,
    /// Maximum number of uses, and of commits, at least 1.
    pub limit: usize,
}

/// A place with what surrounds it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceResponse {
    /// The place.
    pub subject: Subject,
    /// Its whole text.
    pub text: String,
    /// Trust in the text.
    pub trust: Trust,
    /// The identifiers of other definitions with the requested name, at most ten.
    pub others: Vec<String>,
    /// The relation of the uses.
    pub relation: Relation,
    /// The code that uses the place; `None` if it is no definition, or was not requested.
    pub uses: Option<ResearchResponse>,
    /// The commits that changed the lines, newest first; `None` for text without lines in a file.
    pub changes: Option<Vec<PlaceChange>>,
    /// True if there may be older changes.
    pub has_older_changes: bool,
    /// Scope and freshness of the answer.
    pub receipt: Receipt,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
}

/// A commit that changed the lines of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceChange {
    /// The whole hash.
    pub hash: String,
    /// The date of the author, in seconds since the epoch.
    pub date: Option<i64>,
    /// Name and address of the author.
    pub author: Option<String>,
    /// First line of the message.
    pub subject: String,
    /// The other lines of the message.
    pub body: String,
    /// The path of the file before the commit, if the commit renamed it.
    pub renamed_from: Option<String>,
    /// True if none of the lines existed before.
    pub is_origin: bool,
    /// Number of the lines that the commit changed, added or removed.
    pub size: usize,
}

/// Finds a place, the code that uses it and the commits that changed it.
pub(crate) fn place(
    config: &EngineConfig,
    request: &PlaceRequest,
    progress: &dyn Progress,
) -> Result<PlaceResponse, EngineError> {
    let typed = request.place.trim();
    if typed.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let (passage, others) = passage(typed, &snapshot, config)?;
    let is_type = passage.symbol.as_ref().is_some_and(|symbol| symbol.kind.is_type());
    let usual = if is_type { Relation::References } else { Relation::Callers };
    let relation = request.relation.unwrap_or(usual);
    let uses = match &passage.symbol {
        Some(symbol) if request.has_uses && symbol.kind != SymbolKind::Impl => {
            Some(uses(&passage.subject, relation, request.limit, &snapshot, config)?)
        }
        _ => None,
    };
    let history = match (&passage.subject.path, passage.lines) {
        (Some(path), Some((first, last))) => {
            let lines = first as usize - 1..last as usize;
            let head = head_history(config);
            Some(history(path, lines, request.limit, &[], &head, &snapshot, config)?)
        }
        _ => None,
    };
    let has_older_changes = history.as_ref().is_some_and(|(_, has_older)| *has_older);
    let receipt = snapshot.receipt(config, 1, 1, 1);
    Ok(PlaceResponse {
        subject: passage.subject,
        text: passage.text,
        trust: passage.trust,
        others,
        relation,
        uses,
        changes: history.map(|(changes, _)| changes),
        has_older_changes,
        receipt,
        warnings: snapshot.warnings,
    })
}

/// The passage that a place names, and the other definitions with this name.
pub(super) fn passage(
    typed: &str,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<(Passage, Vec<String>), EngineError> {
    let missing = match find_passage(typed, snapshot, config) {
        Ok(passage) => return Ok((passage, Vec::new())),
        Err(missing @ EngineError::Subject { .. }) => missing,
        Err(error) => return Err(error),
    };
    let graph = snapshot.graph();
    let (exact, near) = ids_of_name(&graph, typed, MAX_NAMESAKES + 1)?;
    let mut named = exact.into_iter();
    if let Some(first) = named.next() {
        return Ok((find_passage(&first, snapshot, config)?, named.collect()));
    }
    // A place with a slash or a line was meant as a path.
    if typed.contains(['/', ':', '#']) || near.is_empty() {
        return Err(missing);
    }
    Err(EngineError::Subject {
        subject: typed.to_owned(),
        reason: "no searched file and no definition has that name".to_owned(),
        nearest: near,
    })
}

/// The code that uses a definition.
fn uses(
    subject: &Subject,
    relation: Relation,
    limit: usize,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<ResearchResponse, EngineError> {
    let source = format!("{}:", subject.source);
    let name = subject.id.strip_prefix(source.as_str()).unwrap_or(&subject.id);
    let request = ResearchRequest {
        question: ResearchQuestion { relation, subject: Some(name.to_owned()), object: None },
        depth: Some(1),
        filter: Filter::default(),
        limit,
        guesses: false,
    };
    Ok(answer_graph(snapshot, config, &request)?)
}

/// The commits that changed lines of a file, newest first, and whether there may be older ones. Commits
/// whose hashes begin with one of `ignored` are skipped.
pub(super) fn history(
    path: &str,
    lines: Range<usize>,
    limit: usize,
    ignored: &[String],
    head: &HeadHistory,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<(Vec<PlaceChange>, bool), EngineError> {
    let (mut path, mut lines) = (path.to_owned(), lines);
    let Ok(mut text) = config.read_text(&path) else { return Ok((Vec::new(), false)) };
    let mut changes: Vec<PlaceChange> = Vec::new();
    let Some(mut all) = FileCommits::of(snapshot) else { return Ok((changes, false)) };
    let mut after = 0;
    loop {
        let mut ids = all.newest_first(&path)?;
        let is_cut = MAX_COMMITS < ids.len();
        ids.truncate(MAX_COMMITS);
        let commits = all.read(&path, &ids)?;
        // Of other branches, no commit is in these lines, and a rebased one has the date of its first
        // version: the history gives the order.
        let mut placed: Vec<(usize, &StoredDocument)> = commits
            .iter()
            .filter_map(|(_, commit)| Some((head.position(&commit.key.locator)?, commit)))
            .collect();
        placed.sort_by_key(|(position, _)| *position);
        // The history of an earlier name ends where the file was renamed.
        placed.retain(|(position, commit)| {
            after <= *position
                && changes.iter().all(|change| change.hash != commit.key.locator)
                && !ignored.iter().any(|hash| commit.key.locator.starts_with(hash.as_str()))
        });
        let (positions, commits): (Vec<usize>, Vec<&StoredDocument>) = placed.into_iter().unzip();
        let hashes: Vec<String> = commits.iter().map(|commit| commit.key.locator.clone()).collect();
        let left = limit - changes.len();
        let found = line_history(&config.root, &hashes, &path, (&text, lines.clone()), left);
        let mut renamed = None;
        let is_full = found.len() == left;
        for change in found {
            after = positions[change.commit];
            let mut described = described(commits[change.commit]);
            described.size = change.size;
            match change.before {
                Before::SameFile => {}
                Before::Nothing => described.is_origin = true,
                Before::Renamed { path, text, lines } => {
                    described.renamed_from = Some(path.clone());
                    renamed = Some((path, text, lines));
                }
            }
            changes.push(described);
        }
        let is_whole = changes.last().is_some_and(|change| change.is_origin);
        let Some(earlier) = renamed.filter(|_| !is_full) else {
            let has_unread = is_cut || is_full || !head.is_whole() || has_unread_commits(snapshot);
            return Ok((changes, !is_whole && has_unread));
        };
        (path, text, lines) = earlier;
    }
}

/// Reads the order of the commits that lead to the tree.
pub(super) fn head_history(config: &EngineConfig) -> HeadHistory {
    HeadHistory::read(&config.root, config.at.as_ref(), MAX_WALK_TIME).unwrap_or_default()
}

/// Returns true if the index does not have all commits.
fn has_unread_commits(snapshot: &Snapshot) -> bool {
    let reports = snapshot.reports();
    let git = reports.get(&SourceName::Git);
    git.is_some_and(|git| git.skipped.get(&SkipReason::BeyondLimit).is_some_and(|count| 0 < *count))
}

fn described(commit: &StoredDocument) -> PlaceChange {
    let attributes = &commit.attributes;
    let body = message(commit).split_once("\n\n").map_or("", |(_, body)| body).trim();
    PlaceChange {
        hash: commit.key.locator.clone(),
        date: attributes.updated,
        author: attributes.author.clone(),
        subject: commit.title.clone(),
        body: body.to_owned(),
        renamed_from: None,
        is_origin: false,
        size: 0,
    }
}
