//! Reads and writes the frames of the protocol: a `Content-Length` header, a blank line and JSON.
//!
//! **Invariant:** a frame that cannot be read is reported and skipped. Only the end of the input ends
//! the reading.

use std::io::{self, BufRead, Read as _, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::Value;

/// Maximum length of a message in bytes. Editors send whole files, which are smaller.
const MAX_MESSAGE: u64 = 64 << 20;

/// Maximum length of a header line in bytes.
const MAX_HEADER: u64 = 4 << 10;

/// A frame from the client.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A message.
    Message(Message),
    /// No message of the protocol.
    Rejected {
        /// The id of the request, or null.
        id: Value,
        /// The error for the client.
        code: ErrorCode,
        /// The reason.
        reason: String,
    },
}

/// Reads the next frame; `None` at the end of the input.
///
/// # Errors
/// When the input cannot be read.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let mut length = None;
    let mut is_malformed = false;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            if let Some(length) = length {
                return body(input, length);
            }
            if is_malformed {
                return Ok(Some(rejected(
                    ErrorCode::ParseError,
                    "a message has no Content-Length",
                )));
            }
            // Blank lines between messages.
            continue;
        }
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                match value.trim().parse::<u64>() {
                    Ok(bytes) => length = Some(bytes),
                    Err(_) => is_malformed = true,
                }
            }
            Some((name, _)) if name.trim().eq_ignore_ascii_case("content-type") => {}
            _ => is_malformed = true,
        }
    }
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Option<Frame>> {
    if MAX_MESSAGE < length {
        let skipped = io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        let reason = format!("a message of {length} bytes is longer than {MAX_MESSAGE}");
        let is_whole = skipped == length;
        return Ok(is_whole.then(|| rejected(ErrorCode::InvalidRequest, &reason)));
    }
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice::<Value>(&body) {
        Ok(value) => message(value),
        Err(error) => rejected(ErrorCode::ParseError, &format!("a message is no JSON: {error}")),
    }))
}

/// Converts a JSON value into a message.
fn message(value: Value) -> Frame {
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    let has_method = value.get("method").is_some();
    let reject = |id: Value, reason: &str| {
        let id = if id.is_i64() || id.is_string() { id } else { Value::Null };
        Frame::Rejected { id, code: ErrorCode::InvalidRequest, reason: reason.to_owned() }
    };
    match serde_json::from_value::<Message>(value) {
        // An id of a wrong type makes a notification of a request, which nothing would answer.
        Ok(Message::Notification(_)) if !id.is_null() => {
            reject(id, "the id of a request is a text or a number of 32 bits")
        }
        Ok(message) => Frame::Message(message),
        Err(_) if has_method => reject(id, "a request has a method, an id and parameters"),
        Err(_) => reject(id, "a message is a request, a notification or a response"),
    }
}

fn rejected(code: ErrorCode, reason: &str) -> Frame {
    Frame::Rejected { id: Value::Null, code, reason: reason.to_owned() }
}

/// Writes a message.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read_all(input: &str) -> Vec<String> {
        let mut input = Cursor::new(input.as_bytes());
        let mut frames = Vec::new();
        while let Some(frame) = read(&mut input).unwrap() {
            frames.push(match frame {
                Frame::Message(Message::Request(request)) => {
                    format!("{} {}", request.id, request.method)
                }
                Frame::Message(Message::Notification(notification)) => notification.method,
                Frame::Message(Message::Response(response)) => format!("response {}", response.id),
                Frame::Rejected { id, code, .. } => format!("{id} {}", code as i32),
            });
        }
        frames
    }

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn reading_continues_after_malformed_frames() {
        let good = frame(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#);
        let frames = [
            frame("{"),
            "nonsense\r\n\r\n".to_owned(),
            "Content-Length: many\r\n\r\n".to_owned(),
            frame("[]"),
            frame(r#"{"id":7,"method":3}"#),
            frame(r#"{"id":3000000000,"method":"shutdown"}"#),
            frame(r#"{"id":1.5,"method":"shutdown"}"#),
            good,
        ];
        assert_eq!(
            read_all(&frames.concat()),
            [
                "null -32700",
                "null -32700",
                "null -32700",
                "null -32600",
                "7 -32600",
                "3000000000 -32600",
                "null -32600",
                "1 shutdown"
            ]
        );
    }

    #[test]
    fn headers_may_have_any_case_and_order() {
        let body = r#"{"method":"exit"}"#;
        let length = body.len();
        let typed = "Content-Type: application/vscode-jsonrpc; charset=utf-8";
        let text = format!("{typed}\r\ncontent-length:{length}\r\n\r\n{body}");
        assert_eq!(read_all(&text), ["exit"]);
        assert_eq!(read_all(&text[..text.len() - 1]), [""; 0]);
    }

    #[test]
    fn a_written_message_can_be_read() {
        let mut output = Vec::new();
        write(&mut output, &serde_json::json!({"id": "é", "method": "a"})).unwrap();
        assert_eq!(read_all(&String::from_utf8(output).unwrap()), ["\"é\" a"]);
    }
}
