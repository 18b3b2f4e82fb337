//! The table of flags: names, help, and the effect of each.
//!
//! Names and effects are those of ripgrep 15. A flag whose effect `lore rg` does not offer has a
//! row with the reason.

use std::path::PathBuf;

use super::{
    BinaryMode, Boundary, BufferMode, CaseMode, ColorMode, Context, EncodingMode, MemoryMode, Mode,
    PatternSource, SearchMode, Sort, SortKey, TypeChange,
    flag::{Flag, Update, switch, unsupported, value},
    update::{
        add_unrestricted, after, before, both, memory_size, number, set_color, set_context,
        set_encoding, set_json, set_no_ignore, set_path_separator, set_search_mode, set_sort, size,
        text, unescaped,
    },
};

/// Reason for rejecting flags that run another program.
const RUNS_PROGRAMS: &str = "it runs another program, which `lore` never does for a search";

/// Reason for rejecting the second regex engine.
const PCRE2: &str = "`lore` is built without PCRE2, so look-around and backreferences are missing";

/// Reason for rejecting the log of ripgrep.
const LOG: &str = "`lore` writes no log of a search";

/// All flags, sorted by long name.
pub(crate) const TABLE: &[Flag] = &[
    value(
        "after-context",
        |flags, lines| set_context(flags, &lines, after),
        "Show lines after each match",
    )
    .short('A'),
    unsupported("auto-hybrid-regex", false, PCRE2).negated("no-auto-hybrid-regex"),
    value(
        "before-context",
        |flags, lines| set_context(flags, &lines, before),
        "Show lines before each match",
    )
    .short('B'),
    switch(
        "binary",
        |flags, on| {
            flags.binary = if on { BinaryMode::SearchAndSuppress } else { BinaryMode::Auto }
        },
        "Search binary files",
    )
    .negated("no-binary"),
    switch(
        "block-buffered",
        |flags, on| flags.buffer = if on { BufferMode::Block } else { BufferMode::Auto },
        "Write output in blocks",
    )
    .negated("no-block-buffered"),
    switch("byte-offset", |flags, on| flags.byte_offset = on, "Show the byte offset of each line")
        .short('b')
        .negated("no-byte-offset"),
    switch(
        "case-sensitive",
        |flags, _| flags.case = CaseMode::Sensitive,
        "Match letter case (default)",
    )
    .short('s'),
    value("color", set_color, "When to use colours: never, auto, always or ansi"),
    value(
        "colors",
        |flags, spec| {
            flags.colors.push(
                text(spec)?.parse().map_err(|error: grep_printer::ColorError| error.to_string())?,
            );
            Ok(())
        },
        "Set a colour, for example match:fg:blue",
    ),
    switch(
        "column",
        |flags, on| flags.column = Some(on),
        "Show the column of the first match of each line",
    )
    .negated("no-column"),
    value(
        "context",
        |flags, lines| set_context(flags, &lines, both),
        "Show lines before and after each match",
    )
    .short('C'),
    value(
        "context-separator",
        |flags, separator| {
            flags.separators.context = Some(unescaped(separator)?);
            Ok(())
        },
        "Set the line between groups of lines",
    )
    .negated("no-context-separator")
    .off(|flags| flags.separators.context = None),
    switch(
        "count",
        |flags, _| set_search_mode(flags, SearchMode::Count),
        "Show the number of matching lines of each file",
    )
    .short('c'),
    switch(
        "count-matches",
        |flags, _| set_search_mode(flags, SearchMode::CountMatches),
        "Show the number of matches of each file",
    ),
    switch(
        "crlf",
        |flags, on| {
            flags.crlf = on;
            flags.null_data &= !on;
        },
        "Treat CRLF as a line end",
    )
    .negated("no-crlf"),
    unsupported("debug", false, LOG),
    value(
        "dfa-size-limit",
        |flags, limit| {
            flags.dfa_size_limit = Some(memory_size(limit)?);
            Ok(())
        },
        "Set the memory of the regex DFA",
    ),
    value("encoding", set_encoding, "Set the encoding of the files")
        .short('E')
        .negated("no-encoding")
        .off(|flags| flags.encoding = EncodingMode::Auto),
    value(
        "engine",
        |_, engine| if engine == "default" { Ok(()) } else { Err(PCRE2.to_owned()) },
        "Set the regex engine; only default is supported",
    ),
    value(
        "field-context-separator",
        |flags, separator| {
            flags.separators.field_context = unescaped(separator)?;
            Ok(())
        },
        "Set the text after the fields of a context line",
    ),
    value(
        "field-match-separator",
        |flags, separator| {
            flags.separators.field_match = unescaped(separator)?;
            Ok(())
        },
        "Set the text after the fields of a matching line",
    ),
    value(
        "file",
        |flags, path| {
            flags.patterns.push(PatternSource::File(PathBuf::from(path)));
            Ok(())
        },
        "Read patterns from a file, one per line",
    )
    .short('f'),
    switch("files", |flags, _| flags.mode = Mode::Files, "List the files that would be searched"),
    switch(
        "files-with-matches",
        |flags, _| set_search_mode(flags, SearchMode::FilesWithMatches),
        "Show only the paths of matching files",
    )
    .short('l'),
    switch(
        "files-without-match",
        |flags, _| set_search_mode(flags, SearchMode::FilesWithoutMatch),
        "Show only the paths of files without a match",
    ),
    switch(
        "fixed-strings",
        |flags, on| flags.fixed_strings = on,
        "Treat the patterns as literal text",
    )
    .short('F')
    .negated("no-fixed-strings"),
    switch("follow", |flags, on| flags.follow = on, "Follow symbolic links")
        .short('L')
        .negated("no-follow"),
    unsupported(
        "generate",
        true,
        "it describes ripgrep; `lore completions` prints those of `lore`",
    ),
    value(
        "glob",
        |flags, glob| {
            flags.globs.push(text(glob)?);
            Ok(())
        },
        "Include or, with !, exclude paths",
    )
    .short('g'),
    switch(
        "glob-case-insensitive",
        |flags, on| flags.glob_case_insensitive = on,
        "Match -g in any letter case",
    )
    .negated("no-glob-case-insensitive"),
    switch(
        "heading",
        |flags, on| flags.heading = Some(on),
        "Show the path above the lines of each file",
    )
    .negated("no-heading"),
    switch("hidden", |flags, on| flags.hidden = on, "Search hidden files and directories")
        .short('.')
        .negated("no-hidden"),
    unsupported("hostname-bin", true, RUNS_PROGRAMS),
    value(
        "hyperlink-format",
        |_, format| {
            if format == "none" || format.is_empty() {
                Ok(())
            } else {
                Err("`lore` writes no hyperlinks".to_owned())
            }
        },
        "Set the hyperlinks of paths; only none is supported",
    ),
    value(
        "iglob",
        |flags, glob| {
            flags.iglobs.push(text(glob)?);
            Ok(())
        },
        "As -g, in any letter case",
    ),
    switch(
        "ignore-case",
        |flags, _| flags.case = CaseMode::Insensitive,
        "Match in any letter case",
    )
    .short('i'),
    value(
        "ignore-file",
        |flags, path| {
            flags.ignore_file.push(PathBuf::from(path));
            Ok(())
        },
        "Read another file of ignore rules",
    ),
    switch(
        "ignore-file-case-insensitive",
        |flags, on| flags.ignore_file_case_insensitive = on,
        "Match ignore rules in any letter case",
    )
    .negated("no-ignore-file-case-insensitive"),
    switch("include-zero", |flags, on| flags.include_zero = on, "Show counts of zero")
        .negated("no-include-zero"),
    switch("invert-match", |flags, on| flags.invert_match = on, "Show the lines that do not match")
        .short('v')
        .negated("no-invert-match"),
    switch("json", set_json, "Write JSON lines").negated("no-json"),
    switch(
        "line-buffered",
        |flags, on| flags.buffer = if on { BufferMode::Line } else { BufferMode::Auto },
        "Write output line by line",
    )
    .negated("no-line-buffered"),
    switch("line-number", |flags, _| flags.line_number = Some(true), "Show line numbers")
        .short('n'),
    switch("line-regexp", |flags, _| flags.boundary = Some(Boundary::Line), "Match whole lines")
        .short('x'),
    value(
        "max-columns",
        |flags, columns| {
            flags.max_columns = Some(number(&columns)?).filter(|columns| *columns > 0);
            Ok(())
        },
        "Omit longer lines",
    )
    .short('M'),
    switch(
        "max-columns-preview",
        |flags, on| flags.max_columns_preview = on,
        "Show the start of omitted lines",
    )
    .negated("no-max-columns-preview"),
    value(
        "max-count",
        |flags, count| {
            flags.max_count = Some(number(&count)?);
            Ok(())
        },
        "Stop after this many matching lines of a file",
    )
    .short('m'),
    value(
        "max-depth",
        |flags, depth| {
            flags.max_depth = Some(number(&depth)?);
            Ok(())
        },
        "Descend at most this many directories",
    )
    .short('d')
    .alias("maxdepth"),
    value(
        "max-filesize",
        |flags, limit| {
            flags.max_filesize = Some(size(limit)?);
            Ok(())
        },
        "Skip larger files",
    ),
    switch(
        "mmap",
        |flags, on| flags.memory = if on { MemoryMode::Always } else { MemoryMode::Never },
        "Read files whole",
    )
    .negated("no-mmap"),
    switch(
        "multiline",
        |flags, on| {
            flags.multiline = on;
            flags.stop_on_nonmatch &= !on;
        },
        "Match across line ends",
    )
    .short('U')
    .negated("no-multiline"),
    switch(
        "multiline-dotall",
        |flags, on| flags.multiline_dotall = on,
        "Let a dot match a line end, with -U",
    )
    .negated("no-multiline-dotall"),
    switch("no-config", |flags, _| flags.no_config = true, "Ignore RIPGREP_CONFIG_PATH"),
    switch("no-filename", |flags, _| flags.with_filename = Some(false), "Omit paths").short('I'),
    switch("no-ignore", set_no_ignore, "Search ignored files").negated("ignore"),
    switch(
        "no-ignore-dot",
        |flags, on| flags.no_ignore_dot = on,
        "Ignore .ignore and .rgignore files",
    )
    .negated("ignore-dot"),
    switch(
        "no-ignore-exclude",
        |flags, on| flags.no_ignore_exclude = on,
        "Ignore .git/info/exclude",
    )
    .negated("ignore-exclude"),
    switch("no-ignore-files", |flags, on| flags.no_ignore_files = on, "Ignore --ignore-file")
        .negated("ignore-files"),
    switch(
        "no-ignore-global",
        |flags, on| flags.no_ignore_global = on,
        "Ignore the global rules of git",
    )
    .negated("ignore-global"),
    switch(
        "no-ignore-messages",
        |flags, on| flags.no_ignore_messages = on,
        "Hide errors in ignore files",
    )
    .negated("ignore-messages"),
    switch(
        "no-ignore-parent",
        |flags, on| flags.no_ignore_parent = on,
        "Ignore ignore files of parent directories",
    )
    .negated("ignore-parent"),
    switch("no-ignore-vcs", |flags, on| flags.no_ignore_vcs = on, "Ignore .gitignore files")
        .negated("ignore-vcs"),
    switch("no-line-number", |flags, _| flags.line_number = Some(false), "Omit line numbers")
        .short('N'),
    switch("no-messages", |flags, on| flags.no_messages = on, "Hide errors of files")
        .negated("messages"),
    switch("no-pcre2-unicode", |flags, on| flags.no_unicode = on, "As --no-unicode")
        .negated("pcre2-unicode"),
    switch(
        "no-require-git",
        |flags, on| flags.no_require_git = on,
        "Obey .gitignore outside repositories",
    )
    .negated("require-git"),
    switch("no-unicode", |flags, on| flags.no_unicode = on, "Match bytes instead of characters")
        .negated("unicode"),
    switch("null", |flags, _| flags.null = true, "End paths with a NUL byte").short('0'),
    switch(
        "null-data",
        |flags, _| {
            flags.crlf = false;
            flags.null_data = true;
        },
        "End lines with a NUL byte",
    ),
    switch(
        "one-file-system",
        |flags, on| flags.one_file_system = on,
        "Stay on the file system of each path",
    )
    .negated("no-one-file-system"),
    switch("only-matching", |flags, _| flags.only_matching = true, "Show only the matching parts")
        .short('o'),
    switch("passthru", |flags, _| flags.context = Context::Passthru, "Show all lines")
        .alias("passthrough"),
    value("path-separator", set_path_separator, "Set the separator in paths"),
    unsupported("pcre2", false, PCRE2).short('P').negated("no-pcre2"),
    unsupported("pcre2-version", false, PCRE2),
    unsupported("pre", true, RUNS_PROGRAMS).negated("no-pre"),
    unsupported("pre-glob", true, RUNS_PROGRAMS),
    switch(
        "pretty",
        |flags, _| {
            flags.color = ColorMode::Always;
            flags.heading = Some(true);
            flags.line_number = Some(true);
        },
        "Same as --color always --heading -n",
    )
    .short('p'),
    switch("quiet", |flags, _| flags.quiet = true, "Write nothing; the exit code is the answer")
        .short('q'),
    switch(
        "ranked",
        |flags, on| flags.ranked = on,
        "First list the most relevant matches (only in lore)",
    )
    .negated("no-ranked"),
    value(
        "regex-size-limit",
        |flags, limit| {
            flags.regex_size_limit = Some(memory_size(limit)?);
            Ok(())
        },
        "Set the maximum size of the compiled pattern",
    ),
    value(
        "regexp",
        |flags, pattern| {
            flags.patterns.push(PatternSource::Text(text(pattern)?));
            Ok(())
        },
        "Search for this pattern; can be repeated",
    )
    .short('e'),
    value(
        "replace",
        |flags, replacement| {
            flags.replace = Some(text(replacement)?);
            Ok(())
        },
        "Show this text in place of each match",
    )
    .short('r'),
    unsupported("search-zip", false, RUNS_PROGRAMS).short('z').negated("no-search-zip"),
    switch(
        "smart-case",
        |flags, _| flags.case = CaseMode::Smart,
        "Ignore case unless the pattern has upper case",
    )
    .short('S'),
    value(
        "sort",
        |flags, key| set_sort(flags, key, false),
        "Sort by path, modified, accessed, created or none",
    ),
    switch(
        "sort-files",
        |flags, on| flags.sort = on.then_some(Sort { key: SortKey::Path, reverse: false }),
        "Same as --sort path",
    )
    .negated("no-sort-files"),
    value("sortr", |flags, key| set_sort(flags, key, true), "As --sort, in reverse"),
    switch("stats", |flags, on| flags.stats = on, "Show totals").negated("no-stats"),
    switch(
        "stop-on-nonmatch",
        |flags, _| {
            flags.stop_on_nonmatch = true;
            flags.multiline = false;
        },
        "Stop a file at the first line that no longer matches",
    ),
    switch(
        "text",
        |flags, on| flags.binary = if on { BinaryMode::AsText } else { BinaryMode::Auto },
        "Search binary files as text",
    )
    .short('a')
    .negated("no-text"),
    value(
        "threads",
        |flags, threads| {
            flags.threads = Some(number(&threads)?).filter(|threads| *threads > 0);
            Ok(())
        },
        "Set the number of threads",
    )
    .short('j'),
    unsupported("trace", false, LOG),
    switch("trim", |flags, on| flags.trim = on, "Remove whitespace at the start of lines")
        .negated("no-trim"),
    value(
        "type",
        |flags, name| {
            flags.type_changes.push(TypeChange::Select(text(name)?));
            Ok(())
        },
        "Search only files of this type",
    )
    .short('t'),
    value(
        "type-add",
        |flags, definition| {
            flags.type_changes.push(TypeChange::Add(text(definition)?));
            Ok(())
        },
        "Add a file type, for example web:*.html",
    ),
    value(
        "type-clear",
        |flags, name| {
            flags.type_changes.push(TypeChange::Clear(text(name)?));
            Ok(())
        },
        "Remove the globs of a file type",
    ),
    switch("type-list", |flags, _| flags.mode = Mode::Types, "List the file types"),
    value(
        "type-not",
        |flags, name| {
            flags.type_changes.push(TypeChange::Negate(text(name)?));
            Ok(())
        },
        "Skip files of this type",
    )
    .short('T'),
    Flag {
        short: Some('u'),
        long: "unrestricted",
        alias: None,
        negated: None,
        update: Update::Counter(add_unrestricted),
        help: "Search ignored (-u), hidden (-uu) and binary files (-uuu)",
    },
    switch("vimgrep", |flags, _| flags.vimgrep = true, "Show every match on a line of its own"),
    switch("with-filename", |flags, _| flags.with_filename = Some(true), "Show paths").short('H'),
    switch("word-regexp", |flags, _| flags.boundary = Some(Boundary::Word), "Match whole words")
        .short('w'),
];
