//! Server of the business system: REST interface over HTTP, storage, command line.
//!
//! Business rules are in `erp-core`; this crate adds network, disk and clock.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod api;
pub mod audit;
pub mod backup;
pub mod cli;
pub mod config;
pub mod events;
pub mod http;
pub mod jobs;
pub mod logging;
pub mod master_data;
pub mod media;
pub mod metrics;
pub mod openapi;
pub mod page;
pub mod passwords;
pub mod readiness;
pub mod resources;
pub mod scrape;
pub mod serve;
pub mod store;
pub mod tokens;
pub mod zugferd;
