//! Vectors: storage and similarity queries.

use std::{fs, path::Path};

use lore_index::{
    Backend, DenseQuery, DocumentId, DocumentSet, DocumentVectors, IndexError, IndexLocation,
    Reader, Store, UnitUpdate, default_backend,
};
use lore_schema::{Filter, SourceName, Stamp, SymbolKind};

use crate::{
    corpus::{Page, commit, unit},
    everywhere, in_folder,
};

fn open(backend: &dyn Backend, place: &IndexLocation) -> Box<dyn Store> {
    backend.open(SourceName::Code, place, "test").expect("opens")
}

fn vectors(model: &str, chunks: &[&[f32]]) -> DocumentVectors {
    DocumentVectors {
        model: model.into(),
        chunks: chunks.iter().map(|chunk| chunk.to_vec()).collect(),
    }
}

/// A unit of one document with one chunk per vector.
fn embedded(name: &str, model: &str, chunks: &[&[f32]]) -> UnitUpdate {
    let mut update = unit(name, 1, &[Page::new(name, "", &vec!["word"; chunks.len()])]);
    update.documents[0].vectors.push(vectors(model, chunks));
    update
}

fn query(model: &str, vector: &[f32]) -> DenseQuery {
    DenseQuery {
        model: model.into(),
        vector: vector.to_vec(),
        chunks_per_document: 2,
        min_similarity: None,
        within: DocumentSet::all(),
        threads: 1,
    }
}

/// Locators with the ordinals and similarities of their chunks.
fn nearest(reader: &dyn Reader, query: &DenseQuery) -> Vec<(String, Vec<(u32, f32)>)> {
    let matches = reader.dense(query, &Filter::default(), 10).expect("an answer");
    let found = matches.candidates.iter().map(|similar| {
        let document = reader.documents(&[similar.id]).expect("loads").remove(0);
        let chunks = similar.chunks.iter().map(|chunk| {
            let stored = reader.chunks(&[chunk.id]).expect("loads").remove(0);
            (stored.ordinal, (chunk.similarity * 100.0).round() / 100.0)
        });
        (document.key.locator, chunks.collect())
    });
    found.collect()
}

#[test]
fn the_most_similar_come_first() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let reader = commit(&*store, "", |writer| {
            writer.replace(embedded("a", "m", &[&[1.0, 0.0], &[0.6, 0.8], &[]]))?;
            writer.replace(embedded("b", "m", &[&[0.0, 1.0]]))?;
            writer.replace(embedded("c", "other", &[&[1.0, 0.0]]))?;
            writer.replace(embedded("d", "m", &[]))?;
            writer.replace(unit("e", 1, &[Page::new("e", "", &["word"])]))
        });
        let expected =
            vec![("b".to_owned(), vec![(0, 1.0)]), ("a".to_owned(), vec![(1, 0.8), (0, 0.0)])];
        assert_eq!(nearest(&*reader, &query("m", &[0.0, 1.0])), expected);
        let counts = reader.vector_counts("m").expect("counts");
        assert_eq!((counts.documents, counts.missing, counts.vectors), (3, 2, 3));
        assert!(nearest(&*reader, &query("m", &[0.0, 0.0])).is_empty());
        assert!(nearest(&*reader, &query("m", &[0.0, 1.0, 0.0])).is_empty());
        assert!(nearest(&*reader, &query("none", &[0.0, 1.0])).is_empty());
        let least = DenseQuery { min_similarity: Some(0.9), ..query("m", &[0.0, 1.0]) };
        assert_eq!(nearest(&*reader, &least), expected[..1]);

        // Replaced or deleted documents lose their vectors.
        let reader = commit(&*store, "", |writer| {
            writer.delete("b")?;
            writer.replace(embedded("a", "m", &[&[0.8, 0.6]]))
        });
        let expected = vec![("a".to_owned(), vec![(0, 0.6)])];
        assert_eq!(nearest(&*reader, &query("m", &[0.0, 1.0])), expected);
    });
}

#[test]
fn equal_similarities_are_sorted_by_name() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let names: Vec<String> = (0..400).map(|number| format!("{number:03}")).collect();
        // The best documents come last, and there are more than a selection keeps.
        let reader = commit(&*store, "", |writer| {
            let mut names = names.iter().rev();
            names.try_for_each(|name| writer.replace(embedded(name, "m", &[&[0.6, 0.8]])))
        });
        for limit in [0, 1, 3, 399, 500] {
            let matches = reader.dense(&query("m", &[1.0, 0.0]), &Filter::default(), limit);
            let matches = matches.expect("an answer");
            let ids: Vec<_> = matches.candidates.iter().map(|similar| similar.id).collect();
            let found = reader.documents(&ids).expect("loads");
            let found: Vec<_> = found.into_iter().map(|document| document.key.locator).collect();
            assert_eq!(found, names[..limit.min(400)]);
            assert_eq!(matches.total, 400);
        }
    });
}

#[test]
fn documents_are_embedded_later_and_by_several_models() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        commit(&*store, "", |writer| {
            writer.replace(unit("a", 1, &[Page::new("a", "", &["one", "two"])]))?;
            writer.replace(embedded("b", "first", &[&[1.0, 0.0]]))
        });
        let reader = store.reader().expect("a reader");
        let missing = reader.unembedded("second", 10).expect("an answer");
        assert_eq!(missing.len(), 2);
        assert_eq!(reader.unembedded("second", 1).expect("an answer"), missing[..1]);
        let reader = commit(&*store, "", |writer| {
            for id in &missing {
                let chunks: &[&[f32]] = match reader.documents(&[*id])?[0].key.locator.as_str() {
                    "a" => &[&[0.0, 0.0, 1.0], &[0.0, 1.0, 0.0]],
                    _ => &[&[1.0, 0.0, 0.0]],
                };
                writer.embed(*id, vectors("second", chunks))?;
            }
            Ok(())
        });
        assert!(reader.unembedded("second", 10).expect("an answer").is_empty());
        let found = nearest(&*reader, &query("second", &[0.0, 1.0, 0.0]));
        assert_eq!(found[0], ("a".to_owned(), vec![(1, 1.0), (0, 0.0)]));
        assert_eq!(nearest(&*reader, &query("first", &[1.0, 0.0])).len(), 1);

        // Embedding again replaces vectors; an empty result is recorded.
        let reader = commit(&*store, "", |writer| writer.embed(missing[0], vectors("second", &[])));
        assert_eq!(nearest(&*reader, &query("second", &[0.0, 1.0, 0.0])).len(), 1);
        assert!(reader.unembedded("second", 10).expect("an answer").is_empty());

        let reader = commit(&*store, "", |writer| writer.keep_models(&["second"]));
        assert!(nearest(&*reader, &query("first", &[1.0, 0.0])).is_empty());
        assert_eq!(reader.unembedded("first", 10).expect("an answer").len(), 2);
        assert_eq!(reader.vector_counts("second").expect("counts").missing, 0);
    });
}

#[test]
fn filters_and_sets_come_before_the_comparison() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let reader = commit(&*store, "", |writer| {
            for number in 0..20_u8 {
                let name = format!("{}/{number}", ["src", "docs"][usize::from(number) % 2]);
                let height = f32::from(number) / 20.0;
                let mut page = Page::new(&name, "", &["near", "far"]);
                page.chunks[1].symbol = Some(SymbolKind::Function);
                let mut update = unit(&name, 1, &[page]);
                update.documents[0].vectors.push(vectors("m", &[&[1.0, height], &[height, -1.0]]));
                writer.replace(update)?;
            }
            Ok(())
        });
        let ask = |filter: &Filter, query: &DenseQuery| {
            let matches = reader.dense(query, filter, 1).expect("an answer");
            let ids: Vec<_> = matches.candidates.iter().map(|similar| similar.id).collect();
            let found = reader.documents(&ids).expect("loads").remove(0).key.locator;
            (found, matches.total, matches.candidates[0].clone())
        };
        let everything = query("m", &[1.0, 0.0]);
        assert_eq!(ask(&Filter::default(), &everything).0, "src/0");
        let docs = Filter { paths: vec!["docs".to_owned()], ..Filter::default() };
        let (found, total, best) = ask(&docs, &everything);
        assert_eq!((found.as_str(), total), ("docs/1", 10));
        let others =
            DenseQuery { within: DocumentSet::of([best.id]).inverted(), ..everything.clone() };
        assert_eq!(ask(&docs, &others).0, "docs/3");
        let functions = Filter { kinds: vec!["function".to_owned()], ..Filter::default() };
        let (found, total, best) = ask(&functions, &everything);
        assert_eq!((found.as_str(), total), ("docs/19", 20));
        let chunks: Vec<_> = best.chunks.iter().map(|chunk| chunk.id).collect();
        assert_eq!(reader.chunks(&chunks).expect("loads")[0].ordinal, 1);
        assert_eq!(chunks.len(), 1);
        let elsewhere = Filter { sources: vec![SourceName::Git], ..Filter::default() };
        assert_eq!(reader.dense(&everything, &elsewhere, 1).expect("an answer").total, 0);

        // The same for requested documents: `docs/19` was the best among functions.
        let ordinals = |filter: &Filter| -> Vec<u32> {
            let similar = reader.similar(&everything, filter, &[best.id]).expect("an answer");
            assert_eq!((similar.len(), similar[0].id), (1, best.id));
            let chunks: Vec<_> = similar[0].chunks.iter().map(|chunk| chunk.id).collect();
            let stored = reader.chunks(&chunks).expect("loads");
            stored.iter().map(|chunk| chunk.ordinal).collect()
        };
        let classes = Filter { kinds: vec!["class".to_owned()], ..Filter::default() };
        let src = Filter { paths: vec!["src".to_owned()], ..Filter::default() };
        assert_eq!(ordinals(&Filter::default()), [0, 1]);
        assert_eq!(ordinals(&docs), [0, 1]);
        assert_eq!(ordinals(&functions), [1]);
        assert_eq!(ordinals(&classes), [0; 0]);
        assert_eq!(ordinals(&src), [0; 0]);
        assert_eq!(ordinals(&elsewhere), [0; 0]);
    });
}

/// Documents are looked up by their units, or by reading all of them, with the same result.
#[test]
fn both_ways_to_look_up_documents_agree() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let vector = |number: u16| [f32::from(number), 300.0];
        // Longer than the maximum of a term.
        let long = "long ".repeat(2_000);
        for version in 0..3 {
            commit(&*store, "", |writer| {
                let numbers: Vec<u16> = (version..150 + version).collect();
                let named: Vec<String> =
                    numbers.iter().map(|number| format!("of many {number}")).collect();
                let pages: Vec<Page> =
                    named.iter().map(|name| Page::new(name, "", &["word"])).collect();
                let mut many = unit(&long, 1, &pages);
                for (document, number) in many.documents.iter_mut().zip(&numbers) {
                    document.vectors.push(vectors("m", &[&vector(*number)]));
                }
                writer.replace(many)?;
                (version * 40..version * 40 + 60).try_for_each(|number| {
                    let name = format!("alone {number}");
                    writer.replace(embedded(&name, "m", &[&vector(number + 150)]))
                })
            });
        }
        let all_documents: Vec<DocumentId> = {
            let reader = store.reader().expect("a reader");
            let listing = reader.listing(&Filter::default()).expect("a listing");
            listing.iter().map(|listed| listed.id).collect()
        };
        assert_eq!(all_documents.len(), 150 + 140);
        for (limit, number) in [(1, 0), (5, 149), (10, 160), (64, 289), (65, 120), (290, 1)] {
            let nearest = |within: DocumentSet| {
                // A new reader has nothing cached.
                let reader = store.reader().expect("a reader");
                let query = DenseQuery { within, ..query("m", &vector(number)) };
                let found = reader.dense(&query, &Filter::default(), limit).expect("an answer");
                let ids: Vec<_> = found.candidates.iter().map(|similar| similar.id).collect();
                let stored = reader.documents(&ids).expect("loads");
                let names = stored.into_iter().map(|document| document.key.locator);
                (names.collect::<Vec<_>>(), found)
            };
            let (names, found) = nearest(DocumentSet::all());
            assert_eq!((names.len(), found.candidates.len()), (limit, limit));
            assert_eq!((names, found), nearest(DocumentSet::of(all_documents.iter().copied())));
        }
    });
}

#[test]
fn vectors_round_trip() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let reader =
            commit(&*store, "", |writer| writer.replace(embedded("a", "m", &[&[0.6, -0.8], &[]])));
        let found = reader.dense(&query("m", &[0.6, -0.8]), &Filter::default(), 1);
        let similar = found.expect("an answer").candidates.remove(0);
        let chunk = similar.chunks[0].id;
        let vector = reader.vector("m", chunk).expect("loads").expect("is there");
        assert!((vector[0] - 0.6).abs() < 0.005 && (vector[1] + 0.8).abs() < 0.005, "{vector:?}");
        let next = lore_index::ChunkId { number: chunk.number + 1, ..chunk };
        assert_eq!(reader.vector("m", next).expect("loads"), None);
        assert_eq!(reader.vector("other", chunk).expect("loads"), None);
        // The set does not restrict requested documents.
        let empty_set = DenseQuery { within: DocumentSet::none(), ..query("m", &[1.0, 0.0]) };
        let similar = reader.similar(&empty_set, &Filter::default(), &[similar.id]);
        let similar = similar.expect("an answer").remove(0);
        assert_eq!(similar.chunks.len(), 1);
        assert!((similar.chunks[0].similarity - 0.6).abs() < 0.005);
    });
}

#[test]
fn invalid_vectors_are_refused() {
    let store = open(default_backend(), &IndexLocation::Memory);
    let base = commit(&*store, "", |writer| writer.replace(embedded("a", "m", &[&[1.0]])));
    let writer = store.writer(base.version()).expect("a writer");
    let mut fewer = embedded("b", "m", &[&[1.0], &[1.0]]);
    fewer.documents[0].vectors[0].chunks.pop();
    let is_refused = |result| matches!(result, Err(IndexError::Storage { .. }));
    assert!(is_refused(writer.replace(fewer)));
    assert!(is_refused(writer.replace(embedded("b", "m", &[&[1.0], &[1.0, 0.0]]))));
    let found = base.dense(&query("m", &[1.0]), &Filter::default(), 1).expect("an answer");
    let id = found.candidates[0].id;
    assert!(is_refused(writer.embed(id, vectors("m", &[&[1.0], &[1.0]]))));
    let elsewhere = lore_index::DocumentId { number: id.number + 7, ..id };
    assert!(is_refused(writer.embed(elsewhere, vectors("m", &[&[1.0]]))));
    // Vectors with NaN have no direction.
    writer.replace(embedded("b", "m", &[&[f32::NAN], &[f32::INFINITY]])).expect("takes");
    writer.commit("").expect("commits");
    let counts = store.reader().expect("a reader").vector_counts("m").expect("counts");
    assert_eq!((counts.documents, counts.vectors), (2, 1));
}

/// Names and sizes of the vector files.
fn vector_files(path: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry"));
    let named = entries.map(|entry| {
        let length = entry.metadata().expect("a length").len();
        (entry.file_name().into_string().expect("UTF-8"), length)
    });
    named.filter(|(name, _)| name.starts_with("vectors-")).collect()
}

#[test]
fn vector_files_are_merged_and_dead_rows_dropped() {
    in_folder(|place| {
        let IndexLocation::Folder(path) = place else { unreachable!("it is a folder") };
        let store = open(default_backend(), place);
        // Units without a content hash cannot be restored.
        let embedded = |name: &str, vector: &[f32]| UnitUpdate {
            stamp: Stamp::default(),
            ..embedded(name, "m", &[vector])
        };
        commit(&*store, "", |writer| {
            (0..100).try_for_each(|number| {
                let vector = [1.0, number as f32];
                writer.replace(embedded(&format!("old{number}"), &vector))
            })
        });
        for number in 0..60_u8 {
            let vector = [f32::from(number), 1.0];
            commit(&*store, "", |writer| {
                writer.replace(embedded(&format!("new{}", number % 20), &vector))
            });
            let files = vector_files(path);
            assert!(files.len() <= 6, "{files:?}");
            assert_eq!(store.verify().expect("verifies"), [""; 0]);
        }
        // A row is two components and a scale. A few dead rows may remain.
        let bytes: u64 = vector_files(path).iter().map(|(_, length)| length).sum();
        assert!((120 * 6..150 * 6).contains(&bytes), "{bytes}");
        let reader = commit(&*store, "", |writer| {
            (0..90).try_for_each(|number| writer.delete(&format!("old{number}")))
        });
        let bytes: u64 = vector_files(path).iter().map(|(_, length)| length).sum();
        assert!((30 * 6..50 * 6).contains(&bytes), "{bytes}");
        assert_eq!(reader.vector_counts("m").expect("counts").vectors, 30);
        commit(&*store, "", |writer| writer.keep_models(&[]));
        assert_eq!(vector_files(path), []);
    });
}

/// Document numbers given to a writer refer to the segments of its base.
#[test]
fn a_writer_embeds_documents_of_its_base() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        for number in 0..12 {
            let name = format!("{number}");
            let base = store.reader().expect("a reader");
            let pages = [Page::new(&name, "", &["word"])];
            let writer = store.writer(base.version()).expect("a writer");
            writer.replace(unit(&name, 1, &pages)).expect("replaces");
            for id in base.unembedded("m", 10).expect("an answer") {
                let locator = base.documents(&[id]).expect("loads").remove(0).key.locator;
                let angle: f32 = locator.parse().expect("a number");
                writer.embed(id, vectors("m", &[&[angle.cos(), angle.sin()]])).expect("embeds");
            }
            writer.commit("").expect("commits");
        }
        let reader = store.reader().expect("a reader");
        for number in 0..11_u8 {
            let angle = f32::from(number);
            let found = nearest(&*reader, &query("m", &[angle.cos(), angle.sin()]));
            assert_eq!(found[0], (format!("{number}"), vec![(0, 1.0)]));
        }
    });
}
