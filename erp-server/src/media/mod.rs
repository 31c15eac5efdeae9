//! The bodies of article media, named by the SHA-256 of their content.
//!
//! # Where they are
//! `ab/cd/abcd...` in the folder `media` of the data folder, or below a prefix of a bucket of an
//! S3-compatible object store (setting `media_store`).
//!
//! A body comes together in the file `media/new/...`, since only its bytes tell its name. In a folder it is
//! then synced, renamed to its name, and the folders are synced; to a bucket it is sent, in parts when it is
//! long, and counts as stored when the service says so. Only then a record may name it. So a record never
//! names a body that a crash can take away, and a body that no record names does no harm. The folder does
//! this itself and not over the crate's `LocalFileSystem`; `folder.rs` says why. No more of a body than
//! a bounded piece is ever in memory.
//!
//! # How they go
//! [`collect`] removes bodies that no record names and that nobody stored within a grace time. In a
//! folder asking for a body by its hash renews its time too.
//!
//! Several servers may name and remove bodies of one folder or bucket at the same time; the grace time
//! makes it rare that two mean the same body, and nothing rests on it. What rests on the store of records:
//!
//! 1. The collector lists the bodies it is about to remove, in one commit, for one minute.
//! 2. Then it asks again what records name, and removes what still is not named, in the first half of
//!    that minute. The other half is for clocks that differ and for a last request that is slow: the
//!    requests of a removal end within 25 seconds.
//! 3. Then it takes the bodies off the list, in another commit. After an error it leaves them there, because
//!    the request that failed may still be carried out.
//!
//! Who names a body reads the lists first ([`settled`], which waits while the body is on one), then stores
//! the body, and names it in a commit that demands that the list it read for this body is unchanged and
//! that the body is not on it ([`erp_core::Erp::import_stored`]). If the naming commit comes before that of
//! step 1, step 2 sees the name. If it comes after, it fails, even when steps 1 to 3 all lie
//! between reading and naming, because a list is never taken away but written anew; then the lists are read
//! and the body is stored again. A record that goes on naming its body demands nothing but
//! that it is unchanged itself: it was named all the time.
//!
//! A collector that ends in the middle leaves its list for the minute; who waits then takes the bodies off
//! the list and stores them again. A backup puts a hold in the way of all collectors first
//! ([`removal::hold`]), and waits until those at work have done.
//!
//! A bucket's prefix belongs to one store of records: a server on another one would find none of the bodies
//! named and collect them.
//!
//! # Damage
//! The name proves the content. `erp-server check` reads every named body, delivery looks at length and
//! content while it sends, and storing the same bytes again mends a damaged body.

mod bodies;
mod client;
mod collect;
mod folder;
mod incoming;
mod objects;
mod place;
mod reader;
pub mod removal;

pub use bodies::{Bodies, BodyError, BodyState, Hold, OpenBody, StoredBody};
pub use collect::{CollectError, Collection, Unnamed, collect, collect_older, remove_abandoned};
pub use incoming::Incoming;
pub use objects::ObjectBody;
pub(crate) use objects::is_unreachable;
pub use place::{MediaStore, PlaceError};
pub use reader::BodyReader;
pub use removal::settled;
