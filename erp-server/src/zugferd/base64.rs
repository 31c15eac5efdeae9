//! Decodes Base64 with line breaks, without copying the text.

use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, STANDARD};
use base64::{DecodeError, Engine as _};
use erp_core::internal::Say;
use erp_core::sentence::{AsValue as _, Sentence};

/// Characters decoded at a time; a multiple of four.
const PIECE: usize = 64 * 1024;

/// For all pieces but the last, where `=` is not allowed.
const INSIDE: GeneralPurpose = GeneralPurpose::new(&ALPHABET, NO_PAD);

/// Why a text is not Base64. Positions do not count white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(super) enum Base64Error {
    /// A character that is not allowed at its position.
    #[say("base64.character", character = shown(*field_byte))]
    Character {
        byte: u8,
        /// Its position, from 1.
        at: usize,
    },
    #[say("base64.length")]
    Length { count: usize },
}

fn shown(byte: u8) -> Sentence {
    match byte {
        b'!'..=b'~' => format!("`{}`", char::from(byte)).as_value(),
        _ => sentence!("base64.byte", byte = format!("{byte:#04x}")),
    }
}

/// Decodes Base64 (RFC 4648, section 4: `+`, `/`, padded), ignoring white space.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let mut decoder = Decoder {
        decoded: Vec::with_capacity(text.len() / 4 * 3),
        pending: Vec::with_capacity(PIECE.min(text.len())),
        before: 0,
    };
    for run in text.as_bytes().split(u8::is_ascii_whitespace) {
        decoder.take(run)?;
    }
    decoder.end()
}

struct Decoder {
    decoded: Vec<u8>,
    pending: Vec<u8>,
    /// Number of characters decoded.
    before: usize,
}

impl Decoder {
    fn take(&mut self, mut run: &[u8]) -> Result<(), Base64Error> {
        while !run.is_empty() {
            if self.pending.len() == PIECE {
                // More characters follow, so padding is not allowed here.
                self.decode(&INSIDE)?;
            }
            let room = PIECE.saturating_sub(self.pending.len()).min(run.len());
            let (now, later) = run.split_at(room);
            self.pending.extend_from_slice(now);
            run = later;
        }
        Ok(())
    }

    fn end(mut self) -> Result<Vec<u8>, Base64Error> {
        self.decode(&STANDARD)?;
        Ok(self.decoded)
    }

    fn decode(&mut self, engine: &GeneralPurpose) -> Result<(), Base64Error> {
        let decoded = engine.decode_vec(&self.pending, &mut self.decoded);
        decoded.map_err(|error| self.explain(&error))?;
        self.before += self.pending.len();
        self.pending.clear();
        Ok(())
    }

    /// Reports the first invalid character, which is more helpful than the decoder's error.
    fn explain(&self, error: &DecodeError) -> Base64Error {
        let character = |place: usize, byte: u8| Base64Error::Character {
            byte,
            at: self.before.saturating_add(place).saturating_add(1),
        };
        let mut bytes = self.pending.iter().copied().enumerate();
        if let Some((place, byte)) = bytes.find(|(_, byte)| !is_known(*byte)) {
            return character(place, byte);
        }
        match error {
            DecodeError::InvalidByte(place, byte) => character(*place, *byte),
            DecodeError::InvalidLastSymbol { offset, symbol, .. } => character(*offset, *symbol),
            DecodeError::InvalidPadding if self.pending.len().is_multiple_of(4) => {
                let padding = self.pending.iter().position(|byte| *byte == b'=');
                character(padding.unwrap_or_default(), b'=')
            }
            DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => Base64Error::Length {
                count: self.before.saturating_add(self.pending.len()),
            },
        }
    }
}

const fn is_known(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-ZUG-01
    #[test]
    fn white_space_does_not_count() {
        assert_eq!(decode("aGFs bG8=\r\n").unwrap(), b"hallo");
        assert_eq!(decode("\n a\tG\nFsbG8 = ").unwrap(), b"hallo");
        assert_eq!(decode("aGFsbG8h").unwrap(), b"hallo!");
        assert_eq!(decode(" \n").unwrap(), b"");
    }

    // rule: R-ZUG-01
    #[test]
    fn long_texts_with_lines_are_decoded_whole() {
        let bytes: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let text = STANDARD.encode(&bytes);
        let lines: Vec<&str> = text
            .as_bytes()
            .chunks(76)
            .map(|line| std::str::from_utf8(line).unwrap())
            .collect();
        assert!(decode(&lines.join("\r\n")).unwrap() == bytes);
        assert!(decode(&text).unwrap() == bytes);
        // The end of a piece is not the end of the text.
        let exact = "A".repeat(PIECE);
        assert_eq!(decode(&exact).unwrap().len(), PIECE / 4 * 3);
        let padded_inside = format!("{}=={exact}", "A".repeat(PIECE - 2));
        assert!(matches!(
            decode(&padded_inside),
            Err(Base64Error::Character { byte: b'=', at }) if at == PIECE - 1
        ));
    }

    // rule: R-ZUG-01
    #[test]
    fn what_is_no_base64_is_named_with_its_place() {
        let wrong = |text: &str| decode(text).unwrap_err().to_string();
        assert!(wrong("aG Fs:G8=").contains("`:` at place 5"));
        assert!(wrong("aGFsbG8").contains("7 characters without white space"));
        assert!(wrong("aGFsb").contains("no multiple of 4"));
        // The URL-safe alphabet is another one.
        assert!(wrong("aG-_").contains("`-` at place 3"));
        assert!(wrong("aGFsbG8=aGFs").contains("`=` at place 8"));
        // Non-zero trailing bits.
        assert!(wrong("aGFsbG9=").contains("place 7"));
        assert!(wrong("data:application/pdf;base64,AAAA").contains("`:` at place 5"));
        assert!(wrong("aGFsbG8ä").contains("with the byte 0xc3"));
        assert!(wrong("A===").contains("`=`"));
    }
}
