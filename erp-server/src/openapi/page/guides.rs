//! The guides of the page: the usual jobs, step by step. The script writes a sample beside each step, as it does beside operations.

use std::fmt::Write as _;

use super::PageOperation;
use super::html::HtmlPage;
use crate::openapi::rows;

/// A guide is a row with its id and title, and a row for each step: the operation whose sample is shown, with the example of
/// its body; values of parameters in the sample; the text. A blank line follows.
const GUIDES: &str = include_str!("guides.tsv");

impl HtmlPage {
    pub(super) fn guide_links(&mut self) {
        for [id, title] in rows(GUIDES) {
            self.raw("<li>");
            self.link("guide", id, title);
            self.raw("</li>");
        }
    }

    pub(super) fn guides(&mut self, operations: &[PageOperation<'_>]) {
        self.raw("<section>");
        self.element("h2", "Guides");
        for guide in GUIDES.split("\n\n") {
            for [id, title] in rows(guide) {
                let _ = write!(self.0, "<section id=\"guide-{id}\">");
                self.element("h3", title);
            }
            for [operation, values, text] in rows(guide) {
                let place = operations.iter().find(|place| place.id() == operation);
                if let Some(place) = place {
                    self.step(place, values, text);
                }
            }
            self.raw("</section>");
        }
        self.raw("</section>");
    }

    fn step(&mut self, place: &PageOperation<'_>, values: &str, text: &str) {
        self.raw("<div class=\"pair\" data-values=\"");
        self.text(values);
        self.raw("\"><div>");
        self.element("p", text);
        let _ = write!(self.0, "<p><a href=\"#op-{}\">", place.id());
        self.route(place.method, place.path);
        self.raw("</a></p></div><div class=\"side\"></div></div>");
    }
}
