//! Bytes as printable characters (ISO 32000-1, 7.4.2 and 7.4.3).

use super::{undecodable, within};
use crate::Result;
use crate::tokens::digit;

/// Two digits for each byte, up to `>`; a last single digit counts as the first of two.
pub(super) fn hexadecimal(bytes: &[u8], limit: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut high = None;
    let digits = bytes.iter().take_while(|byte| **byte != b'>');
    for byte in digits.filter(|byte| !byte.is_ascii_whitespace()) {
        let wrong = || undecodable("a hexadecimal digit of a stream is none");
        let digit = digit(*byte).ok_or_else(wrong)?;
        match high.take() {
            None => high = Some(digit << 4),
            Some(high) => {
                within(out.len(), limit)?;
                out.push(high | digit);
            }
        }
    }
    out.extend(high);
    Ok(out)
}

/// Five characters for each four bytes, `z` for four zero bytes, up to `~>`.
pub(super) fn base85(bytes: &[u8], limit: usize) -> Result<Vec<u8>> {
    const BASE: u32 = 85;
    let wrong = || undecodable("a group of five characters of a stream is none");
    let append = |group: u32, letter: u32| {
        let shifted = group.checked_mul(BASE);
        shifted
            .and_then(|group| group.checked_add(letter))
            .ok_or_else(wrong)
    };
    let mut out = Vec::new();
    let (mut group, mut letters) = (0_u32, 0_usize);
    for byte in bytes.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        within(out.len(), limit)?;
        match byte {
            b'z' if letters == 0 => out.extend_from_slice(&[0; 4]),
            b'z' => return Err(wrong()),
            b'!'..=b'u' => {
                group = append(group, u32::from(byte - b'!'))?;
                letters += 1;
            }
            _ => break,
        }
        if letters == 5 {
            out.extend_from_slice(&group.to_be_bytes());
            (group, letters) = (0, 0);
        }
    }
    if letters > 0 {
        for _ in letters..5 {
            group = append(group, BASE - 1)?;
        }
        out.extend(group.to_be_bytes().iter().take(letters - 1));
    }
    Ok(out)
}
