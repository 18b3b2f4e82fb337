//! Custom sources in searches: answers follow the records, and an engine without a source finds
//! none of its documents.
#![expect(clippy::unwrap_used, reason = "a failure is a failed test")]
#![expect(clippy::disallowed_methods, reason = "the test writes the tree")]

mod common;

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use lore_engine::{
    AttributeFilter, Clock, CustomDocument, CustomEntry, CustomError, CustomSource, CustomSources,
    Engine, EngineConfig, EngineError, Freshness, IndexMode, Mode, RelatedRequest, SearchRequest,
    content_version,
};
use lore_schema::{Filter, SourceName};

use common::{Silent, Workspace};

const SHOP: &str = "\
//- /src/refund.rs
/// Pays a customer back.
pub fn retry_refund(order: u64) -> bool {
    order > 0
}
//- /README.md
# Shop

A refund is retried three times.
";

/// Identifiers and texts.
type Pages = Vec<(&'static str, &'static str)>;

/// Pages in memory; `None` while the wiki is not reachable.
#[derive(Clone)]
struct Wiki(Arc<Mutex<Option<Pages>>>);

impl Wiki {
    fn new(pages: &[(&'static str, &'static str)]) -> Wiki {
        Wiki(Arc::new(Mutex::new(Some(pages.to_vec()))))
    }

    fn set(&self, pages: Option<&[(&'static str, &'static str)]>) {
        *self.0.lock().unwrap() = pages.map(<[_]>::to_vec);
    }

    fn config(&self, shop: &Workspace) -> EngineConfig {
        EngineConfig { custom: CustomSources::none().with(self.clone()), ..shop.config() }
    }
}

impl CustomSource for Wiki {
    fn name(&self) -> &'static str {
        "wiki"
    }

    fn list(&self, _: &Path) -> Result<Vec<CustomEntry>, CustomError> {
        let pages = self.0.lock().unwrap();
        let pages = pages.as_ref().ok_or("the wiki is not reachable")?;
        let entry = |(id, text): &(&str, &str)| CustomEntry {
            id: (*id).to_owned(),
            version: content_version(text),
        };
        Ok(pages.iter().map(entry).collect())
    }

    fn read(&self, _: &Path, id: &str) -> Result<Option<CustomDocument>, CustomError> {
        let pages = self.0.lock().unwrap();
        let page = pages.iter().flatten().find(|(page, _)| *page == id);
        Ok(page.map(|(id, text)| CustomDocument::new(*id, *text)))
    }
}

fn ids(engine: &Engine, query: &str) -> Vec<String> {
    let response = engine.search(&SearchRequest::new(query), &Silent).unwrap();
    assert_eq!(response.receipt.fresh, Freshness::Verified);
    response.hits.into_iter().map(|hit| hit.id).collect()
}

fn related_to(subject: &str) -> RelatedRequest {
    RelatedRequest {
        subject: subject.to_owned(),
        filter: Filter::default(),
        attributes: AttributeFilter::default(),
        clock: Clock::default(),
        min_similarity: Some(0.1),
        limit: 5,
        snippet_lines: 3,
    }
}

#[test]
fn answers_follow_the_records_of_one_engine_and_of_the_next() {
    let shop = Workspace::new(SHOP);
    let wiki = Wiki::new(&[("Payments", "A cashier counts coins.")]);
    let engine = Engine::open(wiki.config(&shop)).unwrap();
    assert_eq!(ids(&engine, "cashier"), ["docs:wiki#Payments"]);
    wiki.set(Some(&[("Payments", "A robot counts coins."), ("Staff", "The cashier is Ann.")]));
    assert_eq!(ids(&engine, "cashier"), ["docs:wiki#Staff"]);
    drop(engine);
    wiki.set(Some(&[("Payments", "A robot counts coins, says the cashier.")]));
    let engine = Engine::open(wiki.config(&shop)).unwrap();
    assert_eq!(ids(&engine, "cashier"), ["docs:wiki#Payments"]);
    let report = engine.index(IndexMode::Update, &Silent).unwrap();
    assert_eq!(report.sources[&SourceName::Docs].2 + report.sources[&SourceName::Docs].0, 2);
    wiki.set(Some(&[]));
    assert_eq!(ids(&engine, "cashier"), [""; 0]);
}

#[test]
fn an_engine_without_the_source_finds_none_of_its_documents() {
    let shop = Workspace::new(SHOP);
    let wiki = Wiki::new(&[("Payments", "A refund needs a cashier.")]);
    let with = Engine::open(wiki.config(&shop)).unwrap();
    let without = Engine::open(shop.config()).unwrap();
    for _ in 0..2 {
        with.index(IndexMode::Update, &Silent).unwrap();
        let report = without.index(IndexMode::Update, &Silent).unwrap();
        assert_eq!(report.sources[&SourceName::Docs].1, 0, "they share no index");
        assert_eq!(ids(&with, "cashier"), ["docs:wiki#Payments"]);
        assert_eq!(ids(&without, "cashier"), [""; 0]);
    }
    assert!(with.check().unwrap().problems.is_empty());
    let status = with.status().unwrap();
    assert_eq!(status.sources[&SourceName::Docs].formats["wiki"], 1);
}

#[test]
fn records_are_found_by_meaning_and_have_similar_passages() {
    let shop = Workspace::new(SHOP);
    let wiki = Wiki::new(&[
        ("Payments", "A refund is retried three times, then a person decides."),
        ("Staff", "A refund is retried three times by Ann."),
    ]);
    let engine = Engine::open(wiki.config(&shop)).unwrap();
    let request = SearchRequest::new("pay money back").with_mode(Mode::Semantic);
    let response = engine.search(&request, &Silent).unwrap();
    assert!(response.hits.iter().any(|hit| hit.id.starts_with("docs:wiki#")));
    let hit = response.hits.iter().find(|hit| hit.id == "docs:wiki#Staff").unwrap();
    assert_eq!((hit.path.as_deref(), hit.format.as_str(), hit.start_line), (None, "wiki", None));
    let related = engine.related(&related_to("docs:wiki#Staff"), &Silent).unwrap();
    assert!(related.answer.hits.iter().any(|hit| hit.id.starts_with("docs:wiki#Payments")));
}

#[test]
fn a_source_that_cannot_list_its_records_fails_the_search() {
    let shop = Workspace::new(SHOP);
    let wiki = Wiki::new(&[("Payments", "A cashier counts coins.")]);
    let engine = Engine::open(wiki.config(&shop)).unwrap();
    assert_eq!(ids(&engine, "cashier"), ["docs:wiki#Payments"]);
    wiki.set(None);
    let error = engine.search(&SearchRequest::new("cashier"), &Silent).unwrap_err();
    assert_eq!(error.to_string(), "could not read the source `wiki`: the wiki is not reachable");
    let request = SearchRequest::new("refund").with_sources([SourceName::Code]);
    assert_eq!(engine.search(&request, &Silent).unwrap().hits.len(), 1, "code does not need it");
}

#[test]
fn sources_with_equal_names_are_rejected() {
    let shop = Workspace::new(SHOP);
    let wiki = Wiki::new(&[]);
    let custom = CustomSources::none().with(wiki.clone()).with(wiki);
    let error = Engine::open(EngineConfig { custom, ..shop.config() }).unwrap_err();
    assert!(matches!(&error, EngineError::CustomSource { name, .. } if name == "wiki"));
}
