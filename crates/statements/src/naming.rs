//! Forms of a name in code, and names that differ little.

/// The forms of a flag or key in code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forms {
    /// Forms that show that it is a flag or key, such as `--dry-run`.
    pub exact: Vec<String>,
    /// Identifiers from which an argument parser derives it, such as `dry_run` and `dryRun`.
    pub derived: Vec<String>,
}

/// Returns the forms of a flag or of a key with hyphens.
pub fn forms(name: &str) -> Forms {
    let bare = name.trim_start_matches('-');
    let words: Vec<&str> = bare.split(['-', '_', '.']).filter(|word| !word.is_empty()).collect();
    let mut exact = vec![name.to_owned()];
    if bare != name {
        exact.push(bare.to_owned());
    }
    let mut derived = vec![words.join("_"), camel(&words, false), camel(&words, true)];
    if let Some(positive) = bare.strip_prefix("no-") {
        exact.push(positive.to_owned());
        exact.push(format!("--{positive}"));
        derived.push(positive.replace('-', "_"));
    }
    derived.retain(|form| !exact.contains(form));
    derived.sort_unstable();
    derived.dedup();
    Forms { exact, derived }
}

fn camel(words: &[&str], upper: bool) -> String {
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        let mut characters = word.chars();
        match characters.next() {
            Some(first) if index > 0 || upper => text.extend(first.to_uppercase()),
            Some(first) => text.push(first),
            None => {}
        }
        text.push_str(characters.as_str());
    }
    text
}

/// Returns the words of a name in lower case, joined: equal for all case styles of a name.
pub fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the name in the other case styles of identifiers: `maxSize` for `max_size`.
pub fn other_styles(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            is_lower = false;
            words.push(String::new());
            continue;
        }
        if words.is_empty() || (character.is_uppercase() && is_lower) {
            words.push(String::new());
        }
        is_lower = character.is_lowercase();
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    if words.len() < 2 {
        return Vec::new();
    }
    let mut styles =
        vec![words.join("_"), words.join("-"), camel(&words, false), camel(&words, true)];
    styles.push(words.join("_").to_uppercase());
    styles.retain(|style| style != name);
    styles.sort_unstable();
    styles.dedup();
    styles
}

/// Returns true if two names differ in one or two characters, and are long enough for that to be a
/// misspelling.
pub fn is_near(name: &str, other: &str) -> bool {
    let allowed = match name.len() {
        0..=7 => return false,
        8..=11 => 1,
        _ => 2,
    };
    name != other && distance_within(name.as_bytes(), other.as_bytes(), allowed)
}

/// Returns true if the edit distance of two texts in bytes is at most `max`.
fn distance_within(left: &[u8], right: &[u8], max: usize) -> bool {
    if left.len().abs_diff(right.len()) > max {
        return false;
    }
    let start = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let (left, right) = (&left[start..], &right[start..]);
    let end =
        left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count();
    let (left, right) = (&left[..left.len() - end], &right[..right.len() - end]);
    if left.len().max(right.len()) <= max {
        return true;
    }
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (row, character) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let change = previous[column] + usize::from(character != other);
            current.push(change.min(previous[column + 1] + 1).min(current[column] + 1));
        }
        if current.iter().min().is_some_and(|least| *least > max) {
            return false;
        }
        previous = current;
    }
    previous.last().is_some_and(|distance| *distance <= max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_their_identifiers() {
        let found = forms("--dry-run");
        assert_eq!(found.exact, ["--dry-run", "dry-run"]);
        assert_eq!(found.derived, ["DryRun", "dryRun", "dry_run"]);
        assert!(forms("--no-cache").exact.contains(&"--cache".to_owned()));
    }

    #[test]
    fn near_names_are_misspellings() {
        assert!(is_near("receive_al", "receive_all"));
        assert!(!is_near("fetch_all", "fetchAll") && !is_near("save", "safe"));
        assert!(!is_near("fetch_all", "fetch_all") && !is_near("fetch_all", "watch_any"));
        assert!(is_near("configuration_of", "confguration_off"));
    }

    #[test]
    fn names_have_other_case_styles() {
        assert_eq!(
            other_styles("listedAll"),
            ["LISTED_ALL", "ListedAll", "listed-all", "listed_all"]
        );
        assert_eq!(other_styles("HTTP_PORT"), ["HttpPort", "http-port", "httpPort", "http_port"]);
        assert!(other_styles("save").is_empty());
    }
}
