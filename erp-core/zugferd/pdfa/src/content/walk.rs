//! Operators of a content stream and the graphics state they change.

use super::Walker;
use super::colour::Device;
use super::draw::Outcome;
use super::inline::{inline_dict, inline_end};
use super::resources::Scope;
use super::state::{Paint, State, rendering_mode};
use crate::Place;
use erp_pdf::lexer::Lexer;
use erp_pdf::tokens::{Text, Token, Tokens, is_beyond_limits, name};
use erp_pdf::{Object, PdfError};
use std::rc::Rc;

/// Operands of the next operator, as far as any of them is used.
#[derive(Default)]
struct Operands<'t> {
    first_name: Option<&'t [u8]>,
    /// The last operand, when it is a name.
    last_name: Option<&'t [u8]>,
    last_number: Option<&'t [u8]>,
    texts: Vec<Text<'t>>,
}

impl Operands<'_> {
    fn clear(&mut self) {
        self.first_name = None;
        self.last_name = None;
        self.last_number = None;
        self.texts.clear();
    }
}

/// One content stream while it is read.
pub(super) struct Frame<'s> {
    scope: &'s Scope,
    place: Place,
    state: State,
    initial: State,
    stack: Vec<State>,
    /// States that were saved beyond those that are kept.
    uncounted: usize,
    /// The initial black was judged.
    initial_told: bool,
    outcome: Outcome,
}

/// `q` inside each other that 6.1.13 allows.
const NESTING: usize = 28;
/// The key of a font that is selected and not there.
const UNKNOWN_FONT: usize = usize::MAX;
/// Bytes of an entry of a map, roughly.
const ENTRY: usize = 64;
/// Saved states that are kept.
const STACK: usize = 1_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Fill,
    Stroke,
}

impl<'s> Frame<'s> {
    pub(super) const fn new(scope: &'s Scope, state: State, place: Place) -> Self {
        let outcome = Outcome {
            needs: 0,
            is_transparent: false,
        };
        Self {
            scope,
            place,
            state,
            initial: state,
            stack: Vec::new(),
            uncounted: 0,
            initial_told: false,
            outcome,
        }
    }

    /// Looks at all operators.
    pub(super) fn run(
        mut self,
        walker: &mut Walker<'_, '_, '_>,
        bytes: &[u8],
    ) -> Result<Outcome, PdfError> {
        let mut tokens = Tokens::new(bytes);
        let mut operands = Operands::default();
        while let Some(token) = tokens.next() {
            match token {
                Token::Number(raw) => {
                    if is_beyond_limits(raw) {
                        walker.tell("6.1.13", self.place, || {
                            "a number is beyond the limits".to_owned()
                        });
                    }
                    operands.last_number = Some(raw);
                    operands.last_name = None;
                }
                Token::Name(raw) => {
                    if raw.len() > 127 && name(raw).len() > 127 {
                        walker.tell("6.1.13", self.place, || {
                            "a name is longer than 127 bytes".to_owned()
                        });
                    }
                    operands.first_name = operands.first_name.or(Some(raw));
                    operands.last_name = Some(raw);
                }
                Token::Text(text) => self.text(walker, text, &mut operands)?,
                Token::Start => {}
                Token::End => operands.last_name = None,
                Token::Word(word) => {
                    self.word(walker, word, &mut operands, &mut tokens, bytes)?;
                    operands.clear();
                }
                Token::Broken => {
                    walker.tell("6.2.2", self.place, || {
                        "a content stream cannot be understood".to_owned()
                    });
                }
            }
        }
        Ok(self.outcome)
    }

    fn text<'t>(
        &self,
        walker: &mut Walker<'_, '_, '_>,
        text: Text<'t>,
        operands: &mut Operands<'t>,
    ) -> Result<(), PdfError> {
        if text.wrong_hexadecimal() != (false, false) {
            let fault = "a hexadecimal string has an odd number of digits, or other characters";
            walker.tell("6.1.6", self.place, || fault.to_owned());
        }
        if text.is_long() && text.decode(&mut Vec::new()).len() > 32_767 {
            walker.tell("6.1.13", self.place, || {
                "a string is longer than 32767 bytes".to_owned()
            });
        }
        let limit = walker.file.limits().values;
        if operands.texts.len() >= limit {
            return Err(PdfError::TooLarge {
                what: "operands of one operator",
                limit,
            });
        }
        operands.last_name = None;
        operands.texts.push(text);
        Ok(())
    }

    fn word<'t>(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        word: &'t [u8],
        operands: &mut Operands<'t>,
        tokens: &mut Tokens<'t>,
        bytes: &'t [u8],
    ) -> Result<(), PdfError> {
        match word {
            // What paths and text are placed with comes most often.
            b"m" | b"l" | b"c" | b"v" | b"y" | b"h" | b"re" | b"n" | b"W" | b"W*" | b"cm"
            | b"w" | b"J" | b"j" | b"M" | b"d" | b"i" | b"BT" | b"ET" | b"Td" | b"TD" | b"Tm"
            | b"T*" | b"Tc" | b"Tw" | b"Tz" | b"TL" | b"Ts" | b"EMC" | b"BMC" | b"MP" | b"BX"
            | b"EX" | b"d0" => Ok(()),
            b"q" => {
                self.save(walker);
                Ok(())
            }
            b"Q" => {
                self.restore();
                Ok(())
            }
            b"f" | b"F" | b"f*" => self.paint(walker, true, false),
            b"S" | b"s" => self.paint(walker, false, true),
            b"B" | b"B*" | b"b" | b"b*" => self.paint(walker, true, true),
            b"Tj" | b"TJ" | b"'" | b"\"" => self.show(walker, operands),
            b"Tf" => self.font(walker, operands.first_name),
            b"Tr" => {
                self.state.mode = operands.last_number.map_or(0, rendering_mode);
                self.state.given &= !State::MODE;
                Ok(())
            }
            b"d1" => {
                self.state.colourless = true;
                self.state.given &= !State::COLOURLESS;
                Ok(())
            }
            b"gs" => self.parameters(walker, operands.last_name),
            b"Do" => self.object(walker, operands.last_name),
            b"BDC" | b"DP" => self.properties(walker, operands.last_name),
            b"BI" => self.inline_image(walker, tokens, bytes),
            _ => self.colour_word(walker, word, operands),
        }
    }

    fn colour_word(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        word: &[u8],
        operands: &Operands<'_>,
    ) -> Result<(), PdfError> {
        let device = |walker: &mut Walker<'_, '_, '_>, frame: &mut Self, name: &[u8], side| {
            frame.set_colours(walker, name, side)
        };
        match word {
            b"g" => device(walker, self, b"DeviceGray", Side::Fill),
            b"G" => device(walker, self, b"DeviceGray", Side::Stroke),
            b"rg" => device(walker, self, b"DeviceRGB", Side::Fill),
            b"RG" => device(walker, self, b"DeviceRGB", Side::Stroke),
            b"k" => device(walker, self, b"DeviceCMYK", Side::Fill),
            b"K" => device(walker, self, b"DeviceCMYK", Side::Stroke),
            b"cs" | b"CS" => {
                let side = if word == b"cs" {
                    Side::Fill
                } else {
                    Side::Stroke
                };
                match operands.last_name {
                    Some(raw) => self.set_colours(walker, &name(raw), side),
                    None => Ok(()),
                }
            }
            b"scn" => self.pattern(walker, operands.last_name, Side::Fill),
            b"SCN" => self.pattern(walker, operands.last_name, Side::Stroke),
            b"sc" | b"SC" => Ok(()),
            b"sh" => self.shading(walker, operands.last_name),
            b"ri" => {
                if let Some(intent) = operands.last_name.filter(|_| self.counts_colours()) {
                    walker.rendering_intent(&name(intent), self.place);
                }
                Ok(())
            }
            b"true" | b"false" | b"null" => Ok(()),
            other => {
                walker.tell("6.2.2", self.place, || {
                    let shown = String::from_utf8_lossy(other.get(..16).unwrap_or(other));
                    format!("a content stream has the unknown operator `{shown}`")
                });
                Ok(())
            }
        }
    }

    fn save(&mut self, walker: &mut Walker<'_, '_, '_>) {
        if self.stack.len() < STACK {
            self.stack.push(self.state);
        } else {
            self.uncounted += 1;
        }
        if self.stack.len() == NESTING + 1 {
            let text = "graphics states are saved more than 28 times inside each other";
            walker.tell("6.1.13", self.place, || text.to_owned());
        }
    }

    fn restore(&mut self) {
        if self.uncounted > 0 {
            self.uncounted -= 1;
        } else if let Some(saved) = self.stack.pop() {
            self.state = saved;
        }
    }

    /// Notes that a member of the graphics state makes a difference.
    const fn needs(&mut self, member: u8) {
        self.outcome.needs |= member & self.state.given;
    }

    /// Records what a stream drawn from this one needed.
    const fn drawn(&mut self, outcome: Outcome) {
        self.needs(outcome.needs);
        self.outcome.needs |= outcome.needs & (State::PAGE | State::BLACK);
    }

    fn note_page(&mut self, walker: &mut Walker<'_, '_, '_>) {
        if std::mem::take(&mut walker.asked_page) {
            self.outcome.needs |= State::PAGE;
        }
    }

    const fn counts_colours(&mut self) -> bool {
        self.needs(State::COLOURLESS);
        !self.state.colourless
    }

    /// A path, a glyph or a stencil is painted.
    fn paint(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        fill: bool,
        stroke: bool,
    ) -> Result<(), PdfError> {
        let state = self.state;
        self.outcome.is_transparent |= state.blends
            || state.soft_mask
            || fill && (state.alpha_fill || state.fill == Paint::Transparent)
            || stroke && (state.alpha_stroke || state.stroke == Paint::Transparent);
        if fill {
            self.needs(State::FILL);
            self.one_paint(walker, state.fill, state.overprint_fill)?;
        }
        if stroke {
            self.needs(State::STROKE);
            self.one_paint(walker, state.stroke, state.overprint_stroke)?;
        }
        Ok(())
    }

    fn one_paint(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        paint: Paint,
        overprint: bool,
    ) -> Result<(), PdfError> {
        if paint == Paint::Initial && !self.initial_told {
            self.initial_told = true;
            self.outcome.needs |= State::BLACK;
            let resources = Rc::clone(self.scope.page_level());
            walker.device_colours(Device::Gray, &resources, self.place, 0)?;
        }
        if paint.is_icc_cmyk() {
            self.needs(State::OVERPRINT);
            if overprint && self.state.overprint_mode {
                let text = "an ICC-based CMYK is overprinted with mode 1";
                walker.tell("6.2.4.2", self.place, || text.to_owned());
            }
        }
        Ok(())
    }

    fn set(&mut self, side: Side, paint: Paint) {
        match side {
            Side::Fill => {
                self.state.fill = paint;
                self.state.given &= !State::FILL;
            }
            Side::Stroke => {
                self.state.stroke = paint;
                self.state.given &= !State::STROKE;
            }
        }
    }

    fn set_colours(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        name: &[u8],
        side: Side,
    ) -> Result<(), PdfError> {
        if self.counts_colours() {
            let result = walker.named_colours(name, self.scope, self.place);
            let paint = walker.readable(result, self.place)?.unwrap_or(Paint::Plain);
            self.note_page(walker);
            self.set(side, paint);
        }
        Ok(())
    }

    fn pattern(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        raw: Option<&[u8]>,
        side: Side,
    ) -> Result<(), PdfError> {
        let Some(raw) = raw else { return Ok(()) };
        if self.counts_colours() {
            let result = self.named_pattern(walker, &name(raw));
            let paint = walker.readable(result, self.place)?.unwrap_or(Paint::Plain);
            self.note_page(walker);
            self.set(side, paint);
        }
        Ok(())
    }

    fn named_pattern(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        name: &[u8],
    ) -> Result<Paint, PdfError> {
        let Some((object, resources)) = walker.find(self.scope, "Pattern", name, self.place)?
        else {
            return Ok(Paint::Plain);
        };
        let value = walker.file.follow(&object)?;
        let Some(dict) = value.as_dict() else {
            return Ok(Paint::Plain);
        };
        if walker.file.member(dict, "PatternType")?.as_integer() == Some(2) {
            if let Some(shading) = dict.get("Shading") {
                walker.shading(shading, &resources, self.place)?;
            }
            if let Some(parameters) = dict.get("ExtGState") {
                walker.parameters(parameters, self.place)?;
            }
            return Ok(Paint::Plain);
        }
        let mut state = self.initial.handed_on();
        if walker.file.member(dict, "PaintType")?.as_integer() == Some(2) {
            state.colourless = true;
            state.fill = Paint::Plain;
            state.stroke = Paint::Plain;
        }
        let outcome = walker.tiling(&object, self.scope, state, self.place)?;
        // The initial graphics state of a pattern is that of this stream.
        self.outcome.needs |= outcome.needs;
        Ok(if outcome.is_transparent {
            Paint::Transparent
        } else {
            Paint::Plain
        })
    }

    fn shading(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        raw: Option<&[u8]>,
    ) -> Result<(), PdfError> {
        let state = self.state;
        self.outcome.is_transparent |= state.blends || state.soft_mask || state.alpha_fill;
        let Some(raw) = raw else { return Ok(()) };
        if !self.counts_colours() {
            return Ok(());
        }
        let found = walker.find(self.scope, "Shading", &name(raw), self.place);
        let found = walker.readable(found, self.place)?.flatten();
        self.note_page(walker);
        if let Some((object, resources)) = found {
            let result = walker.shading(&object, &resources, self.place);
            walker.readable(result, self.place)?;
        }
        Ok(())
    }

    fn properties(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        raw: Option<&[u8]>,
    ) -> Result<(), PdfError> {
        let Some(raw) = raw else { return Ok(()) };
        let found = walker.find(self.scope, "Properties", &name(raw), self.place);
        walker.readable(found, self.place)?;
        self.note_page(walker);
        Ok(())
    }

    fn parameters(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        raw: Option<&[u8]>,
    ) -> Result<(), PdfError> {
        let Some(raw) = raw else { return Ok(()) };
        let key = name(raw);
        let own = &self.scope.own;
        let known = own
            .states
            .borrow()
            .get(&*key)
            .filter(|_| !self.scope.inherited)
            .cloned();
        let parameters = match known {
            Some(parameters) => Some(parameters),
            None => {
                let result = self.new_parameters(walker, &key);
                let parameters = walker.readable(result, self.place)?.flatten();
                self.note_page(walker);
                parameters
            }
        };
        if let Some(parameters) = parameters {
            parameters.apply(&mut self.state);
        }
        Ok(())
    }

    fn new_parameters(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        name: &[u8],
    ) -> Result<Option<Rc<super::states::Parameters>>, PdfError> {
        let Some((object, resources)) = walker.find(self.scope, "ExtGState", name, self.place)?
        else {
            return Ok(None);
        };
        self.note_page(walker);
        if let Some(known) = resources.states.borrow().get(name) {
            return Ok(Some(Rc::clone(known)));
        }
        let parameters = walker.parameters(&object, self.place)?;
        if let Some(group) = &parameters.mask_group {
            let outcome = walker.form(group, self.scope, State::INITIAL, self.place)?;
            self.outcome.needs |= outcome.needs & (State::PAGE | State::BLACK);
        }
        walker
            .file
            .hold_bytes(name.len() + size_of_val(&parameters))?;
        let parameters = Rc::new(parameters);
        resources
            .states
            .borrow_mut()
            .insert(name.into(), Rc::clone(&parameters));
        Ok(Some(parameters))
    }

    fn font(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        raw: Option<&[u8]>,
    ) -> Result<(), PdfError> {
        self.state.given &= !State::FONT;
        let Some(raw) = raw else {
            self.state.font = None;
            return Ok(());
        };
        let key = name(raw);
        let own = &self.scope.own;
        let known = own
            .fonts
            .borrow()
            .get(&*key)
            .filter(|_| !self.scope.inherited)
            .copied();
        self.state.font = match known {
            Some(font) => Some(font),
            None => {
                let result = self.new_font(walker, &key);
                let font = walker.readable(result, self.place)?.flatten();
                self.note_page(walker);
                font
            }
        };
        Ok(())
    }

    fn new_font(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        name: &[u8],
    ) -> Result<Option<usize>, PdfError> {
        let Some((object, resources)) = walker.find(self.scope, "Font", name, self.place)? else {
            return Ok(Some(UNKNOWN_FONT));
        };
        if let Some(known) = resources.fonts.borrow().get(name) {
            return Ok(Some(*known));
        }
        let font = walker.select_font(&object, self.place)?;
        walker.file.hold_bytes(name.len() + ENTRY)?;
        resources.fonts.borrow_mut().insert(name.into(), font);
        Ok(Some(font))
    }

    fn show(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        operands: &Operands<'_>,
    ) -> Result<(), PdfError> {
        self.needs(State::FONT | State::MODE);
        let mode = self.state.mode;
        if !matches!(mode, 3 | 7) {
            self.paint(walker, mode % 4 != 1, matches!(mode % 4, 1 | 2))?;
        }
        let Some(font) = self.state.font else {
            return Ok(());
        };
        if font == UNKNOWN_FONT {
            let text = "text is shown with a font that is not in the resources";
            walker.tell("6.2.2", self.place, || text.to_owned());
            return Ok(());
        }
        let mut bytes = Vec::new();
        if operands.texts.is_empty() {
            walker.fonts.show(font, &[], mode != 3);
        }
        for text in &operands.texts {
            walker.fonts.show(font, text.decode(&mut bytes), mode != 3);
        }
        let state = State {
            font: None,
            ..self.state.handed_on()
        };
        let result = walker.glyphs(font, self.scope, state, self.place);
        if let Some(outcome) = walker.readable(result, self.place)? {
            self.drawn(outcome);
            self.outcome.is_transparent |= outcome.is_transparent && !matches!(mode, 3 | 7);
        }
        Ok(())
    }

    fn object(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        raw: Option<&[u8]>,
    ) -> Result<(), PdfError> {
        let state = self.state;
        self.outcome.is_transparent |= state.blends || state.soft_mask || state.alpha_fill;
        let Some(raw) = raw else { return Ok(()) };
        let result = self.named_object(walker, &name(raw));
        walker.readable(result, self.place)?;
        self.note_page(walker);
        Ok(())
    }

    fn named_object(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        name: &[u8],
    ) -> Result<(), PdfError> {
        let Some((object, resources)) = walker.find(self.scope, "XObject", name, self.place)?
        else {
            return Ok(());
        };
        self.note_page(walker);
        let value = walker.file.follow(&object)?;
        let Some(dict) = value.as_dict() else {
            return Ok(());
        };
        match walker.file.member(dict, "Subtype")?.as_name() {
            Some(b"Form") => {
                let outcome =
                    walker.form(&object, self.scope, self.state.handed_on(), self.place)?;
                self.drawn(outcome);
                self.outcome.is_transparent |= outcome.is_transparent;
            }
            Some(b"Image") => {
                let image = walker.image(&object, &resources, self.place)?;
                self.outcome.is_transparent |= image.is_transparent;
                if image.is_stencil {
                    self.paint(walker, true, false)?;
                }
            }
            Some(b"PS") => {
                walker.tell("6.2.9", self.place, || {
                    "a PostScript XObject is drawn".to_owned()
                });
            }
            _ => walker.tell("6.2.9", self.place, || {
                "an XObject of an unknown kind is drawn".to_owned()
            }),
        }
        Ok(())
    }

    fn inline_image<'t>(
        &mut self,
        walker: &mut Walker<'_, '_, '_>,
        tokens: &mut Tokens<'t>,
        bytes: &'t [u8],
    ) -> Result<(), PdfError> {
        let mut lexer = Lexer::content(bytes, walker.file.limits());
        lexer.seek(tokens.at());
        let image = inline_dict(&mut lexer);
        let Some(dict) = walker.readable(image, self.place)? else {
            tokens.seek(bytes.len());
            return Ok(());
        };
        let Some(end) = inline_end(bytes, lexer.position(), &dict) else {
            walker.tell("6.2.2", self.place, || {
                "an inline image has no end".to_owned()
            });
            tokens.seek(bytes.len());
            return Ok(());
        };
        tokens.seek(end);
        let syntax = lexer.syntax;
        if syntax.beyond_limits {
            walker.tell("6.1.13", self.place, || {
                "an inline image has values beyond the limits".to_owned()
            });
        }
        if syntax.odd_hexadecimal || syntax.wrong_hexadecimal {
            walker.tell("6.1.6", self.place, || {
                "an inline image has a wrong hexadecimal string".to_owned()
            });
        }
        let counts = self.counts_colours();
        let state = self.state;
        self.outcome.is_transparent |= state.blends || state.soft_mask || state.alpha_fill;
        let result = walker.inline_image(&dict, self.scope, self.place, counts);
        let is_stencil = walker.readable(result, self.place)?.unwrap_or(false);
        self.note_page(walker);
        if is_stencil {
            self.paint(walker, true, false)
        } else {
            Ok(())
        }
    }
}

impl Walker<'_, '_, '_> {
    /// Notes a font that is selected; its key.
    pub(super) fn select_font(&mut self, font: &Object, place: Place) -> Result<usize, PdfError> {
        let key = self.fonts.select(self.file, font, place)?;
        let value = self.file.follow(font)?;
        if let Some(dict) = value.as_dict()
            && self.file.member(dict, "Subtype")?.as_name() == Some(b"Type3")
        {
            self.glyph_fonts.insert(key, font.clone());
        }
        Ok(key)
    }

    /// Judges the colours of a shading.
    fn shading(
        &mut self,
        object: &Object,
        resources: &Rc<super::resources::Resources>,
        place: Place,
    ) -> Result<(), PdfError> {
        let value = self.file.follow(object)?;
        let Some(space) = value.as_dict().and_then(|dict| dict.get("ColorSpace")) else {
            return Ok(());
        };
        let place = super::states::at_object(place, object);
        self.colour_space(space, resources, place, super::colour::Default::Allowed, 0)?;
        Ok(())
    }
}
