//! The JSON of the web page: the answers of other commands, and those that it alone has.

use lore_console::dates;
use lore_engine::{
    Certainty, ChangedText, CommitView, EdgeKind, FacetValue, Facets, LineHistory, LineOrigin,
    PathCommit, PathCommits, RecordView, RelatedRecord, SymbolHit, WhyHop,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    HopWire, SCHEMA, SearchWire,
    graph::{SymbolWire, symbol},
    hop,
    owners::{LinkWire, links},
    search_wire,
};
use crate::output::Answer;

/// An answer as a value.
pub fn value(wire: &impl Serialize) -> Value {
    serde_json::to_value(wire).expect("every key is a string")
}

/// An error.
#[derive(Serialize, JsonSchema)]
pub struct ErrorWire<'a> {
    schema: u32,
    error: &'a str,
    hint: Option<&'a str>,
}

/// The wire form of an error.
pub fn error<'a>(error: &'a str, hint: Option<&'a str>) -> ErrorWire<'a> {
    ErrorWire { schema: SCHEMA, error, hint }
}

/// An answer to a search with counts of attributes.
#[derive(Serialize, JsonSchema)]
struct CountedWire<'a> {
    #[serde(flatten)]
    search: SearchWire<'a>,
    facets: Option<FacetsWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct FacetsWire<'a> {
    counted: u64,
    #[serde(rename = "in")]
    sources: Vec<FacetWire<'a>>,
    lang: Vec<FacetWire<'a>>,
    kind: Vec<FacetWire<'a>>,
    status: Vec<FacetWire<'a>>,
    author: Vec<FacetWire<'a>>,
    since: Vec<FacetWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct FacetWire<'a> {
    value: &'a str,
    count: u64,
}

/// The wire form of an answer with counts of attributes.
pub fn search(answer: &Answer<'_>) -> Value {
    let facets = answer.response.facets.as_ref().map(facets);
    value(&CountedWire { search: search_wire(answer), facets })
}

fn facets(facets: &Facets) -> FacetsWire<'_> {
    FacetsWire {
        counted: facets.counted,
        sources: counted(&facets.sources),
        lang: counted(&facets.languages),
        kind: counted(&facets.kinds),
        status: counted(&facets.statuses),
        author: counted(&facets.authors),
        since: counted(&facets.dates),
    }
}

fn counted(values: &[FacetValue]) -> Vec<FacetWire<'_>> {
    values.iter().map(|value| FacetWire { value: &value.value, count: value.count }).collect()
}

/// Paths of files.
#[derive(Serialize, JsonSchema)]
pub struct FilesWire<'a> {
    schema: u32,
    paths: &'a [String],
}

/// The wire form of paths of files.
pub fn files(paths: &[String]) -> FilesWire<'_> {
    FilesWire { schema: SCHEMA, paths }
}

/// A folder.
#[derive(Serialize, JsonSchema)]
pub struct FolderWire<'a> {
    schema: u32,
    path: &'a str,
    commit: Option<&'a str>,
    entries: Vec<EntryWire<'a>>,
}

/// A file, or a folder with the number of files in it.
#[derive(Serialize, JsonSchema)]
struct EntryWire<'a> {
    name: &'a str,
    kind: &'static str,
    files: Option<usize>,
}

/// The wire form of a folder. Entries are names, with the number of files in a folder.
pub fn folder<'a>(
    path: &'a str,
    commit: Option<&'a str>,
    entries: impl Iterator<Item = (&'a str, Option<usize>)>,
) -> FolderWire<'a> {
    let entries = entries
        .map(|(name, files)| EntryWire {
            name,
            kind: if files.is_some() { "folder" } else { "file" },
            files,
        })
        .collect();
    FolderWire { schema: SCHEMA, path, commit, entries }
}

/// A file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileWire<'a> {
    schema: u32,
    path: &'a str,
    language: Option<&'a str>,
    commit: Option<&'a str>,
    text: &'a str,
    definitions: Vec<SymbolWire<'a>>,
    governed_by: Vec<OwnerWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct OwnerWire<'a> {
    path: &'a str,
    title: &'a str,
}

/// The wire form of a file with its definitions and the specs that govern it: path and title.
pub fn file<'a>(
    path: &'a str,
    text: &'a str,
    language: Option<&'a str>,
    commit: Option<&'a str>,
    outline: &'a [SymbolHit],
    owners: &'a [(String, String)],
) -> FileWire<'a> {
    FileWire {
        schema: SCHEMA,
        path,
        language,
        commit,
        text,
        definitions: outline.iter().map(symbol).collect(),
        governed_by: owners.iter().map(|(path, title)| OwnerWire { path, title }).collect(),
    }
}

/// A commit of a file.
#[derive(Serialize, JsonSchema)]
struct PathCommitWire<'a> {
    hash: &'a str,
    date: Option<String>,
    author: &'a str,
    subject: &'a str,
    body: &'a str,
}

fn path_commit(commit: &PathCommit) -> PathCommitWire<'_> {
    PathCommitWire {
        hash: &commit.hash,
        date: commit.date.and_then(dates::rfc3339),
        author: &commit.author,
        subject: &commit.subject,
        body: &commit.body,
    }
}

/// The commits of a file or folder.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathHistoryWire<'a> {
    schema: u32,
    path: &'a str,
    page: usize,
    total: usize,
    is_whole: bool,
    commits: Vec<PathCommitWire<'a>>,
}

/// The wire form of the commits of a file or folder that are on a page.
pub fn history<'a>(
    path: &'a str,
    page: usize,
    history: &'a PathCommits,
    shown: &'a [PathCommit],
) -> PathHistoryWire<'a> {
    PathHistoryWire {
        schema: SCHEMA,
        path,
        page,
        total: history.commits.len(),
        is_whole: history.is_whole,
        commits: shown.iter().map(path_commit).collect(),
    }
}

/// The commits of the lines of a file. `lines` are positions in `commits`, null for a line without one;
/// `uncommitted` are the numbers of lines that are not committed, from 1.
#[derive(Serialize, JsonSchema)]
pub struct LinesWire<'a> {
    schema: u32,
    path: &'a str,
    commits: Vec<PathCommitWire<'a>>,
    lines: Vec<Option<usize>>,
    uncommitted: Vec<usize>,
    unknown: usize,
}

/// The wire form of the commits of lines.
pub fn lines<'a>(path: &'a str, history: &'a LineHistory) -> LinesWire<'a> {
    let lines = history.lines.iter();
    LinesWire {
        schema: SCHEMA,
        path,
        commits: history.commits.iter().map(path_commit).collect(),
        lines: lines
            .clone()
            .map(|origin| match origin {
                LineOrigin::Commit(commit) => Some(*commit),
                LineOrigin::Uncommitted | LineOrigin::Unknown => None,
            })
            .collect(),
        uncommitted: lines
            .enumerate()
            .filter(|(_, origin)| **origin == LineOrigin::Uncommitted)
            .map(|(index, _)| index + 1)
            .collect(),
        unknown: history.unknown(),
    }
}

/// A name in a file.
#[derive(Serialize, JsonSchema)]
pub struct NameWire<'a> {
    schema: u32,
    name: &'a str,
    certainty: Option<&'static str>,
    candidates: usize,
    definitions: Vec<SymbolWire<'a>>,
    uses: Vec<UseWire<'a>>,
    total: usize,
}

#[derive(Serialize, JsonSchema)]
struct UseWire<'a> {
    path: &'a str,
    line: u32,
    kind: &'static str,
    text: &'a str,
}

/// The wire form of a name with its definitions and uses: path, line, kind and text of the line.
pub fn name<'a>(
    name: &'a str,
    certainty: Option<Certainty>,
    definitions: &'a [SymbolHit],
    uses: impl Iterator<Item = (&'a str, u32, EdgeKind, &'a str)>,
    total: usize,
) -> NameWire<'a> {
    NameWire {
        schema: SCHEMA,
        name,
        certainty: certainty.map(Certainty::as_str),
        candidates: certainty.map_or(0, Certainty::candidates),
        definitions: definitions.iter().map(symbol).collect(),
        uses: uses
            .map(|(path, line, kind, text)| UseWire { path, line, kind: kind.as_str(), text })
            .collect(),
        total,
    }
}

/// Definitions of a name.
#[derive(Serialize, JsonSchema)]
pub struct DefinitionsWire<'a> {
    schema: u32,
    query: &'a str,
    results: Vec<SymbolWire<'a>>,
}

/// The wire form of the definitions of a name.
pub fn definitions<'a>(query: &'a str, hits: &'a [SymbolHit]) -> DefinitionsWire<'a> {
    DefinitionsWire { schema: SCHEMA, query, results: hits.iter().map(symbol).collect() }
}

/// A commit.
#[derive(Serialize, JsonSchema)]
pub struct CommitWire<'a> {
    schema: u32,
    hash: &'a str,
    parents: &'a [String],
    author: &'a str,
    committer: Option<&'a str>,
    date: Option<String>,
    subject: &'a str,
    body: &'a str,
    files: Vec<ChangedFileWire<'a>>,
    hops: Vec<HopWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedFileWire<'a> {
    path: &'a str,
    old_path: Option<&'a str>,
    is_removed: bool,
    skipped: Option<&'static str>,
    added: usize,
    removed: usize,
    hunks: Vec<HunkWire<'a>>,
}

/// Lines that were replaced: their first numbers before and after, 1-based, and their texts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HunkWire<'a> {
    old_start: usize,
    new_start: usize,
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
}

/// The wire form of a commit with the records that it is connected with.
pub fn commit<'a>(view: &'a CommitView, hops: &'a [WhyHop]) -> CommitWire<'a> {
    let details = &view.details;
    CommitWire {
        schema: SCHEMA,
        hash: &details.hash,
        parents: &details.parents,
        author: &details.author,
        committer: details.committer.as_deref(),
        date: details.date.and_then(dates::rfc3339),
        subject: &details.subject,
        body: &details.body,
        files: view.files.iter().map(changed_file).collect(),
        hops: hops.iter().map(hop).collect(),
    }
}

fn changed_file(file: &ChangedText) -> ChangedFileWire<'_> {
    let old: Vec<&str> = file.old.as_deref().unwrap_or_default().lines().collect();
    let new: Vec<&str> = file.new.as_deref().unwrap_or_default().lines().collect();
    let hunks = file
        .hunks
        .iter()
        .map(|(removed, added)| HunkWire {
            old_start: removed.start + 1,
            new_start: added.start + 1,
            removed: old.get(removed.clone()).unwrap_or_default().to_vec(),
            added: new.get(added.clone()).unwrap_or_default().to_vec(),
        })
        .collect();
    ChangedFileWire {
        path: &file.path,
        old_path: file.old_path.as_deref(),
        is_removed: file.is_removed,
        skipped: file.skipped.map(lore_schema::SkipReason::as_str),
        added: file.added(),
        removed: file.removed(),
        hunks,
    }
}

/// A ticket or spec.
#[derive(Serialize, JsonSchema)]
pub struct RecordWire<'a> {
    schema: u32,
    id: &'a str,
    source: &'static str,
    kind: &'a str,
    title: &'a str,
    path: &'a str,
    status: Option<&'a str>,
    priority: Option<&'a str>,
    assignee: Option<&'a str>,
    author: Option<&'a str>,
    tags: &'a [String],
    created: Option<String>,
    updated: Option<String>,
    extra: Vec<FieldWire<'a>>,
    text: &'a str,
    names: Vec<RelatedRecordWire<'a>>,
    #[serde(rename = "namedBy")]
    named_by: Vec<RelatedRecordWire<'a>>,
    governs: Vec<LinkWire<'a>>,
    hops: Vec<HopWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct FieldWire<'a> {
    name: &'a str,
    value: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct RelatedRecordWire<'a> {
    field: &'a str,
    id: &'a str,
    title: &'a str,
    status: Option<&'a str>,
}

/// The wire form of a ticket or spec with its text and the records that it is connected with.
pub fn record<'a>(record: &'a RecordView, text: &'a str, hops: &'a [WhyHop]) -> RecordWire<'a> {
    let attributes = &record.attributes;
    RecordWire {
        schema: SCHEMA,
        id: &record.id,
        source: record.source.as_str(),
        kind: &record.kind,
        title: &record.title,
        path: &record.path,
        status: attributes.status.as_deref(),
        priority: attributes.priority.as_deref(),
        assignee: attributes.assignee.as_deref(),
        author: attributes.author.as_deref(),
        tags: &attributes.tags,
        created: attributes.created.and_then(dates::rfc3339),
        updated: attributes.updated.and_then(dates::rfc3339),
        extra: attributes.extra.iter().map(|(name, value)| FieldWire { name, value }).collect(),
        text,
        names: record.named.iter().map(related).collect(),
        named_by: record.naming.iter().map(related).collect(),
        governs: links(&record.governs),
        hops: hops.iter().map(hop).collect(),
    }
}

fn related(record: &RelatedRecord) -> RelatedRecordWire<'_> {
    RelatedRecordWire {
        field: &record.field,
        id: &record.id,
        title: &record.title,
        status: record.status.as_deref(),
    }
}

/// Schemas of the answers, derived from their types.
pub mod schemas {
    use serde_json::Value;

    use super::super::{
        graph::ResearchWire, schema::answer_schema, suggest::SuggestWire, upkeep::StatusWire,
        why::WhyWire,
    };

    /// Defines a function for each schema.
    macro_rules! schemas {
        ($($(#[$doc:meta])* $name:ident => $wire:ty;)*) => {
            $($(#[$doc])* pub fn $name() -> Value { answer_schema::<$wire>() })*
        };
    }

    schemas! {
        /// An error.
        error => super::ErrorWire<'_>;
        /// An answer to a search.
        search => super::CountedWire<'_>;
        /// Paths of files.
        files => super::FilesWire<'_>;
        /// A folder.
        folder => super::FolderWire<'_>;
        /// A file.
        file => super::FileWire<'_>;
        /// The commits of a file.
        history => super::PathHistoryWire<'_>;
        /// The commits of lines.
        lines => super::LinesWire<'_>;
        /// A name in a file.
        name => super::NameWire<'_>;
        /// Definitions of a name.
        definitions => super::DefinitionsWire<'_>;
        /// A commit.
        commit => super::CommitWire<'_>;
        /// A ticket or spec.
        record => super::RecordWire<'_>;
        /// Edges of the graph.
        graph => ResearchWire<'_>;
        /// Reasons of a place.
        why => WhyWire<'_>;
        /// Completions.
        suggest => SuggestWire<'_>;
        /// State of the index.
        status => StatusWire<'_>;
    }
}
