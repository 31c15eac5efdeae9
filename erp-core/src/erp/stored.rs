//! The types that are stored as records, each with its key space.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::audit::AuditEntry;
use super::backup::BackupNote;
use super::bodies::BodyRemoval;
use super::events::{Delivery, Event, EventTarget, LoggedEvent};
use super::import_runs::ImportRun;
use super::lease::LeaseRecord;
use super::retry::KeptAnswer;
use crate::document::{Offer, Order, OrderStatus};
use crate::master::{
    Article, ArticlePrices, ArticleStock, Company, Customer, CustomerNumber, TaxCode, Token, User,
};
use crate::media::{ArticleMedia, Media};
use crate::record::Stored;
use crate::storage::Space;

/// The customer that owns an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressOwner {
    /// `KundNr`.
    pub customer: CustomerNumber,
}

/// An order in its customer's list, with all the list shows, so that the order itself need not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomerOrderEntry {
    /// `PlanStatus`.
    pub status: OrderStatus,
    /// `AuftErf`.
    pub created_at: Timestamp,
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
    BackupNote => Backup,
    ImportRun => ImportRun,
}
