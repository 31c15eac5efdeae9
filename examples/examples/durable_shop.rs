//! The core with a durable store: an order that is still there after a restart of the program.
//!
//! `cargo run -p erp-examples --example durable_shop -- FOLDER`

use std::error::Error;
use std::path::Path;

use erp_core::address::Address;
use erp_core::codes::{Country, Currency, Language};
use erp_core::document::OrderNumber;
use erp_core::import::{Price, Row};
use erp_core::jiff::Timestamp;
use erp_core::master::{Article, Caller, Company, Customer, Role, TaxClass, TaxCode};
use erp_core::request::DocumentRequest;
use erp_core::{Erp, Settings};
use erp_store_sled::{SledStore, StoreOptions};

/// Company, tax code, article, price and customer. Storing them again changes nothing.
fn master_data() -> Result<[Row; 5], Box<dyn Error>> {
    let company = Company::new("Muster AG", Currency::CHF, Country::CH)?
        .price_list("STANDARD")?
        .tax_code("NORMAL")?;
    let tax = TaxCode::new("NORMAL", TaxClass::Swiss)?.rate("2024-01-01".parse()?, "8.1".parse()?);
    let article = Article::new("A-1", Language::GERMAN, "Locher")?.visible_to_all();
    let price = Price::net(Currency::CHF, 12);
    let contact = Address::company("Käufer AG", "Weg 1", Country::CH, "8001", "Zürich")?;
    Ok([
        tax.into(),
        company.into(),
        article.into(),
        Row::price("STANDARD", "A-1", price)?,
        Customer::new("20001", Currency::CHF, contact)?.into(),
    ])
}

/// Opens the store of a folder, places an order and returns its number.
fn place_order(folder: &Path, now: Timestamp) -> Result<OrderNumber, Box<dyn Error>> {
    let store = SledStore::open(folder, StoreOptions::default())?;
    let erp = Erp::new(store.clone(), Settings::default());
    let (rows, caller) = (master_data()?, caller()?);
    let order = DocumentRequest::order("20001")?.position("A-1", 2)?;
    let order = pollster::block_on(async {
        erp.office(now).put(rows).await?;
        erp.shop(&caller, now).create_order(&order).await
    })?;
    drop(erp);
    store.close()?;
    Ok(order.value.number)
}

/// Opens the store again and returns the gross amount of an order.
fn gross_amount(folder: &Path, number: &str, now: Timestamp) -> Result<String, Box<dyn Error>> {
    let store = SledStore::open(folder, StoreOptions::default())?;
    let erp = Erp::new(store.clone(), Settings::default());
    let caller = caller()?;
    let order = pollster::block_on(erp.shop(&caller, now).order(number))?;
    drop(erp);
    store.close()?;
    Ok(order.document.sums.gross.to_string())
}

fn caller() -> Result<Caller, Box<dyn Error>> {
    Ok(Caller::new("shop", Role::Shop, None)?)
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
