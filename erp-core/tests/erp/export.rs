//! Exports can be imported again and give the same records.

use erp_core::Erp;
use erp_core::codes::Language;
use erp_core::document::OrderStatus;
use erp_core::erp::{Error, ExportOf, ExportPlace, ImportReport, ImportRow, Settings};
use erp_core::import::{BodySource, Row};
use erp_core::storage::MemoryStore;
use erp_core::text::Text;
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::common::{Demo, admin, block_on, demo, now};

pub(super) fn lines(erp: &Erp<MemoryStore>) -> (Vec<String>, usize) {
    let (mut lines, mut left_out) = (Vec::new(), 0);
    let mut next = Some(ExportPlace::default());
    while let Some(place) = next {
        let page = block_on(erp.upkeep(now()).export(place)).unwrap();
        left_out += page.left_out;
        lines.extend(page.rows.into_iter().map(|row| row.json));
        next = page.next;
    }
    (lines, left_out)
}

/// The lines as rows of an import by the server, which stores the media files first.
fn rows(lines: &[String]) -> Vec<ImportRow> {
    let read = |line: &String| {
        let mut row = Row::read(&erp_core::json::read(line).unwrap(), Language::FRENCH).unwrap();
        if let Row::Media(media) = &mut row
            && let Some(image) = &mut media.image
            && let BodySource::Hash(hash) = image.body
        {
            image.body = BodySource::Stored { hash, length: 4 };
        }
        row
    };
    let rows = lines.iter().map(read).zip(1..);
    rows.map(|(row, line)| ImportRow { line, row }).collect()
}

pub(super) fn import(erp: &Erp<MemoryStore>, lines: &[String]) -> ImportReport {
    let now: Timestamp = "2026-07-01T10:00:00Z".parse().unwrap();
    let (rows, mut sum) = (rows(lines), ImportReport::default());
    // Small batches: a row must come after the rows that it refers to.
    for batch in rows.chunks(3) {
        sum.add(&block_on(erp.office(now).import(batch)).unwrap());
    }
    sum
}

fn empty() -> Erp<MemoryStore> {
    Erp::new(MemoryStore::new(), Settings::default())
}

#[track_caller]
fn comes_back(erp: &Erp<MemoryStore>) -> Erp<MemoryStore> {
    let (exported, _) = lines(erp);
    let second = empty();
    import(&second, &exported);
    let (again, left_out) = lines(&second);
    let importable =
        |line: &&String| !line.starts_with("{\"Auftrag\"") && !line.starts_with("{\"Offerte\"");
    assert_eq!(
        again,
        exported
            .iter()
            .filter(importable)
            .cloned()
            .collect::<Vec<_>>()
    );
    assert_eq!(left_out, 0);
    assert_eq!(block_on(second.upkeep(now()).check()).unwrap().findings, []);
    second
}

fn full() -> Demo {
    let demo = demo();
    demo.import(&[
        json!({"Artikel": {"ArtNr": "P-9", "AnLager": "J", "ArtBez": "Schachtel ", "Einheit": "STK", "Farbe": "#00ff7F",
            "WUSTCode": "CH26", "ArtGruppe": "G", "ArtKlasse": "K", "BeschaffungsArt": "B", "VerarbeitungsArt": "C",
            "ArtGewicht": 1.250, "PosPreisBasis": 100, "ArtikelStatus": 2,
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}, {"PHKey": "LEER"}],
            "Verpackungen": [{"VPEinheit": "KT", "Faktor": 2.5, "VPEEANNr": "7611", "VPBezeichnung": "Karton", "Gewicht": 1,
                "VPEGewicht": 0.1, "GewichtInhalt": 2}, {"VPEinheit": "WEG", "Faktor": 3}],
            "Deklaration": [{"Nr": 1, "AdrSprache": "ger", "Bezeichnung1": "Holz", "Bezeichnung2": "roh",
                "KurzBezeichnung": "H", "OrtLand": "AT"}]}}),
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-9", "VPEinheit": "WEG", "WaehrAbk": "EUR", "AbAnzahl": 1,
            "PreisList": 3, "Preisart": "B"}}),
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-9", "WaehrAbk": "EUR", "AbAnzahl": 0.5, "BisAnzahl": 10,
            "PreisList": 3.10, "Preisart": "B", "Bereich": "x", "PosPreisBasis": 10}}),
        json!({"Bestand": {"ArtNr": "P-9", "LagerOrt": "Z", "StaoNr": 2, "LagerBestand": -3.5, "VPEinheit": "WEG",
            "Freigegeben": false, "Bereich": "b"}}),
        json!({"Bestand": {"ArtNr": "P-9", "LagerOrt": "A", "StaoNr": 2, "LagerBestand": 7}}),
        json!({"ArtikelMedia": {"ArtNr": "P-9", "AMDText": " roh \n", "AMDVerwendung": "WEB", "OrtLand": "CH",
            "AdrSprache": "fre", "ArtGruppe": "X", "Kommentar": "k", "AMDDateiName": "a.txt"}}),
        json!({"Kunde": {"KundNr": "20000", "WaehrAbk": "EUR", "KundBez": "Kurz", "KreditLimit": 5, "ZahlungsMethode": "K, R",
            "KundBedTyp": 3, "attributes": [{"PHKey": "A", "Contents": "b"}],
            "KontaktAdr": {"AdrSprache": "ita", "AdrAnrede": 2, "AdrName": "Rossi ", "AdrAdresse1": "Via 1", "OrtLand": "IT",
                "OrtPLZ": "00100", "OrtName": "Roma", "AdrCheck": 0, "EmailAdress": "a@example.com"},
            "LiefAdr": [{"AdrSprache": "ita", "AdrAnrede": 0, "AdrFirma": "X", "AdrAdresse1": "Via 2", "OrtLand": "IT",
                "OrtPLZ": "00100", "OrtName": "Roma", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "S"}]}]}}),
    ])
    .unwrap();
    demo
}

#[test]
fn an_import_of_an_export_creates_the_same_company() {
    let demo = full();
    demo.order(
        &json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 2}]}),
    );
    // Completed orders leave less than a quantity can be.
    let most = json!([{"ArtNr": "P-1", "Menge": 999_999_999}]);
    for _ in 0..2 {
        let order = demo.order(&json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": most}));
        block_on(
            demo.office()
                .set_order_status(&order, OrderStatus::Completed),
        )
        .unwrap();
    }
    let second = comes_back(&demo.erp);
    let admin = admin();
    for number in ["10001", "10002", "20000"] {
        let read = |erp: &Erp<MemoryStore>| {
            block_on(erp.shop(&admin, now()).customer(number))
                .unwrap()
                .value
        };
        assert_eq!(read(&second), read(&demo.erp), "{number}");
    }
    for number in 1..=4 {
        let read = |erp: &Erp<MemoryStore>| {
            let door = erp.shop(&admin, now());
            block_on(door.address(&number.to_string())).unwrap().value
        };
        assert_eq!(read(&second), read(&demo.erp), "{number}");
    }
}

#[test]
fn the_lines_of_a_record_are_those_of_the_whole_export() {
    let demo = full();
    let (all, _) = lines(&demo.erp);
    let of = |wanted| {
        let rows = block_on(demo.erp.upkeep(now()).export_of(wanted))?;
        Ok::<_, Error>(rows.into_iter().map(|row| row.json).collect::<Vec<_>>())
    };
    let of_all = |is_wanted: &dyn Fn(&Value, &str) -> bool| {
        let wanted = |line: &&String| {
            let row: Value = serde_json::from_str(line).unwrap();
            let (kind, body) = row.as_object().unwrap().iter().next().unwrap();
            is_wanted(body, kind)
        };
        all.iter().filter(wanted).cloned().collect::<Vec<_>>()
    };
    for number in ["P-1", "P-2", "P-9"] {
        let expected = of_all(&|body, _| body["ArtNr"] == number);
        assert!(expected.len() > 1, "{number}");
        assert_eq!(of(ExportOf::Article(number)).unwrap(), expected);
    }
    let customer = of_all(&|body, kind| kind == "Kunde" && body["KundNr"] == "20000");
    assert_eq!(of(ExportOf::Customer("20000")).unwrap(), customer);
    let company = of_all(&|_, kind| ["Firma", "Steuer"].contains(&kind));
    assert!(company.len() > 1);
    assert_eq!(of(ExportOf::Company).unwrap(), company);
    for unknown in [ExportOf::Article("P-0"), ExportOf::Customer("9")] {
        assert!(matches!(of(unknown), Err(Error::NotFound { .. })));
    }
}

#[test]
fn orders_and_offers_are_exported_and_ignored_by_an_import() {
    let demo = demo();
    let order =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 2}]});
    let number = demo.order(&order);
    let caller = admin();
    block_on(demo.shop(&caller).create_offer(&order)).unwrap();
    let (exported, _) = lines(&demo.erp);
    let documents: Vec<Value> = exported
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|row: &Value| row.get("Auftrag").or(row.get("Offerte")).is_some())
        .collect();
    assert_eq!(documents.len(), 2);
    let order_read = block_on(demo.shop(&admin()).order(&number)).unwrap().value;
    assert_eq!(
        documents[0]["Auftrag"],
        serde_json::to_value(order_read.to_wire()).unwrap()
    );
    assert_eq!(documents[0]["Auftrag"]["GrundDaten"]["AuftNr"], number);
    let note = Text::new("ruft zurück").unwrap();
    block_on(demo.office().set_order_note(&number, Some(&note))).unwrap();
    let (noted, _) = lines(&demo.erp);
    let plain = exported
        .iter()
        .find(|line| line.starts_with("{\"Auftrag\""))
        .unwrap();
    let open = plain.strip_suffix("}}").unwrap();
    let with_note = format!("{open},\"note\":\"ruft zur\\u00fcck\"}}}}");
    assert!(noted.contains(&with_note), "{with_note}");
    assert!(documents[1]["Offerte"]["OffertNr"].is_string());
    let second = empty();
    let report = import(&second, &exported);
    assert_eq!((report.skipped, report.rows), (2, exported.len()));
    assert!(block_on(second.office(now()).order(&number)).is_err());
}

#[test]
fn rows_that_an_import_would_refuse_are_left_out_and_counted() {
    let demo = full();
    demo.import(&[
        json!({"Verpackung": {"ArtNr": "P-9", "VPEinheit": "WEG", "Loeschen": true}}),
        json!({"Artikel": {"ArtNr": "P-3", "Loeschen": true}}),
    ])
    .unwrap();
    let (_, left_out) = lines(&demo.erp);
    // A price and a stock entry of the unit.
    assert_eq!(left_out, 2);
    comes_back(&demo.erp);
}

#[test]
fn lists_that_are_too_long_for_a_row_are_split_into_several() {
    let demo = demo();
    let prices: Vec<Value> = (0..1_200)
        .map(|at| json!({"Preis": {"PreisListe": "LANG", "ArtNr": "P-1", "WaehrAbk": "CHF", "AbAnzahl": at, "BisAnzahl": at,
            "PreisList": 1, "Preisart": "N"}}))
        .collect();
    demo.import(&prices).unwrap();
    let units: Vec<Value> = (0..1_001)
        .map(|at| json!({"Verpackung": {"ArtNr": "P-1", "VPEinheit": format!("U{at}"), "Faktor": 1}}))
        .collect();
    demo.import(&units).unwrap();
    let (exported, _) = lines(&demo.erp);
    let of = |kind: &str| {
        exported
            .iter()
            .filter(|line| line.starts_with(kind))
            .count()
    };
    assert_eq!((of("{\"Preis\""), of("{\"Verpackung\"")), (200, 1));
    comes_back(&demo.erp);
}

#[test]
fn an_article_added_during_an_export_precedes_its_prices() {
    let demo = demo();
    let mut exported = Vec::new();
    let mut next = Some(ExportPlace::default());
    while let Some(place) = next {
        let page = block_on(demo.upkeep().export(place)).unwrap();
        let articles_done = page.rows.iter().any(|row| row.kind == "Artikel");
        exported.extend(page.rows.into_iter().map(|row| row.json));
        next = page.next;
        if articles_done {
            demo.import(&[
                json!({"Artikel": {"ArtNr": "A-NEW", "ArtBez": "Neu"}}),
                json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "A-NEW", "WaehrAbk": "CHF", "AbAnzahl": 1,
                    "PreisList": 3, "Preisart": "N"}}),
            ])
            .unwrap();
        }
    }
    import(&empty(), &exported);
    let place = |text: &str| {
        exported
            .iter()
            .position(|line| line.contains(text))
            .unwrap()
    };
    assert!(
        place("{\"ArtNr\":\"A-NEW\"") < place("\"PreisListe\":\"STANDARD\",\"ArtNr\":\"A-NEW\"")
    );
}

fn customer(number: &str, contact: Option<i32>, delivery: Option<i32>) -> Value {
    let address = |number: Option<i32>| {
        let mut address = json!({"AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": "X", "AdrAdresse1": "Weg 1", "OrtLand": "CH",
            "OrtPLZ": "8001", "OrtName": "Zürich"});
        if let Some(number) = number {
            address["AdrNr"] = json!(number);
        }
        address
    };
    json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": address(contact), "LiefAdr": [address(delivery)]}})
}

fn numbers(demo: &Demo, number: &str) -> Vec<i32> {
    let customer = block_on(demo.office().customer(number)).unwrap().value;
    customer.addresses().map(|address| address.number).collect()
}

#[test]
fn address_numbers_in_rows_are_not_assigned_to_other_addresses() {
    let demo = demo();
    demo.import(&[customer("30000", Some(500), None)]).unwrap();
    assert_eq!(numbers(&demo, "30000"), [500, 3]);
    // The numbers in the rows are swapped; an address without a number does not get a number from the rows.
    demo.import(&[customer("30000", Some(3), None)]).unwrap();
    let changed = numbers(&demo, "30000");
    assert_eq!(changed, [3, 4], "500 stays with the removed address");
    assert_eq!(
        demo.import(&[customer("30000", None, None)])
            .unwrap()
            .unchanged,
        1
    );
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

#[test]
fn an_address_number_has_one_owner() {
    let demo = demo();
    demo.import(&[customer("30000", Some(500), Some(501))])
        .unwrap();
    for rows in [
        vec![customer("30001", Some(500), None)],
        vec![customer("30001", Some(600), Some(600))],
        vec![
            customer("30001", Some(600), None),
            customer("30002", Some(600), None),
        ],
    ] {
        let refused = demo.import(&rows).unwrap_err().to_string();
        assert!(
            block_on(demo.office().customer("30001")).is_err(),
            "{refused}"
        );
    }
    let zero = Row::read(&customer("30001", Some(0), None), Language::GERMAN).unwrap_err();
    assert_eq!(zero.as_slice()[0].path, "Kunde.KontaktAdr.AdrNr");
}

#[test]
fn every_kind_of_master_data_is_one_line_a_row() {
    let demo = full();
    let (exported, _) = lines(&demo.erp);
    for kind in [
        "Firma",
        "Steuer",
        "Artikel",
        "Preisliste",
        "Bestand",
        "Kunde",
        "ArtikelMedia",
    ] {
        let start = format!("{{\"{kind}\":");
        assert!(
            exported.iter().any(|line| line.starts_with(&start)),
            "{kind}"
        );
    }
    assert!(
        exported
            .iter()
            .all(|line| line.is_ascii() && !line.contains('\n'))
    );
}

/// Texts with characters that matter for JSON, keys and padding.
fn text(most: usize) -> impl Strategy<Value = String> {
    let character = prop_oneof!["[a-zA-Z0-9]", "[ \"\\\\/äß€漢🦀']"];
    prop::collection::vec(character, 1..=most.min(12))
        .prop_map(|parts| parts.concat())
        .prop_filter("blank texts are absent ones", |text| {
            !text.trim().is_empty()
        })
}

fn number() -> impl Strategy<Value = Value> {
    (0_i64..1_000_000, 0_u32..5).prop_map(|(digits, scale)| {
        let decimal = rust_decimal::Decimal::new(digits, scale);
        serde_json::from_str(&decimal.to_string()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn exported_rows_are_equal_to_the_imported_ones(
        article in "[A-Z0-9äß-]{1,15}", name in text(255), unit in text(30), place in text(60), comment in text(255),
        key in text(12), contents in text(200), price in number(), from in number(), quantity in number(),
        street in text(60), company in text(36), media in text(255),
    ) {
        let demo = demo();
        let attributes = json!([{"PHKey": key, "Contents": contents}]);
        demo.import(&[
            json!({"Artikel": {"ArtNr": article, "ArtBez": name, "attributes": attributes,
                "Verpackungen": [{"VPEinheit": unit, "Faktor": 2, "VPBezeichnung": name}]}}),
            json!({"Preis": {"PreisListe": "L", "ArtNr": article, "VPEinheit": unit, "WaehrAbk": "EUR", "AbAnzahl": from,
                "PreisList": price, "Preisart": "N"}}),
            json!({"Bestand": {"ArtNr": article, "LagerOrt": place, "StaoNr": -1, "LagerBestand": quantity}}),
            json!({"ArtikelMedia": {"ArtNr": article, "AMDText": media, "Kommentar": comment}}),
            json!({"Kunde": {"KundNr": "40000", "WaehrAbk": "EUR", "KundBez": "x", "Kommentar": comment, "attributes": attributes,
                "KontaktAdr": {"AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": company, "AdrAdresse1": street,
                    "OrtLand": "DE", "OrtPLZ": "1", "OrtName": street, "attributes": attributes}}}),
        ]).unwrap();
        comes_back(&demo.erp);
    }
}
