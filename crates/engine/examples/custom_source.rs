//! Makes the tickets of a CSV file searchable next to the code of a directory:
//!
//! ```sh
//! cargo run -p lorehound-engine --example custom_source -- DIRECTORY TICKETS.csv CACHE QUESTION
//! ```
//!
//! Each line of the file is a ticket: `id,state,title,text`. Only the text may contain commas. Edit
//! the file and ask again: the answer follows, and only changed lines are indexed.
#![expect(clippy::disallowed_methods, reason = "the source reads a file of its own")]

use std::{
    collections::BTreeMap,
    error::Error,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use lore_engine::{
    CachePlace, CustomDocument, CustomEntry, CustomError, CustomSource, CustomSources, Engine,
    EngineConfig, SearchRequest, content_version, schema::SourceName,
};

/// The tickets of a CSV file.
struct CsvTickets {
    file: PathBuf,
    /// The lines of the last listing, by identifier.
    lines: Mutex<BTreeMap<String, String>>,
}

impl CustomSource for CsvTickets {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn belongs_to(&self) -> SourceName {
        SourceName::Tickets
    }

    // Increase it after a change of `read`, so that all tickets are read again.
    fn fingerprint(&self) -> u64 {
        1
    }

    fn list(&self, _root: &Path) -> Result<Vec<CustomEntry>, CustomError> {
        let text = std::fs::read_to_string(&self.file)
            .map_err(|error| format!("could not read `{}`: {error}", self.file.display()))?;
        let lines: BTreeMap<String, String> = text
            .lines()
            .filter_map(|line| Some((line.split_once(',')?.0.to_owned(), line.to_owned())))
            .collect();
        let entries = lines
            .iter()
            .map(|(id, line)| CustomEntry { id: id.clone(), version: content_version(line) })
            .collect();
        *self.lines.lock().unwrap_or_else(PoisonError::into_inner) = lines;
        Ok(entries)
    }

    fn read(&self, _root: &Path, id: &str) -> Result<Option<CustomDocument>, CustomError> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(line) = lines.get(id) else { return Ok(None) };
        let mut fields = line.splitn(4, ',').skip(1);
        let mut field = || fields.next().unwrap_or_default().to_owned();
        let (state, title, text) = (field(), field(), field());
        let mut document = CustomDocument::new(&title, format!("# {id}: {title}\n\n{text}\n"));
        document.kind = "ticket";
        document.attributes.id = Some(id.to_owned());
        document.attributes.status = Some(state);
        Ok(Some(document))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments, &mut std::io::stdout())
}

/// Runs the example. Tests call it, too.
pub(crate) fn run(arguments: &[String], output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let [directory, file, cache, question] = arguments else {
        return Err("usage: custom_source DIRECTORY TICKETS.csv CACHE QUESTION".into());
    };
    let tickets = CsvTickets { file: file.into(), lines: Mutex::default() };
    let engine = Engine::open(EngineConfig {
        cache: CachePlace::Folder(cache.into()),
        custom: CustomSources::none().with(tickets),
        ..EngineConfig::new(directory)
    })?;
    let response = engine.search(&SearchRequest::new(question).with_limit(5), &())?;
    for hit in &response.hits {
        let state = hit.status.as_deref().map(|state| format!(" ({state})")).unwrap_or_default();
        writeln!(output, "{}  {}{state}", hit.id, hit.title)?;
    }
    for (source, report) in &response.receipt.sources {
        if report.documents > 0 {
            writeln!(output, "{source}: {} documents", report.documents)?;
        }
    }
    writeln!(output, "{:?}", response.receipt.fresh)?;
    Ok(())
}
