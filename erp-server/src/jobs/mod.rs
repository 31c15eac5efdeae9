//! Background jobs of a server: removing what has expired, collecting media files.

mod leader;
mod media;
mod tidy;

pub(crate) use media::{collect_media, watch_media};
pub use tidy::JobOptions;
pub(crate) use tidy::tidy;
