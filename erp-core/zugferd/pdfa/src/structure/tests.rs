//! One test per rule, with files that violate nothing else.

use super::{IntentColours, check};
use crate::repair::{Edit, EditStep, Repair};
use crate::{PdfaFault, Subject};
use erp_dev::pdf;
use erp_pdf::{Limits, Object, ObjectId, PdfFile};

const PAGES: &str = "<</Type/Pages/Kids[3 0 R]/Count 1>>";

fn checked(bytes: &[u8]) -> (IntentColours, Vec<PdfaFault>) {
    let file = PdfFile::open(bytes, &Limits::DEFAULT).unwrap();
    let subject = Subject::new(&file, bytes).unwrap();
    let colours = check(&subject).unwrap();
    (colours, subject.faults.into_found())
}

fn found(bytes: &[u8]) -> Vec<(&'static str, Option<Repair>)> {
    checked(bytes)
        .1
        .into_iter()
        .map(|fault| (fault.clause, fault.repair))
        .collect()
}

/// A document with these members in its catalog and its page, and more objects.
fn document(
    catalog: &str,
    page: &str,
    more: &[(u32, &str)],
    streams: &[(u32, &str, &[u8])],
) -> Vec<u8> {
    let catalog = format!("<</Type/Catalog/Pages 2 0 R{catalog}>>");
    let page = format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]{page}>>");
    let mut objects = vec![(1, catalog.as_str()), (2, PAGES), (3, page.as_str())];
    objects.extend_from_slice(more);
    pdf(&objects, streams)
}

fn clauses(
    catalog: &str,
    page: &str,
    more: &[(u32, &str)],
    streams: &[(u32, &str, &[u8])],
) -> Vec<&'static str> {
    let found = found(&document(catalog, page, more, streams));
    assert!(
        found.iter().all(|(_, repair)| repair.is_none()),
        "{found:?}"
    );
    found.into_iter().map(|(clause, _)| clause).collect()
}

fn edit(object: u32, path: Vec<EditStep>, member: &'static str, value: Object) -> Option<Repair> {
    let members = vec![(member, value)];
    Some(Repair::Edit(Edit {
        object: ObjectId::new(object),
        path,
        members,
    }))
}

fn member(name: &str) -> EditStep {
    EditStep::Member(name.as_bytes().into())
}

fn changed(from: &str, to: &str) -> Vec<u8> {
    let text = document("", "", &[], &[(4, "", b"q Q")]);
    let at = text
        .windows(from.len())
        .position(|part| part == from.as_bytes())
        .unwrap();
    [&text[..at], to.as_bytes(), &text[at + from.len()..]].concat()
}

#[test]
fn a_plain_document_has_no_fault() {
    assert_eq!(clauses("", "", &[], &[(4, "", b"q Q")]), Vec::<&str>::new());
}

// clause: 6.1.2, 6.1.3, 6.1.4, 6.1.6, 6.1.7.1, 6.1.9
#[test]
fn the_frame_is_healed_by_writing_the_file_anew() {
    let rewrite = |clause| vec![(clause, Some(Repair::Rewrite))];
    assert_eq!(found(&changed("%PDF-1.7", "%PDF-2.0")), rewrite("6.1.2"));
    let plain = document("", "", &[], &[]);
    assert_eq!(
        found(&[b"x\n", plain.as_slice()].concat()),
        rewrite("6.1.2")
    );
    assert_eq!(found(&[plain.as_slice(), b"\0"].concat()), rewrite("6.1.3"));
    assert_eq!(found(&changed("xref\n0", "xref 0")), rewrite("6.1.4"));
    assert_eq!(found(&changed("(a)", "<1>")), rewrite("6.1.6"));
    assert_eq!(
        found(&changed("/Length 3", "/Length 2")),
        [
            ("6.1.7.1", Some(Repair::Rewrite)),
            ("6.1.7.1", Some(Repair::Rewrite))
        ]
    );
    assert_eq!(found(&changed("1 0 obj\n", "1 0 obj ")), rewrite("6.1.9"));
}

#[test]
fn endobj_stands_on_its_own_line_after_whole_numbers_too() {
    let number = |text| document("", "", &[(4, text)], &[]);
    let joined = |bytes: Vec<u8>, from: &str, to: &str| {
        String::from_utf8_lossy(&bytes[15..]).find(from).map(|at| {
            [
                &bytes[..at + 15],
                to.as_bytes(),
                &bytes[at + 15 + from.len()..],
            ]
            .concat()
        })
    };
    let whole = joined(number("77"), "77\nendobj", "77 endobj").unwrap();
    assert_eq!(found(&whole), [("6.1.9", Some(Repair::Rewrite))]);
    let dict = joined(number("<</A 1>>"), "1>>\nendobj", "1>> endobj").unwrap();
    assert_eq!(found(&dict), [("6.1.9", Some(Repair::Rewrite))]);
}

// clause: 6.1.3
#[test]
fn the_trailer_has_an_id_and_no_encryption() {
    assert_eq!(
        found(&changed("/ID[(a)(b)]", "/ID[(a)()] ")),
        [("6.1.3", Some(Repair::FileId))]
    );
    assert_eq!(
        found(&changed("/ID[(a)(b)]", "           ")),
        [("6.1.3", Some(Repair::FileId))]
    );
    assert_eq!(
        found(&changed("/ID[(a)", "/Encrypt 9 0 R/ID[(a)")),
        [("6.1.3", None)]
    );
}

// clause: 6.1.7.1, 6.1.7.2
#[test]
fn streams_are_in_the_file_and_use_known_filters() {
    let with = |members: &str| found(&document("", "", &[], &[(4, members, b"q")]));
    assert_eq!(with("/F(other)"), [("6.1.7.1", None)]);
    assert_eq!(
        with("/Filter/LZWDecode"),
        [("6.1.7.2", Some(Repair::Recode(ObjectId::new(4))))]
    );
    assert_eq!(with("/Filter[/LZWDecode/DCTDecode]"), [("6.1.7.2", None)]);
    assert_eq!(with("/Filter/Fl"), [("6.1.7.2", None)]);
    assert_eq!(with("/Filter/Crypt"), []);
    assert_eq!(
        with("/Filter[/Crypt]/DecodeParms[<</Name/Own>>]"),
        [("6.1.7.2", None)]
    );
    assert_eq!(with("/FFilter/FlateDecode").len(), 1);
}

// clause: 6.1.8
#[test]
fn names_of_fonts_colourants_and_structure_types_are_utf_8() {
    for text in [
        "<</BaseFont/A#FF>>",
        "[/Separation/A#FF 0 1]",
        "[/DeviceN[/A/B#FF]]",
        "<</S/A#FF/P 3 0 R>>",
    ] {
        assert_eq!(clauses("", "", &[(4, text)], &[]), ["6.1.8"], "{text}");
    }
    for roles in ["<</A#FF/P>>", "<</A/B#FF>>"] {
        let root = format!("/StructTreeRoot<</Type/StructTreeRoot/RoleMap {roles}>>");
        assert_eq!(clauses(&root, "", &[], &[]), ["6.1.8"], "{roles}");
        let more = [(4, "<</Type/StructTreeRoot/RoleMap 5 0 R>>"), (5, roles)];
        let found = clauses("/StructTreeRoot 4 0 R", "", &more, &[]);
        assert_eq!(found, ["6.1.8"], "{roles}");
    }
    assert_eq!(
        clauses("", "", &[(4, "<</BaseFont/A#C3#A4/Other/A#FF>>")], &[]),
        Vec::<&str>::new()
    );
}

// clause: 6.1.13
#[test]
fn values_have_limits() {
    let long = format!("/{}", "a".repeat(128));
    let tiny = format!("[<</A .{}1>>]", "0".repeat(38));
    for text in [
        "2147483648",
        "-99999999999999999999",
        long.as_str(),
        tiny.as_str(),
    ] {
        assert_eq!(clauses("", "", &[(4, text)], &[]), ["6.1.13"], "{text}");
    }
    assert_eq!(clauses("", "/CropBox[0 0 2 9]", &[], &[]), ["6.1.13"]);
    assert_eq!(clauses("", "/TrimBox[0 0 9 14401]", &[], &[]), ["6.1.13"]);
}

// clause: 6.1.12, 6.4.2, 6.5.1, 6.5.2, 6.10, 6.11
#[test]
fn the_catalog_and_pages_have_no_forbidden_members() {
    let cases = [
        ("/NeedsRendering true", "", "6.4.2"),
        ("/Requirements[<</S/X>>]", "", "6.11"),
        ("/Names<</AlternatePresentations<<>>>>", "", "6.10"),
        ("/Names<</JavaScript<<>>>>", "", "6.5.1"),
        ("/Perms<</Other 3 0 R>>", "", "6.1.12"),
        ("/AA<<>>", "", "6.5.2"),
        ("", "/AA<<>>", "6.5.2"),
        ("", "/PresSteps<<>>", "6.10"),
    ];
    for (catalog, page, clause) in cases {
        assert_eq!(
            clauses(catalog, page, &[], &[]),
            [clause],
            "{catalog}{page}"
        );
    }
    assert_eq!(
        clauses("/NeedsRendering false/Perms<</DocMDP 3 0 R>>", "", &[], &[]),
        Vec::<&str>::new()
    );
}

fn profile(class: &[u8; 4], space: &[u8; 4], version: u8) -> Vec<u8> {
    let mut bytes = vec![0; 128];
    bytes[8] = version;
    bytes[12..16].copy_from_slice(class);
    bytes[16..20].copy_from_slice(space);
    bytes[36..40].copy_from_slice(b"acsp");
    bytes
}

// clause: 6.2.3
#[test]
fn an_output_intent_has_a_usable_profile() {
    let catalog = "/OutputIntents[<</S/GTS_PDFA1/DestOutputProfile 4 0 R>>]";
    let with = |bytes: &[u8], members| checked(&document(catalog, "", &[], &[(4, members, bytes)]));
    let (colours, faults) = with(&profile(b"mntr", b"RGB ", 4), "/N 3");
    assert_eq!(
        (colours.present, colours.components, faults),
        (true, 3, vec![])
    );
    let (colours, faults) = with(&profile(b"prtr", b"CMYK", 2), "/N 3");
    assert_eq!(
        (colours.components, faults[0].repair.clone()),
        (4, edit(4, vec![], "N", Object::Integer(4)))
    );
    for bytes in [
        profile(b"scnr", b"RGB ", 4),
        profile(b"mntr", b"Lab ", 4),
        profile(b"mntr", b"RGB ", 5),
        vec![0; 9],
    ] {
        let (colours, faults) = with(&bytes, "/N 3");
        assert!(!colours.present && faults.len() == 1 && faults[0].clause == "6.2.3");
    }
}

// clause: 6.2.3
#[test]
fn output_intents_share_one_profile() {
    let both = |second| {
        format!(
            "/OutputIntents[<</S/GTS_PDFX/DestOutputProfile 4 0 R>><</S/GTS_PDFA1/DestOutputProfile {second} 0 R>>]"
        )
    };
    let rgb = profile(b"mntr", b"RGB ", 4);
    let streams: [(u32, &str, &[u8]); 2] = [(4, "/N 3", &rgb), (5, "/N 3", &rgb)];
    assert_eq!(clauses(&both(4), "", &[], &streams), Vec::<&str>::new());
    assert_eq!(clauses(&both(5), "", &[], &streams), ["6.2.3"]);
    let reference = "/OutputIntents[<</S/GTS_PDFX/DestOutputProfileRef<<>>>>]";
    assert_eq!(clauses(reference, "", &[], &[]), ["6.2.3"]);
}

fn annotation(members: &str) -> Vec<(&'static str, Option<Repair>)> {
    let annotation = format!("<</Type/Annot/Rect[0 0 9 9]{members}>>");
    let form: (u32, &str, &[u8]) = (5, "/Subtype/Form", b"");
    found(&document(
        "",
        "/Annots[4 0 R]",
        &[(4, &annotation)],
        &[form],
    ))
}

// clause: 6.3.1, 6.3.2
#[test]
fn annotations_are_of_a_known_type_and_printed() {
    assert_eq!(annotation("/Subtype/Link/F 4"), []);
    assert_eq!(
        annotation("/Subtype/Movie/F 4/AP<</N 5 0 R>>"),
        [("6.3.1", None)]
    );
    let flags = |value| edit(4, vec![], "F", Object::Integer(value));
    assert_eq!(annotation("/Subtype/Link"), [("6.3.2", flags(4))]);
    assert_eq!(annotation("/Subtype/Link/F 129"), [("6.3.2", flags(132))]);
    for hidden in ["/F 6", "/F 36", "/F 260", "/F(x)"] {
        assert_eq!(
            annotation(&format!("/Subtype/Link{hidden}")),
            [("6.3.2", None)],
            "{hidden}"
        );
    }
    assert_eq!(annotation("/Subtype/Popup"), []);
    assert_eq!(annotation("/Subtype/Popup/F 0"), [("6.3.2", flags(4))]);
}

// clause: 6.3.2
#[test]
fn an_annotation_inside_an_array_is_healed_in_its_place() {
    let page = "/Annots[<</Subtype/Link/Rect[0 0 9 9]>>]";
    let repair = edit(
        3,
        vec![member("Annots"), EditStep::Item(0)],
        "F",
        Object::Integer(4),
    );
    assert_eq!(found(&document("", page, &[], &[])), [("6.3.2", repair)]);
}

// clause: 6.3.3, 6.4.1
#[test]
fn annotations_have_one_appearance() {
    let wrong = [("6.3.3", None)];
    assert_eq!(annotation("/Subtype/Text/F 4"), wrong);
    assert_eq!(annotation("/Subtype/Text/F 4/Rect[1 1 1 1]"), []);
    assert_eq!(annotation("/Subtype/Text/F 4/AP<</N 5 0 R>>"), []);
    assert_eq!(
        annotation("/Subtype/Text/F 4/AP<</N 5 0 R/D 5 0 R>>"),
        wrong
    );
    assert_eq!(annotation("/Subtype/Text/F 4/AP<</N<</On 5 0 R>>>>"), wrong);
    assert_eq!(
        annotation("/Subtype/Widget/FT/Btn/F 4/AP<</N 5 0 R>>"),
        wrong
    );
    assert_eq!(
        annotation("/Subtype/Widget/FT/Btn/F 4/AP<</N<</On 5 0 R>>>>"),
        []
    );
    assert_eq!(
        annotation("/Subtype/Widget/Parent<</FT/Btn>>/F 4/AP<</N<</On 5 0 R>>>>"),
        []
    );
    assert_eq!(
        annotation("/Subtype/Widget/A 6 0 R/F 4/AP<</N 5 0 R>>"),
        [("6.4.1", None)]
    );
}

// clause: 6.4.1, 6.4.2
#[test]
fn forms_do_nothing_by_themselves() {
    let form = |members| {
        clauses(
            &format!("/AcroForm<<{members}>>"),
            "",
            &[(4, "<</T(a)/Kids[5 0 R]>>"), (5, "<</T(b)/AA<<>>>>")],
            &[],
        )
    };
    assert_eq!(form("/NeedAppearances false/Fields[]"), Vec::<&str>::new());
    assert_eq!(form("/XFA[]"), ["6.4.2"]);
    assert_eq!(form("/Fields[4 0 R]"), ["6.4.1"]);
}

// clause: 6.4.1
#[test]
fn appearances_are_those_of_the_file() {
    let bytes = document("/AcroForm<</NeedAppearances true>>", "", &[], &[]);
    let repair = edit(1, vec![member("AcroForm")], "NeedAppearances", Object::Null);
    assert_eq!(found(&bytes), [("6.4.1", repair)]);
}

// clause: 6.1.4
#[test]
fn generations_are_those_of_the_cross_reference() {
    let whole = document("/A 4 0 R", "", &[(4, "<<>>")], &[]);
    let with = |from: &str, to: &str| {
        let at = whole
            .windows(from.len())
            .position(|part| part == from.as_bytes())
            .unwrap();
        let changed = [&whole[..at], to.as_bytes(), &whole[at + from.len()..]].concat();
        found(&changed)
    };
    assert_eq!(found(&whole), []);
    let fault = [("6.1.4", Some(Repair::Rewrite))];
    assert_eq!(with("4 0 obj", "4 1 obj"), fault);
    assert_eq!(with("/A 4 0 R", "/A 4 1 R"), fault);
    assert_eq!(with("/A 4 0 R", "/A 5 1 R"), []);
}

// clause: 6.5.1
#[test]
fn only_some_actions_are_allowed() {
    let action = |text: &str| clauses("/OpenAction 4 0 R", "", &[(4, text)], &[]);
    assert_eq!(
        action("<</S/URI/Next[4 0 R<</S/Named/N/NextPage>>]>>"),
        Vec::<&str>::new()
    );
    assert_eq!(action("<</S/JavaScript>>"), ["6.5.1"]);
    assert_eq!(action("<</S/Named/N/Print>>"), ["6.5.1"]);
    assert_eq!(
        action("<</S/GoTo/Next<</S/GoTo/Next<</S/Launch>>>>>>"),
        ["6.5.1"]
    );
    let bookmark = [
        (4, "<</First 5 0 R>>"),
        (5, "<</Next 6 0 R>>"),
        (6, "<</Next 5 0 R/A<</S/Sound>>>>"),
    ];
    assert_eq!(clauses("/Outlines 4 0 R", "", &bookmark, &[]), ["6.5.1"]);
    let link = "/Annots[<</Subtype/Link/F 4/AA<</E<</S/Hide>>>>>>]";
    assert_eq!(clauses("", link, &[], &[]), ["6.5.1"]);
}

fn attached(
    specification: &str,
    subtype: &str,
    catalog: &str,
) -> Vec<(&'static str, Option<Repair>)> {
    let tree = format!("/Names<</EmbeddedFiles<</Names[(a)4 0 R]>>>>{catalog}");
    found(&document(
        &tree,
        "",
        &[(4, specification)],
        &[(5, subtype, b"x")],
    ))
}

// clause: 6.8
#[test]
fn an_embedded_file_has_names_type_relationship_and_owner() {
    let (xml, owner) = ("/Subtype/text#2Fxml", "/AF[4 0 R]");
    let good = "<</F(a)/UF(a)/AFRelationship/Data/EF<</F 5 0 R/UF 5 0 R>>>>";
    assert_eq!(attached(good, xml, owner), []);
    assert_eq!(
        attached(good, xml, ""),
        [("6.8", Some(Repair::Associate(ObjectId::new(4))))]
    );
    let unknown = Object::name("application/octet-stream");
    assert_eq!(
        attached(good, "", owner),
        [("6.8", edit(5, vec![], "Subtype", unknown))]
    );
    let name = edit(4, vec![], "UF", Object::string("a"));
    assert_eq!(
        attached(&good.replace("/UF(a)", ""), xml, owner),
        [("6.8", name)]
    );
    assert_eq!(
        attached(&good.replace("/F(a)/UF(a)", ""), xml, owner),
        [("6.8", None)]
    );
    let relation = edit(4, vec![], "AFRelationship", Object::name("Unspecified"));
    assert_eq!(
        attached(&good.replace("/AFRelationship/Data", ""), xml, owner),
        [("6.8", relation)]
    );
}

// clause: 6.8
#[test]
fn file_specifications_outside_of_the_name_tree_count_as_well() {
    let loose = "<</Type/Filespec/F(a)/UF(a)/AFRelationship/Data/EF<</F 5 0 R>>>>";
    let file: (u32, &str, &[u8]) = (5, "/Subtype/a#2Fb", b"");
    let faults = found(&document("", "", &[(4, loose)], &[file]));
    assert_eq!(faults, [("6.8", Some(Repair::Associate(ObjectId::new(4))))]);
    assert_eq!(
        found(&document("", "/AF[4 0 R]", &[(4, loose)], &[file])),
        []
    );
    assert_eq!(
        clauses("", "", &[(4, &format!("[{loose}]"))], &[file]),
        ["6.8"]
    );
}

// clause: 6.9
#[test]
fn configurations_of_layers_are_named_and_complete() {
    let layers = |text: &str| {
        found(&document(
            &format!("/OCProperties<</OCGs[4 0 R]{text}>>"),
            "",
            &[(4, "<</Name(L)>>")],
            &[],
        ))
    };
    assert_eq!(
        layers("/D<</Name(a)/Order[[4 0 R]]>>/Configs[<</Name(b)>>]"),
        []
    );
    let path = vec![member("OCProperties"), member("D")];
    let repair = edit(1, path, "Name", Object::string("Default"));
    assert_eq!(layers("/D<<>>"), [("6.9", repair)]);
    assert_eq!(
        layers("/D<</Name(a)>>/Configs[<</Name(a)>>]"),
        [("6.9", None)]
    );
    assert_eq!(layers("/D<</Name(a)/Order[]>>"), [("6.9", None)]);
    assert_eq!(layers("/D<</Name(a)/AS[]>>"), [("6.9", None)]);
}

// clause: 6.1.9
#[test]
fn objects_that_cannot_be_read_count_when_they_are_used() {
    let page = |page: &str| document("", page, &[(4, "null"), (5, "(b)")], &[]);
    let broken = |bytes: Vec<u8>| {
        let at = bytes
            .windows(7)
            .position(|part| part == b"5 0 obj")
            .unwrap();
        [&bytes[..at], b"7", &bytes[at + 1..]].concat()
    };
    assert_eq!(found(&broken(page(""))), [("6.1.9", Some(Repair::Rewrite))]);
    assert_eq!(found(&broken(page("/X 5 0 R"))), [("6.1.9", None)]);
}

#[test]
fn what_leads_in_a_circle_is_looked_at_once() {
    let form = "/AcroForm<</Fields 4 0 R>>/AF 4 0 R/OCProperties<</D<</Name(a)/Order 4 0 R>>>>";
    let more = [
        (4, "[5 0 R 4 0 R 5 0 R]"),
        (
            5,
            "<</T(a)/Kids 4 0 R/Parent 5 0 R/Subtype/Widget/F 4/AP<</N 7 0 R>>/Next 5 0 R>>",
        ),
        (6, "<</S/GoTo/Next 8 0 R>>"),
        (8, "[6 0 R 8 0 R]"),
        (9, "9 0 R"),
    ];
    let catalog = format!("{form}/OpenAction 6 0 R/Outlines 5 0 R/Requirements 9 0 R");
    let found = clauses(
        &catalog,
        "/Annots 4 0 R",
        &more,
        &[(7, "/Subtype/Form", b"")],
    );
    assert_eq!(found, ["6.11"]);
}
