//! The settings of one run: [`Flags`] with every default decided by the terminal, standard input and
//! the paths.

use std::{
    collections::HashSet,
    ffi::OsString,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    thread,
};

use ignore::{
    overrides::{Override, OverrideBuilder},
    types::{Types, TypesBuilder},
};

use crate::{
    flags::{
        BinaryMode, BufferMode, ColorMode, Flags, MemoryMode, Mode, PatternSource, SearchMode,
        TypeChange,
    },
    parse::UsageError,
};

/// Maximum default number of threads, as in ripgrep.
const MAX_THREADS: usize = 12;

/// Maximum number of named files that are read whole before they are searched.
const MAX_WHOLE_FILES: usize = 10;

/// The path of standard input.
pub(crate) const STDIN: &str = "-";

/// The settings of one run.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "most are flags of the command line")]
pub(crate) struct Options {
    /// The flags that need no further decision.
    pub(crate) flags: Flags,
    pub(crate) mode: Mode,
    pub(crate) patterns: Vec<String>,
    pub(crate) paths: Paths,
    pub(crate) globs: Override,
    pub(crate) types: Types,
    /// The current directory.
    pub(crate) directory: PathBuf,
    pub(crate) color: termcolor::ColorChoice,
    pub(crate) column: bool,
    pub(crate) heading: bool,
    pub(crate) line_number: bool,
    pub(crate) with_filename: bool,
    /// Output is written after each line rather than in blocks.
    pub(crate) line_buffered: bool,
    /// The line between the outputs of two files; `None` for no line.
    pub(crate) file_separator: Option<Vec<u8>>,
    /// The byte after a path, if it is not the default.
    pub(crate) path_terminator: Option<u8>,
    /// The totals are counted.
    pub(crate) has_stats: bool,
    /// The search ends at the first match.
    pub(crate) quits_after_match: bool,
    /// Named files are read whole before they are searched.
    pub(crate) reads_whole: bool,
    /// Number of threads that search.
    pub(crate) threads: usize,
    /// Number of threads that list the files.
    pub(crate) walk_threads: usize,
}

/// The paths to search.
#[derive(Debug)]
pub(crate) struct Paths {
    /// At least one.
    pub(crate) list: Vec<PathBuf>,
    /// No path was named.
    pub(crate) is_implicit: bool,
    /// There is one path, and it is not a directory.
    pub(crate) is_one_file: bool,
}

impl Paths {
    fn new(flags: &mut Flags, stdin_is_read: bool) -> Result<Paths, UsageError> {
        let list: Vec<PathBuf> = flags.positional.drain(..).map(PathBuf::from).collect();
        let is_stdin = |path: &Path| path == Path::new(STDIN);
        if stdin_is_read && list.iter().any(|path| is_stdin(path)) {
            return Err(UsageError::new(
                "standard input cannot be both searched and read for patterns",
            ));
        }
        if let [first, rest @ ..] = list.as_slice() {
            let is_one_file = rest.is_empty() && (is_stdin(first) || !first.is_dir());
            return Ok(Paths { is_one_file, list, is_implicit: false });
        }
        let is_search = matches!(flags.mode, Mode::Search(_));
        let from_stdin = is_search && !stdin_is_read && grep_cli::is_readable_stdin();
        let path = if from_stdin { STDIN } else { "./" };
        Ok(Paths { list: vec![path.into()], is_implicit: true, is_one_file: from_stdin })
    }

    fn is_only_stdin(&self) -> bool {
        self.list.as_slice() == [Path::new(STDIN)]
    }
}

impl Options {
    /// Decides all defaults, and reads the patterns of `-f`.
    ///
    /// # Errors
    /// If there is no pattern, patterns cannot be read, or a glob or file type is invalid.
    pub(crate) fn new(mut flags: Flags, directory: &Path) -> Result<Options, UsageError> {
        let mode = effective_mode(&flags);
        let (patterns, stdin_is_read) = patterns(&mut flags, mode)?;
        let paths = Paths::new(&mut flags, stdin_is_read)?;
        let is_terminal = io::stdout().is_terminal();
        let has_stats =
            matches!(mode, Mode::Search(search) if flags.stats || search == SearchMode::Json);
        let column = flags.column.unwrap_or(flags.vimgrep);
        let heading = !flags.vimgrep && flags.heading.unwrap_or(is_terminal);
        let line_number = flags.line_number.unwrap_or_else(|| {
            !flags.quiet
                && match mode {
                    Mode::Search(SearchMode::Json) => true,
                    Mode::Search(SearchMode::Standard) => {
                        (is_terminal && !paths.is_only_stdin()) || column || flags.vimgrep
                    }
                    _ => false,
                }
        });
        let reads_whole = match flags.memory {
            MemoryMode::Auto => {
                paths.list.len() <= MAX_WHOLE_FILES && paths.list.iter().all(|path| path.is_file())
            }
            MemoryMode::Always => true,
            MemoryMode::Never => false,
        };
        Ok(Options {
            mode,
            patterns,
            globs: globs(&flags, directory)?,
            types: types(&flags)?,
            directory: directory.to_owned(),
            color: color(flags.color, is_terminal),
            column,
            heading,
            line_number,
            with_filename: flags.with_filename.unwrap_or(flags.vimgrep || !paths.is_one_file),
            line_buffered: match flags.buffer {
                BufferMode::Auto => is_terminal,
                BufferMode::Line => true,
                BufferMode::Block => false,
            },
            file_separator: file_separator(&flags, mode, heading),
            path_terminator: flags.null.then_some(b'\0'),
            has_stats,
            quits_after_match: flags.quiet && !has_stats,
            reads_whole,
            threads: threads(&flags, &paths),
            walk_threads: flags.threads.unwrap_or_else(default_threads),
            paths,
            flags,
        })
    }

    /// Returns false if no line can match.
    pub(crate) fn can_match(&self) -> bool {
        let has_pattern = !self.patterns.is_empty() || self.flags.invert_match;
        has_pattern && self.flags.max_count != Some(0)
    }

    /// Returns true if no file is treated as binary.
    pub(crate) fn all_text(&self) -> bool {
        self.flags.binary == BinaryMode::AsText || self.flags.null_data
    }
}

/// The mode, with `-v --count-matches` as `-c`, and `-oc` as `--count-matches`.
fn effective_mode(flags: &Flags) -> Mode {
    match flags.mode {
        Mode::Search(SearchMode::CountMatches) if flags.invert_match => {
            Mode::Search(SearchMode::Count)
        }
        Mode::Search(SearchMode::Count) if flags.only_matching => {
            Mode::Search(SearchMode::CountMatches)
        }
        mode => mode,
    }
}

/// The patterns without duplicates, and whether standard input was read for them.
fn patterns(flags: &mut Flags, mode: Mode) -> Result<(Vec<String>, bool), UsageError> {
    if !matches!(mode, Mode::Search(_)) {
        return Ok((Vec::new(), false));
    }
    if flags.patterns.is_empty() {
        if flags.positional.is_empty() {
            return Err(UsageError::new("a search requires a pattern")
                .hint("write `lore rg PATTERN [PATH...]`; `lore rg --help` lists the flags"));
        }
        let pattern = flags.positional.remove(0);
        let pattern = OsString::into_string(pattern)
            .map_err(|_| UsageError::new("the pattern is not valid UTF-8"))?;
        return Ok((vec![pattern], false));
    }
    let mut known = HashSet::new();
    let mut patterns = Vec::new();
    let mut stdin_is_read = false;
    for source in flags.patterns.drain(..) {
        let added = match source {
            PatternSource::Text(pattern) => vec![pattern],
            PatternSource::File(path) if path == Path::new(STDIN) => {
                if stdin_is_read {
                    return Err(UsageError::new("`-f -` reads standard input, which is read once"));
                }
                stdin_is_read = true;
                grep_cli::patterns_from_stdin().map_err(unreadable)?
            }
            PatternSource::File(path) => grep_cli::patterns_from_path(path).map_err(unreadable)?,
        };
        patterns.extend(added.into_iter().filter(|pattern| known.insert(pattern.clone())));
    }
    Ok((patterns, stdin_is_read))
}

#[expect(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
fn unreadable(error: io::Error) -> UsageError {
    // The message of `grep-cli` contains the path.
    UsageError::new(error.to_string())
}

fn color(mode: ColorMode, is_terminal: bool) -> termcolor::ColorChoice {
    match mode {
        ColorMode::Auto if is_terminal => termcolor::ColorChoice::Auto,
        ColorMode::Auto | ColorMode::Never => termcolor::ColorChoice::Never,
        ColorMode::Always => termcolor::ColorChoice::Always,
        ColorMode::Ansi => termcolor::ColorChoice::AlwaysAnsi,
    }
}

/// The line between the outputs of two files.
fn file_separator(flags: &Flags, mode: Mode, heading: bool) -> Option<Vec<u8>> {
    if mode != Mode::Search(SearchMode::Standard) {
        return None;
    }
    if heading {
        return Some(Vec::new());
    }
    match flags.context.lines() {
        Some((before, after)) if before > 0 || after > 0 => flags.separators.context.clone(),
        _ => None,
    }
}

/// Number of threads of the search. With an order, ripgrep searches on one, and the line between two
/// files then ends like the lines of the files.
fn threads(flags: &Flags, paths: &Paths) -> usize {
    if paths.is_one_file || flags.sort.is_some() {
        return 1;
    }
    flags.threads.unwrap_or_else(default_threads)
}

fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS))
}

fn globs(flags: &Flags, directory: &Path) -> Result<Override, UsageError> {
    if flags.globs.is_empty() && flags.iglobs.is_empty() {
        return Ok(Override::empty());
    }
    let invalid = |error: ignore::Error| UsageError::new(error.to_string());
    let mut builder = OverrideBuilder::new(directory);
    builder.case_insensitive(flags.glob_case_insensitive).map_err(invalid)?;
    for glob in &flags.globs {
        builder.add(glob).map_err(invalid)?;
    }
    // The switch applies to the globs that are added after it.
    builder.case_insensitive(true).map_err(invalid)?;
    for glob in &flags.iglobs {
        builder.add(glob).map_err(invalid)?;
    }
    builder.build().map_err(invalid)
}

fn types(flags: &Flags) -> Result<Types, UsageError> {
    let invalid = |error: ignore::Error| {
        UsageError::new(error.to_string()).hint("`lore rg --type-list` lists the file types")
    };
    let mut builder = TypesBuilder::new();
    // Compiling the types takes longer than starting the program.
    if flags.type_changes.is_empty() && flags.mode != Mode::Types {
        return builder.build().map_err(invalid);
    }
    builder.add_defaults();
    for change in &flags.type_changes {
        match change {
            TypeChange::Clear(name) => {
                builder.clear(name);
            }
            TypeChange::Add(definition) => builder.add_def(definition).map_err(invalid)?,
            TypeChange::Select(name) => {
                builder.select(name);
            }
            TypeChange::Negate(name) => {
                builder.negate(name);
            }
        }
    }
    builder.build().map_err(invalid)
}
