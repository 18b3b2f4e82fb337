//! Writes the differences between two runs: the means, and the parts that moved each query.

use std::io::{self, Write};

use crate::{Comparison, Margin, Move, Moves, Pair, PartShare, measures::Measure};

/// Maximum number of listed changes on each side.
const CHANGES: usize = 15;

/// Maximum number of listed right results of one query.
const MOVES: usize = 3;

/// Maximum number of listed parts of one move.
const PARTS: usize = 3;

/// Maximum number of signals in the summary.
const SIGNALS: usize = 8;

/// Changes below this are rounding.
const EPSILON: f64 = 1e-9;

/// Writes the differences between this run and another one, and the parts of scores that caused
/// them.
pub fn write_comparison(
    comparison: &Comparison,
    moves: &Moves,
    measure: &Measure,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Comparison { pairs, wins, losses, ties, by_repository, by_query, p_value } = comparison;
    writeln!(out, "{measure}, before, after, gain")?;
    for (name, (before, after)) in
        [("mean over repositories", by_repository), ("mean over queries", by_query)]
    {
        writeln!(out, "  {name:<22} {before:.4} {after:.4} {:+.4}", after - before)?;
    }
    writeln!(
        out,
        "  {wins} better, {losses} worse, {ties} equal; p = {p_value:.4} (paired randomisation)"
    )?;
    let changed: Vec<&Pair> = pairs.iter().filter(|pair| EPSILON < pair.gain().abs()).collect();
    let queries = changed.iter().map(|pair| (pair.id.as_str(), 0.0 < pair.gain()));
    write_shares(&PartShare::of(moves, queries), out)?;
    let worst = changed.iter().filter(|pair| pair.gain() < 0.0);
    let best = changed.iter().rev().filter(|pair| 0.0 < pair.gain());
    for (title, total, pairs) in [
        ("worse", *losses, worst.take(CHANGES).collect::<Vec<_>>()),
        ("better", *wins, best.take(CHANGES).collect()),
    ] {
        if !pairs.is_empty() {
            writeln!(out, "{title}")?;
        }
        for pair in &pairs {
            write_pair(pair, moves, out)?;
        }
        if pairs.len() < total {
            writeln!(out, "  and {} more", total - pairs.len())?;
        }
    }
    Ok(())
}

/// Writes the signals that moved most queries.
fn write_shares(shares: &[PartShare], out: &mut dyn Write) -> io::Result<()> {
    if shares.is_empty() {
        return Ok(());
    }
    let shown = &shares[..shares.len().min(SIGNALS)];
    let title = "signals behind the moves";
    let width = shown.iter().map(|share| share.name.chars().count() + 2).max().unwrap_or(0);
    let width = width.max(title.len());
    writeln!(out, "{title:<width$} {:>7} {:>7} {:>8}", "better", "worse", "mean")?;
    for PartShare { name, better, worse, mean } in shown {
        let name = format!("  {name}");
        writeln!(out, "{name:<width$} {better:>7} {worse:>7} {mean:>+8.3}")?;
    }
    Ok(())
}

/// Writes one query and the moves of its right results.
fn write_pair(pair: &Pair, moves: &Moves, out: &mut dyn Write) -> io::Result<()> {
    let Pair { id, before, after, .. } = pair;
    let (text, of_query) = match moves.get(id) {
        Some((text, of_query)) => (text.as_str(), of_query.as_slice()),
        None => ("", &[][..]),
    };
    let name = if text.is_empty() || text == id { id.clone() } else { format!("{id}  {text}") };
    writeln!(out, "  {before:.4} {after:.4} {:+.4}  {name}", pair.gain())?;
    let is_better = 0.0 < pair.gain();
    // Moves in the direction of the query's change come first.
    let (along, against): (Vec<&Move>, Vec<&Move>) =
        of_query.iter().partition(|moved| moved.is_up() == is_better);
    let listed: Vec<&Move> = along.into_iter().chain(against).collect();
    for moved in listed.iter().take(MOVES) {
        writeln!(out, "      {}", line(moved))?;
    }
    if MOVES < listed.len() {
        writeln!(out, "      and {} more", listed.len() - MOVES)?;
    }
    Ok(())
}

/// A move on one line.
fn line(moved: &Move) -> String {
    let rank =
        |rank: Option<usize>| rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string());
    let name = match moved.target.lines {
        Some((start, end)) => format!("{}:{start}-{end}", moved.target.name),
        None => moved.target.name.clone(),
    };
    let passed = moved.passed.first().map(|first| {
        let place = if moved.is_up() { "ahead of" } else { "behind" };
        let rest = match moved.passed.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(", {place} {first}{rest}")
    });
    let parts: Vec<String> = moved
        .parts
        .iter()
        .take(PARTS)
        .map(|(name, change)| format!("{name} {change:+.3}"))
        .collect();
    let reason = match (moved.margin, parts.is_empty()) {
        (Margin::Unknown, _) => String::new(),
        (_, true) => ": no part changed".to_owned(),
        (Margin::Passed, false) => format!(": {}", parts.join(", ")),
        (Margin::Own, false) => format!(": itself {}", parts.join(", ")),
    };
    let (before, after) = (rank(moved.before), rank(moved.after));
    format!("{name}  rank {before} to {after}{}{reason}", passed.unwrap_or_default())
}
