//! Finds the text that a message was made from: the longest runs of its words that follow one another
//! in a text, with anything in the place of its variable parts. Pure.

use foldhash::HashMap;
use smallvec::SmallVec;

use super::lines::line_count;

/// Maximum number of words of a message that are compared.
const MAX_WORDS: usize = 64;

/// Maximum number of lines between two runs of one message: literals that are joined.
const MAX_LINES_APART: u32 = 2;

/// Maximum number of bytes of a placeholder with braces: `${order.customer.name}`.
const MAX_PLACEHOLDER_LEN: usize = 60;

/// Factor of the weight of a message that a text contains character by character.
const VERBATIM_FACTOR: f32 = 1.5;

/// Minimum weight of a single word beside a placeholder, as a multiple of the mean weight.
const MIN_SINGLE_WEIGHT: f32 = 0.8;

/// A message, prepared to be found in texts.
#[derive(Debug)]
pub(crate) struct Message {
    /// The message as typed, without whitespace around it.
    text: String,
    /// Positions of each word, in lower case.
    positions: HashMap<String, SmallVec<[usize; 2]>>,
    /// Weight of the word at each position.
    weights: Vec<f32>,
    /// Weight from which a single word beside a placeholder counts.
    min_single: f32,
}

/// The runs of a message in one place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct MessageMatch {
    /// Sum of the weights of the words in the runs.
    pub(crate) weight: f32,
    /// Number of these words.
    pub(crate) words: usize,
    /// Line of the first run, from 1.
    pub(crate) line: u32,
    /// True if the text contains the message character by character.
    pub(crate) is_verbatim: bool,
}

/// A run of words of the message in a text.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Position of its last word in the message.
    last: usize,
    words: usize,
    weight: f32,
    line: u32,
    /// True if a placeholder is before it.
    after_gap: bool,
}

impl Message {
    /// Prepares a message. `weight` gives that of a word in lower case; 0.0 for a word that no text
    /// contains. `None` for a message without two known words.
    pub(crate) fn new(text: &str, weight: impl Fn(&str) -> f32) -> Option<Message> {
        let mut positions: HashMap<String, SmallVec<[usize; 2]>> = HashMap::default();
        let mut weights = Vec::new();
        for word in words_of(text).take(MAX_WORDS) {
            weights.push(weight(&word));
            positions.entry(word).or_default().push(weights.len() - 1);
        }
        let known = weights.iter().filter(|weight| **weight > 0.0).count();
        let mean = weights.iter().sum::<f32>() / known.max(1) as f32;
        let min_single = mean * MIN_SINGLE_WEIGHT;
        let text = text.trim().to_owned();
        (known > 1).then_some(Message { text, positions, weights, min_single })
    }

    /// Number of words.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// The place of a text with the heaviest runs of the message, in their order.
    pub(crate) fn find(&self, text: &str) -> Option<MessageMatch> {
        if let Some(at) = text.find(&self.text) {
            return Some(MessageMatch {
                weight: VERBATIM_FACTOR * self.weights.iter().sum::<f32>(),
                words: self.weights.len(),
                line: line_count(&text[..at + self.text.len()]) - line_count(&self.text) + 1,
                is_verbatim: true,
            });
        }
        let mut best = MessageMatch::default();
        // Chains of runs that may continue: position of the last word, line of the last run. One for
        // each position and line, so that the time is proportional to the text.
        let mut chains: Vec<(usize, u32, MessageMatch)> = Vec::new();
        let mut runs: SmallVec<[Run; 4]> = SmallVec::new();
        let mut close = |run: &Run, before_gap: bool| {
            let is_single = run.words == 1;
            if is_single && !((run.after_gap || before_gap) && run.weight >= self.min_single) {
                return;
            }
            let first = run.last + 1 - run.words;
            chains.retain(|(_, line, _)| run.line <= line + MAX_LINES_APART);
            let (weight, words, line) = (run.weight, run.words, run.line);
            let own = MessageMatch { weight, words, line, is_verbatim: false };
            let heaviest = chains
                .iter()
                .filter(|(last, ..)| *last < first)
                .map(|(.., chain)| *chain)
                .max_by(|left, right| left.weight.total_cmp(&right.weight));
            let chain = heaviest.map_or(own, |chain| MessageMatch {
                weight: chain.weight + own.weight,
                words: chain.words + own.words,
                ..chain
            });
            // A single word is evidence beside other runs only.
            if chain.words > 1 && chain.weight > best.weight {
                best = chain;
            }
            let same = chains.iter().position(|(last, at, _)| (*last, *at) == (run.last, run.line));
            if let Some(same) = same {
                if chains[same].2.weight > chain.weight {
                    return;
                }
                chains.remove(same);
            }
            chains.push((run.last, run.line, chain));
        };
        scan(text, |word, line, after_gap| {
            let positions = self.positions.get(word);
            let next: SmallVec<[Run; 4]> = positions
                .into_iter()
                .flatten()
                .map(|&last| {
                    let weight = self.weights[last];
                    // Positions, and so runs, are in ascending order.
                    let before = runs.binary_search_by_key(&last, |run| run.last + 1);
                    match before.ok().filter(|_| !after_gap).map(|at| &runs[at]) {
                        Some(run) => {
                            Run { last, words: run.words + 1, weight: run.weight + weight, ..*run }
                        }
                        None => Run { last, words: 1, weight, line, after_gap },
                    }
                })
                .collect();
            for run in &runs {
                let longer = next.binary_search_by_key(&(run.last + 1), |longer| longer.last);
                if !longer.is_ok_and(|at| next[at].words > 1) {
                    close(run, after_gap);
                }
            }
            runs = next;
        });
        for run in &runs {
            close(run, true);
        }
        (best.words > 0).then_some(best)
    }
}

/// The words of a message, in lower case.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let text = without_escapes(text);
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.into_iter()
}

/// A text with whitespace in the place of escape sequences.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\\' && characters.peek().is_some_and(|next| "nrt0".contains(*next)) {
            characters.next();
            out.push(' ');
        } else {
            out.push(character);
        }
    }
    out
}

/// Calls `each` with every word of a text in lower case, its line, and whether a placeholder is
/// between it and the word before.
fn scan(text: &str, mut each: impl FnMut(&str, u32, bool)) {
    let mut folded = String::new();
    for (number, line) in (1_u32..).zip(text.lines()) {
        let bytes = line.as_bytes();
        let (mut at, mut after_gap) = (0, false);
        while at < line.len() {
            let rest = &line[at..];
            if let Some(length) = placeholder_len(rest, bytes[..at].last().copied()) {
                after_gap = true;
                at += length;
                continue;
            }
            let character = rest.chars().next().expect("not at the end");
            if character == '\\' && rest.len() > 1 && b"nrt0".contains(&rest.as_bytes()[1]) {
                at += 2;
            } else if character.is_alphanumeric() {
                let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                folded.clear();
                folded.extend(rest[..end].chars().flat_map(char::to_lowercase));
                each(&folded, number, after_gap);
                (at, after_gap) = (at + end, false);
            } else {
                at += character.len_utf8();
            }
        }
    }
}

/// Length of the placeholder that a text starts with: `{}`, `{name}`, `${x}`, `#{x}`, `%s`,
/// `%(name)s`, `\(x)`. `before` is the byte before the text.
fn placeholder_len(rest: &str, before: Option<u8>) -> Option<usize> {
    let bytes = rest.as_bytes();
    let close = |from: usize, sign: u8| {
        let end = bytes.len().min(from + MAX_PLACEHOLDER_LEN);
        bytes[from..end].iter().position(|byte| *byte == sign).map(|at| from + at)
    };
    match bytes {
        [b'{', ..] => {
            let end = close(1, b'}')?;
            let is_interpolated = matches!(before, Some(b'$' | b'#'));
            let inner = &bytes[1..end];
            let is_plain = inner.iter().all(|byte| !byte.is_ascii_whitespace() && *byte != b'{');
            (is_interpolated || is_plain).then_some(end + 1)
        }
        [b'\\', b'(', ..] => close(2, b')').map(|end| end + 1),
        [b'%', b'(', ..] => {
            let end = close(2, b')')?;
            bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic).then_some(end + 2)
        }
        [b'%', ..] => {
            let flags = bytes[1..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit() || b"-+#.*".contains(byte))
                .count();
            let sizes =
                bytes[1 + flags..].iter().take_while(|byte| b"hlLjzt".contains(byte)).count();
            // A size may also be the conversion itself: `%t`.
            let kind = bytes.get(1 + flags + sizes).filter(|byte| byte.is_ascii_alphabetic());
            let length = 1 + flags + sizes + usize::from(kind.is_some());
            let is_complete = kind.is_some() || sizes > 0;
            is_complete.then_some(length)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(message: &str, text: &str) -> Option<(u32, usize)> {
        let message = Message::new(message, |_| 1.0).expect("two words");
        message.find(text).map(|found| (found.line, found.words))
    }

    #[test]
    fn placeholders_are_free() {
        for (message, text) in [
            ("ERROR no order 4711 in cart", "\n  panic!(\"no order {} in cart\", id);\n"),
            ("no order a-b in cart", "\nraise E(f\"no order {order.id!r} in cart\")\n"),
            ("no order x.y in cart: 12", "\nlog(`no order ${a ? b : c} in cart: ${n}`);\n"),
            ("no order 4 in cart", "\nfmt.Errorf(\"no order %d in cart\", id)\n"),
            ("no order 4 in cart", "\n  \"no order %(id)s in cart\" % x\n"),
            ("no order 4 in cart", "\nraise \"no order #{cart.first id} in cart\"\n"),
            ("no order 4 in cart", "\nfatalError(\"no order \\(id) in cart\")\n"),
            ("no order 4 in cart", "\nprintf(\"no order %ld in cart\\n\", id);\n"),
        ] {
            let words = if message.contains("12") { 5 } else { 4 };
            let expected = if words == 5 { 4 } else { words };
            assert_eq!(find(message, text), Some((2, expected)), "{text}");
        }
    }

    #[test]
    fn runs_continue_in_the_next_literal() {
        let text = "x\nraise E(\"no order was\"\n        \"found in this cart\")\n";
        assert_eq!(find("no order was found in this cart", text), Some((2, 7)));
        assert_eq!(find("found in this cart no order was", text), Some((3, 4)));
    }

    #[test]
    fn single_words_count_beside_placeholders_only() {
        assert_eq!(find("cart lost", "the cart is lost\n"), None);
        assert_eq!(find("mismatched a path names", "\"mismatched %s path names\""), Some((1, 3)));
        assert_eq!(find("mismatched a path names", "mismatched is path names"), Some((1, 2)));
    }

    #[test]
    fn a_text_that_contains_the_message_as_it_is_wins() {
        let message = Message::new("a{b}|c d\n", |_| 1.0).expect("words");
        let found = message.find("x\n  a{b}|c d;\n").expect("a match");
        assert_eq!((found.line, found.words, found.is_verbatim), (2, 4, true));
        let other = message.find("b c d\n").expect("a match");
        assert!(other.weight < found.weight && !other.is_verbatim);
        assert!(Message::new("word", |_| 1.0).is_none());
        assert!(Message::new("two words", |_| 0.0).is_none());
    }

    /// Each of these took minutes when all chains of a line were kept.
    #[test]
    fn the_time_is_proportional_to_the_text() {
        let start = std::time::Instant::now();
        for (message, text) in [
            ("a b c d e f ", "a b "),
            ("a b c d e f ", "a b\n"),
            ("a ", "a%s "),
            ("a ", "a  "),
            ("a b ", "a%s b "),
        ] {
            let message = Message::new(&message.repeat(100), |_| 1.0).expect("two words");
            assert!(message.find(&text.repeat(5_000)).is_some());
        }
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn any_text_is_accepted(message in "\\PC{0,40}", text in "[a-z%{}$#\\\\()\" \n]{0,80}") {
            if let Some(message) = Message::new(&message, |_| 1.0) {
                let _ = message.find(&text);
            }
        }

        /// A message is found in each text that contains it.
        #[test]
        fn a_contained_message_is_found(
            before in "[a-z \n]{0,20}", message in "[a-z]{2,5} [a-z]{2,5}", after in "[ \n][a-z]{0,9}",
        ) {
            let text = format!("{before} {message}{after}");
            let prepared = Message::new(&message, |_| 1.0).expect("two words");
            let found = prepared.find(&text).expect("a match");
            prop_assert!(found.is_verbatim);
            let line = text.lines().nth(found.line as usize - 1).expect("a line");
            prop_assert!(line.contains(&message));
        }
    }
}
