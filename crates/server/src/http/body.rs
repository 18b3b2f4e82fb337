//! The body of a request, read whole within bounds of size and time.

use std::time::Duration;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::{
    Method, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_LENGTH, HeaderMap},
    http::request::Parts,
};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

/// Maximum size of a body, in bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// Maximum size of the first message of a session, in bytes: a session keeps it.
const MAX_HELLO_BYTES: usize = 16 << 10;

/// Maximum number of characters of each text in the description of a client.
const MAX_CLIENT_TEXT: usize = 256;

/// Reason to refuse a body: the status, and a text for the client.
pub(super) type Refusal = (StatusCode, &'static str);

const OVERSIZE: Refusal = (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB\n");

/// Reads a body. A body whose stated length is above the maximum is refused without being read.
pub(super) async fn read(
    parts: &Parts,
    body: Incoming,
    max_time: Duration,
) -> Result<Bytes, Refusal> {
    if parts.method != Method::POST {
        return Ok(Bytes::new());
    }
    if stated_length(&parts.headers).is_some_and(|length| length > MAX_BYTES as u64) {
        return Err(OVERSIZE);
    }
    let bytes = match timeout(max_time, Limited::new(body, MAX_BYTES).collect()).await {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(OVERSIZE),
        Ok(Err(_)) => return Err((StatusCode::BAD_REQUEST, "the body is not complete\n")),
        Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the body did not come in time\n")),
    };
    shorten_hello(bytes)
}

fn stated_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Returns the message with short texts, if it is the first one of a session; else unchanged.
fn shorten_hello(bytes: Bytes) -> Result<Bytes, Refusal> {
    #[derive(Deserialize)]
    struct Message {
        method: String,
    }
    if serde_json::from_slice::<Message>(&bytes).is_ok_and(|message| message.method != "initialize")
    {
        return Ok(bytes);
    }
    // The library reports what is wrong with other texts.
    let Ok(mut message) = serde_json::from_slice::<Value>(&bytes) else { return Ok(bytes) };
    if message["method"] != "initialize" {
        return Ok(bytes);
    }
    if let Some(client) = message.pointer_mut("/params/clientInfo").and_then(Value::as_object_mut) {
        for value in client.values_mut() {
            shorten(value);
        }
    }
    let short = message.to_string();
    if MAX_HELLO_BYTES < short.len() {
        let text = "the first message of a session is larger than 16 KiB\n";
        return Err((StatusCode::PAYLOAD_TOO_LARGE, text));
    }
    Ok(Bytes::from(short))
}

fn shorten(value: &mut Value) {
    if let Value::String(text) = value
        && let Some((end, _)) = text.char_indices().nth(MAX_CLIENT_TEXT)
    {
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_client_name_is_cut() {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "capabilities": {}, "clientInfo": {"name": "é".repeat(500_000), "version": "1"}}});
        let read = shorten_hello(Bytes::from(hello.to_string())).expect("it is cut");
        let read: Value = serde_json::from_slice(&read).expect("JSON");
        assert_eq!(read["params"]["clientInfo"]["name"], "é".repeat(256));
        assert_eq!(read["params"]["clientInfo"]["version"], "1");
    }

    #[test]
    fn a_large_first_message_is_refused() {
        let hello = json!({"method": "initialize", "params": {
            "capabilities": {"experimental": {"x": {"y": "z".repeat(20_000)}}}}});
        let refused = shorten_hello(Bytes::from(hello.to_string())).expect_err("it is too large");
        assert_eq!(refused.0, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[test]
    fn other_messages_are_unchanged() {
        for text in ["{\"method\": \"tools/list\", \"b\": 1}", "[]", "", "{\"method\": 1}"] {
            let bytes = Bytes::from(text);
            assert_eq!(shorten_hello(bytes.clone()).expect("it is kept"), bytes);
        }
    }
}
