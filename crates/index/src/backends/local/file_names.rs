//! Names of the files of an index.

use super::private::without_temporary_suffix;

/// tantivy's list of segments, the only file that a commit replaces.
pub(super) const META_FILE: &str = "meta.json";
/// tantivy's list of the files that it may delete.
pub(super) const MANAGED_FILE: &str = ".managed.json";
/// Stamps of the files that were intact when they were last verified.
pub(super) const SEAL_FILE: &str = "seal.bin";
/// The lock of writers, held from before the first look at the index until the writer is gone. Like
/// tantivy's locks it is removed only with the whole index, because a process that tries to take it
/// holds the file open.
pub(super) const LOCK_FILE: &str = ".lorehound-writer.lock";
/// All locks, in the order in which they are removed: ours last.
pub(super) const LOCK_FILES: [&str; 3] = [".tantivy-meta.lock", ".tantivy-writer.lock", LOCK_FILE];
/// Suffix of files that are being written.
pub(super) const TEMPORARY_SUFFIX: &str = ".new";

const STATE_PREFIX: &str = "state-";
const STATE_SUFFIX: &str = ".bin";

const VECTORS_PREFIX: &str = "vectors-";
const VECTORS_SUFFIX: &str = ".bin";

/// Extensions of the files of a segment, after its 32 hexadecimal digits.
const SEGMENT_EXTENSIONS: [&str; 8] =
    ["fast", "fieldnorm", "idx", "pos", "store", "store.temp", "term", "del"];

/// Returns the name of the state file of a generation.
pub(super) fn state_file(generation: u64) -> String {
    format!("{STATE_PREFIX}{generation}{STATE_SUFFIX}")
}

/// Returns true for the state file of any generation, complete or half written.
pub(super) fn is_state(name: &str) -> bool {
    without_temporary_suffix(name)
        .strip_prefix(STATE_PREFIX)
        .and_then(|rest| rest.strip_suffix(STATE_SUFFIX))
        .is_some_and(is_number)
}

/// Returns the name of a vector file: the commit that wrote it, and its number among the files of
/// that commit.
pub(super) fn vector_file(generation: u64, number: u32) -> String {
    format!("{VECTORS_PREFIX}{generation}-{number}{VECTORS_SUFFIX}")
}

/// Returns true for a vector file.
pub(super) fn is_vectors(name: &str) -> bool {
    name.strip_prefix(VECTORS_PREFIX)
        .and_then(|rest| rest.strip_suffix(VECTORS_SUFFIX))
        .and_then(|rest| rest.split_once('-'))
        .is_some_and(|(generation, number)| is_number(generation) && is_number(number))
}

/// Returns true for every file that an index writes, except locks.
pub(super) fn is_index_file(name: &str) -> bool {
    let name = without_temporary_suffix(name);
    [META_FILE, MANAGED_FILE, SEAL_FILE].contains(&name)
        || is_state(name)
        || is_segment(name)
        || is_vectors(name)
}

/// Returns true for a file that an export contains. The others are written again by an import.
pub(super) fn is_exchanged_file(name: &str) -> bool {
    /// Extension of stored rows that are not complete.
    const INCOMPLETE: &str = ".store.temp";
    let is_complete = without_temporary_suffix(name) == name && !name.ends_with(INCOMPLETE);
    is_complete && (name == META_FILE || is_state(name) || is_segment(name) || is_vectors(name))
}

/// Returns true for a file that was being written when its process was killed.
pub(super) fn is_temporary(name: &str) -> bool {
    name.ends_with(TEMPORARY_SUFFIX)
}

/// Returns true for a file of a segment.
pub(super) fn is_segment(name: &str) -> bool {
    let Some((id, extension)) = name.split_once('.') else { return false };
    // The file of deleted rows has the number of the commit in its name.
    let extension = match extension.split_once('.') {
        Some((number, "del")) if is_number(number) => "del",
        _ => extension,
    };
    id.len() == 32
        && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        && SEGMENT_EXTENSIONS.contains(&extension)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{is_exchanged_file, is_index_file};

    #[test]
    fn only_complete_files_of_a_commit_are_exchanged() {
        let id = "0123456789abcdef0123456789abcdef";
        for name in ["meta.json", "state-3.bin", "vectors-3-0.bin"] {
            assert!(is_exchanged_file(name), "{name}");
            assert!(!is_exchanged_file(&format!("{name}.new")), "{name}");
            assert!(!is_exchanged_file(&format!("../{name}")), "{name}");
        }
        assert!(is_exchanged_file(&format!("{id}.term")));
        for name in ["seal.bin", ".managed.json", ".lorehound-writer.lock", "", ".", ".."] {
            assert!(!is_exchanged_file(name), "{name}");
        }
        assert!(!is_exchanged_file(&format!("{id}.store.temp")));
    }

    #[test]
    fn only_names_of_index_files_are_accepted() {
        let id = "0123456789abcdef0123456789abcdef";
        for name in [
            "meta.json",
            ".managed.json",
            "seal.bin",
            "state-0.bin",
            "state-12.bin.new",
            "meta.json.0123456789abcdef.new",
        ] {
            assert!(is_index_file(name), "{name}");
        }
        for extension in
            ["term", "idx", "pos", "fast", "store", "store.temp", "fieldnorm", "17.del"]
        {
            assert!(is_index_file(&format!("{id}.{extension}")), "{extension}");
        }
        assert!(is_index_file("vectors-12-0.bin"));
        for name in [
            "notes.md",
            "vectors.bin",
            "vectors-12.bin",
            "vectors-12-.bin",
            "vectors-12-0.bin.bak",
            "state-x.bin",
            "state-.bin",
            "state-.txt",
            "meta.json.bak",
            "meta.json.0123.new",
            ".lorehound-writer.lock",
            "0123.term",
            "0123456789abcdef0123456789abcdef.md",
            "0123456789abcdef0123456789abcdef.x.del",
            "0123456789abcdef0123456789abcdef",
        ] {
            assert!(!is_index_file(name), "{name}");
        }
    }
}
