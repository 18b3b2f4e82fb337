//! Which segments a commit merges.
//!
//! Merging happens inside the commit, not behind it: the processes here live for milliseconds, and
//! a merge that outlives its process is work for nothing. Few segments keep opening and looking up
//! terms cheap; a row is rewritten a logarithmic number of times.

/// Segments that may stand side by side without a merge, and that a first build may end in.
const TOLERATED: usize = 4;
const TOLERATED_AFTER_BUILD: usize = 2;

/// A merge stops to grow here, in rows: a second of work, and beyond it a segment costs a query
/// little.
const FULL: u64 = 250_000;

/// The same for a first build, whose segments are merged once, whatever comes of it: two segments of
/// a tree of the size of Linux's, one for each core. Every segment has a dictionary of its own, which
/// costs a tenth of the index and each query a look.
const FULL_OF_BUILD: u64 = 750_000;

/// A segment joins smaller ones that come to at least a third of it, so that adding little never
/// rewrites much.
const FANOUT: u64 = 3;

/// Share of deleted rows, in percent, from which a segment is rewritten.
const WORN_PERCENT: u64 = 30;

/// Rows of a segment.
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

/// Groups of positions in `sizes` to merge into one segment each; no position is in two groups.
pub(super) fn plan(sizes: &[Size], is_first_build: bool) -> Vec<Vec<usize>> {
    let (tolerated, full) =
        if is_first_build { (TOLERATED_AFTER_BUILD, FULL_OF_BUILD) } else { (TOLERATED, FULL) };
    let crowded = sizes.len() > tolerated;
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|index| (sizes[*index].alive, *index));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut rows = 0;
    for index in order {
        let alive = sizes[index].alive;
        let joins = crowded && alive <= rows * FANOUT && rows + alive <= full;
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
    groups.retain(|group| group.len() > 1 || sizes[group[0]].is_worn());
    groups
}

#[cfg(test)]
mod tests {
    use super::{Size, plan};

    fn check(alive: &[u64], is_first_build: bool, expected: &[&[usize]]) {
        let sizes: Vec<Size> =
            alive.iter().map(|alive| Size { alive: *alive, deleted: 0 }).collect();
        assert_eq!(plan(&sizes, is_first_build), expected, "{alive:?}");
    }

    #[test]
    fn segments_of_like_size_are_merged() {
        check(&[], true, &[]);
        check(&[10, 20], true, &[]);
        check(&[9_000, 8_000, 100], true, &[&[1, 0]]);
        check(&[9_000, 8_000, 7_000], true, &[&[2, 1, 0]]);
        check(&[9_000, 8_000, 7_000], false, &[]);
        check(&[90_000, 10, 11, 12, 40], false, &[&[1, 2, 3, 4]]);
        check(&[200_000, 200_000, 200_000], false, &[]);
        check(&[200_000, 200_000, 200_000, 200_000, 200_000], true, &[&[0, 1, 2], &[3, 4]]);
    }

    #[test]
    fn a_worn_segment_is_rewritten_alone() {
        let sizes = [Size { alive: 700, deleted: 301 }, Size { alive: 900, deleted: 100 }];
        assert_eq!(plan(&sizes, false), [vec![0]]);
    }

    #[test]
    fn many_small_commits_leave_few_segments_and_little_work() {
        let mut segments = vec![Size { alive: 50_000, deleted: 0 }];
        let mut rewritten = 0;
        for _ in 0..1_000 {
            segments.push(Size { alive: 20, deleted: 0 });
            let groups = plan(&segments, false);
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
