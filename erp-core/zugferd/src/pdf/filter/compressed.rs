//! Compressed data (ISO 32000-1, 7.4.4), never more than a limit.

use super::within;
use crate::pdf::PdfError;
use std::io::Read;

/// Zlib data; where the frame is broken from the start, the data inside it.
pub(super) fn flate(bytes: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let mut out = Vec::with_capacity(bytes.len().saturating_mul(2).min(limit.saturating_add(1)));
    if !bytes.is_empty() {
        let whole = read(flate2::read::ZlibDecoder::new(bytes), &mut out, limit);
        if let (Err(_), true, Some(inner)) = (whole, out.is_empty(), bytes.get(2..)) {
            // What came before an error is still the start.
            let _ = read(flate2::read::DeflateDecoder::new(inner), &mut out, limit);
        }
    }
    within(out.len(), limit)?;
    Ok(out)
}

/// Codes of growing width, which grow one code early where `early` says so.
pub(super) fn lzw(bytes: &[u8], early: bool, limit: usize) -> Result<Vec<u8>, PdfError> {
    use weezl::{BitOrder, LzwStatus, decode::Decoder};
    const CHUNK: usize = 1 << 14;
    let mut decoder = if early {
        Decoder::with_tiff_size_switch(BitOrder::Msb, 8)
    } else {
        Decoder::new(BitOrder::Msb, 8)
    };
    let mut out = Vec::new();
    let mut rest = bytes;
    loop {
        let filled = out.len();
        out.resize(filled + CHUNK, 0);
        let step = decoder.decode_bytes(rest, out.get_mut(filled..).unwrap_or_default());
        out.truncate(filled + step.consumed_out);
        within(out.len(), limit)?;
        rest = rest.get(step.consumed_in..).unwrap_or_default();
        let moved = step.consumed_in > 0 || step.consumed_out > 0;
        if !moved || !matches!(step.status, Ok(LzwStatus::Ok)) {
            return Ok(out);
        }
    }
}

/// Brotli, an extension that ISO 32000 does not have yet.
#[cfg(feature = "rare")]
pub(super) fn brotli(bytes: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let mut out = Vec::new();
    let decoder = brotli_decompressor::Decompressor::new(bytes, 4096);
    read(decoder, &mut out, limit)
        .map_err(|_| super::undecodable("Brotli data of a stream are broken"))?;
    within(out.len(), limit)?;
    Ok(out)
}

/// Reads all, or one byte more than the limit.
fn read(from: impl Read, out: &mut Vec<u8>, limit: usize) -> std::io::Result<()> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    from.take(most).read_to_end(out).map(drop)
}
