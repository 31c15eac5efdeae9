//! Shared helpers of the tests that cover more than one crate.

pub mod addresses;
pub mod bodies;
pub mod client;
pub mod embedded_store;
pub mod event_receiver;
pub mod exchange;
pub mod golden;
pub mod identity;
pub mod invoice;
pub mod offers;
pub mod orders;
pub mod own_process;
pub mod paths;
pub mod place;
pub mod process;
pub mod raw;
pub mod request;
pub mod s3;
pub mod server;
pub mod storage;
pub mod wait;
pub mod wire_types;

pub use erp_dev::skipped;
