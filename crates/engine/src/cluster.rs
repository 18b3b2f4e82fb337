//! The repositories of a cluster that a question is about.

use lore_index::{IndexError, OpenSearchBackend};
use lore_text::{analyzer, is_stop_word};

/// Selects at most `limit` of these repositories of a cluster for a question, best first: those with the
/// documents that contain most of its words. All of them, in their order, if they are no more than `limit`;
/// the first ones if the question has no word.
///
/// # Errors
/// [`IndexError`] if the cluster does not answer.
pub fn select_repositories(
    cluster: &OpenSearchBackend,
    question: &str,
    repositories: &[String],
    limit: usize,
) -> Result<Vec<String>, IndexError> {
    if repositories.len() <= limit {
        return Ok(repositories.to_vec());
    }
    let words = words(question);
    if words.is_empty() {
        return Ok(repositories[..limit].to_vec());
    }
    cluster.select(&words, repositories, limit)
}

/// The words of a question as they are in the index: the parts of names, and whole names.
fn words(question: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    analyzer("code").analyze(question, &mut |token| {
        if !is_stop_word(token.term) && !words.iter().any(|word| word == token.term) {
            words.push(token.term.to_owned());
        }
    });
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn stop_words_and_repetitions_select_nothing() {
        let found = words("where is the `retry_budget` of the retry_budget, please");
        assert_eq!(found, ["retry", "budget", "retrybudget", "please"]);
        assert_eq!(words("the is of"), [""; 0]);
    }
}
