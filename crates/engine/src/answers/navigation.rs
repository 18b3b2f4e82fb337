//! Answers questions about positions in files, as editors ask them: the definition of a name, its
//! uses, its callers, the last change of its lines.
//!
//! Open files count with the text that the editor has, whether or not it is saved: it replaces the
//! indexed outline of the file, so that all lines are those of the editor.

mod changes;
mod states;
mod words;

use std::{collections::BTreeMap, rc::Rc, sync::Arc, time::Instant};

use lore_index::DocumentId;
use lore_schema::{
    Attributes, Category, DocKey, Document, Filter, Outline, ReferenceKind, SourceName, TextOrigin,
    Trust,
};

use crate::{
    Certainty, EdgeKind, Engine, EngineConfig, EngineError, Owner, Progress, SymbolHit,
    SymbolMatch,
    answers::owners,
    graph::{
        CodeGraph, Definition, End, File, Link, ModulePath, PlacedName, SOURCES, describe,
        documentation, find_symbols, id_in,
    },
    state::{chunking::chunk_document, snapshot::Snapshot},
};

pub(crate) use self::states::NavigationStates;
pub use self::{
    changes::LastChange,
    words::{name_at, occurrences},
};

/// Maximum number of definitions of one name whose documentation is read.
const MAX_DOCUMENTED: usize = 8;

/// Maximum number of candidates of a use that is reported. A name that more definitions share
/// is no evidence for one of them.
const MAX_CANDIDATES: usize = 10;

/// Text of an open file, parsed. It may differ from the file on disk, and the file may not exist.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenText {
    path: String,
    outline: Outline,
    language: &'static str,
    category: Category,
}

impl OpenText {
    /// Lists the definitions in text order, without an index.
    pub fn definitions(&self) -> Vec<SymbolHit> {
        let unknown = DocumentId { source: SourceName::Code, number: u64::MAX };
        let file = Rc::new(self.file(unknown));
        Definition::all(&file).map(|definition| describe(&definition, None)).collect()
    }

    fn file(&self, id: DocumentId) -> File {
        File {
            id,
            path: self.path.clone(),
            language: self.language.to_owned(),
            category: self.category,
            outline: self.outline.clone(),
            module: ModulePath::new(&self.path),
        }
    }
}

/// A name at a position of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePosition {
    /// Root-relative path.
    pub path: String,
    /// Line, 1-based.
    pub line: u32,
    /// The name.
    pub name: String,
    /// Number of earlier occurrences of the name in the line.
    pub nth: usize,
    /// The expression before the name and a dot or colons, if there is one.
    pub qualifier: Option<String>,
    /// True if the text around the position binds the name locally: then it refers to a definition
    /// only where the parser recorded a use.
    pub is_local: bool,
}

/// The definitions that a name refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedName {
    /// The possible definitions, at least one.
    pub definitions: Vec<SymbolHit>,
    /// Certainty that one of them is meant.
    pub certainty: Certainty,
}

/// A use of a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct UsePlace {
    /// Root-relative path.
    pub path: String,
    /// Line, 1-based. Long statements may have the name in one of the next lines.
    pub line: u32,
    /// The names under which the file knows the definition: its own, then aliases.
    pub names: Vec<String>,
    /// Number of earlier uses in the same line.
    pub nth: usize,
    /// Kind of the use.
    pub kind: EdgeKind,
    /// Certainty of the use.
    pub certainty: Certainty,
}

/// A call between two definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPlace {
    /// The caller, or the called definition; `None` for code of a file outside every definition.
    pub definition: Option<SymbolHit>,
    /// The place of the call.
    pub place: UsePlace,
}

impl Engine {
    /// Parses the text of an open file. `path` is root-relative. A text that is longer than the longest
    /// file that is read has no definitions.
    pub fn open_text(&self, path: &str, text: &str) -> OpenText {
        // As a file on disk.
        let text = if text.len() as u64 <= self.config.max_file_size { text } else { "" };
        let document = Document {
            key: DocKey { source: SourceName::Code, locator: path.to_owned() },
            path: path.to_owned(),
            format: "",
            kind: "file",
            title: String::new(),
            // Labels of secrets keep the number of lines.
            text: self.config.secrets.apply(text.to_owned()),
            origin: TextOrigin::File,
            metadata: Vec::new(),
            attributes: Attributes::default(),
            trust: Trust::Own,
        };
        let chunked = chunk_document(&document, &self.config.parsers);
        let mut outline = chunked.chunked.outline;
        let mut documented: BTreeMap<(u32, String), String> = BTreeMap::new();
        for symbol in chunked.chunked.chunks.into_iter().flat_map(|chunk| chunk.symbols) {
            if let Some(comment) = symbol.doc_comment {
                documented.insert((symbol.line, symbol.name), comment);
            }
        }
        for symbol in &mut outline.symbols {
            if symbol.doc_comment.is_none() {
                symbol.doc_comment = documented.remove(&(symbol.line, symbol.name.clone()));
            }
        }
        let language = chunked.chunked.language.unwrap_or_default();
        OpenText { path: path.to_owned(), outline, language, category: chunked.category }
    }

    /// Answers a question about a state of the tree that is not older than `not_before`, with the texts
    /// of open files. `sources` are [`Navigator::NAMES`] or [`Navigator::CONTEXT`].
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn navigate<T>(
        &self,
        sources: &'static [SourceName],
        not_before: Instant,
        open: &[Arc<OpenText>],
        progress: &dyn Progress,
        answer: impl Fn(&Navigator<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.recover(|config| {
            let snapshot = self.states.take(config, sources, not_before, progress)?;
            let answer =
                Navigator::new(config, &snapshot, open).and_then(|navigator| answer(&navigator));
            if answer.is_err() {
                // The index may be damaged; the next attempt reads it again.
                self.states.clear();
            }
            answer
        })
    }
}

/// One state of a tree, for questions about positions.
pub struct Navigator<'a> {
    config: &'a EngineConfig,
    snapshot: &'a Snapshot,
    graph: CodeGraph<'a>,
}

impl<'a> Navigator<'a> {
    /// The sources for questions about names.
    pub const NAMES: &'static [SourceName] = SOURCES;

    /// The sources for [`Navigator::last_change`] and [`Navigator::governing`], too.
    pub const CONTEXT: &'static [SourceName] =
        &[SourceName::Code, SourceName::Git, SourceName::Patterns, SourceName::Specs];

    fn new(
        config: &'a EngineConfig,
        snapshot: &'a Snapshot,
        open: &[Arc<OpenText>],
    ) -> Result<Navigator<'a>, EngineError> {
        let graph = snapshot.graph();
        let listing =
            if open.is_empty() { Vec::new() } else { graph.listing(&Filter::default())? };
        let mut files = Vec::with_capacity(open.len());
        for (unknown, text) in (0..).zip(open) {
            // The file is new, or ignored. Readers count documents from 0.
            let new = DocumentId { source: SourceName::Code, number: u64::MAX - unknown };
            files.push(Rc::new(text.file(id_in(&listing, &text.path).unwrap_or(new))));
        }
        Ok(Navigator { config, snapshot, graph: graph.with_open(files) })
    }

    /// Finds definitions by name, best first: exact matches, then names that start with the query
    /// or contain its parts. At most `limit`.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn symbols(&self, query: &str, limit: usize) -> Result<Vec<SymbolHit>, EngineError> {
        let found = find_symbols(&self.graph, query, limit)?;
        let is_wanted = |how: SymbolMatch| how != SymbolMatch::Near && how != SymbolMatch::Member;
        let wanted = found.into_iter().filter(|(_, how)| is_wanted(*how));
        Ok(wanted.map(|(definition, how)| describe(&definition, Some(how))).collect())
    }

    /// Lists the definitions of a file in text order; `None` if the file is not searched.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn outline(&self, path: &str) -> Result<Option<Vec<SymbolHit>>, EngineError> {
        let file = self.graph.file_at(path)?;
        Ok(file.map(|file| {
            Definition::all(&file).map(|definition| describe(&definition, None)).collect()
        }))
    }

    /// Returns what a name refers to; `None` if that is not in the tree.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn meaning(&self, at: &NamePosition) -> Result<Option<ResolvedName>, EngineError> {
        let Some((definitions, certainty)) = self.resolve(at)? else { return Ok(None) };
        let mut hits = Vec::with_capacity(definitions.len());
        for (index, definition) in definitions.iter().enumerate() {
            let mut hit = describe(definition, None);
            if index < MAX_DOCUMENTED {
                hit.doc_comment = self.documentation(definition)?;
            }
            hits.push(hit);
        }
        Ok(Some(ResolvedName { definitions: hits, certainty }))
    }

    /// Returns the uses of what a name refers to, by path and line: calls, uses as a type, heads of
    /// types, and imports. Uses of a name that many definitions share are omitted.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn uses(&self, at: &NamePosition) -> Result<Vec<UsePlace>, EngineError> {
        let Some((definitions, _)) = self.resolve(at)? else { return Ok(Vec::new()) };
        let mut links = self.graph.uses(&definitions)?;
        links.retain(|link| link.certainty.candidates() <= MAX_CANDIDATES);
        let mut places = places(&links);
        places.sort_by(|left, right| (&left.path, left.line).cmp(&(&right.path, right.line)));
        Ok(places)
    }

    /// Returns what implements, extends or overrides the definition that a name refers to.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn implementations(&self, at: &NamePosition) -> Result<Vec<SymbolHit>, EngineError> {
        let Some((definitions, _)) = self.resolve(at)? else { return Ok(Vec::new()) };
        let found = self.graph.implementations_of(&definitions)?;
        Ok(found.iter().map(|definition| describe(definition, None)).collect())
    }

    /// Returns the calls of the definition that a name refers to.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn callers(&self, at: &NamePosition) -> Result<Vec<CallPlace>, EngineError> {
        let Some((definitions, _)) = self.resolve(at)? else { return Ok(Vec::new()) };
        let links = self.graph.users(&definitions, &[ReferenceKind::Call])?;
        Ok(calls(links, |link| &link.from))
    }

    /// Returns the calls inside the definition that a name refers to.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn callees(&self, at: &NamePosition) -> Result<Vec<CallPlace>, EngineError> {
        let Some((definitions, _)) = self.resolve(at)? else { return Ok(Vec::new()) };
        let mut links = Vec::new();
        for definition in &definitions {
            links.extend(self.graph.used_by(definition, &[ReferenceKind::Call])?.0);
        }
        Ok(calls(links, |link| &link.to))
    }

    /// Returns the text of a file on disk, without its secrets; `None` if it cannot be read.
    pub fn text(&self, path: &str) -> Option<String> {
        self.config.read_text(path).ok()
    }

    /// Returns the last indexed commit that wrote one of these lines of a file; `None` if there is
    /// none among its newest commits. Lines are compared without surrounding whitespace.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn last_change(
        &self,
        path: &str,
        lines: &[String],
    ) -> Result<Option<LastChange>, EngineError> {
        changes::last_change(path, lines, self.snapshot, self.config)
    }

    /// Returns the specs that govern a file, most specific first.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn governing(&self, path: &str) -> Result<Vec<Owner>, EngineError> {
        let mut readers = self.snapshot.sources.iter().map(|source| source.reader.as_ref());
        let specs = readers.find(|reader| reader.source() == SourceName::Specs);
        let Some(reader) = specs else { return Ok(Vec::new()) };
        let listing = reader.listing(&Filter::default())?;
        let ids: Vec<DocumentId> = listing.iter().map(|listed| listed.id).collect();
        let documents = reader.documents(&ids)?.into_iter().map(|stored| Document {
            key: stored.key,
            path: stored.path,
            format: "",
            kind: "",
            title: stored.title,
            text: String::new(),
            origin: TextOrigin::Composed,
            metadata: Vec::new(),
            attributes: stored.attributes,
            trust: stored.trust,
        });
        let documents: Vec<Document> = documents.collect();
        Ok(owners::owners(&documents, path).governing)
    }

    fn resolve(
        &self,
        at: &NamePosition,
    ) -> Result<Option<(Vec<Definition>, Certainty)>, EngineError> {
        let Some(file) = self.graph.file_at(&at.path)? else { return Ok(None) };
        let placed = PlacedName {
            file: &file,
            line: at.line,
            name: &at.name,
            nth: at.nth,
            qualifier: at.qualifier.as_deref(),
            is_local: at.is_local,
        };
        let meaning = self.graph.meaning(&placed)?;
        let is_indexed = |definition: &&Definition| {
            let path = &definition.file.path;
            self.graph.open_files().iter().any(|file| file.path == *path)
                || !self.snapshot.sources.iter().any(|source| source.is_pending(path))
        };
        let Some(meaning) = meaning else { return Ok(None) };
        let found: Vec<Definition> =
            meaning.definitions.iter().filter(is_indexed).cloned().collect();
        Ok((!found.is_empty()).then_some((found, meaning.certainty)))
    }

    /// Returns the documentation comment of a definition.
    fn documentation(&self, definition: &Definition) -> Result<Option<String>, EngineError> {
        if let Some(comment) = &definition.symbol().doc_comment {
            return Ok(Some(comment.clone()));
        }
        let file = &definition.file;
        if self.graph.open_files().iter().any(|open| open.id == file.id) {
            return Ok(None);
        }
        Ok(documentation(&self.graph, definition)?)
    }
}

/// Describes the places of uses, in the order of the links.
fn places(links: &[Link]) -> Vec<UsePlace> {
    let mut seen: BTreeMap<(DocumentId, u32, &str), usize> = BTreeMap::new();
    let mut places = Vec::with_capacity(links.len());
    for link in links {
        let file = &link.from.file;
        let target = &link.to.file.symbol(link.to.symbol.unwrap_or_default()).name;
        let nth = seen.entry((file.id, link.line, target.as_str())).or_default();
        let aliases = file
            .outline
            .imports
            .iter()
            .filter(|import| import.name.as_ref() == Some(target) && import.alias.is_some());
        let aliases = aliases.filter_map(|import| import.alias.clone());
        places.push(UsePlace {
            path: file.path.clone(),
            line: link.line,
            names: std::iter::once(target.clone()).chain(aliases).collect(),
            nth: *nth,
            kind: link.kind,
            certainty: link.certainty,
        });
        *nth += 1;
    }
    places
}

/// Describes calls with the definition at one end.
fn calls(mut links: Vec<Link>, end: fn(&Link) -> &End) -> Vec<CallPlace> {
    links.retain(|link| link.certainty.candidates() <= MAX_CANDIDATES);
    let ends = links.iter().map(|link| end(link).definition());
    ends.zip(places(&links))
        .map(|(definition, place)| CallPlace {
            definition: definition.map(|definition| describe(&definition, None)),
            place,
        })
        .collect()
}
