//! Reading what has changed among many articles, beside a list of as many.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::child::Child;
use crate::client::{Connection, Load, MakeRequest, TestRequest};
use crate::company::{CUSTOMERS, FIRST_CUSTOMER, article_number};
use crate::{Outcome, Plan, report, store, target};

/// Articles that have changed.
const CHANGED: u64 = 50;

fn get(path: String) -> MakeRequest {
    Arc::new(move |_| TestRequest::get(path.clone()))
}

/// Orders articles one by one, so that their stock changes, and reads these changes again and again.
pub(crate) async fn measure(plan: &Plan, folder: &Path) -> Outcome<()> {
    let articles = plan.import as u64;
    if articles < CHANGED {
        return Ok(());
    }
    let data = folder.join("changes");
    println!("preparing {articles} articles with prices and stock");
    let erp = store::open(&data)?;
    store::fill(&erp, articles, CUSTOMERS).await?;
    let token = store::shop_token(&erp).await?;
    erp.store().close()?;
    let server = Child::serve(&data)?;
    let here = target(&server, &token);
    let mut connection = Connection::open(&here).await?;
    let first = TestRequest::get("/www/artikel?seit=&limit=1".to_owned());
    let first: Value = serde_json::from_slice(&connection.send(first).await?)?;
    let stand = first.get("stand").and_then(Value::as_str);
    let stand = stand.ok_or("a list without a mark")?;
    for at in 0..CHANGED {
        let article = article_number(at * (articles / CHANGED));
        let body = json!({"GrundDaten": {"KundNr": FIRST_CUSTOMER.to_string()},
            "Positionen": [{"ArtNr": article, "Menge": 12, "Preis": 1}]});
        let order = TestRequest::post("/www/auftrag", body.to_string());
        connection.send(order).await?;
    }
    let load = |name| Load {
        name,
        length: plan.length,
        connections: 8,
    };
    let changes = get(format!("/www/artikel?seit={stand}"));
    let changes = load("changes").run(&here, &server, changes).await?;
    let list = get(format!("/www/artikel?limit={CHANGED}"));
    let list = load("list").run(&here, &server, list).await?;
    report::changes(CHANGED, articles, &changes, &list);
    Ok(())
}
