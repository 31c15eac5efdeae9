//! Shared parts of the simulation of power losses: recording a run, checking many points of it, and reporting how to
//! repeat a failure.

pub mod history;
pub mod images;
pub mod server;
pub mod workload;

pub use history::{History, LogMark};
pub use images::{Case, Images};
