//! Files with their outlines and definitions, read once per request.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use lore_index::{ChunkId, DocumentId, Holder, IndexError, Listed, Reader, StoredChunk};
use lore_schema::{
    Category, Field, Filter, Outline, ReferenceKind, SourceName, Symbol, SymbolKind,
};

use super::modules::ModulePath;
use crate::{Certainty, query::definition_term};

/// Maximum number of files to read for one name. A name in more files carries no information.
pub(crate) const MAX_FILES: usize = 2_000;

/// A file with its outline.
#[derive(Debug)]
pub(crate) struct File {
    /// Its document.
    pub(crate) id: DocumentId,
    /// Root-relative path.
    pub(crate) path: String,
    /// Language, or the empty string.
    pub(crate) language: String,
    /// Category of the file in the repository.
    pub(crate) category: Category,
    /// Definitions and references of the file.
    pub(crate) outline: Outline,
    /// Its path as a module.
    pub(crate) module: ModulePath,
}

impl File {
    /// Returns a definition by its index.
    pub(crate) fn symbol(&self, index: u32) -> &Symbol {
        &self.outline.symbols[index as usize]
    }

    /// Iterates over the definition and those that enclose it, innermost first. In an outline, a
    /// container comes before its members.
    pub(crate) fn around(&self, index: Option<u32>) -> impl Iterator<Item = u32> {
        let around = move |inner: u32| {
            (0..=inner).rev().filter(move |outer| self.symbol(*outer).encloses(self.symbol(inner)))
        };
        index.into_iter().flat_map(around)
    }

    /// Returns the name of the type that encloses a definition, or of the definition if it is a
    /// type.
    pub(crate) fn type_around(&self, index: Option<u32>) -> Option<&str> {
        for other in self.around(index) {
            let symbol = self.symbol(other);
            if symbol.kind.is_type() || symbol.kind == SymbolKind::Impl {
                return Some(&symbol.name);
            }
            if symbol.kind == SymbolKind::Method
                && let Some(container) = &symbol.container
            {
                return Some(container);
            }
        }
        None
    }
}

/// A definition in a file.
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    /// The file.
    pub(crate) file: Rc<File>,
    /// Index among the definitions of the file.
    pub(crate) symbol: u32,
}

impl Definition {
    /// Iterates over the definitions of a file, in text order.
    pub(crate) fn all(file: &Rc<File>) -> impl Iterator<Item = Definition> {
        let count = u32::try_from(file.outline.symbols.len()).unwrap_or(u32::MAX);
        (0..count).map(|symbol| Definition { file: Rc::clone(file), symbol })
    }

    /// Returns the symbol.
    pub(crate) fn symbol(&self) -> &Symbol {
        self.file.symbol(self.symbol)
    }

    /// Returns a key that identifies the definition.
    pub(crate) fn key(&self) -> (DocumentId, u32) {
        (self.file.id, self.symbol)
    }
}

impl PartialEq for Definition {
    fn eq(&self, other: &Definition) -> bool {
        self.key() == other.key()
    }
}

/// Definitions that a name refers to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resolution {
    /// The possible definitions. There are several if an item has several declarations, or if only
    /// the name is known.
    pub(crate) definitions: Rc<[Definition]>,
    /// Certainty of the resolution.
    pub(crate) certainty: Certainty,
}

/// Sources whose files contain definitions.
pub(crate) const SOURCES: &[SourceName] = &[SourceName::Code, SourceName::Patterns];

/// Returns true if the files of a source contain definitions.
pub(crate) fn defines(source: SourceName) -> bool {
    SOURCES.contains(&source)
}

/// The files and names of some sources, loaded on demand.
pub(crate) struct CodeGraph<'a> {
    readers: Vec<&'a dyn Reader>,
    files: RefCell<HashMap<DocumentId, Rc<File>>>,
    definitions: RefCell<HashMap<String, Rc<[Definition]>>>,
    folders: RefCell<Option<Rc<Folders>>>,
    chunks_of: RefCell<HashMap<String, Rc<[Holder]>>>,
    resolutions: RefCell<HashMap<UsageKey, Resolution>>,
    modules: RefCell<Option<Rc<Modules>>>,
    /// Files whose current text is not the indexed one.
    open: Vec<Rc<File>>,
    /// True if results were dropped because there are too many.
    cut: RefCell<bool>,
}

/// Key of a cached resolution: file, scope, kind, qualifier, name.
pub(crate) type UsageKey = (DocumentId, Option<u32>, ReferenceKind, Option<String>, String);

/// The files of each folder.
type Folders = HashMap<String, Vec<DocumentId>>;

/// All files as modules, by their last segment.
pub(crate) type Modules = HashMap<String, Vec<(ModulePath, DocumentId)>>;

impl<'a> CodeGraph<'a> {
    /// Creates a graph over the readers of some sources.
    pub(crate) fn new(readers: Vec<&'a dyn Reader>) -> CodeGraph<'a> {
        CodeGraph {
            readers,
            files: RefCell::default(),
            definitions: RefCell::default(),
            folders: RefCell::default(),
            chunks_of: RefCell::default(),
            resolutions: RefCell::default(),
            modules: RefCell::default(),
            open: Vec::new(),
            cut: RefCell::default(),
        }
    }

    /// Replaces files by versions with other texts, for example unsaved ones.
    #[must_use]
    pub(crate) fn with_open(mut self, open: Vec<Rc<File>>) -> CodeGraph<'a> {
        for file in &open {
            self.files.get_mut().insert(file.id, Rc::clone(file));
        }
        self.open = open;
        self
    }

    /// Returns the files whose current text is not the indexed one.
    pub(crate) fn open_files(&self) -> &[Rc<File>] {
        &self.open
    }

    fn reader(&self, source: SourceName) -> &'a dyn Reader {
        let of_source = self.readers.iter().find(|reader| reader.source() == source);
        *of_source.expect("an identifier comes from one of the readers")
    }

    /// Returns the rows with a term in a field, source by source.
    pub(crate) fn holders(
        &self,
        field: Field,
        term: &str,
        limit: usize,
    ) -> Result<Vec<Holder>, IndexError> {
        let mut holders = Vec::new();
        for reader in &self.readers {
            holders.extend(reader.holders(field, term, limit)?);
        }
        Ok(holders)
    }

    /// Returns the terms of a field that start with a prefix, in byte order.
    pub(crate) fn terms(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<String>, IndexError> {
        let mut terms = BTreeSet::new();
        for reader in &self.readers {
            terms.extend(reader.terms(field, prefix, limit)?);
        }
        Ok(terms.into_iter().take(limit).collect())
    }

    /// Returns the files that meet a filter, in byte order of their paths.
    pub(crate) fn listing(&self, filter: &Filter) -> Result<Vec<Listed<'a>>, IndexError> {
        let mut listing = Vec::new();
        for reader in &self.readers {
            listing.extend(reader.listing(filter)?);
        }
        listing.sort_unstable();
        Ok(listing)
    }

    /// Returns true if results were dropped because there are too many.
    pub(crate) fn was_cut(&self) -> bool {
        *self.cut.borrow()
    }

    /// Records that results were dropped.
    pub(crate) fn cut(&self) {
        *self.cut.borrow_mut() = true;
    }

    /// Reads a file, or returns it from the cache.
    pub(crate) fn file(&self, id: DocumentId) -> Result<Rc<File>, IndexError> {
        if let Some(file) = self.files.borrow().get(&id) {
            return Ok(Rc::clone(file));
        }
        let reader = self.reader(id.source);
        let document = reader.documents(&[id])?.pop();
        let outline = reader.outlines(&[id])?.pop();
        let (Some(document), Some(outline)) = (document, outline) else {
            unreachable!("a reader answers every identifier or fails")
        };
        let file = Rc::new(File {
            id,
            module: ModulePath::new(&document.path),
            path: document.path,
            language: document.language.unwrap_or_default(),
            category: document.category,
            outline,
        });
        self.files.borrow_mut().insert(id, Rc::clone(&file));
        Ok(file)
    }

    /// Returns the chunk that contains the line of a definition's name.
    pub(crate) fn declaring_chunk(
        &self,
        definition: &Definition,
    ) -> Result<Option<(ChunkId, StoredChunk)>, IndexError> {
        let symbol = definition.symbol();
        let term = definition_term(&symbol.name);
        let known = self.chunks_of.borrow().get(&term).map(Rc::clone);
        let holders = if let Some(holders) = known {
            holders
        } else {
            let mut found = self.holders(Field::Symbol, &term, usize::MAX)?;
            found.sort_unstable();
            let found: Rc<[Holder]> = found.into();
            self.chunks_of.borrow_mut().insert(term, Rc::clone(&found));
            found
        };
        let first = holders.partition_point(|holder| holder.document < definition.file.id);
        let of_file =
            holders[first..].iter().take_while(|holder| holder.document == definition.file.id);
        for id in of_file.filter_map(|holder| holder.chunk) {
            for chunk in self.reader(id.source).chunks(&[id])? {
                let is_held = chunk.symbols.iter().any(|own| own.name == symbol.name);
                if is_held && chunk.span.has_line(symbol.line) {
                    return Ok(Some((id, chunk)));
                }
            }
        }
        Ok(None)
    }

    /// Returns the cached resolution of a use. It has no definitions if the name refers to nothing.
    pub(crate) fn cached_resolution(&self, key: &UsageKey) -> Option<Resolution> {
        self.resolutions.borrow().get(key).cloned()
    }

    /// Caches the resolution of a use.
    pub(crate) fn cache_resolution(&self, key: UsageKey, resolution: Resolution) {
        self.resolutions.borrow_mut().insert(key, resolution);
    }

    /// Returns the files of a folder.
    pub(crate) fn beside(&self, folder: &str) -> Result<Vec<Rc<File>>, IndexError> {
        if self.folders.borrow().is_none() {
            let mut folders = Folders::new();
            for listed in self.listing(&Filter::default())? {
                folders.entry(folder_of(listed.path).to_owned()).or_default().push(listed.id);
            }
            *self.folders.borrow_mut() = Some(Rc::new(folders));
        }
        let folders = self.folders.borrow().as_ref().map(Rc::clone);
        let ids = folders.as_ref().and_then(|folders| folders.get(folder));
        ids.into_iter().flatten().map(|id| self.file(*id)).collect()
    }

    /// Returns the files that contain a term, without duplicates.
    pub(crate) fn files_with(&self, field: Field, term: &str) -> Result<Vec<Rc<File>>, IndexError> {
        let most = MAX_FILES * 4;
        let holders = self.holders(field, term, most)?;
        if holders.len() >= most {
            self.cut();
        }
        let mut ids: Vec<DocumentId> = holders.into_iter().map(|holder| holder.document).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() > MAX_FILES {
            ids.truncate(MAX_FILES);
            self.cut();
        }
        let mut files = Vec::with_capacity(ids.len() + self.open.len());
        for id in ids {
            files.push(self.file(id)?);
        }
        // The index does not know which names an open file contains now. Every caller compares them.
        for open in &self.open {
            if files.iter().all(|file| file.id != open.id) {
                files.push(Rc::clone(open));
            }
        }
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(files)
    }

    /// Returns the definitions with exactly this name, ordered by path and line.
    pub(crate) fn definitions(&self, name: &str) -> Result<Rc<[Definition]>, IndexError> {
        if let Some(found) = self.definitions.borrow().get(name) {
            return Ok(Rc::clone(found));
        }
        let mut definitions = Vec::new();
        for file in self.files_with(Field::Symbol, &definition_term(name))? {
            definitions.extend(
                Definition::all(&file).filter(|definition| definition.symbol().name == name),
            );
        }
        let definitions: Rc<[Definition]> = definitions.into();
        self.definitions.borrow_mut().insert(name.to_owned(), Rc::clone(&definitions));
        Ok(definitions)
    }

    /// Returns every file as a module.
    pub(crate) fn modules(&self) -> Result<Rc<Modules>, IndexError> {
        if let Some(modules) = self.modules.borrow().as_ref() {
            return Ok(Rc::clone(modules));
        }
        let mut modules = Modules::new();
        for listed in self.listing(&Filter::default())? {
            let module = ModulePath::new(listed.path);
            let last = module.segments.last().cloned().unwrap_or_default();
            modules.entry(last).or_default().push((module, listed.id));
        }
        let modules = Rc::new(modules);
        *self.modules.borrow_mut() = Some(Rc::clone(&modules));
        Ok(modules)
    }
}

/// Returns the folder of a path.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
