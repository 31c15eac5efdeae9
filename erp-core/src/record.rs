//! How records become bytes and stay readable for ever.
//!
//! A stored record begins with the byte of its [`Space`] and the version of its form; then follows
//! MessagePack with named members. A new optional member needs no new version, because old records
//! read as if it were absent. A change that old bytes cannot express gets a new version and a branch in
//! [`decode`]; the golden storage files pin that every old version still opens.

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::document::{Offer, Order, OrderStatus};
use crate::erp::{
    AuditEntry, BodyRemoval, Delivery, Event, EventTarget, KeptAnswer, LeaseRecord, LoggedEvent,
};
use crate::master::{
    Article, ArticlePrices, ArticleStock, Company, Customer, CustomerNumber, TaxCode, Token, User,
};
use crate::media::{ArticleMedia, Media};
use crate::storage::{Entry, Key, Space, StorageError};

/// Which customer an address belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressOwner {
    /// `KundNr`.
    pub customer: CustomerNumber,
}

/// An order in the list of its customer: what the list shows, so that it needs no order read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomerOrderEntry {
    /// `PlanStatus`.
    pub status: OrderStatus,
    /// `AuftErf`.
    pub created_at: Timestamp,
}

/// The highest number an import brought along; the sequence goes on behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberFloor {
    /// The number.
    pub number: u64,
}

/// A type that is stored as a record.
pub trait Stored: Serialize + DeserializeOwned {
    /// Where records of this type live.
    const SPACE: Space;
    /// The version new records are written in.
    const VERSION: u8 = 1;
}

macro_rules! stored {
    ($($type:ty => $space:ident,)+) => { $(impl Stored for $type { const SPACE: Space = Space::$space; })+ };
}

stored! {
    Company => Company,
    User => User,
    Token => Token,
    Customer => Customer,
    Article => Article,
    ArticlePrices => Price,
    ArticleStock => Stock,
    TaxCode => TaxCode,
    Order => Order,
    AddressOwner => AddressOwner,
    CustomerOrderEntry => OrderOfCustomer,
    NumberFloor => NumberFloor,
    Offer => Offer,
    KeptAnswer => Idempotency,
    Event => Outbox,
    EventTarget => EventTarget,
    Delivery => Delivery,
    LoggedEvent => EventLog,
    Media => Media,
    ArticleMedia => MediaOfArticle,
    AuditEntry => Audit,
    LeaseRecord => Lease,
    BodyRemoval => BodyRemoval,
}

/// The value of a secondary key whose content is the key itself.
#[must_use]
pub fn mark(space: Space) -> Vec<u8> {
    vec![space as u8, 1]
}

/// A record and the revision it was read at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned<T> {
    /// The record.
    pub record: T,
    /// The commit that wrote it.
    pub revision: crate::storage::Revision,
}

/// The bytes of a record.
///
/// # Errors
/// [`StorageError::Damaged`] when the record cannot be written, which no type of the core does.
pub fn encode<T: Stored>(record: &T) -> Result<Vec<u8>, StorageError> {
    let mut bytes = vec![T::SPACE as u8, T::VERSION];
    let mut serializer = rmp_serde::Serializer::new(&mut bytes).with_struct_map();
    record
        .serialize(&mut serializer)
        .map_err(|error| StorageError::Damaged(error.to_string()))?;
    Ok(bytes)
}

/// The record in an entry.
///
/// # Errors
/// [`StorageError::Damaged`] when the bytes are no record of this type, or of a version this program
/// does not know yet.
pub fn decode<T: Stored>(key: &Key, entry: &Entry) -> Result<T, StorageError> {
    let damaged = |why: String| StorageError::Damaged(format!("record {key:?}: {why}"));
    match entry.value.as_slice() {
        [space, version, body @ ..] if *space == T::SPACE as u8 && *version == T::VERSION => {
            rmp_serde::from_slice(body).map_err(|error| damaged(error.to_string()))
        }
        [space, version, ..] if *space == T::SPACE as u8 => Err(damaged(format!(
            "version {version} is newer than this program"
        ))),
        _ => Err(damaged("bytes of another kind".to_owned())),
    }
}
