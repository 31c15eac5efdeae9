//! Gives orders and offers of an older version their keys, once per store.

use std::sync::Arc;
use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::{Error, Leased};
use jiff::{SignedDuration, Timestamp};

use super::leader::LeaderTask;
use crate::store::Store;

/// Interval of attempts, while another server does the work or servers of the older version may still run.
const TRY_EVERY: Duration = Duration::from_secs(60);

/// Duration of the lease: if its holder crashes, the work pauses this long.
const LEASE: Duration = Duration::from_secs(120);

/// Servers on one database are upgraded one after the other, within this time. The older ones write no keys.
const UPGRADE: SignedDuration = SignedDuration::from_hours(1);

/// Pause between two slices, so that requests go on.
const PAUSE: Duration = Duration::from_millis(5);

/// Slices between two lines in the log: 20,000 orders or offers.
const SLICES_PER_LINE: usize = 200;

/// Writes the keys of all orders and offers that lack them. Ends when all have them.
pub(crate) async fn write_document_keys(erp: Arc<Erp<Store>>, holder: u64) {
    let mut task = LeaderTask::new(Leased::OrderKeys, LEASE, holder);
    let wait = match erp.store() {
        Store::Sled(_) => SignedDuration::ZERO,
        Store::Postgres(_) => UPGRADE,
    };
    loop {
        match write_some(&erp, &mut task, wait).await {
            Ok(true) => return,
            Ok(false) => (),
            Err(error) => {
                tracing::warn!(%error, "keys of older orders and offers could not be written")
            }
        }
        tokio::time::sleep(TRY_EVERY).await;
    }
}

/// Goes on while there is something to write. Returns whether all have their keys.
async fn write_some(
    erp: &Erp<Store>,
    task: &mut LeaderTask,
    wait: SignedDuration,
) -> Result<bool, Error> {
    if erp.upkeep(Timestamp::now()).has_document_keys().await? {
        return Ok(true);
    }
    let mut slices = 0_usize;
    while task.is_ours(erp).await {
        let upkeep = erp.upkeep(Timestamp::now());
        let state = upkeep.write_document_keys(wait).await?;
        let Some(next) = state.next else {
            if slices > 0 {
                tracing::info!("all orders and offers have their keys");
            }
            return Ok(true);
        };
        if Timestamp::now().duration_since(state.since) < wait {
            return Ok(false);
        }
        if slices.is_multiple_of(SLICES_PER_LINE) {
            tracing::info!(next, "orders and offers of an older version get their keys");
        }
        slices = slices.saturating_add(1);
        tokio::time::sleep(PAUSE).await;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{SledStore, StoreOptions};
    use erp_core::codes::Language;
    use erp_core::erp::{ImportRow, OfferQuery, Settings};
    use erp_core::import::Row;
    use erp_core::master::{Caller, Role};
    use erp_core::storage::{ChangeSet, Key, Scan, Space, Storage as _};
    use erp_core::text::Text;
    use serde_json::{Value, json};

    fn rows() -> Vec<ImportRow> {
        let shops = json!([{"PHKey": "RESTWEBSHOP", "Contents": "*"}]);
        let price = json!({"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 4, "Preisart": "N"});
        let rows = [
            json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH",
                "Zeitzone": "UTC", "Preisart": "N", "RESTPreisliste": "A", "WUSTCode": "CH81", "StaoNr": 1}}),
            json!({"Steuer": {"WUSTCode": "CH81", "PosWUSTKlasse": "C",
                "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1}]}}),
            json!({"Artikel": {"ArtNr": "P-1", "ArtBez": "Locher", "attributes": shops}}),
            json!({"Preisliste": {"PreisListe": "A", "ArtNr": "P-1", "Preis": [price]}}),
            json!({"Kunde": {"KundNr": "10001", "WaehrAbk": "CHF", "KontaktAdr": {"AdrSprache": "ger", "AdrAnrede": 0,
                "AdrAdresse1": "Weg 1", "AdrFirma": "Käufer AG", "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3000"}}}),
        ];
        let read = |row: &Value| Row::read(row, Language::GERMAN).unwrap();
        let rows = rows.iter().zip(1..);
        rows.map(|(row, line)| ImportRow {
            line,
            row: read(row),
        })
        .collect()
    }

    #[tokio::test]
    async fn a_store_of_an_older_version_gets_its_keys_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let store = SledStore::open(folder.path(), StoreOptions::default()).unwrap();
        let erp = Arc::new(Erp::new(Store::from(store.clone()), Settings::default()));
        let now = Timestamp::now();
        erp.office(now).import(&rows()).await.unwrap();
        let caller = Caller::new(Text::new("admin").unwrap(), Role::Admin, None);
        let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
        for _ in 0..120 {
            erp.shop(&caller, now).create_order(&body).await.unwrap();
            erp.shop(&caller, now).create_offer(&body).await.unwrap();
        }
        let mut changes = ChangeSet::new();
        for space in [
            Space::OrderOfStatus,
            Space::OrdersOfStatus,
            Space::OfferOfCustomer,
            Space::OrderKeys,
        ] {
            let scan = Scan::prefix(&Key::of(space).build());
            let entries = erp.store().scan(scan).await.unwrap().entries;
            entries.into_iter().for_each(|(key, _)| changes.delete(key));
        }
        erp.store().commit(changes).await.unwrap();
        assert_eq!(erp.office(now).count_orders().await, Ok(None));
        write_document_keys(Arc::clone(&erp), 1).await;
        let counts = erp.office(now).count_orders().await.unwrap().unwrap();
        assert_eq!(counts.map(|(_, count)| count), [120, 0, 0, 0]);
        let first = OfferQuery {
            customer: Some("10001".into()),
            limit: 1,
            ..OfferQuery::default()
        };
        let page = erp.shop(&caller, now).offers(&first).await.unwrap();
        assert_eq!((page.offers.len(), page.count), (1, Some(120)));
        assert_eq!(erp.upkeep(now).check().await.unwrap().findings, []);
        drop(erp);
        store.close().unwrap();
    }
}
