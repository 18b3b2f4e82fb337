//! The search that the parameters of an address describe.

use jiff::Zoned;
use lore_engine::{EngineError, Freshness, Mode, PatternKind, SearchRequest, SearchResponse};
use lore_server::tree::{NotesOnly, Opened};
use lore_settings::{
    filters,
    flags::{CodeFilterArguments, FilterArguments},
    request::search_request,
};

use crate::{error::PageError, params::Params, site::Site};

/// Hits on a page.
pub(crate) const PER_PAGE: usize = 10;

/// Maximum number of a page: the best hundred hits are ranked.
pub(crate) const MAX_PAGE: usize = 10;

/// Maximum number of hits of an answer.
pub(crate) const MAX_HITS: usize = PER_PAGE * MAX_PAGE;

/// Names of the filters that an address may have, in the order in which they are shown.
pub(crate) const FILTERS: &[&str] = &[
    "in", "lang", "kind", "status", "author", "since", "until", "path", "exclude", "tag",
    "priority", "assignee",
];

/// Lines of a passage on a page.
const LINES: usize = 8;

/// Number of attempts while files change.
const MAX_ATTEMPTS: usize = 3;

/// Builds the request of an address. `shown` hits are read.
pub(crate) fn request(
    params: &Params,
    opened: &Opened,
    shown: usize,
) -> Result<SearchRequest, PageError> {
    let text = |name: &str| params.get(name).map(str::to_owned);
    let arguments = FilterArguments {
        sources: params.all("in"),
        code: CodeFilterArguments {
            paths: params.all("path"),
            excludes: params.all("exclude"),
            languages: params.all("lang"),
            kinds: params.all("kind"),
        },
        since: text("since"),
        until: text("until"),
        status: params.all("status"),
        tag: params.all("tag"),
        priority: params.all("priority"),
        assignee: params.all("assignee"),
        author: params.all("author"),
        ..FilterArguments::default()
    };
    let now = Zoned::now();
    let filter = filters::filter(&arguments, opened.settings.sources(), &opened.root, &now)?;
    let query = params.get("q").unwrap_or_default();
    let request = search_request(query, &arguments, filter, &opened.settings, &now)?;
    let mut extras = request.extras.clone();
    extras.facets = true;
    extras.described = Some(shown);
    let mode = match params.get("mode") {
        None => request.mode,
        Some(name) => Mode::from_name(name).ok_or_else(|| {
            PageError::bad(format!("there is no mode `{name}`"))
                .hint("the modes are hybrid, lexical and semantic")
        })?,
    };
    let pattern = match params.get("match") {
        None | Some("words") => None,
        Some("literal") => Some(PatternKind::Literal),
        Some("regex") => Some(PatternKind::Regex),
        Some(other) => {
            return Err(PageError::bad(format!("there is no match `{other}`"))
                .hint("the values are words, literal and regex"));
        }
    };
    Ok(request
        .with_limit(MAX_HITS)
        .with_extras(extras)
        .with_mode(mode)
        .with_pattern(pattern)
        .with_snippet_lines(LINES))
}

/// Searches the tree as it is now, or that of `at`. `shown` hits are read, from the best one.
///
/// # Errors
/// When the address has an invalid filter, or the tree cannot be read.
pub(crate) fn search(
    params: &Params,
    shown: usize,
    site: &Site,
    opened: &Opened,
) -> Result<SearchResponse, PageError> {
    let request = request(params, opened, shown)?;
    let view = site.view(opened, params.get("at"))?;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let response = view.search(&request, &NotesOnly)?;
        // A file changed during the search.
        let is_partial = matches!(response.receipt.fresh, Freshness::Partial(_));
        if !is_partial || attempts == MAX_ATTEMPTS {
            return Ok(response);
        }
    }
}

/// Searches the files themselves, while there is no index.
///
/// # Errors
/// When the request needs an index.
pub(crate) fn live(params: &Params, site: &Site) -> Result<SearchResponse, PageError> {
    let opened = site.tree()?.open()?;
    let request = request(params, &opened, PER_PAGE)?.with_limit(PER_PAGE);
    let time = std::time::Duration::from_millis(700);
    opened.engine.live(&request, time, &|| false).map_err(|error: EngineError| error.into())
}

/// True if an address contains a query or a filter.
pub(crate) fn is_asking(params: &Params) -> bool {
    params.get("q").is_some() || FILTERS.iter().any(|name| params.get(name).is_some())
}
