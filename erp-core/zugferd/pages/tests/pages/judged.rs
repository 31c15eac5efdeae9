//! Invoices of many kinds: each result is PDF/A-3b, has the XML in it, and shows every line and sum.

use super::programs::{Kept, are_installed};
use super::samples::{cents, german, lines, reverse_charge, swiss};
use super::{XML, XRECHNUNG};
use erp_invoice_pages::parts::Change;
use erp_invoice_pages::{DocumentKind, Error, Invoice, Language, changes, pages};
use erp_zugferd::{ExtractOptions, Limits, extract, inspect, pdfa};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rust_decimal::Decimal;

/// Judges the result by everything but its look.
fn judged(invoice: &Invoice, xml: &[u8]) -> Vec<u8> {
    let pdf = pages(invoice, xml).unwrap();
    let faults = pdfa::check(&pdf, &Limits::default().pdf).unwrap();
    assert_eq!(faults, []);
    let inspection = inspect(&pdf, &Limits::default()).unwrap();
    let claim = inspection.pdfa_claim.unwrap();
    assert_eq!(claim.part.as_deref(), Some("3"));
    assert_eq!(claim.conformance.as_deref(), Some("B"));
    assert_eq!(inspection.pdfa_faults, Vec::<String>::new());
    let extracted = extract(&pdf, &ExtractOptions::default()).unwrap();
    assert_eq!(extracted.xml, xml);
    pdf
}

#[test]
fn the_xml_is_attached_as_each_standard_names_it() {
    for (xml, name, level) in [
        (XML, "factur-x.xml", "EN 16931"),
        (XRECHNUNG, "xrechnung.xml", "XRECHNUNG"),
    ] {
        let pdf = judged(&german(), xml);
        let inspection = inspect(&pdf, &Limits::default()).unwrap();
        let [attachment] = &inspection.attachments[..] else {
            panic!("{:?}", inspection.attachments);
        };
        assert_eq!(attachment.file_name, name);
        assert_eq!(attachment.relationship.as_deref(), Some("Alternative"));
        assert!(attachment.associated);
        let [metadata] = &inspection.metadata_invoices[..] else {
            panic!("{:?}", inspection.metadata_invoices);
        };
        assert_eq!(metadata.level.as_deref(), Some(level));
        assert_eq!(metadata.file_name.as_deref(), Some(name));
        assert!(metadata.version.is_some());
    }
    let unknown = pages(&german(), b"<Invoice/>");
    assert!(matches!(unknown, Err(Error::Xml(_))), "{unknown:?}");
}

#[test]
fn the_same_invoice_gives_the_same_bytes() {
    assert_eq!(
        pages(&german(), XML).unwrap(),
        pages(&german(), XML).unwrap()
    );
}

/// All lines and sums are in the text, and `qpdf` finds nothing.
fn read(invoice: &Invoice, pdf: &[u8], name: &str) -> String {
    let file = Kept::new(pdf, name);
    file.check();
    let text = file.text();
    for line in &invoice.lines {
        let word = line.name.split(' ').next().unwrap();
        assert!(text.contains(word), "{word}\n{text}");
    }
    text
}

#[test]
fn one_hundred_and_one_thousand_lines_are_all_there() {
    if !are_installed() {
        return;
    }
    let mut invoice = german();
    for count in [1, 100, 1_000] {
        invoice.lines = lines(count);
        let text = read(&invoice, &judged(&invoice, XML), &format!("lines-{count}"));
        let total = text.matches('\u{c}').count();
        assert!(
            text.contains(&format!("Seite {total} von {total}")),
            "{total}"
        );
        // Each page but the last one ends with the sum that the next one starts with.
        let carried: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("Übertrag"))
            .filter_map(|line| line.split_whitespace().last())
            .collect();
        let pairs = carried.chunks(2);
        assert!(pairs.clone().all(|pair| pair[0] == pair[1]), "{carried:?}");
        assert_eq!(carried.is_empty(), count == 1);
        for sum in [
            "2.668,44",
            "492,36",
            "3.160,80",
            "−500,00",
            "2.660,80",
            "2.607,58",
        ] {
            assert!(text.contains(sum), "{sum}");
        }
    }
}

#[test]
fn each_country_writes_its_numbers_and_dates() {
    if !are_installed() {
        return;
    }
    for (language, country, words) in [
        (Language::German, "DE", ["1.379,00", "25.11.2026", "19 %"]),
        (Language::German, "CH", ["1’379.00", "25.11.2026", "19%"]),
        (
            Language::English,
            "DE",
            ["1,379.00", "25 November 2026", "19%"],
        ),
        (Language::French, "FR", ["1 379,00", "25/11/2026", "19 %"]),
        (Language::French, "CH", ["1’379.00", "25.11.2026", "19%"]),
        (Language::Italian, "IT", ["1.379,00", "25/11/2026", "19%"]),
    ] {
        let mut invoice = german();
        invoice.language = language;
        invoice.seller.party.country = country.to_owned();
        let name = format!("numbers-{language:?}-{country}");
        let text = read(&invoice, &pages(&invoice, XML).unwrap(), &name);
        let text = text.replace('\u{a0}', " ");
        for word in words {
            assert!(text.contains(word), "{name}: {word}\n{text}");
        }
    }
}

#[test]
fn letters_of_three_alphabets_are_read_again() {
    if !are_installed() {
        return;
    }
    let invoice = reverse_charge();
    let text = read(&invoice, &judged(&invoice, XML), "alphabets");
    for word in [
        "Credit note RE-2026-0042",
        "Παπαδόπουλος και Υιοί Α.Ε.",
        "ΕΛΛΆΔΑ",
        "Книги и чай ООД",
        "Reverse charge: the recipient is liable",
        "Amount credited",
    ] {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

#[test]
fn a_logo_is_shown_and_a_wrong_one_is_refused() {
    let mut invoice = german();
    let mut logo = Vec::new();
    let mut encoder = png::Encoder::new(&mut logo, 3, 2);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[200; 3 * 2 * 4]).unwrap();
    writer.finish().unwrap();
    invoice.logo = Some(logo);
    judged(&invoice, XML);
    for wrong in [
        b"GIF89a".to_vec(),
        vec![0x89, b'P', b'N', b'G'],
        vec![0xff; 2_000_001],
    ] {
        invoice.logo = Some(wrong);
        let refused = pages(&invoice, XML);
        assert!(matches!(refused, Err(Error::Logo(_))), "{refused:?}");
    }
}

/// Pictures of an invoice, as PNG and JPEG, with one byte after the other changed.
#[test]
fn a_damaged_logo_is_shown_or_refused() {
    if !are_installed() {
        return;
    }
    let file = Kept::new(&pages(&german(), XML).unwrap(), "logos");
    let mut invoice = german();
    for (kind, step) in [("-png", 97), ("-jpeg", 31)] {
        let logo = file.drawn(1, 4, kind);
        let mut outcomes = [0, 0];
        for at in (0..logo.len()).step_by(step) {
            let mut damaged = logo.clone();
            damaged[at] ^= 0x55;
            invoice.logo = Some(damaged);
            match pages(&invoice, XML) {
                Ok(_) => outcomes[0] += 1,
                Err(Error::Logo(_)) => outcomes[1] += 1,
                Err(other) => panic!("{kind} {at}: {other}"),
            }
        }
        assert!(outcomes[1] > 0, "{kind} {outcomes:?}");
        invoice.logo = Some(logo);
        judged(&invoice, XML);
    }
}

#[test]
fn a_logo_in_the_colours_of_print_is_refused() {
    let mut invoice = german();
    invoice.logo = Some(include_bytes!("cmyk.jpg").to_vec());
    let refused = pages(&invoice, XML).unwrap_err().to_string();
    assert!(refused.contains("CMYK"), "{refused}");
}

#[test]
fn what_the_fonts_do_not_have_is_printed_otherwise_and_told() {
    let mut invoice = german();
    invoice.lines[1].name = "Rohr ⌀ 5 ㎡ ﬁx 漢😀\u{fe0f} x\u{331} ☎ א ἶ\u{202e}".to_owned();
    invoice.remarks.push("漢\u{7}".to_owned());
    let told: Vec<_> = changes(&invoice)
        .unwrap()
        .into_iter()
        .map(|change| match change {
            Change::Character { character, printed } => format!("{character}{printed}"),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        "\u{7}□", "\u{331}", "א□", "ἶι", "⌀Ø", "☎Tel.", "㎡m2", "漢□", "ﬁfi", "😀□",
    ];
    assert_eq!(told, expected);
    let pdf = judged(&invoice, XML);
    if are_installed() {
        let text = Kept::new(&pdf, "replaced").text();
        for printed in ["Rohr Ø 5 m2", "fix □□ x", "Tel. □ ι"] {
            assert!(text.contains(printed), "{printed}\n{text}");
        }
    }
    assert_eq!(changes(&german()).unwrap(), []);
}

/// A sign that takes several letters is no reason to refuse a text of the longest length.
#[test]
fn signs_of_several_letters_fit_into_the_longest_texts() {
    let mut invoice = german();
    invoice.buyer.name = "⒇".repeat(255);
    invoice.lines[0].unit = "⒇".repeat(40);
    judged(&invoice, XML);
}

#[test]
fn what_is_too_long_is_named_with_its_limit() {
    let refused = |change: fn(&mut Invoice)| {
        let mut invoice = german();
        change(&mut invoice);
        pages(&invoice, XML)
            .map(|pdf| pdf.len())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(|i| i.buyer.name = "x".repeat(256)),
        "`buyer.name` is too long: 255 characters at most"
    );
    assert_eq!(
        refused(|i| i.references.project = Some("x".repeat(101))),
        "`references.project` is too long: 100 characters at most"
    );
    assert_eq!(
        refused(|i| i.buyer.additions = vec!["W".repeat(255); 5]),
        "`buyer` is too long: 14 lines of 80 mm at most"
    );
    assert_eq!(
        refused(|i| i.lines = lines(10_001)),
        "`lines` is too long: 10000 entries at most"
    );
}

fn invoices() -> impl Strategy<Value = Invoice> {
    let language = prop::sample::select(vec![
        Language::German,
        Language::English,
        Language::French,
        Language::Italian,
    ]);
    let kind = prop::sample::select(vec![
        DocumentKind::Invoice,
        DocumentKind::PartialInvoice,
        DocumentKind::PrepaymentInvoice,
        DocumentKind::Correction,
        DocumentKind::CreditNote,
    ]);
    let currency = prop::sample::select(vec!["EUR", "CHF", "USD", "JPY", "KWD"]);
    let words = "([A-Za-zÄÖÜäöüßéŁřșΑ-Ρα-ωЀ-я0-9.,:;&%§€/+-]{1,60} ){0,30}";
    let texts = prop::collection::vec(words, 0..4);
    (
        0..3_usize,
        language,
        kind,
        currency,
        texts,
        1..40_usize,
        any::<i64>(),
    )
        .prop_map(|(sample, language, kind, currency, texts, count, amount)| {
            let mut invoice = match sample {
                0 => german(),
                1 => swiss(language),
                _ => reverse_charge(),
            };
            invoice.language = language;
            invoice.kind = kind;
            invoice.lines = lines(count);
            for (line, text) in invoice.lines.iter_mut().zip(&texts) {
                line.text = Some(text.clone());
                line.price = Decimal::new(amount, 4);
                line.quantity = Decimal::new(amount, 3);
            }
            if sample != 1 {
                invoice.currency = currency.to_owned();
                invoice.totals.payable = cents(amount);
            }
            invoice.remarks = texts;
            invoice
        })
}

#[test]
fn invoices_of_all_kinds_are_pdfa_and_readable() {
    let installed = are_installed();
    let mut runner = TestRunner::new(Config::with_cases(24));
    let outcome = runner.run(&invoices(), |invoice| {
        let pdf = judged(&invoice, XML);
        if installed {
            read(&invoice, &pdf, "generated");
        }
        Ok(())
    });
    outcome.unwrap();
}
