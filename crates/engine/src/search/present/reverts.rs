//! Links a shown commit with the commit that it reverts, and with those that revert it.

use lore_index::{DocumentId, IndexError, Reader};
use lore_schema::{Field, SourceName};

use crate::{Hit, query::facets};

/// Number of digits by which a message may name a commit.
const HASH_LENGTHS: std::ops::RangeInclusive<usize> = 7..=10;

/// Maximum number of reverts that are named.
const MAX_REVERTS: usize = 3;

/// Attribute with the commit that a commit reverts. The source stores the name that the message
/// gives; a shown hit has the short hash if that commit is in the index.
const REVERTS: &str = "reverts";

/// Attribute with the short hash of a commit that reverts this one.
pub(crate) const REVERTED_BY: &str = "reverted_by";

/// Adds the links of a hit, if it is a commit.
pub(super) fn link_reverts(
    hit: &mut Hit,
    id: DocumentId,
    reader: &dyn Reader,
) -> Result<(), IndexError> {
    if reader.source() != SourceName::Git {
        return Ok(());
    }
    if let Some(at) = hit.extra.iter().position(|(name, _)| name == REVERTS)
        && let Some(target) = find_target(&hit.extra[at].1, id, reader)?
    {
        hit.extra[at].1 = target;
    }
    let Some((_, hash)) = hit.id.split_once(':') else { return Ok(()) };
    let hash = hash.split('#').next().unwrap_or_default();
    let by_hash = HASH_LENGTHS.filter_map(|length| hash.get(..length));
    let terms: Vec<String> =
        by_hash.chain([hit.title.as_str()]).map(|name| facets::value_term(REVERTS, name)).collect();
    let mut reverting: Vec<DocumentId> = Vec::new();
    for term in &terms {
        let holders = reader.holders(Field::Facets, term, MAX_REVERTS)?;
        reverting.extend(holders.iter().map(|holder| holder.document));
    }
    reverting.sort_unstable();
    reverting.dedup();
    reverting.retain(|other| *other != id);
    reverting.truncate(MAX_REVERTS);
    for document in reader.documents(&reverting)? {
        hit.extra.extend(document.attributes.id.map(|hash| (REVERTED_BY.to_owned(), hash)));
    }
    Ok(())
}

/// Returns the short hash of the commit with this hash or subject, unless there is none but `id`.
fn find_target(
    name: &str,
    id: DocumentId,
    reader: &dyn Reader,
) -> Result<Option<String>, IndexError> {
    let is_hash = HASH_LENGTHS.contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit());
    let terms = if is_hash {
        reader.terms(Field::Facets, &facets::value_term("id", name), 2)?
    } else {
        vec![facets::value_term("title", name)]
    };
    // The beginning of two hashes names neither.
    let [term] = &terms[..] else { return Ok(None) };
    let holders = reader.holders(Field::Facets, term, 2)?;
    let targets: Vec<DocumentId> =
        holders.iter().map(|holder| holder.document).filter(|target| *target != id).collect();
    let document = reader.documents(&targets)?.into_iter().next();
    Ok(document.and_then(|document| document.attributes.id))
}
