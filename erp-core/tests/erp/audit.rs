//! The audit trail: an entry in the commit of every change, found again by time, user and record.

use std::cell::Cell;

use erp_core::Erp;
use erp_core::erp::{Actor, AuditPage, AuditQuery, Audited, Settings};
use erp_core::master::{Role, User};
use erp_core::storage::{Key, MemoryStore, Space, Storage as _};
use erp_core::text::Text;
use jiff::Timestamp;
use serde_json::json;

use super::common::{Demo, block_on, rows, shop};

thread_local! {
    /// Who acts in this test, and the second of the next commit.
    static ACTS: Cell<Option<&'static str>> = const { Cell::new(None) };
    static SECOND: Cell<i64> = const { Cell::new(0) };
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + second).unwrap()
}

fn actor() -> Option<Actor> {
    let user = ACTS.get()?;
    SECOND.set(SECOND.get() + 1);
    Some(Actor {
        at: at(SECOND.get()),
        user: Some(user.into()),
        request: "req-1".into(),
        trace: None,
        operation: "POST /www/auftrag".into(),
    })
}

/// The small company, imported by nobody.
fn audited() -> Demo {
    ACTS.set(None);
    SECOND.set(0);
    let settings = Settings {
        actor,
        ..Settings::default()
    };
    let demo = Demo {
        erp: Erp::new(MemoryStore::new(), settings),
    };
    demo.import(&rows()).unwrap();
    demo
}

fn all() -> AuditQuery {
    AuditQuery {
        limit: 1_000,
        ..AuditQuery::default()
    }
}

fn read(demo: &Demo, query: &AuditQuery) -> AuditPage {
    block_on(demo.erp.audit(query)).unwrap()
}

fn changed(entries: &[Audited]) -> Vec<String> {
    let names = entries.iter().flat_map(|audited| &audited.entry.changed);
    names.cloned().collect()
}

fn order(demo: &Demo, user: &'static str) -> String {
    ACTS.set(Some(user));
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let number = demo.order(&body);
    ACTS.set(None);
    number
}

#[test]
fn an_entry_is_written_in_the_commit_of_the_change() {
    let demo = audited();
    let number = order(&demo, "shop");
    let found = read(&demo, &all());
    let [audited] = found.entries.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(audited.entry.changed, [format!("Auftrag {number}")]);
    assert_eq!(audited.entry.user.as_deref(), Some("shop"));
    assert_eq!(audited.entry.operation, "POST /www/auftrag");
    assert_eq!((audited.id.at(), &*audited.id.request), (at(1), "req-1"));
    let key = Key::of(Space::Order)
        .number(number.parse().unwrap())
        .build();
    let stored = block_on(demo.erp.store().get(&[key])).unwrap();
    assert_eq!(stored[0].as_ref().unwrap().revision, audited.revision);
    let sound = block_on(demo.erp.check()).unwrap();
    assert_eq!(
        (sound.findings, sound.records["audit entries"]),
        (vec![], 1)
    );
}

#[test]
fn what_changes_nothing_leaves_no_entry() {
    let demo = audited();
    assert_eq!(read(&demo, &all()).entries, []);
    ACTS.set(Some("shop"));
    let caller = shop("SHOP1");
    let refused = block_on(
        demo.erp
            .create_order(&demo.context(&caller), &json!({"Positionen": []})),
    );
    assert!(refused.is_err());
    demo.import(&rows()).unwrap();
    assert_eq!(read(&demo, &all()).entries, []);
}

#[test]
fn entries_are_found_by_time_user_and_record() {
    let demo = audited();
    let numbers: Vec<String> = ["shop", "admin", "shop", "shop"]
        .into_iter()
        .map(|user| order(&demo, user))
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
    let demo = audited();
    let names: Vec<String> = (0..5)
        .map(|_| format!("Auftrag {}", order(&demo, "shop")))
        .collect();
    let mut query = AuditQuery { limit: 2, ..all() };
    let mut seen = Vec::new();
    for _ in 0..10 {
        let page = read(&demo, &query);
        assert!(page.entries.len() <= 2);
        seen.extend(changed(&page.entries));
        let Some(next) = page.next else { break };
        // The id goes out and comes back as text.
        query.after = Some(next.to_string().parse().unwrap());
    }
    assert_eq!(seen, names);
}

#[test]
fn old_entries_are_removed_and_young_ones_stay() {
    let demo = audited();
    let names: Vec<String> = (0..4)
        .map(|_| format!("Auftrag {}", order(&demo, "shop")))
        .collect();
    assert_eq!(block_on(demo.erp.remove_old_audit(at(3))).unwrap(), 2);
    assert_eq!(changed(&read(&demo, &all()).entries), names[2..]);
    assert_eq!(block_on(demo.erp.remove_old_audit(at(3))).unwrap(), 0);
}

#[test]
fn removed_records_are_named_as_removed() {
    let demo = audited();
    let user = User {
        name: Text::new("shop9").unwrap(),
        password_hash: "$argon2id$secret".to_owned(),
        role: Role::Shop,
        shop: None,
    };
    ACTS.set(Some("cli"));
    block_on(demo.erp.add_user(&user)).unwrap();
    block_on(demo.erp.set_password("shop9", "$argon2id$other")).unwrap();
    block_on(demo.erp.remove_user("shop9")).unwrap();
    let found = read(&demo, &all());
    let told: Vec<(&[String], &[String])> = found
        .entries
        .iter()
        .map(|audited| (&*audited.entry.changed, &*audited.entry.removed))
        .collect();
    let name = ["Benutzer shop9".to_owned()];
    let nothing: &[String] = &[];
    assert_eq!(
        told,
        [(&name[..], nothing), (&name, nothing), (nothing, &name)]
    );
    assert!(!format!("{found:?}").contains("argon2"));
}
