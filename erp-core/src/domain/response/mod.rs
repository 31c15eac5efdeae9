//! Responses: how the interface shows what the domain has. A field that a body, a record and a response have is declared once,
//! in a group.

mod address;
mod article;
mod customer;
mod document;
mod media;
pub(crate) mod rendered;

pub use address::{
    AddressRecord, AddressSearchResult, AddressesOfCustomer, OrderAddress, OrderAddresses,
};
use article::article_links;
pub use article::{Article, Declaration, PackagingUnit, PriceTier, StockEntry};
pub use customer::{Customer, CustomerNumberAnswer, CustomerOrder, ForgottenCustomer};
pub use document::{
    CommonHeader, Invoice, InvoiceNumberAnswer, ListedDocument, Offer, OfferHeader, OfferSummary,
    Order, OrderHeader, OrderNumberAnswer, OrderSummary, Position, TaxRecapEntry,
};
pub(crate) use document::{positions, recap_entry};
pub use media::MediaRecord;
