//! Several repositories as one tree: a *workspace*. A search has one ranked answer over all of them.
//!
//! Paths in an answer start at the folder that contains all repositories, so that a path names one
//! file, and each hit names its repository.

mod graph;

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    time::Instant,
};

use lore_index::IndexError;
use lore_sources::{StoredTree, TreeCheck};

pub use self::graph::{WorkspaceQuery, research_workspace, symbols_workspace};
use crate::{
    Absence, Engine, EngineError, Facets, Freshness, Hit, Holders, Progress, Receipt,
    RepositoryReceipt, SearchRequest, SearchResponse,
    search::{
        parse::{is_ambiguous, is_built_in_field},
        several::{self, Answers, Member},
    },
};

/// Maximum number of different reasons and names in the explanation of an empty answer.
const MAX_REASONS: usize = 3;

/// A repository of a workspace.
pub struct WorkspaceMember<'a> {
    /// Its engine.
    pub engine: &'a Engine,
    /// The request, as it is for this repository: its filter has paths of its tree.
    pub request: SearchRequest,
}

/// The folder that contains several repositories, and their places in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspacePaths {
    /// The folder: the nearest one that contains all repositories.
    pub root: PathBuf,
    /// Path of each repository from there, by `/`; empty for the folder itself.
    pub prefixes: Vec<String>,
}

impl WorkspacePaths {
    /// Finds the folder of repositories with these roots, which are absolute. Where there is none,
    /// because they are on different drives, it is empty and the paths are absolute.
    pub fn new(roots: &[&Path]) -> WorkspacePaths {
        let mut root = roots.first().map(|root| root.to_path_buf()).unwrap_or_default();
        // Repositories of a cluster have the same names in every answer.
        if StoredTree::is_root(&root) {
            root = StoredTree::roots();
        }
        while !roots.iter().all(|other| other.starts_with(&root)) && root.pop() {}
        let is_common = roots.iter().all(|other| other.starts_with(&root));
        let root = if is_common { root } else { PathBuf::new() };
        let prefix = |path: &&Path| {
            let inside = path.strip_prefix(&root).unwrap_or(path);
            let names = inside.components().filter(|part| *part != Component::RootDir);
            let names: Vec<_> =
                names.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            names.join("/")
        };
        let prefixes = roots.iter().map(prefix).collect();
        WorkspacePaths { root, prefixes }
    }

    /// Name of a repository: its path from the folder, or the name of that folder. If another one has
    /// that name, `.` for the folder.
    pub fn name(&self, member: usize) -> String {
        let prefix = &self.prefixes[member];
        if !prefix.is_empty() {
            return prefix.clone();
        }
        let name = self.root.file_name().map(|name| name.to_string_lossy().into_owned());
        name.filter(|name| !self.prefixes.contains(name)).unwrap_or_else(|| ".".to_owned())
    }

    /// The repository of a path from the folder, and the path inside it. Of repositories inside each
    /// other, the innermost.
    pub fn locate<'p>(&self, path: &'p str) -> Option<(usize, &'p str)> {
        let inside = |prefix: &String| match prefix.as_str() {
            "" => Some(path),
            prefix => match path.strip_prefix(prefix)? {
                "" => Some(""),
                rest => rest.strip_prefix('/'),
            },
        };
        let found = self.prefixes.iter().enumerate();
        let found = found.filter_map(|(member, prefix)| Some((member, prefix, inside(prefix)?)));
        let innermost = found.max_by_key(|(_, prefix, _)| prefix.len());
        innermost.map(|(member, _, rest)| (member, rest))
    }

    /// The path from the folder of a path in a repository.
    pub fn join(&self, member: usize, path: &str) -> String {
        match self.prefixes[member].as_str() {
            "" => path.to_owned(),
            prefix => format!("{prefix}/{path}"),
        }
    }

    /// The id of a document or hit with its path from the folder. Ids of commits have no path.
    fn join_id(&self, member: usize, id: &str, has_path: bool) -> String {
        match id.split_once(':') {
            Some((source, rest)) if has_path => format!("{source}:{}", self.join(member, rest)),
            _ => id.to_owned(),
        }
    }
}

/// Answers a search over several repositories, as they are now. `paths` has the place of each.
/// `skipped` has a warning for each repository that could not be opened. A repository that cannot be
/// searched is named in a warning.
///
/// # Errors
/// When the query is invalid, or no repository can be searched.
pub fn search_workspace(
    paths: &WorkspacePaths,
    members: &[WorkspaceMember<'_>],
    skipped: &[String],
    progress: &dyn Progress,
) -> Result<SearchResponse, EngineError> {
    let started = Instant::now();
    let limits = members.iter().map(|member| member.engine.config.limits.max_hits());
    let max_hits = limits.min().unwrap_or(usize::MAX);
    let mut warnings = Vec::new();
    let mut requests: Vec<SearchRequest> =
        members.iter().map(|member| member.request.clone()).collect();
    for (at, request) in requests.iter_mut().enumerate() {
        request.limit = request.limit.min(max_hits);
        let cut = request.cut_query();
        warnings.extend(cut.filter(|_| at == 0));
    }
    let is_separate = requests.iter().any(is_separate);
    let answers = if is_separate {
        separately(members, &requests, progress)
    } else {
        together(members, &requests, progress)?
    };
    let limit = requests.first().map_or(0, |request| request.limit);
    let mut response = Merge { paths, members }.merge(answers, limit)?;
    response.receipt.exhaustive &= skipped.is_empty();
    response.warnings.splice(0..0, skipped.iter().cloned().chain(warnings));
    response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(response)
}

/// Returns true for requests that each repository answers by itself: patterns, pasted texts, which
/// are several queries, and hits that lead to others.
fn is_separate(request: &SearchRequest) -> bool {
    request.pattern.is_some()
        || request.hops > 0
        || crate::query::pasted::is_pasted(&request.query, is_built_in_field)
        || is_ambiguous(request)
}

/// Searches with one list over all repositories.
fn together(
    members: &[WorkspaceMember<'_>],
    requests: &[SearchRequest],
    progress: &dyn Progress,
) -> Result<Answers, EngineError> {
    let several: Vec<Member<'_>> = members
        .iter()
        .zip(requests)
        .map(|(member, request)| Member {
            config: &member.engine.config,
            request,
            follow_ups: &member.engine.follow_ups,
        })
        .collect();
    let threads = threads(members.iter().map(|member| member.engine));
    let answers = several::search(&several, threads, progress)?;
    let is_damaged = |answer: &&Result<SearchResponse, EngineError>| {
        matches!(answer, Err(EngineError::Index(IndexError::Damaged { .. })))
    };
    if !answers.responses.iter().any(|answer| is_damaged(&answer)) {
        return Ok(answers);
    }
    for ((member, request), answer) in members.iter().zip(requests).zip(&answers.responses) {
        if is_damaged(&answer) {
            // A search of one repository repairs its index. If it fails, so does the next one.
            let _ = member.engine.search(request, progress);
        }
    }
    several::search(&several, threads, progress)
}

/// Searches each repository by itself. The hits are ordered by their scores, then by their dates.
fn separately(
    members: &[WorkspaceMember<'_>],
    requests: &[SearchRequest],
    progress: &dyn Progress,
) -> Answers {
    let search = |(member, request): (&WorkspaceMember<'_>, &SearchRequest)| {
        member.engine.search(request, progress)
    };
    let responses: Vec<_> = members.iter().zip(requests).map(search).collect();
    let mut order: Vec<(&Hit, usize)> = Vec::new();
    for (member, response) in responses.iter().enumerate() {
        order.extend(response.iter().flat_map(|response| &response.hits).map(|hit| (hit, member)));
    }
    // Stable: the hits of a repository keep their order among equals.
    order.sort_by(|(left, _), (right, _)| best_first(left, right));
    let order: Vec<usize> = order.into_iter().map(|(_, member)| member).collect();
    let first = order.first().and_then(|member| responses[*member].as_ref().ok());
    let confidence = first.and_then(|first| first.receipt.confidence.clone());
    let mut found = responses.iter().flatten().filter(|response| !response.hits.is_empty());
    let is_weak = found.all(|response| response.receipt.weak);
    let weakness = first.filter(|_| is_weak).and_then(|first| first.absence.clone());
    Answers { responses, order, weakness, confidence }
}

fn best_first(left: &Hit, right: &Hit) -> Ordering {
    right.score.total_cmp(&left.score).then_with(|| right.date.cmp(&left.date))
}

/// Makes one answer of those of the repositories.
struct Merge<'a> {
    paths: &'a WorkspacePaths,
    members: &'a [WorkspaceMember<'a>],
}

impl Merge<'_> {
    fn merge(&self, answers: Answers, limit: usize) -> Result<SearchResponse, EngineError> {
        let Answers { responses, order, weakness, confidence } = answers;
        let mut problems = Vec::new();
        let mut found = BTreeMap::new();
        for (member, response) in responses.into_iter().enumerate() {
            match response {
                Ok(response) => drop(found.insert(member, response)),
                Err(error) => problems.push((member, error)),
            }
        }
        if found.is_empty() {
            return Err(problems.pop().map_or(EngineError::EmptyQuery, |(_, error)| error));
        }
        let mut merged = self.first_receipt(&found);
        if let Some(first) = order.first().and_then(|member| found.get_mut(member)) {
            merged.follow_ups = std::mem::take(&mut first.follow_ups);
        }
        for (member, error) in &problems {
            let name = self.paths.name(*member);
            merged.warnings.push(format!("`{name}` is not searched: {error}"));
        }
        let mut hits: BTreeMap<usize, std::vec::IntoIter<Hit>> = BTreeMap::new();
        for (member, response) in &mut found {
            hits.insert(*member, std::mem::take(&mut response.hits).into_iter());
        }
        // Hits that others lead to, or whose files vanished, make the lists longer or shorter.
        let places = order.into_iter().chain(hits.keys().copied().collect::<Vec<_>>());
        for member in places {
            if merged.hits.len() < limit
                && let Some(hit) = hits.get_mut(&member).and_then(Iterator::next)
            {
                merged.hits.push(self.shown(member, merged.hits.len() + 1, hit));
            }
        }
        for (member, response) in found {
            self.add(member, response, &mut merged);
        }
        let receipt = &mut merged.receipt;
        let shown: usize = merged.hits.iter().map(|hit| 1 + hit.also_found_in.len()).sum();
        receipt.exhaustive &= problems.is_empty() && receipt.total <= shown as u64;
        if !merged.hits.is_empty() {
            receipt.confidence = confidence;
            receipt.weak = weakness.is_some();
            merged.absence = weakness;
        }
        Ok(merged)
    }

    /// An answer without hits, with the properties that are the same in all repositories.
    fn first_receipt(&self, found: &BTreeMap<usize, SearchResponse>) -> SearchResponse {
        let first = found.values().next();
        let semantic = first.map(|response| response.receipt.semantic.clone()).unwrap_or_default();
        SearchResponse {
            query: first.map(|response| response.query.clone()).unwrap_or_default(),
            hits: Vec::new(),
            receipt: Receipt { semantic, ..empty_receipt(self.paths) },
            absence: None,
            follow_ups: Vec::new(),
            holders: None,
            facets: None,
            warnings: Vec::new(),
        }
    }

    /// A hit as the common answer shows it.
    fn shown(&self, member: usize, rank: usize, hit: Hit) -> Hit {
        let has_path = hit.path.is_some();
        let id = self.paths.join_id(member, &hit.id, has_path);
        let also = hit.also_found_in.iter();
        let also_found_in = also.map(|id| self.paths.join_id(member, id, has_path)).collect();
        Hit {
            rank,
            id,
            path: hit.path.as_deref().map(|path| self.paths.join(member, path)),
            repository: Some(self.paths.name(member)),
            also_found_in,
            ..hit
        }
    }

    /// Adds everything but the hits of the answer of a repository.
    fn add(&self, member: usize, response: SearchResponse, merged: &mut SearchResponse) {
        let name = self.paths.name(member);
        let SearchResponse { receipt, absence, holders, facets, warnings, .. } = response;
        let hits = merged.hits.iter().filter(|hit| hit.repository.as_ref() == Some(&name)).count();
        let engine = self.members[member].engine;
        add_receipt(&mut merged.receipt, name.clone(), engine, receipt, hits);
        if let Some(absence) = absence {
            add_absence(merged.absence.get_or_insert_default(), absence);
        }
        if let Some(holders) = holders {
            self.add_holders(member, merged.holders.get_or_insert_default(), holders);
        }
        if let Some(facets) = facets {
            add_facets(merged.facets.get_or_insert_default(), facets);
        }
        for warning in warnings {
            let line = format!("{name}: {warning}");
            if self.members.len() == 1 {
                merged.warnings.push(warning);
            } else {
                merged.warnings.push(line);
            }
        }
    }

    /// Adds the files of a repository that contain the words.
    fn add_holders(&self, member: usize, all: &mut Holders, more: Holders) {
        for word in more.words {
            match all.words.iter_mut().find(|known| known.word == word.word) {
                Some(known) => known.documents += word.documents,
                None => all.words.push(word),
            }
        }
        let files = more.files.into_iter().map(|mut file| {
            if !file.path.is_empty() {
                file.path = self.paths.join(member, &file.path);
            }
            file
        });
        all.files.extend(files);
        all.unit = more.unit;
        all.unseen += more.unseen;
    }
}

/// Number of repositories that are searched at a time: as many as the settings say, or all that wait for a
/// cluster.
fn threads<'a>(engines: impl Iterator<Item = &'a Engine>) -> usize {
    let mut engines = engines.peekable();
    let threads = engines.peek().map_or(1, |engine| engine.config.threads);
    threads.max(engines.filter(|engine| engine.is_stored()).count())
}

/// The receipt of an answer without repositories.
fn empty_receipt(paths: &WorkspacePaths) -> Receipt {
    Receipt { check: TreeCheck::Watched, ..Receipt::new(paths.root.clone()) }
}

/// Adds the receipt of a repository with this number of hits.
fn add_receipt(all: &mut Receipt, name: String, engine: &Engine, receipt: Receipt, hits: usize) {
    all.repositories.push(RepositoryReceipt {
        name,
        root: engine.config.root.clone(),
        tree: receipt.tree,
        fresh: receipt.fresh,
        documents: receipt.sources.values().map(|source| source.documents).sum(),
        total: receipt.total,
        hits: hits as u64,
    });
    all.fresh = all.fresh.and(receipt.fresh);
    all.check = all.check.min(receipt.check);
    all.exhaustive &= receipt.fresh == Freshness::Verified;
    all.total += receipt.total;
    all.matched_all += receipt.matched_all;
    for (source, report) in receipt.sources {
        all.exhaustive &= !report.has_unreadable();
        let sum = all.sources.entry(source).or_default();
        sum.documents += report.documents;
        for (reason, count) in report.skipped {
            *sum.skipped.entry(reason).or_default() += count;
        }
    }
    let new = receipt.expanded.into_iter().filter(|new| !all.expanded.contains(new));
    all.expanded.extend(new.collect::<Vec<_>>());
    let new = receipt.corrected.into_iter().filter(|new| !all.corrected.contains(new));
    all.corrected.extend(new.collect::<Vec<_>>());
    all.semantic_fallback = all.semantic_fallback.take().or(receipt.semantic_fallback);
    all.graph = all.graph.take().or(receipt.graph);
}

/// Adds the explanation of a repository. A word is unknown only if no repository contains it.
fn add_absence(all: &mut Absence, more: Absence) {
    let is_first = *all == Absence::default();
    for reason in more.reasons {
        if all.reasons.len() < MAX_REASONS && !all.reasons.contains(&reason) {
            all.reasons.push(reason);
        }
    }
    for name in more.nearest {
        if all.nearest.len() < MAX_REASONS && !all.nearest.contains(&name) {
            all.nearest.push(name);
        }
    }
    if is_first {
        all.unknown_words = more.unknown_words;
    } else {
        all.unknown_words.retain(|word| more.unknown_words.contains(word));
    }
    for loss in more.filters {
        let is_same =
            |known: &&mut crate::FilterLoss| known.name == loss.name && known.values == loss.values;
        match all.filters.iter_mut().find(is_same) {
            Some(known) => known.removed += loss.removed,
            None => all.filters.push(loss),
        }
    }
}

/// Adds the counts of a repository.
fn add_facets(all: &mut Facets, more: Facets) {
    all.counted += more.counted;
    let lists = [
        (&mut all.sources, more.sources),
        (&mut all.languages, more.languages),
        (&mut all.kinds, more.kinds),
        (&mut all.statuses, more.statuses),
        (&mut all.authors, more.authors),
        (&mut all.dates, more.dates),
    ];
    for (all, more) in lists {
        for value in more {
            match all.iter_mut().find(|known| known.value == value.value) {
                Some(known) => known.count += value.count,
                None => all.push(value),
            }
        }
        // Stable: equal counts stay in the order of the repositories.
        all.sort_by_key(|value| std::cmp::Reverse(value.count));
    }
    all.dated.extend(more.dated);
    all.dated.sort_unstable();
    all.dated.dedup();
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::WorkspacePaths;

    fn paths(roots: &[&str]) -> WorkspacePaths {
        WorkspacePaths::new(&roots.iter().map(Path::new).collect::<Vec<_>>())
    }

    #[test]
    fn the_folder_of_a_workspace_is_the_nearest_common_one() {
        let found = paths(&["/home/a/one", "/home/a/group/two"]);
        assert_eq!(found.root, PathBuf::from("/home/a"));
        assert_eq!(found.prefixes, ["one", "group/two"]);
        assert_eq!(found.join(1, "src/x.rs"), "group/two/src/x.rs");
        assert_eq!(found.locate("group/two/src/x.rs"), Some((1, "src/x.rs")));
        assert_eq!(found.locate("group/two"), Some((1, "")));
        assert_eq!(found.locate("group/twofold/x.rs"), None);
        assert_eq!(paths(&["/home/a", "/srv/b"]).prefixes, ["home/a", "srv/b"]);
    }

    #[test]
    fn a_repository_may_contain_another_one() {
        let found = paths(&["/home/a", "/home/a/inner"]);
        assert_eq!((found.name(0).as_str(), found.name(1).as_str()), ("a", "inner"));
        assert_eq!(found.locate("x.rs"), Some((0, "x.rs")));
        assert_eq!(found.locate("inner/x.rs"), Some((1, "x.rs")));
        assert_eq!(paths(&["/home/a"]).name(0), "a");
        let same = paths(&["/home/a", "/home/a/a"]);
        assert_eq!((same.name(0).as_str(), same.name(1).as_str()), (".", "a"));
    }
}
