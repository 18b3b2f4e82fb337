//! Setting values, in the types that other crates need.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use lore_engine::{
    CachePlace, CustomSources, Embedding, EngineConfig, Fusion, Limits, Mode, Overlays, Parsers,
    RankingConfig, Secrets,
};

use crate::{
    keys::WEIGHTS, kind::Value, origin::Origin, resolved::ResolvedValue, settings::Settings,
    terminal::ColorChoice,
};

impl Settings {
    /// Maximum number of hits, at least 1.
    pub fn limit(&self) -> usize {
        self.size("search.limit")
    }

    /// Maximum length of a snippet in lines, at least 1.
    pub fn snippet_lines(&self) -> usize {
        self.size("output.snippet-lines")
    }

    /// True if searches are recorded.
    pub fn history(&self) -> bool {
        self.switch("history.enabled")
    }

    /// True if words of similar meaning are searched as well.
    pub fn expand(&self) -> bool {
        self.switch("search.expand")
    }

    /// True if unknown words and abbreviations are replaced by known words.
    pub fn rewrite(&self) -> bool {
        self.switch("search.rewrite")
    }

    /// Longest time to wait for a first index, in seconds.
    pub fn wait(&self) -> u64 {
        self.number("search.wait")
    }

    /// The program that adds words to a query, with its arguments; empty for none.
    pub fn expand_command(&self) -> &[String] {
        self.names("search.expand-cmd")
    }

    /// The program that reorders the hits, with its arguments; empty for none.
    pub fn rerank_command(&self) -> &[String] {
        self.names("search.rerank-cmd")
    }

    /// Time limit of these programs.
    pub fn command_timeout(&self) -> Duration {
        Duration::from_millis(self.number("search.command-timeout"))
    }

    /// The search mode.
    pub fn mode(&self) -> Mode {
        Mode::from_name(self.text("search.mode")).unwrap_or_default()
    }

    /// The fusion of lexical and semantic scores. If only one of the two weights is set, the other
    /// is the remainder to 1.
    pub fn fusion(&self) -> Fusion {
        let (semantic, words) =
            (self.share("search.semantic_weight"), self.share("search.bm25_weight"));
        let (semantic_weight, bm25_weight) = match (semantic, words) {
            ((semantic, true), (_, false)) => (semantic, 1.0 - semantic),
            ((_, false), (words, true)) => (1.0 - words, words),
            ((semantic, _), (words, _)) => (semantic, words),
        };
        Fusion {
            semantic_weight,
            bm25_weight,
            rrf_k: self.number("search.rrf_k") as f32,
            alpha: self.share("search.alpha").0,
        }
    }

    /// The fusion for a contract with published values: settings that are given override them.
    pub fn fusion_over(&self, published: Fusion) -> Fusion {
        let given = self.fusion();
        let is_given = |key| self.get(key).is_some_and(|setting| setting.origin != Origin::Default);
        let weights = is_given("search.semantic_weight") || is_given("search.bm25_weight");
        let base = if weights { given } else { published };
        Fusion {
            rrf_k: if is_given("search.rrf_k") { given.rrf_k } else { published.rrf_k },
            alpha: if is_given("search.alpha") { given.alpha } else { published.alpha },
            ..base
        }
    }

    /// A number from 0 to 1, and true if it is not the default.
    fn share(&self, key: &str) -> (f32, bool) {
        match self.get(key) {
            #[expect(clippy::cast_possible_truncation, reason = "a weight needs no more digits")]
            Some(ResolvedValue { value: Value::Weight(share), origin }) => {
                (*share as f32, *origin != Origin::Default)
            }
            _ => (0.0, false),
        }
    }

    /// Sources to search; empty for all.
    pub fn sources(&self) -> &[String] {
        self.names("search.in")
    }

    /// Name of the output format.
    pub fn format(&self) -> &str {
        self.text("output.format")
    }

    /// The use of colours.
    pub fn color(&self) -> ColorChoice {
        ColorChoice::from_name(self.text("output.color"))
    }

    /// Name of the colours of code.
    pub fn theme(&self) -> &str {
        self.text("output.theme")
    }

    /// Format of the links of places; `auto` for the default on a terminal.
    pub fn hyperlink_format(&self) -> &str {
        self.text("output.hyperlink-format")
    }

    /// The pager with its arguments; empty for that of the environment.
    pub fn pager(&self) -> &[String] {
        self.names("output.pager")
    }

    /// Grouping of hits: `always`, `auto` or `never`.
    pub fn group(&self) -> &str {
        self.text("output.group")
    }

    /// True if the cache may be written.
    pub fn writes_cache(&self) -> bool {
        self.switch("cache.write")
    }

    /// Folder of the indexes; `None` if the machine has no cache folder.
    pub fn cache_dir(&self) -> Option<&Path> {
        match self.get("cache.dir") {
            Some(ResolvedValue { value: Value::Folder(path), .. }) => Some(path),
            _ => None,
        }
    }

    /// Exports of issue trackers to read as tickets.
    pub fn tickets(&self) -> &[PathBuf] {
        match self.get("index.tickets") {
            Some(ResolvedValue { value: Value::Files(paths), .. }) => paths,
            _ => &[],
        }
    }

    /// The treatment of secrets.
    pub fn secrets(&self) -> Secrets {
        if self.switch("privacy.redact") { Secrets::Redacted } else { Secrets::Shown }
    }

    /// The engine's configuration.
    pub fn engine(&self, root: &Path, embedding: Embedding) -> EngineConfig {
        let threads = match self.size("index.threads") {
            0 => self.cores(),
            threads => threads.min(self.cores()),
        };
        let cache =
            self.cache_dir().map_or(CachePlace::Memory, |dir| CachePlace::Folder(dir.into()));
        EngineConfig {
            root: root.to_owned(),
            at: None,
            stored: None,
            backend: lore_engine::default_backend(),
            cache,
            write: self.writes_cache(),
            hidden: self.switch("index.hidden"),
            max_file_size: self.number("index.max-file-size"),
            commits: (!self.switch("index.all-history")).then(|| self.size("index.commits")),
            exports: self.tickets().to_vec(),
            custom: CustomSources::none(),
            threads,
            secrets: self.secrets(),
            ranking: self.ranking(),
            embedding,
            parsers: Parsers::in_process(),
            overlays: Overlays::default(),
            commit_interval: EngineConfig::COMMIT_INTERVAL,
            limits: Limits {
                memory: self.bytes("limits.memory"),
                disk: self.bytes("limits.disk"),
                idle_writes: self.bytes("limits.idle-writes"),
                used_memory: lore_engine::own_memory,
                written: lore_engine::written_bytes,
            },
        }
    }

    /// Maximum number of concurrent threads, at least 1.
    pub fn cores(&self) -> usize {
        let all = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        match self.size("limits.cores") {
            0 => all,
            cores => cores,
        }
    }

    /// Returns true if the index may be updated without a query.
    pub fn follows(&self) -> bool {
        self.writes_cache() && self.bytes("limits.idle-writes") != Some(0)
    }

    /// A number of bytes; `None` for no limit.
    pub fn bytes(&self, key: &str) -> Option<u64> {
        match self.get(key) {
            Some(ResolvedValue { value: Value::Size(bytes), .. }) => {
                Some(*bytes).filter(|bytes| *bytes != u64::MAX)
            }
            _ => None,
        }
    }

    fn ranking(&self) -> RankingConfig {
        let mut weights: BTreeMap<String, f32> = self
            .all()
            .filter_map(|(key, resolved)| match (key.strip_prefix(WEIGHTS), &resolved.value) {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a weight needs no more digits"
                )]
                (Some(signal), Value::Weight(weight)) => Some((signal.to_owned(), *weight as f32)),
                _ => None,
            })
            .collect();
        // A factor equals the addend of its logarithm. A weight set by name takes precedence.
        if let Some(ResolvedValue { value: Value::Weight(boost), .. }) =
            self.get("search.source_boost")
        {
            #[expect(clippy::cast_possible_truncation, reason = "a weight needs no more digits")]
            let weight = boost.max(f64::MIN_POSITIVE).ln() as f32;
            weights.entry("source-path".to_owned()).or_insert(weight);
        }
        RankingConfig { weights }
    }

    pub(super) fn names(&self, key: &str) -> &[String] {
        match self.get(key) {
            Some(ResolvedValue { value: Value::Names(names), .. }) => names,
            _ => &[],
        }
    }

    pub(super) fn number(&self, key: &str) -> u64 {
        match self.get(key) {
            Some(ResolvedValue { value: Value::Number(number), .. }) => *number,
            _ => 0,
        }
    }

    pub(super) fn size(&self, key: &str) -> usize {
        usize::try_from(self.number(key)).unwrap_or(usize::MAX)
    }

    pub(super) fn switch(&self, key: &str) -> bool {
        matches!(self.get(key), Some(ResolvedValue { value: Value::Switch(true), .. }))
    }

    pub(super) fn text(&self, key: &str) -> &str {
        match self.get(key) {
            Some(ResolvedValue { value: Value::Text(text), .. }) => text,
            _ => "",
        }
    }
}
