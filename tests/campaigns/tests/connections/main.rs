//! What clients do to the connections of a server: bytes that no library sends, attacks, slow clients, TLS, signals.

mod attacks;
mod company;
mod hostile_wire;
mod network;
mod page;
mod shutdown;
mod slow_clients;
mod tls;
