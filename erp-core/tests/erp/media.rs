//! Article media: who sees which, which record a row refers to, what is removed with an article.

use erp_core::Code;
use erp_core::codes::Language;
use erp_core::erp::{Error, ImportReport, ImportRow};
use erp_core::import::{BodySource, Row};
use erp_core::internal::MediaContent;
use erp_core::internal::response;
use erp_core::media::BodyHash;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::common::{Demo, LINKS, admin, block_on, demo, shop};

fn body(of: u8) -> BodyHash {
    BodyHash::new([of; 32])
}

/// Imports media rows; the member `Datei` of a row names a stored body by its first letter.
fn import_at(demo: &Demo, rows: &[Value], now: &str) -> Result<ImportReport, Error> {
    let now: Timestamp = now.parse().unwrap();
    let read = |(row, line)| {
        let mut row = Row::read(row, Language::GERMAN).unwrap();
        if let Row::Media(media) = &mut row
            && let Some(image) = &mut media.image
            && let BodySource::File(path) = &image.body
        {
            let hash = body(path.as_bytes()[0]);
            image.body = BodySource::Stored { hash, length: 9 };
        }
        ImportRow { line, row }
    };
    let rows: Vec<ImportRow> = rows.iter().zip(1..).map(read).collect();
    block_on(demo.erp.office(now).import(&rows))
}

fn import(demo: &Demo, rows: &[Value]) -> ImportReport {
    let report = import_at(demo, rows, "2026-06-01T10:00:00Z").unwrap();
    is_sound(demo);
    report
}

fn is_sound(demo: &Demo) {
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

fn row(members: Value) -> Value {
    json!({"ArtikelMedia": members})
}

fn list(demo: &Demo, article: &str) -> Vec<response::MediaRecord> {
    let caller = admin();
    let media = block_on(demo.shop(&caller).media(article)).unwrap();
    media.iter().map(|media| media.to_wire(&LINKS)).collect()
}

fn keys(demo: &Demo, article: &str) -> Vec<i32> {
    list(demo, article)
        .iter()
        .map(|record| record.key)
        .collect()
}

/// New, changed and removed records.
fn counts(report: ImportReport) -> [usize; 3] {
    [report.added, report.changed, report.removed]
}

// rule: R-END-77
#[test]
fn media_are_listed_by_key_and_follow_the_article() {
    let demo = demo();
    import(
        &demo,
        &[
            row(json!({"ArtNr": "P-1", "IDKey": 30, "AMDText": "drei"})),
            row(json!({"ArtNr": "P-1", "IDKey": 4, "Datei": "a.png"})),
            row(json!({"ArtNr": "P-1", "IDKey": 200, "AMDText": "x", "AdrSprache": "fre"})),
            row(json!({"ArtNr": "P-2", "IDKey": 5, "AMDText": "anderer"})),
        ],
    );
    assert_eq!(keys(&demo, "P-1"), [4, 30, 200]);
    assert!(keys(&demo, "P-4").is_empty());
    let caller = shop("SHOP1");
    let of = |article: &str| block_on(demo.shop(&caller).media(article));
    assert_eq!(of("P-1").unwrap().len(), 3);
    for unseen in ["HIDDEN", "INTERN", "NIE", "", "1234567890123456"] {
        assert!(
            matches!(of(unseen), Err(Error::NotFound { .. })),
            "{unseen}"
        );
    }
}

// rule: D-MED-07, D-SEL-01
#[test]
fn a_part_of_a_hidden_article_is_not_found() {
    let demo = demo();
    import(
        &demo,
        &[
            row(json!({"ArtNr": "HIDDEN", "IDKey": 1, "Datei": "a.png"})),
            row(json!({"ArtNr": "P-1", "IDKey": 2, "Datei": "b.png", "AMDText": "Größe"})),
        ],
    );
    let part = |caller, key, kind: &str| {
        block_on(demo.shop(&caller).media_part(key, kind)).map(|part| part.content)
    };
    assert!(part(shop("SHOP2"), 1, "Bild").is_ok() && part(admin(), 1, "png").is_ok());
    for (caller, key, kind) in [
        (shop("SHOP1"), 1, "Bild"),
        (shop("SHOP2"), 2, "Bild"),
        (admin(), 1, "Text"),
        (admin(), 1, "jpg"),
        (admin(), 3, "Bild"),
        (admin(), 0, "Bild"),
        (admin(), -1, "Bild"),
        (admin(), i32::MAX, "Bild"),
    ] {
        let found = part(caller, key, kind);
        assert!(matches!(found, Err(Error::NotFound { .. })), "{key} {kind}");
    }
    let MediaContent::Text(text) = part(shop("SHOP1"), 2, "text").unwrap() else {
        panic!("a text")
    };
    assert_eq!(text, "Größe");
}

// rule: R-RES-22
#[test]
fn only_usages_that_the_attribute_names_are_output() {
    let demo = demo();
    let mut company = crate::common::rows()[0].clone();
    company["Firma"]["attributes"] = json!([{"PHKey": "VERWENDUNG", "Contents": "web"}]);
    import(
        &demo,
        &[
            company,
            row(json!({"ArtNr": "P-1", "IDKey": 1, "AMDText": "a", "AMDVerwendung": "WEB"})),
            row(json!({"ArtNr": "P-1", "IDKey": 2, "AMDText": "b", "AMDVerwendung": "DRUCK"})),
            row(json!({"ArtNr": "P-1", "IDKey": 3, "AMDText": "c"})),
        ],
    );
    let caller = admin();
    let is_found = |key| {
        let found = block_on(demo.shop(&caller).media_part(key, "Text"));
        found.is_ok()
    };
    assert_eq!(keys(&demo, "P-1"), [1, 3]);
    assert_eq!([1, 2, 3].map(is_found), [true, false, true]);
    let article = |contents: &str| {
        json!({"Artikel": {"ArtNr": "P-1", "ArtBez": "x",
            "attributes": [{"PHKey": "VERWENDUNG", "Contents": contents}]}})
    };
    import(&demo, &[article("DRUCK")]);
    assert_eq!(keys(&demo, "P-1"), [2, 3]);
    assert_eq!([1, 2, 3].map(is_found), [false, true, true]);
    import(&demo, &[article("*")]);
    assert_eq!(keys(&demo, "P-1"), [1, 2, 3]);
}

#[test]
fn a_row_without_a_key_refers_to_the_record_at_its_place() {
    let demo = demo();
    let rows = [
        row(json!({"ArtNr": "P-1", "Datei": "a.png"})),
        row(json!({"ArtNr": "P-1", "Datei": "a.png", "AMDVerwendung": "WEB"})),
        row(json!({"ArtNr": "P-1", "AMDText": "x", "AdrSprache": "ger"})),
        row(json!({"ArtNr": "P-1", "AMDText": "x", "AdrSprache": "fre"})),
        row(json!({"ArtNr": "P-1", "AMDText": "x", "AdrSprache": "fre", "OrtLand": "CH"})),
        row(json!({"ArtNr": "P-2", "Datei": "a.png"})),
    ];
    assert_eq!(counts(import(&demo, &rows)), [6, 0, 0]);
    assert_eq!(counts(import(&demo, &rows)), [0, 0, 0]);
    let mut changed = rows.clone();
    changed[3]["ArtikelMedia"]["AMDText"] = json!("y");
    assert_eq!(counts(import(&demo, &changed)), [0, 1, 0]);
    assert_eq!((keys(&demo, "P-1").len(), keys(&demo, "P-2").len()), (5, 1));
    // The same place twice in a batch is one record. A key from the back office, even in a later row, is not assigned
    // again.
    import(
        &demo,
        &[row(json!({"ArtNr": "P-4", "IDKey": 500, "AMDText": "x"}))],
    );
    let twice = row(json!({"ArtNr": "P-4", "AMDText": "x", "AdrSprache": "ger"}));
    let later = row(json!({"ArtNr": "P-4", "AMDText": "x", "IDKey": 7, "AdrSprache": "ita"}));
    assert_eq!(
        counts(import(&demo, &[twice.clone(), twice, later])),
        [2, 0, 0]
    );
    let found = keys(&demo, "P-4");
    assert_eq!(found, [7, 8, 500]);
    let gone = row(json!({"ArtNr": "P-4", "AdrSprache": "ger", "Loeschen": true}));
    assert_eq!(
        counts(import(&demo, std::slice::from_ref(&gone))),
        [0, 0, 1]
    );
    assert_eq!(counts(import(&demo, &[gone])), [0, 0, 0]);
}

#[test]
fn a_record_can_move_and_its_place_is_free_again() {
    let demo = demo();
    import(
        &demo,
        &[row(json!({"ArtNr": "P-1", "IDKey": 7, "AMDText": "x"}))],
    );
    import(
        &demo,
        &[row(json!({"ArtNr": "P-2", "IDKey": 7, "AMDText": "x"}))],
    );
    assert_eq!((keys(&demo, "P-1"), keys(&demo, "P-2")), (vec![], vec![7]));
    // In one batch: the record gets another language, and its old place a new record.
    import(
        &demo,
        &[
            row(json!({"ArtNr": "P-2", "IDKey": 7, "AMDText": "x", "AdrSprache": "ger"})),
            row(json!({"ArtNr": "P-2", "AMDText": "neu"})),
        ],
    );
    assert_eq!(keys(&demo, "P-2").len(), 2);
    import(&demo, &[row(json!({"IDKey": 7, "Loeschen": true}))]);
    let left = list(&demo, "P-2");
    assert_eq!((left.len(), left[0].text.as_deref()), (1, Some("neu")));
}

// rule: R-RES-23
#[test]
fn the_time_of_change_moves_with_the_content_only() {
    let demo = demo();
    let a = row(json!({"ArtNr": "P-1", "IDKey": 1, "Datei": "a.png", "Kommentar": "eins"}));
    let changed_at = || list(&demo, "P-1")[0].modified_at.to_string();
    import_at(&demo, std::slice::from_ref(&a), "2026-06-01T10:00:00Z").unwrap();
    import_at(&demo, &[a], "2026-06-02T10:00:00Z").unwrap();
    assert_eq!(changed_at(), "2026-06-01T10:00:00Z");
    // A row without a file keeps the record's file.
    let kept = row(json!({"ArtNr": "P-1", "IDKey": 1, "AMDDateiName": "a.png",
        "AMDBildFormat": "png", "Kommentar": "zwei"}));
    import_at(&demo, &[kept], "2026-06-03T10:00:00Z").unwrap();
    assert_eq!(changed_at(), "2026-06-03T10:00:00Z");
    assert_eq!(
        block_on(demo.upkeep().named_bodies()).unwrap()[&body(b'a')],
        9
    );
    let other = row(json!({"ArtNr": "P-1", "IDKey": 1, "Datei": "b.png"}));
    import_at(&demo, &[other], "2026-06-04T10:00:00Z").unwrap();
    let named = block_on(demo.upkeep().named_bodies()).unwrap();
    assert_eq!(named.into_keys().collect::<Vec<_>>(), [body(b'b')]);
}

#[test]
fn media_are_removed_with_their_article() {
    let demo = demo();
    import(
        &demo,
        &[
            row(json!({"ArtNr": "P-1", "Datei": "a.png"})),
            row(json!({"ArtNr": "P-1", "IDKey": 900, "AMDText": "x"})),
            row(json!({"ArtNr": "P-2", "Datei": "b.png"})),
        ],
    );
    import(
        &demo,
        &[json!({"Artikel": {"ArtNr": "P-1", "Loeschen": true}})],
    );
    assert_eq!(block_on(demo.upkeep().check()).unwrap().records["media"], 1);
    assert_eq!(block_on(demo.upkeep().named_bodies()).unwrap().len(), 1);
    import(
        &demo,
        &[json!({"Artikel": {"ArtNr": "P-1", "ArtBez": "neu"}})],
    );
    assert!(keys(&demo, "P-1").is_empty());
}

#[test]
fn rows_that_cannot_be_applied_change_nothing() {
    let demo = demo();
    let unstored = Row::read(
        &row(json!({"ArtNr": "P-1", "Datei": "a.png"})),
        Language::GERMAN,
    );
    let unstored = ImportRow {
        line: 1,
        row: unstored.unwrap(),
    };
    let now: Timestamp = "2026-06-01T10:00:00Z".parse().unwrap();
    let refused = block_on(demo.erp.office(now).import(&[unstored])).unwrap_err();
    let code = |error: Error| match error {
        Error::Invalid(problems) => problems.as_slice()[0].code,
        other => panic!("{other}"),
    };
    assert_eq!(code(refused), Code::UnknownFile);
    for (members, expected) in [
        (
            json!({"ArtNr": "NIE", "AMDText": "x"}),
            Code::UnknownArticle,
        ),
        (
            json!({"ArtNr": "P-1", "IDKey": 9, "AMDBildFormat": "png"}),
            Code::Required,
        ),
    ] {
        let good = row(json!({"ArtNr": "P-1", "AMDText": "x"}));
        let rows = [good, row(members.clone())];
        let refused = import_at(&demo, &rows, "2026-06-01T10:00:00Z").unwrap_err();
        assert_eq!(code(refused), expected, "{members}");
        assert!(keys(&demo, "P-1").is_empty());
    }
    let many: Vec<Value> = (1..=1_001)
        .map(|key| row(json!({"ArtNr": "P-1", "IDKey": key, "AMDText": "x"})))
        .collect();
    let refused = import_at(&demo, &many, "2026-06-01T10:00:00Z").unwrap_err();
    assert_eq!(code(refused), Code::TooMany);
    assert_eq!(counts(import(&demo, &many[..1_000])), [1_000, 0, 0]);
}
