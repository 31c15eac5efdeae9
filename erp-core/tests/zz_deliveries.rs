//! Temporary.
#[path = "erp/deliveries.rs"]
mod deliveries;
mod common { pub(crate) use pollster::block_on; }
