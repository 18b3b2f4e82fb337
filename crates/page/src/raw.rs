//! The bytes of pictures, for rendered pages. No other file is sent as it is.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};

use crate::{
    error::PageError,
    layout,
    links::{encode, to},
    site::Site,
};

/// Maximum size of a picture in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// Endings of the names of pictures, with their types.
const TYPES: &[(&str, &str)] = &[
    ("gif", "image/gif"),
    ("ico", "image/x-icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", SVG),
    ("webp", "image/webp"),
];

/// Type of pictures that are texts.
const SVG: &str = "image/svg+xml";

/// First bytes of the files of each type: a text with the name of a picture is not sent.
const STARTS: &[(&str, &[u8])] = &[
    ("image/gif", b"GIF8"),
    ("image/jpeg", b"\xFF\xD8\xFF"),
    ("image/png", b"\x89PNG"),
    ("image/webp", b"RIFF"),
    ("image/x-icon", b"\0\0\x01\0"),
];

fn type_of(path: &str) -> Option<&'static str> {
    let ending = path.rsplit_once('.')?.1.to_lowercase();
    TYPES.iter().find(|(known, _)| *known == ending).map(|(_, of)| *of)
}

/// True for the path of a picture that is shown as such. SVG is text, too.
pub(crate) fn is_image(path: &str) -> bool {
    type_of(path).is_some_and(|of| of != SVG)
}

/// True for the path of a picture.
pub(crate) fn is_picture(path: &str) -> bool {
    type_of(path).is_some()
}

/// Address of a picture.
pub(crate) fn address(path: &str) -> String {
    to(&format!("/raw/{}", encode(path)))
}

/// The picture at a path.
pub(crate) fn answer(site: &Arc<Site>, path: &str) -> Result<Response<Body>, PageError> {
    let Some(content_type) = type_of(path) else {
        return Err(PageError::missing(format!("`{path}` is not a picture")));
    };
    let tree = site.tree()?;
    let (_, path) = tree.locate(path)?;
    let bytes = if content_type == SVG {
        // A text, whose secrets are removed.
        let text = site.read(|opened| Ok(opened.engine.text(&path)))?;
        text.map_err(|reason| PageError::skipped(&path, reason))?.into_bytes()
    } else {
        let bytes = tree
            .read_bytes(&path, MAX_BYTES)
            .map_err(|reason| PageError::skipped(&path, reason))?;
        if !STARTS.iter().any(|(of, start)| *of == content_type && bytes.starts_with(start)) {
            return Err(PageError::missing(format!("`{path}` is not a picture")));
        }
        bytes
    };
    let mut response = layout::response(StatusCode::OK, content_type, bytes);
    // A picture in SVG may contain scripts.
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}
