//! Graphics state parameter dictionaries, halftones, rendering intents, blend modes (6.2.5, 6.2.6, 6.2.10).

use super::Walker;
use super::state::{GraphicsState, Needs};
use crate::{PdfPlace, is_one_of};
use erp_pdf::{Dict, Object, Result};

/// What a graphics state parameter dictionary sets.
#[derive(Debug, Clone, Default)]
pub(super) struct Parameters {
    overprint_stroke: Option<bool>,
    overprint_fill: Option<bool>,
    overprint_mode: Option<bool>,
    alpha_stroke: Option<bool>,
    alpha_fill: Option<bool>,
    blends: Option<bool>,
    soft_mask: Option<bool>,
    font: Option<usize>,
    pub(super) mask_group: Option<Object>,
}

const BLEND_MODES: &str = "Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight \
    SoftLight Difference Exclusion Hue Saturation Color Luminosity";
const INTENTS: &str = "RelativeColorimetric AbsoluteColorimetric Perceptual Saturation";
/// Colorants that need no separate transfer function in a halftone of type 5.
const PROCESS: &str = "Cyan Magenta Yellow Black";

impl Parameters {
    pub(super) fn apply(&self, state: &mut GraphicsState) {
        let set = |place: &mut bool, value: Option<bool>| *place = value.unwrap_or(*place);
        set(&mut state.overprint_stroke, self.overprint_stroke);
        set(&mut state.overprint_fill, self.overprint_fill);
        set(&mut state.overprint_mode, self.overprint_mode);
        set(&mut state.alpha_stroke, self.alpha_stroke);
        set(&mut state.alpha_fill, self.alpha_fill);
        set(&mut state.blends, self.blends);
        set(&mut state.soft_mask, self.soft_mask);
        if self.font.is_some() {
            state.font = self.font;
            state.given.remove(Needs::FONT);
        }
        // The three are one member: it is the stream's own only when all of them are set.
        if self.overprint_stroke.is_some()
            && self.overprint_fill.is_some()
            && self.overprint_mode.is_some()
        {
            state.given.remove(Needs::OVERPRINT);
        }
    }
}

impl Walker<'_, '_> {
    /// Reads and judges a graphics state parameter dictionary.
    pub(super) fn parameters(&mut self, object: &Object, place: PdfPlace) -> Result<Parameters> {
        let mut parameters = Parameters::default();
        let value = self.file.follow(object)?;
        let Some(dict) = value.as_dict() else {
            return Ok(parameters);
        };
        let place = at_object(place, object);
        self.forbidden_parameters(dict, place)?;
        let flag = |name| self.file.member(dict, name).map(|value| value.as_bool());
        parameters.overprint_stroke = flag("OP")?;
        // `OP` alone sets both (8.4.5, Table 58).
        parameters.overprint_fill = flag("op")?.or(parameters.overprint_stroke);
        let number = |name| self.file.member(dict, name).map(|value| value.as_number());
        parameters.overprint_mode = number("OPM")?.map(|mode| mode != 0.0);
        parameters.alpha_stroke = number("CA")?.map(|alpha| alpha < 1.0);
        parameters.alpha_fill = number("ca")?.map(|alpha| alpha < 1.0);
        parameters.blends = self.blend_mode(dict, place)?;
        let mask = self.file.member(dict, "SMask")?;
        if let Some(mask) = mask.as_dict() {
            parameters.mask_group = mask.get("G").cloned();
        }
        parameters.soft_mask = dict.has("SMask").then(|| mask.as_dict().is_some());
        if let Some([font, ..]) = self.file.member(dict, "Font")?.as_array() {
            parameters.font = Some(self.select_font(font, place)?);
        }
        Ok(parameters)
    }

    fn forbidden_parameters(&mut self, dict: &Dict, place: PdfPlace) -> Result<()> {
        let text = "a graphics state has a transfer function (`TR`)";
        self.faults
            .add_if(self.file.has(dict, "TR")?, "6.2.5", place, text);
        let function = self.file.member(dict, "TR2")?;
        let wrong = !matches!(*function, Object::Null) && function.as_name() != Some(b"Default");
        let text = "a graphics state has a transfer function (`TR2`)";
        self.faults.add_if(wrong, "6.2.5", place, text);
        let has_phase = dict.iter().any(|(name, _)| name == b"HTP");
        let text = "a graphics state has a halftone phase (`HTP`)";
        self.faults.add_if(has_phase, "6.2.5", place, text);
        if let Some(intent) = self.file.member(dict, "RI")?.as_name() {
            self.rendering_intent(intent, place);
        }
        match dict.get("HT") {
            Some(halftone) => self.halftone(halftone, None, place, 0),
            None => Ok(()),
        }
    }

    /// Whether the blend mode is another one than `Normal`.
    fn blend_mode(&mut self, dict: &Dict, place: PdfPlace) -> Result<Option<bool>> {
        let mode = self.file.member(dict, "BM")?;
        if matches!(*mode, Object::Null) {
            return Ok(None);
        }
        let names = mode.as_list().iter().map(|mode| self.file.name(mode));
        let names = names.collect::<Result<Vec<_>>>()?;
        for name in names.iter().filter(|name| !is_one_of(BLEND_MODES, name)) {
            let name = String::from_utf8_lossy(name);
            let text = format!("the blend mode `{name}` is not one of PDF 1.7");
            self.faults.add("6.2.10", place, text);
        }
        Ok(Some(names != [b"Normal"]))
    }

    pub(super) fn rendering_intent(&mut self, intent: &[u8], place: PdfPlace) {
        if !is_one_of(INTENTS, intent) {
            let name = String::from_utf8_lossy(intent);
            let text = format!("the rendering intent `{name}` is not one of PDF 1.7");
            self.faults.add("6.2.6", place, text);
        }
    }

    /// Judges a halftone; `colorant` is its name in a halftone of type 5.
    fn halftone(
        &mut self,
        object: &Object,
        colorant: Option<&[u8]>,
        place: PdfPlace,
        depth: usize,
    ) -> Result<()> {
        let value = self.file.follow(object)?;
        if value.as_name() == Some(b"Default") {
            return Ok(());
        }
        let place = at_object(place, object);
        let Some(dict) = value.as_dict().filter(|_| depth < 4) else {
            let text = "a halftone cannot be read";
            self.faults.add("6.2.5", place, text);
            return Ok(());
        };
        let kind = self.file.member(dict, "HalftoneType")?.as_integer();
        let text = "a halftone is neither of type 1 nor of type 5";
        self.faults
            .add_if(!matches!(kind, Some(1 | 5)), "6.2.5", place, text);
        let is_named = self.file.has(dict, "HalftoneName")?;
        self.faults
            .add_if(is_named, "6.2.5", place, "a halftone has a name");
        let has_function = self.file.has(dict, "TransferFunction")?;
        let fits = match colorant {
            Some(b"Default") => true,
            Some(name) => has_function != is_one_of(PROCESS, name),
            None => !has_function,
        };
        let text = "a halftone has a transfer function, or lacks the one it needs";
        self.faults.add_if(!fits, "6.2.5", place, text);
        if kind == Some(5) {
            for (name, member) in dict.iter() {
                if self.file.follow(member)?.as_dict().is_some() {
                    self.halftone(member, Some(name), place, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

/// The place, with the object named when there is one.
pub(super) const fn at_object(place: PdfPlace, object: &Object) -> PdfPlace {
    match object {
        Object::Reference(id) => place.object(id.number),
        _ => place,
    }
}
