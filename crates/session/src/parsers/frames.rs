//! Messages between this process and a parser process: a header of fixed size, then the bytes that it
//! announces.

use std::io::{self, Read, Write};

/// Maximum length of a text or a result, in bytes. A longer one is an error of the other process.
pub(super) const MAX_LEN: usize = 1 << 30;

/// Bytes of the header of a request: id, length of the name, length of the text.
const REQUEST_HEADER: usize = 9;

/// Bytes of the header of a response: id, kind, length of the result.
const RESPONSE_HEADER: usize = 9;

/// A text to parse.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Number of the request, unique among those that wait.
    pub(super) id: u32,
    /// Name of the language.
    pub(super) language: String,
    pub(super) text: String,
}

/// The result of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) id: u32,
    pub(super) kind: ResponseKind,
    /// The encoded result, if there is one.
    pub(super) result: Vec<u8>,
}

/// The kind of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseKind {
    /// The first response of a process, before any request: the version of its program.
    Ready,
    /// The text was parsed.
    Parsed,
    /// The parser gave up.
    GaveUp,
    /// The parser panicked.
    Panicked,
}

const KINDS: [ResponseKind; 4] =
    [ResponseKind::Ready, ResponseKind::Parsed, ResponseKind::GaveUp, ResponseKind::Panicked];

/// The bytes of a request, in an empty buffer.
///
/// # Panics
/// If the name has more than 255 bytes, or the text more than [`MAX_LEN`].
pub(super) fn request_bytes(mut bytes: Vec<u8>, id: u32, language: &str, text: &str) -> Vec<u8> {
    bytes.reserve(REQUEST_HEADER + language.len() + text.len());
    bytes.extend(id.to_le_bytes());
    bytes.push(u8::try_from(language.len()).expect("names of languages are short"));
    bytes.extend(length(text.len()));
    bytes.extend(language.as_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// Reads a request, its text into an empty buffer; `None` at the end of the input.
///
/// # Errors
/// When the input ends within a request, or contains none.
pub(super) fn read_request(input: &mut impl Read, buffer: Vec<u8>) -> io::Result<Option<Request>> {
    let Some(header) = read_header::<REQUEST_HEADER>(input)? else { return Ok(None) };
    let [a, b, c, d, name, length @ ..] = header;
    Ok(Some(Request {
        id: u32::from_le_bytes([a, b, c, d]),
        language: utf8(read_bytes(input, usize::from(name), Vec::new())?)?,
        text: utf8(read_bytes(input, length_of(length)?, buffer)?)?,
    }))
}

/// Begins the bytes of a response in an empty buffer. The result is appended, and [`finish_response`]
/// completes them.
pub(super) fn response_head(mut bytes: Vec<u8>, id: u32, kind: ResponseKind) -> Vec<u8> {
    bytes.extend(id.to_le_bytes());
    let position = KINDS.iter().position(|other| *other == kind).expect("the list is complete");
    bytes.push(u8::try_from(position).expect("there are few kinds"));
    bytes.extend([0; 4]);
    bytes
}

/// Writes the length of the result into the header.
pub(super) fn finish_response(bytes: &mut [u8]) {
    let length = length(bytes.len() - RESPONSE_HEADER);
    bytes[RESPONSE_HEADER - 4..RESPONSE_HEADER].copy_from_slice(&length);
}

/// Reads a response, its result into an empty buffer; `None` at the end of the input.
///
/// # Errors
/// When the input ends within a response, or contains none.
pub(super) fn read_response(
    input: &mut impl Read,
    buffer: Vec<u8>,
) -> io::Result<Option<Response>> {
    let Some(header) = read_header::<RESPONSE_HEADER>(input)? else { return Ok(None) };
    let [a, b, c, d, kind, length @ ..] = header;
    Ok(Some(Response {
        id: u32::from_le_bytes([a, b, c, d]),
        kind: *KINDS.get(usize::from(kind)).ok_or_else(invalid)?,
        result: read_bytes(input, length_of(length)?, buffer)?,
    }))
}

/// Writes a message and flushes it.
pub(super) fn write(output: &mut impl Write, message: &[u8]) -> io::Result<()> {
    output.write_all(message)?;
    output.flush()
}

fn length(length: usize) -> [u8; 4] {
    assert!(length <= MAX_LEN, "no text of a tree is that long");
    u32::try_from(length).expect("the maximum fits").to_le_bytes()
}

fn length_of(bytes: [u8; 4]) -> io::Result<usize> {
    let length = usize::try_from(u32::from_le_bytes(bytes)).map_err(|_| invalid())?;
    if length <= MAX_LEN { Ok(length) } else { Err(invalid()) }
}

/// Reads a header; `None` if the input ends before it.
fn read_header<const N: usize>(input: &mut impl Read) -> io::Result<Option<[u8; N]>> {
    let mut header = [0; N];
    let mut read = 0;
    while read < N {
        match input.read(&mut header[read..]) {
            Ok(0) if read == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => read += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(header))
}

/// Reads this many bytes into an empty buffer. Memory grows with what arrives, not with what was
/// announced.
fn read_bytes(input: &mut impl Read, length: usize, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    bytes.reserve(length.min(1 << 20));
    input.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| invalid())
}

fn invalid() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the message is invalid")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte at a time, as a pipe may.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn requests_round_trip() {
        for text in ["", "fn main() {}\n", "\u{1f980}"] {
            let bytes = |id, language| request_bytes(Vec::new(), id, language, text);
            let bytes = [bytes(7, "rust"), bytes(8, "c++")].concat();
            let mut input = Slow(&bytes);
            let read = |input: &mut Slow<'_>| read_request(input, Vec::new()).expect("it is valid");
            let request = |id, language: &str| Request {
                id,
                language: language.to_owned(),
                text: text.to_owned(),
            };
            assert_eq!(read(&mut input), Some(request(7, "rust")));
            assert_eq!(read(&mut input), Some(request(8, "c++")));
            assert_eq!(read(&mut input), None);
        }
    }

    #[test]
    fn responses_round_trip() {
        for kind in KINDS {
            let mut bytes = response_head(Vec::new(), 9, kind);
            bytes.extend(b"abc");
            finish_response(&mut bytes);
            let response = Response { id: 9, kind, result: b"abc".to_vec() };
            let read = read_response(&mut Slow(&bytes), Vec::new());
            assert_eq!(read.expect("it is valid"), Some(response));
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let is_request = |mut bytes: &[u8]| read_request(&mut bytes, Vec::new()).is_ok();
        let bytes = request_bytes(Vec::new(), 7, "rust", "text");
        assert!(is_request(&bytes));
        for length in 1..bytes.len() {
            assert!(!is_request(&bytes[..length]), "{length}");
        }
        assert!(!is_request(&[1, 0, 0, 0, 1, 1, 0, 0, 0, 0xff, 0xff]));
        let is_response = |mut bytes: &[u8]| read_response(&mut bytes, Vec::new()).is_ok();
        let bytes = response_head(Vec::new(), 1, ResponseKind::GaveUp);
        assert!(is_response(&bytes));
        let mut unknown = bytes.clone();
        unknown[4] = 99;
        assert!(!is_response(&unknown));
        let mut endless = bytes;
        endless[5..].fill(0xff);
        assert!(!is_response(&endless));
    }
}
