//! Compressed data (ISO 32000-1, 7.4.4), never more than a limit.

use super::{Decoded, within};
use crate::pdf::PdfError;
use flate2::{Decompress, FlushDecompress, Status};
#[cfg(feature = "rare")]
use std::io::Read;

/// Zlib data; where the frame is broken from the start, the data inside it.
pub(super) fn flate(
    state: &mut Decompress,
    bytes: &[u8],
    limit: usize,
) -> Result<Decoded, PdfError> {
    state.reset(true);
    let mut decoded = inflate(state, bytes, limit)?;
    if let (true, true, Some(inner)) = (decoded.is_broken, decoded.bytes.is_empty(), bytes.get(2..))
    {
        state.reset(false);
        decoded.bytes = inflate(state, inner, limit)?.bytes;
    }
    Ok(decoded)
}

/// What comes out before the data end, break off or go wrong.
fn inflate(state: &mut Decompress, bytes: &[u8], limit: usize) -> Result<Decoded, PdfError> {
    let most = limit.saturating_add(1);
    let expected = bytes.len().saturating_mul(4).clamp(1 << 10, 1 << 20);
    let mut out = Vec::with_capacity(expected.min(most));
    let mut is_broken = false;
    loop {
        let read = usize::try_from(state.total_in()).unwrap_or(usize::MAX);
        let rest = bytes.get(read..).unwrap_or_default();
        let length = out.len();
        // `Finish` would ask for room for all of it at once, and fail where there is not.
        match state.decompress_vec(rest, &mut out, FlushDecompress::None) {
            Ok(Status::StreamEnd) => break,
            Ok(_) if out.len() == out.capacity() => {
                within(out.len(), limit)?;
                out.reserve_exact(out.len().min(most - out.len()));
            }
            Ok(_) if out.len() == length => break,
            Ok(_) => {}
            Err(_) => {
                is_broken = true;
                break;
            }
        }
    }
    within(out.len(), limit)?;
    Ok(Decoded {
        bytes: out,
        is_broken,
    })
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

#[cfg(feature = "rare")]
/// Reads all, or one byte more than the limit.
fn read(from: impl Read, out: &mut Vec<u8>, limit: usize) -> std::io::Result<()> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    from.take(most).read_to_end(out).map(drop)
}
