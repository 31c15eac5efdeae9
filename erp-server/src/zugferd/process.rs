//! Processes one e-invoice: from the request to the file or the failure, with a list of the steps.

use std::collections::BTreeMap;

use erp_core::internal::json::to_ascii;
use erp_core::sentence::{Locale, Sentence};
use erp_core::zugferd::{
    CheckLimits, CombineOptions, Error, ExtractOptions, Language, Limits, PdfaOutcome, Profile,
    ReadError, Report, Step, check, check_html, combine, extract, read,
};
use erp_core::{Code, Path, Problems};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::headers::safe_file_name;
use super::operation::Operation;
use super::request::Request;
use super::{ZugferdOptions, findings};
use crate::lane;
use crate::web::{ApiError, shorten};

/// Length of a PDF after decoding, as a multiple of the longest body.
const DECODED: u64 = 4;

/// Maximum lines of a report; a file with thousands of faults has thousands of reasons.
const LINES: usize = 200;

/// Maximum characters of a line: names in a PDF may have any length.
const LINE_CHARACTERS: usize = 500;

/// A check ends, as reading a PDF does, when nobody waits for it.
const CHECK: CheckLimits = CheckLimits {
    keep_going: lane::is_awaited,
    ..CheckLimits::DEFAULT
};

const PDF_NAME: &str = "invoice.pdf";

/// File name of an extracted XML without a name.
const XML_NAME: &str = "invoice.xml";

// rule: R-ZUG-02
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The bytes of the file, or JSON of what the invoice says; none for a report as JSON.
    pub bytes: Vec<u8>,
    /// A file name that is safe to save; `None` for JSON.
    pub file_name: Option<String>,
    /// The operation: the result is a PDF for `Combine`, an XML for `Extract`, a report for `Check` and, as HTML, for `Report`, JSON for `Read`.
    pub operation: Operation,
    /// Whether the PDF is PDF/A-3.
    pub pdfa: Option<PdfaOutcome>,
    pub profile: Option<Profile>,
    /// The file names of all e-invoices in the PDF, the extracted one first.
    pub files: Vec<String>,
    /// The language of a report as HTML.
    pub locale: Locale,
    /// The rules that the invoice breaks.
    pub check: Report,
    pub steps: Vec<String>,
}

/// Why there is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    description: Sentence,
    /// The name the file would have had.
    file_name: &'static str,
    /// What is wrong with the XML of the request; without it the PDF is at fault.
    wrong_xml: Option<Problems>,
    pub(super) steps: Vec<String>,
}

impl From<Failed> for ApiError {
    fn from(failed: Failed) -> Self {
        match failed.wrong_xml {
            Some(problems) => problems.into(),
            None => Self::endpoint(failed.description, failed.file_name, failed.steps),
        }
    }
}

fn limits(options: &ZugferdOptions) -> Limits {
    let mut limits = Limits::DEFAULT;
    let decoded = options.body_bytes.saturating_mul(DECODED);
    limits.pdf.total_bytes = decoded.try_into().unwrap_or(usize::MAX);
    limits.pdf.stream_bytes = limits.pdf.stream_bytes.min(limits.pdf.total_bytes);
    limits.pdf.keep_going = lane::is_awaited;
    limits
}

pub(super) fn process(
    request: &Request,
    options: &ZugferdOptions,
    now: Timestamp,
) -> Result<Done, Failed> {
    let done = match request.operation {
        Operation::Combine => combine_files(request, options, now),
        Operation::Check | Operation::Report | Operation::Read => told(request, options),
        Operation::Extract => extract_file(request, options),
    };
    let done = done.map_err(|error| failed(request, &error))?;
    if request.operation == Operation::Combine && options.require_valid && !done.check.valid {
        return Err(refused(request, &done.check));
    }
    Ok(done)
}

fn combine_files(
    request: &Request,
    options: &ZugferdOptions,
    now: Timestamp,
) -> Result<Done, Error> {
    let options = CombineOptions {
        now: Some(now),
        require_pdfa: options.require_pdfa,
        decrypt: options.decrypt,
        password: request.password.clone(),
        limits: limits(options),
    };
    let combined = combine(&request.pdf, &request.xml, &options)?;
    let mut steps = lines(&combined.steps);
    let reasons = combined.pdfa.reasons().iter();
    steps.extend(reasons.map(|reason| short(&format!("no PDF/A: {reason}"))));
    steps.truncate(LINES);
    let mut done = checked(&request.xml);
    done.steps.splice(..0, steps);
    Ok(Done {
        operation: Operation::Combine,
        bytes: combined.pdf,
        file_name: Some(PDF_NAME.to_owned()),
        pdfa: Some(combined.pdfa),
        profile: Some(combined.profile),
        ..done
    })
}

fn extract_file(request: &Request, options: &ZugferdOptions) -> Result<Done, Error> {
    let options = ExtractOptions {
        file_name: request.file_name.clone(),
        password: request.password.clone(),
        limits: limits(options),
    };
    let extracted = extract(&request.pdf, &options)?;
    let mut done = checked(&extracted.xml);
    done.steps.splice(..0, lines(&extracted.steps));
    Ok(Done {
        operation: Operation::Extract,
        files: extracted.file_names().map(str::to_owned).collect(),
        file_name: Some(safe_file_name(&extracted.file_name, XML_NAME)),
        bytes: extracted.xml,
        profile: extracted.profile,
        ..done
    })
}

/// What is found in an invoice, and what it says if that is asked for.
fn told(request: &Request, options: &ZugferdOptions) -> Result<Done, Error> {
    let (done, xml) = match &*request.xml {
        [] => (extract_file(request, options)?, None),
        xml => (checked(xml), Some(xml)),
    };
    let xml = xml.unwrap_or(&done.bytes);
    // A report is written in these two languages.
    let locale = match request.locale {
        Locale::German => Locale::German,
        _ => Locale::English,
    };
    let (bytes, file_name) = match request.operation {
        Operation::Read => {
            let said = BTreeMap::from([("data", read(xml, &CHECK)?)]);
            (to_ascii(&said).unwrap_or_default(), None)
        }
        Operation::Report => {
            let name = done.file_name.as_deref().unwrap_or(XML_NAME);
            let language = match locale {
                Locale::German => Language::German,
                _ => Language::English,
            };
            let (_, html) = check_html(xml, &CHECK, language, name);
            (html.into_bytes(), Some(format!("{name}.html")))
        }
        _ => (Vec::new(), None),
    };
    Ok(Done {
        bytes,
        file_name,
        locale,
        operation: request.operation,
        ..done
    })
}

// rule: R-ZUG-40
fn checked(xml: &[u8]) -> Done {
    let check = check(xml, &CHECK);
    Done {
        bytes: Vec::new(),
        file_name: None,
        operation: Operation::Check,
        pdfa: None,
        profile: None,
        files: Vec::new(),
        locale: Locale::default(),
        steps: vec![findings::step(&check)],
        check,
    }
}

fn lines(steps: &[Step]) -> Vec<String> {
    let lines = steps.iter().take(LINES);
    lines.map(|step| short(&step.to_string())).collect()
}

fn sizes(request: &Request) -> String {
    let word = request.operation.word();
    let (pdf, xml) = (request.pdf.len(), request.xml.len());
    match (pdf, xml) {
        (_, 0) => format!("{word}: a PDF of {pdf} bytes"),
        (0, _) => format!("{word}: an XML of {xml} bytes"),
        _ => format!("{word}: a PDF of {pdf} bytes and an XML of {xml} bytes"),
    }
}

const fn wanted_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Combine => PDF_NAME,
        Operation::Extract | Operation::Check | Operation::Report | Operation::Read => XML_NAME,
    }
}

// rule: R-ZUG-41
/// An invoice that breaks rules where the settings ask for a valid one.
fn refused(request: &Request, check: &Report) -> Failed {
    Failed {
        description: sentence!("invoice.rules"),
        file_name: wanted_name(request.operation),
        wrong_xml: Some(findings::problems(check)),
        steps: vec![sizes(request), findings::step(check)],
    }
}

fn failed(request: &Request, error: &Error) -> Failed {
    let description = short(&error.to_string());
    let mut steps = vec![sizes(request)];
    match error {
        Error::NotPdfa { reasons } => {
            let reasons = reasons.iter().take(LINES);
            steps.extend(reasons.map(|reason| short(&format!("no PDF/A: {reason}"))));
        }
        Error::NoInvoice { attachments } | Error::NoSuchInvoice { attachments, .. } => {
            let names = attachments.iter().take(LINES);
            steps.extend(names.map(|name| short(&format!("attached: `{name}`"))));
        }
        _ => {}
    }
    steps.push(format!("failed: {description}"));
    let description = Sentence::Text(description);
    let is_broken = matches!(
        error,
        Error::NotWellFormed(_) | Error::Read(ReadError::NotWellFormed(_))
    );
    let wrong_xml = (is_broken && !request.xml.is_empty()).then(|| {
        let mut problems = Problems::new();
        let path = Path::ROOT.member("XML");
        problems.add(&path, Code::Malformed, description.clone());
        problems
    });
    Failed {
        description,
        file_name: wanted_name(request.operation),
        wrong_xml,
        steps,
    }
}

fn short(line: &str) -> String {
    let visible = line.replace(char::is_control, " ");
    shorten(&visible, LINE_CHARACTERS).into_owned()
}

pub(super) fn report(
    id: &str,
    at: Timestamp,
    request: &Request,
    result: &Result<Done, Failed>,
) -> Value {
    let mut report = json!({
        "request_id": id,
        "at": at.to_string(),
        "operation": request.operation.word(),
        "input": {"pdf_bytes": request.pdf.len(), "xml_bytes": request.xml.len()},
    });
    let details = match result {
        Ok(done) => json!({
            "outcome": "done",
            "file_name": done.file_name,
            "bytes": done.bytes.len(),
            "pdf_a": done.pdfa.as_ref().map(|pdfa| json!({
                "outcome": pdfa.word(),
                "reasons": pdfa.reasons().iter().map(ToString::to_string).collect::<Vec<_>>(),
            })),
            "profile": done.profile.as_ref().map(|profile| json!({
                "standard": profile.standard.name(),
                "level": profile.xmp_level(),
                "type": profile.document_type(),
                "guideline": profile.guideline,
            })),
            "check": done.check,
            "steps": done.steps,
        }),
        Err(failed) => json!({
            "outcome": "failed",
            "error": failed.description,
            "file_name": failed.file_name,
            "steps": failed.steps,
        }),
    };
    if let (Value::Object(report), Value::Object(details)) = (&mut report, details) {
        report.extend(details);
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use erp_core::zugferd::Password;

    fn request(operation: Operation) -> Request {
        Request {
            operation,
            pdf: b"no PDF".to_vec(),
            xml: match operation {
                Operation::Combine => b"<x/>".to_vec(),
                _ => Vec::new(),
            },
            file_name: None,
            password: Password::default(),
            verbose: false,
            debug: false,
            locale: Locale::English,
        }
    }

    fn run(operation: Operation) -> Result<Done, Failed> {
        let settings = Settings::defaults().unwrap();
        process(
            &request(operation),
            &settings.zugferd_options(),
            Timestamp::UNIX_EPOCH,
        )
    }

    // rule: R-ERR-08
    #[test]
    fn a_failure_names_the_wanted_file_and_what_was_done() {
        let failed = run(Operation::Extract).unwrap_err();
        assert_eq!(failed.file_name, "invoice.xml");
        assert_eq!(failed.steps[0], "Extract: a PDF of 6 bytes");
        assert!(failed.steps[1].starts_with("failed: "), "{failed:?}");
        let failed = run(Operation::Combine).unwrap_err();
        assert_eq!(failed.file_name, "invoice.pdf");
        assert_eq!(
            failed.steps[0],
            "Combine: a PDF of 6 bytes and an XML of 4 bytes"
        );
    }

    #[test]
    fn lines_are_bounded_and_without_control_characters() {
        let names: Vec<String> = (0..1_000)
            .map(|number| format!("{number}\n\u{7}{}", "x".repeat(9_000)))
            .collect();
        let error = Error::NoInvoice { attachments: names };
        let failed = failed(&request(Operation::Extract), &error);
        assert_eq!(failed.steps.len(), LINES + 2);
        let longest = failed.steps.iter().map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= LINE_CHARACTERS + 12));
        assert!(
            failed
                .steps
                .iter()
                .all(|line| !line.contains(char::is_control))
        );
        assert!(failed.description.english().chars().count() <= LINE_CHARACTERS + 3);
    }

    // rule: R-LIM-07
    #[test]
    fn settings_are_limits() {
        let mut settings = Settings::defaults().unwrap();
        let usual = limits(&settings.zugferd_options());
        let bounds =
            |limits: &Limits| (limits.pdf.stream_bytes, limits.xml_bytes, limits.xmp_bytes);
        assert_eq!(bounds(&usual), bounds(&Limits::DEFAULT));
        assert_eq!(usual.pdf.total_bytes, 256 << 20);
        assert_eq!(usual.pdf.depth, 64);
        settings
            .set("zugferd_body_bytes", "262144", "a test")
            .unwrap();
        let limits = limits(&settings.zugferd_options()).pdf;
        assert_eq!(
            (limits.total_bytes, limits.stream_bytes),
            (1 << 20, 1 << 20)
        );
    }

    #[test]
    fn a_report_holds_no_content() {
        let request = request(Operation::Combine);
        let result = run(Operation::Combine);
        let report = report("id-1", Timestamp::UNIX_EPOCH, &request, &result);
        assert_eq!(report["request_id"], "id-1");
        assert_eq!(report["at"], "1970-01-01T00:00:00Z");
        assert_eq!(report["outcome"], "failed");
        assert_eq!(report["input"]["pdf_bytes"], 6);
        assert!(!report.to_string().contains("no PDF\""), "{report}");
    }
}
