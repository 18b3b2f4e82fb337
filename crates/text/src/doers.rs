//! Names of what does something: `parser` of `parse`, `selector` of `select`.
//!
//! The rules of the stemmer take `er` off longer verbs alone (`scheduler` of `schedule`), as it might
//! be a part of a short word; they leave `or` where it stands and doubled letters doubled
//! (`formatter`). Those that texts about programs use are told here. Left out are words that mean
//! something else as well (`header`, `user`, `pointer`, `timer`, `folder`).

use crate::irregular::look_up;

/// The verb of such a name, in the singular or the plural; `None` for any other word.
pub(crate) fn verb(word: &str) -> Option<&'static str> {
    look_up(DOERS, word).or_else(|| look_up(DOERS, word.strip_suffix('s')?))
}

/// Name and verb. Sorted by the name; each begins with what the forms of its verb begin with.
static DOERS: &[(&str, &str)] = &[
    ("binder", "bind"),
    ("blocker", "block"),
    ("breaker", "break"),
    ("builder", "build"),
    ("bundler", "bundle"),
    ("caller", "call"),
    ("catcher", "catch"),
    ("checker", "check"),
    ("cleaner", "clean"),
    ("closer", "close"),
    ("collector", "collect"),
    ("connector", "connect"),
    ("constructor", "construct"),
    ("controller", "control"),
    ("crawler", "crawl"),
    ("driver", "drive"),
    ("dumper", "dump"),
    ("emitter", "emit"),
    ("executor", "execute"),
    ("extractor", "extract"),
    ("feeder", "feed"),
    ("fetcher", "fetch"),
    ("finder", "find"),
    ("flusher", "flush"),
    ("formatter", "format"),
    ("getter", "get"),
    ("grouper", "group"),
    ("handler", "handle"),
    ("hasher", "hash"),
    ("helper", "help"),
    ("holder", "hold"),
    ("injector", "inject"),
    ("inspector", "inspect"),
    ("interceptor", "intercept"),
    ("joiner", "join"),
    ("keeper", "keep"),
    ("launcher", "launch"),
    ("lexer", "lex"),
    ("linker", "link"),
    ("linter", "lint"),
    ("loader", "load"),
    ("locker", "lock"),
    ("logger", "log"),
    ("maker", "make"),
    ("mapper", "map"),
    ("marker", "mark"),
    ("marshaller", "marshal"),
    ("matcher", "match"),
    ("merger", "merge"),
    ("mixer", "mix"),
    ("mounter", "mount"),
    ("mover", "move"),
    ("packer", "pack"),
    ("parser", "parse"),
    ("patcher", "patch"),
    ("picker", "pick"),
    ("planner", "plan"),
    ("poller", "poll"),
    ("printer", "print"),
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
    ("setter", "set"),
    ("signer", "sign"),
    ("sleeper", "sleep"),
    ("solver", "solve"),
    ("sorter", "sort"),
    ("splitter", "split"),
    ("starter", "start"),
    ("stepper", "step"),
    ("switcher", "switch"),
    ("tagger", "tag"),
    ("tester", "test"),
    ("throttler", "throttle"),
    ("tracker", "track"),
    ("trimmer", "trim"),
    ("viewer", "view"),
    ("visitor", "visit"),
    ("waiter", "wait"),
    ("waker", "wake"),
    ("walker", "walk"),
    ("watcher", "watch"),
    ("worker", "work"),
    ("wrapper", "wrap"),
    ("writer", "write"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stem::form_prefixes;

    #[test]
    fn doers_are_found_where_the_forms_of_their_verbs_lie() {
        assert!(DOERS.is_sorted_by(|left, right| left.0 < right.0));
        for (doer, verb) in DOERS {
            let prefixes = form_prefixes(verb);
            let is_there = prefixes.iter().any(|prefix| doer.starts_with(prefix.as_str()));
            assert!(is_there, "{doer} {prefixes:?}");
        }
        assert_eq!(verb("parsers"), Some("parse"));
        assert_eq!(verb("users"), None);
    }
}
