//! The part of a PKCS#7 signature that PDF/A has rules for: its certificates and its signers (RFC 2315).

/// `pkcs7-signedData`, 1.2.840.113549.1.7.2.
const SIGNED_DATA: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02];
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const IDENTIFIER: u8 = 0x06;
const INTEGER: u8 = 0x02;
/// Context-specific, constructed, number 0.
const FIRST: u8 = 0xA0;
/// Context-specific, constructed, number 1.
const SECOND: u8 = 0xA1;
/// Values of indefinite length inside each other: each is a call inside a call.
const DEPTH: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SignedData {
    pub(super) certificates: usize,
    pub(super) signers: usize,
}

/// The numbers of certificates and signers; `None` for anything else than signed data.
///
/// What follows the structure is filling.
pub(super) fn signed_data(bytes: &[u8]) -> Option<SignedData> {
    let mut outer = Values { rest: bytes }.expect(SEQUENCE)?;
    (outer.expect(IDENTIFIER)?.rest == SIGNED_DATA).then_some(())?;
    let mut signed = outer.expect(FIRST)?.expect(SEQUENCE)?;
    signed.expect(INTEGER)?;
    signed.expect(SET)?;
    signed.expect(SEQUENCE)?;
    let mut certificates = 0;
    loop {
        let (tag, mut content) = signed.next()?;
        match tag {
            FIRST => certificates = content.count(SEQUENCE)?,
            SECOND => {}
            SET => {
                return Some(SignedData {
                    certificates,
                    signers: content.count(SEQUENCE)?,
                });
            }
            _ => return None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Values<'a> {
    rest: &'a [u8],
}

impl<'a> Values<'a> {
    fn next(&mut self) -> Option<(u8, Self)> {
        let (tag, content, rest) = split(self.rest, DEPTH)?;
        self.rest = rest;
        Some((tag, Self { rest: content }))
    }

    fn expect(&mut self, tag: u8) -> Option<Self> {
        let (found, content) = self.next()?;
        (found == tag).then_some(content)
    }

    /// How many values there are, all of one kind.
    fn count(&mut self, tag: u8) -> Option<usize> {
        let mut count = 0;
        while !self.rest.is_empty() {
            self.expect(tag)?;
            count += 1;
        }
        Some(count)
    }
}

/// The tag and the content of the first value, and what follows it.
fn split(bytes: &[u8], depth: usize) -> Option<(u8, &[u8], &[u8])> {
    let depth = depth.checked_sub(1)?;
    let (tag, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first()?;
    let (length, rest) = match length {
        0x80 => return split_indefinite(*tag, rest, depth),
        0..0x80 => (usize::from(*length), rest),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7F))?;
            ((digits.len() <= 4).then(|| number(digits))?, rest)
        }
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

/// A value whose end is marked by two zeros.
fn split_indefinite(tag: u8, bytes: &[u8], depth: usize) -> Option<(u8, &[u8], &[u8])> {
    let mut rest = bytes;
    loop {
        if let Some(after) = rest.strip_prefix(&[0, 0]) {
            let content = bytes.get(..bytes.len() - rest.len())?;
            return Some((tag, content, after));
        }
        (_, _, rest) = split(rest, depth)?;
    }
}

fn number(digits: &[u8]) -> usize {
    let digits = digits.iter().map(|digit| usize::from(*digit));
    digits.fold(0, |number, digit| number << 8 | digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(tag: u8, parts: &[Vec<u8>]) -> Vec<u8> {
        let content = parts.concat();
        let length = u8::try_from(content.len()).unwrap();
        [vec![tag, 0x81, length], content].concat()
    }

    fn signature(certificates: usize, signers: usize) -> Vec<u8> {
        let item = || value(SEQUENCE, &[vec![INTEGER, 1, 1]]);
        let mut parts = vec![vec![INTEGER, 1, 1], value(SET, &[]), value(SEQUENCE, &[])];
        if certificates > 0 {
            parts.push(value(FIRST, &vec![item(); certificates]));
        }
        parts.push(value(SECOND, &[item()]));
        parts.push(value(SET, &vec![item(); signers]));
        let signed = value(FIRST, &[value(SEQUENCE, &parts)]);
        let mut all = value(
            SEQUENCE,
            &[value(IDENTIFIER, &[SIGNED_DATA.to_vec()]), signed],
        );
        all.extend_from_slice(&[0; 20]);
        all
    }

    // clause: 6.4.3
    #[test]
    fn certificates_and_signers_are_counted() {
        for (certificates, signers) in [(1, 1), (0, 1), (3, 2), (0, 0)] {
            let counted = signed_data(&signature(certificates, signers));
            assert_eq!(
                counted,
                Some(SignedData {
                    certificates,
                    signers
                })
            );
        }
    }

    #[test]
    fn anything_else_is_no_signature() {
        let good = signature(1, 1);
        let long = good.len() - 20;
        for end in 0..long {
            assert_eq!(signed_data(&good[..end]), None, "cut at {end}");
        }
        assert_eq!(signed_data(&[0x04, 2, 1, 2]), None);
        let deep = [0x30, 0x80].repeat(1_000);
        assert_eq!(signed_data(&deep), None);
    }

    #[test]
    fn a_length_may_be_left_open() {
        let item = [SEQUENCE, 0x80, INTEGER, 1, 1, 0, 0];
        let mut values = Values {
            rest: &[item, item].concat(),
        };
        assert_eq!(values.count(SEQUENCE), Some(2));
    }
}
