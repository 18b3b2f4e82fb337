//! Agent nouns and their verbs: `parser` of `parse`, `selector` of `select`.
//!
//! The stemmer removes `er` only from longer verbs (`scheduler` of `schedule`), since it might be a
//! part of a short word. It keeps `or`, and doubled letters stay doubled (`formatter`). This table
//! lists the agent nouns that are common in texts about programs. Not in the table: words with
//! another meaning (`header`, `user`, `pointer`, `timer`, `folder`, `driver`), nouns of unspecific
//! verbs, and nouns whose verb has forms with another meaning (`worker` of `works`, `helper`,
//! `setter` of `settings`).

use crate::irregular::look_up;

/// The verb of an agent noun, in the singular or the plural; `None` for any other word.
pub(crate) fn verb(word: &str) -> Option<&'static str> {
    look_up(AGENT_NOUNS, word).or_else(|| look_up(AGENT_NOUNS, word.strip_suffix('s')?))
}

/// Agent noun and verb, sorted by the noun. Each noun starts with the common prefix of the verb's
/// forms.
static AGENT_NOUNS: &[(&str, &str)] = &[
    ("blocker", "block"),
    ("builder", "build"),
    ("bundler", "bundle"),
    ("caller", "call"),
    ("catcher", "catch"),
    ("checker", "check"),
    ("cleaner", "clean"),
    ("collector", "collect"),
    ("connector", "connect"),
    ("constructor", "construct"),
    ("controller", "control"),
    ("crawler", "crawl"),
    ("dumper", "dump"),
    ("emitter", "emit"),
    ("executor", "execute"),
    ("extractor", "extract"),
    ("fetcher", "fetch"),
    ("finder", "find"),
    ("flusher", "flush"),
    ("formatter", "format"),
    ("grouper", "group"),
    ("handler", "handle"),
    ("hasher", "hash"),
    ("injector", "inject"),
    ("inspector", "inspect"),
    ("interceptor", "intercept"),
    ("joiner", "join"),
    ("keeper", "keep"),
    ("launcher", "launch"),
    ("lexer", "lex"),
    ("linter", "lint"),
    ("loader", "load"),
    ("logger", "log"),
    ("mapper", "map"),
    ("marshaller", "marshal"),
    ("matcher", "match"),
    ("merger", "merge"),
    ("mixer", "mix"),
    ("mounter", "mount"),
    ("mover", "move"),
    ("parser", "parse"),
    ("patcher", "patch"),
    ("picker", "pick"),
    ("poller", "poll"),
    ("processor", "process"),
    ("pruner", "prune"),
    ("pusher", "push"),
    ("reader", "read"),
    ("router", "route"),
    ("runner", "run"),
    ("sampler", "sample"),
    ("saver", "save"),
    ("scanner", "scan"),
    ("scraper", "scrape"),
    ("searcher", "search"),
    ("selector", "select"),
    ("sender", "send"),
    ("signer", "sign"),
    ("sleeper", "sleep"),
    ("solver", "solve"),
    ("sorter", "sort"),
    ("splitter", "split"),
    ("switcher", "switch"),
    ("tagger", "tag"),
    ("throttler", "throttle"),
    ("tracker", "track"),
    ("trimmer", "trim"),
    ("visitor", "visit"),
    ("waiter", "wait"),
    ("waker", "wake"),
    ("walker", "walk"),
    ("watcher", "watch"),
    ("wrapper", "wrap"),
    ("writer", "write"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{irregular::base, stem::form_prefixes};

    #[test]
    fn agent_nouns_start_like_forms_of_their_verbs() {
        assert!(AGENT_NOUNS.is_sorted_by(|left, right| left.0 < right.0));
        for (noun, verb) in AGENT_NOUNS {
            let prefixes = form_prefixes(verb);
            let is_there = prefixes.iter().any(|prefix| noun.starts_with(prefix.as_str()));
            assert!(is_there, "{noun} {prefixes:?}");
            assert_eq!(base(noun), None, "{noun} is the irregular form of another word");
            assert_eq!(self::verb(verb), None, "{noun} of {verb}");
        }
        assert_eq!(verb("parsers"), Some("parse"));
        assert_eq!(verb("users"), None);
    }
}
