//! The users of a server: each has a token, and the repositories that it may read.
//!
//! The file has a table `[[user]]` for each user:
//!
//! ```toml
//! [[user]]
//! name = "ana"
//! token_sha256 = "…"             # or token_env = "NAME_OF_A_VARIABLE"
//! repositories = ["shop/*"]      # globs over whole names
//! metrics = false                # true to read `/metrics`, which names all trees
//! ```
//!
//! It is read again when it changes. A file with an error changes nothing, and is reported once.
//!
//! **Invariant:** the trees of a request are those that its user may read ([`Viewer::may_read`]), before
//! anything of them is opened. Everything else about a request depends on these trees alone.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use anyhow::Context as _;
use lore_console::report::{self, UsageError};
use lore_settings::{env_vars::Lookup, workspace::RepositoryGlobs};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// Maximum size of the file in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Minimum number of characters of a token that a user chose.
pub(crate) const MIN_TOKEN_LENGTH: usize = 16;

/// Interval at which the file is looked at.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// SHA-256 of a token.
pub(crate) type TokenDigest = [u8; 32];

/// A user.
#[derive(Debug)]
pub struct User {
    /// Name in the log.
    pub name: String,
    token: TokenDigest,
    repositories: RepositoryGlobs,
    reads_metrics: bool,
}

/// The sender of a request: a user, or the operator, who has the token of the server and may read all
/// repositories.
#[derive(Debug, Clone)]
pub struct Viewer(Option<Arc<User>>);

impl Viewer {
    /// The operator.
    pub fn operator() -> Viewer {
        Viewer(None)
    }

    pub(crate) fn user(user: Arc<User>) -> Viewer {
        Viewer(Some(user))
    }

    /// Name of the user; `None` for the operator.
    pub fn name(&self) -> Option<&str> {
        self.0.as_ref().map(|user| user.name.as_str())
    }

    /// Returns true if the sender may read the repository with this name.
    pub fn may_read(&self, repository: &str) -> bool {
        self.0.as_ref().is_none_or(|user| user.repositories.matches(repository))
    }

    /// Returns true if the sender may read the metrics.
    pub(crate) fn reads_metrics(&self) -> bool {
        self.0.as_ref().is_none_or(|user| user.reads_metrics)
    }

    /// Digest of the user's token; `None` for the operator.
    pub(crate) fn token(&self) -> Option<&TokenDigest> {
        self.0.as_ref().map(|user| &user.token)
    }
}

/// The users of a server, from a file.
#[derive(Debug)]
pub struct Access {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    users: Arc<[Arc<User>]>,
    /// Time and size of the file when it was read.
    stamp: Option<(SystemTime, u64)>,
    checked: Instant,
}

impl Access {
    /// Reads the users of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or a user in it is not valid. No error contains a token.
    pub fn open(path: &Path, lookup: Lookup<'_>) -> anyhow::Result<Access> {
        let (users, stamp) = read(path, lookup)?;
        let state = State { users: users.into(), stamp, checked: Instant::now() };
        Ok(Access { path: path.to_owned(), state: Mutex::new(state) })
    }

    /// The user with a token.
    pub(crate) fn user(&self, token: &TokenDigest) -> Option<Arc<User>> {
        // Digests are compared: the time of a comparison reveals nothing about a token.
        self.users().iter().find(|user| user.token == *token).cloned()
    }

    /// All users, in the order of the file.
    pub(crate) fn users(&self) -> Arc<[Arc<User>]> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if CHECK_INTERVAL <= state.checked.elapsed() {
            state.checked = Instant::now();
            let stamp = stamp(&self.path);
            if stamp != state.stamp {
                state.stamp = stamp;
                match read(&self.path, &lore_settings::env_vars::from_process) {
                    Ok((users, stamp)) => (state.users, state.stamp) = (users.into(), stamp),
                    Err(error) => report::warning(&format!(
                        "the users stay as they were: {}",
                        report::message(&*error)
                    )),
                }
            }
        }
        Arc::clone(&state.users)
    }
}

/// Returns true if a token cannot be guessed, as far as its length shows it.
pub(crate) fn is_strong_token(text: &str) -> bool {
    MIN_TOKEN_LENGTH <= text.len() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// SHA-256 of a text.
pub(crate) fn digest(text: &str) -> TokenDigest {
    Sha256::digest(text.as_bytes()).into()
}

/// SHA-256 of a token as the file states it.
pub fn token_hash(token: &str) -> String {
    digest(token).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntries {
    #[serde(default)]
    user: Vec<UserEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UserEntry {
    name: String,
    token_sha256: Option<String>,
    token_env: Option<String>,
    repositories: Vec<String>,
    #[serde(default)]
    metrics: bool,
}

type Read = (Vec<Arc<User>>, Option<(SystemTime, u64)>);

fn read(path: &Path, lookup: Lookup<'_>) -> anyhow::Result<Read> {
    let shown = path.display();
    let failed = || format!("could not read the users in `{shown}`");
    let stamp = stamp(path);
    if stamp.is_some_and(|(_, size)| MAX_BYTES < size) {
        return Err(UsageError::new(format!("{}: it is larger than 4 MiB", failed())).into());
    }
    let text = fs::read_to_string(path).with_context(failed)?;
    let entries: FileEntries = toml::from_str(&text).map_err(|error| {
        // The message would quote the line, which may contain a token.
        let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
        let line = line.map(|line| format!(" in line {line}")).unwrap_or_default();
        UsageError::new(format!("{}: {}{line}", failed(), error.message()))
            .hint("each user is a table `[[user]]` with `name`, `token_sha256` and `repositories`")
    })?;
    let mut users: Vec<Arc<User>> = Vec::with_capacity(entries.user.len());
    for entry in entries.user {
        let name = entry.name.clone();
        let user = user(entry, lookup)
            .map_err(|reason| UsageError::new(format!("{}: `{name}` {reason}", failed())))?;
        if users.iter().any(|other| other.name == user.name || other.token == user.token) {
            let problem = format!("{}: `{name}` has the name or token of another user", failed());
            return Err(UsageError::new(problem).into());
        }
        users.push(Arc::new(user));
    }
    if users.is_empty() {
        return Err(UsageError::new(format!("{}: there is none", failed())).into());
    }
    Ok((users, stamp))
}

fn user(entry: UserEntry, lookup: Lookup<'_>) -> Result<User, String> {
    if entry.name.trim().is_empty() || entry.name.chars().any(char::is_control) {
        return Err("is not a valid name".to_owned());
    }
    let token = match (entry.token_sha256, entry.token_env) {
        (Some(hash), None) => parse_hash(&hash).ok_or(
            "has no `token_sha256` with 64 hexadecimal digits; `lore access token` prints one",
        )?,
        (None, Some(variable)) => {
            let value = lookup(&variable).and_then(|value| value.into_string().ok());
            let value = value.map(|value| value.trim().to_owned());
            let long = value.filter(|value| is_strong_token(value));
            let token = long.ok_or_else(|| {
                format!("has its token in `{variable}`, which is not set or can be guessed")
            })?;
            digest(&token)
        }
        _ => return Err("needs `token_sha256` or `token_env`".to_owned()),
    };
    let repositories = RepositoryGlobs::new(&entry.repositories)?;
    Ok(User { name: entry.name, token, repositories, reads_metrics: entry.metrics })
}

fn parse_hash(text: &str) -> Option<TokenDigest> {
    let text = text.trim().as_bytes();
    if text.len() != 64 || !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, digits) in hash.iter_mut().zip(text.chunks_exact(2)) {
        let digits = std::str::from_utf8(digits).ok()?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn open(text: &str) -> anyhow::Result<Access> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("access.toml");
        fs::write(&path, text).expect("a file");
        Access::open(&path, &|name| (name == "ANA").then(|| TOKEN.into()))
    }

    #[test]
    fn a_user_has_a_token_and_repositories() {
        let hash = token_hash("another token of ben");
        let access = open(&format!(
            "[[user]]\nname = \"ana\"\ntoken_env = \"ANA\"\nrepositories = [\"shop/*\", \"api\"]\n\
             [[user]]\nname = \"ben\"\ntoken_sha256 = \"{hash}\"\nrepositories = [\"**\"]\nmetrics = true\n"
        ))
        .expect("two users");
        let ana = Viewer::user(access.user(&digest(TOKEN)).expect("ana"));
        assert_eq!(ana.name(), Some("ana"));
        let read = ["shop/web", "shop/web/deep", "api", "other/api", "shop", ""];
        assert_eq!(read.map(|name| ana.may_read(name)), [true, false, true, false, false, false]);
        let ben = Viewer::user(access.user(&digest("another token of ben")).expect("ben"));
        assert!(read.iter().filter(|name| !name.is_empty()).all(|name| ben.may_read(name)));
        assert!(access.user(&digest("another token of bem")).is_none());
        assert!(Viewer::operator().may_read("anything"));
        assert!(!ana.reads_metrics() && ben.reads_metrics());
    }

    #[test]
    fn a_faulty_file_names_the_fault_and_no_token() {
        let user = |rest: &str| format!("[[user]]\nname = \"ana\"\n{rest}\n");
        let hash = format!("token_sha256 = \"{}\"", token_hash(TOKEN));
        let cases = [
            (String::new(), "there is none"),
            (user("repositories = []"), "needs `token_sha256` or `token_env`"),
            (user("token_sha256 = \"abc\"\nrepositories = []"), "64 hexadecimal digits"),
            (user("token_env = \"NONE\"\nrepositories = []"), "`NONE`, which is not set"),
            (user(&format!("token = \"{TOKEN}\"\nrepositories = []")), "unknown field"),
            (user(&hash), "missing field `repositories`"),
            (user(&format!("{hash}\nrepositories = [\"[\"]")), "could not understand the glob"),
            (
                user(&format!(
                    "{hash}\nrepositories = []\n[[user]]\nname = \"b\"\n{hash}\nrepositories = []"
                )),
                "has the name or token of another user",
            ),
        ];
        for (text, expected) in cases {
            let error = report::message(&*open(&text).expect_err(expected));
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains(TOKEN), "{error}");
        }
    }

    #[test]
    fn a_changed_file_is_read_again_and_a_faulty_one_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("access.toml");
        let write = |token: &str| {
            let hash = token_hash(token);
            let text =
                format!("[[user]]\nname = \"ana\"\ntoken_sha256 = \"{hash}\"\nrepositories = []");
            fs::write(&path, text).expect("a file");
        };
        write("first token");
        let access = Access::open(&path, &|_| None).expect("a user");
        let is_read = |token: &str| {
            let mut state = access.state.lock().expect("no panic");
            state.checked = state.checked.checked_sub(2 * CHECK_INTERVAL).expect("a time");
            state.stamp = None;
            drop(state);
            access.user(&digest(token)).is_some()
        };
        assert!(is_read("first token"));
        write("second token");
        assert!(is_read("second token") && !is_read("first token"));
        fs::write(&path, "[[user").expect("a file");
        assert!(is_read("second token"));
    }
}
