//! Errors and warnings of an import beyond the format of a single field.
use erp_core::Code;

use erp_core::Erp;
use erp_core::codes::Language;
use erp_core::erp::{Error, ImportRow, Settings};
use erp_core::import::{InvalidRow, Row};
use erp_core::json::AsJson as _;

use erp_core::rust_decimal::Decimal;
use erp_core::sentence::Sentence;
use erp_core::storage::MemoryStore;
use erp_core::text::Text;
use serde_json::{Value, json};

use crate::common::{Demo, block_on, demo};

/// Rows of an import, numbered from 1, with the problems of reading them.
fn read(rows: &[Value]) -> Vec<ImportRow> {
    let read = |row: &Value| {
        let refuse = |problems| InvalidRow::of_line(&row.as_json(), problems).into();
        Row::read(row, Language::GERMAN).unwrap_or_else(refuse)
    };
    let rows = rows.iter().zip(1..);
    rows.map(|(row, line)| ImportRow {
        line,
        row: read(row),
    })
    .collect()
}

fn empty() -> Demo {
    Demo {
        erp: Erp::new(MemoryStore::new(), Settings::default()),
    }
}

fn now() -> jiff::Timestamp {
    "2026-06-01T10:00:00Z".parse().unwrap()
}

/// Paths and codes of the problems of an import.
fn problems(demo: &Demo, rows: &[Value]) -> Vec<(String, Code)> {
    match block_on(demo.erp.office(now()).import(&read(rows))) {
        Ok(_) => Vec::new(),
        Err(Error::Invalid(problems)) => {
            let problems = problems.into_vec().into_iter();
            problems.map(|one| (one.path, one.code)).collect()
        }
        Err(error) => panic!("{error}"),
    }
}

fn listed(expected: &[(&str, Code)]) -> Vec<(String, Code)> {
    let expected = expected.iter();
    expected
        .map(|(path, code)| ((*path).to_owned(), *code))
        .collect()
}

fn article(number: &str, more: &Value) -> Value {
    let mut row = json!({"ArtNr": number, "ArtBez": "Rohr"});
    let members = more.as_object().unwrap().clone();
    row.as_object_mut().unwrap().extend(members);
    json!({"Artikel": row})
}

fn price(list: &str, number: &str, price: &Value) -> Value {
    json!({"Preis": {"PreisListe": list, "ArtNr": number, "WaehrAbk": "CHF", "PreisList": price, "Preisart": "N"}})
}

fn customer(more: &Value) -> Value {
    let address = json!({"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Holz AG",
        "OrtLand": "CH", "OrtName": "Chur", "OrtPLZ": "7000"});
    let mut row = json!({"KundNr": "10500", "WaehrAbk": "CHF", "KontaktAdr": address});
    let members = more.as_object().unwrap().clone();
    row.as_object_mut().unwrap().extend(members);
    json!({"Kunde": row})
}

#[test]
fn unknown_names_are_problems_of_their_rows() {
    let demo = demo();
    let rows = [
        article("N-1", &json!({"WUSTCode": "NIE"})),
        customer(&json!({"WUSTCode": "NIE", "PreisListe": "NIE"})),
        json!({"Verpackung": {"ArtNr": "NIE", "VPEinheit": "KT", "Faktor": 2}}),
        article("N-2", &json!({"WUSTCode": "NIE", "ArtGewicht": -1})),
    ];
    let expected = [
        ("line 1: WUSTCode", Code::UnknownTaxCode),
        ("line 2: WUSTCode", Code::UnknownTaxCode),
        ("line 2: PreisListe", Code::UnknownValue),
        ("line 3: ArtNr", Code::UnknownArticle),
        ("line 4: Artikel.ArtGewicht", Code::OutOfRange),
        ("line 4: WUSTCode", Code::UnknownTaxCode),
    ];
    assert_eq!(problems(&demo, &rows), listed(&expected));
    // A row may refer to rows of the same import, even to later ones.
    let rows = [
        article("N-1", &json!({"WUSTCode": "NEU"})),
        customer(&json!({"WUSTCode": "NEU", "PreisListe": "NEU"})),
        price("NEU", "N-1", &json!(1)),
        json!({"Steuer": {"WUSTCode": "NEU", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 5}]}}),
    ];
    assert_eq!(problems(&demo, &rows), []);
    // A price list that already has prices is known, too.
    let stored = [customer(
        &json!({"PreisListe": "HANDEL", "WUSTCode": "CH26"}),
    )];
    assert_eq!(problems(&demo, &stored), []);
}

#[test]
fn rows_that_refer_to_a_bad_row_are_not_reported() {
    let bad = json!({"ArtGewicht": "x", "Verpackungen": [{"VPEinheit": "KT", "Faktor": "x"}]});
    let mut of_unit = price("NEU", "N-1", &json!("x"));
    of_unit["Preis"]["VPEinheit"] = json!("KT");
    let rows = [
        json!({"Steuer": {"WUSTCode": "NEU", "PosWUSTKlasse": 7}}),
        article("N-1", &bad),
        of_unit,
        article("N-2", &json!({"WUSTCode": "NEU"})),
        customer(&json!({"PreisListe": "NEU", "WUSTCode": "NEU"})),
        json!({"Bestand": {"ArtNr": "N-1", "LagerOrt": "A", "StaoNr": 1, "LagerBestand": 1, "VPEinheit": "NIE"}}),
    ];
    let expected = [
        ("line 1: Steuer.PosWUSTKlasse", Code::WrongType),
        ("line 2: Artikel.ArtGewicht", Code::WrongType),
        ("line 2: Artikel.Verpackungen[0].Faktor", Code::WrongType),
        ("line 3: Preis.PreisList", Code::WrongType),
        ("line 6: VPEinheit", Code::UnknownPackagingUnit),
    ];
    assert_eq!(problems(&demo(), &rows), listed(&expected));
}

#[test]
fn an_invalid_name_that_is_stored_already_does_not_prevent_an_import() {
    let demo = demo();
    let before = [
        article("ALT", &json!({})),
        customer(&json!({"PreisListe": "NIE"})),
    ];
    let mut gone = price("NIE", "ALT", &json!(1));
    let rows = [&before[..], &[gone.clone()]].concat();
    assert_eq!(demo.import(&rows).unwrap().added, 3);
    gone["Preis"]["Loeschen"] = json!(true);
    demo.import(&[gone]).unwrap();
    let text = json!({"ArtikelText": {"ArtNr": "ALT", "AdrSprache": "fre", "ArtBez": "Tuyau"}});
    assert_eq!(problems(&demo, &[text, price("L", "ALT", &json!(1))]), []);
    assert_eq!(problems(&demo, &before), []);
    let other = [article("ALT", &json!({"WUSTCode": "ANDER"}))];
    let expected = [("line 1: WUSTCode", Code::UnknownTaxCode)];
    assert_eq!(problems(&demo, &other), listed(&expected));
}

// rule: D-IMP-06
#[test]
fn an_article_keeps_the_parts_of_which_its_row_says_nothing() {
    let demo = empty();
    let unit = json!({"VPEinheit": "KARTON", "Faktor": 12});
    let plain = article("A-1", &json!({}));
    let rows = [
        plain.clone(),
        json!({"Verpackung": {"ArtNr": "A-1", "VPEinheit": "KARTON", "Faktor": 12}}),
        json!({"ArtikelText": {"ArtNr": "A-1", "AdrSprache": "fre", "ArtBez": "Tube"}}),
        json!({"Deklaration": {"ArtNr": "A-1", "Nr": 1, "AdrSprache": "ger", "Bezeichnung1": "Stahl"}}),
    ];
    demo.import(&rows).unwrap();
    let exported = || super::export::lines(&demo.erp).0;
    let all = exported();
    // Each row is a commit of its own, as in files with many rows.
    for row in &rows {
        let again = demo.import(std::slice::from_ref(row)).unwrap();
        assert_eq!((again.unchanged, exported()), (1, all.clone()), "{row}");
    }
    let other = article(
        "A-1",
        &json!({"Verpackungen": [unit], "Texte": [], "Deklaration": []}),
    );
    assert_eq!(demo.import(&[other]).unwrap().changed, 1);
    assert_eq!(demo.import(&[plain]).unwrap().unchanged, 1);
    let left = exported().concat();
    assert!(left.contains("KARTON"), "{left}");
    assert!(!left.contains("Tube") && !left.contains("Stahl"), "{left}");
}

#[test]
fn no_number_is_assigned_twice() {
    let demo = demo();
    let attribute = |key: &str, contents: &str| json!({"PHKey": key, "Contents": contents});
    let rows = [
        article(
            "N-1",
            &json!({"attributes": [attribute("RESTWEBSHOP", "A"), attribute("FARBE", "x"), attribute("RestWebshop", "B")]}),
        ),
        article(
            "N-2",
            &json!({"attributes": [attribute("WEBSHOPVPE", "KART,STK, kart")]}),
        ),
        article(".", &json!({})),
        article("..", &json!({})),
    ];
    let expected = [
        ("line 1: Artikel.attributes[2].PHKey", Code::Contradiction),
        ("line 2: Artikel.attributes", Code::Contradiction),
        ("line 3: Artikel.ArtNr", Code::Malformed),
        ("line 4: Artikel.ArtNr", Code::Malformed),
    ];
    assert_eq!(problems(&demo, &rows), listed(&expected));
    let refused = block_on(demo.erp.office(now()).import(&read(&rows))).unwrap_err();
    let Error::Invalid(refused) = refused else {
        panic!("{refused}")
    };
    for problem in &refused.as_slice()[..2] {
        assert!(
            problem.message.english().contains("given twice"),
            "{problem}"
        );
    }
    // An article with such a name from before this rule can be removed.
    let gone = json!({"Artikel": {"ArtNr": "..", "Loeschen": true}});
    assert_eq!(problems(&demo, &[gone]), []);
}

#[test]
fn units_for_shops_that_an_article_does_not_have_are_told() {
    let demo = empty();
    let row = article(
        "U-1",
        &json!({"attributes": [{"PHKey": "WEBSHOPVPE", "Contents": "karton,PAL"}]}),
    );
    let unit = json!({"Verpackung": {"ArtNr": "U-1", "VPEinheit": "KARTON", "Faktor": 6}});
    let report = demo.import(&[row, unit]).unwrap();
    let [warning] = &report.warnings[..] else {
        panic!("{report:?}")
    };
    assert_eq!(warning.path, "line 1: attributes");
    assert_eq!(warning.code, Code::UnknownPackagingUnit);
    assert!(warning.message.english().contains("`PAL`"), "{warning}");
}

#[test]
fn an_import_says_what_the_company_lacks() {
    let demo = empty();
    let warnings = |rows: &[Value]| {
        demo.import(rows).unwrap();
        let missing = block_on(demo.office().missing_to_sell()).unwrap();
        let missing = missing.iter().map(Sentence::english);
        missing.collect::<Vec<_>>()
    };
    let first = article("A-1", &json!({}));
    let missing = "there is no company: nothing can be sold before a row of `Firma`";
    assert_eq!(warnings(std::slice::from_ref(&first)), [missing]);
    let company = |more: &Value| {
        let mut row = json!({"FirmaBez": "Muster AG"});
        let members = more.as_object().unwrap().clone();
        row.as_object_mut().unwrap().extend(members);
        json!({"Firma": row})
    };
    let bare = warnings(&[company(&json!({}))]);
    assert_eq!(bare.len(), 1);
    assert!(bare[0].contains("`RESTPreisliste`"), "{bare:?}");
    let named = json!({"RESTPreisliste": "L", "WUSTCode": "CH", "LiefKostWUSTCode": "CH"});
    let found = warnings(&[company(&named)]);
    let expected = [
        "the company names what is not there: there is no tax code `CH`",
        "the company names what is not there: no article has a price in a price list `L`",
    ];
    assert_eq!(found, expected);
    let tax = json!({"Steuer": {"WUSTCode": "CH", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1}]}});
    let complete = [tax, price("L", "A-1", &json!(1))];
    assert_eq!(warnings(&complete), [""; 0]);
    assert_eq!(warnings(&[first]), [""; 0]);
}

#[test]
fn articles_that_cannot_be_sold_are_counted_with_examples() {
    let demo = demo();
    let found = || block_on(demo.erp.office(now()).unsellable()).unwrap();
    let names = |list: &[erp_core::master::ArticleNumber]| -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    };
    let first = found();
    assert_eq!(first.articles, 2);
    assert_eq!(names(&first.no_price.examples), ["INTERN", "P-4"]);
    assert_eq!(names(&first.hidden.examples), ["INTERN"]);
    assert_eq!((first.no_tax_rate.count, first.inactive.count), (0, 0));
    let mut rows: Vec<Value> = (10..30)
        .map(|at| article(&format!("X-{at}"), &json!({"ArtikelStatus": 0})))
        .collect();
    rows.push(json!({"Steuer": {"WUSTCode": "LEER", "PosWUSTKlasse": "C",
        "Saetze": [{"GueltigAb": "2020-01-01", "GueltigBis": "2020-12-31", "WUSTSatz": 5}]}}));
    rows.push(article("LEER", &json!({"WUSTCode": "LEER"})));
    // A price in another currency does not count.
    rows.push(price("STANDARD", "P-4", &json!(1)));
    rows.last_mut().unwrap()["Preis"]["WaehrAbk"] = json!("EUR");
    demo.import(&rows).unwrap();
    let later = found();
    assert_eq!((later.articles, later.inactive.count), (23, 20));
    assert_eq!(later.inactive.examples.len(), 10);
    assert_eq!(names(&later.no_tax_rate.examples), ["LEER"]);
    assert_eq!(later.no_price.count, 23);
    demo.import(&[price("STANDARD", "P-4", &json!(1))]).unwrap();
    assert_eq!(found().no_price.count, 22);
    // Without a change the same count is returned.
    assert!(std::sync::Arc::ptr_eq(&found(), &found()));
}

// rule: R-END-13
#[test]
fn customer_numbers_are_digits() {
    let row = |number: &str| {
        json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": {"AdrSprache": "ger", "AdrAdresse1": "Weg 1",
            "AdrAnrede": 0, "AdrFirma": "Käufer AG", "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"}}})
    };
    let is_read = |number| Row::read(&row(number), Language::GERMAN).is_ok();
    assert_eq!((is_read("A-1"), is_read("10001")), (false, true));
}

#[test]
fn master_data_that_is_made_in_rust_is_checked_as_rows_are() {
    use erp_core::address::Address;
    use erp_core::codes::{Country, Currency};
    use erp_core::import::{ArticleTextRow, Price, PriceListRow};
    use erp_core::master::{Article, Company, Customer, StockEntry, TaxClass, TaxCode};

    let demo = empty();
    let tax = TaxCode::new("NORMAL", TaxClass::Swiss)
        .unwrap()
        .rate("2024-01-01".parse().unwrap(), 8.into());
    let company = Company::new("Muster AG", Currency::CHF, Country::CH)
        .unwrap()
        .price_list("STANDARD")
        .unwrap()
        .tax_code("NORMAL")
        .unwrap();
    let article = |number: &str| Article::new(number, Language::GERMAN, "Locher").unwrap();
    let net = |amount: &str| Price::net(Currency::CHF, amount.parse::<Decimal>().unwrap());
    let price = |amount: &str| Row::price("STANDARD", "A-1", net(amount)).unwrap();
    let prices = Row::PriceList(PriceListRow {
        list: "STANDARD".parse().unwrap(),
        article: "A-1".parse().unwrap(),
        prices: vec![net("12"), net("-1")],
    });
    let nothing = Row::ArticleText(ArticleTextRow {
        article: "A-1".parse().unwrap(),
        language: Language::FRENCH,
        text: Text::default(),
    });
    let stock = StockEntry::new("H1", 1, 5).unwrap();
    let contact = Address::company("Käufer AG", "Weg 1", Country::CH, "8001", "Zürich").unwrap();
    let customer = Customer::new("20001", Currency::CHF, contact).unwrap();
    let mut misnumbered = customer.clone();
    misnumbered.contact.number = -1;
    let put = |rows: Vec<Row>| block_on(demo.office().put(rows));
    let refused = put(vec![
        tax.clone().into(),
        company.clone().into(),
        article("..").into(),
        article("A-1").into(),
        price("-1"),
        misnumbered.into(),
        price("0.0000001"),
        prices,
        nothing,
    ]);
    let Err(Error::Invalid(problems)) = refused else {
        panic!("{refused:?}");
    };
    let found = problems.into_vec().into_iter();
    let found: Vec<_> = found.map(|problem| (problem.path, problem.code)).collect();
    let expected = [
        ("line 3: ArtNr", Code::Malformed),
        ("line 5: PreisList", Code::OutOfRange),
        ("line 6: KontaktAdr.AdrNr", Code::OutOfRange),
        ("line 7: PreisList", Code::TooPrecise),
        ("line 8: Preis[1].PreisList", Code::OutOfRange),
        ("line 9: ArtBez", Code::Required),
    ];
    assert_eq!(found, listed(&expected));
    let report = put(vec![
        tax.into(),
        company.into(),
        article("A-1").visible_to_all().into(),
        price("12"),
        Row::stock("A-1", stock).unwrap(),
        customer.into(),
    ]);
    let report = report.unwrap();
    assert_eq!((report.rows, report.added), (6, 6));
    assert_eq!(report.warnings, []);
    let hidden = put(vec![article("A-2").into()]).unwrap().warnings;
    let hidden: Vec<_> = hidden.iter().map(ToString::to_string).collect();
    assert_eq!(
        hidden,
        [
            "line 1: attributes: no shop sees article `A-2`: it has no attribute `RESTWEBSHOP` (not_sold)"
        ]
    );
    let stored = block_on(demo.office().customer("20001")).unwrap();
    assert_eq!(
        (stored.contact.number, &*stored.designation),
        (1, "Käufer AG")
    );
}
