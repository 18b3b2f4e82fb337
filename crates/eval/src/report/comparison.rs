//! How a run differs from another one, for people: the means, and what moved which query.

use std::io::{self, Write};

use crate::{Comparison, Margin, Move, Moves, Pair, PartShare, measures::Measure};

/// How many of the largest changes are listed on each side.
const CHANGES: usize = 15;

/// How many right results are listed of one query.
const MOVES: usize = 3;

/// How many parts are named of one move.
const PARTS: usize = 3;

/// How many signals the summary names.
const SIGNALS: usize = 8;

/// Changes below this are rounding.
const EPSILON: f64 = 1e-9;

/// Writes how this run differs from another one, and which parts of the scores made the difference.
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

/// Writes which signals moved most queries.
fn write_shares(shares: &[PartShare], out: &mut dyn Write) -> io::Result<()> {
    if shares.is_empty() {
        return Ok(());
    }
    let shown = &shares[..shares.len().min(SIGNALS)];
    let title = "what moved right results";
    let width = shown.iter().map(|share| share.name.chars().count() + 2).max().unwrap_or(0);
    let width = width.max(title.len());
    writeln!(out, "{title:<width$} {:>7} {:>7} {:>8}", "better", "worse", "mean")?;
    for PartShare { name, better, worse, mean } in shown {
        let name = format!("  {name}");
        writeln!(out, "{name:<width$} {better:>7} {worse:>7} {mean:>+8.3}")?;
    }
    Ok(())
}

/// Writes one query, and where its right results went.
fn write_pair(pair: &Pair, moves: &Moves, out: &mut dyn Write) -> io::Result<()> {
    let Pair { id, before, after, .. } = pair;
    let (text, of_query) = match moves.get(id) {
        Some((text, of_query)) => (text.as_str(), of_query.as_slice()),
        None => ("", &[][..]),
    };
    let name = if text.is_empty() || text == id { id.clone() } else { format!("{id}  {text}") };
    writeln!(out, "  {before:.4} {after:.4} {:+.4}  {name}", pair.gain())?;
    let is_better = 0.0 < pair.gain();
    // What made the query what it became comes first.
    let (along, against): (Vec<&Move>, Vec<&Move>) =
        of_query.iter().partition(|one| one.is_up() == is_better);
    let listed: Vec<&Move> = along.into_iter().chain(against).collect();
    for one in listed.iter().take(MOVES) {
        writeln!(out, "      {}", line(one))?;
    }
    if MOVES < listed.len() {
        writeln!(out, "      and {} more", listed.len() - MOVES)?;
    }
    Ok(())
}

/// A move on one line.
fn line(one: &Move) -> String {
    let rank =
        |rank: Option<usize>| rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string());
    let name = match one.target.lines {
        Some((start, end)) => format!("{}:{start}-{end}", one.target.name),
        None => one.target.name.clone(),
    };
    let passed = one.passed.first().map(|first| {
        let place = if one.is_up() { "ahead of" } else { "behind" };
        let rest = match one.passed.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(", {place} {first}{rest}")
    });
    let parts: Vec<String> =
        one.parts.iter().take(PARTS).map(|(name, change)| format!("{name} {change:+.3}")).collect();
    let reason = match (one.margin, parts.is_empty()) {
        (Margin::Unknown, _) => String::new(),
        (_, true) => ": no part changed".to_owned(),
        (Margin::Passed, false) => format!(": {}", parts.join(", ")),
        (Margin::Own, false) => format!(": itself {}", parts.join(", ")),
    };
    let (before, after) = (rank(one.before), rank(one.after));
    format!("{name}  rank {before} to {after}{}{reason}", passed.unwrap_or_default())
}
