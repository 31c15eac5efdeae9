//! Shared parts of the simulation of power losses: recording a run, going through its moments, and
//! telling how to repeat what failed.

pub mod history;
pub mod images;
pub mod server;
pub mod workload;

pub use history::{History, Noted};
pub use images::{Case, Images};
