//! Terms, frequencies and counts.

use lore_index::{
    Candidate, ChunkId, DocumentId, DocumentSet, FieldTerm, IndexLocation, LexicalQuery, Reserve,
    TermGroup,
};
use lore_schema::{Field, Filter, Outline, SkipReason, SourceName, SymbolKind};

use crate::{
    corpus::{Page, commit, unit},
    everywhere,
};

#[test]
fn terms_of_deleted_rows_are_gone() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let terms = |prefix: &str, limit: usize| {
            let reader = store.reader().expect("a reader");
            reader.terms(Field::Body, prefix, limit).expect("terms")
        };
        assert!(terms("", 9).is_empty());
        commit(&*store, "", |writer| {
            writer.replace(unit("a", 1, &[Page::new("a", "", &["alpha alps beta", "alp"])]))?;
            writer.replace(unit("b", 1, &[Page::new("b", "", &["alpine beta Über"])]))
        });
        commit(&*store, "", |writer| {
            writer.replace(unit("c", 1, &[Page::new("c", "", &["alphabet"])]))
        });
        assert_eq!(terms("alp", 9), ["alp", "alpha", "alphabet", "alpine", "alps"]);
        assert_eq!(terms("alp", 2), ["alp", "alpha"]);
        assert_eq!(terms("", 99), ["alp", "alpha", "alphabet", "alpine", "alps", "beta", "Über"]);
        commit(&*store, "", |writer| writer.delete("a"));
        assert_eq!(terms("alp", 9), ["alphabet", "alpine"]);
        assert_eq!(terms("alp", 0), [""; 0]);
        let reader = store.reader().expect("a reader");
        assert_eq!(reader.terms(Field::Title, "alp", 9).expect("terms"), [""; 0]);
    });
}

#[test]
fn frequencies_count_documents_not_chunks() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let reader = commit(&*store, "", |writer| {
            writer.replace(unit(
                "a",
                1,
                &[
                    Page::new("a#1", "word", &["word word", "word", "other"]),
                    Page::new("a#2", "", &["word"]),
                    Page::new("a#3", "word", &[]),
                ],
            ))
        });
        let frequency = |field, term| reader.document_frequency(field, term).expect("a count");
        assert_eq!(frequency(Field::Body, "word"), 2);
        assert_eq!(frequency(Field::Title, "word"), 2);
        assert_eq!(frequency(Field::Body, "other"), 1);
        assert_eq!(frequency(Field::Body, "wor"), 0);
        assert_eq!(frequency(Field::Body, &"x".repeat(70_000)), 0);
    });
}

#[test]
fn frequent_terms_come_first() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        commit(&*store, "", |writer| {
            writer.replace(unit("a", 1, &[Page::new("a", "", &["alpha alps", "alpha beta"])]))
        });
        let reader = commit(&*store, "", |writer| {
            writer.replace(unit("b", 1, &[Page::new("b", "", &["alpine alpha", "alpine"])]))
        });
        let terms = |prefix: &str, limit: usize| -> Vec<(String, u64)> {
            reader.frequent_terms(Field::Body, prefix, limit).expect("terms")
        };
        let expected = [("alpha", 3), ("alpine", 2), ("alps", 1)];
        assert_eq!(terms("alp", 9), expected.map(|(term, rows)| (term.to_owned(), rows)));
        assert_eq!(terms("alp", 1), [("alpha".to_owned(), 3)]);
        assert_eq!(terms("gamma", 9), []);
        assert_eq!(reader.frequent_terms(Field::Title, "alp", 9).expect("terms"), []);
    });
}

#[test]
fn the_summary_counts_live_documents_only() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        commit(&*store, "", |writer| {
            let mut skipped = unit("a", 1, &[Page::new("a", "", &["x", "y"])]);
            skipped.skipped.insert(SkipReason::Malformed, 3);
            writer.replace(skipped)?;
            let mut fell_back = unit("b", 1, &[Page::new("b", "", &["x"])]);
            fell_back.documents[0].stored.language = None;
            fell_back.documents[0].stored.fell_back = true;
            writer.replace(fell_back)?;
            writer.replace(unit("c", 1, &[Page::new("c", "", &["x"])]))
        });
        let reader = commit(&*store, "", |writer| writer.delete("c"));
        let summary = reader.summary();
        assert_eq!((summary.documents, summary.chunks), (2, 3));
        assert_eq!(summary.formats, [("files".to_owned(), 2)].into());
        assert_eq!(summary.languages, [("rust".to_owned(), 1)].into());
        assert_eq!(summary.skipped, [(SkipReason::Malformed, 3)].into());
        assert_eq!((summary.fell_back, summary.text_bytes), (1, 200));
        assert!(reader.disk_usage().bytes > 0);
    });
}

#[test]
fn names_and_locators_need_no_rows() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let defining = |path: &str, name: &str| {
            let mut page = Page::new(path, "", &["x"]);
            page.chunks[0].symbol = Some(SymbolKind::Function);
            page.chunks[0].fields.push((Field::Symbol, "save".to_owned()));
            let mut update = unit(path, 1, &[page]);
            for symbol in &mut update.documents[0].chunks[0].stored.symbols {
                name.clone_into(&mut symbol.name);
            }
            update
        };
        commit(&*store, "", |writer| {
            writer.replace(defining("b", "save"))?;
            writer.replace(defining("a", "save"))?;
            writer.replace(defining("c", "Save"))
        });
        let reader = commit(&*store, "", |writer| {
            writer.delete("a")?;
            writer.replace(defining("d", "save"))
        });
        let mut found = Vec::new();
        for holder in reader.holders(Field::Symbol, "save", usize::MAX).expect("rows") {
            let locator = reader.locator(holder.document).expect("a row").expect("a document");
            let chunk = holder.chunk.expect("a chunk");
            found.push((locator, reader.defines(chunk, "save").expect("a row")));
            assert!(!reader.defines(chunk, "sav").expect("a row"));
        }
        found.sort_unstable();
        assert_eq!(found, [("b", true), ("c", false), ("d", true)]);
        let elsewhere = DocumentId { source: SourceName::Docs, number: 0 };
        assert!(reader.locator(elsewhere).is_err());
        let nowhere = ChunkId { source: SourceName::Code, number: u64::MAX };
        assert!(reader.defines(nowhere, "save").is_err());
    });
}

#[test]
fn texts_are_those_of_the_last_commit() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let page = |path: &str, body: &str| Page::new(path, "", &[body]);
        let before = commit(&*store, "", |writer| {
            writer.replace(unit("a", 1, &[page("a", "old text")]))?;
            writer.replace(unit("b", 1, &[page("b1", "\"kept\"\n"), page("b2", "Über\tund")]))
        });
        let after = commit(&*store, "", |writer| {
            writer.replace(unit("a", 2, &[page("a", "new text")]))?;
            writer.restamp("b", unit("b", 2, &[]).stamp)
        });
        let is_stored = backend.stores_texts() && *place != IndexLocation::Memory;
        let of = |text: &str| is_stored.then(|| text.to_owned());
        let listing = after.listing(&Filter::default()).expect("a listing");
        let ids: Vec<DocumentId> = listing.iter().map(|listed| listed.id).collect();
        let texts = after.texts(&ids).expect("texts");
        assert_eq!(texts, [of("new text"), of("\"kept\"\n"), of("Über\tund")]);
        let listing = before.listing(&Filter::default()).expect("a listing");
        assert_eq!(before.texts(&[listing[0].id]).expect("texts").len(), 1);
        let elsewhere = DocumentId { source: SourceName::Docs, number: 0 };
        if is_stored {
            assert!(after.texts(&[elsewhere]).is_err());
            assert!(after.written().is_some());
        }
    });
}

#[test]
fn holders_and_listing_show_live_rows_only() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let page = |path: &str, name: &str| {
            let mut page = Page::new(path, "", &["x"]);
            page.fields.push((Field::References, format!("c:{name}")));
            page.chunks[0].fields.push((Field::Conformance, name.to_owned()));
            page.outline = Some(Outline { has_errors: path == "b", ..Outline::default() });
            page
        };
        commit(&*store, "", |writer| {
            writer.replace(unit("b", 1, &[page("b", "save")]))?;
            writer.replace(unit("d", 1, &[page("d", "save")]))
        });
        commit(&*store, "", |writer| writer.replace(unit("a", 1, &[page("a", "Save")])));
        let reader = commit(&*store, "", |writer| writer.delete("d"));

        let listing = reader.listing(&Filter::default()).expect("a listing");
        assert_eq!(listing.iter().map(|listed| listed.path).collect::<Vec<_>>(), ["a", "b"]);
        let only = Filter { paths: vec!["b".to_owned()], ..Filter::default() };
        assert_eq!(reader.listing(&only).expect("a listing"), [listing[1]]);
        let of = |ids: &[DocumentId], filter: &Filter| {
            reader.listing_of(ids, filter).expect("a listing")
        };
        let both = [listing[1].id, listing[0].id];
        assert_eq!(of(&both, &Filter::default()), listing);
        assert_eq!(of(&both, &only), [listing[1]]);
        assert_eq!(of(&both[1..], &Filter::default()), [listing[0]]);
        assert_eq!(of(&[], &Filter::default()), []);
        let calls = reader.holders(Field::References, "c:save", 9).expect("holders");
        assert_eq!(calls.len(), 1);
        assert_eq!((calls[0].document, calls[0].chunk), (listing[1].id, None));
        let conforming = reader.holders(Field::Conformance, "Save", 9).expect("holders");
        assert_eq!(conforming.len(), 1);
        assert_eq!(conforming[0].document, listing[0].id);
        let chunk = conforming[0].chunk.expect("a field of chunks");
        assert_eq!(reader.chunks(&[chunk]).expect("a chunk").len(), 1);
        assert_eq!(reader.holders(Field::References, "c:save", 0).expect("holders"), []);
        assert_eq!(reader.holders(Field::References, "c:sav", 9).expect("holders"), []);

        let ids: Vec<_> = listing.iter().map(|listed| listed.id).collect();
        let outlines = reader.outlines(&ids).expect("outlines");
        assert_eq!(
            outlines.iter().map(|outline| outline.has_errors).collect::<Vec<_>>(),
            [false, true]
        );
    });
}

#[test]
fn only_documents_of_the_set_become_candidates() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let reader = commit(&*store, "", |writer| {
            writer.replace(unit("a", 1, &[Page::new("a", "", &["x"])]))?;
            writer.replace(unit("b", 1, &[Page::new("b", "", &["x x"])]))
        });
        let listing = reader.listing(&Filter::default()).expect("a listing");
        let form = FieldTerm { field: Field::Body, term: "x".to_owned(), weight: 1.0 };
        let ask = |within: DocumentSet| {
            let query = LexicalQuery {
                groups: vec![TermGroup { forms: vec![form.clone()], weight: 1.0, optional: false }],
                weights: [1.0; Field::ALL.len()],
                chunks_per_document: 1,
                within,
                ..LexicalQuery::default()
            };
            let matches = reader.lexical(&query, &Filter::default(), 9).expect("an answer");
            let found: Vec<_> = matches.candidates.iter().map(|candidate| candidate.id).collect();
            (found, matches.total, matches.groups[0].documents)
        };
        let first = DocumentSet::of([listing[0].id]);
        assert_eq!(ask(first.clone()), (vec![listing[0].id], 1, 2));
        assert_eq!(ask(first.inverted()), (vec![listing[1].id], 1, 2));
        assert_eq!(ask(DocumentSet::none()), (vec![], 0, 2));
        assert_eq!(ask(DocumentSet::all()).0.len(), 2);
    });
}

#[test]
fn requested_documents_are_candidates_beyond_the_limit() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let reader = commit(&*store, "", |writer| {
            writer.replace(unit("a", 1, &[Page::new("a", "", &["x x x"])]))?;
            writer.replace(unit("b", 1, &[Page::new("b", "", &["x and more"])]))?;
            writer.replace(unit("c", 1, &[Page::new("c", "", &["x and much more of it"])]))?;
            writer.replace(unit("d", 1, &[Page::new("d", "", &["none"])]))
        });
        let listing = reader.listing(&Filter::default()).expect("a listing");
        let [a, b, c, d] = listing.iter().map(|listed| listed.id).collect::<Vec<_>>()[..] else {
            panic!("four documents")
        };
        let form = FieldTerm { field: Field::Body, term: "x".to_owned(), weight: 1.0 };
        let ask_of = |also: &[DocumentId], within: DocumentSet, reserve: Reserve| {
            let query = LexicalQuery {
                groups: vec![TermGroup { forms: vec![form.clone()], weight: 1.0, optional: false }],
                weights: [1.0; Field::ALL.len()],
                chunks_per_document: 1,
                within,
                also: also.to_vec(),
                reserve,
            };
            let matches = reader.lexical(&query, &Filter::default(), 1).expect("an answer");
            for candidate in matches.candidates.iter().chain(&matches.reserve) {
                assert_eq!(candidate.chunks.len(), 1);
                assert!(candidate.chunks[0].evidence.get(0, Field::Body) > 0.0);
            }
            let ids = |found: &[Candidate]| {
                found.iter().map(|candidate| candidate.id).collect::<Vec<_>>()
            };
            (ids(&matches.candidates), matches.total, ids(&matches.reserve))
        };
        let ask = |also: &[DocumentId], within: DocumentSet| {
            let (found, total, reserve) = ask_of(also, within, Reserve::default());
            assert!(reserve.is_empty());
            (found, total)
        };
        let all = DocumentSet::all;
        assert_eq!(ask(&[], all()), (vec![a], 3));
        assert_eq!(ask(&[c, b], all()), (vec![a, b, c], 3), "after the best, in their order");
        assert_eq!(ask(&[a, c], all()), (vec![a, c], 3), "without duplicates");
        assert_eq!(ask(&[d], all()), (vec![a], 3), "a document without a match is no candidate");
        let set = DocumentSet::of([b]).inverted();
        assert_eq!(ask(&[b, c], set.clone()), (vec![a, c], 2), "nor a document outside the set");
        let reserved = |also: &[DocumentId], within: DocumentSet, limit: usize| {
            let (_, total, found) =
                ask_of(also, within, Reserve { documents: vec![d, c, b, a], limit });
            (found, total)
        };
        assert_eq!(
            reserved(&[], all(), 9),
            (vec![b, c], 3),
            "apart from the candidates, best first"
        );
        assert_eq!(reserved(&[], all(), 1), (vec![b], 3));
        assert_eq!(reserved(&[b], all(), 1), (vec![c], 3), "no candidate is repeated");
        assert_eq!(reserved(&[], set, 9), (vec![c], 2));
    });
}

#[test]
fn terms_are_filtered_by_the_caller() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let page = Page::new("a", "", &["bat cat car"]);
        let reader =
            commit(&*store, "", |writer| writer.replace(unit("a", 1, std::slice::from_ref(&page))));
        let ends_in_t = |term: &str| term.ends_with('t');
        let found = reader.accepted_terms(Field::Body, "", &ends_in_t, 9).expect("terms");
        assert_eq!(found, ["bat", "cat"]);
        let found = reader.accepted_terms(Field::Body, "c", &|_| true, 1).expect("terms");
        assert_eq!(found, ["car"]);
    });
}

#[test]
fn rows_with_all_terms_are_found() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        commit(&*store, "", |writer| {
            let pages = ["x token refresh", "y", "token token"];
            writer.replace(unit("a", 1, &[Page::new("a", "", &pages)]))?;
            let pages = ["refresh token", "token y refresh"];
            writer.replace(unit("b", 1, &[Page::new("b", "", &pages)]))
        });
        let reader = commit(&*store, "", |writer| {
            writer.replace(unit("b", 2, &[Page::new("b", "", &["refresh token"])]))?;
            writer.replace(unit("c", 1, &[Page::new("c", "", &["token", "refresh"])]))
        });
        let listing = reader.listing(&Filter::default()).expect("a listing");
        let find = |terms: &[&str]| {
            let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
            let found = reader.holders_of_all(Field::Body, &terms).expect("holders");
            let mut documents: Vec<_> = found.into_iter().map(|holder| holder.document).collect();
            documents.sort_by_key(|id| listing.iter().position(|listed| listed.id == *id));
            documents
        };
        let [a, b, c] = [0, 1, 2].map(|index: usize| listing[index].id);
        assert_eq!(find(&["token", "refresh"]), [a, b]);
        assert_eq!(find(&["refresh", "token", "refresh"]), [a, b]);
        assert_eq!(find(&["refresh", "x", "token"]), [a]);
        assert_eq!(find(&["token"]), [a, a, b, c]);
        assert_eq!(find(&["token", "nowhere"]), []);
        assert_eq!(find(&[]), []);
    });
}
