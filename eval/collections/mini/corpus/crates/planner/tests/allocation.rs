use planner::allocation::{Allocation, AllocationError, Allocator, Berth};
use planner::window::TidalWindow;

fn berth(start: u32) -> Berth {
    Berth { start, length: 20_000, depth: 1_200 }
}

const ALWAYS: TidalWindow = TidalWindow { opens: 0, closes: i64::MAX, draught: 2_000 };

#[test]
fn vessels_keep_their_distance() {
    let mut allocator = Allocator::default();
    let first = Allocation { vessel: 1, berth: berth(0), from: 0, until: 600 };
    let close = Allocation { vessel: 2, berth: berth(20_500), from: 10, until: 500 };
    assert_eq!(allocator.reserve(first, 900, &[ALWAYS]), Ok(()));
    assert_eq!(
        allocator.reserve(close, 900, &[ALWAYS]),
        Err(AllocationError::Overlap { with: 1 })
    );
}

#[test]
fn deep_vessels_are_refused() {
    let mut allocator = Allocator::default();
    let deep = Allocation { vessel: 3, berth: berth(0), from: 0, until: 600 };
    let error = allocator.reserve(deep, 1_190, &[ALWAYS]).unwrap_err();
    assert_eq!(error, AllocationError::TooShallow { missing: 50 });
}
