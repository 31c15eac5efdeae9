//! The invoice as people read it.

use super::markup::{END_OF_TABLE, Escaped, Html, severity, table};
use super::places::{InvoicePlace, Shown, ShownInvoice};
use crate::read::model::{Model, Section, SectionKind};

/// Bytes after which no further place is shown: a larger page is slow in a browser.
const MOST_BYTES: usize = 3 << 20;
/// Links from a value to its findings; all findings are in the list.
const MOST_LINKS: usize = 3;

impl<'a> ShownInvoice<'a> {
    pub(super) fn write(&self, html: &mut Html) {
        writeln!(html, "<div class=\"parts\">");
        let end = html.0.len() + MOST_BYTES;
        let mut first = 0;
        for (section, (count, left_out)) in Model::get().sections.iter().zip(&self.counts) {
            let mut left_out = *left_out;
            let is_table = section.kind == SectionKind::Table && *count > 0;
            if is_table {
                self.head(html, section);
            }
            let places = self.places.iter().enumerate().skip(first).take(*count);
            for (number, place) in places {
                match (html.0.len() < end, section.kind) {
                    (false, _) => left_out += 1,
                    (true, SectionKind::Table) => self.row(html, number, place),
                    (true, _) => self.card(html, number, place),
                }
            }
            if is_table {
                writeln!(html, "{END_OF_TABLE}</section>");
            }
            if left_out > 0 {
                let more = self.style.label(["not shown here", "hier nicht gezeigt"]);
                let label = self.style.label(section.all);
                writeln!(
                    html,
                    "<p class=\"place whole\">{label}: {left_out} {more}.</p>"
                );
            }
            first += count;
        }
        writeln!(html, "</div>");
    }

    fn card(&self, html: &mut Html, number: usize, place: &InvoicePlace<'a>) {
        let fields = place.section.fields.iter();
        let shown = fields.map(|field| (field, self.shown(place, field)));
        let shown: Vec<_> = shown.filter(|(_, shown)| !shown.is_empty()).collect();
        if place.findings.is_empty() && shown.is_empty() {
            return;
        }
        let section = place.section;
        let label = self.style.label(section.one);
        let class = section.class;
        write!(html, "<section id=\"p{number}\"{class}><h3>{label}");
        if !class.is_empty() && !self.style.currency.is_empty() {
            write!(html, " ({})", Escaped(self.style.currency));
        }
        self.link(html, number, place);
        writeln!(html, "</h3>\n<dl>");
        for (field, shown) in shown {
            write!(html, "<div><dt>{}</dt><dd>", self.style.label(field.label));
            self.value(html, &shown);
            writeln!(html, "</dd></div>");
        }
        writeln!(html, "</dl></section>");
    }

    fn head(&self, html: &mut Html, section: &'static Section) {
        let label = self.style.label(section.all);
        writeln!(html, "<section class=\"whole\"><h3>{label}</h3>");
        let columns = section.fields.iter().filter(|field| !field.is_small);
        let heads = columns.map(|field| (self.style.label(field.label), field.class()));
        table(html, label, &heads.collect::<Vec<_>>());
    }

    fn row(&self, html: &mut Html, number: usize, place: &InvoicePlace<'a>) {
        write!(html, "<tr id=\"p{number}\">");
        for (at, field) in place.section.fields.iter().enumerate() {
            let shown = self.shown(place, field);
            match (field.is_small, at) {
                (true, _) if shown.is_empty() => continue,
                (true, _) => write!(html, "<small>{}: ", self.style.label(field.label)),
                (false, 0) => write!(html, "<td{}>", field.class()),
                (false, _) => write!(html, "</td><td{}>", field.class()),
            }
            self.value(html, &shown);
            match (field.is_small, at) {
                (true, _) => write!(html, "</small>"),
                (false, 0) => self.link(html, number, place),
                (false, _) => {}
            }
        }
        writeln!(html, "</td></tr>");
    }

    /// The class of the worst of some findings.
    fn worst(&self, findings: &[usize]) -> Option<&'static str> {
        let findings = findings.iter().filter_map(|at| self.findings.get(*at));
        let worst = findings.map(|finding| finding.severity).min()?;
        Some(severity(worst, self.style.language).0)
    }

    fn link(&self, html: &mut Html, number: usize, place: &InvoicePlace<'a>) {
        let Some(class) = self.worst(&place.findings) else {
            return;
        };
        let count = place.findings.len();
        let word = match count {
            1 => self.style.label(["finding", "Befund"]),
            _ => self.style.label(["findings", "Befunde"]),
        };
        write!(
            html,
            " <a class=\"mark {class}\" href=\"#g{number}\">{count} {word}</a>"
        );
    }

    /// The values of a field, marked where there are findings, with links to them.
    fn value(&self, html: &mut Html, shown: &Shown) {
        let values = shown.values.join("\n");
        let more = match shown.left_out {
            0 => String::new(),
            more => format!(" … +{more}"),
        };
        let Some(class) = self.worst(&shown.findings) else {
            write!(html, "{}{more}", Escaped(&values));
            return;
        };
        let text = match values.as_str() {
            "" => self.style.label(["missing", "fehlt"]),
            text => text,
        };
        let text = Escaped(text);
        write!(html, "<mark class=\"{class}\">{text}{more}</mark>");
        for number in shown.findings.iter().take(MOST_LINKS) {
            if let Some(finding) = self.findings.get(*number) {
                let (class, _) = severity(finding.severity, self.style.language);
                let rule = Escaped(&finding.rule);
                write!(
                    html,
                    " <a class=\"mark {class}\" href=\"#f{number}\">{rule}</a>"
                );
            }
        }
        if shown.findings.len() > MOST_LINKS {
            write!(html, " …");
        }
    }
}
