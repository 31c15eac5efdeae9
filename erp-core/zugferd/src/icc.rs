//! The colour profile of the output intent: sRGB (IEC 61966-2-1) as an ICC profile of version 4.2, generated here.
//!
//! It has only what ICC.1:2004-10 requires of a display profile: three colorants adapted to D50, one parametric curve
//! for all of them, white, the adaptation matrix, name and copyright.

/// s15Fixed16Number, the form numbers have in a profile (ICC.1:2004-10, 5.1.3); written as 65536ths.
type Fixed = i32;

/// D50, the white of the profile connection space.
const WHITE: [Fixed; 3] = [0xF6D6, 0x1_0000, 0xD32D];
/// Red, green and blue of sRGB, adapted to D50; their sum is the white.
const RED: [Fixed; 3] = [0x6FA3, 0x38F6, 0x0391];
const GREEN: [Fixed; 3] = [0x6294, 0xB786, 0x18DA];
const BLUE: [Fixed; 3] = [0x249E, 0x0F84, 0xB6C2];
/// From the white of sRGB, D65, to D50 by the Bradford method, row by row.
const ADAPTATION: [Fixed; 9] = [
    0x1_0C3F, 0x05DD, -0x0CD9, 0x0791, 0xFD91, -0x045E, -0x025E, 0x03DB, 0xC079,
];
/// The curve of sRGB as function type 3: g, a, b, c, d (ICC.1:2004-10, 10.15).
const CURVE: [Fixed; 5] = [0x2_6666, 0xF2A7, 0x0D59, 0x13D0, 0x0A5B];

/// Name and copyright of the profile.
const NAME: &str = "sRGB";
const COPYRIGHT: &str = "No copyright, use freely";

/// What the output intent calls its colours (`OutputConditionIdentifier`).
pub(super) const IDENTIFIER: &str = "sRGB IEC61966-2.1";

// clause: 6.2.3
/// The profile, 500 bytes or so.
pub(super) fn srgb() -> Vec<u8> {
    let curve = [&[0, 3, 0, 0][..], &fixed(&CURVE)].concat();
    let curve = typed(b"para", curve);
    let xyz = |values: &[Fixed]| typed(b"XYZ ", fixed(values));
    let tags: [(&[u8; 4], Vec<u8>); 10] = [
        (b"desc", localized(NAME)),
        (b"cprt", localized(COPYRIGHT)),
        (b"wtpt", xyz(&WHITE)),
        (b"chad", typed(b"sf32", fixed(&ADAPTATION))),
        (b"rXYZ", xyz(&RED)),
        (b"gXYZ", xyz(&GREEN)),
        (b"bXYZ", xyz(&BLUE)),
        (b"rTRC", curve.clone()),
        (b"gTRC", curve.clone()),
        (b"bTRC", curve),
    ];
    let mut table = word(tags.len());
    let mut data: Vec<u8> = Vec::new();
    let start = HEADER + 4 + tags.len() * 12;
    let mut places: Vec<(usize, Vec<u8>)> = Vec::new();
    for (signature, bytes) in tags {
        // Tags with the same bytes share them.
        let known = places.iter().find(|(_, known)| *known == bytes);
        let known = known.map(|(place, _)| *place);
        let place = known.unwrap_or(start + data.len());
        table.extend_from_slice(signature);
        table.extend(word(place));
        table.extend(word(bytes.len()));
        if known.is_none() {
            data.extend_from_slice(&bytes);
            data.resize(data.len().next_multiple_of(4), 0);
            places.push((place, bytes));
        }
    }
    [header(start + data.len()), table, data].concat()
}

const HEADER: usize = 128;

fn header(size: usize) -> Vec<u8> {
    let mut header = word(size);
    header.extend([0; 4]);
    header.extend([4, 0x20, 0, 0]);
    header.extend_from_slice(b"mntrRGB XYZ ");
    // The time of its making: 2026-01-01.
    for part in [2026_u16, 1, 1, 0, 0, 0] {
        header.extend(part.to_be_bytes());
    }
    header.extend_from_slice(b"acsp");
    // Platform, flags, manufacturer, model, attributes, and the perceptual intent.
    header.extend([0; 28]);
    header.extend(fixed(&WHITE));
    header.resize(HEADER, 0);
    header
}

fn word(value: usize) -> Vec<u8> {
    let value = u32::try_from(value).unwrap_or(u32::MAX);
    value.to_be_bytes().to_vec()
}

fn fixed(values: &[Fixed]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_be_bytes())
        .collect()
}

/// A text in American English (`multiLocalizedUnicodeType`).
fn localized(text: &str) -> Vec<u8> {
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let length = word(utf16.len());
    let value = [word(1), word(12), b"enUS".to_vec(), length, word(28), utf16];
    typed(b"mluc", value.concat())
}

fn typed(signature: &[u8; 4], value: Vec<u8>) -> Vec<u8> {
    [&signature[..], &[0; 4], &value].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    // clause: 6.2.3
    #[test]
    fn the_profile_is_what_its_header_says() {
        let profile = srgb();
        assert_eq!(
            profile[..4],
            u32::try_from(profile.len()).unwrap().to_be_bytes()
        );
        assert_eq!(&profile[12..24], b"mntrRGB XYZ ");
        assert_eq!(&profile[36..40], b"acsp");
        assert!(profile.len() < 700, "{}", profile.len());
        for place in 0..10 {
            let entry = &profile[132 + place * 12..][..12];
            let offset = u32::from_be_bytes(entry[4..8].try_into().unwrap()) as usize;
            let length = u32::from_be_bytes(entry[8..].try_into().unwrap()) as usize;
            assert!(offset + length <= profile.len() && offset.is_multiple_of(4));
        }
    }

    // clause: 6.2.3
    #[test]
    fn the_colorants_add_up_to_the_white() {
        for axis in 0..3 {
            let sum = RED[axis] + GREEN[axis] + BLUE[axis];
            assert!(
                (sum - WHITE[axis]).abs() <= 2,
                "{axis}: {sum} against {}",
                WHITE[axis]
            );
        }
    }
}
