//! Cranes on rails: they cannot pass each other.

/// A gantry crane and the stretch of rail that it serves, in centimetres.
#[derive(Debug, Clone)]
pub struct Crane {
    pub number: u8,
    pub reach: std::ops::Range<u32>,
    /// Containers an hour, as measured over the last month.
    pub moves_per_hour: u16,
}

/// Assigns neighbouring cranes to a vessel until the work is done in time.
///
/// Cranes share one pair of rails, so that only a consecutive run of them can work together.
pub fn assign_gang(cranes: &[Crane], moves: u32, hours: u32) -> Option<&[Crane]> {
    (1..=cranes.len()).find_map(|size| {
        cranes.windows(size).find(|gang| {
            let capacity: u32 = gang.iter().map(|crane| u32::from(crane.moves_per_hour)).sum();
            moves <= capacity * hours
        })
    })
}

/// Wind in metres per second above which every crane is parked and locked.
pub const WIND_LIMIT: f32 = 22.0;

pub fn must_park(gust: f32) -> bool {
    WIND_LIMIT < gust
}
