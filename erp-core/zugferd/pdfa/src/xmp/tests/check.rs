//! What PDF/A-3 forbids in a packet.

use super::super::{FaultKind, faults};
use super::{HEADER, claimed, container, packet, schema};

fn kinds(packet: &str) -> Vec<FaultKind> {
    faults(packet.as_bytes())
        .into_iter()
        .map(|fault| fault.kind)
        .collect()
}

#[test]
fn a_good_packet_has_no_faults() {
    let good = claimed(
        "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>t</rdf:li></rdf:Alt></dc:title>\
         <dc:creator><rdf:Seq><rdf:li>c</rdf:li></rdf:Seq></dc:creator><dc:format>application/pdf</dc:format>\
         <dc:subject><rdf:Bag/></dc:subject><xmp:CreateDate>2020-01-02T03:04:05+01:00</xmp:CreateDate>\
         <pdf:Keywords/><pdfaid:amd>2005</pdfaid:amd><pdfaid:corr>c</pdfaid:corr>",
    );
    assert_eq!(faults(good.as_bytes()), []);
    let attributes = packet(
        "<rdf:Description rdf:about='' pdfaid:part='3' pdfaid:conformance='U' pdf:Producer='p' dc:format='a/b'/>",
    );
    assert_eq!(faults(attributes.as_bytes()), []);
}

// clause: 6.6.2.3.1
#[test]
fn values_of_predefined_properties_must_have_their_type() {
    for property in [
        "<dc:creator>c</dc:creator>",
        "<dc:creator><rdf:Bag><rdf:li>c</rdf:li></rdf:Bag></dc:creator>",
        "<dc:title>t</dc:title>",
        "<dc:title><rdf:Alt><rdf:li>t</rdf:li></rdf:Alt></dc:title>",
        "<dc:description><rdf:Alt/></dc:description>",
        "<dc:subject><rdf:Seq><rdf:li>c</rdf:li></rdf:Seq></dc:subject>",
        "<dc:date>2020</dc:date>",
        "<dc:format>pdf</dc:format>",
        "<dc:language>de</dc:language>",
        "<xmp:CreateDate>D:20200101</xmp:CreateDate>",
        "<xmp:CreateDate/>",
        "<xmp:Rating>good</xmp:Rating>",
        "<pdf:Producer><rdf:Bag/></pdf:Producer>",
        "<pdfaid:amd><rdf:Bag/></pdfaid:amd>",
    ] {
        assert_eq!(
            kinds(&claimed(property)),
            [FaultKind::ValueType],
            "{property}"
        );
    }
}

// clause: 6.6.2.3.1
#[test]
fn properties_of_no_schema_are_named() {
    for property in [
        "<pdf:Trapped>False</pdf:Trapped>",
        "<dc:other>x</dc:other>",
        "<p:own xmlns:p='urn:p'>x</p:own>",
        "<p:own xmlns:p='urn:p'><rdf:Bag/></p:own>",
        "<pdfaid:rev>2020</pdfaid:rev>",
    ] {
        assert_eq!(
            kinds(&claimed(property)),
            [FaultKind::UnknownProperty],
            "{property}"
        );
    }
    let message = faults(claimed("<p:own xmlns:p='urn:p'>x</p:own>").as_bytes())[0].to_string();
    assert_eq!(
        message,
        "the property `p:own` of the namespace `urn:p` is described by no extension schema (PDF/A-3, 6.6.2.3.1)"
    );
}

// clause: 6.6.2.3.1
#[test]
fn described_properties_must_have_the_described_type() {
    let with = |kind: &str, value: &str| {
        let schemas = container(&schema("urn:p", "own", kind, ""));
        kinds(&claimed(&format!(
            "<p:own xmlns:p='urn:p'>{value}</p:own>{schemas}"
        )))
    };
    assert_eq!(with("Text", "x"), []);
    assert_eq!(with("Integer", "12"), []);
    assert_eq!(with("Integer", "x"), [FaultKind::ValueType]);
    assert_eq!(
        with("bag Text", "<rdf:Bag><rdf:li>x</rdf:li></rdf:Bag>"),
        []
    );
    assert_eq!(with("Text", "<rdf:Bag/>"), [FaultKind::ValueType]);
    assert_eq!(
        with("Own", "x"),
        [FaultKind::ExtensionSchema, FaultKind::ValueType]
    );
}

// clause: 6.6.2.3.3
#[test]
fn own_types_are_used() {
    let types = "<pdfaSchema:valueType><rdf:Seq><rdf:li rdf:parseType='Resource'><pdfaType:type>Own</pdfaType:type>\
         <pdfaType:namespaceURI>urn:t</pdfaType:namespaceURI><pdfaType:prefix>t</pdfaType:prefix>\
         <pdfaType:description>d</pdfaType:description><pdfaType:field><rdf:Seq><rdf:li rdf:parseType='Resource'>\
         <pdfaField:name>n</pdfaField:name><pdfaField:valueType>Integer</pdfaField:valueType>\
         <pdfaField:description>d</pdfaField:description></rdf:li></rdf:Seq></pdfaType:field></rdf:li></rdf:Seq></pdfaSchema:valueType>";
    let with = |types: &str, value: &str| {
        let schemas = container(&schema("urn:p", "own", "Own", types));
        let property = "<p:own xmlns:p='urn:p' xmlns:t='urn:t' rdf:parseType='Resource'>";
        kinds(&claimed(&format!(
            "{property}<t:n>{value}</t:n></p:own>{schemas}"
        )))
    };
    assert_eq!(with(types, "1"), []);
    assert_eq!(with(types, "x"), [FaultKind::ValueType]);
    let unknown = types.replace(">Integer<", ">Number<");
    assert!(with(&unknown, "1").contains(&FaultKind::ExtensionSchema));
    let incomplete = types.replace("<pdfaField:description>d</pdfaField:description>", "");
    assert_eq!(with(&incomplete, "1"), [FaultKind::ExtensionSchema]);
}

// clause: 6.6.2.3.2, 6.6.2.3.3
#[test]
fn extension_schemas_must_be_complete_and_in_a_bag() {
    let good = claimed(&container(&schema("urn:p", "own", "Text", "")));
    assert_eq!(faults(good.as_bytes()), []);
    for (what, other, kind) in [
        ("rdf:Bag", "rdf:Seq", FaultKind::ExtensionContainer),
        ("pdfaExtension", "ext", FaultKind::ExtensionContainer),
        (
            "<pdfaSchema:prefix>p</pdfaSchema:prefix>",
            "",
            FaultKind::ExtensionSchema,
        ),
        (
            "<pdfaSchema:schema>s</pdfaSchema:schema>",
            "",
            FaultKind::ExtensionSchema,
        ),
        (
            "<pdfaProperty:description>d</pdfaProperty:description>",
            "",
            FaultKind::ExtensionSchema,
        ),
        (
            "<pdfaProperty:name>own</pdfaProperty:name>",
            "",
            FaultKind::ExtensionSchema,
        ),
        (">external<", ">outside<", FaultKind::ExtensionSchema),
        ("urn:p", "no uri", FaultKind::ExtensionSchema),
        ("pdfaProperty", "prop", FaultKind::ExtensionSchema),
        (
            "<pdfaSchema:prefix>",
            "<pdfaSchema:own>1</pdfaSchema:own><pdfaSchema:prefix>",
            FaultKind::ExtensionSchema,
        ),
        ("<rdf:Seq>", "<rdf:Bag>", FaultKind::ExtensionSchema),
    ] {
        let mut bad = good.replace(what, other);
        if other == "<rdf:Bag>" {
            bad = bad.replace("</rdf:Seq>", "</rdf:Bag>");
        }
        let found = kinds(&bad);
        assert!(
            !found.is_empty() && found.iter().all(|found| *found == kind),
            "{other}: {found:?}"
        );
    }
    assert_eq!(FaultKind::ExtensionSchema.clause(), "6.6.2.3.3");
}

// clause: 6.6.2.1
#[test]
fn the_wrapper_must_be_there_and_without_forbidden_attributes() {
    let good = claimed("");
    for (header, kind) in [
        ("", FaultKind::Header),
        (
            "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d' bytes='1'?>",
            FaultKind::Header,
        ),
        (
            "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d' encoding='UTF-8'?>",
            FaultKind::Header,
        ),
        ("<?xpacket begin='' id='other'?>", FaultKind::Header),
    ] {
        assert_eq!(kinds(&good.replace(HEADER, header)), [kind], "{header}");
    }
    assert_eq!(
        kinds(&good.replace("<?xpacket end=\"w\"?>", "")),
        [FaultKind::Header]
    );
    assert_eq!(kinds(&format!("{good}\0")), [FaultKind::Header]);
    assert_eq!(kinds(&format!("junk{good}")), [FaultKind::Header]);
    assert_eq!(kinds(&format!("{good}  \n")), []);
    assert_eq!(kinds(&good.replace("end=\"w\"", "end='r'")), []);
    let declared = good.replace(HEADER, &format!("{HEADER}<?xml version='1.0'?>"));
    assert_eq!(kinds(&declared), [FaultKind::NotWellFormed]);
}

// clause: 6.6.2.1
#[test]
fn other_encodings_are_a_fault() {
    let wide: Vec<u8> = claimed("")
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let found = faults(&wide);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, FaultKind::Encoding);
    assert_eq!(found[0].kind.clause(), "6.6.2.1");
}

// clause: 6.6.4
#[test]
fn the_identification_must_be_that_of_part_3() {
    let good = claimed("");
    let check = |what: &str, other: &str| kinds(&good.replace(what, other));
    assert_eq!(check(">3<", ">2<"), [FaultKind::Identification]);
    assert_eq!(
        check("<pdfaid:part>3</pdfaid:part>", ""),
        [FaultKind::Identification]
    );
    assert_eq!(
        check("<pdfaid:conformance>B</pdfaid:conformance>", ""),
        [FaultKind::Identification]
    );
    assert_eq!(check("pdfaid", "id"), [FaultKind::Identification; 2]);
    assert_eq!(
        check(">B<", ">b<"),
        [FaultKind::ValueType, FaultKind::Identification]
    );
    assert_eq!(kinds(&packet("")), [FaultKind::Identification; 2]);
}

// clause: 6.6.2.1
#[test]
fn what_is_no_xmp_is_one_fault() {
    assert_eq!(kinds("<a>"), [FaultKind::NotWellFormed]);
    assert_eq!(kinds("<a/>"), [FaultKind::Structure]);
    assert_eq!(kinds(&claimed("<dc:title>")), [FaultKind::NotWellFormed]);
    assert_eq!(
        kinds(&claimed(
            "<pdf:Producer>a</pdf:Producer><pdf:Producer>a</pdf:Producer>"
        )),
        [FaultKind::Structure]
    );
}
