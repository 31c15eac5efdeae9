//! The core embedded in a program, without a server: imports two articles, creates a customer and an order, and reads
//! it.
//!
//! `cargo run -p erp-examples --example embedded_shop`

use std::error::Error;

use erp_core::Erp;
use erp_core::address::{Address, Salutation};
use erp_core::codes::{Country, Currency, Language};
use erp_core::erp::{ImportRow, Settings};
use erp_core::import::Row;
use erp_core::jiff::Timestamp;
use erp_core::master::{Caller, Role};
use erp_core::request::{CustomerRequest, DocumentRequest, PositionRequest};
use erp_core::serde_json::{self, Value, json};
use erp_core::storage::MemoryStore;

fn master_data() -> Vec<Value> {
    let article = |number: &str, text: &str| {
        json!({"Artikel": {"ArtNr": number, "ArtBez": text,
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}})
    };
    let price = |number: &str, price: u32| {
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": number, "WaehrAbk": "CHF", "AbAnzahl": 1,
            "PreisList": price, "Preisart": "N"}})
    };
    vec![
        json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH",
            "RESTPreisliste": "STANDARD", "WUSTCode": "NORMAL"}}),
        json!({"Steuer": {"WUSTCode": "NORMAL", "PosWUSTKlasse": "C",
            "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1}]}}),
        article("A-1", "Locher"),
        article("A-2", "Heftgerät"),
        price("A-1", 12),
        price("A-2", 25),
    ]
}

/// Imports the master data, stores a customer, places an order and reads it back.
async fn main_job(now: Timestamp) -> Result<Value, Box<dyn Error>> {
    let erp = Erp::new(MemoryStore::new(), Settings::default());
    let mut rows = Vec::new();
    for (row, line) in master_data().iter().zip(1..) {
        rows.push(ImportRow {
            line,
            row: Row::read(row, Language::GERMAN)?,
        });
    }
    erp.office(now).import(&rows).await?;

    let mut contact = Address::person("Müller", "Bärengasse 5", Country::CH, "8001", "Zürich")?;
    contact.salutation = Salutation::Miss;
    let customer = CustomerRequest::new(Currency::CHF, "B".parse()?, contact);
    let caller = Caller::new("shop".parse()?, Role::Shop, None);
    let shop = erp.shop(&caller, now);
    let customer = shop.create_customer(&customer).await?;
    let order = DocumentRequest::order(customer.number.clone())
        .position("A-1".parse()?, 2)
        .with_position(PositionRequest {
            discount_rate: Some(10.into()),
            ..PositionRequest::new("A-2".parse()?, 1)
        });
    let number = shop.create_order(&order).await?.number.clone();
    let order = shop.order(&number).await?;
    Ok(serde_json::to_value(order.to_wire()).unwrap_or_default())
}

fn main() -> Result<(), Box<dyn Error>> {
    let order = pollster::block_on(main_job(Timestamp::now()))?;
    println!("{order:#}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_reads_back_with_its_totals() {
        let now = "2026-06-01T10:00:00Z".parse().unwrap();
        let order = pollster::block_on(main_job(now)).unwrap();
        // 24.00 + 22.50 = 46.50; 8.1 % of it is 3.77.
        assert_eq!(order["GrundDaten"]["AuftBrutto"].to_string(), "50.27");
        assert_eq!(order["Adressen"]["RechAdr"]["OrtName"], "Zürich");
        assert_eq!(order["Positionen"][1]["PosBez"], "Heftgerät");
    }
}
