//! Templates of tools for specs and agents: forms with placeholders, which answer nothing. They are
//! left out of a search unless it asks for them.

use lore_schema::{Category, Filter};

use crate::{SearchRequest, state::snapshot::Snapshot};

/// What is said when nothing but templates might have been found.
pub(crate) const LEFT_OUT: &str =
    "templates of tools for specs and agents are left out, unless they are asked for";

/// The request without templates, if the tree has some and it does not ask for them.
pub(crate) fn without_templates(request: &SearchRequest, snapshot: &Snapshot) -> SearchRequest {
    let mut request = request.clone();
    if !asks(&request.filter) && snapshot.has_templates() {
        request.filter.without.push(Category::Template);
    }
    request
}

/// Whether a filter names templates: as a category, as a part of a source, or by their folder.
fn asks(filter: &Filter) -> bool {
    let parts = filter.parts.iter().flat_map(|part| &part.categories);
    parts.chain(&filter.categories).any(|category| *category == Category::Template)
        || filter.paths.iter().any(|glob| glob.contains("templates"))
}

/// Whether a filter leaves templates out.
pub(crate) fn are_left_out(filter: &Filter) -> bool {
    filter.without.contains(&Category::Template)
}
