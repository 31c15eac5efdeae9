//! The core with a durable store: an order that is still there after a restart of the program.
//!
//! `cargo run -p erp-examples --example durable_shop -- FOLDER`

use std::error::Error;
use std::path::Path;

use erp_core::Erp;
use erp_core::codes::Language;
use erp_core::erp::{ImportRow, Settings};
use erp_core::import::Row;
use erp_core::jiff::Timestamp;
use erp_core::json;
use erp_core::master::{Caller, Role};
use erp_core::request::DocumentRequest;
use erp_core::text::Text;
use erp_store_sled::{SledStore, StoreOptions};

/// Lines of an import file: company, tax code, article, price and customer.
const ROWS: &str = r#"
{"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH", "RESTPreisliste": "STANDARD", "WUSTCode": "NORMAL"}}
{"Steuer": {"WUSTCode": "NORMAL", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1}]}}
{"Artikel": {"ArtNr": "A-1", "ArtBez": "Locher", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}
{"Preis": {"PreisListe": "STANDARD", "ArtNr": "A-1", "WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 12, "Preisart": "N"}}
{"Kunde": {"KundNr": "20001", "WaehrAbk": "CHF", "KontaktAdr": {"AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": "Käufer AG", "AdrAdresse1": "Weg 1", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"}}}
"#;

/// Imports the rows into the store of a folder, places an order and returns its number.
fn place_order(folder: &Path, now: Timestamp) -> Result<String, Box<dyn Error>> {
    let store = SledStore::open(folder, StoreOptions::default())?;
    let erp = Erp::new(store.clone(), Settings::default());
    let mut rows = Vec::new();
    for (text, line) in ROWS.trim().lines().zip(1..) {
        let row = Row::read(&json::read(text)?, Language::GERMAN)?;
        rows.push(ImportRow { line, row });
    }
    let caller = caller()?;
    let order = DocumentRequest::order("20001".parse()?).position("A-1".parse()?, 2);
    let order = pollster::block_on(async {
        erp.office(now).import(&rows).await?;
        erp.shop(&caller, now).create_order(&order).await
    })?;
    drop(erp);
    store.close()?;
    Ok(order.number.to_string())
}

/// Opens the store again and returns the gross amount of an order.
fn gross_amount(folder: &Path, number: &str, now: Timestamp) -> Result<String, Box<dyn Error>> {
    let store = SledStore::open(folder, StoreOptions::default())?;
    let erp = Erp::new(store.clone(), Settings::default());
    let caller = caller()?;
    let order = pollster::block_on(erp.shop(&caller, now).order(number))?;
    drop(erp);
    store.close()?;
    Ok(order.document.gross.to_string())
}

fn caller() -> Result<Caller, Box<dyn Error>> {
    Ok(Caller::new(Text::new("shop")?, Role::Shop, None))
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    let (folder, now) = (Path::new(&folder), Timestamp::now());
    let number = place_order(folder, now)?;
    println!("order {number}: {}", gross_amount(folder, &number, now)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_survive_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let now = "2026-06-01T10:00:00Z".parse().unwrap();
        let first = place_order(folder.path(), now).unwrap();
        let second = place_order(folder.path(), now).unwrap();
        assert!(second > first, "{first} {second}");
        for number in [first, second] {
            assert_eq!(gross_amount(folder.path(), &number, now).unwrap(), "25.94");
        }
    }
}
