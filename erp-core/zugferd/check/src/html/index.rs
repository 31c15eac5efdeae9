//! The page that lists many reports.

use super::markup::{END_OF_TABLE, Escaped, Html, document, table, verdict};
use crate::language::Language;
use crate::report::Report;

/// A document with its verdict.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    name: String,
    /// The address of its report; `None` without one.
    href: Option<String>,
    class: &'static str,
    verdict: String,
    profile: String,
}

impl IndexEntry {
    /// A document that was checked, and the address of its report.
    #[must_use]
    pub fn checked(name: &str, href: &str, report: &Report, language: Language) -> Self {
        let (class, verdict) = verdict(report, language);
        Self {
            name: name.to_owned(),
            href: Some(href.to_owned()),
            class,
            verdict,
            profile: report.profile.clone().unwrap_or_default(),
        }
    }

    /// A document that could not be read.
    pub fn failed(name: &str, error: &str) -> Self {
        Self {
            name: name.to_owned(),
            href: None,
            class: "invalid",
            verdict: error.to_owned(),
            profile: String::new(),
        }
    }
}

/// A page with the verdicts on many documents and links to their reports, in their order.
pub fn index_html(entries: &[IndexEntry], language: Language) -> String {
    let valid = entries.iter().filter(|entry| entry.class == "valid");
    let (valid, all) = (valid.count(), entries.len());
    let class = if valid == all { "valid" } else { "invalid" };
    let summary = format!("{valid} / {all} {}", language.choose("valid", "gültig"));
    let title = language.choose("Checked invoices", "Geprüfte Rechnungen");
    let mut html = Html::default();
    writeln!(
        html,
        "<section class=\"verdict {class}\"><h2>{summary}</h2></section>"
    );
    let heads = [
        language.choose("Document", "Dokument"),
        language.choose("Verdict", "Ergebnis"),
        language.choose("Guideline", "Richtlinie"),
    ];
    table(&mut html, title, &heads.map(|head| (head, "")));
    for entry in entries {
        let name = Escaped(&entry.name);
        match &entry.href {
            Some(href) => write!(html, "<tr><td><a href=\"{}\">{name}</a>", address(href)),
            None => write!(html, "<tr><td>{name}"),
        }
        let (class, verdict) = (entry.class, Escaped(&entry.verdict));
        write!(html, "</td><td class=\"{class}\">{verdict}</td>");
        writeln!(html, "<td>{}</td></tr>", Escaped(&entry.profile));
    }
    write!(html, "{END_OF_TABLE}");
    document(language, &summary, title, &html.0)
}

/// The name of a file as a relative address.
fn address(name: &str) -> String {
    let mut address = String::from("./");
    for byte in name.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => address.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => address.push(char::from(byte)),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}
