//! A small company with a few articles and two customers.

use erp_core::Links;
use erp_core::erp::{Error, ImportReport, ImportRow, Office, Settings, Shop, Upkeep};
use erp_core::import::Row;
use erp_core::master::{Caller, Role};
use erp_core::storage::MemoryStore;
use erp_core::{Erp, codes::Language};
use jiff::Timestamp;
use serde_json::{Value, json};

pub(crate) use pollster::block_on;

/// An [`Erp`] with the small company.
pub(crate) struct Demo {
    pub(crate) erp: Erp<MemoryStore>,
}

impl Demo {
    pub(crate) fn shop<'a>(&'a self, caller: &'a Caller) -> Shop<'a, MemoryStore> {
        self.erp.shop(caller, now())
    }

    pub(crate) fn office(&self) -> Office<'_, MemoryStore> {
        self.erp.office(now())
    }

    pub(crate) fn upkeep(&self) -> Upkeep<'_, MemoryStore> {
        self.erp.upkeep(now())
    }

    /// Places an order for the shop `SHOP1` and returns its number.
    pub(crate) fn order(&self, body: &Value) -> String {
        let caller = shop("SHOP1");
        let outcome = block_on(self.shop(&caller).create_order(body)).unwrap();
        outcome.number.to_string()
    }

    /// Stores a customer and returns its number.
    pub(crate) fn customer(&self, body: &Value) -> String {
        let caller = shop("SHOP1");
        let outcome = block_on(self.shop(&caller).create_customer(body)).unwrap();
        outcome.number.to_string()
    }

    pub(crate) fn import(&self, rows: &[Value]) -> Result<ImportReport, Error> {
        block_on(self.erp.office(now()).import(&import_rows(rows)))
    }
}

/// Rows of an import, numbered from 1.
pub(crate) fn import_rows(rows: &[Value]) -> Vec<ImportRow> {
    let read = |row| Row::read(row, Language::GERMAN).unwrap();
    let rows = rows.iter().zip(1..);
    rows.map(|(row, line)| ImportRow {
        line,
        row: read(row),
    })
    .collect()
}

pub(crate) const LINKS: Links<'_> = Links::new("https://erp.example.com");

pub(crate) fn now() -> Timestamp {
    "2026-06-01T10:00:00Z".parse().unwrap()
}

pub(crate) fn shop(value: &str) -> Caller {
    Caller::new("shop", Role::Shop, Some(value.parse().unwrap())).unwrap()
}

pub(crate) fn admin() -> Caller {
    Caller::new("admin", Role::Admin, None).unwrap()
}

pub(crate) fn demo() -> Demo {
    let demo = Demo {
        erp: Erp::new(MemoryStore::new(), Settings::default()),
    };
    demo.import(&rows()).unwrap();
    demo
}

pub(crate) fn rows() -> Vec<Value> {
    let shops = |contents: &str| json!([{"PHKey": "RESTWEBSHOP", "Contents": contents}]);
    let price = |list: &str, article: &str, tiers: Value| json!({"Preisliste": {"PreisListe": list, "ArtNr": article, "Preis": tiers}});
    let tier = |price: &str, from: i32| {
        let price: Value = serde_json::from_str(price).unwrap();
        json!({"WaehrAbk": "CHF", "AbAnzahl": from, "PreisList": price, "Preisart": "N"})
    };
    let address = |language: &str, name: &str| {
        json!({"AdrSprache": language, "AdrAdresse1": "Weg 1", "AdrAnrede": 0,
        "AdrFirma": name, "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"})
    };
    vec![
        json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH", "Zeitzone": "UTC",
            "Preisart": "N", "RESTPreisliste": "STANDARD", "WUSTCode": "CH81", "LiefKostWUSTCode": "CH81", "StaoNr": 1}}),
        json!({"Steuer": {"WUSTCode": "CH81", "PosWUSTKlasse": "C", "Texte": [{"AdrSprache": "ger", "Text": "MWST 8.1 %"}],
            "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1, "PosUSTUZiffer": "303"}]}}),
        json!({"Steuer": {"WUSTCode": "CH26", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 2.6}]}}),
        json!({"Artikel": {"ArtNr": "P-1", "AnLager": "J", "ArtBez": "Stanzwerkzeug",
            "Texte": [{"AdrSprache": "fre", "ArtBez": "Outil de découpe"}], "attributes": shops("SHOP1")}}),
        json!({"Artikel": {"ArtNr": "P-2", "ArtBez": "Reißnagel", "attributes": shops("SHOP1"),
            "Verpackungen": [{"VPEinheit": "KT12", "Faktor": 12}]}}),
        json!({"Artikel": {"ArtNr": "P-3", "ArtBez": "Käse", "WUSTCode": "CH26", "attributes": shops("shop1")}}),
        json!({"Artikel": {"ArtNr": "P-4", "ArtBez": "Plakat", "attributes": shops("*")}}),
        json!({"Artikel": {"ArtNr": "HIDDEN", "ArtBez": "Nur für den anderen Laden", "attributes": shops("SHOP2")}}),
        json!({"Artikel": {"ArtNr": "INTERN", "ArtBez": "Ohne Laden"}}),
        price("STANDARD", "P-1", json!([tier("12.35", 1)])),
        price(
            "HANDEL",
            "P-1",
            json!([
            {"WaehrAbk": "CHF", "AbAnzahl": 1, "BisAnzahl": 9, "PreisList": 11, "Preisart": "N"}, tier("10", 10)]),
        ),
        price(
            "STANDARD",
            "P-2",
            json!([{"WaehrAbk": "CHF", "VPEinheit": "KT12", "AbAnzahl": 1, "PreisList": 10, "Preisart": "N"}]),
        ),
        price("STANDARD", "P-3", json!([tier("4.20", 0)])),
        price("STANDARD", "HIDDEN", json!([tier("1", 1)])),
        json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 10}}),
        json!({"Kunde": {"KundNr": "10001", "WaehrAbk": "CHF", "KontaktAdr": address("ger", "Käufer AG")}}),
        json!({"Kunde": {"KundNr": "10002", "WaehrAbk": "CHF", "PreisListe": "HANDEL", "AdrSprache": "fre",
            "KontaktAdr": address("fre", "Acheteur SA")}}),
    ]
}
