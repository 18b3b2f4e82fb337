//! The page with the state of the index.

use std::sync::Arc;

use lore_engine::Status;
use maud::{Markup, html};

use crate::{
    error::PageError,
    layout::{self, Frame},
    links,
    site::Site,
};

/// Maximum number of files that are named.
const MAX_FILES: usize = 20;

/// Reads the state.
pub(crate) fn read(site: &Arc<Site>) -> Result<Status, PageError> {
    site.run(|opened| Ok(opened.engine.status()?))
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>) -> Result<Markup, PageError> {
    let status = read(site)?;
    let pending: u64 = status.sources.values().map(|source| source.pending).sum();
    let unparsed: Vec<&str> = status
        .sources
        .values()
        .flat_map(|source| source.unparsed.iter().map(|file| file.path.as_str()))
        .collect();
    let body = html! {
        h1 { "State of the index" }
        p {
            @if pending == 0 { "The index is up to date." }
            @else { (pending) " changes since the index was written; each search reads them first." }
        }
        @for problem in &status.problems { p.notice { (problem) } }
        div.scroll tabindex="0" role="region" aria-label="Sources" {
            table {
                thead { tr { th scope="col" { "Source" } th scope="col" { "Documents" } th scope="col" { "Passages" } th scope="col" { "Text" } th scope="col" { "Index" } th scope="col" { "Skipped" } th scope="col" { "Secrets removed" } } }
                tbody {
                    @for (name, source) in &status.sources {
                        tr {
                            th scope="row" { a href={ (links::to("/search?in=")) (name.as_str()) } { (name.as_str()) } }
                            td { (source.documents) }
                            td { (source.chunks) }
                            td { (lore_render::output::bytes(source.text_bytes)) }
                            td { (lore_render::output::bytes(source.disk_bytes)) }
                            td { (source.skipped.values().sum::<u64>()) }
                            td { (source.secrets.values().map(|count| count.secrets).sum::<u64>()) }
                        }
                    }
                }
            }
        }
        dl.fields {
            div { dt { "tree" } dd { (status.root.display().to_string()) } }
            div { dt { "index" } dd { (status.cache.as_ref().map_or_else(|| "in memory".to_owned(), |cache| cache.display().to_string())) } }
            div { dt { "model" } dd { (status.embedder.as_deref().unwrap_or("none")) } }
            div { dt { "version" } dd { (env!("CARGO_PKG_VERSION")) } }
        }
        @if !unparsed.is_empty() {
            h2 { "Files whose parser failed" }
            ul.files {
                @for path in unparsed.iter().take(MAX_FILES) { li { a href=(links::file(path, None)) { (path) } } }
            }
            @if MAX_FILES < unparsed.len() { p.note { (unparsed.len() - MAX_FILES) " more" } }
        }
    };
    Ok(layout::page(&Frame::new(site, "State of the index"), &body))
}
