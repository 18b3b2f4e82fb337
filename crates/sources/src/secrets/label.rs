//! Label that replaces a secret, such as `[redacted:github-token]`.

/// Start of a label, before the name of the rule and `]`.
pub(super) const LABEL: &str = "[redacted:";
