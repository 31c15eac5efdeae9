//! Changes in packets.

use super::super::{
    Changes, Claim, Conformance, ExtensionSchema, FaultKind, Info, OwnSchema, SchemaProperty, edit,
    faults,
};
use super::{HEADER, claimed, container, facts, packet, read, schema};

/// Versions of one schema, each with the usual prefix.
const ORDER: &str = "urn:order#";
const INVOICE: &str = "urn:invoice:2#";
const OLD: &str = "urn:invoice:1#";
const VERSIONS: [&str; 3] = [ORDER, INVOICE, OLD];

fn own(namespace: &str) -> OwnSchema {
    let property = |name: &str, description: &str| SchemaProperty {
        name: name.to_owned(),
        description: description.to_owned(),
    };
    OwnSchema {
        schema: ExtensionSchema {
            namespace: namespace.to_owned(),
            prefix: if namespace == OLD { "zf" } else { "fx" }.to_owned(),
            title: "Extension Schema".to_owned(),
            properties: vec![
                property("FileName", "name of the embedded file"),
                property("Version", "version of its standard"),
            ],
        },
        values: ["a.xml", "1.0"].map(str::to_owned).to_vec(),
        replaces: |namespace| VERSIONS.contains(&namespace),
    }
}

/// Claims PDF/A-3B and sets the properties of a schema.
fn both(namespace: &str) -> Changes {
    Changes {
        claim: Claim::Set {
            part: 3,
            conformance: Conformance::B,
        },
        own: Some(own(namespace)),
        ..Changes::default()
    }
}

fn edited(packet: &str, changes: &Changes) -> String {
    String::from_utf8(edit(Some(packet.as_bytes()), changes).unwrap()).unwrap()
}

/// The packet is valid and says what the changes wanted.
fn assert_says(packet: &str, namespace: &str) {
    assert_eq!(faults(packet.as_bytes()), [], "{packet}");
    let (facts, written) = read(packet.as_bytes(), &VERSIONS);
    let own = own(namespace);
    let properties = own.schema.properties.into_iter().zip(own.values);
    let wanted = properties.map(|(property, value)| (namespace.to_owned(), property.name, value));
    assert_eq!(written, wanted.collect::<Vec<_>>());
    let described = facts
        .schemas
        .iter()
        .filter(|schema| schema.namespace == namespace);
    assert_eq!(described.count(), 1);
    assert_eq!(
        packet.matches("<rdf:Bag").count(),
        packet.matches("pdfaExtension:schemas").count() / 2
    );
}

// clause: 6.6.2.1
#[test]
fn a_packet_is_made_where_there_is_none() {
    let mut changes = both(INVOICE);
    changes.info = Info {
        title: Some("Rechnung <1> & \u{1}mehr".to_owned()),
        author: Some("A".to_owned()),
        subject: Some("S".to_owned()),
        keywords: Some("k".to_owned()),
        producer: Some("P".to_owned()),
        creator_tool: Some("T".to_owned()),
        create_date: Some("2020-01-02T03:04:05Z".to_owned()),
        modify_date: Some("D:2020".to_owned()),
    };
    let packet = String::from_utf8(edit(None, &changes).unwrap()).unwrap();
    assert_says(&packet, INVOICE);
    assert!(packet.contains(">Rechnung &lt;1&gt; &amp; mehr<"));
    assert!(packet.contains("<xmp:CreateDate>2020-01-02T03:04:05Z<"));
    assert!(!packet.contains("ModifyDate"));
    assert!(packet.starts_with(HEADER) && packet.ends_with("<?xpacket end=\"w\"?>"));
    let bare = edit(None, &Changes::default()).unwrap();
    assert!(facts(&bare).pdfa.is_none());
}

// rule: R-ZUG-17
#[test]
fn what_is_not_named_stays_byte_for_byte() {
    let foreign = "<!-- keep --><dc:format  >application/pdf</dc:format ><xmp:Label><![CDATA[<x>]]></xmp:Label>";
    let before = claimed(foreign);
    let after = edited(&before, &both(INVOICE));
    assert_says(&after, INVOICE);
    let unchanged = before
        .strip_suffix("</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>")
        .unwrap();
    assert!(after.starts_with(unchanged), "{after}");
}

#[test]
fn editing_twice_changes_nothing_more() {
    let once = edited(&claimed(""), &both(INVOICE));
    let twice = edited(&once, &both(INVOICE));
    assert_says(&twice, INVOICE);
    assert_eq!(once.len(), twice.len());
    assert_eq!(edited(&twice, &both(INVOICE)), twice);
}

// clause: 6.6.2.3.3
#[test]
fn any_version_of_the_schema_is_replaced() {
    for namespace in VERSIONS {
        for target in VERSIONS {
            let schemas = container(&schema(namespace, "Version", "Text", ""));
            let elements = claimed(&format!(
                "<q:Version xmlns:q='{namespace}'>9</q:Version>{schemas}"
            ));
            let attributes = packet(&format!(
                "<rdf:Description rdf:about='' pdfaid:part='3' pdfaid:conformance='B' xmlns:q='{namespace}' q:Version='9' dc:format='a/b'/>\
                 <rdf:Description rdf:about=''>{schemas}</rdf:Description>"
            ));
            for before in [elements, attributes] {
                let after = edited(&before, &both(target));
                assert_says(&after, target);
                assert!(!after.contains(">9<") && !after.contains("'9'"));
            }
        }
    }
}

// rule: R-ZUG-33
#[test]
fn two_versions_become_one() {
    let schemas = format!(
        "{}{}",
        schema(OLD, "Version", "Text", ""),
        schema(INVOICE, "Version", "Text", "")
    );
    let before = claimed(&format!(
        "<a:Version xmlns:a='{OLD}'>1</a:Version><b:Version xmlns:b='{INVOICE}'>1</b:Version>{}",
        container(&schemas)
    ));
    assert_says(&edited(&before, &both(INVOICE)), INVOICE);
}

// rule: R-ZUG-33
// clause: 6.6.2.3.3
#[test]
fn foreign_schemas_stay_in_the_one_bag() {
    let own = schema("urn:p", "own", "Text", "");
    let property = "<p:own xmlns:p='urn:p'>x</p:own>";
    let before = claimed(&format!("{property}{}", container(&own)));
    let after = edited(&before, &both(INVOICE));
    assert_says(&after, INVOICE);
    assert!(after.contains(&own) && after.contains(property));
}

// clause: 6.6.2.3.2
#[test]
fn several_bags_become_one() {
    let one = container(&schema("urn:p", "own", "Text", ""));
    let other = container(&schema("urn:q", "own", "Text", "")).replace("pdfaSchema", "s");
    let before = claimed(&format!(
        "<p:own xmlns:p='urn:p'>x</p:own><q:own xmlns:q='urn:q'>x</q:own>{one}"
    ))
    .replace(
        "</rdf:RDF>",
        &format!("<rdf:Description rdf:about=''>{other}</rdf:Description></rdf:RDF>"),
    );
    let after = edited(&before, &both(INVOICE));
    let facts = facts(after.as_bytes());
    let namespaces: Vec<&str> = facts.schemas.iter().map(|s| s.namespace.as_str()).collect();
    assert_eq!(namespaces, ["urn:p", "urn:q", INVOICE]);
    assert_eq!(after.matches("<pdfaExtension:schemas").count(), 1);
    // The prefix inside the moved item is still its own, and still wrong.
    let kinds: Vec<_> = faults(after.as_bytes())
        .into_iter()
        .map(|fault| fault.kind)
        .collect();
    assert!(
        kinds.iter().all(|kind| *kind == FaultKind::ExtensionSchema) && kinds.len() == 4,
        "{kinds:?}"
    );
}

// clause: 6.6.2.3.2
#[test]
fn containers_of_another_kind_are_set_right() {
    let own = schema("urn:p", "own", "Text", "");
    for (what, other) in [("rdf:Bag", "rdf:Seq"), ("pdfaExtension", "ext")] {
        let wrong = container(&own).replace(what, other);
        let before = claimed(&format!("<p:own xmlns:p='urn:p'>x</p:own>{wrong}"));
        assert_says(&edited(&before, &both(INVOICE)), INVOICE);
    }
    let empty = claimed(&container("").replace("<rdf:Bag></rdf:Bag>", "<rdf:Bag />"));
    assert_says(&edited(&empty, &both(INVOICE)), INVOICE);
    let none = claimed(&container("").replace("<rdf:Bag></rdf:Bag>", "x"));
    let fault = edit(Some(none.as_bytes()), &both(INVOICE)).unwrap_err();
    assert_eq!(fault.kind, FaultKind::ExtensionContainer);
}

// rule: R-ZUG-35
// clause: 6.6.4
#[test]
fn claims_are_raised_kept_and_taken_back() {
    let a1 =
        claimed("<pdfaid:amd>2005</pdfaid:amd><pdfaid:corr>c</pdfaid:corr>").replace(">3<", ">1<");
    let raised = edited(&a1, &both(INVOICE));
    assert_says(&raised, INVOICE);
    assert!(!raised.contains("pdfaid:amd") && !raised.contains("pdfaid:corr"));
    let a3 = claimed("<pdfaid:amd>2005</pdfaid:amd>");
    let other = Changes {
        claim: Claim::Set {
            part: 3,
            conformance: Conformance::U,
        },
        ..Changes::default()
    };
    let changed = edited(&a3, &other);
    assert_eq!(faults(changed.as_bytes()), []);
    let pdfa = facts(changed.as_bytes()).pdfa.unwrap();
    assert_eq!(
        (pdfa.conformance.as_deref(), pdfa.amd.as_deref()),
        (Some("U"), Some("2005"))
    );
    let removal = Changes {
        claim: Claim::Remove,
        ..Changes::default()
    };
    for before in [
        a1,
        packet("<rdf:Description rdf:about='' pdfaid:part='4' pdfaid:rev='2020' dc:format='a/b'/>"),
    ] {
        let after = edited(&before, &removal);
        assert!(facts(after.as_bytes()).pdfa.is_none());
    }
    assert!(edited(&a3, &Changes::default()).contains("<pdfaid:amd>2005"));
}

// clause: 6.6.4
#[test]
fn another_prefix_of_the_claim_is_set_right() {
    let before = claimed("").replace("pdfaid", "id");
    assert_says(&edited(&before, &both(INVOICE)), INVOICE);
}

#[test]
fn prefixes_that_stand_for_something_else_do_no_harm() {
    let outside = "xmlns:fx='urn:1' xmlns:pdfaSchema='urn:2' xmlns:pdfaProperty='urn:3' xmlns:pdfaExtension='urn:4'";
    let before = claimed("").replace("<x:xmpmeta", &format!("<x:xmpmeta {outside}"));
    assert_says(&edited(&before, &both(INVOICE)), INVOICE);
    let bound = claimed("")
        .replace("xmlns:pdfaid", "xmlns:dummy")
        .replace("pdfaid:", "dummy:")
        .replace("xmlns:pdf=", "xmlns:pdfaid=");
    assert_says(&edited(&bound, &both(INVOICE)), INVOICE);
    let rdf = claimed("")
        .replace("rdf:", "r:")
        .replace("xmlns:rdf", "xmlns:r");
    let after = edited(&rdf, &both(INVOICE));
    assert_eq!(faults(after.as_bytes()), [], "{after}");
}

#[test]
fn all_descriptions_stay_about_the_same() {
    let before = claimed("").replace("rdf:about=\"\"", "rdf:about=\"uuid:1&amp;2\"");
    let after = edited(&before, &both(INVOICE));
    assert_says(&after, INVOICE);
    assert!(after.matches("rdf:about=\"uuid:1&amp;2\"").count() >= 3);
}

// clause: 6.6.2.1
#[test]
fn wrappers_are_made_right() {
    let good = claimed("<dc:format>a/b</dc:format>");
    let trailer = "<?xpacket end=\"w\"?>";
    let bad_header =
        "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d' bytes='12' encoding='UTF-8'?>";
    for before in [
        good.replace(HEADER, "").replace(trailer, ""),
        good.replace(HEADER, bad_header),
        good.replace(
            HEADER,
            &format!("{HEADER}<?xml version='1.0'?><?adobe-xap-filters esc='CR'?>"),
        ),
        format!("<?xml version='1.0' encoding='UTF-8'?>\n{good}"),
        format!("\u{feff}{good}"),
        format!("junk{good}"),
        format!("{good}\0\0\0"),
        good.replace("end=\"w\"", "end=\"r\""),
        good.replace(trailer, &format!("{}{trailer}", " ".repeat(3000))),
        good.replace(trailer, "<broken"),
    ] {
        let after = edited(&before, &both(INVOICE));
        assert_says(&after, INVOICE);
        assert!(after.contains("<dc:format>a/b</dc:format>"));
        assert!(!after.contains("<?xml ") && !after.contains("bytes="));
        assert_eq!(
            after.contains("adobe-xap-filters"),
            before.contains("adobe-xap-filters")
        );
    }
}

// clause: 6.6.2.1
#[test]
fn utf_16_becomes_utf_8() {
    let before = claimed("<dc:source>\u{e4}\u{1f600}</dc:source>");
    let wide: Vec<u8> = before.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let after = edit(Some(&wide), &both(INVOICE)).unwrap();
    let after = String::from_utf8(after).unwrap();
    assert_says(&after, INVOICE);
    assert!(after.contains("\u{e4}\u{1f600}"));
}

#[test]
fn an_empty_rdf_element_is_opened() {
    let before = packet("").replace("></rdf:RDF>", "/>");
    assert!(before.contains("/>\n</x:xmpmeta>"));
    assert_says(&edited(&before, &both(INVOICE)), INVOICE);
}

// clause: 6.6.2.3.1
#[test]
fn foreign_texts_are_described_and_structures_named() {
    let mut changes = both(INVOICE);
    changes.describe_foreign = true;
    let simple =
        "<pdf:Trapped>False</pdf:Trapped><p:a xmlns:p='urn:p'>1</p:a><p:b xmlns:p='urn:p'/>";
    let before = claimed(simple);
    let after = edited(&before, &changes);
    assert_says(&after, INVOICE);
    assert!(after.contains(simple));
    let described = facts(after.as_bytes()).schemas;
    let own = described
        .iter()
        .find(|schema| schema.namespace == "urn:p")
        .unwrap();
    assert_eq!(
        (own.prefix.as_str(), own.properties.as_slice()),
        ("p", &["a".to_owned(), "b".to_owned()][..])
    );
    assert_eq!(
        edited(&after, &changes),
        edited(&edited(&after, &changes), &changes)
    );
    let structured = claimed("<p:a xmlns:p='urn:p'><rdf:Bag/></p:a>");
    let found = faults(edited(&structured, &changes).as_bytes());
    assert_eq!(found.len(), 1);
    assert!(found[0].to_string().contains("structured property `p:a`"));
}

#[test]
fn descriptions_of_a_known_schema_are_added_to_it() {
    let mut changes = both(INVOICE);
    changes.describe_foreign = true;
    let own = container(&schema("urn:p", "a", "Text", ""));
    let properties =
        "<p:a xmlns:p='urn:p'>1</p:a><p:b xmlns:p='urn:p'>2</p:b><p:c xmlns:p='urn:p'>3</p:c>";
    let after = edited(&claimed(&format!("{properties}{own}")), &changes);
    assert_says(&after, INVOICE);
    let schemas = facts(after.as_bytes()).schemas;
    assert_eq!(schemas.len(), 2);
    assert_eq!(schemas[0].properties, ["a", "b", "c"]);
}

#[test]
fn texts_are_escaped() {
    let mut changes = both(INVOICE);
    if let Some(own) = &mut changes.own {
        own.values[0] = "a<&>\"'.xml".to_owned();
    }
    let after = edited(&claimed(""), &changes);
    let (_, written) = read(after.as_bytes(), &VERSIONS);
    assert_eq!(written[0].2, "a<&>\"'.xml");
    assert_eq!(faults(after.as_bytes()), []);
}

// rule: R-ZUG-33
#[test]
fn broken_packets_are_refused() {
    let cut = claimed("<dc:title>");
    for before in ["", "x", "<a/>", "<a>", cut.as_str()] {
        assert!(
            edit(Some(before.as_bytes()), &both(INVOICE)).is_err(),
            "{before}"
        );
    }
}

#[test]
fn packets_of_very_many_pieces_come_to_an_end() {
    let mut changes = both(INVOICE);
    changes.describe_foreign = true;
    let many: String = (0..3000)
        .map(|i| {
            format!("<rdf:Description rdf:about=''><p:a{i} xmlns:p='urn:{i}'/></rdf:Description>")
        })
        .collect();
    let after = edited(&packet(&many), &changes);
    assert_eq!(faults(after.as_bytes()), []);
    assert_eq!(facts(after.as_bytes()).schemas.len(), 3001);
    let again = edited(&after, &both(ORDER));
    assert_says(&again, ORDER);
}

proptest::proptest! {
    /// Whatever is cut out of a packet or doubled in it: what can be edited says what it should.
    #[test]
    fn damaged_packets_are_refused_or_right(start in 0_usize..2000, length in 0_usize..60, doubled in proptest::bool::ANY) {
        let own = container(&schema("urn:p", "own", "Text", ""));
        let whole = claimed(&format!("<p:own xmlns:p='urn:p'>x</p:own><dc:format>a/b</dc:format>{own}"));
        let letters: Vec<char> = whole.chars().collect();
        let start = start.min(letters.len());
        let end = (start + length).min(letters.len());
        let (first, last) = if doubled { (end, start) } else { (start, end) };
        let damaged: String = letters[..first].iter().chain(&letters[last..]).collect();
        let _ = faults(damaged.as_bytes());
        if let Ok(after) = edit(Some(damaged.as_bytes()), &both(INVOICE)) {
            let (facts, written) = read(&after, &VERSIONS);
            proptest::prop_assert_eq!(written.len(), 2);
            let pdfa = facts.pdfa.unwrap();
            proptest::prop_assert_eq!(pdfa.part.as_deref(), Some("3"));
            proptest::prop_assert_eq!(pdfa.conformance.as_deref(), Some("B"));
        }
    }
}

// clause: 6.6.2.3.1
#[test]
fn predefined_properties_get_values_of_their_type_where_that_loses_nothing() {
    let mut changes = both(INVOICE);
    changes.describe_foreign = true;
    let cases = [
        (
            "<dc:title>A &amp; B</dc:title>",
            Some(
                "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">A &amp; B</rdf:li></rdf:Alt></dc:title>",
            ),
        ),
        (
            "<dc:creator>A</dc:creator>",
            Some("<dc:creator><rdf:Seq><rdf:li>A</rdf:li></rdf:Seq></dc:creator>"),
        ),
        (
            "<dc:subject><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:subject>",
            Some(
                "<dc:subject><rdf:Bag><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Bag></dc:subject>",
            ),
        ),
        (
            "<pdf:Keywords><rdf:Bag><rdf:li>A</rdf:li></rdf:Bag></pdf:Keywords>",
            Some("<pdf:Keywords>A</pdf:Keywords>"),
        ),
        (
            "<xmp:CreateDate>D:20261121063000+01'00'</xmp:CreateDate>",
            Some("<xmp:CreateDate>2026-11-21T06:30:00+01:00</xmp:CreateDate>"),
        ),
        (
            "<xmp:CreateDate>2026-11-21 06:30:00 -0530</xmp:CreateDate>",
            Some("<xmp:CreateDate>2026-11-21T06:30:00-05:30</xmp:CreateDate>"),
        ),
        (
            "<xmp:CreateDate>2026-11-21 06:30</xmp:CreateDate>",
            Some("<xmp:CreateDate>2026-11-21T06:30:00</xmp:CreateDate>"),
        ),
        ("<xmp:CreateDate/>", Some("")),
        ("<xmp:CreateDate>yesterday</xmp:CreateDate>", None),
        (
            "<pdf:Keywords><rdf:Bag><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Bag></pdf:Keywords>",
            None,
        ),
    ];
    for (given, wanted) in cases {
        let before = claimed(given);
        assert_eq!(faults(before.as_bytes()).len(), 1, "{given}");
        let after = edited(&before, &changes);
        match wanted {
            Some(wanted) => {
                assert_eq!(faults(after.as_bytes()), [], "{after}");
                assert!(after.contains(wanted) && !after.contains(given), "{after}");
            }
            None => {
                assert_eq!(faults(after.as_bytes()).len(), 1, "{after}");
                assert!(after.contains(given), "{after}");
            }
        }
    }
}
