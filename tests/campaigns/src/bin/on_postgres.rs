//! Starts PostgreSQL and runs a command with its address as `ERP_TEST_STORE`: `on_postgres cargo test --test http`.
//! `ERP_TEST_CLUSTER=pgbouncer` or `patroni` puts those before the database.

use std::process::{Command, ExitCode};

use erp_campaigns::postgres::Cluster;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let program = words.next().expect("a command as arguments");
    let cluster = Cluster::shared().expect("PostgreSQL is installed");
    let status = Command::new(program)
        .args(words)
        .env("ERP_TEST_STORE", cluster.for_programs())
        .status();
    match status.expect("the command starts").success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
