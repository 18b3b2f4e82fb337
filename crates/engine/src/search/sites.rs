//! Maps frames of failures to the current tree: the definition that contains each line, and the new
//! position of code that moved.

use std::{collections::HashMap, rc::Rc};

use lore_failures::{Failure, Frame, FunctionName, PathMatch, PathMatcher};
use lore_index::{DocumentId, StoredDocument};
use lore_schema::{Filter, Outline, SourceName, Symbol};

use crate::{
    EngineConfig, EngineError,
    graph::{CodeGraph, Definition, defines, definition_at},
    search::context::text_of,
    state::snapshot::Snapshot,
};

/// Sources whose files a stack trace may name.
const SOURCES: [SourceName; 4] =
    [SourceName::Code, SourceName::Docs, SourceName::Patterns, SourceName::Specs];

/// Maximum number of candidates reported for a frame.
const MAX_CANDIDATES: usize = 5;

/// Position of a frame in the tree.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    /// The document.
    pub(crate) document: DocumentId,
    /// Its path.
    pub(crate) path: String,
    /// The line, 1-based; `None` if only the file is known.
    pub(crate) line: Option<u32>,
    /// The definition that contains the line.
    pub(crate) symbol: Option<Symbol>,
    /// The frame as written, if its code is now somewhere else.
    pub(crate) was: Option<String>,
}

/// Result of mapping a frame to the tree.
#[derive(Debug, Clone)]
pub(crate) enum Resolved {
    /// It is in the tree.
    Site(Box<Site>),
    /// It may be in one of these files, or past the end of a single one.
    Unresolved(Vec<String>),
    /// It is not in the tree.
    Outside,
}

/// Maps frames to a snapshot of the tree.
pub(crate) struct Sites<'a> {
    snapshot: &'a Snapshot,
    config: &'a EngineConfig,
    files: Vec<String>,
    documents: Vec<DocumentId>,
    graph: &'a CodeGraph<'a>,
    texts: HashMap<DocumentId, Option<Rc<DocumentText>>>,
}

/// A document with its text, verified against the disk.
pub(crate) struct DocumentText {
    /// The stored document.
    pub(crate) stored: StoredDocument,
    /// Its text.
    pub(crate) text: String,
    /// Its definitions.
    pub(crate) outline: Outline,
}

impl DocumentText {
    /// Returns the number of lines.
    fn lines(&self) -> u32 {
        u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX)
    }
}

impl<'a> Sites<'a> {
    /// Creates a mapper over all files of a snapshot.
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        config: &'a EngineConfig,
        graph: &'a CodeGraph<'a>,
    ) -> Result<Sites<'a>, EngineError> {
        let mut listed: Vec<(String, DocumentId)> = Vec::new();
        for source in &snapshot.sources {
            if SOURCES.contains(&source.reader.source()) {
                let listing = source.reader.listing(&Filter::default())?;
                listed.extend(listing.iter().map(|listed| (listed.path.to_owned(), listed.id)));
            }
        }
        listed.sort();
        // If a file yields several documents, the first one represents it.
        listed.dedup_by(|left, right| left.0 == right.0);
        let (files, documents) = listed.into_iter().unzip();
        Ok(Sites { snapshot, config, files, documents, graph, texts: HashMap::new() })
    }

    /// Maps the frames of failures, in their order.
    pub(crate) fn resolve(
        &mut self,
        failures: &[Failure],
    ) -> Result<Vec<Vec<Resolved>>, EngineError> {
        let stacks = failures.iter().map(|failure| failure.all_frames().collect());
        self.resolve_stacks(stacks)
    }

    /// Maps the frames of stacks, in their order.
    pub(crate) fn resolve_stacks<'f>(
        &mut self,
        stacks: impl Iterator<Item = Vec<&'f Frame>>,
    ) -> Result<Vec<Vec<Resolved>>, EngineError> {
        let files = std::mem::take(&mut self.files);
        let root = self.config.root.display().to_string().replace('\\', "/");
        let matcher = PathMatcher::new(&files, &root);
        let mut known: HashMap<&Frame, Resolved> = HashMap::new();
        let mut all = Vec::new();
        for stack in stacks {
            let mut resolved = Vec::with_capacity(stack.len());
            for frame in stack {
                let resolution = match known.get(frame) {
                    Some(known) => known.clone(),
                    None => self.resolve_frame(frame, &matcher, &files)?,
                };
                known.insert(frame, resolution.clone());
                resolved.push(resolution);
            }
            all.push(resolved);
        }
        drop(matcher);
        self.files = files;
        Ok(all)
    }

    fn resolve_frame(
        &mut self,
        frame: &Frame,
        matcher: &PathMatcher<'_>,
        files: &[String],
    ) -> Result<Resolved, EngineError> {
        let name = frame.function.as_deref().and_then(FunctionName::parse);
        let candidates = match matcher.find(&frame.path) {
            PathMatch::File(at) => return self.in_file(self.documents[at], frame, name.as_ref()),
            PathMatch::Candidates(candidates) => candidates,
            PathMatch::Outside => {
                let may_have_moved = frame.path.is_empty() || !is_foreign(&frame.path);
                let moved = name.filter(|_| may_have_moved);
                let site = moved.map(|name| self.elsewhere(frame, &name)).transpose()?.flatten();
                return Ok(site.map_or(Resolved::Outside, |site| Resolved::Site(Box::new(site))));
            }
        };
        // At most one of the files may have that function at that line.
        let mut fitting = Vec::new();
        for at in &candidates {
            let (Some(name), Some(text)) = (&name, self.text(self.documents[*at])?) else {
                continue;
            };
            let is_there = |symbol: &&Symbol| {
                symbol.name == name.name
                    && frame
                        .line
                        .is_none_or(|line| (symbol.start_line..=symbol.end_line).contains(&line))
            };
            if text.outline.symbols.iter().any(|symbol| is_there(&symbol)) {
                fitting.push(*at);
            }
        }
        if let [only] = fitting[..] {
            return self.in_file(self.documents[only], frame, name.as_ref());
        }
        let names = candidates.iter().take(MAX_CANDIDATES).map(|at| files[*at].clone());
        Ok(Resolved::Unresolved(names.collect()))
    }

    /// Maps a frame to a file: at its line, or where its function is now.
    fn in_file(
        &mut self,
        document: DocumentId,
        frame: &Frame,
        name: Option<&FunctionName>,
    ) -> Result<Resolved, EngineError> {
        let Some(text) = self.text(document)? else { return Ok(Resolved::Outside) };
        let path = text.stored.path.clone();
        let own: Vec<&Symbol> = name.map_or_else(Vec::new, |name| {
            text.outline.symbols.iter().filter(|symbol| symbol.name == name.name).collect()
        });
        let holds = |symbol: &&&Symbol| {
            frame.line.is_some_and(|line| (symbol.start_line..=symbol.end_line).contains(&line))
        };
        let line = frame.line.filter(|line| *line <= text.lines());
        let is_there = own.iter().any(|symbol| holds(&symbol));
        // If the parser does not know the end of a definition, its lines are unreliable.
        let is_measured = own
            .iter()
            .all(|symbol| symbol.end_line > symbol.line || symbol.start_line == symbol.line);
        let moved = match own[..] {
            [only] if !is_there && (is_measured || line.is_none()) => Some(only.clone()),
            _ => None,
        };
        if let Some(symbol) = moved {
            let was = frame.line.map(|_| frame.summary());
            let site = Site { document, path, line: Some(symbol.line), symbol: Some(symbol), was };
            return Ok(Resolved::Site(Box::new(site)));
        }
        if line.is_none() && frame.line.is_some() {
            let elsewhere = name.map(|name| self.elsewhere(frame, name)).transpose()?.flatten();
            return Ok(match elsewhere {
                Some(site) => Resolved::Site(Box::new(site)),
                None => Resolved::Unresolved(vec![path]),
            });
        }
        let symbol = line.and_then(|line| definition_at(&text.outline, line, line)).cloned();
        Ok(Resolved::Site(Box::new(Site { document, path, line, symbol, was: None })))
    }

    /// Returns the only definition of a function in the tree, if its qualifier or its file name
    /// matches the frame.
    fn elsewhere(&self, frame: &Frame, name: &FunctionName) -> Result<Option<Site>, EngineError> {
        let definitions = self.graph.definitions(&name.name)?;
        let stem = |path: &str| {
            let file = path.rsplit('/').next().unwrap_or(path);
            file.split('.').next().unwrap_or(file).to_lowercase()
        };
        let is_meant = |place: &&Definition| {
            let symbol = place.symbol();
            let path = &place.file.path;
            let is_around = |part: &String| {
                symbol.container.as_ref() == Some(part)
                    || stem(path) == part.to_lowercase()
                    || path.split('/').rev().nth(1) == Some(part.as_str())
            };
            // A name has no meaning in another language.
            if !frame.path.is_empty() && kindred(&frame.path) != kindred(path) {
                return false;
            }
            match name.qualifiers.first() {
                Some(nearest) => is_around(nearest),
                None => !frame.path.is_empty() && stem(&frame.path) == stem(path),
            }
        };
        let meant: Vec<&Definition> = definitions.iter().filter(is_meant).collect();
        let [only] = meant[..] else { return Ok(None) };
        Ok(Some(Site {
            document: only.file.id,
            path: only.file.path.clone(),
            line: Some(only.symbol().line),
            symbol: Some(only.symbol().clone()),
            // A name without a position has no previous place.
            was: (!frame.path.is_empty()).then(|| frame.summary()),
        }))
    }

    /// Returns a document with its text; `None` if it changed or vanished during this search.
    pub(crate) fn text(
        &mut self,
        document: DocumentId,
    ) -> Result<Option<Rc<DocumentText>>, EngineError> {
        if let Some(known) = self.texts.get(&document) {
            return Ok(known.clone());
        }
        let read = self.read(document)?.map(Rc::new);
        self.texts.insert(document, read.clone());
        Ok(read)
    }

    fn read(&self, id: DocumentId) -> Result<Option<DocumentText>, EngineError> {
        let open = self.snapshot.sources.iter().find(|open| open.reader.source() == id.source);
        let Some(open) = open else { return Ok(None) };
        let Some(stored) = open.reader.documents(&[id])?.pop() else { return Ok(None) };
        if open.is_pending(&stored.path) {
            return Ok(None);
        }
        if stored.text.is_none() && !self.snapshot.is_as_listed(&stored.path, self.config) {
            return Ok(None);
        }
        let Some(text) = text_of(&stored, self.config).map(std::borrow::Cow::into_owned) else {
            return Ok(None);
        };
        let outline = if defines(id.source) {
            self.graph.file(id)?.outline.clone()
        } else {
            Outline::default()
        };
        Ok(Some(DocumentText { stored, text, outline }))
    }
}

/// Returns a group name for languages that can call each other or are compiled into each other.
fn kindred(path: &str) -> String {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
    let group = match extension.as_str() {
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => "js",
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "m" | "mm" | "inl" => "c",
        "java" | "kt" | "kts" | "scala" | "groovy" => "jvm",
        "ex" | "exs" | "erl" => "beam",
        other => other,
    };
    group.to_owned()
}

/// Returns true if the path alone shows that the file is not part of a repository.
fn is_foreign(path: &str) -> bool {
    let folders = ["/usr/", "/rustc/", "/nix/", "/opt/"];
    path.starts_with('<')
        || path.starts_with("node:")
        || folders.iter().any(|folder| path.starts_with(folder))
        || ["node_modules/", "site-packages/", "/.cargo/", "/go/pkg/mod/", "/gems/"]
            .iter()
            .any(|folder| path.contains(folder))
}
