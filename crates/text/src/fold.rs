//! Folding: maps spellings of the same term to one form.

use unicode_normalization::UnicodeNormalization;

/// The form in which terms are compared: compatibility-composed, without the accents of Latin,
/// Greek and Cyrillic letters, and case-folded by way of upper case (so that `ß` is `ss` and final
/// sigma is sigma). Marks of other scripts, such as those of kana, distinguish letters and stay.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// Appends the folded form of `text`.
pub(crate) fn fold_into(text: &str, folded: &mut String) {
    if text.is_ascii() {
        let start = folded.len();
        folded.push_str(text);
        folded[start..].make_ascii_lowercase();
        return;
    }
    let bare = text.nfkd().filter(|character| !is_accent(*character)).nfc();
    let lowered = bare.flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    folded.extend(lowered.filter(|character| !is_accent(*character)));
}

/// The combining diacritical marks of Unicode's first block of them.
fn is_accent(character: char) -> bool {
    ('\u{300}'..='\u{36F}').contains(&character)
}
