//! The style sheet, the script and the icon. Their addresses contain a number that changes with their content, so
//! that browsers may keep them.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::LazyLock,
};

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};

use crate::layout;

/// A file of the page.
pub(crate) struct Asset {
    name: &'static str,
    content_type: &'static str,
    content: &'static str,
}

/// The style sheet.
pub(crate) static STYLE: Asset = Asset {
    name: "page.css",
    content_type: "text/css; charset=utf-8",
    content: include_str!("assets/page.css"),
};

/// The script.
pub(crate) static SCRIPT: Asset = Asset {
    name: "page.js",
    content_type: "text/javascript; charset=utf-8",
    content: include_str!("assets/page.js"),
};

/// The icon.
pub(crate) static ICON: Asset = Asset {
    name: "icon.svg",
    content_type: "image/svg+xml",
    content: include_str!("assets/icon.svg"),
};

static ALL: &[&Asset] = &[&STYLE, &SCRIPT, &ICON];

/// Number that changes with the content of any asset.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    for asset in ALL {
        asset.content.hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
});

impl Asset {
    /// The address, with the version.
    pub(crate) fn address(&self) -> String {
        format!("/assets/{}/{}", *VERSION, self.name)
    }
}

/// Answers a request for an asset.
pub(crate) fn answer(version: &str, name: &str) -> Response<Body> {
    let asset = ALL.iter().find(|asset| asset.name == name).filter(|_| version == *VERSION);
    let Some(asset) = asset else {
        let text = "there is no such file\n";
        return layout::response(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", text);
    };
    let mut response = layout::response(StatusCode::OK, asset.content_type, asset.content);
    let kept = HeaderValue::from_static("private, max-age=31536000, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, kept);
    response
}
