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
mod address_body;
mod article;
mod build;
mod customer;
mod envelope;
mod error;
mod link_builder;
mod links;
mod media;
pub(crate) mod members;
mod offer;
mod offer_body;
mod order;
mod order_body;
pub(crate) mod record;
mod schemas;
mod token;
mod zugferd;

pub use address::{
    AddressRecord, AddressSearchResult, AddressesOfCustomer, OrderAddress, OrderAddresses,
};
pub use address_body::{AddressBody, AddressPatchBody, AddressesBody, CustomerAddressesBody};
pub use article::{Article, Declaration, PackagingUnit, PriceTier, StockEntry};
pub use customer::{
    Customer, CustomerBody, CustomerBodyHeader, CustomerNumberAnswer, CustomerOrder,
};
pub use envelope::Envelope;
pub use error::{ErrorBody, ErrorInfo, MismatchEntry, ProblemEntry};
pub use link_builder::Links;
pub use links::{Attribute, Link};
pub use media::MediaRecord;
pub use offer::{Offer, OfferHeader};
pub use offer_body::{
    OfferBody, OfferBodyHeader, OfferChangeBody, OfferChangeBodyHeader, OfferPositionBody,
    PositionChangeBody,
};
pub use order::{Order, OrderHeader, OrderNumberAnswer, Payment, Position, TaxRecapEntry};
pub use order_body::{
    ConversionBody, ConversionBodyHeader, OrderBody, OrderBodyHeader, PaymentBody, PositionBody,
};
pub use record::{Field, Kind, Member, Reading, Record, Schema};
pub use schemas::{ALL_SCHEMAS, Direction};
pub use token::{Lifetime, TokenAnswer};
pub use zugferd::ZugferdBody;
