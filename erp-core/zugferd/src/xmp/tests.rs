//! The properties of invoices in packets; packets of real files too.
//!
//! The real files are not part of the project: without them their tests say so and pass.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{InvoiceFacts, own_schema, read};
use crate::{DetectLimits, Profile, Standard, detect, detect_loose, known_namespaces};
use erp_pdfa::xmp::{
    Changes, Claim, Conformance, ExtensionSchema, OwnSchema, SchemaProperty, edit, faults,
};

const TRAINING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/zugferd");
const TARGETS: [&str; 6] = [
    "urn:ferd:invoice:rc:comfort",
    "urn:ferd:CrossIndustryDocument:invoice:1p0:extended",
    "urn:cen.eu:en16931:2017#compliant#urn:zugferd.de:2p0:basic",
    "urn:factur-x.eu:1p0:minimum",
    "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
    "urn:order-x.eu:1p0:basic",
];

type Row = BTreeMap<String, String>;

fn rows(name: &str) -> Vec<Row> {
    let path = Path::new(TRAINING).join(name);
    let Ok(table) = std::fs::read_to_string(path) else {
        println!("skipped: the training files are not here");
        return Vec::new();
    };
    let mut lines = table.lines();
    let heads: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let row = |line: &str| {
        let cells = line.split('\t').map(str::to_owned);
        heads
            .iter()
            .map(|head| (*head).to_owned())
            .zip(cells)
            .collect()
    };
    lines.map(row).collect()
}

fn folder(name: &str) -> PathBuf {
    Path::new(TRAINING).join(name)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the core reads no files, its tests do"
)]
fn bytes_of(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

/// The uncompressed packets in a file.
fn packets(file: &Path) -> Vec<Vec<u8>> {
    let bytes = bytes_of(file);
    let find = |wanted: &[u8], from: usize| {
        let rest = bytes.get(from..)?;
        let place = rest.windows(wanted.len()).position(|part| part == wanted)?;
        Some(from + place)
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = find(b"<?xpacket begin", at) {
        let Some(trailer) = find(b"<?xpacket end", start) else {
            break;
        };
        at = find(b"?>", trailer).unwrap() + 2;
        found.push(bytes[start..at].to_vec());
    }
    found
}

fn all_packets() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for (table, name) in [("hybrid.tsv", "hybrid"), ("combine.tsv", "combine")] {
        for row in rows(table) {
            let packets = packets(&folder(name).join(&row["pdf"])).into_iter();
            all.extend(packets.map(|packet| (row["pdf"].clone(), packet)));
        }
    }
    assert!(all.is_empty() || all.len() > 60, "{} packets", all.len());
    all
}

fn changes(guideline: &str) -> Changes {
    let profile = Profile::from_guideline(guideline).unwrap();
    Changes {
        claim: Claim::Set {
            part: 3,
            conformance: Conformance::B,
        },
        own: Some(own_schema(&profile)),
        ..Changes::default()
    }
}

/// The invoice is that of a guideline, all four properties.
fn assert_is(invoice: &InvoiceFacts, guideline: &str) {
    let profile = Profile::from_guideline(guideline).unwrap();
    let found = [
        &invoice.document_type,
        &invoice.file_name,
        &invoice.version,
        &invoice.level,
    ];
    let wanted = [
        profile.document_type(),
        profile.file_name(),
        profile.xmp_version(),
        profile.xmp_level(),
    ];
    assert_eq!(found.map(|text| text.as_deref()), wanted.map(Some));
    assert_eq!(invoice.namespace, profile.standard.xmp_namespace());
    assert_eq!(invoice.prefix, profile.standard.xmp_prefix());
}

/// The text of each property that an edit must leave alone, as the packet writes it.
fn foreign(packet: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for prefix in [
        "dc:", "xmp:", "pdf:", "xmpMM:", "xapMM:", "xmpTPg:", "pdfx:",
    ] {
        for (start, _) in packet.match_indices(prefix) {
            let (before, rest) = packet.split_at(start);
            let name = rest.split([' ', '>', '=', '/']).next().unwrap();
            let value = rest.strip_prefix(name).unwrap();
            let length = if before.ends_with('<') {
                rest.find(&format!("</{name}>")).or(rest.find("/>"))
            } else if before.ends_with(' ') {
                let quote = value.strip_prefix('=').unwrap().chars().next().unwrap();
                let mut quotes = rest.match_indices(quote);
                quotes.nth(1).map(|(end, _)| end + 1)
            } else {
                continue;
            };
            found.push(rest.split_at(length.unwrap()).0);
        }
    }
    found
}

// rule: R-ZUG-27, R-ZUG-33
// clause: 6.6.2.3.3
#[test]
fn invoices_of_any_version_are_replaced() {
    for (namespace, standard) in known_namespaces() {
        let schema = ExtensionSchema {
            namespace: namespace.to_owned(),
            prefix: "q".to_owned(),
            title: "old".to_owned(),
            properties: vec![SchemaProperty {
                name: "Version".to_owned(),
                description: "d".to_owned(),
            }],
        };
        let own = OwnSchema {
            schema,
            values: vec![" 9 ".to_owned()],
            replaces: |_| false,
        };
        let old = Changes {
            own: Some(own),
            ..Changes::default()
        };
        let before = edit(None, &old).unwrap();
        let [invoice] = &read(&before).unwrap().invoices[..] else {
            panic!("one invoice is written");
        };
        assert_eq!(invoice.standard, standard);
        assert_eq!(invoice.version.as_deref(), Some("9"));
        for target in TARGETS {
            let after = edit(Some(&before), &changes(target)).unwrap();
            assert_eq!(faults(&after), [], "{target}");
            let facts = read(&after).unwrap();
            assert_eq!((facts.invoices.len(), facts.schemas.len()), (1, 1));
            assert_is(&facts.invoices[0], target);
            assert!(!String::from_utf8(after).unwrap().contains("> 9 <"));
        }
    }
}

#[test]
fn packets_say_what_other_readers_found() {
    for row in rows("hybrid.tsv") {
        let packets = packets(&folder("hybrid").join(&row["pdf"]));
        // Pictures have packets of their own; the document's packet names the invoice.
        let said: Vec<_> = packets
            .iter()
            .map(|packet| read(packet).unwrap())
            .filter(|facts| !facts.invoices.is_empty())
            .collect();
        let Some(facts) = said.last() else {
            println!("{}: no uncompressed packet", row["pdf"]);
            continue;
        };
        let pdfa = facts.pdfa.clone().unwrap();
        let claim = format!("{}{}", pdfa.part.unwrap(), pdfa.conformance.unwrap());
        let invoice = facts.invoices[0].clone();
        assert_eq!(claim, row["pdfaid"], "{}", row["pdf"]);
        assert_eq!(invoice.level.unwrap(), row["xmp_level"], "{}", row["pdf"]);
        assert_eq!(
            invoice.version.unwrap(),
            row["xmp_version"],
            "{}",
            row["pdf"]
        );
        assert_eq!(facts.invoices.len(), 1, "{}", row["pdf"]);
    }
}

// rule: R-ZUG-27
// clause: 6.6.2.3.3
#[test]
fn packets_of_every_standard_can_be_made_from_any_other() {
    for (pdf, packet) in all_packets() {
        let before = String::from_utf8(packet.clone()).unwrap();
        for target in TARGETS {
            let changes = changes(target);
            let after = edit(Some(&packet), &changes).unwrap();
            assert_eq!(faults(&after), [], "{pdf} {target}");
            let facts = read(&after).unwrap();
            assert_eq!(facts.invoices.len(), 1, "{pdf}");
            assert_is(&facts.invoices[0], target);
            let after = String::from_utf8(after).unwrap();
            for property in foreign(&before) {
                assert!(after.contains(property), "{pdf}: {property}");
            }
            assert_eq!(after.matches("<pdfaExtension:schemas").count(), 1, "{pdf}");
            let again = edit(Some(after.as_bytes()), &changes).unwrap();
            let again = edit(Some(&again), &changes).unwrap();
            assert_eq!(read(&again).unwrap(), facts, "{pdf}");
        }
    }
}

#[test]
fn packets_of_valid_files_have_no_faults() {
    for row in rows("hybrid.tsv").iter().chain(&rows("combine.tsv")) {
        let claim = row.get("pdfaid").or(row.get("claim")).unwrap();
        let name = if row.contains_key("pdfaid") {
            "hybrid"
        } else {
            "combine"
        };
        for packet in packets(&folder(name).join(&row["pdf"])) {
            let facts = read(&packet).unwrap();
            if claim.starts_with('3')
                && facts
                    .pdfa
                    .is_some_and(|pdfa| pdfa.part.as_deref() == Some("3"))
            {
                assert_eq!(faults(&packet), [], "{}", row["pdf"]);
            }
        }
    }
}

#[test]
fn xml_is_what_two_other_readers_found() {
    for row in rows("hybrid.tsv") {
        let xml = bytes_of(&folder("hybrid").join(&row["xml"]));
        let limits = DetectLimits::DEFAULT;
        let profile = detect(&xml, &limits).unwrap();
        assert_eq!(profile.guideline, row["guideline"]);
        assert_eq!(
            detect_loose(&xml, &limits).unwrap().standard,
            profile.standard
        );
        let found = Standard::from_file_name(&row["attachment"]).unwrap();
        let is_same = match profile.standard {
            Standard::ZugferdRc => found == Standard::Zugferd1,
            // EN 16931 does not distinguish the two.
            Standard::FacturX => matches!(found, Standard::FacturX | Standard::Zugferd2),
            standard => found == standard,
        };
        assert!(is_same, "{}: {:?}", row["pdf"], profile.standard);
        if profile.standard == found && !row["xmp_level"].is_empty() {
            assert_eq!(profile.xmp_level(), row["xmp_level"], "{}", row["pdf"]);
        }
    }
}
