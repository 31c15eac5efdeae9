use serde_json::{Value, json};

use crate::import::Row;
use crate::values::codes::Language;
use crate::values::problem::Code;

/// The paths and codes of the problems of a row, or why it was accepted.
fn problems(row: &Value) -> Result<Vec<(String, Code)>, Box<Row>> {
    match Row::read(row, Language::GERMAN) {
        Ok(row) => Err(Box::new(row)),
        Err(problems) => Ok(problems
            .into_vec()
            .into_iter()
            .map(|problem| (problem.path, problem.code))
            .collect()),
    }
}

/// A row of each kind with all its required fields.
fn complete_rows() -> [Value; 12] {
    let text = || json!([{"AdrSprache": "ger", "Text": "netto"}]);
    let price = || json!({"WaehrAbk": "CHF", "PreisList": 1, "Preisart": "N"});
    [
        json!({"Firma": {"FirmaBez": "Muster AG",
            "Zahlungsbedingungen": [{"KundBedTyp": 1, "Texte": text()}], "attributes": [{"PHKey": "x"}]}}),
        json!({"Steuer": {"WUSTCode": "CH81", "PosWUSTKlasse": "C", "Texte": text(),
            "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1}]}}),
        json!({"Artikel": {"ArtNr": "A-1", "Texte": [{"AdrSprache": "ger", "ArtBez": "Rohr"}],
            "Verpackungen": [{"VPEinheit": "KT", "Faktor": 12}], "Deklaration": [{"Nr": 1}]}}),
        json!({"Verpackung": {"ArtNr": "A-1", "VPEinheit": "KT", "Faktor": 12}}),
        json!({"ArtikelText": {"ArtNr": "A-1", "AdrSprache": "ger", "ArtBez": "Rohr"}}),
        json!({"Deklaration": {"ArtNr": "A-1", "Nr": 1}}),
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "A-1", "Preis": [price()]}}),
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "A-1", "WaehrAbk": "CHF", "PreisList": 1,
            "Preisart": "N"}}),
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "A-1", "WaehrAbk": "CHF", "Loeschen": true}}),
        json!({"Bestand": {"ArtNr": "A-1", "LagerOrt": "H1", "StaoNr": 1, "LagerBestand": 5}}),
        json!({"Kunde": {"KundNr": "1001", "WaehrAbk": "CHF", "KontaktAdr": {"AdrAnrede": 0, "AdrFirma": "Muster AG",
            "AdrAdresse1": "Weg 1", "OrtName": "Chur", "OrtPLZ": "7000", "OrtLand": "CH", "AdrSprache": "ger"}}}),
        json!({"ArtikelMedia": {"ArtNr": "A-1", "AMDText": "x"}}),
    ]
}

/// The required fields: index of the row above, pointer within the row, path of the problem.
const REQUIRED: [(usize, &str, &str); 33] = [
    (0, "/Firma/FirmaBez", "Firma.FirmaBez"),
    (
        0,
        "/Firma/Zahlungsbedingungen/0/KundBedTyp",
        "Firma.Zahlungsbedingungen[0].KundBedTyp",
    ),
    (
        0,
        "/Firma/Zahlungsbedingungen/0/Texte/0/AdrSprache",
        "Firma.Zahlungsbedingungen[0].Texte[0].AdrSprache",
    ),
    (
        0,
        "/Firma/Zahlungsbedingungen/0/Texte/0/Text",
        "Firma.Zahlungsbedingungen[0].Texte[0].Text",
    ),
    (0, "/Firma/attributes/0/PHKey", "Firma.attributes[0].PHKey"),
    (1, "/Steuer/WUSTCode", "Steuer.WUSTCode"),
    (1, "/Steuer/PosWUSTKlasse", "Steuer.PosWUSTKlasse"),
    (
        1,
        "/Steuer/Texte/0/AdrSprache",
        "Steuer.Texte[0].AdrSprache",
    ),
    (
        1,
        "/Steuer/Saetze/0/GueltigAb",
        "Steuer.Saetze[0].GueltigAb",
    ),
    (1, "/Steuer/Saetze/0/WUSTSatz", "Steuer.Saetze[0].WUSTSatz"),
    (2, "/Artikel/ArtNr", "Artikel.ArtNr"),
    (
        2,
        "/Artikel/Texte/0/AdrSprache",
        "Artikel.Texte[0].AdrSprache",
    ),
    (2, "/Artikel/Texte/0/ArtBez", "Artikel.Texte[0].ArtBez"),
    (
        2,
        "/Artikel/Verpackungen/0/VPEinheit",
        "Artikel.Verpackungen[0].VPEinheit",
    ),
    (
        2,
        "/Artikel/Verpackungen/0/Faktor",
        "Artikel.Verpackungen[0].Faktor",
    ),
    (2, "/Artikel/Deklaration/0/Nr", "Artikel.Deklaration[0].Nr"),
    (3, "/Verpackung/ArtNr", "Verpackung.ArtNr"),
    (4, "/ArtikelText/AdrSprache", "ArtikelText.AdrSprache"),
    (4, "/ArtikelText/ArtBez", "ArtikelText.ArtBez"),
    (5, "/Deklaration/ArtNr", "Deklaration.ArtNr"),
    (5, "/Deklaration/Nr", "Deklaration.Nr"),
    (6, "/Preisliste/PreisListe", "Preisliste.PreisListe"),
    (
        6,
        "/Preisliste/Preis/0/WaehrAbk",
        "Preisliste.Preis[0].WaehrAbk",
    ),
    (
        6,
        "/Preisliste/Preis/0/Preisart",
        "Preisliste.Preis[0].Preisart",
    ),
    (
        6,
        "/Preisliste/Preis/0/PreisList",
        "Preisliste.Preis[0].PreisList",
    ),
    (7, "/Preis/WaehrAbk", "Preis.WaehrAbk"),
    (7, "/Preis/Preisart", "Preis.Preisart"),
    (8, "/Preis/WaehrAbk", "Preis.WaehrAbk"),
    (9, "/Bestand/LagerOrt", "Bestand.LagerOrt"),
    (9, "/Bestand/StaoNr", "Bestand.StaoNr"),
    (10, "/Kunde/KundNr", "Kunde.KundNr"),
    (10, "/Kunde/WaehrAbk", "Kunde.WaehrAbk"),
    (11, "/ArtikelMedia/AMDText", "ArtikelMedia.AMDText"),
];

#[test]
fn complete_rows_are_accepted() {
    for row in complete_rows() {
        assert!(problems(&row).is_err(), "{row}");
    }
}

// rule: D-REQ-06
#[test]
fn a_required_field_without_a_value_is_reported_once() {
    for (at, pointer, path) in REQUIRED {
        for blank in [Value::Null, json!(""), json!(" ")] {
            let mut row = complete_rows()[at].clone();
            let field = row.pointer_mut(pointer).unwrap();
            if !field.is_string() && !blank.is_null() {
                continue;
            }
            *field = blank.clone();
            let expected = vec![(path.to_owned(), Code::Required)];
            assert_eq!(problems(&row), Ok(expected), "{path} = {blank}");
        }
    }
}

#[test]
fn every_problem_of_a_list_is_reported_at_its_entry() {
    let row = json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "A-1", "Preis": [
        {"WaehrAbk": "CHF", "PreisList": 1, "Preisart": "N"}, {"WaehrAbk": " ", "PreisList": 1, "Preisart": "Q"}]}});
    let expected = vec![
        ("Preisliste.Preis[1].WaehrAbk".to_owned(), Code::Required),
        (
            "Preisliste.Preis[1].Preisart".to_owned(),
            Code::UnknownValue,
        ),
    ];
    assert_eq!(problems(&row), Ok(expected));
}

// rule: D-REQ-14
#[test]
fn invisible_characters_are_refused_in_names_and_codes_of_customers() {
    let names = [
        "KundBez",
        "FAKTZahlArt",
        "AUFT_SPESEN",
        "SteuerNummer",
        "FirmenURL",
    ];
    for (name, hidden) in names
        .map(|name| (name, '\u{202e}'))
        .into_iter()
        .chain(["VBTyp", "TVTyp"].map(|name| (name, '\u{200d}')))
    {
        let mut row = complete_rows()[10].clone();
        row["Kunde"][name] = json!(hidden.to_string());
        let found = problems(&row).unwrap();
        let expected = (format!("Kunde.{name}"), Code::ControlCharacter);
        assert_eq!(found, [expected], "{name}");
        // Padding is none; `FAKTZahlArt` has one character.
        row["Kunde"][name] = json!(if name == "FAKTZahlArt" { "a" } else { "a " });
        assert_eq!(problems(&row).unwrap_or_default(), [], "{name}");
    }
    let mut row = complete_rows()[10].clone();
    row["Kunde"]["Kommentar"] = json!("a\u{202e}b");
    assert!(problems(&row).is_err());
}

#[test]
fn a_row_of_a_kind_that_stays_is_not_removed() {
    for row in [
        json!({"Steuer": {"WUSTCode": "CH81", "Loeschen": true}}),
        json!({"Kunde": {"KundNr": "1001", "Loeschen": true}}),
        json!({"Firma": {"Loeschen": true}}),
    ] {
        let problems = Row::read(&row, Language::GERMAN).unwrap_err();
        let paths = problems.as_slice().iter().map(|one| one.path.as_str());
        let paths: Vec<_> = paths.collect();
        assert!(
            paths.iter().any(|path| path.ends_with(".Loeschen")),
            "{paths:?}"
        );
        assert!(
            !paths.iter().any(|path| path.ends_with(".ArtNr")),
            "{paths:?}"
        );
    }
}
