//! The bodies (file contents) of article media, named by the SHA-256 of their content.
//!
//! # Location
//! `ab/cd/abcd...` in the folder `media` of the data folder, or below a prefix in a bucket of an S3-compatible object
//! store (setting `media_store`).
//!
//! A body is first written to `media/new/...`, because its name is only known when all bytes have arrived. In a folder
//! it is then synced and renamed, and the folders are synced. For a bucket it is uploaded, in parts when it is long,
//! and counts as stored when the service confirms it. Only then may a record refer to it. So no record refers to a body
//! that a crash can remove, and a body without a record is harmless. The folder does not use the crate's
//! `LocalFileSystem`; `folder.rs` says why. Only a bounded piece of a body is in memory at any time.
//!
//! # Garbage collection
//! [`collect`] moves bodies aside that no record refers to and that were not stored within a grace time, and removes them a
//! day later. In a folder, looking a body up by its hash restarts its grace time. Several servers may use and collect the
//! bodies of one folder or bucket at the same time; `collect.rs` says why no body is lost that a record names.
//!
//! The prefix of a bucket belongs to one record store: a server with another one would find no references to its
//! bodies and remove them.
//!
//! # Damage
//! The name proves the content. `erp-server check` reads every referenced body, delivery checks length and content
//! while sending, and storing the same bytes again repairs a damaged body.

mod bodies;
mod body;
mod client;
mod collect;
mod folder;
mod incoming;
mod objects;
mod place;
mod reader;

pub use bodies::{Bodies, BodyState, OpenBody};
pub use body::{BodyError, StoredBody};
pub(crate) use body::{Summed, sum_of};
pub use collect::{
    CollectError, Collection, GRACE, Unnamed, collect, collect_later, remove_abandoned,
};
pub use incoming::Incoming;
pub use objects::ObjectBody;
pub(crate) use objects::is_unreachable;
pub use place::{MediaOptions, MediaStore, PlaceError};
pub use reader::BodyReader;
