//! Addresses of pages. Every part that comes from a tree is percent-encoded.
//!
//! A server with several repositories has the pages of each below an address of its own. The thread that makes
//! a page has that address ([`with_base`]), and every address that this module makes starts with it.

use std::cell::RefCell;

use lore_engine::Hit;
use lore_schema::SourceName;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// Start of the addresses of one repository of several.
pub(crate) const IN: &str = "/in/";

thread_local! {
    /// Start of the addresses of the page that this thread makes.
    static BASE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes a page whose addresses start with `base`: empty, or `/in/NAME`.
pub(crate) fn with_base<T>(base: &str, page: impl FnOnce() -> T) -> T {
    /// Restores the address of the thread, also after a panic.
    struct Restore(String);
    impl Drop for Restore {
        fn drop(&mut self) {
            BASE.set(std::mem::take(&mut self.0));
        }
    }
    let _restore = Restore(BASE.replace(base.to_owned()));
    page()
}

/// Start of the addresses of the page that this thread makes.
pub(crate) fn base() -> String {
    BASE.with_borrow(Clone::clone)
}

/// The address of a path, which starts with `/`, among the pages of the repository.
pub(crate) fn to(path: &str) -> String {
    base() + path
}

/// A name as one part of a path.
pub(crate) fn segment(name: &str) -> String {
    encode(name).replace('/', "%2F")
}

/// The name that a part of a path encodes.
pub(crate) fn decode(segment: &str) -> String {
    percent_decode_str(segment).decode_utf8_lossy().into_owned()
}

/// The first page of a repository.
pub(crate) fn repository(name: &str) -> String {
    format!("{IN}{}/", segment(name))
}

/// Characters that are encoded: all that have a meaning in an address.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'\'')
    .add(b'+')
    .add(b',')
    .add(b'<')
    .add(b'=')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Encodes a value of a parameter, or a path.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The revision of a tree in an address: nothing for the files on disk.
pub(crate) fn at(revision: Option<&str>) -> String {
    revision.map_or_else(String::new, |revision| format!("?at={}", encode(revision)))
}

/// The page of a file.
pub(crate) fn file(path: &str, revision: Option<&str>) -> String {
    to(&format!("/file/{}{}", encode(path), at(revision)))
}

/// The page of a file at its lines, which are marked there.
pub(crate) fn lines(path: &str, revision: Option<&str>, first: u32, last: u32) -> String {
    let mut address = file(path, revision);
    address.push(if revision.is_some() { '&' } else { '?' });
    if first < last {
        address + &format!("lines={first}-{last}#L{first}")
    } else {
        address + &format!("lines={first}#L{first}")
    }
}

/// The page of a folder; that of the root for an empty path.
pub(crate) fn folder(path: &str, revision: Option<&str>) -> String {
    to(&format!("/tree/{}{}", encode(path), at(revision)))
}

/// The commits of a file or folder.
pub(crate) fn history(path: &str, revision: Option<&str>) -> String {
    to(&format!("/history/{}{}", encode(path), at(revision)))
}

/// The page of a commit. The name of a branch may contain slashes.
pub(crate) fn commit(name: &str) -> String {
    to(&format!("/commit/{}", segment(name)))
}

/// The page of a definition.
pub(crate) fn symbol(id: &str) -> String {
    to(&format!("/symbol?id={}", encode(id)))
}

/// The page of a ticket or spec.
pub(crate) fn record(id: &str) -> String {
    to(&format!("/record?id={}", encode(id)))
}

/// The reasons of a place.
pub(crate) fn why(target: &str) -> String {
    to(&format!("/why?target={}", encode(target)))
}

/// A search for a text.
pub(crate) fn search(text: &str) -> String {
    to(&format!("/search?q={}", encode(text)))
}

/// A hit of an answer over several repositories, as its own repository has it; and the address of that. `None`
/// for a hit of an answer over one.
pub(crate) fn of_repository(hit: &Hit) -> Option<(Hit, String)> {
    let name = hit.repository.as_deref()?;
    let inside = |path: &str| {
        let rest = path.strip_prefix(name).and_then(|rest| rest.strip_prefix('/'));
        rest.unwrap_or(path).to_owned()
    };
    let id = match (&hit.path, hit.id.split_once(':')) {
        // Identifiers of commits have no path.
        (None, _) => hit.id.clone(),
        (Some(_), Some((source, rest))) if SourceName::from_name(source).is_some() => {
            format!("{source}:{}", inside(rest))
        }
        (Some(_), _) => inside(&hit.id),
    };
    let own = Hit { id, path: hit.path.as_deref().map(inside), repository: None, ..hit.clone() };
    Some((own, format!("{IN}{}", segment(name))))
}

/// The page of a hit.
pub(crate) fn hit(hit: &Hit, revision: Option<&str>) -> String {
    if hit.source == SourceName::Git {
        let hash = hit.id.strip_prefix("git:").unwrap_or(&hit.id);
        return commit(hash.split(['#', ':']).next().unwrap_or(hash));
    }
    let is_record = matches!(hit.source, SourceName::Specs | SourceName::Tickets);
    if is_record && revision.is_none() {
        return record(document_of(hit));
    }
    match (&hit.path, hit.start_line, hit.end_line) {
        // The first line of the passage, which is in view, is more useful than the end of a long span.
        (Some(path), Some(first), Some(last)) => lines(path, revision, first, last),
        (Some(path), ..) => file(path, revision),
        (None, ..) => record(&hit.id),
    }
}

/// The document of a hit: a heading and lines are not part of its identifier.
fn document_of(hit: &Hit) -> &str {
    match &hit.path {
        // A file that is one document.
        Some(path) if !hit.is_composed => path,
        _ => &hit.id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_start_with_that_of_the_repository() {
        let base = format!("{IN}{}", segment("lib/a b"));
        assert_eq!(with_base(&base, || file("a.rs", None)), "/in/lib%2Fa%20b/file/a.rs");
        assert_eq!(file("a.rs", None), "/file/a.rs");
        assert_eq!(decode("lib%2Fa%20b"), "lib/a b");
        assert_eq!(repository("api"), "/in/api/");
    }

    #[test]
    fn every_character_of_a_path_survives() {
        assert_eq!(file("src/a b#c?.rs", None), "/file/src/a%20b%23c%3F.rs");
        assert_eq!(
            file("größe/<x>&\"y\".md", Some("v1")),
            "/file/gr%C3%B6%C3%9Fe/%3Cx%3E%26%22y%22.md?at=v1"
        );
        assert_eq!(lines("a.rs", None, 3, 3), "/file/a.rs?lines=3#L3");
        assert_eq!(lines("a.rs", Some("v1"), 3, 5), "/file/a.rs?at=v1&lines=3-5#L3");
        assert_eq!(symbol("code:a.rs#f"), "/symbol?id=code:a.rs%23f");
    }
}
