//! Target sizes of chunks and limits on work, in one place.

use std::time::Duration;

/// Target size of a chunk of definitions in bytes: small neighbours are merged up to it, larger
/// definitions are cut near it. About 250 tokens: enough to answer from, and twenty of them fit a
/// context window. This is a third more than the 750 bytes of line chunks that the ranking was
/// measured with, because a whole definition contains less noise than a window.
pub(crate) const TARGET: usize = 1_000;

/// Maximum size of a definition that is never cut: twice the target, a screen of code.
pub(crate) const MAX_WHOLE: usize = 2_000;

/// Target size of a chunk of plain lines in bytes, as measured for ranking.
pub(crate) const LINES_TARGET: usize = 750;

/// Maximum size of a prose section. Larger ones are cut at paragraphs, near [`TARGET`].
pub(crate) const MAX_SECTION: usize = 1_500;

/// Minimum size of a prose section. Smaller ones are joined with the next one: less than two
/// sentences answer nothing, and short chunks outrank long ones in BM25.
pub(crate) const MIN_SECTION: usize = 160;

/// Minimum size of the text between definitions. Smaller text (the head of a block, a few imports)
/// is joined with its neighbour, up to [`MAX_WHOLE`].
pub(crate) const MIN_GAP: usize = 200;

/// Maximum size of a piece. Larger ones have very long lines, which are cut every [`MAX_WHOLE`]
/// bytes.
pub(crate) const MAX_PIECE: usize = 6_000;

/// Maximum length of a signature in characters: two lines of a terminal.
pub(crate) const MAX_SIGNATURE_CHARS: usize = 200;

/// Parser progress calls (100 parser operations each) that every text gets.
pub(crate) const PARSE_STEPS: usize = 2_000;

/// Additional progress calls per kilobyte. Ordinary source takes up to 25, source with many errors
/// two or three times that.
pub(crate) const PARSE_STEPS_PER_KILOBYTE: usize = 100;

/// Parse time for any text, and additionally per megabyte: the last limit of the parser itself. With
/// many errors, a single step may take time proportional to the text before it, or more, which no
/// count of steps bounds.
/// Ordinary source takes 0.1 s per megabyte, so a machine has to be fifty times overloaded before
/// this limit changes results.
///
/// A build without optimisation is about twenty times slower, and its tests compare two runs.
const PARSE_TIME: Duration = Duration::from_secs(2 * SLOWER);
const PARSE_TIME_PER_MEGABYTE: Duration = Duration::from_secs(5 * SLOWER);
const SLOWER: u64 = if cfg!(debug_assertions) { 30 } else { 1 };

/// The time after which the parser gives up on a text of this many bytes. A single step of the parser
/// library can exceed it.
pub fn parse_time(bytes: usize) -> Duration {
    let kilobytes = u32::try_from(bytes / 1_024).unwrap_or(u32::MAX);
    PARSE_TIME + PARSE_TIME_PER_MEGABYTE / 1_024 * kilobytes
}

/// Maximum depth of nested brackets and tree levels. Handwritten code stays below thirty brackets,
/// generated code below two hundred. Beyond that, parser and query steps take time proportional to
/// the depth: a hundred kilobytes of `[` keep the parser busy for a minute.
pub(crate) const MAX_DEPTH: usize = 500;

/// Maximum number of partial matches of a query at a time. Ordinary source has a few dozen. Without
/// the limit, a hostile file makes the number, and the time of each step, grow with its size.
pub(crate) const MAX_QUERY_MATCHES: u32 = 512;

/// Maximum length of a kept qualifier in bytes. A longer one is not a declared path.
pub(crate) const MAX_QUALIFIER_LEN: usize = 80;

/// Maximum number of kept supertypes of one definition. Handwritten code has about a dozen.
pub(crate) const MAX_CONFORMANCES: usize = 100;

/// Maximum number of kept imports of one document. Handwritten code has about a hundred.
pub(crate) const MAX_IMPORTS: usize = 2_000;

/// Maximum number of keys of one object that count as fields. Handwritten objects have about
/// twenty; with more, the object is a table.
pub(crate) const MAX_KEYS: usize = 100;

/// Maximum number of times that text left as tokens by a grammar is parsed again, one level deeper
/// each time.
pub(crate) const MAX_EMBEDDED_LEVELS: usize = 3;

/// Maximum number of enclosing definitions or headings in a name. Handwritten code nests five deep;
/// a hostile file nests ten thousand, and every chunk would repeat them.
pub(crate) const MAX_NESTING: usize = 32;

/// Maximum number of comments and attributes above a definition.
pub(crate) const MAX_LEADING: usize = 1_000;

/// Maximum length of a documentation comment in bytes. The rest stays in the chunk's text.
pub(crate) const MAX_DOC_COMMENT_LEN: usize = 4_000;
