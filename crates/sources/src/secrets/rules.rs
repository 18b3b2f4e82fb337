//! Table of rules: prefix, alphabet and length of each vendor's secrets.
//!
//! The facts are from the vendors' documentation, or visible in their tokens: GitHub ("About
//! authentication to GitHub", token formats), GitLab ("Token overview", token prefixes), AWS (IAM
//! reference, "Unique identifiers"), Slack ("Tokens"), Stripe ("API keys"), Google Cloud ("API
//! keys"), npm, PyPI, crates.io and Docker (access tokens), and the token pages of the others. Rows
//! are sorted by name.

use std::ops::Range;

use super::assignments::{Kind, entropy};

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
    /// A token: the characters after the prefix decide. The prefix is part of the secret and is
    /// matched with case.
    Token(Token),
    /// Armour of a private key.
    PrivateKey,
    /// A name, ignoring case; the assigned value is the secret.
    Assignment(Kind),
    /// User and password before the host of a URL.
    UrlPassword,
    /// Password in a connection string.
    ConnectionString,
}

/// A token: `min` to `max` characters of one alphabet after its prefix.
#[derive(Clone, Copy)]
pub(super) struct Token {
    alphabet: Alphabet,
    min: usize,
    max: usize,
}

/// Alphabet of a token.
#[derive(Clone, Copy)]
enum Alphabet {
    /// `0-9a-fA-F`.
    Hex,
    /// `0-9A-Z`.
    Upper,
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Like `Url`, with `.` between parts.
    Dotted,
    /// Like `Dotted`, with at least three parts.
    Parts,
    /// Like `Url`, with `/` between parts.
    Address,
    /// Base64, with `+`, `/`, `=` and, in a URL, `%`.
    Base64,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Hex => byte.is_ascii_hexdigit(),
            Alphabet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Plain => byte.is_ascii_alphanumeric(),
            Alphabet::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Alphabet::Dotted | Alphabet::Parts => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
            }
            Alphabet::Address => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/'),
            Alphabet::Base64 => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'%')
            }
        }
    }
}

/// Minimum entropy of a random token, in bits per byte. A repeated character or an alphabet has
/// less.
const MIN_ENTROPY: f32 = 2.5;

impl Token {
    /// Returns the token with this prefix, if it is one.
    pub(super) fn at(self, bytes: &[u8], prefix: Range<usize>) -> Option<Range<usize>> {
        // A prefix inside a word or inside base64 starts no token. A URL ends before a name. The
        // letter of an escape (`\n`) is not part of a word.
        let is_escape = |at: usize| {
            matches!(bytes[at], b'n' | b'r' | b't')
                && at.checked_sub(1).map(|at| bytes[at]) == Some(b'\\')
        };
        let is_inside = |at: usize| {
            (bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'+' | b'_'))
                && !is_escape(at)
        };
        let starts_word = bytes[prefix.start].is_ascii_alphanumeric();
        if starts_word && prefix.start.checked_sub(1).is_some_and(is_inside) {
            return None;
        }
        let rest = &bytes[prefix.end..];
        let mut length =
            rest.iter().take(self.max + 1).take_while(|byte| self.alphabet.has(**byte)).count();
        while length > 0 && matches!(rest[length - 1], b'.' | b'-' | b'%') {
            length -= 1;
        }
        let continues = rest.get(length).is_some_and(u8::is_ascii_alphanumeric);
        let secret = &rest[..length];
        let is_example = secret.windows(7).any(|window| window.eq_ignore_ascii_case(b"example"))
            || entropy(secret) < MIN_ENTROPY;
        let parts = secret.split(|byte| *byte == b'.').count();
        let has_parts = !matches!(self.alphabet, Alphabet::Parts) || 3 <= parts;
        let fits =
            (self.min..=self.max).contains(&length) && !continues && !is_example && has_parts;
        fits.then(|| prefix.start..prefix.end + length)
    }
}

/// Creates the rule of a vendor's tokens.
const fn token(
    name: &'static str,
    prefixes: &'static [&'static str],
    alphabet: Alphabet,
    min: usize,
    max: usize,
) -> Rule {
    Rule { name, prefixes, shape: Shape::Token(Token { alphabet, min, max }) }
}

/// Maximum length of tokens without a documented length.
const MAX_UNDOCUMENTED_LEN: usize = 1_024;

/// All rules, sorted by name.
pub(super) const RULES: &[Rule] = &[
    token("1password-token", &["ops_eyJ"], Alphabet::Base64, 200, 4_096),
    token("adobe-secret", &["p8e-"], Alphabet::Plain, 32, 32),
    token("age-secret-key", &["AGE-SECRET-KEY-1"], Alphabet::Upper, 58, 58),
    token("airtable-token", &["pat"], Alphabet::Dotted, 79, 79),
    token("anthropic-key", &["sk-ant-"], Alphabet::Url, 32, MAX_UNDOCUMENTED_LEN),
    token("artifactory-token", &["AKCp", "cmVmdGtu"], Alphabet::Plain, 56, 80),
    token(
        "atlassian-token",
        &["ATATT3", "ATBB", "ATCTT3"],
        Alphabet::Base64,
        24,
        MAX_UNDOCUMENTED_LEN,
    ),
    Rule {
        name: "authorization",
        prefixes: &["basic ", "bearer "],
        shape: Shape::Assignment(Kind::Header),
    },
    token("aws-access-key", &["ABIA", "ACCA", "AKIA", "ASIA"], Alphabet::Upper, 16, 16),
    token("azure-key", &["AccountKey=", "SharedAccessKey="], Alphabet::Base64, 40, 100),
    token("azure-signature", &["&sig=", "?sig="], Alphabet::Base64, 40, 100),
    token("buildkite-token", &["bkua_"], Alphabet::Hex, 40, 40),
    Rule {
        name: "connection-password",
        prefixes: &["password=", "pwd="],
        shape: Shape::ConnectionString,
    },
    token("crates-io-token", &["cio"], Alphabet::Plain, 32, 32),
    token("databricks-token", &["dapi"], Alphabet::Hex, 32, 32),
    token("digitalocean-token", &["doo_v1_", "dop_v1_", "dor_v1_"], Alphabet::Hex, 64, 64),
    token(
        "discord-webhook",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        Alphabet::Address,
        60,
        120,
    ),
    token("docker-token", &["dckr_oat_", "dckr_pat_"], Alphabet::Url, 27, 64),
    token(
        "doppler-token",
        &["dp.ct.", "dp.pt.", "dp.sa.", "dp.scim.", "dp.st."],
        Alphabet::Dotted,
        40,
        64,
    ),
    token("duffel-token", &["duffel_live_", "duffel_test_"], Alphabet::Url, 43, 43),
    token("dynatrace-token", &["dt0c01.", "dt0s01."], Alphabet::Dotted, 80, 100),
    token("easypost-key", &["EZAK", "EZTK"], Alphabet::Plain, 54, 54),
    token("figma-token", &["figd_"], Alphabet::Url, 40, 64),
    token("flyio-token", &["fm1r_", "fm2_", "fo1_"], Alphabet::Base64, 40, MAX_UNDOCUMENTED_LEN),
    token("frameio-token", &["fio-u-"], Alphabet::Url, 64, 64),
    token("github-token", &["gho_", "ghp_", "ghr_", "ghs_", "ghu_"], Alphabet::Plain, 36, 255),
    token("github-token", &["github_pat_"], Alphabet::Url, 36, 255),
    token(
        "gitlab-token",
        &[
            "glagent-", "glcbt-", "gldt-", "glft-", "glimt-", "gloas-", "glpat-", "glptt-",
            "glrt-", "glsoat-",
        ],
        Alphabet::Dotted,
        20,
        255,
    ),
    token("google-api-key", &["AIza"], Alphabet::Url, 35, 35),
    token("google-oauth", &["GOCSPX-"], Alphabet::Url, 28, 28),
    token("google-oauth", &["ya29."], Alphabet::Url, 40, MAX_UNDOCUMENTED_LEN),
    token("grafana-token", &["glc_", "glsa_"], Alphabet::Base64, 32, MAX_UNDOCUMENTED_LEN),
    token("groq-key", &["gsk_"], Alphabet::Plain, 48, 64),
    token("heroku-key", &["HRKU-"], Alphabet::Url, 36, 64),
    token("huggingface-token", &["api_org_", "hf_"], Alphabet::Plain, 34, 40),
    token("json-web-token", &["eyJ"], Alphabet::Parts, 60, 4_096),
    token("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], Alphabet::Url, 40, 64),
    token("linear-key", &["lin_api_", "lin_oauth_"], Alphabet::Plain, 40, 64),
    token("mailgun-key", &["key-"], Alphabet::Hex, 32, 32),
    token("newrelic-key", &["NRAK-", "NRII-", "NRJS-"], Alphabet::Url, 19, 32),
    token("notion-token", &["ntn_", "secret_"], Alphabet::Plain, 43, 50),
    token("npm-token", &["npm_"], Alphabet::Plain, 36, 36),
    token("openai-key", &["sk-"], Alphabet::Plain, 40, 64),
    token(
        "openai-key",
        &["sk-admin-", "sk-proj-", "sk-svcacct-"],
        Alphabet::Url,
        40,
        MAX_UNDOCUMENTED_LEN,
    ),
    token("openrouter-key", &["sk-or-v1-"], Alphabet::Hex, 64, 64),
    Rule {
        name: "password",
        prefixes: &["passphrase", "passwd", "password", "_pwd"],
        shape: Shape::Assignment(Kind::Password),
    },
    token("perplexity-key", &["pplx-"], Alphabet::Plain, 48, 64),
    token(
        "planetscale-token",
        &["pscale_oauth_", "pscale_pw_", "pscale_tkn_"],
        Alphabet::Dotted,
        32,
        64,
    ),
    token("postman-key", &["PMAK-"], Alphabet::Url, 59, 59),
    Rule { name: "private-key", prefixes: &["PRIVATE KEY"], shape: Shape::PrivateKey },
    token("pulumi-token", &["pul-"], Alphabet::Hex, 40, 40),
    token("pypi-token", &["pypi-AgE"], Alphabet::Url, 50, MAX_UNDOCUMENTED_LEN),
    token("rubygems-key", &["rubygems_"], Alphabet::Hex, 48, 48),
    Rule {
        name: "secret",
        prefixes: &[
            "access-key",
            "access_key",
            "accesskey",
            "api-key",
            "api_key",
            "apikey",
            "auth_key",
            "authkey",
            "credential",
            "encryption_key",
            "private_key",
            "privatekey",
            "secret",
            "signing_key",
            "token",
        ],
        shape: Shape::Assignment(Kind::Token),
    },
    token("sendgrid-key", &["SG."], Alphabet::Dotted, 66, 66),
    token("sentry-token", &["sntrys_"], Alphabet::Base64, 40, MAX_UNDOCUMENTED_LEN),
    token("sentry-token", &["sntryu_"], Alphabet::Hex, 64, 64),
    token("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], Alphabet::Hex, 32, 32),
    token(
        "slack-token",
        &["xapp-", "xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-"],
        Alphabet::Dotted,
        20,
        255,
    ),
    token(
        "slack-webhook",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/"],
        Alphabet::Address,
        36,
        120,
    ),
    token("square-token", &["sq0atp-", "sq0csp-"], Alphabet::Url, 22, 64),
    token(
        "stripe-key",
        &["rk_live_", "rk_prod_", "rk_test_", "sk_live_", "sk_prod_", "sk_test_", "whsec_"],
        Alphabet::Plain,
        16,
        255,
    ),
    token("supabase-key", &["sb_secret_", "sbp_"], Alphabet::Url, 24, 64),
    token("terraform-token", &[".atlasv1."], Alphabet::Url, 60, 80),
    Rule { name: "url-password", prefixes: &["://"], shape: Shape::UrlPassword },
    token("vault-token", &["hvb.", "hvr.", "hvs."], Alphabet::Url, 24, MAX_UNDOCUMENTED_LEN),
    token("xai-key", &["xai-"], Alphabet::Plain, 70, 90),
];
