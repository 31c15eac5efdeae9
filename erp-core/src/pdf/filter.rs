//! Bytes of streams behind their filters (ISO 32000-1, 7.4), never more than a limit.

use super::{Dict, Object, PdfError};
use flate2::{Decompress, FlushDecompress, Status};
use std::io::Read as _;

/// Decodes the bytes of a stream.
///
/// `dict` holds filters and their parameters, references resolved.
///
/// # Errors
/// [`PdfError::TooLarge`] when more than `limit` bytes come out at any filter; [`PdfError::Undecodable`]
/// for filters of images and bytes that do not fit.
pub(super) fn decode(dict: &Dict, raw: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let stream = lopdf::Stream::new(filter_members(dict), raw.to_vec());
    stream
        .decompressed_content_with_limit(limit)
        .map_err(|error| match error {
            lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. }) => {
                PdfError::TooLarge {
                    what: "bytes in a decoded stream",
                    limit,
                }
            }
            other => PdfError::Undecodable(other.to_string()),
        })
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

fn filter_members(dict: &Dict) -> lopdf::Dictionary {
    let mut members = lopdf::Dictionary::new();
    for name in ["Filter", "DecodeParms"] {
        if let Some(value) = dict.get(name) {
            members.set(name, convert(value));
        }
    }
    members
}

fn convert(object: &Object) -> lopdf::Object {
    match object {
        Object::Bool(value) => lopdf::Object::Boolean(*value),
        Object::Integer(value) => lopdf::Object::Integer(*value),
        Object::Name(name) => lopdf::Object::Name(name.to_vec()),
        Object::Array(items) => lopdf::Object::Array(items.iter().map(convert).collect()),
        Object::Dict(dict) => {
            let members = dict
                .iter()
                .map(|(name, value)| (name.to_vec(), convert(value)));
            lopdf::Object::Dictionary(members.collect())
        }
        _ => lopdf::Object::Null,
    }
}
