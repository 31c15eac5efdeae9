//! Which content streams are drawn, with which resources and in which graphics state.

use super::colour::At;
use super::resources::{Resources, Scope, Way};
use super::state::{GraphicsState, Needs, StreamOutcome};
use super::states::at_object;
use super::walk::Frame;
use super::{Lacking, Walker, inherited_text};
use crate::PdfPlace;
use erp_pdf::pages::PdfPage;
use erp_pdf::{Dict, Object, ObjectId, PdfError, PdfFile, Result};
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::rc::Rc;
use xxhash_rust::xxh3::Xxh3;

/// The objects of a content stream, and the number of its own resources.
pub(super) type StreamKey = (Vec<u32>, u32);

/// A content stream that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawn {
    state: GraphicsState,
    /// The resources of the page it was on.
    page: u32,
    has_default_gray: bool,
    outcome: StreamOutcome,
}

/// Resources of one hash that are compared: more of them are made on purpose.
const EQUAL: usize = 8;
/// Streams that draw each other: each is a call inside a call.
const DEPTH: usize = 48;

impl Walker<'_, '_> {
    /// Looks at a page and the appearances of its annotations; whether something on it is transparent.
    pub(super) fn page(&mut self, page: &PdfPage, place: PdfPlace) -> Result<bool> {
        let own = self.resources_of(page.get("Resources"), page.id.number)?;
        let missing_at = page.inherits_resources().then_some(page.id);
        let scope = Scope {
            own,
            page: None,
            inherited: page.inherits_resources(),
            missing_at,
        };
        let way = Way {
            scope: &scope,
            state: GraphicsState::initial(),
            place,
        };
        let result = self.page_contents(page, way);
        let contents = self.readable(result, place)?.unwrap_or(false);
        let result = self.page_group(page, way);
        self.readable(result, place)?;
        let result = self.appearances(page, way);
        let appearances = self.readable(result, place)?.unwrap_or(false);
        Ok(contents || appearances)
    }

    fn page_contents(&mut self, page: &PdfPage, way: Way<'_>) -> Result<bool> {
        let Some(contents) = page.dict().get("Contents") else {
            return Ok(false);
        };
        let value = self.file.follow(contents)?;
        let is_missing = matches!(*value, Object::Null);
        let text = "the content of the page is missing";
        self.faults.add_if(is_missing, "6.2.2", way.place, text);
        let parts = value.as_array().unwrap_or(std::slice::from_ref(contents));
        Ok(self.draw(parts, way)?.is_transparent)
    }

    fn page_group(&mut self, page: &PdfPage, way: Way<'_>) -> Result<()> {
        let group = self.file.member(page.dict(), "Group")?;
        self.group_colours(group.as_dict(), &way.scope.own, way.place)
    }

    fn group_colours(
        &mut self,
        group: Option<&Dict>,
        resources: &Resources,
        place: PdfPlace,
    ) -> Result<()> {
        if let Some(space) = group.and_then(|group| group.get("CS")) {
            self.colour_space(space, At::new(resources, place))?;
        }
        Ok(())
    }

    pub(super) fn has_blending_space(&mut self, page: &PdfPage, place: PdfPlace) -> Result<bool> {
        let file = self.file;
        let group = file.member(page.dict(), "Group");
        let has = |group: &Dict| file.has(group, "CS");
        let space = group.and_then(|group| group.as_dict().map_or(Ok(false), has));
        Ok(self.readable(space, place)?.unwrap_or(false))
    }

    /// Looks at the normal appearances of all annotations, in all their states.
    fn appearances(&mut self, page: &PdfPage, way: Way<'_>) -> Result<bool> {
        let annotations = self.file.member(page.dict(), "Annots")?;
        let mut is_transparent = false;
        for annotation in annotations.as_array().unwrap_or_default() {
            let annotation = self.file.follow(annotation)?;
            let Some(annotation) = annotation.as_dict() else {
                continue;
            };
            let appearances = self.file.member(annotation, "AP")?;
            let Some(normal) = appearances.as_dict().and_then(|dict| dict.get("N")) else {
                continue;
            };
            match &*self.file.follow(normal)? {
                Object::Stream(_) => is_transparent |= self.form(normal, way)?.is_transparent,
                Object::Dict(states) => {
                    for (_, appearance) in states.iter() {
                        is_transparent |= self.form(appearance, way)?.is_transparent;
                    }
                }
                _ => {}
            }
        }
        Ok(is_transparent)
    }

    /// Looks at a form XObject, an appearance, or the group of a soft mask.
    pub(super) fn form(&mut self, reference: &Object, way: Way<'_>) -> Result<StreamOutcome> {
        let value = self.file.follow(reference)?;
        let (Some(stream), Some(id)) = (value.as_stream(), reference.as_reference()) else {
            return Ok(StreamOutcome::default());
        };
        let inner = self.inner_scope(&stream.dict, way.scope, Some(id))?;
        let place = way.place.object(id.number);
        let group = self.file.member(&stream.dict, "Group")?;
        if self.forms.insert(id.number) {
            self.form_members(&stream.dict, place)?;
            self.group_colours(group.as_dict(), &inner.own, place)?;
        }
        let is_group = match group.as_dict() {
            Some(group) => self.file.member(group, "S")?.as_name() == Some(b"Transparency"),
            None => false,
        };
        let mut outcome = self.draw(std::slice::from_ref(reference), way.inside(&inner, place))?;
        outcome.is_transparent |= is_group;
        Ok(outcome)
    }

    fn form_members(&mut self, dict: &Dict, place: PdfPlace) -> Result<()> {
        for (name, _) in dict.iter() {
            let text = match name {
                b"OPI" => "a form has an `OPI` dictionary",
                b"PS" => "a form has a `PS` entry",
                b"Ref" => "a form stands for a page of another file (`Ref`)",
                _ => continue,
            };
            self.faults.add("6.2.9", place, text);
        }
        let is_script = self.file.member(dict, "Subtype2")?.as_name() == Some(b"PS");
        let text = "a form is a PostScript XObject";
        self.faults.add_if(is_script, "6.2.9", place, text);
        Ok(())
    }

    /// Looks at the cell of a tiling pattern.
    pub(super) fn tiling(&mut self, reference: &Object, way: Way<'_>) -> Result<StreamOutcome> {
        let value = self.file.follow(reference)?;
        let (Some(stream), Some(id)) = (value.as_stream(), reference.as_reference()) else {
            return Ok(StreamOutcome::default());
        };
        let inner = self.inner_scope(&stream.dict, way.scope, Some(id))?;
        let way = way.inside(&inner, way.place.object(id.number));
        self.draw(std::slice::from_ref(reference), way)
    }

    /// Checks the glyph procedures of a Type 3 font; does nothing for another one.
    pub(super) fn glyphs(&mut self, key: usize, way: Way<'_>) -> Result<StreamOutcome> {
        let Some(font) = self.glyph_fonts.get(&key) else {
            return Ok(StreamOutcome::default());
        };
        let known = self.glyphs_drawn.get(&key);
        if let Some(known) = known.and_then(|known| same(known, way)) {
            return Ok(known);
        }
        let outcome = self.all_glyphs(&font.clone(), way)?;
        let drawn = self.glyphs_drawn.entry(key).or_default();
        drawn.push(Drawn::new(way, outcome));
        Ok(outcome)
    }

    fn all_glyphs(&mut self, font: &Object, way: Way<'_>) -> Result<StreamOutcome> {
        let value = self.file.follow(font)?;
        let Some(dict) = value.as_dict() else {
            return Ok(StreamOutcome::default());
        };
        let inner = self.inner_scope(dict, way.scope, font.as_reference())?;
        let procedures = self.file.member(dict, "CharProcs")?;
        let mut all = StreamOutcome::default();
        for (_, procedure) in procedures.as_dict().into_iter().flat_map(Dict::iter) {
            let way = way.inside(&inner, at_object(way.place, procedure));
            let outcome = self.draw(std::slice::from_ref(procedure), way)?;
            all.needs.add(outcome.needs, Needs::ALL);
            all.is_transparent |= outcome.is_transparent;
        }
        Ok(all)
    }

    fn inner_scope(&mut self, dict: &Dict, outer: &Scope, id: Option<ObjectId>) -> Result<Scope> {
        let number = id.map_or(0, |id| id.number);
        let own = self.resources_of(dict.get("Resources"), number)?;
        let missing_at = id.filter(|_| own.dict.is_empty());
        let page = Some(Rc::clone(outer.page_level()));
        Ok(Scope {
            own,
            page,
            inherited: false,
            missing_at,
        })
    }

    /// The resources an object has; an empty dictionary when it has none.
    fn resources_of(&mut self, value: Option<&Object>, owner: u32) -> Result<Rc<Resources>> {
        let Some(value) = value else {
            return Ok(Rc::clone(&self.empty));
        };
        let key = match value.as_reference() {
            Some(id) => (id.number, false),
            None => (owner, true),
        };
        if let Some(known) = self.resources.get(&key).filter(|_| key.0 != 0) {
            return Ok(Rc::clone(known));
        }
        let dict = self.file.follow(value)?;
        let dict = dict.as_dict().cloned().unwrap_or_default();
        let hash = hash(value);
        let same = self.equal_resources.get(&hash);
        let same = same.and_then(|all| all.iter().find(|known| known.value == *value));
        if let Some(same) = same.map(Rc::clone) {
            self.resources.insert(key, Rc::clone(&same));
            return Ok(same);
        }
        self.file.hold(value)?;
        self.file.hold_dict(&dict)?;
        let resources = Resources::new(self.file, self.next_resources, value.clone(), dict)?;
        let resources = Rc::new(resources);
        self.next_resources += 1;
        self.resources.insert(key, Rc::clone(&resources));
        let equal = self.equal_resources.entry(hash).or_default();
        if equal.len() < EQUAL {
            equal.push(Rc::clone(&resources));
        }
        Ok(resources)
    }

    /// Finds a named resource, and notes when it is not the stream's own (6.2.2).
    pub(super) fn find(
        &mut self,
        scope: &Scope,
        category: &str,
        name: &[u8],
        place: PdfPlace,
    ) -> Result<Option<(Object, Rc<Resources>)>> {
        let Some((resources, inherited)) = scope.find(self.file, category, name)? else {
            self.asked_page |= scope.page.is_some();
            return Ok(None);
        };
        self.asked_page |= inherited;
        let object = resources.get(self.file, category, name)?;
        let object = object.unwrap_or_default();
        if inherited {
            let resource = Resource {
                category,
                name,
                object: &object,
            };
            self.inherited(scope, resources, &resource, place)?;
        }
        Ok(Some((object, Rc::clone(resources))))
    }

    fn inherited(
        &mut self,
        scope: &Scope,
        resources: &Resources,
        resource: &Resource<'_>,
        place: PdfPlace,
    ) -> Result<()> {
        let name = String::from_utf8_lossy(resource.name).into_owned();
        let Some(id) = scope.missing_at else {
            self.faults.add("6.2.2", place, inherited_text(&name));
            return Ok(());
        };
        let file = self.file;
        let lacking = match self.lacking.entry(id) {
            Entry::Vacant(free) => {
                file.hold(&resources.value)?;
                file.hold_bytes(name.len())?;
                let owner = file.object(id.number)?;
                let owner = owner.as_ref().and_then(|owner| owner.object.as_dict());
                let is_type3 = owner.is_some_and(|owner| owner.name("Subtype") == Some(b"Type3"));
                free.insert(Lacking {
                    place,
                    name,
                    value: Some(resources.value.clone()),
                    named: is_type3.then(Dict::new),
                })
            }
            Entry::Occupied(known) => {
                let known = known.into_mut();
                if known.value.as_ref() != Some(&resources.value) {
                    known.value = None;
                }
                known
            }
        };
        if let Some(named) = &mut lacking.named
            && !resource.put_into(file, named)?
        {
            lacking.value = None;
        }
        Ok(())
    }

    /// Looks at the bytes of a content stream, unless the same was done before.
    fn draw(&mut self, parts: &[Object], way: Way<'_>) -> Result<StreamOutcome> {
        let number = |part: &Object| part.as_reference().map_or(0, |id| id.number);
        let numbers: Vec<u32> = parts.iter().map(number).collect();
        let key = (numbers, way.scope.own.id);
        if let Some(known) = self.drawn.get(&key).and_then(|known| same(known, way)) {
            return Ok(known);
        }
        let is_circle = self.under_way.contains(&key);
        if is_circle || self.under_way.len() > DEPTH {
            let text = if is_circle {
                "a content stream draws itself"
            } else {
                "content streams are nested too deep"
            };
            self.faults.add("6.2.2", way.place, text);
            return Ok(StreamOutcome::default());
        }
        let again = self.drawn.contains_key(&key);
        self.file.hold_bytes(size_of_val(key.0.as_slice()))?;
        self.under_way.push(key.clone());
        let outcome = self.interpret(parts, way, again);
        self.under_way.pop();
        let outcome = outcome?;
        let drawn = self.drawn.entry(key).or_default();
        drawn.push(Drawn::new(way, outcome));
        Ok(outcome)
    }

    fn interpret(&mut self, parts: &[Object], way: Way<'_>, again: bool) -> Result<StreamOutcome> {
        let mut values = Vec::new();
        for part in parts {
            let value = self.file.follow(part);
            values.extend(self.readable(value, way.place)?);
        }
        let file = self.file;
        let mut bytes = Cow::Borrowed(&[][..]);
        for stream in values.iter().filter_map(|value| value.as_stream()) {
            let Some(part) = self.readable(file.decoded_whole(stream), way.place)? else {
                continue;
            };
            let (length, limit) = (bytes.len() + part.len(), file.limits().content_bytes);
            PdfError::within("bytes of the content of one page", length, limit)?;
            if bytes.is_empty() {
                bytes = part;
            } else {
                let whole = bytes.to_mut();
                whole.push(b'\n');
                whole.extend_from_slice(&part);
            }
        }
        // Judging takes much more time than decoding: one stream may be drawn in another way by each page.
        let limits = file.limits();
        let (read, what, limit) = if again {
            let what = "bytes of what is drawn again in another way";
            (&mut self.read_again, what, limits.content_bytes)
        } else {
            (&mut self.read, "bytes of what is drawn", limits.total_bytes)
        };
        *read += bytes.len();
        PdfError::within(what, *read, limit)?;
        Frame::new(self, way).run(&bytes)
    }
}

/// The same for equal values.
fn hash(value: &Object) -> u64 {
    fn add(hash: &mut Xxh3, value: &Object) {
        match value {
            Object::Name(name) => hash.update(name),
            Object::Reference(id) => hash.update(&id.number.to_le_bytes()),
            Object::Array(items) => items.iter().for_each(|item| add(hash, item)),
            Object::Dict(dict) => dict.iter().for_each(|(name, value)| {
                hash.update(name);
                add(hash, value);
            }),
            // What else differs is found by comparing.
            _ => hash.update(b" "),
        }
    }
    let mut hash = Xxh3::new();
    add(&mut hash, value);
    hash.digest()
}

/// A resource as content names it.
struct Resource<'r> {
    category: &'r str,
    name: &'r [u8],
    object: &'r Object,
}

impl Resource<'_> {
    /// Adds it to resources that are made for a font. Returns false for what may lead to the font again.
    fn put_into(&self, file: &PdfFile<'_>, resources: &mut Dict) -> Result<bool> {
        file.hold(self.object)?;
        file.hold_bytes(self.name.len())?;
        let is_plain = match self.category {
            "ColorSpace" | "ExtGState" | "Properties" | "Shading" => true,
            "XObject" => {
                let object = file.follow(self.object)?;
                let kind = object.as_dict().and_then(|dict| dict.name("Subtype"));
                kind == Some(b"Image")
            }
            _ => false,
        };
        if is_plain {
            let members = resources.get(self.category).and_then(Object::as_dict);
            let mut members = members.cloned().unwrap_or_default();
            members.set_bytes(self.name, self.object.clone());
            resources.set(self.category, Object::Dict(members));
        }
        Ok(is_plain)
    }
}

impl Drawn {
    fn new(way: Way<'_>, outcome: StreamOutcome) -> Self {
        let page = way.scope.page_level();
        Self {
            state: way.state,
            page: page.id,
            has_default_gray: page.has_default_gray,
            outcome,
        }
    }

    /// Whether drawing it in this way comes to the same.
    fn is_like(&self, way: Way<'_>) -> bool {
        let page = way.scope.page_level();
        let needs = self.outcome.needs;
        let same_page = self.page == page.id;
        let same_black = same_page || !self.has_default_gray && !page.has_default_gray;
        self.state.agrees(&way.state, needs)
            && (!needs.has(Needs::PAGE) || same_page)
            && (!needs.has(Needs::DEFAULT_GRAY) || same_black)
    }
}

/// What the stream came to when it was drawn in a way that makes no difference.
fn same(known: &[Drawn], way: Way<'_>) -> Option<StreamOutcome> {
    let mut known = known.iter();
    let same = known.find(|known| known.is_like(way));
    same.map(|known| known.outcome)
}
