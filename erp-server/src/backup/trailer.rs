//! The trailer of a backup: an empty gzip member whose comment is the SHA-256 of all bytes before it.

/// Gzip header: magic, deflate, comment flag, no time, no extra flags, unknown system.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff];

const LABEL: &str = "erp-backup sha256:";

/// End of the comment, an empty deflate stream, its CRC and length.
const TAIL: [u8; 11] = [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

pub(super) const BYTES: u64 = (HEAD.len() + LABEL.len() + 64 + TAIL.len()) as u64;

/// The trailer for preceding bytes with this SHA-256.
pub(super) fn render(sha256: &str) -> Vec<u8> {
    [&HEAD, LABEL.as_bytes(), sha256.as_bytes(), &TAIL].concat()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::MultiGzDecoder;

    use super::*;

    #[test]
    fn it_is_an_empty_member_of_gzip_with_the_sum_as_its_comment() {
        let sum = "0123456789abcdef".repeat(4);
        let bytes = render(&sum);
        assert_eq!(bytes.len() as u64, BYTES);
        let mut decoder = MultiGzDecoder::new(bytes.as_slice());
        let mut nothing = Vec::new();
        decoder.read_to_end(&mut nothing).unwrap();
        assert!(nothing.is_empty());
        let mut decoder = MultiGzDecoder::new(bytes.as_slice());
        let _ = decoder.read(&mut [0; 1]);
        let comment = decoder.header().and_then(|header| header.comment());
        assert_eq!(comment, Some(format!("{LABEL}{sum}").as_bytes()));
    }
}
