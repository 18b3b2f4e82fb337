//! Tests of the golden file and of differences from it.

use super::*;
use crate::{Answer, Query, Ranked, Target, write_differences};

fn expected(ranks: &[(&str, Option<usize>)]) -> Expected {
    let mut run = Run::default();
    let mut collection = Collection::default();
    for (id, rank) in ranks {
        collection.queries.push(Query {
            id: (*id).to_owned(),
            targets: vec![Target { name: "a.rs".to_owned(), lines: None }],
            ..Query::default()
        });
        let mut results = vec![Ranked::default(); rank.unwrap_or(1)];
        if rank.is_some() {
            results.last_mut().expect("not empty").path = "a.rs".to_owned();
        }
        run.insert(Answer { id: (*id).to_owned(), results, ..Answer::default() });
    }
    collection.queries.push(Query { id: "nothing".to_owned(), ..Query::default() });
    Expected::of(&collection, &run).expect("measures")
}

#[test]
fn the_file_survives_writing_and_reading() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("expected.csv");
    let written = expected(&[("b,c", Some(3)), ("a", None)]);
    written.save(&path).expect("written");
    let text = fs::read_to_string(&path).expect("read");
    assert_eq!(text, "query,rank,RR,nDCG@10\na,,0.0000,0.0000\nb,c,3,0.3333,0.5000\n");
    assert_eq!(Expected::load(&path).expect("read"), written);
    fs::write(&path, text.replace('\n', "\r\n")).expect("written");
    assert_eq!(Expected::load(&path).expect("read"), written);
    for text in ["rank,query\n", "query,rank,RR,nDCG@10\na\n", "query,rank,RR,nDCG@10\na,x,1,1\n"] {
        fs::write(&path, text).expect("written");
        assert!(Expected::load(&path).is_err(), "{text}");
    }
}

#[test]
fn differences_read_as_a_diff() {
    let before = expected(&[("gone", Some(1)), ("moved", Some(1)), ("same", Some(2))]);
    let after = expected(&[("moved", None), ("new", Some(2)), ("same", Some(2))]);
    let mut text = Vec::new();
    write_differences(&before.differences(&after), &mut text).expect("a vector takes everything");
    assert_eq!(
        String::from_utf8_lossy(&text),
        "\
gone
  - rank    1  RR 1.0000  nDCG@10 1.0000
  + (not in the collection)
moved
  - rank    1  RR 1.0000  nDCG@10 1.0000
  + rank none  RR 0.0000  nDCG@10 0.0000
new
  - (not in the file)
  + rank    2  RR 0.5000  nDCG@10 0.6309
"
    );
    assert!(before.differences(&before).is_empty());
}
