//! HTML text: escaped words, paragraphs, tables, folded parts.

use std::fmt::Write as _;

use serde_json::Value;

pub(super) struct HtmlPage(pub(super) String);

impl HtmlPage {
    pub(super) fn raw(&mut self, html: &str) {
        self.0.push_str(html);
    }

    pub(super) fn text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '<' => self.raw("&lt;"),
                '>' => self.raw("&gt;"),
                '&' => self.raw("&amp;"),
                '"' => self.raw("&quot;"),
                other => self.0.push(other),
            }
        }
    }

    /// Text with code in backticks.
    pub(super) fn inline(&mut self, text: &str) {
        for (at, part) in text.split('`').enumerate() {
            let is_code = at % 2 == 1;
            if is_code {
                self.raw("<code>");
            }
            self.text(part);
            if is_code {
                self.raw("</code>");
            }
        }
    }

    /// Paragraphs, and lists of lines that start with `- `.
    pub(super) fn prose(&mut self, text: &str) {
        for block in text.split("\n\n").filter(|block| !block.is_empty()) {
            if block.starts_with("- ") {
                self.raw("<ul>");
                for line in block.split('\n') {
                    self.element("li", line.trim_start_matches("- "));
                }
                self.raw("</ul>");
            } else {
                self.element("p", block);
            }
        }
    }

    pub(super) fn element(&mut self, name: &str, text: &str) {
        let _ = write!(self.0, "<{name}>");
        self.inline(text);
        let _ = write!(self.0, "</{name}>");
    }

    pub(super) fn code(&mut self, text: &str) {
        self.raw("<code>");
        self.text(text);
        self.raw("</code>");
    }

    pub(super) fn link(&mut self, prefix: &str, name: &str, shown: &str) {
        let _ = write!(self.0, "<a href=\"#{prefix}-{name}\">");
        self.text(shown);
        self.raw("</a>");
    }

    pub(super) fn route(&mut self, method: &str, path: &str) {
        self.method(method);
        self.code(path);
    }

    pub(super) fn method(&mut self, method: &str) {
        let name = method.to_uppercase();
        let _ = write!(self.0, "<span class=\"method {method}\">{name}</span> ");
    }

    /// Begins a part that unfolds; [`HtmlPage::unfolded`] ends it.
    pub(super) fn folded(&mut self, summary: &str) {
        self.raw("<details>");
        self.element("summary", summary);
    }

    pub(super) fn unfolded(&mut self) {
        self.raw("</details>");
    }

    /// Begins a table; [`HtmlPage::foot`] ends it.
    pub(super) fn head(&mut self, caption: &str, columns: &[&str]) {
        self.raw("<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"");
        self.text(caption);
        self.raw("\"><table><caption>");
        self.text(caption);
        self.raw("</caption><thead><tr>");
        for column in columns {
            self.raw("<th scope=\"col\">");
            self.text(column);
            self.raw("</th>");
        }
        self.raw("</tr></thead><tbody>");
    }

    /// Begins a row with the name of a field, where it stands, and whether it must be there.
    pub(super) fn row(&mut self, name: &str, place: &str, is_required: bool) {
        self.raw("<tr><th scope=\"row\">");
        self.code(name);
        let notes = [place, if is_required { "required" } else { "" }];
        for note in notes.into_iter().filter(|note| !note.is_empty()) {
            self.raw(" ");
            self.element("small", note);
        }
        self.raw("</th>");
    }

    pub(super) fn foot(&mut self) {
        self.raw("</tbody></table></div>");
    }

    pub(super) fn example(&mut self, example: &Value) {
        self.raw("<pre tabindex=\"0\">");
        let written = match example {
            Value::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).unwrap_or_default(),
        };
        self.text(&written);
        self.raw("</pre>");
    }
}
