//! What the embedded store and its server keep after kills, full disks, damage and power losses, and in long runs.

mod backup;
mod crash;
mod damage;
mod durability;
mod failing_store;
mod faults;
mod faults_common;
mod power_common;
mod power_loss;
mod recover;
mod restored;
mod soak;
