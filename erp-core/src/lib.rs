//! Orders, offers, customers, articles, prices and totals of a business system's REST interface.
//!
//! The core is sans-I/O: it has no clock, no files, no network and no threads. Storage is a
//! [trait](storage::Storage), time and settings are arguments, and every rule is a plain function.
//!
//! # In five minutes
//!
//! A company, a customer, an order, and its totals. This is a whole program; `pollster` drives its futures:
//!
//! ```rust
//! use erp_core::address::Address;
//! use erp_core::codes::{Country, Currency, Language};
//! use erp_core::import::{Price, Row};
//! use erp_core::jiff::civil::date;
//! use erp_core::master::{Article, Caller, Company, Role, TaxClass, TaxCode};
//! use erp_core::request::{CustomerRequest, DocumentRequest};
//! use erp_core::rust_decimal::Decimal;
//! use erp_core::storage::MemoryStore;
//! use erp_core::{Erp, Settings};
//!
//! async fn first_order() -> Result<(), Box<dyn std::error::Error>> {
//!     // The core has no clock, no files and no session: store, time and user are arguments.
//!     let erp = Erp::new(MemoryStore::new(), Settings::default());
//!     let now = "2026-06-01T10:00:00Z".parse()?;
//!
//!     let company = Company::new("Muster AG", Currency::CHF, Country::CH)?
//!         .time_zone("Europe/Zurich")
//!         .price_list("STANDARD")?
//!         .tax_code("NORMAL")?;
//!     let tax = TaxCode::new("NORMAL", TaxClass::Swiss)?.rate(date(2024, 1, 1), "8.1".parse()?);
//!     let article = Article::new("A-1", Language::GERMAN, "Locher")?.visible_to_all();
//!     let price = Row::price("STANDARD", "A-1", Price::net(Currency::CHF, Decimal::new(1250, 2)))?;
//!     erp.office(now).put([tax.into(), company.into(), article.into(), price]).await?;
//!
//!     let caller = Caller::new("shop", Role::Shop, None)?;
//!     let shop = erp.shop(&caller, now);
//!     let contact = Address::company("Käufer AG", "Weg 1", Country::CH, "8001", "Zürich")?;
//!     let customer = CustomerRequest::new(Currency::CHF, "B", contact)?;
//!     let customer = shop.create_customer(&customer).await?;
//!     let order = DocumentRequest::order(customer.number.clone())?.position("A-1", 2)?;
//!     let order = shop.create_order(&order).await?;
//!     assert_eq!(order.document.sums.gross.to_string(), "27.03");
//!     Ok(())
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     pollster::block_on(first_order())
//! }
//! ```
//!
//! The operations have three doors: [`Erp::shop`] is what the interface lets a shop do, [`Erp::office`] is the back office,
//! [`Erp::upkeep`] keeps a store in order. They return values of [`document`] and [`master`]; `to_wire` makes the records of the
//! interface of them. An operation that fails returns an [`Error`]; [`Error::Invalid`] has all problems of a request,
//! whose messages are [sentences](sentence::Sentence) in four languages.
//!
//! Bodies can be JSON too, as the interface sends them: every operation takes its [`request`], a [`json::Json`] or a
//! `serde_json::Value`.
//!
//! # From here
//!
//! - *Other storage:* implement [`storage::Storage`], four methods on keys and bytes, and test it with the
//!   feature `conformance` (`storage::conformance::run_all`). [`storage::MemoryStore`] is an example.
//! - *Validation without storage:* [`request`] turns bodies into values that are valid by construction, or into
//!   the list of all their [`Problems`].
//! - *Totals only:* [`totals::totals`] computes lines, tax recap and sums, independent of documents and storage.
//! - *Invoices in PDF files:* `zugferd::combine` and `zugferd::extract`, bytes in and bytes out.
//! - *Export:* [`erp::Upkeep::export`] writes all data as rows. An import reads them, but for orders, offers and invoices.
//! - *In a browser:* [`offline`] has the checks and prices that a shop can compute without a server.
//! - *[Recipes]:* a short program for each common task.
//! - *Whole programs:* the folder `examples` of the repository: a web service, a durable store, a store of one's own.
//!
//! # What it promises
//!
//! - *All or nothing:* an operation writes its records in one commit. Of two that change the same record, one is decided again.
//! - *Many callers:* one [`Erp`] serves all tasks and threads. Its futures are `Send`, except in WebAssembly.
//! - *Any input:* what is wrong becomes an [`Error`] that names its place. No input makes the crate panic.
//! - *Rust 1.95* or newer, also for `wasm32-unknown-unknown`. Before 1.0 a minor version may change names; the changelog has them.
//!
//! It is no accounting: there are no ledgers, no delivery notes and no purchasing.
//!
//! # Features
//!
//! - `zugferd` (default): invoices in PDF files, the crate `erp-zugferd`; `zugferd-rare` (default) has its large tables and
//!   reads encrypted files.
//! - `invoice-pages`: invoices of orders as PDF with readable pages, the crate `erp-invoice-pages`.
//! - `towns-ch-li` (default): towns and postal codes of Switzerland and Liechtenstein.
//! - `tz` (default): the time zones of the world.
//! - `conformance`: the tests of any [`storage::Storage`].
//! - `internal`: what the other packages of the repository need. No version promises that it stays.
//!
//! [Recipes]: recipes

// What only the feature needs is not warned about without it.
#![cfg_attr(
    not(feature = "internal"),
    expect(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "the feature `internal` makes it public"
    )
)]

// What `sentence!` writes begins with this name.
extern crate self as erp_core;
#[macro_use(sentence)]
extern crate erp_derive;

mod domain;
pub mod erp;
pub mod import;
#[cfg(feature = "internal")]
pub mod internal;
pub mod offline;
pub mod storage;
mod values;
mod wire;

pub use domain::{address, request, totals, town};
pub use erp::{Erp, Error, Settings};
#[cfg(feature = "internal")]
pub use erp_derive::{Say, sentence};
#[cfg(feature = "zugferd")]
pub use erp_zugferd as zugferd;
pub use values::number::Number;
pub use values::problem::{Code, Path, Problem, Problems};
pub use values::{codes, limits, sentence, text, time};
pub use wire::{Links, Reading};

/// How articles are found, sorted and shown.
pub mod article {
    pub use crate::domain::article::{
        SORTABLE, SearchWord, Sort, SortError, TooManyWords, parse_sorts, search_words,
    };
}

/// Orders, offers and invoices: documents with prices and with copies of their addresses.
pub mod document {
    pub use crate::domain::document::{
        Document, DocumentAddress, DocumentAddresses, FoundPrice, Invoice, InvoiceKind,
        InvoiceLine, InvoiceNumber, InvoiceTax, Mismatch, Offer, OfferNumber, OfferStatus, Order,
        OrderNote, OrderNumber, OrderStatus, Package, Party, Payment, Position, ShownOffer,
        TaxRecap, Terms,
    };
    pub use crate::domain::response::ListedDocument;
}

/// JSON with exact numbers.
pub mod json {
    pub use crate::values::json::{AsJson, Json, Object, read};
}

/// Master data: what the back office maintains and the interface reads.
pub mod master {
    pub use crate::domain::master::{
        Article, ArticleNumber, ArticlePrices, ArticlePricesError, ArticleStock, Attribute,
        Attributes, Caller, Company, Customer, CustomerAddress, CustomerNumber, Declaration, Iban,
        Issuer, LeitwegId, Logo, PackagingUnit, PaymentCondition, PriceListType, PriceSet,
        PriceTier, QrIban, Reservation, Role, ShopValueError, StockEntry, TaxCategory, TaxClass,
        TaxCode, TaxCodeId, TaxRate, UnitCode,
    };
}

/// Media of articles: the record names a file by SHA-256 and length; the embedding program stores its bytes.
pub mod media {
    pub use crate::domain::media::{BodyHash, Format, Image, Media, MediaText};
}

// Part of the public types, so that programs use the same versions.
pub use {jiff, rust_decimal, serde_json};

/// The version of the crate, for example `0.1.0`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

#[doc = include_str!("../docs/RECIPES.md")]
pub mod recipes {}

/// The code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
