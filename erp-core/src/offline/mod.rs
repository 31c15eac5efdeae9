//! What a shop can find out without asking the server: problems of a body, the town of a postal code,
//! prices and totals from the article answers it already has.
//!
//! Nothing is decided anew here. Bodies are read by [`request`](crate::request), towns are compared by
//! [`town`](crate::town), and a basket goes through
//! [`price_document`](crate::document::price_document), which prices orders and offers on the server.
//! So a problem has the same path and code, and an amount the same cents.
//!
//! # What article answers do not tell
//!
//! An answer of `GET /www/artikel` names a tax rate, but no tax code, and no price basis
//! (`PosPreisBasis`); nor does it know the tax code of a customer or of delivery costs. Where those
//! matter, [`Settings`] names them. The rates are those of the day of the answers; the server takes
//! those of the day of delivery. Prices and rates are settled only by the order itself.

mod answer;
mod known;
mod pricing;
mod settings;
mod text;
mod towns;
#[cfg(feature = "zugferd")]
mod zugferd;

pub use answer::Refusal;
pub use pricing::{Price, Totals, price_of, totals_of};
pub use settings::Settings;
pub use text::{
    add_compact_towns, add_towns, check_town, price_of_text, totals_of_text, validate_address,
    validate_address_change, validate_conversion, validate_customer, validate_offer,
    validate_offer_change, validate_order,
};
pub use towns::{TownAnswer, town_answer};
#[cfg(feature = "zugferd")]
pub use zugferd::{File, zugferd_combine, zugferd_extract, zugferd_inspect};
