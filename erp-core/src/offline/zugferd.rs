//! E-invoices with bytes and JSON texts, for callers in other languages.

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::answer::{ascii, text};
use super::settings;
use super::text::read;
use crate::values::problem::Path;
use crate::zugferd::PdfError;
use crate::zugferd::{
    CombineOptions, Error, ExtractOptions, Limits, NotAnInvoice, ReadError, Reason, combine,
    extract, inspect,
};

/// A file and its JSON result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileResult {
    /// The bytes; empty on error.
    pub bytes: Vec<u8>,
    /// `{"data": ...}`, or an error body.
    pub text: String,
}

/// Options for embedding an invoice; all optional.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Combining {
    now: Option<Milliseconds>,
    require_pdfa: bool,
}

/// A time in milliseconds since 1970 UTC, as in JavaScript.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "i64")]
struct Milliseconds(Timestamp);

impl TryFrom<i64> for Milliseconds {
    type Error = &'static str;

    fn try_from(since: i64) -> Result<Self, Self::Error> {
        let time = Timestamp::from_millisecond(since);
        time.map(Self).map_err(|_| "`now` is out of range")
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Extracting {
    pub(super) file_name: Option<String>,
}

impl Extracting {
    pub(super) fn with(self, limits: Limits) -> ExtractOptions {
        ExtractOptions {
            file_name: self.file_name,
            limits,
            ..ExtractOptions::default()
        }
    }
}

/// [`combine`] for an invoice and a PDF.
///
/// `options` is `null` or an object with `now` (milliseconds since 1970) and `requirePdfa`. The text contains
/// `outcome` (`kept`, `upgraded`, `lifted`, `not-claimed`), `reasons`, `profile` and `steps`.
pub fn zugferd_combine(pdf: &[u8], xml: &[u8], options: &str, limits: Limits) -> FileResult {
    file(options, |options: Combining| {
        let options = CombineOptions {
            now: options.now.map(|now| now.0),
            require_pdfa: options.require_pdfa,
            limits,
            ..CombineOptions::default()
        };
        let mut combined = combine(pdf, xml, &options)?;
        Ok((std::mem::take(&mut combined.pdf), combined))
    })
}

/// [`extract`] for a PDF.
///
/// `options` is `null` or an object with `fileName`, the name of the attachment if there are several. The text
/// contains `fileName`, `profile`, `relationship`, `conformance`, `others`, `fault` and `steps`.
pub fn zugferd_extract(pdf: &[u8], options: &str, limits: Limits) -> FileResult {
    file(options, |options: Extracting| {
        let mut extracted = extract(pdf, &options.with(limits))?;
        Ok((std::mem::take(&mut extracted.xml), extracted))
    })
}

/// [`inspect`] for a PDF.
pub fn zugferd_inspect(pdf: &[u8], limits: &Limits) -> String {
    match inspect(pdf, limits) {
        Ok(inspection) => text(Ok(inspection)),
        Err(error) => refused(&error),
    }
}

fn file<O: Default + DeserializeOwned, T: Serialize>(
    options: &str,
    work: impl FnOnce(O) -> Result<(Vec<u8>, T), Error>,
) -> FileResult {
    let made = parsed(options).and_then(|options| work(options).map_err(|error| refused(&error)));
    let (bytes, text) = match made {
        Ok((bytes, result)) => (bytes, text(Ok(result))),
        Err(refused) => (Vec::new(), refused),
    };
    FileResult { bytes, text }
}

/// Options, or the body of an error.
pub(super) fn parsed<O: Default + DeserializeOwned>(options: &str) -> Result<O, String> {
    let path = Path::ROOT.member("options");
    let options = read(options).and_then(|options| Ok(settings::options(&options, &path)?));
    options.map_err(|refusal| text::<()>(Err(refusal)))
}

/// An error body; `info.reasons` lists violations of PDF/A, `info.attachments` the attached files.
#[derive(Serialize)]
struct Refused<'e> {
    error: &'static str,
    error_description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    info: Option<Info<'e>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Info<'e> {
    Reasons(&'e [Reason]),
    Attachments(&'e [String]),
}

pub(super) fn refused(error: &Error) -> String {
    let info = match error {
        Error::NotPdfa { reasons } => Some(Info::Reasons(reasons)),
        Error::NoInvoice { attachments } | Error::NoSuchInvoice { attachments, .. } => {
            Some(Info::Attachments(attachments))
        }
        _ => None,
    };
    ascii(&Refused {
        error: code(error),
        error_description: error.to_string(),
        info,
    })
}

/// The stable code of an error.
const fn code(error: &Error) -> &'static str {
    match error {
        Error::Pdf(PdfError::NotAPdf) => "not_a_pdf",
        // No password is taken here.
        Error::Encrypted
        | Error::Pdf(PdfError::Encrypted | PdfError::PasswordNeeded | PdfError::WrongPassword) => {
            "encrypted"
        }
        Error::Pdf(PdfError::TooLarge { .. })
        | Error::Xml(NotAnInvoice::TooLarge { .. })
        | Error::XmlTooLarge { .. }
        | Error::Read(ReadError::TooLarge) => "too_large",
        Error::Pdf(PdfError::Damaged { .. } | PdfError::Undecodable(_)) => "damaged",
        Error::Xml(_) | Error::Read(ReadError::NotAnInvoice(_)) => "not_an_invoice",
        Error::NotWellFormed(_) | Error::Read(ReadError::NotWellFormed(_)) => "not_well_formed",
        Error::NoInvoice { .. } | Error::NoSuchInvoice { .. } => "no_invoice",
        Error::NotPdfa { .. } => "not_pdfa",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "tests read files")]
    fn fixture(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/zugferd/");
        std::fs::read(format!("{folder}{name}")).unwrap()
    }

    fn invoice() -> Vec<u8> {
        fixture("xml/facturx-en16931.xml")
    }

    #[test]
    fn an_invoice_goes_in_and_comes_out() {
        let combined = zugferd_combine(
            &fixture("a1b.pdf"),
            &invoice(),
            r#"{"now": 0}"#,
            Limits::DEFAULT,
        );
        let result = &value(&combined.text)["data"];
        assert_eq!(result["outcome"], "upgraded");
        assert_eq!(result["reasons"], Value::Array(Vec::new()));
        assert_eq!(result["profile"]["documentType"], "INVOICE");
        let date = b"D:19700101000000Z";
        assert!(combined.bytes.windows(date.len()).any(|part| part == date));
        let extracted = zugferd_extract(&combined.bytes, "null", Limits::DEFAULT);
        let result = &value(&extracted.text)["data"];
        assert_eq!(extracted.bytes, invoice());
        assert_eq!(result["fileName"], "factur-x.xml");
        assert_eq!(result["conformance"]["pdfa"]["part"], "3");
        assert_eq!(result["conformance"]["invoices"][0]["level"], "EN 16931");
        let result = value(&zugferd_inspect(&combined.bytes, &Limits::DEFAULT));
        assert_eq!(
            result["data"]["attachments"][0]["file_name"],
            "factur-x.xml"
        );
    }

    #[test]
    fn the_attachment_can_be_named() {
        let two = fixture("odd-two-invoices.pdf");
        let result = value(&zugferd_extract(&two, "null", Limits::DEFAULT).text);
        let other = &result["data"]["others"][0]["fileName"];
        let named = zugferd_extract(
            &two,
            &serde_json::json!({"fileName": other}).to_string(),
            Limits::DEFAULT,
        );
        assert_eq!(&value(&named.text)["data"]["fileName"], other);
    }

    #[test]
    fn refusals_have_words_and_reasons() {
        let plain = fixture("plain-helvetica.pdf");
        let refused = zugferd_combine(
            &plain,
            &invoice(),
            r#"{"requirePdfa": true}"#,
            Limits::DEFAULT,
        );
        assert!(refused.bytes.is_empty());
        let result = value(&refused.text);
        assert_eq!(result["error"], "not_pdfa");
        assert_eq!(result["info"]["reasons"][0]["clause"], "6.2.11.4.1");
        let result =
            value(&zugferd_extract(&fixture("a3b-attachments.pdf"), "null", Limits::DEFAULT).text);
        assert_eq!(result["error"], "no_invoice");
        assert!(!result["info"]["attachments"].as_array().unwrap().is_empty());
        let word = |file: &str| {
            value(&zugferd_extract(&fixture(file), "null", Limits::DEFAULT).text)["error"].clone()
        };
        assert_eq!(word("no-pdf.pdf"), "not_a_pdf");
        assert_eq!(word("enc-aes256-user-password.pdf"), "encrypted");
        let word = |pdf: &str, xml: &[u8]| {
            value(&zugferd_combine(&fixture(pdf), xml, "null", Limits::DEFAULT).text)["error"]
                .clone()
        };
        assert_eq!(word("a3b.pdf", b"<a/>"), "not_an_invoice");
        assert_eq!(word("a3b.pdf", b"<a>"), "not_well_formed");
        let cut = invoice();
        let cut = &cut[..cut.len() - 5];
        assert_eq!(word("a3b.pdf", cut), "not_well_formed");
        assert_eq!(word("a3b.pdf", &vec![b' '; 17 << 20]), "too_large");
        assert_eq!(word("enc-aes256-owner-only.pdf", &invoice()), "encrypted");
    }

    #[test]
    fn options_are_read_strictly() {
        for options in [
            "[]",
            "[1]",
            "5",
            r#"{"nope": 1}"#,
            r#"{"now": 9e99}"#,
            r#"{"now": "x"}"#,
        ] {
            let result = value(&zugferd_combine(b"", b"", options, Limits::DEFAULT).text);
            assert_eq!(result["error"], "invalid", "{options}");
            assert_eq!(result["info"]["problems"][0]["path"], "options");
        }
        let result = value(&zugferd_extract(b"", "{", Limits::DEFAULT).text);
        assert_eq!(result["error"], "malformed");
    }
}
