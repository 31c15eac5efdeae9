//! The real binary: its command line, its first steps, and what it leaves in files and logs.

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
mod getting_started;
mod private_files;
mod watch_secrets;
