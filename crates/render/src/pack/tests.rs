//! Answers for agents are within their budget, complete and reproducible.

use lore_engine::{
    Absence, Freshness, HeldWord, Hit, Holders, HoldingFile, Scanned, SearchResponse, Snippet,
};
use lore_schema::SourceName;

use super::{span::Body, *};
use crate::output::fixture;

mod sized;

/// A hit: a function with this number of lines, in a file of its own.
fn function(rank: usize, lines: usize) -> Hit {
    let path = format!("src/part{rank}/file{rank}.rs");
    let inner = (2..lines).map(|line| format!("    let value_{line} = compute({line});\n"));
    let text = format!("fn retry_{rank}() {{\n{}}}", inner.collect::<String>());
    Hit {
        title: format!("retry_{rank}"),
        path: Some(path.clone()),
        start_line: Some(10),
        end_line: u32::try_from(9 + lines).ok(),
        body: Some(Snippet { text, start_line: 10, highlights: Vec::new() }),
        ..fixture::hit(rank, SourceName::Code, &format!("code:{path}#retry_{rank}"))
    }
}

fn response(hits: Vec<Hit>) -> SearchResponse {
    let receipt = lore_engine::Receipt { total: hits.len() as u64, ..fixture::receipt() };
    SearchResponse { hits, receipt, ..fixture::response() }
}

fn file(path: &str, words: u32, places: u64) -> HoldingFile {
    HoldingFile { source: SourceName::Code, path: path.to_owned(), words, places }
}

fn holders(files: Vec<HoldingFile>) -> Holders {
    let documents = files.len() as u64;
    let words = vec![HeldWord { word: "retry".to_owned(), documents }];
    Holders { words, files, unit: "passage", unseen: 0 }
}

fn budget(budget: usize) -> PackRequest {
    PackRequest { budget: Some(budget), ..PackRequest::default() }
}

fn packed(response: &SearchResponse, request: &PackRequest) -> Pack {
    pack(response, &Holders::default(), request, None).expect("it fits")
}

#[test]
fn an_answer_has_texts_then_places_then_files_then_the_receipt() {
    let hits = vec![function(1, 3), function(2, 3)];
    let response = response(hits);
    let files = vec![
        file("Makefile", 1, 1),
        file("src/part1/file1.rs", 1, 2),
        file("src/part2/file2.rs", 1, 1),
        file("src/part2/other.rs", 1, 4),
    ];
    // This budget allows the text of one hit.
    let text = pack(&response, &holders(files), &budget(399), None).expect("it fits").text;
    assert_eq!(
        text,
        "src/part1/file1.rs:10-12 retry_1\n\
         fn retry_1() {\n    let value_2 = compute(2);\n}\n\n\
         further, best first:\n\
         src/part2/file2.rs:10-12 retry_2\n\n\
         every file with the words (retry 4), passages a file:\n\
         Makefile 1\n\
         src/{part1/file1.rs 2, part2/{file2.rs 1, other.rs 4}}\n\
         note: the index was damaged and has been rebuilt\n\
         [fresh 3f2a91c+2; hits 1-2 of 2]\n"
    );
}

#[test]
fn names_include_breadcrumb_status_and_duplicates() {
    let spec = Hit {
        title: "Refunds".to_owned(),
        path: Some("specs/a b.md".to_owned()),
        start_line: Some(3),
        end_line: Some(3),
        breadcrumb: vec!["Shop".to_owned(), "Refunds".to_owned()],
        status: Some("planned".to_owned()),
        also_found_in: vec!["docs:x.md".to_owned(), "docs:y.md".to_owned()],
        ..fixture::hit(1, SourceName::Specs, "specs:specs/a b.md#Refunds")
    };
    let commit = Hit {
        title: "Retry refunds".to_owned(),
        ..fixture::hit(2, SourceName::Git, "git:3f2a91c0")
    };
    assert_eq!(
        span::place_line(&spec),
        "specs/a b.md:3 Shop > Refunds [planned] = docs:x.md, docs:y.md\n"
    );
    assert_eq!(span::place_line(&commit), "git:3f2a91c0 Retry refunds\n");
    let lines = Hit {
        path: Some("a.txt".to_owned()),
        title: "a.txt".to_owned(),
        start_line: Some(1),
        end_line: Some(9),
        ..fixture::hit(1, SourceName::Code, "code:a.txt:1-9")
    };
    assert_eq!(span::place_line(&lines), "a.txt:1-9\n", "the file name is not repeated");
}

#[test]
fn no_answer_exceeds_its_budget() {
    let hits: Vec<Hit> = (1..=180).map(|rank| function(rank, 1 + (rank * 7) % 60)).collect();
    let files: Vec<HoldingFile> = (0..900)
        .map(|at| file(&format!("src/a{}/b{}/file{at}.rs", at % 7, at % 31), 1 + at % 3, 2))
        .collect();
    let (files, hostile) = (holders(files), fixture::hostile());
    let long = response(hits);
    let mut smallest = usize::MAX;
    for tokens in (10..400).step_by(13).chain([500, 1_000, 2_000, 3_333, 8_000]) {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
            let request = PackRequest { tokenizer, ..budget(tokens) };
            for response in [&long, &hostile, &response(Vec::new())] {
                let Ok(packed) = pack(response, &files, &request, None) else {
                    assert!(tokens < 200, "an answer fits into {tokens} tokens");
                    continue;
                };
                let counted = tokenizer.count(&packed.text);
                assert!(counted <= tokens, "{counted} of {tokens}: {}", packed.text);
                assert!(packed.text.ends_with("]\n"), "the receipt is there: {}", packed.text);
                smallest = smallest.min(tokens);
            }
        }
    }
    assert!(smallest < 100);
    let packed = pack(&long, &files, &budget(2_000), None).expect("it fits");
    assert!(Tokenizer::O200k.count(&packed.text) > 1_200, "the budget is used:\n{}", packed.text);
    let bodies = packed.shown.iter().filter(|hit| hit.how != ShownForm::Place).count();
    assert!((3..=5).contains(&bodies), "{bodies} texts");
    assert!(packed.shown.len() > 20, "{} hits", packed.shown.len());
}

#[test]
fn elapsed_time_does_not_change_the_answer() {
    let mut response = response((1..=60).map(|rank| function(rank, 9)).collect());
    let first = packed(&response, &budget(2_000));
    response.receipt.elapsed_ms = 1234.5;
    assert_eq!(first, packed(&response, &budget(2_000)));
}

#[test]
fn reported_ends_of_hits_are_exact() {
    let response = response((1..=30).map(|rank| function(rank, 12)).collect());
    let packed = packed(&response, &budget(2_000));
    for (at, shown) in packed.shown.iter().enumerate() {
        assert_eq!(shown.hit, at);
        let until = &packed.text[..shown.end];
        let place = format!("file{}.rs:10-21 retry_{}", at + 1, at + 1);
        assert!(until.contains(&place), "{until}");
        assert!(!until.contains(&format!("file{}.rs", at + 2)), "{until}");
        assert!(until.ends_with('\n'));
    }
}

#[test]
fn a_long_text_is_cut_to_its_beginning_and_the_best_passage() {
    let mut hit = function(1, 200);
    hit.snippet = Snippet {
        text: "    let value_100 = compute(100);".into(),
        start_line: 109,
        highlights: vec![],
    };
    let body = Body::of(&hit, 120, Tokenizer::O200k);
    assert!(!body.is_whole);
    let lines: Vec<&str> = body.text.lines().collect();
    assert_eq!(lines[0], "fn retry_1() {");
    assert_eq!(lines[1], "    let value_2 = compute(2);");
    assert!(
        body.text.contains("    let value_100 = compute(100);\n    let value_101"),
        "{}",
        body.text
    );
    let gap = lines.iter().position(|line| line.starts_with('…')).expect("a gap is marked");
    let (from, to) = lines[gap][4..].split_once('-').expect("with its lines");
    let (from, to): (usize, usize) = (from.parse().expect("a line"), to.parse().expect("a line"));
    assert_eq!(from, 10 + gap, "the first line that is missing");
    assert_eq!(lines[gap + 1], format!("    let value_{} = compute({});", to - 8, to - 8));
    assert!(Tokenizer::O200k.count(&body.text) < 150);

    let short = function(1, 22);
    let all = Body::of(&short, 1_000, Tokenizer::O200k);
    let tokens = Tokenizer::O200k.count(&all.text);
    assert!(all.is_whole && Body::of(&short, tokens * 9 / 10, Tokenizer::O200k).is_whole);
    assert!(!Body::of(&short, tokens / 2, Tokenizer::O200k).is_whole);

    // A hit of a regular expression has no text between its first match and its last one.
    let snippet = Snippet { text: "a\nb".into(), start_line: 5, highlights: Vec::new() };
    let by_regex =
        Hit { body: None, snippet, start_line: Some(5), end_line: Some(90), ..function(1, 2) };
    assert_eq!(Body::of(&by_regex, 120, Tokenizer::O200k).text, "a\nb\n… 7-90\n");

    let whole = Body::of(&function(1, 5), 120, Tokenizer::O200k);
    assert!(whole.is_whole && !whole.text.contains('…'));
    let none = Body::of(&fixture::hit(1, SourceName::Git, "git:abc"), 120, Tokenizer::O200k);
    assert_eq!(none.text, "");
}

#[test]
fn pages_show_every_hit_once() {
    let response = response((1..=130).map(|rank| function(rank, 3 + rank % 20)).collect());
    let mut request = budget(1_000);
    let mut seen = Vec::new();
    loop {
        let packed = packed(&response, &request);
        seen.extend(packed.shown.iter().map(|shown| shown.hit));
        match packed.next_cursor {
            Some(next) => {
                assert!(packed.text.contains(&format!("cursor {next}")));
                assert!(next.len() <= 14, "{next}");
                request.cursor = Some(next);
            }
            None => break,
        }
    }
    assert_eq!(seen, (0..130).collect::<Vec<_>>());

    let mut search = SearchRequest::new("retry");
    request.apply_to(&mut search);
    let last_page = (search.limit, search.extras.described);
    request.cursor = None;
    request.apply_to(&mut search);
    assert_eq!(last_page.0, search.limit, "every page ranks the same number of hits");
    assert!(last_page.1 > search.extras.described, "texts of later pages are not read");
}

#[test]
fn a_limit_applies_to_all_pages_together() {
    let response = response((1..=60).map(|rank| function(rank, 20)).collect());
    let mut request = PackRequest { limit: Some(25), ..budget(500) };
    let mut seen = 0;
    while {
        let packed = packed(&response, &request);
        seen += packed.shown.len();
        request.cursor = packed.next_cursor;
        request.cursor.is_some()
    } {}
    assert_eq!(seen, 25);
}

#[test]
fn a_foreign_cursor_starts_at_the_first_hit_with_a_note() {
    let mut original = response((1..=60).map(|rank| function(rank, 20)).collect());
    let cursor = packed(&original, &budget(500)).next_cursor;
    let request = PackRequest { cursor: cursor.clone(), ..budget(500) };
    assert!(packed(&original, &request).shown[0].hit > 0);

    original.hits[1].body.as_mut().expect("a text").text.push_str("// edited");
    let restarted = packed(&original, &request);
    assert_eq!(restarted.shown[0].hit, 0, "nothing is skipped");
    assert!(restarted.text.starts_with("the cursor is of another query"));

    let other = SearchResponse { query: "another".to_owned(), ..response(original.hits.clone()) };
    assert_eq!(packed(&other, &request).shown[0].hit, 0);
    for bad in ["", "x", "3-", "99999999999999999999-00000000", "700-00000000", "3-zzzzzzzz"] {
        let request = PackRequest { cursor: Some(bad.to_owned()), ..budget(500) };
        let packed = packed(&original, &request);
        assert_eq!(packed.shown[0].hit, 0, "{bad}");
        assert!(packed.text.starts_with("the cursor is of another"), "{bad}");
        let mut search = SearchRequest::new("retry");
        request.apply_to(&mut search);
        assert!(search.extras.described <= Some(search.limit), "{bad}");
    }
}

/// Numbers of files and places in a listing, parsed from its text.
fn counted(text: &str) -> (u64, u64) {
    let (mut files, mut places) = (0, 0);
    for line in text.lines().skip(1) {
        for part in line.split(['{', '}', ',']).map(str::trim).filter(|part| !part.is_empty()) {
            let mut words = part.rsplit(' ');
            let Some(Ok(count)) = words.next().map(str::parse::<u64>) else { continue };
            let before = words.next().unwrap_or_default();
            let summed = before.rsplit('/').next().and_then(|name| name.strip_prefix('+'));
            files += summed.map_or(1, |number| number.parse::<u64>().expect("a number"));
            places += count;
        }
    }
    (files, places)
}

#[test]
fn summed_up_files_are_all_counted() {
    let files: Vec<HoldingFile> = (0..500_u32)
        .map(|at| {
            let folder = format!("src/a{}/deep/er/b{}", at % 5, at % 17);
            file(&format!("{folder}/file{at}.rs"), 1 + at % 4, u64::from(at) + 1)
        })
        .chain([file("README.md", 2, 7)])
        .collect();
    let all = (501, files.iter().map(|file| file.places).sum());
    let listing = Listing::new(&holders(files));
    let mut before = usize::MAX;
    for step in 0..listing.steps() {
        let text = listing.write(step);
        assert_eq!(counted(&text), all, "step {step}: {text}");
        assert_eq!(text.contains("summed up"), step > 0);
        let tokens = Tokenizer::O200k.count(&text);
        assert!(
            step == 1 || tokens <= before,
            "step {step} has {tokens} tokens, more than {before}"
        );
        before = tokens;
    }
    let last = listing.write(listing.steps());
    assert!(last.contains("501 files") && last.lines().count() == 1, "{last}");
}

#[test]
fn folders_as_deep_as_a_path_can_be_are_listed() {
    let levels = 2_040;
    let deep = |level: usize| file(&format!("{}a.rs", "d/".repeat(level)), 1, 1);
    let alone = vec![deep(levels)];
    let in_each: Vec<HoldingFile> = (1..=levels).map(deep).collect();
    for files in [alone, in_each] {
        let count = files.len() as u64;
        let listing = Listing::new(&holders(files));
        for step in 0..listing.steps() {
            assert_eq!(counted(&listing.write(step)), (count, count), "step {step}");
        }
    }
}

#[test]
fn files_with_the_most_words_are_named_first() {
    let files = vec![file("a/one.rs", 1, 90), file("a/two.rs", 3, 1), file("a/x.rs", 1, 1)];
    let listing = Listing::new(&holders(files));
    let steps: Vec<String> = (0..listing.steps()).map(|step| listing.write(step)).collect();
    assert!(steps.iter().any(|text| text.ends_with("\na/{two.rs 1, +2 91}\n")), "{steps:?}");
    assert!(steps.iter().any(|text| text.ends_with("\na/ +3 92\n")), "{steps:?}");
}

#[test]
fn a_session_never_gets_the_same_text_twice() {
    let mut memory = Memory::default();
    let mut tree = response(vec![function(1, 8), function(2, 8)]);
    let request = PackRequest { has_object: true, ..budget(2_000) };
    let mut answer = |response: &SearchResponse| {
        pack(response, &Holders::default(), &request, Some(&mut memory)).expect("it fits")
    };
    let first = answer(&tree);
    assert!(first.text.contains("; answer 1;"), "{}", first.text);
    let second = answer(&tree);
    assert!(
        second.text.starts_with(
            "already shown: src/part1/file1.rs:10-17 retry_1 (answer 1)\n\n\
             already shown: src/part2/file2.rs:10-17 retry_2 (answer 1)\n"
        ),
        "{}",
        second.text
    );
    let object = second.structured.expect("an object");
    assert_eq!(object["hits"][0]["answer"], 1);
    assert!(second.shown.iter().all(|hit| hit.how == ShownForm::Reference));

    // After lines above it were added, the same text is at another place.
    tree.hits[0].start_line = Some(30);
    tree.hits[0].end_line = Some(37);
    tree.hits[0].body.as_mut().expect("a text").start_line = 30;
    tree.hits[1].body.as_mut().expect("a text").text.push_str("\n// edited");
    let third = answer(&tree);
    assert!(
        third.text.starts_with("already shown: src/part1/file1.rs:30-37 retry_1 (answer 1)\n"),
        "{}",
        third.text
    );
    let changed = "src/part2/file2.rs:10-17 retry_2 (changed since answer 1)\nfn retry_2() {";
    assert!(third.text.contains(changed), "{}", third.text);
    assert!(answer(&tree).text.contains("retry_2 (answer 3)"), "references name the newest text");

    let without = pack(&tree, &Holders::default(), &budget(2_000), None).expect("it fits");
    assert!(!without.text.contains("already shown"));
}

#[test]
fn another_passage_of_a_known_span_is_sent() {
    let mut memory = Memory::default();
    let mut long = response(vec![function(1, 300)]);
    let mut answer = |response: &SearchResponse| {
        pack(response, &Holders::default(), &budget(1_000), Some(&mut memory))
            .expect("it fits")
            .text
    };
    let passage = |line: u32| Snippet {
        text: format!("    let value_{line} = compute({line});"),
        start_line: 9 + line,
        highlights: Vec::new(),
    };
    long.hits[0].snippet = passage(100);
    assert!(answer(&long).contains("value_100 ="));
    long.hits[0].snippet = passage(200);
    let text = answer(&long);
    assert!(text.contains("value_200 =") && !text.contains("changed since"), "{text}");
}

#[test]
fn only_sent_texts_are_remembered_and_memory_is_bounded() {
    let mut memory = Memory::default();
    let small = response((1..=40).map(|rank| function(rank, 4)).collect());
    let first =
        pack(&small, &Holders::default(), &budget(400), Some(&mut memory)).expect("it fits");
    let texts = first.shown.iter().filter(|hit| hit.how != ShownForm::Place).count();
    let second =
        pack(&small, &Holders::default(), &budget(2_000), Some(&mut memory)).expect("it fits");
    let known = second.shown.iter().filter(|hit| hit.how == ShownForm::Reference).count();
    assert_eq!(known, texts, "only texts that were sent are known");

    for round in 0..150 {
        let hits = (1..=20).map(|rank| function(1_000 + round * 20 + rank, 2)).collect();
        pack(&response(hits), &Holders::default(), &budget(8_000), Some(&mut memory))
            .expect("it fits");
    }
    let again =
        pack(&small, &Holders::default(), &budget(2_000), Some(&mut memory)).expect("it fits");
    assert!(!again.text.contains("already shown"), "the oldest answers are forgotten");
    assert!(memory.size() <= 4_000, "{}", memory.size());
}

#[test]
fn the_receipt_reports_freshness_and_the_number_of_hits() {
    let mut found = response(vec![function(1, 3)]);
    let last = |response: &SearchResponse| {
        let text = packed(response, &budget(2_000)).text;
        text.lines().next_back().unwrap_or_default().to_owned()
    };
    found.receipt.fresh = Freshness::Partial(2);
    assert_eq!(last(&found), "[2 changed files not searched yet; hits 1-1 of 1]");
    found.receipt.scanned =
        Some(Scanned { files: 900, looked: 30, indexed: 20, listed_all: false });
    assert_eq!(
        last(&found),
        "[not complete; preliminary: 30 of 900 or more files, 20 of them indexed, the others by words \
         only; hits 1-1 of 1]"
    );
    found.receipt.fresh = Freshness::Verified;
    found.receipt.scanned = None;
    found.receipt.total = 12;
    assert_eq!(
        last(&found),
        "[fresh 3f2a91c+2; hits 1-1 of 12; 11 more contain a word, not ranked]"
    );
    let absence = Absence {
        reasons: vec!["no document contains `x`".to_owned()],
        nearest: vec!["y".to_owned()],
        ..Absence::default()
    };
    let nothing = SearchResponse { absence: Some(absence), ..response(Vec::new()) };
    let files = Holders { unseen: 3, ..holders(Vec::new()) };
    assert_eq!(
        pack(&nothing, &files, &budget(2_000), None).expect("it fits").text,
        "nothing found: no document contains `x`\nnearest: y\n\
         every file with the words (retry 0), passages a file: none, 3 files not searched\n\
         note: the index was damaged and has been rebuilt\n\
         [fresh 3f2a91c+2]\n"
    );
}

#[test]
fn pages_of_objects_contain_every_hit_within_the_budget() {
    let files: Vec<HoldingFile> =
        (0..90).map(|at| file(&format!("src/a{}/file{at}.rs", at % 7), 1, 2)).collect();
    let files = holders(files);
    let mut long = response((1..=40).map(|rank| function(rank, 1 + (rank * 7) % 60)).collect());
    long.warnings = vec!["x".repeat(20_000)];
    for tokens in [350, 400, 1_000, 2_000, 8_000] {
        let (mut cursor, mut seen) = (None, 0);
        loop {
            let request = PackRequest { has_object: true, cursor, ..budget(tokens) };
            let packed = pack(&long, &files, &request, None).expect("it fits");
            let object = packed.structured.expect("an object");
            let counted = Tokenizer::O200k.count(&object.to_string());
            assert!(counted <= tokens, "{counted} of {tokens}: {object}");
            let hits = object["hits"].as_array().expect("hits").iter();
            let places = object["further"].as_array().expect("places");
            let named: Vec<String> = hits
                .map(|hit| hit["text"].as_str().expect("a text").to_owned())
                .chain(places.iter().map(|place| place.as_str().expect("a place").to_owned()))
                .collect();
            for text in &named {
                seen += 1;
                assert!(text.starts_with(&format!("src/part{seen}/")), "{tokens}: {text}");
            }
            assert_eq!(object["shown"], named.len());
            cursor = object["nextCursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, 40, "with {tokens} tokens");
    }
}

#[test]
fn texts_missing_from_the_object_are_not_remembered() {
    // Tabs take more tokens in an object.
    let indented = |rank| {
        let mut hit = function(rank, 2);
        let text = "\t\t\t\t\t\t\t\tsay();\n".repeat(40);
        hit.body = Some(Snippet { text, start_line: 10, highlights: Vec::new() });
        hit
    };
    let response = response((1..=5).map(indented).collect());
    let mut memory = Memory::default();
    let request = PackRequest { has_object: true, ..budget(2_000) };
    let first = pack(&response, &Holders::default(), &request, Some(&mut memory)).expect("it fits");
    let object = first.structured.expect("an object");
    let in_object = object["hits"].as_array().expect("hits").len();
    let in_text = first.shown.iter().filter(|hit| hit.how != ShownForm::Place).count();
    assert!(in_object < in_text, "{in_object} and {in_text}");
    let cursor = object["nextCursor"].as_str().map(str::to_owned);
    let rest = PackRequest { cursor, ..request };
    let second = pack(&response, &Holders::default(), &rest, Some(&mut memory)).expect("it fits");
    let object = second.structured.expect("an object");
    assert_ne!(object["hits"][0]["shown"], "reference", "{object}");
}

#[test]
fn a_hit_that_is_too_long_is_shown_as_a_place() {
    let mut long = function(1, 40);
    long.path = Some(format!("src/{}/file1.rs", "folder/".repeat(12)));
    let response = response(vec![long, function(2, 3)]);
    for tokens in (40..400).step_by(9) {
        let Ok(packed) = pack(&response, &Holders::default(), &budget(tokens), None) else {
            continue;
        };
        assert!(!packed.shown.is_empty(), "with {tokens} tokens: {}", packed.text);
        assert_eq!(packed.next_cursor.is_some(), packed.shown.len() < 2);
    }
}

#[test]
fn a_very_long_word_does_not_fill_the_answer() {
    let mut files = holders(vec![file("src/a.rs", 1, 1)]);
    files.words[0].word = "w".repeat(9_000);
    let mut nothing = response(Vec::new());
    let reasons = vec![format!("no document contains `{}`", "w".repeat(9_000))];
    nothing.absence = Some(Absence { reasons, ..Absence::default() });
    let request = PackRequest { has_object: true, ..budget(400) };
    let packed = pack(&nothing, &files, &request, None).expect("it fits");
    assert!(packed.text.contains("nothing found"), "{}", packed.text);
}

#[test]
fn notes_take_no_places_of_hits_where_the_caller_gave_no_budget() {
    let request = PackRequest { has_object: true, ..PackRequest::default() };
    let alone = response(vec![function(1, 20), function(2, 20)]);
    let mut noted = alone.clone();
    noted.warnings = (0..25).map(|at| format!("`r{at}` is not searched yet: listing")).collect();
    let shown = |response| {
        let packed =
            pack(response, &Holders::default(), &request, None).expect("no budget is given");
        (packed.shown.len(), packed.text)
    };
    let (alone, (count, text)) = (shown(&alone), shown(&noted));
    assert_eq!((count, text.matches("note: ").count()), (alone.0, 25), "{text}");
}
