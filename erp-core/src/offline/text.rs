//! The functions of [`offline`](super) with JSON texts as input and output, for callers in other languages.
//!
//! Every function returns a JSON text: `{"data": ...}`, or the error body of the interface with `malformed` (not JSON,
//! duplicate field, nested too deep) or `invalid` (`info.problems`). Numbers keep all their digits. No function
//! panics.

use jiff::tz::TimeZone;
use serde::Serialize;

use super::answer::{text, text_in};
use super::towns::town_answer;
use super::{Refusal, Settings, price_of, totals_of};
use crate::domain::address::{Address, AddressChange};
use crate::domain::request::{
    ConversionRequest, CustomerRequest, DocumentRequest, OfferChangeRequest,
};
use crate::domain::town::{Directory, DirectoryError};
use crate::values::json;
use crate::values::json::Json;
use crate::values::problem::Problems;
use crate::values::sentence::Locale;
use crate::wire::{ErrorInfo, ProblemEntry, Reading};

/// The problems of an address, as a list; empty if there are none. `strict` rejects unknown fields; the messages are in the language of
/// a tag like `de-CH`, German, French or Italian, otherwise in English.
///
/// ```
/// let answer = erp_core::internal::offline::validate_address(r#"{"AdrAnrede": 7}"#, false, "de");
/// assert!(answer.contains(r#"{"path":"AdrAnrede","code":"unknown_value","message":"`7` ist keines von"#));
/// ```
pub fn validate_address(address: &str, strict: bool, language: &str) -> String {
    validate(address, language, |body| {
        Address::parse(body, Reading { strict }).err()
    })
}

/// The problems of a body of `POST /www/kunden`, as a list.
pub fn validate_customer(body: &str, strict: bool, language: &str) -> String {
    validate(body, language, |body| {
        CustomerRequest::parse(body, Reading { strict }).err()
    })
}

/// The problems of a body of `POST /www/auftrag`, as a list. Only the server knows whether customer and articles
/// exist; [`totals_of_text`] compares with article responses.
pub fn validate_order(body: &str, strict: bool, language: &str) -> String {
    validate(body, language, |body| {
        Some(DocumentRequest::of_order(body, Reading { strict }, &TimeZone::UTC).1)
    })
}

/// The problems of a body of `POST /www/offerte`, as a list.
pub fn validate_offer(body: &str, strict: bool, language: &str) -> String {
    validate(body, language, |body| {
        Some(DocumentRequest::of_offer(body, Reading { strict }, &TimeZone::UTC).1)
    })
}

/// The problems of a body of `PUT /www/auftrag`, as a list. Only the server knows whether customer and offer exist.
pub fn validate_conversion(body: &str, strict: bool, language: &str) -> String {
    validate(body, language, |body| {
        ConversionRequest::parse(body, Reading { strict }).err()
    })
}

/// The problems of a body of `PATCH /www/offerte`, as a list.
pub fn validate_offer_change(body: &str, strict: bool, language: &str) -> String {
    validate(body, language, |body| {
        Some(OfferChangeRequest::read(body, Reading { strict }).1)
    })
}

/// The problems of a body of `PATCH /www/adressen/{AdrNr}`, as a list.
pub fn validate_address_change(body: &str, strict: bool, language: &str) -> String {
    validate(body, language, |body| {
        Some(AddressChange::read(body, Reading { strict }).1)
    })
}

/// [`town_answer`] for an address.
pub fn check_town(directory: &Directory, address: &str, language: &str) -> String {
    let answer = read(address).and_then(|address| Ok(town_answer(directory, &address)?));
    text_in(answer, locale(language))
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
    let file = utf8.map_err(|_| Refusal::Malformed(sentence!("towns.not_utf8")))?;
    let newer = read(file)?;
    *directory = directory.merged(&newer);
    Ok(newer.entries().len())
}

/// [`price_of`] for a position. Pass `null` for default settings.
pub fn price_of_text(position: &str, articles: &str, settings: &str) -> String {
    with_articles(position, articles, settings, price_of)
}

/// [`totals_of`] for a body. Pass `null` for default settings.
pub fn totals_of_text(body: &str, articles: &str, settings: &str) -> String {
    with_articles(body, articles, settings, totals_of)
}

fn validate(
    body: &str,
    language: &str,
    problems: impl FnOnce(&Json) -> Option<Problems>,
) -> String {
    let locale = locale(language);
    let problems = read(body).map(|body| problems(&body).unwrap_or_default());
    let entries = problems.map(|problems| ErrorInfo::of(&problems, locale).problems);
    text_in::<Vec<ProblemEntry>>(entries.map(Option::unwrap_or_default), locale)
}

fn locale(tag: &str) -> Locale {
    Locale::of_tag(tag).unwrap_or_default()
}

fn with_articles<T: Serialize>(
    body: &str,
    articles: &str,
    settings: &str,
    decide: impl FnOnce(&Json, &Json, &Settings) -> Result<T, Problems>,
) -> String {
    let settings = read(settings);
    let language = settings.as_ref().ok().and_then(|set| set.get("language"));
    let locale = locale(language.and_then(Json::as_str).unwrap_or_default());
    let answer = settings.and_then(|settings| {
        let settings = Settings::parse(&settings)?;
        Ok(decide(&read(body)?, &read(articles)?, &settings)?)
    });
    text_in(answer, locale)
}

pub(super) fn read(text: &str) -> Result<Json, Refusal> {
    let wrong = |why| Refusal::Malformed(sentence!("malformed.json", why));
    json::read(text).map_err(wrong)
}
