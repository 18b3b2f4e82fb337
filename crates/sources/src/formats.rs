//! Table of the file sources and of the formats of each.

use lore_schema::SourceName;

use crate::{
    files::{CodeReader, DocsReader, PatternsReader},
    specs::SPEC_FORMATS,
    store::Reader,
    tickets::TICKET_FORMATS,
};

/// A source whose units are files, or folders of files.
pub(crate) struct FileSource {
    pub(crate) name: SourceName,
    /// Readers of the formats, in the order in which they claim files.
    pub(crate) readers: &'static [&'static dyn Reader],
}

/// Source code and all other text that is not prose.
pub(crate) static CODE: FileSource = FileSource { name: SourceName::Code, readers: &[&CodeReader] };

/// Prose.
pub(crate) static DOCS: FileSource = FileSource { name: SourceName::Docs, readers: &[&DocsReader] };

/// Patterns.
pub(crate) static PATTERNS: FileSource =
    FileSource { name: SourceName::Patterns, readers: &[&PatternsReader] };

/// Specifications and decisions.
pub(crate) static SPECS: FileSource = FileSource { name: SourceName::Specs, readers: SPEC_FORMATS };

/// Tickets.
pub(crate) static TICKETS: FileSource =
    FileSource { name: SourceName::Tickets, readers: TICKET_FORMATS };

/// Every file source, in the order in which they claim files: the more specific, the earlier.
pub(crate) static FILE_SOURCES: &[&FileSource] = &[&TICKETS, &SPECS, &PATTERNS, &DOCS, &CODE];
