//! The graph of a tree: definitions, the references between them, and how certain these are.
//!
//! The index stores no graph. Every edge is computed on request: the index lists the files that
//! contain a name, their outlines give the positions, and the rules of the languages resolve the
//! names. So the graph is never older than the index and costs nothing when it is not used.

mod answer;
mod ask;
mod code_graph;
mod edge;
mod enclosing;
mod exported;
mod hops;
mod imported;
mod languages;
#[cfg(feature = "benchmarks")]
pub(crate) mod latency;
mod modules;
mod outside;
mod packages;
mod positions;
mod relations;
mod research;
mod resolve;
mod results;
mod shapes;
mod structural;
mod symbols;

pub(crate) use self::{
    answer::{
        answer_graph, definitions, describe, documentation, file, graph, ids_of_name, symbols,
        symbols_in,
    },
    ask::ask,
    code_graph::{CodeGraph, Definition, File, SOURCES, defines},
    edge::{End, Link},
    enclosing::{definition_at, stands_alone},
    exported::{Exported, ForeignUses, exported, foreign_uses},
    hops::{Hop, Seed, follow},
    modules::ModulePath,
    positions::{PlacedName, id_in},
    research::direct_uses,
    symbols::{exact_symbols, find_symbols},
};
