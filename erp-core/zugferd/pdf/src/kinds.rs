//! What each byte is in the syntax (ISO 32000-1, 7.2.2), in a table: most of a check looks at bytes.

pub(crate) const WHITE: u8 = 1;
/// A byte that ends a token by itself.
pub(crate) const DELIMITER: u8 = 2;
/// Digits, signs and points.
pub(crate) const NUMERIC: u8 = 4;
/// Any other byte of names and words.
pub(crate) const OTHER: u8 = 8;
/// A byte with a meaning inside a string in parentheses, in addition to its other meaning.
pub(crate) const MARK: u8 = 16;

static KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut rest: &mut [u8] = &mut kinds;
    let mut byte = 0_u8;
    while let Some((kind, after)) = rest.split_first_mut() {
        *kind = match byte {
            0 | b'\t' | b'\n' | 0x0c | b' ' => WHITE,
            b'\r' => WHITE | MARK,
            b'(' | b')' => DELIMITER | MARK,
            b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%' => DELIMITER,
            b'0'..=b'9' | b'+' | b'-' | b'.' => NUMERIC,
            b'\\' => OTHER | MARK,
            _ => OTHER,
        };
        byte = byte.wrapping_add(1);
        rest = after;
    }
    kinds
}

#[inline]
pub(crate) fn is(byte: u8, kinds: u8) -> bool {
    KINDS
        .get(usize::from(byte))
        .is_some_and(|kind| kind & kinds != 0)
}

/// How many bytes there are before the first of these kinds.
#[inline]
pub(crate) fn before(bytes: &[u8], kinds: u8) -> usize {
    let mut all = bytes.iter();
    all.position(|byte| is(*byte, kinds)).unwrap_or(bytes.len())
}

/// Whether the byte is white space.
#[inline]
pub fn is_white(byte: u8) -> bool {
    is(byte, WHITE)
}
