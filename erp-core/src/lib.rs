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
//! use erp_core::master::{Article, Caller, Company, Role, TaxClass, TaxCode};
//! use erp_core::request::{CustomerRequest, DocumentRequest};
//! use erp_core::storage::MemoryStore;
//! use erp_core::{Erp, Settings};
//!
//! async fn first_order() -> Result<(), Box<dyn std::error::Error>> {
//!     // The core has no clock, no files and no session: store, time and user are arguments.
//!     let erp = Erp::new(MemoryStore::new(), Settings::default());
//!     let now = "2026-06-01T10:00:00Z".parse()?;
//!
//!     let company = Company::new("Muster AG".parse()?, Currency::CHF, Country::CH)
//!         .price_list("STANDARD".parse()?)
//!         .tax_code("NORMAL".parse()?);
//!     let tax = TaxCode::new("NORMAL".parse()?, TaxClass::Swiss).rate("2024-01-01".parse()?, "8.1".parse()?);
//!     let article = Article::new("A-1".parse()?, Language::GERMAN, "Locher".parse()?).visible_to_all();
//!     let price = Row::price("STANDARD".parse()?, "A-1".parse()?, Price::net(Currency::CHF, 12));
//!     erp.office(now).put([tax.into(), company.into(), article.into(), price]).await?;
//!
//!     let caller = Caller::new("shop".parse()?, Role::Shop, None);
//!     let shop = erp.shop(&caller, now);
//!     let contact = Address::company("Käufer AG", "Weg 1", Country::CH, "8001", "Zürich")?;
//!     let customer = CustomerRequest::new(Currency::CHF, "B".parse()?, contact);
//!     let customer = shop.create_customer(&customer).await?;
//!     let order = DocumentRequest::order(customer.number.clone()).position("A-1".parse()?, 2);
//!     let order = shop.create_order(&order).await?;
//!     assert_eq!(order.document.sums.gross.to_string(), "25.94");
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
//! - *Export:* [`erp::Upkeep::export`] writes all data as rows that an import reads.
//! - *In a browser:* [`offline`] has the checks and prices that a shop can compute without a server.
//! - *Whole programs:* the folder `examples` of the repository: a web service, a durable store, a store of one's own.
//!
//! # Features
//!
//! - `zugferd` (default): invoices in PDF files, the crate `erp-zugferd`; `zugferd-rare` (default) has its large tables and
//!   reads encrypted files.
//! - `invoice-pages`: invoices of orders as PDF with readable pages, the crate `erp-invoice-pages`.
//! - `towns-ch-li` (default): towns and postal codes of Switzerland and Liechtenstein.
//! - `conformance`: the tests of any [`storage::Storage`].

// What `sentence!` writes begins with this name.
extern crate self as erp_core;
#[macro_use(sentence)]
extern crate erp_derive;

mod domain;
pub mod erp;
pub mod import;
pub mod offline;
pub mod storage;
mod values;
pub mod wire;

pub use domain::{
    address, article, document, master, media, request, response, tables, totals, town,
};
pub use erp::{Erp, Error, Settings};
#[doc(hidden)]
pub use erp_derive::{Say, sentence};
#[cfg(feature = "zugferd")]
pub use erp_zugferd as zugferd;
pub use storage::record;
pub use values::number::{Number, fraction_digits, round_half_away};
pub use values::problem::{Code, Path, Problem, Problems};
pub use values::{codes, json, limits, problem, sentence, text, time};
// Part of the public types, so that programs use the same versions.
pub use {jiff, rust_decimal, serde_json};

/// The version of the crate, for example `0.1.0`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
