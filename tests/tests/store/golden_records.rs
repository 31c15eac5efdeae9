//! Golden storage files: bytes of every record type, written once, must stay readable.
//!
//! `tests/golden/records/<name>-v1.hex` holds a record with every member set, `<name>-v1-minimal.hex` one with the
//! required members only, like a record from before the others existed. Files are never rewritten: if one no longer
//! decodes to its value, the code is wrong. A new type or version gets new files: `UPDATE_GOLDEN=1` writes missing
//! ones. A new optional member: rename `<name>-v1.hex` to `<name>-v1-without-<member>.hex`, add a test like that of
//! tokens below, let `UPDATE_GOLDEN=1` write the new `<name>-v1.hex`.

use crate::golden_values;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write as _};
use std::path::{Path, PathBuf};

use erp_core::document::{Order, OrderStatus};
use erp_core::erp::{
    AddressOwner, AuditEntry, BackupNote, BodyRemoval, Change, ChangeLog, ChangedRecord,
    CustomerOrderEntry, Delivery, DeliveryState, Event, EventTarget, ImportReport, ImportRun,
    ImportState, InvoiceNumbers, InvoiceXml, LeaseRecord, LoggedEvent, SeenBefore, StoredResponse,
};
use erp_core::master::{Company, Customer, Issuer, Role, TaxCode, Token, User};
use erp_core::media::ArticleMedia;
use erp_core::media::BodyHash;
use erp_core::problem::{Code, Problem};
use erp_core::record::{Stored, decode, encode};
use erp_core::storage::{Entry, Key};
use golden_values::*;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/records")
}

/// Bytes as text: 32 of them a line.
fn hex(bytes: &[u8]) -> String {
    bytes.chunks(32).fold(String::new(), |mut text, line| {
        line.iter()
            .for_each(|byte| write!(text, "{byte:02x}").unwrap());
        text + "\n"
    })
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum MessagePack {
    Nothing(()),
    Truth(bool),
    Number(i64),
    LargeNumber(u64),
    Text(String),
    List(Vec<MessagePack>),
    Members(BTreeMap<String, MessagePack>),
}

impl MessagePack {
    fn is_empty(&self) -> bool {
        match self {
            Self::Nothing(()) => true,
            Self::List(list) => list.is_empty(),
            Self::Members(members) => members.is_empty(),
            _ => false,
        }
    }

    fn prune(&mut self) {
        match self {
            Self::List(list) => list.iter_mut().for_each(Self::prune),
            Self::Members(members) => {
                members.retain(|_, member| !member.is_empty());
                members.values_mut().for_each(Self::prune);
            }
            _ => (),
        }
    }
}

/// The bytes of a record without its empty members.
fn pruned(record: &[u8]) -> Vec<u8> {
    let (head, body) = record.split_at(2);
    let mut any: MessagePack = rmp_serde::from_slice(body).unwrap();
    any.prune();
    [head, &rmp_serde::to_vec_named(&any).unwrap()].concat()
}

fn read<T: Stored>(bytes: Vec<u8>) -> Result<T, erp_core::storage::StorageError> {
    decode(
        &Key::of(T::SPACE).build(),
        &Entry {
            revision: 1,
            value: bytes,
        },
    )
}

/// The bytes of a golden file. If it is missing and `UPDATE_GOLDEN` is set, it is written first.
fn golden(name: &str, today: &[u8]) -> Vec<u8> {
    let path = folder().join(format!("{name}.hex"));
    if !path.exists() && std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, hex(today)).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; UPDATE_GOLDEN=1 writes missing files",
            path.display()
        )
    });
    unhex(&text)
}

#[derive(Default)]
struct CheckedTypes(Vec<&'static str>);

impl CheckedTypes {
    fn check<T: Stored + Debug + PartialEq>(&mut self, name: &'static str, full: &T, minimal: &T) {
        let file = name
            .chars()
            .fold(String::new(), |file, letter| match letter {
                letter if letter.is_uppercase() && !file.is_empty() => {
                    file + "-" + &letter.to_lowercase().to_string()
                }
                letter => file + &letter.to_lowercase().to_string(),
            });
        let printed = format!("{full:?}");
        assert!(
            !["None", "[]", "{}"]
                .iter()
                .any(|hole| printed.contains(hole)),
            "every member is set, see the head of this file: {printed}"
        );
        let (full_today, minimal_today) = (encode(full).unwrap(), encode(minimal).unwrap());
        for (variant, value, today) in [
            ("", full, full_today),
            ("-minimal", minimal, pruned(&minimal_today)),
        ] {
            let bytes = golden(&format!("{file}-v1{variant}"), &today);
            assert_eq!(bytes[1], 1, "{file}: the version of the file");
            assert_eq!(&read::<T>(bytes).unwrap(), value, "{file}{variant}");
            assert_eq!(
                &read::<T>(today).unwrap(),
                value,
                "{file}{variant}, written today"
            );
        }
        self.0.push(name);
    }
}

/// The types that `erp/stored.rs` lists.
fn stored_types() -> Vec<&'static str> {
    let source = include_str!("../../../erp-core/src/erp/stored.rs");
    let list = source
        .split("stored! {\n")
        .nth(1)
        .and_then(|rest| rest.split("\n}").next())
        .unwrap();
    list.lines()
        .filter_map(|line| Some(line.split_once("=>")?.0.trim()))
        .collect()
}

/// `customer` was added later; older records do not have it.
#[test]
fn a_token_without_a_customer_is_readable() {
    let bytes = golden("token-v1-without-customer", &[]);
    let expected = Token {
        customer: None,
        ..token()
    };
    assert_eq!(read::<Token>(bytes).unwrap(), expected);
}

/// `issued_at` was added later; older records do not have it.
#[test]
fn a_token_without_a_time_of_issue_is_readable() {
    let bytes = golden("token-v1-without-issue", &[]);
    let expected = Token {
        issued_at: None,
        customer: None,
        ..token()
    };
    assert_eq!(read::<Token>(bytes).unwrap(), expected);
}

/// `generation` was added later; the user of an older record is the first one with this name.
#[test]
fn a_user_without_a_generation_is_readable() {
    let bytes = golden("user-v1-without-generation", &[]);
    let expected = User {
        generation: 0,
        ..user()
    };
    assert_eq!(read::<User>(bytes).unwrap(), expected);
}

/// `other_ends` was added later; older records do not have it.
#[test]
fn a_removal_without_other_ends_is_readable() {
    let bytes = golden("body-removal-v1-without-other-ends", &[]);
    let expected = BodyRemoval {
        other_ends: Vec::new(),
        ..body_removal()
    };
    assert_eq!(read::<BodyRemoval>(bytes).unwrap(), expected);
}

/// `warnings` was added later; older records do not have it.
#[test]
fn an_import_without_warnings_is_readable() {
    let bytes = golden("import-run-v1-without-warnings", &[]);
    assert_eq!(
        read::<ImportRun>(bytes).unwrap(),
        import_run_without_warnings()
    );
}

// rule: D-RET-01
/// `unchanged` was added later; a stored response without it belongs to the commit it is in.
#[test]
fn a_stored_response_without_unchanged_is_readable() {
    let bytes = golden("stored-response-v1-without-unchanged", &[]);
    let expected = StoredResponse {
        unchanged: None,
        ..stored_response()
    };
    assert_eq!(read::<StoredResponse>(bytes).unwrap(), expected);
}

/// `articles` was added later; the event of an older record names none.
#[test]
fn an_event_without_articles_is_readable() {
    let expected = Event {
        articles: Vec::new(),
        ..event()
    };
    let logged = read::<LoggedEvent>(golden("logged-event-v1-without-articles", &[]));
    assert_eq!(logged.unwrap().event, expected);
    let read = read::<Event>(golden("event-v1-without-articles", &[]));
    assert_eq!(read.unwrap(), expected);
}

/// `status` was added later; the event of an older record tells of no new state.
#[test]
fn an_event_without_a_state_is_readable() {
    let expected = Event {
        status: None,
        articles: Vec::new(),
        ..event()
    };
    let logged = read::<LoggedEvent>(golden("logged-event-v1-without-status", &[]));
    assert_eq!(logged.unwrap().event, expected);
    let read = read::<Event>(golden("event-v1-without-status", &[]));
    assert_eq!(read.unwrap(), expected);
}

/// What invoices need was added later; older records do not have it.
#[test]
fn records_without_what_invoices_need_are_readable() {
    let company = Company {
        issuer: Issuer::default(),
        backorders: true,
        ..company()
    };
    let bytes = golden("company-v1-without-issuer", &[]);
    assert_eq!(read::<Company>(bytes).unwrap(), company);
    let mut company = golden_values::company();
    company.backorders = true;
    let bytes = golden("company-v1-without-backorders", &[]);
    assert_eq!(read::<Company>(bytes).unwrap(), company);
    company.issuer.logo = None;
    let bytes = golden("company-v1-without-logo", &[]);
    assert_eq!(read::<Company>(bytes).unwrap(), company);
    let customer = Customer {
        vat_id: None,
        leitweg_id: None,
        ..customer()
    };
    let bytes = golden("customer-v1-without-vat-id", &[]);
    assert_eq!(read::<Customer>(bytes).unwrap(), customer);
    let code = TaxCode {
        category: None,
        exemption_reasons: BTreeMap::new(),
        exemption_code: None,
        ..tax_code()
    };
    let bytes = golden("tax-code-v1-without-category", &[]);
    assert_eq!(read::<TaxCode>(bytes).unwrap(), code);
}

/// Long responses are stored compressed since a later version.
#[test]
fn a_long_stored_response_is_readable() {
    let long = StoredResponse {
        answer: format!("[{}]", vec![r#"{"AuftNr":"1000001"}"#; 1_000].join(",")),
        unchanged: None,
        ..stored_response()
    };
    let today = encode(&long).unwrap();
    assert!(today.len() < 2_000, "{} bytes", today.len());
    assert_eq!(
        read::<StoredResponse>(golden("stored-response-v1-long", &today)).unwrap(),
        long
    );
    assert_eq!(read::<StoredResponse>(today.clone()).unwrap(), long);
    for length in 0..today.len() {
        assert!(
            read::<StoredResponse>(today[..length].to_vec()).is_err(),
            "{length} bytes"
        );
    }
}

fn master_data(checked: &mut CheckedTypes) {
    // The default at the time when the file was written.
    let small_company = Company {
        time_zone: "Europe/Zurich".into(),
        ..Company::default()
    };
    checked.check("Company", &company(), &small_company);
    checked.check("Customer", &customer(), &small_customer());
    let owner = |customer| AddressOwner {
        customer: text(customer),
    };
    checked.check("AddressOwner", &owner("10007"), &owner("1"));
    checked.check("Article", &article(), &small_article());
    checked.check("ArticlePrices", &prices(), &small_prices());
    checked.check("ArticleStock", &stock(), &small_stock());
    checked.check("TaxCode", &tax_code(), &small_tax_code());
    checked.check("Media", &media(), &small_media());
    checked.check("ArticleMedia", &article_media(), &ArticleMedia::default());
}

fn documents(checked: &mut CheckedTypes) {
    checked.check("Order", &order(), &small_order());
    checked.check("Offer", &offer(), &small_offer());
    checked.check("Invoice", &invoice(), &small_invoice());
    let xml = |xml: &str| InvoiceXml {
        xml: xml.to_owned(),
    };
    checked.check("InvoiceXml", &xml(&"<a/>".repeat(1_000)), &xml("<a/>"));
    let numbers = |last| InvoiceNumbers { last };
    checked.check("InvoiceNumbers", &numbers(17), &numbers(1));
    let entry = |status| CustomerOrderEntry {
        status,
        created_at: of("2026-06-01T08:00:00.5Z"),
    };
    checked.check(
        "CustomerOrderEntry",
        &entry(OrderStatus::Completed),
        &entry(OrderStatus::New),
    );
    let small_answer = StoredResponse {
        answer: "[1]".to_owned(),
        unchanged: None,
        ..stored_response()
    };
    checked.check("StoredResponse", &stored_response(), &small_answer);
}

fn users(checked: &mut CheckedTypes) {
    let small_user = User {
        role: Role::Admin,
        shop: None,
        generation: 0,
        ..user()
    };
    checked.check("User", &user(), &small_user);
    let small_token = Token {
        user: text("a"),
        customer: None,
        issued_at: None,
        expires_at: Timestamp::UNIX_EPOCH,
    };
    checked.check("Token", &token(), &small_token);
}

fn events(checked: &mut CheckedTypes) {
    checked.check("Event", &event(), &small_event());
    checked.check("EventTarget", &event_target(), &small_event_target());
    let small_delivery = small_delivery(DeliveryState::Delivered);
    checked.check("Delivery", &delivery(), &small_delivery);
    let logged = |event| LoggedEvent {
        event,
        logged_at: of("2026-06-01T08:00:01Z"),
    };
    checked.check("LoggedEvent", &logged(event()), &logged(small_event()));
}

fn upkeep(checked: &mut CheckedTypes) {
    let small_audit = AuditEntry {
        user: None,
        operation: "serve".into(),
        trace: None,
        changed: Vec::new(),
        removed: Vec::new(),
    };
    checked.check("AuditEntry", &audit_entry(), &small_audit);
    let lease = |holder| LeaseRecord {
        holder,
        until: of("2026-06-01T08:00:01Z"),
    };
    checked.check("LeaseRecord", &lease(u64::MAX), &lease(0));
    let none = BodyRemoval {
        bodies: BTreeSet::new(),
        other_ends: Vec::new(),
        ..body_removal()
    };
    checked.check("BodyRemoval", &body_removal(), &none);
    let note = |revision| BackupNote {
        at: of("2026-06-01T02:00:00Z"),
        revision,
    };
    checked.check("BackupNote", &note(u64::MAX), &note(0));
    let nameless = ImportRun {
        user: None,
        ..import_run_without_warnings()
    };
    checked.check("ImportRun", &import_run(), &nameless);
    let change = |number: &str, before| ChangedRecord {
        number: number.into(),
        before,
    };
    let records = vec![
        change("LM-3001", Some(SeenBefore::Absent)),
        change("BU-1004", Some(SeenBefore::Selection("SHOP1,*".into()))),
    ];
    checked.check("Change", &Change { records }, &Change::default());
    let log = |first| ChangeLog {
        first,
        next: u64::MAX,
        changes: 200_000,
    };
    checked.check("ChangeLog", &log(7), &log(0));
}

fn import_run_without_warnings() -> ImportRun {
    let mut run = import_run();
    run.report.warnings.clear();
    run
}

fn import_run() -> ImportRun {
    ImportRun {
        at: of("2026-06-01T08:00:00Z"),
        user: Some("admin".into()),
        state: ImportState::Done,
        report: ImportReport {
            rows: 21,
            added: 1,
            changed: 2,
            removed: 3,
            unchanged: 4,
            skipped: 5,
            warnings: vec![Problem {
                limit: Some(6),
                ..Problem::new("line 3: KundNr", Code::TooLong, "longer than `debinr`")
            }],
        },
        failed: 6,
    }
}

fn body_removal() -> BodyRemoval {
    BodyRemoval {
        bodies: [1, 2].map(|of| BodyHash::new([of; 32])).into(),
        until: of("2026-06-01T08:00:00Z"),
        other_ends: vec![of("2026-06-01T07:00:00Z")],
    }
}

#[test]
fn records_of_version_1_stay_readable() {
    let mut checked = CheckedTypes::default();
    for group in [master_data, documents, users, events, upkeep] {
        group(&mut checked);
    }
    checked.0.sort_unstable();
    let mut stored = stored_types();
    stored.sort_unstable();
    assert_eq!(checked.0, stored, "every stored type has golden files");
}

#[test]
fn the_password_hash_reads_back() {
    // `Debug` of `User` does not print the hash, so it is compared separately.
    let read: User = read(golden("user-v1", &encode(&user()).unwrap())).unwrap();
    assert_eq!(
        read.password_hash,
        "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"
    );
}

#[test]
fn the_secret_of_a_target_reads_back() {
    // `Debug` of `EventTarget` does not print the secret.
    let bytes = golden("event-target-v1", &encode(&event_target()).unwrap());
    assert_eq!(read::<EventTarget>(bytes).unwrap().secret, "whsec_c2VjcmV0");
}

#[test]
fn every_end_of_a_delivery_reads_back() {
    for (name, state) in [
        ("given-up", DeliveryState::GivenUp),
        ("target-gone", DeliveryState::TargetGone),
    ] {
        let today = encode(&small_delivery(state)).unwrap();
        let read: Delivery = read(golden(&format!("delivery-v1-{name}"), &today)).unwrap();
        assert_eq!(read, small_delivery(state));
    }
}

#[test]
fn a_record_of_a_newer_version_is_refused_with_a_sentence() {
    let mut bytes = encode(&user()).unwrap();
    bytes[1] = 2;
    let error = read::<User>(bytes).unwrap_err().to_string();
    assert!(
        error.contains("version 2 is newer than this program"),
        "{error}"
    );
}

#[test]
fn a_record_cut_anywhere_is_refused() {
    let bytes = encode(&order()).unwrap();
    for length in 0..bytes.len() {
        assert!(
            read::<Order>(bytes[..length].to_vec()).is_err(),
            "{length} bytes"
        );
    }
}
