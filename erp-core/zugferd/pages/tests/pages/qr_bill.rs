//! The Swiss QR-bill: what a reader of QR codes finds on the page, and what is refused.

use super::XML;
use super::programs::{Kept, are_installed};
use super::samples::{lines, swiss};
use erp_invoice_pages::parts::Change;
use erp_invoice_pages::{Error, Invoice, Language, changes, pages};
use rust_decimal::Decimal;

const PAYLOAD: &str = "SPC\n0200\n1\nCH5800791123000889012\nS\nMöbel Sonnenschein AG\nRue du Lac\n1268\n2501\nBiel\nCH\n\
    \n\n\n\n\n\n\n2459.70\nCHF\nS\nPia-Maria Rutschmann-Schnyder\nGrosse Marktgasse\n28\n9400\nRorschach\nCH\n\
    SCOR\nRF18539007547034\nRechnung RE-2026-0042\nEPD\n//S1/10/RE20260042/11/261125";

/// What the code on a page says.
fn scanned(invoice: &Invoice, page: usize, name: &str) -> String {
    let pdf = pages(invoice, XML).unwrap();
    let picture = Kept::new(&pdf, name).picture(page, 200);
    let (width, height) = (picture.width, picture.height);
    let grey = |x: usize, y: usize| picture.pixels[(y * width + x) * 3];
    let mut prepared = rqrr::PreparedImage::prepare_from_greyscale(width, height, grey);
    let codes = prepared.detect_grids();
    let (_, content) = codes
        .first()
        .expect("a code is on the page")
        .decode()
        .unwrap();
    content
}

#[test]
fn the_code_says_what_the_standard_wants() {
    if are_installed() {
        assert_eq!(scanned(&swiss(Language::German), 2, "scan"), PAYLOAD);
        let mut invoice = swiss(Language::French);
        invoice.lines = lines(40);
        invoice.buyer.postcode = None;
        let bill = invoice.payment.swiss.as_mut().unwrap();
        (bill.reference, bill.message, bill.bill_information) = (None, None, None);
        let content = scanned(&invoice, 4, "scan-open");
        // No payer, no reference, no message.
        assert!(
            content.ends_with("CHF\n\n\n\n\n\n\n\nNON\n\n\nEPD"),
            "{content:?}"
        );
    }
}

#[test]
fn both_parts_are_there_in_each_language() {
    if !are_installed() {
        return;
    }
    for (language, words) in [
        (
            Language::German,
            [
                "Empfangsschein",
                "Zahlteil",
                "Konto / Zahlbar an",
                "Annahmestelle",
            ],
        ),
        (
            Language::English,
            [
                "Receipt",
                "Payment part",
                "Account / Payable to",
                "Acceptance point",
            ],
        ),
        (
            Language::French,
            [
                "Récépissé",
                "Section paiement",
                "Compte / Payable à",
                "Point de dépôt",
            ],
        ),
        (
            Language::Italian,
            [
                "Ricevuta",
                "Sezione pagamento",
                "Conto / Pagabile a",
                "Punto di accettazione",
            ],
        ),
    ] {
        let pdf = pages(&swiss(language), XML).unwrap();
        let text = Kept::new(&pdf, &format!("parts-{language:?}")).text();
        for word in words {
            assert!(text.contains(word), "{language:?}: {word}\n{text}");
        }
        for value in [
            "CH58 0079 1123 0008 8901 2",
            "RF18 5390 0754 7034",
            "2 459.70",
        ] {
            assert!(text.matches(value).count() >= 2, "{value}\n{text}");
        }
    }
}

#[test]
fn a_short_invoice_has_its_bill_on_the_same_page() {
    if !are_installed() {
        return;
    }
    let mut invoice = swiss(Language::German);
    let pages_of = |invoice: &Invoice, name: &str| {
        let text = Kept::new(&pages(invoice, XML).unwrap(), name).text();
        text.matches('\u{c}').count()
    };
    assert_eq!(pages_of(&invoice, "bill-own-page"), 2);
    invoice.lines.truncate(1);
    invoice.lines[0].text = None;
    invoice.taxes.clear();
    invoice.payment.due = None;
    invoice.totals.rounding = None;
    assert_eq!(pages_of(&invoice, "bill-same-page"), 1);
    assert_eq!(scanned(&invoice, 1, "scan-same-page"), PAYLOAD);
}

/// The bill of a Swiss invoice that was changed.
fn changed(change: impl FnOnce(&mut Invoice)) -> Invoice {
    let mut invoice = swiss(Language::Italian);
    change(&mut invoice);
    invoice
}

fn refused(change: impl FnOnce(&mut Invoice)) -> (String, String) {
    match pages(&changed(change), XML) {
        Err(Error::Swiss { field, fault }) => (field, fault),
        other => panic!("{:?}", other.map(|pdf| pdf.len())),
    }
}

#[test]
fn what_the_standard_forbids_is_named() {
    let account = |iban: &'static str| {
        refused(move |invoice| invoice.payment.account.as_mut().unwrap().iban = iban.to_owned())
    };
    for (iban, field, word) in [
        (
            "DE02120300000000202051",
            "account.iban",
            "Switzerland or Liechtenstein",
        ),
        ("CH5800791123000889013", "account.iban", "check digit"),
        ("CH4431999123000889012", "swiss.reference", "QR-IBAN"),
        ("", "account.iban", "Switzerland or Liechtenstein"),
    ] {
        let (named, fault) = account(iban);
        assert_eq!(named, format!("payment.{field}"));
        assert!(fault.contains(word), "{iban}: {fault}");
    }
    for (iban, reference) in [
        ("CH5800791123000889012", "RF19539007547034"),
        ("CH5800791123000889012", "210000000003139471430009017"),
        ("CH4431999123000889012", "210000000003139471430009018"),
        ("CH4431999123000889012", "0210000000003139471430009017"),
    ] {
        let (named, _) = refused(|invoice| {
            invoice.payment.account.as_mut().unwrap().iban = iban.to_owned();
            let bill = invoice.payment.swiss.as_mut().unwrap();
            bill.reference = Some(reference.to_owned());
        });
        assert_eq!(named, "payment.swiss.reference", "{reference}");
    }
    assert_eq!(refused(|i| i.currency = "USD".to_owned()).0, "currency");
    for payable in [Decimal::ZERO, Decimal::new(1, 3)] {
        let (field, _) = refused(|invoice| invoice.totals.payable = payable);
        assert_eq!(field, "totals.payable");
    }
    let (field, _) = refused(|invoice| invoice.seller.party.postcode = None);
    assert_eq!(field, "seller.party.postcode");
    let message = |invoice: &mut Invoice| {
        invoice.payment.swiss.as_mut().unwrap().message = Some("x".repeat(120));
    };
    assert_eq!(refused(message).0, "payment.swiss.bill_information");
}

#[test]
fn a_qr_iban_has_a_qr_reference() {
    if !are_installed() {
        return;
    }
    let invoice = changed(|invoice| {
        invoice.payment.account.as_mut().unwrap().iban = "CH44 3199 9123 0008 8901 2".to_owned();
        let bill = invoice.payment.swiss.as_mut().unwrap();
        bill.reference = Some("21 00000 00003 13947 14300 09017".to_owned());
    });
    let content = scanned(&invoice, 2, "scan-qrr");
    assert!(
        content.contains("\nQRR\n210000000003139471430009017\n"),
        "{content:?}"
    );
    let text = Kept::new(&pages(&invoice, XML).unwrap(), "qrr").text();
    let grouped = "21 00000 00003 13947 14300 09017";
    assert_eq!(text.matches(grouped).count(), 2, "{text}");
}

/// What the code says in a line, counted from 0.
fn line(content: &str, at: usize) -> &str {
    content.lines().nth(at).unwrap()
}

#[test]
fn texts_are_written_as_the_standard_allows_and_what_is_lost_is_told() {
    if !are_installed() {
        return;
    }
    let invoice = changed(|invoice| {
        invoice.buyer.name = "L’Atelier – „Café“ ﬁn… ẞ Nguyễn".to_owned();
        invoice.buyer.street = Some("x".repeat(80));
        invoice.buyer.town = "Käsebissen ".repeat(4);
        invoice.seller.party.name = "Παπ AG ".repeat(11);
    });
    let told: Vec<_> = changes(&invoice)
        .unwrap()
        .into_iter()
        .filter_map(|change| match change {
            Change::Bill { field, printed } => Some((field, printed.chars().count())),
            Change::Character { .. } => None,
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        ("seller.party.name", 69),
        ("buyer.street", 70),
        ("buyer.town", 35),
    ];
    assert_eq!(told, expected);
    let content = scanned(&invoice, 2, "scan-written");
    assert_eq!(line(&content, 21), "L'Atelier - \"Café\" fin... SS Nguyen");
    assert!(
        line(&content, 5).starts_with("??? AG ??? AG"),
        "{content:?}"
    );
    assert_eq!(line(&content, 25), "Käsebissen Käsebissen Käsebissen Kä");
    // What cannot be written the payer writes; a seller is never missing.
    let mut invoice = invoice;
    invoice.seller.party.name = "株式会社".to_owned();
    for name in ["Παπαδόπουλος", "Blumen 😀 Meier"] {
        invoice.buyer.name = name.to_owned();
        let told = changes(&invoice).unwrap();
        let field = "buyer.name";
        assert!(told.contains(&Change::NoPayer { field }), "{told:?}");
        let (field, printed) = ("seller.party.name", "????".to_owned());
        assert!(told.contains(&Change::Bill { field, printed }), "{told:?}");
    }
    let content = scanned(&invoice, 2, "scan-no-payer");
    assert!(
        content.contains("\nCHF\n\n\n\n\n\n\n\nSCOR\n"),
        "{content:?}"
    );
}
