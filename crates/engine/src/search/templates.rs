//! Templates of tools for specs and agents: forms with placeholders, which answer no question. They
//! are excluded from a search unless the request names them.

use lore_schema::{Category, Filter};

use crate::{SearchRequest, state::snapshot::Snapshot};

/// The reason for an empty answer that templates might have filled.
pub(crate) const EXCLUDED: &str =
    "templates of tools for specs and agents are excluded unless the request names them";

/// The request without templates, if the tree has some and it does not name them.
pub(crate) fn without_templates(request: &SearchRequest, snapshot: &Snapshot) -> SearchRequest {
    let mut request = request.clone();
    exclude_templates(&mut request.filter, snapshot);
    request
}

/// Excludes templates, if the tree has some and the filter does not name them.
pub(crate) fn exclude_templates(filter: &mut Filter, snapshot: &Snapshot) {
    if !names_templates(filter) && snapshot.has_templates() {
        filter.without.push(Category::Template);
    }
}

/// Returns whether a filter names templates: as a category, as a part of a source, or by their
/// folder.
fn names_templates(filter: &Filter) -> bool {
    let parts = filter.parts.iter().flat_map(|part| &part.categories);
    parts.chain(&filter.categories).any(|category| *category == Category::Template)
        || filter.paths.iter().any(|glob| glob.contains("templates"))
}

/// Returns whether a filter excludes templates.
pub(crate) fn are_excluded(filter: &Filter) -> bool {
    filter.without.contains(&Category::Template)
}
