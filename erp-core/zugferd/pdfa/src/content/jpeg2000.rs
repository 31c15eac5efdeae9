//! The header of JPEG 2000 data (ISO 15444-1, annex I) as far as 6.2.8.3 needs it.

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    channels: u16,
    /// Bits of each component; outside of 1 to 38 when they differ.
    bits: u16,
    differing_bits: bool,
    specifications: usize,
    approximations: usize,
    /// Of the specification that counts.
    method: u8,
    colours: Option<u32>,
}

const SIGNATURE: &[u8] = b"\0\0\0\x0CjP  \r\n\x87\n";
/// Boxes that are read before the header is given up; in honest images it is among the first.
const BOXES: usize = 200;

/// The boxes of a level: types and content.
struct Boxes<'a>(&'a [u8]);

impl<'a> Iterator for Boxes<'a> {
    type Item = (&'a [u8; 4], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        let (kind, rest) = rest.split_first_chunk::<4>()?;
        let (length, rest) = match u32::from_be_bytes(*length) {
            0 => (rest.len(), rest),
            1 => {
                let (long, rest) = rest.split_first_chunk::<8>()?;
                let long = u64::from_be_bytes(*long).checked_sub(16)?;
                (usize::try_from(long).ok()?, rest)
            }
            length => (usize::try_from(length.checked_sub(8)?).ok()?, rest),
        };
        let (content, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        self.0 = after;
        Some((kind, content))
    }
}

/// Reads the header; missing values stay 0.
pub(super) fn read(data: &[u8]) -> Header {
    let mut header = Header::default();
    let Some(boxes) = data.strip_prefix(SIGNATURE) else {
        return header;
    };
    let found = Boxes(boxes).take(BOXES).find(|(kind, _)| *kind == b"jp2h");
    let Some((_, content)) = found else {
        return header;
    };
    let mut first = None;
    let mut best = None;
    for (kind, content) in Boxes(content).take(BOXES) {
        match kind {
            b"ihdr" => header.image(content),
            b"bpcc" => header.differing_bits = true,
            b"colr" => {
                let [method, _, approximation, rest @ ..] = content else {
                    continue;
                };
                header.specifications += 1;
                let colours = rest.first_chunk::<4>().filter(|_| *method == 1);
                let found = (*method, colours.map(|colours| u32::from_be_bytes(*colours)));
                first.get_or_insert(found);
                if *approximation == 1 {
                    header.approximations += 1;
                    best.get_or_insert(found);
                }
            }
            _ => {}
        }
    }
    let only = first.filter(|_| header.specifications == 1);
    if let Some((method, colours)) = best.or(only) {
        header.method = method;
        header.colours = colours;
    }
    header
}

impl Header {
    fn image(&mut self, content: &[u8]) {
        if let [_, _, _, _, _, _, _, _, high, low, bits, ..] = content {
            self.channels = u16::from_be_bytes([*high, *low]);
            // The highest bit is set for signed samples and for components that differ.
            self.bits = u16::from(*bits) + 1;
        }
    }

    /// Whether its colours are those of an uncalibrated CMYK.
    pub(super) fn is_device_cmyk(&self) -> bool {
        self.colours == Some(12)
    }

    /// What is wrong; `has_colours` when the image dictionary has a colour space, which then counts alone.
    pub(super) fn faults(&self, has_colours: bool) -> Vec<&'static str> {
        const FAULTS: [&str; 5] = [
            "JPEG 2000 data has not 1, 3 or 4 colour channels",
            "JPEG 2000 data has a wrong number of bits, or different ones",
            "JPEG 2000 data does not say which of its colour specifications counts",
            "JPEG 2000 data has an unknown way of specifying colours",
            "JPEG 2000 data is in the colour space CIEJab",
        ];
        let wrong = [
            !matches!(self.channels, 1 | 3 | 4),
            self.differing_bits || !(1..=38).contains(&self.bits),
            !has_colours && self.specifications != 1 && self.approximations != 1,
            !has_colours && !matches!(self.method, 1..=3),
            !has_colours && self.colours == Some(19),
        ];
        let found = FAULTS.into_iter().zip(wrong).filter(|(_, wrong)| *wrong);
        found.map(|(text, _)| text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len() + 8).unwrap().to_be_bytes();
        [&length[..], kind, content].concat()
    }

    fn file(channels: u8, bits: u8, colours: &[&[u8]]) -> Vec<u8> {
        let image = bytes(
            b"ihdr",
            &[0, 0, 0, 1, 0, 0, 0, 1, 0, channels, bits, 7, 0, 0],
        );
        let colours: Vec<u8> = colours
            .iter()
            .flat_map(|colours| bytes(b"colr", colours))
            .collect();
        let header = bytes(b"jp2h", &[image, colours].concat());
        [SIGNATURE, &bytes(b"ftyp", b"jp2 "), &header].concat()
    }

    // clause: 6.2.8.3
    #[test]
    fn what_the_header_says_is_judged() {
        let srgb: &[u8] = &[1, 0, 0, 0, 0, 0, 16];
        let best: &[u8] = &[1, 0, 1, 0, 0, 0, 16];
        let jab: &[u8] = &[1, 0, 0, 0, 0, 0, 19];
        let other: &[u8] = &[5, 0, 0];
        assert!(read(&file(3, 7, &[srgb])).faults(false).is_empty());
        assert!(read(&file(3, 7, &[srgb, best])).faults(false).is_empty());
        assert_eq!(read(&file(2, 7, &[srgb])).faults(false).len(), 1);
        assert_eq!(read(&file(3, 255, &[srgb])).faults(false).len(), 1);
        assert_eq!(read(&file(3, 7, &[jab])).faults(false).len(), 1);
        assert_eq!(read(&file(3, 7, &[other])).faults(false).len(), 1);
        assert!(read(&file(3, 7, &[jab, other])).faults(true).is_empty());
        assert_eq!(read(&file(3, 7, &[srgb, srgb])).faults(false).len(), 2);
        assert!(read(&file(4, 7, &[&[1, 0, 0, 0, 0, 0, 12]])).is_device_cmyk());
        // A codestream without boxes.
        assert_eq!(read(b"\xFF\x4F\xFF\x51").faults(true).len(), 2);
    }
}
