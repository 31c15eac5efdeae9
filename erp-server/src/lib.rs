//! Server of the business system: REST interface over HTTP, storage, command line.
//!
//! Business rules are in `erp-core`; this crate adds network, disk and clock.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![expect(missing_docs, reason = "only the project itself uses this library")]

// `sentence!` in every module.
#[macro_use(sentence)]
extern crate erp_core;

pub mod backup;
pub mod cli;
pub mod config;
pub mod console;
pub mod delivery;
mod https;
pub mod import;
pub mod jobs;
pub mod lane;
mod lock;
pub mod media;
pub mod observe;
mod openapi;
pub mod passwords;
pub mod resources;
pub mod scrape;
pub mod serve;
pub mod store;
pub mod tokens;
pub mod web;
pub mod zugferd;
