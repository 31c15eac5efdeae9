//! The business system's REST interface as a server: HTTP, an embedded store, command line.
//!
//! The rules live in `erp-core`; here stand the socket, the disk and the clock.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod api;
pub mod app;
pub mod audit;
pub mod backup;
pub mod cli;
pub mod config;
pub mod events;
pub mod http;
pub mod leases;
pub mod logging;
pub mod master_data;
pub mod media;
pub mod metrics;
pub mod openapi;
pub mod page;
pub mod passwords;
pub mod readiness;
pub mod store;
pub mod tokens;
pub mod zugferd;
