//! The report as one HTML document: verdict, findings by place, and the invoice as people read it, with links between
//! places and findings. No script, and nothing from elsewhere.
//!
//! What an invoice says is [`read`](super::read)'s.

mod index;
mod invoice;
mod markup;
mod places;
#[cfg(test)]
mod tests;
mod values;

use crate::judge;
use crate::language::Language;
use crate::limits::CheckLimits;
use crate::read::model::Model;
use crate::read::path;
use crate::report::{Finding, Report, not_xml};
use crate::xml::text::{decode, decode_lossy};
use crate::xml::{Element, Tree, XmlError};
use markup::{Escaped, Html, Sentence, document, fact, severity, verdict};
use places::ShownInvoice;
use values::{Style, cut};

pub use index::{IndexEntry, index_html};

/// Findings that are listed; nobody reads more, and all are counted.
const MOST_FINDINGS: usize = 1_000;
/// Letters of a path that are shown; deep documents have paths of any length.
const LONGEST_PATH: usize = 500;
/// Elements of another document that are shown, and lines of one that is not well-formed, before and after the fault.
const MOST_ELEMENTS: usize = 50;
const LINES_AROUND: usize = 3;
/// Letters of such a line that are shown, before and after the fault: XML is often one line.
const LETTERS_AROUND: usize = 120;

/// Checks an invoice as [`check`](crate::check) does, and writes the report as an HTML document of a few MB at most. It says what
/// it left out. `name` is its heading, for example the name of the file.
///
/// A document that is not an invoice is shown as far as it is understood, one that is not well-formed where it is not.
///
/// ```
/// use erp_invoice_check::html::check_html;
/// use erp_invoice_check::{CheckLimits, Language};
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
    let (report, body) = match decode(xml, &limits.xml) {
        Ok(text) => match Tree::parse(&text, &limits.xml) {
            Ok(tree) => {
                let (report, elements) = judge::judge(&tree, limits);
                let body = checked(&tree, (&report, &elements), language);
                (report, body)
            }
            Err(error) => broken(&text, &error, language),
        },
        Err(error) => {
            let start = xml.get(..limits.xml.bytes).unwrap_or(xml);
            let text = decode_lossy(start, limits.xml.decode_text).unwrap_or_default();
            broken(&text, &error, language)
        }
    };
    let (_, verdict) = verdict(&report, language);
    let html = document(language, &verdict, name, &body.0);
    (report, html)
}

/// What a document says of its kind, number and sums, with the findings.
fn checked(tree: &Tree<'_>, (report, elements): (&Report, &[u32]), language: Language) -> Html {
    let mut html = summary(report, language);
    let root = tree.root();
    let has = |name| path::first(root, name).is_some();
    let is_ubl = matches!(root.local(), "Invoice" | "CreditNote");
    let is_shown = is_ubl || has("*ExchangedDocument") && has("*Transaction");
    if !is_shown {
        other(&mut html, tree, language);
        return html;
    }
    // The one finding on a document without an invoice is in the summary.
    let has_rules = !report.rules.is_empty();
    let listed = if has_rules { MOST_FINDINGS } else { 0 };
    let findings = report.findings.get(..listed).unwrap_or(&report.findings);
    let mut style = Style {
        language,
        is_ubl,
        currency: "",
    };
    let currency = cut(&Model::get().text(root, "BT-5", is_ubl));
    style.currency = &currency;
    let invoice = ShownInvoice::gather(tree, style, (findings, elements));
    if !findings.is_empty() {
        by_place(&mut html, report, &invoice);
    }
    let heading = invoice.heading();
    let heading = Escaped(&heading);
    writeln!(html, "<section class=\"invoice\"><h2>{heading}</h2>");
    invoice.write(&mut html);
    writeln!(html, "</section>");
    html
}

/// The verdict, and by what it was reached.
fn summary(report: &Report, language: Language) -> Html {
    let (class, words) = verdict(report, language);
    let mut html = Html::default();
    writeln!(html, "<section class=\"verdict {class}\"><h2>{words}</h2>");
    if let Some(finding) = report.not_checked() {
        let sentence = Sentence(language.choose(&finding.en, &finding.de));
        writeln!(html, "<p>{sentence}</p>");
    }
    if !report.rules.is_empty() {
        let profile = report.profile.as_deref().unwrap_or("–");
        let rules = report.rules.join(", ");
        writeln!(html, "<dl>");
        for (en, de, text) in [
            ("Guideline", "Richtlinie", profile),
            ("Structure", "Struktur", report.structure),
            ("Rule sets", "Regelwerke", &rules),
        ] {
            fact(&mut html, language.choose(en, de), text);
        }
        writeln!(html, "</dl>");
    }
    writeln!(html, "</section>");
    html
}

fn by_place(html: &mut Html, report: &Report, invoice: &ShownInvoice<'_>) {
    let language = invoice.style.language;
    let title = language.choose("Findings", "Befunde");
    writeln!(html, "<section class=\"findings\"><h2>{title}</h2>");
    for (number, place) in invoice.places.iter().enumerate() {
        if place.findings.is_empty() {
            continue;
        }
        let title = invoice.title(place);
        let title = Escaped(title.trim_end());
        writeln!(
            html,
            "<h3 id=\"g{number}\"><a href=\"#p{number}\">{title}</a></h3>\n<ol>"
        );
        let of_place = place.findings.iter();
        let of_place = of_place.filter_map(|it| Some((*it, invoice.findings.get(*it)?)));
        for group in Finding::grouped(of_place) {
            item(html, &group, language);
        }
        writeln!(html, "</ol>");
    }
    let counts = [report.fatal, report.warnings, report.information];
    let all = counts.into_iter().sum::<usize>();
    match all.saturating_sub(invoice.findings.len()) {
        0 => writeln!(html, "</section>"),
        more => {
            let words = [
                "more findings are not listed",
                "weitere Befunde sind nicht aufgeführt",
            ];
            let words = invoice.style.label(words);
            writeln!(html, "<p>{more} {words}.</p></section>");
        }
    }
}

/// Findings that say the same.
fn item(html: &mut Html, group: &[(usize, &Finding)], language: Language) {
    let [(number, finding), others @ ..] = group else {
        return;
    };
    let (class, word) = severity(finding.severity, language);
    let (rule, terms) = (Escaped(&finding.rule), finding.terms.join(", "));
    write!(
        html,
        "<li id=\"f{number}\" class=\"{class}\"><p><strong>{word}</strong> "
    );
    write!(html, "<code>{rule}</code> {terms}</p>");
    let sentence = Sentence(language.choose(&finding.en, &finding.de));
    write!(html, "<p class=\"text\">{sentence}</p>");
    let (word, line) = (language.choose("Line", "Zeile"), finding.line);
    let path: String = finding.path.chars().take(LONGEST_PATH).collect();
    let is_cut = path.len() < finding.path.len();
    let cut = if is_cut { "…" } else { "" };
    let mut sets = vec![finding.source];
    sets.extend(&finding.also);
    write!(
        html,
        "<p class=\"place\">{word} {line} <code>{}{cut}</code> ",
        Escaped(&path)
    );
    writeln!(html, "{}</p>", sets.join(", "));
    if !others.is_empty() {
        let times = language.choose(" times, also in lines", "-mal, auch in Zeilen");
        write!(html, "<p class=\"place\">{}{times}", group.len());
        for (number, other) in others {
            write!(html, " <span id=\"f{number}\">{}</span>", other.line);
        }
        writeln!(html, "</p>");
    }
    writeln!(html, "</li>");
}

/// A document that is not an invoice: its root, and the first elements with a text.
fn other(html: &mut Html, tree: &Tree<'_>, language: Language) {
    let root = tree.root();
    let title = language.choose("What the document is", "Was das Dokument ist");
    writeln!(html, "<section class=\"invoice\"><h2>{title}</h2>\n<dl>");
    for (en, de, text) in [
        ("Root element", "Wurzelelement", root.name()),
        ("Namespace", "Namensraum", root.namespace()),
        ("Elements", "Elemente", &tree.elements().count().to_string()),
    ] {
        fact(html, language.choose(en, de), text);
    }
    let is_leaf = |element: &Element<'_>| element.children().next().is_none();
    let mut texts = Html::default();
    for element in tree.elements().filter(is_leaf).take(MOST_ELEMENTS) {
        fact(&mut texts, element.name(), element.text().trim());
    }
    if !texts.0.is_empty() {
        let title = language.choose("First texts", "Erste Texte");
        write!(html, "</dl>\n<h3>{title}</h3>\n<dl>\n{}", texts.0);
    }
    writeln!(html, "</dl></section>");
}

/// The report on a document that is not well-formed: the lines around the fault.
fn broken(text: &str, error: &XmlError, language: Language) -> (Report, Html) {
    let report = not_xml(error);
    let mut html = summary(&report, language);
    let title = language.choose("Where it is", "Wo es ist");
    write!(html, "<section class=\"invoice\"><h2>{title}</h2>\n<pre>");
    let first = error.line.saturating_sub(LINES_AROUND + 1);
    let lines = (1..).zip(text.split('\n')).skip(first);
    for (number, line) in lines.take(LINES_AROUND * 2 + 1) {
        let is_it = number == error.line;
        let before = error.column.saturating_sub(LETTERS_AROUND);
        let start = if is_it { before } else { 0 };
        let before = if start > 0 { "…" } else { "" };
        let mut letters = line.chars().skip(start);
        let shown: String = letters.by_ref().take(LETTERS_AROUND * 2).collect();
        let after = if letters.next().is_some() { "…" } else { "" };
        let letters = format!("{before}{}{after}", Escaped(&shown));
        if is_it {
            writeln!(html, "<mark class=\"fatal\">{number}: {letters}</mark>")
        } else {
            writeln!(html, "{number}: {letters}")
        }
    }
    writeln!(html, "</pre></section>");
    (report, html)
}
