//! The pages over several repositories: those of a workspace or a cluster.
//!
//! `/search` and `/api/search` answer over all repositories that the sender of the request may read. The pages
//! of one are below `/in/NAME`, the same as those of a server with one tree. The address of a repository that
//! the sender may not read does not exist.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    body::Body,
    http::{Request, Response, StatusCode, Uri, uri::PathAndQuery},
};
use lore_engine::SearchResponse;
use lore_render::output::{Answer, offsets::Offsets};
use lore_server::{
    access::Viewer,
    control::CallControl,
    pages::{Route, Threads},
    roots::Trees,
    tools::search_trees,
    tree::Tree,
    tree_set::TreeSet as _,
};
use lore_settings::workspace::chosen_repositories;
use maud::{Markup, html};
use tower::ServiceExt as _;

use crate::{
    assets,
    error::PageError,
    facets, help,
    layout::{self, Frame},
    links::{self, IN},
    openapi,
    params::Params,
    query::{self, MAX_HITS, MAX_PAGE, PER_PAGE},
    routes::{self, HTML, JSON},
    search,
    site::{self, Site},
};

/// Name of the parameter with the globs of repositories.
const REPOSITORY: &str = "repo";

/// Maximum number of repositories on the first page.
const MAX_LISTED: usize = 500;

/// Maximum number of repositories whose pages are kept. When there are more, all are dropped and made again on request.
const MAX_SITES: usize = 64;

/// The error for a request that may read nothing.
pub(crate) const NOTHING: &str = "this token gives access to no repository";

/// The repositories of a server.
pub(crate) struct Several {
    trees: Arc<Trees>,
    /// The threads of all pages, so that their number is limited however many repositories there are.
    threads: Arc<Threads>,
    /// The pages of repositories that were opened, by name.
    sites: Mutex<BTreeMap<String, (Arc<Tree>, Router)>>,
}

type Named = Vec<(String, Arc<Tree>)>;

impl Several {
    pub(crate) fn new(trees: Arc<Trees>) -> Several {
        Several { trees, threads: Arc::default(), sites: Mutex::default() }
    }

    /// Answers a request.
    pub(crate) async fn answer(self: Arc<Self>, request: Request<Body>) -> Response<Body> {
        let uri = request.uri().clone();
        let Some(viewer) = request.extensions().get::<Viewer>().cloned() else {
            return failed(&PageError::missing(NOTHING), uri.path());
        };
        if let Some(rest) = uri.path().strip_prefix(IN) {
            let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
            let name = links::decode(name);
            let path = format!("/{path}");
            return match self.of_repository(&viewer, name).await {
                Ok(router) => routed(router, request, &path).await,
                Err(error) => {
                    let mut response = failed(&error, &path);
                    response.extensions_mut().insert(Route("/in/{name}".into()));
                    response
                }
            };
        }
        let (route, page): (&'static str, Page) = match uri.path() {
            "/" => ("/", Several::page),
            "/search" => ("/search", Several::page),
            "/api/search" => ("/api/search", Several::json),
            "/help" => {
                let page = help::page_of(&Frame::of_several("Help")).into_string();
                return layout::response(StatusCode::OK, HTML, page);
            }
            "/robots.txt" => return routes::robots().await,
            openapi::PATH => return routes::of_description().await,
            path => {
                if let Some((version, name)) =
                    path.strip_prefix("/assets/").and_then(|rest| rest.split_once('/'))
                {
                    return assets::answer(version, name);
                }
                let error = PageError::missing(format!("there is no page `{path}`"))
                    .hint("the pages of a repository are below `/in/NAME`");
                return failed(&error, path);
            }
        };
        let params = Params::of_address(&uri);
        let this = Arc::clone(&self);
        let ran = self.threads.run(move || page(&this, &viewer, &params?)).await;
        let mut response = match ran.map_err(routes::no_answer).flatten() {
            Ok((content_type, body)) => layout::response(StatusCode::OK, content_type, body),
            Err(error) => failed(&error, uri.path()),
        };
        response.extensions_mut().insert(Route(route.into()));
        response
    }

    /// The pages of a repository that the sender may read.
    async fn of_repository(
        self: &Arc<Self>,
        viewer: &Viewer,
        name: String,
    ) -> Result<Router, PageError> {
        let (this, viewer) = (Arc::clone(self), viewer.clone());
        let found = self.threads.run(move || {
            let missing = || PageError::missing("there is no such repository");
            let mut named = this.trees.named(&viewer)?.into_iter();
            let (name, tree) = named.find(|(known, _)| *known == name).ok_or_else(missing)?;
            // Also an answer that another request computes has the texts of this repository.
            tree.note();
            Ok(this.router(name, tree))
        });
        found.await.map_err(routes::no_answer).flatten()
    }

    fn router(&self, name: String, tree: Arc<Tree>) -> Router {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, router)) = sites.get(&name)
            && Arc::ptr_eq(known, &tree)
        {
            return router.clone();
        }
        let base = format!("{IN}{}", links::segment(&name));
        let site = Site::of(Arc::clone(&tree), base, Arc::clone(&self.threads));
        let router = routes::router(Arc::new(site));
        if MAX_SITES <= sites.len() {
            sites.clear();
        }
        sites.insert(name, (tree, router.clone()));
        router
    }

    /// The repositories that the sender of a request may read, at least one.
    fn named(&self, viewer: &Viewer) -> Result<Named, PageError> {
        let named = self.trees.named(viewer)?;
        if named.is_empty() {
            let error = PageError::missing(NOTHING);
            return Err(error.hint("the operator of the server gives access"));
        }
        Ok(named)
    }

    fn page(&self, viewer: &Viewer, params: &Params) -> Answered {
        let named = self.named(viewer)?;
        if !query::is_asking(params) {
            return Ok(html_of(first_page(&named, params)));
        }
        let page = params.number("page", 1, MAX_PAGE)?;
        let shown = page * PER_PAGE;
        let response = self.search(&named, params, shown)?;
        let results = search::results(&response, params, page, None);
        if params.get("part").is_some() {
            return Ok(html_of(results));
        }
        let title = params.get("q").unwrap_or("all documents");
        let frame = Frame::of_several(title).asking(params);
        Ok(html_of(layout::page(&frame, &results)))
    }

    fn json(&self, viewer: &Viewer, params: &Params) -> Answered {
        openapi::SEARCH.check(params, &[REPOSITORY])?;
        let limit = params.number("limit", PER_PAGE, MAX_HITS)?;
        let response = self.search(&self.named(viewer)?, params, limit)?;
        let value = lore_render::wire::page::search(&Answer::whole(&response, Offsets::Utf16));
        Ok((JSON, crate::api::written(&value)))
    }

    /// Searches the repositories that the parameters choose.
    fn search(
        &self,
        named: &Named,
        params: &Params,
        shown: usize,
    ) -> Result<SearchResponse, PageError> {
        if params.get("at").is_some() {
            let error = PageError::bad("a search over several repositories has no parameter `at`");
            return Err(error.hint("search one of them: their pages are below `/in/NAME`"));
        }
        let all: Vec<Arc<Tree>> = named.iter().map(|(_, tree)| Arc::clone(tree)).collect();
        let names: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
        let chosen = chosen_repositories(&names, &params.all(REPOSITORY))?;
        let trees = all.iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
        let trees: Vec<Arc<Tree>> = trees.map(|(tree, _)| Arc::clone(tree)).collect();
        let (selected, warning) = self.trees.select(params.get("q").unwrap_or_default(), &trees)?;
        let control = CallControl::new(|| false, None).with_limit(site::MAX_TIME);
        let mut response = search_trees(&*self.trees, &selected, &control, |opened| {
            query::request(params, opened, shown).map_err(PageError::into_failure)
        })?;
        response.warnings.splice(0..0, warning);
        Ok(response)
    }
}

/// The content type and the text of an answer.
type Answered = Result<(&'static str, String), PageError>;

type Page = fn(&Several, &Viewer, &Params) -> Answered;

fn html_of(page: Markup) -> (&'static str, String) {
    (HTML, page.into_string())
}

/// Sends a request to the pages of a repository, with its path there.
async fn routed(router: Router, request: Request<Body>, path: &str) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let Ok(address) = format!("{path}{query}").parse::<PathAndQuery>() else {
        return failed(&PageError::bad("could not read the address"), path);
    };
    parts.uri = Uri::from(address);
    match router.oneshot(Request::from_parts(parts, body)).await {
        Ok(mut response) => {
            if let Some(Route(route)) = response.extensions_mut().remove::<Route>() {
                response.extensions_mut().insert(Route(format!("/in/{{name}}{route}").into()));
            }
            response
        }
        Err(never) => match never {},
    }
}

fn failed(error: &PageError, path: &str) -> Response<Body> {
    if path.starts_with("/api/") {
        return routes::json_error(error);
    }
    let page = layout::failed_on(&Frame::of_several("Error"), error);
    layout::response(error.status, HTML, page.into_string())
}

/// The page without a query: the repositories.
fn first_page(named: &Named, params: &Params) -> Markup {
    let mut names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let body = html! {
        h1 { "Search " (named.len()) @if named.len() == 1 { " repository" } @else { " repositories" } }
        (facets::active(params))
        ul.files aria-label="Repositories" {
            @for name in names.iter().take(MAX_LISTED) {
                li { a href=(links::repository(name)) { (name) } }
            }
        }
        @if MAX_LISTED < named.len() { p.note { (named.len() - MAX_LISTED) " more; the search finds them" } }
    };
    layout::page(&Frame::of_several("Search").asking(params), &body)
}
