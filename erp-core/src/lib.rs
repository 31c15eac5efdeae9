//! Orders, offers, customers, articles, prices and totals of a business system's REST interface.
//!
//! The core is sans-I/O: it has no clock, no files, no network and no threads. Storage is a
//! [trait](storage::Storage), time and settings are arguments, and every rule is a plain function.

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
#[cfg(feature = "zugferd")]
pub mod pdf;
#[cfg(feature = "zugferd")]
pub mod pdfa;
pub mod problem;
pub mod record;
pub mod request;
pub mod storage;
pub mod text;
pub mod time;
pub mod totals;
pub mod town;
pub mod wire;
#[cfg(feature = "zugferd")]
pub mod zugferd;

pub use erp::Erp;
pub use number::{Number, fraction_digits, round_half_away};
pub use problem::{Code, Path, Problem, Problems};

/// The version of the crate, for example `0.1.0`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
