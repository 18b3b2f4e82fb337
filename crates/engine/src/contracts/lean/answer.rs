//! What is answered under `--as lean`.

use super::scoring::LeanField;

/// What a spec says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeanSpec {
    /// The name of its folder, or the identifier of another format.
    pub name: String,
    /// Root-relative path of its page.
    pub path: String,
    /// Name of its format.
    pub format: &'static str,
    /// The title.
    pub title: String,
    /// The status, as written.
    pub status: Option<String>,
    /// The priority, as written.
    pub priority: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// Who it is assigned to.
    pub assignee: Option<String>,
    /// The stated description.
    pub description: Option<String>,
    /// When it was made, in seconds since the epoch.
    pub created: Option<i64>,
    /// When it was last changed, in seconds since the epoch.
    pub updated: Option<i64>,
    /// Every other field, in the order of the page.
    pub custom: Vec<(String, String)>,
    /// Root-relative paths of the other pages that belong to it.
    pub pages: Vec<String>,
}

/// One place in a spec that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct LeanMatch {
    /// Where.
    pub field: LeanField,
    /// The match with its surroundings, on one line.
    pub text: String,
    /// Its score alone, 0..=100.
    pub score: u8,
    /// Characters (Unicode scalar values) of `text` that match, end exclusive, ascending.
    pub highlights: Vec<(usize, usize)>,
    /// For the content: the line in the file, 1-based.
    pub line: Option<u32>,
    /// The page, where it is not that of the spec itself.
    pub page: Option<String>,
}

/// A spec that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct LeanHit {
    /// The spec.
    pub spec: LeanSpec,
    /// 0..=100; the order of hits is that of the score before it was cut at 100.
    pub score: u8,
    /// Mentions by field, fields without one left out, in the order of [`LeanField::ALL`].
    pub mentions: Vec<(LeanField, usize)>,
    /// At most five matches, best first; no two of the content nearer than four lines.
    pub matches: Vec<LeanMatch>,
    /// Words of the query that the spec does not hold, as typed.
    pub missing: Vec<String>,
}

impl LeanHit {
    /// Mentions in all fields.
    pub fn total_matches(&self) -> usize {
        self.mentions.iter().map(|(_, count)| count).sum()
    }
}

/// The answer of a search by the rule of lean-spec.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LeanAnswer {
    /// The specs of which the query holds, best first.
    pub hits: Vec<LeanHit>,
    /// How many there are, those behind the limit included.
    pub total: usize,
    /// Where there is no hit: up to three specs with the most of the words.
    pub partial: Vec<LeanHit>,
    /// Where there is no hit: words that no spec holds, and a word that is spelled nearly so.
    pub near: Vec<(String, String)>,
    /// The words and phrases that rank, as typed.
    pub words: Vec<String>,
    /// Specs that the filters let pass.
    pub searched: usize,
    /// What was read otherwise than it may have been meant, one line each.
    pub warnings: Vec<String>,
    /// Milliseconds from the request to the answer, reading included.
    pub elapsed_ms: f64,
}
