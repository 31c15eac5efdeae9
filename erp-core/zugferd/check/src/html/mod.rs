//! The report as one HTML document: verdict, findings by place, and the invoice as people read it, with links between
//! places and findings. No script, and nothing from elsewhere.
//!
//! What is shown of an invoice is the table `model.txt`.

mod index;
mod invoice;
mod model;
mod page;
mod path;
#[cfg(test)]
mod tests;
mod values;

use crate::judge;
use crate::limits::CheckLimits;
use crate::report::{Finding, Report, not_xml};
use crate::xml::text::{decode, decode_lossy};
use crate::xml::{Element, Tree, XmlError};
use invoice::Invoice;
use page::{Page, document, severity, verdict};
use values::{Style, cut};

pub use index::{IndexEntry, index_html};

/// Findings that are listed.
const MOST_FINDINGS: usize = 1_000;
/// Letters of a path that are shown.
const LONGEST_PATH: usize = 500;
/// Bytes of the invoice as it is shown, and of all other parts.
const MOST_BYTES: usize = 3 << 20;
/// Elements of another document that are shown, and lines of one that is not well-formed, before and after the fault.
const MOST_ELEMENTS: usize = 50;
const LINES_AROUND: usize = 3;
/// Letters of such a line that are shown, before and after the fault.
const LETTERS_AROUND: usize = 120;

/// A language of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
}

impl Language {
    /// The text in this language.
    #[must_use]
    pub const fn choose<'t>(self, english: &'t str, german: &'t str) -> &'t str {
        match self {
            Self::English => english,
            Self::German => german,
        }
    }

    const fn of(self, [english, german]: model::Both) -> &'static str {
        self.choose(english, german)
    }
}

/// Checks an invoice as [`check`](crate::check) does, and writes the report as an HTML document of a few MB at most. It says what
/// it left out. `name` is its heading, for example the name of the file.
///
/// A document that is not an invoice is shown as far as it is understood, one that is not well-formed where it is not.
///
/// ```
/// use erp_invoice_check::{CheckLimits, Language, check_html};
///
/// let (report, html) = check_html(b"<a><b></a>", &CheckLimits::DEFAULT, Language::English, "a.xml");
/// assert!(!report.valid);
/// assert!(html.starts_with("<!DOCTYPE html>"));
/// assert!(html.contains("&lt;a&gt;&lt;b&gt;&lt;/a&gt;"));
/// ```
#[must_use]
pub fn check_html(
    xml: &[u8],
    limits: &CheckLimits,
    language: Language,
    name: &str,
) -> (Report, String) {
    let mut body = Page::new(usize::MAX);
    let report = match decode(xml, &limits.xml) {
        Ok(text) => match Tree::parse(&text, &limits.xml) {
            Ok(tree) => {
                let (report, elements) = judge::judge(&tree, limits);
                write(&mut body, &tree, (&report, &elements), language);
                report
            }
            Err(error) => broken(&mut body, &text, &error, language),
        },
        Err(error) => {
            let start = xml.get(..limits.xml.bytes).unwrap_or(xml);
            let text = decode_lossy(start, limits.xml.decode_text).unwrap_or_default();
            broken(&mut body, &text, &error, language)
        }
    };
    let (_, verdict) = verdict(&report, language);
    let html = document(language, &verdict, name, &body);
    (report, html)
}

fn write(
    body: &mut Page,
    tree: &Tree<'_>,
    (report, elements): (&Report, &[u32]),
    language: Language,
) {
    summary(body, report, language);
    // The one finding on a document without an invoice is in the summary.
    let listed = match report.rules.is_empty() {
        true => 0,
        false => report.findings.len().min(MOST_FINDINGS),
    };
    let findings = report.findings.get(..listed).unwrap_or_default();
    let Some(is_ubl) = invoice::syntax(tree.root()) else {
        return other(body, tree, language);
    };
    let currency = invoice::currency(tree.root(), is_ubl);
    let style = Style {
        language,
        currency: &currency,
    };
    let invoice = Invoice::gather(tree, is_ubl, style, (findings, elements));
    if !findings.is_empty() {
        by_place(body, report, &invoice, language);
    }
    let mut shown = Page::new(MOST_BYTES);
    body.put(&["<section class=\"invoice\"><h2>"]);
    body.text(&invoice.heading());
    body.put(&["</h2>\n"]);
    invoice.write(&mut shown);
    body.put(&[&shown.html, "</section>\n"]);
}

/// The verdict, and by what it was reached.
fn summary(body: &mut Page, report: &Report, language: Language) {
    let (class, words) = verdict(report, language);
    body.put(&[
        "<section class=\"verdict ",
        class,
        "\"><h2>",
        &words,
        "</h2>\n",
    ]);
    if let Some(finding) = report.not_checked() {
        body.put(&["<p>"]);
        body.sentence(language.choose(&finding.en, &finding.de));
        body.put(&["</p>\n"]);
    }
    let structure = match report.structure {
        Report::NOT_CHECKED => language.choose("not checked", "nicht geprüft"),
        schema => schema,
    };
    body.put(&["<dl>\n"]);
    let profile = report.profile.as_deref().unwrap_or("–");
    body.fact(language.choose("Guideline", "Richtlinie"), profile);
    body.fact(language.choose("Structure", "Struktur"), structure);
    body.fact(
        language.choose("Rule sets", "Regelwerke"),
        &report.rules.join(", "),
    );
    body.put(&["</dl></section>\n"]);
}

fn by_place(body: &mut Page, report: &Report, invoice: &Invoice<'_>, language: Language) {
    let title = language.choose("Findings", "Befunde");
    body.put(&["<section class=\"findings\"><h2>", title, "</h2>\n"]);
    let mut listed = 0_usize;
    for (number, place) in invoice.places.iter().enumerate() {
        if place.findings.is_empty() {
            continue;
        }
        let id = number.to_string();
        body.put(&["<h3 id=\"g", &id, "\"><a href=\"#p", &id, "\">"]);
        body.text(&invoice.title(place));
        body.put(&["</a></h3>\n<ol>\n"]);
        for number in &place.findings {
            if let Some(finding) = report.findings.get(*number) {
                item(body, *number, finding, language);
                listed += 1;
            }
        }
        body.put(&["</ol>\n"]);
    }
    let counts = [report.fatal, report.warnings, report.information];
    let all = counts.into_iter().fold(0, usize::saturating_add);
    if all > listed {
        let more = language.choose(
            "more findings are not listed",
            "weitere Befunde sind nicht aufgeführt",
        );
        body.put(&["<p>", &(all - listed).to_string(), " ", more, ".</p>\n"]);
    }
    body.put(&["</section>\n"]);
}

fn item(body: &mut Page, number: usize, finding: &Finding, language: Language) {
    let (class, word) = severity(finding.severity, language);
    body.put(&[
        "<li id=\"f",
        &number.to_string(),
        "\" class=\"",
        class,
        "\"><p><strong>",
        word,
    ]);
    body.put(&["</strong> <code>"]);
    body.text(&finding.rule);
    body.put(&[
        "</code> ",
        &finding.terms.join(", "),
        "</p><p class=\"text\">",
    ]);
    body.sentence(language.choose(&finding.en, &finding.de));
    let line = finding.line.to_string();
    body.put(&[
        "</p><p class=\"place\">",
        language.choose("Line", "Zeile"),
        " ",
        &line,
        " <code>",
    ]);
    let path = match finding.path.char_indices().nth(LONGEST_PATH) {
        Some((end, _)) => format!("{}…", finding.path.get(..end).unwrap_or_default()),
        None => finding.path.clone(),
    };
    body.text(&path);
    let sets: Vec<&str> = std::iter::once(finding.source)
        .chain(finding.also.iter().copied())
        .collect();
    body.put(&["</code> ", &sets.join(", "), "</p></li>\n"]);
}

/// A document that is not an invoice: its root, and the first elements with a text.
fn other(body: &mut Page, tree: &Tree<'_>, language: Language) {
    let root = tree.root();
    let title = language.choose("What the document is", "Was das Dokument ist");
    body.put(&["<section class=\"invoice\"><h2>", title, "</h2>\n<dl>\n"]);
    body.fact(
        language.choose("Root element", "Wurzelelement"),
        root.name(),
    );
    body.fact(language.choose("Namespace", "Namensraum"), root.namespace());
    let count = tree.elements().count().to_string();
    body.fact(language.choose("Elements", "Elemente"), &count);
    body.put(&[
        "</dl>\n<h3>",
        language.choose("First texts", "Erste Texte"),
        "</h3>\n<dl>\n",
    ]);
    let is_leaf = |element: &Element<'_>| element.children().next().is_none();
    let leaves = tree.elements().filter(is_leaf).take(MOST_ELEMENTS);
    for element in leaves {
        let name = crate::xml::text::escape(&cut(element.name()));
        body.fact(&name, element.text().trim());
    }
    body.put(&["</dl></section>\n"]);
}

/// The report on a document that is not well-formed: the lines around the fault.
fn broken(body: &mut Page, text: &str, error: &XmlError, language: Language) -> Report {
    let report = not_xml(error);
    summary(body, &report, language);
    let first = error.line.saturating_sub(LINES_AROUND).max(1);
    let title = language.choose("Where it is", "Wo es ist");
    body.put(&["<section class=\"invoice\"><h2>", title, "</h2>\n<pre>"]);
    let lines = text.split('\n').enumerate();
    let lines = lines.map(|(at, line)| (at + 1, line)).skip(first - 1);
    for (number, line) in lines.take(LINES_AROUND * 2 + 1) {
        let is_it = number == error.line;
        let start = if is_it {
            error.column.saturating_sub(LETTERS_AROUND)
        } else {
            0
        };
        let letters: String = line.chars().skip(start).take(LETTERS_AROUND * 2).collect();
        let number = number.to_string();
        body.put(&[
            if is_it { "<mark class=\"fatal\">" } else { "" },
            &number,
            ": ",
        ]);
        body.text(&letters);
        body.put(&[if is_it { "</mark>\n" } else { "\n" }]);
    }
    body.put(&["</pre></section>\n"]);
    report
}
