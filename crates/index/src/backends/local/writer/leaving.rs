//! The units that a commit replaces or deletes: their rows, and the shelf that results.

use std::collections::BTreeMap;

use crate::backends::local::{
    draft::UnitChange,
    revive::DeletedRows,
    shelf::{self, ShelvedRows, ShelvedUnit},
    snapshot::Snapshot,
};

/// The units of the base that leave the index.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    /// Their rows.
    pub(super) rows: DeletedRows,
    /// Those whose rows are consecutive, by position in the state.
    units: Vec<(usize, ShelvedRows)>,
}

impl Leaving {
    /// Reads the rows of the changed units.
    pub(super) fn of(
        base: &Snapshot,
        changes: &BTreeMap<String, UnitChange>,
    ) -> tantivy::Result<Leaving> {
        let mut leaving = Leaving::default();
        for (name, change) in changes {
            let (false, Ok(unit)) =
                (matches!(change, UnitChange::Restamp(_)), base.state.find_unit(name))
            else {
                continue;
            };
            let of_segments = base.rows_of(name)?;
            if let [(segment, rows)] = of_segments.as_slice()
                && let (Some(first), Some(last)) = (rows.first(), rows.last())
                && (last - first) as usize + 1 == rows.len()
            {
                let segment = base.segments[*segment].reader.segment_id().uuid_string();
                let rows = ShelvedRows { segment, first: *first, count: last - first + 1 };
                leaving.units.push((unit, rows));
            }
            for (segment, rows) in of_segments {
                leaving.rows.entry(segment).or_default().extend(rows);
            }
        }
        Ok(leaving)
    }

    /// Returns the units that can be restored after a commit that restores some.
    pub(super) fn next_shelf(
        &self,
        base: &Snapshot,
        restored: &BTreeMap<String, ShelvedRows>,
    ) -> Vec<ShelvedUnit> {
        // A first build is rarely interrupted by a switch of branches, and merges all its segments.
        if base.is_first_build() {
            return Vec::new();
        }
        let mut shelf = base.restorable();
        shelf.retain(|unit| restored.get(&unit.name) != Some(&unit.rows));
        shelf.extend(shelf::describe(&base.state, self.units.clone()));
        shelf::limit(&mut shelf, base.state.rows());
        shelf
    }
}
