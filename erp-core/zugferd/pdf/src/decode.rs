//! The bytes of streams, filters taken off.

use super::object::StreamData;
use super::{Dict, Object, PdfError, PdfFile, Result, Stream, filter};
use std::borrow::Cow;

impl PdfFile<'_> {
    /// The stored bytes of a stream, filters not applied.
    #[must_use]
    pub fn raw<'s>(&'s self, stream: &'s Stream) -> &'s [u8] {
        match &stream.data {
            StreamData::InFile(range) => self.data.get(range.clone()).unwrap_or_default(),
            StreamData::New(bytes) => bytes,
        }
    }

    /// The bytes of a stream, filters taken off.
    /// Errors: [`PdfError::TooLarge`] beyond `Limits`, [`PdfError::Undecodable`].
    pub fn decoded<'s>(&'s self, stream: &'s Stream) -> Result<Cow<'s, [u8]>> {
        self.decoded_within(stream, self.limits.stream_bytes)
    }

    /// As [`PdfFile::decoded`], with a limit of one's own.
    pub fn decoded_within<'s>(&'s self, stream: &'s Stream, limit: usize) -> Result<Cow<'s, [u8]>> {
        self.decode(stream, limit).map(|(bytes, _)| bytes)
    }

    /// Like [`PdfFile::decoded`], but fails if the data are damaged.
    /// Errors: as there, and [`PdfError::Undecodable`] for data that do not match their format or checksum.
    pub fn decoded_whole<'s>(&'s self, stream: &'s Stream) -> Result<Cow<'s, [u8]>> {
        match self.decode(stream, self.limits.stream_bytes)? {
            (_, true) => Err(PdfError::Undecodable(
                "its compressed data are broken".to_owned(),
            )),
            (bytes, false) => Ok(bytes),
        }
    }

    /// The bytes of a stream, and whether its data are broken.
    fn decode<'s>(&'s self, stream: &'s Stream, limit: usize) -> Result<(Cow<'s, [u8]>, bool)> {
        self.check_wanted()?;
        let raw = self.raw(stream);
        let dict = self.filter_dict(&stream.dict)?;
        let filters = filter::filter_names(&dict).len();
        PdfError::within("filters of a stream", filters, self.limits.filters)?;
        if filters == 0 {
            PdfError::within("bytes in a stream", raw.len(), limit)?;
            return Ok((Cow::Borrowed(raw), false));
        }
        let spent = self.state.borrow().decoded_bytes;
        let left = self.limits.total_bytes.saturating_sub(spent);
        if left == 0 {
            return Err(self.too_much_decoded());
        }
        let most = limit.min(left);
        let decoded = filter::decode(&mut self.inflating.borrow_mut(), &dict, raw, most);
        self.count_decoded(match &decoded {
            Ok((_, work)) => *work,
            // How far it went is not known.
            Err(_) => most.max(raw.len()),
        });
        match decoded {
            Err(PdfError::TooLarge { .. }) if left < limit => Err(self.too_much_decoded()),
            other => other.map(|(decoded, _)| (Cow::Owned(decoded.bytes), decoded.is_broken)),
        }
    }

    fn count_decoded(&self, work: usize) {
        let mut state = self.state.borrow_mut();
        state.decoded_bytes = state.decoded_bytes.saturating_add(work);
    }

    const fn too_much_decoded(&self) -> PdfError {
        PdfError::too_large(
            "bytes of all streams together before or after their filters",
            self.limits.total_bytes,
        )
    }

    /// The first bytes of a stream, at most `limit`; empty when they cannot be decoded.
    /// Errors: as [`PdfFile::follow`]; [`PdfError::TooLarge`] beyond `Limits::total_bytes`.
    pub fn decoded_start(&self, stream: &Stream, limit: usize) -> Result<Vec<u8>> {
        let dict = self.filter_dict(&stream.dict)?;
        let (start, work) = filter::decode_start(&dict, self.raw(stream), limit);
        self.count_decoded(work);
        if self.state.borrow().decoded_bytes > self.limits.total_bytes {
            return Err(self.too_much_decoded());
        }
        Ok(start)
    }

    /// `/Filter` and `/DecodeParms` without references.
    fn filter_dict(&self, dict: &Dict) -> Result<Dict> {
        let mut plain = Dict::new();
        for (name, short) in [("Filter", "F"), ("DecodeParms", "DP")] {
            let mut value = self.member(dict, name)?;
            if matches!(*value, Object::Null) && !dict.has("Length") {
                value = self.member(dict, short)?;
            }
            let resolved = match &*value {
                Object::Array(items) => {
                    let items = items.iter().map(|item| Ok(self.follow(item)?.clone()));
                    Object::Array(items.collect::<Result<_>>()?)
                }
                other => other.clone(),
            };
            if !matches!(resolved, Object::Null) {
                plain.set(name, resolved);
            }
        }
        Ok(plain)
    }
}
