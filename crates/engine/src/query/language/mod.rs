//! The query language: words, phrases, operators, fields, ranges, typing errors, prefixes.
//!
//! `docs/guide/query-language.md` tells it to users, and `lore help syntax` prints that page.
//! Pure: knows no index and no clock.

mod ast;
mod parse;
#[cfg(test)]
mod tests;

pub use self::parse::QueryError;
pub(crate) use self::{
    ast::{Comparison, Expression, Test, Value},
    parse::{Dialect, Parsed, parse},
};
