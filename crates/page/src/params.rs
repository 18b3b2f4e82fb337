//! The parameters of an address, in their order; one name may have several values.

use axum::{
    extract::{FromRequestParts, Query},
    http::{Uri, request::Parts},
};

use crate::{
    error::PageError,
    links::{encode, to},
};

/// Maximum length of a value in bytes: a query is cut there.
const MAX_VALUE_BYTES: usize = 32 << 10;

/// Maximum number of values in an address: every filter is a link that contains all others.
const MAX_VALUES: usize = 64;

/// The parameters of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// The value of a name, if it has one that is not blank.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(other, _)| other == name);
        values.find_map(|(_, value)| Some(value.trim()).filter(|value| !value.is_empty()))
    }

    /// All values of a name. Commas separate values.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        let values = self.0.iter().filter(|(other, _)| other == name);
        values
            .flat_map(|(_, value)| value.split(','))
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The value of a name as a number from 1 to `max`; `default` without one.
    ///
    /// # Errors
    /// When it is no such number.
    pub(crate) fn number(
        &self,
        name: &str,
        default: usize,
        max: usize,
    ) -> Result<usize, PageError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        match value.parse() {
            Ok(number) if (1..=max).contains(&number) => Ok(number),
            _ => Err(PageError::bad(format!("`{name}={value}` is not a number from 1 to {max}"))),
        }
    }

    /// The first name that is not among the known ones.
    pub(crate) fn unknown(&self, known: &[&str]) -> Option<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).find(|name| !known.contains(name))
    }

    /// The same parameters with one value of a name, or without the name.
    pub(crate) fn with(&self, name: &str, value: Option<&str>) -> Params {
        let mut pairs: Vec<(String, String)> =
            self.0.iter().filter(|(other, _)| other != name).cloned().collect();
        pairs.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        Params(pairs)
    }

    /// The same parameters without one value of a name.
    pub(crate) fn without_value(&self, name: &str, value: &str) -> Params {
        let rest: Vec<String> = self.all(name).into_iter().filter(|other| other != value).collect();
        self.with(name, Some(rest.join(",")).filter(|rest| !rest.is_empty()).as_deref())
    }

    /// The names and values that are not blank.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        pairs.filter(|(_, value)| !value.trim().is_empty())
    }

    /// The address of a path with these parameters.
    pub(crate) fn address(&self, path: &str) -> String {
        let mut address = to(path);
        for (index, (name, value)) in self.pairs().enumerate() {
            address.push(if index == 0 { '?' } else { '&' });
            address.push_str(&encode(name));
            address.push('=');
            address.push_str(&encode(value));
        }
        address
    }
}

impl FromIterator<(String, String)> for Params {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Params {
        Params(pairs.into_iter().collect())
    }
}

impl Params {
    /// Reads the parameters of an address.
    ///
    /// # Errors
    /// When they cannot be read, or are too many.
    pub(crate) fn of_address(uri: &Uri) -> Result<Params, PageError> {
        let read = Query::<Vec<(String, String)>>::try_from_uri(uri);
        let Query(mut pairs) =
            read.map_err(|error| PageError::bad(format!("could not read the address: {error}")))?;
        for (_, value) in &mut pairs {
            value.truncate(value.floor_char_boundary(MAX_VALUE_BYTES));
        }
        // Commas separate values, except in a query.
        let values = pairs.iter().filter(|(name, _)| name != "q");
        let count: usize = values.map(|(_, value)| 1 + value.matches(',').count()).sum();
        if MAX_VALUES < count {
            return Err(PageError::bad(format!("the address has more than {MAX_VALUES} values"))
                .hint("remove some filters"));
        }
        Ok(Params(pairs))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Params, PageError> {
        Params::of_address(&parts.uri)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, &str)]) -> Params {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn values_are_replaced_and_removed() {
        let all = params(&[("q", "a b&c"), ("in", "code,docs"), ("lang", ""), ("in", "git")]);
        assert_eq!(all.all("in"), ["code", "docs", "git"]);
        assert_eq!(all.get("lang"), None);
        assert_eq!(
            all.without_value("in", "docs").address("/search"),
            "/search?q=a%20b%26c&in=code%2Cgit"
        );
        assert_eq!(all.with("in", None).address("/search"), "/search?q=a%20b%26c");
        assert_eq!(all.with("q", Some("é")).get("q"), Some("é"));
        assert_eq!(all.unknown(&["q", "in"]), Some("lang"));
    }

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(params(&[("page", "3")]).number("page", 1, 10).expect("a number"), 3);
        assert_eq!(params(&[]).number("page", 1, 10).expect("a number"), 1);
        for value in ["0", "11", "-1", "x", "1e3"] {
            assert!(params(&[("page", value)]).number("page", 1, 10).is_err(), "{value}");
        }
    }
}
