//! Changes in a packet, made in its text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::changes::{Changes, Claim, Conformance, OwnSchema};
use super::check::is_good_header;
use super::describe;
use super::extension::{Extension, array_of, containers, is_proper};
use super::fault::{FaultKind, XmpFault};
use super::namespaces as ns;
use super::predefined;
use super::rdf::{Model, Place, Property};
use super::retype::retyped;
use super::source::Source;
use super::tree::{Element, Tree, is_plain_name};
use super::write::{self, NewProperty, NewSchema, SCHEMA_PREFIXES};

/// Changes a packet, or makes one.
///
/// Everything that the changes do not name stays as it was, byte for byte. The result is in UTF-8
/// and has the `xpacket` header and trailer that PDF/A allows, and all extension schemas in one bag.
/// [`faults`](super::faults) checks it for PDF/A.
///
/// # Errors
/// An [`XmpFault`] when the packet is too large, not well-formed or no XMP.
pub fn edit(packet: Option<&[u8]>, changes: &Changes) -> Result<Vec<u8>, XmpFault> {
    let text = match packet {
        Some(packet) => Source::decode(packet)?.text,
        None => write::new_packet(&changes.info),
    };
    let model = Model::read(Tree::parse(text)?)?;
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
    model: &'m Model,
    extension: &'m Extension,
    /// The properties to remove, by their places in the model.
    removed: BTreeSet<usize>,
    /// Ranges of the text and their replacements.
    cuts: Vec<(Range<usize>, String)>,
    /// New descriptions.
    blocks: String,
    new_schemas: Vec<NewSchema>,
    /// New descriptions of properties for schemas that are described already.
    new_properties: BTreeMap<usize, Vec<NewProperty>>,
    /// The items of extension schemas to remove, as elements.
    removed_items: BTreeSet<usize>,
}

impl<'m> Editor<'m> {
    fn tree(&self) -> &'m Tree {
        &self.model.tree
    }

    fn properties(
        &self,
        is_wanted: impl Fn(&Property) -> bool,
    ) -> impl Iterator<Item = (usize, &'m Property)> {
        let properties = self.model.properties.iter().enumerate();
        properties.filter(move |(_, property)| is_wanted(property))
    }

    fn add_block(&mut self, prefixes: &[(&str, &str)], content: &str) {
        let rdf = self.model.rdf;
        let mut declarations = write::declare(self.tree(), rdf, &[("rdf", ns::RDF)]);
        declarations.push_str(&write::declare(self.tree(), rdf, prefixes));
        let block = write::description(&declarations, self.model.subject(), content);
        self.blocks.push_str(&block);
    }

    // rule: R-ZUG-35
    fn change_claim(&mut self, claim: Claim) {
        let own = |property: &Property| property.name.namespace == ns::PDFA_ID;
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
        let gone: Vec<usize> = self.properties(own).map(|(index, _)| index).collect();
        self.removed.extend(gone);
        if !content.is_empty() {
            self.add_block(&[("pdfaid", ns::PDFA_ID)], &content);
        }
    }

    fn claimed(&self, local: &str) -> Option<&'m str> {
        let mut found = self.properties(|property| property.name.is(ns::PDFA_ID, local));
        found.next().and_then(|(_, property)| property.value.text())
    }

    /// Whether the packet says exactly this already.
    fn is_claimed(&self, part: &str, conformance: Conformance) -> bool {
        let own = |property: &Property| property.name.namespace == ns::PDFA_ID;
        let is_good = |property: &Property| {
            let known = ["part", "conformance", "amd", "corr"];
            property.name.prefix == "pdfaid" && known.contains(&property.name.local.as_str())
        };
        let mut names = BTreeSet::new();
        self.claimed("part") == Some(part)
            && self.claimed("conformance") == Some(conformance.letter())
            && self
                .properties(own)
                .all(|(_, property)| is_good(property) && names.insert(&property.name.local))
    }

    fn claim(&self, part: &str, conformance: Conformance) -> String {
        let mut content = write::line("pdfaid", "part", part);
        content.push_str(&write::line("pdfaid", "conformance", conformance.letter()));
        if self.claimed("part").map(str::trim) == Some(part) {
            for local in ["amd", "corr"] {
                let text = self
                    .claimed(local)
                    .map(|text| write::line("pdfaid", local, text));
                content.push_str(&text.unwrap_or_default());
            }
        }
        content
    }

    fn put_own(&mut self, own: &OwnSchema) {
        let schemas = self.extension.schemas.iter();
        self.removed_items = schemas
            .filter(|schema| (own.replaces)(&schema.namespace))
            .map(|schema| schema.item)
            .collect();
        let gone: Vec<usize> = self
            .properties(|property| (own.replaces)(&property.name.namespace))
            .map(|(index, _)| index)
            .collect();
        self.removed.extend(gone);
        self.add_block(&[(&own.prefix, &own.namespace)], &write::own_lines(own));
        self.new_schemas.push(write::own_schema(own));
    }

    /// Gives predefined properties values of their types.
    fn retype(&mut self) {
        let extension = self.extension;
        let model = self.model;
        for (index, property) in model.properties.iter().enumerate() {
            let name = &property.name;
            let wanted = predefined::property_type(&name.namespace, &name.local);
            let wrong = wanted.filter(|wanted| !extension.types.matches(&property.value, wanted));
            let Some(content) = wrong
                .filter(|_| !self.removed.contains(&index) && is_plain_name(&name.prefix))
                .and_then(|wanted| retyped(property, wanted, &extension.types))
            else {
                continue;
            };
            self.removed.insert(index);
            if !content.is_empty() {
                let tag = name.qualified();
                let content = format!("<{tag}>{content}</{tag}>\n");
                self.add_block(&[(&name.prefix, &name.namespace)], &content);
            }
        }
    }

    fn describe_foreign(&mut self) {
        let unknown: Vec<&Property> = describe::unknown(self.model, self.extension)
            .filter(|(index, property)| {
                !self.removed.contains(index) && describe::can_be_described(property)
            })
            .map(|(_, property)| property)
            .collect();
        let sequences = self.sequences();
        let mut new_schemas: BTreeMap<&str, NewSchema> = BTreeMap::new();
        for property in unknown {
            let name = &property.name;
            let new = NewProperty {
                name: name.local.clone(),
                description: format!("the property {} as it was found", name.local),
            };
            if let Some(sequence) = sequences.get(name.namespace.as_str()) {
                self.new_properties.entry(*sequence).or_default().push(new);
                continue;
            }
            let schema = new_schemas
                .entry(&name.namespace)
                .or_insert_with(|| NewSchema {
                    title: format!("Properties of {}", name.prefix),
                    namespace: name.namespace.clone(),
                    prefix: name.prefix.clone(),
                    properties: Vec::new(),
                });
            schema.properties.push(new);
        }
        self.new_schemas.extend(new_schemas.into_values());
    }

    /// The list of properties of each described namespace, where it can be added to.
    fn sequences(&self) -> BTreeMap<&'m str, usize> {
        if self.good_container().is_none() {
            return BTreeMap::new();
        }
        let schemas = self.extension.schemas.iter();
        let sequences = schemas.filter_map(|schema| {
            let is_kept = !self.removed_items.contains(&schema.item);
            let sequence = schema.sequence.filter(|_| is_kept)?;
            Some((schema.namespace.as_str(), sequence))
        });
        sequences.collect()
    }

    /// The one container and its bag, when there is exactly one and it is as it should be.
    fn good_container(&self) -> Option<(usize, usize)> {
        let mut found = containers(self.model);
        match (found.next(), found.next()) {
            (Some((index, container)), None) if is_proper(container) => {
                Some((index, array_of(self.model, container)?))
            }
            _ => None,
        }
    }

    /// The items of all containers that are kept, as elements.
    fn kept_items(&self) -> Result<Vec<usize>, XmpFault> {
        let mut items = Vec::new();
        for (_, container) in containers(self.model) {
            let array = array_of(self.model, container).ok_or_else(|| {
                let what = "the extension schemas are in no array";
                XmpFault::new(FaultKind::ExtensionContainer, what)
            })?;
            items.extend(self.tree().children(array).map(|(index, _)| index));
        }
        items.retain(|item| !self.removed_items.contains(item));
        Ok(items)
    }

    fn change_schemas(&mut self) -> Result<(), XmpFault> {
        let kept = self.kept_items()?;
        if kept.is_empty() && self.new_schemas.is_empty() {
            let gone: Vec<usize> = containers(self.model).map(|(index, _)| index).collect();
            self.removed.extend(gone);
            return Ok(());
        }
        match self.good_container() {
            Some((_, bag)) => self.change_bag(bag),
            None => self.make_bag(&kept),
        }
        Ok(())
    }

    fn change_bag(&mut self, bag: usize) {
        let items: Vec<(usize, Range<usize>)> = self
            .tree()
            .children(bag)
            .map(|(index, element)| (index, element.span.clone()))
            .collect();
        for (item, span) in items {
            if self.removed_items.contains(&item) {
                self.cut_element(span);
            }
        }
        let mut prefixes = vec![("rdf", ns::RDF)];
        prefixes.extend(SCHEMA_PREFIXES.into_iter().skip(1));
        let declarations = write::declare(self.tree(), bag, &prefixes);
        let text: String = self
            .new_schemas
            .iter()
            .map(|schema| write::schema_item(&declarations, schema))
            .collect();
        self.insert_into(bag, &text);
        for (sequence, properties) in std::mem::take(&mut self.new_properties) {
            let declarations = write::declare(self.tree(), sequence, &prefixes);
            let text: String = properties
                .iter()
                .map(|property| write::property_item(&declarations, property))
                .collect();
            self.insert_into(sequence, &text);
        }
    }

    fn make_bag(&mut self, kept: &[usize]) {
        let gone: Vec<usize> = containers(self.model).map(|(index, _)| index).collect();
        self.removed.extend(gone);
        let mut items: String = kept.iter().map(|item| self.moved(*item)).collect();
        let new = self.new_schemas.iter();
        items.extend(new.map(|schema| write::schema_item("", schema)));
        self.add_block(&SCHEMA_PREFIXES, &write::container(&items));
    }

    /// The text of an item with the declarations that it loses by moving.
    fn moved(&self, item: usize) -> String {
        let tree = self.tree();
        let Some(element) = tree.element(item) else {
            return String::new();
        };
        let text = tree.slice(element.span.clone());
        let name = element.name.qualified();
        let rest = text.get(name.len().saturating_add(1)..).unwrap_or_default();
        let mut declarations = String::new();
        for prefix in tree.prefixes(item) {
            let is_own = element.bindings.iter().any(|(own, _)| own == prefix);
            let uri = tree.binding(item, prefix).unwrap_or_default();
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
            None => self.tree().binding(self.model.rdf, prefix) == Some(uri),
        }
    }

    /// Removes an element, with the white space before it.
    fn cut_element(&mut self, span: Range<usize>) {
        let before = self.tree().slice(0..span.start);
        let start = before.trim_end().len();
        self.cuts.push((start..span.end, String::new()));
    }

    /// Inserts text after the last child of an element; to be called once for each element.
    fn insert_into(&mut self, index: usize, text: &str) {
        let Some(element) = self.tree().element(index).filter(|_| !text.is_empty()) else {
            return;
        };
        if element.is_closed() {
            let name = element.name.qualified();
            let slash = element.span.end.saturating_sub("/>".len());
            let text = format!(">{text}\n</{name}>");
            self.cuts.push((slash..element.span.end, text));
        } else {
            let last = element.children.last();
            let last = last.and_then(|child| self.tree().element(*child));
            let at = last.map_or(element.content.start, |child| child.span.end);
            self.cuts.push((at..at, text.to_owned()));
        }
    }

    /// Cuts the removed properties, and descriptions without others.
    fn cut_removed(&mut self) {
        let model = self.model;
        let mut before = 0;
        let same = |one: &Property, next: &Property| one.description == next.description;
        for own in model.properties.chunk_by(same) {
            let places = before..before + own.len();
            before = places.end;
            let entries = places.zip(own);
            let gone: Vec<&Property> = entries
                .filter(|(index, _)| self.removed.contains(index))
                .map(|(_, property)| property)
                .collect();
            let description = own.first().map(|property| property.description);
            let element = description.and_then(|index| model.tree.element(index));
            let Some(element) = element.filter(|_| !gone.is_empty()) else {
                continue;
            };
            if gone.len() == own.len() {
                self.cut_element(element.span.clone());
                continue;
            }
            for property in gone {
                self.cut_property(element, property);
            }
        }
    }

    fn cut_property(&mut self, description: &Element, property: &Property) {
        match property.place {
            Place::Element(index) => {
                let element = self.tree().element(index);
                let span = element.map(|element| element.span.clone());
                span.into_iter().for_each(|span| self.cut_element(span));
            }
            Place::Attribute(place) => {
                let attribute = description.attributes.get(place);
                let span = attribute.map(|attribute| attribute.span.clone());
                self.cuts.extend(span.map(|span| (span, String::new())));
            }
        }
    }

    fn finish(mut self) -> String {
        self.cut_removed();
        let blocks = std::mem::take(&mut self.blocks);
        self.insert_into(self.model.rdf, &blocks);
        self.cuts.sort_by_key(|(range, _)| (range.start, range.end));
        let tree = self.tree();
        let root = tree.element(0).map_or(0..0, |root| root.span.clone());
        let mut text = self.head(root.start);
        let mut at = root.start;
        for (range, new) in &self.cuts {
            text.push_str(tree.slice(at..range.start));
            text.push_str(new);
            at = range.end;
        }
        text.push_str(tree.slice(at..root.end));
        text.push('\n');
        text.push_str(&write::padding());
        text.push_str(write::TRAILER);
        text
    }

    /// A good header and the text between it and the root element.
    fn head(&self, root: usize) -> String {
        let tree = self.tree();
        let header = tree.header.as_ref();
        let mut text = match header {
            Some((span, content)) if is_good_header(content) => tree.slice(span.clone()).to_owned(),
            _ => write::HEADER.to_owned(),
        };
        let mut skipped: Vec<Range<usize>> =
            header.map(|(span, _)| span.clone()).into_iter().collect();
        skipped.extend(tree.declaration.clone());
        skipped.sort_by_key(|range| range.start);
        let mut between = String::new();
        let mut at = 0;
        for range in skipped {
            between.push_str(tree.slice(at..range.start));
            at = range.end;
        }
        between.push_str(tree.slice(at..root));
        if !between.starts_with('\n') {
            text.push('\n');
        }
        text.push_str(&between);
        text
    }
}
