#![doc = include_str!("../README.md")]

mod addresses;
mod body;
mod bound;
mod client;
mod connection;
mod error;
mod fair_queue;
mod listen;
mod options;
mod server;
#[cfg(unix)]
mod socket_file;
mod times;
mod tls;
mod transfer_rate;

pub use addresses::{client_of, network_of};
pub use body::RequestBody;
pub use client::Connection;
pub use error::Error;
pub use listen::Listen;
pub use options::Options;
pub use server::{Handle, Server};
pub use tls::Certificates;
