//! The wire form of the reasons why nothing was found.

use std::borrow::Cow;

use lore_console::dates;
use lore_engine::{Absence, FilterLoss, UnindexedMatch, UnindexedReason};
use schemars::JsonSchema;
use serde::Serialize;

/// Reasons why nothing was found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AbsenceWire<'a> {
    /// Reasons, one line each.
    reasons: &'a [String],
    /// Similar names that exist.
    nearest: &'a [String],
    /// Words of the query that no searched document contains.
    unknown_words: &'a [String],
    /// Filters that removed matches.
    filters: Vec<FilterLossWire<'a>>,
    /// Places outside the index that contain the words; null if they were not searched.
    elsewhere: Option<ElsewhereWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct FilterLossWire<'a> {
    /// Name of the filter.
    filter: &'static str,
    /// Values of the filter.
    values: Vec<Cow<'a, str>>,
    /// Number of matches that it removed.
    removed: u64,
}

#[derive(Serialize, JsonSchema)]
struct ElsewhereWire<'a> {
    /// The places.
    places: Vec<SightingWire<'a>>,
    /// Number of searched files.
    files: u64,
    /// Number of searched commits.
    commits: u64,
    /// Number of searched branches.
    branches: u64,
    /// True if everything was searched within the time limit.
    complete: bool,
}

#[derive(Serialize, JsonSchema)]
struct SightingWire<'a> {
    /// Reason why the place is not in the index: ignored, tooLarge, binary, deleted or branch.
    whereabouts: &'static str,
    /// The word.
    word: &'a str,
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// Line of the file, from 1.
    line: Option<u32>,
    /// Commit that deleted the text.
    commit: Option<&'a str>,
    /// Branch that contains the text.
    branch: Option<&'a str>,
}

/// The wire form of the reasons.
pub(super) fn absence(absence: &Absence) -> AbsenceWire<'_> {
    AbsenceWire {
        reasons: &absence.reasons,
        nearest: &absence.nearest,
        unknown_words: &absence.unknown_words,
        filters: absence.filters.iter().map(loss).collect(),
        elsewhere: absence.elsewhere.as_ref().map(|elsewhere| ElsewhereWire {
            places: elsewhere.matches.iter().map(sighting).collect(),
            files: elsewhere.files,
            commits: elsewhere.commits,
            branches: elsewhere.branches,
            complete: elsewhere.complete,
        }),
    }
}

fn loss(loss: &FilterLoss) -> FilterLossWire<'_> {
    let time = |value: &str| dates::rfc3339(value.parse().ok()?);
    let value = |value| match loss.name {
        "since" | "until" => time(value).map_or(Cow::Borrowed(value), Cow::Owned),
        _ => Cow::Borrowed(value),
    };
    let values = loss.values.iter().map(|text| value(text.as_str())).collect();
    FilterLossWire { filter: loss.name, values, removed: loss.removed }
}

fn sighting(sighting: &UnindexedMatch) -> SightingWire<'_> {
    let (whereabouts, commit, branch) = match &sighting.reason {
        UnindexedReason::Ignored => ("ignored", None, None),
        UnindexedReason::TooLarge => ("tooLarge", None, None),
        UnindexedReason::Binary => ("binary", None, None),
        UnindexedReason::Deleted { commit } => ("deleted", Some(commit.as_str()), None),
        UnindexedReason::Branch { name } => ("branch", None, Some(name.as_str())),
    };
    SightingWire {
        whereabouts,
        word: &sighting.word,
        path: &sighting.path,
        line: sighting.line,
        commit,
        branch,
    }
}
