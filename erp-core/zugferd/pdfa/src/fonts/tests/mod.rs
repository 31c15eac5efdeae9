//! One test for each rule, with fonts that break nothing else.

mod programs;

use super::program::Type1;
use super::used::UsedFonts;
use super::{Faults, PdfPlace, check_font};
use crate::repair::{Edit, EditStep, Repair};
use erp_dev::pdf;
use erp_pdf::{Limits, Object, ObjectId, PdfFile};
use programs::{cff, open_type, true_type, type1, type1_of};

/// Clauses and repairs of the font in object 4, with which these strings are shown.
fn found(
    objects: &[(u32, &str)],
    streams: &[(u32, &str, &[u8])],
    shown: &[(&[u8], bool)],
) -> Vec<(&'static str, Option<Repair>)> {
    let frame = [
        (1, "<</Type/Catalog/Pages 2 0 R>>"),
        (2, "<</Type/Pages/Kids[3 0 R]>>"),
        (3, "<</Type/Page>>"),
    ];
    let bytes = pdf(&[&frame, objects].concat(), streams);
    let file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
    let mut used = UsedFonts::default();
    let key = used
        .select(
            &file,
            &Object::Reference(ObjectId::new(4)),
            PdfPlace::on_page(0),
        )
        .unwrap();
    shown
        .iter()
        .for_each(|(string, visible)| used.show(key, string, *visible));
    let faults = Faults::default();
    for font in used.shown() {
        check_font(&file, font, &faults).unwrap();
    }
    let mut found = faults.into_found();
    assert!(
        found
            .iter()
            .all(|fault| fault.place.page == Some(1) && fault.place.object == Some(4))
    );
    found.sort_by_key(|fault| fault.clause);
    found
        .into_iter()
        .map(|fault| (fault.clause, fault.repair))
        .collect()
}

/// The clauses alone, for a font of which all is seen, and none has a repair.
fn clauses(
    objects: &[(u32, &str)],
    streams: &[(u32, &str, &[u8])],
    shown: &[u8],
) -> Vec<&'static str> {
    let found = found(objects, streams, &[(shown, true)]);
    assert!(
        found.iter().all(|(_, repair)| repair.is_none()),
        "{found:?}"
    );
    found.into_iter().map(|(clause, _)| clause).collect()
}

const NONE: [&str; 0] = [];

/// A font of one byte a code with the codes `A` and `B`, 500 wide.
fn simple(subtype: &str, members: &str) -> String {
    format!(
        "<</Type/Font/Subtype/{subtype}/BaseFont/ABCDEF+F/FirstChar 65/LastChar 66/Widths[500 500.9]/FontDescriptor 5 0 R{members}>>"
    )
}

/// A descriptor whose program is object 6.
fn descriptor(key: &str, members: &str) -> String {
    format!("<</Type/FontDescriptor/FontName/ABCDEF+F/{key} 6 0 R{members}>>")
}

fn of_true_type(
    font: &str,
    descriptor_members: &str,
    program: &[u8],
    shown: &[u8],
) -> Vec<&'static str> {
    let descriptor = descriptor("FontFile2", descriptor_members);
    clauses(
        &[(4, &simple("TrueType", font)), (5, &descriptor)],
        &[(6, "", program)],
        shown,
    )
}

const WIN: &str = "/Encoding/WinAnsiEncoding";
const UNICODE: [(u16, u16, u16); 1] = [(3, 1, 65)];

// clause: 6.2.11.5, 6.2.11.8
#[test]
fn a_true_type_font_must_agree_with_its_program() {
    let fine = true_type([0, 500, 500], &UNICODE);
    assert_eq!(of_true_type(WIN, "/Flags 32", &fine, b"AB"), NONE);
    let narrow = true_type([0, 500, 499], &UNICODE);
    assert_eq!(of_true_type(WIN, "/Flags 32", &narrow, b"A"), NONE);
    assert_eq!(of_true_type(WIN, "/Flags 32", &narrow, b"AB"), ["6.2.11.5"]);
    let missing = "/Flags 32/MissingWidth 700";
    let third = true_type([0, 500, 500], &[(3, 1, 66)]);
    assert_eq!(of_true_type(WIN, missing, &third, b"C"), ["6.2.11.5"]);
    assert_eq!(of_true_type(WIN, missing, &third, b"A"), ["6.2.11.4.1"]);
    assert_eq!(of_true_type(WIN, "/Flags 32", &fine, b"A\t"), ["6.2.11.8"]);
    assert_eq!(
        of_true_type(WIN, "/Flags 32", b"\0\x01\0\0no font", b"A"),
        ["6.2.11.4.1"]
    );
    assert_eq!(
        of_true_type(WIN, "/Flags 32", &fine[..fine.len() - 14], b"A"),
        ["6.2.11.4.1"]
    );
}

// clause: 6.2.11.6
#[test]
fn a_true_type_font_that_is_not_symbolic_needs_an_encoding_and_a_cmap() {
    let fine = true_type([0, 500, 500], &UNICODE);
    assert_eq!(of_true_type("", "/Flags 32", &fine, b"A"), ["6.2.11.6"]);
    assert_eq!(
        of_true_type("/Encoding/StandardEncoding", "/Flags 32", &fine, b"A"),
        ["6.2.11.6"]
    );
    let differing =
        |name| format!("/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[66/{name}]>>");
    assert_eq!(of_true_type(&differing("B"), "", &fine, b"B"), NONE);
    for name in ["g1", "uni0042", "B.alt", ".notdef2", "a12"] {
        let found = of_true_type(&differing(name), "", &fine, b"A");
        assert_eq!(found, ["6.2.11.6"], "{name}");
    }
    let roman = true_type([0, 500, 500], &[(1, 0, 65)]);
    assert_eq!(of_true_type(WIN, "", &roman, b"AB"), NONE);
    assert_eq!(
        of_true_type(&differing("B"), "", &roman, b"AB"),
        ["6.2.11.6"]
    );
    let symbols = true_type([0, 500, 500], &[(3, 0, 0xf041)]);
    assert_eq!(
        of_true_type(WIN, "", &symbols, b"A"),
        ["6.2.11.4.1", "6.2.11.6"]
    );
    let two = true_type([0, 500, 500], &[(3, 0, 0xf041), (3, 1, 65)]);
    assert_eq!(of_true_type(WIN, "", &two, b"A"), NONE);
}

// clause: 6.2.11.6
#[test]
fn a_symbolic_true_type_font_needs_no_encoding_and_one_cmap() {
    let symbols = true_type([0, 500, 500], &[(3, 0, 0xf041)]);
    assert_eq!(of_true_type("", "/Flags 4", &symbols, b"AB"), NONE);
    assert_eq!(of_true_type("", "/Flags 4", &symbols, b"C"), ["6.2.11.4.1"]);
    assert_eq!(of_true_type("", "/Flags 4", &symbols, b"\0"), ["6.2.11.8"]);
    assert_eq!(of_true_type(WIN, "/Flags 4", &symbols, b"A"), ["6.2.11.6"]);
    let roman = true_type([0, 500, 500], &[(1, 0, 65)]);
    assert_eq!(of_true_type("", "/Flags 4", &roman, b"AB"), NONE);
    let two = true_type([0, 500, 500], &[(1, 0, 65), (3, 1, 65)]);
    assert_eq!(of_true_type("", "/Flags 4", &two, b"A"), ["6.2.11.6"]);
    let none = true_type([0, 500, 500], &[]);
    assert_eq!(
        of_true_type("", "/Flags 4", &none, b"A"),
        ["6.2.11.4.1", "6.2.11.6"]
    );
}

// clause: 6.2.11.2
#[test]
fn a_font_dictionary_must_be_complete() {
    let program = true_type([0, 500, 500], &UNICODE);
    let check = |font: &str| {
        let objects = [(4, font), (5, &*descriptor("FontFile2", "/Flags 32"))];
        clauses(&objects, &[(6, "", &program)], b"A")
    };
    let whole = simple("TrueType", WIN);
    assert_eq!(check(&whole), NONE);
    for left_out in [
        "/Type/Font",
        "/BaseFont/ABCDEF+F",
        "/FirstChar 65",
        "/LastChar 66",
    ] {
        assert!(
            check(&whole.replacen(left_out, "", 1)).contains(&"6.2.11.2"),
            "{left_out}"
        );
    }
    assert_eq!(check(&whole.replace("500.9", "500 500")), ["6.2.11.2"]);
    assert_eq!(check(&whole.replace("/TrueType", "/Type9")), ["6.2.11.2"]);
    assert_eq!(check("(no font)"), ["6.2.11.2"]);
    let objects = [(4, &*whole), (5, &*descriptor("FontFile2", "/Flags 32"))];
    assert_eq!(
        clauses(&objects, &[(6, "/Subtype/Type9", &program)], b"A"),
        ["6.2.11.2"]
    );
}

// clause: 6.2.11.4.1
#[test]
fn a_font_must_be_embedded_unless_it_only_shows_what_cannot_be_seen() {
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";
    assert_eq!(clauses(&[(4, font)], &[], b"A"), ["6.2.11.4.1"]);
    assert_eq!(clauses(&[(4, font)], &[], b""), ["6.2.11.4.1"]);
    assert_eq!(found(&[(4, font)], &[], &[(b"A", false)]), []);
    assert_eq!(
        found(&[(4, font)], &[], &[(b"A", false), (b"B", true)]),
        [("6.2.11.4.1", None)]
    );
    assert_eq!(
        found(&[(4, font)], &[], &[(b"\x01", false)]),
        [("6.2.11.8", None)]
    );
    assert_eq!(found(&[(4, font)], &[], &[]), []);
    let own = font.replace("Helvetica", "Own");
    assert_eq!(clauses(&[(4, &own)], &[], b"A"), ["6.2.11.2", "6.2.11.4.1"]);
    // A Type 1 font cannot have a TrueType program.
    let objects = [
        (4, &*simple("Type1", WIN)),
        (5, &*descriptor("FontFile2", "")),
    ];
    let program = true_type([0, 500, 500], &UNICODE);
    assert_eq!(
        clauses(&objects, &[(6, "", &program)], b"A"),
        ["6.2.11.4.1"]
    );
}

// clause: 6.2.11.4.1, 6.2.11.5
#[test]
fn a_type_1_font_must_agree_with_its_program() {
    let programs = [
        ("FontFile", "", type1(142), 250),
        ("FontFile3", "/Subtype/Type1C", cff(250, false), 250),
        (
            "FontFile3",
            "/Subtype/OpenType",
            open_type(cff(250, false)),
            250,
        ),
    ];
    for (key, kind, program, width) in programs {
        let check = |members: &str, width: i32, shown: &[u8]| {
            let font = simple("Type1", members)
                .replace("500.9", "500")
                .replace("500", &width.to_string());
            clauses(
                &[(4, &font), (5, &descriptor(key, ""))],
                &[(6, kind, &program)],
                shown,
            )
        };
        assert_eq!(check(WIN, width, b"AB"), NONE, "{kind}");
        assert_eq!(check(WIN, width + 1, b"AB"), NONE, "{kind}");
        assert_eq!(check(WIN, width + 2, b"AB"), ["6.2.11.5"], "{kind}");
        assert_eq!(check(WIN, width, b"AC"), ["6.2.11.4.1"], "{kind}");
        assert_eq!(check(WIN, width, b"A\x1f"), ["6.2.11.8"], "{kind}");
        assert_eq!(
            check("/Encoding<</Differences[65/B 66/Q]>>", width, b"A"),
            NONE,
            "{kind}"
        );
        assert_eq!(
            check("/Encoding<</Differences[65/B 66/Q]>>", width, b"B"),
            ["6.2.11.4.1"]
        );
        assert_eq!(
            check("/Encoding/MacExpertEncoding", width, b""),
            ["6.2.11.4.1"],
            "{kind}"
        );
    }
    let font = simple("Type1", "")
        .replace("65", "1")
        .replace("66", "2")
        .replace("500", "250");
    let objects = [(4, &*font), (5, &*descriptor("FontFile", ""))];
    assert_eq!(clauses(&objects, &[(6, "", &type1(142))], b"\x01"), NONE);
    assert_eq!(
        clauses(&objects, &[(6, "", &type1(142))], b"\x02"),
        ["6.2.11.4.1"]
    );
    for broken in [
        &b"%!PS-AdobeFont-1.0"[..],
        b"\x80\x01",
        b"",
        &type1(142)[..250],
    ] {
        assert_eq!(
            clauses(&objects, &[(6, "", broken)], b"\x01"),
            ["6.2.11.4.1"]
        );
    }
}

// clause: 6.2.11.4.2
#[test]
fn a_char_set_that_is_not_complete_is_taken_out() {
    let check = |base: &str, set: &str| {
        let font = simple("Type1", WIN)
            .replace("500", "250")
            .replace("ABCDEF+F", base);
        let descriptor = descriptor("FontFile", &format!("/CharSet({set})"));
        found(
            &[(4, &font), (5, &descriptor)],
            &[(6, "", &type1(142))],
            &[(b"A", true)],
        )
    };
    assert_eq!(check("ABCDEF+F", "/A/B"), []);
    assert_eq!(check("ABCDEF+F", "/.notdef/B /A"), []);
    assert_eq!(check("F", "/A"), []);
    let members = vec![("CharSet", Object::Null)];
    let edit = Edit {
        object: ObjectId::new(5),
        path: vec![],
        members,
    };
    for set in ["/A", "/A/B/C", "", "A B"] {
        assert_eq!(
            check("ABCDEF+F", set),
            [("6.2.11.4.2", Some(Repair::Edit(edit.clone())))],
            "{set}"
        );
    }
}

/// A composite font with a CIDFont whose widths are 500.
fn composite(encoding: &str, subtype: &str, members: &str) -> (String, String) {
    let font = format!(
        "<</Type/Font/Subtype/Type0/BaseFont/F/Encoding{encoding}/DescendantFonts[7 0 R]>>"
    );
    let info = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Own)/Supplement 1>>";
    let descendant = format!(
        "<</Type/Font/Subtype/{subtype}/BaseFont/ABCDEF+F{info}/DW 500/FontDescriptor 5 0 R{members}>>"
    );
    (font, descendant)
}

fn of_cids(
    encoding: &str,
    members: &str,
    streams: &[(u32, &str, &[u8])],
    shown: &[u8],
) -> Vec<&'static str> {
    let (font, descendant) = composite(encoding, "CIDFontType2", members);
    let descriptor = descriptor("FontFile2", "");
    clauses(
        &[(4, &font), (7, &descendant), (5, &descriptor)],
        streams,
        shown,
    )
}

const IDENTITY: &str = "/Identity-H";
const MAP: &str = "/CIDToGIDMap/Identity";

// clause: 6.2.11.3.2, 6.2.11.3.3, 6.2.11.5, 6.2.11.8
#[test]
fn a_composite_font_must_agree_with_its_program() {
    let program = true_type([0, 500, 600], &[]);
    let streams: &[_] = &[(6, "", &*program), (8, "", b"\0\0\0\0\0\x02\0\x09")];
    assert_eq!(of_cids(IDENTITY, MAP, streams, b"\0\x01"), NONE);
    assert_eq!(of_cids(IDENTITY, MAP, streams, b"\0\x02"), ["6.2.11.5"]);
    for widths in [
        "/W[2[600]]",
        "/W[1 1 500 2 9 600]",
        "/W[1[500 600.5]]",
        // The numbers end before the list does.
        "/W[2[600]4294967295[600 600 600]]",
    ] {
        assert_eq!(
            of_cids(IDENTITY, &[MAP, widths].concat(), streams, b"\0\x01\0\x02"),
            NONE
        );
    }
    assert_eq!(
        of_cids(IDENTITY, &[MAP, "/W[2(x)]"].concat(), streams, b"\0\x01"),
        ["6.2.11.5"]
    );
    let absent = ["6.2.11.4.1", "6.2.11.8"];
    assert_eq!(of_cids(IDENTITY, MAP, streams, b"\0\x03"), absent);
    assert_eq!(of_cids(IDENTITY, MAP, streams, b"\0\0"), absent);
    assert_eq!(of_cids(IDENTITY, MAP, streams, b"\0\x01\0"), ["6.2.11.3.3"]);
    assert_eq!(of_cids(IDENTITY, "", streams, b"\0\x01"), ["6.2.11.3.2"]);
    let mapped = "/CIDToGIDMap 8 0 R/W[2[600]]";
    assert_eq!(of_cids(IDENTITY, mapped, streams, b"\0\x02"), NONE);
    assert_eq!(of_cids(IDENTITY, mapped, streams, b"\0\x03"), absent);
    assert_eq!(of_cids(IDENTITY, mapped, streams, b"\0\x04"), absent);
}

// clause: 6.2.11.4.1
#[test]
fn cids_of_a_cff_program_are_found() {
    let check = |program: &[u8], kind: &str, shown: &[u8]| {
        let (font, descendant) = composite(IDENTITY, "CIDFontType0", "");
        let objects = [
            (4, &*font),
            (7, &*descendant),
            (5, &*descriptor("FontFile3", "")),
        ];
        clauses(&objects, &[(6, kind, program)], shown)
    };
    let kind = "/Subtype/CIDFontType0C";
    for cids in [true, false] {
        assert_eq!(check(&cff(500, cids), kind, b"\0\x01\0\x02"), NONE);
        assert_eq!(check(&cff(502, cids), kind, b"\0\x02"), ["6.2.11.5"]);
        assert_eq!(
            check(&cff(500, cids), kind, b"\0\x03"),
            ["6.2.11.4.1", "6.2.11.8"]
        );
        assert_eq!(
            check(&open_type(cff(500, cids)), "/Subtype/OpenType", b"\0\x01"),
            NONE
        );
    }
    assert_eq!(
        check(&cff(500, true), "/Subtype/Type1C", b"\0\x01"),
        ["6.2.11.4.1"]
    );
    assert_eq!(
        check(&cff(500, true)[..80], kind, b"\0\x01"),
        ["6.2.11.4.1"]
    );
}

// clause: 6.1.13, 6.2.11.3.1, 6.2.11.3.3
#[test]
fn cmaps_must_be_embedded_or_predefined() {
    let program = true_type([0, 500, 500], &[]);
    let cmap = "/WMode 0 def 1 begincodespacerange <20><7f> endcodespacerange\n\
        1 begincidrange <41><42> 1 endcidrange 1 beginnotdefrange <20><2f> 0 endnotdefrange";
    let dict = "/CMapName/Own/CIDSystemInfo<</Registry(Adobe)/Ordering(Own)/Supplement 1>>";
    let check = |dict: &str, cmap: &str, shown: &[u8]| {
        let streams: &[_] = &[(6, "", &*program), (8, dict, cmap.as_bytes())];
        of_cids(" 8 0 R", MAP, streams, shown)
    };
    assert_eq!(check(dict, cmap, b"AB"), NONE);
    assert_eq!(check(dict, cmap, b"C"), ["6.2.11.4.1", "6.2.11.8"]);
    assert_eq!(check(dict, cmap, b"A\x80"), ["6.2.11.3.3"]);
    assert_eq!(
        check(&dict.replace("(Own)", "(Other)"), cmap, b"A"),
        ["6.2.11.3.1"]
    );
    assert_eq!(
        check(&dict.replace("ment 1", "ment 0"), cmap, b"A"),
        ["6.2.11.3.1"]
    );
    assert_eq!(
        check(&[dict, "/WMode 1"].concat(), cmap, b"A"),
        ["6.2.11.3.3"]
    );
    assert_eq!(
        check(&[dict, "/UseCMap/Mine"].concat(), cmap, b"A"),
        ["6.2.11.3.3", "6.2.11.4.1"]
    );
    for (range, fits) in [("<43><44> 65534", true), ("<43><44> 65535", false)] {
        let cmap = format!("{cmap} 1 begincidrange {range} endcidrange");
        let wanted: &[&str] = if fits { &NONE } else { &["6.1.13"] };
        assert_eq!(check(dict, &cmap, b"A"), wanted, "{range}");
    }
    let base = [dict, "/UseCMap/Identity-H"].concat();
    assert_eq!(check(&base, cmap, b"\0\x01\x00\x02A"), NONE);
    assert_eq!(
        check(dict, "1 begincidrange <41> endcidrange", b"A"),
        ["6.2.11.4.1"]
    );
    let streams: &[_] = &[(6, "", &*program)];
    assert_eq!(
        of_cids("/Mine", MAP, streams, b"A"),
        ["6.2.11.3.3", "6.2.11.4.1"]
    );
    assert_eq!(
        of_cids("/UniGB-UTF16-H", MAP, streams, b"A"),
        ["6.2.11.3.1", "6.2.11.4.1"]
    );
    assert_eq!(
        of_cids("[]", MAP, streams, b"A"),
        ["6.2.11.3.3", "6.2.11.4.1"]
    );
}

// clause: 6.2.11.4.2
#[test]
fn a_cid_set_that_is_not_complete_is_taken_out() {
    let program = true_type([0, 500, 500], &[]);
    let check = |set: &[u8]| {
        let descriptor = descriptor("FontFile2", "/CIDSet 8 0 R");
        let (font, descendant) = composite(IDENTITY, "CIDFontType2", MAP);
        let direct = descendant.replace(
            "/FontDescriptor 5 0 R",
            &format!("/FontDescriptor{descriptor}"),
        );
        let font = font.replace("7 0 R", &direct);
        found(
            &[(4, &font)],
            &[(6, "", &program), (8, "", set)],
            &[(b"\0\x01", true)],
        )
    };
    assert_eq!(check(&[0b1110_0000]), []);
    assert_eq!(check(&[0b0110_0000, 0]), []);
    let path = vec![
        EditStep::Member((*b"DescendantFonts").into()),
        EditStep::Item(0),
        EditStep::Member((*b"FontDescriptor").into()),
    ];
    let edit = Edit {
        object: ObjectId::new(4),
        path,
        members: vec![("CIDSet", Object::Null)],
    };
    for set in [&[0b1100_0000][..], &[0b1111_0000], &[]] {
        assert_eq!(
            check(set),
            [("6.2.11.4.2", Some(Repair::Edit(edit.clone())))]
        );
    }
}

// clause: 6.2.11.5, 6.2.11.8
#[test]
fn a_type_3_font_must_agree_with_its_glyphs() {
    let font = "<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 1 0 0]/FirstChar 1/LastChar 2/Widths[5 7]\
        /Encoding<</Differences[1/a/b/.notdef]>>/CharProcs<</a 6 0 R/b 7 0 R>>>>";
    let streams: &[(u32, &str, &[u8])] = &[
        (6, "", b"5.5 0 d0"),
        (7, "", b"5 0 0 0 1 1 d1 0 0 1 1 re f"),
    ];
    assert_eq!(clauses(&[(4, font)], streams, b"\x01"), NONE);
    assert_eq!(clauses(&[(4, font)], streams, b"\x02"), ["6.2.11.5"]);
    assert_eq!(clauses(&[(4, font)], streams, b"\x03"), ["6.2.11.8"]);
    assert_eq!(clauses(&[(4, font)], streams, b"\x04"), ["6.2.11.4.1"]);
    assert_eq!(found(&[(4, font)], streams, &[(b"\x02\x04", false)]), []);
}

// clause: 6.2.11.4.1
#[test]
fn a_hostile_font_ends_in_faults() {
    let (font, descendant) = composite(IDENTITY, "CIDFontType2", MAP);
    let circle = font.replace("[7 0 R]", " 4 0 R");
    assert_eq!(
        clauses(&[(4, &circle), (7, &descendant)], &[], b"\0\x01"),
        ["6.2.11.2"]
    );
    assert_eq!(clauses(&[(4, "4 0 R")], &[], b"A"), ["6.2.11.2"]);
    for program in [
        true_type([0, 500, 500], &UNICODE),
        cff(500, true),
        type1(142),
    ] {
        for cut in 0..program.len() {
            for (key, kind) in [
                ("FontFile", ""),
                ("FontFile2", ""),
                ("FontFile3", "/Subtype/Type1C"),
            ] {
                let subtype = if key == "FontFile2" {
                    "TrueType"
                } else {
                    "Type1"
                };
                let objects = [
                    (4, &*simple(subtype, WIN)),
                    (5, &*descriptor(key, "/Flags 32")),
                ];
                let _ = found(&objects, &[(6, kind, &program[..cut])], &[(b"AB", true)]);
            }
        }
    }
}

#[test]
fn a_program_whose_data_are_broken_is_none() {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &true_type([0, 500, 500], &[])).unwrap();
    let whole = packed.finish().unwrap();
    let check = |program: &[u8]| {
        let streams: &[_] = &[(6, "/Filter/FlateDecode", program)];
        of_cids("/Identity-H", MAP, streams, b"\0\x01")
    };
    assert_eq!(check(&whole), NONE);
    let mut broken = whole;
    *broken.last_mut().unwrap() ^= 1;
    assert_eq!(check(&broken), ["6.2.11.4.1"]);
}

#[test]
fn widths_beyond_the_last_number_are_left_out() {
    let list = erp_pdf::Dict::new().with(
        "W",
        vec![
            Object::Integer(i64::from(u32::MAX)),
            Object::Array(vec![Object::Integer(1), Object::Integer(2)]),
        ],
    );
    let bytes = pdf(&[(1, "<</Type/Catalog/Pages 2 0 R>>"), (2, "<<>>")], &[]);
    let file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
    let widths = super::dictionary::CidWidths::read(&file, &list).unwrap();
    let [last, before] = [u32::MAX, u32::MAX - 1].map(|cid| widths.of(cid));
    assert!(widths.readable && (last, before) == (1_000_000, 1_000_000_000));
}

/// The reader looks for each name of the encoding among all glyphs: without a bound a small file would take for hours.
#[test]
fn names_of_an_encoding_times_glyphs_are_bounded() {
    let program = |count: usize| {
        let names: Vec<_> = (0..count).map(|at| format!("g{at}")).collect();
        let puts: Vec<_> = (0..count).map(|at| format!("{at} /g{at}")).collect();
        type1_of(names, &puts.join(" put dup "), 142)
    };
    assert!(Type1::parse(&program(2_000)).is_some());
    assert!(Type1::parse(&program(20_000)).is_none());
}
