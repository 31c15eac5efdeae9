//! Decodes query strings and path parameters. Errors name the parameter.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use erp_core::codes::CodeError;
use erp_core::sentence::{AsValue, Say as _, Sentence};
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use salvo::http::HeaderValue;

use super::charset::utf8_or_latin1;
use super::error::{ApiError, Result, shorten};

/// Maximum number of parameters. The largest real query has 15; the limit bounds the cost of hostile URIs.
const PARAMETERS: usize = 200;

/// Most names of unknown parameters that are told, and most bytes of them.
const UNKNOWN_NAMES: usize = 10;
const UNKNOWN_BYTES: usize = 200;

/// Maximum of the interface's type int.
pub const MAX_INT: u32 = i32::MAX.unsigned_abs();

const TIME_CHARACTERS: usize = 64;

/// A decoded query string. Names are case-insensitive, because a client that sends `Limit=10` must not get every
/// article.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Decodes the text after the `?`.
    /// Errors: 400 when there are more than 200 parameters.
    pub fn parse(raw: &str) -> Result<Self> {
        let mut pairs = Vec::new();
        for part in raw.split('&').filter(|part| !part.is_empty()) {
            if pairs.len() == PARAMETERS {
                let text = sentence!("parameter.too_many", most = PARAMETERS);
                return Err(ApiError::malformed(text));
            }
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            pairs.push((decode(name, true), decode(value, true)));
        }
        Ok(Self { pairs })
    }

    /// The names of a query that are not known, as a header has them: at most ten and 200 bytes, each percent-encoded.
    /// Longer names are left out: no misspelt name is as long.
    pub(super) fn unknown(raw: &str, known: impl Fn(&str) -> bool) -> Option<HeaderValue> {
        let parts = raw.split('&').filter(|part| !part.is_empty());
        let names = parts.map(|part| decode(part.split('=').next().unwrap_or_default(), true));
        let mut listed: Vec<String> = Vec::new();
        let mut left = UNKNOWN_BYTES;
        for name in names.filter(|name| !known(name)) {
            let name = encode(&name).replace(',', "%2C");
            let bytes = name.len().saturating_add(2);
            if bytes <= left && listed.len() < UNKNOWN_NAMES && !listed.contains(&name) {
                left = left.saturating_sub(bytes);
                listed.push(name);
            }
        }
        let header = HeaderValue::try_from(listed.join(", ")).ok()?;
        (!header.is_empty()).then_some(header)
    }

    /// Whether a parameter is there, empty or not.
    pub fn has(&self, name: &str) -> bool {
        self.pairs
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
    }

    // rule: D-REQ-11, D-REQ-20, R-LIM-05
    /// Decoded value of a parameter; `None` when it is absent or empty.
    /// Errors: 400 when it is repeated, contains a control character or is longer than `most` characters.
    pub fn text(&self, name: &str, most: usize) -> Result<Option<&str>> {
        self.without(char::is_control, name, most)
    }

    /// Like [`Self::text`], for a text of a body: there tabs and line ends are allowed.
    /// Errors: 400 as for [`Self::text`], but for tabs and line ends.
    pub fn written(&self, name: &str, most: usize) -> Result<Option<&str>> {
        let is_refused = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
        self.without(is_refused, name, most)
    }

    fn without(
        &self,
        is_refused: impl Fn(char) -> bool,
        name: &str,
        most: usize,
    ) -> Result<Option<&str>> {
        let Some(value) = self.single(name)? else {
            return Ok(None);
        };
        if value.chars().any(is_refused) {
            let text = sentence!("parameter.control", name);
            return Err(ApiError::of_parameter(name, text));
        }
        if value.chars().count() > most {
            let text = sentence!("parameter.too_long", name, most);
            return Err(ApiError::of_parameter(name, text).with_info("limit", most));
        }
        Ok(Some(value).filter(|value| !value.is_empty()))
    }

    /// Parsed value of a parameter with at most `most` characters; the error of its type says what is allowed. `None`
    /// when the parameter is absent or empty.
    /// Errors: 400 as for [`Self::text`], and when the value is invalid.
    pub fn parsed<T>(&self, name: &str, most: usize) -> Result<Option<T>>
    where
        T: FromStr<Err: AsValue>,
    {
        self.read(name, most, |given, allowed| {
            ApiError::parameter(name, given, allowed)
        })
    }

    // rule: D-REQ-19
    /// Code of a standard; the error says which standard, and which code is meant where that is known. `None` when the
    /// parameter is absent or empty.
    /// Errors: 400 as for [`Self::text`], and when the value is no such code.
    pub fn code<T>(&self, name: &str, most: usize) -> Result<Option<T>>
    where
        T: FromStr<Err = CodeError>,
    {
        self.read(name, most, |_, error: CodeError| {
            let text = sentence!("parameter.wrong", name, why = error.say());
            ApiError::of_parameter(name, text)
        })
    }

    /// Time with its zone; `None` when the parameter is absent or empty.
    /// Errors: 400 as for [`Self::text`], and when the value is no such time.
    pub fn time(&self, name: &str) -> Result<Option<Timestamp>> {
        self.read(name, TIME_CHARACTERS, |given, _| {
            ApiError::parameter(name, given, sentence!("allowed.time"))
        })
    }

    fn read<T: FromStr>(
        &self,
        name: &str,
        most: usize,
        refuse: impl FnOnce(&str, T::Err) -> ApiError,
    ) -> Result<Option<T>> {
        let Some(given) = self.text(name, most)? else {
            return Ok(None);
        };
        given
            .parse()
            .map(Some)
            .map_err(|error| refuse(given, error))
    }

    /// Integer from `least` to `most`; `None` when the parameter is absent or empty.
    /// Errors: 400 when it is repeated, contains other characters than digits or is out of range.
    pub fn number(&self, name: &str, least: u32, most: u32) -> Result<Option<usize>> {
        let Some(value) = self.single(name)?.filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        let number = whole(value).filter(|number| (least..=most).contains(number));
        let number = number.map(|number| usize::try_from(number).ok());
        number.ok_or_else(|| {
            let allowed = sentence!("allowed.whole", least, most);
            ApiError::parameter(name, value, allowed)
        })
    }

    /// Whether a parameter says `true`; `false` when it is absent or empty.
    /// Errors: 400 as for [`Self::text`], and when it is neither `true` nor `false`, nor `1` or `0`.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.text(name, 5)? {
            None | Some("" | "0" | "false") => Ok(false),
            Some("1" | "true") => Ok(true),
            Some(other) => Err(ApiError::neither(name, other, ["`true`", "`false`"])),
        }
    }

    pub fn with(&self, changes: &[(&str, &str)]) -> Self {
        let is_new = |name: &str| {
            let mut names = changes.iter().map(|(name, _)| name);
            names.any(|other| other.eq_ignore_ascii_case(name))
        };
        let mut pairs = self.pairs.clone();
        pairs.retain(|(name, _)| !is_new(name));
        pairs.extend(
            changes
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into())),
        );
        Self { pairs }
    }

    pub fn only(&self, names: &[&str]) -> Self {
        let is_named = |name: &str| names.iter().any(|other| other.eq_ignore_ascii_case(name));
        let pairs = self.pairs.iter().filter(|(name, _)| is_named(name));
        let pairs = pairs.cloned().collect();
        Self { pairs }
    }

    fn single(&self, name: &str) -> Result<Option<&str>> {
        let mut given = self
            .pairs
            .iter()
            .filter(|(other, _)| other.eq_ignore_ascii_case(name));
        let first = given.next().map(|(_, value)| value.as_str());
        if given.next().is_some() {
            let text = sentence!("parameter.twice", name);
            return Err(ApiError::of_parameter(name, text));
        }
        Ok(first)
    }
}

/// Encoded, with the `?`; empty without parameters.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.pairs.iter().enumerate() {
            let mark = if at == 0 { '?' } else { '&' };
            write!(f, "{mark}{}={}", encode(name), encode(value))?;
        }
        Ok(())
    }
}

// rule: D-REQ-03
/// Decodes `%XX` as UTF-8, or as ISO-8859-1 if the result is not valid UTF-8 (`%E4` is `ä`). A `%` without two hex
/// digits is kept.
pub fn decode(raw: &str, plus_is_space: bool) -> String {
    let space = if plus_is_space { " " } else { "+" };
    utf8_or_latin1(percent_decode_str(&raw.replace('+', space)).collect())
}

/// All characters but those that stay as they are in a path segment, query name or query value.
const CODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b',');

/// Percent-encodes text (UTF-8) for a path segment, query name or query value.
pub fn encode(text: &str) -> Cow<'_, str> {
    utf8_percent_encode(text, CODED).into()
}

fn whole<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// Parses a numeric path parameter; any other text matches no record.
/// Errors: 404 `there is no such {what}`.
pub fn path_number(value: &str, what: Sentence) -> Result<u32> {
    whole(value).ok_or_else(|| ApiError::not_found(what).with_info("given", shorten(value, 40)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use erp_core::sentence::Locale;

    fn refusal(error: &ApiError) -> String {
        String::from_utf8(error.to_bytes(Locale::English)).unwrap()
    }

    // rule: D-REQ-03
    #[test]
    fn percent_codes_are_utf8_or_latin1() {
        for (raw, text) in [
            ("Z%C3%BCrich", "Zürich"),
            ("Z%FCrich", "Zürich"),
            ("a%2Fb", "a/b"),
            ("a+b", "a b"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("%80", "\u{80}"),
            ("", ""),
        ] {
            assert_eq!(decode(raw, true), text, "{raw}");
        }
        assert_eq!(decode("a+b", false), "a+b");
    }

    #[test]
    fn what_is_encoded_decodes_again() {
        for text in ["", "ArtNr,ArtBez", "+ArtBez", "a b&c=d/ä€%", "\u{1F600}"] {
            assert_eq!(decode(&encode(text), true), text);
        }
    }

    // rule: D-REQ-05
    #[test]
    fn numbers_have_a_range() {
        let query =
            Query::parse("limit=10&offset=-1&empty=&x=1e3&big=99999999999999999999").unwrap();
        assert_eq!(query.number("limit", 0, 1000).unwrap(), Some(10));
        assert_eq!(query.number("LIMIT", 0, 1000).unwrap(), Some(10));
        for name in ["absent", "empty"] {
            assert_eq!(query.number(name, 0, 1000).unwrap(), None);
        }
        for name in ["offset", "x", "big"] {
            assert_eq!(
                query.number(name, 0, 1000).unwrap_err().status(),
                400,
                "{name}"
            );
        }
        assert_eq!(
            refusal(&query.number("offset", 0, 1000).unwrap_err()),
            r#"{"error":"malformed","error_description":"`offset` must be a whole number from 0 to 1000, not `-1`","info":{"parameter":"offset"}}"#
        );
        assert!(query.number("limit", 0, 9).is_err());
    }

    #[test]
    fn times_have_a_zone() {
        let query = Query::parse("since=2026-06-01T10:00:00Z&until=2026-06-01&empty=").unwrap();
        let since = query.time("since").unwrap().unwrap();
        assert_eq!(since.to_string(), "2026-06-01T10:00:00Z");
        assert_eq!(query.time("empty").unwrap(), None);
        assert!(refusal(&query.time("until").unwrap_err()).contains("with its zone"));
    }

    // rule: D-REQ-11, D-REQ-20
    #[test]
    fn a_parameter_is_given_once() {
        let query = Query::parse("limit=1&Limit=1&fields=a%00&name=%C3%A4%C3%B6").unwrap();
        assert!(refusal(&query.number("limit", 0, 9).unwrap_err()).contains("given twice"));
        assert!(query.text("fields", 9).is_err());
        assert_eq!(query.text("name", 2).unwrap(), Some("äö"));
        assert!(query.text("name", 1).is_err());
        assert_eq!(
            Query::parse("name=").unwrap().text("name", 1).unwrap(),
            None
        );
        assert!(Query::parse(&"a&".repeat(201)).is_err());
    }

    // rule: D-REQ-05
    #[test]
    fn links_repeat_the_query() {
        let query = Query::parse("sorts=%2BArtBez&limit=10&Offset=20").unwrap();
        assert_eq!(
            query.with(&[("offset", "30")]).to_string(),
            "?sorts=%2BArtBez&limit=10&offset=30"
        );
        assert_eq!(
            query.only(&["LIMIT", "offset"]).to_string(),
            "?limit=10&Offset=20"
        );
        assert_eq!(Query::default().to_string(), "");
    }

    // rule: D-REQ-20
    #[test]
    fn names_that_are_not_known_are_told() {
        let unknown = |raw: &str| {
            let header = Query::unknown(raw, |name| name.eq_ignore_ascii_case("limit"))?;
            Some(header.to_str().unwrap().to_owned())
        };
        assert_eq!(unknown(""), None);
        assert_eq!(unknown("limit=1&Limit=2&&"), None);
        assert_eq!(unknown("limt=1&LIMIT=2").as_deref(), Some("limt"));
        let many = unknown("b=1&b=2&%E4=3&a+%0a%22%2C").unwrap();
        assert_eq!(many, "b, %C3%A4, a%20%0A%22%2C");
        let names = (0..100).map(|name| format!("n{name}&"));
        assert_eq!(
            unknown(&names.collect::<String>())
                .unwrap()
                .split(", ")
                .count(),
            10
        );
        let long = format!("{}=1&{}=2&ab=3&", "x".repeat(199), "y".repeat(190));
        assert_eq!(unknown(&long).unwrap().len(), 194);
    }

    #[test]
    fn a_path_number_is_digits() {
        assert_eq!(path_number("12", sentence!("thing.address")).unwrap(), 12);
        for value in ["", "+1", "1.0", "x", "99999999999"] {
            let refused = path_number(value, sentence!("thing.address")).unwrap_err();
            assert_eq!(refused.status(), 404, "{value}");
        }
    }
}
