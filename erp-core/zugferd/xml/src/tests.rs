//! Well-formed and broken documents.

use super::*;

fn judge(xml: impl AsRef<[u8]>) -> Result<(), XmlError> {
    well_formed(xml.as_ref(), &XmlLimits::DEFAULT)
}

fn fault(xml: impl AsRef<[u8]>) -> XmlFault {
    judge(xml).expect_err("it is not well-formed").fault
}

#[test]
fn well_formed_documents_are_accepted() {
    for xml in [
        "<a/>",
        "<?xml version=\"1.0\"?><a></a>",
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<!-- - --><?p?><a/><?p q?>\n<!---->\n",
        "\u{FEFF}<?xml version=\"1.1\" encoding=\"utf-8\"?><a b='\"' c = \"'\"\n/>",
        "<a>]] &gt; &#65;&#x1F600; <![CDATA[<&]]]]> > \" '</a >",
        "<x:a xmlns:x='u' x:b='1' b='1'><x:a xmlns:x='v'/></x:a>",
        "<a xmlns='u'><b xmlns=''/></a>",
        "<a xml:lang='de' xmlns:xml='http://www.w3.org/XML/1998/namespace'/>",
        "<ä·ö-.1 ü='ß'>\u{85}\u{7F}</ä·ö-.1>",
    ] {
        assert_eq!(judge(xml), Ok(()), "{xml}");
    }
}

/// Documents with line and column of their first fault.
static FAULTS: &[(&str, usize, usize, XmlFault)] = &[
    ("", 1, 1, XmlFault::Expected("a root element")),
    ("<!-- -->\n", 2, 1, XmlFault::Expected("a root element")),
    (
        " <?xml version='1.0'?><a/>",
        1,
        2,
        XmlFault::NotAllowed("an XML declaration"),
    ),
    (
        "<?xml encoding='UTF-8'?><a/>",
        1,
        6,
        XmlFault::Expected("`version`"),
    ),
    (
        "<?xml version='2.0'?><a/>",
        1,
        7,
        XmlFault::Expected("a valid XML declaration"),
    ),
    (
        "<?xml version='1.0' standalone='ja'?><a/>",
        1,
        21,
        XmlFault::Expected("a valid XML declaration"),
    ),
    (
        "<?xml version='&#49;.0'?><a/>",
        1,
        7,
        XmlFault::Expected("a valid XML declaration"),
    ),
    (
        "<?xml version='1.0'><a/>",
        1,
        20,
        XmlFault::Expected("`?>`"),
    ),
    ("<a>\n  <b>", 2, 6, XmlFault::UnexpectedEnd("an element")),
    ("<a", 1, 3, XmlFault::UnexpectedEnd("a tag")),
    ("<a b='", 1, 7, XmlFault::UnexpectedEnd("an attribute")),
    ("<a><!-- ", 1, 9, XmlFault::UnexpectedEnd("a comment")),
    (
        "<a><?p ",
        1,
        8,
        XmlFault::UnexpectedEnd("a processing instruction"),
    ),
    (
        "<a><![CDATA[",
        1,
        13,
        XmlFault::UnexpectedEnd("a CDATA section"),
    ),
    ("<a><!-- -- --></a>", 1, 9, XmlFault::NotAllowed("`--`")),
    ("<a><!--- ---></a>", 1, 10, XmlFault::NotAllowed("`--`")),
    (
        "<a><?XML ?></a>",
        1,
        4,
        XmlFault::NotAllowed("an XML declaration"),
    ),
    (
        "<a><?p:q ?></a>",
        1,
        6,
        XmlFault::Expected("the name of a processing instruction"),
    ),
    ("<a>ä]]></a>", 1, 5, XmlFault::NotAllowed("`]]>`")),
    (
        "<a/>x",
        1,
        5,
        XmlFault::NotAllowed("text outside the root element"),
    ),
    (
        "x<a/>",
        1,
        1,
        XmlFault::NotAllowed("text outside the root element"),
    ),
    (
        "&#32;<a/>",
        1,
        1,
        XmlFault::NotAllowed("text outside the root element"),
    ),
    (
        "<a/><b/>",
        1,
        5,
        XmlFault::NotAllowed("a second root element"),
    ),
    ("<a/></a>", 1, 5, XmlFault::NotAllowed("an end tag")),
    (
        "<![CDATA[]]><a/>",
        1,
        1,
        XmlFault::NotAllowed("this markup"),
    ),
    (
        "<a><!ELEMENT b></a>",
        1,
        4,
        XmlFault::NotAllowed("this markup"),
    ),
    ("<a b='<'/>", 1, 7, XmlFault::NotAllowed("`<`")),
    ("<a b=c/>", 1, 6, XmlFault::Expected("a quotation mark")),
    (
        "<a b/>",
        1,
        5,
        XmlFault::Expected("`=` after the name of an attribute"),
    ),
    (
        "<a b='1'c='2'/>",
        1,
        9,
        XmlFault::Expected("a blank or `>`"),
    ),
    ("<a / >", 1, 4, XmlFault::Expected("a name")),
    ("<1/>", 1, 2, XmlFault::Expected("a name")),
    ("<:a/>", 1, 2, XmlFault::Expected("a name")),
    ("<a:/>", 1, 4, XmlFault::Expected("a name")),
    ("< a/>", 1, 2, XmlFault::Expected("a name")),
    ("<a></ a>", 1, 6, XmlFault::Expected("a name")),
    (
        "<a>&lt</a>",
        1,
        5,
        XmlFault::Expected("`;` after a reference"),
    ),
    (
        "<a>& b;</a>",
        1,
        5,
        XmlFault::Expected("the name of an entity"),
    ),
    (
        "<a>&#x;</a>",
        1,
        5,
        XmlFault::Expected("the number of a character"),
    ),
    (
        "<a>&#+5;</a>",
        1,
        5,
        XmlFault::Expected("the number of a character"),
    ),
    (
        "<a>&#X41;</a>",
        1,
        5,
        XmlFault::Expected("the number of a character"),
    ),
    ("<a>\u{1}</a>", 1, 4, XmlFault::IllegalCharacter(1)),
    ("<a>\u{FFFE}</a>", 1, 4, XmlFault::IllegalCharacter(0xFFFE)),
    ("<a b='&#0;'/>", 1, 8, XmlFault::IllegalCharacter(0)),
    ("<a>&#xD800;</a>", 1, 5, XmlFault::IllegalCharacter(0xD800)),
    (
        "<a>&#99999999999;</a>",
        1,
        5,
        XmlFault::IllegalCharacter(u32::MAX),
    ),
    (
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        1,
        1,
        XmlFault::DocumentTypeDeclaration,
    ),
];

#[test]
fn faults_of_the_grammar_are_found_with_their_place() {
    for (xml, line, column, expected) in FAULTS {
        let found = judge(xml).expect_err(xml);
        let place = (found.line, found.column);
        assert_eq!((place, &found.fault), ((*line, *column), expected), "{xml}");
    }
    assert_eq!(
        fault("<a>&auml;</a>"),
        XmlFault::UnknownEntity("auml".to_owned())
    );
}

#[test]
fn tags_must_match_and_attributes_differ() {
    assert_eq!(
        judge("<a>\n<b></a></b>").expect_err("overlap").to_string(),
        "line 2, column 4: the end tag `a` does not match the start tag `b`"
    );
    let twice = |name: &str| XmlFault::DuplicateAttribute(name.to_owned());
    assert_eq!(fault("<a b='1' c='2' b='1'/>"), twice("b"));
    assert_eq!(
        fault("<a xmlns:x='u' xmlns:y='u' x:b='1' y:b='2'/>"),
        twice("b")
    );
    assert_eq!(fault("<a xmlns:x='u' xmlns:x='u'/>"), twice("xmlns:x"));
}

#[test]
fn namespaces_are_declared() {
    let undeclared = |prefix: &str| XmlFault::UndeclaredPrefix(prefix.to_owned());
    assert_eq!(fault("<x:a/>"), undeclared("x"));
    assert_eq!(fault("<a x:b=''/>"), undeclared("x"));
    assert_eq!(fault("<a><b xmlns:x='u'/><x:b/></a>"), undeclared("x"));
    assert_eq!(fault("<xmlns:a/>"), undeclared("xmlns"));
    for xml in [
        "<a xmlns:x=''/>",
        "<a xmlns:xml='u'/>",
        "<a xmlns:xmlns='u'/>",
        "<a xmlns:x='http://www.w3.org/XML/1998/namespace'/>",
        "<a xmlns='http://www.w3.org/2000/xmlns/'/>",
    ] {
        assert!(
            matches!(fault(xml), XmlFault::NamespaceDeclaration(_)),
            "{xml}"
        );
    }
}

fn utf16(text: &str) -> Vec<u8> {
    let units = text.encode_utf16();
    [0xFF, 0xFE]
        .into_iter()
        .chain(units.flat_map(u16::to_le_bytes))
        .collect()
}

#[test]
fn the_bytes_are_what_is_declared() {
    let wrong = |name: &str| XmlFault::WrongBytes(name.to_owned());
    assert_eq!(
        judge(utf16("<?xml version='1.0' encoding='UTF-16'?><a>ä😀</a>")),
        Ok(())
    );
    let found = judge(b"<a>\n\xC3\xA4\xFF</a>").expect_err("not UTF-8");
    assert_eq!(
        (found.line, found.column, found.fault),
        (2, 2, wrong("UTF-8"))
    );
    assert_eq!(
        fault(b"<?xml version='1.0' encoding='us-ascii'?><a>\xE4</a>"),
        wrong("us-ascii")
    );
    assert_eq!(
        fault([&utf16("<a>")[..], &[0, 0xDC]].concat()),
        wrong("UTF-16")
    );
    assert_eq!(fault([&utf16("<a/>")[..], b" "].concat()), wrong("UTF-16"));
    for xml in [
        utf16("<?xml version='1.0' encoding='UTF-8'?><a/>"),
        b"\xEF\xBB\xBF<?xml version='1.0' encoding='ISO-8859-1'?><a/>".to_vec(),
        b"<?xml version='1.0' encoding='UTF-16'?><a/>".to_vec(),
    ] {
        assert!(matches!(fault(xml), XmlFault::ContradictedEncoding { .. }));
    }
    let label = "UTF-8-w/o-BOM";
    let xml = format!("<?xml version='1.0' encoding='{label}'?><a/>");
    assert_eq!(fault(xml), XmlFault::UnknownEncoding(label.to_owned()));
    assert_eq!(
        fault(b"<\0a\0/\0>\0"),
        XmlFault::Expected("a byte order mark of UTF-16")
    );
}

#[cfg(feature = "rare")]
#[test]
fn other_encodings_are_read() {
    assert_eq!(
        judge(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE4</a>"),
        Ok(())
    );
    let label = "Shift_JIS".to_owned();
    let xml = b"<?xml version='1.0' encoding='Shift_JIS'?><a>\x83</a>";
    assert_eq!(fault(xml), XmlFault::WrongBytes(label));
}

#[test]
fn limits_hold() {
    let limits = XmlLimits {
        bytes: 100,
        depth: 3,
        elements: 4,
        attributes: 2,
        namespaces: 3,
        scope: 3,
        ..XmlLimits::DEFAULT
    };
    let judge = |xml: &str| well_formed(xml.as_bytes(), &limits);
    assert_eq!(judge("<a><a><a/></a><a b='' c=''/></a>"), Ok(()));
    for (xml, what) in [
        (" ".repeat(101), "bytes"),
        (
            "<a><a><a><a/></a></a></a>".to_owned(),
            "elements inside each other",
        ),
        ("<a><a/><a/><a/><a/></a>".to_owned(), "elements"),
        ("<a b='' c='' d=''/>".to_owned(), "attributes"),
        ("<a xmlns='u' xmlns:v='v'/>".to_owned(), "namespaces"),
    ] {
        let found = judge(&xml).expect_err(what).fault;
        assert!(
            matches!(found, XmlFault::TooLarge { what: w, .. } if w == what),
            "{found}"
        );
    }
    let limits = XmlLimits { scope: 2, ..limits };
    let judge = |xml: &str| well_formed(xml.as_bytes(), &limits).is_ok();
    assert!(judge("<a><b xmlns='u'/><b xmlns='u'/></a>"));
    assert!(!judge("<a xmlns='u'><b xmlns='u'/></a>"));
}

#[test]
fn the_tree_has_names_values_and_places() {
    let xml = "<x:a xmlns:x='u' k='1 &amp;\t2' x:k='3'>1<!-- -->2\r\n<b>&#65;<![CDATA[<]]></b>\r<c/></x:a>";
    let tree = Tree::parse(xml, &XmlLimits::DEFAULT).expect("well-formed");
    let root = tree.root();
    assert_eq!((root.local(), root.namespace()), ("a", "u"));
    assert_eq!(
        (root.attribute("k"), root.attribute("l")),
        (Some("1 & 2"), None)
    );
    assert_eq!(root.text(), "12\nA<\n");
    let children: Vec<_> = root.children().map(Element::local).collect();
    assert_eq!(children, ["b", "c"]);
    let b = root.children().next().expect("b");
    assert_eq!(
        (b.text().as_ref(), b.position(), b.index()),
        ("A<", (2, 1), 1)
    );
    assert_eq!((b.parent(), root.parent()), (Some(root), None));
    assert_eq!(root.descendants().count(), 2);
    assert_eq!(tree.elements().count(), 3);
}

#[test]
fn the_start_is_read_up_to_its_end_or_a_fault() {
    let read = |xml| {
        let (tree, read) = Tree::parse_start(xml, &XmlLimits::DEFAULT, |name| name == "end");
        let texts = tree
            .elements()
            .map(|element| (element.local(), element.text()));
        let texts: Vec<_> = texts.map(|(name, text)| format!("{name}={text}")).collect();
        (texts.join(" "), read.map_err(|error| error.to_string()))
    };
    for (xml, texts) in [
        (" \n<?xml any ?><a><b>1</b><x:end><<<", "a= b=1"),
        ("<a><b>1</b></a><<<", "a=1 b=1"),
        ("<a/> x", "a="),
        ("<a><!-- -- --><p:b q:c=''/></a>", "a= b="),
    ] {
        assert_eq!(read(xml), (texts.to_owned(), Ok(())), "{xml}");
    }
    for (xml, texts, fault) in [
        (
            "<a>\n<b>1</b><c>2",
            "a= b=1 c=",
            "line 2, column 13: the document ends inside an element",
        ),
        (
            "<end>1</b>",
            "end=",
            "line 1, column 7: the end tag `b` does not match the start tag `end`",
        ),
        ("", "", "line 1, column 1: a root element is expected"),
        (
            "<!DOCTYPE a>",
            "",
            "line 1, column 1: a document type declaration is not accepted",
        ),
    ] {
        assert_eq!(
            read(xml),
            (texts.to_owned(), Err(fault.to_owned())),
            "{xml}"
        );
    }
    for xml in ["<a><b>1</b><c>2", "<a><b/><c/></b>"] {
        let (tree, _) = Tree::parse_start(xml, &XmlLimits::DEFAULT, |_| false);
        assert_eq!(tree.root().children().count(), 2, "{xml}");
    }
}
