//! Checks of the whole project: licences, documents, floors of the crates, and equal results with and without a server.

mod documents_server;
mod floors;
mod licences;
mod offline;
mod steps;
