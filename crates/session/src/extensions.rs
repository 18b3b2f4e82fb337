//! Programs of the user's own that take part in a search: one adds words, one reorders hits.
//!
//! Neither can spoil an answer. What a program says is checked, and where it fails or says something
//! else, a warning says so and the answer is the same as without it.

use std::{collections::BTreeMap, time::Duration};

use lore_engine::{Expansion, Hit, SearchRequest, SearchResponse, expandable_words};
use lore_render::{
    output::{Answer, offsets::Offsets},
    wire,
};
use lore_settings::Settings;
use serde::Deserialize;

use crate::program;

/// Most words that a program may add to one word.
const MAX_WORDS: usize = 20;

/// Most characters of an added word.
const MAX_WORD_LENGTH: usize = 100;

/// Output of the program that adds words.
#[derive(Deserialize)]
struct Added {
    add: BTreeMap<String, Vec<String>>,
}

/// Output of the program that reorders hits.
#[derive(Deserialize)]
struct Reordered {
    order: Vec<String>,
}

/// The words that the user's program adds to the query.
pub fn added_words(settings: &Settings, request: &SearchRequest) -> Result<Vec<Expansion>, String> {
    match settings.expand_command() {
        [] => Ok(Vec::new()),
        // A pattern is looked for as it is.
        _ if request.pattern.is_some() => Ok(Vec::new()),
        command => expansions(command, &request.query, settings.command_timeout()),
    }
}

/// Lets the user's program reorder the hits.
pub fn reorder(settings: &Settings, response: &mut SearchResponse) {
    let command = settings.rerank_command();
    if !command.is_empty()
        && let Err(warning) = rerank(command, response, settings.command_timeout())
    {
        response.warnings.push(warning);
    }
}

/// Asks a program for words to add to those of the query.
///
/// # Errors
/// Why nothing is added, as a warning.
pub(super) fn expansions(
    command: &[String],
    query: &str,
    timeout: Duration,
) -> Result<Vec<Expansion>, String> {
    let words = expandable_words(query);
    let mut input = Vec::new();
    let failed = |reason: String| warning("search.expand-cmd", "no words are added", &reason);
    wire::write(&wire::expandable(query, &words), &mut input)
        .map_err(|error| failed(error.to_string()))?;
    let output = program::run(command, input, timeout).map_err(failed)?;
    added(&output, &words).map_err(failed)
}

/// Reads which words to add to which.
fn added(output: &[u8], words: &[String]) -> Result<Vec<Expansion>, String> {
    let Added { add } = serde_json::from_slice(output)
        .map_err(|error| format!("its output is not the expected JSON: {error}"))?;
    add.into_iter()
        .map(|(word, added)| {
            if !words.contains(&word) {
                Err(format!("it adds words to `{word}`, which is not a word of the query"))
            } else if added.len() > MAX_WORDS {
                Err(format!("it adds more than {MAX_WORDS} words to `{word}`"))
            } else if added.iter().any(|word| word.chars().count() > MAX_WORD_LENGTH) {
                Err(format!("it adds a word of more than {MAX_WORD_LENGTH} characters to `{word}`"))
            } else {
                Ok(Expansion { word, added })
            }
        })
        .collect()
}

/// Lets a program reorder the hits of an answer. Those that it does not name come after the others,
/// in their order.
///
/// # Errors
/// Why the order is as it was, as a warning.
pub(super) fn rerank(
    command: &[String],
    response: &mut SearchResponse,
    timeout: Duration,
) -> Result<(), String> {
    if response.hits.len() < 2 {
        return Ok(());
    }
    let mut input = Vec::new();
    let answer = Answer::whole(response, Offsets::default());
    let failed = |reason: String| warning("search.rerank-cmd", "the order is unchanged", &reason);
    wire::write(&wire::search(&answer), &mut input).map_err(|error| failed(error.to_string()))?;
    let output = program::run(command, input, timeout).map_err(failed)?;
    let order = reordered(&output, &response.hits).map_err(failed)?;
    let mut hits: Vec<Option<Hit>> = response.hits.drain(..).map(Some).collect();
    response.hits = order.into_iter().filter_map(|at| hits[at].take()).collect();
    for (position, hit) in response.hits.iter_mut().enumerate() {
        hit.rank = position + 1;
    }
    Ok(())
}

/// Reads an order of the hits: positions, each once.
fn reordered(output: &[u8], hits: &[Hit]) -> Result<Vec<usize>, String> {
    let Reordered { order } = serde_json::from_slice(output)
        .map_err(|error| format!("its output is not the expected JSON: {error}"))?;
    let mut positions: Vec<usize> = Vec::with_capacity(hits.len());
    for id in &order {
        let position = hits
            .iter()
            .enumerate()
            .position(|(at, hit)| hit.id == *id && !positions.contains(&at))
            .ok_or_else(|| format!("it names `{id}`, which is not a hit or was named before"))?;
        positions.push(position);
    }
    let rest: Vec<usize> = (0..hits.len()).filter(|at| !positions.contains(at)).collect();
    positions.extend(rest);
    Ok(positions)
}

fn warning(key: &str, so: &str, reason: &str) -> String {
    format!("the program of `{key}` failed: {reason}; {so}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_render::output::fixture;

    #[test]
    fn words_are_added_only_to_words_of_the_query() {
        let words = ["auth".to_owned(), "flow".to_owned()];
        let read = |output: &str| added(output.as_bytes(), &words);
        let expansion = Expansion { word: "auth".into(), added: vec!["sso".into()] };
        assert_eq!(read(r#"{"add": {"auth": ["sso"]}}"#), Ok(vec![expansion]));
        assert_eq!(read(r#"{"add": {}, "more": 1}"#), Ok(Vec::new()));
        for garbage in ["", "auth sso", "[]", "{}", r#"{"add": {"auth": "sso"}}"#] {
            let error = read(garbage).expect_err("garbage");
            assert!(error.starts_with("its output is not the expected JSON"), "{garbage}: {error}");
        }
        assert!(
            read(r#"{"add": {"token": ["sso"]}}"#).is_err_and(|error| error.contains("`token`"))
        );
        let many = format!(r#"{{"add": {{"auth": [{}"x"]}}}}"#, r#""x", "#.repeat(MAX_WORDS));
        assert!(read(&many).is_err_and(|error| error.contains("more than 20 words")));
        let long = format!(r#"{{"add": {{"auth": ["{}"]}}}}"#, "x".repeat(MAX_WORD_LENGTH + 1));
        assert!(read(&long).is_err_and(|error| error.contains("more than 100 characters")));
    }

    #[test]
    fn hits_are_only_reordered() {
        let hits = fixture::response().hits;
        let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        let read = |order: &[&str]| {
            let output = serde_json::json!({ "order": order }).to_string();
            reordered(output.as_bytes(), &hits)
        };
        assert_eq!(read(&[ids[2], ids[0]]), Ok(vec![2, 0, 1, 3]));
        assert_eq!(read(&[]), Ok(vec![0, 1, 2, 3]));
        assert!(read(&["code:none"]).is_err_and(|error| error.contains("`code:none`")));
        assert!(read(&[ids[1], ids[1]]).is_err());
        assert!(reordered(b"null", &hits).is_err());
    }
}
