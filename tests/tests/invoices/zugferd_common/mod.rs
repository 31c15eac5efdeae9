//! The fixtures of `fixtures/zugferd`.

use std::path::{Path, PathBuf};

/// The profiles: name of the fixture, attachment, guideline, document type, level, relationship.
pub(crate) type ProfileRow = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const ZF1: &str = "ZUGFeRD-invoice.xml";
const ZF2: &str = "zugferd-invoice.xml";
const FX: &str = "factur-x.xml";
const XR: &str = "xrechnung.xml";
const OX: &str = "order-x.xml";

/// One XML of every profile of every standard (`fixtures/zugferd/xml`), with the properties of its hybrid.
#[rustfmt::skip]
pub(crate) const PROFILES: &[ProfileRow] = &[
    ("zugferd-rc-comfort", ZF1, "urn:ferd:invoice:rc:comfort", "INVOICE", "COMFORT", "Alternative"),
    ("zugferd-1.0-basic", ZF1, "urn:ferd:CrossIndustryDocument:invoice:1p0:basic", "INVOICE", "BASIC", "Alternative"),
    ("zugferd-1.0-comfort", ZF1, "urn:ferd:CrossIndustryDocument:invoice:1p0:comfort", "INVOICE", "COMFORT", "Alternative"),
    ("zugferd-1.0-extended", ZF1, "urn:ferd:CrossIndustryDocument:invoice:1p0:extended", "INVOICE", "EXTENDED", "Alternative"),
    ("zugferd-2.0-minimum", ZF2, "urn:zugferd.de:2p0:minimum", "INVOICE", "MINIMUM", "Data"),
    ("zugferd-2.0-basicwl", ZF2, "urn:zugferd.de:2p0:basicwl", "INVOICE", "BASIC WL", "Data"),
    ("zugferd-2.0-basic", ZF2, "urn:cen.eu:en16931:2017#compliant#urn:zugferd.de:2p0:basic", "INVOICE", "BASIC", "Alternative"),
    ("zugferd-2.0-extended", ZF2, "urn:cen.eu:en16931:2017#conformant#urn:zugferd.de:2p0:extended", "INVOICE", "EXTENDED", "Alternative"),
    ("facturx-minimum", FX, "urn:factur-x.eu:1p0:minimum", "INVOICE", "MINIMUM", "Data"),
    ("facturx-basicwl", FX, "urn:factur-x.eu:1p0:basicwl", "INVOICE", "BASIC WL", "Data"),
    ("facturx-basic", FX, "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", "INVOICE", "BASIC", "Alternative"),
    ("facturx-basic-colon", FX, "urn:cen.eu:en16931:2017:compliant:factur-x.eu:1p0:basic", "INVOICE", "BASIC", "Alternative"),
    ("facturx-en16931", FX, "urn:cen.eu:en16931:2017", "INVOICE", "EN 16931", "Alternative"),
    ("facturx-extended", FX, "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended", "INVOICE", "EXTENDED", "Alternative"),
    ("facturx-extended-ctc-fr", FX, "urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr", "INVOICE", "EXTENDED", "Alternative"),
    ("xrechnung-2.1", XR, "urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_2.1", "INVOICE", "XRECHNUNG", "Alternative"),
    ("xrechnung-3.0", XR, "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", "INVOICE", "XRECHNUNG", "Alternative"),
    ("order-x-basic", OX, "urn:order-x.eu:1p0:basic", "ORDER", "BASIC", "Alternative"),
    ("order-x-comfort", OX, "urn:order-x.eu:1p0:comfort", "ORDER", "COMFORT", "Alternative"),
    ("order-x-extended", OX, "urn:order-x.eu:1p0:extended", "ORDER", "EXTENDED", "Alternative"),
    ("order-x-change", OX, "urn:order-x.eu:1p0:comfort", "ORDER_CHANGE", "COMFORT", "Alternative"),
    ("order-x-response", OX, "urn:order-x.eu:1p0:comfort", "ORDER_RESPONSE", "COMFORT", "Alternative"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zugferd")
}

pub(crate) fn pdf(name: &str) -> Vec<u8> {
    let path = path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn xml(name: &str) -> Vec<u8> {
    let path = folder().join("xml").join(format!("{name}.xml"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn path(name: &str) -> PathBuf {
    folder().join(format!("{name}.pdf"))
}

pub(crate) fn names() -> Vec<String> {
    let listed = std::fs::read_dir(folder()).expect("there are fixtures");
    let mut names: Vec<String> = listed
        .filter_map(|entry| {
            let name = entry.expect("an entry").file_name().into_string().ok()?;
            name.strip_suffix(".pdf").map(str::to_owned)
        })
        .collect();
    names.sort();
    assert!(names.len() > 100, "{names:?}");
    names
}

/// Pseudo-random numbers that are the same in every run (xorshift).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).expect("it fits");
        usize::try_from(self.next() % bound).expect("it fits")
    }
}

/// The input with a few bytes changed, removed, duplicated or replaced by keywords of PDF.
pub(crate) fn mutated(input: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    const WORDS: [&[u8]; 14] = [
        b"obj",
        b"endobj",
        b"stream",
        b"endstream",
        b"/Length 9999999999",
        b"0 R",
        b"<<",
        b">>",
        b"[",
        b"(",
        b"/Kids",
        b"/Filter /FlateDecode",
        b"-1",
        b"4294967296",
    ];
    let mut bytes = input.to_vec();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len());
        let until = (at + numbers.below(64)).min(bytes.len());
        match numbers.below(5) {
            0 => bytes[at] = numbers.below(256).to_le_bytes()[0],
            1 => bytes[at] ^= 1 << numbers.below(8),
            2 => drop(bytes.drain(at..until)),
            3 => {
                let part = bytes[at..until].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let word = WORDS[numbers.below(WORDS.len())];
                let end = (at + word.len()).min(bytes.len());
                bytes.splice(at..end, word.iter().copied());
            }
        }
        if bytes.is_empty() {
            return bytes;
        }
    }
    bytes
}
