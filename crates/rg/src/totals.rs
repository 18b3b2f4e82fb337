//! The totals of `--stats`, and the last line of `--json`.

use std::time::Duration;

use grep_printer::Stats;
use serde_json::json;

use crate::flags::SearchMode;

/// The totals as text, or as one JSON line after `--json`.
pub(crate) fn text(mode: SearchMode, stats: &Stats, elapsed: Duration) -> String {
    if mode == SearchMode::Json {
        return format!("{}\n", summary(stats, elapsed));
    }
    format!(
        "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n\
         {} bytes printed\n{} bytes searched\n{:.6} seconds spent searching\n\
         {:.6} seconds total\n",
        stats.matches(),
        stats.matched_lines(),
        stats.searches_with_match(),
        stats.searches(),
        stats.bytes_printed(),
        stats.bytes_searched(),
        stats.elapsed().as_secs_f64(),
        elapsed.as_secs_f64(),
    )
}

/// The summary. Its keys are sorted, as ripgrep writes them.
fn summary(stats: &Stats, elapsed: Duration) -> serde_json::Value {
    let time = |time: Duration| {
        json!({
            "human": format!("{:.6}s", time.as_secs_f64()),
            "nanos": time.subsec_nanos(),
            "secs": time.as_secs(),
        })
    };
    json!({
        "data": {
            "elapsed_total": time(elapsed),
            "stats": {
                "bytes_printed": stats.bytes_printed(),
                "bytes_searched": stats.bytes_searched(),
                "elapsed": time(stats.elapsed()),
                "matched_lines": stats.matched_lines(),
                "matches": stats.matches(),
                "searches": stats.searches(),
                "searches_with_match": stats.searches_with_match(),
            },
        },
        "type": "summary",
    })
}
