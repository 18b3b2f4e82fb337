//! Finds files by characters of their paths in their order.

use std::{cmp::Reverse, sync::Arc};

use maud::{Markup, html};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use crate::{
    error::PageError,
    layout::{self, Frame},
    links,
    params::Params,
    site::Site,
};

/// Maximum number of files that are shown.
const MAX_FILES: usize = 100;

/// The paths that contain the characters of a text in their order, best first; all for an empty text.
pub(crate) fn find(site: &Arc<Site>, typed: &str) -> Result<Vec<String>, PageError> {
    let paths = site.read(|opened| Ok(opened.engine.paths()?))?;
    Ok(best(typed, &paths).into_iter().map(|index| paths[index].clone()).collect())
}

/// Indexes of the paths that match, best first.
fn best(typed: &str, paths: &[String]) -> Vec<usize> {
    let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut buffer = Vec::new();
    let mut found: Vec<(usize, u32)> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let score = pattern.score(Utf32Str::new(path, &mut buffer), &mut matcher);
        found.extend(score.map(|score| (index, score)));
    }
    // Shorter paths first: they contain less beside the match.
    found.sort_by_key(|(index, score)| (Reverse(*score), paths[*index].len(), *index));
    found.into_iter().take(MAX_FILES).map(|(index, _)| index).collect()
}

/// The whole page.
pub(crate) fn page(site: &Arc<Site>, params: &Params) -> Result<Markup, PageError> {
    let typed = params.get("path").unwrap_or_default();
    let body = html! {
        h1 { "Find a file" }
        form action=(links::to("/find")) method="get" {
            label for="path" { "Characters of its path, in their order" }
            " "
            input id="path" name="path" type="search" value=(typed) autocomplete="off" autofocus;
            " "
            button type="submit" { "Find" }
        }
        (found(&find(site, typed)?))
    };
    Ok(layout::page(&Frame::new(site, "Find a file"), &body))
}

/// Files as a list.
fn found(paths: &[String]) -> Markup {
    html! {
        @if paths.is_empty() { p { "No file has these characters in its path." } }
        ul.files { @for path in paths { li { a href=(links::file(path, None)) { (path) } } } }
    }
}

#[cfg(test)]
mod tests {
    use super::best;

    #[test]
    fn names_of_files_count_more_than_folders() {
        let paths = ["crates/server/src/lib.rs", "crates/cli/src/serve.rs", "README.md"];
        let paths = paths.map(str::to_owned);
        assert_eq!(best("serve", &paths), [1, 0]);
        assert_eq!(best("clserve", &paths), [1]);
        assert_eq!(best("zzz", &paths), [0; 0]);
    }
}
