//! Where everything is on the pages: nothing outside, nothing over something else.

use super::canvas::{Area, HEIGHT, Mark, WIDTH, mm};
use super::check::{LINE, PARAGRAPH, REFERENCE};
use super::font::Fonts;
use super::format::number;
use super::parts::{Adjustment, Line, SwissBill, Tax};
use super::{Error, Invoice, check, drawn};
use rust_decimal::Decimal;

#[path = "../tests/pages/samples.rs"]
mod samples;

use samples::{german, lines, reverse_charge, swiss};

/// The pages of an invoice, and the area of each text of a page.
fn placed(invoice: &Invoice) -> Vec<Vec<(Area, String)>> {
    let fonts = Fonts::new().unwrap();
    let (invoice, _) = check::checked(invoice, &fonts).unwrap();
    let pages = drawn(&invoice, &fonts, None).unwrap();
    let texts = |marks: Vec<Mark>| {
        let texts = marks.into_iter().filter_map(|mark| match mark {
            Mark::Text { x, y, style, text } => Some((
                Area {
                    x,
                    y,
                    width: fonts.face(style.bold).width(&text, style.size),
                    height: style.size,
                },
                text,
            )),
            _ => None,
        });
        texts.collect()
    };
    pages.into_iter().map(texts).collect()
}

/// Every text is on its page, within the margins of the letter or, below, of the QR-bill; none is over another.
fn assert_tidy(invoice: &Invoice) {
    for (at, page) in placed(invoice).iter().enumerate() {
        for (number, (area, text)) in page.iter().enumerate() {
            let (right, bottom) = (area.x + area.width, area.y + area.height);
            let bill = invoice.payment.swiss.is_some() && area.y > mm(192);
            let (from, to) = if bill {
                (mm(5), WIDTH - mm(5))
            } else {
                (mm(25), mm(190))
            };
            assert!(
                area.x >= from && right <= to + 10,
                "page {at}: {text:?} {area:?}"
            );
            assert!(
                area.y >= mm(5) && bottom <= HEIGHT - mm(5),
                "page {at}: {text:?} {area:?}"
            );
            for (other, over) in &page[number + 1..] {
                let beside = right <= other.x + 10 || other.x + other.width <= area.x + 10;
                let below = bottom <= other.y + 10 || other.y + other.height <= area.y + 10;
                assert!(
                    beside || below,
                    "page {at}: {text:?} {area:?} and {over:?} {other:?}"
                );
            }
        }
    }
}

#[test]
fn usual_invoices_are_tidy() {
    for language in [
        super::Language::German,
        super::Language::English,
        super::Language::French,
        super::Language::Italian,
    ] {
        for mut invoice in [german(), swiss(language), reverse_charge()] {
            invoice.language = language;
            for count in [0, 1, 2, 7, 8, 9, 10, 11, 12, 100] {
                invoice.lines = lines(count);
                assert_tidy(&invoice);
            }
        }
    }
}

/// An invoice with a long text in each place, and the largest numbers.
fn with_everywhere(text: &str) -> Invoice {
    let long = || Some(text.to_owned());
    let mut invoice = german();
    invoice.number = text.to_owned();
    invoice.seller.party.name = text.to_owned();
    invoice.seller.party.street = long();
    invoice.seller.party.town = text.to_owned();
    invoice.seller.vat_id = long();
    invoice.seller.register = long();
    invoice.seller.management = long();
    invoice.seller.email = long();
    invoice.buyer.name = text.to_owned();
    let reference = || text.get(..REFERENCE).map(str::to_owned);
    let references = &mut invoice.references;
    references.customer_number = reference();
    references.order_number = reference();
    references.buyer_order = reference();
    references.buyer_reference = reference();
    references.contract = reference();
    references.project = reference();
    references.earlier_invoice = reference();
    invoice.contact.email = long();
    invoice.remarks = vec![text.repeat(PARAGRAPH / LINE)];
    invoice.introduction = vec![text.to_owned()];
    invoice.delivery.to = Some(invoice.buyer.clone());
    let line = Line {
        position: "1".repeat(40),
        number: long(),
        name: text.repeat(20),
        text: Some(text.repeat(20)),
        quantity: Decimal::MIN,
        unit: "W".repeat(40),
        price: Decimal::new(i64::MAX, 18),
        price_quantity: Some(Decimal::MAX),
        discount: Some(Decimal::MAX),
        tax_rate: Some(Decimal::MAX),
        sum: Decimal::MAX,
    };
    invoice.lines = vec![line; 5];
    invoice.adjustments = vec![
        Adjustment {
            text: text.to_owned(),
            percent: Some(Decimal::MAX),
            amount: Decimal::MIN,
        };
        3
    ];
    invoice.taxes = vec![
        Tax {
            rate: Some(Decimal::MAX),
            base: Decimal::MAX,
            amount: Decimal::MIN,
            reason: Some(text.repeat(10)),
            ..Tax::default()
        };
        3
    ];
    invoice.totals.payable = Decimal::MAX;
    invoice.totals.net = Decimal::MIN;
    invoice.payment.reference = long();
    invoice.payment.account.as_mut().unwrap().bank = long();
    invoice
}

/// The longest that the QR-bill allows.
fn bill_at_most(name: &str) -> Invoice {
    let mut invoice = swiss(super::Language::French);
    for party in [&mut invoice.seller.party, &mut invoice.buyer] {
        party.name = name.to_owned();
        party.street = Some(name.to_owned());
        party.house_number = Some("W".repeat(16));
        party.postcode = Some("W".repeat(16));
        party.town = "W".repeat(35);
        party.country = "LI".to_owned();
    }
    invoice.totals.payable = Decimal::new(99_999_999_999, 2);
    invoice.payment.swiss = Some(SwissBill {
        reference: Some("RF18 5390 0754 7034".to_owned()),
        message: Some("W".repeat(100)),
        bill_information: Some("W".repeat(40)),
    });
    invoice
}

/// All texts as long as they may be, with and without places to break, and the largest numbers.
#[test]
fn long_texts_and_large_numbers_stay_inside() {
    let word = "W".repeat(LINE);
    let words = "Wort ".repeat(LINE / 5);
    for (text, name) in [(&word, "W".repeat(70)), (&words, "Wort ".repeat(14))] {
        assert_tidy(&with_everywhere(text));
        let mut invoice = bill_at_most(name.trim_end());
        assert_tidy(&invoice);
        invoice.buyer.postcode = None;
        assert_tidy(&invoice);
    }
}

#[test]
fn a_bill_keeps_its_ground_free_of_the_marks_of_folding() {
    let fonts = Fonts::new().unwrap();
    let marks_of = |invoice: &Invoice| {
        let pages = drawn(invoice, &fonts, None).unwrap();
        let marks = pages[0].iter();
        let folds = marks.filter(|mark| matches!(mark, Mark::Line { from, .. } if from.0 == mm(4)));
        (pages.len(), folds.count())
    };
    let mut invoice = swiss(super::Language::German);
    assert_eq!(marks_of(&invoice), (2, 3));
    invoice.lines.clear();
    invoice.taxes.clear();
    invoice.payment.due = None;
    assert_eq!(marks_of(&invoice), (1, 2));
}

#[test]
fn a_line_that_breaks_a_page_in_its_text_goes_on_with_the_sum_so_far() {
    let mut invoice = german();
    invoice.lines = lines(4);
    invoice.lines[1].text = Some("Zeile\n".repeat(120));
    assert_tidy(&invoice);
    let pages = placed(&invoice);
    let count = |page: &[(Area, String)], word: &str| {
        let found = page.iter().filter(|(_, text)| text == word);
        found.count()
    };
    let all: usize = pages.iter().map(|page| count(page, "Zeile")).sum();
    assert_eq!(all, 120);
    // 1.25 + 2.50, at the foot of the first page and on each further page of the table.
    assert_eq!(count(&pages[0], "3,75"), 1);
    assert_eq!(count(&pages[1], "3,75"), 2);
}

#[test]
fn empty_texts_are_like_missing_ones() {
    let mut invoice = german();
    let plain = placed(&invoice);
    invoice.references.project = Some(" ".to_owned());
    invoice.seller.party.house_number = Some("17a\u{200b}".to_owned());
    assert_eq!(placed(&invoice), plain);
    // As small letters and accents of their own, as some systems store names.
    invoice.seller.party.name = "Mo\u{308}belhaus Sonnenschein GmbH".to_owned();
    assert_eq!(placed(&invoice), plain);
}

#[test]
fn numbers_have_groups_and_all_their_digits() {
    for (value, digits, written) in [
        (Decimal::new(123_456_789, 2), 2, "1.234.567,89"),
        (Decimal::new(-1_000, 0), 2, "−1.000,00"),
        (Decimal::new(999, 0), 0, "999"),
        (Decimal::new(10_500, 4), 2, "1,05"),
        (Decimal::new(12_345, 4), 2, "1,2345"),
        (Decimal::new(0, 3), 0, "0"),
        (-Decimal::ZERO, 2, "0,00"),
    ] {
        assert_eq!(number(value, digits, '.', ','), written);
    }
}

#[test]
fn an_account_of_another_country_has_no_bill() {
    let fonts = Fonts::new().unwrap();
    let mut invoice = german();
    invoice.payment.swiss = Some(SwissBill::default());
    let refused = drawn(&invoice, &fonts, None).map(drop);
    assert!(matches!(refused, Err(Error::Swiss { .. })), "{refused:?}");
}

/// As an order makes it: few numbers beside the address, one tax, a due day and terms.
#[test]
fn a_swiss_invoice_of_few_lines_has_one_page() {
    let mut invoice = swiss(super::Language::French);
    invoice.references = super::parts::References {
        customer_number: Some("10001".to_owned()),
        order_number: Some("100001".to_owned()),
        buyer_order: Some("B-17".to_owned()),
        ..Default::default()
    };
    invoice.payment.terms = vec!["30 jours net".to_owned()];
    invoice.payment.reference = Some("RF711".to_owned());
    invoice.totals.rounding = None;
    let pages = |count: usize| {
        let mut invoice = invoice.clone();
        invoice.lines = lines(count);
        invoice.lines.iter_mut().for_each(|line| line.text = None);
        assert_tidy(&invoice);
        placed(&invoice).len()
    };
    assert_eq!([1, 2, 3, 4].map(pages), [1, 1, 1, 2]);
}
