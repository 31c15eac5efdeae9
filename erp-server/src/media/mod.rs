//! The bodies of article media: files named by the SHA-256 of their content.
//!
//! # Where they are
//! `media/ab/cd/abcd...` in the data folder. A body is written to `media/new/`, synced, renamed to its
//! name, and the folders are synced; only then a record may name it. So a record never names a body
//! that a crash can take away, and a body that no record names does no harm.
//!
//! # How they go
//! [`collect`] removes bodies that no record names and that nobody stored or asked for within a grace
//! time. Storing a body that is there already renews its time under the same lock that removal takes,
//! so an import that has just found its body cannot lose it.
//!
//! # Damage
//! The name proves the content. `erp-server check` reads every named body, delivery looks at length and
//! content while it sends, and storing the same bytes again mends a damaged body.

mod bodies;
mod collect;
mod incoming;
mod reader;

pub use bodies::{Bodies, BodyError, BodyState, Hold, StoredBody};
pub use collect::{CollectError, Collection, Unnamed, collect};
pub use incoming::Incoming;
pub use reader::BodyReader;
