//! Names of states.

use super::*;

#[test]
fn states_have_distinct_names() {
    let mut names: Vec<&str> = DriftState::ALL.iter().map(|state| state.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), DriftState::ALL.len());
}
