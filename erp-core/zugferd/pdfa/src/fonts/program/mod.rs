//! Embedded font programs: which glyphs they have, and how wide these are.

mod cff;
mod sfnt;
mod type1;

pub(super) use cff::Cff;
pub(super) use sfnt::{Mapping, TrueType};

use sfnt::table;
pub(super) use type1::Type1;

use super::dictionary::Micro;

/// A glyph by its place in the program.
pub(super) type Glyph = u32;

/// A program whose glyphs have names: Type 1, or CFF that is its equivalent.
pub(super) trait NamedGlyphs {
    /// The glyph of a name; of names that are there twice the last counts.
    fn named(&self, name: &[u8]) -> Option<Glyph>;
    /// The glyph of a code by the encoding of the program; not `.notdef`.
    fn coded(&self, code: u32) -> Option<Glyph>;
    /// The width of a glyph in thousandths of the text space; `None` when it is not known.
    fn width(&self, glyph: Glyph) -> Option<Micro>;
    fn names(&self) -> impl Iterator<Item = &[u8]>;
}

/// `value` times `factor` by `divisor`, as far as it fits.
fn scaled(value: i64, factor: i64, divisor: i64) -> Option<Micro> {
    let product = i128::from(value).checked_mul(i128::from(factor))?;
    i64::try_from(product.checked_div(i128::from(divisor))?).ok()
}
