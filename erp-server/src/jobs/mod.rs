//! Background jobs of a server: removing what has expired, collecting media files, watching the store, keys of older orders and offers.

mod leader;
mod media;
mod options;
mod store;
mod tidy;

pub(crate) use media::{collect_media, watch_media};
pub use options::Options;
pub(crate) use store::{read_all, wait_for_failure, warn_of_risks};
pub(crate) use tidy::tidy;
