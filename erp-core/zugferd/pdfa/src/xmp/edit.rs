//! Changes in a packet, made in its text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use erp_xml::Element;
use erp_xml::text::is_name;

use super::changes::{Changes, Claim, Conformance, ExtensionSchema, OwnSchema, SchemaProperty};
use super::check::is_good_header;
use super::extension::{
    Extension, array_of, can_be_described, containers, is_container, is_proper,
};
use super::fault::{FaultKind, XmpFault};
use super::packet::{Packet, binding, prefixes};
use super::rdf::{Model, Property};
use super::retype::retyped;
use super::source::XmpSource;
use super::write::{self, SCHEMA_PREFIXES};
use super::{namespaces as ns, predefined};

/// Changes a packet, or makes one.
///
/// Everything that the changes do not name stays as it was, byte for byte. The result is in UTF-8
/// and has the `xpacket` header and trailer that PDF/A allows, and all extension schemas in one bag.
/// [`faults`](super::faults) checks it for PDF/A.
/// Errors: an [`XmpFault`] when the packet is too large, not well-formed or no XMP.
pub fn edit(packet: Option<&[u8]>, changes: &Changes) -> Result<Vec<u8>, XmpFault> {
    let text = match packet {
        Some(packet) => XmpSource::decode(packet)?.text,
        None => write::new_packet(&changes.info),
    };
    let packet = Packet::parse(&text)?;
    let model = Model::read(&packet)?;
    let extension = Extension::read(&model);
    let mut editor = Editor {
        model: &model,
        extension: &extension,
        removed: BTreeSet::new(),
        cuts: Vec::new(),
        blocks: String::new(),
        new_schemas: Vec::new(),
        new_properties: BTreeMap::new(),
        removed_items: BTreeSet::new(),
    };
    editor.change_claim(changes.claim);
    if let Some(own) = &changes.own {
        editor.put_own(own);
    }
    if changes.describe_foreign {
        editor.retype();
        editor.describe_foreign();
    }
    editor.change_schemas()?;
    Ok(editor.finish().into_bytes())
}

/// The changes as they are found out, all against the original text.
struct Editor<'m> {
    model: &'m Model<'m>,
    extension: &'m Extension<'m>,
    /// The properties to remove, by their places in the model.
    removed: BTreeSet<usize>,
    /// Ranges of the text and their replacements.
    cuts: Vec<(Range<usize>, String)>,
    /// New descriptions.
    blocks: String,
    new_schemas: Vec<ExtensionSchema>,
    /// New descriptions of properties for schemas that are described already.
    new_properties: BTreeMap<u32, (Element<'m>, Vec<SchemaProperty>)>,
    /// The items of extension schemas to remove, by the numbers of their elements.
    removed_items: BTreeSet<u32>,
}

impl<'m> Editor<'m> {
    fn remove(&mut self, is_gone: impl Fn(&Property<'_>) -> bool) {
        let properties = self.model.properties.iter().enumerate();
        let gone = properties.filter(|(_, property)| is_gone(property));
        self.removed.extend(gone.map(|(index, _)| index));
    }

    fn add_block(&mut self, prefixes: &[(&str, &str)], content: &str) {
        let rdf = self.model.rdf;
        let mut declarations = write::declare(rdf, &[("rdf", ns::RDF)]);
        declarations.push_str(&write::declare(rdf, prefixes));
        let block = write::description(&declarations, self.model.subject, content);
        self.blocks.push_str(&block);
    }

    // rule: R-ZUG-35
    fn change_claim(&mut self, claim: Claim) {
        let content = match claim {
            Claim::Keep => return,
            Claim::Remove => String::new(),
            Claim::Set { part, conformance } => {
                let part = part.to_string();
                if self.is_claimed(&part, conformance) {
                    return;
                }
                self.claim(&part, conformance)
            }
        };
        self.remove(|property| property.name.namespace == ns::PDFA_ID);
        if !content.is_empty() {
            self.add_block(&[("pdfaid", ns::PDFA_ID)], &content);
        }
    }

    /// Whether the packet says exactly this already.
    fn is_claimed(&self, part: &str, conformance: Conformance) -> bool {
        let names = self.model.properties.iter().map(|property| property.name);
        let mut own = names.filter(|name| name.namespace == ns::PDFA_ID);
        let is_known = |local: &str| matches!(local, "part" | "conformance" | "amd" | "corr");
        let mut seen = BTreeSet::new();
        self.model.claimed("part") == Some(part)
            && self.model.claimed("conformance") == Some(conformance.letter())
            && own.all(|name| {
                name.prefix == "pdfaid" && is_known(name.local) && seen.insert(name.local)
            })
    }

    fn claim(&self, part: &str, conformance: Conformance) -> String {
        let mut content = write::line("pdfaid", "part", part);
        content.push_str(&write::line("pdfaid", "conformance", conformance.letter()));
        if self.model.claimed("part").map(str::trim) == Some(part) {
            for local in ["amd", "corr"] {
                let text = self.model.claimed(local);
                content.extend(text.map(|text| write::line("pdfaid", local, text)));
            }
        }
        content
    }

    fn put_own(&mut self, own: &OwnSchema) {
        let schemas = self.extension.schemas.iter();
        let replaced = schemas.filter(|schema| (own.replaces)(&schema.facts.namespace));
        self.removed_items = replaced.map(|schema| schema.item.index()).collect();
        self.remove(|property| (own.replaces)(property.name.namespace));
        let schema = &own.schema;
        let prefixes = [(&*schema.prefix, &*schema.namespace)];
        self.add_block(&prefixes, &write::own_lines(own));
        self.new_schemas.push(schema.clone());
    }

    /// Gives predefined properties values of their types.
    fn retype(&mut self) {
        let extension = self.extension;
        let model = self.model;
        for (index, property) in model.properties.iter().enumerate() {
            let name = &property.name;
            let wanted = predefined::property_type(name.namespace, name.local);
            let wrong = wanted.filter(|wanted| !extension.types.matches(&property.value, wanted));
            let Some(content) = wrong
                .filter(|_| !self.removed.contains(&index) && is_name(name.prefix))
                .and_then(|wanted| retyped(property, wanted, &extension.types))
            else {
                continue;
            };
            self.removed.insert(index);
            if !content.is_empty() {
                let tag = name.qualified();
                let content = format!("<{tag}>{content}</{tag}>\n");
                self.add_block(&[(name.prefix, name.namespace)], &content);
            }
        }
    }

    fn describe_foreign(&mut self) {
        let sequences = self.sequences();
        let mut new_schemas: BTreeMap<&str, ExtensionSchema> = BTreeMap::new();
        for (index, property) in self.extension.unknown(self.model) {
            if self.removed.contains(&index) || !can_be_described(property) {
                continue;
            }
            let name = &property.name;
            let new = SchemaProperty {
                name: name.local.to_owned(),
                description: format!("the property {} as it was found", name.local),
            };
            if let Some(sequence) = sequences.get(name.namespace) {
                let known = self.new_properties.entry(sequence.index());
                known.or_insert((*sequence, Vec::new())).1.push(new);
                continue;
            }
            let schema = new_schemas
                .entry(name.namespace)
                .or_insert_with(|| ExtensionSchema {
                    title: format!("Properties of {}", name.prefix),
                    namespace: name.namespace.to_owned(),
                    prefix: name.prefix.to_owned(),
                    properties: Vec::new(),
                });
            schema.properties.push(new);
        }
        self.new_schemas.extend(new_schemas.into_values());
    }

    /// The list of properties of each described namespace, where it can be added to.
    fn sequences(&self) -> BTreeMap<&'m str, Element<'m>> {
        if self.good_bag().is_none() {
            return BTreeMap::new();
        }
        let schemas = self.extension.schemas.iter();
        let sequences = schemas.filter_map(|schema| {
            let is_kept = !self.removed_items.contains(&schema.item.index());
            let sequence = schema.sequence.filter(|_| is_kept)?;
            Some((schema.facts.namespace.as_str(), sequence))
        });
        sequences.collect()
    }

    /// The bag of the container, when there is exactly one and it is as it should be.
    fn good_bag(&self) -> Option<Element<'m>> {
        let mut found = containers(self.model);
        match (found.next(), found.next()) {
            (Some(container), None) if is_proper(container) => array_of(container),
            _ => None,
        }
    }

    fn kept_items(&self) -> Result<Vec<Element<'m>>, XmpFault> {
        let mut items = Vec::new();
        for container in containers(self.model) {
            let array = array_of(container).ok_or_else(|| {
                let what = "the extension schemas are in no array";
                XmpFault::new(FaultKind::ExtensionContainer, what)
            })?;
            items.extend(array.children());
        }
        items.retain(|item| !self.removed_items.contains(&item.index()));
        Ok(items)
    }

    fn change_schemas(&mut self) -> Result<(), XmpFault> {
        let kept = self.kept_items()?;
        match self.good_bag() {
            _ if kept.is_empty() && self.new_schemas.is_empty() => self.remove(is_container),
            Some(bag) => self.change_bag(bag),
            None => self.make_bag(&kept),
        }
        Ok(())
    }

    fn change_bag(&mut self, bag: Element<'m>) {
        for item in bag.children() {
            if self.removed_items.contains(&item.index()) {
                self.cut(item.span());
            }
        }
        let mut prefixes = vec![("rdf", ns::RDF)];
        prefixes.extend(SCHEMA_PREFIXES.into_iter().skip(1));
        let declarations = write::declare(bag, &prefixes);
        let schemas = self.new_schemas.iter();
        let items = schemas.map(|schema| write::schema_item(&declarations, schema));
        self.insert_into(bag, &items.collect::<String>());
        for (sequence, properties) in std::mem::take(&mut self.new_properties).into_values() {
            let declarations = write::declare(sequence, &prefixes);
            let item = |new| write::property_item(&declarations, new);
            let items = properties.iter().map(item);
            self.insert_into(sequence, &items.collect::<String>());
        }
    }

    fn make_bag(&mut self, kept: &[Element<'_>]) {
        self.remove(is_container);
        let mut items: String = kept.iter().map(|item| self.moved(*item)).collect();
        let new = self.new_schemas.iter();
        items.extend(new.map(|schema| write::schema_item("", schema)));
        self.add_block(&SCHEMA_PREFIXES, &write::container(&items));
    }

    /// The text of an item with the declarations that it loses by moving.
    fn moved(&self, item: Element<'_>) -> String {
        let text = self.model.packet.slice(item.span());
        let name = item.name();
        let rest = text.get(name.len().saturating_add(1)..).unwrap_or_default();
        let mut declarations = String::new();
        for prefix in prefixes(item) {
            let is_own = item.declarations().any(|(own, _)| own == prefix);
            let uri = binding(item, prefix).unwrap_or_default();
            if is_own || self.is_bound_in_block(prefix, uri) {
                continue;
            }
            if prefix.is_empty() {
                declarations.push_str(&format!(" xmlns=\"{}\"", write::escape(uri)));
            } else if text.contains(&format!("{prefix}:")) {
                declarations.push_str(&format!(" xmlns:{prefix}=\"{}\"", write::escape(uri)));
            }
        }
        format!("\n<{name}{declarations}{rest}")
    }

    /// Whether a prefix means this namespace inside a new container.
    fn is_bound_in_block(&self, prefix: &str, uri: &str) -> bool {
        let mut own = SCHEMA_PREFIXES.into_iter().chain([("rdf", ns::RDF)]);
        match own.find(|(name, _)| *name == prefix) {
            Some((_, own)) => own == uri,
            None => binding(self.model.rdf, prefix) == Some(uri),
        }
    }

    /// Removes an element or an attribute, with the white space before it.
    fn cut(&mut self, span: Range<usize>) {
        let before = self.model.packet.slice(0..span.start);
        let start = before.trim_end().len();
        self.cuts.push((start..span.end, String::new()));
    }

    /// Inserts text after the last child of an element; to be called once for each element.
    fn insert_into(&mut self, element: Element<'_>, text: &str) {
        if text.is_empty() {
            return;
        }
        match element.content() {
            None => {
                let end = element.span().end;
                let text = format!(">{text}\n</{}>", element.name());
                self.cuts.push((end.saturating_sub("/>".len())..end, text));
            }
            Some(content) => {
                let last = element.children().last();
                let at = last.map_or(content.start, |child| child.span().end);
                self.cuts.push((at..at, text.to_owned()));
            }
        }
    }

    /// Cuts the removed properties, and descriptions without others.
    fn cut_removed(&mut self) {
        let model = self.model;
        let mut before = 0;
        let same = |one: &Property, next: &Property<'_>| one.description == next.description;
        for own in model.properties.chunk_by(same) {
            let places = before..before + own.len();
            before = places.end;
            let mut gone: Vec<_> = places.zip(own).collect();
            gone.retain(|(index, _)| self.removed.contains(index));
            match own {
                [first, ..] if gone.len() == own.len() => self.cut(first.description.span()),
                _ => gone
                    .iter()
                    .for_each(|(_, property)| self.cut(property.place.span())),
            }
        }
    }

    fn finish(mut self) -> String {
        self.cut_removed();
        let blocks = std::mem::take(&mut self.blocks);
        self.insert_into(self.model.rdf, &blocks);
        self.cuts.sort_by_key(|(range, _)| (range.start, range.end));
        let packet = self.model.packet;
        let root = packet.tree.root().span();
        let mut text = self.head(root.start);
        let mut at = root.start;
        for (range, new) in &self.cuts {
            text.push_str(packet.slice(at..range.start));
            text.push_str(new);
            at = range.end;
        }
        text.push_str(packet.slice(at..root.end));
        text.push('\n');
        text.push_str(&write::padding());
        text.push_str(write::TRAILER);
        text
    }

    /// A good header and the text between it and the root element.
    fn head(&self, root: usize) -> String {
        let packet = self.model.packet;
        let header = packet.header.clone();
        let is_good = packet.header_content().is_some_and(is_good_header);
        let mut text = match &header {
            Some(place) if is_good => packet.slice(place.clone()).to_owned(),
            _ => write::HEADER.to_owned(),
        };
        let mut skipped = packet.declarations.clone();
        skipped.extend(header);
        skipped.sort_by_key(|place| place.start);
        let mut between = String::new();
        let mut at = 0;
        for range in skipped {
            between.push_str(packet.slice(at..range.start));
            at = range.end;
        }
        between.push_str(packet.slice(at..root));
        if !between.starts_with('\n') {
            text.push('\n');
        }
        text.push_str(&between);
        text
    }
}
