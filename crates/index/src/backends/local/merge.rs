//! The merge policy of a commit.
//!
//! Merging is part of the commit, not a background task: processes here live for milliseconds, and
//! a merge that is cut off by the end of its process is wasted. Few segments keep opening and term
//! lookups cheap; a row is rewritten a logarithmic number of times.

/// Maximum number of segments without a merge, and the same after a first build.
const MAX_SEGMENTS: usize = 4;
const MAX_SEGMENTS_AFTER_BUILD: usize = 2;

/// Maximum rows of a merged segment: about a second of work. Larger segments would save a query
/// little.
const MAX_ROWS: u64 = 250_000;

/// The same for a first build, whose segments are merged once. A tree of the size of Linux's gets
/// two segments, one for each core. Each segment has its own dictionary, which takes a tenth of the
/// index and costs each query a lookup.
const MAX_ROWS_OF_BUILD: u64 = 750_000;

/// A segment joins smaller ones only if they have together at least a third of its rows, so that a
/// small addition never rewrites much.
const FANOUT: u64 = 3;

/// Percentage of deleted rows above which a segment is rewritten.
const WORN_PERCENT: u64 = 30;

/// The occasion of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Merges {
    /// A commit.
    Usual,
    /// The end of a first build.
    Build,
    /// A commit after which no deleted row may be left.
    Purge,
}

/// Number of rows of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) alive: u64,
    pub(super) deleted: u64,
}

impl Size {
    fn is_worn(self) -> bool {
        self.deleted * 100 > (self.alive + self.deleted) * WORN_PERCENT
    }
}

/// Returns groups of positions in `sizes`; each group is merged into one segment. No position is in
/// two groups.
pub(super) fn plan(sizes: &[Size], merges: Merges) -> Vec<Vec<usize>> {
    let (max_segments, max_rows) = if merges == Merges::Build {
        (MAX_SEGMENTS_AFTER_BUILD, MAX_ROWS_OF_BUILD)
    } else {
        (MAX_SEGMENTS, MAX_ROWS)
    };
    let crowded = sizes.len() > max_segments;
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|index| (sizes[*index].alive, *index));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut rows = 0;
    for index in order {
        let alive = sizes[index].alive;
        let joins = crowded && alive <= rows * FANOUT && rows + alive <= max_rows;
        match groups.last_mut() {
            Some(group) if joins => {
                group.push(index);
                rows += alive;
            }
            _ => {
                groups.push(vec![index]);
                rows = alive;
            }
        }
    }
    groups.retain(|group| {
        let first = sizes[group[0]];
        group.len() > 1 || first.is_worn() || merges == Merges::Purge && first.deleted > 0
    });
    groups
}

#[cfg(test)]
mod tests {
    use super::{Merges, Size, plan};

    fn check(alive: &[u64], merges: Merges, expected: &[&[usize]]) {
        let sizes: Vec<Size> =
            alive.iter().map(|alive| Size { alive: *alive, deleted: 0 }).collect();
        assert_eq!(plan(&sizes, merges), expected, "{alive:?}");
    }

    #[test]
    fn segments_of_similar_size_are_merged() {
        check(&[], Merges::Build, &[]);
        check(&[10, 20], Merges::Build, &[]);
        check(&[9_000, 8_000, 100], Merges::Build, &[&[1, 0]]);
        check(&[9_000, 8_000, 7_000], Merges::Build, &[&[2, 1, 0]]);
        check(&[9_000, 8_000, 7_000], Merges::Usual, &[]);
        check(&[90_000, 10, 11, 12, 40], Merges::Usual, &[&[1, 2, 3, 4]]);
        check(&[200_000, 200_000, 200_000], Merges::Usual, &[]);
        check(
            &[200_000, 200_000, 200_000, 200_000, 200_000],
            Merges::Build,
            &[&[0, 1, 2], &[3, 4]],
        );
    }

    #[test]
    fn a_worn_segment_is_rewritten_alone() {
        let sizes = [Size { alive: 700, deleted: 301 }, Size { alive: 900, deleted: 100 }];
        assert_eq!(plan(&sizes, Merges::Usual), [vec![0]]);
        assert_eq!(plan(&sizes, Merges::Purge), [vec![0], vec![1]]);
    }

    #[test]
    fn many_small_commits_leave_few_segments_and_little_work() {
        let mut segments = vec![Size { alive: 50_000, deleted: 0 }];
        let mut rewritten = 0;
        for _ in 0..1_000 {
            segments.push(Size { alive: 20, deleted: 0 });
            let groups = plan(&segments, Merges::Usual);
            let gone: Vec<usize> = groups.concat();
            let merged: Vec<Size> = groups
                .iter()
                .map(|group| Size {
                    alive: group.iter().map(|index| segments[*index].alive).sum(),
                    deleted: 0,
                })
                .collect();
            rewritten += merged.iter().map(|size| size.alive).sum::<u64>();
            let mut index = 0;
            segments.retain(|_| {
                index += 1;
                !gone.contains(&(index - 1))
            });
            segments.extend(merged);
            assert!(segments.len() <= 8, "{segments:?}");
        }
        assert_eq!(segments.iter().map(|size| size.alive).sum::<u64>(), 70_000);
        // Each of the 20,000 new rows was rewritten a few times, the base once.
        assert!(rewritten < 70_000 + 20_000 * 8, "{rewritten}");
    }
}
