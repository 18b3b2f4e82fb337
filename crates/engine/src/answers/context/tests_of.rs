//! Maps test files to the files they test, by name and by calls.

use lore_index::IndexError;
use lore_schema::ReferenceKind;

use super::{
    definitions::{is_test, item, lines, qualified},
    section::{ContextItem, Detail},
};
use crate::graph::{CodeGraph, Definition};

/// Maximum number of tests that call one definition.
const MAX_CALLERS: usize = 4;

/// Maximum number of test files per file, matched by name.
const MAX_PAIRS: usize = 3;

/// Maximum number of tests that call any of the definitions.
const MAX_TESTS: usize = 20;

/// Maximum length of a test that is shown whole, in lines.
const MAX_TEST_LINES: u32 = 40;

/// Maximum number of names shown of a test file: normally, and when space is short.
const MAX_NAMES: &[usize] = &[30, 8];

/// Prefixes of test file names, in lower case.
const STARTS: &[&str] = &["test_", "test-", "tests_", "spec_"];

/// Suffixes of test file names, in lower case.
const ENDS: &[&str] =
    &["_test", "_tests", "-test", "-tests", ".test", ".tests", ".spec", "_spec", "-spec"];

/// Suffixes in names whose words start with upper case.
const CAPITAL_ENDS: &[&str] = &["Tests", "Test", "Spec", "TestCase"];

/// File names without meaning: their folder is the name.
const PLAIN: &[&str] = &["__init__", "__main__", "index", "lib", "main", "mod", "test", "tests"];

/// Returns the name that a file and its tests share, in lower case: `refund` for `src/refund.rs`,
/// `tests/test_refund.py`, `RefundTests.swift` and `refund/mod.rs`.
fn subject(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let capital = CAPITAL_ENDS.iter().find_map(|end| stem.strip_suffix(end));
    let stem = capital.filter(|rest| !rest.is_empty()).unwrap_or(stem).to_lowercase();
    let mut subject = stem.as_str();
    for start in STARTS {
        subject = subject.strip_prefix(start).unwrap_or(subject);
    }
    for end in ENDS {
        if let Some(rest) = subject.strip_suffix(end).filter(|rest| !rest.is_empty()) {
            subject = rest;
            break;
        }
    }
    let subject = subject.trim_matches(['_', '-', '.']);
    if PLAIN.contains(&subject) {
        let folder = folder.rsplit('/').next().unwrap_or_default().to_lowercase();
        return if matches!(folder.as_str(), "src" | "tests" | "test" | "") {
            String::new()
        } else {
            folder
        };
    }
    subject.to_owned()
}

/// Returns the candidates that match one of `files` by name, those that share most folders first,
/// each with its file.
pub(crate) fn paired<'a>(files: &'a [String], candidates: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let mut pairs: Vec<(usize, usize, &str, &str)> = Vec::new();
    for (definition, file) in files.iter().enumerate() {
        let name = subject(file);
        if name.is_empty() {
            continue;
        }
        for candidate in candidates.iter().filter(|other| *other != file && subject(other) == name)
        {
            let shared =
                folders(file).filter(|folder| folders(candidate).any(|own| own == *folder));
            pairs.push((definition, usize::MAX - shared.count(), candidate, file));
        }
    }
    pairs.sort_unstable();
    let mut found: Vec<(&str, &str)> = Vec::new();
    for (_, _, candidate, file) in pairs {
        let count = found.iter().filter(|(_, of)| *of == file).count();
        if count < MAX_PAIRS && !found.iter().any(|(known, _)| *known == candidate) {
            found.push((candidate, file));
        }
    }
    found
}

fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit('/').skip(1)
}

/// Returns the tests that call the definitions, those of the first definition first.
pub(super) fn callers(
    graph: &CodeGraph<'_>,
    picked: &[Definition],
) -> Result<Vec<(Definition, String)>, IndexError> {
    let mut found: Vec<(Definition, String)> = Vec::new();
    for subject in picked {
        let mut links = graph.users(std::slice::from_ref(subject), &[ReferenceKind::Call])?;
        links.retain(|link| link.certainty.candidates() == 1);
        links.sort_by(|left, right| {
            (&left.from.file.path, left.line).cmp(&(&right.from.file.path, right.line))
        });
        let mut count = 0;
        for link in links {
            let Some(test) = link.from.definition().filter(is_test) else { continue };
            if count < MAX_CALLERS
                && found.len() < MAX_TESTS
                && !found.iter().any(|(known, _)| *known == test)
            {
                count += 1;
                found.push((test, format!("calls `{}`", qualified(subject))));
            }
        }
    }
    Ok(found)
}

/// Returns a test as an item, with its body if the text of its file is given and it is short.
pub(super) fn test(definition: &Definition, relation: String, text: Option<&str>) -> ContextItem {
    let mut item = item(definition);
    item.relation = relation;
    if let (Some(text), Some(first), Some(last)) = (text, item.start_line, item.end_line)
        && last - first < MAX_TEST_LINES
    {
        let body = lines(text, first, last);
        item.details.push(Detail::code("", body, Some(&definition.file.language)));
    }
    item
}

/// Returns a test file as an item, with its definitions.
pub(super) fn file(path: &str, names: &[String], relation: String) -> ContextItem {
    let mut details = Vec::new();
    for max_names in MAX_NAMES {
        let shown: Vec<&str> = names.iter().take(*max_names).map(String::as_str).collect();
        let more = names.len().saturating_sub(*max_names);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        details.push(Detail::prose(format!("{}{more}", shown.join(", "))));
    }
    details.retain(|detail| !detail.is_empty());
    details.dedup();
    ContextItem {
        id: format!("code:{path}"),
        kind: "file".to_owned(),
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        path: Some(path.to_owned()),
        relation,
        details,
        ..ContextItem::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_their_tests_share_a_name() {
        for (path, name) in [
            ("src/refund.rs", "refund"),
            ("tests/refund.rs", "refund"),
            ("tests/unit/test_refund.py", "refund"),
            ("refund_test.go", "refund"),
            ("src/refund.spec.ts", "refund"),
            ("src/refund.test.tsx", "refund"),
            ("Tests/ShopTests/RefundTests.swift", "refund"),
            ("src/refund/mod.rs", "refund"),
            ("src/refund/tests.rs", "refund"),
            ("src/latest.rs", "latest"),
            ("src/lib.rs", ""),
            ("tests/test.rs", ""),
        ] {
            assert_eq!(subject(path), name, "{path}");
        }
    }

    #[test]
    fn the_nearest_test_comes_first() {
        let files = ["pay/refund.py".to_owned(), "pay/ledger.py".to_owned()];
        let tests = ["old/test_refund.py", "pay/tests/test_refund.py", "pay/test_other.py"];
        assert_eq!(
            paired(&files, &tests),
            [
                ("pay/tests/test_refund.py", "pay/refund.py"),
                ("old/test_refund.py", "pay/refund.py"),
            ]
        );
    }
}
