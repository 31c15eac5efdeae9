//! Image XObjects and inline images (6.1.10, 6.2.8), and where these end (ISO 32000-1, 8.9.7).

use super::Walker;
use super::colour::At;
use super::resources::{Resources, Scope};
use super::states::at_object;
use crate::repair::Repair;
use crate::{PdfPlace, is_one_of};
use erp_pdf::lexer::Lexer;
use erp_pdf::tokens::is_white;
use erp_pdf::{Dict, Object, ObjectId, PdfError, Result, Stream};
use std::rc::Rc;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ImageUse {
    /// It is painted in the current colour.
    pub(super) is_stencil: bool,
    /// It has a soft mask.
    pub(super) is_transparent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Shown,
    Mask,
    SoftMask,
}

/// Filters an inline image may have, with their short names (6.1.10).
const INLINE_FILTERS: &str = "ASCIIHexDecode AHx ASCII85Decode A85 FlateDecode Fl RunLengthDecode RL CCITTFaxDecode \
    CCF DCTDecode DCT";
/// Alternate images inside each other, masks of masks: honest files have one, and they may be a circle.
const DEPTH: usize = 4;

impl Walker<'_, '_> {
    /// Judges an image XObject that is drawn.
    pub(super) fn image(
        &mut self,
        reference: &Object,
        resources: &Rc<Resources>,
        place: PdfPlace,
    ) -> Result<ImageUse> {
        let number = reference.as_reference().map_or(0, |id| id.number);
        if let Some(known) = self.images.get(&(number, resources.id)) {
            return Ok(*known);
        }
        let image = self.one_image(reference, At::new(resources, place), Role::Shown)?;
        self.images.insert((number, resources.id), image);
        Ok(image)
    }

    fn one_image(&mut self, reference: &Object, at: At<'_>, role: Role) -> Result<ImageUse> {
        let value = self.file.follow(reference)?;
        let Some(stream) = value.as_stream().filter(|_| at.depth < DEPTH) else {
            return Ok(ImageUse::default());
        };
        let place = at_object(at.place, reference);
        let at = At { place, ..at };
        let dict = &stream.dict;
        self.image_members(dict, reference.as_reference(), place, role)?;
        let is_stencil = self.file.member(dict, "ImageMask")?.as_bool() == Some(true);
        let has_colours = self.file.has(dict, "ColorSpace")?;
        if role == Role::Shown
            && !is_stencil
            && let Some(space) = dict.get("ColorSpace")
        {
            self.colour_space(space, At::new(at.resources, place))?;
        }
        if self.is_jpeg2000(dict)? {
            let shown = role == Role::Shown;
            self.jpeg2000(stream, has_colours || is_stencil, shown, place);
        }
        let mask = self.inner_image(dict, "SMask", at, (role, Role::SoftMask))?;
        self.inner_image(dict, "Mask", at, (role, Role::Mask))?;
        let in_data = self.file.member(dict, "SMaskInData")?.as_integer();
        Ok(ImageUse {
            is_stencil,
            is_transparent: mask || in_data > Some(0),
        })
    }

    /// A mask of a shown image; whether there is one.
    fn inner_image(
        &mut self,
        dict: &Dict,
        member: &str,
        at: At<'_>,
        (role, inner): (Role, Role),
    ) -> Result<bool> {
        let Some(object @ Object::Reference(_)) = dict.get(member) else {
            return Ok(false);
        };
        let is_stream = self.file.follow(object)?.as_stream().is_some();
        if is_stream && role == Role::Shown {
            self.one_image(object, at.deeper(), inner)?;
        }
        Ok(is_stream)
    }

    fn image_members(
        &mut self,
        dict: &Dict,
        id: Option<ObjectId>,
        place: PdfPlace,
        role: Role,
    ) -> Result<()> {
        let has = |name: &[u8]| dict.iter().any(|(key, _)| key == name);
        let text = "an image has alternate images";
        self.faults.add_if(has(b"Alternates"), "6.2.8", place, text);
        let text = "an image has an `OPI` dictionary";
        self.faults.add_if(has(b"OPI"), "6.2.8", place, text);
        if self.file.member(dict, "Interpolate")?.as_bool() == Some(true) {
            let text = "an image is to be interpolated";
            let members = vec![("Interpolate", Object::Bool(false))];
            let repair = id.map(|object| Repair::members(object, members));
            self.faults.add_repairable("6.2.8", place, text, repair);
        }
        let bits = self.file.member(dict, "BitsPerComponent")?.as_integer();
        let allowed = match role {
            Role::Mask => matches!(bits, None | Some(1)),
            _ => matches!(bits, None | Some(1 | 2 | 4 | 8 | 16)),
        };
        if !allowed {
            let bits = bits.unwrap_or_default();
            let text = format!("an image has {bits} bits for each component");
            self.faults.add("6.2.8", place, text);
        }
        match self.file.member(dict, "Intent")?.as_name() {
            Some(intent) if role != Role::Mask => self.rendering_intent(intent, place),
            _ => {}
        }
        Ok(())
    }

    fn is_jpeg2000(&self, dict: &Dict) -> Result<bool> {
        for filter in self.file.member(dict, "Filter")?.as_list() {
            if self.file.follow(filter)?.as_name() == Some(b"JPXDecode") {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Judges JPEG 2000 data by its header (6.2.8.3).
    fn jpeg2000(&mut self, stream: &Stream, has_colours: bool, shown: bool, place: PdfPlace) {
        let header = super::jpeg2000::read(self.file.raw(stream));
        for text in header.faults(has_colours) {
            self.faults.add("6.2.8.3", place, text);
        }
        if shown && !has_colours && header.is_device_cmyk() {
            self.uses.note(super::colour::Device::Cmyk, place);
        }
    }

    /// Judges an inline image; whether it is painted in the current colour.
    pub(super) fn inline_image(
        &mut self,
        dict: &Dict,
        scope: &Scope,
        place: PdfPlace,
        colours_count: bool,
    ) -> Result<bool> {
        let member = |long: &str, short: &str| dict.get(long).or_else(|| dict.get(short));
        let is_stencil = member("ImageMask", "IM").and_then(Object::as_bool) == Some(true);
        let filters = member("Filter", "F").map(Object::as_list);
        for filter in filters.unwrap_or_default() {
            let name = filter.as_name().unwrap_or_default();
            if !is_one_of(INLINE_FILTERS, name) {
                let name = String::from_utf8_lossy(name);
                let text = format!("an inline image has the filter `{name}`");
                self.faults.add("6.1.10", place, text);
            }
        }
        if !is_stencil && !colours_count {
            return Ok(false);
        }
        let interpolate = member("Interpolate", "I").and_then(Object::as_bool) == Some(true);
        let text = "an inline image is to be interpolated";
        self.faults.add_if(interpolate, "6.2.8", place, text);
        let bits = member("BitsPerComponent", "BPC").and_then(Object::as_integer);
        let wrong = !matches!(bits, None | Some(1 | 2 | 4 | 8 | 16));
        let text = "an inline image has a wrong number of bits for each component";
        self.faults.add_if(wrong, "6.2.8", place, text);
        if let Some(intent) = member("Intent", "Intent").and_then(Object::as_name) {
            self.rendering_intent(intent, place);
        }
        if !is_stencil && let Some(space) = member("ColorSpace", "CS") {
            match full_names(space) {
                Object::Name(name) => self.named_colours(&name, scope, place)?,
                other => self.colour_space(&other, At::new(&scope.own, place))?,
            };
        }
        Ok(is_stencil)
    }
}

/// A colour space of an inline image with the full names of the standard ones.
fn full_names(space: &Object) -> Object {
    match space {
        Object::Name(name) => Object::name(match &**name {
            b"G" => "DeviceGray",
            b"RGB" => "DeviceRGB",
            b"CMYK" => "DeviceCMYK",
            b"I" => "Indexed",
            _ => return space.clone(),
        }),
        Object::Array(items) => {
            let named = |item: &Object| match item {
                Object::Name(_) => full_names(item),
                other => other.clone(),
            };
            Object::Array(items.iter().map(named).collect())
        }
        other => other.clone(),
    }
}

/// The members of an inline image, up to and with `ID` and the blank after it.
pub(super) fn inline_dict(lexer: &mut Lexer<'_>) -> Result<Dict> {
    let mut dict = Dict::new();
    loop {
        lexer.skip_white();
        if lexer.take_keyword(b"ID") {
            break;
        }
        let Object::Name(key) = lexer.object()? else {
            return Err(PdfError::damaged("an inline image", lexer.position()));
        };
        dict.set_bytes(&key, lexer.object()?);
    }
    if lexer.peek().is_some_and(is_white) {
        lexer.seek(lexer.position() + 1);
    }
    Ok(dict)
}

/// Bytes after `EI` that show whether it is the end of an image: samples rarely look like operators for so long.
const LOOK_AHEAD: usize = 12;

/// The end of an inline image whose data start at `start`: after its `EI`.
pub(super) fn inline_end(bytes: &[u8], start: usize, dict: &Dict) -> Option<usize> {
    let start = start + text_length(bytes.get(start..)?, dict);
    let data = bytes.get(start..)?;
    let end = memchr::memmem::find_iter(data, b"EI").find(|at| {
        let after = data.get(at + 2..).unwrap_or_default();
        after.first().is_none_or(|byte| is_white(*byte)) && looks_like_content(after)
    })?;
    Some(start + end + 2)
}

/// The length of image data that is text, in which `EI` may be; 0 for other data.
fn text_length(data: &[u8], dict: &Dict) -> usize {
    let filter = dict.get("Filter").or_else(|| dict.get("F"));
    let first = filter.and_then(|filter| filter.as_list().first());
    match first.and_then(Object::as_name) {
        Some(b"A85" | b"ASCII85Decode") => memchr::memmem::find(data, b"~>").map_or(0, |at| at + 2),
        Some(b"AHx" | b"ASCIIHexDecode") => memchr::memchr(b'>', data).map_or(0, |at| at + 1),
        _ => 0,
    }
}

fn looks_like_content(after: &[u8]) -> bool {
    let mut ahead = after.iter().take(LOOK_AHEAD);
    ahead.all(|byte| is_white(*byte) || byte.is_ascii_graphic())
}
