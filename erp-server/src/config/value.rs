//! How the text of a setting becomes a value. Errors complete "must be ...".

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use rust_decimal::Decimal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLevel(pub tracing::Level);

impl FromStr for LogLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let level = match text.to_ascii_lowercase().as_str() {
            "error" => tracing::Level::ERROR,
            "warn" => tracing::Level::WARN,
            "info" => tracing::Level::INFO,
            "debug" => tracing::Level::DEBUG,
            "trace" => tracing::Level::TRACE,
            _ => return Err("`error`, `warn`, `info`, `debug` or `trace`".to_owned()),
        };
        Ok(Self(level))
    }
}

/// What happens when town and postal code do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressCheck {
    /// The address is stored as sent and the outcome is reported.
    Tell,
    /// The request is refused.
    Strict,
}

impl FromStr for AddressCheck {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "tell" => Ok(Self::Tell),
            "strict" => Ok(Self::Strict),
            _ => Err("`tell` or `strict`".to_owned()),
        }
    }
}

/// What an e-invoice must be to be embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The result is PDF/A-3.
    Pdfa,
    /// The invoice breaks no rule it must keep.
    Valid,
}

impl FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "pdfa" => Ok(Self::Pdfa),
            "valid" => Ok(Self::Valid),
            _ => Err("`pdfa` or `valid`".to_owned()),
        }
    }
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
