//! Tests that no match is missed: phrases in the index, literal texts in the files.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make folders, and a failure there is a failed test"
)]

use std::{collections::BTreeSet, fs};

use lore_engine::{
    CachePlace, Embedding, Engine, EngineConfig, Overlays, Parsers, PatternKind, Progress,
    RankingConfig, SearchRequest,
};
use lore_schema::SourceName;
use proptest::prelude::*;
use tempfile::TempDir;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}
    fn note(&self, _: &str) {}
}

/// Pieces of texts: joined words, words of other scripts, punctuation, joiners and line ends.
const PIECES: &[&str] = &[
    "token",
    "Refresh",
    "getUser",
    "get_user",
    "the",
    "x1",
    "ÉTUDE",
    "e\u{301}tude",
    "节点",
    "🦀",
    "İ",
    "half½",
    " ",
    " ",
    " ",
    " ",
    "\n",
    "\n// ",
    "-",
    "_",
    "__",
    ".",
    "(",
    "\"",
    "---\n",
    "key: ",
    "# ",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 1..30).prop_map(|pieces| pieces.concat())
}

const NAMES: &[&str] = &["a.rs", "b.md", "c.txt", "d.py", "docs/e.md", "specs/001-f/README.md"];

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || ('\u{300}'..='\u{36f}').contains(&character)
}

fn is_cjk(character: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&character)
}

/// Returns true if the text contains the phrase in any letter case, with no letter beside its ends: the
/// simplest implementation.
fn holds(text: &str, phrase: &str) -> bool {
    let fold = |text: &str| -> Vec<char> {
        text.chars().map(|c| if c.is_ascii() { c.to_ascii_lowercase() } else { c }).collect()
    };
    let (text, phrase) = (fold(text), fold(phrase));
    let is_edge = |inside: char, outside: Option<&char>| {
        !is_word(inside) || is_cjk(inside) || outside.is_none_or(|c| !is_word(*c))
    };
    (0..text.len()).any(|at| {
        text[at..].starts_with(&phrase)
            && is_edge(phrase[0], at.checked_sub(1).map(|before| &text[before]))
            && is_edge(phrase[phrase.len() - 1], text.get(at + phrase.len()))
    })
}

fn engine(folder: &TempDir, texts: &[String]) -> Engine {
    for (name, text) in NAMES.iter().zip(texts) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Engine::open(EngineConfig {
        root: folder.path().to_owned(),
        at: None,
        stored: None,
        backend: lore_engine::default_backend(),
        cache: CachePlace::Memory,
        write: true,
        hidden: true,
        max_file_size: 1 << 20,
        commits: Some(100),
        custom: lore_engine::CustomSources::none(),
        threads: 2,
        secrets: lore_engine::Secrets::Redacted,
        exports: Vec::new(),
        ranking: RankingConfig::default(),
        embedding: Embedding::Embedded,
        parsers: Parsers::in_process(),
        overlays: Overlays::default(),
        limits: lore_engine::Limits::none(),
        commit_interval: EngineConfig::COMMIT_INTERVAL,
    })
    .unwrap()
}

fn paths(engine: &Engine, request: &SearchRequest) -> BTreeSet<String> {
    let response = engine.search(request, &Silent).unwrap();
    response.hits.into_iter().filter_map(|hit| hit.path).collect()
}

fn quoted(phrase: &str) -> String {
    format!("\"{}\"", phrase.replace('\\', "\\\\").replace('"', "\\\""))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_file_with_a_phrase_or_text_is_found(
        texts in prop::collection::vec(text(), NAMES.len()),
        of in 0..NAMES.len(),
        from in 0.0_f64..1.0,
        length in 1_usize..24,
    ) {
        let folder = TempDir::new().unwrap();
        let engine = engine(&folder, &texts);
        let characters: Vec<char> = texts[of].chars().collect();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a text")]
        let start = (from * characters.len() as f64) as usize;
        let part: String = characters[start..].iter().take(length).collect();

        let phrase = part.trim();
        if phrase.chars().any(char::is_alphanumeric) {
            let request = SearchRequest::new(quoted(phrase)).with_limit(1_000);
            let found = paths(&engine, &request);
            for (name, text) in NAMES.iter().zip(&texts).filter(|(_, text)| holds(text, phrase)) {
                prop_assert!(found.contains(*name), "{:?} in {:?} of {}", phrase, text, name);
            }
        }

        let literal = SearchRequest::new(part.as_str()).with_pattern(PatternKind::Literal).with_case_sensitive(true).with_limit(1_000);
        let found = paths(&engine, &literal);
        let expected: BTreeSet<String> = NAMES
            .iter()
            .zip(&texts)
            .filter(|(_, text)| text.contains(&part))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        prop_assert_eq!(found, expected, "{:?}", part);
    }
}
