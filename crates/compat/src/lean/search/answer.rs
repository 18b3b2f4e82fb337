//! Answers of `--as lean`.

use super::scoring::LeanField;

/// Metadata of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LeanSpec {
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
    /// The assignee.
    pub assignee: Option<String>,
    /// The stated description.
    pub description: Option<String>,
    /// Creation time, in seconds since the epoch.
    pub created: Option<i64>,
    /// Time of the last change, in seconds since the epoch.
    pub updated: Option<i64>,
    /// Every other field, in the order of the page.
    pub custom: Vec<(String, String)>,
    /// Root-relative paths of the other pages that belong to it.
    pub pages: Vec<String>,
}

impl LeanSpec {
    /// The path that lean-spec publishes: the folder of a spec that is a folder.
    pub(crate) fn folder(&self) -> &str {
        let folder = self.path.strip_suffix("/README.md");
        folder.filter(|_| self.format == "lean-spec").unwrap_or(&self.path)
    }
}

/// One match in a spec.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LeanMatch {
    /// The field that matches.
    pub field: LeanField,
    /// The match with its context, on one line.
    pub text: String,
    /// Its score alone, 0..=100.
    pub score: u8,
    /// Characters (Unicode scalar values) of `text` that match, end exclusive, ascending.
    pub highlights: Vec<(usize, usize)>,
    /// For the content: the line in the file, 1-based.
    pub line: Option<u32>,
    /// The page, if it is not the main page of the spec.
    pub page: Option<String>,
}

/// A spec that matches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LeanHit {
    /// The spec.
    pub spec: LeanSpec,
    /// 0..=100; the order of hits is that of the score before it was cut at 100.
    pub score: u8,
    /// Mentions by field, without fields that have none, in the order of [`LeanField::ALL`].
    pub mentions: Vec<(LeanField, usize)>,
    /// At most five matches, best first; no two of the content nearer than four lines.
    pub matches: Vec<LeanMatch>,
    /// Words of the query that are not in the spec, as typed.
    pub missing: Vec<String>,
}

impl LeanHit {
    /// Mentions in all fields.
    pub(crate) fn total_matches(&self) -> usize {
        self.mentions.iter().map(|(_, count)| count).sum()
    }
}

/// The answer of a search by the rule of lean-spec.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LeanAnswer {
    /// The specs that match the query, best first.
    pub hits: Vec<LeanHit>,
    /// Number of matching specs, including those after the limit.
    pub total: usize,
    /// If there is no hit: up to three specs with most of the words.
    pub partial: Vec<LeanHit>,
    /// If there is no hit: words that are in no spec, each with a word of similar spelling.
    pub near: Vec<(String, String)>,
    /// The words and phrases that rank, as typed.
    pub words: Vec<String>,
    /// Number of specs that the filters accept.
    pub searched: usize,
    /// Parts of the query that may have been misread, one line each.
    pub warnings: Vec<String>,
    /// Milliseconds from the request to the answer, reading included.
    pub elapsed_ms: f64,
}
