//! The core embedded in a program, without a server: master data, a customer, an offer that becomes an order.
//!
//! `cargo run -p erp-examples --example embedded_shop`

use std::error::Error;

use erp_core::address::{Address, Salutation};
use erp_core::codes::{Country, Currency, Language};
use erp_core::document::Order;
use erp_core::import::{Price, Row};
use erp_core::jiff::Timestamp;
use erp_core::master::{Article, Caller, Company, Role, StockEntry, TaxClass, TaxCode};
use erp_core::request::{
    ConversionRequest, CustomerRequest, DocumentRequest, OfferChangeRequest, PositionRequest,
};
use erp_core::storage::MemoryStore;
use erp_core::{Erp, Settings, serde_json};

/// A company with two articles, the second of which costs less from ten pieces on and is in stock.
fn master_data() -> Result<Vec<Row>, Box<dyn Error>> {
    let company = Company::new("Muster AG", Currency::CHF, Country::CH)?
        .price_list("STANDARD")?
        .tax_code("NORMAL")?;
    let tax = TaxCode::new("NORMAL", TaxClass::Swiss)?.rate("2024-01-01".parse()?, "8.1".parse()?);
    let punch = Article::new("A-1", Language::GERMAN, "Locher")?.visible_to_all();
    let stapler = Article {
        stock_managed: true,
        ..Article::new("A-2", Language::GERMAN, "Heftgerät")?.visible_to_all()
    };
    let price = |number: &str, price: Price| Row::price("STANDARD", number, price);
    Ok(vec![
        tax.into(),
        company.into(),
        punch.into(),
        stapler.into(),
        price("A-1", Price::net(Currency::CHF, 12))?,
        price("A-2", Price::net(Currency::CHF, 25).ending_at(9))?,
        price("A-2", Price::net(Currency::CHF, 22).starting_at(10))?,
        Row::stock("A-2", StockEntry::new("Hauptlager", 1, 40)?)?,
    ])
}

/// Stores the master data and a customer, makes an offer, changes it, and makes an order of it.
async fn first_order(now: Timestamp) -> Result<Order, Box<dyn Error>> {
    let erp = Erp::new(MemoryStore::new(), Settings::default());
    erp.office(now).put(master_data()?).await?;

    let caller = Caller::new("shop", Role::Shop, None)?;
    let shop = erp.shop(&caller, now);
    let contact = Address {
        salutation: Salutation::Miss,
        ..Address::person("Müller", "Bärengasse 5", Country::CH, "8001", "Zürich")?
    };
    let customer = CustomerRequest::new(Currency::CHF, "B", contact)?;
    let customer = shop.create_customer(&customer).await?.value.number;

    let offer = DocumentRequest::offer(customer.clone())?
        .position("A-1", 2)?
        .with_position(PositionRequest {
            discount_rate: Some(10.into()),
            ..PositionRequest::new("A-2", 1)?
        });
    let offer = shop.create_offer(&offer).await?.number.clone();
    let more = OfferChangeRequest::default().quantity(2, 10);
    shop.change_offer(&offer, None, &more).await?;
    let order = ConversionRequest::new(customer, offer)?;
    Ok(shop.convert_offer(&order).await?.value)
}

fn main() -> Result<(), Box<dyn Error>> {
    let order = pollster::block_on(first_order(Timestamp::now()))?;
    println!("{}", serde_json::to_string_pretty(&order.to_wire())?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_has_the_prices_of_the_changed_offer() {
        let now = "2026-06-01T10:00:00Z".parse().unwrap();
        let order = pollster::block_on(first_order(now)).unwrap();
        // 2 × 12 and 10 × 22 less 10 % are 222; 8.1 % of it is 17.98.
        assert_eq!(order.document.sums.gross.to_string(), "239.98");
        let order = serde_json::to_value(order.to_wire()).unwrap();
        assert_eq!(order["Adressen"]["RechAdr"]["OrtName"], "Zürich");
        assert_eq!(order["Positionen"][1]["PosBez"], "Heftgerät");
    }
}
