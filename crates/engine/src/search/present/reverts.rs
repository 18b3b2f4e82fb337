//! Links a shown commit with the commit that it reverts, and with those that revert it.

use lore_index::{IndexError, Reader};
use lore_schema::SourceName;

use crate::{
    Hit,
    search::reverts::{REVERTS, find_reverted, reverting},
};

/// Attribute with the short hash of a commit that reverts this one.
pub(crate) const REVERTED_BY: &str = "reverted_by";

/// Adds the links of a hit, if it is a commit. The source stores the name that the message gives; a shown
/// hit has the short hash if that commit is in the index.
pub(super) fn link_reverts(hit: &mut Hit, reader: &dyn Reader) -> Result<(), IndexError> {
    if reader.source() != SourceName::Git {
        return Ok(());
    }
    let Some((_, hash)) = hit.id.split_once(':') else { return Ok(()) };
    let hash = hash.split('#').next().unwrap_or_default().to_owned();
    if let Some(at) = hit.extra.iter().position(|(name, _)| name == REVERTS) {
        let mut targets = find_reverted(&hit.extra[at].1, reader)?;
        targets.retain(|target| !target.key.locator.starts_with(&hash));
        if let Some(target) = targets.into_iter().find_map(|target| target.attributes.id) {
            hit.extra[at].1 = target;
        }
    }
    for commit in reverting(&hash, &hit.title, reader)? {
        hit.extra.extend(commit.attributes.id.map(|hash| (REVERTED_BY.to_owned(), hash)));
    }
    Ok(())
}
