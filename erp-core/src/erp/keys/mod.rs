//! Storage keys of all records, the ids in them, and the secondary keys of a record.

mod ids;
pub(crate) mod search_keys;
pub(crate) mod secondary;

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;

pub use ids::{AuditId, EventId, TokenHash};
pub use search_keys::SearchField;
pub use secondary::{AddressOwner, CustomerOrderEntry};

use crate::domain::document::OrderStatus;
use crate::domain::master::Caller;
use crate::storage::{Key, Scan, Space};

pub(crate) fn company() -> Key {
    Key::of(Space::Company)
}

pub(crate) fn user(name: &str) -> Key {
    Key::of(Space::User).text(name)
}

pub(crate) fn token(hash: &TokenHash) -> Key {
    Key::of(Space::Token).bytes(hash.as_bytes())
}

pub(crate) fn token_expiry(expires_at: Timestamp, hash: &TokenHash) -> Key {
    Key::of(Space::TokenExpiry)
        .signed(expires_at.as_second())
        .bytes(hash.as_bytes())
}

pub(crate) fn token_of_user(user: &str, hash: &TokenHash) -> Key {
    Key::of(Space::TokenOfUser)
        .text(user)
        .bytes(hash.as_bytes())
}

pub(crate) fn tokens_of_user(user: &str) -> Scan {
    Scan::prefix(&Key::of(Space::TokenOfUser).text(user))
}

pub(crate) fn removed_users(name: &str) -> Key {
    Key::of(Space::RemovedUsers).text(name)
}

pub(crate) fn last_token_of_user(user: &str) -> Key {
    Key::of(Space::LastTokenOfUser).text(user)
}

pub(crate) fn customer(number: &str) -> Key {
    Key::of(Space::Customer).text(number)
}

/// Whether the customer of this number was forgotten. Customers, offers and tokens guard that this is not so; orders do not,
/// because those of one customer would wait for each other in a database.
pub(crate) fn forgotten_customer(number: &str) -> Key {
    Key::of(Space::ForgottenCustomer).text(number)
}

pub(crate) fn address_owner(number: i32) -> Key {
    Key::of(Space::AddressOwner).signed(number.into())
}

pub(crate) fn order_of_customer(customer: &str, order: u64) -> Key {
    Key::of(Space::OrderOfCustomer).text(customer).number(order)
}

pub(crate) fn orders_of_customer(customer: &str) -> Key {
    Key::of(Space::OrderOfCustomer).text(customer)
}

pub(crate) fn article(number: &str) -> Key {
    Key::of(Space::Article).text(number)
}

pub(crate) fn price(list: &str, article: &str) -> Key {
    Key::of(Space::Price).text(list).text(article)
}

pub(crate) fn stock(article: &str) -> Key {
    Key::of(Space::Stock).text(article)
}

pub(crate) fn tax_code(id: &str) -> Key {
    Key::of(Space::TaxCode).text(id)
}

pub(crate) fn media(key: i32) -> Key {
    Key::of(Space::Media).signed(key.into())
}

pub(crate) fn media_of_article(article: &str) -> Key {
    Key::of(Space::MediaOfArticle).text(article)
}

pub(crate) fn orders() -> Key {
    Key::of(Space::Order)
}

pub(crate) fn order(number: u64) -> Key {
    orders().number(number)
}

/// The place of an order among those of its state: by time, then by number.
pub(crate) fn order_of_status(status: OrderStatus, (micros, number): (i64, u64)) -> Key {
    Key::of(Space::OrderOfStatus)
        .text(status.as_str())
        .signed(micros)
        .number(number)
}

/// The counters of a state together say how many orders it has. One would make all new orders wait for each other.
const COUNTERS_OF_STATUS: u64 = 256;

/// The counter of a state that counts the order of this number.
pub(crate) fn orders_of_status(status: OrderStatus, number: u64) -> Key {
    Key::of(Space::OrdersOfStatus)
        .text(status.as_str())
        .number(number % COUNTERS_OF_STATUS)
}

/// All counters of the orders of a state, whether they are stored or not.
pub(crate) fn all_counters_of_status(status: OrderStatus) -> Vec<Key> {
    let numbers = 0..COUNTERS_OF_STATUS;
    numbers
        .map(|number| orders_of_status(status, number))
        .collect()
}

pub(crate) fn counters_of_status(status: OrderStatus) -> Scan {
    Scan::prefix(&Key::of(Space::OrdersOfStatus).text(status.as_str()))
}

/// The place of an order among those with its reference (`AuftBestellNr`): by customer, then by number.
pub(crate) fn order_of_reference(reference: &str, customer: &str, order: u64) -> Key {
    Key::of(Space::OrderOfReference)
        .text(reference)
        .text(customer)
        .number(order)
}

pub(crate) fn orders_of_reference(reference: &str, customer: Option<&str>) -> Scan {
    let key = Key::of(Space::OrderOfReference).text(reference);
    Scan::prefix(&match customer {
        Some(customer) => key.text(customer),
        None => key,
    })
}

pub(crate) fn last_order_of_reference(reference: &str, customer: &str) -> Key {
    Key::of(Space::LastOrderOfReference)
        .text(reference)
        .text(customer)
}

/// Parses a document number: decimal digits without leading zeros. `None`: not a number this system assigns.
pub(crate) fn document_number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

pub(crate) fn offer(number: u64) -> Key {
    Key::of(Space::Offer).number(number)
}

pub(crate) fn offers() -> Scan {
    Scan::of(Space::Offer)
}

pub(crate) fn offer_of_customer(customer: &str, offer: u64) -> Key {
    Key::of(Space::OfferOfCustomer).text(customer).number(offer)
}

pub(crate) fn offers_of_customer(customer: &str) -> Scan {
    Scan::prefix(&Key::of(Space::OfferOfCustomer).text(customer))
}

pub(crate) fn invoice(number: u64) -> Key {
    Key::of(Space::Invoice).number(number)
}

/// The place of an invoice in the list of a customer, or without one in that of all.
pub(crate) fn listed_invoice(customer: &str, day: Date, invoice: u64) -> Key {
    let list = Key::of(Space::InvoiceOfCustomer).text(customer);
    list.text(&day.to_string()).number(invoice)
}

/// The invoices from one day to another, newest first.
pub(crate) fn listed_invoices(customer: &str, from: Option<Date>, to: Option<Date>) -> Scan {
    let list = Key::of(Space::InvoiceOfCustomer).text(customer);
    let mut scan = Scan::prefix(&list).backwards();
    if let Some(from) = from {
        scan.from = list.clone().text(&from.to_string());
    }
    if let Some(to) = to {
        let end = list.text(&to.to_string()).after_prefix();
        scan.until = end.max(scan.from.clone());
    }
    scan
}

pub(crate) fn orders_to_invoice() -> Key {
    Key::of(Space::OrderToInvoice)
}

pub(crate) fn order_to_invoice(order: u64) -> Key {
    orders_to_invoice().number(order)
}

pub(crate) fn invoice_xml(number: u64) -> Key {
    Key::of(Space::InvoiceXml).number(number)
}

pub(crate) fn invoice_numbers() -> Key {
    Key::of(Space::InvoiceNumbers)
}

/// The key of a response to this user. The first user of a name has the key that was used before there were
/// generations. A later user of the name, after its removal, must not get the other's responses.
pub(crate) fn stored_response(user: &Caller, key: &str) -> Key {
    let kept = Key::of(Space::Idempotency);
    let kept = kept.text(&user.signature()).text(key);
    match user.generation {
        0 => kept,
        later => kept.number(later),
    }
}

pub(crate) fn stored_response_expiry(expires_at: Timestamp, key: &Key) -> Key {
    Key::of(Space::IdempotencyExpiry)
        .signed(expires_at.as_second())
        .bytes(key.as_bytes())
}

fn of_event(key: Key, event: EventId) -> Key {
    key.number(event.revision).number(event.index)
}

pub(crate) fn outbox(event: EventId) -> Key {
    of_event(Key::of(Space::Outbox), event)
}

pub(crate) fn event_target(id: u64) -> Key {
    Key::of(Space::EventTarget).number(id)
}

pub(crate) fn last_event_target() -> Key {
    Key::of(Space::EventTargetNumber)
}

pub(crate) fn logged_event(event: EventId) -> Key {
    of_event(Key::of(Space::EventLog), event)
}

pub(crate) fn deliveries_of(event: EventId) -> Key {
    of_event(Key::of(Space::Delivery), event)
}

pub(crate) fn delivery(event: EventId, target: u64) -> Key {
    of_event(Key::of(Space::Delivery), event).number(target)
}

pub(crate) fn due_of_target(target: u64) -> Key {
    Key::of(Space::DeliveryDue).number(target)
}

/// The first key of a target's deliveries that are not due at `now` yet.
pub(crate) fn due_after(target: u64, now: Timestamp) -> Key {
    Key::of(Space::DeliveryDue)
        .number(target)
        .signed(now.as_millisecond().saturating_add(1))
}

pub(crate) fn due(target: u64, at: Timestamp, event: EventId) -> Key {
    let due = Key::of(Space::DeliveryDue).number(target);
    of_event(due.signed(at.as_millisecond()), event)
}

/// The entries of a space by expiry that have expired.
pub(crate) fn expired(space: Space, now: Timestamp) -> Scan {
    Scan {
        until: Key::of(space).signed(now.as_second()),
        ..Scan::of(space)
    }
}

/// The key of the lease of a task, and of what the task is for when there are several.
pub(crate) fn lease(task: &str, of: Option<u64>) -> Key {
    let key = Key::of(Space::Lease).text(task);
    match of {
        Some(of) => key.number(of),
        None => key,
    }
}

pub(crate) fn backup() -> Key {
    Key::of(Space::Backup)
}

/// Notes of what has changed by imports are before all others, and the log is after the notes.
const BY_IMPORT: u64 = 0;
const BY_ORDER: u64 = 1;
const LOGGED: u64 = 2;

fn changes_of(kind: u64) -> Key {
    Key::of(Space::Change).number(kind)
}

pub(crate) fn change_by_import(number: u64) -> Key {
    changes_of(BY_IMPORT).number(number)
}

/// Of the articles of an order that gets a state.
pub(crate) fn change_by_order(order: u64, status: OrderStatus) -> Key {
    let key = changes_of(BY_ORDER).number(order);
    key.text(status.as_str())
}

pub(crate) fn changes_by_imports() -> Scan {
    Scan::prefix(&changes_of(BY_IMPORT))
}

/// All notes that are not in the log.
pub(crate) fn noted_changes() -> Scan {
    Scan {
        until: changes_of(LOGGED),
        ..Scan::of(Space::Change)
    }
}

pub(crate) fn logged_change(number: u64) -> Key {
    changes_of(LOGGED).number(number)
}

pub(crate) fn logged_changes(numbers: Range<u64>) -> Scan {
    Scan {
        from: logged_change(numbers.start),
        until: logged_change(numbers.end),
        ..Scan::prefix(&changes_of(LOGGED))
    }
}

/// The number in the key of a note of an import or of an entry of the log.
pub(crate) fn number_of_change(key: &Key) -> Option<u64> {
    let mut parts = key.parts();
    parts.number().and(parts.number())
}

pub(crate) fn change_log() -> Key {
    Key::of(Space::ChangeLog)
}

/// The key of an import; the request keeps those of several servers apart.
pub(crate) fn import_run(at: Timestamp, request: &str) -> Key {
    Key::of(Space::ImportRun)
        .signed(at.as_microsecond())
        .text(request)
}

pub(crate) fn audit(id: &AuditId) -> Key {
    Key::of(Space::Audit)
        .signed(id.micros)
        .number(id.number)
        .text(&id.request)
}

/// What differs of the records of an entry: of one customer, or of all that are no customer's.
pub(crate) fn audit_differences(customer: Option<&str>, id: &AuditId) -> Key {
    Key::of(Space::AuditDifferences)
        .text(customer.unwrap_or_default())
        .signed(id.micros)
        .number(id.number)
        .text(&id.request)
}

pub(crate) fn differences_of_customer(customer: &str) -> Scan {
    Scan::prefix(&Key::of(Space::AuditDifferences).text(customer))
}

/// The first key of the audit trail at this time or later.
pub(crate) fn audit_from(at: Timestamp) -> Key {
    Key::of(Space::Audit).signed(at.as_microsecond())
}
