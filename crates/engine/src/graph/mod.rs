//! The graph of a tree: what is defined where, what names what, and how sure that is.
//!
//! There is no graph in the index. Every edge is found when it is asked for: the index tells which
//! files hold a name, their outlines tell where, and names are resolved by the rules of languages.
//! So the graph is never older than the index, and costs nothing to those who do not ask.

mod answer;
mod ask;
mod code_graph;
mod hops;
mod imported;
mod languages;
#[cfg(feature = "benchmarks")]
pub(crate) mod latency;
mod modules;
mod relations;
mod research;
mod resolve;
mod structural;
mod symbols;

pub(crate) use self::{
    answer::{definitions, documentation, file, graph, symbols},
    ask::ask,
    code_graph::{CodeGraph, Definition, defines},
    hops::{Seed, follow},
    relations::{End, Link},
    symbols::exact_symbols,
};
