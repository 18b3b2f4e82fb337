//! Files with their outlines and the definitions in them, read once for each question.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use lore_index::{ChunkId, DocumentId, Holder, IndexError, Listed, Reader, StoredChunk};
use lore_schema::{
    Category, Field, Filter, Outline, ReferenceKind, SourceName, Symbol, SymbolKind,
};

use super::{
    modules::ModulePath,
    resolve::{Resolution, folder_of},
};
use crate::query::definition_term;

/// Most files that are looked at for one name. A name that more files hold tells nothing.
pub(crate) const MOST_FILES: usize = 2_000;

/// A file with what it defines and names.
#[derive(Debug)]
pub(crate) struct File {
    /// Its document.
    pub(crate) id: DocumentId,
    /// Root-relative path.
    pub(crate) path: String,
    /// Language, or the empty string.
    pub(crate) language: String,
    /// What it is to the repository.
    pub(crate) category: Category,
    /// What it defines and names.
    pub(crate) outline: Outline,
    /// Its path as a module.
    pub(crate) module: ModulePath,
}

impl File {
    /// A definition.
    pub(crate) fn symbol(&self, index: u32) -> &Symbol {
        &self.outline.symbols[index as usize]
    }

    /// The definitions that lie around one, innermost first, itself included. A container stands
    /// before its members.
    pub(crate) fn around(&self, index: Option<u32>) -> impl Iterator<Item = u32> {
        let around = move |inner: u32| {
            (0..=inner).rev().filter(move |outer| self.symbol(*outer).encloses(self.symbol(inner)))
        };
        index.into_iter().flat_map(around)
    }

    /// The name of the type around a definition: its own, if it is one.
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
    /// Position among its definitions.
    pub(crate) symbol: u32,
}

impl Definition {
    /// Every definition of a file, in text order.
    pub(crate) fn all(file: &Rc<File>) -> impl Iterator<Item = Definition> {
        let count = u32::try_from(file.outline.symbols.len()).unwrap_or(u32::MAX);
        (0..count).map(|symbol| Definition { file: Rc::clone(file), symbol })
    }

    /// The definition.
    pub(crate) fn symbol(&self) -> &Symbol {
        self.file.symbol(self.symbol)
    }

    /// What tells it from every other one.
    pub(crate) fn key(&self) -> (DocumentId, u32) {
        (self.file.id, self.symbol)
    }
}

impl PartialEq for Definition {
    fn eq(&self, other: &Definition) -> bool {
        self.key() == other.key()
    }
}

/// Sources whose files define things.
pub(crate) const SOURCES: &[SourceName] = &[SourceName::Code, SourceName::Patterns];

/// Whether the files of a source define things.
pub(crate) fn defines(source: SourceName) -> bool {
    SOURCES.contains(&source)
}

/// The files and names of some sources, as far as they were asked for.
pub(crate) struct CodeGraph<'a> {
    readers: Vec<&'a dyn Reader>,
    files: RefCell<HashMap<DocumentId, Rc<File>>>,
    definitions: RefCell<HashMap<String, Rc<[Definition]>>>,
    folders: RefCell<Option<Rc<Folders>>>,
    chunks_of: RefCell<HashMap<String, Rc<[Holder]>>>,
    meanings: RefCell<HashMap<Meaning, Resolution>>,
    modules: RefCell<Option<Rc<Modules>>>,
    /// Whether something was left out since there is too much of it.
    cut: RefCell<bool>,
}

/// A use whose meaning is remembered: file, scope, kind, qualifier, name.
pub(crate) type Meaning = (DocumentId, Option<u32>, ReferenceKind, Option<String>, String);

/// The files of each folder.
type Folders = HashMap<String, Vec<DocumentId>>;

/// Every file as a module, by its last segment.
pub(crate) type Modules = HashMap<String, Vec<(ModulePath, DocumentId)>>;

impl<'a> CodeGraph<'a> {
    /// Over the readers of some sources.
    pub(crate) fn new(readers: Vec<&'a dyn Reader>) -> CodeGraph<'a> {
        CodeGraph {
            readers,
            files: RefCell::default(),
            definitions: RefCell::default(),
            folders: RefCell::default(),
            chunks_of: RefCell::default(),
            meanings: RefCell::default(),
            modules: RefCell::default(),
            cut: RefCell::default(),
        }
    }

    fn reader(&self, source: SourceName) -> &'a dyn Reader {
        let of_source = self.readers.iter().find(|reader| reader.source() == source);
        *of_source.expect("an identifier comes from one of the readers")
    }

    /// Rows that hold a term in a field, source by source.
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

    /// Terms of a field that start with a prefix, in byte order.
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

    /// The files that meet a filter, in byte order of their paths.
    pub(crate) fn listing(&self, filter: &Filter) -> Result<Vec<Listed<'a>>, IndexError> {
        let mut listing = Vec::new();
        for reader in &self.readers {
            listing.extend(reader.listing(filter)?);
        }
        listing.sort_unstable();
        Ok(listing)
    }

    /// Whether something was left out since there is too much of it.
    pub(crate) fn was_cut(&self) -> bool {
        *self.cut.borrow()
    }

    /// Notes that something was left out.
    pub(crate) fn cut(&self) {
        *self.cut.borrow_mut() = true;
    }

    /// Reads a file, once.
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

    /// The chunk that holds the line of a definition's name.
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
        let of_file = holders[first..].iter().take_while(|one| one.document == definition.file.id);
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

    /// What a use means, as it was found out before; without places where that is nothing.
    pub(crate) fn remembered(&self, meaning: &Meaning) -> Option<Resolution> {
        self.meanings.borrow().get(meaning).cloned()
    }

    /// Remembers what a use means.
    pub(crate) fn remember(&self, meaning: Meaning, resolution: Resolution) {
        self.meanings.borrow_mut().insert(meaning, resolution);
    }

    /// The files of a folder.
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

    /// The files that hold a term, each once.
    pub(crate) fn files_with(&self, field: Field, term: &str) -> Result<Vec<Rc<File>>, IndexError> {
        let most = MOST_FILES * 4;
        let holders = self.holders(field, term, most)?;
        if holders.len() >= most {
            self.cut();
        }
        let mut ids: Vec<DocumentId> = holders.into_iter().map(|one| one.document).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() > MOST_FILES {
            ids.truncate(MOST_FILES);
            self.cut();
        }
        let mut files = Vec::with_capacity(ids.len());
        for id in ids {
            files.push(self.file(id)?);
        }
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(files)
    }

    /// Every definition of a name, written exactly so, in the order of paths and lines.
    pub(crate) fn definitions(&self, name: &str) -> Result<Rc<[Definition]>, IndexError> {
        if let Some(found) = self.definitions.borrow().get(name) {
            return Ok(Rc::clone(found));
        }
        let mut graph = Vec::new();
        for file in self.files_with(Field::Symbol, &definition_term(name))? {
            graph.extend(
                Definition::all(&file).filter(|definition| definition.symbol().name == name),
            );
        }
        let graph: Rc<[Definition]> = graph.into();
        self.definitions.borrow_mut().insert(name.to_owned(), Rc::clone(&graph));
        Ok(graph)
    }

    /// Every file as a module.
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
