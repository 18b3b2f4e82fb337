//! A picker: a list that is searched while its query is typed.

mod paths;

pub use crate::paths::PathMatcher;
