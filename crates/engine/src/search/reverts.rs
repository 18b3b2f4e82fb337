//! Commits that are reverted, and those that revert them.

use lore_index::{DocumentId, IndexError, Reader, StoredDocument};
use lore_schema::Field;
use lore_sources::without_number;

use crate::query::facets;

/// Number of digits by which a message may name a commit.
const HASH_LENGTHS: std::ops::RangeInclusive<usize> = 7..=10;

/// Maximum number of reverts of a commit.
const MAX_REVERTS: usize = 3;

/// Maximum number of commits with one subject.
const MAX_OF_TITLE: usize = 8;

/// Attribute with the commit that a commit reverts, as its message names it.
pub(crate) const REVERTS: &str = "reverts";

/// Returns the commits with this beginning of a hash or this subject. None if the beginning is that of two
/// hashes.
pub(crate) fn find_reverted(
    name: &str,
    reader: &dyn Reader,
) -> Result<Vec<StoredDocument>, IndexError> {
    let is_hash = HASH_LENGTHS.contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit());
    let terms = if is_hash {
        reader.terms(Field::Facets, &facets::value_term("id", name), 2)?
    } else {
        vec![facets::value_term("title", name)]
    };
    let [term] = &terms[..] else { return Ok(Vec::new()) };
    let holders = reader.holders(Field::Facets, term, MAX_REVERTS)?;
    let ids: Vec<DocumentId> = holders.iter().map(|holder| holder.document).collect();
    reader.documents(&ids)
}

/// Returns the commits whose messages say that they revert the commit with this hash and subject, at most
/// three.
pub(crate) fn reverting(
    hash: &str,
    subject: &str,
    reader: &dyn Reader,
) -> Result<Vec<StoredDocument>, IndexError> {
    let by_hash = HASH_LENGTHS.filter_map(|length| hash.get(..length));
    let terms: Vec<String> =
        by_hash.chain([subject]).map(|name| facets::value_term(REVERTS, name)).collect();
    let mut ids: Vec<DocumentId> = Vec::new();
    for term in &terms {
        let holders = reader.holders(Field::Facets, term, MAX_REVERTS)?;
        ids.extend(holders.iter().map(|holder| holder.document));
    }
    ids.sort_unstable();
    ids.dedup();
    let mut found = reader.documents(&ids)?;
    found.retain(|commit| !commit.key.locator.starts_with(hash));
    found.truncate(MAX_REVERTS);
    Ok(found)
}

/// Returns the commits after a revert that make the reverted change again: with its subject, or with one of
/// the forms that tools write for it.
pub(crate) fn landed_again(
    commit: &StoredDocument,
    revert: &StoredDocument,
    reader: &dyn Reader,
) -> Result<Vec<StoredDocument>, IndexError> {
    let title = without_number(&commit.title);
    let mut ids: Vec<DocumentId> = Vec::new();
    for form in [
        commit.title.clone(),
        title.to_owned(),
        format!("Reapply \"{}\"", commit.title),
        format!("Reland \"{}\"", commit.title),
        format!("Reland {title}"),
        format!("Revert \"Revert \"{}\"\"", commit.title),
    ] {
        let holders =
            reader.holders(Field::Facets, &facets::value_term("title", &form), MAX_OF_TITLE)?;
        ids.extend(holders.iter().map(|holder| holder.document));
    }
    ids.sort_unstable();
    ids.dedup();
    let mut found = reader.documents(&ids)?;
    found.retain(|other| {
        other.key.locator != commit.key.locator
            && other.key.locator != revert.key.locator
            && revert.attributes.updated <= other.attributes.updated
    });
    Ok(found)
}
