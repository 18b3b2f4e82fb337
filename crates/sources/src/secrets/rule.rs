//! A rule: its name, its marks, and the test of the text around a mark.

use super::{
    form::{Form, Token},
    name::Kind,
};

/// A rule for one kind of secret.
pub(super) struct Rule {
    /// Name in the label.
    pub(super) name: &'static str,
    /// Prefixes of the secrets, or of the names next to them.
    pub(super) prefixes: &'static [&'static str],
    /// Further test of what follows a prefix.
    pub(super) shape: Shape,
}

/// Test that decides whether a prefix belongs to a secret.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// A token: the characters around the prefix decide. The prefix is part of the secret and is
    /// matched with case.
    Token(Token),
    /// Name of a vendor, ignoring case; the assigned value has one of the forms.
    Named(&'static [Form]),
    /// Armour of a private key.
    PrivateKey,
    /// A name, ignoring case; the assigned value is the secret.
    Assignment(Kind),
    /// User and password before the host of a URL.
    UrlPassword,
    /// Password in a connection string.
    ConnectionString,
    /// User and password of a `curl` command.
    CurlUser,
    /// Values of a Kubernetes secret.
    Manifest,
}
