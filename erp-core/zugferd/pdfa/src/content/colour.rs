//! Colour spaces (6.2.4).

use super::Walker;
use super::resources::{Resources, Scope};
use super::state::Paint;
use super::states::at_object;
use crate::repair::Repair;
use crate::structure::IntentColours;
use crate::{Faults, PdfPlace};
use erp_pdf::{Dict, Object, PdfError, Result, Stream};

/// An uncalibrated colour space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Device {
    Gray,
    Rgb,
    Cmyk,
}

impl Device {
    fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"DeviceGray" => Some(Self::Gray),
            b"DeviceRGB" => Some(Self::Rgb),
            b"DeviceCMYK" => Some(Self::Cmyk),
            _ => None,
        }
    }

    /// The colour space in the resources that replaces it.
    const fn replacement(self) -> &'static [u8] {
        match self {
            Self::Gray => b"DefaultGray",
            Self::Rgb => b"DefaultRGB",
            Self::Cmyk => b"DefaultCMYK",
        }
    }
}

/// Where a colour space or an image is named.
#[derive(Clone, Copy)]
pub(super) struct At<'r> {
    pub(super) resources: &'r Resources,
    pub(super) place: PdfPlace,
    /// It is a default colour space itself, which no other one replaces.
    pub(super) is_default: bool,
    /// Colour spaces or images around it.
    pub(super) depth: usize,
}

impl<'r> At<'r> {
    pub(super) const fn new(resources: &'r Resources, place: PdfPlace) -> Self {
        Self {
            resources,
            place,
            is_default: false,
            depth: 0,
        }
    }

    pub(super) const fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct DeviceUses {
    places: [Vec<PdfPlace>; 3],
}

/// Places that are named for each uncalibrated colour space: most files have one on each page.
const PLACES: usize = 20;
/// Colour spaces inside each other: a few make sense, and they may be a circle.
const DEPTH: usize = 8;
const PROFILE_HEADER: usize = 128;

impl DeviceUses {
    /// Notes a use; of a page only the first one.
    pub(super) fn note(&mut self, device: Device, place: PdfPlace) {
        let Some(places) = self.places.get_mut(device as usize) else {
            return;
        };
        if places.len() < PLACES && places.last().is_none_or(|last| last.page != place.page) {
            places.push(place);
        }
    }

    /// Tells those that the output intent does not cover (6.2.4.3).
    pub(super) fn report(self, intents: IntentColours, faults: &Faults) {
        let [gray, rgb, cmyk] = self.places;
        let has = |components| intents.present && intents.components == components;
        // An sRGB output intent would not cover CMYK, and there can be only one.
        let repair = (!intents.present && cmyk.is_empty()).then_some(Repair::OutputIntent);
        let uses = [
            (gray, intents.present, "DeviceGray", "an"),
            (rgb, has(3), "DeviceRGB", "an RGB"),
            (cmyk, has(4), "DeviceCMYK", "a CMYK"),
        ];
        for (places, covered, device, missing) in uses {
            let text = format!("{device} is used without {missing} output intent");
            for place in places.into_iter().filter(|_| !covered) {
                faults.add_repairable("6.2.4.3", place, &*text, repair.clone());
            }
        }
    }
}

impl Walker<'_, '_> {
    /// Judges a colour space that a content stream names.
    pub(super) fn named_colours(
        &mut self,
        name: &[u8],
        scope: &Scope,
        place: PdfPlace,
    ) -> Result<Paint> {
        match (Device::of(name), name) {
            (Some(device), _) => self.device_colours(device, At::new(&scope.own, place)),
            (None, b"Pattern") => Ok(Paint::Plain),
            (None, _) => self.own_colours(name, scope, place),
        }
    }

    fn own_colours(&mut self, name: &[u8], scope: &Scope, place: PdfPlace) -> Result<Paint> {
        match self.find(scope, "ColorSpace", name, place)? {
            Some((object, resources)) => self.colour_space(&object, At::new(&resources, place)),
            None => {
                let name = String::from_utf8_lossy(name);
                let text = format_args!("the colour space `{name}` is not in the resources");
                self.report("6.2.2", place, text);
                Ok(Paint::Plain)
            }
        }
    }

    /// Judges an uncalibrated colour space where a default one may replace it.
    pub(super) fn device_colours(&mut self, device: Device, at: At<'_>) -> Result<Paint> {
        let resources = at.resources;
        let mut devices = resources.devices.get();
        let known = match devices.get(device as usize).copied().flatten() {
            Some(known) => known,
            None => {
                let object = resources.get(self.file, "ColorSpace", device.replacement())?;
                let at = At {
                    is_default: true,
                    ..at.deeper()
                };
                let known = object.map(|object| self.colour_space(&object, at));
                let known = known.transpose()?;
                devices = resources.devices.get();
                if let Some(device) = devices.get_mut(device as usize) {
                    *device = Some(known);
                }
                resources.devices.set(devices);
                known
            }
        };
        Ok(known.unwrap_or_else(|| {
            self.uses.note(device, at.place);
            Paint::Plain
        }))
    }

    /// Judges a colour space; what painting with it needs to know.
    pub(super) fn colour_space(&mut self, object: &Object, at: At<'_>) -> Result<Paint> {
        let id = object.as_reference();
        let key = id.map(|id| (id.number, at.resources.id, at.is_default));
        if let Some(known) = key.and_then(|key| self.colours.get(&key)) {
            return Ok(*known);
        }
        if at.depth > DEPTH {
            let text = "colour spaces are nested too deep, or in a circle";
            self.faults.add("6.2.4.1", at.place, text);
            return Ok(Paint::Plain);
        }
        let value = self.file.follow(object)?;
        let place = at_object(at.place, object);
        let at = At { place, ..at };
        let paint = match &*value {
            Object::Name(name) => self.standard_colours(name, at)?,
            Object::Array(items) => self.parametric_colours(items, at)?,
            _ => {
                let text = "a colour space is neither a name nor an array";
                self.faults.add("6.2.4.1", place, text);
                Paint::Plain
            }
        };
        if let Some(key) = key {
            self.colours.insert(key, paint);
        }
        Ok(paint)
    }

    fn standard_colours(&mut self, name: &[u8], at: At<'_>) -> Result<Paint> {
        let device = match name {
            b"CalCMYK" => Device::Cmyk,
            b"Pattern" => return Ok(Paint::Plain),
            _ => match Device::of(name) {
                Some(device) => device,
                None => return self.named_in_resources(name, at),
            },
        };
        if at.is_default {
            self.uses.note(device, at.place);
            return Ok(Paint::Plain);
        }
        self.device_colours(device, at)
    }

    fn named_in_resources(&mut self, name: &[u8], at: At<'_>) -> Result<Paint> {
        let object = at.resources.get(self.file, "ColorSpace", name)?;
        match object {
            Some(object) => self.colour_space(&object, at.deeper()),
            None => {
                self.unknown_colours(name, at.place);
                Ok(Paint::Plain)
            }
        }
    }

    fn unknown_colours(&self, name: &[u8], place: PdfPlace) {
        let name = String::from_utf8_lossy(name);
        let text = format!("the colour space `{name}` is not known");
        self.faults.add("6.2.4.1", place, text);
    }

    fn parametric_colours(&mut self, items: &[Object], at: At<'_>) -> Result<Paint> {
        let family = self.file.name(items.first().unwrap_or(&Object::Null))?;
        match (family.as_slice(), items.get(1)) {
            (b"CalGray" | b"CalRGB" | b"Lab", _) => {}
            (b"ICCBased", Some(profile)) => return self.icc_based(profile, at.place),
            (b"Indexed" | b"Pattern", Some(base)) => {
                self.colour_space(base, at.deeper())?;
            }
            (b"Separation", Some(name)) => {
                let name = self.file.name(name)?;
                self.separation(&name, items, at)?;
            }
            (b"DeviceN", Some(names)) => {
                let names = self.colorant_names(names)?;
                self.device_n(&names, items, at)?;
            }
            (b"DeviceGray" | b"DeviceRGB" | b"DeviceCMYK" | b"CalCMYK" | b"Pattern", _) => {
                return self.standard_colours(&family, at);
            }
            (other, _) => self.unknown_colours(other, at.place),
        }
        Ok(Paint::Plain)
    }

    fn icc_based(&mut self, profile: &Object, place: PdfPlace) -> Result<Paint> {
        let value = self.file.follow(profile)?;
        let place = at_object(place, profile);
        let Some(stream) = value.as_stream() else {
            let text = "an ICC-based colour space has no profile";
            self.faults.add("6.2.4.2", place, text);
            return Ok(Paint::Plain);
        };
        let components = self.file.member(&stream.dict, "N")?.as_integer();
        let number = profile.as_reference().map_or(0, |id| id.number);
        if self.profiles.insert(number) {
            let header = self.profile_header(stream)?;
            if let Some(text) = profile_fault(&header, components) {
                self.faults.add("6.2.4.2", place, text);
            }
        }
        Ok(if components == Some(4) {
            Paint::IccCmyk
        } else {
            Paint::Plain
        })
    }

    fn profile_header(&self, stream: &Stream) -> Result<Vec<u8>> {
        let start = self.file.decoded_start(stream, PROFILE_HEADER)?;
        if !start.is_empty() {
            return Ok(start);
        }
        let whole = PdfError::readable(self.file.decoded(stream))?.unwrap_or_default();
        Ok(whole.iter().take(PROFILE_HEADER).copied().collect())
    }

    fn colorant_names(&self, names: &Object) -> Result<Vec<Vec<u8>>> {
        let names = self.file.follow(names)?;
        let names = names.as_array().unwrap_or_default().iter().take(1_000);
        names.map(|name| self.file.name(name)).collect()
    }

    fn colorant_name(&mut self, name: &[u8], place: PdfPlace) {
        if std::str::from_utf8(name).is_err() {
            let name = String::from_utf8_lossy(name);
            let text = format!("the name of the colorant `{name}` is not UTF-8");
            self.faults.add("6.1.8", place, text);
        }
    }

    fn separation(&mut self, name: &[u8], items: &[Object], at: At<'_>) -> Result<()> {
        self.colorant_name(name, at.place);
        let [_, _, alternate, tint, ..] = items else {
            let text = "a separation colour space is not complete";
            self.faults.add("6.2.4.4", at.place, text);
            return Ok(());
        };
        self.colour_space(alternate, at.deeper())?;
        if name == b"All" || name == b"None" {
            return Ok(());
        }
        match self.separations.get(name).cloned() {
            None => {
                self.file.hold(alternate)?;
                self.file.hold(tint)?;
                self.file.hold_bytes(name.len())?;
                self.separations
                    .insert(name.to_vec(), (alternate.clone(), tint.clone()));
            }
            Some((first_alternate, first_tint)) => {
                let same = self.is_same(&first_alternate, alternate, 0)?
                    && self.is_same(&first_tint, tint, 0)?;
                if !same {
                    let name = String::from_utf8_lossy(name);
                    let text = format!("the separation `{name}` is defined in more than one way");
                    self.faults.add("6.2.4.4", at.place, text);
                }
            }
        }
        Ok(())
    }

    fn device_n(&mut self, names: &[Vec<u8>], items: &[Object], at: At<'_>) -> Result<()> {
        let text = "a DeviceN colour space has more than 32 colorants";
        self.faults
            .add_if(names.len() > 32, "6.1.13", at.place, text);
        for name in names {
            self.colorant_name(name, at.place);
        }
        if let Some(alternate) = items.get(2) {
            self.colour_space(alternate, at.deeper())?;
        }
        let attributes = self.file.follow(items.get(4).unwrap_or(&Object::Null))?;
        let attributes = attributes.as_dict();
        let known = match attributes {
            Some(attributes) => self.colorants(attributes, at)?,
            None => Vec::new(),
        };
        let is_process =
            |name: &[u8]| matches!(name, b"Cyan" | b"Magenta" | b"Yellow" | b"Black" | b"None");
        // Without attributes even process colorants are taken for spot colours by validators.
        let is_unknown = |name: &&Vec<u8>| !known.contains(name) && !is_process(name);
        let any = names.first().filter(|_| attributes.is_none());
        if let Some(name) = names.iter().find(is_unknown).or(any) {
            let name = String::from_utf8_lossy(name);
            let text = format!("the colorant `{name}` of a DeviceN colour space is not described");
            self.faults.add("6.2.4.4", at.place, text);
        }
        Ok(())
    }

    /// Judges the process and spot colours in the attributes of a DeviceN colour space; their names.
    fn colorants(&mut self, attributes: &Dict, at: At<'_>) -> Result<Vec<Vec<u8>>> {
        let process = self.file.member(attributes, "Process")?;
        let of_process = |name| process.as_dict().and_then(|process| process.get(name));
        let mut names = match of_process("Components") {
            Some(components) => self.colorant_names(components)?,
            None => Vec::new(),
        };
        if let Some(space) = of_process("ColorSpace") {
            self.colour_space(space, at.deeper())?;
        }
        let colorants = self.file.member(attributes, "Colorants")?;
        let colorants = colorants.as_dict().into_iter().flat_map(Dict::iter);
        for (name, space) in colorants.take(1_000) {
            names.push(name.to_vec());
            self.colour_space(space, at.deeper())?;
        }
        Ok(names)
    }

    /// Whether two objects are the same, apart from references and compression (6.2.4.4).
    fn is_same(&self, one: &Object, other: &Object, depth: usize) -> Result<bool> {
        if one == other {
            return Ok(true);
        }
        if depth > DEPTH {
            return Ok(false);
        }
        let (one, other) = (self.file.follow(one)?, self.file.follow(other)?);
        match (&*one, &*other) {
            (Object::Array(one), Object::Array(other)) if one.len() == other.len() => {
                for (one, other) in one.iter().zip(other) {
                    if !self.is_same(one, other, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Object::Dict(one), Object::Dict(other)) => self.is_same_dict(one, other, depth),
            (Object::Stream(one), Object::Stream(other)) => {
                if !self.is_same_dict(&one.dict, &other.dict, depth)? {
                    return Ok(false);
                }
                let one = PdfError::readable(self.file.decoded(one))?;
                let other = PdfError::readable(self.file.decoded(other))?;
                Ok(one.is_some() && one == other)
            }
            (one, other) => match (one.as_number(), other.as_number()) {
                (Some(one), Some(other)) => Ok(one == other),
                _ => Ok(one == other),
            },
        }
    }

    fn is_same_dict(&self, one: &Dict, other: &Dict, depth: usize) -> Result<bool> {
        let is_compression = |name: &[u8]| matches!(name, b"Length" | b"Filter" | b"DecodeParms");
        let counts = |(name, _): &(&[u8], &Object)| !is_compression(name);
        if one.iter().filter(counts).count() != other.iter().filter(counts).count() {
            return Ok(false);
        }
        for (name, value) in one.iter().filter(counts) {
            let Some(second) = other.get_bytes(name) else {
                return Ok(false);
            };
            if !self.is_same(value, second, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What is wrong with the header of a profile (6.2.4.2).
fn profile_fault(header: &[u8], components: Option<i64>) -> Option<String> {
    let (Some(version), Some(class), Some(space)) =
        (header.get(8), header.get(12..16), header.get(16..20))
    else {
        return Some("an ICC profile cannot be read".to_owned());
    };
    if *version >= 5 {
        return Some(format!("an ICC profile has the version {version}"));
    }
    if !matches!(class, b"prtr" | b"mntr" | b"scnr" | b"spac") {
        let class = String::from_utf8_lossy(class);
        return Some(format!("an ICC profile has the class `{class}`"));
    }
    let count = match space {
        b"GRAY" => 1,
        b"RGB " | b"Lab " => 3,
        b"CMYK" => 4,
        other => {
            let name = String::from_utf8_lossy(other);
            return Some(format!("an ICC profile has the colour space `{name}`"));
        }
    };
    (components != Some(count))
        .then(|| "an ICC profile has not as many components as `N` says".to_owned())
}
