//! All rules: those of the two tables of vendors, and those that depend on the text around a secret.

use super::{
    name::Kind,
    named::NAMED,
    rule::{Rule, Shape},
    tokens::TOKENS,
};

/// Rules that depend on the text around a secret.
const CONTEXT: &[Rule] = &[
    Rule {
        name: "authorization",
        prefixes: &["basic ", "bearer "],
        shape: Shape::Assignment(Kind::Header),
    },
    Rule {
        name: "connection-password",
        prefixes: &["password=", "pwd="],
        shape: Shape::ConnectionString,
    },
    Rule { name: "curl-password", prefixes: &["-u ", "--user "], shape: Shape::CurlUser },
    Rule { name: "kubernetes-secret", prefixes: &["kind: secret"], shape: Shape::Manifest },
    Rule {
        name: "password",
        prefixes: &[
            "identified by",
            "masterauth",
            "passphrase",
            "passwd",
            "password",
            "requirepass",
        ],
        shape: Shape::Assignment(Kind::Password),
    },
    Rule {
        name: "password",
        prefixes: &["pass", "psw", "pswd", "pwd"],
        shape: Shape::Assignment(Kind::ShortPassword),
    },
    Rule { name: "private-key", prefixes: &["PRIVATE KEY"], shape: Shape::PrivateKey },
    Rule {
        name: "secret",
        prefixes: &[
            "_auth",
            "access-key",
            "access_key",
            "accesskey",
            "account_key",
            "accountkey",
            "api-key",
            "api.key",
            "api_key",
            "apikey",
            "app_key",
            "appkey",
            "auth_key",
            "authkey",
            "client_key",
            "consumer_key",
            "consumerkey",
            "credential",
            "deploy_key",
            "encryption-key",
            "encryption_key",
            "encryptionkey",
            "hmac_key",
            "license_key",
            "licensekey",
            "master_key",
            "masterkey",
            "private_key",
            "privatekey",
            "secret",
            "service_key",
            "servicekey",
            "session_key",
            "shared_key",
            "signing-key",
            "signing_key",
            "signingkey",
            "storage_key",
            "storagekey",
            "subscription-key",
            "subscription_key",
            "subscriptionkey",
            "token",
            "webhook_key",
        ],
        shape: Shape::Assignment(Kind::Token),
    },
    Rule { name: "url-password", prefixes: &["://"], shape: Shape::UrlPassword },
];

/// Returns all rules.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    TOKENS.iter().chain(NAMED).chain(CONTEXT)
}
