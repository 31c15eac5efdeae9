//! The graphics state as far as it counts here.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    /// The initial black of every page, which is a `DeviceGray`.
    Initial,
    /// Something that was judged when it was set.
    Plain,
    IccCmyk,
    /// A pattern in which something is transparent.
    Transparent,
}

/// The members of the graphics state that count here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    pub(super) fill: Paint,
    pub(super) stroke: Paint,
    pub(super) overprint_fill: bool,
    pub(super) overprint_stroke: bool,
    pub(super) overprint_mode: bool,
    /// The text rendering mode.
    pub(super) mode: u8,
    /// The key of the font.
    pub(super) font: Option<usize>,
    /// Operators that set colours have no effect: in glyphs and uncoloured patterns.
    pub(super) colourless: bool,
    pub(super) alpha_fill: bool,
    pub(super) alpha_stroke: bool,
    pub(super) blends: bool,
    pub(super) soft_mask: bool,
    /// Which members are still those that were given to the stream.
    pub(super) given: u8,
}

impl State {
    pub(super) const FILL: u8 = 1;
    pub(super) const STROKE: u8 = 2;
    pub(super) const OVERPRINT: u8 = 4;
    pub(super) const MODE: u8 = 8;
    pub(super) const FONT: u8 = 16;
    pub(super) const COLOURLESS: u8 = 32;
    /// Not a member: the resources of the page.
    pub(super) const PAGE: u8 = 64;
    /// Not a member: whether the page has a `DefaultGray`.
    pub(super) const BLACK: u8 = 128;
    pub(super) const ALL: u8 = 63;

    /// The initial state of a page.
    pub(super) const INITIAL: Self = Self {
        fill: Paint::Initial,
        stroke: Paint::Initial,
        overprint_fill: false,
        overprint_stroke: false,
        overprint_mode: false,
        mode: 0,
        font: None,
        colourless: false,
        alpha_fill: false,
        alpha_stroke: false,
        blends: false,
        soft_mask: false,
        given: Self::ALL,
    };

    /// The initial state of a stream that is drawn now; its transparency is that of the stream that draws it.
    pub(super) const fn handed_on(mut self) -> Self {
        self.alpha_fill = false;
        self.alpha_stroke = false;
        self.blends = false;
        self.soft_mask = false;
        self.given = Self::ALL;
        self
    }

    /// Whether what is filled is transparent, whatever it is filled with.
    pub(super) const fn is_transparent(&self) -> bool {
        self.blends || self.soft_mask || self.alpha_fill
    }

    /// Whether two states are the same in the members that count.
    pub(super) fn agrees(&self, other: &Self, needs: u8) -> bool {
        let same = |member: u8, same: bool| needs & member == 0 || same;
        let overprint = |state: &Self| {
            (
                state.overprint_fill,
                state.overprint_stroke,
                state.overprint_mode,
            )
        };
        same(Self::FILL, self.fill == other.fill)
            && same(Self::STROKE, self.stroke == other.stroke)
            && same(Self::OVERPRINT, overprint(self) == overprint(other))
            && same(Self::MODE, self.mode == other.mode)
            && same(Self::FONT, self.font == other.font)
            && same(Self::COLOURLESS, self.colourless == other.colourless)
    }
}

/// What drawing a stream came to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Outcome {
    /// Members of the given graphics state that made a difference.
    pub(super) needs: u8,
    pub(super) is_transparent: bool,
}

/// The text rendering mode; 0 if it is invalid.
pub(super) const fn rendering_mode(raw: &[u8]) -> u8 {
    match raw {
        [digit @ b'0'..=b'7'] => *digit - b'0',
        _ => 0,
    }
}
