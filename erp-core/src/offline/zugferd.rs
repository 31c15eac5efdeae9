//! E-invoices with bytes and JSON texts, for callers in other languages.

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Refusal;
use super::answer::text;
use super::settings;
use super::text::read;
use crate::values::json;
use crate::values::problem::Path;
use crate::zugferd::PdfError;
use crate::zugferd::{
    CombineOptions, Combined, Error, ExtractOptions, Extracted, Limits, NotAnInvoice, OtherInvoice,
    Profile, Reason, Step, XmpFacts, combine, extract, inspect,
};

/// A file and its JSON result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
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
    file_name: Option<String>,
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
#[must_use]
pub fn zugferd_combine(pdf: &[u8], xml: &[u8], options: &str, limits: Limits) -> File {
    file(options, |options: Combining| {
        let options = CombineOptions {
            now: options.now.map(|now| now.0),
            require_pdfa: options.require_pdfa,
            limits,
            ..CombineOptions::default()
        };
        let combined = combine(pdf, xml, &options)?;
        let told = CombinedTold::of(&combined);
        Ok((combined.pdf, told))
    })
}

/// [`extract`] for a PDF.
///
/// `options` is `null` or an object with `fileName`, the name of the attachment if there are several. The text
/// contains `fileName`, `profile`, `relationship`, `conformance`, `others`, `fault` and `steps`.
#[must_use]
pub fn zugferd_extract(pdf: &[u8], options: &str, limits: Limits) -> File {
    file(options, |options: Extracting| {
        let extracted = extract(pdf, &options.with(limits))?;
        Ok(ExtractedTold::of(extracted))
    })
}

/// [`inspect`] for a PDF.
#[must_use]
pub fn zugferd_inspect(pdf: &[u8], limits: &Limits) -> String {
    match inspect(pdf, limits) {
        Ok(inspection) => text(Ok(inspection)),
        Err(error) => refused(&error),
    }
}

fn file<O: Default + DeserializeOwned, T: Serialize>(
    options: &str,
    work: impl FnOnce(O) -> Result<(Vec<u8>, T), Error>,
) -> File {
    let options = match parsed(options) {
        Ok(options) => options,
        Err(refusal) => {
            return File {
                bytes: Vec::new(),
                text: text::<()>(Err(refusal)),
            };
        }
    };
    match work(options) {
        Ok((bytes, told)) => File {
            bytes,
            text: text(Ok(told)),
        },
        Err(error) => File {
            bytes: Vec::new(),
            text: refused(&error),
        },
    }
}

pub(super) fn parsed<O: Default + DeserializeOwned>(options: &str) -> Result<O, Refusal> {
    Ok(settings::options(
        &read(options)?,
        &Path::ROOT.member("options"),
    )?)
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
    Reasons(Vec<ReasonTold>),
    Attachments(&'e [String]),
}

pub(super) fn refused(error: &Error) -> String {
    let info = match error {
        Error::NotPdfa { reasons } => Some(Info::Reasons(told(reasons))),
        Error::NoInvoice { attachments } | Error::NoSuchInvoice { attachments, .. } => {
            Some(Info::Attachments(attachments))
        }
        _ => None,
    };
    let body = Refused {
        error: code(error),
        error_description: error.to_string(),
        info,
    };
    let bytes = json::to_ascii(&body).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| r#"{"error":"internal"}"#.to_owned())
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
        | Error::XmlTooLarge { .. } => "too_large",
        Error::Pdf(PdfError::Damaged { .. } | PdfError::Undecodable(_)) => "damaged",
        Error::Xml(_) => "not_an_invoice",
        Error::NotWellFormed(_) => "not_well_formed",
        Error::NoInvoice { .. } | Error::NoSuchInvoice { .. } => "no_invoice",
        Error::NotPdfa { .. } => "not_pdfa",
    }
}

#[derive(Serialize)]
struct ReasonTold {
    message: String,
    clause: Option<&'static str>,
    page: Option<u32>,
    object: Option<u32>,
}

fn told(reasons: &[Reason]) -> Vec<ReasonTold> {
    let told = reasons.iter().map(|reason| ReasonTold {
        message: reason.to_string(),
        clause: Some(reason.clause).filter(|clause| !clause.is_empty()),
        page: reason.page,
        object: reason.object,
    });
    told.collect()
}

fn lines(steps: &[Step]) -> Vec<String> {
    steps.iter().map(ToString::to_string).collect()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProfileTold {
    standard: &'static str,
    level: &'static str,
    document_type: &'static str,
    guideline: String,
}

impl From<&Profile> for ProfileTold {
    fn from(profile: &Profile) -> Self {
        Self {
            standard: profile.standard.name(),
            level: profile.xmp_level(),
            document_type: profile.document_type(),
            guideline: profile.guideline.clone(),
        }
    }
}

#[derive(Serialize)]
struct CombinedTold {
    outcome: &'static str,
    reasons: Vec<ReasonTold>,
    profile: ProfileTold,
    steps: Vec<String>,
}

impl CombinedTold {
    fn of(combined: &Combined) -> Self {
        Self {
            outcome: combined.pdfa.word(),
            reasons: told(combined.pdfa.reasons()),
            profile: ProfileTold::from(&combined.profile),
            steps: lines(&combined.steps),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExtractedTold {
    file_name: String,
    profile: Option<ProfileTold>,
    relationship: Option<String>,
    conformance: Option<ConformanceTold>,
    others: Vec<OtherTold>,
    /// Why the XML is not well-formed, with line and column.
    fault: Option<String>,
    steps: Vec<String>,
}

impl ExtractedTold {
    fn of(extracted: Extracted) -> (Vec<u8>, Self) {
        let told = Self {
            file_name: extracted.file_name,
            profile: extracted.profile.as_ref().map(ProfileTold::from),
            relationship: extracted.relationship,
            conformance: extracted.conformance.map(ConformanceTold::from),
            others: extracted.others.into_iter().map(OtherTold::from).collect(),
            fault: extracted.fault.map(|fault| fault.to_string()),
            steps: lines(&extracted.steps),
        };
        (extracted.xml, told)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OtherTold {
    file_name: String,
    standard: &'static str,
    profile: Option<ProfileTold>,
}

impl From<OtherInvoice> for OtherTold {
    fn from(other: OtherInvoice) -> Self {
        Self {
            file_name: other.file_name,
            standard: other.standard.name(),
            profile: other.profile.as_ref().map(ProfileTold::from),
        }
    }
}

/// Conformance as declared in the metadata.
#[derive(Serialize)]
struct ConformanceTold {
    pdfa: Option<PdfaTold>,
    invoices: Vec<InvoiceTold>,
}

#[derive(Serialize)]
struct PdfaTold {
    part: Option<String>,
    conformance: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvoiceTold {
    standard: &'static str,
    document_type: Option<String>,
    file_name: Option<String>,
    version: Option<String>,
    level: Option<String>,
}

impl From<XmpFacts> for ConformanceTold {
    fn from(facts: XmpFacts) -> Self {
        let invoices = facts.invoices.into_iter().map(|invoice| InvoiceTold {
            standard: invoice.standard.name(),
            document_type: invoice.document_type,
            file_name: invoice.file_name,
            version: invoice.version,
            level: invoice.level,
        });
        Self {
            invoices: invoices.collect(),
            pdfa: facts.pdfa.map(|pdfa| PdfaTold {
                part: pdfa.part,
                conformance: pdfa.conformance,
            }),
        }
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
        let told = &value(&combined.text)["data"];
        assert_eq!(told["outcome"], "upgraded");
        assert_eq!(told["reasons"], Value::Array(Vec::new()));
        assert_eq!(told["profile"]["documentType"], "INVOICE");
        let date = b"D:19700101000000Z";
        assert!(combined.bytes.windows(date.len()).any(|part| part == date));
        let extracted = zugferd_extract(&combined.bytes, "null", Limits::DEFAULT);
        let told = &value(&extracted.text)["data"];
        assert_eq!(extracted.bytes, invoice());
        assert_eq!(told["fileName"], "factur-x.xml");
        assert_eq!(told["conformance"]["pdfa"]["part"], "3");
        assert_eq!(told["conformance"]["invoices"][0]["level"], "EN 16931");
        let told = value(&zugferd_inspect(&combined.bytes, &Limits::DEFAULT));
        assert_eq!(told["data"]["attachments"][0]["file_name"], "factur-x.xml");
    }

    #[test]
    fn the_attachment_can_be_named() {
        let two = fixture("odd-two-invoices.pdf");
        let told = value(&zugferd_extract(&two, "null", Limits::DEFAULT).text);
        let other = &told["data"]["others"][0]["fileName"];
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
        let told = value(&refused.text);
        assert_eq!(told["error"], "not_pdfa");
        assert_eq!(told["info"]["reasons"][0]["clause"], "6.2.11.4.1");
        let told =
            value(&zugferd_extract(&fixture("a3b-attachments.pdf"), "null", Limits::DEFAULT).text);
        assert_eq!(told["error"], "no_invoice");
        assert!(!told["info"]["attachments"].as_array().unwrap().is_empty());
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
            let told = value(&zugferd_combine(b"", b"", options, Limits::DEFAULT).text);
            assert_eq!(told["error"], "invalid", "{options}");
            assert_eq!(told["info"]["problems"][0]["path"], "options");
        }
        let told = value(&zugferd_extract(b"", "{", Limits::DEFAULT).text);
        assert_eq!(told["error"], "malformed");
    }
}
