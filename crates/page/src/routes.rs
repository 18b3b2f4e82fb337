//! The addresses of the page, and the function that answers each.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{MatchedPath, Path, Request, State},
    http::{HeaderValue, Response, StatusCode, Uri, header},
    middleware::{self, Next},
    response::IntoResponse,
    routing::get,
};
use lore_server::pages::{NoAnswer, Route};
use maud::Markup;

use crate::{
    api, assets, commit,
    error::PageError,
    file, find, help, history, layout, links, names,
    openapi::{self, ENDPOINTS, Endpoint},
    params::Params,
    raw, record, search,
    site::Site,
    status, symbol, tree, why,
};

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const JSON: &str = "application/json";

/// Seconds until a page that waits for the index is loaded again.
const RELOAD: &str = "2";

/// All addresses.
pub(crate) fn router(site: Arc<Site>) -> Router {
    let mut router = Router::new()
        .route("/", get(of_search))
        .route("/search", get(of_search))
        .route("/file/{*path}", get(of_file))
        .route("/raw/{*path}", get(of_raw))
        .route("/tree", get(of_root))
        .route("/tree/", get(of_root))
        .route("/tree/{*path}", get(of_folder))
        .route("/history/{*path}", get(of_history))
        .route("/commit/{hash}", get(of_commit))
        .route("/symbol", get(of_symbol))
        .route("/record", get(of_record))
        .route("/why", get(of_why))
        .route("/find", get(of_find))
        .route("/status", get(of_status))
        .route("/help", get(of_help))
        .route("/assets/{version}/{name}", get(of_asset))
        .route("/robots.txt", get(robots))
        .route(openapi::PATH, get(of_description));
    for endpoint in ENDPOINTS {
        let answer =
            move |State(site): State<Arc<Site>>, uri: Uri, params: Result<Params, PageError>| {
                of_endpoint(site, uri, endpoint, params)
            };
        router = router.route(endpoint.path, get(answer));
    }
    router.fallback(of_nothing).layer(middleware::from_fn(with_route)).with_state(site)
}

/// Adds the pattern of the address to an answer, for the measurements of the server.
async fn with_route(request: Request, next: Next) -> Response<Body> {
    let route = request.extensions().get::<MatchedPath>().map(|path| Route(path.as_str().into()));
    let mut answer = next.run(request).await;
    if let Some(route) = route {
        answer.extensions_mut().insert(route);
    }
    answer
}

/// Answers with a page.
async fn html(
    site: Arc<Site>,
    uri: Uri,
    page: impl FnOnce(&Arc<Site>) -> Result<Markup, PageError> + Send + 'static,
) -> Response<Body> {
    let written = |site: &Arc<Site>| Ok(Arc::from(page(site)?.into_string()));
    match shared(&site, &uri, written).await {
        Ok(page) => layout::response(StatusCode::OK, HTML, page.as_bytes().to_vec()),
        Err(error) => failed(&site, &error),
    }
}

/// Computes an answer in a thread, once for all equal requests that wait for it.
async fn shared(
    site: &Arc<Site>,
    uri: &Uri,
    answer: impl FnOnce(&Arc<Site>) -> Result<Arc<str>, PageError> + Send + 'static,
) -> Result<Arc<str>, PageError> {
    let inner = Arc::clone(site);
    let computed = async move {
        let site = Arc::clone(&inner);
        inner
            .threads
            .run(move || links::with_base(&site.base, || answer(&site)))
            .await
            .map_err(no_answer)
            .flatten()
    };
    site.shared.get(&uri.to_string(), computed).await
}

fn failed(site: &Arc<Site>, error: &PageError) -> Response<Body> {
    let page = links::with_base(&site.base, || layout::failed(site, error));
    let mut response = layout::response(error.status, HTML, page.into_string());
    if error.progress.is_some() {
        response.headers_mut().insert(header::REFRESH, HeaderValue::from_static(RELOAD));
    }
    response
}

pub(crate) fn no_answer(reason: NoAnswer) -> PageError {
    match reason {
        NoAnswer::Busy => PageError::busy(),
        NoAnswer::Panicked => PageError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal error, which is a bug of lore",
        )
        .hint("the server's standard error has the details"),
    }
}

/// The error of an address that cannot be read, before any page is chosen.
impl IntoResponse for PageError {
    fn into_response(self) -> Response<Body> {
        json_error(&self)
    }
}

pub(crate) fn json_error(error: &PageError) -> Response<Body> {
    let body = api::error(error);
    layout::response(error.status, JSON, body)
}

async fn of_endpoint(
    site: Arc<Site>,
    uri: Uri,
    endpoint: &'static Endpoint,
    params: Result<Params, PageError>,
) -> Response<Body> {
    let params = match params {
        Ok(params) => params,
        Err(error) => return json_error(&error),
    };
    let written = move |site: &Arc<Site>| Ok(Arc::from(api::answer(site, endpoint, &params)?));
    match shared(&site, &uri, written).await {
        Ok(body) => layout::response(StatusCode::OK, JSON, body.as_bytes().to_vec()),
        Err(error) => json_error(&error),
    }
}

async fn of_search(State(site): State<Arc<Site>>, uri: Uri, params: Params) -> Response<Body> {
    html(site, uri, move |site| {
        if params.get("part").is_some() {
            search::answer(site, &params)
        } else {
            search::page(site, &params)
        }
    })
    .await
}

async fn of_file(
    State(site): State<Arc<Site>>,
    uri: Uri,
    Path(path): Path<String>,
    params: Params,
) -> Response<Body> {
    html(site, uri, move |site| match (params.get("d"), params.get("part")) {
        (Some(place), None) => names::page(site, &path, place, &params),
        (Some(place), Some(_)) => {
            let revision = params.get("at");
            let view = names::look_up(site, &path, names::place(place)?, revision)?;
            Ok(names::parts(&view, revision))
        }
        (None, _) => file::page(site, &path, &params),
    })
    .await
}

async fn of_raw(State(site): State<Arc<Site>>, Path(path): Path<String>) -> Response<Body> {
    let inner = Arc::clone(&site);
    let answer = site.threads.run(move || raw::answer(&inner, &path)).await;
    answer.map_err(no_answer).flatten().unwrap_or_else(|error| failed(&site, &error))
}

async fn of_root(State(site): State<Arc<Site>>, uri: Uri, params: Params) -> Response<Body> {
    html(site, uri, move |site| tree::page(site, "", &params)).await
}

async fn of_folder(
    State(site): State<Arc<Site>>,
    uri: Uri,
    Path(path): Path<String>,
    params: Params,
) -> Response<Body> {
    html(site, uri, move |site| tree::page(site, &path, &params)).await
}

async fn of_history(
    State(site): State<Arc<Site>>,
    uri: Uri,
    Path(path): Path<String>,
    params: Params,
) -> Response<Body> {
    html(site, uri, move |site| history::page(site, &path, &params)).await
}

async fn of_commit(
    State(site): State<Arc<Site>>,
    uri: Uri,
    Path(hash): Path<String>,
) -> Response<Body> {
    html(site, uri, move |site| commit::page(site, &hash)).await
}

async fn of_symbol(State(site): State<Arc<Site>>, uri: Uri, params: Params) -> Response<Body> {
    html(site, uri, move |site| symbol::page(site, &params)).await
}

async fn of_record(State(site): State<Arc<Site>>, uri: Uri, params: Params) -> Response<Body> {
    html(site, uri, move |site| record::page(site, &params)).await
}

async fn of_why(State(site): State<Arc<Site>>, uri: Uri, params: Params) -> Response<Body> {
    html(site, uri, move |site| why::page(site, &params)).await
}

async fn of_find(State(site): State<Arc<Site>>, uri: Uri, params: Params) -> Response<Body> {
    html(site, uri, move |site| find::page(site, &params)).await
}

async fn of_status(State(site): State<Arc<Site>>, uri: Uri) -> Response<Body> {
    html(site, uri, status::page).await
}

async fn of_help(State(site): State<Arc<Site>>, uri: Uri) -> Response<Body> {
    html(site, uri, |site| Ok(help::page(site))).await
}

async fn of_asset(Path((version, name)): Path<(String, String)>) -> Response<Body> {
    assets::answer(&version, &name)
}

pub(crate) async fn robots() -> Response<Body> {
    layout::response(StatusCode::OK, "text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n")
}

pub(crate) async fn of_description() -> Response<Body> {
    layout::response(StatusCode::OK, JSON, openapi::description())
}

async fn of_nothing(State(site): State<Arc<Site>>, uri: Uri) -> Response<Body> {
    let error = PageError::missing(format!("there is no page `{}`", uri.path()));
    if uri.path().starts_with("/api/") {
        return json_error(&error.hint("the description is at /api/openapi.json"));
    }
    failed(&site, &error)
}
