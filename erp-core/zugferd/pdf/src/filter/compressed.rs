//! Compressed data (ISO 32000-1, 7.4.4), never more than a limit.

use super::{Decoded, within};
use crate::Result;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_PARSE_ZLIB_HEADER,
    TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
#[cfg(feature = "brotli")]
use std::io::Read as _;

/// Zlib data; where the frame is broken from the start, the data inside it.
pub(super) fn flate(state: &mut DecompressorOxide, bytes: &[u8], limit: usize) -> Result<Decoded> {
    let mut decoded = inflate(state, bytes, TINFL_FLAG_PARSE_ZLIB_HEADER, limit)?;
    if decoded.is_broken && decoded.bytes.is_empty() {
        let inner = bytes.get(2..).unwrap_or_default();
        decoded.bytes = inflate(state, inner, 0, limit)?.bytes;
    }
    Ok(decoded)
}

/// What comes out before the data end, break off or go wrong; `frame` says whether it is that of zlib.
fn inflate(
    state: &mut DecompressorOxide,
    bytes: &[u8],
    frame: u32,
    limit: usize,
) -> Result<Decoded> {
    let most = limit.saturating_add(1);
    let expected = bytes.len().saturating_mul(4).clamp(1 << 10, 1 << 20);
    let mut out = vec![0; expected.min(most)];
    let (mut read, mut length) = (0, 0);
    state.init();
    let is_broken = loop {
        let rest = bytes.get(read..).unwrap_or_default();
        let (status, consumed, written) = step(state, rest, &mut out, length, frame);
        read += consumed;
        length += written;
        match status {
            TINFLStatus::HasMoreOutput => {
                within(out.len(), limit)?;
                let more = out.len().min(most - out.len());
                out.reserve_exact(more);
                out.resize(out.len() + more, 0);
            }
            TINFLStatus::Done | TINFLStatus::NeedsMoreInput => break false,
            _ => break true,
        }
    };
    out.truncate(length);
    within(length, limit)?;
    Ok(Decoded {
        bytes: out,
        is_broken,
    })
}

/// The first bytes of zlib data, at most `limit`, and how many were read for them.
pub(super) fn inflated_start(bytes: &[u8], limit: usize) -> (Vec<u8>, usize) {
    let mut out = vec![0; limit];
    let state = &mut DecompressorOxide::new();
    let (_, read, length) = step(state, bytes, &mut out, 0, TINFL_FLAG_PARSE_ZLIB_HEADER);
    out.truncate(length);
    (out, read)
}

/// Inflates straight into the result, whose bytes before `length` are there already.
fn step(
    state: &mut DecompressorOxide,
    bytes: &[u8],
    out: &mut [u8],
    length: usize,
    frame: u32,
) -> (TINFLStatus, usize, usize) {
    let flags = frame | TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    decompress(state, bytes, out, length, flags)
}

/// Codes of growing width, which grow one code early where `early` says so.
pub(super) fn lzw(bytes: &[u8], early: bool, limit: usize) -> Result<Vec<u8>> {
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
#[cfg(feature = "brotli")]
pub(super) fn brotli(bytes: &[u8], limit: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    // One byte more than the limit says that it is too long.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = brotli_decompressor::Decompressor::new(bytes, 4096)
        .take(most)
        .read_to_end(&mut out);
    read.map_err(|_| super::undecodable("Brotli data of a stream are broken"))?;
    within(out.len(), limit)?;
    Ok(out)
}
