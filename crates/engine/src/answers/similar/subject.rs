//! Finds the passage named by a line of a file or by the id of a hit.

use std::ops::Range;

use lore_index::{DocumentId, Reader, StoredDocument};
use lore_schema::{
    Chunk, ChunkKind, Chunked, Document, Filter, SourceName, Symbol, TextOrigin, Trust,
};

use super::is_code;
use crate::{
    EngineConfig, EngineError, Subject,
    graph::definition_at,
    response::id::{hit_id, symbol_id},
    state::{analyze::searchable, chunking::chunk_indexed, snapshot::Snapshot},
};

/// Maximum number of similar names in an error.
const NEAREST: usize = 3;

/// Minimum similarity of a suggested name, 0.0..=1.0.
const NEAR: f64 = 0.6;

/// Minimum length of an abbreviated commit hash.
const MIN_HASH_LEN: usize = 4;

/// The passage, with everything needed to compare it.
#[derive(Debug)]
pub(crate) struct Passage {
    /// The document.
    pub(crate) document: DocumentId,
    /// True if it is compared as code.
    pub(crate) is_code: bool,
    /// The definition, if the passage is one.
    pub(crate) symbol: Option<Symbol>,
    /// Its lines in the file; `None` for text without lines.
    pub(crate) lines: Option<(u32, u32)>,
    /// Its text.
    pub(crate) text: String,
    /// Text that is embedded: names of the enclosing definitions, outermost first, then the text.
    pub(crate) embedded: String,
    /// Description of the passage in answers.
    pub(crate) subject: Subject,
    /// Trust in the document.
    pub(crate) trust: Trust,
}

/// Finds the passage named by `src/a.rs:10`, `src/a.rs:10-20` or `src/a.rs#Type.name`, with or
/// without the source in front, as in the id of a hit.
pub(crate) fn find(
    typed: &str,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<Passage, EngineError> {
    let typed = typed.trim();
    let named = typed.split_once(':').and_then(|(name, rest)| {
        let source = SourceName::from_name(name)?;
        (!rest.is_empty()).then_some((source, rest))
    });
    let (wanted, name) = named.map_or((None, typed), |(source, rest)| (Some(source), rest));
    for source in &snapshot.sources {
        let reader = source.reader.as_ref();
        if wanted.is_some_and(|wanted| wanted != reader.source()) {
            continue;
        }
        let called = documents_named(reader, name)?;
        let Some(best) = called.iter().map(|named_document| named_document.length).max() else {
            continue;
        };
        let called: Vec<NamedDocument> =
            called.into_iter().filter(|named_document| named_document.length == best).collect();
        let fragment = &name[best..];
        let several = called.len() > 1;
        for named_document in called {
            let document = read(&named_document.document, reader.source(), snapshot, config)
                .filter(|_| !source.is_pending(&named_document.document.path))
                .ok_or_else(|| unknown(typed, "the file changed during the search", Vec::new()))?;
            let whole = Whole::new(document, &named_document.document, config);
            let found = whole.part(fragment);
            match found {
                Ok(part) => {
                    return Ok(part.into_passage(named_document.id, &named_document.document));
                }
                // A file may contain several documents; another one may have the line.
                Err(_) if several => {}
                Err((reason, nearest)) => return Err(unknown(typed, &reason, nearest)),
            }
        }
        return Err(unknown(typed, "no document in this file contains it", Vec::new()));
    }
    Err(not_there(typed, name, wanted, snapshot, config)?)
}

fn unknown(typed: &str, reason: &str, nearest: Vec<String>) -> EngineError {
    EngineError::Subject { subject: typed.to_owned(), reason: reason.to_owned(), nearest }
}

/// Explains why no document has the name, and suggests similar names.
fn not_there(
    typed: &str,
    name: &str,
    wanted: Option<SourceName>,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Result<EngineError, EngineError> {
    let path = name.split(['#', ':']).next().unwrap_or(name);
    let file = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let mut near: Vec<(f64, String)> = Vec::new();
    for source in &snapshot.sources {
        for listed in source.reader.listing(&Filter::default())? {
            // The whole path is compared only if the file name is similar.
            let of_name = strsim::normalized_damerau_levenshtein(&file(listed.path), &file(path));
            // A commit has no path.
            if of_name >= NEAR && !listed.path.is_empty() {
                let of_path = strsim::normalized_damerau_levenshtein(listed.path, path);
                near.push((of_name + of_path, listed.path.to_owned()));
            }
        }
    }
    near.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    near.dedup_by(|next, kept| next.1 == kept.1);
    let nearest = near.into_iter().take(NEAREST).map(|(_, path)| path).collect();
    let on_disk = !path.is_empty() && config.contains_file(path);
    let reason = match wanted {
        Some(source) => format!("`{source}` has no document with that name"),
        None if on_disk => "the file exists but is not searched".to_owned(),
        None => "no searched file has that name".to_owned(),
    };
    Ok(unknown(typed, &reason, nearest))
}

/// A document whose name is a prefix of the subject.
struct NamedDocument {
    id: DocumentId,
    document: StoredDocument,
    /// Length of that prefix, in bytes.
    length: usize,
}

/// Returns the documents of a source whose locator or path is a prefix of the name.
fn documents_named(reader: &dyn Reader, name: &str) -> Result<Vec<NamedDocument>, EngineError> {
    let begins = |whole: &str| {
        let rest = name.strip_prefix(whole).filter(|_| !whole.is_empty())?;
        (rest.is_empty() || rest.starts_with(['#', ':'])).then_some(whole.len())
    };
    let hash = name.split(['#', ':']).next().unwrap_or_default();
    let is_hash = hash.len() >= MIN_HASH_LEN && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let of_commits = reader.source() == SourceName::Git;
    if of_commits && !is_hash {
        return Ok(Vec::new());
    }
    let listing = reader.listing(&Filter::default())?;
    // Documents of custom sources have no path.
    let may_be = |path: &str| of_commits || path.is_empty() || begins(path).is_some();
    let possible = listing.iter().filter(|listed| may_be(listed.path));
    let ids: Vec<DocumentId> = possible.map(|listed| listed.id).collect();
    let mut called = Vec::new();
    for (id, document) in ids.iter().zip(reader.documents(&ids)?) {
        let locator = &document.key.locator;
        let length = if of_commits {
            locator.starts_with(&hash.to_lowercase()).then_some(hash.len())
        } else {
            begins(locator).or_else(|| begins(&document.path))
        };
        called.extend(length.map(|length| NamedDocument { id: *id, document, length }));
    }
    Ok(called)
}

/// Returns the document with its current text and metadata.
fn read(
    stored: &StoredDocument,
    source: SourceName,
    snapshot: &Snapshot,
    config: &EngineConfig,
) -> Option<Document> {
    if let Some(text) = &stored.text {
        return Some(Document {
            key: stored.key.clone(),
            path: stored.path.clone(),
            format: "",
            kind: "",
            title: stored.title.clone(),
            text: text.clone(),
            origin: TextOrigin::Composed,
            metadata: Vec::new(),
            attributes: stored.attributes.clone(),
            trust: stored.trust,
        });
    }
    if !snapshot.is_as_listed(&stored.path, config) {
        return None;
    }
    let read = lore_sources::read_documents(&snapshot.tree, source, &|unit| unit == stored.path);
    // A unit may be a folder that contains the file.
    let read = match read {
        Ok(read) if read.is_empty() => {
            let holds = |unit: &str| stored.path.starts_with(&format!("{unit}/"));
            lore_sources::read_documents(&snapshot.tree, source, &holds)
        }
        read => read,
    };
    read.ok()?.into_iter().find(|document| document.key == stored.key)
}

/// A document split into chunks.
struct Whole {
    document: Document,
    chunked: Chunked,
    /// Byte offset of each line.
    lines: Vec<usize>,
}

/// A part of a document.
struct Part {
    whole: Whole,
    symbol: Option<Symbol>,
    heading: Option<String>,
    breadcrumb: Vec<String>,
    range: Range<usize>,
    lines: Option<(u32, u32)>,
}

/// Reason for a missing part, and similar names.
type Missing = (String, Vec<String>);

impl Whole {
    fn new(document: Document, stored: &StoredDocument, config: &EngineConfig) -> Whole {
        let chunked = chunk_indexed(&document, stored.fell_back, &config.parsers).chunked;
        let breaks = document.text.match_indices('\n').map(|(at, _)| at + 1);
        let mut lines: Vec<usize> = std::iter::once(0).chain(breaks).collect();
        if lines.len() > 1 && lines.last() == Some(&document.text.len()) {
            lines.pop();
        }
        Whole { document, chunked, lines }
    }

    /// Returns the part that the rest of the name selects.
    fn part(self, fragment: &str) -> Result<Part, Missing> {
        if let Some(name) = fragment.strip_prefix('#') {
            return self.named(name);
        }
        let Some(numbers) = fragment.strip_prefix(':') else { return Ok(self.all()) };
        let digits = |text: &str| text.strip_prefix('L').unwrap_or(text).parse::<u32>().ok();
        // A column may follow the line, as in the output of compilers and editors.
        let (first, column) = numbers.split_once(':').unwrap_or((numbers, "1"));
        let (from, to) = first.split_once('-').map_or((first, None), |(a, b)| (a, Some(b)));
        let (Some(from), Some(to), Some(_)) =
            (digits(from), to.map_or(Some(None), |to| digits(to).map(Some)), digits(column))
        else {
            return Err((format!("`{numbers}` is not a line number"), Vec::new()));
        };
        if self.document.origin == TextOrigin::Composed {
            return Ok(self.all());
        }
        let last = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let far = to.unwrap_or(from).max(from);
        if from == 0 || far > last {
            return Err((format!("the file has lines 1 to {last}"), Vec::new()));
        }
        Ok(match to {
            Some(to) if to > from => self.line_range(from, to),
            _ => self.around(from),
        })
    }

    /// Returns the whole document.
    fn all(self) -> Part {
        let range = 0..self.document.text.len();
        let last = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let lines = (self.document.origin == TextOrigin::File).then_some((1, last));
        Part { whole: self, symbol: None, heading: None, breadcrumb: Vec::new(), range, lines }
    }

    /// Returns the definition or section with a name.
    fn named(self, name: &str) -> Result<Part, Missing> {
        let key = self.document.key.to_string();
        let id = format!("{key}#{name}");
        let symbols = &self.chunked.outline.symbols;
        let qualified = name.replace("::", ".");
        let found = symbols
            .iter()
            .find(|symbol| symbol_id(&key, symbol) == id)
            .or_else(|| symbols.iter().find(|symbol| symbol_id("", symbol)[1..] == qualified))
            .or_else(|| symbols.iter().find(|symbol| symbol.name == name));
        if let Some(symbol) = found.cloned() {
            return Ok(self.definition(symbol));
        }
        let is_section = |chunk: &&Chunk| {
            chunk.kind == ChunkKind::Section
                && chunk.breadcrumb.last().is_some_and(|last| last == name)
        };
        if let Some(first) = self.chunked.chunks.iter().find(is_section).cloned() {
            return Ok(self.section(&first));
        }
        if self.document.origin == TextOrigin::Composed {
            return Ok(self.all());
        }
        // A chunk may contain several short sections.
        let headings = self.headings();
        if let Some((chunk, _)) = headings.iter().find(|(_, heading)| *heading == name) {
            let chunk = (*chunk).clone();
            return Ok(self.section(&chunk));
        }
        let similarity = |known: &str| {
            strsim::normalized_damerau_levenshtein(&known.to_lowercase(), &name.to_lowercase())
        };
        let headings =
            headings.iter().map(|(_, heading)| (similarity(heading), (*heading).to_owned()));
        let definitions = symbols.iter().map(|symbol| {
            let qualified = symbol_id("", symbol)[1..].to_owned();
            (similarity(&qualified).max(similarity(&symbol.name)), qualified)
        });
        let mut near: Vec<(f64, String)> =
            headings.chain(definitions).filter(|(similarity, _)| *similarity >= NEAR).collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        near.dedup();
        let nearest = near.into_iter().take(NEAREST).map(|(_, known)| format!("{key}#{known}"));
        Err((
            format!("`{}` has no definition or section `{name}`", self.document.path),
            nearest.collect(),
        ))
    }

    /// Returns the headings in chunks of prose: the lines that start with `#`.
    fn headings(&self) -> Vec<(&Chunk, &str)> {
        let sections = self.chunked.chunks.iter().filter(|chunk| chunk.kind == ChunkKind::Section);
        sections
            .flat_map(|chunk| {
                let text = &self.document.text[chunk.span.start..chunk.span.end];
                let headings = text.lines().filter_map(|line| line.trim_end().strip_prefix('#'));
                headings.map(move |rest| (chunk, rest.trim_matches('#').trim()))
            })
            .collect()
    }

    /// Returns the innermost definition around a line, or the chunk that contains it.
    fn around(self, line: u32) -> Part {
        // A blank line belongs to the text after it.
        let rest = self.document.text.lines().skip(line.saturating_sub(1) as usize);
        let empty_lines = rest.take_while(|line| line.trim().is_empty()).count();
        let last = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let line = u32::try_from(empty_lines).unwrap_or(0).saturating_add(line).min(last);
        if let Some(symbol) = definition_at(&self.chunked.outline, line, line) {
            let symbol = symbol.clone();
            return self.definition(symbol);
        }
        let chunks = &self.chunked.chunks;
        // Metadata is in no chunk.
        let chunk = chunks.iter().find(|chunk| chunk.span.end_line >= line).or(chunks.last());
        match chunk.cloned() {
            Some(chunk) if chunk.kind == ChunkKind::Section => self.section(&chunk),
            Some(chunk) => {
                let lines = (chunk.span.start_line, chunk.span.end_line);
                let range = chunk.span.start..chunk.span.end;
                Part {
                    symbol: None,
                    heading: None,
                    breadcrumb: chunk.breadcrumb,
                    range,
                    lines: Some(lines),
                    whole: self,
                }
            }
            None => self.all(),
        }
    }

    /// Returns the lines; as a definition if they are exactly its lines.
    fn line_range(self, from: u32, to: u32) -> Part {
        let own = definition_at(&self.chunked.outline, from, to);
        if let Some(symbol) = own.filter(|own| (own.start_line, own.end_line) == (from, to)) {
            let symbol = symbol.clone();
            return self.definition(symbol);
        }
        let breadcrumb = own.map_or_else(Vec::new, |symbol| self.enclosing(symbol));
        let range = self.bytes(from, to);
        let lines = Some((from, to));
        Part { symbol: None, heading: None, breadcrumb, range, lines, whole: self }
    }

    fn definition(self, symbol: Symbol) -> Part {
        let mut breadcrumb = self.enclosing(&symbol);
        breadcrumb.pop();
        let range = self.bytes(symbol.start_line, symbol.end_line);
        let lines = (self.document.origin == TextOrigin::File)
            .then_some((symbol.start_line, symbol.end_line));
        Part { symbol: Some(symbol), heading: None, breadcrumb, range, lines, whole: self }
    }

    /// Returns a section with all of its chunks.
    fn section(self, first: &Chunk) -> Part {
        let same = |chunk: &&Chunk| chunk.breadcrumb == first.breadcrumb;
        let of_section = self.chunked.chunks.iter().skip(first.ordinal as usize).take_while(same);
        let last = of_section.last().unwrap_or(first);
        // The selected chunk may be in the middle of a section.
        let start = self.chunked.chunks[..=first.ordinal as usize].iter().rev().take_while(same);
        let start = start.last().unwrap_or(first);
        let range = start.span.start..last.span.end;
        let lines = (self.document.origin == TextOrigin::File)
            .then_some((start.span.start_line, last.span.end_line));
        Part {
            symbol: None,
            heading: first.breadcrumb.last().cloned(),
            breadcrumb: first.breadcrumb.clone(),
            range,
            lines,
            whole: self,
        }
    }

    /// Returns the names of the enclosing definitions, outermost first, including the definition's
    /// own.
    fn enclosing(&self, symbol: &Symbol) -> Vec<String> {
        let symbols = &self.chunked.outline.symbols;
        let around =
            symbols.iter().filter(|outer| outer.encloses(symbol) && outer.line <= symbol.line);
        around.map(|outer| outer.name.clone()).collect()
    }

    /// Returns the byte range of existing lines.
    fn bytes(&self, from: u32, to: u32) -> Range<usize> {
        let length = self.document.text.len();
        let start = |line: u32| self.lines.get(line as usize).copied().unwrap_or(length);
        let first = start(from.saturating_sub(1));
        first..start(to).max(first)
    }
}

impl Part {
    fn into_passage(self, id: DocumentId, stored: &StoredDocument) -> Passage {
        let Part {
            whole: Whole { document, chunked, .. },
            symbol,
            heading,
            breadcrumb,
            range,
            lines,
        } = self;
        let mut text = String::new();
        for kept in searchable(range, &document.metadata) {
            text.push_str(&document.text[kept]);
        }
        let key = document.key.to_string();
        let subject = Subject {
            id: hit_id(&key, symbol.as_ref(), heading.as_deref(), lines),
            source: document.key.source,
            kind: symbol
                .as_ref()
                .map_or_else(|| stored.kind.clone(), |symbol| symbol.kind.as_str().to_owned()),
            title: match (&symbol, &heading) {
                (Some(symbol), _) => symbol.name.clone(),
                (None, Some(heading)) => heading.clone(),
                (None, None) => document.title.clone(),
            },
            path: (!document.path.is_empty()).then(|| document.path.clone()),
            start_line: lines.map(|lines| lines.0),
            end_line: lines.map(|lines| lines.1),
        };
        let is_prose = chunked.chunks.iter().any(|chunk| chunk.kind == ChunkKind::Section);
        Passage {
            document: id,
            is_code: is_code(document.key.source) && !is_prose,
            embedded: format!("{}\n{text}", breadcrumb.join(" ")),
            symbol,
            lines,
            text,
            subject,
            trust: stored.trust,
        }
    }
}
