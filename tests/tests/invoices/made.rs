//! Invoices made from orders of many kinds, judged by programs of others: qpdf, a reader of QR codes on the rendered pages
//! and, with `VERAPDF`, veraPDF. `MADE_INVOICES` is their number. In the folder `MADE_INVOICES_FOLDER` `bills.jsonl` says
//! what each QR code says and was made of; `tests/invoices/bills.py` compares it with a generator of others.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use erp_core::Erp;
use erp_core::codes::Language;
use erp_core::document::Invoice;
use erp_core::erp::{ImportRow, Settings};
use erp_core::import::Row;
use erp_core::master::{Caller, Role};
use erp_core::storage::MemoryStore;
use erp_core::zugferd::{CheckLimits, ExtractOptions, Limits, check, extract, inspect};
use jiff::Timestamp;
use pollster::block_on;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::readers::{qpdf_check, verapdf};

/// Names of companies and goods: usual ones, what fonts or the QR-bill lack. A customer's is none of
/// the last two; a company's not the last.
const NAMES: [&str; 12] = [
    "Muster AG",
    "Bäckerei «Zum Löwen» & Söhne",
    "Société d’Équipement – Œuvre d'art",
    "Łódź Škoda Ťažba Ășezământ",
    "Καφενείο Ἑλλάς ΑΕ",
    "ООО «Ромашка»",
    "株式会社 山田",
    "Blumen 🌷 Meier",
    "½ Liter ﬁn „Wein“ ② GmbH",
    "Was? – Wie? – Wo?",
    "Verband der Hersteller von Gleitringdichtungen und Wellenkupplungen der Ostschweiz",
    "e\u{301}t\u{e9} \u{202e}x\u{ad}y\u{200b}z\u{a0}AG",
];
const STREETS: [&str; 4] = [
    "Weg 1",
    "Rue de l’Hôpital 12 – 14",
    "Strasse der Sieben Brüder vom Heiligen Berge Nummer 123456",
    "Οδός 7",
];
const TOWNS: [&str; 4] = [
    "Zürich",
    "Saint-Maurice-en-Valais",
    "La Chaux-de-Fonds et Environs du Jura Sud",
    "Αθήνα",
];
const COUNTRIES: [&str; 8] = ["CH", "LI", "DE", "CH", "AT", "CH", "FR", "CH"];
const LANGUAGES: [&str; 4] = ["ger", "fre", "ita", "eng"];
const CURRENCIES: [&str; 5] = ["CHF", "EUR", "CHF", "EUR", "USD"];
const PRICES: [&str; 6] = ["0", "0.01", "12.35", "1999.999999", "83333333", "7.5"];
/// Tax codes with rate and category.
const TAXES: [(&str, &str, &str); 5] = [
    ("A", "8.1", "S"),
    ("B", "2.6", "S"),
    ("C", "19", "S"),
    ("E", "0", "E"),
    ("G", "0", "G"),
];
const ACCOUNT: &str = "CH93 0076 2011 6238 5295 7";
const QR_ACCOUNT: &str = "CH44 3199 9123 0008 8901 2";
/// Country, `IBAN`, `QRIBAN` of the companies.
const COMPANIES: [(&str, &str, &str); 4] = [
    ("CH", ACCOUNT, QR_ACCOUNT),
    ("LI", "LI21 0881 0000 2324 013A A", ""),
    ("CH", QR_ACCOUNT, ""),
    ("DE", "DE89 3704 0044 0532 0130 00", ""),
];

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

fn now() -> Timestamp {
    "2026-06-01T10:00:00Z".parse().unwrap()
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A company with articles and customers.
fn company(
    numbers: &mut Numbers,
    (country, iban, qr_iban): (&str, &str, &str),
    kind: &str,
) -> Erp<MemoryStore> {
    let erp = Erp::new(MemoryStore::new(), Settings::default());
    let mut rows = vec![
        json!({"Firma": {"FirmaBez": numbers.one(&NAMES[..11]), "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": country,
        "Zeitzone": "UTC", "Preisart": kind, "WUSTCode": "A", "LiefKostWUSTCode": "A", "AdrAdresse1": numbers.one(&STREETS),
        "OrtPLZ": "8001", "OrtName": numbers.one(&TOWNS), "UStIdNr": "CHE-123.456.788 MWST", "SteuerNummer": "12/345",
        "RegisterNr": "CHE-123.456.788", "KontaktName": "Frau Muster", "AdrTf1": "+41 44 123 45 67",
        "EmailAdress": "rechnung@example.com", "IBAN": iban, "QRIBAN": qr_iban, "ZahlFrist": 30,
        "Zahlungsbedingungen": [{"KundBedTyp": 1, "Texte": [{"AdrSprache": "ger", "Text": "10 Tage"}], "ZahlFrist": 10},
            {"KundBedTyp": 4, "Texte": [{"AdrSprache": "ger", "Text": "bezahlt"}], "Bezahlt": "J"}]}}),
    ];
    for (code, rate, category) in TAXES {
        let reasons = json!([{"AdrSprache": "ger", "Text": "Ohne Steuer"}]);
        rows.push(
            json!({"Steuer": {"WUSTCode": code, "PosWUSTKlasse": "D", "Kategorie": category,
            "Saetze": [{"GueltigAb": "2020-01-01", "WUSTSatz": number(rate)}],
            "BefreiungsGrund": if category == "S" { json!([]) } else { reasons }}}),
        );
        rows.push(json!({"Artikel": {"ArtNr": format!("T-{code}"), "ArtBez": "Ware", "Einheit": "Stk", "WUSTCode": code,
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}], "Verpackungen": [{"VPEinheit": "Karton", "Faktor": 12}]}}));
    }
    // An XRechnung needs an account that anybody can pay to.
    let public = if iban == QR_ACCOUNT {
        ""
    } else {
        "04011000-1234512345-06"
    };
    for language in LANGUAGES {
        for (number, leitweg) in [
            (customer(language, false), ""),
            (customer(language, true), public),
        ] {
            rows.push(json!({"Kunde": {"KundNr": number, "WaehrAbk": "EUR", "LeitwegID": leitweg,
                "AdrSprache": language, "KontaktAdr": {"AdrSprache": language, "AdrAdresse1": "Weg 1", "AdrAnrede": 0,
                    "AdrFirma": "Amt", "OrtLand": "DE", "OrtName": "Köln", "OrtPLZ": "50667"}}}));
        }
    }
    let rows = rows.iter().zip(1..).map(|(row, line)| ImportRow {
        line,
        row: Row::read(row, Language::GERMAN).unwrap(),
    });
    block_on(erp.office(now()).import(&rows.collect::<Vec<_>>())).unwrap();
    erp
}

fn customer(language: &str, is_public: bool) -> String {
    let at = LANGUAGES.iter().position(|one| *one == language);
    let at = at.unwrap() + if is_public { 10 } else { 0 };
    format!("{}", 20_001 + at)
}

/// An order, and whether it is paid.
fn order(numbers: &mut Numbers) -> (Value, bool) {
    let country = numbers.one(&COUNTRIES);
    let language = numbers.one(&LANGUAGES);
    let is_public = country == "DE" && numbers.below(3) == 0;
    // Export and another tax do not mix with exempt lines in one test of every rule, so most orders are taxed.
    let taxes: &[&str] =
        numbers.one(&[&["A", "B"][..], &["C"], &["A"], &["E"], &["G"], &["A", "E"]]);
    let lines = numbers.one(&[1, 1, 2, 3, 7, 40]);
    let positions = (0..lines).map(|_| {
        let text = numbers.one(&NAMES);
        let is_package = numbers.below(4) == 0;
        let quantity = if is_package { "24" } else { numbers.one(&["1", "3", "0.125"]) };
        let mut position = json!({"ArtNr": format!("T-{}", numbers.one(taxes)), "Menge": number(quantity), "PosBez": text,
            "Preis": number(numbers.one(&PRICES)), "GRabSatz": number(numbers.one(&["0", "0", "12.5"]))});
        if is_package {
            position["VPEinheit"] = json!("Karton");
        }
        position
    });
    let positions: Vec<Value> = positions.collect();
    let mut header = json!({"KundNr": customer(language, is_public), "WaehrAbk": numbers.one(&CURRENCIES),
        "AuftLiefKost": number(numbers.one(&["0", "9.5"]))});
    let payment = |name: &str, value: &str| json!({"Bezeichnung": name, "Wert": value});
    let (payments, is_paid) = match numbers.below(9) {
        0 => (vec![payment("payment_method", "K")], true),
        1 => (vec![payment("TransID", "tx")], true),
        2 => (
            vec![payment("TransID", "tx"), payment("payment_method", "R")],
            false,
        ),
        3 => {
            header["KundBedTyp"] = json!(4);
            (Vec::new(), true)
        }
        4 => {
            header["KundBedTyp"] = json!(1);
            (vec![payment("payment_method", "V")], false)
        }
        _ => (Vec::new(), false),
    };
    let billing = json!({"AdrSprache": language, "AdrAdresse1": numbers.one(&STREETS), "AdrAnrede": 0,
        "AdrFirma": numbers.one(&NAMES[..10]), "OrtLand": country, "OrtName": numbers.one(&TOWNS), "OrtPLZ": "1234"});
    let order = json!({"GrundDaten": header, "Positionen": positions, "Zahlung": payments, "Adressen": {"RechAdr": billing}});
    (order, is_paid)
}

/// What the QR codes on a page say.
fn codes(pdf: &Path, page: usize) -> Vec<String> {
    let page = page.to_string();
    let mut command = Command::new("pdftoppm");
    let drawn = command
        .args(["-gray", "-r", "200", "-f", &page, "-l", &page])
        .arg(pdf)
        .output()
        .unwrap();
    assert!(
        drawn.status.success(),
        "{}",
        String::from_utf8_lossy(&drawn.stderr)
    );
    // `P5`, width and height, the lightest value, and a byte for each pixel.
    let mut lines = drawn.stdout.splitn(4, |byte| *byte == b'\n');
    assert_eq!(lines.next(), Some(&b"P5"[..]));
    let size = std::str::from_utf8(lines.next().unwrap()).unwrap();
    let (width, height) = size.split_once(' ').unwrap();
    let (width, height) = (width.parse().unwrap(), height.parse().unwrap());
    let pixels = lines.nth(1).unwrap();
    let grey = |x: usize, y: usize| pixels[y * width + x];
    let mut picture = rqrr::PreparedImage::prepare_from_greyscale(width, height, grey);
    let found = picture.detect_grids().into_iter();
    found
        .filter_map(|code| Some(code.decode().ok()?.1))
        .collect()
}

/// Whether an invoice has to have a QR-bill, by the decision and not by our code.
fn wants_bill(invoice: &Invoice, accounts: (&str, &str), is_paid: bool) -> bool {
    let country = invoice.buyer.country.unwrap();
    let total = invoice.gross + invoice.rounding;
    let is_swiss = |iban: &str| iban.starts_with("CH") || iban.starts_with("LI");
    (is_swiss(accounts.0) || is_swiss(accounts.1))
        && ["CH", "LI"].contains(&country.as_str())
        && ["CHF", "EUR"].contains(&invoice.currency.as_str())
        && !is_paid
        && total >= Decimal::new(1, 2)
        && total < Decimal::from(1_000_000_000)
}

/// What programs of others find in the invoice of an order; with a QR-bill, what its code was made of and says.
fn judged(
    erp: &Erp<MemoryStore>,
    order: &str,
    is_paid: bool,
    file: &Path,
    iban: (&str, &str),
) -> Option<Value> {
    let admin = Caller::new("admin", Role::Admin, None).unwrap();
    let made =
        block_on(erp.office(now()).make_invoice(order)).unwrap_or_else(|error| panic!("{error:?}"));
    let door = erp.shop(&admin, now());
    let invoice = block_on(door.invoice(&made.number)).unwrap().value.invoice;
    let xml = block_on(door.invoice_xml(&made.number)).unwrap();
    let pdf = block_on(door.invoice_pdf(&made.number)).unwrap();
    std::fs::write(file, &pdf).unwrap();
    assert_eq!(check(xml.as_bytes(), &CheckLimits::DEFAULT).findings, []);
    let inspected = inspect(&pdf, &Limits::DEFAULT).unwrap();
    assert!(inspected.pdfa_faults.is_empty() && inspected.pdfa_unchecked.is_none());
    assert_eq!(
        extract(&pdf, &ExtractOptions::default()).unwrap().xml,
        xml.as_bytes()
    );
    qpdf_check(file).unwrap();
    let total = invoice.gross + invoice.rounding;
    let is_paid = is_paid && !total.is_zero();
    assert_eq!(invoice.payable, if is_paid { Decimal::ZERO } else { total });
    let pages = lopdf::Document::load_mem(&pdf).unwrap().get_pages().len();
    let codes = codes(file, pages);
    let wants = wants_bill(&invoice, iban, is_paid);
    assert_eq!(codes.len(), usize::from(wants), "{invoice:?}");
    let told: Vec<String> = made.notices.iter().map(|notice| notice.english()).collect();
    let has_account = iban.0.starts_with(['C', 'L']);
    let told_why = told.iter().filter(|text| text.starts_with("no QR-bill"));
    assert_eq!(
        told_why.count(),
        usize::from(has_account && !wants),
        "{told:?}"
    );
    let party = |party: &erp_core::document::Party| {
        json!({"name": party.name, "street": party.street, "pcode": party.postal_code, "city": party.town,
            "country": party.country.unwrap().as_str()})
    };
    let code = codes.into_iter().next()?;
    assert!(xml.contains(&format!(
        "<ram:PaymentReference>{}</",
        invoice.reference.as_str()
    )));
    let of_buyer: Vec<&String> = told
        .iter()
        .filter(|text| text.contains("QR-bill"))
        .collect();
    Some(
        json!({"code": code, "account": invoice.iban, "creditor": party(&invoice.seller), "debtor": party(&invoice.buyer),
        "amount": format!("{total:.2}"), "currency": invoice.currency.as_str(), "number": invoice.number,
        "language": invoice.language.as_str(), "told": of_buyer}),
    )
}

// rule: D-INV-08, D-INV-11, D-INV-13
#[test]
fn invoices_of_many_kinds_are_what_others_make_of_them() {
    if !super::readers::are_installed() {
        return;
    }
    let set = |name: &str| std::env::var(name).ok();
    let many: usize = set("MADE_INVOICES").map_or(8, |many| many.parse().unwrap());
    let own = tempfile::tempdir().unwrap();
    let folder = set("MADE_INVOICES_FOLDER").map_or_else(|| own.path().to_owned(), PathBuf::from);
    std::fs::create_dir_all(&folder).unwrap();
    let mut numbers = Numbers(1);
    let kinds = COMPANIES.into_iter().flat_map(|of| [(of, "N"), (of, "B")]);
    let companies: Vec<_> = kinds
        .map(|(of, kind)| (company(&mut numbers, of, kind), of))
        .collect();
    let shop = Caller::new("shop", Role::Shop, Some("SHOP1".parse().unwrap())).unwrap();
    let (mut files, mut bills, mut paid) = (Vec::new(), String::new(), 0);
    for at in 0..many {
        let (erp, (_, iban, qr_iban)) = &companies[at % companies.len()];
        let (body, is_paid) = order(&mut numbers);
        let placed = block_on(erp.shop(&shop, now()).create_order(&body));
        let placed = placed.unwrap_or_else(|error| panic!("{error:?}: {body}"));
        let file = folder.join(format!("{at}.pdf"));
        if let Some(bill) = judged(erp, &placed.number, is_paid, &file, (iban, qr_iban)) {
            writeln!(bills, "{bill}").unwrap();
        }
        paid += usize::from(is_paid);
        files.push(file);
    }
    std::fs::write(folder.join("bills.jsonl"), &bills).unwrap();
    let verdicts = verapdf(&files);
    let refused = verdicts
        .iter()
        .flatten()
        .filter(|(_, clauses)| !clauses.is_empty());
    assert_eq!(refused.collect::<Vec<_>>(), []);
    let by = if verdicts.is_some() {
        ", all PDF/A-3b by veraPDF"
    } else {
        ""
    };
    println!(
        "{many} invoices, {paid} of them paid, {} with a QR-bill{by}",
        bills.lines().count()
    );
}
