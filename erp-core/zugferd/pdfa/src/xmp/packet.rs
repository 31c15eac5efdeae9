//! A packet as XML: the elements, the header before them and the text after them.

use std::collections::BTreeSet;
use std::ops::Range;

use erp_xml::{Attribute, Element, Tree, XmlError, XmlFault, XmlLimits};

use super::fault::{FaultKind, XmpFault};
use super::namespaces::XML;

/// Far more than any real packet has; bounds the memory that one of 4 MiB may cost.
const LIMITS: XmlLimits = XmlLimits {
    depth: 64,
    elements: 50_000,
    attributes: 100_000,
    namespaces: 10_000,
    // With `xml`, which every packet has.
    scope: 257,
    ..XmlLimits::DEFAULT
};
/// Bytes of a namespace, which the message on every element below may repeat.
const MAX_NAMESPACE: usize = 300;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct XmpName<'p> {
    pub(super) namespace: &'p str,
    pub(super) local: &'p str,
    pub(super) prefix: &'p str,
}

impl<'p> XmpName<'p> {
    pub(super) fn of(element: Element<'p>) -> Self {
        Self {
            namespace: element.namespace(),
            local: element.local(),
            prefix: element.prefix(),
        }
    }

    pub(super) fn of_attribute(attribute: Attribute<'p>) -> Self {
        Self {
            namespace: attribute.namespace(),
            local: attribute.local(),
            prefix: attribute.prefix(),
        }
    }

    pub(super) fn is(&self, namespace: &str, local: &str) -> bool {
        self.namespace == namespace && self.local == local
    }

    /// The name as the packet writes it.
    pub(super) fn qualified(&self) -> String {
        match self.prefix {
            "" => self.local.to_owned(),
            prefix => format!("{prefix}:{}", self.local),
        }
    }
}

pub(super) fn is_named(element: Element<'_>, namespace: &str, local: &str) -> bool {
    XmpName::of(element).is(namespace, local)
}

pub(super) fn attribute<'p>(element: Element<'p>, namespace: &str, local: &str) -> Option<&'p str> {
    let is_wanted =
        |attribute: &Attribute<'_>| XmpName::of_attribute(*attribute).is(namespace, local);
    element.attributes().find(is_wanted).map(Attribute::value)
}

/// Whether something other than white space is directly inside.
pub(super) fn has_text(element: Element<'_>) -> bool {
    !element.own_text().trim().is_empty()
}

/// The namespace that a prefix means inside an element.
pub(super) fn binding<'p>(element: Element<'p>, prefix: &str) -> Option<&'p str> {
    let mut declarations = around(element).flat_map(Element::declarations);
    match declarations.find(|(declared, _)| *declared == prefix) {
        Some((_, uri)) => Some(uri),
        None => (prefix == "xml").then_some(XML),
    }
}

/// All prefixes that are declared on an element or around it.
pub(super) fn prefixes(element: Element<'_>) -> BTreeSet<&str> {
    let declarations = around(element).flat_map(Element::declarations);
    declarations.map(|(prefix, _)| prefix).collect()
}

fn around(element: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    std::iter::successors(Some(element), |element| element.parent())
}

#[derive(Debug)]
pub(super) struct Packet<'t> {
    pub(super) tree: Tree<'t>,
    /// The `xpacket` instruction before the root.
    pub(super) header: Option<Range<usize>>,
    /// XML declarations; not well-formed unless there is one at the start.
    pub(super) declarations: Vec<Range<usize>>,
}

impl<'t> Packet<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, XmpFault> {
        let tree = Tree::parse_root(text, &LIMITS).map_err(fault)?;
        if tree.namespaces().any(|uri| uri.len() > MAX_NAMESPACE) {
            return Err(too_large());
        }
        let after = |place: &Range<usize>, start| text.get(place.clone())?.strip_prefix(start);
        let is_declaration = |place: &&Range<usize>| {
            // Other instructions may have longer names.
            after(place, "<?xml").is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n', '?']))
        };
        let mut headers = tree.instructions().iter();
        let header = headers.find(|place| after(place, "<?xpacket").is_some());
        let declarations = tree.instructions().iter().filter(is_declaration);
        Ok(Self {
            header: header.cloned(),
            declarations: declarations.cloned().collect(),
            tree,
        })
    }

    pub(super) fn header_content(&self) -> Option<&str> {
        let content = self.slice(self.header.clone()?).strip_prefix("<?xpacket")?;
        Some(content.trim_end_matches("?>").trim())
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'t str {
        self.tree.text().get(range).unwrap_or_default()
    }

    pub(super) fn tail(&self) -> &'t str {
        let end = self.tree.root().span().end;
        self.tree.text().get(end..).unwrap_or_default()
    }
}

fn fault(error: XmlError) -> XmpFault {
    match error.fault {
        XmlFault::TooLarge { .. } => too_large(),
        _ => XmpFault::not_well_formed(error),
    }
}

fn too_large() -> XmpFault {
    let what = "the XMP metadata has too many elements, prefixes or levels, or too long namespaces";
    XmpFault::new(FaultKind::TooLarge, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Packet<'_> {
        Packet::parse(text).unwrap()
    }

    #[test]
    fn the_header_and_the_text_after_the_root_are_known() {
        let text =
            "<?xpacket begin='' id='x'?><!-- c --><a><b>t<![CDATA[<]]>&#65;</b><c/></a> tail";
        let packet = parse(text);
        assert_eq!(packet.tail(), " tail");
        assert_eq!(packet.header_content().unwrap(), "begin='' id='x'");
        let declared = parse("<?xpacket?>\n<?xml any?><?xml-a?><a/>").declarations;
        assert_eq!((packet.declarations.len(), declared.len()), (0, 1));
        assert_eq!(declared[0], 12..23);
    }

    #[test]
    fn prefixes_are_resolved_where_they_are() {
        let packet = parse("<p:a xmlns:p='1' xmlns='d'><p:b xmlns:p='2' p:x='' y=''/><c/></p:a>");
        let [_, b, c] = packet.tree.elements().collect::<Vec<_>>()[..] else {
            panic!("three elements");
        };
        assert_eq!(
            (attribute(b, "2", "x"), attribute(b, "", "y")),
            (Some(""), Some(""))
        );
        assert_eq!(binding(b, "p"), Some("2"));
        assert_eq!(binding(c, "p"), Some("1"));
        assert_eq!(binding(c, "q"), None);
        assert_eq!(prefixes(b), BTreeSet::from(["", "p"]));
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for text in [
            "<a>",
            "<a></b>",
            "<p:a/>",
            "<a x=1/>",
            "<a x='1'y='2'/>",
            "<a x='1' x='2'/>",
            "<a xmlns:p='1' xmlns:q='1' p:x='' q:x=''/>",
            "<a xmlns:p='1' xmlns:p='2'/>",
            "<a xmlns:p=''/>",
            "<a x='<'/>",
            "<a x='&b;'/>",
            "<a>&b;</a>",
            "<a>&#0;</a>",
            "<a>&#1;</a>",
            "<a>\u{1}</a>",
            "<a>]]></a>",
            "<a><!-- -- --></a>",
            "<1a/>",
            "<a:b:c xmlns:a='1'/>",
            "<!DOCTYPE a><a/>",
            "text<a/>",
            "<a",
            "",
        ] {
            assert!(Packet::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn depth_and_number_are_limited() {
        let deep = format!("{}{}", "<a>".repeat(65), "</a>".repeat(65));
        assert_eq!(Packet::parse(&deep).unwrap_err().kind, FaultKind::TooLarge);
        let many = format!("<a>{}</a>", "<b/>".repeat(50_000));
        assert_eq!(Packet::parse(&many).unwrap_err().kind, FaultKind::TooLarge);
        let long = format!("<a xmlns='{}'/>", "n".repeat(301));
        assert_eq!(Packet::parse(&long).unwrap_err().kind, FaultKind::TooLarge);
        let declarations =
            |count| -> String { (0..count).map(|i| format!(" xmlns:p{i}='n'")).collect() };
        let prefixes = format!("<a{0}><b{0}/></a>", declarations(129));
        assert_eq!(
            Packet::parse(&prefixes).unwrap_err().kind,
            FaultKind::TooLarge
        );
        let siblings = format!("<a><b{0}/><b{0}/></a>", declarations(200));
        assert!(Packet::parse(&siblings).is_ok());
    }
}
