//! Checks the table of requirements in `docs/reference/compatibility.md`: one row for each
//! requirement, one of four states, and evidence that fits the state.
//!
//! [`references`](super::references) checks that the named files and functions exist. This check adds
//! that they are tests, and that no name of a test is without its file.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;

use super::references::{file_in_parentheses, is_function_name, read};

/// The page with the table.
const PAGE: &str = "docs/reference/compatibility.md";

/// The replaced systems and the number of their requirements, which are numbered from 1.
const SYSTEMS: &[(&str, usize)] = &[("S0", 44), ("S1", 86), ("S2", 109), ("S3", 45), ("S4", 76)];

/// The states of a row.
const HELD: &str = "held";
const BY_HAND: &str = "held, by hand";
const DIFFERENTLY: &str = "held differently";
const NOT_HELD: &str = "not held";
const STATES: &[&str] = &[HELD, BY_HAND, DIFFERENTLY, NOT_HELD];

/// First words of a command that a row may name as evidence.
const COMMANDS: &[&str] = &["cargo", "lore", "unshare"];

/// Minimum number of underscores in a name that is taken for a test.
const MIN_UNDERSCORES: usize = 2;

/// Violations, one line each.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(root.join(PAGE))?;
    let violations = faults(&text, SYSTEMS, &|path| read(root, path));
    Ok(violations.into_iter().map(|fault| format!("{PAGE}{fault}")).collect())
}

/// Faults of the page, each with its line. `read` returns the text of a source file.
fn faults(
    text: &str,
    systems: &[(&str, usize)],
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut faults = Vec::new();
    let mut lines = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some(id) = id(line, systems) else { continue };
        if let Some(first) = lines.insert(id.to_owned(), number) {
            faults.push(format!(":{number}: `{id}` has a row in line {first}"));
        }
        faults
            .extend(row_faults(line, read).into_iter().map(|fault| format!(":{number}: {fault}")));
    }
    for (system, count) in systems {
        let missing = (1..=*count).map(|number| format!("{system}-{number}"));
        faults.extend(
            missing.filter(|id| !lines.contains_key(id)).map(|id| format!(": no row for `{id}`")),
        );
    }
    let is_known = |id: &str| {
        let number = id.split_once('-').and_then(|(system, number)| {
            let count = systems.iter().find(|(name, _)| *name == system)?.1;
            number.parse().ok().filter(|number| (1..=count).contains(number))
        });
        number.is_some()
    };
    for (id, number) in lines.iter().filter(|(id, _)| !is_known(id)) {
        faults.push(format!(":{number}: there is no requirement `{id}`"));
    }
    faults
}

/// The identifier in the first cell of a row, if it is that of a requirement.
fn id<'l>(line: &'l str, systems: &[(&str, usize)]) -> Option<&'l str> {
    let (id, _) = line.strip_prefix("| ")?.split_once(" |")?;
    let (system, _) = id.split_once('-')?;
    systems.iter().any(|(name, _)| *name == system).then_some(id)
}

/// Faults of one row: its cells, its state, and its evidence.
fn row_faults(line: &str, read: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let cells = cells(line);
    let [_, requirement, state, evidence] = cells.as_slice() else {
        return vec![format!("the row has {} cells, not 4", cells.len())];
    };
    let mut faults = Vec::new();
    if requirement.is_empty() || evidence.is_empty() {
        faults.push("the row has an empty cell".to_owned());
    }
    if !STATES.contains(&state.as_str()) {
        faults.push(format!("the state `{state}` is not one of: {}", STATES.join("; ")));
    }
    let pieces: Vec<&str> = evidence.split('`').collect();
    let (mut tests, mut commands) = (0, 0);
    // The odd pieces between backticks are code.
    for (index, piece) in pieces.iter().enumerate().skip(1).step_by(2) {
        commands += usize::from(is_command(piece));
        if !is_function_name(piece) {
            continue;
        }
        match file_in_parentheses(pieces.get(index + 1).copied().unwrap_or_default()) {
            Some(file) => {
                tests += 1;
                if read(file).is_some_and(|text| is_other_function(&text, piece)) {
                    faults.push(format!("`{piece}` in `{file}` is not a test"));
                }
            }
            None if MIN_UNDERSCORES <= piece.matches('_').count() => {
                faults.push(format!("`{piece}` has no file in parentheses after it"));
            }
            None => {}
        }
    }
    if state == HELD && tests == 0 {
        faults.push(format!("`{HELD}` without a test"));
    }
    if state == BY_HAND && commands == 0 {
        faults.push(format!("`{BY_HAND}` without a command"));
    }
    faults
}

/// Cells of a row. A `|` in backticks or after a backslash is text.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut in_code, mut is_escaped) = (false, false);
    for character in line.trim().trim_start_matches('|').trim_end_matches('|').chars() {
        in_code ^= character == '`';
        match cells.last_mut() {
            Some(cell) if character != '|' || in_code || is_escaped => cell.push(character),
            _ => cells.push(String::new()),
        }
        is_escaped = character == '\\';
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

fn is_command(code: &str) -> bool {
    let mut words = code.split_whitespace();
    words.next().is_some_and(|first| COMMANDS.contains(&first)) && words.next().is_some()
}

/// Returns true if the file has functions of this name and none of them has the attribute `#[test]`.
fn is_other_function(text: &str, name: &str) -> bool {
    let ends_item = |line: &&str| {
        !line.starts_with("//") && (line.is_empty() || line.ends_with(['}', '{', ';']))
    };
    let is_test = |position: usize| {
        let end = text[..position].rfind('\n').unwrap_or_default();
        let above = text[..end].lines().rev().map(str::trim);
        let mut attributes = above.take_while(|line| !ends_item(line));
        attributes.any(|line| line == "#[test]")
    };
    let head = format!("fn {name}(");
    let mut functions = text.match_indices(head.as_str()).map(|(position, _)| position);
    let is_defined = functions.clone().next().is_some();
    is_defined && !functions.any(is_test)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "#[test]\n#[cfg(unix)]\nfn a_name_is_found() {}\n\nfn no_test_at_all() {}\n";

    fn tree(path: &str) -> Option<String> {
        (path == "index/src/a.rs").then(|| SOURCE.to_owned())
    }

    #[test]
    fn rows_need_a_state_and_evidence() {
        let cases = [
            ("held | `a_name_is_found` (index/src/a.rs)", ""),
            ("held, by hand | `lore search \"a|b\"`: two hits", ""),
            ("held differently | no behaviour", ""),
            ("not held | everything", ""),
            ("held, mostly | yes", "the state `held, mostly` is not one of: "),
            ("held | ", "the row has an empty cell"),
            ("held | `lore search a`", "`held` without a test"),
            ("held, by hand | `a_name_is_found` (index/src/a.rs)", "`held, by hand` without a"),
            ("held | `no_test_at_all` (index/src/a.rs)", "`no_test_at_all` in `index/src/a.rs` is"),
            ("not held | `a_name_is_found`, and more", "`a_name_is_found` has no file"),
            ("held | a | b", "the row has 5 cells, not 4"),
        ];
        for (cells, expected) in cases {
            let faults = row_faults(&format!("| S0-1 | a requirement | {cells} |"), &tree);
            match expected {
                "" => assert_eq!(faults, [""; 0], "{cells}"),
                _ => assert!(faults.iter().any(|fault| fault.starts_with(expected)), "{faults:?}"),
            }
        }
    }

    #[test]
    fn every_requirement_has_one_row() {
        let row = |id: &str| format!("| {id} | a | not held | b |\n");
        let of = |ids: &[&str]| {
            let rows: String = ids.iter().map(|id| row(id)).collect();
            faults(&rows, &[("S0", 2), ("S1", 1)], &tree)
        };
        assert_eq!(of(&["S0-1", "S0-2", "S1-1"]), [""; 0]);
        assert_eq!(of(&["S0-1", "S1-1"]), [": no row for `S0-2`"]);
        assert_eq!(of(&["S0-1", "S0-2", "S1-1", "S0-1"]), [":4: `S0-1` has a row in line 1"]);
        assert_eq!(of(&["S0-1", "S0-2", "S1-1", "S1-2"]), [":4: there is no requirement `S1-2`"]);
        assert_eq!(of(&["S0-1", "S0-2", "S1-1", "S0-2b"]), [":4: there is no requirement `S0-2b`"]);
    }
}
