//! Searches one file after another, and prints what matches.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use grep_printer::Stats;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, Sink};
use termcolor::WriteColor;

use crate::{
    builders::{self, Printer},
    files::SearchedFile,
    flags::SearchMode,
    options::Options,
};

/// Maximum size in bytes of a file that is read whole before it is searched. A larger one is read
/// in parts.
const MAX_WHOLE_BYTES: u64 = 256 << 20;

/// The outcome for one file.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) has_match: bool,
    /// The totals, if they are counted.
    pub(crate) stats: Option<Stats>,
}

/// A searcher with its printer.
#[derive(Debug, Clone)]
pub(crate) struct Worker<W> {
    matcher: RegexMatcher,
    searcher: Searcher,
    printer: Printer<W>,
    named: BinaryDetection,
    walked: BinaryDetection,
    reads_whole: bool,
}

/// The source of the searched text.
enum Content {
    Whole(Vec<u8>),
    Open(File),
    Stdin,
}

impl Content {
    fn search<S: Sink<Error = io::Error>>(
        &self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        sink: S,
    ) -> io::Result<()> {
        match self {
            Content::Whole(text) => searcher.search_slice(matcher, text, sink),
            Content::Open(file) => searcher.search_file(matcher, file, sink),
            Content::Stdin => searcher.search_reader(matcher, io::stdin().lock(), sink),
        }
    }
}

impl<W: WriteColor> Worker<W> {
    /// `separates` is true if the printer writes the line between two files itself.
    pub(crate) fn new(
        options: &Options,
        matcher: RegexMatcher,
        mode: SearchMode,
        separates: bool,
        output: W,
    ) -> Worker<W> {
        let (named, walked) = builders::binary_detection(options);
        Worker {
            matcher,
            searcher: builders::searcher(options, options.line_number),
            printer: Printer::new(options, mode, separates, output),
            named,
            walked,
            reads_whole: options.reads_whole,
        }
    }

    /// Searches a file.
    ///
    /// # Errors
    /// If the file cannot be read, or the output cannot be written.
    pub(crate) fn search(&mut self, file: &SearchedFile) -> io::Result<Outcome> {
        let detection = if file.is_explicit { &self.named } else { &self.walked };
        self.searcher.set_binary_detection(detection.clone());
        let content = if file.is_stdin { Content::Stdin } else { self.open(&file.path)? };
        let Worker { matcher, searcher, printer, .. } = self;
        let path = &file.path;
        match printer {
            Printer::Standard(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, path);
                content.search(searcher, matcher, &mut sink)?;
                Ok(Outcome { has_match: sink.has_match(), stats: sink.stats().cloned() })
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, path);
                content.search(searcher, matcher, &mut sink)?;
                Ok(Outcome { has_match: sink.has_match(), stats: sink.stats().cloned() })
            }
            Printer::Json(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, path);
                content.search(searcher, matcher, &mut sink)?;
                Ok(Outcome { has_match: sink.has_match(), stats: Some(sink.stats().clone()) })
            }
        }
    }

    /// The printer's output.
    pub(crate) fn output(&mut self) -> &mut W {
        self.printer.output()
    }

    /// Opens a file, and reads it if files are read whole. A search of the whole text can find
    /// another first NUL byte than one of parts, and ripgrep searches few named files whole.
    fn open(&self, path: &Path) -> io::Result<Content> {
        let mut open = File::open(path)?;
        if self.reads_whole {
            let metadata = open.metadata()?;
            if metadata.is_file() && metadata.len() <= MAX_WHOLE_BYTES {
                let mut text = Vec::new();
                open.read_to_end(&mut text)?;
                return Ok(Content::Whole(text));
            }
        }
        Ok(Content::Open(open))
    }
}
