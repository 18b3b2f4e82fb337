//! The lexical floor: ranks spec nodes for a question by a published rule, without an index.
//!
//! Every word of the query is scored by the best field of a node that contains it (a word of the
//! name, a part of the name, the description, the body), weighed by how rare the word is, cut at a
//! ceiling, and summed. Nothing is stored between two calls.
//!
//! **Invariant:** pure. No I/O, no clock; the caller measures the time.

mod nearest;
mod snippet;
#[cfg(test)]
mod tests;
mod words;

use lore_engine::documents::governed_code;
use lore_schema::{Document, SourceName};

use self::words::{Matching, Terms, visit_words};
use super::answer::{SpecAnswer, SpecHit};

/// A spec in the form that the rule scores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Node {
    /// Identifier; its words count as name.
    pub(crate) id: String,
    /// Title; its words count as name.
    pub(crate) title: String,
    /// Root-relative path of its file.
    pub(crate) path: String,
    /// One-paragraph description; empty where the format has none.
    pub(crate) description: String,
    /// The text without its metadata.
    pub(crate) body: String,
    /// The code that it governs; no part of the ranking.
    pub(crate) code: Vec<String>,
}

/// The constants of the rule. Each is on a plateau: 25 % more or less moves at most one question
/// of the project that the rule comes from out of the first three results.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rule {
    /// Weight of a query word that starts a word of the name. Far above the description, since a
    /// name is chosen to describe the node.
    name_prefix: f64,
    /// Weight of a query word somewhere inside the name.
    name_part: f64,
    /// Weight of a query word in the description: above one mention in the body.
    description: f64,
    /// Weight of a query word in the body, before term frequency.
    body: f64,
    /// Saturation of repeated mentions.
    k1: f64,
    /// Strength of length normalisation. Below the usual 0.75: a long spec is long because there
    /// is much to say.
    b: f64,
    /// Least share of the weight for a word that starts a much longer word of the name. Such a word
    /// weighs more than one inside the name.
    coverage_floor: f64,
    /// Most that one query word adds if it starts a word of the name: one whole word of a name.
    /// Without it a rare word outweighs three fitting ones.
    ceiling: f64,
    /// The same for a word inside the name, and for the other fields. A little lower, so that the
    /// order of the fields holds for rare words in a large tree, too.
    part_ceiling: f64,
    prose_ceiling: f64,
}

const RULE: Rule = Rule {
    name_prefix: 8.0,
    name_part: 5.0,
    description: 2.2,
    body: 1.0,
    k1: 1.2,
    b: 0.4,
    coverage_floor: 0.65,
    ceiling: 8.0,
    part_ceiling: 7.75,
    prose_ceiling: 7.5,
};

/// The nodes among documents, in their order: everything that the specs source yields.
pub(crate) fn nodes(documents: &[Document]) -> Vec<Node> {
    documents
        .iter()
        .filter(|document| document.key.source == SourceName::Specs)
        .map(|document| {
            let id = document.attributes.id.as_ref().unwrap_or(&document.key.locator);
            let title = if document.title.is_empty() { id } else { &document.title };
            Node {
                id: id.clone(),
                title: title.clone(),
                path: document.path.clone(),
                description: document.attributes.description.clone().unwrap_or_default(),
                body: content(document),
                code: governed_code(document).map(str::to_owned).collect(),
            }
        })
        .collect()
}

/// The text of a document without its metadata ranges.
fn content(document: &Document) -> String {
    let mut content = String::with_capacity(document.text.len());
    let mut start = 0;
    for range in &document.metadata {
        content.push_str(document.text.get(start..range.start).unwrap_or_default());
        start = start.max(range.end);
    }
    content.push_str(document.text.get(start..).unwrap_or_default());
    content
}

/// Ranks nodes for a query: at most `limit` hits, best first. `compute_ms` is left at 0.
///
/// The inverse document frequency is `ln(nodes / nodes with the word)`, so a word that is in every
/// node scores zero and finds nothing, except in a tree of a single node. Ties are
/// broken by the shorter, then the smaller identifier.
pub(crate) fn rank(nodes: &[Node], query: &str, limit: usize) -> SpecAnswer {
    rank_by(&RULE, nodes, query, limit)
}

fn rank_by(rule: &Rule, nodes: &[Node], query: &str, limit: usize) -> SpecAnswer {
    let terms = Terms::of(query);
    let scan = Scan::of(rule, nodes, &terms);
    let mut ranked: Vec<(f64, &Node)> = nodes
        .iter()
        .enumerate()
        .map(|(position, node)| (scan.score(rule, position), node))
        .filter(|(score, _)| 0.0 < *score)
        // Scores are compared as shown: a third decimal is noise.
        .map(|(score, node)| ((score * 100.0).round().max(1.0) / 100.0, node))
        .collect();
    ranked.sort_by(|(left_score, left), (right_score, right)| {
        right_score
            .total_cmp(left_score)
            .then_with(|| left.id.chars().count().cmp(&right.id.chars().count()))
            .then_with(|| left.id.cmp(&right.id))
            .then_with(|| left.path.cmp(&right.path))
    });
    let nearest =
        if ranked.is_empty() { nearest::nearest_titles(nodes, &terms) } else { Vec::new() };
    let hits = ranked
        .into_iter()
        .take(limit)
        .map(|(score, node)| SpecHit {
            id: node.id.clone(),
            title: node.title.clone(),
            path: node.path.clone(),
            score,
            snippet: snippet::snippet(&node.description, &node.body, &terms),
            code: node.code.clone(),
        })
        .collect();
    SpecAnswer { hits, nearest, nodes: nodes.len(), tokens: scan.tokens, compute_ms: 0.0 }
}

/// The matches of one query word in one node.
#[derive(Debug, Clone, Copy, Default)]
struct Evidence {
    /// Weight of the name tier, 0 if the name does not hold the word.
    name: f64,
    /// True if it starts a word of the name.
    starts_name: bool,
    /// True if the description contains it.
    description: bool,
    /// Mentions in the body.
    mentions: u32,
}

impl Evidence {
    fn is_some(&self) -> bool {
        0.0 < self.name || self.description || 0 < self.mentions
    }
}

/// One pass over every node: what each holds of the query, and the statistics of the whole.
struct Scan {
    /// One value for each node and term, terms innermost.
    evidence: Vec<Evidence>,
    /// Words of the description and of the body of each node.
    lengths: Vec<(usize, usize)>,
    /// Mean of `lengths`, at least one word.
    average: (f64, f64),
    /// Inverse document frequency of each term.
    rarity: Vec<f64>,
    /// Words in all nodes, names included.
    tokens: usize,
}

impl Scan {
    fn of(rule: &Rule, nodes: &[Node], terms: &Terms) -> Scan {
        let mut evidence = vec![Evidence::default(); nodes.len() * terms.len()];
        let mut lengths = Vec::with_capacity(nodes.len());
        let mut tokens = 0;
        let mut frequencies = vec![0_u32; terms.len()];
        for (position, node) in nodes.iter().enumerate() {
            let row = &mut evidence[position * terms.len()..(position + 1) * terms.len()];
            tokens += read_name(rule, node, terms, row);
            let mut description = 0;
            visit_words(&node.description, |_, word| {
                description += 1;
                for (term, _) in terms.matching(word, Matching::BothWays) {
                    row[term].description = true;
                }
            });
            let mut body = 0;
            visit_words(&node.body, |_, word| {
                body += 1;
                for (term, _) in terms.matching(word, Matching::BothWays) {
                    row[term].mentions += 1;
                }
            });
            for (found, frequency) in row.iter().zip(&mut frequencies) {
                *frequency += u32::from(found.is_some());
            }
            tokens += description + body;
            lengths.push((description, body));
        }
        let count = nodes.len().max(1) as f64;
        let average = (
            (lengths.iter().map(|length| length.0).sum::<usize>() as f64 / count).max(1.0),
            (lengths.iter().map(|length| length.1).sum::<usize>() as f64 / count).max(1.0),
        );
        let rarity = frequencies
            .iter()
            .map(|frequency| match nodes.len() {
                // Nothing to compare with: every word that is there counts alike.
                1 => 1.0,
                _ => (count / f64::from((*frequency).max(1))).ln(),
            })
            .collect();
        Scan { evidence, lengths, average, rarity, tokens }
    }

    /// Sum over the terms of the best field of the node at `position`.
    fn score(&self, rule: &Rule, position: usize) -> f64 {
        let (description, body) = self.lengths[position];
        let description_norm = norm(rule, description, self.average.0);
        let body_norm = norm(rule, body, self.average.1);
        let terms = self.rarity.len();
        self.evidence[position * terms..(position + 1) * terms]
            .iter()
            .zip(&self.rarity)
            .map(|(found, rarity)| {
                let of_description = if found.description {
                    // A description that lists everything says less than a short one.
                    rule.description * saturate(rule, 1.0, description_norm)
                } else {
                    0.0
                };
                let of_body = rule.body * saturate(rule, f64::from(found.mentions), body_norm);
                let ceiling = if found.starts_name { rule.ceiling } else { rule.part_ceiling };
                let of_name = (found.name * rarity).min(ceiling);
                let of_prose = of_description.max(of_body) * rarity;
                of_name.max(of_prose.min(rule.prose_ceiling))
            })
            .sum()
    }
}

/// Fills the name tier of every term and returns the number of words of the name.
fn read_name(rule: &Rule, node: &Node, terms: &Terms, row: &mut [Evidence]) -> usize {
    let mut words = 0;
    let mut folded = String::with_capacity(node.title.len() + node.id.len() + 2);
    for name in [&node.title, &node.id] {
        visit_words(name, |_, word| {
            words += 1;
            for (position, term) in terms.matching(word, Matching::Forward) {
                let share = term.coverage(word).max(rule.coverage_floor);
                row[position].name = row[position].name.max(rule.name_prefix * share);
                row[position].starts_name = true;
            }
        });
        folded.extend(name.chars().flat_map(char::to_lowercase));
        folded.push(' ');
    }
    for (term, found) in terms.iter().zip(row.iter_mut()) {
        if found.name < rule.name_part && folded.contains(term.text.as_str()) {
            found.name = rule.name_part;
        }
    }
    words
}

/// The denominator's constant of BM25 for a text of `length` words.
fn norm(rule: &Rule, length: usize, average: f64) -> f64 {
    rule.k1 * (1.0 - rule.b + rule.b * length as f64 / average)
}

/// Saturated term frequency: 0 without a mention, 1 for one mention in a text of average length.
fn saturate(rule: &Rule, mentions: f64, norm: f64) -> f64 {
    if mentions <= 0.0 { 0.0 } else { mentions * (rule.k1 + 1.0) / (mentions + norm) }
}
