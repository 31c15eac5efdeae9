//! Operators of a content stream and the graphics state they change.

use super::Walker;
use super::colour::{At, Device};
use super::image::{inline_dict, inline_end};
use super::resources::{Resources, Scope, Way};
use super::state::{GraphicsState, Needs, Paint, StreamOutcome, rendering_mode};
use super::states::{Parameters, at_object};
use crate::PdfPlace;
use erp_pdf::lexer::Lexer;
use erp_pdf::tokens::{StringToken, Token, Tokens, is_beyond_limits, name};
use erp_pdf::{Object, PdfError, Result};
use std::fmt;
use std::rc::Rc;

/// Operands of the next operator, as far as any of them is used.
#[derive(Default)]
struct Operands<'t> {
    first_name: Option<&'t [u8]>,
    last_name: Option<&'t [u8]>,
    last_number: Option<&'t [u8]>,
    texts: Vec<StringToken<'t>>,
}

/// One content stream while it is read.
pub(super) struct Frame<'s, 'f, 'a> {
    walker: &'s mut Walker<'f, 'a>,
    scope: &'s Scope,
    place: PdfPlace,
    state: GraphicsState,
    initial: GraphicsState,
    stack: Vec<GraphicsState>,
    outcome: StreamOutcome,
}

/// `q` inside each other that 6.1.13 allows.
const NESTING: usize = 28;
/// The key of a font that is selected and not there.
const UNKNOWN_FONT: usize = usize::MAX;
/// Bytes of an entry of a map, roughly, as they count against the limits.
const ENTRY: usize = 64;
/// Saved states that do not count against the limits.
const FREE_STATES: usize = 1_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Fill,
    Stroke,
}

impl<'s, 'f, 'a> Frame<'s, 'f, 'a> {
    pub(super) fn new(walker: &'s mut Walker<'f, 'a>, way: Way<'s>) -> Self {
        Self {
            walker,
            scope: way.scope,
            place: way.place,
            state: way.state,
            initial: way.state,
            stack: Vec::new(),
            outcome: StreamOutcome::default(),
        }
    }

    /// A named resource, and the dictionary that has it.
    fn find(&mut self, category: &str, name: &[u8]) -> Result<Option<(Object, Rc<Resources>)>> {
        self.walker.find(self.scope, category, name, self.place)
    }

    /// The way in which something in this stream is drawn.
    const fn way(&self, state: GraphicsState) -> Way<'s> {
        Way {
            scope: self.scope,
            state,
            place: self.place,
        }
    }

    fn report(&mut self, clause: &'static str, text: impl fmt::Display) {
        self.walker.report(clause, self.place, text);
    }

    /// The value, or a fault when it cannot be read. Notes whether the resources of the page were needed.
    fn readable<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        let value = self.walker.readable(result, self.place);
        self.note_page();
        value
    }

    pub(super) fn run(mut self, bytes: &[u8]) -> Result<StreamOutcome> {
        let mut tokens = Tokens::new(bytes);
        let mut operands = Operands::default();
        while let Some(token) = tokens.next() {
            match token {
                Token::Number(raw) => {
                    if is_beyond_limits(raw) {
                        self.report("6.1.13", "a number is beyond the limits");
                    }
                    operands.last_number = Some(raw);
                    operands.last_name = None;
                }
                Token::Name(raw) => {
                    if raw.len() > 127 && name(raw).len() > 127 {
                        self.report("6.1.13", "a name is longer than 127 bytes");
                    }
                    operands.first_name = operands.first_name.or(Some(raw));
                    operands.last_name = Some(raw);
                }
                Token::Text(text) => self.text(text, &mut operands)?,
                Token::Start => {}
                Token::End => operands.last_name = None,
                Token::Word(word) => {
                    self.operator(word, &operands, &mut tokens, bytes)?;
                    let mut texts = operands.texts;
                    texts.clear();
                    operands = Operands {
                        texts,
                        ..Operands::default()
                    };
                }
                Token::Broken => {
                    self.report("6.2.2", "a content stream cannot be understood");
                }
            }
        }
        Ok(self.outcome)
    }

    fn text<'t>(&mut self, text: StringToken<'t>, operands: &mut Operands<'t>) -> Result<()> {
        if text.wrong_hexadecimal() != (false, false) {
            let fault = "a hexadecimal string has an odd number of digits, or other characters";
            self.report("6.1.6", fault);
        }
        if text.is_long() && text.decode(&mut Vec::new()).len() > 32_767 {
            self.report("6.1.13", "a string is longer than 32767 bytes");
        }
        let limit = self.walker.file.limits().values;
        PdfError::within("operands of one operator", operands.texts.len() + 1, limit)?;
        operands.last_name = None;
        operands.texts.push(text);
        Ok(())
    }

    /// What an operator does. Without the name that it needs it does nothing.
    fn operator<'t>(
        &mut self,
        word: &[u8],
        operands: &Operands<'t>,
        tokens: &mut Tokens<'t>,
        bytes: &'t [u8],
    ) -> Result<()> {
        let named = operands.last_name.map(name);
        match (word, named.as_deref()) {
            // What paths and text are placed with comes most often.
            (
                b"m" | b"l" | b"c" | b"v" | b"y" | b"h" | b"re" | b"n" | b"W" | b"W*" | b"cm"
                | b"w" | b"J" | b"j" | b"M" | b"d" | b"i" | b"BT" | b"ET" | b"Td" | b"TD" | b"Tm"
                | b"T*" | b"Tc" | b"Tw" | b"Tz" | b"TL" | b"Ts" | b"EMC" | b"BMC" | b"MP" | b"BX"
                | b"EX" | b"d0" | b"sc" | b"SC" | b"true" | b"false" | b"null",
                _,
            ) => {}
            (b"q", _) => self.save()?,
            (b"Q", _) => self.state = self.stack.pop().unwrap_or(self.state),
            (b"f" | b"F" | b"f*", _) => self.paint(true, false)?,
            (b"S" | b"s", _) => self.paint(false, true)?,
            (b"B" | b"B*" | b"b" | b"b*", _) => self.paint(true, true)?,
            (b"Tj" | b"TJ" | b"'" | b"\"", _) => self.show(&operands.texts)?,
            (b"Tf", _) => self.font(operands.first_name)?,
            (b"Tr", _) => {
                self.state.mode = operands.last_number.map_or(0, rendering_mode);
                self.state.given.remove(Needs::MODE);
            }
            (b"d1", _) => {
                self.state.colourless = true;
                self.state.given.remove(Needs::COLOURLESS);
            }
            (b"BI", _) => self.inline_image(tokens, bytes)?,
            (b"g", _) => self.set_colours(b"DeviceGray", Side::Fill)?,
            (b"G", _) => self.set_colours(b"DeviceGray", Side::Stroke)?,
            (b"rg", _) => self.set_colours(b"DeviceRGB", Side::Fill)?,
            (b"RG", _) => self.set_colours(b"DeviceRGB", Side::Stroke)?,
            (b"k", _) => self.set_colours(b"DeviceCMYK", Side::Fill)?,
            (b"K", _) => self.set_colours(b"DeviceCMYK", Side::Stroke)?,
            (b"cs", Some(space)) => self.set_colours(space, Side::Fill)?,
            (b"CS", Some(space)) => self.set_colours(space, Side::Stroke)?,
            (b"scn", Some(pattern)) => self.pattern(pattern, Side::Fill)?,
            (b"SCN", Some(pattern)) => self.pattern(pattern, Side::Stroke)?,
            (b"sh", Some(shading)) => self.shading(shading)?,
            (b"gs", Some(parameters)) => self.parameters(parameters)?,
            (b"Do", Some(object)) => self.object(object)?,
            (b"BDC" | b"DP", Some(properties)) => {
                let found = self.find("Properties", properties);
                self.readable(found)?;
            }
            (b"ri", Some(intent)) => {
                if self.counts_colours() {
                    self.walker.rendering_intent(intent, self.place);
                }
            }
            (
                b"cs" | b"CS" | b"scn" | b"SCN" | b"sh" | b"gs" | b"Do" | b"BDC" | b"DP" | b"ri",
                None,
            ) => {}
            (unknown, _) => {
                let shown = String::from_utf8_lossy(unknown.get(..16).unwrap_or(unknown));
                let text = format_args!("a content stream has the unknown operator `{shown}`");
                self.report("6.2.2", text);
            }
        }
        Ok(())
    }

    fn save(&mut self) -> Result<()> {
        // No honest file has so many; what more of them take counts against the limits.
        if self.stack.len() >= FREE_STATES {
            self.walker.file.hold_bytes(size_of::<GraphicsState>())?;
        }
        self.stack.push(self.state);
        if self.stack.len() == NESTING + 1 {
            let text = "graphics states are saved more than 28 times inside each other";
            self.report("6.1.13", text);
        }
        Ok(())
    }

    /// Adds what a stream drawn from this one needed and has.
    fn drawn(&mut self, outcome: StreamOutcome) {
        self.outcome.needs.add(outcome.needs, self.state.given);
        self.outcome.is_transparent |= outcome.is_transparent;
    }

    fn note_page(&mut self) {
        if std::mem::take(&mut self.walker.asked_page) {
            self.outcome.needs.add(Needs::PAGE, Needs::ALL);
        }
    }

    /// Notes that a member of the graphics state counts, if it is the one that was given.
    const fn need(&mut self, member: Needs) {
        self.outcome.needs.add(member, self.state.given);
    }

    const fn counts_colours(&mut self) -> bool {
        self.need(Needs::COLOURLESS);
        !self.state.colourless
    }

    /// A path, a glyph or a stencil is painted.
    fn paint(&mut self, fill: bool, stroke: bool) -> Result<()> {
        let state = self.state;
        self.outcome.is_transparent |= state.blends
            || state.soft_mask
            || fill && (state.alpha_fill || state.fill == Paint::Transparent)
            || stroke && (state.alpha_stroke || state.stroke == Paint::Transparent);
        if fill {
            self.need(Needs::FILL);
            self.one_paint(state.fill, state.overprint_fill)?;
        }
        if stroke {
            self.need(Needs::STROKE);
            self.one_paint(state.stroke, state.overprint_stroke)?;
        }
        Ok(())
    }

    fn one_paint(&mut self, paint: Paint, overprint: bool) -> Result<()> {
        if paint == Paint::Initial {
            self.outcome.needs.add(Needs::DEFAULT_GRAY, Needs::ALL);
            let at = At::new(self.scope.page_level(), self.place);
            self.walker.device_colours(Device::Gray, at)?;
        }
        if paint == Paint::IccCmyk {
            self.need(Needs::OVERPRINT);
            if overprint && self.state.overprint_mode {
                let text = "an ICC-based CMYK is overprinted with mode 1";
                self.report("6.2.4.2", text);
            }
        }
        Ok(())
    }

    fn set(&mut self, side: Side, paint: Paint) {
        match side {
            Side::Fill => {
                self.state.fill = paint;
                self.state.given.remove(Needs::FILL);
            }
            Side::Stroke => {
                self.state.stroke = paint;
                self.state.given.remove(Needs::STROKE);
            }
        }
    }

    fn set_colours(&mut self, name: &[u8], side: Side) -> Result<()> {
        if self.counts_colours() {
            let result = self.walker.named_colours(name, self.scope, self.place);
            let paint = self.readable(result)?.unwrap_or(Paint::Plain);
            self.set(side, paint);
        }
        Ok(())
    }

    fn pattern(&mut self, name: &[u8], side: Side) -> Result<()> {
        if self.counts_colours() {
            let result = self.named_pattern(name);
            let paint = self.readable(result)?.unwrap_or(Paint::Plain);
            self.set(side, paint);
        }
        Ok(())
    }

    fn named_pattern(&mut self, name: &[u8]) -> Result<Paint> {
        let Some((object, resources)) = self.find("Pattern", name)? else {
            return Ok(Paint::Plain);
        };
        let value = self.walker.file.follow(&object)?;
        let Some(dict) = value.as_dict() else {
            return Ok(Paint::Plain);
        };
        if self.walker.file.member(dict, "PatternType")?.as_integer() == Some(2) {
            if let Some(shading) = dict.get("Shading") {
                self.walker.shading(shading, &resources, self.place)?;
            }
            if let Some(parameters) = dict.get("ExtGState") {
                self.walker.parameters(parameters, self.place)?;
            }
            return Ok(Paint::Plain);
        }
        let mut state = self.initial.handed_on();
        if self.walker.file.member(dict, "PaintType")?.as_integer() == Some(2) {
            state.colourless = true;
            state.fill = Paint::Plain;
            state.stroke = Paint::Plain;
        }
        let outcome = self.walker.tiling(&object, self.way(state))?;
        // The initial graphics state of a pattern is that of this stream.
        self.outcome.needs.add(outcome.needs, Needs::ALL);
        Ok(if outcome.is_transparent {
            Paint::Transparent
        } else {
            Paint::Plain
        })
    }

    fn shading(&mut self, name: &[u8]) -> Result<()> {
        self.outcome.is_transparent |= self.state.is_transparent();
        if !self.counts_colours() {
            return Ok(());
        }
        let found = self.find("Shading", name);
        if let Some((object, resources)) = self.readable(found)?.flatten() {
            let result = self.walker.shading(&object, &resources, self.place);
            self.readable(result)?;
        }
        Ok(())
    }

    fn parameters(&mut self, name: &[u8]) -> Result<()> {
        let known = self.scope.own.states.borrow().get(name).cloned();
        let mut parameters = known.filter(|_| !self.scope.inherited);
        if parameters.is_none() {
            let result = self.new_parameters(name);
            parameters = self.readable(result)?.flatten();
        }
        if let Some(parameters) = parameters {
            parameters.apply(&mut self.state);
        }
        Ok(())
    }

    fn new_parameters(&mut self, name: &[u8]) -> Result<Option<Rc<Parameters>>> {
        let Some((object, resources)) = self.find("ExtGState", name)? else {
            return Ok(None);
        };
        self.note_page();
        if let Some(known) = resources.states.borrow().get(name) {
            return Ok(Some(Rc::clone(known)));
        }
        let parameters = self.walker.parameters(&object, self.place)?;
        if let Some(group) = &parameters.mask_group {
            let outcome = self
                .walker
                .form(group, self.way(GraphicsState::initial()))?;
            self.outcome.needs.add(outcome.needs, Needs::OF_PAGE);
        }
        let bytes = name.len() + size_of_val(&parameters);
        self.walker.file.hold_bytes(bytes)?;
        let parameters = Rc::new(parameters);
        let mut states = resources.states.borrow_mut();
        states.insert(name.into(), Rc::clone(&parameters));
        Ok(Some(parameters))
    }

    fn font(&mut self, raw: Option<&[u8]>) -> Result<()> {
        self.state.given.remove(Needs::FONT);
        let Some(raw) = raw else {
            self.state.font = None;
            return Ok(());
        };
        let key = name(raw);
        let known = self.scope.own.fonts.borrow().get(&*key).copied();
        self.state.font = known.filter(|_| !self.scope.inherited);
        if self.state.font.is_none() {
            let result = self.new_font(&key);
            self.state.font = self.readable(result)?.flatten();
        }
        Ok(())
    }

    fn new_font(&mut self, name: &[u8]) -> Result<Option<usize>> {
        let Some((object, resources)) = self.find("Font", name)? else {
            return Ok(Some(UNKNOWN_FONT));
        };
        if let Some(known) = resources.fonts.borrow().get(name) {
            return Ok(Some(*known));
        }
        let font = self.walker.select_font(&object, self.place)?;
        self.walker.file.hold_bytes(name.len() + ENTRY)?;
        resources.fonts.borrow_mut().insert(name.into(), font);
        Ok(Some(font))
    }

    fn show(&mut self, texts: &[StringToken<'_>]) -> Result<()> {
        self.need(Needs::FONT);
        self.need(Needs::MODE);
        let mode = self.state.mode;
        if !matches!(mode, 3 | 7) {
            self.paint(mode % 4 != 1, matches!(mode % 4, 1 | 2))?;
        }
        let Some(font) = self.state.font else {
            return Ok(());
        };
        if font == UNKNOWN_FONT {
            let text = "text is shown with a font that is not in the resources";
            self.report("6.2.2", text);
            return Ok(());
        }
        let mut bytes = Vec::new();
        if texts.is_empty() {
            self.walker.fonts.show(font, &[], mode != 3);
        }
        for text in texts {
            let text = text.decode(&mut bytes);
            self.walker.fonts.show(font, text, mode != 3);
        }
        let state = GraphicsState {
            font: None,
            ..self.state.handed_on()
        };
        let result = self.walker.glyphs(font, self.way(state));
        if let Some(mut outcome) = self.readable(result)? {
            outcome.is_transparent &= !matches!(mode, 3 | 7);
            self.drawn(outcome);
        }
        Ok(())
    }

    fn object(&mut self, name: &[u8]) -> Result<()> {
        self.outcome.is_transparent |= self.state.is_transparent();
        let result = self.named_object(name);
        self.readable(result)?;
        Ok(())
    }

    fn named_object(&mut self, name: &[u8]) -> Result<()> {
        let Some((object, resources)) = self.find("XObject", name)? else {
            return Ok(());
        };
        self.note_page();
        let value = self.walker.file.follow(&object)?;
        let Some(dict) = value.as_dict() else {
            return Ok(());
        };
        match self.walker.file.member(dict, "Subtype")?.as_name() {
            Some(b"Form") => {
                let way = self.way(self.state.handed_on());
                let outcome = self.walker.form(&object, way)?;
                self.drawn(outcome);
            }
            Some(b"Image") => {
                let image = self.walker.image(&object, &resources, self.place)?;
                self.outcome.is_transparent |= image.is_transparent;
                if image.is_stencil {
                    self.paint(true, false)?;
                }
            }
            Some(b"PS") => {
                self.report("6.2.9", "a PostScript XObject is drawn");
            }
            _ => self.report("6.2.9", "an XObject of an unknown kind is drawn"),
        }
        Ok(())
    }

    fn inline_image<'t>(&mut self, tokens: &mut Tokens<'t>, bytes: &'t [u8]) -> Result<()> {
        let mut lexer = Lexer::content(bytes, self.walker.file.limits());
        lexer.seek(tokens.at());
        let image = inline_dict(&mut lexer);
        let Some(dict) = self.readable(image)? else {
            tokens.seek(bytes.len());
            return Ok(());
        };
        let Some(end) = inline_end(bytes, lexer.position(), &dict) else {
            self.report("6.2.2", "an inline image has no end");
            tokens.seek(bytes.len());
            return Ok(());
        };
        tokens.seek(end);
        let syntax = lexer.syntax;
        if syntax.beyond_limits {
            self.report("6.1.13", "an inline image has values beyond the limits");
        }
        if syntax.odd_hexadecimal || syntax.wrong_hexadecimal {
            self.report("6.1.6", "an inline image has a wrong hexadecimal string");
        }
        let counts = self.counts_colours();
        self.outcome.is_transparent |= self.state.is_transparent();
        let walker = &mut self.walker;
        let result = walker.inline_image(&dict, self.scope, self.place, counts);
        if self.readable(result)?.unwrap_or(false) {
            self.paint(true, false)?;
        }
        Ok(())
    }
}

impl Walker<'_, '_> {
    /// Notes a font that is selected; its key.
    pub(super) fn select_font(&mut self, font: &Object, place: PdfPlace) -> Result<usize> {
        let key = self.fonts.select(self.file, font, place)?;
        let value = self.file.follow(font)?;
        if let Some(dict) = value.as_dict()
            && self.file.member(dict, "Subtype")?.as_name() == Some(b"Type3")
        {
            self.glyph_fonts.insert(key, font.clone());
        }
        Ok(key)
    }

    fn shading(
        &mut self,
        object: &Object,
        resources: &Rc<Resources>,
        place: PdfPlace,
    ) -> Result<()> {
        let value = self.file.follow(object)?;
        if let Some(space) = value.as_dict().and_then(|dict| dict.get("ColorSpace")) {
            self.colour_space(space, At::new(resources, at_object(place, object)))?;
        }
        Ok(())
    }
}
