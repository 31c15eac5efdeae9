//! The core in a web service of one's own: an axum handler that places orders.
//!
//! `cargo run -p erp-examples --example axum_shop`, then in another terminal
//! `curl -d '{"GrundDaten": {"KundNr": "20001"}, "Positionen": [{"ArtNr": "A-1", "Menge": 2}]}' localhost:8000/orders`

use std::error::Error;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use erp_core::address::Address;
use erp_core::codes::{Country, Currency, Language};
use erp_core::import::{Price, Row};
use erp_core::jiff::Timestamp;
use erp_core::json;
use erp_core::master::{Article, Caller, Company, Customer, Role, TaxClass, TaxCode};
use erp_core::storage::MemoryStore;
use erp_core::{Erp, Settings};
use tokio::net::TcpListener;

/// What all requests share. A real service makes the caller of the user of a session or token.
struct Shared {
    erp: Erp<MemoryStore>,
    caller: Caller,
}

/// `POST /orders`: the body is an order as the interface has it. Returns its number, or every problem of the body.
async fn place_order(State(shared): State<Arc<Shared>>, body: String) -> Response {
    let body = match json::read(&body) {
        Ok(body) => body,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    let shop = shared.erp.shop(&shared.caller, Timestamp::now());
    match shop.create_order(&body).await {
        Ok(order) => (StatusCode::CREATED, order.number.to_string()).into_response(),
        Err(erp_core::Error::Invalid(problems)) => {
            (StatusCode::UNPROCESSABLE_ENTITY, Json(problems.into_vec())).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// The service with an article and a customer in its store.
async fn service() -> Result<Router, Box<dyn Error>> {
    let company = Company::new("Muster AG", Currency::CHF, Country::CH)?
        .price_list("STANDARD")?
        .tax_code("NORMAL")?;
    let tax = TaxCode::new("NORMAL", TaxClass::Swiss)?.rate("2024-01-01".parse()?, "8.1".parse()?);
    let article = Article::new("A-1", Language::GERMAN, "Locher")?.visible_to_all();
    let price = Price::net(Currency::CHF, 12);
    let price = Row::price("STANDARD", "A-1", price)?;
    let contact = Address::company("Käufer AG", "Weg 1", Country::CH, "8001", "Zürich")?;
    let customer = Customer::new("20001", Currency::CHF, contact)?;

    let erp = Erp::new(MemoryStore::new(), Settings::default());
    let rows = [
        tax.into(),
        company.into(),
        article.into(),
        price,
        customer.into(),
    ];
    erp.office(Timestamp::now()).put(rows).await?;
    let caller = Caller::new("shop", Role::Shop, None)?;
    Ok(Router::new()
        .route("/orders", post(place_order))
        .with_state(Arc::new(Shared { erp, caller })))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:8000").await?;
    axum::serve(listener, service().await?).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use erp_core::serde_json::{Value, json};

    #[tokio::test]
    async fn an_order_gets_a_number_or_all_its_problems() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let orders = format!("http://{}/orders", listener.local_addr().unwrap());
        let service = service().await.unwrap();
        tokio::spawn(async move { axum::serve(listener, service).await });
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let post = async |body: Value| {
            let response = client.post(&orders).json(&body).send().await.unwrap();
            (response.status().as_u16(), response.text().await.unwrap())
        };

        let order = json!({"GrundDaten": {"KundNr": "20001"}, "Positionen": [{"ArtNr": "A-1", "Menge": 2}]});
        assert_eq!(post(order).await, (201, "100001".to_owned()));

        let order = json!({"GrundDaten": {"KundNr": "30001"}, "Positionen": [{"ArtNr": "A-9", "Menge": 2}]});
        let (status, problems) = post(order).await;
        let problems: Value = erp_core::serde_json::from_str(&problems).unwrap();
        let paths: Vec<&str> = problems
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|problem| problem["path"].as_str())
            .collect();
        assert_eq!(
            (status, paths),
            (422, vec!["GrundDaten.KundNr", "Positionen[0].ArtNr"])
        );
    }
}
