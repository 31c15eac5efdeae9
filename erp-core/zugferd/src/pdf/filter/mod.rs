//! Bytes of streams behind their filters (ISO 32000-1, 7.4), never more than a limit.

mod ascii;
mod compressed;
mod predictor;

use super::{Dict, Object, PdfError};
use flate2::{Decompress, FlushDecompress, Status};
use std::borrow::Cow;
use std::io::Read as _;

/// Filters of one stream; honest files have two.
const MOST_FILTERS: usize = 16;

/// Decodes the bytes of a stream.
///
/// `dict` holds filters and their parameters, references resolved. Of compressed data that break off, what
/// came before is the result.
///
/// # Errors
/// [`PdfError::TooLarge`] when more than `limit` bytes come out at any filter; [`PdfError::Undecodable`]
/// for filters of images and bytes that do not fit.
pub(super) fn decode(dict: &Dict, raw: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let filters = checked_names(dict)?;
    if filters.is_empty() {
        return within(raw.len(), limit).map(|()| raw.to_vec());
    }
    if filters.len() > MOST_FILTERS {
        return Err(undecodable("a stream has too many filters"));
    }
    let mut bytes = Cow::Borrowed(raw);
    for (place, filter) in filters.into_iter().enumerate() {
        let parameters = match dict.get("DecodeParms") {
            Some(Object::Array(all)) => all.get(place).and_then(Object::as_dict),
            Some(Object::Dict(parameters)) => Some(parameters),
            _ => None,
        };
        bytes = Cow::Owned(decode_one(filter, parameters, &bytes, limit)?);
        within(bytes.len(), limit)?;
    }
    Ok(bytes.into_owned())
}

fn decode_one(
    filter: &[u8],
    parameters: Option<&Dict>,
    bytes: &[u8],
    limit: usize,
) -> Result<Vec<u8>, PdfError> {
    match filter {
        b"FlateDecode" => predictor::undo(compressed::flate(bytes, limit)?, parameters, limit),
        b"LZWDecode" => {
            let early = parameters.and_then(|all| all.integer("EarlyChange"));
            let plain = compressed::lzw(bytes, early != Some(0), limit)?;
            predictor::undo(plain, parameters, limit)
        }
        #[cfg(feature = "rare")]
        b"BrotliDecode" => compressed::brotli(bytes, limit),
        b"ASCII85Decode" => ascii::base85(bytes, limit),
        b"ASCIIHexDecode" => ascii::hexadecimal(bytes, limit),
        b"RunLengthDecode" => run_length(bytes, limit),
        _ => Err(undecodable("the filter of a stream is not one of data")),
    }
}

/// A length byte, then that many bytes and one more, or one byte to repeat; 128 ends the data (7.4.5).
fn run_length(bytes: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first() {
        within(out.len(), limit)?;
        let count = usize::from(*length);
        rest = match (count, after) {
            (128, _) | (_, []) => break,
            (0..128, _) => {
                let (copied, rest) = after.split_at(after.len().min(count + 1));
                out.extend_from_slice(copied);
                rest
            }
            (_, [repeated, rest @ ..]) => {
                out.resize(out.len() + 257 - count, *repeated);
                rest
            }
        };
    }
    Ok(out)
}

fn checked_names(dict: &Dict) -> Result<Vec<&[u8]>, PdfError> {
    let names = filter_names(dict);
    match dict.get("Filter") {
        Some(Object::Array(all)) if all.len() != names.len() => {
            Err(undecodable("a filter of a stream is not a name"))
        }
        _ => Ok(names),
    }
}

fn within(length: usize, limit: usize) -> Result<(), PdfError> {
    if length > limit {
        let what = "bytes in a decoded stream";
        return Err(PdfError::TooLarge { what, limit });
    }
    Ok(())
}

fn undecodable(what: &str) -> PdfError {
    PdfError::Undecodable(what.to_owned())
}

/// Inflates what has no other filter, with the memory of the inflating before.
///
/// `None` when the bytes are broken: [`decode`] gets out of them what it can.
pub(super) fn inflate(
    state: &mut Decompress,
    raw: &[u8],
    limit: usize,
) -> Option<Result<Vec<u8>, PdfError>> {
    state.reset(true);
    let mut out = Vec::with_capacity(
        raw.len()
            .saturating_mul(4)
            .clamp(1 << 10, 1 << 20)
            .min(limit + 1),
    );
    loop {
        let read = usize::try_from(state.total_in()).ok()?;
        let length = out.len();
        let status = state.decompress_vec(raw.get(read..)?, &mut out, FlushDecompress::Finish);
        if out.len() > limit {
            let what = "bytes in a decoded stream";
            return Some(Err(PdfError::TooLarge { what, limit }));
        }
        match status.ok()? {
            Status::StreamEnd => return Some(Ok(out)),
            _ if out.len() == out.capacity() => out.reserve(out.len().min(limit + 1 - out.len())),
            _ if out.len() == length => return None,
            _ => {}
        }
    }
}

/// Whether `/FlateDecode` without parameters is the only filter.
pub(super) fn is_plain_flate(dict: &Dict) -> bool {
    !dict.has("DecodeParms") && filter_names(dict) == [b"FlateDecode"]
}

/// The first bytes of a stream, as many as `limit`, without decoding the rest where that is possible.
pub(super) fn decode_start(dict: &Dict, raw: &[u8], limit: usize) -> Vec<u8> {
    let names = filter_names(dict);
    let plain = !dict.has("DecodeParms") && names.iter().all(|name| *name == b"FlateDecode");
    if !plain || names.len() > 2 {
        return decode(dict, raw, limit.saturating_mul(16)).map_or_else(
            |_| Vec::new(),
            |mut bytes| {
                bytes.truncate(limit);
                bytes
            },
        );
    }
    let mut reader: Box<dyn std::io::Read> = Box::new(raw);
    for _ in &names {
        reader = Box::new(flate2::read::ZlibDecoder::new(reader));
    }
    let mut start = Vec::new();
    // What came before an error is still the start.
    let _ = reader.take(limit as u64).read_to_end(&mut start);
    start
}

/// The names in `/Filter`.
pub(super) fn filter_names(dict: &Dict) -> Vec<&[u8]> {
    match dict.get("Filter") {
        Some(Object::Name(name)) => vec![name],
        Some(Object::Array(names)) => names.iter().filter_map(Object::as_name).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
