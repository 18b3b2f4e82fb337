//! Selection of the repositories that a question is about, when a cluster has more of them than a question
//! can be answered over.
//!
//! The score of a repository is that of its best document: the sum of the idf of the query's words that the
//! document contains. Both the idf and the documents are those of the allowed repositories alone, so that
//! the choice reveals nothing about others. Two requests, whatever the number of repositories.

use lore_schema::{Field, Level, SourceName};
use serde_json::{Value, json};

use super::{
    OpenSearchBackend,
    snapshot::total,
    terms::{CONTAINED, column, contained, word},
};
use crate::IndexError;

/// Maximum number of words of a query that are looked up.
const MAX_WORDS: usize = 40;

impl OpenSearchBackend {
    /// Selects at most `limit` of these repositories, best first. `words` are those of a query, as they are in
    /// the index. Repositories without any of the words are not selected.
    ///
    /// # Errors
    /// [`IndexError`] if the cluster does not answer.
    pub fn select(
        &self,
        words: &[String],
        repositories: &[String],
        limit: usize,
    ) -> Result<Vec<String>, IndexError> {
        let words: Vec<Value> =
            words.iter().filter_map(|term| condition(term)).take(MAX_WORDS).collect();
        if words.is_empty() || repositories.is_empty() || !self.cluster.exists()? {
            return Ok(Vec::new());
        }
        let key = |name: &String, source: &SourceName| format!("{name}/{}", source.as_str());
        let keys: Vec<String> = repositories
            .iter()
            .flat_map(|name| SourceName::ALL.iter().map(move |source| key(name, source)))
            .collect();
        let allowed = [json!({"terms": {"key": keys}}), json!({"term": {"row": "document"}})];
        let (all, counts) = self.count(&allowed, &words)?;
        let scored: Vec<Value> = words
            .into_iter()
            .zip(counts)
            .map(|(word, count)| {
                json!({"constant_score": {"filter": word, "boost": idf(all, count)}})
            })
            .collect();
        let path = format!("{}/_search?allow_partial_search_results=false", self.cluster.alias());
        let body = json!({
            "size": 0, "track_total_hits": false,
            "query": {"bool": {"filter": allowed, "should": scored, "minimum_should_match": 1}},
            "aggs": {"keys": {
                "terms": {
                    "field": "key", "size": keys.len(),
                    "order": [{"best": "desc"}, {"_count": "desc"}],
                },
                "aggs": {"best": {"max": {"script": {"source": "_score"}}}},
            }},
        });
        let found = self.cluster.send("POST", &path, Some(&body))?;
        let mut names: Vec<String> = Vec::new();
        for bucket in found["aggregations"]["keys"]["buckets"].as_array().into_iter().flatten() {
            let key = bucket["key"].as_str().unwrap_or_default();
            let Some((name, _)) = key.rsplit_once('/') else { continue };
            if names.len() < limit && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Counts the allowed documents, all and those with each word. Each count is a request of its own: an
    /// aggregation would compare every document with every word.
    fn count(&self, allowed: &[Value], words: &[Value]) -> Result<(u64, Vec<u64>), IndexError> {
        let mut lines = Vec::new();
        for word in std::iter::once(&json!({"match_all": {}})).chain(words) {
            let filter = [allowed, std::slice::from_ref(word)].concat();
            let body = json!({
                "size": 0, "track_total_hits": true, "query": {"bool": {"filter": filter}},
            });
            lines.extend_from_slice(b"{\"allow_partial_search_results\":false}\n");
            lines.extend_from_slice(body.to_string().as_bytes());
            lines.push(b'\n');
        }
        let alias = self.cluster.alias();
        let path = format!("{alias}/_msearch?filter_path=responses.error,responses.hits.total");
        let answer = self.cluster.send_lines(&path, &lines)?;
        let answers = answer["responses"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(failed) = answers.iter().find(|answer| !answer["error"].is_null()) {
            let reason = failed["error"]["reason"].as_str().unwrap_or("no reason");
            return Err(self.cluster.failed(format!("the cluster could not count: {reason}")));
        }
        if answers.len() != words.len() + 1 {
            return Err(self.cluster.failed("the cluster did not count all words".to_owned()));
        }
        let mut counts = answers.iter().map(total);
        let all = counts.next().unwrap_or(0);
        Ok((all, counts.collect()))
    }
}

/// The condition that a document contains a word in any field; `None` if it cannot be in the index.
fn condition(term: &str) -> Option<Value> {
    let word = word(term)?;
    let of_chunks = Field::ALL.iter().filter(|field| field.level() == Level::Chunk);
    let in_chunks: Vec<String> = of_chunks.map(|field| contained(*field, &word)).collect();
    let in_document = [Field::Title, Field::Path, Field::Names].into_iter();
    let mut any: Vec<Value> =
        in_document.map(|field| json!({"term": {column(field): word}})).collect();
    any.push(json!({"terms": {CONTAINED: in_chunks}}));
    Some(json!({"bool": {"should": any}}))
}

/// Inverse document frequency as in BM25 of Lucene: `ln(1 + (N - n + 0.5) / (n + 0.5))`.
#[expect(clippy::cast_precision_loss, reason = "a weight needs no more digits")]
fn idf(all: u64, count: u64) -> f64 {
    let (all, count) = (all.max(count) as f64, count as f64);
    (1.0 + (all - count + 0.5) / (count + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more() {
        assert!(idf(1_000, 1) > idf(1_000, 10));
        assert!(idf(1_000, 1_000) > 0.0);
        assert!(idf(0, 0).is_finite());
    }

    #[test]
    fn words_that_are_not_indexed_set_no_condition() {
        assert_eq!(condition(&"x".repeat(300)), None);
        assert!(condition("index").is_some());
    }
}
