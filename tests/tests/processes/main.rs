//! The real binary: its command line, crashes, full disks, power losses, long runs.

mod cli;
mod cli_admin;
mod cli_audit;
mod cli_backup;
mod cli_config;
mod cli_export;
mod cli_import;
mod cli_media;
mod cli_orders;
mod cli_output;
mod cli_zugferd;
mod crash;
mod failing_store;
mod faults;
mod faults_common;
mod getting_started;
mod monitoring;
mod operations;
mod place;
mod power_common;
mod power_loss;
mod private_files;
mod restored;
mod soak;
mod watch_run;
mod watch_secrets;
