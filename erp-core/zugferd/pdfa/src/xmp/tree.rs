//! The elements of a packet with their places in its text.

use std::collections::BTreeSet;
use std::ops::Range;

use quick_xml::events::{BytesRef, Event};
use quick_xml::reader::Reader;

use super::fault::{FaultKind, XmpFault};
use super::namespaces::XML;

const MAX_DEPTH: usize = 64;
/// Far more than any real packet has; bounds the memory that one of 4 MiB may cost.
const MAX_ELEMENTS: usize = 50_000;
const MAX_ATTRIBUTES: usize = 100_000;
/// Prefixes that are declared at one place, counted with those around it.
const MAX_BINDINGS: usize = 256;
/// Bytes of a namespace, which every element below repeats.
const MAX_NAMESPACE: usize = 300;

/// A qualified name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) namespace: String,
    pub(super) local: String,
    pub(super) prefix: String,
}

impl Name {
    pub(super) fn is(&self, namespace: &str, local: &str) -> bool {
        self.namespace == namespace && self.local == local
    }

    /// The name as the packet writes it.
    pub(super) fn qualified(&self) -> String {
        qualify(&self.prefix, &self.local)
    }
}

#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: Name,
    pub(super) value: String,
    /// From the white space before the name to the closing quote.
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: Name,
    /// Without the declarations of namespaces.
    pub(super) attributes: Vec<Attribute>,
    pub(super) bindings: Vec<(String, String)>,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// The character data between the children.
    pub(super) text: String,
    pub(super) span: Range<usize>,
    pub(super) start_tag: Range<usize>,
    /// Between start and end tag; empty and after the tag for `<a/>`.
    pub(super) content: Range<usize>,
}

impl Element {
    /// Whether it is written as `<a/>`.
    pub(super) fn is_closed(&self) -> bool {
        self.start_tag == self.span
    }

    pub(super) fn attribute(&self, namespace: &str, local: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        attributes
            .find(|attribute| attribute.name.is(namespace, local))
            .map(|attribute| attribute.value.as_str())
    }
}

/// A packet taken apart.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) text: String,
    elements: Vec<Element>,
    /// The content of the `xpacket` instruction before the root.
    pub(super) header: Option<(Range<usize>, String)>,
    /// An XML declaration; not well-formed unless it is at the start.
    pub(super) declaration: Option<Range<usize>>,
}

impl Tree {
    pub(super) fn parse(text: String) -> Result<Self, XmpFault> {
        let mut parser = Parser::default();
        parser.run(&text)?;
        Ok(Self {
            text,
            elements: parser.elements,
            header: parser.header,
            declaration: parser.declaration,
        })
    }

    pub(super) fn element(&self, index: usize) -> Option<&Element> {
        self.elements.get(index)
    }

    /// All elements, each after its parent.
    pub(super) fn elements(&self) -> impl Iterator<Item = (usize, &Element)> {
        self.elements.iter().enumerate()
    }

    /// The children of an element.
    pub(super) fn children(&self, index: usize) -> impl Iterator<Item = (usize, &Element)> {
        let children = self.element(index).map(|element| element.children.iter());
        children
            .into_iter()
            .flatten()
            .filter_map(|child| Some((*child, self.element(*child)?)))
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The text after the root element.
    pub(super) fn tail(&self) -> &str {
        let end = self.element(0).map_or(0, |root| root.span.end);
        self.text.get(end..).unwrap_or_default()
    }

    /// The namespace that a prefix means inside an element.
    pub(super) fn binding(&self, index: usize, prefix: &str) -> Option<&str> {
        let mut at = Some(index);
        while let Some(element) = at.and_then(|index| self.element(index)) {
            if let Some(uri) = bound(&element.bindings, prefix) {
                return Some(uri);
            }
            at = element.parent;
        }
        (prefix == "xml").then_some(XML)
    }

    /// All prefixes that are declared on an element or around it.
    pub(super) fn prefixes(&self, index: usize) -> BTreeSet<&str> {
        let mut prefixes = BTreeSet::new();
        let mut at = Some(index);
        while let Some(element) = at.and_then(|index| self.element(index)) {
            prefixes.extend(element.bindings.iter().map(|(prefix, _)| prefix.as_str()));
            at = element.parent;
        }
        prefixes
    }
}

fn bound<'b>(bindings: &'b [(String, String)], prefix: &str) -> Option<&'b str> {
    let mut bindings = bindings.iter();
    bindings
        .find(|(name, _)| name == prefix)
        .map(|(_, uri)| uri.as_str())
}

#[derive(Debug, Default)]
struct Parser {
    elements: Vec<Element>,
    /// The elements that are open.
    path: Vec<usize>,
    attributes: usize,
    /// How many prefixes the open elements declare.
    bindings: usize,
    header: Option<(Range<usize>, String)>,
    declaration: Option<Range<usize>>,
}

impl Parser {
    fn run(&mut self, text: &str) -> Result<(), XmpFault> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = true;
        loop {
            let start = position(&reader)?;
            let event = reader.read_event().map_err(XmpFault::not_well_formed)?;
            let span = start..position(&reader)?;
            let raw = text.get(span.clone()).unwrap_or_default();
            check_letters(raw)?;
            if self.take(event, span, raw)? {
                return Ok(());
            }
        }
    }

    /// Takes one event; true at the end of the root element.
    fn take(&mut self, event: Event<'_>, span: Range<usize>, raw: &str) -> Result<bool, XmpFault> {
        match event {
            Event::Start(_) => self.open(span, raw)?,
            Event::Empty(_) => {
                self.open(span.clone(), raw)?;
                return Ok(self.close(&span));
            }
            Event::End(_) => return Ok(self.close(&span)),
            Event::Text(text) if text.contains("]]>") => {
                return Err(XmpFault::not_well_formed("`]]>` stands in text"));
            }
            Event::Text(text) => self.push_text(&text)?,
            Event::CData(text) => self.push_text(&text)?,
            Event::GeneralRef(reference) => self.push_text(&resolve(&reference)?)?,
            Event::PI(_) => self.take_instruction(span, raw),
            Event::Decl(_) => self.declaration = Some(span),
            Event::Comment(_) => {}
            Event::DocType(_) => {
                return Err(XmpFault::not_well_formed(
                    "it has a document type declaration",
                ));
            }
            Event::Eof => return Err(XmpFault::not_well_formed("an element is not closed")),
        }
        Ok(false)
    }

    fn take_instruction(&mut self, span: Range<usize>, raw: &str) {
        let content = raw.strip_prefix("<?xpacket");
        if let (Some(content), None, true) = (content, &self.header, self.elements.is_empty()) {
            let content = content.trim_end_matches("?>").trim().to_owned();
            self.header = Some((span, content));
        }
    }

    fn push_text(&mut self, text: &str) -> Result<(), XmpFault> {
        let open = self.path.last().copied();
        match open.and_then(|index| self.elements.get_mut(index)) {
            Some(element) => element.text.push_str(text),
            None if text.trim().is_empty() => {}
            None => return Err(XmpFault::not_well_formed("text stands before the root")),
        }
        Ok(())
    }

    fn open(&mut self, span: Range<usize>, raw: &str) -> Result<(), XmpFault> {
        if self.path.len() >= MAX_DEPTH || self.elements.len() >= MAX_ELEMENTS {
            return Err(too_large());
        }
        let tag = Tag::scan(raw, span.start)?;
        self.attributes = self.attributes.saturating_add(tag.attributes.len());
        if self.attributes > MAX_ATTRIBUTES {
            return Err(too_large());
        }
        let index = self.elements.len();
        let (bindings, attributes) = tag.split()?;
        self.bindings = self.bindings.saturating_add(bindings.len());
        let is_long = |(_, uri): &(String, String)| uri.len() > MAX_NAMESPACE;
        if self.bindings > MAX_BINDINGS || bindings.iter().any(is_long) {
            return Err(too_large());
        }
        let parent = self.path.last().copied();
        self.elements.push(Element {
            name: Name {
                namespace: String::new(),
                local: String::new(),
                prefix: String::new(),
            },
            attributes: Vec::new(),
            bindings,
            parent,
            children: Vec::new(),
            text: String::new(),
            span: span.clone(),
            content: span.end..span.end,
            start_tag: span,
        });
        if let Some(parent) = parent.and_then(|parent| self.elements.get_mut(parent)) {
            parent.children.push(index);
        }
        self.path.push(index);
        self.name(index, tag.name, attributes)
    }

    /// Gives names to an element and its attributes, now that its own declarations count.
    fn name(
        &mut self,
        index: usize,
        name: &str,
        attributes: Vec<RawAttribute<'_>>,
    ) -> Result<(), XmpFault> {
        let name = self.resolve_name(name, true)?;
        let attributes = attributes
            .into_iter()
            .map(|attribute| {
                Ok(Attribute {
                    name: self.resolve_name(attribute.name, false)?,
                    value: attribute.value,
                    span: attribute.span,
                })
            })
            .collect::<Result<Vec<_>, XmpFault>>()?;
        let mut seen = BTreeSet::new();
        for attribute in &attributes {
            if !seen.insert((&attribute.name.namespace, &attribute.name.local)) {
                let name = attribute.name.qualified();
                return Err(XmpFault::not_well_formed(format!(
                    "the attribute `{name}` stands twice in one tag"
                )));
            }
        }
        if let Some(element) = self.elements.get_mut(index) {
            element.name = name;
            element.attributes = attributes;
        }
        Ok(())
    }

    fn resolve_name(&self, name: &str, is_element: bool) -> Result<Name, XmpFault> {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let is_unbound = prefix.is_empty() && !is_element;
        let mut open = self.path.iter().rev();
        let namespace = open.find_map(|index| bound(&self.elements.get(*index)?.bindings, prefix));
        let namespace = match namespace {
            _ if is_unbound => "",
            Some(uri) => uri,
            None if prefix.is_empty() => "",
            None if prefix == "xml" => XML,
            None => {
                return Err(XmpFault::not_well_formed(format!(
                    "the prefix `{prefix}` is not declared"
                )));
            }
        };
        Ok(Name {
            namespace: namespace.to_owned(),
            local: local.to_owned(),
            prefix: prefix.to_owned(),
        })
    }

    /// Closes the innermost element; true when it is the root.
    fn close(&mut self, span: &Range<usize>) -> bool {
        let closed = self.path.pop();
        if let Some(element) = closed.and_then(|index| self.elements.get_mut(index)) {
            if element.start_tag != *span {
                element.content.end = span.start;
            }
            element.span.end = span.end;
            self.bindings = self.bindings.saturating_sub(element.bindings.len());
        }
        self.path.is_empty()
    }
}

#[derive(Debug)]
struct RawAttribute<'t> {
    name: &'t str,
    value: String,
    span: Range<usize>,
}

/// A start tag in its pieces.
#[derive(Debug)]
struct Tag<'t> {
    name: &'t str,
    attributes: Vec<RawAttribute<'t>>,
}

/// Bindings of prefixes, and the other attributes.
type Split<'t> = (Vec<(String, String)>, Vec<RawAttribute<'t>>);

impl<'t> Tag<'t> {
    /// Takes `<name a="b">` apart; `offset` is its place in the packet.
    fn scan(raw: &'t str, offset: usize) -> Result<Self, XmpFault> {
        let inner = raw.strip_prefix('<').and_then(|tag| tag.strip_suffix('>'));
        let inner = inner.unwrap_or_default();
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let end = inner.find(is_space).unwrap_or(inner.len());
        let (name, mut rest) = inner.split_at_checked(end).unwrap_or((inner, ""));
        check_name(name)?;
        let mut attributes = Vec::new();
        while !rest.trim_matches(is_space).is_empty() {
            let start = offset + 1 + (inner.len() - rest.len());
            let (attribute, after) = scan_attribute(rest, start)?;
            attributes.push(attribute);
            rest = after;
        }
        Ok(Self { name, attributes })
    }

    fn split(&self) -> Result<Split<'t>, XmpFault> {
        let mut bindings: Vec<(String, String)> = Vec::new();
        let mut others = Vec::new();
        for attribute in &self.attributes {
            let prefix = match attribute.name {
                "xmlns" => Some(""),
                name => name.strip_prefix("xmlns:"),
            };
            match prefix {
                Some(prefix) => {
                    let is_empty = attribute.value.is_empty() && !prefix.is_empty();
                    if bound(&bindings, prefix).is_some() || is_empty {
                        return Err(XmpFault::not_well_formed(format!(
                            "the prefix `{prefix}` is declared twice or as nothing"
                        )));
                    }
                    bindings.push((prefix.to_owned(), attribute.value.clone()));
                }
                None => others.push(RawAttribute {
                    name: attribute.name,
                    value: attribute.value.clone(),
                    span: attribute.span.clone(),
                }),
            }
        }
        Ok((bindings, others))
    }
}

/// Reads ` name = "value"`; `start` is the place of its white space in the packet.
fn scan_attribute(rest: &str, start: usize) -> Result<(RawAttribute<'_>, &str), XmpFault> {
    let broken = || XmpFault::not_well_formed("an attribute is broken");
    let trimmed = rest.trim_start_matches(is_space);
    if trimmed.len() == rest.len() {
        return Err(broken());
    }
    let (name, after) = trimmed.split_once('=').ok_or_else(broken)?;
    let name = name.trim_end_matches(is_space);
    check_name(name)?;
    let after = after.trim_start_matches(is_space);
    let quote = after
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''));
    let quote = quote.ok_or_else(broken)?;
    let quoted = after.strip_prefix(quote).unwrap_or_default();
    let (value, after) = quoted.split_once(quote).ok_or_else(broken)?;
    if value.contains('<') {
        return Err(broken());
    }
    let value = quick_xml::escape::unescape(value).map_err(XmpFault::not_well_formed)?;
    check_letters(&value)?;
    let attribute = RawAttribute {
        name,
        value: value.into_owned(),
        span: start..start + (rest.len() - after.len()),
    };
    Ok((attribute, after))
}

/// A character reference or one of the five predefined entities.
fn resolve(reference: &BytesRef<'_>) -> Result<String, XmpFault> {
    let letter = reference
        .resolve_char_ref()
        .map_err(XmpFault::not_well_formed)?;
    let text = match letter {
        Some(letter) => letter.to_string(),
        None => quick_xml::escape::resolve_predefined_entity(reference)
            .ok_or_else(|| XmpFault::not_well_formed("an entity is not declared"))?
            .to_owned(),
    };
    check_letters(&text)?;
    Ok(text)
}

fn check_letters(text: &str) -> Result<(), XmpFault> {
    if text.chars().all(is_xml_letter) {
        Ok(())
    } else {
        Err(XmpFault::not_well_formed(
            "it has a control character that XML forbids",
        ))
    }
}

/// Whether XML 1.0 allows a character at all.
pub(super) fn is_xml_letter(letter: char) -> bool {
    match letter {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => letter >= ' ',
    }
}

fn check_name(name: &str) -> Result<(), XmpFault> {
    let mut parts = name.split(':');
    let is_good = parts.clone().count() <= 2 && parts.all(is_plain_name);
    if is_good {
        Ok(())
    } else {
        Err(XmpFault::not_well_formed(format!("`{name}` is no name")))
    }
}

/// Whether a text is a name without a colon.
pub(super) fn is_plain_name(name: &str) -> bool {
    let is_start = |letter: char| letter.is_alphabetic() || letter == '_';
    let is_inner = |letter: char| {
        is_start(letter) || letter.is_numeric() || matches!(letter, '-' | '.' | '\u{b7}')
    };
    name.starts_with(is_start) && name.chars().all(is_inner)
}

fn qualify(prefix: &str, local: &str) -> String {
    if prefix.is_empty() {
        local.to_owned()
    } else {
        format!("{prefix}:{local}")
    }
}

const fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

fn position(reader: &Reader<&[u8]>) -> Result<usize, XmpFault> {
    usize::try_from(reader.buffer_position()).map_err(|_| too_large())
}

fn too_large() -> XmpFault {
    let what = "the XMP metadata has too many elements, prefixes or levels, or too long namespaces";
    XmpFault::new(FaultKind::TooLarge, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Tree {
        Tree::parse(text.to_owned()).unwrap()
    }

    #[test]
    fn elements_know_their_places() {
        let text = "<?xpacket begin='' id='x'?><!-- c --><a x='1'\n y = \"&lt;\" ><b>t<![CDATA[<]]>&#65;</b><c/></a> tail";
        let tree = parse(text);
        let [a, b, c] = [0, 1, 2].map(|index| tree.element(index).unwrap());
        assert!(text.ends_with(&format!("{} tail", tree.slice(a.span.clone()))));
        assert!(tree.slice(a.span.clone()).starts_with("<a x"));
        assert_eq!(tree.slice(a.attributes[0].span.clone()), " x='1'");
        assert_eq!(tree.slice(a.attributes[1].span.clone()), "\n y = \"&lt;\"");
        assert_eq!(a.attributes[1].value, "<");
        assert_eq!(tree.slice(b.content.clone()), "t<![CDATA[<]]>&#65;");
        assert_eq!(b.text, "t<A");
        assert!(c.is_closed() && !b.is_closed());
        assert_eq!(a.children, [1, 2]);
        assert_eq!(tree.tail(), " tail");
        assert_eq!(tree.header.unwrap().1, "begin='' id='x'");
    }

    #[test]
    fn prefixes_are_resolved_where_they_are() {
        let tree = parse("<p:a xmlns:p='1' xmlns='d'><p:b xmlns:p='2' p:x='' y=''/><c/></p:a>");
        let namespaces: Vec<&str> = tree
            .elements()
            .map(|(_, e)| e.name.namespace.as_str())
            .collect();
        assert_eq!(namespaces, ["1", "2", "d"]);
        let attributes = &tree.element(1).unwrap().attributes;
        assert_eq!(attributes[0].name.namespace, "2");
        assert_eq!(attributes[1].name.namespace, "");
        assert_eq!(tree.binding(1, "p"), Some("2"));
        assert_eq!(tree.binding(2, "p"), Some("1"));
        assert_eq!(tree.binding(2, "q"), None);
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
            assert!(Tree::parse(text.to_owned()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn depth_and_number_are_limited() {
        let deep = format!("{}{}", "<a>".repeat(65), "</a>".repeat(65));
        assert_eq!(Tree::parse(deep).unwrap_err().kind, FaultKind::TooLarge);
        let many = format!("<a>{}</a>", "<b/>".repeat(50_000));
        assert_eq!(Tree::parse(many).unwrap_err().kind, FaultKind::TooLarge);
        let long = format!("<a xmlns='{}'/>", "n".repeat(301));
        assert_eq!(Tree::parse(long).unwrap_err().kind, FaultKind::TooLarge);
        let declarations =
            |count| -> String { (0..count).map(|i| format!(" xmlns:p{i}='n'")).collect() };
        let prefixes = format!("<a{0}><b{0}/></a>", declarations(129));
        assert_eq!(Tree::parse(prefixes).unwrap_err().kind, FaultKind::TooLarge);
        let siblings = format!("<a><b{0}/><b{0}/></a>", declarations(200));
        assert!(Tree::parse(siblings).is_ok());
    }
}
