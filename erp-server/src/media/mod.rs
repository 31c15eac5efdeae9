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
//! [`collect`] removes bodies that no record refers to and that were not stored within a grace time. In a folder,
//! looking a body up by its hash restarts its grace time.
//!
//! Several servers may use and remove bodies of one folder or bucket at the same time. The grace time only makes
//! conflicts rare; correctness depends on the record store:
//!
//! 1. The collector marks the bodies it is about to remove: one commit writes them to a list that is valid for one
//!    minute.
//! 2. It reads again which bodies records refer to, and removes the rest within the first half of that minute. The
//!    other half allows for clock differences and a slow last request: the requests of a removal end within
//!    25 seconds.
//! 3. It takes the bodies off the list, in another commit. After an error it leaves them there, because the failed
//!    request may still be executed.
//!
//! A client that uses a body first reads the lists ([`settled`], which waits while the body is on one), then stores
//! the body. Then it commits the record with the guard that the list it read is unchanged and does not contain the
//! body ([`erp_core::Erp::import_stored`]). If this commit precedes that of step 1, step 2 sees the reference. If it
//! follows, its guard fails, even when steps 1 to 3 all happened between reading and committing, because a list is
//! never deleted but rewritten with a new revision; then the client reads the lists and stores the body again. A
//! record that already refers to its body only needs the guard that the record itself is unchanged.
//!
//! If a collector crashes, its list stays valid for the rest of the minute; a waiting client then takes the bodies off
//! the list and stores them again. A backup first places a hold that blocks all collectors ([`removal::hold`]), and
//! waits for those in progress.
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
pub mod removal;

pub use bodies::{Bodies, BodyState, Hold, OpenBody};
pub use body::{BodyError, StoredBody};
pub use collect::{CollectError, Collection, Unnamed, collect, collect_older, remove_abandoned};
pub use incoming::Incoming;
pub use objects::ObjectBody;
pub(crate) use objects::is_unreachable;
pub use place::{MediaStore, Options, PlaceError, S3Options};
pub use reader::BodyReader;
pub use removal::settled;
