//! The answer to a search, as agents are sent it: under a budget, with totals and a cursor.
//!
//! The same answer goes out twice, as text for the model and as an object for programs, which the
//! schema of the tool describes. The budget holds for each of them.

use std::{fmt::Write as _, io};

use lore_engine::{Absence, Freshness, Hit, SearchResponse, Snippet};
use serde_json::{Value, json};

use super::{failure::Failure, tools::Given};
use crate::{
    budget::{self, Level, Sheet, Spending, Unfit},
    output::{self, text},
    tokens::Tokenizer,
};

/// Tokens of an answer where nothing is said.
pub(crate) const TOKENS: usize = 2_000;

/// Most tokens of an answer.
pub(crate) const MOST_TOKENS: usize = 8_000;

/// Fewest tokens that can be asked for.
pub(crate) const FEWEST_TOKENS: usize = 200;

/// Which part of an answer is sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    /// Hits before it, which were sent already.
    pub(crate) offset: usize,
    /// Most hits of it.
    pub(crate) limit: usize,
    /// Most tokens of it.
    pub(crate) tokens: usize,
    /// What a cursor to the next part belongs to.
    pub(crate) question: u64,
}

/// Writes a part of an answer, whose hits begin with those that were sent already. It has one more
/// than the part where there are more.
pub(crate) fn answer(response: &SearchResponse, part: Part) -> Result<Given, Failure> {
    let rest = response.hits.get(part.offset..).unwrap_or_default();
    let hits = &rest[..part.limit.min(rest.len())];
    let page = Page { response, hits, part, is_last: rest.len() <= part.limit };
    match budget::fit(&page, part.tokens, Tokenizer::O200k) {
        Ok(fitted) => {
            let structured = page.structured(&fitted.levels);
            Ok(Given { text: page.text(&fitted.levels), structured: Some(structured) })
        }
        Err(Unfit::TooSmall { least }) => Err(Failure::new(format!(
            "{} tokens do not hold the answer, which has at least {least}",
            part.tokens
        ))
        .remedy(format!("ask for {{\"max_tokens\": {}}}", least.next_multiple_of(100)))),
        Err(Unfit::Unwritten(error)) => Err(Failure::new(format!("could not write: {error}"))),
    }
}

/// What the objects look like.
pub(crate) fn schema() -> Value {
    let text_or_null = json!({"type": ["string", "null"]});
    let number_or_null = json!({"type": ["integer", "null"]});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let hit = object(&[
        ("rank", json!({"type": "integer"})),
        ("id", json!({"type": "string"})),
        ("kind", json!({"type": "string"})),
        ("path", text_or_null.clone()),
        ("startLine", number_or_null.clone()),
        ("endLine", number_or_null),
        ("score", json!({"type": "number"})),
        ("text", text_or_null.clone()),
    ]);
    let absence = object(&[("reasons", texts.clone()), ("nearest", texts.clone())]);
    object(&[
        ("hits", json!({"type": "array", "items": hit})),
        ("shown", json!({"type": "integer"})),
        ("total", json!({"type": "integer"})),
        ("nextCursor", text_or_null.clone()),
        ("absence", json!({"anyOf": [{"type": "null"}, absence]})),
        ("root", json!({"type": "string"})),
        ("tree", text_or_null),
        ("fresh", json!({"type": "string"})),
        ("notes", texts),
    ])
}

/// An object that has all of these fields and no others.
pub(crate) fn object(fields: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

struct Page<'a> {
    response: &'a SearchResponse,
    /// The hits of the part.
    hits: &'a [Hit],
    part: Part,
    /// Whether no hit comes after these.
    is_last: bool,
}

impl Page<'_> {
    /// Where the next part begins; `None` after the last one.
    fn next(&self, levels: &[Level]) -> Option<String> {
        let shown = shown(levels);
        // A part of which not even the first hit fits would come again for ever.
        let more = shown < self.hits.len() || !self.is_last;
        (more && 0 < shown).then(|| cursor(self.part.offset + shown, self.part.question))
    }

    fn structured(&self, levels: &[Level]) -> Value {
        let receipt = &self.response.receipt;
        let hits: Vec<Value> =
            self.shown_hits(levels).map(|(hit, level)| structured(hit, level)).collect();
        json!({
            "hits": hits,
            "shown": shown(levels),
            "total": receipt.total,
            "nextCursor": self.next(levels),
            "absence": self.response.absence.as_ref().map(absence),
            "root": receipt.root.display().to_string(),
            "tree": receipt.tree,
            "fresh": fresh(receipt.fresh),
            "notes": self.notes(),
        })
    }

    fn shown_hits<'a>(&'a self, levels: &'a [Level]) -> impl Iterator<Item = (&'a Hit, Level)> {
        self.hits.iter().zip(levels.iter().copied()).take(shown(levels))
    }

    /// What the model should know of the answer.
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.response.warnings.clone();
        for expansion in &self.response.receipt.expanded {
            notes.push(format!("`{}` finds {}, too", expansion.word, expansion.added.join(", ")));
        }
        notes
    }

    fn text(&self, levels: &[Level]) -> String {
        let receipt = &self.response.receipt;
        let mut out = String::new();
        let (first, last) = (self.part.offset + 1, self.part.offset + shown(levels));
        let of = output::plural(receipt.total, "document", "documents");
        let tree = receipt.tree.as_deref().map(|tree| format!(", tree {tree}")).unwrap_or_default();
        let fresh = fresh(receipt.fresh);
        if self.hits.is_empty() {
            let _ = writeln!(out, "no hits; {of} matched{tree}, {fresh}");
        } else {
            let _ = writeln!(out, "hits {first}-{last}, {of} matched{tree}, {fresh}");
        }
        for (hit, level) in self.shown_hits(levels) {
            let _ = writeln!(out, "\n{}. {}", hit.rank, heading(hit));
            if let Some(shown) = shown_text(hit, level) {
                let _ = writeln!(out, "{shown}");
            }
        }
        if let Some(absence) = &self.response.absence {
            for reason in &absence.reasons {
                let _ = writeln!(out, "{}", text::clean(reason));
            }
            if !absence.nearest.is_empty() {
                let _ = writeln!(out, "near are: {}", text::clean(&absence.nearest.join(", ")));
            }
        }
        for note in self.notes() {
            let _ = writeln!(out, "note: {}", text::clean(&note));
        }
        if let Some(cursor) = self.next(levels) {
            let _ = writeln!(out, "\nmore: {{\"cursor\": \"{cursor}\"}}");
        }
        out.truncate(out.trim_end().len());
        out
    }
}

impl Sheet for Page<'_> {
    fn results(&self) -> usize {
        self.hits.len()
    }

    fn render(&self, levels: &[Level], _: &Spending) -> io::Result<String> {
        // Keys and escapes make the object the longer one, but for answers of a few words.
        let (text, object) = (self.text(levels), self.structured(levels).to_string());
        Ok(if object.len() < text.len() { text } else { object })
    }
}

/// Number of hits that are shown; dropped ones are the last.
fn shown(levels: &[Level]) -> usize {
    levels.iter().take_while(|level| **level != Level::Dropped).count()
}

fn fresh(fresh: Freshness) -> String {
    match fresh {
        Freshness::Verified => "verified".to_owned(),
        Freshness::Partial(pending) => format!("partial({pending} pending)"),
    }
}

fn structured(hit: &Hit, level: Level) -> Value {
    json!({
        "rank": hit.rank,
        "id": hit.id,
        "kind": hit.kind,
        "path": hit.path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        // JSON has no other numbers.
        "score": if hit.score.is_finite() { (f64::from(hit.score) * 1e3).round() / 1e3 } else { 0.0 },
        "text": shown_text(hit, level),
    })
}

fn absence(absence: &Absence) -> Value {
    json!({"reasons": absence.reasons, "nearest": absence.nearest})
}

/// Where a hit is, and what.
fn heading(hit: &Hit) -> String {
    let place = match (&hit.path, hit.start_line, hit.end_line) {
        (Some(path), Some(start), Some(end)) => format!("{path}:{start}-{end}"),
        (Some(path), ..) => path.clone(),
        (None, ..) => hit.id.clone(),
    };
    text::clean(&format!("{place}  {} {}", hit.kind, hit.title))
}

/// As much of a hit's text as its level shows.
fn shown_text(hit: &Hit, level: Level) -> Option<String> {
    let whole = |snippet: &Snippet| Some(text::clean_lines(&snippet.text));
    let shown = match level {
        Level::Body => whole(hit.body.as_ref().unwrap_or(&hit.snippet)),
        Level::Snippet => whole(&hit.snippet),
        Level::Signature => hit.signature.as_deref().map(text::clean),
        Level::Path | Level::Dropped => None,
    };
    shown.filter(|text| !text.trim().is_empty())
}

/// A cursor: how many were sent, and of which question.
pub(crate) fn cursor(offset: usize, question: u64) -> String {
    format!("{offset}-{question:016x}")
}

/// How many were sent before this cursor of a question.
pub(crate) fn offset(cursor: &str, question: u64) -> Result<usize, Failure> {
    let remedy = "leave `cursor` out to begin again, or repeat the question that it came with";
    let parts = cursor.split_once('-').and_then(|(offset, mark)| {
        Some((offset.parse().ok()?, u64::from_str_radix(mark, 16).ok()?))
    });
    match parts {
        Some((offset, mark)) if mark == question => Ok(offset),
        Some(_) => Err(Failure::new("the cursor belongs to another question").remedy(remedy)),
        None => Err(Failure::new(format!("`{cursor}` is no cursor")).remedy(remedy)),
    }
}

/// What a cursor belongs to: the name of the tool and all that was asked but where to go on.
pub(crate) fn mark(tool: &str, given: &serde_json::Map<String, Value>) -> u64 {
    use sha2::{Digest as _, Sha256};

    let mut names: Vec<&String> = given.keys().collect();
    names.retain(|name| !matches!(name.as_str(), "cursor" | "max_tokens"));
    names.sort();
    let mut hash = Sha256::new();
    hash.update(tool);
    for name in names {
        hash.update([0]);
        hash.update(name);
        hash.update([0]);
        hash.update(given[name].to_string());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    u64::from_be_bytes(first)
}

/// Tokens that an answer may have.
pub(crate) fn tokens(asked: Option<usize>) -> usize {
    asked.unwrap_or(TOKENS).clamp(FEWEST_TOKENS, MOST_TOKENS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mcp::arguments::check, output::fixture};

    fn part(offset: usize, limit: usize, tokens: usize) -> Part {
        Part { offset, limit, tokens, question: 7 }
    }

    #[test]
    fn the_object_is_what_the_schema_says() {
        for response in [fixture::response(), fixture::nothing(), fixture::hostile()] {
            let given = answer(&response, part(0, 10, TOKENS)).expect("it fits");
            let object = given.structured.expect("an object");
            check(&schema(), &object, "answer").expect("it fits the schema");
            assert_eq!(object["shown"], response.hits.len());
            assert_eq!(object["nextCursor"], Value::Null);
        }
    }

    #[test]
    fn the_tokens_hold_for_the_text_and_the_object() {
        let mut response = fixture::response();
        for hit in &mut response.hits {
            hit.snippet.text = "let \"quoted\" = \\escaped;\n".repeat(40);
            hit.body = None;
        }
        for tokens in [FEWEST_TOKENS, 300, 450, 700] {
            let given = match answer(&response, part(0, 10, tokens)) {
                Ok(given) => given,
                Err(failure) => {
                    assert!(failure.text().contains("max_tokens"), "{}", failure.text());
                    continue;
                }
            };
            let object = given.structured.expect("an object");
            assert!(Tokenizer::O200k.count(&given.text) <= tokens, "{}", given.text);
            assert!(Tokenizer::O200k.count(&object.to_string()) <= tokens, "{object}");
        }
    }

    #[test]
    fn parts_follow_each_other() {
        let mut response = fixture::response();
        while response.hits.len() < 5 {
            let mut hit = response.hits[0].clone();
            hit.rank = response.hits.len() + 1;
            response.hits.push(hit);
        }
        response.hits.truncate(5);
        let mut seen = Vec::new();
        let mut at = 0;
        loop {
            // As the engine is asked: one more than the part has.
            let asked = SearchResponse {
                hits: response.hits.iter().take(at + 2 + 1).cloned().collect(),
                ..response.clone()
            };
            let given = answer(&asked, part(at, 2, MOST_TOKENS)).expect("it fits");
            let object = given.structured.expect("an object");
            seen.extend(
                object["hits"].as_array().expect("hits").iter().map(|hit| hit["rank"].clone()),
            );
            let Some(cursor) = object["nextCursor"].as_str() else { break };
            at = offset(cursor, 7).expect("it is the same question");
        }
        let ranks: Vec<Value> = response.hits.iter().map(|hit| json!(hit.rank)).collect();
        assert_eq!(seen, ranks);
        assert!(offset("2-0000000000000008", 7).is_err());
    }
}
