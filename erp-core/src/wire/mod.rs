//! The resources of the interface with their German names, types and lengths.
//!
//! These are the responses. The bodies are in [`request`](crate::request), and what is stored, imported and exported is
//! in [`master`](crate::master); a field that several of them have is declared once, in a group.
//!
//! | module | tables of the interface |
//! |---|---|
//! | `order`, `offer` | Order, Offer |
//! | `customer` | Customer |
//! | `article` | Article, `Verpackungen`, `Preis`, `Bestand`, `Deklaration` |
//! | `address` | Address record, `/www/adressensuche` |
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
pub use order::{CommonHeader, Order, OrderHeader, OrderNumberAnswer, Position, TaxRecapEntry};
pub use record::{
    As, Field, Kind, PatchRecord, Reader, Reading, Record, Schema, Scope, WriteRecord,
};
pub use rule::Rule;
pub use token::{Lifetime, TokenAnswer};
pub use value::Value;
pub use view::View;
pub use zugferd::ZugferdBody;
