//! The store in a PostgreSQL database: conformance, several servers, crashes, stuck locks, failover.

mod cluster;
mod conformance;
mod crash;
mod failover;
mod locks;
mod pooler;
mod proxy;
mod rolling;
mod round_trips;
mod servers;
mod store;
