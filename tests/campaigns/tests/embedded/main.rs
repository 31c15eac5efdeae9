//! What the embedded store and its server lose and keep: kills, full disks, damage, power losses, long runs.

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
