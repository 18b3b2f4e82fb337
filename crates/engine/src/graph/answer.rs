//! Answers symbol and graph requests: brings the index up to date, queries it and describes the
//! result.

use std::collections::{HashMap, HashSet};

use lore_index::{DocumentId, IndexError};
use lore_schema::{Filter, SymbolKind, Visibility};

use super::{
    code_graph::{CodeGraph, Definition, SOURCES},
    research::{Findings, research},
    symbols::{file_symbols, find_symbols},
};
use crate::{
    Absence, EngineConfig, EngineError, GraphEdge, IndexMode, Progress, ResearchRequest,
    ResearchResponse, SymbolHit, SymbolMatch, SymbolRequest, SymbolResponse,
    response::id::symbol_id,
    state::{refresh, snapshot::Snapshot},
};

/// Maximum number of similar names to suggest in an empty answer.
const NEAREST: usize = 3;

/// Maximum number of unparsed files to name.
const MAX_UNPARSED: usize = 50;

/// Maximum number of files that are read for the lines of edges.
const MAX_FILES_WITH_LINES: usize = 200;

/// Maximum length of the line of an edge, in characters.
const MAX_LINE_CHARS: usize = 200;

/// Finds definitions by name.
pub(crate) fn symbols(
    config: &EngineConfig,
    request: &SymbolRequest,
    progress: &dyn Progress,
) -> Result<SymbolResponse, EngineError> {
    not_blank(request)?;
    let snapshot = refresh::take(config, SOURCES, IndexMode::Update, progress)?;
    symbols_in(&snapshot, config, request)
}

/// Finds definitions by name in a snapshot.
pub(crate) fn symbols_in(
    snapshot: &Snapshot,
    config: &EngineConfig,
    request: &SymbolRequest,
) -> Result<SymbolResponse, EngineError> {
    not_blank(request)?;
    answer_symbols(snapshot, config, request, "definition matches", |graph, admitted| {
        // A filter drops some of the results, so more are looked up. Without a filter, one more
        // than the limit shows whether there are more.
        let wanted = if request.filter.is_empty() { request.limit + 1 } else { usize::MAX };
        let found = find_symbols(graph, &request.query, wanted)?;
        Ok(found
            .into_iter()
            .filter(|(definition, _)| admits(&request.filter, admitted, definition))
            .map(|(definition, how)| (definition, Some(how)))
            .collect())
    })
}

/// Lists the definitions in files.
pub(crate) fn file(
    config: &EngineConfig,
    request: &SymbolRequest,
    progress: &dyn Progress,
) -> Result<SymbolResponse, EngineError> {
    not_blank(request)?;
    definitions(config, request, progress)
}

/// Like `file`, but an empty fragment matches every file.
pub(crate) fn definitions(
    config: &EngineConfig,
    request: &SymbolRequest,
    progress: &dyn Progress,
) -> Result<SymbolResponse, EngineError> {
    let what = "file with definitions has a path containing";
    let snapshot = refresh::take(config, SOURCES, IndexMode::Update, progress)?;
    answer_symbols(&snapshot, config, request, what, |graph, _| {
        let filter = Filter { kinds: Vec::new(), ..request.filter.clone() };
        let all = request.filter.kinds.is_empty();
        let wanted = if all { request.limit + 1 } else { usize::MAX };
        let found = file_symbols(graph, &request.query, &filter, wanted)?;
        Ok(found
            .into_iter()
            .filter(|definition| admits(&request.filter, None, definition))
            .map(|definition| (definition, None))
            .collect())
    })
}

fn not_blank(request: &SymbolRequest) -> Result<(), EngineError> {
    if request.query.trim().is_empty() { Err(EngineError::EmptyQuery) } else { Ok(()) }
}

type FoundSymbols = Vec<(Definition, Option<SymbolMatch>)>;

fn answer_symbols(
    snapshot: &Snapshot,
    config: &EngineConfig,
    request: &SymbolRequest,
    what: &str,
    find: impl Fn(&CodeGraph<'_>, Option<&HashSet<DocumentId>>) -> Result<FoundSymbols, IndexError>,
) -> Result<SymbolResponse, EngineError> {
    let graph = snapshot.graph();
    let admitted = admitted(&graph, &request.filter)?;
    let mut found = find(&graph, admitted.as_ref())?;
    found.retain(|(definition, _)| {
        !snapshot.sources.iter().any(|source| source.is_pending(&definition.file.path))
    });
    let total = found.len() as u64 + u64::from(graph.was_cut());
    found.truncate(request.limit);
    let mut hits = Vec::with_capacity(found.len());
    for (definition, how) in &found {
        let mut hit = describe(definition, *how);
        hit.doc_comment = documentation(&graph, definition)?;
        hits.push(hit);
    }
    let absence = hits.is_empty().then(|| Absence {
        reasons: vec![if request.filter.is_empty() {
            format!("no {what} `{}`", request.query)
        } else {
            format!("no {what} `{}` within the filter", request.query)
        }],
        ..Absence::default()
    });
    let receipt = snapshot.receipt(config, total, total, hits.len() as u64);
    Ok(SymbolResponse {
        query: request.query.clone(),
        hits,
        receipt,
        absence,
        warnings: snapshot.warnings.clone(),
    })
}

/// Answers a question about the graph.
pub(crate) fn graph(
    config: &EngineConfig,
    request: &ResearchRequest,
    progress: &dyn Progress,
) -> Result<ResearchResponse, EngineError> {
    let snapshot = refresh::take(config, SOURCES, IndexMode::Update, progress)?;
    Ok(answer_graph(&snapshot, config, request)?)
}

/// Answers a question about the graph of a snapshot.
pub(crate) fn answer_graph(
    snapshot: &Snapshot,
    config: &EngineConfig,
    request: &ResearchRequest,
) -> Result<ResearchResponse, IndexError> {
    let graph = snapshot.graph();
    let admitted = admitted(&graph, &request.filter)?;
    let mut findings = research(&graph, request, admitted)?;
    findings.finish();
    let absence =
        if findings.edges.is_empty() { Some(explain(&graph, request, &findings)?) } else { None };
    let unparsed = graph
        .listing(&Filter::default())?
        .into_iter()
        .filter(|listed| listed.fell_back)
        .take(MAX_UNPARSED)
        .map(|listed| listed.path.to_owned())
        .collect();
    let shown = findings.edges.len() as u64;
    let is_cut = findings.is_cut || graph.was_cut();
    let total = shown + u64::from(is_cut);
    let receipt = snapshot.receipt(config, total, total, shown);
    let lines = lines_of(&findings, config);
    let guesses = findings.guesses();
    Ok(ResearchResponse {
        lines,
        question: words(request),
        partly_parsed: findings.partly_parsed(),
        is_cut,
        subjects: findings.subjects,
        nodes: findings.nodes,
        edges: findings.edges,
        outside: findings.outside,
        guesses,
        unparsed,
        receipt,
        absence,
        warnings: snapshot.warnings.clone(),
    })
}

/// Returns the text of the line of each edge, without surrounding whitespace; `None` where an edge has no
/// line, and for the files after the first two hundred.
pub(super) fn lines_of(findings: &Findings, config: &EngineConfig) -> Vec<Option<String>> {
    let mut texts: HashMap<&str, Option<String>> = HashMap::new();
    let mut line_of = |edge: &GraphEdge| {
        let path = findings.nodes[edge.from].path.as_deref()?;
        let number = edge.line?;
        if !texts.contains_key(path) {
            let is_read = texts.len() < MAX_FILES_WITH_LINES;
            texts.insert(path, is_read.then(|| config.read_text(path).ok()).flatten());
        }
        let line = texts[path].as_deref()?.lines().nth(number as usize - 1)?.trim();
        let end = line.char_indices().nth(MAX_LINE_CHARS).map_or(line.len(), |(end, _)| end);
        Some(line[..end].to_owned())
    };
    findings.edges.iter().map(&mut line_of).collect()
}

/// Returns the identifiers of at most `limit` definitions with exactly this name and, if there is none, of
/// three with similar names.
pub(crate) fn ids_of_name(
    graph: &CodeGraph<'_>,
    name: &str,
    limit: usize,
) -> Result<(Vec<String>, Vec<String>), IndexError> {
    let found = find_symbols(graph, name, limit)?;
    let is_exact = |(_, matched): &(Definition, SymbolMatch)| *matched == SymbolMatch::Exact;
    let (exact, near): (Vec<_>, Vec<_>) = found.into_iter().partition(is_exact);
    let ids = |found: Vec<(Definition, SymbolMatch)>, limit: usize| {
        let ids = found.into_iter().take(limit);
        ids.map(|(definition, matched)| describe(&definition, Some(matched)).id).collect()
    };
    Ok((ids(exact, limit), ids(near, NEAREST)))
}

/// Returns the documents that a filter accepts; `None` for all.
pub(super) fn admitted(
    graph: &CodeGraph<'_>,
    filter: &Filter,
) -> Result<Option<HashSet<DocumentId>>, IndexError> {
    if filter.is_empty() {
        return Ok(None);
    }
    let listing = graph.listing(filter)?;
    Ok(Some(listing.into_iter().map(|listed| listed.id).collect()))
}

/// Returns true if a definition meets a filter.
fn admits(
    filter: &Filter,
    admitted: Option<&HashSet<DocumentId>>,
    definition: &Definition,
) -> bool {
    let kinds: Vec<SymbolKind> =
        filter.kinds.iter().filter_map(|name| SymbolKind::from_name(name)).collect();
    admitted.is_none_or(|admitted| admitted.contains(&definition.file.id))
        && (kinds.is_empty() || kinds.contains(&definition.symbol().kind))
}

/// Describes a definition, without its documentation comment.
pub(crate) fn describe(definition: &Definition, matched: Option<SymbolMatch>) -> SymbolHit {
    let (file, symbol) = (&definition.file, definition.symbol());
    let mut breadcrumb: Vec<String> = file
        .around(Some(definition.symbol))
        .filter(|index| *index != definition.symbol)
        .map(|index| file.symbol(index).name.clone())
        .collect();
    breadcrumb.reverse();
    if let Some(container) = &symbol.container
        && breadcrumb.last() != Some(container)
    {
        breadcrumb.push(container.clone());
    }
    SymbolHit {
        id: symbol_id(&format!("{}:{}", file.id.source, file.path), symbol),
        name: symbol.name.clone(),
        kind: symbol.kind.as_str(),
        visibility: match symbol.visibility {
            Visibility::Public => "public",
            Visibility::Private => "private",
            Visibility::Unknown => "unknown",
        },
        container: symbol.container.clone(),
        breadcrumb,
        path: file.path.clone(),
        line: symbol.line,
        start_line: symbol.start_line,
        end_line: symbol.end_line,
        language: Some(file.language.clone()).filter(|name| !name.is_empty()),
        signature: symbol.signature.clone(),
        doc_comment: None,
        conformances: symbol
            .conformances
            .iter()
            .map(|of| (of.kind.as_str(), of.name.clone()))
            .collect(),
        category: file.category.as_str(),
        matched,
    }
}

/// Returns the documentation comment of a definition, which is stored with its chunk.
pub(crate) fn documentation(
    graph: &CodeGraph<'_>,
    definition: &Definition,
) -> Result<Option<String>, IndexError> {
    let symbol = definition.symbol();
    let chunk = graph.declaring_chunk(definition)?;
    let own = chunk.into_iter().flat_map(|(_, chunk)| chunk.symbols).find(|own| {
        own.line == symbol.line && own.name == symbol.name && own.doc_comment.is_some()
    });
    Ok(own.and_then(|own| own.doc_comment))
}

/// Returns the question in normalized words: `callers of save`.
fn words(request: &ResearchRequest) -> String {
    let question = &request.question;
    let relation = question.relation.as_str();
    match (&question.subject, &question.object) {
        (Some(subject), Some(object)) => format!("{relation} from {subject} to {object}"),
        (Some(subject), None) => match question.relation {
            crate::Relation::References | crate::Relation::Related => {
                format!("{relation} to {subject}")
            }
            _ => format!("{relation} of {subject}"),
        },
        (None, _) => relation.to_owned(),
    }
}

/// Explains an answer without edges.
fn explain(
    graph: &CodeGraph<'_>,
    request: &ResearchRequest,
    findings: &Findings,
) -> Result<Absence, IndexError> {
    let question = &request.question;
    let mut absence = Absence::default();
    let unknown = match (&question.subject, &question.object) {
        (Some(subject), _) if findings.subjects.is_empty() => Some(subject),
        (_, Some(object)) if !findings.has_object => Some(object),
        _ => None,
    };
    match unknown {
        Some(name)
            if matches!(
                question.relation,
                crate::Relation::Dependencies | crate::Relation::Dependents
            ) =>
        {
            absence.reasons.push(format!("no file or directory is named `{name}`"));
        }
        Some(name) => {
            absence.reasons.push(format!("nothing in this tree defines `{name}`"));
            for (definition, _) in find_symbols(graph, name, NEAREST * 4)? {
                let near = &definition.symbol().name;
                if absence.nearest.len() < NEAREST && !absence.nearest.contains(near) {
                    absence.nearest.push(near.clone());
                }
            }
        }
        None => absence.reasons.push(match question.relation {
            crate::Relation::Path => "no call path was found".to_owned(),
            relation => format!("no {} were found", relation.as_str()),
        }),
    }
    if unknown.is_none() && question.relation == crate::Relation::Path && !request.guesses {
        absence
            .reasons
            .push("calls by name alone were not followed; `guesses` follows them".to_owned());
    }
    if findings.outside > 0 {
        absence
            .reasons
            .push(format!("{} names refer to definitions outside this tree", findings.outside));
    }
    if !request.filter.is_empty() {
        absence.reasons.push("the filter may exclude some".to_owned());
    }
    Ok(absence)
}

impl Snapshot {
    /// Returns the graph over the open sources that contain definitions.
    pub(crate) fn graph(&self) -> CodeGraph<'_> {
        let readers = self.sources.iter().map(|source| source.reader.as_ref());
        CodeGraph::new(readers.filter(|reader| SOURCES.contains(&reader.source())).collect())
    }
}
