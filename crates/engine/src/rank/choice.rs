//! Chooses the lines of a document that answer best: windows of its best chunks, compared by the
//! rarity of their words inside the document, by runs of the query's words and by the similarity of
//! their chunk. Pure.

use foldhash::{HashMap, HashSet};
use lore_schema::{Span, Symbol};

use super::{
    highlight::HighlightTerms,
    passage::{MatchingLine, scan_lines},
    windows::Sequence,
};

/// Weights of the parts of a window's value, from a grid around those of an earlier fit (4.2, 3.6, 4.2):
/// on 642 natural questions, the right lines are first for .45 to .46 with each of them halved or
/// doubled (`docs/concepts/ranking.md`).
const WORDS: f32 = 3.5;
const RUN: f32 = 3.6;
const MEANING: f32 = 5.5;

/// Weight of the share of the query in the name of a definition that the window shows.
const NAME: f32 = 1.8;

/// Minimum of that share.
const MIN_NAMED_SHARE: f32 = 0.5;

/// Addition for the chunk that is best by the evidence of the index.
const FIRST_CHUNK: f32 = 0.9;

/// Weight of the share of lines that only import or state a licence: they contain the words of a
/// query by accident.
const BOILERPLATE: f32 = -4.6;

/// Number of lines of a block, in which the frequency of a word inside a document is counted.
const BLOCK: u32 = 5;

/// Saturation of the number of lines with a word: `k1` of BM25.
const SATURATION: f32 = 1.2;

/// Maximum number of windows whose runs are compared: the best by their words.
const MAX_RUNS: usize = 24;

/// A chunk whose lines may be shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkEvidence<'a> {
    /// Its place in the text.
    pub(crate) span: Span,
    /// Its similarity to the query, 0.0..=1.0; 0 where no embedding takes part.
    pub(crate) similarity: f32,
    /// The definitions in it.
    pub(crate) symbols: &'a [Symbol],
}

/// A window of lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    /// Index of its chunk.
    pub(crate) chunk: usize,
    /// Number of its first line, from 1.
    pub(crate) line: u32,
    /// Its value, larger is better.
    pub(crate) value: f32,
}

/// Chooses the best window of `length` lines in the chunks of a text, which are in the order of
/// the evidence of the index. `None` where no chunk has lines.
pub(crate) fn choose_window(
    text: &str,
    is_code: bool,
    chunks: &[ChunkEvidence<'_>],
    terms: &HighlightTerms,
    sequence: &Sequence,
    length: u32,
) -> Option<Choice> {
    #[expect(clippy::reversed_empty_ranges, reason = "no line is wanted but those that match")]
    let nothing = 1..=0;
    let (_, matching) = scan_lines(text, nothing, terms);
    let lines: Vec<&str> = text.lines().collect();
    let weights = word_weights(&matching, lines.len(), terms);
    let most_similar = chunks.iter().map(|chunk| chunk.similarity).fold(0.0, f32::max);
    let mut windows: Vec<(Choice, f32)> = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let meaning =
            if most_similar > 0.0 { MEANING * chunk.similarity / most_similar } else { 0.0 };
        let first = if index == 0 { FIRST_CHUNK } else { 0.0 };
        let named = named_lines(chunk.symbols, terms);
        for line in starts(chunk.span, &matching, &lines, length) {
            let words = words_value(window(&matching, line, length), &weights);
            let boilerplate = BOILERPLATE * boilerplate_share(&lines, is_code, line, length);
            let named = named.iter().filter(|(at, _)| (line..line + length).contains(at));
            let name = NAME * named.map(|(_, share)| *share).fold(0.0, f32::max);
            let value = meaning + first + boilerplate + name;
            windows.push((Choice { chunk: index, line, value }, words));
        }
    }
    let most_words = windows.iter().map(|(_, words)| *words).fold(f32::MIN_POSITIVE, f32::max);
    for (choice, words) in &mut windows {
        choice.value += WORDS * *words / most_words;
    }
    // Of equals the first: the better chunk, and in it the earlier line.
    windows.sort_by(|left, right| right.0.value.total_cmp(&left.0.value));
    windows.truncate(MAX_RUNS);
    for (choice, _) in &mut windows {
        let matching = window(&matching, choice.line, length);
        choice.value +=
            RUN * sequence.heaviest_run(matching.iter().map(|(number, _, line)| (*number, *line)));
    }
    let better = |best: Choice, next: Choice| if next.value > best.value { next } else { best };
    let chosen = windows.into_iter().map(|(choice, _)| choice).reduce(better)?;
    let line = first_shown_line(&lines, chosen.line, chunks[chosen.chunk].span);
    Some(Choice { line, ..chosen })
}

/// The lines that name definitions, with the share of the query in each name, if it is large.
fn named_lines(symbols: &[Symbol], terms: &HighlightTerms) -> Vec<(u32, f32)> {
    let named = symbols.iter().map(|symbol| (symbol.line, terms.share_in(&symbol.name)));
    named.filter(|(_, share)| *share >= MIN_NAMED_SHARE).collect()
}

/// The first line of a window without the end of what comes before it: blank lines, and lines that
/// only close a block.
fn first_shown_line(lines: &[&str], line: u32, span: Span) -> u32 {
    let is_empty_end = |line: &str| {
        let line = line.trim();
        line == "end" || line.chars().all(|letter| !letter.is_alphanumeric() && letter != '@')
    };
    let last = span.end_line.min(u32::try_from(lines.len()).unwrap_or(u32::MAX));
    let shown = (line..=last).take(LEADING + 1).find(|at| !is_empty_end(lines[*at as usize - 1]));
    shown.unwrap_or(line)
}

/// Maximum number of lines that are dropped at the start of a window.
const LEADING: usize = 3;

/// The lines of a window that contain words.
fn window<'m, 't>(
    matching: &'m [MatchingLine<'t>],
    line: u32,
    length: u32,
) -> &'m [MatchingLine<'t>] {
    let start = matching.partition_point(|(number, ..)| *number < line);
    let end = matching.partition_point(|(number, ..)| *number < line.saturating_add(length));
    &matching[start..end]
}

/// The weight of each word in one document: its share of the query, times the logarithm of how few of
/// the document's blocks contain it.
fn word_weights(
    matching: &[MatchingLine<'_>],
    lines: usize,
    terms: &HighlightTerms,
) -> HashMap<usize, f32> {
    let mut blocks: HashMap<usize, HashSet<u32>> = HashMap::default();
    for (number, words, _) in matching {
        for word in words.iter() {
            blocks.entry(word).or_default().insert((number - 1) / BLOCK);
        }
    }
    let count = (lines as f32 / BLOCK as f32).max(1.0);
    let least = 1.0 / count.max(5.0);
    blocks
        .into_iter()
        .map(|(word, blocks)| {
            let frequency = (blocks.len() as f32 / count).min(1.0);
            (word, terms.share_of(word) * (1.0 / (frequency + least)).ln_1p())
        })
        .collect()
}

/// The value of the words of a window: each counts once in full, and more lines with it count less
/// and less.
fn words_value(matching: &[MatchingLine<'_>], weights: &HashMap<usize, f32>) -> f32 {
    let mut counts: HashMap<usize, f32> = HashMap::default();
    for (_, words, _) in matching {
        for word in words.iter() {
            *counts.entry(word).or_default() += 1.0;
        }
    }
    let saturated = |count: f32| count * (SATURATION + 1.0) / (count + SATURATION);
    // In the order of the words, so that sums are equal in every run.
    let mut counts: Vec<(usize, f32)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(word, _)| *word);
    counts.into_iter().map(|(word, count)| weights[&word] * saturated(count)).sum()
}

/// First lines of the windows of a chunk: its first line, each line with a word, and two lines before
/// it. A window does not start with a blank line, and does not leave the chunk if that is long enough.
fn starts(span: Span, matching: &[MatchingLine<'_>], lines: &[&str], length: u32) -> Vec<u32> {
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let (first, end) = (span.start_line.max(1), span.end_line.min(count));
    if first > end {
        return Vec::new();
    }
    let last = (end + 1).saturating_sub(length).max(first);
    let is_blank = |line: &u32| lines[*line as usize - 1].trim().is_empty();
    let begin = (first..=end).find(|line| !is_blank(line)).unwrap_or(first).min(last);
    let inside = matching.iter().map(|(number, ..)| *number);
    let inside = inside.filter(|number| (first..=end).contains(number));
    let around = inside.flat_map(|number| [number.saturating_sub(2), number]);
    let around = around.map(|line| line.clamp(first, last));
    let mut starts: Vec<u32> = around.filter(|line| !is_blank(line)).chain([begin]).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Share of the lines of a window, blank ones aside, that only import something or state a licence.
fn boilerplate_share(lines: &[&str], is_code: bool, line: u32, length: u32) -> f32 {
    let shown = lines.iter().skip(line as usize - 1).take(length as usize);
    let shown: Vec<&str> = shown.map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let count = shown.iter().filter(|line| is_boilerplate(line, is_code)).count();
    count as f32 / shown.len().max(1) as f32
}

/// Returns whether a line only imports something or states a licence.
fn is_boilerplate(line: &str, is_code: bool) -> bool {
    const IMPORTS: [&str; 9] = [
        "import ", "from ", "use ", "using ", "#include", "require(", "require ", "package ",
        "@import",
    ];
    const LICENCE: [&str; 6] = [
        "copyright",
        "licensed under",
        "spdx-license",
        "all rights reserved",
        "without warrant",
        "apache license",
    ];
    let is_import = is_code
        && IMPORTS.iter().any(|start| line.starts_with(start))
        && (!line.starts_with("from ") || line.contains(" import"));
    is_import || {
        let folded = line.to_ascii_lowercase();
        LICENCE.iter().any(|words| folded.contains(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(text: &str, lines: (u32, u32), similarity: f32) -> ChunkEvidence<'static> {
        let span = Span { start: 0, end: text.len(), start_line: lines.0, end_line: lines.1 };
        ChunkEvidence { span, similarity, symbols: &[] }
    }

    fn chosen(text: &str, chunks: &[ChunkEvidence<'_>], is_code: bool) -> Option<(usize, u32)> {
        let words = ["refund", "retry", "amount"];
        let terms = words.iter().enumerate().map(|(index, word)| ((*word).to_owned(), Some(index)));
        let terms = HighlightTerms::new(terms.collect(), vec![1.0 / 3.0; 3]);
        let sequence = Sequence::new("retry refund amount", |_| 1.0);
        choose_window(text, is_code, chunks, &terms, &sequence, 3)
            .map(|choice| (choice.chunk, choice.line))
    }

    #[test]
    fn lines_with_the_words_that_are_rare_in_the_text_are_chosen() {
        // Every block has the first word, and one the others.
        let mut text = "refund\n\n\n\n\n".repeat(8);
        text.push_str("a\nb\nretry refund amount\nc\n");
        let chunks = [chunk(&text, (1, 40), 0.0), chunk(&text, (41, 44), 0.0)];
        assert_eq!(chosen(&text, &chunks, true), Some((1, 41)));
    }

    #[test]
    fn among_equal_lines_the_more_similar_chunk_is_chosen() {
        let text = "refund\nx\ny\nz\nrefund\nx\n";
        let chunks = [chunk(text, (1, 3), 0.1), chunk(text, (5, 6), 0.9)];
        assert_eq!(chosen(text, &chunks, true), Some((1, 5)));
    }

    #[test]
    fn imports_and_licences_are_not_chosen() {
        let text =
            "// Copyright refund retry amount\nuse refund::retry::amount;\n\n}\nfn refund() {\n}\n";
        let chunks = [chunk(text, (1, 6), 0.5)];
        assert_eq!(chosen(text, &chunks, true), Some((0, 5)), "nor the end of a block");
        // In prose a line may start with such a word.
        let prose = "use retry and refund, amount aside.\n\n\n\nrefund\n";
        assert_eq!(chosen(prose, &[chunk(prose, (1, 5), 0.5)], false), Some((0, 1)));
    }

    #[test]
    fn a_text_without_its_chunks_has_no_choice() {
        assert_eq!(chosen("", &[chunk("", (1, 4), 0.5)], true), None);
        assert_eq!(chosen("refund\n", &[chunk("refund\n", (7, 9), 0.5)], true), None);
        assert_eq!(chosen("refund\n", &[], true), None);
        assert_eq!(chosen("\n\n\n", &[chunk("", (1, 3), 0.0)], true), Some((0, 1)));
    }
}
