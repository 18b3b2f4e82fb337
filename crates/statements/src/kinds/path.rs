//! Paths of files and folders.

use std::sync::LazyLock;

use regex::Regex;

use super::is_shell;
use crate::{read::Located, segments::Segment, statement::Place};

/// Extensions that make a word without a slash a file name.
const EXTENSIONS: &[&str] = &[
    "adoc", "bash", "bat", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp", "cs", "css",
    "cts", "dart", "ex", "exs", "fish", "go", "gradle", "graphql", "h", "hcl", "hpp", "hs", "html",
    "ini", "ipynb", "java", "jl", "json", "jsx", "kt", "kts", "lock", "lua", "m", "md", "mdx",
    "mjs", "ml", "mod", "mts", "nix", "php", "pl", "png", "proto", "ps1", "pub", "py", "pyi", "r",
    "rb", "rs", "rst", "sbt", "scala", "scm", "scss", "service", "sh", "sql", "svelte", "svg",
    "swift", "tf", "toml", "tpl", "ts", "tsx", "txt", "vim", "vue", "xml", "yaml", "yml", "zig",
    "zsh",
];

static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Za-z0-9_.@~+\-]*(?:/[A-Za-z0-9_.@+\-\[\]]+)+/?|[A-Za-z0-9_.@+\-]+/|[A-Za-z0-9_@+\-][A-Za-z0-9_.@+\-]*\.[A-Za-z0-9]{1,8}")
        .expect("a valid pattern")
});

/// Finds paths: words with a slash, and file names with a known extension.
pub(crate) fn find(segment: &Segment<'_>) -> Vec<Located> {
    let mut found = Vec::new();
    if segment.place == Place::Link {
        return found;
    }
    for word in WORD.find_iter(segment.text) {
        let before = segment.text[..word.start()].chars().next_back();
        let after = segment.text[word.end()..].chars().next();
        // Parts of URLs, patterns, placeholders, expressions and longer words.
        let is_part = before.is_some_and(|c| ":/\\*<>{}$%#?=&@".contains(c) || c.is_alphanumeric())
            && !(before == Some('=') && word.as_str().contains('/'))
            || after.is_some_and(|c| "*<{$%(\\".contains(c) || c.is_alphanumeric());
        // Lists of files in a block are output.
        let is_output = segment.place == Place::Fence
            && is_shell(segment.language)
            && segment.text[..word.start()].trim().is_empty()
            && !word.as_str().starts_with('.');
        if is_output {
            continue;
        }
        let text = word.as_str().trim_end_matches(['.', ',', '-']);
        if is_part {
            continue;
        }
        if is_path(text, segment.place) {
            let name = text.trim_start_matches("./").to_owned();
            if !name.trim_matches(['/', '.']).is_empty() {
                found.push(Located::new(word.start()..word.start() + text.len(), name));
            }
        }
    }
    found
}

fn is_path(text: &str, place: Place) -> bool {
    if text.starts_with("//")
        || text.contains("...")
        || text.starts_with('~')
        || text.starts_with('@')
    {
        return false;
    }
    let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let extension = last.rsplit_once('.').map(|(_, extension)| extension);
    let is_file = extension.is_some_and(|extension| {
        EXTENSIONS.contains(&extension) && last.len() > extension.len() + 1
    });
    if !text.contains('/') {
        // `self.h`, `std.sh`: an expression with a short extension needs a span.
        return is_file && (place != Place::Prose || extension.is_some_and(|end| end.len() > 1));
    }
    let first = text.split('/').find(|part| !matches!(*part, "" | "." | ".."));
    // `example.com/page` is an address.
    let is_address = first.is_some_and(|first| {
        text.contains('/')
            && !text.starts_with(['.', '/'])
            && first.rsplit_once('.').is_some_and(|(host, end)| {
                !host.is_empty()
                    && matches!(
                        end,
                        "com"
                            | "org"
                            | "net"
                            | "io"
                            | "dev"
                            | "rs"
                            | "app"
                            | "edu"
                            | "sh"
                            | "in"
                            | "ai"
                    )
                    && !last.is_empty()
                    && first.len() != text.len()
            })
    });
    !is_address
        && (is_file
            || place != Place::Prose
            || text.ends_with('/')
            || text.matches('/').count() > 1)
}
