//! File responses: conditional requests, ranges and file names (RFC 9110, sections 13 and 14; RFC 6266).

use std::fmt::Write as _;
use std::ops::Range;
use std::time::{Duration, SystemTime};

use erp_core::internal::media::FileType;
use jiff::Timestamp;
use salvo::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE,
    CONTENT_SECURITY_POLICY, ETAG, IF_RANGE, LAST_MODIFIED, RANGE,
};
use salvo::http::{HeaderMap, HeaderName, HeaderValue, Method, ResBody, StatusCode};

use super::api_response::ApiResponse;
use super::conditional::{self, date};
use super::error::{ApiError, Result};

// rule: D-MED-10
/// Browsers may cache a file but must revalidate it on each use.
const REVALIDATED: HeaderValue = HeaderValue::from_static("private, no-cache");

const BYTES: HeaderValue = HeaderValue::from_static("bytes");

/// For files that may contain scripts: no scripts, no origin, no external resources.
const SANDBOX: HeaderValue = HeaderValue::from_static(
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
);

#[derive(Clone, Debug)]
pub struct FileHead {
    pub file_type: FileType,
    /// Entity tag without quotes; must change with the content.
    pub tag: String,
    pub modified: Timestamp,
    /// File name for `Content-Disposition`.
    pub name: String,
    pub length: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedPart {
    Whole,
    /// A byte range, never empty.
    Part(Range<u64>),
    /// Nothing (304): the client already has the file.
    Nothing,
}

impl FileHead {
    // rule: D-MED-01
    /// Evaluates conditional headers and, for `GET`, the range. Several ranges, units other than bytes and invalid
    /// ranges get the whole file, as RFC 9110 allows.
    /// Errors: 412 when a condition does not hold, 416 when the range starts after the end of the file.
    pub fn wanted(&self, method: &Method, headers: &HeaderMap) -> Result<WantedPart> {
        let tag = self.quoted();
        if conditional::is_known(headers, &tag, Some(self.modified_at()))? {
            return Ok(WantedPart::Nothing);
        }
        if *method != Method::GET || !self.is_unchanged(headers) {
            return Ok(WantedPart::Whole);
        }
        let mut ranges = headers.get_all(RANGE).iter();
        let range = match (ranges.next(), ranges.next()) {
            (Some(range), None) => range.to_str().unwrap_or_default(),
            _ => return Ok(WantedPart::Whole),
        };
        match parse_range(range, self.length) {
            None => Ok(WantedPart::Whole),
            Some(range) if range.is_empty() => Err(ApiError::range_not_satisfiable(self.length)),
            Some(range) => Ok(WantedPart::Part(range)),
        }
    }

    /// Whether `If-Range` matches the current file, so that the range may be used.
    fn is_unchanged(&self, headers: &HeaderMap) -> bool {
        headers.get(IF_RANGE).is_none_or(|condition| {
            condition == self.quoted().as_str() || date(condition) == Some(self.modified_at())
        })
    }

    fn quoted(&self) -> String {
        format!("\"{}\"", self.tag)
    }

    /// Time of the last change in whole seconds, the resolution of `Last-Modified`.
    fn modified_at(&self) -> SystemTime {
        let seconds = u64::try_from(self.modified.as_second()).unwrap_or_default();
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// Builds the response; `body` contains the requested bytes. `HEAD` gets the same headers without a body.
    pub fn answer(&self, wanted: &WantedPart, method: &Method, body: ResBody) -> ApiResponse {
        let (status, range) = match wanted {
            WantedPart::Whole => (StatusCode::OK, 0..self.length),
            WantedPart::Part(range) => (StatusCode::PARTIAL_CONTENT, range.clone()),
            WantedPart::Nothing => {
                return self.common(ApiResponse::no_content().status(StatusCode::NOT_MODIFIED));
            }
        };
        let length = range.end.saturating_sub(range.start);
        let body = if *method == Method::HEAD {
            ResBody::None
        } else {
            body
        };
        let content_type = HeaderValue::from_static(self.file_type.media_type);
        let mut response = ApiResponse::body(content_type, body)
            .status(status)
            .header(CONTENT_LENGTH, HeaderValue::from(length));
        if matches!(wanted, WantedPart::Part(_)) {
            let last = range.end.saturating_sub(1);
            let text = format!("bytes {}-{last}/{}", range.start, self.length);
            response = with(response, CONTENT_RANGE, text);
        }
        if self.file_type.active {
            response = response.header(CONTENT_SECURITY_POLICY, SANDBOX);
        }
        let response = response.header(ACCEPT_RANGES, BYTES);
        let response = with(response, CONTENT_DISPOSITION, self.disposition());
        self.common(response)
    }

    /// Adds the headers common to 200, 206 and 304.
    fn common(&self, response: ApiResponse) -> ApiResponse {
        let response = response.header(CACHE_CONTROL, REVALIDATED);
        let response = with(response, ETAG, self.quoted());
        let modified = httpdate::fmt_http_date(self.modified_at());
        with(response, LAST_MODIFIED, modified)
    }

    /// `Content-Disposition` with an ASCII name, and `filename*` when the original name differs.
    fn disposition(&self) -> String {
        let kind = if self.file_type.inline {
            "inline"
        } else {
            "attachment"
        };
        let plain =
            |c: char| c.is_ascii() && !c.is_ascii_control() && !matches!(c, '"' | '\\' | '%');
        let fallback: String = self
            .name
            .chars()
            .map(|c| if plain(c) { c } else { '_' })
            .collect();
        let mut text = format!("{kind}; filename=\"{fallback}\"");
        if fallback != self.name {
            text.push_str("; filename*=UTF-8''");
            extended(&mut text, &self.name);
        }
        text
    }
}

fn with(response: ApiResponse, name: HeaderName, value: String) -> ApiResponse {
    let value = HeaderValue::try_from(value).ok();
    response.headers(value.map(|value| (name, value)))
}

/// Percent-encodes all bytes except the value characters of RFC 8187.
fn extended(text: &mut String, name: &str) {
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
}

/// Parses a range, which is empty when it starts after the end; `None` for several ranges, another unit or invalid syntax.
fn parse_range(text: &str, length: u64) -> Option<Range<u64>> {
    let (unit, range) = text.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    match (position(first)?, position(last)?) {
        (Some(first), None) => Some(first..length),
        (Some(first), Some(last)) if first <= last => {
            Some(first..last.saturating_add(1).min(length))
        }
        (None, Some(count)) => Some(length.saturating_sub(count)..length),
        _ => None,
    }
}

/// Parses a position: `Some(None)` if empty, `None` if not digits. Numbers too large for `u64` become `u64::MAX`.
fn position(text: &str) -> Option<Option<u64>> {
    let text = text.trim();
    let in_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    in_digits.then(|| (!text.is_empty()).then(|| text.parse().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::Response;

    fn head() -> FileHead {
        FileHead {
            file_type: FileType {
                media_type: "image/png",
                inline: true,
                active: false,
            },
            tag: "abc".to_owned(),
            modified: "2026-03-02T10:00:00.7Z".parse().unwrap(),
            name: "a.png".to_owned(),
            length: 10,
        }
    }

    fn wanted(headers: &[(&'static str, &'static str)]) -> Result<WantedPart, u16> {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
            .collect();
        head()
            .wanted(&Method::GET, &headers)
            .map_err(|error| error.status().as_u16())
    }

    // rule: D-MED-01, D-MED-10
    #[test]
    fn ranges_are_those_of_the_standard() {
        for (range, expected) in [
            ("bytes=0-0", Ok(WantedPart::Part(0..1))),
            ("bytes=2-4", Ok(WantedPart::Part(2..5))),
            ("bytes=5-", Ok(WantedPart::Part(5..10))),
            ("bytes=-3", Ok(WantedPart::Part(7..10))),
            ("bytes=-99", Ok(WantedPart::Part(0..10))),
            (
                "bytes=8-99999999999999999999999",
                Ok(WantedPart::Part(8..10)),
            ),
            ("Bytes = 1 - 2 ", Ok(WantedPart::Part(1..3))),
            ("bytes=10-", Err(416)),
            ("bytes=10-20", Err(416)),
            ("bytes=99999999999999999999999-", Err(416)),
            ("bytes=-0", Err(416)),
            ("bytes=0-1,4-5", Ok(WantedPart::Whole)),
            ("bytes=4-2", Ok(WantedPart::Whole)),
            ("bytes=-", Ok(WantedPart::Whole)),
            ("bytes=a-b", Ok(WantedPart::Whole)),
            ("bytes=+1-2", Ok(WantedPart::Whole)),
            ("bytes", Ok(WantedPart::Whole)),
            ("lines=1-2", Ok(WantedPart::Whole)),
            ("", Ok(WantedPart::Whole)),
        ] {
            assert_eq!(wanted(&[("range", range)]), expected, "{range}");
        }
        let twice = [("range", "bytes=0-0"), ("range", "bytes=1-1")];
        let mut headers = HeaderMap::new();
        for (name, value) in twice {
            headers.append(name, HeaderValue::from_static(value));
        }
        assert_eq!(
            head().wanted(&Method::GET, &headers).unwrap(),
            WantedPart::Whole
        );
        let empty = FileHead {
            length: 0,
            ..head()
        };
        let headers = HeaderMap::from_iter([(RANGE, HeaderValue::from_static("bytes=0-"))]);
        assert!(empty.wanted(&Method::GET, &headers).is_err());
    }

    // rule: D-MED-01
    #[test]
    fn conditions_are_those_of_the_standard() {
        let nothing = Ok(WantedPart::Nothing);
        let whole = Ok(WantedPart::Whole);
        let part = Ok(WantedPart::Part(0..1));
        for (headers, expected) in [
            (&[("if-none-match", "\"abc\"")][..], &nothing),
            (&[("if-match", "\"x\""), ("range", "bytes=99-")], &Err(412)),
            (
                &[("range", "bytes=0-0"), ("if-none-match", "\"abc\"")],
                &nothing,
            ),
            (&[("range", "bytes=0-0"), ("if-range", "\"abc\"")], &part),
            (&[("range", "bytes=0-0"), ("if-range", "W/\"abc\"")], &whole),
            (&[("range", "bytes=0-0"), ("if-range", "\"x\"")], &whole),
            (
                &[
                    ("range", "bytes=0-0"),
                    ("if-range", "Mon, 02 Mar 2026 10:00:00 GMT"),
                ],
                &part,
            ),
            (
                &[
                    ("range", "bytes=0-0"),
                    ("if-range", "Mon, 02 Mar 2026 10:00:01 GMT"),
                ],
                &whole,
            ),
            (&[("range", "bytes=99-"), ("if-range", "\"x\"")], &whole),
        ] {
            assert_eq!(&wanted(headers), expected, "{headers:?}");
        }
        let range = HeaderMap::from_iter([(RANGE, HeaderValue::from_static("bytes=99-"))]);
        let whole = head().wanted(&Method::HEAD, &range).unwrap();
        assert_eq!(whole, WantedPart::Whole, "a range counts for GET only");
    }

    // rule: D-MED-01
    #[test]
    fn names_are_written_as_rfc_6266_says() {
        for (name, inline, expected) in [
            ("a b.png", true, r#"inline; filename="a b.png""#),
            (
                "Größe €.png",
                true,
                r#"inline; filename="Gr__e _.png"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%82%AC.png"#,
            ),
            (
                "a\"b\\c%41.bin",
                false,
                r#"attachment; filename="a_b_c_41.bin"; filename*=UTF-8''a%22b%5Cc%2541.bin"#,
            ),
            ("a'*(;.png", true, r#"inline; filename="a'*(;.png""#),
        ] {
            let head = FileHead {
                name: name.to_owned(),
                file_type: FileType {
                    inline,
                    ..head().file_type
                },
                ..head()
            };
            assert_eq!(head.disposition(), expected);
        }
    }

    #[test]
    fn the_answer_says_what_it_holds() {
        let rendered = |wanted: WantedPart, method: Method| {
            let mut res = Response::new();
            let response = head().answer(&wanted, &method, ResBody::Once("xyz".into()));
            response.render_into(&mut res);
            res
        };
        let part = rendered(WantedPart::Part(7..10), Method::GET);
        assert_eq!(part.status_code, Some(StatusCode::PARTIAL_CONTENT));
        assert_eq!(part.headers()[CONTENT_RANGE], "bytes 7-9/10");
        assert_eq!(part.headers()[CONTENT_LENGTH], "3");
        assert_eq!(
            part.headers()[LAST_MODIFIED],
            "Mon, 02 Mar 2026 10:00:00 GMT"
        );
        let known = rendered(WantedPart::Nothing, Method::GET);
        assert_eq!(known.status_code, Some(StatusCode::NOT_MODIFIED));
        assert_eq!(known.headers()[ETAG], "\"abc\"");
        assert!(known.body.is_none() && !known.headers().contains_key(CONTENT_LENGTH));
        let head = rendered(WantedPart::Whole, Method::HEAD);
        assert!(head.body.is_none());
        assert_eq!(head.headers()[CONTENT_LENGTH], "10");
    }
}
