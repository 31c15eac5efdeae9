//! Reads while the store fails.

use erp_core::Erp;
use erp_core::Links;
use erp_core::article::parse_sorts;
use erp_core::erp::{ArticleQuery, Error, SearchField, SearchTerms};
use erp_core::internal::CustomerOrders;
use erp_core::storage::Storage;
use erp_core::storage::conformance::When;
use pollster::block_on;
use serde_json::{Value, json};

use super::{OFFER, holds, never, now, prepared, rows, shop};

const LINKS: Links<'_> = Links::new("https://erp.example.com");

fn searched(name: &str) -> SearchField {
    let field = SearchField::ALL.into_iter();
    field.into_iter().find(|field| field.name == name).unwrap()
}

/// Reads that must return the same after any failure.
fn reads(erp: &Erp<impl Storage>) -> Result<Vec<Value>, Error> {
    let (caller, query) = (
        shop(),
        ArticleQuery {
            customer: Some("10001".to_owned()),
            ..ArticleQuery::default()
        },
    );
    let door = erp.shop(&caller, now());
    let mut terms = SearchTerms::default();
    terms.add(searched("AdrFirma"), "käufer ag");
    terms.add(searched("OrtPLZ"), "8001");
    block_on(async {
        let list = door.article_list(&query, &parse_sorts("").unwrap()).await?;
        let page = door.article_page(&list, 0..10).await?;
        let mut text = Vec::new();
        let texts = door.article_texts(&list, 0..10, &LINKS, &mut text);
        texts.await?;
        let article = door.article("P-1", &query).await?;
        let orders = CustomerOrders {
            last: 5,
            ..CustomerOrders::default()
        };
        let customer = door.customer_with_orders("10001", orders).await?;
        let order = door.order("100001").await?.value;
        let offer = door.offer(OFFER).await?.value;
        let found = door.find_customer(&terms).await?;
        let address = door.address("1").await?.value;
        Ok(vec![
            json!(
                page.iter()
                    .map(|article| article.to_wire(&LINKS))
                    .collect::<Vec<_>>()
            ),
            serde_json::to_value(article.to_wire(&LINKS)).unwrap(),
            serde_json::to_value(customer.customer.to_wire(&LINKS)).unwrap(),
            json!(
                customer
                    .orders
                    .iter()
                    .map(|order| order.to_wire(&LINKS))
                    .collect::<Vec<_>>()
            ),
            serde_json::to_value(order).unwrap(),
            serde_json::to_value(offer).unwrap(),
            serde_json::to_value(customer.customer.customer.addresses_to_wire(&LINKS)).unwrap(),
            serde_json::to_value(found.one().unwrap()).unwrap(),
            serde_json::to_value(address).unwrap(),
            json!(String::from_utf8(text).unwrap()),
        ])
    })
}

#[test]
fn reading() {
    let store = prepared();
    let expected = reads(&store.erp()).unwrap();
    assert_eq!(expected[0].as_array().unwrap().len(), 2);
    let run = |erp: &Erp<_>| reads(erp).map(|responses| assert_eq!(responses, expected));
    holds("reading", run, never);
}

#[test]
fn a_failure_does_not_corrupt_the_cache() {
    // The first read fills the cache; then master data change, and a read fails while it refreshes the cache.
    let changed = rows(&[
        json!({"Artikel": {"ArtNr": "P-1", "AnLager": "J", "ArtBez": "Umbenannt",
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}),
    ]);
    for skipped in 0.. {
        let store = prepared();
        let count = store.failing(0, When::Before);
        reads(&count).unwrap();
        let call = count.store().calls() + skipped + 1;
        let erp = store.failing(call, When::Before);
        reads(&erp).unwrap();
        block_on(store.erp().office(now()).import(&changed)).unwrap();
        let expected = reads(&store.erp()).unwrap();
        assert_eq!(expected[1]["ArtBez"], "Umbenannt");
        let failed = reads(&erp);
        if erp.store().calls() < call {
            assert!(skipped > 3, "reading after a change reads the store");
            assert_eq!(failed, Ok(expected));
            return;
        }
        assert!(failed.is_err(), "call {call} failed");
        assert_eq!(reads(&erp).unwrap(), expected, "call {call} failed");
    }
}
