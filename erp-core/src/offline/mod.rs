//! Checks and computations that a shop can do without the server: problems of a body, the town of a postal code,
//! prices and totals from article responses that it already has.
//!
//! This module has no rules of its own. Bodies are parsed by [`request`](crate::domain::request), towns are compared by
//! [`town`](crate::domain::town), and a basket is priced by the same code as on the server. So problems have the same path and
//! code, and amounts are equal.
//!
//! # Limits of article responses
//!
//! A response of `GET /www/artikel` contains a tax rate, but no tax code, no price basis of the article itself, nor the
//! tax code of a customer or of delivery costs. Where those matter, set them in [`Settings`]. The rates are those of
//! the day of the response; the server uses those of the delivery day. Prices and rates are only binding in the
//! order.

mod answer;
#[cfg(feature = "zugferd")]
mod check;
mod known;
mod pricing;
mod settings;
mod text;
mod towns;
#[cfg(feature = "zugferd")]
mod zugferd;

pub use answer::Refusal;
pub use pricing::{BasketTotals, Price, price_of, totals_of};
pub use settings::Settings;

/// All of it, with texts in and out.
#[cfg(feature = "internal")]
pub mod every {
    pub use super::answer::*;
    #[cfg(feature = "zugferd")]
    pub use super::check::*;
    pub use super::pricing::*;
    pub use super::settings::*;
    pub use super::text::*;
    pub use super::towns::*;
    #[cfg(feature = "zugferd")]
    pub use super::zugferd::*;
}
