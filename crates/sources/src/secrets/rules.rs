//! The table of rules: how the secrets of each vendor begin, of what they are made, and how long
//! they are.
//!
//! The facts are those that vendors document, or that their tokens show: GitHub ("About
//! authentication to GitHub", token formats), GitLab ("Token overview", token prefixes), AWS (IAM
//! reference, "Unique identifiers"), Slack ("Tokens"), Stripe ("API keys"), Google Cloud ("API
//! keys"), npm, PyPI, crates.io and Docker (access tokens), and the pages on tokens of the others.
//! Rows are in the order of their names.

use std::ops::Range;

use super::assignments::{Kind, entropy};

/// How secrets of one kind look.
pub(super) struct Rule {
    /// The name in the label.
    pub(super) name: &'static str,
    /// How they, or the names beside them, begin.
    pub(super) begins: &'static [&'static str],
    /// What decides whether it is one.
    pub(super) shape: Shape,
}

/// What decides whether a beginning is that of a secret.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// The characters behind it; the beginning is part of the secret, its letters as written.
    Token(Token),
    /// The armour of a key.
    PrivateKey,
    /// It is a name, in any case of letters, and the value is the secret.
    Assignment(Kind),
    /// A user and a password before the host of an address.
    UrlPassword,
    /// A password among the parts of a connection string.
    ConnectionString,
}

/// A token: so many characters of one alphabet behind its beginning.
#[derive(Clone, Copy)]
pub(super) struct Token {
    alphabet: Alphabet,
    least: usize,
    most: usize,
}

/// Of what a token is made.
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
    /// As `Url`, with `.` between parts.
    Dotted,
    /// As `Dotted`, of three parts at least.
    Parts,
    /// As `Url`, with `/` between parts.
    Address,
    /// Base64, with `+`, `/`, `=` and, where it stands in an address, `%`.
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

/// Least entropy of what is random, in bits a byte: less is a row of one letter, or an alphabet.
const LEAST_ENTROPY: f32 = 2.5;

impl Token {
    /// The token that begins here, if it is one.
    pub(super) fn at(self, bytes: &[u8], begin: Range<usize>) -> Option<Range<usize>> {
        // What goes on from a word, or from base64, begins nothing. An address ends before a name.
        // The letter of an escape (`\n`) is no part of a word.
        let is_escape = |at: usize| {
            matches!(bytes[at], b'n' | b'r' | b't')
                && at.checked_sub(1).map(|at| bytes[at]) == Some(b'\\')
        };
        let is_inside = |at: usize| {
            (bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'+' | b'_'))
                && !is_escape(at)
        };
        let starts_word = bytes[begin.start].is_ascii_alphanumeric();
        if starts_word && begin.start.checked_sub(1).is_some_and(is_inside) {
            return None;
        }
        let rest = &bytes[begin.end..];
        let mut length =
            rest.iter().take(self.most + 1).take_while(|byte| self.alphabet.has(**byte)).count();
        while length > 0 && matches!(rest[length - 1], b'.' | b'-' | b'%') {
            length -= 1;
        }
        let goes_on = rest.get(length).is_some_and(u8::is_ascii_alphanumeric);
        let secret = &rest[..length];
        let is_example = secret.windows(7).any(|window| window.eq_ignore_ascii_case(b"example"))
            || entropy(secret) < LEAST_ENTROPY;
        let parts = secret.split(|byte| *byte == b'.').count();
        let has_parts = !matches!(self.alphabet, Alphabet::Parts) || 3 <= parts;
        let fits =
            (self.least..=self.most).contains(&length) && !goes_on && !is_example && has_parts;
        fits.then(|| begin.start..begin.end + length)
    }
}

/// A row for a vendor's tokens.
const fn token(
    name: &'static str,
    begins: &'static [&'static str],
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> Rule {
    Rule { name, begins, shape: Shape::Token(Token { alphabet, least, most }) }
}

/// Tokens that have no documented end are not longer than this.
const OPEN: usize = 1_024;

/// All rules, in the order of their names.
pub(super) const RULES: &[Rule] = &[
    token("1password-token", &["ops_eyJ"], Alphabet::Base64, 200, 4_096),
    token("adobe-secret", &["p8e-"], Alphabet::Plain, 32, 32),
    token("age-secret-key", &["AGE-SECRET-KEY-1"], Alphabet::Upper, 58, 58),
    token("airtable-token", &["pat"], Alphabet::Dotted, 79, 79),
    token("anthropic-key", &["sk-ant-"], Alphabet::Url, 32, OPEN),
    token("artifactory-token", &["AKCp", "cmVmdGtu"], Alphabet::Plain, 56, 80),
    token("atlassian-token", &["ATATT3", "ATBB", "ATCTT3"], Alphabet::Base64, 24, OPEN),
    Rule {
        name: "authorization",
        begins: &["basic ", "bearer "],
        shape: Shape::Assignment(Kind::Header),
    },
    token("aws-access-key", &["ABIA", "ACCA", "AKIA", "ASIA"], Alphabet::Upper, 16, 16),
    token("azure-key", &["AccountKey=", "SharedAccessKey="], Alphabet::Base64, 40, 100),
    token("azure-signature", &["&sig=", "?sig="], Alphabet::Base64, 40, 100),
    token("buildkite-token", &["bkua_"], Alphabet::Hex, 40, 40),
    Rule {
        name: "connection-password",
        begins: &["password=", "pwd="],
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
    token("flyio-token", &["fm1r_", "fm2_", "fo1_"], Alphabet::Base64, 40, OPEN),
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
    token("google-oauth", &["ya29."], Alphabet::Url, 40, OPEN),
    token("grafana-token", &["glc_", "glsa_"], Alphabet::Base64, 32, OPEN),
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
    token("openai-key", &["sk-admin-", "sk-proj-", "sk-svcacct-"], Alphabet::Url, 40, OPEN),
    token("openrouter-key", &["sk-or-v1-"], Alphabet::Hex, 64, 64),
    Rule {
        name: "password",
        begins: &["passphrase", "passwd", "password", "_pwd"],
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
    Rule { name: "private-key", begins: &["PRIVATE KEY"], shape: Shape::PrivateKey },
    token("pulumi-token", &["pul-"], Alphabet::Hex, 40, 40),
    token("pypi-token", &["pypi-AgE"], Alphabet::Url, 50, OPEN),
    token("rubygems-key", &["rubygems_"], Alphabet::Hex, 48, 48),
    Rule {
        name: "secret",
        begins: &[
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
    token("sentry-token", &["sntrys_"], Alphabet::Base64, 40, OPEN),
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
    Rule { name: "url-password", begins: &["://"], shape: Shape::UrlPassword },
    token("vault-token", &["hvb.", "hvr.", "hvs."], Alphabet::Url, 24, OPEN),
    token("xai-key", &["xai-"], Alphabet::Plain, 70, 90),
];
