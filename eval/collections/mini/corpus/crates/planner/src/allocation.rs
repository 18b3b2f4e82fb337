//! Which vessel lies at which berth.

use crate::window::TidalWindow;

/// A stretch of quay, in centimetres from the northern end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Berth {
    pub start: u32,
    pub length: u32,
    pub depth: u32,
}

/// A vessel at a berth for a time, in minutes since the epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    pub vessel: u64,
    pub berth: Berth,
    pub from: i64,
    pub until: i64,
}

#[derive(Debug, PartialEq, Eq)]
pub enum AllocationError {
    /// Another vessel lies there at that time.
    Overlap { with: u64 },
    /// The keel would touch the ground at low water.
    TooShallow { missing: u32 },
    /// The vessel cannot pass the bar in time.
    NoWindow,
}

/// Gap between two vessels at the quay, in centimetres: room for the mooring lines.
const SAFETY_GAP: u32 = 1_500;

/// Water that must remain below the keel, in centimetres.
const UNDER_KEEL_CLEARANCE: u32 = 60;

#[derive(Debug, Default)]
pub struct Allocator {
    taken: Vec<Allocation>,
}

impl Allocator {
    /// Reserves a berth, or says what is in the way.
    pub fn reserve(
        &mut self,
        wanted: Allocation,
        draught: u32,
        windows: &[TidalWindow],
    ) -> Result<(), AllocationError> {
        if let Some(other) = self.taken.iter().find(|other| overlaps(other, &wanted)) {
            return Err(AllocationError::Overlap { with: other.vessel });
        }
        let needed = draught + UNDER_KEEL_CLEARANCE;
        if wanted.berth.depth < needed {
            return Err(AllocationError::TooShallow { missing: needed - wanted.berth.depth });
        }
        if !windows.iter().any(|window| window.admits(draught, wanted.from)) {
            return Err(AllocationError::NoWindow);
        }
        self.taken.push(wanted);
        Ok(())
    }

    /// Gives a berth back, for example when a call is cancelled.
    pub fn release(&mut self, vessel: u64) -> bool {
        let before = self.taken.len();
        self.taken.retain(|allocation| allocation.vessel != vessel);
        self.taken.len() < before
    }
}

fn overlaps(left: &Allocation, right: &Allocation) -> bool {
    let in_time = left.from < right.until && right.from < left.until;
    let left_end = left.berth.start + left.berth.length + SAFETY_GAP;
    let right_end = right.berth.start + right.berth.length + SAFETY_GAP;
    in_time && left.berth.start < right_end && right.berth.start < left_end
}
