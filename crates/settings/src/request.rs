//! The search request that filter flags and settings describe: the same one for the command line,
//! the MCP tools and the contracts.

use jiff::Zoned;
use lore_console::{dates, report::UsageError};
use lore_engine::{Extras, SearchRequest};
use lore_schema::Filter;

use crate::{filters, flags::FilterArguments, settings::Settings};

/// Builds a search request. `filter` is the filter of the same `arguments`, which callers build
/// first because their default sources differ.
pub fn search_request(
    query: impl Into<String>,
    arguments: &FilterArguments,
    filter: Filter,
    settings: &Settings,
    now: &Zoned,
) -> Result<SearchRequest, UsageError> {
    let extras = Extras {
        elsewhere: true,
        expand: settings.expand(),
        rewrite: settings.rewrite(),
        choose_lines: true,
        judge: true,
        ..Extras::default()
    };
    Ok(SearchRequest::new(query)
        .with_clock(dates::clock(now))
        .with_filter(filter)
        .with_attributes(filters::attributes(arguments)?)
        .with_limit(settings.limit())
        .with_mode(settings.mode())
        .with_fusion(settings.fusion())
        .with_snippet_lines(settings.snippet_lines())
        .with_extras(extras))
}
