//! The web page of a tree: a search with filters, files with their definitions and history, commits, tickets
//! and specs, and the same answers as JSON.
//!
//! The pages are complete without JavaScript; a script adds the search while you type and the keys. The crate
//! reads through the trees of the server, as the protocol does, and writes nothing.
//!
//! **Invariant:** every text of a tree is escaped: `maud` escapes what it inserts, and `PreEscaped` is used only
//! for HTML that this crate made from escaped parts.

mod api;
mod assets;
mod cards;
mod code;
mod commit;
mod diagram;
mod diff;
mod error;
mod facets;
mod file;
mod find;
mod help;
mod history;
mod home;
mod layout;
mod links;
mod markdown;
mod names;
mod openapi;
mod params;
mod query;
mod raw;
mod record;
mod routes;
mod search;
mod site;
mod status;
mod symbol;
mod text;
mod tree;
mod why;

use std::sync::Arc;

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{Request, Response, StatusCode},
};
use lore_server::{
    pages::{PageAnswer, Pages},
    roots::Trees,
};
use tower::ServiceExt as _;

use self::site::Site;

/// Returns the page of the tree that the server was started for.
pub fn pages(trees: Arc<Trees>) -> Pages {
    let router = routes::router(Arc::new(Site::new(trees)));
    Arc::new(move |request: Request<Bytes>| -> PageAnswer {
        let router = router.clone();
        Box::pin(async move {
            let answer = match router.oneshot(request.map(Body::from)).await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            let (parts, body) = answer.into_parts();
            // Every answer is made in memory.
            if let Ok(bytes) = to_bytes(body, usize::MAX).await {
                return Response::from_parts(parts, bytes);
            }
            let mut answer = Response::new(Bytes::new());
            *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            answer
        })
    })
}
