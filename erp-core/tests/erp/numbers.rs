//! Numbers of new records: free ones of their ranges, if others are taken.

use std::collections::BTreeSet;

use crate::common::{Demo, block_on, demo, rows, shop};
use erp_core::Code;
use erp_core::Erp;
use erp_core::erp::{Error, FirstNumbers, ImportReport, Settings};
use erp_core::storage::{ChangeSet, Key, MemoryStore, Sequence, Space, Storage};
use serde_json::{Value, json};

fn address() -> Value {
    json!({"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Neu AG", "OrtLand": "CH",
        "OrtName": "Bern", "OrtPLZ": "3011"})
}

fn body() -> Value {
    json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": address(), "LiefAdr": address(), "RechAdr": address()}})
}

/// A row of a customer whose contact address has this number; with 0 it has none.
fn customer(number: &str, contact: i32) -> Value {
    let mut address = address();
    if contact > 0 {
        address["AdrNr"] = json!(contact);
    }
    json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": address}})
}

fn imported(demo: &Demo, row: Value) -> ImportReport {
    demo.import(&[row]).unwrap()
}

fn numbered(first_numbers: FirstNumbers) -> Demo {
    let settings = Settings {
        first_numbers,
        ..Settings::default()
    };
    let demo = Demo {
        erp: Erp::new(MemoryStore::new(), settings),
    };
    demo.import(&rows()).unwrap();
    demo
}

/// The three address numbers of a customer.
fn addresses(demo: &Demo, number: &str) -> BTreeSet<i32> {
    let found = block_on(demo.office().customer(number)).unwrap().value;
    found.addresses().map(|address| address.number).collect()
}

/// Stores records under these keys; their content does not matter.
fn take(demo: &Demo, keys: impl Iterator<Item = Key>) {
    let keys: Vec<Key> = keys.collect();
    for keys in keys.chunks(1_000) {
        let mut changes = ChangeSet::new();
        keys.iter()
            .for_each(|key| changes.put(key.clone(), vec![0]));
        block_on(demo.erp.store().commit(changes)).unwrap();
    }
}

// rule: R-END-27, D-NUM-03
#[test]
fn an_imported_number_is_skipped_and_does_not_change_the_sequence() {
    let demo = demo();
    assert_eq!(
        demo.customer(&body()),
        "10003",
        "10001 and 10002 are imported"
    );
    for row in [
        customer("999999", 0),
        customer("99999999", i32::MAX),
        customer("10004", 0),
        customer("500", 0),
    ] {
        imported(&demo, row);
    }
    assert_eq!(demo.customer(&body()), "10005");
    assert!(addresses(&demo, "10005").iter().all(|number| *number < 100));
}

// rule: D-NUM-03
#[test]
fn a_long_row_of_taken_numbers_is_skipped() {
    let demo = demo();
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    assert_eq!(demo.order(&body), "100001");
    take(
        &demo,
        (100_002..200_002_u64).map(|number| Key::of(Space::Order).number(number)),
    );
    assert_eq!(demo.order(&body), "200002");
    assert_eq!(demo.order(&body), "200003");
}

// rule: D-NUM-03
#[test]
fn three_addresses_get_free_numbers_where_every_second_one_is_taken() {
    let demo = demo();
    let known = (10..2_000).step_by(2);
    take(
        &demo,
        known.map(|number| Key::of(Space::AddressOwner).signed(number)),
    );
    let mut given = BTreeSet::new();
    for _ in 0..50 {
        let new = addresses(&demo, &demo.customer(&body()));
        assert_eq!(new.len(), 3);
        assert!(
            new.iter()
                .all(|number| *number < 10 || number % 2 == 1 && *number < 2_000),
            "{new:?}"
        );
        assert!(given.is_disjoint(&new), "{new:?}");
        given.extend(new);
    }
}

// rule: D-NUM-03
#[test]
fn an_exhausted_range_is_reported_and_other_sequences_continue() {
    let demo = numbered(FirstNumbers {
        customer: 999_997,
        ..FirstNumbers::default()
    });
    imported(&demo, customer("999998", 0));
    assert_eq!(demo.customer(&body()), "999997");
    assert_eq!(demo.upkeep().used_up_sequences(), BTreeSet::new());
    assert_eq!(demo.customer(&body()), "999999");
    let caller = shop("SHOP1");
    for _ in 0..2 {
        let refused = block_on(demo.shop(&caller).create_customer(&body()));
        let expected = Error::NumbersUsedUp {
            sequence: Sequence::Customer,
            first: 999_997,
            last: 999_999,
        };
        assert_eq!(refused.unwrap_err(), expected);
    }
    assert_eq!(
        demo.upkeep().used_up_sequences(),
        BTreeSet::from([Sequence::Customer])
    );
    imported(&demo, customer("12345", 0));
}

// rule: D-NUM-03
#[test]
fn a_sequence_that_was_moved_beyond_its_range_starts_again() {
    let demo = demo();
    let beyond = [
        (Sequence::Customer, 10_001 + 3 * 989_999),
        (Sequence::Address, 1 << 40),
    ];
    block_on(demo.erp.store().next_numbers(&beyond)).unwrap();
    assert_eq!(demo.customer(&body()), "10003");
    assert_eq!(addresses(&demo, "10003").len(), 3);
}

// rule: D-NUM-01
#[test]
fn the_number_of_a_removed_address_stays_with_its_customer() {
    let demo = demo();
    let with = |delivery: Value| {
        let mut row = customer("20000", 0);
        row["Kunde"]["LiefAdr"] = delivery;
        row
    };
    let mut own = address();
    own["AdrNr"] = json!(7);
    imported(&demo, with(json!([own])));
    imported(&demo, with(json!([])));
    for number in ["10003", "10004", "10005"] {
        assert_eq!(demo.customer(&body()), number);
        assert!(!addresses(&demo, number).contains(&7));
    }
    let refused = demo.import(&[customer("20001", 7)]).unwrap_err();
    let Error::Invalid(problems) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(problems.as_slice()[0].code, Code::Contradiction);
    imported(&demo, with(json!([own])));
    assert!(addresses(&demo, "20000").contains(&7));
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

#[test]
fn an_import_assigns_no_numbers_that_its_rows_contain() {
    let demo = demo();
    let named = [
        customer("20001", 0),
        customer("20002", 4),
        customer("20003", 0),
        customer("20004", 3),
    ];
    demo.import(&named).unwrap();
    let all: BTreeSet<i32> = (20_001..=20_004)
        .flat_map(|number| addresses(&demo, &number.to_string()))
        .collect();
    assert_eq!(all.len(), 4, "{all:?}");
}

// rule: D-NUM-03
#[test]
fn a_customer_number_too_long_for_article_lists_is_imported_with_a_warning() {
    let demo = demo();
    assert_eq!(imported(&demo, customer("999999", 0)).warnings, []);
    let report = imported(&demo, customer("1234567", 0));
    assert_eq!((report.added, report.warnings.len()), (1, 1));
    let warning = &report.warnings[0];
    assert_eq!(
        (warning.path.as_str(), warning.limit),
        ("line 1: KundNr", Some(6))
    );
    assert!(warning.message.english().contains("debinr"), "{warning}");
    let mut sum = ImportReport::default();
    (0..200).for_each(|_| sum.add(&report));
    assert_eq!(sum.warnings.len(), 100);
}
