//! Made-up secrets, and texts that only resemble one.

use proptest::prelude::*;

use super::{
    form::{Alphabet, Form},
    *,
};

mod contexts;

/// Random-looking letters and digits, generated at run time so that no scanner reports this file as
/// a leak.
fn noise(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        letters[usize::try_from(state >> 33).unwrap() % letters.len()]
    };
    (0..length).map(|_| next()).collect()
}

const PLAIN: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Checks a redaction. `{}` marks the secret in the text and the label in the result.
fn check(text: &str, secret: &str, rule: &str) {
    let before = text.replace("{}", secret);
    let after = redact(before.clone());
    assert_eq!(after, text.replace("{}", &format!("[redacted:{rule}]")), "{before}");
    assert_eq!(count_redactions(&after), BTreeMap::from([(rule, 1)]), "{after}");
    assert_eq!(redact(after.clone()), after, "it is its own fixed point");
}

/// Checks that a text contains no secret.
fn check_plain(text: &str) {
    assert_eq!(redact(text.to_owned()), text);
}

#[test]
fn tokens_of_vendors() {
    let cases: &[(&[&str], &str, usize, &str)] = &[
        (&["AK", "IA"], UPPER, 16, "aws-access-key"),
        (&["AS", "IA"], UPPER, 16, "aws-access-key"),
        (&["gh", "p_"], PLAIN, 36, "github-token"),
        (&["github", "_pat_"], PLAIN, 82, "github-token"),
        (&["gl", "pat-"], PLAIN, 20, "gitlab-token"),
        (&["xo", "xb-"], PLAIN, 40, "slack-token"),
        (&["sk_", "live_"], PLAIN, 24, "stripe-key"),
        (&["sk-", "ant-api03-"], PLAIN, 90, "anthropic-key"),
        (&["sk-", "proj-"], PLAIN, 80, "openai-key"),
        (&["sk", "-"], PLAIN, 48, "openai-key"),
        (&["AI", "za"], PLAIN, 35, "google-api-key"),
        (&["np", "m_"], PLAIN, 36, "npm-token"),
        (&["py", "pi-AgE"], PLAIN, 120, "pypi-token"),
        (&["ci", "o"], PLAIN, 32, "crates-io-token"),
        (&["h", "f_"], PLAIN, 34, "huggingface-token"),
        (&["do", "p_v1_"], HEX, 64, "digitalocean-token"),
        (&["AGE-SECRET", "-KEY-1"], UPPER, 58, "age-secret-key"),
        (&["hv", "s."], PLAIN, 24, "vault-token"),
        (&["dckr", "_pat_"], PLAIN, 27, "docker-token"),
        (&["sq0", "csp-"], PLAIN, 43, "square-token"),
        (&["EA", "AA"], PLAIN, 60, "square-token"),
        (&["pc", "sk_"], PLAIN, 70, "pinecone-key"),
        (&["tv", "ly-"], PLAIN, 32, "tavily-key"),
        (&["sntry", "u_"], HEX, 64, "sentry-token"),
        (&["ABS", "K"], PLAIN, 132, "aws-bedrock-key"),
        (&["rdm", "e_"], PLAIN, 70, "readme-key"),
        (&["xkey", "sib-"], PLAIN, 81, "sendinblue-key"),
        (&["shippo", "_live_"], HEX, 40, "shippo-token"),
        (&["FLWSECK", "_TEST-"], HEX, 32, "flutterwave-key"),
        (&["LT", "AI"], PLAIN, 20, "alibaba-key"),
        (&["sha", "256~"], PLAIN, 43, "openshift-token"),
    ];
    for (begin, alphabet, length, rule) in cases {
        let secret = format!("{}{}", begin.concat(), noise(alphabet, *length));
        check("let key = \"{}\";\n", &secret, rule);
        check("KEY={}\nNEXT=1\n", &secret, rule);
        check("see {}, and go on", &secret, rule);
        check("{}", &secret, rule);
        // Truncated, or inside a longer word, it is not a token.
        if !matches!(*rule, "stripe-key" | "slack-token" | "gitlab-token") {
            check_plain(&format!("see {}", &secret[..secret.len().min(begin.concat().len() + 9)]));
        }
        // Encoded data contains any prefix without a sign by chance.
        if !begin.concat().contains(['_', '-']) {
            check_plain(&format!("data:image/png;base64,Zm9v{secret}"));
        }
        check_plain(&format!("data:image/png;base64,{}{secret}", noise(PLAIN, 60)));
    }
    let parts = [noise(PLAIN, 30), noise(PLAIN, 60), noise(PLAIN, 43)];
    check("Authorization: {}\n", &format!("ey{}{}", 'J', parts.join(".")), "json-web-token");
    check("x-auth: Bearer {}\n", &noise(PLAIN, 40), "authorization");
}

#[test]
fn tokens_with_a_mark_inside_or_at_the_end() {
    let digits = "0123456789";
    let telegram = format!("{}:A{}", noise(digits, 10), noise(PLAIN, 34));
    let azure = format!("{}7Q~{}", noise(PLAIN, 3), noise(PLAIN, 34));
    let maxmind = format!("{}_{}_mmk", noise(PLAIN, 6), noise(PLAIN, 29));
    let mailchimp = format!("{}-us{}", noise(HEX, 32), 20);
    let terraform = format!("{}.atlasv1.{}", noise(PLAIN, 14), noise(PLAIN, 64));
    for (secret, rule) in [
        (telegram, "telegram-token"),
        (azure, "azure-secret"),
        (maxmind, "maxmind-key"),
        (mailchimp, "mailchimp-key"),
        (terraform, "terraform-token"),
    ] {
        check("bot = \"{}\"\n", &secret, rule);
        check("BOT={}\n", &secret, rule);
    }
    // The whole of a token with a checksum.
    let atlassian =
        ["ATA", "TT3", &noise(PLAIN, 60), "_", &noise(PLAIN, 40), "-", &noise(PLAIN, 70), "=1F00"];
    check("see {} there\n", &atlassian.concat(), "atlassian-token");
}

#[test]
fn tokens_directly_after_a_word_are_found() {
    let token = ["gh", "p_", &noise(PLAIN, 36)].concat();
    check("MY_{}\n", &token, "github-token");
    check("x{}\n", &token, "github-token");
    let key = ["AK", "IA", &noise(UPPER, 16)].concat();
    check("key_{}\n", &key, "aws-access-key");
    check("key{}\n", &key, "aws-access-key");
    check_plain(&format!("Zm9v{key}\n"));
}

/// Returns a value of a form.
fn sample(form: &Form) -> String {
    let start = form.start;
    let length = usize::midpoint(form.min, form.max);
    let noise = match form.alphabet {
        Alphabet::Digits => noise("0123456789", length),
        Alphabet::Hex | Alphabet::HexParts => noise(HEX, length),
        Alphabet::Uuid => uuid(),
        _ => noise(PLAIN, length),
    };
    format!("{start}{noise}")
}

fn uuid() -> String {
    let hex = noise(HEX, 32);
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    parts.join("-")
}

#[test]
fn keys_beside_the_name_of_their_vendor() {
    for rule in named::NAMED {
        let Shape::Named(forms) = rule.shape else { panic!("{}", rule.name) };
        for (vendor, form) in
            rule.prefixes.iter().flat_map(|name| forms.iter().map(move |form| (name, form)))
        {
            let secret = sample(form);
            let upper = vendor.to_ascii_uppercase();
            for (front, back) in [
                (format!("{upper}_KEY="), "\n"),
                (format!("{vendor}.value: "), "\n"),
                (format!("let {vendor}Client = \""), "\";\n"),
                (format!("'{vendor}-app': '"), "',\n"),
                (format!("set(\"{vendor}\", \""), "\")\n"),
            ] {
                let after = redact(format!("{front}{secret}{back}"));
                assert!(!after.contains(&secret[secret.len() / 2..]), "{front}{secret}");
                assert!(after.contains("[redacted:"), "{after}");
                assert_eq!(redact(after.clone()), after);
            }
            // A hash, another length, and a name that only contains the vendor's.
            check_plain(&format!("{vendor}_sha256 = {}\n", noise(HEX, form.max)));
            if form.start.is_empty() && form.alphabet == Alphabet::Plain {
                check_plain(&format!("{vendor} = {}\n", noise(PLAIN, 8)));
                if !vendor.contains("key") && !vendor.contains("token") {
                    check_plain(&format!("x{vendor}x = {secret}\n"));
                }
            }
        }
    }
}

#[test]
fn secrets_inside_quoted_texts_are_found() {
    let token = ["gh", "p_", &noise(PLAIN, 36)].concat();
    check(r#"{"body": "see\n{}\nthere"}"#, &token, "github-token");
    let key = noise(PLAIN, 40);
    let rule = |text: &str| {
        let after = redact(text.replace("{}", &key));
        assert!(!after.contains(&key), "{after}");
    };
    rule(r#"{"body": "AWS_SECRET_ACCESS_KEY={}\nNEXT=1"}"#);
    rule("1,\"api_key = \"\"{}\"\"\",open\n");
}

#[test]
fn secrets_are_recognized_by_name() {
    let key = noise(PLAIN, 40);
    for text in [
        "aws_secret_access_key = \"{}\"",
        "AWS_SECRET_ACCESS_KEY={}\n",
        "export API_TOKEN={}\n",
        "  client_secret: '{}'\n",
        "\"clientSecret\": \"{}\",",
        "config['api_key'] = '{}';",
        "String apiKey = \"{}\";",
        "api_key := \"{}\"",
        "auth_token => '{}'",
        "{\\\"token\\\": \\\"{}\\\"}",
    ] {
        // The braces of the last case are part of the text.
        let (front, back) = text.rsplit_once("{}").unwrap();
        let before = format!("{front}{key}{back}");
        assert_eq!(redact(before), format!("{front}[redacted:secret]{back}"), "{text}");
    }
    let chosen = ["Tr0ub4", "dor&3x"].concat();
    check("password = \"{}\"\n", &chosen, "password");
    check("\"db_password\": \"{}\"\n", &chosen, "password");
    // The more specific rule wins.
    let token = format!("gh{}{}", "p_", noise(PLAIN, 36));
    check("token = \"{}\"", &token, "github-token");
}

#[test]
fn passwords_in_addresses() {
    let password = ["n3v3r", "m1nd"].concat();
    check("postgres://app:{}@db.internal:5432/shop", &password, "url-password");
    check("url = \"https://bot:{}@git.internal/x.git\"", &password, "url-password");
    check("redis://:{}@cache:6379/0", &password, "url-password");
    check("Server=db;Database=shop;User Id=app;Password={};", &password, "connection-password");
    let password = ["pa$$", "w:x[9]"].concat();
    check("postgres://app:{}@db.internal:5432/shop", &password, "url-password");
    let password = ["G7%", "k*x{9!"].concat();
    check("Server=db;Database=shop;User Id=app;Password={};", &password, "connection-password");
    for plain in [
        "https://internal.host:8080/path@version",
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@localhost/db",
        "https://user:$TOKEN@host/",
        "https://x-access-token:${{ secrets.TOKEN }}@github.com/a/b",
        "https://<user>:<pass>@host/",
        "ssh://git@host:22/a.git",
        "mongodb://user:****@host",
        "see https://a.b/c and mail a@b.c",
    ] {
        check_plain(plain);
    }
}

#[test]
fn redacted_keys_keep_line_numbers() {
    let line = noise(PLAIN, 64);
    let armour = |side: &str| format!("-----{side} RSA PRIVATE {}-----", "KEY");
    let (begin, end) = (armour("BEGIN"), armour("END"));
    let text = format!("a\n{begin}\n{line}\n{line}\n{line}\n{end}\nb\n");
    let after = format!("a\n{begin}\n[redacted:private-key]\n\n\n{end}\nb\n");
    assert_eq!(redact(text.clone()), after);
    assert_eq!(after.lines().count(), text.lines().count());
    let windows = text.replace('\n', "\r\n");
    assert_eq!(redact(windows), after.replace('\n', "\r\n"));
    // In a string literal, in YAML, and truncated.
    let string = format!("\"{begin}\\n{line}\\n{line}\\n{end}\\n\"");
    assert_eq!(redact(string), format!("\"{begin}\\n[redacted:private-key]\\n{end}\\n\""));
    let yaml = format!("key: |\n  {begin}\n  {line}\n  {line}\n  {end}\n");
    assert_eq!(redact(yaml), format!("key: |\n  {begin}\n  [redacted:private-key]\n\n  {end}\n"));
    let cut = format!("{begin}\n{line}\n{line}\n");
    assert_eq!(redact(cut), format!("{begin}\n[redacted:private-key]\n\n"));
    // In comments and in concatenated strings.
    let comment = format!("//! {begin}\n//! {line}\n//! {line}\n//! {end}\n");
    let after = redact(comment.clone());
    assert!(!after.contains(&line), "{after}");
    assert_eq!(after.lines().count(), comment.lines().count());
    let php = format!(
        "$k = \"{begin}\";\n$k .= \"{line}\\n\";\n$k .= \"{line}\\n\";\n$k .= \"{end}\";\n"
    );
    let after = redact(php.clone());
    assert!(!after.contains(&line) && after.contains(&end), "{after}");
    assert_eq!(after.lines().count(), php.lines().count());
    check_plain(&format!(
        "const BEGIN_OF_A_PRIVATE_KEY2: &str = \"{begin}\";\nconst END_OF_A_PRIVATE_KEY: &str = \"{end}\";\n"
    ));
    // Prose about keys is not a key, nor is a public key.
    check_plain(&format!(
        "if text.startswith(\"{begin}\"):\n    return text.endswith(\"{end}\")\n"
    ));
    check_plain(&format!("{begin}\n...\n{end}\n"));
    check_plain(&text.replace("PRIVATE", "PUBLIC"));
}

#[test]
fn lookalikes_are_not_redacted() {
    let hash = noise(HEX, 40);
    let long = noise(PLAIN, 64);
    let plain = [
        format!("commit {hash}\nParent: {hash}\n"),
        format!("checksum = \"{}\"\n", noise(HEX, 64)),
        format!("\"integrity\": \"sha512-{long}==\"\n"),
        format!("resolved \"https://registry.npmjs.org/a/-/a-1.0.0.tgz#{hash}\"\n"),
        format!("![x](data:image/png;base64,{}AKIA{})", long, noise(UPPER, 16)),
        format!("tree: {hash}\nsha: \"{hash}\"\ncontent_hash = \"{hash}\""),
        "token = \"550e8400-e29b-41d4-a716-446655440000\"".to_owned(),
        "API_KEY=YOUR_API_KEY\napi_key = \"your-api-key-here-123\"\n".to_owned(),
        // The example key of the AWS documentation.
        format!("key = \"{}\"", ["AKIA", "IOSFODNN7", "EXAMPLE"].concat()),
        format!("secret_key = \"{}\"", ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"].concat()),
        format!("token: gh{}{}", "p_", "x".repeat(36)),
        "password: str = Field(default=None)".to_owned(),
        "self.password = config.get_password(user1)".to_owned(),
        "token = self.tokenizer.next_token2(kind=Kind.WORD)".to_owned(),
        "const TOKEN_KIND_ACCESS = \"access_token_v2_refresh\";".to_owned(),
        "secret_name = \"prod/db-main-01/password-2\"".to_owned(),
        "public_key_token=b77a5c561934e089".to_owned(),
        "<input type=\"password\" name=\"password\" placeholder=\"Password\">".to_owned(),
        "password = \"correct horse battery staple 1\"".to_owned(),
        "use basic authentication, and bearer tokens".to_owned(),
        "precious cio hf_ SG. eyJ AKIA ghp_ sk- :// PRIVATE KEY".to_owned(),
    ];
    for text in &plain {
        check_plain(text);
    }
}

#[test]
fn rules_are_sorted_and_their_labels_are_plain() {
    for table in [tokens::TOKENS, named::NAMED] {
        assert!(table.is_sorted_by_key(|rule| rule.name));
    }
    for name in secret_rule_names() {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(is_plain), "{name}");
    }
}

#[test]
fn repeated_prefixes_take_linear_time() {
    // Each prefix examines a bounded number of bytes around it.
    for rule in rules::all() {
        for begin in rule.prefixes {
            for glue in ["", "-", ".", "_", " ", "\n", "=", ":a@"] {
                let text = format!("{begin}{glue}").repeat(4_000 / begin.len());
                let lines = text.lines().count();
                assert!(redact(text).lines().count() == lines, "{begin}{glue}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_keeps_its_lines(
        parts in prop::collection::vec(
            prop_oneof![
                Just("password = \"".to_owned()),
                Just("-----BEGIN PRIVATE KEY-----\n".to_owned()),
                Just("://a:".to_owned()),
                Just("@".to_owned()),
                Just("token: ".to_owned()),
                Just(format!("gh{}{}", "p_", noise(PLAIN, 36))),
                "[a-zA-Z0-9+/=]{0,50}",
                "\\PC{0,12}",
                Just("\n".to_owned()),
                Just("\"".to_owned()),
            ],
            0..12,
        )
    ) {
        let text = parts.concat();
        let once = redact(text.clone());
        prop_assert_eq!(text.split('\n').count(), once.split('\n').count());
    }
}
