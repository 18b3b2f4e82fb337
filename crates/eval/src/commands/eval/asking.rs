//! Work done while queries run: writes signals, shows single queries, and reports the time.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use lore_console::report;
use lore_settings::terminal::Terminal;

use super::{
    arguments::EvalArguments,
    output::{SHOWN_HITS, failed},
};
use crate::{Answered, EvalError, Judged, signal_line};

/// Answers between two notes of how far it is.
const NOTED: usize = 50;

/// The file that signals are written to. It is made with the first answer: where nothing can be asked,
/// what was there before stays.
struct SignalFile<'a> {
    path: &'a Path,
    out: Option<BufWriter<File>>,
}

impl SignalFile<'_> {
    fn out(&mut self) -> Result<&mut BufWriter<File>, EvalError> {
        match &mut self.out {
            Some(out) => Ok(out),
            none => {
                let file = File::create(self.path).map_err(failed(self.path))?;
                Ok(none.insert(BufWriter::new(file)))
            }
        }
    }
}

/// Sees every answer as it comes.
pub(super) struct Watcher<'a> {
    signals: Option<SignalFile<'a>>,
    /// True if every query is shown.
    shows: bool,
    shown: Vec<u8>,
    milliseconds: Vec<f64>,
    terminal: Terminal,
}

impl<'a> Watcher<'a> {
    /// Makes ready for the first answer.
    pub(super) fn start(arguments: &'a EvalArguments) -> Watcher<'a> {
        Watcher {
            signals: arguments.dump_signals.as_deref().map(|path| SignalFile { path, out: None }),
            shows: arguments.query.is_some(),
            shown: Vec::new(),
            milliseconds: Vec::new(),
            terminal: Terminal::from_process(),
        }
    }

    /// Takes note of an answer.
    pub(super) fn note(&mut self, answered: &Answered<'_>) -> Result<(), EvalError> {
        self.milliseconds.extend(answered.answer.milliseconds);
        if let Some(signals) = &mut self.signals {
            let path = signals.path;
            writeln!(signals.out()?, "{}", signal_line(answered)).map_err(failed(path))?;
        }
        if self.shows {
            show(answered, &mut self.shown).expect("a vector takes everything");
        }
        let is_time = answered.done.is_multiple_of(NOTED) && answered.done < answered.known;
        if self.terminal.messages && is_time {
            report::note(&format!("{} of {} queries", answered.done, answered.known));
        }
        Ok(())
    }

    /// Reports the time, and returns the text of the shown queries.
    pub(super) fn finish(self) -> Result<Vec<u8>, EvalError> {
        if let Some(mut signals) = self.signals {
            let path = signals.path;
            signals.out()?.flush().map_err(failed(path))?;
        }
        let mut milliseconds = self.milliseconds;
        if milliseconds.is_empty() {
            return Ok(self.shown);
        }
        report::note(&format!(
            "asked {} queries in {:.1} s; half of them took at most {:.1} ms, 95 % at most {:.1} ms",
            milliseconds.len(),
            milliseconds.iter().sum::<f64>() / 1000.0,
            quantile(&mut milliseconds, 50),
            quantile(&mut milliseconds, 95),
        ));
        Ok(self.shown)
    }
}

/// The value below which `percent` of the values lie; 0 without values.
fn quantile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(0.0)
}

/// Shows one query: the relevant results with their ranks, and the hits with their scores.
fn show(answered: &Answered<'_>, out: &mut dyn Write) -> io::Result<()> {
    let query = answered.query;
    writeln!(out, "{}  {}", query.id, query.text)?;
    let judged = Judged::of(query, Some(answered.answer));
    for (target, rank) in query.targets.iter().zip(&judged.ranks) {
        let rank = rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string());
        writeln!(out, "  right, rank {rank:>4}  {}", target.name)?;
    }
    for (position, ranked) in answered.answer.results.iter().take(SHOWN_HITS).enumerate() {
        let right = query.targets.iter().any(|target| target.is_covered_by(ranked));
        let name = if ranked.path.is_empty() { &ranked.id } else { &ranked.path };
        let lines = match (ranked.start_line, ranked.end_line) {
            (Some(start), Some(end)) => format!(":{start}-{end}"),
            _ => String::new(),
        };
        let mark = if right { '*' } else { ' ' };
        writeln!(out, "{mark}{:>3}. {:.4}  {name}{lines}", position + 1, ranked.score)?;
        let hit = answered.response.and_then(|response| response.hits.get(position));
        let Some(explanation) = hit.and_then(|hit| hit.explanation.as_ref()) else { continue };
        // Signals without effect on this hit would hide the others.
        for part in explanation.parts.iter().filter(|part| 0.0 < part.contribution.abs()) {
            writeln!(
                out,
                "       {:+.4} = {:.4} x {:+.3}  {}",
                part.contribution, part.value, part.weight, part.name
            )?;
        }
    }
    writeln!(out)
}
