//! `--regex` and `--literal`: scans every file of the tree as it is on disk. The index takes part
//! only if a filter depends on attributes of documents.

use std::{collections::HashSet, path::Path};

use lore_schema::{Filter, SkipReason, SourceName, Trust};
use lore_sources::{FileFilter, FileMatches, GrepResults, MatchedLine, Pattern, Tree, WalkOptions};

use crate::{
    Absence, EngineConfig, EngineError, Explanation, Hit, Holders, IndexMode, Match, Part,
    PatternKind, Progress, QueryError, Receipt, SearchRequest, SearchResponse, Snippet,
    SourceReport,
    answers::{absence::elsewhere::look_in, holders::Gathered},
    request::{MAX_LITERAL_BYTES, MAX_QUERY_BYTES},
    search::{parse, restrict::Restriction},
    state::{refresh, storage},
};

/// Maximum number of matches in a hit.
const MAX_MATCHES: usize = 5;

/// Number of matching lines that score one half.
const HALF: f32 = 5.0;

/// Scans every file.
pub(crate) fn search(
    config: &EngineConfig,
    request: &SearchRequest,
    kind: PatternKind,
    progress: &dyn Progress,
) -> Result<SearchResponse, EngineError> {
    if request.query.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let literal = kind == PatternKind::Literal;
    check_length(&request.query, literal)?;
    let pattern =
        Pattern::new(&request.query, literal, request.case_sensitive).map_err(|error| {
            EngineError::Query(Box::new(QueryError {
                query: request.query.clone(),
                message: format!("invalid regular expression: {}", error.message),
                span: error.span,
                hint: if error.message.contains("size limit") {
                    "reduce the number of repetitions"
                } else {
                    "put a `\\` before the character to search for it, or use `--literal`"
                },
            }))
        })?;
    // Files too large for the index are scanned as well.
    let options = WalkOptions { max_file_size: u64::MAX, ..storage::walk_options(config) };
    let tree = Tree::walk(&config.root, &options)?;
    let mut response = SearchResponse {
        query: request.query.clone(),
        hits: Vec::new(),
        receipt: Receipt { fresh: config.freshness(), ..Receipt::new(config.root.clone()) },
        absence: None,
        follow_ups: Vec::new(),
        holders: None,
        facets: None,
        warnings: Vec::new(),
    };
    // The commit is read in parallel with the files.
    let (files, head) = std::thread::scope(|scope| {
        let head = scope.spawn(|| config.tree_id(&tree));
        let files = grep(config, request, &pattern, &tree, progress, &mut response);
        (files, head.join().ok().and_then(|(name, _)| name))
    });
    let mut files = files?;
    response.receipt.tree = head;
    files.sort_by(|left, right| right.total.cmp(&left.total).then(left.path.cmp(&right.path)));
    let total = files.len() as u64;
    if request.extras.holders {
        response.holders = Some(holders(&files, request));
    }
    files.truncate(request.limit);
    // Lines are read only for shown hits; counting them is much cheaper.
    if request.snippet_lines > 0 {
        for file in files.iter_mut().filter(|file| file.source != SourceName::Git) {
            file.lines = lore_sources::matching_lines(&tree, &file.path, &pattern, MAX_MATCHES);
        }
    }
    response.hits = files
        .into_iter()
        .enumerate()
        .map(|(index, file)| hit(index + 1, file, &tree, &pattern, request, kind))
        .filter(|hit| hit.score >= request.min_score)
        .collect();
    response.receipt.total = total;
    response.receipt.matched_all = total;
    response.receipt.exhaustive = total <= response.hits.len() as u64
        && !tree.skipped().contains_key(&SkipReason::Unreadable)
        && !response.receipt.sources.values().any(SourceReport::has_unreadable);
    if response.hits.is_empty() {
        response.absence = Some(absence(config, request, &pattern, &tree, total, &response));
    }
    Ok(response)
}

/// Refuses patterns that take too long to prepare.
fn check_length(pattern: &str, literal: bool) -> Result<(), EngineError> {
    let (max, what) =
        if literal { (MAX_LITERAL_BYTES, "text") } else { (MAX_QUERY_BYTES, "regular expression") };
    if pattern.len() <= max {
        return Ok(());
    }
    let start = pattern.floor_char_boundary(80);
    Err(EngineError::Query(Box::new(QueryError {
        query: format!("{}…", &pattern[..start]),
        message: format!(
            "the {what} has {} bytes, and at most {max} can be searched",
            pattern.len()
        ),
        span: 0..start,
        hint: "search for a part of it that is rare, such as one line",
    })))
}

/// Returns all matching files, with the number of their lines.
fn holders(files: &[FileMatches], request: &SearchRequest) -> Holders {
    let mut gathered = Gathered::new(1);
    for file in files {
        // Commits have hashes instead of paths.
        let path = if file.source == SourceName::Git { "" } else { &file.path };
        gathered.add(file.source, path, 1, file.total);
    }
    gathered.finish(vec![request.query.clone()], "line", 0)
}

/// Explains an empty answer: the filters exclude the matches, or they are in files that are not
/// searched.
fn absence(
    config: &EngineConfig,
    request: &SearchRequest,
    pattern: &Pattern,
    tree: &Tree,
    total: u64,
    response: &SearchResponse,
) -> Absence {
    let mut absence = Absence::default();
    let what = if request.pattern == Some(PatternKind::Literal) { "text" } else { "expression" };
    if total > 0 {
        let minimum = request.min_score;
        absence
            .reasons
            .push(format!("the {what} was found, but with no score of {minimum} or more"));
        return absence;
    }
    let searched: u64 = response.receipt.sources.values().map(|report| report.documents).sum();
    absence.reasons.push(format!("the {what} is in none of the {searched} files searched"));
    let excluded = if request.filter.sources.is_empty()
        && request.filter.is_empty()
        && request.attributes.is_empty()
    {
        0
    } else {
        lore_sources::grep(tree, pattern, config.threads, 0, &FileFilter::Paths(&|_| true))
            .files
            .len()
    };
    match excluded {
        0 => {}
        1 => absence.reasons.push("one file contains it, but the filters exclude it".to_owned()),
        count => absence
            .reasons
            .push(format!("{count} files contain it, but the filters exclude all of them")),
    }
    if request.pattern == Some(PatternKind::Literal) && request.extras.elsewhere {
        let is_searched = |path: &str| tree.entry(path).is_some();
        look_in(config, tree, &is_searched, &[&request.query], &mut absence);
    }
    absence
}

/// Returns the files and commits that match and meet the filters.
fn grep(
    config: &EngineConfig,
    request: &SearchRequest,
    pattern: &Pattern,
    tree: &Tree,
    progress: &dyn Progress,
    response: &mut SearchResponse,
) -> Result<Vec<FileMatches>, EngineError> {
    let filter = &request.filter;
    let of_paths = lore_index::PathFilter::new(&filter.paths, &filter.excludes);
    let documents = if asks_of_documents(request) {
        Some(documents(config, request, progress, response)?)
    } else {
        None
    };
    let is_language = |path: &str| {
        filter.languages.is_empty()
            || lore_syntax::detect(path, "")
                .is_some_and(|language| filter.languages.iter().any(|name| name == language.name))
    };
    let of_path = |path: &str| {
        of_paths.admits(path)
            && is_language(path)
            && documents.as_ref().is_none_or(|paths| paths.contains(path))
    };
    let of_source =
        |source: SourceName, path: &str| filter.sources.contains(&source) && of_path(path);
    let admit = if filter.sources.is_empty() {
        FileFilter::Paths(&of_path)
    } else {
        FileFilter::Sources(&of_source)
    };
    let GrepResults { mut files, sources } =
        lore_sources::grep(tree, pattern, config.threads, 0, &admit);
    for (source, documents, skipped) in sources {
        response.receipt.sources.insert(source, SourceReport { documents, skipped });
    }
    if filter.sources.contains(&SourceName::Git) {
        files.extend(commits(config, request, pattern, progress, response)?);
    }
    Ok(files)
}

/// Returns true if a filter depends on more than the path.
fn asks_of_documents(request: &SearchRequest) -> bool {
    let filter = &request.filter;
    !request.attributes.is_empty()
        || !filter.kinds.is_empty()
        || !filter.categories.is_empty()
        || !filter.parts.is_empty()
        || !filter.without.is_empty()
        || !filter.parts.is_empty()
        || filter.since.is_some()
        || filter.until.is_some()
}

/// Returns the paths of the documents that meet the filters.
fn documents(
    config: &EngineConfig,
    request: &SearchRequest,
    progress: &dyn Progress,
    response: &mut SearchResponse,
) -> Result<HashSet<String>, EngineError> {
    let sources = &request.filter.sources;
    let mut snapshot = refresh::take(config, sources, IndexMode::Update, progress)?;
    let conditions = request.clone().with_query("");
    let parsed = parse::parse_filters(&conditions, &mut snapshot, config)?;
    let mut paths = HashSet::new();
    for source in &snapshot.sources {
        let reader = source.reader.as_ref();
        let shape = parsed.plan.query.shape;
        let (listed, filter) = (Some((source, &*snapshot.tree)), &parsed.filter);
        let restriction = Restriction { config, reader, listed, filter, shape };
        let within = restriction.apply(parsed.condition.as_ref())?;
        let listing = reader.listing(&parsed.filter)?;
        let listing = listing.iter().filter(|listed| within.contains(listed.id));
        paths.extend(listing.map(|listed| listed.path.to_owned()));
    }
    response.warnings.append(&mut snapshot.warnings);
    Ok(paths)
}

/// Returns the commits whose message or list of files matches.
fn commits(
    config: &EngineConfig,
    request: &SearchRequest,
    pattern: &Pattern,
    progress: &dyn Progress,
    response: &mut SearchResponse,
) -> Result<Vec<FileMatches>, EngineError> {
    let mut snapshot = refresh::take(config, &[SourceName::Git], IndexMode::Update, progress)?;
    let conditions = request.clone().with_query("");
    let parsed = parse::parse_filters(&conditions, &mut snapshot, config)?;
    let filter = Filter { sources: Vec::new(), ..parsed.filter.clone() };
    let mut found = Vec::new();
    for source in &snapshot.sources {
        let reader = source.reader.as_ref();
        let shape = parsed.plan.query.shape;
        let (listed, filter) = (Some((source, &*snapshot.tree)), &filter);
        let restriction = Restriction { config, reader, listed, filter, shape };
        let within = restriction.apply(parsed.condition.as_ref())?;
        let listing = reader.listing(filter)?;
        let ids: Vec<_> =
            listing.iter().map(|listed| listed.id).filter(|id| within.contains(*id)).collect();
        for document in reader.documents(&ids)? {
            let text = document.text.as_deref().unwrap_or_default();
            let (lines, total) = pattern.matching_lines_in(text, MAX_MATCHES);
            if total > 0 {
                let path = document.key.locator;
                found.push(FileMatches { source: SourceName::Git, path, lines, total });
            }
        }
        let report = SourceReport { documents: ids.len() as u64, ..SourceReport::default() };
        response.receipt.sources.insert(SourceName::Git, report);
    }
    response.warnings.append(&mut snapshot.warnings);
    Ok(found)
}

fn hit(
    rank: usize,
    file: FileMatches,
    tree: &Tree,
    pattern: &Pattern,
    request: &SearchRequest,
    kind: PatternKind,
) -> Hit {
    let FileMatches { source, path, lines, total } = file;
    let is_commit = source == SourceName::Git;
    // Requests without snippets want paths, and there may be many.
    let text = if is_commit || request.snippet_lines == 0 {
        String::new()
    } else {
        tree.read_text(&path).unwrap_or_default()
    };
    let category = lore_syntax::categorize(&path, &text);
    // A path outside the tree is an export named by the user.
    let trust = if Path::new(&path).is_absolute() { Trust::Outside } else { Trust::Own };
    let first = lines.first().map_or(1, |line| line.number);
    let snippet = snippet(&text, &lines, pattern, request);
    let name = Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned());
    let matches: Vec<Match> = lines.iter().map(place).collect();
    let total_matches = usize::try_from(total).unwrap_or(usize::MAX);
    let value = total as f32 / (total as f32 + HALF);
    let part = Part { name: "matching-lines", value, weight: 1.0, contribution: value };
    let last = lines.last().map_or(first, |line| line.number);
    Hit {
        rank,
        id: format!("{source}:{path}"),
        source,
        format: if is_commit { "git" } else { "files" }.to_owned(),
        kind: if is_commit { "commit" } else { "file" }.to_owned(),
        title: if is_commit { first_line(&lines) } else { name.unwrap_or_default() },
        repository: None,
        start_line: (!is_commit).then_some(first),
        end_line: (!is_commit).then_some(last),
        language: lore_syntax::detect(&path, &text).map(|language| language.name.to_owned()),
        breadcrumb: Vec::new(),
        signature: None,
        doc_comment: None,
        token_count: (snippet.text.len() as u64).div_ceil(4),
        category: category.as_str(),
        origin: trust.of(category),
        path: (!is_commit).then_some(path),
        status: None,
        priority: None,
        tags: Vec::new(),
        author: None,
        date: None,
        extra: Vec::new(),
        score: value,
        match_type: kind.as_str(),
        hops: 0,
        via: None,
        bm25_score: None,
        bm25_rank: None,
        semantic_score: None,
        semantic_rank: None,
        snippet,
        // The lines from the first to the last match are not a text of their own.
        body: None,
        matches,
        total_matches,
        is_composed: false,
        also_found_in: Vec::new(),
        links: Vec::new(),
        explanation: request.explain.then(|| Explanation { parts: vec![part] }),
    }
}

fn first_line(lines: &[MatchedLine]) -> String {
    lines.first().map(|line| line.text.trim().to_owned()).unwrap_or_default()
}

fn place(line: &MatchedLine) -> Match {
    Match {
        field: "content",
        text: line.text.clone(),
        line: Some(line.number),
        score: 1.0,
        highlights: scalars(&line.text, line),
    }
}

/// Returns the matches of a line as ranges of Unicode scalar values.
fn scalars(text: &str, line: &MatchedLine) -> Vec<(usize, usize)> {
    let count = |to: usize| text[..to].chars().count();
    line.ranges.iter().map(|range| (count(range.start), count(range.end))).collect()
}

/// Returns the lines from the first match on, with the requested context; only the matching line if
/// the file is too large to be read again.
fn snippet(
    text: &str,
    lines: &[MatchedLine],
    pattern: &Pattern,
    request: &SearchRequest,
) -> Snippet {
    let Some(first) = lines.first() else { return Snippet::default() };
    let found = usize::try_from(first.number.saturating_sub(1)).unwrap_or(usize::MAX);
    let from = found.saturating_sub(request.context_lines);
    let after = request.snippet_lines.max(1).saturating_add(request.context_lines);
    let shown: Vec<&str> =
        text.lines().skip(from).take((found - from).saturating_add(after)).collect();
    let alone = || Snippet {
        text: first.text.clone(),
        start_line: first.number,
        highlights: scalars(&first.text, first),
    };
    let is_long = shown.iter().any(|line| line.len() > first.text.len().max(1_000));
    if shown.is_empty() || is_long {
        return alone();
    }
    let joined = shown.join("\n");
    let (marked, _) = pattern.matching_lines_in(&joined, shown.len());
    let mut highlights = Vec::new();
    let mut starts = vec![0];
    for line in joined.split('\n') {
        starts.push(starts.last().copied().unwrap_or(0) + line.chars().count() + 1);
    }
    for line in &marked {
        let index = usize::try_from(line.number.saturating_sub(1)).unwrap_or(0);
        let start = starts.get(index).copied().unwrap_or(0);
        let marks = scalars(&line.text, line);
        highlights.extend(marks.into_iter().map(|(from, to)| (start + from, start + to)));
    }
    let before = u32::try_from(found - from).unwrap_or(u32::MAX);
    Snippet { text: joined, start_line: first.number.saturating_sub(before), highlights }
}
