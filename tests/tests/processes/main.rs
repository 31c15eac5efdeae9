//! The real binary: its command line, its documents, its packaging.

mod cli;
mod cli_admin;
mod cli_audit;
mod cli_config;
mod cli_demo;
mod cli_export;
mod cli_import;
mod cli_media;
mod cli_orders;
mod cli_output;
mod cli_zugferd;
mod containers;
mod getting_started;
mod monitoring;
mod operations;
mod private_files;
mod proxies;
mod watch_run;
mod watch_secrets;
