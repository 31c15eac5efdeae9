//! Pages while they fill from top to bottom.

use super::Invoice;
use super::canvas::{Area, Ink, Mark, Pen, Style, mm};
use super::font::Fonts;
use super::format::Writer;

/// Where text starts.
pub(crate) const LEFT: i32 = mm(25);
/// Where text ends.
pub(crate) const RIGHT: i32 = mm(190);
/// Where the text of the second and later pages starts.
const TOP: i32 = mm(27);
/// The lower edge of the foot of a page.
const FOOT: i32 = mm(289);
/// Between text and foot; the page number is there.
const GAP: i32 = mm(10);
/// The upper edge of a QR-bill, which is 105 mm high.
pub(crate) const BILL: i32 = mm(297 - 105);

/// Running text.
pub(crate) const BODY: Style = Style::new(95, Ink::Black);
/// Explanations.
pub(crate) const SMALL: Style = Style::new(85, Ink::Grey);
/// Headings of sections.
pub(crate) const HEAD: Style = Style::new(105, Ink::Blue).bold();

#[derive(Debug, Default)]
pub(crate) struct SheetPage {
    pub(crate) marks: Vec<Mark>,
    /// Its lower part is a QR-bill.
    pub(crate) bill: bool,
}

/// All pages so far, and the position on the last one.
pub(crate) struct Sheet<'a> {
    pub(crate) invoice: &'a Invoice,
    pub(crate) fonts: &'a Fonts,
    pub(crate) writer: Writer,
    pub(crate) done: Vec<SheetPage>,
    pub(crate) page: SheetPage,
    /// Where the next text starts.
    pub(crate) y: i32,
    /// How high the foot of each page is.
    pub(crate) foot: i32,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(invoice: &'a Invoice, fonts: &'a Fonts) -> Self {
        Self {
            invoice,
            fonts,
            writer: Writer::new(invoice),
            done: Vec::new(),
            page: SheetPage::default(),
            y: TOP,
            foot: 0,
        }
    }

    /// Where text of a page ends.
    pub(crate) const fn bottom(&self) -> i32 {
        self.foot_top(false) - GAP
    }

    pub(crate) const fn foot_top(&self, bill: bool) -> i32 {
        let lower = if bill { BILL - mm(5) } else { FOOT };
        lower - self.foot
    }

    /// Whether a QR-bill has room below what is on the page. An only page has no number.
    pub(crate) const fn has_room_for_bill(&self) -> bool {
        let gap = if self.done.is_empty() { mm(3) } else { GAP };
        self.y + gap <= self.foot_top(true)
    }

    pub(crate) fn new_page(&mut self) {
        self.done.push(std::mem::take(&mut self.page));
        self.y = TOP;
    }

    /// Starts a new page unless there is room for this height.
    pub(crate) fn need(&mut self, height: i32) {
        if self.y + height > self.bottom() && self.y > TOP {
            self.new_page();
        }
    }

    pub(crate) fn width(&self, style: Style, text: &str) -> i32 {
        self.fonts.face(style.bold).width(text, style.size)
    }

    pub(crate) fn wrap(&self, style: Style, text: &str, width: i32) -> Vec<String> {
        self.fonts.face(style.bold).wrap(text, style.size, width)
    }

    /// Text from `x` to the right; `y` is its upper edge.
    pub(crate) fn text(&mut self, x: i32, y: i32, style: Style, text: &str) {
        let text = text.trim_end();
        if !text.is_empty() {
            let text = text.to_owned();
            self.page.marks.push(Mark::Text { x, y, style, text });
        }
    }

    /// Text that ends at an edge, made smaller when it is wider than the room before it.
    pub(crate) fn right(&mut self, (edge, room): (i32, i32), y: i32, style: Style, text: &str) {
        let fitted = self.fit(style, text, room);
        let x = edge - self.width(fitted, text);
        // All texts of a row stand on one line.
        let y = y + (style.size - fitted.size) * 9 / 10;
        self.text(x, y, fitted, text);
    }

    /// The style, smaller when the text is wider than there is room for.
    pub(crate) fn fit(&self, style: Style, text: &str, room: i32) -> Style {
        let width = self.width(style, text);
        if width <= room {
            return style;
        }
        let size = i64::from(style.size) * i64::from(room) / i64::from(width);
        let size = i32::try_from(size).unwrap_or(style.size).max(1);
        Style { size, ..style }
    }

    /// A text over as many lines and pages as it takes.
    pub(crate) fn paragraph(&mut self, style: Style, text: &str) {
        self.column(style, text, LEFT, RIGHT - LEFT);
    }

    /// A paragraph of another width.
    pub(crate) fn column(&mut self, style: Style, text: &str, x: i32, width: i32) {
        for line in self.wrap(style, text, width) {
            self.need(style.line());
            self.text(x, self.y, style, &line);
            self.y += style.line();
        }
    }

    /// The heading of a section, kept together with what follows.
    pub(crate) fn head(&mut self, text: &str) {
        self.y += mm(6);
        self.need(mm(16));
        self.text(LEFT, self.y, HEAD, text);
        self.y += HEAD.line() + mm(1);
    }

    pub(crate) fn line(&mut self, from: (i32, i32), to: (i32, i32), pen: Pen) {
        self.page.marks.push(Mark::Line { from, to, pen });
    }

    /// A pale line across the page.
    pub(crate) fn rule(&mut self, y: i32) {
        self.line((LEFT, y), (RIGHT, y), Pen::new(mm(2) / 10, Ink::Pale));
    }

    pub(crate) fn shade(&mut self, area: Area) {
        let mark = Mark::Boxes(vec![area], Ink::Shade);
        self.page.marks.push(mark);
    }
}
