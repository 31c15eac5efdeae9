//! Pieces of HTML.

use std::fmt;

use super::values::cut;
use crate::language::Language;
use crate::report::{Report, Severity};
use crate::xml::text::escape;

static STYLE: &str = include_str!("style.css");

/// HTML while it is written; nothing is escaped.
#[derive(Default)]
pub(super) struct Html(pub(super) String);

impl Html {
    /// What `write!` calls. A text in memory takes everything, so that nothing can fail.
    pub(super) fn write_fmt(&mut self, part: fmt::Arguments<'_>) {
        let _ = fmt::Write::write_fmt(&mut self.0, part);
    }
}

/// A text of the document: cut and escaped.
pub(super) struct Escaped<'t>(pub(super) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&escape(&cut(self.0)))
    }
}

/// A sentence, with values and names between back-ticks.
pub(super) struct Sentence<'t>(pub(super) &'t str);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.0.split('`').enumerate() {
            match at % 2 {
                0 => write!(formatter, "{}", Escaped(part))?,
                _ => write!(formatter, "<code>{}</code>", Escaped(part))?,
            }
        }
        Ok(())
    }
}

/// A name with a text, if there is one.
pub(super) fn fact(html: &mut Html, label: &str, text: &str) {
    if !text.is_empty() {
        let (label, text) = (Escaped(label), Escaped(text));
        writeln!(html, "<div><dt>{label}</dt><dd>{text}</dd></div>");
    }
}

/// The start of a table that may be wider than the screen.
pub(super) fn table(html: &mut Html, label: &str, heads: &[(&str, &str)]) {
    write!(
        html,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\">"
    );
    write!(html, "<table>\n<thead><tr>");
    for (head, class) in heads {
        write!(html, "<th scope=\"col\"{class}>{head}</th>");
    }
    writeln!(html, "</tr></thead>\n<tbody>");
}

pub(super) const END_OF_TABLE: &str = "</tbody></table></div>\n";

/// A whole document; `name` is its heading, and with the verdict its title.
pub(super) fn document(language: Language, verdict: &str, name: &str, body: &str) -> String {
    let code = language.choose("en", "de");
    let (name, verdict) = (Escaped(name), Escaped(verdict));
    format!(
        "<!DOCTYPE html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"erp-invoice-check\">\n\
         <title>{name}: {verdict}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <main class=\"report\">\n<h1>{name}</h1>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// The class of a severity, and what a finding of it is called.
pub(super) const fn severity(
    severity: Severity,
    language: Language,
) -> (&'static str, &'static str) {
    match severity {
        Severity::Fatal => ("fatal", language.choose("Error", "Fehler")),
        Severity::Warning => ("warning", language.choose("Warning", "Warnung")),
        Severity::Information => ("information", language.choose("Note", "Hinweis")),
    }
}

/// The verdict as a class and in words.
pub(super) fn verdict(report: &Report, language: Language) -> (&'static str, String) {
    if report.not_checked().is_some() {
        let words = language.choose("Not checked", "Nicht geprüft");
        return ("unknown", words.to_owned());
    }
    let (class, mut words) = if report.valid {
        ("valid", language.choose("Valid", "Gültig").to_owned())
    } else {
        ("invalid", language.choose("Invalid", "Ungültig").to_owned())
    };
    let mut separator = ": ";
    for (count, one, many) in [
        (report.fatal, ("error", "Fehler"), ("errors", "Fehler")),
        (
            report.warnings,
            ("warning", "Warnung"),
            ("warnings", "Warnungen"),
        ),
        (
            report.information,
            ("note", "Hinweis"),
            ("notes", "Hinweise"),
        ),
    ] {
        if count > 0 {
            let (en, de) = if count == 1 { one } else { many };
            let word = language.choose(en, de);
            words.push_str(&format!("{separator}{count} {word}"));
            separator = ", ";
        }
    }
    (class, words)
}
