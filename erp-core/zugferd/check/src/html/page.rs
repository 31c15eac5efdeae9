//! HTML that is written piece by piece, within bounds.

use super::Language;
use super::values::cut;
use crate::report::{Report, Severity};
use crate::xml::text::escape;

static STYLE: &str = include_str!("style.css");

/// A document, or a part of one.
pub(super) struct Page {
    pub(super) html: String,
    /// Bytes that may still be written; of what comes after them only that it is there is said.
    left: usize,
}

impl Page {
    pub(super) const fn new(most: usize) -> Self {
        Self {
            html: String::new(),
            left: most,
        }
    }

    pub(super) const fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Markup, and texts of this crate.
    pub(super) fn put(&mut self, pieces: &[&str]) {
        for piece in pieces {
            self.html.push_str(piece);
            self.left = self.left.saturating_sub(piece.len());
        }
    }

    /// A text of the document: escaped and cut.
    pub(super) fn text(&mut self, text: &str) {
        match self.is_full() {
            true => self.html.push('…'),
            false => self.put(&[&escape(&cut(text))]),
        }
    }

    /// A sentence, with values and names between back-ticks.
    pub(super) fn sentence(&mut self, sentence: &str) {
        for (at, part) in sentence.split('`').enumerate() {
            let is_code = at % 2 == 1;
            self.put(&[if is_code { "<code>" } else { "" }]);
            self.text(part);
            self.put(&[if is_code { "</code>" } else { "" }]);
        }
    }

    /// A name with a text, if there is one.
    pub(super) fn fact(&mut self, label: &str, text: &str) {
        if !text.is_empty() {
            self.put(&["<div><dt>", label, "</dt><dd>"]);
            self.text(text);
            self.put(&["</dd></div>\n"]);
        }
    }
}

/// A whole document; `name` is its heading, and after the verdict its title.
pub(super) fn document(language: Language, verdict: &str, name: &str, body: &Page) -> String {
    let code = language.choose("en", "de");
    let name = escape(&cut(name));
    let verdict = escape(verdict);
    format!(
        "<!DOCTYPE html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"erp-invoice-check\">\n\
         <title>{name}: {verdict}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <main class=\"report\">\n<h1>{name}</h1>\n{}</main>\n</body>\n</html>\n",
        body.html
    )
}

/// What a finding of a severity is called, and its class.
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
        return (
            "unknown",
            language.choose("Not checked", "Nicht geprüft").to_owned(),
        );
    }
    let count = |number: usize, [one, many]: [&str; 2]| {
        (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { many }))
    };
    let counts = match language {
        Language::English => [
            ["error", "errors"],
            ["warning", "warnings"],
            ["note", "notes"],
        ],
        Language::German => [
            ["Fehler"; 2],
            ["Warnung", "Warnungen"],
            ["Hinweis", "Hinweise"],
        ],
    };
    let numbers = [report.fatal, report.warnings, report.information];
    let counted = numbers.into_iter().zip(counts);
    let counts: Vec<String> = counted
        .filter_map(|(number, words)| count(number, words))
        .collect();
    let (class, word) = match report.valid {
        true => ("valid", language.choose("Valid", "Gültig")),
        false => ("invalid", language.choose("Invalid", "Ungültig")),
    };
    let separator = if counts.is_empty() { "" } else { ": " };
    (class, format!("{word}{separator}{}", counts.join(", ")))
}
