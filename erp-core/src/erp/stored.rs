//! The types that are stored as records, each with its key space.

use super::engine::{
    AuditEntry, Change, ChangeLog, Event, InvoiceNumbers, InvoiceXml, KeptDifferences,
    StoredResponse,
};
use super::keys::{AddressOwner, CustomerOrderEntry};
use super::office::ImportRun;
use super::upkeep::{BackupNote, Delivery, EventTarget, LeaseRecord, LoggedEvent};
use crate::domain::document::{Invoice, ListedOrder, Offer, Order};
use crate::domain::master::{
    Article, ArticlePrices, ArticleStock, Company, Customer, ForgottenCustomer, TaxCode, Token,
    User,
};
use crate::domain::media::{ArticleMedia, Media};
use crate::storage::Space;
use crate::storage::record::Stored;

macro_rules! stored {
    ($($type:ty => $space:ident $($named:ident)?,)+) => { $(impl Stored for $type {
        const SPACE: Space = Space::$space;
        $(const $named: bool = true;)?
    })+ };
}

stored! {
    Company => Company,
    User => User,
    Token => Token,
    Customer => Customer,
    ForgottenCustomer => ForgottenCustomer,
    Article => Article,
    ArticlePrices => Price,
    ArticleStock => Stock,
    TaxCode => TaxCode,
    Order => Order,
    Invoice => Invoice,
    InvoiceXml => InvoiceXml,
    InvoiceNumbers => InvoiceNumbers,
    AddressOwner => AddressOwner,
    CustomerOrderEntry => OrderOfCustomer,
    ListedOrder => OrderOfStatus,
    Offer => Offer,
    StoredResponse => Idempotency,
    Event => Outbox,
    EventTarget => EventTarget,
    Delivery => Delivery,
    LoggedEvent => EventLog,
    Media => Media,
    ArticleMedia => MediaOfArticle,
    AuditEntry => Audit,
    KeptDifferences => AuditDifferences,
    LeaseRecord => Lease,
    BackupNote => Backup,
    ImportRun => ImportRun NAMED,
    Change => Change,
    ChangeLog => ChangeLog,
}
