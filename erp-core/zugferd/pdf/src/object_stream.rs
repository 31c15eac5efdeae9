//! Objects in object streams (ISO 32000-1, 7.5.7).

use super::lexer::Lexer;
use super::located::{Framing, Located};
use super::state::ObjectStream;
use super::xref::XrefEntry;
use super::{Dict, PdfError, PdfFile, Result};
use std::rc::Rc;

/// Object streams that need each other to be read: each is a call inside a call, and honest files have one.
const NESTED_STREAMS: usize = 8;

impl PdfFile<'_> {
    /// An object that is in an object stream; `None` when it is not there.
    pub(super) fn read_in_stream(&self, number: u32, stream: u32) -> Result<Option<Located>> {
        let container = self.object_stream(stream)?;
        let objects = &container.objects;
        let place = objects.binary_search_by_key(&number, |(number, _)| *number);
        let Some((_, start)) = place.ok().and_then(|place| container.objects.get(place)) else {
            return Ok(None);
        };
        // After the limit is reached, further reads cost nothing.
        self.count_parsed(0)?;
        let mut lexer = Lexer::new(&container.bytes, *start, &self.limits);
        let object = lexer.object();
        // What cannot be read took its time as well.
        let alive = self.parsed(*start, &lexer)?;
        let object = object?;
        Ok(Some(Located {
            alive,
            object,
            span: *start..lexer.position(),
            in_stream: Some(stream),
            generation: 0,
            framing: Framing::default(),
            syntax: lexer.syntax,
        }))
    }

    fn object_stream(&self, number: u32) -> Result<Rc<ObjectStream>> {
        if let Some(known) = self.state.borrow().streams.get(&number) {
            return Ok(Rc::clone(known));
        }
        self.state.borrow_mut().reading += 1;
        let decoded = self.read_object_stream(number);
        self.state.borrow_mut().reading -= 1;
        let decoded = Rc::new(decoded?);
        let bytes = decoded.bytes.len() + decoded.objects.len() * 16;
        let mut state = self.state.borrow_mut();
        if state.cached_bytes + bytes > self.limits.cached_bytes {
            // Streams that are being read are not removed.
            state.streams.clear();
            state.cached_bytes = 0;
        }
        state.cached_bytes += bytes;
        state.streams.insert(number, Rc::clone(&decoded));
        Ok(decoded)
    }

    /// Its length, filters, `/First` and `/N` may be objects in other object streams, or in itself.
    fn read_object_stream(&self, number: u32) -> Result<ObjectStream> {
        let damaged = || PdfError::damaged("an object stream is missing", 0);
        let XrefEntry::At(at) = self.entry(number)? else {
            return Err(damaged());
        };
        if self.state.borrow().reading > NESTED_STREAMS {
            return Err(PdfError::damaged("object streams need each other", at));
        }
        let located = self.read_plain(number, at)?;
        let stream = located.object.as_stream().ok_or_else(damaged)?;
        let bytes = self.decoded(stream)?.into_owned();
        let objects = self.object_offsets(&stream.dict, &bytes)?;
        Ok(ObjectStream { bytes, objects })
    }

    pub(super) fn object_offsets(&self, dict: &Dict, bytes: &[u8]) -> Result<Vec<(u32, usize)>> {
        let damaged = |at| PdfError::damaged("an object stream is broken", at);
        let first: Option<usize> = self.member(dict, "First")?.as_count();
        let first = first.ok_or_else(|| damaged(0))?;
        let count = self.member(dict, "N")?.as_integer().unwrap_or(0);
        let mut lexer = Lexer::new(bytes, 0, &self.limits);
        let mut objects = Vec::new();
        for _ in 0..count {
            let most = self.limits.values;
            PdfError::within("objects in one object stream", objects.len() + 1, most)?;
            lexer.skip_white();
            let number = lexer.unsigned::<u32>();
            lexer.skip_white();
            let offset = lexer.unsigned::<usize>();
            let (Some(number), Some(offset)) = (number, offset) else {
                return Err(damaged(lexer.position()));
            };
            objects.push((number, first.saturating_add(offset)));
        }
        // Of a number that is there twice the first counts, as in the order of the index.
        objects.sort_by_key(|(number, _)| *number);
        objects.dedup_by_key(|(number, _)| *number);
        Ok(objects)
    }
}
