//! Invoices of invented companies, for all tests.

use erp_invoice_pages::parts::{
    Account, Adjustment, CashDiscount, Contact, Delivery, Line, Party, Payment, References, Seller,
    SwissBill, Tax, TaxCategory, Totals,
};
use erp_invoice_pages::{DocumentKind, Invoice, Language};
use jiff::civil::date;
use rust_decimal::Decimal;

pub(crate) fn cents(cents: i64) -> Decimal {
    Decimal::new(cents, 2)
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn party(
    name: &str,
    street: &str,
    number: &str,
    (postcode, town): (&str, &str),
    country: &str,
) -> Party {
    Party {
        name: name.to_owned(),
        street: text(street),
        house_number: text(number),
        postcode: text(postcode),
        town: town.to_owned(),
        country: country.to_owned(),
        ..Party::default()
    }
}

/// Lines with texts that are found again.
pub(crate) fn lines(count: usize) -> Vec<Line> {
    let count = i64::try_from(count).unwrap();
    (1..=count)
        .map(|at| Line {
            position: at.to_string(),
            number: Some(format!("A{at:04}")),
            name: format!("Artikel{at:04}x mit Gewinde"),
            text: (at % 3 == 0).then(|| "verzinkt, nach DIN 933\nim Karton zu 100".to_owned()),
            quantity: Decimal::from(at),
            unit: "Stück".to_owned(),
            price: cents(125),
            discount: (at % 4 == 0).then(|| Decimal::from(5)),
            tax_rate: Some(Decimal::from(19)),
            sum: cents(125 * at),
            ..Line::default()
        })
        .collect()
}

fn german_lines() -> Vec<Line> {
    let line = |position: &str, name: &str, quantity, unit: &str, price, discount, sum| Line {
        position: position.to_owned(),
        number: Some(format!("47{position}1-XL")),
        name: name.to_owned(),
        quantity,
        unit: unit.to_owned(),
        price: cents(price),
        discount,
        tax_rate: Some(Decimal::from(19)),
        sum: cents(sum),
        ..Line::default()
    };
    let mut lines = vec![
        line(
            "1",
            "Bürostuhl „Rücken frei“",
            Decimal::from(4),
            "Stück",
            24_900,
            Some(Decimal::from(10)),
            89_640,
        ),
        line(
            "2",
            "Schreibtisch, höhenverstellbar",
            Decimal::from(2),
            "Stück",
            68_950,
            None,
            137_900,
        ),
        line(
            "3",
            "Fachbuch Ergonomie am Arbeitsplatz",
            Decimal::from(5),
            "Stück",
            2_490,
            None,
            12_450,
        ),
        line(
            "4",
            "Montage vor Ort",
            Decimal::new(35, 1),
            "Std.",
            7_800,
            None,
            27_300,
        ),
    ];
    lines[0].text = text("Bezug schwarz, Rollen für harte Böden\nBelastbar bis 130 kg");
    lines[2].tax_rate = Some(Decimal::from(7));
    lines
}

fn german_seller() -> Seller {
    Seller {
        party: party(
            "Möbelhaus Sonnenschein GmbH",
            "Lindenallee",
            "17a",
            ("10115", "Berlin"),
            "DE",
        ),
        vat_id: text("DE123456789"),
        tax_number: text("37/123/45678"),
        register: text("Amtsgericht Charlottenburg, HRB 12345 B"),
        management: text("Erika Mustermann"),
        phone: text("+49 30 1234567"),
        email: text("rechnung@moebel.example"),
        website: text("www.moebel.example"),
    }
}

fn german_taxes() -> Vec<Tax> {
    vec![
        Tax {
            rate: Some(Decimal::from(19)),
            base: cents(254_643),
            amount: cents(48_382),
            ..Tax::default()
        },
        Tax {
            rate: Some(Decimal::from(7)),
            base: cents(12_201),
            amount: cents(854),
            ..Tax::default()
        },
    ]
}

fn german_payment() -> Payment {
    Payment {
        due: Some(date(2026, 12, 25)),
        discounts: vec![CashDiscount {
            until: date(2026, 12, 5),
            percent: Decimal::from(2),
            payable: Some(cents(260_758)),
        }],
        account: Some(Account {
            iban: "DE02120300000000202051".to_owned(),
            bic: text("BYLADEM1001"),
            bank: text("Deutsche Kreditbank"),
        }),
        reference: text("RE-2026-0042"),
        ..Payment::default()
    }
}

/// A German invoice of one page with everything that is usual.
pub(crate) fn german() -> Invoice {
    Invoice {
        kind: DocumentKind::Invoice,
        language: Language::German,
        number: "RE-2026-0042".to_owned(),
        date: date(2026, 11, 25),
        currency: "EUR".to_owned(),
        seller: german_seller(),
        buyer: Party {
            additions: vec!["Einkauf, Frau Öztürk".to_owned()],
            ..party(
                "Steuerberatung Weiß & Partner mbB",
                "Hafenstraße",
                "120",
                ("20457", "Hamburg"),
                "DE",
            )
        },
        references: References {
            customer_number: text("K-10023"),
            order_number: text("AB-2026-1187"),
            order_date: Some(date(2026, 11, 10)),
            buyer_order: text("B 4711"),
            buyer_reference: text("04011000-12345-34"),
            delivery_note: text("LS-2026-0815"),
            ..References::default()
        },
        contact: Contact {
            name: text("Jonas Becker"),
            phone: text("+49 30 1234567-12"),
            email: text("becker@moebel.example"),
        },
        delivery: Delivery {
            from: Some(date(2026, 11, 20)),
            ..Delivery::default()
        },
        introduction: vec!["Vielen Dank für Ihre Bestellung. Wir berechnen Ihnen:".to_owned()],
        lines: german_lines(),
        adjustments: vec![
            Adjustment {
                text: "Treuerabatt".to_owned(),
                percent: Some(Decimal::from(2)),
                amount: cents(-5_346),
            },
            Adjustment {
                text: "Versandkosten".to_owned(),
                percent: None,
                amount: cents(4_900),
            },
        ],
        taxes: german_taxes(),
        totals: Totals {
            lines: cents(267_290),
            net: cents(266_844),
            tax: cents(49_236),
            gross: cents(316_080),
            prepaid: Some(cents(50_000)),
            rounding: None,
            payable: cents(266_080),
        },
        payment: german_payment(),
        remarks: vec!["Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.".to_owned()],
        ..Invoice::default()
    }
}

/// A Swiss invoice with the QR-bill.
pub(crate) fn swiss(language: Language) -> Invoice {
    let mut invoice = german();
    invoice.language = language;
    invoice.currency = "CHF".to_owned();
    invoice.seller.party = party(
        "Möbel Sonnenschein AG",
        "Rue du Lac",
        "1268",
        ("2501", "Biel"),
        "CH",
    );
    invoice.seller.vat_id = text("CHE-123.456.789 MWST");
    invoice.seller.tax_number = None;
    invoice.seller.register = None;
    invoice.buyer = party(
        "Pia-Maria Rutschmann-Schnyder",
        "Grosse Marktgasse",
        "28",
        ("9400", "Rorschach"),
        "CH",
    );
    invoice.adjustments.clear();
    invoice.lines.truncate(2);
    invoice.introduction.clear();
    invoice.remarks.clear();
    for line in &mut invoice.lines {
        line.tax_rate = None;
    }
    invoice.taxes = vec![Tax {
        rate: Some(Decimal::new(81, 1)),
        base: cents(227_540),
        amount: cents(18_431),
        ..Tax::default()
    }];
    invoice.totals = Totals {
        lines: cents(227_540),
        net: cents(227_540),
        tax: cents(18_431),
        gross: cents(245_971),
        prepaid: None,
        rounding: Some(cents(-1)),
        payable: cents(245_970),
    };
    invoice.payment = Payment {
        due: Some(date(2026, 12, 25)),
        account: Some(Account {
            iban: "CH58 0079 1123 0008 8901 2".to_owned(),
            ..Account::default()
        }),
        swiss: Some(SwissBill {
            reference: text("RF18 5390 0754 7034"),
            message: text("Rechnung RE-2026-0042"),
            bill_information: text("//S1/10/RE20260042/11/261125"),
        }),
        ..Payment::default()
    };
    invoice
}

/// A credit note into another country, with letters of three alphabets and no tax.
pub(crate) fn reverse_charge() -> Invoice {
    let mut invoice = german();
    invoice.kind = DocumentKind::CreditNote;
    invoice.language = Language::English;
    invoice.buyer = Party {
        country_name: text("Ελλάδα"),
        ..party(
            "Παπαδόπουλος και Υιοί Α.Ε.",
            "Οδός Ερμού",
            "25",
            ("105 63", "Αθήνα"),
            "GR",
        )
    };
    invoice.delivery.to = Some(party(
        "Книги и чай ООД",
        "ул. Граф Игнатиев",
        "7",
        ("1000", "София"),
        "BG",
    ));
    invoice.buyer_vat_id = text("EL123456789");
    invoice.references.earlier_invoice = text("RE-2026-0017");
    invoice.references.earlier_date = Some(date(2026, 10, 1));
    invoice.adjustments.clear();
    invoice.taxes = vec![Tax {
        category: TaxCategory::ReverseCharge,
        rate: Some(Decimal::ZERO),
        base: cents(267_290),
        amount: cents(0),
        reason: text(
            "Reverse charge: the recipient is liable for the tax (Article 196 of Directive 2006/112/EC).",
        ),
    }];
    invoice.totals = Totals {
        lines: cents(267_290),
        net: cents(267_290),
        tax: cents(0),
        gross: cents(267_290),
        payable: cents(267_290),
        ..Totals::default()
    };
    invoice
}
