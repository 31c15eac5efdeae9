//! Shared parts of the tests that cross crates.

pub mod addresses;
pub mod bodies;
pub mod damage;
pub mod event_receiver;
pub mod exchange;
pub mod golden;
pub mod http2;
pub mod invoice;
pub mod load;
pub mod offers;
pub mod orders;
pub mod own_process;
pub mod paths;
pub mod pdf_tools;
pub mod postgres;
pub mod power;
pub mod process;
pub mod proxy;
pub mod raw;
pub mod request;
pub mod s3;
pub mod server;
pub mod skipped;
pub mod storage;
pub mod wait;
pub mod wire_types;
