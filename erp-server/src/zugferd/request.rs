//! Parses the body of an e-invoice request in one pass, decoding its Base64 on the way.

use std::borrow::Cow;
use std::fmt;

use erp_core::internal::wire::{Record as _, ZugferdBody};
use erp_core::json::{Json, Object};
use erp_core::sentence::Locale;
use erp_core::zugferd::Password;
use erp_core::{Code, Path, Problems, Reading};
use jiff::tz::TimeZone;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize as _, Deserializer as _};
use serde_json::value::RawValue;

use super::base64;
use super::operation::Operation;
use crate::web::{ApiError, Charset, not_json};

/// Maximum of fields in a body. Five are defined; some clients send more.
const MEMBERS: usize = 100;

/// Maximum characters kept of other texts than a file, its name and a password, and of the name of an unknown field.
const KEPT_CHARACTERS: usize = 100;

// rule: R-ZUG-01
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    pub operation: Operation,
    /// The decoded PDF file; empty for an XML that is checked or read.
    pub pdf: Vec<u8>,
    /// The XML; empty where only the PDF is needed.
    pub xml: Vec<u8>,
    pub file_name: Option<String>,
    /// Of an encrypted PDF.
    pub password: Password,
    pub verbose: bool,
    pub debug: bool,
    /// The language of a report.
    pub locale: Locale,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("operation", &self.operation)
            .field("pdf_bytes", &self.pdf.len())
            .field("xml_bytes", &self.xml.len())
            .finish_non_exhaustive()
    }
}

impl Request {
    /// Parses a JSON body in its charset.
    ///
    /// Besides the body, only the decoded files are in memory, and one text at a time if it has escapes.
    /// Errors: 400 for invalid JSON, 422 with every problem of the fields.
    pub fn read(charset: Charset, body: &[u8], how: Reading) -> Result<Self, ApiError> {
        let text = charset.decode(body)?;
        let members = Members::read(&text).map_err(|error| not_json(&error))?;
        Ok(members.into_request(how)?)
    }
}

/// The fields of a body: files decoded, everything else small but a file name and a password.
struct Members {
    /// The body with a blank in place of each file; unchanged if it is not an object.
    body: Json,
    pdf: FileMember,
    xml: FileMember,
}

#[derive(Default)]
enum FileMember {
    #[default]
    Absent,
    Decoded(Vec<u8>),
    Wrong(base64::Base64Error),
}

impl FileMember {
    fn is_given(&self) -> bool {
        match self {
            Self::Absent => false,
            Self::Decoded(bytes) => !bytes.is_empty(),
            Self::Wrong(_) => true,
        }
    }
}

impl Members {
    fn read(text: &str) -> serde_json::Result<Self> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let is_object = text.trim_ascii_start().starts_with('{');
        let members = if is_object {
            deserializer.deserialize_map(MembersVisitor)?
        } else {
            Self {
                body: small(<&RawValue>::deserialize(&mut deserializer)?)?,
                pdf: FileMember::Absent,
                xml: FileMember::Absent,
            }
        };
        deserializer.end()?;
        Ok(members)
    }

    fn into_request(self, how: Reading) -> Result<Request, Problems> {
        // Parsed as far as possible, so that all problems are reported at once.
        let (body, mut problems) = ZugferdBody::read_parts(&self.body, how, &TimeZone::UTC);
        let body = body.unwrap_or_default();
        let reported = |name: &str, problems: &Problems| {
            let mut problems = problems.as_slice().iter();
            problems.any(|problem| problem.path == name)
        };
        let operation = match body.operation.as_deref().map(str::trim) {
            None => None,
            Some("") => {
                problems.missing(&Path::ROOT.member("Operation"));
                None
            }
            Some(word) => Operation::read(word, &mut problems),
        };
        let has = |file: &FileMember, name: &str| file.is_given() || reported(name, &problems);
        let (needs_pdf, needs_xml) = match operation {
            Some(operation) => operation.needs(has(&self.pdf, "PDF"), has(&self.xml, "XML")),
            None => (true, !matches!(self.xml, FileMember::Absent)),
        };
        let mut read = |is_needed: bool, file: FileMember, name: &str| {
            if !is_needed {
                return Some(Vec::new());
            }
            let is_reported = reported(name, &problems);
            needed(file, name, is_reported, &mut problems)
        };
        let pdf = read(needs_pdf, self.pdf, "PDF");
        let xml = read(needs_xml, self.xml, "XML");
        let files = operation.zip(pdf).zip(xml);
        let request = files.map(|((operation, pdf), xml)| Request {
            operation,
            pdf,
            xml,
            file_name: body.file_name.map(|name| name.to_string()),
            password: Password::from(body.password.as_deref().unwrap_or_default()),
            verbose: body.verbose.unwrap_or(false),
            debug: body.debug.unwrap_or(false),
            locale: Locale::default(),
        });
        problems.or_else_value(request)
    }
}

fn needed(
    file: FileMember,
    name: &str,
    is_reported: bool,
    problems: &mut Problems,
) -> Option<Vec<u8>> {
    let path = Path::ROOT.member(name);
    match file {
        FileMember::Decoded(bytes) if !bytes.is_empty() => return Some(bytes),
        FileMember::Wrong(error) => problems.add(&path, Code::Malformed, error),
        _ if is_reported => {}
        _ => problems.missing(&path),
    }
    None
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut body = Object::new();
        let (mut pdf, mut xml) = (FileMember::Absent, FileMember::Absent);
        while let Some(name) = map.next_key::<String>()? {
            let name: String = name.chars().take(KEPT_CHARACTERS).collect();
            let value = map.next_value::<&RawValue>()?;
            let is_text = value.get().starts_with('"');
            let file = match name.as_str() {
                "PDF" if is_text => Some(&mut pdf),
                "XML" if is_text => Some(&mut xml),
                _ => None,
            };
            let value = match file {
                Some(file) => {
                    *file = decoded(&text_of(value).map_err(misread)?);
                    Json::String(String::new())
                }
                None if is_text && matches!(name.as_str(), "Datei" | "Passwort") => {
                    Json::String(text_of(value).map_err(misread)?.into_owned())
                }
                None => small(value).map_err(misread)?,
            };
            if body.len() >= MEMBERS {
                return Err(A::Error::custom(format_args!(
                    "more than {MEMBERS} members"
                )));
            }
            if body.contains_key(&name) {
                let text = format_args!("the member `{name}` is given twice");
                return Err(A::Error::custom(text));
            }
            body.insert(name, value);
        }
        Ok(Members {
            body: Json::Object(body),
            pdf,
            xml,
        })
    }
}

/// An error in the text of a member; the place within it is replaced by that of the member.
fn misread<E: serde::de::Error>(error: serde_json::Error) -> E {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = error.to_string();
    E::custom(what.strip_suffix(&place).unwrap_or(&what))
}

fn decoded(text: &str) -> FileMember {
    match base64::decode(text) {
        Ok(bytes) => FileMember::Decoded(bytes),
        Err(error) => FileMember::Wrong(error),
    }
}

/// A string without its quotes; copied only when it has escapes.
fn text_of(value: &RawValue) -> serde_json::Result<Cow<'_, str>> {
    match serde_json::from_str::<&str>(value.get()) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => serde_json::from_str::<String>(value.get()).map(Cow::Owned),
    }
}

/// A value in short form: strings cut, lists and objects empty, numbers zero, so that no body needs more memory than it
/// has bytes.
fn small(value: &RawValue) -> serde_json::Result<Json> {
    Ok(match value.get().bytes().next() {
        Some(b'"') => Json::String(text_of(value)?.chars().take(KEPT_CHARACTERS).collect()),
        Some(b'[') => Json::Array(Vec::new()),
        Some(b'{') => Json::Object(Object::new()),
        Some(b't') => Json::Bool(true),
        Some(b'f') => Json::Bool(false),
        Some(b'n') => Json::Null,
        _ => Json::from(0_i64),
    })
}

#[cfg(test)]
mod tests {
    use erp_core::sentence::Locale;
    use serde_json::Value;

    use super::*;

    fn read(text: &str) -> Result<Request, String> {
        read_with(text, Reading::default())
    }

    fn read_with(text: &str, how: Reading) -> Result<Request, String> {
        let read = Request::read(Charset::Utf8, text.as_bytes(), how);
        read.map_err(|error| String::from_utf8(error.to_bytes(Locale::English)).unwrap())
    }

    /// Paths and codes of a 422.
    fn problems(text: &str) -> Vec<String> {
        let refusal = read(text).unwrap_err();
        let body: Value = serde_json::from_str(&refusal).unwrap();
        let list = body["info"]["problems"].as_array();
        let list = list.unwrap_or_else(|| panic!("{refusal}"));
        let shown = |problem: &Value| {
            format!(
                "{}: {}",
                problem["path"].as_str().unwrap(),
                problem["code"].as_str().unwrap()
            )
        };
        list.iter().map(shown).collect()
    }

    #[test]
    fn a_request_is_read_with_its_files() {
        let text = r#"{"Operation":"Combine","PDF":"aGFs\r\nbG8=","XML":"PGE\/Pg==","Verbose":true,"Debug":false,"Zusatz":[1,{"a":1.5}]}"#;
        let request = read(text).unwrap();
        assert_eq!(request.operation, Operation::Combine);
        assert_eq!(request.pdf, b"hallo");
        assert_eq!(request.xml, b"<a?>");
        assert!(request.verbose && !request.debug);
        let request =
            read(r#"{"XML":"!","PDF":"aGFsbG8=","Operation":" extract ","Debug":true}"#).unwrap();
        assert_eq!(
            (request.operation, request.xml.len()),
            (Operation::Extract, 0)
        );
        assert!(request.debug && !request.verbose);
    }

    // rule: R-ZUG-01, R-ZUG-40
    #[test]
    fn a_check_takes_the_xml_or_else_the_pdf() {
        let files = |text: &str| {
            let request = read(text).unwrap();
            assert_eq!(request.operation, Operation::Check);
            (request.pdf, request.xml)
        };
        let xml = (Vec::new(), b"<a?>".to_vec());
        assert_eq!(files(r#"{"Operation":"Check","XML":"PGE/Pg=="}"#), xml);
        let both = r#"{"Operation":"check","XML":"PGE/Pg==","PDF":"aGFsbG8="}"#;
        assert_eq!(files(both), xml);
        let pdf = (b"hallo".to_vec(), Vec::new());
        for none in ["null", "\"\"", "\" \""] {
            let text = format!(r#"{{"Operation":"Check","PDF":"aGFsbG8=","XML":{none}}}"#);
            assert_eq!(files(&text), pdf, "{none}");
        }
        let wrong = r#"{"Operation":"Check","PDF":"aGFsbG8=","XML":"%"}"#;
        assert_eq!(problems(wrong), ["XML: malformed"]);
        let wrong = r#"{"Operation":"Check","PDF":"aGFsbG8=","XML":7}"#;
        assert_eq!(problems(wrong), ["XML: wrong_type"]);
        assert_eq!(problems(r#"{"Operation":"Check"}"#), ["XML: required"]);
    }

    // rule: R-ZUG-01
    #[test]
    fn every_problem_is_reported_at_once() {
        assert_eq!(problems("{}"), ["Operation: required", "PDF: required"]);
        assert_eq!(
            problems(r#"{"Operation":"Combine","PDF":"","XML":null}"#),
            ["PDF: required", "XML: required"]
        );
        assert_eq!(
            problems(r#"{"Operation":"Split","PDF":"?","XML":"%"}"#),
            [
                "Operation: unknown_value",
                "PDF: malformed",
                "XML: malformed"
            ]
        );
        assert_eq!(
            problems(r#"{"Operation":7,"PDF":["x"],"XML":{"a":1},"Verbose":"yes","Debug":1.5}"#),
            [
                "Operation: wrong_type",
                "PDF: wrong_type",
                "XML: wrong_type",
                "Verbose: wrong_type",
                "Debug: wrong_type"
            ]
        );
        assert_eq!(problems("[1,2]"), [": wrong_type"]);
        let named = |length| {
            let name = "ä".repeat(length);
            format!(r#"{{"Operation":"Extract","PDF":"aGFsbG8=","Datei":"{name}"}}"#)
        };
        let kept = read(&named(1_000)).unwrap().file_name.unwrap();
        assert_eq!(kept.chars().count(), 1_000);
        assert_eq!(problems(&named(1_001)), ["Datei: too_long"]);
        let refusal = read(r#"{"Operation":"Combine","PDF":7,"XML":"%"}"#).unwrap_err();
        assert!(
            refusal.contains("expected a string, found a number"),
            "{refusal}"
        );
    }

    #[test]
    fn unknown_members_count_only_in_strict_mode() {
        let text = r#"{"Operation":"Extract","PDF":"aGFsbG8=","Zusatz":1}"#;
        assert!(read(text).is_ok());
        let refusal = read_with(text, Reading { strict: true }).unwrap_err();
        assert!(refusal.contains(r#""code":"unknown_member""#), "{refusal}");
    }

    #[test]
    fn what_is_no_json_is_named_with_its_place() {
        for (text, sentence) in [
            (
                r#"{"PDF":"aGFs","PDF":"aGFs"}"#,
                "the member `PDF` is given twice",
            ),
            (r#"{"PDF":"aGFs""#, "it ends too early"),
            (r#"{"PDF":"aGFs"} x"#, "text after its end"),
            ("{\"PDF\":\"aG\nFs\"}", "control character"),
        ] {
            let refusal = read(text).unwrap_err();
            assert!(
                refusal.contains("malformed") && refusal.contains(sentence),
                "{refusal}"
            );
        }
        let many: Vec<String> = (0..1_000)
            .map(|number| format!("\"m{number}\":0"))
            .collect();
        let refusal = read(&format!("{{{}}}", many.join(","))).unwrap_err();
        assert!(refusal.contains("more than 100 members"), "{refusal}");
    }

    #[test]
    fn nothing_of_a_file_is_printed() {
        let request = read(r#"{"Operation":"Extract","PDF":"aGFsbG8="}"#).unwrap();
        let printed = format!("{request:?}");
        assert!(
            printed.contains("pdf_bytes: 5") && !printed.contains("104"),
            "{printed}"
        );
    }
}
