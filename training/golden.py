"""Texts of our own for the golden file: questions and chunks, and the odd cases an encoder must agree on."""

QUERIES = [
    "",
    " \t\n",
    "how are routes registered",
    "running work after the response is sent",
    "parse JSON from a slice",
    "XMLHttpRequest retry_with_backoff",
    "getHTTPResponse",
    "HTTPServerXYZ",
    "async HTTP/2 client session",
    "ünïcödé ñame handling",
    "naïve café résumé",
    "日本語のテキスト検索",
    "日本語 text search",
    "404 not found",
    "9999999 123456789012345678901234567890 007",
    "a",
    "_",
    "x y z",
    "__init__.__call__",
    "validateAntiForgeryToken",
    "sockfd2 mutexLock",
    "SELECT * FROM users WHERE id = ?",
    "supercalifragilisticexpialidocious",
    "qzxjvkwqzxjvkw zzzzzz",
    "Vec<Option<String>>",
    "delete old sessions from the cache, the cache, the cache",
    "don't panic; can't fail",
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz is too long a word",
    "word-of-forty letterswwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww",
    "emoji 🚀 launch 🚀 sequence",
]

RUST = """/// Keeps at most `limit` entries; the one that was used longest ago goes first.
pub struct LeastRecentlyUsed<K, V> {
    entries: HashMap<K, (V, u64)>,
    clock: u64,
    limit: usize,
}

impl<K: Hash + Eq + Clone, V> LeastRecentlyUsed<K, V> {
    pub fn get(&mut self, key: &K) -> Option<&V> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.1 = self.clock;
        Some(&entry.0)
    }
}
"""

PYTHON = '''def send_reminders(queue, mailer, now):
    """Mail everybody whose invoice is overdue, once a day."""
    for invoice in queue.overdue(before=now):
        if invoice.reminded_on != now.date():
            mailer.send(invoice.customer.email, template="reminder", invoice=invoice)
            invoice.reminded_on = now.date()
'''

TYPESCRIPT = """export function debounce<T extends unknown[]>(run: (...args: T) => void, waitMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...args: T) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), waitMs);
  };
}
"""

HASKELL = """-- | Fold the leaves of a tree from the left.
foldLeaves :: (b -> a -> b) -> b -> Tree a -> b
foldLeaves step start (Leaf value) = step start value
foldLeaves step start (Node left right) = foldLeaves step (foldLeaves step start left) right
"""

SHELL = """retry() {
  local attempts=$1; shift
  until "$@"; do
    attempts=$((attempts - 1))
    [ "$attempts" -gt 0 ] || return 1
    sleep 2
  done
}
"""

PROSE = """## Backups

The server writes a snapshot every night at 02:30. Copies older than thirty days are removed. To restore one, stop the
service, unpack the archive over the data directory, and start again; the journal is replayed on the first request.
"""

CHUNKS = [
    ("", ""),
    ("src/cache/lru.rs", RUST),
    ("", RUST),
    ("lru.rs", RUST),
    ("Cache/lru_cache/lru.rs", RUST),
    ("a/very/deep/folder/structure/src/cache/lru.rs", RUST),
    ("billing/reminders.py", PYTHON),
    ("billing/reminders.test.py", PYTHON),
    ("packages/timing/src/debounce.ts", TYPESCRIPT),
    ("src/Data/Tree/Fold.hs", HASKELL),
    ("scripts/retry.sh", SHELL),
    ("docs/operations/backups.md", PROSE),
    ("docs/日本/読んで.md", "説明だけ、語は無し。"),
    ("Makefile", "build:\n\tcargo build --release\n"),
    (".hidden", "only a dot file"),
    ("no_extension", "x = 1"),
    ("src/HTTPServer2.java", "public final class HTTPServer2 { private static final int MAX_CONNECTIONS = 1024; }"),
    ("only/path/names.go", ""),
    ("numbers.txt", " ".join(str(number) for number in range(0, 300, 7))),
    ("repeat.c", "while (1) { lock(); unlock(); }\n" * 40),
    ("long.py", "\n".join(f"value_{number} = compute(previous, {number})" for number in range(120))),
    ("long_words.txt", "z" * 41 + " " + "z" * 40 + " " + "Configuration" * 3 + " ConfigurationConfiguration"),
    ("tabs/windows.cs", "namespace Shop\r\n{\r\n\tinternal sealed record Order(int Id, decimal Total);\r\n}\r\n"),
]
