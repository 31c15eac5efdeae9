//! The functions of [`offline`](super) with JSON texts as input and output, for callers in other languages.
//!
//! Every function returns a JSON text: `{"data": ...}`, or the error body of the interface with `malformed` (not JSON,
//! duplicate field, nested too deep) or `invalid` (`info.problems`). Numbers keep all their digits. No function
//! panics.

use jiff::tz::TimeZone;

use super::answer::text;
use super::{Refusal, Settings, price_of, totals_of, town_answer};
use crate::domain::address::{Address, AddressChange};
use crate::domain::request::{
    ConversionRequest, CustomerRequest, DocumentRequest, OfferChangeRequest,
};
use crate::domain::town::{Directory, DirectoryError};
use crate::values::json;
use crate::values::json::Json;
use crate::values::problem::Problems;
use crate::wire::{ErrorInfo, ProblemEntry, Reading};

/// The problems of an address, as a list; empty if there are none. `strict` rejects unknown fields.
///
/// ```
/// let answer = erp_core::offline::validate_address(r#"{"AdrAnrede": 7}"#, false);
/// assert!(answer.contains(r#"{"path":"AdrAnrede","code":"unknown_value","#));
/// ```
#[must_use]
pub fn validate_address(address: &str, strict: bool) -> String {
    validate(address, |body| {
        Address::parse(body, Reading { strict }).err()
    })
}

/// The problems of a body of `POST /www/kunden`, as a list.
#[must_use]
pub fn validate_customer(body: &str, strict: bool) -> String {
    validate(body, |body| {
        CustomerRequest::parse(body, Reading { strict }).err()
    })
}

/// The problems of a body of `POST /www/auftrag`, as a list. Only the server knows whether customer and articles
/// exist; [`totals_of_text`] compares with article responses.
#[must_use]
pub fn validate_order(body: &str, strict: bool) -> String {
    validate(body, |body| {
        Some(DocumentRequest::of_order(body, Reading { strict }, &TimeZone::UTC).1)
    })
}

/// The problems of a body of `POST /www/offerte`, as a list.
#[must_use]
pub fn validate_offer(body: &str, strict: bool) -> String {
    validate(body, |body| {
        Some(DocumentRequest::of_offer(body, Reading { strict }, &TimeZone::UTC).1)
    })
}

/// The problems of a body of `PUT /www/auftrag`, as a list. Only the server knows whether customer and offer exist.
#[must_use]
pub fn validate_conversion(body: &str, strict: bool) -> String {
    validate(body, |body| {
        ConversionRequest::parse(body, Reading { strict }).err()
    })
}

/// The problems of a body of `PATCH /www/offerte`, as a list.
#[must_use]
pub fn validate_offer_change(body: &str, strict: bool) -> String {
    validate(body, |body| {
        Some(OfferChangeRequest::read(body, Reading { strict }).1)
    })
}

/// The problems of a body of `PATCH /www/adressen/{AdrNr}`, as a list.
#[must_use]
pub fn validate_address_change(body: &str, strict: bool) -> String {
    validate(body, |body| {
        Some(AddressChange::read(body, Reading { strict }).1)
    })
}

/// [`town_answer`] for an address.
#[must_use]
pub fn check_town(directory: &Directory, address: &str) -> String {
    text(read(address).and_then(|address| Ok(town_answer(directory, &address)?)))
}

/// Adds the towns of a file in the compact format ([`Directory::from_compact`]) to a directory, replacing those of the
/// same countries. Returns the number of names in the file.
pub fn add_compact_towns(directory: &mut Directory, file: &[u8]) -> String {
    text(add(directory, file, Directory::from_compact))
}

/// Like [`add_compact_towns`], for a file in either format ([`Directory::from_file`]).
pub fn add_towns(directory: &mut Directory, file: &[u8]) -> String {
    text(add(directory, file, Directory::from_file))
}

fn add(
    directory: &mut Directory,
    file: &[u8],
    read: fn(&str) -> Result<Directory, DirectoryError>,
) -> Result<usize, Refusal> {
    let utf8 = std::str::from_utf8(file);
    let file = utf8.map_err(|_| Refusal::Malformed("the file of towns is not UTF-8".to_owned()))?;
    let newer = read(file)?;
    *directory = directory.merged(&newer);
    Ok(newer.entries().len())
}

/// [`price_of`] for a position. Pass `null` for default settings.
#[must_use]
pub fn price_of_text(position: &str, articles: &str, settings: &str) -> String {
    text(with_articles(position, articles, settings, price_of))
}

/// [`totals_of`] for a body. Pass `null` for default settings.
#[must_use]
pub fn totals_of_text(body: &str, articles: &str, settings: &str) -> String {
    text(with_articles(body, articles, settings, totals_of))
}

fn validate(body: &str, problems: impl FnOnce(&Json) -> Option<Problems>) -> String {
    let problems = read(body).map(|body| problems(&body).unwrap_or_default());
    let entries = problems.map(|problems| ErrorInfo::from(&problems).problems);
    text::<Vec<ProblemEntry>>(entries.map(Option::unwrap_or_default))
}

fn with_articles<T>(
    body: &str,
    articles: &str,
    settings: &str,
    decide: impl FnOnce(&Json, &Json, &Settings) -> Result<T, Problems>,
) -> Result<T, Refusal> {
    let settings = Settings::parse(&read(settings)?)?;
    Ok(decide(&read(body)?, &read(articles)?, &settings)?)
}

pub(super) fn read(text: &str) -> Result<Json, Refusal> {
    json::read(text).map_err(|error| Refusal::Malformed(format!("this is not valid JSON: {error}")))
}
