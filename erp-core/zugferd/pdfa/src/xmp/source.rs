//! From the bytes of a packet to its text.

use super::fault::{FaultKind, XmpFault};

/// The most bytes that a packet may have: honest ones have thousands, and its tree takes many times as much.
const MAX_BYTES: usize = 4 << 20;

/// The encoding of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8, the only one that PDF/A allows.
    Utf8,
    /// UTF-16 in either byte order.
    Utf16,
    /// UTF-32 in either byte order.
    Utf32,
}

/// The text of a packet, from its first tag on.
#[derive(Debug)]
pub(super) struct XmpSource {
    pub(super) text: String,
    pub(super) encoding: TextEncoding,
    /// Whether something other than white space was before the first tag.
    pub(super) has_junk_before: bool,
}

impl XmpSource {
    pub(super) fn decode(packet: &[u8]) -> Result<Self, XmpFault> {
        if packet.len() > MAX_BYTES {
            let what = format!("the XMP metadata is larger than {MAX_BYTES} bytes");
            return Err(XmpFault::new(FaultKind::TooLarge, what));
        }
        let (text, encoding) = decode_text(packet)?;
        let Some(start) = text.find('<') else {
            return Err(XmpFault::not_well_formed("it has no tag"));
        };
        let (before, after) = text.split_at_checked(start).unwrap_or(("", &text));
        let before = before.trim_start_matches('\u{feff}');
        Ok(Self {
            has_junk_before: !before.trim().is_empty(),
            text: after.to_owned(),
            encoding,
        })
    }
}

fn decode_text(packet: &[u8]) -> Result<(String, TextEncoding), XmpFault> {
    match packet {
        [0xff, 0xfe, 0, 0, ..] | [b'<', 0, 0, 0, ..] => utf32(packet, u32::from_le_bytes),
        [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, b'<', ..] => utf32(packet, u32::from_be_bytes),
        [0xff, 0xfe, ..] | [b'<', 0, _, 0, ..] => utf16(packet, u16::from_le_bytes),
        [0xfe, 0xff, ..] | [0, b'<', 0, ..] => utf16(packet, u16::from_be_bytes),
        _ => match std::str::from_utf8(packet) {
            Ok(text) => Ok((text.to_owned(), TextEncoding::Utf8)),
            Err(_) => Err(undecodable("UTF-8")),
        },
    }
}

fn utf16(packet: &[u8], unit: fn([u8; 2]) -> u16) -> Result<(String, TextEncoding), XmpFault> {
    let (units, rest) = packet.as_chunks::<2>();
    let letters = char::decode_utf16(units.iter().map(|bytes| unit(*bytes)));
    match letters.collect::<Result<String, _>>() {
        Ok(text) if rest.is_empty() => Ok((text, TextEncoding::Utf16)),
        _ => Err(undecodable("UTF-16")),
    }
}

fn utf32(packet: &[u8], unit: fn([u8; 4]) -> u32) -> Result<(String, TextEncoding), XmpFault> {
    let (units, rest) = packet.as_chunks::<4>();
    let letters = units.iter().map(|bytes| char::from_u32(unit(*bytes)));
    match letters.collect::<Option<String>>() {
        Some(text) if rest.is_empty() => Ok((text, TextEncoding::Utf32)),
        _ => Err(undecodable("UTF-32")),
    }
}

fn undecodable(encoding: &str) -> XmpFault {
    let what = format!("the XMP metadata is not valid {encoding}");
    XmpFault::new(FaultKind::Encoding, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<?xpacket begin='\u{feff}'?><a>\u{e4}\u{1f600}</a>";

    fn decoded(packet: &[u8]) -> (String, TextEncoding) {
        let source = XmpSource::decode(packet).unwrap();
        (source.text, source.encoding)
    }

    #[test]
    fn all_encodings_of_xmp_are_read_with_and_without_a_mark() {
        for mark in ["", "\u{feff}"] {
            let marked = format!("{mark}{TEXT}");
            let utf8 = (TEXT.to_owned(), TextEncoding::Utf8);
            assert_eq!(decoded(marked.as_bytes()), utf8);
            let utf16 = (TEXT.to_owned(), TextEncoding::Utf16);
            let units = || marked.encode_utf16();
            let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
            assert_eq!(decoded(&little), utf16);
            assert_eq!(decoded(&big), utf16);
            let utf32 = (TEXT.to_owned(), TextEncoding::Utf32);
            let letters = || marked.chars().map(u32::from);
            let little: Vec<u8> = letters().flat_map(u32::to_le_bytes).collect();
            let big: Vec<u8> = letters().flat_map(u32::to_be_bytes).collect();
            assert_eq!(decoded(&little), utf32);
            assert_eq!(decoded(&big), utf32);
        }
    }

    #[test]
    fn bytes_in_no_encoding_are_refused() {
        for packet in [
            b"<a>\xe4</a>".as_slice(),
            b"<\0a\0b",
            b"<\0\0\0\xff\xff\xff\xff",
            b"",
            b"x",
        ] {
            assert!(XmpSource::decode(packet).is_err(), "{packet:?}");
        }
        let large = vec![b' '; MAX_BYTES + 1];
        assert_eq!(
            XmpSource::decode(&large).unwrap_err().kind,
            FaultKind::TooLarge
        );
    }

    #[test]
    fn junk_before_the_first_tag_is_seen() {
        assert!(!XmpSource::decode(b" \n<a/>").unwrap().has_junk_before);
        assert!(XmpSource::decode(b"\0<a/>").unwrap().has_junk_before);
    }
}
