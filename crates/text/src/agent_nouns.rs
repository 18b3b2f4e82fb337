//! Names of what does something: `parser` of `parse`, `selector` of `select`.
//!
//! The rules of the stemmer take `er` off longer verbs alone (`scheduler` of `schedule`), as it might
//! be a part of a short word; they leave `or` where it stands and doubled letters doubled
//! (`formatter`). Those that texts about programs use are told here. Left out are words that mean
//! something else as well (`header`, `user`, `pointer`, `timer`, `folder`, `driver`), and those of
//! verbs that say little or whose forms are other words (`worker` of `works`, `helper`, `setter` of
//! `settings`).

use crate::irregular::look_up;

/// The verb of such a name, in the singular or the plural; `None` for any other word.
pub(crate) fn verb(word: &str) -> Option<&'static str> {
    look_up(DOERS, word).or_else(|| look_up(DOERS, word.strip_suffix('s')?))
}

/// Name and verb. Sorted by the name; each begins with what the forms of its verb begin with.
static DOERS: &[(&str, &str)] = &[
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
    fn doers_are_found_where_the_forms_of_their_verbs_lie() {
        assert!(DOERS.is_sorted_by(|left, right| left.0 < right.0));
        for (doer, verb) in DOERS {
            let prefixes = form_prefixes(verb);
            let is_there = prefixes.iter().any(|prefix| doer.starts_with(prefix.as_str()));
            assert!(is_there, "{doer} {prefixes:?}");
            assert_eq!(base(doer), None, "{doer} is the irregular form of another word");
            assert_eq!(self::verb(verb), None, "{doer} of {verb}");
        }
        assert_eq!(verb("parsers"), Some("parse"));
        assert_eq!(verb("users"), None);
    }
}
