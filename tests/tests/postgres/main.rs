//! The store in a PostgreSQL database: conformance, several servers, crashes, failover.

mod cluster;
mod conformance;
mod crash;
mod failover;
mod proxy;
mod servers;
mod store;
