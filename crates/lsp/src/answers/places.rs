//! Places of the index as places of the protocol: addresses of files and ranges in the texts of the
//! editor.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use lore_engine::{NamePosition, Navigator, SymbolHit, UsePlace, name_at, occurrences};
use lsp_types::{Location, Position, Range, SymbolKind, Uri};

use crate::{documents::OpenDocument, handshake::Features, text::Text, workspaces::Root};

/// Maximum number of lines after the line of a use that may contain its name.
const MAX_STATEMENT_LINES: u32 = 12;

/// Finds places in the files of one folder.
pub(super) struct Places<'a> {
    /// The state of the tree.
    pub(super) navigator: &'a Navigator<'a>,
    /// Capabilities and options of the client.
    pub(super) features: Features,
    root: &'a Root,
    open: &'a [Arc<OpenDocument>],
    /// Texts that were read; `None` for a file that cannot be read.
    texts: RefCell<BTreeMap<String, Option<Arc<Text>>>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(
        navigator: &'a Navigator<'a>,
        root: &'a Root,
        open: &'a [Arc<OpenDocument>],
        features: Features,
    ) -> Places<'a> {
        Places { navigator, features, root, open, texts: RefCell::default() }
    }

    /// Returns the text of a file: that of the editor or, without its secrets, that on disk.
    pub(super) fn text(&self, path: &str) -> Option<Arc<Text>> {
        if let Some(document) = self.open.iter().find(|document| document.path == path) {
            return Some(Arc::clone(&document.text));
        }
        let mut texts = self.texts.borrow_mut();
        let read = || self.navigator.text(path).map(|text| Arc::new(Text::new(text)));
        texts.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the name at a position, and its range.
    pub(super) fn name_at(&self, path: &str, position: Position) -> Option<(NamePosition, Range)> {
        let text = self.text(path)?;
        let offset = text.offset(position, self.features.encoding);
        let (line, column) = text.index_position(offset);
        let (name, range) = name_at(path, (line, column), &|line| text.index_line(line))?;
        let at = |column| text.position(text.index_offset(line, column), self.features.encoding);
        Some((name, Range::new(at(range.start), at(range.end))))
    }

    /// Returns the address of a file.
    pub(super) fn uri(&self, path: &str) -> Option<Uri> {
        self.root.uri(path)
    }

    /// Returns the place of the name of a definition.
    pub(super) fn definition(&self, hit: &SymbolHit) -> Option<Location> {
        Some(Location::new(self.uri(&hit.path)?, self.name_of(hit)))
    }

    /// Returns the range of the name of a definition.
    pub(super) fn name_of(&self, hit: &SymbolHit) -> Range {
        self.name_in(&hit.path, hit.line, std::slice::from_ref(&hit.name), 0)
    }

    /// Returns the range of the lines of a definition.
    pub(super) fn lines_of(&self, hit: &SymbolHit) -> Range {
        let Some(text) = self.text(&hit.path) else {
            return Range::new(line_start(hit.start_line), line_start(hit.end_line));
        };
        let at = |offset| text.position(offset, self.features.encoding);
        let last = hit.end_line.min(text.line_count());
        let end = text.index_offset(last, text.index_line(last).len());
        Range::new(at(text.index_offset(hit.start_line, 0)), at(end))
    }

    /// Returns the text of the lines of a definition.
    pub(super) fn source_of(&self, hit: &SymbolHit) -> Vec<String> {
        let Some(text) = self.text(&hit.path) else { return Vec::new() };
        let last = hit.end_line.min(text.line_count());
        (hit.start_line..=last).map(|line| text.index_line(line).to_owned()).collect()
    }

    /// Returns the place of a use.
    pub(super) fn usage(&self, place: &UsePlace) -> Option<Location> {
        let range = self.name_in(&place.path, place.line, &place.names, place.nth);
        Some(Location::new(self.uri(&place.path)?, range))
    }

    /// Returns the range of the nth occurrence of a name in a line, or else of the next one. Without
    /// one, the start of the line: the file changed, or the name is written in another way.
    pub(super) fn name_in(&self, path: &str, line: u32, names: &[String], nth: usize) -> Range {
        let nothing = Range::new(line_start(line), line_start(line));
        let Some(text) = self.text(path) else { return nothing };
        for number in line..=line.saturating_add(MAX_STATEMENT_LINES) {
            let content = text.index_line(number);
            for name in names {
                let columns: Vec<usize> = occurrences(content, name).collect();
                let column = if number == line { columns.get(nth) } else { columns.first() };
                if let Some(column) = column.or(columns.last()) {
                    let start = text.index_offset(number, *column);
                    let at = |offset| text.position(offset, self.features.encoding);
                    return Range::new(at(start), at(start + name.len()));
                }
            }
        }
        nothing
    }
}

fn line_start(line: u32) -> Position {
    Position::new(line.saturating_sub(1), 0)
}

/// Returns the kind of a definition in the protocol.
pub(super) fn symbol_kind(kind: &str) -> SymbolKind {
    match kind {
        "class" | "impl" => SymbolKind::CLASS,
        "const" => SymbolKind::CONSTANT,
        "enum" => SymbolKind::ENUM,
        "field" => SymbolKind::FIELD,
        "interface" => SymbolKind::INTERFACE,
        "method" => SymbolKind::METHOD,
        "module" => SymbolKind::MODULE,
        "struct" | "type" => SymbolKind::STRUCT,
        "variable" => SymbolKind::VARIABLE,
        // Functions and macros.
        _ => SymbolKind::FUNCTION,
    }
}
