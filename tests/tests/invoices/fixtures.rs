//! The fixtures of `fixtures/zugferd` and the programs that verify results, checked against each other: a check that
//! finds nothing in an invalid file proves nothing about a valid one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::readers::{Seen, are_installed, pdfdetach_all, qpdf_check, signatures, verapdf};
use crate::zugferd_common::{Numbers, PROFILES, mutated, names, path, pdf, xml};

#[test]
fn verapdf_still_says_what_its_table_says() {
    let table = path("x").with_file_name("../verapdf/verdicts.tsv");
    let table = std::fs::read_to_string(table).unwrap();
    let rows = table.lines().map(|line| line.split('\t').collect());
    let fixtures = rows.filter_map(|row: Vec<&str>| {
        let name = row[0].strip_prefix("tests/fixtures/zugferd/")?;
        // The others are hostile, and some of them take minutes.
        let is_calm = ["a", "hybrid-", "plain-"].map(|start| name.starts_with(start));
        is_calm
            .contains(&true)
            .then(|| (path(name.strip_suffix(".pdf").unwrap()), row[3] == "pass"))
    });
    let wanted: BTreeMap<PathBuf, bool> = fixtures.collect();
    assert!(wanted.len() > 50, "{}", wanted.len());
    let Some(verdicts) = verapdf(&wanted.keys().cloned().collect::<Vec<_>>()) else {
        // Not a failure: veraPDF is not available from a package registry.
        println!("skipped: VERAPDF names no executable");
        return;
    };
    for (path, passes) in wanted {
        let verdict = &verdicts[&path];
        assert_eq!(verdict.is_empty(), passes, "{}: {verdict}", path.display());
    }
}

#[test]
fn hybrids_of_the_fixtures_hold_what_their_names_say() {
    if !are_installed() {
        return;
    }
    for (name, file_name, _, kind, level, _) in PROFILES {
        let path = path(&format!("hybrid-{name}"));
        assert_eq!(qpdf_check(&path), Ok(()), "{name}");
        let wanted = [((*file_name).to_owned(), xml(name))];
        assert_eq!(pdfdetach_all(&path), wanted, "{name}");
        let seen = Seen::of(&path).unwrap();
        let [attachment] = &seen.attachments()[..] else {
            panic!("{name}: not one attachment")
        };
        assert_eq!(attachment.bytes, xml(name), "{name}");
        assert_eq!((attachment.in_tree, attachment.in_af), (1, 1), "{name}");
        let properties = seen.properties().unwrap();
        for (wanted, value) in [
            ("ConformanceLevel", *level),
            ("DocumentType", *kind),
            ("part", "3"),
            ("conformance", "B"),
        ] {
            let mut found = properties.iter().filter(|(_, name, _)| name == wanted);
            assert_eq!(found.next().unwrap().2, value, "{name}");
        }
    }
}

#[test]
fn what_qpdf_reads_distinguishes_the_unusual_files() {
    if !are_installed() {
        return;
    }
    let seen = |name: &str| Seen::of(&path(name));
    let counts = |name: &str| {
        let attachments = seen(name).unwrap().attachments();
        attachments
            .iter()
            .map(|one| (one.in_tree, one.in_af))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts("odd-kids"), [(1, 1); 4]);
    assert_eq!(counts("odd-tree-only"), [(1, 0)]);
    assert_eq!(counts("odd-af-only"), [(0, 1)]);
    assert_eq!(counts("odd-two-invoices").len(), 2);
    assert!(seen("odd-kids").unwrap().tree_is_right());
    assert!(!seen("odd-tree-unsorted").unwrap().tree_is_right());
    let [outlines, fields, destinations, pages] = seen("a3a-rich").unwrap().shown();
    assert_eq!(outlines, ["\"Kapitel eins\""]);
    assert_eq!(fields, ["\"Kunde\""]);
    assert_eq!(destinations, ["u:anfang", "u:ende"]);
    assert!(pages[0].contains(" Tf"), "{pages:?}");
    assert!(seen("enc-aes256-user-password").is_none());
}

#[test]
fn poppler_distinguishes_a_broken_signature_from_an_intact_one() {
    if !are_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.pdf");
    let mut bytes = pdf("a3b-signed");
    // A digit of the text on the page.
    let at = bytes.windows(6).position(|part| part == b"(4711)").unwrap();
    bytes[at + 1] = b'5';
    std::fs::write(&broken, bytes).unwrap();
    assert_eq!(signatures(&path("a3b-signed")), [(true, true)]);
    assert_eq!(signatures(&path("a3b-signed-streams")), [(true, true)]);
    assert_eq!(signatures(&broken), [(false, true)]);
    assert_eq!(signatures(&path("a3b")), []);
}

#[test]
fn every_fixture_has_its_line_in_the_script_that_makes_it() {
    let script = path("x").with_file_name("make.py");
    let script = std::fs::read_to_string(script).unwrap();
    let has = |name: &str| script.contains(&format!("\"{name}\""));
    let unknown: Vec<String> = names()
        .into_iter()
        .filter(|name| {
            !has(name)
                && !name.strip_prefix("hybrid-").is_some_and(has)
                && !name
                    .strip_prefix("xml-")
                    .is_some_and(|odd| has(&format!("odd-{odd}")))
        })
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let made = script
        .split("yield \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let missing: Vec<&str> = made.filter(|name| !path(name).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn changes_are_the_same_on_every_run() {
    let whole = pdf("a3b");
    let once = mutated(&whole, &mut Numbers(7));
    assert_eq!(once, mutated(&whole, &mut Numbers(7)));
    assert_ne!(once, mutated(&whole, &mut Numbers(8)));
}
