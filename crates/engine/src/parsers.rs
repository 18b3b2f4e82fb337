//! The place where texts are parsed: this process, or others.
//!
//! The parser library can end its process: some texts of a few kilobytes make it take gigabytes of
//! memory or overflow the stack. A host that parses in other processes turns that into a
//! [`ParserFault`] of one text.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use lore_syntax::Parsed;

/// Parses texts.
pub trait ParserHost: Send + Sync {
    /// Parses a text by the grammar of a language, given by its name in the registry of languages.
    /// `None` if the language has no grammar or the parser exceeded its budget.
    ///
    /// Called from several threads at once.
    ///
    /// # Errors
    /// When the text ended the parser.
    fn parse(&self, language: &str, text: &str) -> Result<Option<Parsed>, ParserFault>;

    /// Prepares to parse a file of this path: the next call of [`ParserHost::parse`] is for it, on
    /// another thread.
    fn prepare(&self, path: &str);
}

/// The end of a parser, caused by the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParserFault {
    /// It ended its process, or panicked.
    Crashed,
    /// It exceeded its memory.
    Memory,
    /// It exceeded its time.
    Time,
}

impl ParserFault {
    /// All faults, sorted by name.
    pub const ALL: &'static [ParserFault] =
        &[ParserFault::Crashed, ParserFault::Memory, ParserFault::Time];

    /// The name in the index and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ParserFault::Crashed => "crashed",
            ParserFault::Memory => "memory",
            ParserFault::Time => "time",
        }
    }
}

/// The host of an engine. Clones share it.
#[derive(Clone)]
pub struct Parsers(Arc<dyn ParserHost>);

impl Parsers {
    /// Parses with this host.
    pub fn new(host: Arc<dyn ParserHost>) -> Parsers {
        Parsers(host)
    }

    /// Parses in this process, which a hostile text can end.
    pub fn in_process() -> Parsers {
        Parsers(Arc::new(InProcess))
    }

    pub(crate) fn host(&self) -> &dyn ParserHost {
        self.0.as_ref()
    }
}

impl fmt::Debug for Parsers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Parsers")
    }
}

/// The host is no setting: all hosts return the same for a text that does not end the parser.
impl PartialEq for Parsers {
    fn eq(&self, _: &Parsers) -> bool {
        true
    }
}

/// Limits the bytes that the parser library may have allocated in this process at a time. When it
/// needs more, `exceeded` is called. Call this before anything is parsed.
pub fn limit_parser_memory(bytes: usize, exceeded: fn() -> !) {
    lore_syntax::limit_memory(bytes, exceeded);
}

/// Time after which the parser gives up on a text of this many bytes, if it notices.
pub fn parse_time(bytes: usize) -> Duration {
    lore_syntax::parse_time(bytes)
}

/// Returns true if the next text of a language has to wait until its query is compiled.
pub fn needs_preparation(language: &str) -> bool {
    lore_syntax::named(language).is_some_and(lore_syntax::needs_preparation)
}

/// Compiles the query of a language, unless that is done already.
pub fn prepare_language(language: &str) {
    if let Some(language) = lore_syntax::named(language) {
        lore_syntax::prepare(language);
    }
}

/// Version of the rules of parsing. Hosts in other processes must have the same.
pub fn parser_fingerprint() -> &'static str {
    lore_syntax::fingerprint()
}

/// Parses in this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

impl ParserHost for InProcess {
    fn parse(&self, language: &str, text: &str) -> Result<Option<Parsed>, ParserFault> {
        let parse = || lore_syntax::parse(lore_syntax::named(language)?, text);
        catch_unwind(AssertUnwindSafe(parse)).map_err(|_| ParserFault::Crashed)
    }

    fn prepare(&self, path: &str) {
        if let Some(language) = lore_syntax::detect(path, "") {
            lore_syntax::prepare(language);
        }
    }
}
