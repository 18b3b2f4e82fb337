//! Sizes that chunks aim at and bounds on work, in one place.

use std::time::Duration;

/// Bytes that a chunk of definitions aims at: small neighbours are merged up to it, larger
/// definitions are cut near it. About 250 tokens: enough to answer from, small enough that twenty
/// of them fit a reader's context, and half as long again as the line chunks of 750 bytes that the
/// ranking was measured with, because a whole definition carries less noise than a window.
pub(crate) const TARGET: usize = 1_000;

/// A definition of at most this many bytes is never cut: twice the target, a screen of code.
pub(crate) const WHOLE: usize = 2_000;

/// Bytes that a chunk of plain lines aims at, as measured for ranking.
pub(crate) const LINES_TARGET: usize = 750;

/// A section of prose over this is cut at its paragraphs, near [`TARGET`].
pub(crate) const SECTION: usize = 1_500;

/// A section of prose below this is joined with the next one: less than two sentences answer
/// nothing, and short chunks outrank long ones in BM25.
pub(crate) const TINY_SECTION: usize = 160;

/// What lies between definitions and is smaller than this (the head of a block, a few imports) is
/// joined with its neighbour, up to [`WHOLE`].
pub(crate) const TINY_GAP: usize = 200;

/// A piece over this has lines so long that it is cut inside of them, every [`WHOLE`] bytes.
pub(crate) const LONGEST: usize = 6_000;

/// Longest signature in characters: one line of a terminal, twice.
pub(crate) const SIGNATURE: usize = 200;

/// Calls of the parser's progress function (one is 100 of its operations) that every text gets.
pub(crate) const PARSE_STEPS: usize = 2_000;

/// Calls that are added for every kilobyte. Ordinary source takes up to 25 of them, source with
/// many errors two or three times that.
pub(crate) const PARSE_STEPS_PER_KILOBYTE: usize = 100;

/// Time that a parser gets for any text, and for every megabyte in addition. The last net: with
/// many errors a single step may take time in proportion to what lies before it, which no count of
/// steps tells. Ordinary source takes a tenth of a second a megabyte, so that a machine has to be
/// fifty times overloaded before the net changes what is found in it.
///
/// A build without optimisation is some twenty times slower, and its tests compare two runs.
pub(crate) const PARSE_TIME: Duration = Duration::from_secs(2 * SLOWER);
pub(crate) const PARSE_TIME_PER_MEGABYTE: Duration = Duration::from_secs(5 * SLOWER);
const SLOWER: u64 = if cfg!(debug_assertions) { 30 } else { 1 };

/// Brackets inside of each other, and levels of a tree, that are gone into. People stay below
/// thirty brackets, generators below two hundred. Past that, steps of the parser and of the query
/// take time in proportion to the depth: a hundred kilobytes of `[` keep the parser busy for a
/// minute.
pub(crate) const DEEPEST: usize = 500;

/// Partial matches that a query may hold at a time. Ordinary source holds a few dozen; without the
/// bound a hostile file makes the number, and the time of each step, grow with its size.
pub(crate) const QUERY_MATCHES: u32 = 512;

/// Longest path before a name, in bytes, that is kept. A longer one is no path that anybody declared.
pub(crate) const QUALIFIER: usize = 80;

/// Most supertypes of one definition that are kept. People write a dozen.
pub(crate) const CONFORMANCES: usize = 100;

/// Most imports of one document that are kept. People write a hundred.
pub(crate) const IMPORTS: usize = 2_000;

/// Keys of one object that count as fields. People write twenty, and look for them; with more, the
/// object is a table.
pub(crate) const KEYS: usize = 100;

/// How often text that a grammar leaves as tokens is parsed again, one level further in.
pub(crate) const EMBEDDED_LEVELS: usize = 3;

/// How many enclosing definitions or headings are named. People nest five deep; a hostile file
/// nests ten thousand, and every chunk would repeat them.
pub(crate) const NESTING: usize = 32;

/// Comments and attributes above a definition that are looked at.
pub(crate) const LEADING: usize = 1_000;

/// Longest documentation comment in bytes. What is over it stays in the chunk's text.
pub(crate) const DOC_COMMENT: usize = 4_000;
