//! The vocabulary of generated trees: which words there are, how often each is used, and how names
//! are made of them.
//!
//! Few words are used all the time and many once, as in real code: a word's frequency falls with its
//! rank r as 1/r among the first [`COMMON`] words, and faster behind them, so that new words keep
//! coming as the text grows, at about the power 0.6 of its length (the double power law of Ferrer i
//! Cancho and Solé, 2001; Heaps' law). The dictionaries of an index grow with it.

use super::random::Random;

/// Words up to this rank are the ones that all of the text shares.
const COMMON: f64 = 6_000.0;

/// Share of the words of a text that come from behind the common ones, in percent.
const RARE: usize = 8;

/// Behind the common words, the number of different words grows with this power of the text.
const GROWTH: f64 = 0.6;

/// The most frequent words, in the order of their rank.
const FIRST: &[&str] = &[
    "value", "name", "path", "error", "file", "line", "index", "result", "node", "key", "list",
    "state", "type", "data", "text", "user", "size", "time", "id", "count", "option", "request",
    "config", "field", "item", "event", "context", "entry", "source", "token", "query", "session",
    "buffer", "block", "table", "response", "message", "client", "server", "account", "order",
    "price", "record", "handle", "stream", "cache", "version", "length", "range", "offset", "link",
    "target", "origin", "level", "group", "parent", "child", "queue", "task", "worker", "thread",
    "lock", "frame", "packet", "header", "body", "footer", "page", "view", "model", "schema",
    "column", "row", "cell", "document", "word", "term", "score", "weight", "rank", "signal",
    "filter", "rule", "policy", "limit", "quota", "budget", "report", "status", "reason", "code",
    "region", "zone", "address", "port", "socket", "channel", "topic", "subject", "payment",
    "refund", "invoice", "customer", "product", "cart", "shipment", "method", "module", "package",
    "import", "export", "symbol", "scope", "branch", "commit", "tree", "leaf", "root", "graph",
    "edge", "vertex", "matrix", "vector", "segment", "chunk", "batch", "cursor", "window", "pixel",
    "color", "shape", "layer", "camera", "scene", "mesh", "texture", "sound", "audio", "video",
    "image", "format", "codec", "parser", "lexer", "grammar", "syntax", "literal", "operator",
    "variable", "constant", "argument", "closure", "iterator", "sequence", "element", "property",
    "setting", "default", "override", "profile", "role", "secret", "digest", "hash", "salt",
    "cipher", "random", "seed", "sample", "metric", "counter", "gauge", "timer", "clock",
    "deadline", "retry", "backoff", "timeout", "failure", "success", "warning", "notice", "log",
    "trace", "span", "probe", "sensor", "device", "driver", "kernel", "memory", "register",
    "process", "command", "shell", "script", "template", "snapshot", "backup", "restore",
    "upgrade", "release", "build", "artifact", "manifest", "license", "author", "owner", "reader",
    "writer", "visitor", "builder", "factory", "adapter", "bridge", "proxy", "gateway", "router",
    "route", "host", "domain", "cluster", "replica", "leader", "follower", "vote", "quorum",
    "journal", "ledger", "balance", "transfer", "currency", "rate", "discount", "tax", "total",
    "amount", "quantity", "unit", "measure", "position", "velocity", "mass", "force", "angle",
    "distance", "point", "curve",
];

/// First words of the names of functions.
pub(super) const VERBS: &[&str] = &[
    "get", "set", "read", "write", "parse", "load", "store", "find", "check", "update", "remove",
    "add", "make", "open", "close", "send", "receive", "merge", "split", "compare", "validate",
    "resolve", "render", "compute", "collect", "apply", "reset", "flush", "encode", "decode",
    "register", "schedule", "retry", "notify", "convert", "format", "insert", "delete", "verify",
    "select",
];

/// Words between the topic words of a sentence.
const GLUE: &[&str] =
    &["the", "of", "a", "is", "and", "to", "in", "for", "when", "with", "by", "that", "not", "as"];

const CONSONANTS: &[&str] = &[
    "b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "br", "st",
    "tr", "pl",
];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u", "ai", "ea", "ou"];

/// The word of a rank, from 0.
pub(super) fn word(rank: u64) -> String {
    if let Some(word) = usize::try_from(rank).ok().and_then(|rank| FIRST.get(rank)) {
        return (*word).to_owned();
    }
    // Rarer words are longer: at least two syllables, and as many as tell the ranks apart.
    let syllables = (CONSONANTS.len() * VOWELS.len()) as u64;
    let mut rest = rank.wrapping_mul(7) + syllables;
    let mut word = String::new();
    while rest > 0 {
        let syllable = usize::try_from(rest % syllables).unwrap_or_default();
        word.push_str(CONSONANTS[syllable / VOWELS.len()]);
        word.push_str(VOWELS[syllable % VOWELS.len()]);
        rest /= syllables;
    }
    word.push_str(["n", "r", "s", "l", "x", "nd"][usize::try_from(rank % 6).unwrap_or_default()]);
    word
}

/// The rank of a word as a text would use it.
fn rank(random: &mut Random) -> u64 {
    let share = random.share();
    let rank = if random.chance(RARE) {
        COMMON * (1.0 - share).powf(-1.0 / GROWTH)
    } else {
        (share * COMMON.ln()).exp() - 1.0
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and larger values are clamped"
    )]
    let rank = rank as u64;
    rank.min(1 << 40)
}

/// The words that a folder is about, by their ranks, which turn up in it again and again.
#[derive(Debug)]
pub(super) struct Topic(Vec<u64>);

impl Topic {
    /// The topic of a folder, by its number.
    pub(super) fn of(seed: u64, folder: u64) -> Topic {
        let mut random = Random::of(seed, &[folder, 0x0070]);
        Topic((0..40).map(|_| rank(&mut random)).collect())
    }

    /// A word of a text that is about this.
    pub(super) fn word(&self, random: &mut Random) -> String {
        let of_topic = random.chance(35);
        word(if of_topic { *random.pick(&self.0) } else { rank(random) })
    }

    /// The words of a name.
    pub(super) fn name(&self, random: &mut Random, least: usize, most: usize) -> Vec<String> {
        (0..random.from(least, most)).map(|_| self.word(random)).collect()
    }

    /// A sentence without its full stop.
    pub(super) fn sentence(&self, random: &mut Random) -> String {
        let mut sentence = String::new();
        for place in 0..random.from(6, 14) {
            let glue = place % 2 == 1 && random.chance(80);
            let word = if glue { (*random.pick(GLUE)).to_owned() } else { self.word(random) };
            if place == 0 {
                sentence.push_str(&capital(&word));
            } else {
                sentence.push(' ');
                sentence.push_str(&word);
            }
        }
        sentence
    }
}

/// Style of joining the words of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// `parse_header_line`
    Snake,
    /// `parseHeaderLine`
    Camel,
    /// `ParseHeaderLine`
    Pascal,
}

impl Case {
    /// A name of some words.
    pub(super) fn join(self, words: &[String]) -> String {
        match self {
            Case::Snake => words.join("_"),
            Case::Pascal => words.iter().map(|word| capital(word)).collect(),
            Case::Camel => {
                let (first, rest) =
                    words.split_first().map_or(("", words), |(first, rest)| (first.as_str(), rest));
                let rest: String = rest.iter().map(|word| capital(word)).collect();
                format!("{first}{rest}")
            }
        }
    }
}

/// The word with a capital.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_joined_as_languages_do() {
        let words = ["parse", "header", "line"].map(str::to_owned);
        assert_eq!(Case::Snake.join(&words), "parse_header_line");
        assert_eq!(Case::Camel.join(&words), "parseHeaderLine");
        assert_eq!(Case::Pascal.join(&words), "ParseHeaderLine");
        assert_eq!(Case::Camel.join(&[]), "");
    }

    /// Ranks past the list have words of their own, apart from few that are spelled alike by chance.
    #[test]
    fn words_differ() {
        let words: HashSet<String> = (1_000..101_000).map(word).collect();
        assert!(words.len() > 95_000, "{}", words.len());
    }

    /// Heaps' law: ten times the text has about four times the words, and there is no end to them.
    #[test]
    fn the_vocabulary_grows_with_the_text() {
        let different = |length: usize| {
            let mut random = Random::of(1, &[]);
            (0..length).map(|_| rank(&mut random)).collect::<HashSet<_>>().len()
        };
        let (small, large) = (different(20_000), different(2_000_000));
        let power = (large as f64 / small as f64).log10() / 2.0;
        assert!((0.45..0.75).contains(&power), "{small} and {large} words: {power}");
    }

    #[test]
    fn few_words_are_a_large_part_of_a_text() {
        let mut random = Random::of(2, &[]);
        let first = (0..100_000).filter(|_| rank(&mut random) < 100).count();
        assert!((40_000..60_000).contains(&first), "{first}");
    }
}
