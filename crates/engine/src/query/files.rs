//! File names in a text: `utils.go`, `api/mod.rs:12`, `src/a.ts#L7`. Pure.

/// Maximum number of file names that are read from a query: it has a few, a pasted log thousands.
const MAX_FILES: usize = 32;

/// Maximum number of bytes of a query that are searched for file names.
const MAX_BYTES: usize = 16_384;

/// Maximum length of a file extension.
const MAX_EXTENSION_LEN: usize = 12;

/// The words of a text that may be paths, without surrounding quotes and punctuation, a leading `./`,
/// and line numbers (`:12`, `#L7`).
pub(crate) fn path_words(text: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| c.is_whitespace() || "`'\"()[]<>{},;|*‘’“”".contains(c);
    text.split(is_edge).filter_map(|word| {
        let word = word.trim_start_matches("./").trim_end_matches(['.', ':', '!', '?']);
        word.split(['#', ':']).next().filter(|path| !path.is_empty())
    })
}

/// The file names in a query, or ends of their paths, once each: words with a possible file
/// extension.
pub(super) fn named_files(text: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let start = &text[..text.floor_char_boundary(MAX_BYTES)];
    for path in path_words(start) {
        let Some((stem, ending)) = path.rsplit_once('.') else { continue };
        let is_ending = (1..=MAX_EXTENSION_LEN).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_stem = stem.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_ending && is_stem && !files.iter().any(|file| file == path) {
            files.push(path.to_owned());
            if files.len() == MAX_FILES {
                break;
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_recognised_by_extension() {
        for (text, expected) in [
            ("added a comment in doc.go", &["doc.go"][..]),
            ("what do `./api/mod.rs:12:3` and utils.py do?", &["api/mod.rs", "utils.py"]),
            ("src/refund.rs:35-47, src/refund.rs#L3 and “a.rb”", &["src/refund.rs", "a.rb"]),
            ("move it to (src/a.test.ts).", &["src/a.test.ts"]),
            ("what __init__.py of the **shop.py** exports", &["__init__.py", "shop.py"]),
            ("from 1.24 to 1.25 and the rest", &[]),
            ("Foo::bar.", &[]),
            (".gitignore of the shop ...", &[]),
            ("", &[]),
        ] {
            assert_eq!(named_files(text), expected, "{text:?}");
        }
        let long = "é".repeat(MAX_BYTES);
        assert!(named_files(&format!("{long} a.rs")).is_empty());
    }
}
