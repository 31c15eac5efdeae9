use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

use super::error::{ApiError, Result, shorten};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8; the default when nothing is declared (RFC 8259).
    Utf8,
    /// ISO-8859-1 as standardised: the bytes 80 to 9F are control characters, not the typographic characters that
    /// browsers decode them to.
    Latin1,
    /// Windows-1252: like ISO-8859-1, but with typographic characters in 80 to 9F.
    Windows1252,
    /// US-ASCII: 7 bits only.
    Ascii,
}

impl Charset {
    /// Charset for a label or one of its registered aliases, case-insensitive.
    pub fn from_label(label: &str) -> Option<Self> {
        match label.trim().to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Some(Self::Utf8),
            "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "iso88591" | "iso_8859-1:1987"
            | "iso-ir-100" | "latin1" | "latin-1" | "l1" | "ibm819" | "cp819" => Some(Self::Latin1),
            "windows-1252" | "cp1252" | "x-cp1252" => Some(Self::Windows1252),
            "us-ascii" | "ascii" | "iso646-us" | "ansi_x3.4-1968" => Some(Self::Ascii),
            _ => None,
        }
    }

    // rule: D-REQ-01
    /// Charset that the parameters of a `Content-Type` declare, if they do.
    /// Errors: 415 for one that is not known.
    pub fn declared(parameters: &str) -> Result<Option<Self>> {
        let declared = parameters.split(';').find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("charset")
                .then(|| value.trim().trim_matches('"'))
        });
        let Some(label) = declared else {
            return Ok(None);
        };
        let known = Self::from_label(label).ok_or_else(|| {
            let label = shorten(label, 40);
            ApiError::unsupported_media_type(sentence!("body.charset", label))
        });
        known.map(Some)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Latin1 => "ISO-8859-1",
            Self::Windows1252 => "windows-1252",
            Self::Ascii => "US-ASCII",
        }
    }

    /// Decodes bytes to text; a UTF-8 byte order mark is removed.
    /// Errors: 400 with the offset of the first invalid byte.
    pub fn decode(self, bytes: &[u8]) -> Result<Cow<'_, str>> {
        match self {
            Self::Utf8 => {
                let text = std::str::from_utf8(bytes);
                let text = text.map_err(|error| self.undecodable(error.valid_up_to()))?;
                Ok(Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)))
            }
            Self::Ascii => match bytes.iter().position(|byte| !byte.is_ascii()) {
                None => Ok(String::from_utf8_lossy(bytes)),
                Some(offset) => Err(self.undecodable(offset)),
            },
            Self::Latin1 => Ok(encoding_rs::mem::decode_latin1(bytes)),
            Self::Windows1252 => Ok(WINDOWS_1252.decode_without_bom_handling(bytes).0),
        }
    }

    pub fn undecodable(self, offset: usize) -> ApiError {
        let name = self.name();
        ApiError::malformed(sentence!("body.undecodable", offset, name))
            .with_info("offset", offset)
            .with_info("charset", name)
    }
}

/// A text in UTF-8, or in ISO-8859-1 if it is not valid UTF-8.
pub(super) fn utf8_or_latin1(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| encoding_rs::mem::decode_latin1(error.as_bytes()).into_owned())
}

// rule: D-REQ-02
/// Checks that a `Content-Type` is JSON and returns its charset.
/// Errors: 415 for another media type or charset.
pub(super) fn of_json(content_type: Option<&[u8]>) -> Result<Charset> {
    let Some(bytes) = content_type else {
        return Ok(Charset::Utf8);
    };
    let text = String::from_utf8_lossy(bytes);
    let (media_type, parameters) = text.split_once(';').unwrap_or((&text, ""));
    let media_type = media_type.trim();
    if !media_type.is_empty() && !is_json(media_type) {
        let text = sentence!("body.media_type", given = shorten(media_type, 60));
        return Err(ApiError::unsupported_media_type(text));
    }
    Ok(Charset::declared(parameters)?.unwrap_or(Charset::Utf8))
}

fn is_json(media_type: &str) -> bool {
    let lower = media_type.to_ascii_lowercase();
    lower == "application/json" || (lower.contains('/') && lower.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use erp_core::sentence::Locale;

    // rule: D-REQ-02
    #[test]
    fn labels_and_types() {
        for (value, charset) in [
            ("application/json", Charset::Utf8),
            ("", Charset::Utf8),
            ("; charset=latin1", Charset::Latin1),
            ("Application/JSON; Charset=\"ISO-8859-1\"", Charset::Latin1),
            (
                "application/vnd.shop+json;charset=CP1252;",
                Charset::Windows1252,
            ),
            ("application/json; q=1; charset = US-ASCII", Charset::Ascii),
        ] {
            assert_eq!(of_json(Some(value.as_bytes())).unwrap(), charset, "{value}");
        }
        assert_eq!(of_json(None).unwrap(), Charset::Utf8);
        for value in [
            "text/plain",
            "json",
            "application/x-www-form-urlencoded",
            "application/json; charset=utf-16",
        ] {
            assert_eq!(
                of_json(Some(value.as_bytes())).unwrap_err().status(),
                415,
                "{value}"
            );
        }
    }

    // rule: D-REQ-01
    #[test]
    fn every_byte_has_its_meaning() {
        assert_eq!(
            Charset::Latin1.decode(b"Z\xfcrich \x80").unwrap(),
            "Zürich \u{80}"
        );
        assert_eq!(
            Charset::Windows1252.decode(b"\x80 \xe4 \x81").unwrap(),
            "€ ä \u{81}"
        );
        assert_eq!(Charset::Utf8.decode("\u{feff}{}".as_bytes()).unwrap(), "{}");
        assert_eq!(Charset::Utf8.decode("ä€".as_bytes()).unwrap(), "ä€");
        for byte in 0..=255_u8 {
            let read = Charset::Latin1.decode(&[byte]).unwrap().into_owned();
            assert_eq!(read, char::from(byte).to_string());
        }
    }

    // rule: D-REQ-01
    #[test]
    fn a_byte_that_does_not_fit_is_named() {
        let error = Charset::Utf8.decode(b"{\"a\":\"Z\xfcrich\"}").unwrap_err();
        assert_eq!(
            String::from_utf8(error.to_bytes(Locale::English)).unwrap(),
            r#"{"error":"malformed","error_description":"byte 7 of the body is not UTF-8; declare the charset it is written in, for example `Content-Type: application/json; charset=iso-8859-1`","info":{"charset":"UTF-8","offset":7}}"#
        );
        assert_eq!(Charset::Ascii.decode(b"ab\x80").unwrap_err().status(), 400);
    }
}
