use super::super::{PdfaFault, Subject};
use super::{IntentColours, check};
use crate::repair::{Edit, Repair};
use erp_dev::pdf;
use erp_pdf::{Limits, Object, ObjectId, PdfError, PdfFile};

const NO_INTENT: IntentColours = IntentColours {
    present: false,
    components: 0,
};
const RGB: IntentColours = IntentColours {
    present: true,
    components: 3,
};
const CMYK: IntentColours = IntentColours {
    present: true,
    components: 4,
};

/// What is found in a file of one page: members of the page, its content, more objects and streams.
fn found(
    intents: IntentColours,
    page: &str,
    content: &str,
    objects: &[(u32, &str)],
    streams: &[(u32, &str, &[u8])],
) -> Vec<PdfaFault> {
    let page = format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R {page}>>");
    let mut all = vec![
        (1, "<</Type/Catalog/Pages 2 0 R>>"),
        (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
        (3, page.as_str()),
    ];
    all.retain(|(number, _)| objects.iter().all(|(other, _)| other != number));
    all.extend_from_slice(objects);
    let mut all_streams = vec![(4, "", content.as_bytes())];
    all_streams.extend_from_slice(streams);
    judged(&pdf(&all, &all_streams), intents).unwrap()
}

fn judged(bytes: &[u8], intents: IntentColours) -> Result<Vec<PdfaFault>, PdfError> {
    let file = PdfFile::open(bytes, &Limits::DEFAULT)?;
    let subject = Subject::new(&file, bytes)?;
    check(&subject, intents)?;
    Ok(subject.faults.into_found())
}

fn clauses(faults: &[PdfaFault]) -> Vec<&'static str> {
    faults.iter().map(|fault| fault.clause).collect()
}

/// Clauses of the faults of a page with this content and these resources, in a file with an RGB output intent.
fn page(resources: &str, content: &str) -> Vec<&'static str> {
    clauses(&found(
        RGB,
        &format!("/Resources<<{resources}>>"),
        content,
        &[],
        &[],
    ))
}

// clause: 6.2.2
#[test]
fn only_operators_of_pdf_1_7_are_allowed() {
    let all = "q 1 0 0 1 0 0 cm 1 w 0 J 0 j 1 M [] 0 d 1 i 0 0 m 1 1 l 1 1 1 1 1 1 c 1 1 1 1 v 1 1 1 1 y h \
        0 0 1 1 re W n 0 0 m W* n S s f F f* B B* b b* BT 0 Tc 0 Tw 100 Tz 0 TL 0 Tr 0 Ts 0 0 Td 0 0 TD \
        1 0 0 1 0 0 Tm T* ET /A BMC EMC /A <</B (x)/C[true null]>> BDC EMC /A MP /A <<>> DP BX EX Q";
    assert!(page("", all).is_empty());
    assert_eq!(page("", "BX 1 xyz EX"), ["6.2.2"]);
    assert_eq!(page("", "(a"), ["6.2.2"]);
}

// clause: 6.1.6, 6.1.13
#[test]
fn values_and_nesting_have_limits() {
    assert_eq!(page("", "2147483648 w"), ["6.1.13"]);
    assert_eq!(
        page("", &format!("/{} BMC EMC", "n".repeat(128))),
        ["6.1.13"]
    );
    assert_eq!(
        page("", &format!("({}) Tj", "s".repeat(32_768))),
        ["6.1.13"]
    );
    assert!(page("", &format!("({}) Tj", "s".repeat(32_767))).is_empty());
    assert_eq!(page("", "<414> Tj"), ["6.1.6"]);
    assert!(page("", &format!("{}{}", "q ".repeat(28), "Q ".repeat(28))).is_empty());
    assert_eq!(page("", &"q ".repeat(29)), ["6.1.13"]);
}

// rule: R-ZUG-23
#[test]
fn a_stream_that_each_page_draws_in_another_way_costs_no_more_than_the_content_of_a_page() {
    const PAGES: u32 = 40;
    let file = |members: &str| {
        let kids: String = (0..PAGES)
            .map(|page| format!("{} 0 R ", 10 + page))
            .collect();
        let tree = format!("<</Type/Pages/Kids[{kids}]/Count {PAGES}>>");
        let page = |page| {
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>\
                 /ExtGState<</G<</CA 0.{page}1>>>>>>>>"
            )
        };
        let pages: Vec<String> = (0..PAGES).map(page).collect();
        let mut objects = vec![(1, "<</Type/Catalog/Pages 2 0 R>>"), (2, &*tree)];
        objects.extend((10..).zip(pages.iter().map(String::as_str)));
        let content = format!("/G gs {}", " ".repeat(1 << 20));
        let form = format!("/Subtype/Form/BBox[0 0 9 9]{members}");
        let streams: [(u32, &str, &[u8]); 2] = [(4, "", b"/F Do"), (5, &form, content.as_bytes())];
        judged(&pdf(&objects, &streams), RGB)
    };
    let error = file("").unwrap_err();
    assert!(
        error.to_string().contains("drawn again in another way"),
        "{error}"
    );
    assert!(file("/Resources<</ExtGState<</G<</CA 1>>>>>>").is_ok());
}

// clause: 6.2.4.3
#[test]
fn device_colours_need_an_intent_that_fits() {
    let clean = |intents, content| found(intents, "/Resources<<>>", content, &[], &[]);
    for content in [
        "0 g 0 0 1 1 re f",
        "0 0 1 1 re f",
        "(a) Tj",
        "0 0 m 1 1 l S",
    ] {
        let faults = clean(NO_INTENT, content);
        assert_eq!(clauses(&faults), ["6.2.4.3"], "{content}");
        assert_eq!(faults[0].repair, Some(Repair::OutputIntent));
        assert!(clean(RGB, content).is_empty() && clean(CMYK, content).is_empty());
    }
    // Nothing is painted with the black of the beginning.
    assert!(clean(NO_INTENT, "3 Tr (a) Tj 0 0 1 1 re n").is_empty());
    assert!(clean(RGB, "1 0 0 rg").is_empty());
    let wrong = clean(CMYK, "1 0 0 rg");
    assert_eq!(
        (clauses(&wrong), &wrong[0].repair),
        (vec!["6.2.4.3"], &None)
    );
    let wrong = clean(RGB, "0 0 0 1 K");
    assert_eq!(
        (clauses(&wrong), &wrong[0].repair),
        (vec!["6.2.4.3"], &None)
    );
    let both = clean(NO_INTENT, "0 0 0 1 k 1 0 0 rg");
    assert!(both.len() == 2 && both.iter().all(|fault| fault.repair.is_none()));
}

// clause: 6.2.4.1, 6.2.4.3
#[test]
fn default_colour_spaces_stand_for_device_ones() {
    let cal = "[/CalRGB<</WhitePoint[1 1 1]>>]";
    let gray = "[/CalGray<</WhitePoint[1 1 1]>>]";
    let resources = format!("/Resources<</ColorSpace<</DefaultRGB {cal}/DefaultGray {gray}>>>>");
    assert!(found(NO_INTENT, &resources, "1 0 0 rg 0 0 1 1 re B", &[], &[]).is_empty());
    assert_eq!(
        found(NO_INTENT, &resources, "/DeviceCMYK cs", &[], &[]).len(),
        1
    );
    let circle = "/ColorSpace<</DefaultRGB/DeviceRGB/A[/Indexed/B 1(a)]/B[/Indexed/A 1(a)]>>";
    assert!(page(circle, "1 0 0 rg").is_empty());
    assert_eq!(page(circle, "/A cs"), ["6.2.4.1"]);
    assert_eq!(page("", "/Missing cs"), ["6.2.2"]);
}

// clause: 6.2.4.3
#[test]
fn colours_are_found_wherever_they_are() {
    let spaces = "/ColorSpace<</I[/Indexed/DeviceCMYK 0(abcd)]/P[/Pattern/DeviceCMYK]\
        /S[/Separation/Spot/DeviceCMYK 9 0 R]/L[/Lab<</WhitePoint[1 1 1]>>]>>";
    for name in ["I", "P", "S"] {
        assert_eq!(page(spaces, &format!("/{name} cs")), ["6.2.4.3"], "{name}");
    }
    assert!(page(spaces, "/L cs").is_empty());
    let shading = "/Shading<</S<</ShadingType 2/ColorSpace/DeviceCMYK>>>>\
        /Pattern<</P<</PatternType 2/Shading<</ColorSpace/DeviceCMYK>>>>>>";
    assert_eq!(page(shading, "/S sh"), ["6.2.4.3"]);
    assert_eq!(page(shading, "/Pattern cs /P scn"), ["6.2.4.3"]);
    let inline = |members: &str| {
        page(
            "",
            &format!("BI /W 1/H 1/BPC 8 {members} ID \0\x01\x02\x03 EI Q"),
        )
    };
    assert_eq!(inline("/CS/CMYK"), ["6.2.4.3"]);
    assert!(inline("/CS/RGB").is_empty());
    let group = "/Resources<<>>/Group<</S/Transparency/CS/DeviceCMYK>>";
    assert_eq!(clauses(&found(RGB, group, "", &[], &[])), ["6.2.4.3"]);
}

// clause: 6.2.4.2
#[test]
fn profiles_are_those_of_pdf_1_7() {
    let profile = |version: u8, class: &[u8; 4], space: &[u8; 4], components: u8| {
        let mut bytes = [0_u8; 128];
        bytes[8] = version;
        bytes[12..16].copy_from_slice(class);
        bytes[16..20].copy_from_slice(space);
        let resources = "/Resources<</ColorSpace<</A[/ICCBased 9 0 R]>>>>";
        let members = format!("/N {components}");
        clauses(&found(
            NO_INTENT,
            resources,
            "/A cs",
            &[],
            &[(9, &members, &bytes)],
        ))
    };
    assert!(profile(4, b"mntr", b"RGB ", 3).is_empty());
    assert!(profile(2, b"scnr", b"GRAY", 1).is_empty());
    assert_eq!(profile(5, b"mntr", b"RGB ", 3), ["6.2.4.2"]);
    assert_eq!(profile(4, b"link", b"RGB ", 3), ["6.2.4.2"]);
    assert_eq!(profile(4, b"mntr", b"HSV ", 3), ["6.2.4.2"]);
    assert_eq!(profile(4, b"mntr", b"RGB ", 4), ["6.2.4.2"]);
}

// clause: 6.2.4.2
#[test]
fn an_icc_based_cmyk_is_not_overprinted_with_mode_1() {
    let mut profile = [0_u8; 128];
    profile[12..20].copy_from_slice(b"prtrCMYK");
    let check = |state: &str, content: &str| {
        let states = format!("/ExtGState<</G<<{state}>>>>/XObject<</F 10 0 R>>");
        let resources = format!("/Resources<</ColorSpace<</A[/ICCBased 9 0 R]>>{states}>>");
        let form = "/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<<>>";
        let streams: [(u32, &str, &[u8]); 2] = [(9, "/N 4", &profile), (10, form, b"0 0 1 1 re f")];
        clauses(&found(NO_INTENT, &resources, content, &[], &streams))
    };
    assert_eq!(
        check("/op true/OPM 1", "/A cs /G gs 0 0 1 1 re f"),
        ["6.2.4.2"]
    );
    assert!(check("/op true/OPM 0", "/A cs /G gs 0 0 1 1 re f").is_empty());
    assert!(check("/op false/OP true/OPM 1", "/A cs /G gs 0 0 1 1 re f").is_empty());
    // The form gets the state of what draws it, also when it was drawn before in another one.
    assert_eq!(
        check("/op true/OPM 1", "/A cs /F Do /G gs /F Do"),
        ["6.2.4.2"]
    );
}

// clause: 6.1.8, 6.1.13, 6.2.4.4
#[test]
fn spot_colours_are_described_and_the_same_everywhere() {
    let function = "<</FunctionType 2/N 1/Domain[0 1]/C0[0 0 0]/C1[1 0 0]>>";
    let other = "<</FunctionType 2/N 1/Domain[0 1]/C0[0 0 0]/C1[0 1 0]>>";
    let two = |first: &str, second: &str| {
        let space = |function: &str| format!("[/Separation/Spot/DeviceRGB {function}]");
        page(
            &format!("/ColorSpace<</A {}/B {}>>", space(first), space(second)),
            "/A cs /B cs",
        )
    };
    assert!(two(function, function).is_empty());
    assert_eq!(two(function, other), ["6.2.4.4"]);
    let device_n = |names: &str, attributes: &str| {
        page(
            &format!("/ColorSpace<</N[/DeviceN[{names}]/DeviceRGB {function} {attributes}]>>"),
            "/N cs",
        )
    };
    let spot = format!("<</Colorants<</Spot[/Separation/Spot/DeviceRGB {function}]>>>>");
    assert!(device_n("/Spot/Cyan/None", &spot).is_empty());
    assert_eq!(device_n("/Spot/Other", &spot), ["6.2.4.4"]);
    assert_eq!(device_n("/Spot", ""), ["6.2.4.4"]);
    assert_eq!(device_n(&"/None".repeat(33), &spot), ["6.1.13"]);
    assert_eq!(
        device_n("/#FFx", "<</Process<</Components[/#FFx]>>>>"),
        ["6.1.8"]
    );
}

// clause: 6.2.5, 6.2.6, 6.2.10
#[test]
fn graphics_states_have_no_transfer_functions_and_known_values() {
    let state = |members: &str| page(&format!("/ExtGState<</G<<{members}>>>>"), "/G gs");
    assert!(state("/TR2/Default/RI/Perceptual/BM[/Multiply/Normal]/HT/Default").is_empty());
    assert_eq!(state("/TR/Identity"), ["6.2.5"]);
    assert_eq!(state("/TR2/Identity"), ["6.2.5"]);
    assert_eq!(state("/HTP[0 0]"), ["6.2.5"]);
    assert_eq!(state("/HT<</HalftoneType 6>>"), ["6.2.5"]);
    assert_eq!(state("/HT<</HalftoneType 1/HalftoneName(a)>>"), ["6.2.5"]);
    assert_eq!(
        state("/HT<</HalftoneType 1/TransferFunction/Identity>>"),
        ["6.2.5"]
    );
    let five = "/HT<</HalftoneType 5/Default<</HalftoneType 1>>/Spot<</HalftoneType 1>>>>";
    assert_eq!(state(five), ["6.2.5"]);
    assert_eq!(state("/RI/Other"), ["6.2.6"]);
    assert_eq!(page("", "/Other ri"), ["6.2.6"]);
    assert_eq!(state("/BM/Other"), ["6.2.10"]);
    // A graphics state that is not used does not count.
    assert!(page("/ExtGState<</G<</TR/Identity>>>>", "").is_empty());
}

// clause: 6.2.6, 6.2.8, 6.2.8.3
#[test]
fn images_are_plain() {
    let image = |members: &str, bytes: &[u8]| {
        let members = format!("/Type/XObject/Subtype/Image/Width 1/Height 1{members}");
        let streams = [
            (9, members.as_str(), bytes),
            (10, "/Subtype/Image/Interpolate true", b"".as_slice()),
        ];
        found(
            RGB,
            "/Resources<</XObject<</I 9 0 R>>>>",
            "/I Do",
            &[],
            &streams,
        )
    };
    assert!(
        image(
            "/ColorSpace/DeviceRGB/BitsPerComponent 8/Intent/Perceptual",
            b""
        )
        .is_empty()
    );
    assert_eq!(clauses(&image("/Alternates[]", b"")), ["6.2.8"]);
    assert_eq!(clauses(&image("/OPI<<>>", b"")), ["6.2.8"]);
    assert_eq!(clauses(&image("/BitsPerComponent 3", b"")), ["6.2.8"]);
    assert_eq!(clauses(&image("/Intent/Other", b"")), ["6.2.6"]);
    assert_eq!(clauses(&image("/ColorSpace/DeviceCMYK", b"")), ["6.2.4.3"]);
    assert_eq!(
        clauses(&image("/Filter/JPXDecode/ColorSpace/DeviceRGB", b"")),
        ["6.2.8.3", "6.2.8.3"]
    );
    for (members, number) in [
        ("/Interpolate true", 9),
        ("/SMask 10 0 R", 10),
        ("/Mask 10 0 R", 10),
    ] {
        let faults = image(members, b"");
        let members = vec![("Interpolate", Object::Bool(false))];
        let edit = Edit {
            object: ObjectId::new(number),
            path: Vec::new(),
            members,
        };
        assert_eq!(
            (faults.len(), &faults[0].repair),
            (1, &Some(Repair::Edit(edit)))
        );
    }
}

// clause: 6.1.10, 6.2.8
#[test]
fn inline_images_have_allowed_filters() {
    let inline =
        |members: &str, data: &str| page("", &format!("BI /W 1/H 1{members}\nID {data}\nEI\n1 w"));
    assert!(inline("/F[/A85/Fl]/IM true", "EI abcdefghijklmn~>").is_empty());
    assert!(inline("/F/Fl/IM true", "EI xyz \u{1}").is_empty());
    assert_eq!(inline("/F/LZW/IM true", ""), ["6.1.10"]);
    assert_eq!(inline("/F/JBIG2Decode/IM true", ""), ["6.1.10"]);
    assert_eq!(inline("/I true/CS/G", ""), ["6.2.8"]);
    assert_eq!(page("", "BI /W 1 ID abc"), ["6.2.2"]);
}

// clause: 6.2.2, 6.2.9
#[test]
fn forms_are_plain() {
    let form = |members: &str| {
        let members = format!("/Type/XObject/Subtype/Form/BBox[0 0 1 1]{members}");
        let streams = [(9, members.as_str(), b"".as_slice())];
        clauses(&found(
            RGB,
            "/Resources<</XObject<</I 9 0 R>>>>",
            "/I Do",
            &[],
            &streams,
        ))
    };
    assert!(form("/Subtype2/Other").is_empty());
    for members in ["/OPI<<>>", "/PS(a)", "/Ref<<>>", "/Subtype2/PS"] {
        assert_eq!(form(members), ["6.2.9"], "{members}");
    }
    let script = [(9, "/Subtype/PS", b"".as_slice())];
    let faults = found(
        RGB,
        "/Resources<</XObject<</I 9 0 R>>>>",
        "/I Do",
        &[],
        &script,
    );
    assert_eq!(clauses(&faults), ["6.2.9"]);
    let circle = [(
        9,
        "/Subtype/Form/Resources<</XObject<</I 9 0 R>>>>",
        b"/I Do".as_slice(),
    )];
    let faults = found(
        RGB,
        "/Resources<</XObject<</I 9 0 R>>>>",
        "/I Do",
        &[],
        &circle,
    );
    assert_eq!(clauses(&faults), ["6.2.2"]);
}

// clause: 6.2.2
#[test]
fn inherited_resources_are_put_where_they_are_used() {
    let edit = |faults: &[PdfaFault]| match &faults[0].repair {
        Some(Repair::Edit(edit)) => (edit.object.number, edit.members[0].0),
        other => panic!("{other:?}"),
    };
    let inherited = (
        2,
        "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</ExtGState<</G<<>>>>>>>>",
    );
    let faults = found(RGB, "", "/G gs", &[inherited], &[]);
    assert_eq!(
        (clauses(&faults), edit(&faults)),
        (vec!["6.2.2"], (3, "Resources"))
    );
    assert!(found(RGB, "", "0 0 1 1 re f", &[inherited], &[]).is_empty());
    let resources = "/Resources<</ExtGState<</G<<>>>>/XObject<</F 9 0 R>>>>";
    let form = |members: &str| {
        let members = format!("/Subtype/Form/BBox[0 0 1 1]{members}");
        found(RGB, resources, "/F Do", &[], &[(9, &members, b"/G gs")])
    };
    let faults = form("");
    assert_eq!(
        (clauses(&faults), edit(&faults)),
        (vec!["6.2.2"], (9, "Resources"))
    );
    assert!(form("/Resources<</ExtGState<</G<<>>>>>>").is_empty());
    let faults = form("/Resources<</Font<<>>>>");
    assert_eq!(
        (clauses(&faults), &faults[0].repair),
        (vec!["6.2.2"], &None)
    );
}

// clause: 6.2.2
#[test]
fn a_type_3_font_gets_what_its_glyphs_name_and_never_itself() {
    let font = "<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 1 0 0]/FontBBox[0 0 1 1]/FirstChar 65/LastChar 65\
        /Widths[1]/Encoding<</Differences[65/a]>>/CharProcs<</a 9 0 R>>>>";
    let resources =
        "/Resources<</Font<</T 5 0 R>>/ExtGState<</G<<>>/H<<>>>>/XObject<</I 10 0 R/F 11 0 R>>>>";
    let with = |glyph: &str| {
        let streams: &[(u32, &str, &[u8])] = &[
            (9, "", glyph.as_bytes()),
            (10, "/Subtype/Image/Width 1/Height 1/ImageMask true", b"x"),
            (11, "/Subtype/Form/BBox[0 0 1 1]/Resources<<>>", b""),
        ];
        let faults = found(
            RGB,
            resources,
            "BT /T 1 Tf (A) Tj ET",
            &[(5, font)],
            streams,
        );
        let [fault] = faults.as_slice() else {
            panic!("{faults:?}");
        };
        assert_eq!(fault.clause, "6.2.2");
        fault.repair.clone()
    };
    let Some(Repair::Edit(edit)) = with("1 0 d0 /G gs /I Do") else {
        panic!("it can be made right");
    };
    assert_eq!(edit.object.number, 5);
    let (name, value) = &edit.members[0];
    let members = value.as_dict().unwrap();
    assert_eq!((*name, members.len()), ("Resources", 2));
    let of = |category: &str| members.get(category).unwrap().as_dict().unwrap();
    assert!(of("ExtGState").has("G") && !of("ExtGState").has("H") && of("XObject").has("I"));
    // These may lead to the font again.
    assert_eq!(with("1 0 d0 BT /T 1 Tf ET"), None);
    assert_eq!(with("1 0 d0 /F Do"), None);
}

// clause: 6.2.2
#[test]
fn a_page_whose_content_is_gone_is_a_fault() {
    let faults = found(RGB, "/Contents 99 0 R", "", &[], &[]);
    assert_eq!(clauses(&faults), ["6.2.2"]);
}

// clause: 6.2.10
#[test]
fn transparency_needs_a_blending_space() {
    let states = "/ExtGState<</A<</ca 0.5>>/B<</BM/Multiply>>/C<</CA 0.5>>/M<</SMask<</S/Alpha/G 9 0 R>>>>\
        /N<</BM/Normal/ca 1/SMask/None>>>>/ColorSpace<</L[/Lab<</WhitePoint[1 1 1]>>]>>/XObject<</F 9 0 R>>";
    let check = |group: &str, content: &str| {
        let page = format!("/Resources<<{states}>>{group}");
        let form = "/Subtype/Form/Resources<<>>/Group<</S/Transparency>>";
        found(
            NO_INTENT,
            &page,
            &format!("/L cs /L CS {content}"),
            &[],
            &[(9, form, b"")],
        )
    };
    for content in [
        "/A gs 0 0 1 1 re f",
        "/B gs 0 0 1 1 re S",
        "/C gs 0 0 1 1 re S",
        "/M gs f",
        "/F Do",
    ] {
        let faults = check("", content);
        assert_eq!(clauses(&faults), ["6.2.10"], "{content}");
        assert_eq!(faults[0].repair, Some(Repair::OutputIntent));
        let group = "/Group<</S/Transparency/CS[/CalRGB<</WhitePoint[1 1 1]>>]>>";
        assert!(check(group, content).is_empty(), "{content}");
    }
    for content in ["/N gs f", "/A gs S", "q /A gs Q f", "/A gs"] {
        assert!(check("", content).is_empty(), "{content}");
    }
}

#[test]
fn appearances_patterns_glyphs_and_soft_masks_are_looked_at() {
    let bad = b"1 0 0 rg xyz".as_slice();
    let annotation = "/Resources<<>>/Annots[<</AP<</N<</On 9 0 R/Off 10 0 R>>>>>>]";
    let streams = [
        (9, "/Resources<<>>", b"".as_slice()),
        (10, "/Resources<<>>", bad),
    ];
    assert_eq!(
        clauses(&found(RGB, annotation, "", &[], &streams)),
        ["6.2.2"]
    );
    let pattern = "/Resources<</Pattern<</P 9 0 R>>>>";
    let cell = "/PatternType 1/PaintType 1/Resources<<>>";
    let faults = found(CMYK, pattern, "/Pattern cs /P scn", &[], &[(9, cell, bad)]);
    assert_eq!(clauses(&faults), ["6.2.2", "6.2.4.3"]);
    // An uncoloured pattern: operators that set colours have no effect.
    let cell = "/PatternType 1/PaintType 2/Resources<<>>";
    let faults = found(CMYK, pattern, "/Pattern cs /P scn", &[], &[(9, cell, bad)]);
    assert_eq!(clauses(&faults), ["6.2.2"]);
    let font =
        "/Resources<</Font<</T<</Type/Font/Subtype/Type3/Resources<<>>/CharProcs<</a 9 0 R>>>>>>>>";
    assert_eq!(
        clauses(&found(RGB, font, "/T 1 Tf (a) Tj", &[], &[(9, "", bad)])),
        ["6.2.2"]
    );
    assert!(found(RGB, font, "/T 1 Tf", &[], &[(9, "", bad)]).is_empty());
    let mask = "/Resources<</ExtGState<</M<</SMask<</S/Alpha/G 9 0 R>>>>>>>>";
    assert_eq!(
        clauses(&found(
            RGB,
            mask,
            "/M gs",
            &[],
            &[(9, "/Resources<<>>", bad)]
        )),
        ["6.2.2"]
    );
}

// clause: 6.2.2
#[test]
fn endless_drawing_ends() {
    // Each form draws the next one twice; each is read once.
    let mut streams = Vec::new();
    let members: Vec<String> = (9..50)
        .map(|number| {
            format!(
                "/Subtype/Form/Resources<</XObject<</F {} 0 R>>>>",
                number + 1
            )
        })
        .collect();
    for (number, members) in (9..50).zip(&members) {
        streams.push((number, members.as_str(), b"/F Do /F Do".as_slice()));
    }
    streams.push((50, "/Subtype/Form/Resources<<>>", b"xyz"));
    let faults = found(
        RGB,
        "/Resources<</XObject<</F 9 0 R>>>>",
        "/F Do",
        &[],
        &streams,
    );
    assert_eq!(clauses(&faults), ["6.2.2"]);
}

#[test]
fn content_that_pages_share_is_looked_at_once() {
    let content = b"0.5 g 0 0 1 1 re f\n".repeat(2_000);
    let count = 2_000;
    let kids: String = (0..count)
        .map(|place| format!("{} 0 R ", 10 + place))
        .collect();
    let node = format!("<</Type/Pages/Kids[{kids}]/Count {count}>>");
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>";
    let mut objects = vec![(1, "<</Type/Catalog/Pages 2 0 R>>"), (2, node.as_str())];
    objects.extend((0..count).map(|place| (10 + place, page)));
    let bytes = pdf(&objects, &[(4, "", &content)]);
    // Looked at for each page, it would be more than may be.
    let limits = Limits {
        total_bytes: content.len() * 2,
        ..Limits::DEFAULT
    };
    let file = PdfFile::open(&bytes, &limits).unwrap();
    let subject = Subject::new(&file, &bytes).unwrap();
    assert!(check(&subject, RGB).is_ok());
}

// rule: R-ZUG-38
#[test]
fn the_names_of_resources_count() {
    let of = |length| {
        let resources = format!("<</{} 1>>", "n".repeat(length));
        let objects = [
            (1, "<</Type/Catalog/Pages 2 0 R>>"),
            (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
            (
                3,
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources 5 0 R>>",
            ),
            (5, &*resources),
        ];
        let limits = Limits {
            held_bytes: 5_000,
            ..Limits::DEFAULT
        };
        crate::check(&pdf(&objects, &[(4, "", b"")]), &limits)
    };
    assert!(of(100).is_ok());
    assert!(matches!(of(10_000), Err(PdfError::TooLarge { .. })));
}
