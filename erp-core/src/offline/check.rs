//! The check of an e-invoice with bytes and JSON texts, for callers in other languages.

use serde::{Deserialize, Serialize};

use super::answer::text;
use super::zugferd::{Extracting, parsed, refused};
use crate::zugferd::{CheckLimits, Language, Limits, Report, check, check_html, extract, read};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckedFile {
    #[serde(flatten)]
    report: Report,
    /// The attachment of the PDF that was checked.
    file_name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Reporting {
    file_name: Option<String>,
    /// `de` is German.
    language: String,
    name: String,
}

/// [`check`] for an XML, or for the invoice in a PDF.
///
/// `options` is `null` or an object with `fileName`, the name of the attachment if a PDF has several invoices. The
/// text contains the [`Report`] and `fileName`, or an error body for a PDF without an invoice that can be read.
pub fn check_invoice(
    file: &[u8],
    options: &str,
    limits: Limits,
    check_limits: &CheckLimits,
) -> String {
    of_invoice(file, parsed(options), limits, &|xml, file_name| {
        text(Ok(CheckedFile {
            report: check(xml, check_limits),
            file_name,
        }))
    })
}

/// [`check_html`] for an XML, or for the invoice in a PDF.
///
/// `options` may also have `language`, `de` for German, and `name`, the heading of the report. The text contains the HTML, or
/// an error body.
pub fn report_html(
    file: &[u8],
    options: &str,
    limits: Limits,
    check_limits: &CheckLimits,
) -> String {
    let options: Reporting = match parsed(options) {
        Ok(options) => options,
        Err(refused) => return refused,
    };
    let file_name = options.file_name;
    of_invoice(
        file,
        Ok(Extracting { file_name }),
        limits,
        &|xml, file_name| {
            let language = match options.language.as_str() {
                "de" => Language::German,
                _ => Language::English,
            };
            let name = match options.name.as_str() {
                "" => file_name.as_deref().unwrap_or("XML"),
                name => name,
            };
            text(Ok(check_html(xml, check_limits, language, name).1))
        },
    )
}

/// [`read`] for an XML, or for the invoice in a PDF.
///
/// `options` is as for [`check_invoice`]. The text contains what the invoice says, or an error body.
pub fn read_invoice(
    file: &[u8],
    options: &str,
    limits: Limits,
    check_limits: &CheckLimits,
) -> String {
    of_invoice(
        file,
        parsed(options),
        limits,
        &|xml, _| match read(xml, check_limits) {
            Ok(said) => text(Ok(said)),
            Err(error) => refused(&error.into()),
        },
    )
}

/// What is made of an XML, and of the name of the attachment that it is.
type Make<'m> = &'m dyn Fn(&[u8], Option<String>) -> String;

fn of_invoice(
    file: &[u8],
    options: Result<Extracting, String>,
    limits: Limits,
    make: Make<'_>,
) -> String {
    let options = match options {
        Ok(options) => options.with(limits),
        Err(refused) => return refused,
    };
    if !is_pdf(file) {
        return make(file, None);
    }
    match extract(file, &options) {
        Ok(extracted) => make(&extracted.xml, Some(extracted.file_name)),
        Err(error) => refused(&error),
    }
}

/// Whether the bytes are meant to be a PDF: its header is near the start, and not inside an XML.
fn is_pdf(file: &[u8]) -> bool {
    const HEADER: &[u8] = b"%PDF-";
    const START: usize = 1024;
    let start = file.get(..START).unwrap_or(file);
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    !text.trim_ascii_start().starts_with(b"<")
        && start.windows(HEADER.len()).any(|part| part == HEADER)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "tests read files")]
    fn fixture(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/zugferd/");
        std::fs::read(format!("{folder}{name}")).unwrap()
    }

    fn checked(file: &[u8], options: &str) -> Value {
        let text = check_invoice(file, options, Limits::DEFAULT, &CheckLimits::DEFAULT);
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn an_xml_has_the_report_of_the_check() {
        let xml = fixture("xml/facturx-en16931.xml");
        let mut result = checked(&xml, "null");
        let report = result["data"].as_object_mut().unwrap();
        assert_eq!(report.remove("fileName"), Some(Value::Null));
        let expected = check(&xml, &CheckLimits::DEFAULT);
        assert_eq!(result["data"], serde_json::to_value(expected).unwrap());
    }

    #[test]
    fn the_invoice_in_a_pdf_has_the_same_report() {
        let mut of_pdf = checked(&fixture("hybrid-facturx-en16931.pdf"), "null");
        let of_xml = checked(&fixture("xml/facturx-en16931.xml"), "null");
        assert_eq!(of_pdf["data"]["fileName"].take(), "factur-x.xml");
        assert_eq!(of_pdf, of_xml);
    }

    #[test]
    fn one_of_several_invoices_can_be_named() {
        let two = fixture("odd-two-invoices.pdf");
        let name = |options: &str| checked(&two, options)["data"]["fileName"].clone();
        // The metadata name it.
        assert_eq!(name("null"), "ZUGFeRD-invoice.xml");
        assert_eq!(name(r#"{"fileName": "factur-x.xml"}"#), "factur-x.xml");
    }

    #[test]
    fn what_is_no_invoice_is_reported() {
        let rule = |file: &[u8]| checked(file, "null")["data"]["findings"][0]["rule"].clone();
        assert_eq!(rule(b""), "ERP-XML");
        assert_eq!(rule(b"\xFF\xFE"), "ERP-XML");
        assert_eq!(rule(b"<order/>"), "ERP-CII");
    }

    #[test]
    fn a_pdf_without_an_invoice_is_an_error() {
        let of = |name| checked(&fixture(name), "null");
        assert_eq!(of("no-header.pdf")["data"]["valid"], false);
        let without = of("a3b-attachments.pdf");
        assert_eq!(without["error"], "no_invoice");
        assert!(
            !without["info"]["attachments"]
                .as_array()
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn the_report_is_written_as_html_too() {
        let html = |name, options: &str| {
            let file = fixture(name);
            let text = report_html(&file, options, Limits::DEFAULT, &CheckLimits::DEFAULT);
            let result: Value = serde_json::from_str(&text).unwrap();
            result["data"].as_str().unwrap_or(&text).to_owned()
        };
        let xml = fixture("xml/facturx-en16931.xml");
        let (_, expected) = check_html(&xml, &CheckLimits::DEFAULT, Language::German, "r");
        let options = r#"{"language": "de", "name": "r"}"#;
        assert_eq!(html("hybrid-facturx-en16931.pdf", options), expected);
        assert_eq!(html("xml/facturx-en16931.xml", options), expected);
        assert!(html("hybrid-facturx-en16931.pdf", "null").contains("<h1>factur-x.xml</h1>"));
        assert!(html("a3b-attachments.pdf", "null").contains("no_invoice"));
        let unknown = html("xml/facturx-en16931.xml", r#"{"languages": "de"}"#);
        assert!(unknown.contains("\"invalid\""), "{unknown}");
    }

    #[test]
    fn options_are_read_strictly() {
        for (options, code) in [
            (r#"{"nope": 1}"#, "invalid"),
            ("[]", "invalid"),
            ("{", "malformed"),
        ] {
            assert_eq!(checked(b"<a/>", options)["error"], code, "{options}");
        }
    }

    #[test]
    fn an_invoice_and_a_pdf_with_it_are_read_the_same() {
        let read = |name| {
            let file = fixture(name);
            let text = read_invoice(&file, "null", Limits::DEFAULT, &CheckLimits::DEFAULT);
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let said = read("hybrid-facturx-en16931.pdf");
        assert_eq!(said["data"]["BT-1"], "4711");
        assert_eq!(said, read("xml/facturx-en16931.xml"));
        assert_eq!(read("a3b-attachments.pdf")["error"], "no_invoice");
        assert_eq!(read("xml/order-x-basic.xml")["error"], "not_an_invoice");
        assert_eq!(read("xml/no-cut.xml")["error"], "not_well_formed");
        assert_eq!(read("enc-aes256-user-password.pdf")["error"], "encrypted");
    }

    #[test]
    fn an_xml_that_mentions_the_header_of_a_pdf_is_an_xml() {
        assert!(is_pdf(b"%PDF-1.7\n"));
        assert!(is_pdf(b"junk\n%PDF-1.7\n"));
        for xml in [
            b"<!-- %PDF-1.7 --><a/>".as_slice(),
            b"\xEF\xBB\xBF \n<a>%PDF-1.7</a>",
            b"",
        ] {
            assert!(!is_pdf(xml));
        }
    }
}
