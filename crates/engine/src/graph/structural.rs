//! Structural typing: types that satisfy an interface by having its methods, as in Go.
//!
//! Methods are compared by name and by the types of parameters and results. Every such edge is marked
//! as structural.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use lore_index::{DocumentId, IndexError};
use lore_schema::{Conformance, Field, SymbolKind};

use super::{
    code_graph::{CodeGraph, Definition, folder_of},
    edge::{End, Link},
    shapes::{Method, type_parameters},
};
use crate::{Certainty, EdgeKind};

/// Maximum depth of embedded types.
const MAX_EMBEDDED: usize = 4;

/// Interfaces of the standard library that other types embed, with their methods. Sorted by name.
/// Source: the documentation of the packages `builtin`, `fmt`, `io`, `net/http` and `sort` of Go 1.24.
const LIBRARY: &[(&str, &[&str])] = &[
    ("error", &["Error() string"]),
    ("fmt.Stringer", &["String() string"]),
    ("http.Handler", &["ServeHTTP(http.ResponseWriter, *http.Request)"]),
    ("io.Closer", &[CLOSE]),
    ("io.ReadCloser", &[READ, CLOSE]),
    ("io.ReadSeekCloser", &[READ, SEEK, CLOSE]),
    ("io.ReadSeeker", &[READ, SEEK]),
    ("io.ReadWriteCloser", &[READ, WRITE, CLOSE]),
    ("io.ReadWriteSeeker", &[READ, WRITE, SEEK]),
    ("io.ReadWriter", &[READ, WRITE]),
    ("io.Reader", &[READ]),
    ("io.ReaderAt", &["ReadAt([]byte, int64) (int, error)"]),
    ("io.ReaderFrom", &["ReadFrom(io.Reader) (int64, error)"]),
    ("io.Seeker", &[SEEK]),
    ("io.WriteCloser", &[WRITE, CLOSE]),
    ("io.WriteSeeker", &[WRITE, SEEK]),
    ("io.Writer", &[WRITE]),
    ("io.WriterAt", &["WriteAt([]byte, int64) (int, error)"]),
    ("io.WriterTo", &["WriteTo(io.Writer) (int64, error)"]),
    ("sort.Interface", &["Len() int", "Less(int, int) bool", "Swap(int, int)"]),
];

const CLOSE: &str = "Close() error";
const READ: &str = "Read([]byte) (int, error)";
const SEEK: &str = "Seek(int64, int) (int64, error)";
const WRITE: &str = "Write([]byte) (int, error)";

/// Methods of types that were already looked up.
type Known = HashMap<(DocumentId, u32), Rc<[Method]>>;

/// Returns the types that have all methods of an interface. An interface without methods gives
/// none, because every type satisfies it.
pub(super) fn implementers(
    graph: &CodeGraph<'_>,
    interface: &Definition,
) -> Result<Vec<Link>, IndexError> {
    let mut known = Known::new();
    let wanted = methods_of(graph, interface, 0, &mut known)?;
    // A type that satisfies it has its rarest method, or embeds a type that has.
    let mut rarest = None;
    for method in wanted.iter() {
        let name = &method.name;
        let count = graph.definitions(name)?.len();
        if rarest.is_none_or(|(min, _)| count < min) {
            rarest = Some((count, name));
        }
    }
    let Some((_, rarest)) = rarest else { return Ok(Vec::new()) };
    let mut names: HashSet<(String, String)> = HashSet::new();
    let mut queue: Vec<(String, String)> = Vec::new();
    for definition in graph.definitions(rarest)?.iter() {
        if let Some(container) = &definition.symbol().container {
            queue.push((folder_of(&definition.file.path).to_owned(), container.clone()));
        }
    }
    while let Some((folder, name)) = queue.pop() {
        if !names.insert((folder.clone(), name.clone())) {
            continue;
        }
        for file in graph.files_with(Field::Conformance, &name)? {
            for symbol in &file.outline.symbols {
                if symbol.conformances.iter().any(|of| of.name == name) {
                    let folder = folder_of(&file.path).to_owned();
                    queue.push((folder, symbol.name.clone()));
                }
            }
        }
    }
    let mut links = Vec::new();
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort();
    for (folder, name) in names {
        for definition in graph.definitions(&name)?.iter() {
            let is_there = folder_of(&definition.file.path) == folder;
            let symbol = definition.symbol();
            let is_type = symbol.kind.is_type() && symbol.kind != SymbolKind::Interface;
            if !is_there || !is_type || definition.file.language != interface.file.language {
                continue;
            }
            let has = methods_of(graph, definition, 0, &mut known)?;
            if wanted.iter().all(|method| has.iter().any(|own| method.is_met_by(own))) {
                links.push(Link {
                    from: definition.clone().into(),
                    to: End::from(interface.clone()),
                    kind: EdgeKind::Satisfies,
                    certainty: if definition.file.id == interface.file.id {
                        Certainty::SameFile
                    } else {
                        Certainty::Import
                    },
                    line: symbol.line,
                    outside: None,
                    is_one_asked: false,
                });
            }
        }
    }
    Ok(links)
}

/// Returns the methods of a type or interface, including those of embedded types.
fn methods_of(
    graph: &CodeGraph<'_>,
    definition: &Definition,
    depth: usize,
    known: &mut Known,
) -> Result<Rc<[Method]>, IndexError> {
    if let Some(methods) = known.get(&definition.key()) {
        return Ok(Rc::clone(methods));
    }
    // A type that embeds itself indirectly gains no methods.
    known.insert(definition.key(), Rc::from([]));
    let parameters = type_parameters(definition.symbol());
    let mut methods: Vec<Method> = graph
        .members(definition)?
        .iter()
        .filter(|member| member.symbol().kind == SymbolKind::Method)
        .map(|member| Method::of(&member.file, member.symbol(), &parameters))
        .collect();
    if depth < MAX_EMBEDDED {
        for of in &definition.symbol().conformances {
            let embedded = graph.resolve_type(&definition.file, of, Some(definition.symbol))?;
            let Some(embedded) = embedded.filter(|found| found.certainty.is_certain()) else {
                methods.extend(methods_of_library(of));
                continue;
            };
            for base in embedded.definitions.iter().filter(|base| *base != definition) {
                methods.extend(methods_of(graph, base, depth + 1, known)?.iter().cloned());
            }
        }
    }
    let methods: Rc<[Method]> = methods.into();
    known.insert(definition.key(), Rc::clone(&methods));
    Ok(methods)
}

/// Returns the methods of an embedded type of the standard library; none if it is not known.
fn methods_of_library(of: &Conformance) -> impl Iterator<Item = Method> {
    let name = match &of.qualifier {
        Some(qualifier) => format!("{qualifier}.{}", of.name),
        None => of.name.clone(),
    };
    let row = LIBRARY.binary_search_by(|(known, _)| known.cmp(&name.as_str())).ok();
    let declarations = row.map_or(&[][..], |row| LIBRARY[row].1);
    declarations.iter().map(|declaration| Method::of_library(declaration))
}

#[cfg(test)]
mod tests {
    use super::LIBRARY;

    #[test]
    fn the_library_is_sorted() {
        assert!(LIBRARY.is_sorted_by_key(|(name, _)| *name));
    }
}
