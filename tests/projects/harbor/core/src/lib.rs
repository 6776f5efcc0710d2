//! The planning core.

pub mod retry;

// TODO(HB-311): plan tugs as well.

/// Gives every ship a berth.
pub fn plan(ships: &[Ship]) -> Vec<Berth> {
    // FIXME slow for more than 500 ships
    println!("planning {} ships", ships.len());
    ships.iter().map(|ship| ship.berth().unwrap()).collect()
}

/// Frees the berth of a ship that has left.
pub fn release(berth: &mut Berth) {
    berth.ship = None;
    tracing::info!(berth = %berth.name, "released");
}
