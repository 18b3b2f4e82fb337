//! Documents that ended their parser: stored as a term of the index, so that they are not parsed again
//! until they change.

use lore_index::{DocumentId, IndexError, Reader};
use lore_schema::Field;

use crate::{ParserFault, UnparsedFile, query::facets};

/// Maximum number of documents that are listed for each fault.
const MAX_LISTED: usize = 1_000;

/// The term of documents with this fault.
pub(crate) fn term(fault: ParserFault) -> String {
    format!("{}{}", facets::PARSER_FAULT, fault.as_str())
}

/// Lists the documents of one source that ended their parser, by path.
pub(crate) fn files(reader: &dyn Reader) -> Result<Vec<UnparsedFile>, IndexError> {
    let mut files = Vec::new();
    for fault in ParserFault::ALL {
        let holders = reader.holders(Field::Facets, &term(*fault), MAX_LISTED)?;
        let ids: Vec<DocumentId> = holders.iter().map(|holder| holder.document).collect();
        let documents = reader.documents(&ids)?;
        files.extend(
            documents
                .into_iter()
                .map(|document| UnparsedFile { path: document.path, fault: *fault }),
        );
    }
    files.sort_unstable();
    Ok(files)
}
