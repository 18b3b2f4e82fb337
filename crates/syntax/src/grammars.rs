//! The grammars that are built in, one row each: parser, query, rule of visibility.

use crate::{
    grammar::Grammar,
    visibility::{c, cpp, go, java, javascript, python, rust},
};

/// Definitions that C and C++ write alike.
const C_FAMILY: &str = include_str!("../queries/c_family.scm");
/// Definitions that JavaScript and TypeScript write alike.
const ECMASCRIPT: &str = include_str!("../queries/ecmascript.scm");
/// What TypeScript adds.
const TYPESCRIPT_ONLY: &str = include_str!("../queries/typescript.scm");

pub(crate) static C: Grammar =
    Grammar::new(tree_sitter_c::LANGUAGE, &[C_FAMILY, include_str!("../queries/c.scm")], c);
pub(crate) static CPP: Grammar =
    Grammar::new(tree_sitter_cpp::LANGUAGE, &[C_FAMILY, include_str!("../queries/cpp.scm")], cpp);
pub(crate) static GO: Grammar =
    Grammar::new(tree_sitter_go::LANGUAGE, &[include_str!("../queries/go.scm")], go);
pub(crate) static JAVA: Grammar =
    Grammar::new(tree_sitter_java::LANGUAGE, &[include_str!("../queries/java.scm")], java);
pub(crate) static JAVASCRIPT: Grammar = Grammar::new(
    tree_sitter_javascript::LANGUAGE,
    &[include_str!("../queries/javascript.scm"), ECMASCRIPT],
    javascript,
);
pub(crate) static PYTHON: Grammar =
    Grammar::new(tree_sitter_python::LANGUAGE, &[include_str!("../queries/python.scm")], python);
pub(crate) static RUST: Grammar =
    Grammar::new(tree_sitter_rust::LANGUAGE, &[include_str!("../queries/rust.scm")], rust);
pub(crate) static TSX: Grammar =
    Grammar::new(tree_sitter_typescript::LANGUAGE_TSX, &[TYPESCRIPT_ONLY, ECMASCRIPT], javascript);
pub(crate) static TYPESCRIPT: Grammar = Grammar::new(
    tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    &[TYPESCRIPT_ONLY, ECMASCRIPT],
    javascript,
);
