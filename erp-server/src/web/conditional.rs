//! Conditional requests (RFC 9110, section 13): the one place where conditions are evaluated, for records, files and
//! pages. Changes evaluate theirs inside the commit; see [`super::ApiRequest::if_match`].

use std::time::SystemTime;

use salvo::http::header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE};
use salvo::http::{HeaderMap, HeaderName, HeaderValue, Method};

use super::error::{ApiError, Result};

const CONDITIONS: [HeaderName; 4] = [
    IF_MATCH,
    IF_NONE_MATCH,
    IF_MODIFIED_SINCE,
    IF_UNMODIFIED_SINCE,
];

/// The conditions of a request that reads. Other requests have none here.
#[derive(Debug)]
pub(super) struct Conditions(HeaderMap);

impl Conditions {
    /// Copies the conditions, because a handler takes the headers with it.
    pub(super) fn of(method: &Method, headers: &HeaderMap) -> Self {
        let fields = headers
            .iter()
            .filter(|(name, _)| method.is_safe() && CONDITIONS.contains(name));
        Self(
            fields
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// Whether the client has what has this `ETag` and `Last-Modified`. Whatever has a time has a tag, too.
    pub(super) fn are_known(
        &self,
        tag: Option<&HeaderValue>,
        modified: Option<&HeaderValue>,
    ) -> Result<bool> {
        match tag.and_then(|tag| tag.to_str().ok()) {
            None => Ok(false),
            Some(tag) => is_known(&self.0, tag, modified.and_then(date)),
        }
    }
}

/// Whether the client has the representation (304), in the order of RFC 9110, section 13.2.2, for `GET` and `HEAD`. `tag` is
/// a strong tag with its quotes.
/// Errors: 412 when a condition does not hold, 400 when `If-Match` is not a list of entity tags.
pub(super) fn is_known(
    headers: &HeaderMap,
    tag: &str,
    modified: Option<SystemTime>,
) -> Result<bool> {
    let after = |name: &HeaderName| {
        let given = headers.get(name).and_then(date)?;
        Some(modified? > given)
    };
    match tags(headers, &IF_MATCH)? {
        Some(tags) if !tags.hold(|known| known == tag) => {
            return Err(ApiError::precondition_failed());
        }
        None if after(&IF_UNMODIFIED_SINCE) == Some(true) => {
            return Err(ApiError::precondition_failed());
        }
        _ => {}
    }
    if !headers.contains_key(IF_NONE_MATCH) {
        return Ok(after(&IF_MODIFIED_SINCE) == Some(false));
    }
    // An unreadable list names no tag, so the client gets the representation.
    let known = tags(headers, &IF_NONE_MATCH).ok().flatten();
    let without_mark = |known: &str| known.strip_prefix("W/").unwrap_or(known) == tag;
    Ok(known.is_some_and(|known| known.hold(without_mark)))
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tags<'a> {
    /// `*`
    Any,
    /// The tags as sent, with quotes and the prefix `W/`.
    Listed(Vec<&'a str>),
}

impl Tags<'_> {
    /// Whether one of them is the tag that is compared with. `If-Match` compares them as they are, so that a weak one matches
    /// nothing; `If-None-Match` without their mark (RFC 9110, section 8.8.3.2).
    fn hold(&self, is_same: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(tags) => tags.iter().any(|tag| is_same(tag)),
        }
    }
}

/// The tags of `If-Match` or `If-None-Match`; `None` when the header is absent.
/// Errors: 400 when it is neither `*` nor a list of entity tags.
pub(super) fn tags<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<Tags<'a>>> {
    let shown = if *name == IF_MATCH {
        "If-Match"
    } else {
        "If-None-Match"
    };
    let unreadable = || ApiError::malformed(sentence!("header.tags", name = shown));
    let mut listed: Option<Vec<&str>> = None;
    for line in headers.get_all(name) {
        let line = line.to_str().map_err(|_| unreadable())?.trim();
        if line == "*" {
            return Ok(Some(Tags::Any));
        }
        let tags = entity_tags(line).ok_or_else(unreadable)?;
        listed.get_or_insert_default().extend(tags);
    }
    Ok(listed.map(Tags::Listed))
}

/// Parses a list of entity tags. Tags may contain commas; empty list elements are ignored (RFC 9110, sections 5.6.1
/// and 8.8.3). `None` for invalid syntax.
fn entity_tags(list: &str) -> Option<Vec<&str>> {
    let mut tags = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        if let Some(tail) = rest.strip_prefix(',') {
            rest = tail.trim_start();
            continue;
        }
        let opaque = rest.strip_prefix("W/").unwrap_or(rest);
        let (_, tail) = opaque.strip_prefix('"')?.split_once('"')?;
        tags.push(rest.strip_suffix(tail)?);
        rest = tail.trim_start();
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
    Some(tags)
}

pub(super) fn date(value: &HeaderValue) -> Option<SystemTime> {
    httpdate::parse_http_date(value.to_str().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEN: &str = "Mon, 02 Mar 2026 10:00:00 GMT";
    const BEFORE: &str = "Mon, 02 Mar 2026 09:59:59 GMT";

    // rule: D-RET-02, D-MED-01
    #[test]
    fn conditions_are_evaluated_in_the_order_of_the_standard() {
        let send = Ok(false);
        let known = Ok(true);
        for (list, expected) in [
            (&[][..], send),
            (&[("if-none-match", "\"abc\"")], known),
            (&[("if-none-match", "\"x,\", W/\"abc\"")], known),
            (&[("if-none-match", "*")], known),
            (&[("if-none-match", "\"x\"")], send),
            (&[("if-none-match", "abc")], send),
            (&[("if-modified-since", THEN)], known),
            (&[("if-modified-since", BEFORE)], send),
            (&[("if-modified-since", "yesterday")], send),
            (&[("if-match", "*")], send),
            (&[("if-match", "\"x\", \"abc\"")], send),
            (&[("if-match", "\"x\"")], Err(412)),
            (&[("if-match", "W/\"abc\"")], Err(412)),
            (&[("if-match", ",")], Err(412)),
            (&[("if-match", "abc")], Err(400)),
            (&[("if-unmodified-since", THEN)], send),
            (&[("if-unmodified-since", BEFORE)], Err(412)),
            (&[("if-unmodified-since", "yesterday")], send),
            // A tag counts before a date of the same kind, and "match" before "none match".
            (
                &[("if-none-match", "\"x\""), ("if-modified-since", THEN)],
                send,
            ),
            (
                &[("if-match", "\"abc\""), ("if-unmodified-since", BEFORE)],
                send,
            ),
            (
                &[("if-match", "\"abc\""), ("if-none-match", "\"abc\"")],
                known,
            ),
            (
                &[("if-match", "\"x\""), ("if-none-match", "\"abc\"")],
                Err(412),
            ),
        ] {
            let headers = list
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
                .collect();
            let modified = date(&HeaderValue::from_static(THEN));
            let found = is_known(&headers, "\"abc\"", modified);
            let found = found.map_err(|error| error.status().as_u16());
            assert_eq!(found, expected, "{list:?}");
        }
    }

    // rule: D-RET-03
    #[test]
    fn lists_of_tags_are_read_whole() {
        for (text, expected) in [
            ("\"r1\"", Some(vec!["\"r1\""])),
            ("W/\"r1\" , \"a,b\"", Some(vec!["W/\"r1\"", "\"a,b\""])),
            (", \"r1\",, ", Some(vec!["\"r1\""])),
            ("", Some(vec![])),
            ("r1", None),
            ("\"r1", None),
            ("\"r1\" \"r2\"", None),
            ("w/\"r1\"", None),
        ] {
            assert_eq!(entity_tags(text), expected, "{text}");
        }
    }
}
