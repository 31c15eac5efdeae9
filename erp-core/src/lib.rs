//! Orders, offers, customers, articles, prices and totals of a business system's REST interface.
//!
//! The core is sans-I/O: it has no clock, no files, no network and no threads. Storage is a
//! [trait](storage::Storage), time and settings are arguments, and every rule is a plain function.
//!
//! # In five minutes
//!
//! A company, a tax code, an article with a price, a customer, an order, and its totals:
//!
//! ```
//! use erp_core::Erp;
//! use erp_core::codes::Language;
//! use erp_core::erp::{Context, Error, ImportRow, Settings};
//! use erp_core::import::Row;
//! use erp_core::master::{Caller, Role};
//! use erp_core::storage::MemoryStore;
//! use erp_core::text::Text;
//! use serde_json::json;
//!
//! # pollster::block_on(async {
//! let erp = Erp::new(MemoryStore::new(), Settings::default());
//! let now = "2026-06-01T10:00:00Z".parse()?;
//!
//! // Master data comes as rows of an import, with the wire names of the interface.
//! let rows = [
//!     json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH",
//!         "RESTPreisliste": "STANDARD", "WUSTCode": "NORMAL"}}),
//!     json!({"Steuer": {"WUSTCode": "NORMAL", "PosWUSTKlasse": "C",
//!         "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1}]}}),
//!     // `RESTWEBSHOP` says which shops see the article; `*` is all of them.
//!     json!({"Artikel": {"ArtNr": "A-1", "ArtBez": "Locher",
//!         "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}),
//!     json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "A-1", "WaehrAbk": "CHF", "AbAnzahl": 1,
//!         "PreisList": 12, "Preisart": "N"}}),
//! ];
//! let mut batch = Vec::new();
//! for (row, line) in rows.iter().zip(1..) {
//!     let row = Row::read(row, Language::GERMAN).map_err(Error::from)?;
//!     batch.push(ImportRow { line, row });
//! }
//! assert_eq!(erp.import(&batch, now, None).await?.added, 4);
//!
//! // The caller passes in the user and the time: the core has no clock and no session.
//! let caller = Caller { name: Text::new("shop")?, role: Role::Shop, shop: None };
//! let context = Context::new(now, &caller, "https://erp.example.com");
//!
//! // Requests and responses are those of the interface.
//! let customer = json!({
//!     "GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
//!     "Adressen": {"KontaktAdr": {"AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": "Käufer AG",
//!         "AdrAdresse1": "Weg 1", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"}},
//! });
//! let customer = erp.create_customer(&context, &customer).await?.answer;
//! let order = json!({
//!     "GrundDaten": {"KundNr": customer.customer_number},
//!     "Positionen": [{"ArtNr": "A-1", "Menge": 2}],
//! });
//! let placed = erp.create_order(&context, &order).await?.answer;
//!
//! let order = erp.order(&context, &placed.order_number.unwrap_or_default()).await?.record;
//! let header = order.header.unwrap_or_default();
//! let sums = [header.net, header.tax, header.gross].map(|sum| sum.map(|sum| sum.to_string()));
//! assert_eq!(sums.each_ref().map(Option::as_deref), [Some("24"), Some("1.94"), Some("25.94")]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # From here
//!
//! - *Other storage:* implement [`storage::Storage`], four methods on keys and bytes, and test it with the
//!   feature `conformance` (`storage::conformance::run_all`). [`storage::MemoryStore`] is an example.
//! - *Validation without storage:* [`request`] turns bodies into values that are valid by construction, or into
//!   the list of all their [`Problems`].
//! - *Totals only:* [`totals::totals`] computes lines, tax recap and sums, independent of documents and storage.
//! - *Invoices in PDF files:* `zugferd::combine` and `zugferd::extract`, bytes in and bytes out.
//! - *Export:* [`Erp::export`] writes all data as rows that an import reads.
//! - *In a browser:* [`offline`] has the checks and prices that a shop can compute without a server.

pub mod address;
pub mod article;
pub mod codes;
pub mod document;
pub mod erp;
pub mod fold;
pub mod import;
pub mod limits;
pub mod links;
pub mod master;
pub mod media;
mod number;
pub mod offline;
pub mod problem;
pub mod record;
pub mod request;
pub mod storage;
pub mod text;
pub mod time;
pub mod totals;
pub mod town;
pub mod wire;

pub use erp::Erp;
#[cfg(feature = "zugferd")]
pub use erp_zugferd as zugferd;
pub use number::{Number, fraction_digits, round_half_away};
pub use problem::{Code, Path, Problem, Problems};
// Part of the public types, so that programs use the same versions.
pub use {jiff, rust_decimal, serde_json};

/// The version of the crate, for example `0.1.0`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
