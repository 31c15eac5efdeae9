//! What an import changes of a record is kept beside the entry of the audit trail, can be put back, and goes with its customer.

use std::sync::atomic::{AtomicI64, Ordering};

use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::{Conflict, Error, ExportOf};
use erp_core::internal::{Actor, AuditQuery, Audited, Difference};
use erp_core::storage::{Scan, Space, Storage};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::common::{block_on, demo, import_rows, now, rows, shop};
use super::export::lines;
use super::overtaken::Overtaken;

/// Each acts later than the one before, on whichever server.
fn actor(operation: &str) -> Actor {
    static ACTIONS: AtomicI64 = AtomicI64::new(0);
    let action = ACTIONS.fetch_add(1, Ordering::Relaxed);
    Actor {
        at: now() + SignedDuration::from_secs(action),
        user: Some("anna".into()),
        request: "req-1".into(),
        trace: None,
        operation: operation.into(),
    }
}

fn import<S: Storage>(erp: &Erp<S>, rows: &[Value]) {
    let by = actor("POST /admin/import");
    block_on(erp.office(now()).actor(&by).import(&import_rows(rows))).unwrap();
}

fn entries<S: Storage>(erp: &Erp<S>, record: &str) -> Vec<Audited> {
    let query = AuditQuery {
        record: Some(record.to_owned()),
        limit: 100,
        ..AuditQuery::default()
    };
    block_on(erp.office(now()).audit_trail(&query))
        .unwrap()
        .entries
}

/// The differences of the last entry that names a record, as JSON.
fn differences<S: Storage>(erp: &Erp<S>, record: &str) -> Value {
    let last = entries(erp, record).pop().unwrap();
    last.differences.iter().map(shown).collect()
}

fn shown(difference: &Difference) -> Value {
    json!({"record": difference.record, "kind": difference.kind.as_str(),
        "before": difference.before, "after": difference.after})
}

fn restore_of<S: Storage>(erp: &Erp<S>, id: &str, record: &str) -> Result<usize, Error> {
    let by = actor("POST /admin/audit/{id}/restore");
    let office = erp.office(now()).actor(&by);
    loop {
        let restoring = block_on(office.restoring(id, record))?;
        if let Some(report) = block_on(office.restore(&restoring))? {
            return Ok(report.rows - report.unchanged);
        }
    }
}

/// Puts back the last change of a record; the number of rows that changed something.
fn restore<S: Storage>(erp: &Erp<S>, record: &str) -> Result<usize, Error> {
    let mut all = entries(erp, record);
    all.retain(|entry| {
        entry.differences.iter().any(|of| of.record == record) || entry.differences.is_empty()
    });
    restore_of(erp, &all.pop().unwrap().id.to_string(), record)
}

fn price(price: f64, from: i32) -> Value {
    json!({"Preis": {"PreisListe": "HANDEL", "ArtNr": "P-1", "WaehrAbk": "CHF", "AbAnzahl": from, "PreisList": price,
        "Preisart": "N"}})
}

fn in_euro(price: f64) -> Value {
    let mut row = self::price(price, 1);
    row["Preis"]["WaehrAbk"] = json!("EUR");
    row
}

fn stock(place: &str, quantity: i32) -> Value {
    json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": place, "StaoNr": 1, "LagerBestand": quantity}})
}

fn is_conflict(outcome: &Result<usize, Error>) -> bool {
    matches!(outcome, Err(Error::Conflict(Conflict::ChangedSince(_))))
}

fn is_refused(outcome: &Result<usize, Error>) -> bool {
    matches!(outcome, Err(Error::Invalid(_)))
}

fn is_unknown(outcome: &Result<usize, Error>) -> bool {
    matches!(outcome, Err(Error::NotFound { .. }))
}

#[track_caller]
fn assert_sound<S: Storage>(erp: &Erp<S>) {
    assert_eq!(block_on(erp.upkeep(now()).check()).unwrap().findings, []);
}

fn kept<S: Storage>(erp: &Erp<S>) -> usize {
    let all = Scan::of(Space::AuditDifferences);
    block_on(erp.store().scan(all)).unwrap().entries.len()
}

// rule: D-AUD-01
#[test]
fn only_what_differs_is_kept_of_a_price_and_put_back_alone() {
    let erp = demo().erp;
    import(&erp, &[price(1_000.5, 10)]);
    let tier = |price: Value| json!([{"WaehrAbk": "CHF", "AbAnzahl": 10, "PreisList": price, "Preisart": "N"}]);
    let expected = json!([{"record": "Preis HANDEL P-1", "kind": "Preisliste",
        "before": {"Preis": tier(json!(10))}, "after": {"Preis": tier(json!(1_000.5))}}]);
    assert_eq!(differences(&erp, "Artikel P-1"), expected);
    let wrong = entries(&erp, "Preis HANDEL P-1")
        .pop()
        .unwrap()
        .id
        .to_string();
    // Another tier changes meanwhile: it stays so.
    import(
        &erp,
        &[
            json!({"Preis": {"PreisListe": "HANDEL", "ArtNr": "P-1", "WaehrAbk": "CHF", "AbAnzahl": 1, "BisAnzahl": 9,
        "PreisList": 10.9, "Preisart": "N"}}),
        ],
    );
    assert_eq!(restore_of(&erp, &wrong, "Preis HANDEL P-1").unwrap(), 1);
    let exported = lines(&erp).0.concat();
    assert!(exported.contains("\"PreisList\":10.9,") && !exported.contains("1000.5"));
    // A request that is sent again changes nothing.
    let trail = entries(&erp, "Preis HANDEL P-1").len();
    assert_eq!(restore_of(&erp, &wrong, "Preis HANDEL P-1").unwrap(), 0);
    assert_eq!(entries(&erp, "Preis HANDEL P-1").len(), trail);
    // Another price since: nobody's work is overwritten.
    import(&erp, &[price(9.5, 10)]);
    assert!(is_conflict(&restore_of(&erp, &wrong, "Preis HANDEL P-1")));
    assert!(is_unknown(&restore_of(&erp, &wrong, "Preis HANDEL P-2")));
    assert!(is_unknown(&restore_of(&erp, "1-1-x", "Preis HANDEL P-1")));
    assert!(is_unknown(&restore_of(&erp, "x", "Preis HANDEL P-1")));
    assert_sound(&erp);
}

/// Changes of every kind of master data, with the records they change.
fn changes() -> (Vec<Value>, Vec<&'static str>) {
    let mut all = rows();
    let firm = &mut all[0]["Firma"];
    firm["FirmaBez"] = json!("Andere AG");
    firm["RESTPreisliste"] = json!("HANDEL");
    all[2]["Steuer"]["Saetze"] = json!([{"GueltigAb": "2024-01-01", "WUSTSatz": 3.8}]);
    let mut customer = all[15]["Kunde"].clone();
    customer["KontaktAdr"]["AdrFirma"] = json!("Verkäufer AG");
    let adr = json!({"AdrSprache": "ger", "AdrFirma": "Lager", "AdrAdresse1": "Weg 2", "AdrAnrede": 0, "OrtLand": "CH",
        "OrtName": "Bern", "OrtPLZ": "3011"});
    customer["LiefAdr"] = json!([adr]);
    let rows = vec![
        all[0].clone(),
        all[2].clone(),
        // The description in French, a packaging unit and an attribute go, a group comes.
        json!({"Artikel": {"ArtNr": "P-1", "AnLager": "J", "ArtBez": "Stanze", "ArtGruppe": "NEU", "Texte": [], "attributes": []}}),
        json!({"Artikel": {"ArtNr": "P-2", "ArtBez": "Reißnagel", "Verpackungen": [{"VPEinheit": "KT20", "Faktor": 20}]}}),
        in_euro(1.5),
        stock("Halle A", 999),
        stock("Halle B", 5),
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "P-3", "Preis": []}}),
        json!({"Preis": {"PreisListe": "STANDART", "ArtNr": "P-3", "WaehrAbk": "CHF", "PreisList": 3, "Preisart": "N"}}),
        json!({"Bestand": {"ArtNr": "P-3", "LagerOrt": "Halle A", "StaoNr": -1, "LagerBestand": 3}}),
        json!({"Kunde": customer}),
        json!({"ArtikelMedia": {"IDKey": 7, "ArtNr": "P-1", "AMDVerwendung": "WEB", "AMDText": "neu", "AMDDateiName": "a"}}),
        json!({"ArtikelMedia": {"IDKey": 8, "Loeschen": true}}),
        json!({"ArtikelMedia": {"IDKey": 9, "ArtNr": "P-3", "AMDText": "neu", "AMDDateiName": "c"}}),
        json!({"Artikel": {"ArtNr": "P-4", "Loeschen": true}}),
    ];
    let records = vec![
        "Firma",
        "Steuer CH26",
        "Artikel P-1",
        "Artikel P-2",
        "Artikel P-4",
        "Preis HANDEL P-1",
        "Preis STANDARD P-3",
        "Preis STANDART P-3",
        "Preis STANDARD P-4",
        "Bestand P-1",
        "Bestand P-3",
        "Bestand P-4",
        "Kunde 10001",
        "ArtikelMedia 7",
        "ArtikelMedia 8",
        "ArtikelMedia 9",
    ];
    (rows, records)
}

// rule: D-AUD-01
#[test]
fn what_an_import_changed_added_or_removed_is_put_back_as_it_was() {
    let erp = demo().erp;
    import(
        &erp,
        &[
            json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-4", "WaehrAbk": "CHF", "PreisList": 8, "Preisart": "B"}}),
            json!({"Bestand": {"ArtNr": "P-4", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 4}}),
            json!({"ArtikelMedia": {"IDKey": 7, "ArtNr": "P-1", "AMDText": "alt", "AMDDateiName": "a"}}),
            json!({"ArtikelMedia": {"IDKey": 8, "ArtNr": "P-1", "AMDText": "alt", "AMDDateiName": "b"}}),
        ],
    );
    let (before, _) = lines(&erp);
    let (rows, records) = changes();
    import(&erp, &rows);
    let (changed, _) = lines(&erp);
    assert_ne!(changed, before);
    for record in &records {
        assert!(restore(&erp, record).unwrap() > 0, "{record}");
    }
    assert_eq!(lines(&erp).0, before);
    // What was put back is put back itself.
    for record in &records {
        let outcome = restore(&erp, record);
        // An article is not removed again, because its prices, stock and media would be, too.
        assert_eq!(
            is_refused(&outcome),
            *record == "Artikel P-4",
            "{record}: {outcome:?}"
        );
    }
    let added = ["P-4"];
    let others = |lines: Vec<String>| -> Vec<String> {
        let is_other = |line: &String| !added.iter().any(|added| line.contains(added));
        lines.into_iter().filter(is_other).collect()
    };
    assert_eq!(others(lines(&erp).0), others(changed));
    assert_sound(&erp);
}

// rule: D-AUD-01
#[test]
fn what_was_added_and_no_import_removes_stays() {
    let erp = demo().erp;
    let mut customer = rows()[15].clone();
    customer["Kunde"]["KundNr"] = json!("10009");
    import(
        &erp,
        &[
            json!({"Steuer": {"WUSTCode": "NEU", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 1}]}}),
            json!({"Artikel": {"ArtNr": "NEU", "ArtBez": "Neu"}}),
            customer,
        ],
    );
    for record in ["Steuer NEU", "Artikel NEU", "Kunde 10009"] {
        assert!(is_refused(&restore(&erp, record)), "{record}");
    }
}

// rule: D-AUD-01
#[test]
fn long_differences_are_left_out_and_many_are_bounded() {
    let erp = demo().erp;
    let text = |text: &str| json!({"ArtikelMedia": {"IDKey": 7, "ArtNr": "P-1", "AMDText": text, "AMDDateiName": "a"}});
    import(&erp, &[text(&"x".repeat(9_000)), price(2.5, 10)]);
    let absent = json!([{"record": "ArtikelMedia 7", "kind": "ArtikelMedia", "before": null, "after": null}]);
    assert_eq!(differences(&erp, "ArtikelMedia 7"), absent);
    assert_ne!(
        differences(&erp, "Preis HANDEL P-1")[0]["before"],
        Value::Null
    );
    assert!(is_refused(&restore(&erp, "ArtikelMedia 7")));
    // The articles of a commit are more than it keeps.
    let article = |number: usize, text: &str| {
        let contents = |key| json!({"PHKey": format!("K{key}"), "Contents": text.repeat(60)});
        let attributes: Value = (0..5).map(contents).collect();
        json!({"Artikel": {"ArtNr": format!("N-{number:03}"), "ArtBez": text, "attributes": attributes}})
    };
    let articles = |text| {
        (0..150)
            .map(|number| article(number, text))
            .collect::<Vec<_>>()
    };
    import(&erp, &articles("neu"));
    import(&erp, &articles("alt"));
    let of = |number: &str| differences(&erp, number)[0]["before"].clone();
    assert_ne!(of("Artikel N-000"), Value::Null);
    assert_eq!(of("Artikel N-149"), Value::Null);
    assert!(is_refused(&restore(&erp, "Artikel N-149")));
    let stored = block_on(erp.store().scan(Scan::of(Space::AuditDifferences))).unwrap();
    let sizes = stored.entries.iter().map(|(_, entry)| entry.value.len());
    let bytes: usize = sizes.sum();
    assert!(bytes < 60_000, "compressed: {bytes}");
    // A page ends when it has many of them, and the next one goes on.
    for round in 0..8 {
        import(&erp, &articles(["neu", "alt"][round % 2]));
    }
    let mut query = AuditQuery {
        limit: 100,
        ..AuditQuery::default()
    };
    let mut pages = Vec::new();
    loop {
        let page = block_on(erp.office(now()).audit_trail(&query)).unwrap();
        pages.push(page.entries.len());
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    assert!(pages.len() > 1, "{pages:?}");
    assert_eq!(pages.iter().sum::<usize>(), 11);
    assert_sound(&erp);
}

#[test]
fn shops_and_states_of_orders_keep_no_differences() {
    let demo = demo();
    let caller = shop("SHOP1");
    let by = actor("POST /www/kunden");
    let body = json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "K", "KundBedTyp": 1}, "Adressen": {"KontaktAdr": {"AdrSprache": "ger",
        "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Neue AG", "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3011"}}});
    let made = block_on(demo.shop(&caller).actor(&by).create_customer(&body)).unwrap();
    let record = format!("Kunde {}", made.number);
    assert_eq!(differences(&demo.erp, &record), json!([]));
    let by = actor("PUT /admin/auftrag/{AuftNr}/status");
    let order = demo.order(
        &json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]}),
    );
    let office = demo.office().actor(&by);
    block_on(office.set_order_status(&order, OrderStatus::Completed)).unwrap();
    assert_eq!(differences(&demo.erp, "Bestand P-1"), json!([]));
    assert!(is_refused(&restore(&demo.erp, "Bestand P-1")));
    assert_eq!(kept(&demo.erp), 0);
}

// rule: D-AUD-01, D-CUS-01
#[test]
fn what_changed_of_a_customer_is_forgotten_with_it() {
    let named = |name: &str| {
        let mut customer = rows()[15].clone();
        customer["Kunde"]["KontaktAdr"]["AdrFirma"] = json!(name);
        customer
    };
    let forget = |erp: &Erp<Overtaken>| block_on(erp.office(now()).forget_customer("10001"));
    let store = Overtaken::default();
    let erp = store.erp();
    import(&erp, &rows());
    import(&erp, &[named("Geheim AG"), price(2.5, 10)]);
    let id = entries(&erp, "Kunde 10001").pop().unwrap().id.to_string();
    // Another server changes the customer while it is forgotten.
    store.overtaken_by(move |rival| import(rival, &[named("Rivalin AG")]));
    forget(&erp).unwrap();
    assert!(store.was_overtaken());
    for (key, _) in block_on(erp.store().scan(Scan::of(Space::AuditDifferences)))
        .unwrap()
        .entries
    {
        assert_ne!(key.parts().text().as_deref(), Some("10001"));
    }
    let absent = json!({"record": "Kunde 10001", "kind": "Kunde", "before": null, "after": null});
    assert_eq!(differences(&erp, "Kunde 10001"), json!([absent]));
    assert!(is_refused(&restore_of(&erp, &id, "Kunde 10001")));
    // What the same entry has of others stays.
    assert_eq!(restore_of(&erp, &id, "Preis HANDEL P-1").unwrap(), 1);
    assert_sound(&erp);
    // An import that brings the mark of a customer who was forgotten elsewhere has nothing to tell of it.
    import(
        &erp,
        &[json!({"Kunde": {"KundNr": "10044", "Vergessen": true}})],
    );
    assert_eq!(entries(&erp, "Kunde 10044"), []);
    // A customer that is forgotten while it is put back.
    let store = Overtaken::default();
    let erp = store.erp();
    import(&erp, &rows());
    import(&erp, &[named("Geheim AG")]);
    store.overtaken_by(move |rival| forget(rival).unwrap());
    assert!(is_refused(&restore(&erp, "Kunde 10001")));
    assert!(store.was_overtaken());
    assert_sound(&erp);
}

// rule: D-AUD-01
#[test]
fn a_record_that_another_server_changes_at_the_same_moment_is_not_overwritten() {
    let store = Overtaken::default();
    let erp = store.erp();
    import(&erp, &rows());
    import(&erp, &[price(1_000.5, 10)]);
    store.overtaken_by(|rival| import(rival, &[price(9.5, 10)]));
    let outcome = restore(&erp, "Preis HANDEL P-1");
    assert!(store.was_overtaken());
    assert!(is_conflict(&outcome), "{outcome:?}");
    // Another tier does not matter, but is not lost.
    let wrong = entries(&erp, "Preis HANDEL P-1")
        .pop()
        .unwrap()
        .id
        .to_string();
    store.overtaken_by(|rival| import(rival, &[in_euro(7.5)]));
    assert_eq!(restore_of(&erp, &wrong, "Preis HANDEL P-1").unwrap(), 1);
    let prices = block_on(erp.upkeep(now()).export_of(ExportOf::Article("P-1"))).unwrap();
    let prices: String = prices.into_iter().map(|row| row.json).collect();
    assert!(
        prices.contains(":1000.5,") && prices.contains(":7.5,"),
        "{prices}"
    );
    assert_sound(&erp);
}

#[test]
fn differences_go_with_their_entry() {
    let erp = demo().erp;
    import(
        &erp,
        &[price(2.5, 10), rows()[16].clone(), stock("Halle A", 3)],
    );
    let mut customer = rows()[15].clone();
    customer["Kunde"]["KontaktAdr"]["AdrFirma"] = json!("Andere AG");
    import(&erp, &[customer]);
    assert_eq!(kept(&erp), 2);
    let later: Timestamp = now() + SignedDuration::from_hours(10);
    assert_eq!(
        block_on(erp.upkeep(now()).remove_old_audit_entries(later)).unwrap(),
        2
    );
    assert_eq!(kept(&erp), 0);
    assert_sound(&erp);
}
