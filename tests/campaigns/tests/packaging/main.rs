//! What is delivered beside the program: example proxies, alert rules, the container, and the commands of the
//! documents. Most tests need programs of others.

mod containers;
mod monitoring;
mod operations;
mod proxies;
