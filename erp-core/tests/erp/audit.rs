//! The audit trail: every change writes an entry in its commit, which can be found by time, user and record.

use erp_core::erp::Retry;
use erp_core::internal::master::User;
use erp_core::internal::{Actor, AuditPage, AuditQuery, Audited};
use erp_core::master::Role;
use erp_core::storage::{Key, Space, Storage as _};
use erp_core::text::Text;
use jiff::Timestamp;
use serde_json::json;

use super::common::{Demo, block_on, demo, import_rows, rows, shop};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + second).unwrap()
}

fn actor(user: &str, second: i64) -> Actor {
    Actor {
        at: at(second),
        user: Some(user.into()),
        request: "req-1".into(),
        trace: None,
        operation: "POST /www/auftrag".into(),
    }
}

fn all() -> AuditQuery {
    AuditQuery {
        limit: 1_000,
        ..AuditQuery::default()
    }
}

fn read(demo: &Demo, query: &AuditQuery) -> AuditPage {
    block_on(demo.office().audit_trail(query)).unwrap()
}

fn changed(entries: &[Audited]) -> Vec<String> {
    let names = entries.iter().flat_map(|audited| &audited.entry.changed);
    names.cloned().collect()
}

fn order(demo: &Demo, user: &str, second: i64) -> String {
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let (caller, actor) = (shop("SHOP1"), actor(user, second));
    let door = demo.shop(&caller).actor(&actor);
    let placed = block_on(door.create_order(&body)).unwrap();
    placed.number.to_string()
}

#[test]
fn an_entry_is_written_in_the_commit_of_the_change() {
    let demo = demo();
    let number = order(&demo, "shop", 1);
    let found = read(&demo, &all());
    let [audited] = found.entries.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(audited.entry.changed, [format!("Auftrag {number}")]);
    assert_eq!(audited.entry.user.as_deref(), Some("shop"));
    assert_eq!(audited.entry.operation, "POST /www/auftrag");
    assert_eq!((audited.id.at(), &*audited.id.request), (at(1), "req-1"));
    let key = Key::of(Space::Order).number(number.parse().unwrap());
    let stored = block_on(demo.erp.store().get(&[key])).unwrap();
    assert_eq!(stored[0].as_ref().unwrap().revision, audited.revision);
    let sound = block_on(demo.upkeep().check()).unwrap();
    assert_eq!(
        (sound.findings, sound.records["audit entries"]),
        (vec![], 1)
    );
}

#[test]
fn a_request_that_changes_nothing_writes_no_entry() {
    let demo = demo();
    assert_eq!(read(&demo, &all()).entries, []);
    let (caller, actor) = (shop("SHOP1"), actor("shop", 1));
    let door = demo.shop(&caller).actor(&actor);
    let refused = block_on(door.create_order(&json!({"Positionen": []})));
    assert!(refused.is_err());
    // The same rows again change nothing.
    let rows = import_rows(&rows());
    block_on(demo.erp.office(at(1)).actor(&actor).import(&rows)).unwrap();
    assert_eq!(read(&demo, &all()).entries, []);
    // A repeated order with the same key changes nothing either.
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    for _ in 0..3 {
        let retry = Some(Retry {
            key: "einmal",
            fingerprint: [1; 32],
        });
        block_on(door.retry(retry).create_order(&body)).unwrap();
    }
    assert_eq!(read(&demo, &all()).entries.len(), 1);
}

#[test]
fn entries_are_found_by_time_user_and_record() {
    let demo = demo();
    let numbers: Vec<String> = ["shop", "admin", "shop", "shop"]
        .into_iter()
        .zip(1..)
        .map(|(user, second)| order(&demo, user, second))
        .collect();
    let names: Vec<String> = numbers.iter().map(|n| format!("Auftrag {n}")).collect();
    let found = |query: AuditQuery| changed(&read(&demo, &query).entries);
    assert_eq!(found(all()), names);
    let since = Some(at(2));
    let until = Some(at(4));
    assert_eq!(found(AuditQuery { since, ..all() }), names[1..]);
    assert_eq!(found(AuditQuery { until, ..all() }), names[..3]);
    let both = AuditQuery {
        since,
        until,
        ..all()
    };
    assert_eq!(found(both.clone()), names[1..3]);
    let user = Some("admin".to_owned());
    assert_eq!(found(AuditQuery { user, ..all() }), names[1..2]);
    let record = Some(names[3].clone());
    assert_eq!(found(AuditQuery { record, ..all() }), names[3..]);
    let record = Some("Auftrag 1".to_owned());
    assert_eq!(found(AuditQuery { record, ..all() }), names[..0]);
    let never = AuditQuery {
        since: until,
        until: since,
        ..all()
    };
    assert_eq!(found(never), names[..0]);
}

#[test]
fn pages_follow_each_other() {
    let demo = demo();
    let mut names: Vec<String> = (1..=5)
        .map(|second| format!("Auftrag {}", order(&demo, "shop", second)))
        .collect();
    for newest_first in [false, true] {
        let mut query = AuditQuery {
            since: Some(at(2)),
            newest_first,
            limit: 2,
            ..all()
        };
        let mut seen = Vec::new();
        for _ in 0..10 {
            let page = read(&demo, &query);
            assert!(page.entries.len() <= 2);
            seen.extend(changed(&page.entries));
            let Some(next) = page.next else { break };
            // The id is sent as text and comes back as text.
            query.after = Some(next.to_string().parse().unwrap());
        }
        if newest_first {
            assert_eq!(seen, names[..4]);
        } else {
            assert_eq!(seen, names[1..]);
        }
        names.reverse();
    }
}

#[test]
fn old_entries_are_removed_and_young_ones_stay() {
    let demo = demo();
    let names: Vec<String> = (1..=4)
        .map(|second| format!("Auftrag {}", order(&demo, "shop", second)))
        .collect();
    assert_eq!(
        block_on(demo.upkeep().remove_old_audit_entries(at(3))).unwrap(),
        2
    );
    assert_eq!(changed(&read(&demo, &all()).entries), names[2..]);
    assert_eq!(
        block_on(demo.upkeep().remove_old_audit_entries(at(3))).unwrap(),
        0
    );
}

#[test]
fn removed_records_are_named_as_removed() {
    let demo = demo();
    let user = User::new(
        Text::new("shop9").unwrap(),
        "$argon2id$secret".to_owned(),
        Role::Shop,
        None,
    );
    let by = |second| Some(actor("cli", second));
    block_on(demo.office().actor(by(1).as_ref()).users().add(&user)).unwrap();
    block_on(
        demo.office()
            .actor(by(2).as_ref())
            .users()
            .set_password("shop9", "$argon2id$other"),
    )
    .unwrap();
    block_on(demo.office().actor(by(3).as_ref()).users().remove("shop9")).unwrap();
    let found = read(&demo, &all());
    let reported: Vec<(&[String], &[String])> = found
        .entries
        .iter()
        .map(|audited| (&*audited.entry.changed, &*audited.entry.removed))
        .collect();
    let name = ["Benutzer shop9".to_owned()];
    let nothing: &[String] = &[];
    assert_eq!(
        reported,
        [(&name[..], nothing), (&name, nothing), (nothing, &name)]
    );
    assert!(!format!("{found:?}").contains("argon2"));
}
