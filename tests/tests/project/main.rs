//! Checks of the whole project: licences, documents, floors of the crates, and equal results with and without a server.

mod documents_server;
mod floors;
mod licences;
mod offline;
mod package;
mod steps;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn file(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}
