//! The format for other programs: paths only, each once, best first.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use lore_console::text;
use lore_engine::Hit;

use super::{Answer, Format, Style};

/// One path per line; a commit is `git:` and its hash.
///
/// A name that contains a control character, a quote or a backslash is quoted as git quotes it, so
/// that one line is always one path. Paths that end with NUL are not quoted.
pub(super) struct Paths;

impl Format for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }

    fn write(&self, answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let mut written = BTreeSet::new();
        for name in answer.response.hits.iter().map(name) {
            if !written.insert(name) {
                continue;
            }
            if style.null {
                write!(out, "{name}\0")?;
            } else {
                writeln!(out, "{}", text::quoted(name))?;
            }
        }
        Ok(())
    }
}

/// The path, or the document's identifier if there is no path.
pub(super) fn name(hit: &Hit) -> &str {
    match &hit.path {
        Some(path) => path,
        None => hit.id.split_once('#').map_or(hit.id.as_str(), |(document, _)| document),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{self, fixture};

    fn written(style: &Style) -> String {
        let mut response = fixture::response();
        response.hits[1].path = Some("docs/a\nb.md".into());
        response.hits.push(response.hits[0].clone());
        output::written(&Paths, &response, style)
    }

    #[test]
    fn one_line_is_one_path() {
        assert_eq!(
            written(&Style::plain()),
            "src/refund.rs\n\"docs/a\\nb.md\"\n\
             git:3f2a91c0d4e5f60718293a4b5c6d7e8f90a1b2c3\nsrc/retry.rs\n"
        );
    }

    #[test]
    fn paths_that_end_with_nul_are_not_quoted() {
        assert_eq!(
            written(&Style { null: true, ..Style::plain() }),
            "src/refund.rs\0docs/a\nb.md\0\
             git:3f2a91c0d4e5f60718293a4b5c6d7e8f90a1b2c3\0src/retry.rs\0"
        );
    }
}
