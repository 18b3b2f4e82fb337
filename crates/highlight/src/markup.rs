//! HTML and XML: elements, attributes, their values and comments.

use crate::spans::{Class, Span, Spans};

/// Classifies elements and comments. Text between them has no class.
pub(crate) fn scan(text: &str) -> Vec<Span> {
    let mut spans = Spans::default();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        if rest.starts_with("<!--") {
            let end = rest.find("-->").map_or(text.len(), |end| start + end + 3);
            spans.push(start..end, Class::Comment);
            at = end;
        } else if rest[1..].starts_with(|next: char| next.is_alphabetic() || "/!?".contains(next)) {
            at = element(text, start, &mut spans);
        } else {
            at = start + 1;
        }
    }
    spans.into_vec()
}

/// Classifies one element. Returns the offset after it.
fn element(text: &str, start: usize, spans: &mut Spans) -> usize {
    let bytes = text.as_bytes();
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.@#".contains(byte) || !byte.is_ascii();
    let mut at = start + 1;
    if matches!(bytes.get(at), Some(b'/' | b'!' | b'?')) {
        at += 1;
    }
    spans.push(start..at, Class::Punctuation);
    let mut class = Class::Keyword;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => {
                spans.push(at..at + 1, Class::Punctuation);
                return at + 1;
            }
            // The element was not closed.
            b'<' => return at,
            b'"' | b'\'' => {
                let quoted = bytes[at + 1..].iter().position(|other| other == byte);
                let end = quoted.map_or(bytes.len(), |length| at + length + 2);
                spans.push(at..end, Class::String);
                at = end;
            }
            byte if is_name(byte) => {
                let length = bytes[at..].iter().position(|byte| !is_name(byte));
                let end = length.map_or(bytes.len(), |length| at + length);
                spans.push(at..end, class);
                class = Class::Property;
                at = end;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}
