//! Helpers of the campaigns: a load that records what was acknowledged, the simulated disk, networks that can be cut,
//! servers that share a database.

pub mod damage;
pub mod http2;
pub mod load;
pub mod postgres;
pub mod power;
pub mod proxy;
mod random;
mod servers;
mod takeover;

pub use random::Random;
pub use servers::{Demo, ledger};
pub use takeover::Pair;
