//! The master data of the benchmark's company, as NDJSON.

use std::fmt::Write as _;
use std::ops::Range;

/// Customers; every second one is on the list `HANDEL`.
pub(crate) const CUSTOMERS: u64 = 1_000;

/// The first customer's number.
pub(crate) const FIRST_CUSTOMER: u64 = 10_001;

/// One of this many articles comes in cartons of 12.
pub(crate) const CARTON_EVERY: u64 = 4;

/// Random numbers from a seed (splitmix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)).checked_rem(bound).unwrap_or(0)
    }
}

/// `ArtNr` of the n-th article.
pub(crate) fn article_number(article: u64) -> String {
    format!("A-{article:06}")
}

pub(crate) fn company() -> String {
    r#"{"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH", "Zeitzone": "UTC", "Preisart": "N", "RESTPreisliste": "STANDARD", "WUSTCode": "CH81", "LiefKostWUSTCode": "CH81", "StaoNr": 1}}
{"Steuer": {"WUSTCode": "CH81", "PosWUSTKlasse": "C", "Texte": [{"AdrSprache": "ger", "Text": "MWST 8.1 %"}], "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1, "PosUSTUZiffer": "303"}]}}
"#
    .to_owned()
}

/// These articles with texts in two languages and attributes; some of them in a carton.
pub(crate) fn articles(of: Range<u64>) -> String {
    let mut rows = String::new();
    for article in of {
        let number = article_number(article);
        let carton = if article % CARTON_EVERY == 0 {
            r#", "Verpackungen": [{"VPEinheit": "KARTON", "VPEEANNr": "2100001001001", "VPBezeichnung": "Karton", "Gewicht": 12, "VPEGewicht": 6.2, "GewichtInhalt": 6, "Faktor": 12}]"#
        } else {
            ""
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            rows,
            r##"{{"Artikel": {{"ArtNr": "{number}", "AnLager": "J", "ArtBez": "Prüfgerät Größe {}, Ausführung {article}", "ArtikelStatus": 1, "Einheit": "Stk", "Farbe": "#1040c0", "ArtGruppe": "GRUPPE{}", "ArtKlasse": "K{}", "BeschaffungsArt": "F", "VerarbeitungsArt": "N", "ArtGewicht": 0.505, "Texte": [{{"AdrSprache": "fre", "ArtBez": "Appareil de contrôle {article}"}}], "attributes": [{{"PHKey": "RESTWEBSHOP", "Contents": "SHOP1,SHOP2"}}, {{"PHKey": "MARKE", "Contents": "Muster"}}]{carton}}}}}"##,
            article % 97,
            article % 40,
            article % 9,
        );
    }
    rows
}

/// Three price tiers for each of these articles in a list.
pub(crate) fn prices(list: &str, of: Range<u64>) -> String {
    let mut rows = String::new();
    for article in of {
        let number = article_number(article);
        let unit = if article % CARTON_EVERY == 0 {
            r#""VPEinheit": "KARTON", "#
        } else {
            ""
        };
        let price = 10 + article % 90;
        let tier = |from: u32, until: &str, cents: u32| {
            format!(
                r#"{{{unit}"WaehrAbk": "CHF", "AbAnzahl": {from}, {until}"PreisList": {price}.{cents}, "Preisart": "N"}}"#
            )
        };
        let _ = writeln!(
            rows,
            r#"{{"Preisliste": {{"PreisListe": "{list}", "ArtNr": "{number}", "Preis": [{}, {}, {}]}}}}"#,
            tier(1, r#""BisAnzahl": 9, "#, 95),
            tier(10, r#""BisAnzahl": 49, "#, 45),
            tier(50, "", 15),
        );
    }
    rows
}

/// Stock at one location for each of these articles.
pub(crate) fn stock(of: Range<u64>) -> String {
    let mut rows = String::new();
    for article in of {
        let number = article_number(article);
        let _ = writeln!(
            rows,
            r#"{{"Bestand": {{"ArtNr": "{number}", "LagerOrt": "A-{}", "StaoNr": 1, "LagerBestand": 100000, "Bereich": "REGAL"}}}}"#,
            article % 500,
        );
    }
    rows
}

/// These customers, counted from 0, each with three addresses.
pub(crate) fn customers(of: Range<u64>) -> String {
    let mut rows = String::new();
    for customer in of.map(|customer| FIRST_CUSTOMER + customer) {
        let list = if customer % 2 == 0 {
            r#""PreisListe": "HANDEL", "#
        } else {
            ""
        };
        let address = |street: &str| {
            format!(
                r#"{{"AdrSprache": "ger", "EmailAdress": "einkauf{customer}@example.ch", "AdrAdresse1": "{street} {customer}", "AdrAnrede": 0, "AdrFirma": "Käufer {customer} AG", "AdrTf1": "+41 44 000 00 01", "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"}}"#
            )
        };
        let _ = writeln!(
            rows,
            r#"{{"Kunde": {{"KundNr": "{customer}", "WaehrAbk": "CHF", "AdrSprache": "ger", "FAKTZahlArt": "R", "ZahlungsMethode": "K,R", "KreditLimit": 8000, {list}"KontaktAdr": {}, "LiefAdr": [{}], "RechAdr": [{}]}}}}"#,
            address("Weg"),
            address("Lagerstrasse"),
            address("Rechnungsweg"),
        );
    }
    rows
}
