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
mod several;
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
    response::IntoResponse as _,
};
use lore_server::{
    access::Viewer,
    pages::{PageAnswer, Pages},
    roots::Trees,
};
use tower::ServiceExt as _;

use self::{
    error::PageError,
    several::{NOTHING, Several},
    site::Site,
};

/// Returns the page of the tree, or of the trees, that the server was started for.
pub fn pages(trees: Arc<Trees>) -> Pages {
    if trees.is_several() {
        let several = Arc::new(Several::new(trees));
        return Arc::new(move |request: Request<Bytes>| -> PageAnswer {
            let several = Arc::clone(&several);
            Box::pin(async move { in_memory(several.answer(request.map(Body::from)).await).await })
        });
    }
    let single = Arc::clone(&trees);
    let router = routes::router(Arc::new(Site::new(trees)));
    Arc::new(move |request: Request<Bytes>| -> PageAnswer {
        let router = router.clone();
        let viewer = request.extensions().get::<Viewer>();
        let may_read = viewer.is_some_and(|viewer| {
            viewer.name().is_none() || single.named(viewer).is_ok_and(|trees| !trees.is_empty())
        });
        Box::pin(async move {
            if !may_read {
                let error = PageError::missing(NOTHING);
                return in_memory(error.into_response()).await;
            }
            match router.oneshot(request.map(Body::from)).await {
                Ok(answer) => in_memory(answer).await,
                Err(never) => match never {},
            }
        })
    })
}

/// The answer with its body, which was made in memory.
async fn in_memory(answer: Response<Body>) -> Response<Bytes> {
    let (parts, body) = answer.into_parts();
    if let Ok(bytes) = to_bytes(body, usize::MAX).await {
        return Response::from_parts(parts, bytes);
    }
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    answer
}
