//! Label that replaces a secret, such as `[redacted:github-token]`.

use std::ops::Range;

/// Start of a label, before the name of the rule and `]`.
pub(super) const LABEL: &str = "[redacted:";

/// Maximum length of a label in bytes.
const MAX_LABEL_LEN: usize = 48;

/// Returns true if a name is not part of a label that replaced a secret.
pub(super) fn is_outside_label(bytes: &[u8], name: Range<usize>) -> bool {
    let start = name.start.saturating_sub(MAX_LABEL_LEN);
    let before = &bytes[start..name.start];
    let label = before.windows(LABEL.len()).rposition(|part| part == LABEL.as_bytes());
    label.is_none_or(|at| before[at..].contains(&b']'))
}
