//! How the text of a setting becomes a value. Errors complete "must be ...".

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use rust_decimal::Decimal;
use tracing::Level;

/// What happens when town and postal code do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AddressCheck {
    /// The address is stored as sent and the outcome is reported.
    Tell,
    /// The request is refused.
    Strict,
}

/// What an e-invoice must be to be embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Requirement {
    /// The result is PDF/A-3.
    Pdfa,
    /// The invoice breaks no rule it must keep.
    Valid,
}

pub(super) fn word_of(value: &impl ValueEnum) -> String {
    let word = value.to_possible_value();
    word.map_or_else(String::new, |word| word.get_name().to_owned())
}

/// A value by its word, in any case.
pub(super) fn choice<T: ValueEnum>(text: &str) -> Result<T, String> {
    let words = T::value_variants().iter().map(word_of);
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    T::from_str(text, true).map_err(|_| words.join(" or "))
}

pub(super) fn level(text: &str) -> Result<Level, String> {
    let mut levels = [
        Level::ERROR,
        Level::WARN,
        Level::INFO,
        Level::DEBUG,
        Level::TRACE,
    ]
    .into_iter();
    let level = levels.find(|level| level.as_str().eq_ignore_ascii_case(text));
    level.ok_or_else(|| "`error`, `warn`, `info`, `debug` or `trace`".to_owned())
}

pub(super) fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

pub(super) fn truth(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| "`true` or `false`".to_owned())
}

/// A text without blanks.
pub(super) fn word(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(char::is_whitespace) {
        Err("a text without blanks".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

pub(super) fn socket(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "an address with a port, like `127.0.0.1:8080`".to_owned())
}

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    match text {
        "" => Err("a path".to_owned()),
        _ => Ok(PathBuf::from(text)),
    }
}

pub(super) fn number<T: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<T, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (least..=most).contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| format!("a whole number from {least} to {most}"))
}

pub(super) fn decimal(text: &str) -> Result<Decimal, String> {
    let amount = text.parse().ok().filter(|amount| *amount > Decimal::ZERO);
    amount.ok_or_else(|| "an amount above 0, like `0.05`".to_owned())
}

pub(super) fn optional<T>(
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    match text.trim() {
        "" => Ok(None),
        text => read(text).map(Some),
    }
}

pub(super) fn list<T>(
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let entries = text
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty());
    entries.map(read).collect()
}
