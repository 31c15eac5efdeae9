//! The graphics state as far as it counts here.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Paint {
    /// The initial black of every page, which is a `DeviceGray`.
    #[default]
    Initial,
    /// Something that was judged when it was set.
    Plain,
    IccCmyk,
    /// A pattern in which something is transparent.
    Transparent,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct GraphicsState {
    pub(super) fill: Paint,
    pub(super) stroke: Paint,
    pub(super) overprint_fill: bool,
    pub(super) overprint_stroke: bool,
    pub(super) overprint_mode: bool,
    pub(super) mode: u8,
    pub(super) font: Option<usize>,
    /// Operators that set colours have no effect: in glyphs and uncoloured patterns.
    pub(super) colourless: bool,
    pub(super) alpha_fill: bool,
    pub(super) alpha_stroke: bool,
    pub(super) blends: bool,
    pub(super) soft_mask: bool,
    /// Which members are still those that were given to the stream.
    pub(super) given: Needs,
}

/// What drawing a stream depends on: members of the graphics state that it is given, and the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Needs(u8);

impl Needs {
    pub(super) const FILL: Self = Self(1);
    pub(super) const STROKE: Self = Self(2);
    pub(super) const OVERPRINT: Self = Self(4);
    pub(super) const MODE: Self = Self(8);
    pub(super) const FONT: Self = Self(16);
    pub(super) const COLOURLESS: Self = Self(32);
    pub(super) const PAGE: Self = Self(64);
    /// Whether the page has a `DefaultGray`.
    pub(super) const DEFAULT_GRAY: Self = Self(128);
    pub(super) const ALL: Self = Self(u8::MAX);
    /// What no operator sets.
    pub(super) const OF_PAGE: Self = Self(Self::PAGE.0 | Self::DEFAULT_GRAY.0);

    /// Adds what an inner stream needs, as far as it has that from what was given to this one.
    pub(super) const fn add(&mut self, inner: Self, given: Self) {
        self.0 |= inner.0 & given.0;
    }

    pub(super) const fn remove(&mut self, member: Self) {
        self.0 &= !member.0;
    }

    pub(super) const fn has(self, member: Self) -> bool {
        self.0 & member.0 != 0
    }
}

impl GraphicsState {
    pub(super) fn initial() -> Self {
        Self {
            given: Needs::ALL,
            ..Self::default()
        }
    }

    /// The initial state of a stream that is drawn now; its transparency is that of the stream that draws it.
    pub(super) const fn handed_on(mut self) -> Self {
        self.alpha_fill = false;
        self.alpha_stroke = false;
        self.blends = false;
        self.soft_mask = false;
        self.given = Needs::ALL;
        self
    }

    /// Whether what is filled is transparent, whatever it is filled with.
    pub(super) const fn is_transparent(&self) -> bool {
        self.blends || self.soft_mask || self.alpha_fill
    }

    /// Whether two states are the same in what is needed.
    pub(super) fn agrees(&self, other: &Self, needs: Needs) -> bool {
        let overprint = |it: &Self| [it.overprint_fill, it.overprint_stroke, it.overprint_mode];
        (!needs.has(Needs::FILL) || self.fill == other.fill)
            && (!needs.has(Needs::STROKE) || self.stroke == other.stroke)
            && (!needs.has(Needs::OVERPRINT) || overprint(self) == overprint(other))
            && (!needs.has(Needs::MODE) || self.mode == other.mode)
            && (!needs.has(Needs::FONT) || self.font == other.font)
            && (!needs.has(Needs::COLOURLESS) || self.colourless == other.colourless)
    }
}

/// What drawing a stream came to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StreamOutcome {
    /// What made a difference.
    pub(super) needs: Needs,
    pub(super) is_transparent: bool,
}

/// The text rendering mode; 0 if it is invalid.
pub(super) const fn rendering_mode(raw: &[u8]) -> u8 {
    match raw {
        [digit @ b'0'..=b'7'] => *digit - b'0',
        _ => 0,
    }
}
