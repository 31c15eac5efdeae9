//! Golden storage files: bytes of every record type, which must stay readable.
//!
//! `tests/golden/records/<name>-v1.hex` holds a record with every member set, `<name>-v1-minimal.hex` one with the
//! required members only. Until the first release they are written again when a type changes: remove its files, and
//! `UPDATE_GOLDEN=1 cargo test --test store golden` writes those that are missing. From then on they stay: if one no longer
//! decodes to its value, the code is wrong.

use crate::golden_values;
use std::fmt::{Debug, Write as _};
use std::path::{Path, PathBuf};

use erp_core::document::{Order, OrderStatus};
use erp_core::erp::{ImportReport, ListedOrder};
use erp_core::internal::master::{ForgottenCustomer, Token, User};
use erp_core::internal::media::ArticleMedia;
use erp_core::internal::record::{Stored, decode, encode};
use erp_core::internal::{
    AddressOwner, AuditEntry, BackupNote, Change, ChangeLog, ChangedRecord, CustomerOrderEntry,
    Delivery, DeliveryState, EventTarget, ImportRun, ImportState, InvoiceNumbers, InvoiceXml,
    KeptDifferences, LeaseRecord, LoggedEvent, SeenBefore, StoredResponse,
};
use erp_core::master::{Attributes, Company, Role};
use erp_core::sentence::Sentence;
use erp_core::storage::{Entry, Key};
use erp_core::{Code, Problem};
use golden_values::*;
use jiff::Timestamp;

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

fn read<T: Stored>(bytes: Vec<u8>) -> Result<T, erp_core::storage::StorageError> {
    decode(
        &Key::of(T::SPACE),
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
        for (variant, value, today) in
            [("", full, full_today), ("-minimal", minimal, minimal_today)]
        {
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

/// Long responses are stored compressed.
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
    checked.check("Company", &company(), &Company::default());
    checked.check("Customer", &customer(), &small_customer());
    let forgotten = |attributes| ForgottenCustomer {
        number: text("10007"),
        is_forgotten: true,
        attributes,
    };
    checked.check(
        "ForgottenCustomer",
        &forgotten(customer().contact.attributes),
        &forgotten(Attributes::default()),
    );
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
    let (row, small_row) = (
        ListedOrder::from(&order()),
        ListedOrder::from(&small_order()),
    );
    checked.check("ListedOrder", &row, &small_row);
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
        customer: None,
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
        issued_at: Timestamp::UNIX_EPOCH,
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
        has_differences: false,
    };
    checked.check("AuditEntry", &audit_entry(), &small_audit);
    let kept = |json: &str| KeptDifferences {
        json: json.to_owned(),
    };
    let long = kept(&"[1]".repeat(1_000));
    checked.check("KeptDifferences", &long, &kept("{}"));
    let lease = |holder| LeaseRecord {
        holder,
        until: of("2026-06-01T08:00:01Z"),
    };
    checked.check("LeaseRecord", &lease(u64::MAX), &lease(0));
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
    run.report.changed_members.clear();
    run
}

fn import_run() -> ImportRun {
    let message = Sentence::Text("longer than `debinr`".to_owned());
    let mut report = ImportReport::default();
    report.rows = 21;
    report.added = 1;
    report.changed = 2;
    report.removed = 3;
    report.unchanged = 4;
    report.changed_members = [("Artikel".to_owned(), ["Einheit".to_owned()].into())].into();
    report.skipped = 5;
    report.warnings = vec![Problem {
        limit: Some(6),
        ..Problem::new("line 3: KundNr", Code::TooLong, message)
    }];
    ImportRun {
        at: of("2026-06-01T08:00:00Z"),
        user: Some("admin".into()),
        state: ImportState::Done,
        report,
        failed: 6,
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
