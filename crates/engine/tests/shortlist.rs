//! Tests of the shortlist: the best documents of an answer over many trees are those of answers from the
//! single trees, and everything that matches is counted.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make folders, and a failure there is a failed test"
)]

mod common;

use common::{Silent, Workspace};
use lore_engine::{
    Engine, SearchRequest, SearchResponse, WorkspaceMember, WorkspacePaths, search_workspace,
};

/// Trees, of which each has more documents with the words than a shortlist has for it.
const TREES: usize = 8;
const FILES: usize = 60;

/// The tree with the documents that answer.
const BEST: usize = 5;

fn trees() -> Vec<Workspace> {
    let mut trees: Vec<Workspace> = (0..TREES).map(|_| Workspace::new("")).collect();
    for (tree, workspace) in trees.iter_mut().enumerate() {
        for file in 0..FILES {
            let name = format!("src/part{file}.rs");
            let text = format!(
                "/// Part {file} of a tree.\npub fn part{file}() {{\n    // The queue of tree {tree} \
                 is {file}.\n}}\n"
            );
            workspace.write(&name, &text);
        }
    }
    trees[BEST].write(
        "src/queue.rs",
        "/// Drains the overflowing queue of a worker.\npub fn drain_queue(worker: &mut Worker) {\n    \
         worker.queue.drain();\n}\n",
    );
    trees[BEST].write(
        "src/names.rs",
        "/// Joins both.\npub fn part_tree_queue(left: &str, right: &str) -> String {\n    \
         left.to_owned() + right\n}\n",
    );
    trees
}

fn search(trees: &[Workspace], engines: &[Engine], query: &str) -> SearchResponse {
    let roots: Vec<_> = trees.iter().map(|workspace| workspace.tree.path()).collect();
    let paths = WorkspacePaths::new(&roots);
    let request = SearchRequest::new(query).with_limit(5);
    let member = |engine| WorkspaceMember { engine, request: request.clone() };
    let members: Vec<_> = engines.iter().map(member).collect();
    search_workspace(&paths, &members, &[], &Silent).unwrap()
}

#[test]
fn the_best_document_of_many_trees_is_in_the_answer_and_all_are_counted() {
    let trees = trees();
    let engines: Vec<Engine> =
        trees.iter().map(|tree| Engine::open(tree.config()).unwrap()).collect();
    for query in ["drain the queue of a worker", "queue of tree 3"] {
        let alone: Vec<SearchResponse> = engines
            .iter()
            .map(|engine| engine.search(&SearchRequest::new(query).with_limit(5), &Silent).unwrap())
            .collect();
        let all = search(&trees, &engines, query);
        let total: u64 = alone.iter().map(|response| response.receipt.total).sum();
        assert_eq!(all.receipt.total, total, "{query}");
        assert!(total > 150, "{total} documents fit into one shortlist");
        let best = alone.iter().flat_map(|response| &response.hits).map(|hit| hit.score);
        let best = best.max_by(f32::total_cmp).unwrap();
        assert_eq!(all.hits.len(), 5, "{query}");
        assert!((all.hits[0].score - best).abs() < 1e-3, "{query}: {} {best}", all.hits[0].score);
    }
    let answer = search(&trees, &engines, "drain the queue of a worker");
    assert!(answer.hits[0].path.as_deref().unwrap().ends_with("src/queue.rs"));
    let owner = trees[BEST].tree.path().file_name().unwrap().to_str().unwrap();
    assert!(answer.hits[0].path.as_deref().unwrap().contains(owner));
}

#[test]
fn a_name_of_one_tree_is_found_beside_its_parts_in_all_others() {
    let trees = trees();
    let engines: Vec<Engine> =
        trees.iter().map(|tree| Engine::open(tree.config()).unwrap()).collect();
    let query = "part_tree_queue";
    let alone = engines[BEST].search(&SearchRequest::new(query).with_limit(5), &Silent).unwrap();
    let all = search(&trees, &engines, query);
    assert!(all.hits[0].path.as_deref().unwrap().ends_with("src/names.rs"), "{:?}", all.hits);
    assert_eq!(all.hits.len(), alone.hits.len());
    assert_eq!(all.receipt.total, alone.receipt.total);
}
