//! Made secrets of the forms that `lore` promises to remove: none is in an output or in the cache.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use super::{
    Attack, answers,
    rounds::{Round, repeat},
    trees,
};
use crate::random::Random;

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

/// Vendors' tokens: prefix in two parts, so that no scanner reports this file, alphabet and length.
const TOKENS: &[(&str, &str, &str, usize)] = &[
    ("gh", "p_", LETTERS, 36),
    ("gh", "s_", LETTERS, 36),
    ("gl", "pat-", LETTERS, 20),
    ("AK", "IA", UPPER, 16),
    ("xo", "xb-1234567890-1234567890123-", LETTERS, 24),
    ("sk_", "live_", LETTERS, 24),
    ("np", "m_", LETTERS, 36),
    ("AI", "za", LETTERS, 35),
    ("SG", ".", LETTERS, 0),
    ("dop_", "v1_", HEX, 64),
    ("shp", "at_", HEX, 32),
    ("hf", "_", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 34),
];

/// Lines with a value of a name, where `@` is the value.
const LINES: &[&str] = &[
    "const API_KEY: &str = \"@\";",
    "let apiKey: String = \"@\"",
    "val clientSecret: String = \"@\"",
    "private const string ApiKey = \"@\";",
    "#define API_KEY \"@\"",
    "api_key = '@'",
    "DB_PASS=@",
    "export SECRET_KEY=@",
    "password: @",
    "  client_secret: \"@\"",
    "mysql --user app --password @ db",
    "<string name=\"api_key\">@</string>",
    "ENV API_TOKEN @",
    "url = \"postgres://app:@@db.example.org/app\"",
    "Authorization: Bearer @",
];

/// Command lines that show text.
const COMMANDS: &[&[&str]] = &[
    &["gateway"],
    &["gateway", "--json"],
    &["gateway", "--format", "agent"],
    &["gateway", "--format", "toon", "--context", "10"],
    &["gateway", "--in", "git", "--json"],
    &["gateway", "--explain", "--follow-ups", "--json"],
    &["--literal", "gateway", "--json", "--context", "5"],
    &["--regex", "gateway|key|pass", "--format", "jsonl", "--context", "5"],
    &["--regex", ".", "--json", "--limit", "100"],
    &["symbol", "gateway", "--json"],
    &["context", "explain the gateway"],
    &["related", "docs/gateway.md:1", "--json"],
    &["status", "--json"],
];

/// Runs rounds until the time is over.
pub(super) fn run(attack: &Attack) -> Result<String> {
    repeat(attack, |round| {
        let [tree, cache] = ["tree", "cache"].map(|name| round.folder(name));
        let (tree, cache) = (tree?, cache?);
        let secrets = fill(round, &tree)?;
        trees::commit_all(&tree, "gateway: begin")?;
        let message = line(&mut round.random);
        trees::commit_all(&tree, &format!("gateway: use the key\n\n{}", message.0))?;
        let secrets: Vec<(String, String)> = secrets.into_iter().chain([message]).collect();
        answers::run(attack, &["index"], &tree, &round.folder, &cache)?;
        for words in COMMANDS {
            round.step(words.join(" "));
            let (_, stdout, stderr) = answers::run(attack, words, &tree, &round.folder, &cache)?;
            check_output(&format!("{stdout}\n{stderr}"), &secrets)
                .with_context(|| format!("`lore {}`", words.join(" ")))?;
        }
        check_cache(&cache, &secrets)
    })
}

/// Writes files with secrets, and returns each with its line.
fn fill(round: &mut Round<'_>, tree: &Path) -> Result<Vec<(String, String)>> {
    let names = [
        "src/gateway.rs",
        "src/gateway.kt",
        "src/gateway.py",
        "src/Gateway.cs",
        "include/gateway.h",
        "config/gateway.yaml",
        "gateway.env",
        "docs/gateway.md",
        "Dockerfile",
        "res/strings.xml",
        "notes.txt",
    ];
    let mut all = Vec::new();
    for name in names {
        let mut text = String::from("gateway\n\n");
        for _ in 0..=round.random.below(4) {
            let (line, secret) = line(&mut round.random);
            text.push_str(&line);
            text.push('\n');
            all.push((line, secret));
        }
        round.step(format!("{name}: {text:?}"));
        trees::write(&tree.join(name), &text)?;
    }
    Ok(all)
}

/// A line with a secret, and the secret.
fn line(random: &mut Random) -> (String, String) {
    if random.one_in(2) {
        let (one, two, alphabet, length) = *random.pick(TOKENS);
        let token = match length {
            // Two parts.
            0 => format!("{one}{two}{}.{}", mixed(random, 22), mixed(random, 43)),
            _ if alphabet == LETTERS => format!("{one}{two}{}", mixed(random, length)),
            _ => format!("{one}{two}{}", random.text(alphabet, length)),
        };
        let line = *random.pick(&[
            "token = \"@\"",
            "// the gateway takes @ here",
            "curl -H 'X-Token: @' gateway",
            "@",
            "key: @",
        ]);
        return (line.replacen('@', &token, 1), token);
    }
    let length = 20 + random.below(20);
    let value = mixed(random, length);
    let line = *random.pick(LINES);
    // The last of two is a part of the address.
    (line.replacen('@', &value, 1), value)
}

/// A text of this length with letters and digits in a changing order, as made secrets have.
fn mixed(random: &mut Random, length: usize) -> String {
    loop {
        let text = random.text(LETTERS, length);
        let is_digit = |c: char| c.is_ascii_digit();
        let changes = text
            .chars()
            .zip(text.chars().skip(1))
            .filter(|(one, two)| is_digit(*one) != is_digit(*two))
            .count();
        let has_both = text.contains(char::is_lowercase) && text.contains(char::is_uppercase);
        if has_both && changes >= 4 {
            return text;
        }
    }
}

/// Searches an output for the secrets.
fn check_output(output: &str, secrets: &[(String, String)]) -> Result<()> {
    for (line, secret) in secrets {
        if output.contains(secret) {
            bail!("the output shows the secret of the line: {line}");
        }
    }
    Ok(())
}

/// Searches all files of the cache for the secrets, as they are and in lower case.
fn check_cache(cache: &Path, secrets: &[(String, String)]) -> Result<()> {
    let mut folders: Vec<PathBuf> = vec![cache.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path)?;
            for (line, secret) in secrets {
                for form in [secret.clone(), secret.to_lowercase()] {
                    if bytes.windows(form.len()).any(|window| window == form.as_bytes()) {
                        bail!("{} contains the secret of the line: {line}", path.display());
                    }
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_an_output_or_in_the_cache_is_found() {
        let mut random = Random::new(7);
        let secrets: Vec<_> = (0..50).map(|_| line(&mut random)).collect();
        let cache = tempfile::tempdir().unwrap();
        let inner = cache.path().join("tree/code");
        fs::create_dir_all(&inner).unwrap();
        let file = inner.join("a.store");
        for (line, secret) in &secrets {
            assert!(line.contains(secret), "{line}");
            let redacted = line.replace(secret, "[redacted:token]");
            for (shown, leaks) in [(line, true), (&redacted, false)] {
                let output = format!("{{\"snippet\": \"{shown}\"}}");
                assert_eq!(check_output(&output, &secrets).is_err(), leaks, "{shown}");
                for stored in [shown.clone(), shown.to_lowercase()] {
                    fs::write(&file, [&[0xFF; 40], stored.as_bytes(), &[0; 40]].concat()).unwrap();
                    assert_eq!(check_cache(cache.path(), &secrets).is_err(), leaks, "{stored}");
                }
            }
        }
    }
}
