//! Builds the matcher, the searcher, the printers and the walk of ripgrep's libraries.

use std::path::PathBuf;

use grep_matcher::LineTerminator;
use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, PathPrinterBuilder, Standard, StandardBuilder, Summary,
    SummaryBuilder, SummaryKind, default_color_specs,
};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::WalkBuilder;
use termcolor::WriteColor;

use crate::{
    flags::{BinaryMode, Boundary, CaseMode, EncodingMode, Mode, SearchMode},
    messages::Messages,
    options::Options,
    parse::UsageError,
};

/// The matcher for all patterns.
///
/// # Errors
/// If a pattern is not a valid regular expression, or cannot match with these flags.
pub(crate) fn matcher(options: &Options) -> Result<RegexMatcher, UsageError> {
    let flags = &options.flags;
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(!flags.no_unicode).octal(false);
    builder.fixed_strings(flags.fixed_strings);
    builder.case_insensitive(flags.case == CaseMode::Insensitive);
    builder.case_smart(flags.case == CaseMode::Smart);
    builder.whole_line(flags.boundary == Some(Boundary::Line));
    builder.word(flags.boundary == Some(Boundary::Word));
    if flags.multiline {
        builder.dot_matches_new_line(flags.multiline_dotall);
        if flags.crlf {
            builder.crlf(true).line_terminator(None);
        }
    } else {
        builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
        if flags.crlf {
            builder.crlf(true);
        }
        if flags.null_data {
            builder.line_terminator(Some(b'\0'));
        }
    }
    if let Some(limit) = flags.regex_size_limit {
        builder.size_limit(limit);
    }
    if let Some(limit) = flags.dfa_size_limit {
        builder.dfa_size_limit(limit);
    }
    if !options.all_text() {
        builder.ban_byte(Some(b'\0'));
    }
    builder.build_many(&options.patterns).map_err(|error| {
        let message = error.to_string();
        let hint = pattern_hint(&message);
        let error = UsageError::new(message);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })
}

/// The flag that allows a rejected pattern.
fn pattern_hint(message: &str) -> Option<&'static str> {
    if message.contains("look-around") || message.contains("backreferences") {
        Some("run `rg -P`, whose other regex engine has look-around and backreferences")
    } else if message.contains("\"\\0\"") {
        Some("add `-a` to search binary files as text, so that a pattern can match a NUL byte")
    } else if message.contains("the literal") && message.contains("not allowed") {
        Some("add `-U` so that a pattern can match line ends")
    } else {
        None
    }
}

/// The searcher, with or without line numbers.
pub(crate) fn searcher(options: &Options, line_number: bool) -> Searcher {
    let flags = &options.flags;
    let line_terminator = if flags.crlf {
        LineTerminator::crlf()
    } else if flags.null_data {
        LineTerminator::byte(b'\0')
    } else {
        LineTerminator::byte(b'\n')
    };
    let mut builder = SearcherBuilder::new();
    builder
        .max_matches(flags.max_count)
        .line_terminator(line_terminator)
        .invert_match(flags.invert_match)
        .line_number(line_number)
        .multi_line(flags.multiline)
        .stop_on_nonmatch(flags.stop_on_nonmatch);
    match flags.context.lines() {
        None => builder.passthru(true),
        Some((before, after)) => builder.before_context(before).after_context(after),
    };
    match &flags.encoding {
        EncodingMode::Auto => {}
        EncodingMode::Some(encoding) => {
            builder.encoding(Some(encoding.clone()));
        }
        EncodingMode::Disabled => {
            builder.bom_sniffing(false);
        }
    }
    builder.build()
}

/// Treatment of binary files: named files, and files of a walk.
pub(crate) fn binary_detection(options: &Options) -> (BinaryDetection, BinaryDetection) {
    let suppress = BinaryDetection::convert(b'\0');
    if options.all_text() {
        (BinaryDetection::none(), BinaryDetection::none())
    } else if options.flags.binary == BinaryMode::SearchAndSuppress {
        (suppress.clone(), suppress)
    } else {
        (suppress, BinaryDetection::quit(b'\0'))
    }
}

/// The colours: the defaults, changed by `--colors`.
pub(crate) fn colors(options: &Options) -> ColorSpecs {
    let mut colors = default_color_specs();
    colors.extend(options.flags.colors.iter().cloned());
    ColorSpecs::new(&colors)
}

/// A printer of paths, one a line.
pub(crate) fn path_printer(options: &Options) -> PathPrinterBuilder {
    let mut builder = PathPrinterBuilder::new();
    builder
        .color_specs(colors(options))
        .separator(options.flags.separators.path)
        .terminator(options.path_terminator.unwrap_or(b'\n'));
    builder
}

/// The printer of a search mode.
#[derive(Debug, Clone)]
pub(crate) enum Printer<W> {
    Standard(Standard<W>),
    Summary(Summary<W>),
    Json(JSON<W>),
}

impl<W: WriteColor> Printer<W> {
    /// `separates` is true if the printer writes the line between two files itself.
    pub(crate) fn new(options: &Options, mode: SearchMode, separates: bool, output: W) -> Self {
        let kind = match (options.flags.quiet, mode) {
            (true, SearchMode::FilesWithoutMatch) => SummaryKind::QuietWithoutMatch,
            (true, _) => SummaryKind::QuietWithMatch,
            (_, SearchMode::FilesWithMatches) => SummaryKind::PathWithMatch,
            (_, SearchMode::FilesWithoutMatch) => SummaryKind::PathWithoutMatch,
            (_, SearchMode::Count) => SummaryKind::Count,
            (_, SearchMode::CountMatches) => SummaryKind::CountMatches,
            (_, SearchMode::Json) => return Printer::Json(json(options, output)),
            (_, SearchMode::Standard) => {
                return Printer::Standard(standard(options, separates, output));
            }
        };
        Printer::Summary(summary(options, kind, output))
    }

    /// The output.
    pub(crate) fn output(&mut self) -> &mut W {
        match self {
            Printer::Standard(printer) => printer.get_mut(),
            Printer::Summary(printer) => printer.get_mut(),
            Printer::Json(printer) => printer.get_mut(),
        }
    }
}

fn json<W: WriteColor>(options: &Options, output: W) -> JSON<W> {
    let replacement = options.flags.replace.clone().map(String::into_bytes);
    JSONBuilder::new().pretty(false).always_begin_end(false).replacement(replacement).build(output)
}

fn standard<W: WriteColor>(options: &Options, separates: bool, output: W) -> Standard<W> {
    let flags = &options.flags;
    let separators = &flags.separators;
    let mut builder = StandardBuilder::new();
    builder
        .byte_offset(flags.byte_offset)
        .color_specs(colors(options))
        .column(options.column)
        .heading(options.heading)
        .max_columns(flags.max_columns)
        .max_columns_preview(flags.max_columns_preview)
        .only_matching(flags.only_matching)
        .path(options.with_filename)
        .path_terminator(options.path_terminator)
        .per_match(flags.vimgrep)
        .per_match_one_line(true)
        .replacement(flags.replace.clone().map(String::into_bytes))
        .separator_context(separators.context.clone())
        .separator_field_context(separators.field_context.clone())
        .separator_field_match(separators.field_match.clone())
        .separator_path(separators.path)
        .stats(options.has_stats)
        .trim_ascii(flags.trim);
    if separates {
        builder.separator_search(options.file_separator.clone());
    }
    builder.build(output)
}

fn summary<W: WriteColor>(options: &Options, kind: SummaryKind, output: W) -> Summary<W> {
    let mut builder = SummaryBuilder::new();
    builder
        .color_specs(colors(options))
        .exclude_zero(!options.flags.include_zero)
        .kind(kind)
        .path(options.with_filename)
        .path_terminator(options.path_terminator)
        .separator_field(b":".to_vec())
        .separator_path(options.flags.separators.path)
        .stats(options.has_stats);
    builder.build(output)
}

/// The walk over some of the paths, with the ignore rules.
///
/// # Panics
/// If there is no path.
pub(crate) fn walk(options: &Options, paths: &[PathBuf], messages: &Messages) -> WalkBuilder {
    let flags = &options.flags;
    let (first, rest) = paths.split_first().expect("a run has at least one path");
    let mut builder = WalkBuilder::new(first);
    for path in rest {
        builder.add(path);
    }
    if !flags.no_ignore_files {
        for path in &flags.ignore_file {
            if let Some(error) = builder.add_ignore(path) {
                messages.ignore_file(error);
            }
        }
    }
    builder
        .max_depth(flags.max_depth)
        .follow_links(flags.follow)
        .max_filesize(flags.max_filesize)
        .threads(options.walk_threads)
        .same_file_system(flags.one_file_system)
        .skip_stdout(matches!(options.mode, Mode::Search(_)))
        .overrides(options.globs.clone())
        .types(options.types.clone())
        .hidden(!flags.hidden)
        .parents(!flags.no_ignore_parent)
        .ignore(!flags.no_ignore_dot)
        .git_global(!flags.no_ignore_vcs && !flags.no_ignore_global)
        .git_ignore(!flags.no_ignore_vcs)
        .git_exclude(!flags.no_ignore_vcs && !flags.no_ignore_exclude)
        .require_git(!flags.no_require_git)
        .ignore_case_insensitive(flags.ignore_file_case_insensitive)
        .current_dir(&options.directory);
    if !flags.no_ignore_dot {
        builder.add_custom_ignore_filename(".rgignore");
    }
    builder
}
