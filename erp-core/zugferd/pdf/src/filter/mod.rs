//! Bytes of streams after their filters (ISO 32000-1, 7.4), never more than a limit.

mod ascii;
mod compressed;
mod predictor;

use super::{Dict, Object, PdfError, Result};
use compressed::inflated_start;
use miniz_oxide::inflate::core::DecompressorOxide;
use std::borrow::Cow;

/// Filters of one stream; honest files have two.
const MOST_FILTERS: usize = 16;

/// What came out of the filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Decoded {
    /// The bytes; of data that are broken, those before the fault.
    pub(super) bytes: Vec<u8>,
    /// Whether compressed data were not what their format or their checksum says.
    pub(super) is_broken: bool,
}

/// Decodes the bytes of a stream. Also returns the work, which is the largest number of bytes that any filter read or
/// wrote: white space and intermediate data cost time but are not in the result.
///
/// `dict` holds filters and their parameters, references resolved. If compressed data are truncated, the result is what
/// could be decoded. `state` is memory for inflating that is reused from stream to stream.
pub(super) fn decode(
    state: &mut DecompressorOxide,
    dict: &Dict,
    raw: &[u8],
    limit: usize,
) -> Result<(Decoded, usize)> {
    let filters = filter_names(dict);
    let stated = dict.get("Filter").and_then(Object::as_array);
    if stated.is_some_and(|all| all.len() != filters.len()) {
        return Err(undecodable("a filter of a stream is not a name"));
    }
    if filters.len() > MOST_FILTERS {
        return Err(undecodable("a stream has too many filters"));
    }
    let mut bytes = Cow::Borrowed(raw);
    let mut is_broken = false;
    let mut work = raw.len();
    for (place, filter) in filters.into_iter().enumerate() {
        let parameters = match dict.get("DecodeParms") {
            Some(Object::Array(all)) => all.get(place).and_then(Object::as_dict),
            Some(Object::Dict(parameters)) => Some(parameters),
            _ => None,
        };
        let decoded = decode_one(state, filter, parameters, &bytes, limit)?;
        is_broken |= decoded.is_broken;
        work = work.max(decoded.bytes.len());
        bytes = Cow::Owned(decoded.bytes);
    }
    within(bytes.len(), limit)?;
    let bytes = bytes.into_owned();
    Ok((Decoded { bytes, is_broken }, work))
}

fn decode_one(
    state: &mut DecompressorOxide,
    filter: &[u8],
    parameters: Option<&Dict>,
    bytes: &[u8],
    limit: usize,
) -> Result<Decoded> {
    let plain = match filter {
        b"FlateDecode" => {
            let Decoded { bytes, is_broken } = compressed::flate(state, bytes, limit)?;
            let bytes = predictor::undo(bytes, parameters, limit)?;
            return Ok(Decoded { bytes, is_broken });
        }
        b"LZWDecode" => {
            let early = parameters.and_then(|all| all.integer("EarlyChange"));
            let plain = compressed::lzw(bytes, early != Some(0), limit)?;
            predictor::undo(plain, parameters, limit)
        }
        #[cfg(feature = "brotli")]
        b"BrotliDecode" => compressed::brotli(bytes, limit),
        b"ASCII85Decode" => ascii::base85(bytes, limit),
        b"ASCIIHexDecode" => ascii::hexadecimal(bytes, limit),
        b"RunLengthDecode" => run_length(bytes, limit),
        _ => Err(undecodable("the filter of a stream is not one of data")),
    };
    let bytes = plain?;
    within(bytes.len(), limit)?;
    Ok(Decoded {
        bytes,
        is_broken: false,
    })
}

/// A length byte, then that many bytes and one more, or one byte to repeat; 128 ends the data (7.4.5).
fn run_length(bytes: &[u8], limit: usize) -> Result<Vec<u8>> {
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

const fn within(length: usize, limit: usize) -> Result<()> {
    PdfError::within("bytes in a decoded stream", length, limit)
}

fn undecodable(what: &str) -> PdfError {
    PdfError::Undecodable(what.to_owned())
}

/// The first bytes of a stream, as many as `limit`, without decoding the rest where that is possible; and how many
/// bytes the filters read or made for that.
pub(super) fn decode_start(dict: &Dict, raw: &[u8], limit: usize) -> (Vec<u8>, usize) {
    let names = filter_names(dict);
    let plain = !dict.has("DecodeParms") && names.iter().all(|name| *name == b"FlateDecode");
    let most = limit.saturating_mul(16);
    // Encoded data may be long but contain almost nothing.
    let raw = raw.get(..most).unwrap_or(raw);
    if !plain || names.len() > 2 {
        let decoded = decode(&mut DecompressorOxide::new(), dict, raw, most);
        // How far one went that cannot be decoded is not known.
        let (mut decoded, work) = decoded.unwrap_or((Decoded::default(), most));
        decoded.bytes.truncate(limit);
        return (decoded.bytes, work);
    }
    // What came before an error is still the start.
    match names.len() {
        0 => {
            let start = raw.get(..limit).unwrap_or(raw);
            (start.to_vec(), start.len())
        }
        1 => {
            let (start, read) = inflated_start(raw, limit);
            let work = start.len().max(read);
            (start, work)
        }
        _ => {
            let (between, read) = inflated_start(raw, most);
            let (start, _) = inflated_start(&between, limit);
            (start, between.len().max(read))
        }
    }
}

pub(super) fn filter_names(dict: &Dict) -> Vec<&[u8]> {
    let filters = dict.get("Filter").map(Object::as_list);
    let filters = filters.unwrap_or_default().iter();
    filters.filter_map(Object::as_name).collect()
}

#[cfg(test)]
mod tests;
