//! What only campaigns need: a load with a ledger of what was acknowledged, the simulated disk, networks that are cut,
//! servers that share a database.

pub mod damage;
pub mod load;
pub mod power;
pub mod proxy;
mod servers;
mod takeover;

pub use servers::{Demo, ledger};
pub use takeover::Pair;
