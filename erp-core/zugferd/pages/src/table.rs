//! The lines of an invoice, over as many pages as they take.

use super::canvas::{Area, Ink, Style, mm};
use super::labels;
use super::parts::Line;
use super::sheet::{BODY, LEFT, RIGHT, SMALL, Sheet};
use rust_decimal::Decimal;

/// Above and below the text of a row.
const PAD: i32 = mm(16) / 10;
/// Room for the sum carried to the next page.
const CARRY: i32 = mm(7);
const HEADING: Style = Style::new(85, Ink::Blue).bold();
const HEADING_HEIGHT: i32 = mm(7);
/// Between two columns.
const SPACE: i32 = mm(2);

/// Right edges of the columns, and the room of the text.
struct Columns {
    text: i32,
    text_width: i32,
    quantity: i32,
    unit: i32,
    price: i32,
    discount: Option<i32>,
    tax: Option<i32>,
}

const QUANTITY_WIDTH: i32 = mm(16);
const UNIT_WIDTH: i32 = mm(14);
const PRICE_WIDTH: i32 = mm(23);
const DISCOUNT_WIDTH: i32 = mm(16);
const TAX_WIDTH: i32 = mm(11);
const SUM_WIDTH: i32 = mm(26);

impl Columns {
    fn of(sheet: &Sheet<'_>) -> Self {
        let invoice = sheet.invoice;
        let mut x = RIGHT - SUM_WIDTH;
        let mut column = |shown: bool, width: i32| {
            let edge = shown.then_some(x);
            x -= if shown { width } else { 0 };
            edge
        };
        let rates = invoice.taxes.len() > 1 && invoice.lines.iter().any(|l| l.tax_rate.is_some());
        let tax = column(rates, TAX_WIDTH);
        let discounts = invoice.lines.iter().any(|line| line.discount.is_some());
        let discount = column(discounts, DISCOUNT_WIDTH);
        let price = x;
        let unit = price - PRICE_WIDTH - UNIT_WIDTH + SPACE;
        let quantity = unit - SPACE / 2;
        let text = LEFT + mm(11);
        Self {
            text,
            text_width: quantity - QUANTITY_WIDTH - text,
            quantity,
            unit,
            price,
            discount,
            tax,
        }
    }
}

pub(crate) fn lines(sheet: &mut Sheet<'_>) {
    if sheet.invoice.lines.is_empty() {
        return;
    }
    let columns = Columns::of(sheet);
    let mut table = Table {
        columns,
        running: Some(Decimal::ZERO),
    };
    sheet.need(HEADING_HEIGHT + mm(20) + CARRY);
    table.heading(sheet);
    for (at, line) in sheet.invoice.lines.iter().enumerate() {
        table.row(sheet, line, at > 0);
    }
    sheet.y += mm(2);
}

struct Table {
    columns: Columns,
    /// The sum of the lines so far; `None` when it overflows.
    running: Option<Decimal>,
}

impl Table {
    fn heading(&self, sheet: &mut Sheet<'_>) {
        let columns = &self.columns;
        let y = sheet.y;
        sheet.shade(Area {
            x: LEFT,
            y,
            width: RIGHT - LEFT,
            height: HEADING_HEIGHT,
        });
        let y = y + (HEADING_HEIGHT - HEADING.size * 11 / 10) / 2;
        let label = |label| sheet.writer.label(label);
        let (position, text) = (label(labels::POSITION), label(labels::DESCRIPTION));
        let sum = sheet.writer.fill(labels::SUM, &[&sheet.invoice.currency]);
        let right = [
            (
                columns.unit,
                label(labels::QUANTITY),
                QUANTITY_WIDTH + SPACE,
            ),
            (columns.price, label(labels::UNIT_PRICE), PRICE_WIDTH),
            (RIGHT, sum, SUM_WIDTH),
        ];
        let optional = [
            (columns.discount, label(labels::DISCOUNT), DISCOUNT_WIDTH),
            (columns.tax, label(labels::TAX), TAX_WIDTH),
        ];
        let optional = optional
            .into_iter()
            .filter_map(|(edge, label, width)| Some((edge?, label, width)));
        sheet.text(LEFT + mm(1), y, HEADING, &position);
        sheet.text(columns.text, y, HEADING, &text);
        for (edge, label, width) in right.into_iter().chain(optional) {
            let edge = if edge == RIGHT { edge - mm(1) } else { edge };
            sheet.right((edge, width - SPACE / 2), y, HEADING, &label);
        }
        sheet.y += HEADING_HEIGHT;
    }

    /// The sum so far.
    fn carry(&self, sheet: &mut Sheet<'_>) {
        if let Some(running) = self.running {
            let (writer, y, style) = (sheet.writer, sheet.y + PAD, BODY.bold());
            let label = writer.label(labels::CARRIED_FORWARD);
            sheet.text(self.columns.text, y, style, &label);
            let edge = (RIGHT - mm(1), SUM_WIDTH + mm(20));
            sheet.right(edge, y, style, &writer.amount(running));
        }
        sheet.y += CARRY;
    }

    /// Starts a new page; the carried sum is on both.
    fn turn(&self, sheet: &mut Sheet<'_>, carried: bool) {
        if carried {
            self.carry(sheet);
        }
        sheet.new_page();
        self.heading(sheet);
        if carried {
            self.carry(sheet);
            sheet.rule(sheet.y);
        }
    }

    fn row(&mut self, sheet: &mut Sheet<'_>, line: &Line, carried: bool) {
        let end = sheet.bottom() - CARRY;
        let texts = self.texts(sheet, line);
        let units = sheet.wrap(BODY, &line.unit, UNIT_WIDTH - SPACE);
        let units_height = BODY.line() * i32::try_from(units.len()).unwrap_or_default();
        let first: i32 = texts.iter().take(2).map(|(style, _)| style.line()).sum();
        if sheet.y + PAD + first.max(units_height) + PAD > end {
            self.turn(sheet, carried);
        }
        sheet.y += PAD;
        let (page, units_end) = (sheet.done.len(), sheet.y + units_height);
        self.numbers(sheet, line, &units);
        self.running = self.running.and_then(|sum| sum.checked_add(line.sum));
        for (style, text) in &texts {
            if sheet.y + style.line() > end {
                self.turn(sheet, true);
                sheet.y += PAD;
            }
            sheet.text(self.columns.text, sheet.y, *style, text);
            sheet.y += style.line();
        }
        if sheet.done.len() == page {
            sheet.y = sheet.y.max(units_end);
        }
        sheet.y += PAD;
        sheet.rule(sheet.y);
    }

    fn texts(&self, sheet: &Sheet<'_>, line: &Line) -> Vec<(Style, String)> {
        let number = line.number.as_ref();
        let number = number.map(|number| sheet.writer.fill(labels::ARTICLE_NUMBER, &[number]));
        let parts = [
            (BODY, Some(&line.name)),
            (SMALL, number.as_ref()),
            (SMALL, line.text.as_ref()),
        ];
        let mut texts = Vec::new();
        for (style, text) in parts {
            let lines = text.map(|text| sheet.wrap(style, text, self.columns.text_width));
            texts.extend(lines.into_iter().flatten().map(|text| (style, text)));
        }
        texts
    }

    /// The first line of a row, apart from the text.
    fn numbers(&self, sheet: &mut Sheet<'_>, line: &Line, units: &[String]) {
        let Columns {
            quantity,
            unit,
            price,
            discount,
            tax,
            ..
        } = self.columns;
        let (y, writer) = (sheet.y, sheet.writer);
        let position = sheet.fit(BODY, &line.position, mm(9));
        sheet.text(LEFT + mm(1), y, position, &line.position);
        let amount = writer.quantity(line.quantity);
        sheet.right((quantity, QUANTITY_WIDTH - SPACE), y, BODY, &amount);
        for (text, below) in units.iter().zip(0..) {
            sheet.text(unit, y + BODY.line() * below, BODY, text);
        }
        let mut each = writer.amount(line.price);
        if let Some(per) = line.price_quantity.filter(|per| *per != Decimal::ONE) {
            each = format!("{each} / {}", writer.quantity(per));
        }
        sheet.right((price, PRICE_WIDTH - SPACE), y, BODY, &each);
        for (x, percent, width) in [
            (discount, line.discount, DISCOUNT_WIDTH),
            (tax, line.tax_rate, TAX_WIDTH),
        ] {
            if let (Some(x), Some(percent)) = (x, percent) {
                sheet.right((x, width - SPACE), y, BODY, &writer.percent(percent));
            }
        }
        let edge = (RIGHT - mm(1), SUM_WIDTH - SPACE);
        sheet.right(edge, y, BODY, &writer.amount(line.sum));
    }
}
