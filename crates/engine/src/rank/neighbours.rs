//! Neighbours: candidates that support another one, because they are in its folder, form one unit
//! with it, or use what it defines. A document with good neighbours is more likely an answer.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use foldhash::HashMap;
use lore_index::{DocumentId, IndexError, Reader};
use lore_schema::{Category, Field, ReferenceKind};

use super::{DocumentCandidate, candidate::discounted_sum};
use crate::query::{definition_term, import_term, reference_term};

/// Sum of a good answer: neighbours with this sum or more count in full. Half of the best hits of
/// the development set have more.
const GOOD_SUM: f32 = 8.0;

/// Number of files of a folder that support a document.
const MAX_SIBLINGS: usize = 3;

/// Number of best candidates whose users are looked up: each costs some lookups. From 5 to 40, the
/// figure of the development set stays within 0.0004; on the commit sets, 5 to 9 are 0.002 to 0.003
/// better than more.
const MAX_LOOKED_UP: usize = 8;

/// Maximum number of names of one document that are looked up. Its types come first.
const MAX_NAMES: usize = 8;

/// Maximum number of files that call, import or use a name as a type: names with more users give no
/// support. A part of their users would depend on the order in which they were indexed. 64 to 256
/// give the same figures on the development set and the commit sets; 32 lose 0.0004.
const MAX_USERS: usize = 64;

/// Support of other candidates, each 0.0..=1.0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Neighbours {
    /// Mean over the best three other files of the folder.
    pub(crate) siblings: f32,
    /// Maximum over the other files of the unit, for its main file.
    pub(crate) unit: f32,
    /// Geometrically discounted sum of the best three users of what only this document defines,
    /// divided by the logarithm of the number of users: a definition that all files use answers no
    /// specific query.
    pub(crate) users: f32,
}

/// Computes the support of all candidates of one source, in their order. `raw` are their sums
/// without neighbours, in the same order. Only documents that `supports` accepts support others.
pub(crate) fn neighbours(
    candidates: &[&DocumentCandidate],
    raw: &[f32],
    supports: impl Fn(DocumentId) -> bool,
    defined_once: &DefinedOnce<'_>,
) -> Result<Vec<Neighbours>, IndexError> {
    let evidence: Vec<f32> = raw.iter().map(|raw| (raw / GOOD_SUM).clamp(0.0, 1.0)).collect();
    let supporting: Vec<bool> =
        candidates.iter().map(|document| supports(document.parts.candidate.id)).collect();
    let paths: Vec<&str> =
        candidates.iter().map(|document| &*document.parts.document.path).collect();
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, path) in paths.iter().enumerate() {
        folders.entry(split(path).0).or_default().push(index);
    }
    let mut found = vec![Neighbours::default(); candidates.len()];
    for members in folders.values().filter(|members| members.len() > 1) {
        let mut best: Vec<usize> =
            members.iter().copied().filter(|index| supporting[*index]).collect();
        best.sort_by(|left, right| evidence[*right].total_cmp(&evidence[*left]));
        for &index in members {
            let others = best.iter().filter(|other| **other != index).take(MAX_SIBLINGS);
            let sum: f32 = others.map(|other| evidence[*other]).sum();
            found[index].siblings = sum / MAX_SIBLINGS as f32;
            let category = |index: usize| candidates[index].parts.document.category;
            let parts = best.iter().filter(|other| {
                category(**other) == category(index) && is_part(paths[**other], paths[index])
            });
            found[index].unit = parts.map(|other| evidence[*other]).fold(0.0, f32::max);
        }
    }
    let at: BTreeMap<DocumentId, usize> = candidates
        .iter()
        .enumerate()
        .filter(|(index, document)| {
            supporting[*index] && document.parts.document.category != Category::Test
        })
        .map(|(index, document)| (document.parts.candidate.id, index))
        .collect();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|left, right| {
        raw[*right].total_cmp(&raw[*left]).then_with(|| paths[*left].cmp(paths[*right]))
    });
    order.truncate(MAX_LOOKED_UP);
    announce(order.iter().map(|index| candidates[*index]), defined_once.reader())?;
    for index in order {
        let users = users(candidates[index], defined_once)?;
        let mut known: Vec<f32> =
            users.iter().filter_map(|id| at.get(id)).map(|user| evidence[*user]).collect();
        known.sort_by(|left, right| right.total_cmp(left));
        let support = discounted_sum(known.into_iter());
        found[index].users = support / (users.len() as f32 + 2.0).log2();
    }
    Ok(found)
}

/// The names of a document whose users support it.
fn looked_up(candidate: &DocumentCandidate) -> impl Iterator<Item = &String> {
    let document = &candidate.parts.document;
    let outer = document.names.iter().take(document.outer_names as usize);
    outer.take(MAX_NAMES).filter(|name| name.len() > 2)
}

/// The terms of the users of a name.
fn user_terms(name: &str) -> [String; 3] {
    [
        reference_term(ReferenceKind::Call, name),
        reference_term(ReferenceKind::Type, name),
        import_term(name),
    ]
}

/// Announces the lookups of the users of these documents.
fn announce<'d>(
    documents: impl Iterator<Item = &'d DocumentCandidate>,
    reader: &dyn Reader,
) -> Result<(), IndexError> {
    let names: Vec<&String> = documents.flat_map(looked_up).collect();
    let users = names.iter().flat_map(|name| user_terms(name));
    let users: Vec<_> = users.map(|term| (Field::References, term)).collect();
    announce_definitions(names.into_iter(), reader)?;
    reader.announce(&users, MAX_USERS + 1)
}

/// Announces that [`DefinedOnce`] decides about these names next.
pub(super) fn announce_definitions<'n>(
    names: impl Iterator<Item = &'n String>,
    reader: &dyn Reader,
) -> Result<(), IndexError> {
    let terms = names.map(|name| (Field::Symbol, definition_term(name)));
    reader.announce(&terms.collect::<Vec<_>>(), MAX_ROWS)
}

/// Documents that call, import or use as a type what only this document defines.
fn users(
    candidate: &DocumentCandidate,
    defined_once: &DefinedOnce<'_>,
) -> Result<BTreeSet<DocumentId>, IndexError> {
    let reader = defined_once.reader();
    let mut users = BTreeSet::new();
    'names: for name in looked_up(candidate) {
        if !defined_once.holds(name, candidate.parts.candidate.id)? {
            continue;
        }
        let mut of_name = Vec::new();
        for term in user_terms(name) {
            let holders = reader.holders(Field::References, &term, MAX_USERS + 1)?;
            if holders.len() > MAX_USERS {
                continue 'names;
            }
            of_name.extend(holders.into_iter().map(|holder| holder.document));
        }
        users.extend(of_name);
    }
    users.remove(&candidate.parts.candidate.id);
    Ok(users)
}

/// Maximum number of documents that define a name in any letter case and are read for its spelling.
const MAX_SPELLINGS: usize = 6;

/// Number of chunks declaring a name that are read at once: most names have far fewer.
const MAX_ROWS: usize = 64;

/// Names that only one document defines. Results are remembered while a query is answered.
pub(crate) struct DefinedOnce<'r> {
    reader: &'r dyn Reader,
    known: RefCell<HashMap<String, bool>>,
}

impl<'r> DefinedOnce<'r> {
    /// Empty memory.
    pub(crate) fn new(reader: &'r dyn Reader) -> DefinedOnce<'r> {
        DefinedOnce { reader, known: RefCell::default() }
    }

    /// The index that is looked up.
    pub(crate) fn reader(&self) -> &'r dyn Reader {
        self.reader
    }

    /// Returns whether a name that the document `by` defines is defined by no other one in the same
    /// letter case. False for a name that more than [`MAX_SPELLINGS`] documents define in any
    /// letter case.
    pub(super) fn holds(&self, name: &str, by: DocumentId) -> Result<bool, IndexError> {
        if let Some(known) = self.known.borrow().get(name) {
            return Ok(*known);
        }
        let found = is_defined_once(name, by, self.reader)?;
        self.known.borrow_mut().insert(name.to_owned(), found);
        Ok(found)
    }
}

fn is_defined_once(name: &str, by: DocumentId, reader: &dyn Reader) -> Result<bool, IndexError> {
    let term = definition_term(name);
    let mut holders = reader.holders(Field::Symbol, &term, MAX_ROWS)?;
    // Rows of a document are adjacent.
    let documents = holders.chunk_by(|left, right| left.document == right.document).count();
    if documents > MAX_SPELLINGS {
        return Ok(false);
    }
    if holders.len() == MAX_ROWS {
        if reader.document_frequency(Field::Symbol, &term)? > MAX_SPELLINGS as u64 {
            return Ok(false);
        }
        holders = reader.holders(Field::Symbol, &term, usize::MAX)?;
    }
    for holder in holders.iter().filter(|holder| holder.document != by) {
        if let Some(chunk) = holder.chunk
            && reader.defines(chunk, name)?
        {
            return Ok(false);
        }
    }
    Ok(!holders.is_empty())
}

/// Returns whether the first of two files of a folder is a part of the second one: a piece of a
/// type that is split over files (`Store.Json.cs` and `Store+Json.swift` of `Store`), or the header
/// of a source.
fn is_part(part: &str, main: &str) -> bool {
    const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx"];
    const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "m", "mm"];
    let ((_, part, of_part), (_, main, of_main)) = (split(part), split(main));
    if part == main {
        return HEADERS.contains(&of_part) && SOURCES.contains(&of_main);
    }
    of_part == of_main && part.strip_prefix(main).is_some_and(|rest| rest.starts_with(['.', '+']))
}

/// Folder, stem and extension of a path.
fn split(path: &str) -> (&str, &str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    (folder, stem, extension)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use lore_schema::{Filter, SourceName};

    use super::*;
    use crate::{
        IndexMode,
        state::refresh,
        testing::{Silent, in_memory},
    };

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a tree that defines names")]
    fn a_name_is_defined_once_in_its_letter_case_and_by_few_documents() {
        let tree = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            std::fs::write(tree.path().join(name), text).expect("a file");
        };
        write("alone.rs", "pub fn alone() {}\npub fn Spelled() {}\npub fn twice() {}\n");
        write("other.rs", "pub fn spelled() {}\npub fn twice() {}\n");
        let cases = ["seven", "Seven", "sEven", "seVen", "sevEn", "seveN", "SEVEN"];
        for (number, name) in cases.iter().enumerate() {
            write(&format!("seven{number}.rs"), &format!("pub fn {name}() {{}}\n"));
        }
        for (number, name) in
            ["sixth", "Sixth", "sIxth", "siXth", "sixTh", "sixtH"].iter().enumerate()
        {
            write(&format!("sixth{number}.rs"), &format!("pub fn {name}() {{}}\n"));
        }
        // More chunks than are read at once, in one file and in two.
        let many = |name: &str| {
            let mut text = String::new();
            for number in 0..MAX_ROWS + 8 {
                let body = format!("    let value = compute({number});\n").repeat(40);
                writeln!(text, "mod m{number} {{\npub fn {name}() {{\n{body}}}\n}}").expect("text");
            }
            text
        };
        write("many.rs", &many("many"));
        write("both.rs", &many("both"));
        write("both_again.rs", "pub fn both() {}\n");
        let config = in_memory(tree.path(), 1);
        let snapshot = refresh::take(&config, &[SourceName::Code], IndexMode::Update, &Silent)
            .expect("a tree");
        let reader = snapshot.sources[0].reader.as_ref();
        let rows = reader.holders(Field::Symbol, &definition_term("many"), usize::MAX);
        assert!(rows.expect("rows").len() > MAX_ROWS);
        let listing = reader.listing(&Filter::default()).expect("a listing");
        let defining = |name: &str| {
            let term = definition_term(name);
            let holders = reader.holders(Field::Symbol, &term, usize::MAX).expect("rows");
            let spells = |holder: &&lore_index::Holder| {
                let chunks = reader.chunks(holder.chunk.as_slice()).expect("a passage");
                chunks[0].symbols.iter().any(|symbol| symbol.name == name)
            };
            holders.iter().find(spells).map_or(listing[0].id, |holder| holder.document)
        };
        let defined_once = DefinedOnce::new(reader);
        for (name, expected) in [
            ("alone", true),
            ("twice", false),
            ("Spelled", true),
            ("spelled", true),
            ("seven", false),
            ("sixth", true),
            ("many", true),
            ("both", false),
            ("nobody", false),
        ] {
            let found = defined_once.holds(name, defining(name));
            assert_eq!(found.expect("an answer"), expected, "{name}");
        }
    }

    #[test]
    fn parts_of_units() {
        for (part, main, expected) in [
            ("a/Store.Json.cs", "a/Store.cs", true),
            ("a/Store+Json.swift", "a/Store.swift", true),
            ("a/Store.cs", "a/Store.Json.cs", false),
            ("a/store.h", "a/store.cc", true),
            ("a/store.cc", "a/store.h", false),
            ("a/StoreTests.cs", "a/Store.cs", false),
            ("a/store.js", "a/store.ts", false),
            ("a/Store.Json.cs", "a/Store.swift", false),
        ] {
            assert_eq!(is_part(part, main), expected, "{part} of {main}");
        }
    }
}
