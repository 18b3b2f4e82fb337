//! The lines above the hits that say how the query was read: words that were replaced, and a warning
//! that no hit may be an answer.

use lore_console::text;
use lore_engine::{GraphPart, SearchResponse};

/// Maximum number of columns of a word; longer words are cut.
const MAX_WORD_WIDTH: usize = 100;

/// The lines above the hits of an answer; none without hits.
pub fn notices(response: &SearchResponse) -> Vec<String> {
    if response.hits.is_empty() {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let quoted = |word: &str| format!("`{}`", text::cut(&text::clean(word), MAX_WORD_WIDTH));
    let corrected = &response.receipt.corrected;
    if !corrected.is_empty() {
        let shown: Vec<String> = corrected.iter().map(|word| quoted(&word.shown)).collect();
        let typed = corrected.iter().map(|word| quoted(&format!("\"{}\"", word.typed)));
        let typed: Vec<String> = typed.collect();
        let (shown, typed) = (shown.join(", "), typed.join(" "));
        lines.push(format!("showing results for {shown}; search instead for {typed}"));
    }
    if let Some(graph) = &response.receipt.graph {
        let GraphPart { question, shown, total } = graph;
        let question = text::clean(question);
        lines.push(if shown < total {
            format!("{question}: {shown} of {total}; `lore research \"{question}\"` shows all")
        } else {
            format!("{question}: {total}; `lore research \"{question}\"` shows the edges")
        });
    }
    if response.receipt.weak {
        let unknown = response.absence.as_ref().map(|absence| &absence.unknown_words[..]);
        let unknown: Vec<String> =
            unknown.unwrap_or_default().iter().map(|word| quoted(word)).collect();
        lines.push(if unknown.is_empty() {
            "no passage here contains enough of the question; closest:".to_owned()
        } else {
            format!("nothing here mentions {}; closest:", unknown.join(" or "))
        });
    }
    lines
}
