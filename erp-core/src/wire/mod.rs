//! The resources of the interface with their German names, types and lengths.
//!
//! Wire types are all-optional pictures of the JSON; they check types and lengths and nothing else.
//! The rules live in the domain modules, which turn a wire type into a value that cannot be invalid.
//!
//! | module | tables of the interface |
//! |---|---|
//! | `order`, `order_body` | Order, `POST` and `PUT /www/auftrag` |
//! | `offer`, `offer_body` | Offer, `POST` and `PATCH /www/offerte` |
//! | `customer` | Customer, `POST /www/kunden` |
//! | `article` | Article, `Verpackungen`, `Preis`, `Bestand`, `Deklaration` |
//! | `address`, `address_body` | Address record (three forms), `PATCH /www/adressen`, `/www/adressensuche` |
//! | `media`, `zugferd`, `token` | Article media record, `POST /www/zugferd`, `POST /www/token` |
//! | `links`, `envelope`, `error` | General response conventions, Errors |
//!
//! `DELETE /www/log` has neither body nor response.

mod address;
mod article;
mod customer;
mod envelope;
mod error;
mod link_builder;
mod links;
mod media;
pub(crate) mod members;
mod offer;
mod order;
pub(crate) mod record;
mod rule;
pub(crate) mod texts;
mod token;
pub(crate) mod value;
pub mod view;
mod zugferd;

pub use address::{
    AddressRecord, AddressSearchResult, AddressesOfCustomer, OrderAddress, OrderAddresses,
};
pub use article::{Article, Declaration, PackagingUnit, PriceTier, StockEntry};
pub use customer::{Customer, CustomerNumberAnswer, CustomerOrder};
pub use envelope::Envelope;
pub use error::{ErrorBody, ErrorInfo, MismatchEntry, ProblemEntry};
pub use link_builder::Links;
pub use links::{Attribute, Link};
pub use media::MediaRecord;
pub use offer::{Offer, OfferHeader};
pub use order::{Order, OrderHeader, OrderNumberAnswer, Payment, Position, TaxRecapEntry};
pub use record::{
    As, Field, Kind, PatchRecord, Reader, Reading, Record, Schema, Scope, WriteRecord,
};
pub use rule::Rule;
pub use token::{Lifetime, TokenAnswer};
pub use value::Value;
pub use view::View;
pub use zugferd::ZugferdBody;
