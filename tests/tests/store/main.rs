//! What the stores guarantee: conformance, errors, sizes, golden records, media.

mod conformance;
mod flaky;
mod golden_records;
mod golden_values;
mod identity;
mod media_removal;
mod media_s3;
mod numbers;
mod reopen;
mod size;
mod watch_store;
