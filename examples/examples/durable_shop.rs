//! The core with a durable store: customers that are still there when the program starts again.
//!
//! `cargo run -p erp-examples --example durable_shop -- FOLDER`

use std::error::Error;
use std::path::Path;

use erp_core::Erp;
use erp_core::codes::Language;
use erp_core::erp::{Context, ImportRow, Settings};
use erp_core::import::Row;
use erp_core::master::{Caller, Role};
use erp_core::text::Text;
use erp_core::wire::{AddressBody, CustomerBody};
use erp_store_sled::{SledStore, StoreOptions};
use jiff::Timestamp;
use serde_json::json;

/// Opens the store in a folder, stores a customer durably, and returns the customer's number.
fn add_customer(folder: &Path, now: Timestamp) -> Result<String, Box<dyn Error>> {
    let store = SledStore::open(folder, StoreOptions::default())?;
    let erp = Erp::new(store.clone(), Settings::default());
    let company = json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger",
        "OrtLand": "CH", "RESTPreisliste": "STANDARD", "WUSTCode": "NORMAL"}});
    let row = Row::read(&company, Language::GERMAN)?;
    let contact = AddressBody {
        language: Some("ger".into()),
        salutation: Some(0),
        company: Some("Käufer AG".into()),
        street: Some("Weg 1".into()),
        country: Some("CH".into()),
        postal_code: Some("8001".into()),
        town: Some("Zürich".into()),
        ..AddressBody::default()
    };
    let customer = CustomerBody::of("CHF", "B", contact);
    let caller = Caller {
        name: Text::new("shop")?,
        role: Role::Shop,
        shop: None,
    };
    let number = erp_examples::block_on(async {
        erp.import(&[ImportRow { line: 1, row }], now, None).await?;
        let context = Context::new(now, &caller, "https://erp.example.com");
        let created = erp.create_customer(&context, &customer).await?;
        Ok::<_, erp_core::erp::Error>(created.answer)
    })?;
    store.close()?;
    Ok(number.to_string())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    let number = add_customer(Path::new(&folder), Timestamp::now())?;
    println!("customer {number} is in `{folder}`");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn customers_survive_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let first = add_customer(folder.path(), Timestamp::UNIX_EPOCH).unwrap();
        let second = add_customer(folder.path(), Timestamp::UNIX_EPOCH).unwrap();
        assert!(second > first, "{first} {second}");
    }
}
