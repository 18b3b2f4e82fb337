//! How long lookups take in an index of ten thousand chunks. Ignored: a clock is no law. Run with
//! `cargo test --release -p lorehound-engine latency -- --ignored --nocapture`.

use std::{fmt::Write as _, time::Instant};

use lore_schema::{Filter, SourceName};

use super::{places::Places, research::research, symbols::find_symbols};
use crate::{
    IndexMode, Relation, ResearchQuestion, ResearchRequest,
    state::snapshot,
    testing::{Silent, in_memory},
};

/// Files of ten classes, each of which implements an interface and calls the next one.
#[expect(clippy::disallowed_methods, reason = "a tree to search")]
fn write_tree(folder: &std::path::Path) {
    for file in 0..1_000 {
        let mut text = String::from("from shop.base import Store\n\n");
        for class in 0..10 {
            let number = file * 10 + class;
            let body = "        total = total + rate * amount  # what was sold, and for how much\n";
            writeln!(
                text,
                "class Store{number}(Store):\n    def save{number}(self, total, rate, amount):\n{}        return helper{}(total)\n\n\ndef helper{number}(total):\n    return helper{}(total) + helper{}(total)\n",
                body.repeat(12),
                (number + 1) % 10_000,
                (number + 7) % 10_000,
                (number + 1_013) % 10_000,
            )
            .expect("a string takes all");
        }
        std::fs::write(folder.join(format!("module{file}.py")), text).expect("a file");
    }
    std::fs::create_dir(folder.join("shop")).expect("a folder");
    std::fs::write(folder.join("shop/base.py"), "class Store:\n    pass\n").expect("a file");
}

#[test]
#[ignore = "reads the clock"]
fn latency() {
    let folder = tempfile::tempdir().expect("a folder");
    write_tree(folder.path());
    let config = in_memory(folder.path(), 2);
    let taken =
        snapshot::take(&config, &[SourceName::Code], IndexMode::Update, &Silent).expect("an index");
    let chunks = taken.sources[0].reader.summary().chunks;
    println!("{chunks} chunks");
    let time = |name: &str, bound: f64, work: &dyn Fn() -> usize| {
        let best = (0..5)
            .map(|_| {
                let started = Instant::now();
                let found = work();
                (started.elapsed().as_secs_f64() * 1e3, found)
            })
            .min_by(|left, right| left.0.total_cmp(&right.0))
            .expect("five rounds");
        println!("{name}: {:.2} ms, {} found, bound {bound} ms", best.0, best.1);
        assert!(best.0 < bound, "{name}");
    };
    // Each round asks anew: nothing of the last one is remembered but what a reader keeps.
    let fresh = || taken.places();
    let ask = |relation, subject: &str, depth| ResearchRequest {
        question: ResearchQuestion { relation, subject: Some(subject.to_owned()), object: None },
        depth: Some(depth),
        filter: Filter::default(),
        limit: 1_000,
    };
    let edges = |places: &Places<'_>, request: &ResearchRequest| {
        research(places, request, None).expect("an answer").edges.len()
    };
    time("symbol", 5.0, &|| find_symbols(&fresh(), "Store4321", 20).expect("found").len());
    time("conformance lookup", 2.0, &|| {
        let reader = taken.sources[0].reader.as_ref();
        reader.holders(lore_schema::Field::Conformance, "Store", 20_000).expect("rows").len()
    });
    time("callers, two steps", 50.0, &|| edges(&fresh(), &ask(Relation::Callers, "helper4321", 2)));
    time("callees, two steps", 50.0, &|| edges(&fresh(), &ask(Relation::Callees, "save4321", 2)));
    let filter = Filter { paths: vec!["module*1*.py".to_owned()], ..Filter::default() };
    time("path filter of a thousand files", 5.0, &|| {
        fresh().listing(&filter).expect("a listing").len()
    });
}
