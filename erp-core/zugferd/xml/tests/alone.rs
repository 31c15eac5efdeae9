//! The crate stands alone: no other crate of the project is below it, few names are above it, and they suffice.

use erp_xml::{Tree, XmlFault, XmlLimits, text, well_formed};

#[test]
fn no_crate_of_the_project_is_used() {
    let (_, dependencies) = include_str!("../Cargo.toml")
        .split_once("[dependencies]")
        .unwrap();
    assert!(dependencies.contains("memchr"));
    assert!(!dependencies.contains("\nerp-"), "{dependencies}");
}

#[test]
fn the_root_has_at_most_eight_public_names() {
    let root = include_str!("../src/lib.rs").lines();
    let public = root.filter(|line| line.starts_with("pub ") && !line.contains("Readme"));
    let lists = public.map(|line| {
        line.split('{')
            .nth(1)
            .map_or(1, |list| list.split(',').count())
    });
    assert_eq!(lists.sum::<usize>(), 8);
}

#[test]
fn a_document_is_edited_at_the_places_of_its_elements() {
    let xml = "<a:b xmlns:a='u' c='1'\n a:d = '>' ><e/>1<f>2</f>3</a:b><!-- -->";
    let tree = Tree::parse(xml, &XmlLimits::DEFAULT).unwrap();
    let slice = |place: std::ops::Range<usize>| xml.get(place).unwrap();
    let b = tree.root();
    assert_eq!((b.name(), b.prefix(), b.local()), ("a:b", "a", "b"));
    assert_eq!(slice(b.start_tag()), "<a:b xmlns:a='u' c='1'\n a:d = '>' >");
    assert_eq!(slice(b.content().unwrap()), "<e/>1<f>2</f>3");
    assert!(xml.ends_with(&format!("{}<!-- -->", slice(b.span()))));
    assert_eq!((b.text().as_ref(), b.own_text().as_ref()), ("123", "13"));
    let attributes: Vec<_> = b.attributes().map(|d| (d.namespace(), d.local())).collect();
    assert_eq!(attributes, [("", "c"), ("u", "d")]);
    let d = b.attributes().last().unwrap();
    assert_eq!((slice(d.span()), d.value()), ("a:d = '>'", ">"));
    assert_eq!(b.declarations().collect::<Vec<_>>(), [("a", "u")]);
    let e = b.children().next().unwrap();
    assert_eq!((slice(e.start_tag()), e.content()), ("<e/>", None));
    assert_eq!(e.span(), e.start_tag());
}

#[test]
fn a_root_may_have_anything_after_it() {
    let xml = "<?p q?><?xml any?><!-- <?r?> --><a>1</a>\0<<";
    let tree = Tree::parse_root(xml, &XmlLimits::DEFAULT).unwrap();
    let places = tree.instructions().iter().cloned();
    let instructions: Vec<_> = places.map(|place| xml.get(place).unwrap()).collect();
    assert_eq!(instructions, ["<?p q?>", "<?xml any?>"]);
    for broken in [
        "<a>\u{1}</a>",
        "<a><!-- -- --></a>",
        "<a><p:b/></a>",
        "<a><?xml any?></a>",
        "<a>",
        "",
    ] {
        assert!(Tree::parse_root(broken, &XmlLimits::DEFAULT).is_err());
    }
}

#[test]
fn what_is_written_is_read_again() {
    let written = format!("<a b=\"{0}\">{0}</a>", text::escape("<\u{1}\"'&>"));
    assert_eq!(well_formed(written.as_bytes(), &XmlLimits::DEFAULT), Ok(()));
    let tree = Tree::parse(&written, &XmlLimits::DEFAULT).unwrap();
    assert_eq!(tree.root().text(), "<\"'&>");
    assert_eq!(tree.root().attribute("b"), Some("<\"'&>"));
    assert!(text::is_name("ä-1") && !text::is_name("a:b") && !text::is_name("1"));
    let fault = well_formed(b"<!DOCTYPE a>", &XmlLimits::DEFAULT).unwrap_err();
    assert_eq!(fault.fault, XmlFault::DocumentTypeDeclaration);
}
