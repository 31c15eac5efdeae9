//! The properties of invoices in packets, those of the fixtures too.

use std::path::{Path, PathBuf};

use super::{InvoiceFacts, own_schema, read};
use crate::{DetectLimits, Profile, detect, known_namespaces};
use erp_pdfa::xmp::{
    Changes, Claim, Conformance, ExtensionSchema, OwnSchema, SchemaProperty, edit, faults,
};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/zugferd");
const TARGETS: [&str; 6] = [
    "urn:ferd:invoice:rc:comfort",
    "urn:ferd:CrossIndustryDocument:invoice:1p0:extended",
    "urn:cen.eu:en16931:2017#compliant#urn:zugferd.de:2p0:basic",
    "urn:factur-x.eu:1p0:minimum",
    "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
    "urn:order-x.eu:1p0:basic",
];

/// The fixtures whose name begins so.
fn fixtures(start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FIXTURES).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(start) && name.ends_with(".pdf")
    };
    let found: Vec<_> = paths.filter(is_wanted).collect();
    assert!(!found.is_empty(), "{start}");
    found
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
fn packets_of_hybrids_say_what_their_invoices_are() {
    for path in fixtures("hybrid-") {
        let name = path.file_stem().unwrap().to_string_lossy();
        let xml = name.strip_prefix("hybrid-").unwrap();
        let xml = bytes_of(&Path::new(FIXTURES).join(format!("xml/{xml}.xml")));
        let profile = detect(&xml, &DetectLimits::DEFAULT).unwrap();
        let [packet] = &packets(&path)[..] else {
            panic!("{name}: not one packet")
        };
        let facts = read(packet).unwrap();
        assert_eq!(facts.pdfa.unwrap().part.as_deref(), Some("3"), "{name}");
        let [invoice] = &facts.invoices[..] else {
            panic!("{name}: not one invoice")
        };
        assert_eq!(
            invoice.level.as_deref(),
            Some(profile.xmp_level()),
            "{name}"
        );
        let file_name = Some(profile.file_name());
        assert_eq!(invoice.file_name.as_deref(), file_name, "{name}");
        assert_eq!(faults(packet), [], "{name}");
    }
}

// rule: R-ZUG-27
// clause: 6.6.2.3.3
#[test]
fn packets_of_every_standard_can_be_made_from_any_other() {
    let paths = fixtures("");
    let all = paths
        .iter()
        .flat_map(|path| packets(path).into_iter().map(move |packet| (path, packet)));
    let mut count = 0;
    for (path, packet) in all {
        count += 1;
        let pdf = path.display();
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
    assert!(count > 60, "{count}");
}
