//! What the stores promise: conformance, damage, recovery, sizes, golden records, media.

mod conformance;
mod damage;
mod durability;
mod flaky;
mod golden_records;
mod golden_values;
mod identity;
mod media_removal;
mod media_s3;
mod numbers;
mod recover;
mod reopen;
mod size;
mod store_common;
mod watch_store;
