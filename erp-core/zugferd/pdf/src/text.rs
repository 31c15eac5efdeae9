//! Text strings (ISO 32000-1, 7.9.2.2).

/// 0x18 to 0x1F and 0x80 to 0x9F of PDFDocEncoding; the others are those of Latin-1.
const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
const HIGH: [char; 32] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™',
    'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}',
];

/// The text of a text string: UTF-16 or UTF-8 with its mark, else PDFDocEncoding.
#[must_use]
pub fn decode_text(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // Not in the standard, and yet found.
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| document_char(*byte)).collect(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

fn document_char(byte: u8) -> char {
    let of = |table: &[char], first: u8| {
        let letter = table.get(usize::from(byte - first));
        letter.copied().unwrap_or_default()
    };
    match byte {
        0x18..=0x1F => of(&LOW, 0x18),
        0x80..=0x9F => of(&HIGH, 0x80),
        0xA0 => '€',
        other => char::from(other),
    }
}

/// Text as a text string: plain when it is ASCII, else UTF-16.
#[must_use]
pub fn encode_text(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        return text.as_bytes().to_vec();
    }
    let units = text.encode_utf16().flat_map(u16::to_be_bytes);
    [0xFE, 0xFF].into_iter().chain(units).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_text_comes_back() {
        assert_eq!(decode_text(b"\xFE\xFF\0R\0\xE9"), "Ré");
        assert_eq!(decode_text(b"\xFF\xFEA\0"), "A");
        assert_eq!(decode_text(b"factur-x.xml"), "factur-x.xml");
        assert_eq!(decode_text(b"\xEF\xBB\xBF\xC3\xA4"), "ä");
        assert_eq!(decode_text(b"\x84\xE4\xA0"), "—ä€");
        for text in ["invoice", "Zürich", "𝄞"] {
            assert_eq!(decode_text(&encode_text(text)), text);
        }
    }
}
