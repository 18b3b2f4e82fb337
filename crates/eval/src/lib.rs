//! Measures ranking: collections, runs, measures, and the difference between two runs.
//!
//! The terms are those of TREC. A *collection* is a corpus with *queries* and *qrels* (the right
//! results); a *run* contains the answers of a system; a *measure* turns both into a number. This
//! crate reads and writes the files, runs queries on an engine, and never ranks anything itself.
#![allow(
    clippy::disallowed_methods,
    reason = "collections, runs and golden files are read and written here"
)]

mod ablation;
mod ask;
mod collection;
pub mod commands;
mod compare;
mod error;
mod expected;
mod fit;
mod graph;
mod history;
mod judge;
pub mod measures;
mod moves;
mod natural;
pub mod outputs;
mod qrels;
mod report;
mod run;
mod signals;
mod trees;

pub use crate::{
    ablation::{
        Ablation, Change, ListedCollection, ModesRow, ablate, find_sections, load_collections,
        write_modes, write_sections, write_signals,
    },
    ask::{Answered, Open, Plan, SearchKind, ask},
    collection::{Collection, Query},
    compare::{Comparison, Pair, compare},
    error::EvalError,
    expected::{Difference, Expected, ExpectedLine},
    fit::{
        CollectionFit, FitPlan, Fitted, Folding, MIN_STEEP_CHANGE, Samples, Tuning, Voter,
        WeightChange, fit, tune, write_fit, write_tuning, write_weights,
    },
    graph::{
        GRAPH_MEASURES, GraphAnswerLabel, GraphCounts, GraphPlace, GraphQuestion, GraphRow,
        GraphTarget, ask_graph, graph_measure, load_graph_questions, write_graph_report,
        write_graph_rows,
    },
    history::{Bars, SelfAnswers, SelfTest, write_self_report},
    judge::{Judged, Judgement, Row, judge},
    moves::{Margin, Move, Moves, PartShare, moves_of},
    natural::{
        Anchor, QUESTION_MEASURES, QuestionFigures, QuestionRow, Span, judge_questions,
        resolve_anchors, write_question_json, write_question_report,
    },
    qrels::Target,
    report::{Group, Per, headline, write_comparison, write_differences, write_summary},
    run::{Answer, Parts, Ranked, RightResult, Run},
    signals::{CandidateSignals, Curve, QuerySignals, signal_line},
    trees::{Place, Trees},
};
