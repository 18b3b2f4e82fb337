//! The values of all flags of a command line, before defaults depend on the terminal and the paths.

mod flag;
mod table;
mod update;

use std::{ffi::OsString, path::PathBuf};

use grep_printer::UserColorSpec;
use grep_searcher::Encoding;

pub(crate) use self::{
    flag::{Flag, Update},
    table::TABLE,
};

/// The values of all flags. For repeated flags, the last one counts unless the field is a list.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
pub(crate) struct Flags {
    /// Help or version; the search is then not run.
    pub(crate) special: Option<Special>,
    pub(crate) mode: Mode,
    /// Arguments that are neither a flag nor the value of a flag, in order.
    pub(crate) positional: Vec<OsString>,
    /// Values of `-e` and `-f`, in order.
    pub(crate) patterns: Vec<PatternSource>,

    pub(crate) binary: BinaryMode,
    pub(crate) boundary: Option<Boundary>,
    pub(crate) case: CaseMode,
    pub(crate) crlf: bool,
    pub(crate) dfa_size_limit: Option<usize>,
    pub(crate) encoding: EncodingMode,
    pub(crate) fixed_strings: bool,
    pub(crate) invert_match: bool,
    /// Maximum number of matching lines of a file.
    pub(crate) max_count: Option<u64>,
    pub(crate) memory: MemoryMode,
    pub(crate) multiline: bool,
    pub(crate) multiline_dotall: bool,
    pub(crate) no_unicode: bool,
    pub(crate) null_data: bool,
    pub(crate) regex_size_limit: Option<usize>,
    pub(crate) stop_on_nonmatch: bool,
    /// Number of threads; `None` for one per core.
    pub(crate) threads: Option<usize>,

    pub(crate) follow: bool,
    pub(crate) glob_case_insensitive: bool,
    pub(crate) globs: Vec<String>,
    pub(crate) hidden: bool,
    pub(crate) iglobs: Vec<String>,
    pub(crate) ignore_file: Vec<PathBuf>,
    pub(crate) ignore_file_case_insensitive: bool,
    pub(crate) max_depth: Option<usize>,
    /// Maximum size of a searched file in bytes.
    pub(crate) max_filesize: Option<u64>,
    pub(crate) no_config: bool,
    pub(crate) no_ignore_dot: bool,
    pub(crate) no_ignore_exclude: bool,
    pub(crate) no_ignore_files: bool,
    pub(crate) no_ignore_global: bool,
    pub(crate) no_ignore_parent: bool,
    pub(crate) no_ignore_vcs: bool,
    pub(crate) no_require_git: bool,
    pub(crate) one_file_system: bool,
    pub(crate) type_changes: Vec<TypeChange>,
    /// Number of times that `-u` was given, at most 3.
    pub(crate) unrestricted: u8,

    pub(crate) buffer: BufferMode,
    pub(crate) byte_offset: bool,
    pub(crate) color: ColorMode,
    pub(crate) colors: Vec<UserColorSpec>,
    pub(crate) column: Option<bool>,
    pub(crate) context: Context,
    pub(crate) separators: Separators,
    pub(crate) heading: Option<bool>,
    pub(crate) include_zero: bool,
    pub(crate) line_number: Option<bool>,
    /// Maximum length of a shown line in bytes.
    pub(crate) max_columns: Option<u64>,
    pub(crate) max_columns_preview: bool,
    pub(crate) no_ignore_messages: bool,
    pub(crate) no_messages: bool,
    pub(crate) null: bool,
    pub(crate) only_matching: bool,
    pub(crate) quiet: bool,
    pub(crate) ranked: bool,
    pub(crate) replace: Option<String>,
    pub(crate) sort: Option<Sort>,
    pub(crate) stats: bool,
    pub(crate) trim: bool,
    pub(crate) vimgrep: bool,
    pub(crate) with_filename: Option<bool>,
}

/// A request for information about the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Help,
    Version,
}

/// The kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Search(SearchMode),
    /// List the files that would be searched.
    Files,
    /// List the file types.
    Types,
}

impl Default for Mode {
    fn default() -> Mode {
        Mode::Search(SearchMode::Standard)
    }
}

/// The output of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchMode {
    Standard,
    FilesWithMatches,
    FilesWithoutMatch,
    Count,
    CountMatches,
    Json,
}

/// Treatment of files that contain a NUL byte.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinaryMode {
    /// A file of a walk is left at its first NUL byte; a named file is searched.
    #[default]
    Auto,
    /// Every file is searched; the first match in a binary file is only reported.
    SearchAndSuppress,
    /// Every file is text.
    AsText,
}

/// Positions at which a match must begin and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boundary {
    Line,
    Word,
}

/// Treatment of letter case.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaseMode {
    #[default]
    Sensitive,
    Insensitive,
    /// Insensitive unless the pattern contains an upper-case letter.
    Smart,
}

/// The encoding of the searched files.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) enum EncodingMode {
    /// UTF-8, and UTF-16 after its byte order mark.
    #[default]
    Auto,
    Some(Encoding),
    /// Bytes as they are, byte order marks included.
    Disabled,
}

/// Condition for reading a file whole before it is searched. ripgrep maps such files into memory.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryMode {
    /// Whole if only a few files are named.
    #[default]
    Auto,
    Always,
    Never,
}

/// Times at which output is written to the terminal or pipe.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BufferMode {
    #[default]
    Auto,
    Line,
    Block,
}

/// Condition for the use of colours.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColorMode {
    Never,
    #[default]
    Auto,
    Always,
    Ansi,
}

/// The lines shown around a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// All lines.
    Passthru,
    /// Numbers of lines of `-B`, `-A` and `-C`. `-B` and `-A` override `-C`, in any order.
    Lines { before: Option<usize>, after: Option<usize>, both: Option<usize> },
}

impl Default for Context {
    fn default() -> Context {
        Context::Lines { before: None, after: None, both: None }
    }
}

impl Context {
    /// Number of lines before and after a match; `None` for all lines.
    pub(crate) fn lines(self) -> Option<(usize, usize)> {
        match self {
            Context::Passthru => None,
            Context::Lines { before, after, both } => {
                let both = both.unwrap_or(0);
                Some((before.unwrap_or(both), after.unwrap_or(both)))
            }
        }
    }
}

/// Texts between the parts of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Separators {
    /// Between groups of lines with context; `None` for no line at all.
    pub(crate) context: Option<Vec<u8>>,
    /// After the path and numbers of a context line.
    pub(crate) field_context: Vec<u8>,
    /// After the path and numbers of a matching line.
    pub(crate) field_match: Vec<u8>,
    /// Between the names of a path; `None` for that of the system.
    pub(crate) path: Option<u8>,
}

impl Default for Separators {
    fn default() -> Separators {
        Separators {
            context: Some(b"--".to_vec()),
            field_context: b"-".to_vec(),
            field_match: b":".to_vec(),
            path: None,
        }
    }
}

/// The source of patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatternSource {
    Text(String),
    /// A file with one pattern per line; `-` is standard input.
    File(PathBuf),
}

/// The order of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sort {
    pub(crate) key: SortKey,
    pub(crate) reverse: bool,
}

/// The key of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortKey {
    Path,
    Modified,
    Accessed,
    Created,
}

/// A change of the file types or of their selection. The order counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TypeChange {
    Clear(String),
    Add(String),
    Select(String),
    Negate(String),
}
