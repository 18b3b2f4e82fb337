//! Structural typing: types that satisfy an interface by having its methods, as in Go.
//!
//! Only the name and the number of parameters of each method are compared, because outlines contain
//! no types. Every such edge is marked as structural.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use lore_index::{DocumentId, IndexError};
use lore_schema::{Field, Symbol, SymbolKind};

use super::{
    code_graph::{CodeGraph, Definition, folder_of},
    edge::{End, Link},
};
use crate::{Certainty, EdgeKind};

/// Maximum depth of embedded types.
const MAX_EMBEDDED: usize = 4;

/// The compared part of a method: name and number of parameters.
type Shape = (String, usize);

/// Methods of types that were already looked up.
type Known = HashMap<(DocumentId, u32), Rc<[Shape]>>;

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
    for (name, _) in wanted.iter() {
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
            if wanted.iter().all(|method| has.contains(method)) {
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
) -> Result<Rc<[Shape]>, IndexError> {
    if let Some(methods) = known.get(&definition.key()) {
        return Ok(Rc::clone(methods));
    }
    // A type that embeds itself indirectly gains no methods.
    known.insert(definition.key(), Rc::from([]));
    let mut methods: Vec<Shape> = graph
        .members(definition)?
        .iter()
        .filter(|member| member.symbol().kind == SymbolKind::Method)
        .map(|member| shape(member.symbol()))
        .collect();
    if depth < MAX_EMBEDDED {
        for of in &definition.symbol().conformances {
            let embedded = graph.resolve_type(&definition.file, of, Some(definition.symbol))?;
            for base in embedded.iter().flat_map(|found| found.definitions.iter()) {
                if Rc::ptr_eq(&base.file, &definition.file) && base.symbol == definition.symbol {
                    continue;
                }
                methods.extend(methods_of(graph, base, depth + 1, known)?.iter().cloned());
            }
        }
    }
    methods.sort();
    methods.dedup();
    let methods: Rc<[Shape]> = methods.into();
    known.insert(definition.key(), Rc::clone(&methods));
    Ok(methods)
}

/// Returns the name of a method and the number of its parameters, parsed from its declaration.
fn shape(symbol: &Symbol) -> Shape {
    let after = symbol
        .signature
        .find(&format!("{}(", symbol.name))
        .map(|at| &symbol.signature[at + symbol.name.len() + 1..]);
    let Some(after) = after else { return (symbol.name.clone(), 0) };
    let mut depth = 0_usize;
    let mut count = 0;
    let mut is_empty = true;
    for letter in after.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => count += 1,
            _ => {}
        }
        is_empty &= letter.is_whitespace();
    }
    (symbol.name.clone(), if is_empty { 0 } else { count + 1 })
}

#[cfg(test)]
mod tests {
    use lore_schema::Visibility;

    use super::*;

    #[test]
    fn parameters_are_counted() {
        let check = |signature: &str, expected: usize| {
            let symbol = Symbol {
                name: "Save".to_owned(),
                kind: SymbolKind::Method,
                visibility: Visibility::Public,
                container: None,
                line: 1,
                start_line: 1,
                end_line: 1,
                repetition: 1,
                signature: signature.to_owned(),
                doc_comment: None,
                conformances: Vec::new(),
            };
            assert_eq!(shape(&symbol), ("Save".to_owned(), expected), "{signature}");
        };
        check("Save()", 0);
        check("func (d *Disk) Save() error", 0);
        check("func (d *Disk) Save(row Row, keys map[string]int) error", 2);
        check("Save(f func(a, b int), n int)", 2);
        check("Save", 0);
    }
}
