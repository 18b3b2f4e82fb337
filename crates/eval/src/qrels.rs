//! Right results of queries.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use crate::{EvalError, Ranked, collection::parse_lines};

/// Beginning of the identifier of a commit.
pub(crate) const COMMIT: &str = "git:";

/// Minimum number of digits of a hash.
const MIN_HASH_LEN: usize = 10;

/// One right result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Target {
    /// A path from the repository's root, or the identifier of a hit, with or without its source:
    /// `src/a.rs`, `src/a.rs#main`, `tickets:.beads/issues.jsonl#a-1`. `path#*` is the path,
    /// `git:` and at least ten digits of a hash a commit, `#a-1` the ticket of any store.
    pub name: String,
    /// First and last line that a result must overlap, 1-based; `None` for any part of the file.
    pub lines: Option<(u32, u32)>,
}

impl Target {
    /// Returns true if a result covers this target.
    pub fn is_covered_by(&self, ranked: &Ranked) -> bool {
        if let Some(ticket) = self.name.strip_prefix('#') {
            let before = ranked.id.strip_suffix(ticket);
            return before.is_some_and(|before| before.ends_with(['#', ':']));
        }
        if let Some(hash) = self.name.strip_prefix(COMMIT) {
            return ranked.id.strip_prefix(COMMIT).is_some_and(|found| is_same_hash(found, hash));
        }
        let name = self.name.strip_suffix("#*").unwrap_or(&self.name);
        let named = ranked.path == name
            || [Some(ranked.id.as_str()), ranked.id.split_once(':').map(|(_, locator)| locator)]
                .into_iter()
                .flatten()
                .any(|id| {
                    id.strip_prefix(name)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
                });
        named
            && self.lines.is_none_or(|(start, end)| {
                // Systems that return whole files have no lines.
                let first = ranked.start_line.unwrap_or(1);
                let last = ranked.end_line.unwrap_or(u32::MAX);
                start <= last && first <= end
            })
    }
}

/// Returns true if one hash is the beginning of the other and both are long enough.
fn is_same_hash(left: &str, right: &str) -> bool {
    MIN_HASH_LEN <= left.len().min(right.len())
        && (left.starts_with(right) || right.starts_with(left))
}

/// Reads qrels in the TREC format: query, an ignored column, document, relevance. Documents are
/// encoded as by [`escape`], with `#L10-L20` at the end for lines. Relevance above 0 is right.
pub(crate) fn load(path: &Path) -> Result<BTreeMap<String, Vec<Target>>, EvalError> {
    let rows = parse_lines(path, |_, line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [query, _, document, relevance] = columns[..] else {
            return Err(format!("a row has 4 columns, this one {}", columns.len()));
        };
        let relevance: i32 =
            relevance.parse().map_err(|_| format!("`{relevance}` is not a relevance"))?;
        Ok((query.to_owned(), parse(document), relevance))
    })?;
    let mut qrels = BTreeMap::<_, Vec<Target>>::new();
    for (query, target, relevance) in rows {
        let targets = qrels.entry(query).or_default();
        if 0 < relevance {
            targets.push(target);
        }
    }
    Ok(qrels)
}

/// Parses a document's name as a target.
pub(crate) fn parse(document: &str) -> Target {
    let lines = document.rsplit_once("#L").and_then(|(name, lines)| {
        let (start, end) = lines.split_once("-L")?;
        Some((name, (start.parse().ok()?, end.parse().ok()?)))
    });
    match lines {
        Some((name, lines)) => Target { name: unescape(name), lines: Some(lines) },
        None => Target { name: unescape(document), lines: None },
    }
}

/// Formats a target as a document's name: the reverse of [`parse`].
pub(crate) fn document(target: &Target) -> String {
    let name = escape(&target.name);
    match target.lines {
        Some((start, end)) => format!("{name}#L{start}-L{end}"),
        None => name,
    }
}

/// Encodes whitespace in a name as `%20` and the like, since it separates the columns of TREC
/// files.
pub(crate) fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for character in name.chars() {
        if character == '%' || character.is_whitespace() || character.is_control() {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                let _ = write!(escaped, "%{byte:02X}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Undoes [`escape`]; a `%` without two hexadecimal digits after it is kept.
pub(crate) fn unescape(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = (*first == b'%')
            .then(|| tail.get(..2).and_then(|digits| str::from_utf8(digits).ok()))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_and_tickets_are_identified_without_their_place() {
        let hash = "db20de977b1201e638140e8a061cdfb21ab99a6c";
        for (name, id, expected) in [
            ("git:db20de977b12", format!("git:{hash}"), true),
            ("git:db20de977b12", "git:db20de977b".to_owned(), true),
            ("git:db20de977b12", "git:db20de977c12".to_owned(), false),
            ("git:db20de9", format!("git:{hash}"), false),
            ("git:db20de977b12", format!("code:{hash}"), false),
            ("#12", "tickets:tasks.json#12".to_owned(), true),
            ("#12", "tickets:12".to_owned(), true),
            ("#12", "tickets:tasks.json#112".to_owned(), false),
            ("#12", "code:12/a.rs".to_owned(), false),
        ] {
            let ranked = Ranked { id: id.clone(), ..Ranked::default() };
            let target = Target { name: name.to_owned(), lines: None };
            assert_eq!(target.is_covered_by(&ranked), expected, "{name} {id}");
        }
    }

    #[test]
    fn names_survive_columns() {
        for name in ["src/a.rs", "a b\t100%.md", "a%20b", "日本\u{3000}語", ""] {
            let escaped = escape(name);
            assert!(!escaped.contains(char::is_whitespace), "{escaped}");
            assert_eq!(unescape(&escaped), name);
        }
        assert_eq!(unescape("100%"), "100%");
        assert_eq!(unescape("%zz%4"), "%zz%4");
    }

    #[test]
    fn documents_are_targets() {
        for name in ["a.rs", "a%20b.rs#main", "a.rs#L3-L9", "a.rs#Lx-L9", "a#L3"] {
            assert_eq!(document(&parse(name)), name);
        }
    }

    #[test]
    fn targets_cover_paths_identifiers_and_lines() {
        let ranked = Ranked {
            path: "src/a.rs".to_owned(),
            start_line: Some(10),
            end_line: Some(20),
            id: "code:src/a.rs#main".to_owned(),
            score: 1.0,
            ..Ranked::default()
        };
        let check = |document: &str, expected: bool| {
            assert_eq!(parse(document).is_covered_by(&ranked), expected, "{document}");
        };
        check("src/a.rs", true);
        check("a.rs", false);
        check("src/a", false);
        check("src/a.rs#main", true);
        check("src/a.rs#mai", false);
        check("code:src/a.rs", true);
        check("code:src/a.rs#main", true);
        check("docs:src/a.rs#main", false);
        check("src/a.rs#*", true);
        check("src/a.rs#L20-L30", true);
        check("src/a.rs#L1-L10", true);
        check("src/a.rs#L21-L30", false);
        check("src/a.rs#L1-L9", false);
        check("#main", true);
        check("#mai", false);
        check("git:src/a.rs#main", false);
        let whole = Ranked { start_line: None, end_line: None, ..ranked.clone() };
        assert!(parse("src/a.rs#L21-L30").is_covered_by(&whole));
    }
}
