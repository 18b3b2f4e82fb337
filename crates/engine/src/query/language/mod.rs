//! The query language: words, phrases, operators, fields, ranges, typing errors, prefixes.
//!
//! `docs/guide/query-language.md` documents it for users, and `lore help syntax` prints that page.
//! Pure: uses no index and no clock.

mod ast;
mod parse;
#[cfg(test)]
mod tests;

pub(crate) use self::parse::{Dialect, parse};
pub use self::{
    ast::{Comparison, Expression, Test, Value},
    parse::{Parsed, QueryError},
};
