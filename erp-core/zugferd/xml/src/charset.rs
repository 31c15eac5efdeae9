//! Encodings other than UTF-8 and UTF-16.
//!
//! Their tables come from `encoding_rs`, by the names of the Encoding Standard (encoding.spec.whatwg.org), or from the
//! caller: a browser has the same tables and need not download them.

/// Decodes text that is neither UTF-8 nor UTF-16: gets the encoding that the XML declares, without blanks around
/// it, and the bytes. Returns `None` for an encoding that it does not know; bytes that are wrong become U+FFFD.
pub type DecodeText = fn(encoding: &str, bytes: &[u8]) -> Option<String>;

/// All other encodings of the Encoding Standard. A declaration that could be read byte by byte is not in a two-byte
/// encoding, so the names of UTF-16 mean UTF-8.
#[cfg(feature = "rare")]
pub(super) fn decode_text(encoding: &str, bytes: &[u8]) -> Option<String> {
    let table = encoding_rs::Encoding::for_label(encoding.as_bytes())?.output_encoding();
    Some(table.decode_without_bom_handling(bytes).0.into_owned())
}

#[cfg(not(feature = "rare"))]
pub(super) fn decode_text(_encoding: &str, _bytes: &[u8]) -> Option<String> {
    None
}
