//! The page that lists many reports.

use super::Language;
use super::page::{Page, document, verdict};
use crate::report::Report;
use crate::xml::text::escape;

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
    #[must_use]
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
#[must_use]
pub fn index_html(entries: &[IndexEntry], language: Language) -> String {
    let mut body = Page::new(usize::MAX);
    let valid = entries
        .iter()
        .filter(|entry| entry.class == "valid")
        .count();
    let words = language.choose("valid", "gültig");
    let summary = format!("{valid} / {} {words}", entries.len());
    let class = if valid == entries.len() {
        "valid"
    } else {
        "invalid"
    };
    let title = language.choose("Checked invoices", "Geprüfte Rechnungen");
    body.put(&[
        "<section class=\"verdict ",
        class,
        "\"><h2>",
        &summary,
        "</h2></section>\n",
    ]);
    body.put(&[
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"",
        title,
        "\"><table>\n<thead><tr>",
    ]);
    for head in [
        language.choose("Document", "Dokument"),
        language.choose("Verdict", "Ergebnis"),
        language.choose("Guideline", "Richtlinie"),
    ] {
        body.put(&["<th scope=\"col\">", head, "</th>"]);
    }
    body.put(&["</tr></thead>\n<tbody>\n"]);
    for entry in entries {
        body.put(&["<tr><td>"]);
        match &entry.href {
            Some(href) => {
                body.put(&["<a href=\"", &address(href), "\">"]);
                body.text(&entry.name);
                body.put(&["</a>"]);
            }
            None => body.text(&entry.name),
        }
        body.put(&["</td><td class=\"", entry.class, "\">"]);
        body.text(&entry.verdict);
        body.put(&["</td><td>"]);
        body.text(&entry.profile);
        body.put(&["</td></tr>\n"]);
    }
    body.put(&["</tbody></table></div>\n"]);
    document(language, &summary, title, &body)
}

/// The name of a file as a relative address.
fn address(name: &str) -> String {
    let mut address = String::from("./");
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                address.push(char::from(byte));
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    escape(&address)
}
