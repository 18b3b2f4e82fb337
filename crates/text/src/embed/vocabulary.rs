//! Splits a word into tokens of the built-in model's vocabulary.
//!
//! A hash table with open addressing over the bytes of the token list. It is built in less than a
//! millisecond, without an allocation for each token.

/// Maximum length of a word that is looked up: longer words are digests, encodings and the like.
pub(super) const MAX_WORD: usize = 40;

/// Maximum number of tokens: as many as fit into a slot beside the tag.
pub(super) const MAX_TOKENS: usize = TOKEN_MASK as usize - 1;

/// A slot contains the token's number plus 1 in its lower bits (0 is an empty slot), and some bits
/// of the hash above them, so that most misses need no look at the list.
const TOKEN_MASK: u32 = (1 << 20) - 1;

/// Number of letters that a word can start with.
const LETTERS: usize = 26;

/// Offsets of the tokens of a list.
pub(super) struct Vocabulary {
    /// A power of two, at least twice the number of tokens.
    slots: Box<[u32]>,
    /// Number of bits that a hash is shifted by to get its slot.
    shift: u32,
    /// Start of each token in the list; one more for the end of the last.
    starts: Box<[u32]>,
    /// Bytes of the longest token by its first two letters: most prefixes need no look-up.
    longest: Box<[u8]>,
}

impl Vocabulary {
    /// Reads a list of tokens, each terminated by a line break.
    ///
    /// Of equal tokens, the last one counts. The list has at most [`MAX_TOKENS`] and 4 GB.
    pub(super) fn new(list: &[u8]) -> Self {
        let mut starts = vec![0];
        for (at, byte) in (1..).zip(list) {
            if *byte == b'\n' {
                starts.push(at);
            }
        }
        let bits = (2 * starts.len()).next_power_of_two().trailing_zeros();
        let mut vocabulary = Self {
            slots: vec![0; 1 << bits].into(),
            shift: u32::BITS - bits,
            starts: starts.into(),
            longest: vec![0; LETTERS * LETTERS].into(),
        };
        for number in 0..vocabulary.starts.len() - 1 {
            let token = vocabulary.token(list, number);
            if token.is_empty() || token.len() > MAX_WORD {
                continue;
            }
            if let Some(pair) = pair(token) {
                let longest = &mut vocabulary.longest[pair];
                *longest = (*longest).max(u8::try_from(token.len()).unwrap_or(u8::MAX));
            }
            let hash = token.iter().fold(HASH_START, |hash, byte| extend(hash, *byte));
            let slot = vocabulary.slot(list, token, hash);
            let entry = u32::try_from(number + 1).unwrap_or(0) & TOKEN_MASK;
            vocabulary.slots[slot] = (hash & !TOKEN_MASK) | entry;
        }
        vocabulary
    }

    /// The token with this number.
    pub(super) fn token<'a>(&self, list: &'a [u8], number: usize) -> &'a [u8] {
        &list[self.starts[number] as usize..self.starts[number + 1] as usize - 1]
    }

    /// Writes the tokens of a word into `pieces`, which is cleared first.
    ///
    /// A word of the vocabulary is one token. Otherwise the longest prefix of at least two letters
    /// that is a token is split off, repeatedly. Letters that start no token are skipped, and an
    /// unknown number has no tokens. The word is in lower case and has at most [`MAX_WORD`] bytes.
    pub(super) fn pieces(&self, list: &[u8], word: &[u8], pieces: &mut Vec<usize>) {
        pieces.clear();
        let hash = word.iter().fold(HASH_START, |hash, byte| extend(hash, *byte));
        if let Some(number) = self.find(list, word, hash) {
            pieces.push(number);
            return;
        }
        if word.first().is_none_or(u8::is_ascii_digit) {
            return;
        }
        let mut rest = word;
        while let Some(pair) = pair(rest) {
            let limit = rest.len().min(usize::from(self.longest[pair]));
            let mut hashes = [HASH_START; MAX_WORD + 1];
            for at in 0..limit {
                hashes[at + 1] = extend(hashes[at], rest[at]);
            }
            let found = (2..=limit).rev().find_map(|length| {
                Some((self.find(list, &rest[..length], hashes[length])?, length))
            });
            rest = match found {
                Some((number, length)) => {
                    pieces.push(number);
                    &rest[length..]
                }
                None => &rest[1..],
            };
        }
    }

    fn find(&self, list: &[u8], word: &[u8], hash: u32) -> Option<usize> {
        match self.slots[self.slot(list, word, hash)] & TOKEN_MASK {
            0 => None,
            entry => Some(entry as usize - 1),
        }
    }

    /// The slot of a word, or the empty slot for it.
    fn slot(&self, list: &[u8], word: &[u8], hash: u32) -> usize {
        let mut slot = (hash.wrapping_mul(0x9e37_79b9) >> self.shift) as usize;
        loop {
            let entry = self.slots[slot];
            if entry == 0
                || (entry ^ hash) & !TOKEN_MASK == 0
                    && self.token(list, (entry & TOKEN_MASK) as usize - 1) == word
            {
                return slot;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

/// Index of the first two letters of a word; `None` for shorter words.
fn pair(word: &[u8]) -> Option<usize> {
    let letter = |at: usize| {
        let byte = word.get(at).filter(|byte| byte.is_ascii_lowercase())?;
        Some(usize::from(byte - b'a'))
    };
    Some(letter(0)? * LETTERS + letter(1)?)
}

/// Initial value of FNV-1a, which is updated byte by byte, so that all prefixes of a word are
/// hashed in one pass.
const HASH_START: u32 = 0x811c_9dc5;

fn extend(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

#[cfg(test)]
mod tests {
    use super::{MAX_WORD, Vocabulary};

    #[test]
    fn longest_known_prefixes_are_split_off() {
        let list = b"re\nregister\nreg\nister\ned\na\n42\nstore\nst\nstore\n\nA\nna\xc3\xafve\n";
        let vocabulary = Vocabulary::new(list);
        let mut pieces = Vec::new();
        for (word, expected) in [
            ("register", vec!["register"]),
            ("registered", vec!["register", "ed"]),
            // No token starts with `xy`.
            ("xyreged", vec!["reg", "ed"]),
            ("a", vec!["a"]),
            ("b", vec![]),
            // A single letter is a token only if it is the whole word.
            ("red", vec!["re"]),
            ("42", vec!["42"]),
            ("421", vec![]),
            ("stores", vec!["store"]),
            ("", vec![]),
        ] {
            vocabulary.pieces(list, word.as_bytes(), &mut pieces);
            let tokens: Vec<_> = pieces
                .iter()
                .map(|&number| std::str::from_utf8(vocabulary.token(list, number)).unwrap())
                .collect();
            assert_eq!(tokens, expected, "{word}");
        }
        vocabulary.pieces(list, b"store", &mut pieces);
        assert_eq!(pieces, [9], "of two equal tokens, the last one counts");
    }

    #[test]
    fn words_of_maximum_length_are_looked_up() {
        let longest = "ab".repeat(MAX_WORD / 2);
        let list = format!("{longest}\n{longest}c\nab\n");
        let vocabulary = Vocabulary::new(list.as_bytes());
        let mut pieces = Vec::new();
        vocabulary.pieces(list.as_bytes(), longest.as_bytes(), &mut pieces);
        assert_eq!(pieces, [0]);
        vocabulary.pieces(list.as_bytes(), &longest.as_bytes()[..MAX_WORD - 1], &mut pieces);
        assert_eq!(pieces, [2; MAX_WORD / 2 - 1]);
    }
}
