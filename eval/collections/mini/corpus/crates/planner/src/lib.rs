//! The planner: takes commands, keeps the schedule free of conflicts, and tells others what changed.

pub mod allocation;
pub mod crane;
pub mod events;
pub mod solver;
pub mod window;

pub use allocation::{Allocation, AllocationError, Allocator};
pub use events::{Event, EventLog};
