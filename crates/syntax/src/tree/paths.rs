//! Splits paths of names: qualifiers, bare names and fields.

use super::chain::path_of;
use crate::limits::MAX_QUALIFIER_LEN;

/// Placeholder for a qualifier that is not a name.
const NO_NAME: &str = "?";

/// Words by which a member names its own type or object.
pub(super) const OWN: &[&str] = &["self", "Self", "this", "cls", "@", "$this"];

/// The name of a field of the own object: `store` in `self.store`.
pub(super) fn field_of_own(name: &str) -> Option<&str> {
    let (own, field) =
        name.strip_prefix('@').map_or_else(|| split_first(name), |field| ("@", Some(field)));
    let field = field?;
    let is_name = field.chars().all(|letter| letter.is_alphanumeric() || "_$#".contains(letter));
    (OWN.contains(&own) && is_name).then_some(field)
}

/// A path before and after its first separator: `store` and `rows.last` in `store.rows.last`.
pub(super) fn split_first(path: &str) -> (&str, Option<&str>) {
    let dot = path.split_once('.');
    let arrow = path.split_once("->");
    let first = match (dot, arrow) {
        (Some(dot), Some(arrow)) => Some(if dot.0.len() < arrow.0.len() { dot } else { arrow }),
        (dot, arrow) => dot.or(arrow),
    };
    first.map_or((path, None), |(name, rest)| (name, Some(rest)))
}

/// The last name of a path, without type arguments, quotes and the like.
pub(super) fn bare(name: &str) -> &str {
    let end = name.find(['<', '(', '[', '{', ' ', '\n']).unwrap_or(name.len());
    // Clojure calls a constructor `Store.`.
    let name = name[..end].trim_end_matches('.');
    let cut = name.rfind(['.', ':', '\\', '/']).map_or(0, |at| at + 1);
    name[cut..].trim_matches(|letter: char| !letter.is_alphanumeric() && !"_$!?'#".contains(letter))
}

/// The path before the last name of `path`, if any.
pub(super) fn path_before(path: &str, name: &str) -> Option<String> {
    let at = path.find(name).filter(|at| *at > 0)?;
    let before = path[..at].trim_end_matches(['.', ':', '\\', '/']);
    let is_path = before.len() < at && before.starts_with(char::is_alphabetic);
    is_path.then(|| qualifier(before))
}

/// The path at the end of a text, if a separator follows it: `app.` in front of `Store`.
pub(super) fn path_in_front(text: &str) -> Option<String> {
    let path = text.strip_suffix("::").or_else(|| text.strip_suffix(['.', '\\']))?;
    let is_path = |letter: char| letter.is_alphanumeric() || "_.:$\\".contains(letter);
    let start = path
        .char_indices()
        .rev()
        .take_while(|(_, letter)| is_path(*letter))
        .last()
        .map_or(path.len(), |(at, _)| at);
    let path = path[start..].trim_start_matches([':', '.', '\\']);
    (!path.is_empty() && path.len() <= MAX_QUALIFIER_LEN).then(|| path.to_owned())
}

/// The text before a name, as a path without whitespace, with `()` after what is called; [`NO_NAME`]
/// if it is not a path.
pub(super) fn qualifier(text: &str) -> String {
    let text = text.trim_start_matches(['&', '*']).trim_end_matches('.');
    // `<Foo as Bar>::new`
    if let Some(inner) = text.strip_prefix('<') {
        let name = inner.split([' ', '>', '<']).next().unwrap_or(inner);
        return path_of(name).unwrap_or_else(|| NO_NAME.to_owned());
    }
    match path_of(text) {
        Some(path) if path == "super()" => "super".to_owned(),
        Some(path) => path,
        None => NO_NAME.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bare() {
        let check = |name: &str, expected: &str| assert_eq!(bare(name), expected, "{name}");
        check("Store", "Store");
        check("storage::Store<Row>", "Store");
        check("app.models.Store[int]", "Store");
        check("\\App\\Store", "Store");
        check("save!", "save!");
        check("", "");
    }

    #[test]
    fn qualifiers_are_paths() {
        let check = |text: &str, expected: &str| assert_eq!(qualifier(text), expected, "{text}");
        check("self.store", "self.store");
        check("super()", "super");
        check("a.b(c)", "a.b()");
        check("Store()", "Store()");
        check("a[b]", NO_NAME);
        check("this?.store", "this.store");
        check("Vec::<u8>", "Vec");
        check("<Foo as Bar>", "Foo");
        check("&mut x", "x");
        check("\"text\"", NO_NAME);
    }

    #[test]
    fn paths_in_front_of_names() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(path_in_front(text).as_deref(), expected, "{text}");
        };
        check("class Disk(app.store.", Some("app.store"));
        check("impl crate::store::", Some("crate::store"));
        check("class Disk(", None);
        check("...", None);
    }

    #[test]
    fn fields_of_the_own_object() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(field_of_own(text), expected);
        check("self.store", Some("store"));
        check("$this->store", Some("store"));
        check("@store", Some("store"));
        check("self.store.rows", None);
        check("other.store", None);
    }
}
