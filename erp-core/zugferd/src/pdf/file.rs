//! A PDF that is read where something is asked of it, and nowhere else.

use super::lexer::{Lexer, Syntax, is_white};
use super::memory::{Alive, Memory, weight};
use super::security::Security;
use super::xref::{Entry, Section, SectionKind};
use super::{Dict, Limits, Object, ObjectId, PdfError, Stream, StreamData, filter};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::rc::Rc;

/// A PDF in memory, opened at its cross-reference chain; objects are read when they are asked for.
pub struct PdfFile<'a> {
    pub(super) data: &'a [u8],
    pub(super) limits: Limits,
    pub(super) sections: Vec<Section>,
    pub(super) trailer: Dict,
    pub(super) opened: Opened,
    pub(super) state: RefCell<State>,
    pub(super) memory: Memory,
    /// Its memory is used for one stream after the other.
    pub(super) inflating: RefCell<flate2::Decompress>,
    /// Of an encrypted file that was unlocked.
    pub(super) security: Option<Security>,
}

/// How the file was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opened {
    /// Bytes before `%PDF-`.
    pub junk_before: usize,
    /// Whether offsets count from `%PDF-` although something stands before it.
    pub offsets_after_junk: bool,
    /// The number after `startxref`.
    pub startxref: usize,
    /// Whether the objects were found by looking through the whole file.
    pub rebuilt: bool,
}

#[derive(Default)]
pub(super) struct State {
    /// By number; what has a number beyond it is not kept.
    objects: Vec<Option<Rc<Located>>>,
    /// Bytes of the objects that are kept.
    kept_bytes: usize,
    streams: BTreeMap<u32, Rc<ObjectStream>>,
    cached_bytes: usize,
    decoded_bytes: usize,
    /// Object streams that are being read inside each other: one whose length, filter or index is in another one.
    reading: usize,
}

impl State {
    /// Keeps an object while all of them together have at most `most` bytes; else all others are read again.
    fn keep(&mut self, place: usize, located: &Rc<Located>, most: usize) {
        if place >= KEPT_NUMBERS {
            return;
        }
        let bytes = located.alive.bytes();
        if self.kept_bytes.saturating_add(bytes) > most {
            self.forget_objects();
        }
        if place >= self.objects.len() {
            self.objects.resize(place + 1, None);
        }
        if let Some(slot) = self.objects.get_mut(place) {
            *slot = Some(Rc::clone(located));
            self.kept_bytes += bytes;
        }
    }

    fn forget_objects(&mut self) {
        self.objects.clear();
        self.kept_bytes = 0;
    }
}

/// A decoded object stream.
struct ObjectStream {
    bytes: Vec<u8>,
    /// Number and start of each object, sorted by number.
    objects: Vec<(u32, usize)>,
}

/// An object and how it stands in the file.
#[derive(Debug)]
pub struct Located {
    /// The object itself.
    pub object: Object,
    /// From its number to the end of `endobj`; of an object in a stream, its bytes there.
    pub span: Range<usize>,
    /// The object stream it is in.
    pub in_stream: Option<u32>,
    /// The generation that is written in front of it.
    pub generation: u16,
    /// How it is framed.
    pub framing: Framing,
    /// What PDF/A forbids inside.
    pub syntax: Syntax,
    /// Its part of the memory that is in use.
    pub(super) alive: Alive,
}

impl Located {
    /// Bytes of its text, without the data of a stream.
    pub(super) const fn text_bytes(&self) -> usize {
        self.alive.text()
    }
}

/// How an object is framed; PDF/A allows only what is `false` here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Framing {
    /// Blanks or line ends around `obj` or `endobj` are not those of 6.1.9.
    pub spacing: bool,
    /// `/Length` is not the length of the data (6.1.7.1).
    pub wrong_length: bool,
    /// `stream` or `endstream` is not framed by line ends (6.1.7.1).
    pub stream_lines: bool,
    /// The generation is not that of the cross-reference (6.1.4).
    pub wrong_generation: bool,
}

/// An object that is either written at the place of use or shared.
pub enum Value<'v> {
    /// It is written where it is used.
    Here(&'v Object),
    /// It is an indirect object.
    There(Rc<Located>),
}

impl Deref for Value<'_> {
    type Target = Object;

    fn deref(&self) -> &Object {
        match self {
            Self::Here(object) => object,
            Self::There(located) => &located.object,
        }
    }
}

/// Numbers above it are those of files too large to be kept.
const KEPT_NUMBERS: usize = 200_000;
/// Bytes of objects that are kept of a large file beyond those of a small one.
const KEPT_MORE: usize = 32 << 20;
/// Bytes that are searched in the time of parsing one.
const SEARCHED: usize = 16;
/// Object streams that need each other to be read.
const NESTED_STREAMS: usize = 8;
/// References that lead to references.
const REFERENCE_CHAIN: usize = 32;
static NULL: Object = Object::Null;

impl<'a> PdfFile<'a> {
    /// All bytes, from the first that offsets count from.
    #[must_use]
    pub const fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The newest trailer, or the dictionary of the newest cross-reference stream.
    #[must_use]
    pub const fn trailer(&self) -> &Dict {
        &self.trailer
    }

    /// How the file was opened.
    #[must_use]
    pub const fn opened(&self) -> Opened {
        self.opened
    }

    /// The limits it was opened with.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The kind of the newest cross-reference section.
    #[must_use]
    pub fn newest_section(&self) -> Option<(usize, SectionKind)> {
        self.sections
            .first()
            .map(|section| (section.at, section.kind))
    }

    /// Starts and kinds of all sections, the newest first.
    pub fn sections(&self) -> impl Iterator<Item = (usize, SectionKind)> {
        self.sections
            .iter()
            .map(|section| (section.at, section.kind))
    }

    /// Whether strings and streams are encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.trailer.has("Encrypt")
    }

    /// What the cross-reference says about an object.
    ///
    /// # Errors
    /// [`PdfError::Damaged`] when its line is broken.
    pub fn entry(&self, number: u32) -> Result<Entry, PdfError> {
        for section in &self.sections {
            if let Some(entry) = section.entry(self.data, number)? {
                return Ok(entry);
            }
        }
        Ok(Entry::Free)
    }

    /// The generation of an object by the cross-reference; `None` where the objects were looked for.
    fn row_generation(&self, number: u32) -> Option<u32> {
        let mut generations = self.sections.iter();
        generations.find_map(|section| section.generation(self.data, number))
    }

    /// The numbers of all objects that exist, in their order.
    ///
    /// # Errors
    /// [`PdfError::TooLarge`] beyond `Limits::objects`; [`PdfError::Damaged`] for broken lines.
    pub fn objects(&self) -> Result<Vec<u32>, PdfError> {
        // Whether it is in use, of every number; the newest section that has it says.
        let mut all: Vec<Option<bool>> = Vec::new();
        for section in &self.sections {
            if let super::xref::Rows::Found(entries) = &section.rows {
                for (number, entry) in entries {
                    self.note(&mut all, *number, || Ok(*entry))?;
                }
            }
            for run in &section.runs {
                for offset in 0..run.count {
                    let number = run.first.saturating_add(offset);
                    self.note(&mut all, number, || section.row(self.data, run, offset))?;
                }
            }
        }
        let used = (0_u32..).zip(all).filter(|(_, used)| *used == Some(true));
        Ok(used.map(|(number, _)| number).collect())
    }

    fn note(
        &self,
        all: &mut Vec<Option<bool>>,
        number: u32,
        entry: impl FnOnce() -> Result<Entry, PdfError>,
    ) -> Result<(), PdfError> {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        if place >= self.limits.objects {
            return Err(PdfError::TooLarge {
                what: "objects",
                limit: self.limits.objects,
            });
        }
        if place >= all.len() {
            all.resize(place + 1, None);
        }
        if let Some(slot @ None) = all.get_mut(place) {
            *slot = Some(entry()? != Entry::Free);
        }
        Ok(())
    }

    /// One more than the highest number any section mentions.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        let size = self
            .trailer
            .integer("Size")
            .and_then(|size| u32::try_from(size).ok());
        let runs = self.sections.iter().flat_map(|section| &section.runs);
        let highest = runs.map(|run| run.first.saturating_add(run.count)).max();
        let found = self
            .sections
            .iter()
            .filter_map(|section| match &section.rows {
                super::xref::Rows::Found(entries) => {
                    entries.last().map(|(number, _)| number.saturating_add(1))
                }
                _ => None,
            });
        let known = highest.into_iter().chain(found).max().unwrap_or(1);
        // `/Size` is often larger without reason, and numbers below it may be free for good.
        known.max(
            size.filter(|size| *size < known.saturating_add(1_000))
                .unwrap_or(0),
        )
    }

    /// The first of the free objects that the newest table lists; 0 when there is none.
    pub(super) fn first_free(&self) -> u32 {
        let tables = self.sections.iter();
        let head = tables
            .filter_map(|section| section.table_row(self.data, 0))
            .next();
        let first = head.and_then(|row| u32::try_from(row.offset).ok());
        first
            .filter(|number| matches!(self.entry(*number), Ok(Entry::Free)))
            .unwrap_or(0)
    }

    /// Whether a table frees an object that an older section has in a way that other readers misunderstand: they
    /// find the old object, or take the row for that of object 0. Also when there are too many rows to tell.
    #[must_use]
    pub fn has_misleading_free_rows(&self) -> bool {
        let mut left = self.limits.objects;
        let newer = self.sections.iter().rev().skip(1);
        for section in newer.filter(|section| section.is_table()) {
            for run in &section.runs {
                let count = usize::try_from(run.count).unwrap_or(usize::MAX);
                let Some(rest) = left.checked_sub(count) else {
                    return true;
                };
                left = rest;
                let mut numbers = (0..run.count).map(|offset| run.first.saturating_add(offset));
                if numbers.any(|number| self.is_freed_for_good(section, number)) {
                    return true;
                }
            }
        }
        false
    }

    fn is_freed_for_good(&self, section: &Section, number: u32) -> bool {
        number != 0
            && section.frees_for_good(self.data, number)
            && self.is_in_older(section, number)
    }

    fn is_in_older(&self, section: &Section, number: u32) -> bool {
        let newer = self.sections.iter();
        let older = newer
            .skip_while(|newer| !std::ptr::eq(*newer, section))
            .skip(1);
        let mut entries = older.filter_map(|older| older.entry(self.data, number).ok().flatten());
        entries.next().is_some_and(|entry| entry != Entry::Free)
    }

    /// An indirect object; `None` when it does not exist.
    ///
    /// # Errors
    /// [`PdfError::Damaged`] when it does not stand where it should, and the limits.
    pub fn object(&self, number: u32) -> Result<Option<Rc<Located>>, PdfError> {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(Some(known)) = self.state.borrow().objects.get(place) {
            return Ok(Some(Rc::clone(known)));
        }
        let located = match self.entry(number)? {
            Entry::Free => return Ok(None),
            Entry::At(_) if self.security.as_ref().is_some_and(|all| all.is_own(number)) => {
                return Ok(None);
            }
            Entry::At(at) => {
                let mut located = self.read_plain(number, at)?;
                let stated = self.row_generation(number);
                located.framing.wrong_generation =
                    stated.is_some_and(|stated| stated != u32::from(located.generation));
                located
            }
            Entry::InStream { stream } => match self.read_in_stream(number, stream)? {
                Some(located) => located,
                None => return Ok(None),
            },
        };
        let located = Rc::new(located);
        self.state
            .borrow_mut()
            .keep(place, &located, self.kept_bytes());
        self.check_held()?;
        Ok(Some(located))
    }

    /// Bytes of objects that are kept: more of a large file, whose objects would be read again and again.
    fn kept_bytes(&self) -> usize {
        let more = (self.data.len() / 2).min(KEPT_MORE);
        self.limits.cached_bytes.saturating_add(more)
    }

    /// Whether what is in use fits the limits, if need be without what is kept only to be quick.
    fn check_held(&self) -> Result<(), PdfError> {
        let kept = self.state.borrow().kept_bytes;
        self.memory.check(kept, &self.limits).or_else(|_| {
            // Some of what is kept is in use as well.
            self.state.borrow_mut().forget_objects();
            self.memory.check(0, &self.limits)
        })
    }

    /// Counts a value that is kept apart from its object until the task ends.
    ///
    /// # Errors
    /// [`PdfError::TooLarge`] beyond `Limits::held_bytes`.
    pub fn hold(&self, object: &Object) -> Result<(), PdfError> {
        self.hold_bytes(weight(object))
    }

    /// As [`PdfFile::hold`], of something else than a value.
    ///
    /// # Errors
    /// As there.
    pub fn hold_bytes(&self, bytes: usize) -> Result<(), PdfError> {
        self.memory.note(bytes);
        self.check_held()
    }

    /// Follows references until there is a value; what does not exist is `null` (7.3.10).
    ///
    /// # Errors
    /// As [`PdfFile::object`]; [`PdfError::Damaged`] for references in a circle.
    pub fn follow<'v>(&self, object: &'v Object) -> Result<Value<'v>, PdfError> {
        let Object::Reference(id) = object else {
            return Ok(Value::Here(object));
        };
        let mut id = *id;
        for _ in 0..REFERENCE_CHAIN {
            let Some(located) = self.object(id.number)? else {
                return Ok(Value::Here(&NULL));
            };
            match located.object {
                Object::Reference(next) => id = next,
                _ => return Ok(Value::There(located)),
            }
        }
        Err(PdfError::Damaged {
            what: "references lead in a circle",
            at: 0,
        })
    }

    /// A member of a dictionary, references followed; `null` when absent.
    ///
    /// # Errors
    /// As [`PdfFile::follow`].
    pub fn member<'v>(&self, dict: &'v Dict, name: &str) -> Result<Value<'v>, PdfError> {
        dict.get(name)
            .map_or(Ok(Value::Here(&NULL)), |object| self.follow(object))
    }

    /// The document catalog.
    ///
    /// # Errors
    /// [`PdfError::Damaged`] when there is none.
    pub fn catalog(&self) -> Result<(ObjectId, Dict), PdfError> {
        let missing = PdfError::Damaged {
            what: "the document catalog is missing",
            at: 0,
        };
        let Some(id) = self.trailer.reference("Root") else {
            return Err(missing);
        };
        let Some(located) = self.object(id.number)? else {
            return Err(missing);
        };
        match &located.object {
            Object::Dict(dict) if dict.has("Pages") => Ok((id, dict.clone())),
            _ => Err(missing),
        }
    }

    /// The stored bytes of a stream, filters not applied.
    #[must_use]
    pub fn raw<'s>(&'s self, stream: &'s Stream) -> &'s [u8] {
        match &stream.data {
            StreamData::InFile(range) => self.data.get(range.clone()).unwrap_or_default(),
            StreamData::New(bytes) => bytes,
        }
    }

    /// The bytes of a stream, filters taken off.
    ///
    /// # Errors
    /// [`PdfError::TooLarge`] beyond `Limits`, [`PdfError::Undecodable`].
    pub fn decoded<'s>(&'s self, stream: &'s Stream) -> Result<Cow<'s, [u8]>, PdfError> {
        self.decoded_within(stream, self.limits.stream_bytes)
    }

    /// As [`PdfFile::decoded`], with a limit of one's own.
    ///
    /// # Errors
    /// As there.
    pub fn decoded_within<'s>(
        &'s self,
        stream: &'s Stream,
        limit: usize,
    ) -> Result<Cow<'s, [u8]>, PdfError> {
        self.decode(stream, limit).map(|(bytes, _)| bytes)
    }

    /// As [`PdfFile::decoded`], with nothing left out where the data are broken.
    ///
    /// # Errors
    /// As there, and [`PdfError::Undecodable`] for data that are not what their format or checksum says.
    pub fn decoded_whole<'s>(&'s self, stream: &'s Stream) -> Result<Cow<'s, [u8]>, PdfError> {
        match self.decode(stream, self.limits.stream_bytes)? {
            (_, true) => Err(PdfError::Undecodable(
                "its compressed data are broken".to_owned(),
            )),
            (bytes, false) => Ok(bytes),
        }
    }

    /// The bytes of a stream, and whether its data are broken.
    fn decode<'s>(
        &'s self,
        stream: &'s Stream,
        limit: usize,
    ) -> Result<(Cow<'s, [u8]>, bool), PdfError> {
        let raw = self.raw(stream);
        let dict = self.filter_dict(&stream.dict)?;
        let filters = filter::filter_names(&dict).len();
        if filters > self.limits.filters {
            return Err(PdfError::TooLarge {
                what: "filters of a stream",
                limit: self.limits.filters,
            });
        }
        if filters == 0 {
            if raw.len() > limit {
                return Err(PdfError::TooLarge {
                    what: "bytes in a stream",
                    limit,
                });
            }
            return Ok((Cow::Borrowed(raw), false));
        }
        let spent = self.state.borrow().decoded_bytes;
        let left = self.limits.total_bytes.saturating_sub(spent);
        let mut inflating = self.inflating.borrow_mut();
        let decoded = filter::decode(&mut inflating, &dict, raw, limit.min(left));
        let spent = decoded
            .as_ref()
            .map_or(limit.min(left), |decoded| decoded.bytes.len());
        self.state.borrow_mut().decoded_bytes += spent;
        match decoded {
            Err(PdfError::TooLarge { .. }) if left < limit => Err(self.too_much_decoded()),
            other => other.map(|decoded| (Cow::Owned(decoded.bytes), decoded.is_broken)),
        }
    }

    const fn too_much_decoded(&self) -> PdfError {
        PdfError::TooLarge {
            what: "decoded bytes of all streams together",
            limit: self.limits.total_bytes,
        }
    }

    /// Counts what was decoded, read and noted from zero again: the limits bound one task.
    pub fn renew_budget(&self) {
        self.state.borrow_mut().decoded_bytes = 0;
        self.memory.renew();
    }

    /// The first bytes of a stream, at most `limit`; empty when they cannot be decoded.
    ///
    /// # Errors
    /// As [`PdfFile::follow`]; [`PdfError::TooLarge`] beyond `Limits::total_bytes`.
    pub fn decoded_start(&self, stream: &Stream, limit: usize) -> Result<Vec<u8>, PdfError> {
        let dict = self.filter_dict(&stream.dict)?;
        let start = filter::decode_start(&dict, self.raw(stream), limit);
        let mut state = self.state.borrow_mut();
        state.decoded_bytes = state.decoded_bytes.saturating_add(start.len());
        if state.decoded_bytes > self.limits.total_bytes {
            return Err(self.too_much_decoded());
        }
        Ok(start)
    }

    /// `/Filter` and `/DecodeParms` without references.
    fn filter_dict(&self, dict: &Dict) -> Result<Dict, PdfError> {
        let mut plain = Dict::new();
        for (name, short) in [("Filter", "F"), ("DecodeParms", "DP")] {
            let mut value = self.member(dict, name)?;
            if matches!(*value, Object::Null) && !dict.has("Length") {
                value = self.member(dict, short)?;
            }
            let resolved = match &*value {
                Object::Array(items) => {
                    let items = items
                        .iter()
                        .map(|item| self.follow(item).map(|item| item.clone()));
                    Object::Array(items.collect::<Result<_, _>>()?)
                }
                other => other.clone(),
            };
            if !matches!(resolved, Object::Null) {
                plain.set(name, resolved);
            }
        }
        Ok(plain)
    }

    fn read_in_stream(&self, number: u32, stream: u32) -> Result<Option<Located>, PdfError> {
        let container = self.object_stream(stream)?;
        let place = container
            .objects
            .binary_search_by_key(&number, |(number, _)| *number);
        let Some((_, start)) = place.ok().and_then(|place| container.objects.get(place)) else {
            return Ok(None);
        };
        // After the limit is reached, reading more costs nothing.
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

    /// Counts an object that was just read.
    pub(super) fn parsed(&self, start: usize, lexer: &Lexer<'_>) -> Result<Alive, PdfError> {
        let text = lexer.position().saturating_sub(start);
        self.memory
            .parsed(text, lexer.values_read(), self.data.len(), &self.limits)
    }

    /// Counts text of another kind that was read like an object.
    ///
    /// # Errors
    /// [`PdfError::TooLarge`] beyond `Limits::parsed_bytes`.
    pub fn count_parsed(&self, text: usize) -> Result<(), PdfError> {
        let parsed = self.memory.parsed(text, 0, self.data.len(), &self.limits);
        parsed.map(drop)
    }

    fn object_stream(&self, number: u32) -> Result<Rc<ObjectStream>, PdfError> {
        if let Some(known) = self.state.borrow().streams.get(&number) {
            return Ok(Rc::clone(known));
        }
        self.state.borrow_mut().reading += 1;
        let decoded = self.read_object_stream(number);
        self.state.borrow_mut().reading -= 1;
        let decoded = Rc::new(decoded?);
        let mut state = self.state.borrow_mut();
        state.cached_bytes += decoded.bytes.len() + decoded.objects.len() * 16;
        if state.cached_bytes > self.limits.cached_bytes {
            // Those that are being read stay where they are.
            state.streams.clear();
            state.cached_bytes = decoded.bytes.len() + decoded.objects.len() * 16;
        }
        state.streams.insert(number, Rc::clone(&decoded));
        Ok(decoded)
    }

    /// Its length, filters, `/First` and `/N` may be objects in other object streams, or in itself.
    fn read_object_stream(&self, number: u32) -> Result<ObjectStream, PdfError> {
        let damaged = PdfError::Damaged {
            what: "an object stream is missing",
            at: 0,
        };
        let Entry::At(at) = self.entry(number)? else {
            return Err(damaged);
        };
        if self.state.borrow().reading > NESTED_STREAMS {
            return Err(PdfError::Damaged {
                what: "object streams need each other",
                at,
            });
        }
        let located = self.read_plain(number, at)?;
        let Some(stream) = located.object.as_stream() else {
            return Err(damaged);
        };
        let bytes = self.decoded(stream)?.into_owned();
        let objects = self.object_offsets(&stream.dict, &bytes)?;
        Ok(ObjectStream { bytes, objects })
    }

    pub(super) fn object_offsets(
        &self,
        dict: &Dict,
        bytes: &[u8],
    ) -> Result<Vec<(u32, usize)>, PdfError> {
        let damaged = |at| PdfError::Damaged {
            what: "an object stream is broken",
            at,
        };
        let first = self.member(dict, "First")?.as_integer();
        let first = first
            .and_then(|first| usize::try_from(first).ok())
            .ok_or_else(|| damaged(0))?;
        let count = self.member(dict, "N")?.as_integer().unwrap_or(0);
        let mut lexer = Lexer::new(bytes, 0, &self.limits);
        let mut objects = Vec::new();
        for _ in 0..count {
            if objects.len() >= self.limits.values {
                return Err(PdfError::TooLarge {
                    what: "objects in one object stream",
                    limit: self.limits.values,
                });
            }
            lexer.skip_white();
            let number = lexer
                .unsigned()
                .and_then(|number| u32::try_from(number).ok());
            lexer.skip_white();
            let offset = lexer
                .unsigned()
                .and_then(|offset| usize::try_from(offset).ok());
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

    /// As [`PdfFile::read_at`], with the encryption taken off.
    fn read_plain(&self, number: u32, at: usize) -> Result<Located, PdfError> {
        let mut located = self.read_at(number, at)?;
        if let Some(security) = &self.security {
            security.open_object(number, &mut located, self.data);
        }
        Ok(located)
    }

    /// Forgets what was read, because it reads otherwise now.
    pub(super) fn forget(&mut self) {
        self.state.take();
    }

    /// Reads the object that stands at a byte of the file.
    pub(super) fn read_at(&self, number: u32, at: usize) -> Result<Located, PdfError> {
        let mut lexer = Lexer::new(self.data, at, &self.limits);
        let (start, generation, mut framing) = self.object_head(number, &mut lexer)?;
        let object = lexer.object();
        // What cannot be read took its time as well.
        let alive = self.parsed(start, &lexer)?;
        let mut value_end = lexer.position();
        self.skip_white(&mut lexer)?;
        let object = match object? {
            Object::Dict(dict)
                if lexer.take_keyword(b"stream") || lexer.rest().starts_with(b"stream") =>
            {
                if lexer.rest().starts_with(b"stream") {
                    lexer.seek(lexer.position() + 6);
                }
                let range = self.stream_range(number, &dict, &mut lexer, &mut framing)?;
                value_end = lexer.position();
                Object::Stream(Stream {
                    dict,
                    data: StreamData::InFile(range),
                })
            }
            other => other,
        };
        self.skip_white(&mut lexer)?;
        let end_keyword = lexer.position();
        if lexer.rest().starts_with(b"endobj") {
            framing.spacing |= !ends_line(self.data, end_keyword);
            lexer.seek(end_keyword + 6);
            framing.spacing |= !begins_line(self.data, end_keyword + 6);
        } else {
            framing.spacing = true;
            lexer.seek(value_end);
        }
        Ok(Located {
            alive,
            object,
            span: start..lexer.position(),
            in_stream: None,
            generation,
            framing,
            syntax: lexer.syntax,
        })
    }

    /// Reads `12 0 obj`; returns its start, the generation and how it is framed.
    fn object_head(
        &self,
        number: u32,
        lexer: &mut Lexer<'a>,
    ) -> Result<(usize, u16, Framing), PdfError> {
        let damaged = PdfError::Damaged {
            what: "an object is not where it should be",
            at: lexer.position(),
        };
        self.skip_white(lexer)?;
        let start = lexer.position();
        let found = lexer.unsigned();
        let number_end = lexer.position();
        self.skip_white(lexer)?;
        let generation_start = lexer.position();
        let generation = lexer.unsigned().and_then(|value| u16::try_from(value).ok());
        let generation_end = lexer.position();
        self.skip_white(lexer)?;
        let keyword = lexer.position();
        if found != Some(u64::from(number)) || !lexer.rest().starts_with(b"obj") {
            return Err(damaged);
        }
        let Some(generation) = generation else {
            return Err(damaged);
        };
        lexer.seek(keyword + 3);
        let framing = Framing {
            spacing: generation_start != number_end + 1
                || keyword != generation_end + 1
                || !ends_line(self.data, start)
                || !begins_line(self.data, keyword + 3),
            ..Framing::default()
        };
        Ok((start, generation, framing))
    }

    /// Goes past white space and comments, which may be long; fails at once when the limit is reached.
    fn skip_white(&self, lexer: &mut Lexer<'_>) -> Result<(), PdfError> {
        self.count_parsed(0)?;
        let before = lexer.position();
        lexer.skip_white();
        self.count_parsed(lexer.position().saturating_sub(before))
    }

    /// The data of a stream whose keyword was just read.
    fn stream_range(
        &self,
        number: u32,
        dict: &Dict,
        lexer: &mut Lexer<'a>,
        framing: &mut Framing,
    ) -> Result<Range<usize>, PdfError> {
        let rest = lexer.rest();
        let line = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            [b'\r', ..] => {
                framing.stream_lines = true;
                1
            }
            _ => {
                framing.stream_lines = true;
                0
            }
        };
        let start = lexer.position() + line;
        let length = self.stream_length(number, dict)?;
        let stated = length.and_then(|length| start.checked_add(length));
        if let Some(end) = stated {
            let after = self.data.get(end..).unwrap_or_default();
            let break_length = match after {
                [b'\r', b'\n', ..] => 2,
                [b'\n' | b'\r', ..] => 1,
                _ => 0,
            };
            if after
                .get(break_length..)
                .unwrap_or_default()
                .starts_with(b"endstream")
            {
                framing.stream_lines |= break_length == 0;
                lexer.seek(end + break_length + 9);
                return Ok(start..end);
            }
        }
        framing.wrong_length = true;
        framing.stream_lines = true;
        self.searched_end(start, stated, lexer)
    }

    /// The end of data whose length is not the stated one: the next `endstream`.
    fn searched_end(
        &self,
        start: usize,
        stated: Option<usize>,
        lexer: &mut Lexer<'a>,
    ) -> Result<Range<usize>, PdfError> {
        // White space after the stated length is no reason to doubt it.
        if let Some(end) = stated {
            let after = self.data.get(end..).unwrap_or_default();
            let white = after
                .iter()
                .take(16)
                .take_while(|byte| is_white(**byte))
                .count();
            if after
                .get(white..)
                .unwrap_or_default()
                .starts_with(b"endstream")
            {
                lexer.seek(end + white + 9);
                return Ok(start..end);
            }
        }
        let rest = self.data.get(start..).unwrap_or_default();
        let Some(found) = memchr::memmem::find(rest, b"endstream") else {
            return Err(PdfError::Damaged {
                what: "a stream has no end",
                at: start,
            });
        };
        // Searching is quick, but streams may lie over each other.
        self.count_parsed(found / SEARCHED)?;
        lexer.seek(start + found + 9);
        let data = rest.get(..found).unwrap_or_default();
        let line = match data {
            [.., b'\r', b'\n'] => 2,
            [.., b'\n' | b'\r'] => 1,
            _ => 0,
        };
        Ok(start..start + found - line)
    }

    /// `/Length`, also when it is an object of its own.
    fn stream_length(&self, number: u32, dict: &Dict) -> Result<Option<usize>, PdfError> {
        let value = match dict.get("Length") {
            Some(Object::Integer(value)) => Some(*value),
            // The length of a stream cannot be a stream; that would go round in circles.
            Some(Object::Reference(id)) if id.number != number => match self.entry(id.number)? {
                Entry::At(at) => self.plain_integer(id.number, at)?,
                Entry::InStream { stream } if stream != number => self
                    .object(id.number)?
                    .and_then(|located| located.object.as_integer()),
                _ => None,
            },
            _ => None,
        };
        Ok(value.and_then(|value| usize::try_from(value).ok()))
    }

    /// The number that is the object at a byte of the file, if it is one.
    fn plain_integer(&self, number: u32, at: usize) -> Result<Option<i64>, PdfError> {
        let mut lexer = Lexer::new(self.data, at, &self.limits);
        let value = integer_object(&mut lexer, number);
        self.count_parsed(lexer.position().saturating_sub(at))?;
        Ok(value)
    }
}

/// Any other object is not read: it may be large, and many streams may name it as their length.
fn integer_object(lexer: &mut Lexer<'_>, number: u32) -> Option<i64> {
    lexer.skip_white();
    (lexer.unsigned() == Some(u64::from(number))).then_some(())?;
    lexer.skip_white();
    lexer.unsigned()?;
    lexer.skip_white();
    lexer.take_keyword(b"obj").then_some(())?;
    lexer.skip_white();
    matches!(lexer.peek(), Some(b'0'..=b'9' | b'+')).then_some(())?;
    lexer.object().ok()?.as_integer()
}

/// Whether a line ends right before `at`.
fn ends_line(data: &[u8], at: usize) -> bool {
    at == 0
        || at
            .checked_sub(1)
            .and_then(|before| data.get(before))
            .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Whether a line ends at `at`.
fn begins_line(data: &[u8], at: usize) -> bool {
    data.get(at)
        .is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}
